"""What browser tests share: wait until a page stands still, run an experiment, and use the Watch page as a visitor does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from playwright.sync_api import TimeoutError

Result = TypeVar("Result")

PATIENCE = 120_000  # ms; long enough for a machine that also compiles the kernels
COLD = 300_000  # ms; the first page of a new server loads the model, and two trainings at once share two cores
STILL = """() => window.tokenViewerKeys?.list && document.querySelector('h1') && !document.querySelector('[data-testid=stSkeleton]')
  && document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"""
FIND = """(name, root) => {
  const find = node => {
    for (const one of (node ?? document).querySelectorAll("*")) {
      if (one.classList?.contains(name)) return one;
      const inner = one.shadowRoot && find(one.shadowRoot);
      if (inner) return inner;
    }
  };
  return find(root);
}"""
READ = f"""() => {{
  const find = {FIND};
  const words = find("words");
  const dice = find("dice");
  const rows = find("rows");
  if (!words?.places || !dice || !rows) return null;
  const tokens = words.places.map(place => ({{ ...place.token, names: place.word.className }}));
  const shown = [...rows.children].filter(row => !row.hidden);
  const bars = shown.flatMap(row => [".label", ".number", ".note"].map(name => row.querySelector(name).textContent));
  const heading = find("title");
  return {{ tokens, bars, title: [heading?.textContent ?? ""], told: dice.querySelector(".told").textContent }};
}}"""


def settled(page: Any, patience: int = PATIENCE) -> None:
    """Wait until the page has its heading and no script of it runs."""
    page.wait_for_function(STILL, timeout=patience)


def eventually(page: Any, check: Callable[[], Result], seconds: float = 20) -> Result:
    """Repeat a check of what is drawn until it holds, and return what it returns. Raises its last AssertionError after so many seconds.

    The check only looks: nothing is pressed or typed in it (a test of the code's rules).
    """
    latest = monotonic() + seconds
    while True:
        try:
            return check()
        except AssertionError:
            if monotonic() > latest:
                raise
            page.wait_for_timeout(100)


def stays(page: Any, condition: str, seconds: float = 1.5) -> None:
    """Assert that a condition of the page keeps holding for so long."""
    try:
        page.wait_for_function(f"() => !({condition})", timeout=1000 * seconds)
    except TimeoutError:
        return
    raise AssertionError(f"it did not stay like this: {condition}")


def press(page: Any, key: str) -> None:
    """Press the button with this key, or with this name in the live view."""
    page.locator(f".st-key-{key} button:visible, button[data-name='{key}']:visible").first.click()


def opened(page: Any, selector: str) -> None:
    """Wait until an element that opens does not move any more: a popover stays where its button was."""
    page.wait_for_function("at => document.querySelector(at).getAnimations({ subtree: true }).length === 0", arg=selector)
    settled(page)


def open_more_settings(page: Any) -> None:
    """Open the settings that are folded in the sidebar."""
    if page.locator(".st-key-watch_more").count():
        show_more(page)
    settled(page)
    summary = page.locator(".st-key-more_settings summary").first
    if summary.evaluate("summary => !summary.parentElement.open"):
        summary.click()
        opened(page, ".st-key-more_settings")


def all_samplers(page: Any) -> None:
    """Open the dialog of all samplers."""
    open_more_settings(page)
    press(page, "all_samplers")


def show_more(page: Any) -> None:
    """Show the tools of Watch that are behind More."""
    settled(page)
    if not page.locator(".st-key-more_tools").is_visible():
        page.locator(".st-key-watch_more label").first.click()
        page.locator(".st-key-more_tools").wait_for()
        settled(page)


def type_into(page: Any, key: str, text: str) -> None:
    """Write into a field and leave it."""
    field = page.locator(f".st-key-{key} input, .st-key-{key} textarea").first
    field.fill(text)
    field.press("Tab")


def turn_to(page: Any, entry: str, tab: str = "") -> None:
    """Go to another page in the same session: by an entry of the menu and, if it is not its first page, by a tab."""
    settled(page)  # a rerun replaces the menu
    link = page.locator('[data-testid="stTopNavLink"]', has=page.get_by_text(entry, exact=True))
    if not link.count():
        page.locator('[data-testid="stTopNavSection"]', has_text="More").click()
        link = page.locator('[data-testid="stTopNavDropdownLink"]', has=page.get_by_text(entry, exact=True))
    link.click()
    if tab:
        page.locator(".st-key-page_tabs a[href]:visible", has=page.get_by_text(tab, exact=True)).click()


def live(page: Any, start: str, name: str, patience: int = COLD) -> None:
    """Run an experiment by its button and wait until the live result is complete."""
    press(page, start)
    try:
        page.locator(f".st-key-recorded_{name}").first.wait_for(state="detached", timeout=patience)
        page.locator(f".st-key-made_{name} .st-key-keep_{name} button:visible").first.wait_for(timeout=patience)
    except TimeoutError:
        raise AssertionError(f"{name} has no result. On the page: {page.locator('[data-testid=stMain]').inner_text()}") from None
    settled(page)


def download(page: Any, button: Any) -> Path:
    """Press a button that saves a file, and return the path of the file."""
    try:
        with page.expect_download() as saved:
            button.click()
    except TimeoutError:
        raise AssertionError(f"no file. On the page: {page.locator('[data-testid=stMain]').inner_text()[-3000:]}") from None
    return Path(saved.value.path())


def same_text(written: list[str]) -> str:
    """Return the condition for `Watching.until` that exactly these tokens are written."""
    return f"JSON.stringify(steps.map(step => step.text)) === JSON.stringify({json.dumps(written)})"


class Watching:
    """One visitor's Watch page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.until("seen !== null && seen.bars.length > 0", COLD)

    def seen(self) -> dict[str, Any]:
        """Return what is on screen: the tokens of the strip, the texts of the bars, the headings, the line of the dice."""
        return self.page.evaluate(READ)

    def until(self, condition: str, patience: int = PATIENCE) -> dict[str, Any]:
        """Wait until a condition on `seen` holds, e.g. `steps.length === 3`, and return what is seen then."""
        self.page.wait_for_function(
            f"() => {{ const seen = ({READ})(); const steps = (seen?.tokens ?? []).filter(t => t.step >= 0); return {condition}; }}",
            timeout=patience,
        )
        return self.seen()

    def address(self) -> str:
        """Return the page's address once it opens what is on screen."""
        self.page.wait_for_function("() => window.tokenViewerLive.written === window.tokenViewerLive.version")
        return str(self.page.url)

    def written(self) -> list[str]:
        """Return the written tokens."""
        return [token["text"] for token in self.seen()["tokens"] if token["step"] >= 0]

    def button(self, name: str) -> Any:
        """Return a button of the live view. While the page is drawn again, the old one can stand beside the new one."""
        return self.page.locator(f"button[data-name={name}]").first

    def press(self, name: str, steps: int) -> list[str]:
        """Press a button of the player, wait until so many tokens are written, and return them."""
        self.button(name).click()
        self.until(f"steps.length === {steps}")
        return self.written()

    def steps(self, first: int, last: int) -> list[str]:
        """Press Step until so many tokens are written, and return them."""
        for count in range(first, last + 1):
            self.press("step", count)
        return self.written()

    def click_bar(self, place: int) -> None:
        """Click the bar in this place, 0 = the likeliest."""
        self.page.locator(".st-key-odds .bar").nth(place).click()

    def take_bar(self, place: int, condition: str) -> None:
        """Click the bar in this place, and wait until a condition on `seen` holds."""
        self.click_bar(place)
        self.until(condition)

    def stays(self, condition: str, seconds: float = 1.5) -> None:
        """Assert that a condition on `seen` keeps holding for so long."""
        steps = "(seen?.tokens ?? []).filter(t => t.step >= 0)"
        stays(self.page, f"(() => {{ const seen = ({READ})(), steps = {steps}; return {condition}; }})()", seconds)

    def click_word(self, step: int) -> None:
        """Click the token that this step wrote."""
        self.page.locator(f'.st-key-strip [role="button"][data-step="{step}"]').first.click()

    def choose_another(self, count: int) -> None:
        """Replace the last of so many tokens by another one, by its bar."""
        seen = self.until('seen.title[0].includes("What came next?")')
        self.take_bar(3 if seen["tokens"][-1]["rank"] != 4 else 2, f"steps.length === {count} && steps[{count - 1}].forced")

    def open_recording(self, kept: str) -> None:
        """Upload a recording."""
        if not self.page.locator(".st-key-recording").is_visible():
            press(self.page, "keep")
        chooser = self.page.locator(".st-key-recording input[type=file]")
        chooser.set_input_files({"name": "run.json", "mimeType": "application/json", "buffer": kept.encode()})

    def close_menu(self) -> None:
        """Close "Keep or share"."""
        settled(self.page)
        self.page.keyboard.press("Escape")
        self.page.locator(".st-key-recording").wait_for(state="hidden")
