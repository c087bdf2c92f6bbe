"""A presenter in a browser: the stage, the presenter's window and a talk, by their keys."""

from __future__ import annotations

from typing import Any

from pages.ui.presenting.talk_file import Stop, Talk
from tests.browser.watching import FIND, press

SETTLED = "!my.wants && !my.falling && !my.running && my.runTo < 0"
SMALLEST = f"""() => {{
  const sizes = [];
  for (const node of ({FIND})("stage").querySelectorAll("*")) {{
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    if (!own || !box.width || !box.height || style.visibility === "hidden") continue;
    sizes.push([parseFloat(style.fontSize), node.className, node.textContent]);
  }}
  return sizes.sort((a, b) => a[0] - b[0])[0];
}}"""


class OnStage:
    """A presenter's page."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        """Press these keys."""
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, beat: str, count: int | None = None) -> None:
        """Wait for a beat, with so many written tokens."""
        told = "" if count is None else f" && part('stage').dataset.count === '{count}'"
        self.wait(f"part('stage').dataset.beat === '{beat}' && !part('stage').dataset.waiting{told}")

    def wait(self, condition: str) -> None:
        """Wait for a condition: `part(name)` is the first element of this class, `my` the state of the stage."""
        self.page.wait_for_function(f"() => {{ const part = {FIND}; const my = part('stage')?.my; return Boolean(my) && ({condition}); }}")

    def text(self, name: str) -> str:
        """Return the text of the first element of this class."""
        return str(self.page.evaluate(f"() => ({FIND})('{name}')?.textContent ?? ''"))

    def state(self, expression: str) -> Any:
        """Return the value of an expression of `my`, the state of the stage."""
        return self.page.evaluate(f"() => {{ const my = ({FIND})('stage').my; return {expression}; }}")


def write_all(stage: OnStage) -> int:
    """Press on until the stop's tokens are written, and return the number of presses. A press writes one choice and what follows it."""
    for presses in range(12):
        stage.wait(SETTLED)
        if stage.state("my.beat === 4 && my.t + 1 - my.first >= my.data.talk.words"):
            return presses
        stage.press("PageDown")
    raise AssertionError("the stop does not end")


class Given:
    """A presenter who gives a talk of these stops."""

    def __init__(self, stage: OnStage, *stops: Stop) -> None:
        self.stage, self.page = stage, stage.page
        press(self.page, "talk_open")
        file = {"name": "talk.json", "mimeType": "application/json", "buffer": Talk("Mine", stops, minutes=7).dumps().encode()}
        self.page.locator('.st-key-talk_file input[type="file"], input[type="file"]').first.set_input_files(file)
        self.page.get_by_text("“Mine” is open").wait_for()
        self.page.keyboard.press("Escape")
        press(self.page, "talk_give")

    def at(self, number: int, following: str = "") -> None:
        """Wait until this stop is shown, and its bar announces what follows."""
        self.page.locator(".st-key-talk_bar .place", has_text=f"{number} /").wait_for()
        if following:
            self.page.locator(".st-key-talk_bar .next", has_text=following).wait_for()
        self.stands_still()

    def stands_still(self) -> None:
        """Wait until no script runs: a press during the first run of a page can be lost."""
        self.page.wait_for_function("() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'")

    def has_button(self, button: str) -> None:
        """Wait until the page has drawn the button of its stop."""
        self.page.locator(f".st-key-{button} button:enabled").first.wait_for(state="attached")
