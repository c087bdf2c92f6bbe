"""The stage as a speaker uses it: the keyboard alone, 1280 x 720; a whole talk of three minutes, and the second window."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.limits import Limits

pytestmark = pytest.mark.browser
PATIENCE = 60_000  # ms
LONGEST_TRAINING = 1000 * Limits().training_seconds  # ms: other tests may have the processor meanwhile
FIND = """(name, root) => {
  const find = node => {
    for (const one of (node ?? document).querySelectorAll("*")) {
      if (one.classList?.contains(name)) return one;
      const inner = one.shadowRoot && find(one.shadowRoot);
      if (inner) return inner;
    }
  };
  return find();
}"""
SMALLEST = f"""() => {{
  const stage = ({FIND})("stage");
  const sizes = [];
  for (const node of stage.querySelectorAll("*")) {{
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    if (!own || !box.width || !box.height || style.visibility === "hidden") continue;
    sizes.push([parseFloat(style.fontSize), node.className, node.textContent]);
  }}
  return sizes.sort((a, b) => a[0] - b[0])[0];
}}"""


class OnStage:
    """A speaker before the stage. pictures: where every picture of the talk goes, if anywhere."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.set_default_timeout(PATIENCE)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, beat: str, count: int | None = None) -> None:
        """Wait for a beat, with so many words written."""
        condition = f"stage?.dataset.beat === '{beat}' && !stage.dataset.waiting" + (
            "" if count is None else f" && stage.dataset.count === '{count}'"
        )
        self.page.wait_for_function(f"() => {{ const stage = ({FIND})('stage'); return {condition}; }}", timeout=PATIENCE)

    def wait(self, condition: str) -> None:
        """Wait for something of the stage: `part(name)` is the first element of this class, `my` the state of its keys."""
        self.page.wait_for_function(
            f"() => {{ const part = {FIND}; const my = part('stage')?.my; return Boolean(my) && ({condition}); }}", timeout=PATIENCE
        )

    def text(self, name: str) -> str:
        return str(self.page.evaluate(f"() => ({FIND})('{name}')?.textContent ?? ''"))

    def state(self, expression: str) -> Any:
        return self.page.evaluate(f"() => {{ const my = ({FIND})('stage').my; return {expression}; }}")

    def word(self, count: int) -> None:
        """One more word, by as many presses as it takes."""
        for _ in range(12):
            if self.state("my.data.count") == count and self.page.evaluate(f"() => ({FIND})('stage').dataset.beat") == "write":
                return
            self.press("PageDown")
            self.page.wait_for_timeout(250)
            self.wait("!my.wants && !my.falling")
        self.until("write", count)

    def picture(self, name: str) -> None:
        folder = os.environ.get("STAGE_PICTURES")
        self.page.wait_for_timeout(700)
        if folder:
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"))


@pytest.fixture
def on_stage(browser: Any, app: str) -> Iterator[Callable[..., OnStage]]:
    contexts: list[Any] = []
    failed: list[str] = []

    def opened(path: str, width: int = 1280, height: int = 720, beside: OnStage | None = None) -> OnStage:
        context = beside.page.context if beside else browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(f"{app}{path}")
        return OnStage(page)

    yield opened
    for context in contexts:
        context.close()
    assert not failed, failed


def test_five_beats_each_at_a_key_and_the_dice_fall_only_when_they_are_let(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/?stage=1")
    stage.until("read", 0)
    stage.press("ArrowRight")
    stage.until("think", 0)
    stage.press(" ")
    stage.until("weigh", 0)
    stage.page.wait_for_timeout(800)
    assert stage.state("my.data.count") == 0, "the pass is made, nothing is rolled"
    assert stage.page.locator("header").first.is_hidden()
    assert stage.page.locator('[data-testid="stSidebar"]').count() == 0 or stage.page.locator('[data-testid="stSidebar"]').is_hidden()
    stage.press("PageDown")
    stage.until("roll", 1)
    stage.wait("!my.falling")
    assert "falls on" in stage.text("line")
    stage.press("ArrowRight")
    stage.until("write", 1)
    before = stage.text("text")
    stage.press("ArrowLeft", "ArrowLeft")
    stage.until("weigh", 1)
    stage.press("5")
    stage.until("write", 1)
    assert stage.text("text") == before
    stage.press("r")
    stage.until("read", 0)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_nothing_is_smaller_than_24_pixels_and_nothing_is_cut_off(width: int, height: int, on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/stage?prompt=The+dog+ran+to+the", width, height)
    for beat in ("read", "think", "weigh", "roll", "write"):
        stage.until(beat)
        stage.wait("!my.falling")
        size, name, text = stage.page.evaluate(SMALLEST)
        assert size >= 24, (beat, name, text)
        over = stage.page.evaluate(f"() => {{ const foot = ({FIND})('foot').getBoundingClientRect(); return [foot.bottom, innerHeight]; }}")
        assert over[0] <= over[1], beat
        stage.press("ArrowRight")
    stage.press("g")
    stage.wait("!part('guess').hidden")
    assert stage.page.evaluate(SMALLEST)[0] >= 24
    stage.press("Escape", "?")
    stage.wait("!part('help').hidden")
    assert stage.page.evaluate(SMALLEST)[0] >= 24
    last = stage.page.evaluate(f"() => {{ const help = ({FIND})('help'); return [help.scrollHeight, help.clientHeight]; }}")
    assert last[0] <= last[1] + 1, "all keys are in sight"


def test_keys_that_are_typed_into_the_field_of_guesses_are_letters(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/stage")
    stage.until("read", 0)
    stage.press("g")
    stage.page.keyboard.type("big bat 3.")
    assert stage.page.evaluate(f"() => ({FIND})('field').value") == "big bat 3."
    assert not stage.state("my.blank") and stage.state("my.beat") == 2
    stage.press("Escape")
    stage.wait("!my.guess")
    stage.press("b")
    stage.wait("!part('black').hidden")
    stage.press("b", "Escape")
    stage.page.wait_for_url(lambda url: "/stage" not in url, timeout=PATIENCE)
    stage.page.locator(".st-key-step button").first.wait_for()
    stage.page.locator('[data-testid="stTopNavSection"][aria-current]', has_text="Watch").wait_for()  # the menu is back, and marked
    stage.press("s")
    stage.until("read", 0)


def test_the_second_window_follows_beat_by_beat(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/stage")
    stage.until("read", 0)
    notes = on_stage("/?notes=1", beside=stage)
    notes.page.wait_for_function(
        f"() => ({FIND})('beat')?.textContent === 'read' && ({FIND})('rows')?.children.length > 5", timeout=PATIENCE
    )
    rows = stage.state("my.looks[0].rows.map(row => row[0] + row[4])")
    seen = notes.page.evaluate(
        f"() => [...({FIND})('rows').children].map(row => row.children[0].textContent + row.children[2].textContent)"
    )
    assert seen[: len(rows)] == rows, "the coming odds, before the hall sees them"
    stage.press("3")
    notes.page.wait_for_function(f"() => ({FIND})('beat')?.textContent === 'weigh'", timeout=PATIENCE)
    notes.press("PageDown")
    stage.until("roll", 1)
    assert ":" in notes.text("clock")


def test_a_talk_of_three_minutes_on_the_keyboard_alone(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/talk")
    stage.page.locator(".st-key-talk_give button").first.wait_for()
    stage.page.locator(".st-key-talk_give button").first.focus()
    stage.press("Enter")
    stage.until("read", 0)
    stage.picture("01-open-read")
    stage.press("PageDown")
    stage.until("think")
    stage.picture("02-think")
    stage.press("PageDown")
    stage.until("weigh")
    stage.picture("03-weigh")
    stage.press("PageDown")
    stage.until("roll", 1)
    stage.wait("!my.falling")
    stage.picture("04-roll")
    stage.press("PageDown")
    stage.until("write", 1)
    stage.picture("05-write")
    stage.word(2)
    stage.press("PageDown")  # the stop's two words are written: on to the next one
    stage.wait("my.data.talk.place === 1")
    stage.until("read", 0)
    for number, guesses in enumerate((("park", "house", "river"), ("and",)), start=1):
        stage.press("g")
        stage.wait("!part('guess').hidden")
        for word in guesses:
            stage.page.keyboard.type(word)
            stage.press("Enter")
        stage.picture(f"06-guess-{number}-hidden")
        stage.press("Enter")
        stage.wait("my.guess?.rows?.length > 0 && !my.wants")
        stage.picture(f"07-guess-{number}-revealed")
        stage.press("PageDown")
        stage.until("roll", number)
        stage.wait(f"!my.falling && my.data.score.rounds === {number}")
        stage.picture(f"08-guess-{number}-rolled")
        stage.press("PageDown")
        stage.until("write", number)
    assert "room" in stage.text("score")
    stage.press("PageDown")
    stage.wait("my.data.talk.place === 2")
    stage.press("3")
    stage.picture("09-temperature")
    before = stage.state("my.looks[0].rows[0][3]")
    for _ in range(4):
        stage.press("ArrowUp")
        stage.wait("!my.wants")
    assert "temperature 1.2" in stage.text("info")
    assert stage.state("my.looks[0].rows[0][3]") < before, "hotter: the favourite loses"
    stage.picture("10-hotter")
    stage.word(1)
    stage.word(2)
    stage.press("PageDown")
    stage.wait("my.data.talk.place === 3")
    stage.press("3", "5")
    stage.until("write", 1)
    first = stage.text("text")
    stage.press("3", "c", "ArrowDown", "ArrowDown")
    stage.picture("11-choose")
    stage.press("Enter")
    stage.wait("my.looks[0]?.chosen >= 0 && my.looks[0].roll === null && !my.wants")
    stage.until("write", 1)
    assert stage.text("text") != first, "another word stands there now"
    for count in (2, 3, 4):
        stage.word(count)
    stage.picture("12-forked")
    stage.press("PageDown")
    stage.page.wait_for_url(lambda url: "/teach" in url, timeout=PATIENCE)
    stage.page.locator(".st-key-teach_start button").wait_for()
    stage.picture("13-teach")
    stage.press("Enter")
    stage.page.locator(".st-key-teach_pause button, .st-key-teach_more button").first.wait_for()
    stage.page.locator(".st-key-teach_more button").first.wait_for(timeout=LONGEST_TRAINING)
    bars = stage.page.get_by_role("heading", name="What it expects after").first
    bars.wait_for()
    stage.press("ArrowDown", "ArrowDown")
    stage.page.wait_for_timeout(300)
    assert 0 < bars.bounding_box()["y"] < 450, "the arrows bring the result into sight"
    stage.picture("14-taught")
    stage.press("PageDown")
    stage.wait("my.data.talk.place === 5")
    stage.press("m", "p")
    stage.wait("my.ending")
    stage.picture("15-end")


def test_a_page_that_is_loaded_again_goes_on_with_the_talk_at_the_same_stop(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/talk")
    stage.page.locator(".st-key-talk_remove_1 button").first.click()  # an order of one's own: it is in no file
    stage.page.locator(".st-key-talk_row_5").wait_for(state="detached")
    stage.page.locator(".st-key-talk_give button").first.click()
    stage.until("read", 0)
    for count in (1, 2):
        stage.word(count)
    stage.press("PageDown")
    stage.wait("my.data.talk.place === 1")
    stage.page.reload()
    stage.wait("my.data.talk?.place === 1 && my.data.talk.count === 5")
    stage.page.goto(stage.page.url.rsplit("/", 1)[0] + "/talk")
    stage.page.locator(".st-key-talk_row_4").wait_for()
    stage.page.locator(".st-key-talk_row_5").wait_for(state="detached")
