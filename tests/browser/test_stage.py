"""The stage as a presenter uses it: the keyboard alone, 1280 x 720; a talk of three minutes, and the presenter's window."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pages.ui.presenting.prepared_talks import THREE
from tests.browser.presenting import SMALLEST, OnStage, write_all
from tests.browser.watching import FIND, press

pytestmark = pytest.mark.browser
# Whether all elements of this class that are shown stand between the upper edge and the foot of the stage.
WHOLE = f"""name => {{
  const stage = ({FIND})("stage"), foot = ({FIND})("foot").getBoundingClientRect().top;
  const boxes = [...stage.querySelectorAll(`.${{name}}`)].filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect());
  return boxes.length > 0 && foot < innerHeight && boxes.every(box => box.top >= 0 && box.bottom <= foot + 1);
}}"""


def test_five_beats_at_a_key_each_in_large_letters_and_nothing_is_rolled_too_early(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/?stage=1&prompt=The+dog+ran+to+the")
    for beat, key in (("read", "ArrowRight"), ("think", " "), ("weigh", "PageDown"), ("roll", "ArrowRight"), ("write", "")):
        stage.until(beat, int(beat in ("roll", "write")))
        stage.wait("!my.falling")
        size, name, text = stage.page.evaluate(SMALLEST)
        assert size >= 24, (beat, name, text)
        over = stage.page.evaluate(f"() => {{ const foot = ({FIND})('foot').getBoundingClientRect(); return [foot.bottom, innerHeight]; }}")
        assert over[0] <= over[1], beat
        if key:
            stage.press(key)
    assert stage.page.locator("header").first.is_hidden()
    before = stage.text("text")
    stage.press("ArrowLeft", "ArrowLeft")
    stage.until("weigh", 1)
    stage.press("5")
    stage.until("write", 1)
    assert stage.text("text") == before
    stage.press("?")
    stage.wait("!part('help').hidden")
    assert stage.page.evaluate(SMALLEST)[0] >= 24
    last = stage.page.evaluate(f"() => {{ const help = ({FIND})('help'); return [help.scrollHeight, help.clientHeight]; }}")
    assert last[0] <= last[1] + 1, "all keys are in sight"
    stage.press("Escape")
    for width, height in ((700, 450), (844, 390)):  # a page at 200 %, and a phone on its side
        stage.page.set_viewport_size({"width": width, "height": height})
        for beat, lowest in (("1", "box"), ("3", "bar"), ("5", "track")):
            stage.press(beat)
            stage.wait("!my.falling")
            stage.page.wait_for_function(WHOLE, arg=lowest)


def test_keys_that_are_typed_into_the_field_of_guesses_are_letters_and_escape_leaves(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/stage")
    stage.until("read", 0)
    stage.press("g")
    stage.wait("!part('guess').hidden")
    stage.page.keyboard.type("big bat 3.")
    assert stage.page.evaluate(f"() => ({FIND})('field').value") == "big bat 3."
    assert not stage.state("my.blank") and stage.state("my.beat") == 2
    stage.press("Escape")
    stage.wait("!my.guess")
    stage.press("b")
    stage.wait("!part('black').hidden")
    stage.press("b", "Escape")
    stage.page.wait_for_url(lambda url: "/stage" not in url)
    stage.page.locator(".st-key-to_stage button").first.wait_for()
    stage.page.locator('[data-testid="stTopNavLink"][aria-current]', has_text="Watch").wait_for()
    stage.press("s")
    stage.until("read", 0)


def test_the_presenters_window_follows_and_drives_beat_by_beat(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/stage")
    stage.until("read", 0)
    notes = on_stage("/?notes=1", beside=stage)
    notes.page.wait_for_function(f"() => ({FIND})('beat')?.textContent === 'read' && ({FIND})('rows')?.children.length > 5")
    rows = stage.state("my.looks[0].rows.map(row => row[0] + row[4])")
    seen = notes.page.evaluate(
        f"() => [...({FIND})('rows').children].map(row => row.children[0].textContent + row.children[2].textContent)"
    )
    assert seen[: len(rows)] == rows, "the coming probabilities, before the audience sees them"
    stage.press("3")
    notes.page.wait_for_function(f"() => ({FIND})('beat')?.textContent === 'weigh'")
    temperature = stage.state("my.data.settings")
    notes.press("ArrowUp")  # every key of the stage works here
    stage.wait(f"my.data.settings !== '{temperature}' && !my.wants")
    notes.press("b")
    stage.wait("!part('black').hidden")
    notes.page.wait_for_function(f"() => ({FIND})('waiting')?.textContent.includes('black')")
    notes.press("b")
    stage.wait("part('black').hidden")
    notes.press("PageDown")
    stage.until("roll", 1)
    assert ":" in notes.text("clock")


def opening(stage: OnStage) -> None:
    """The first stop: the first token beat by beat, then the others."""
    stage.until("read", 0)
    for beat, count in (("think", 0), ("weigh", 0), ("roll", 1)):
        stage.press("PageDown")
        stage.until(beat, count)
    stage.wait("!my.falling")
    stage.press("PageDown")
    stage.until("write", 1)
    assert write_all(stage) < (THREE.stops[0].words or 0) - 1, "a token without a choice needs no press"
    stage.press("PageDown")  # the words of this stop are written: on to the next one
    stage.wait("my.data.talk.place === 1")


def guessing(stage: OnStage) -> None:
    """The second stop: the audience guesses two tokens."""
    stage.until("weigh", 0)
    stage.wait("my.guess && !my.guess.rows && !part('bars').checkVisibility()")  # nobody sees the probabilities before the guesses
    for number, guesses in enumerate((("park", "house", "river"), ("and",)), start=1):
        if number > 1:  # the stop opens with the field
            stage.press("g")
        stage.wait("!part('guess').hidden")
        for word in guesses:
            stage.page.keyboard.type(word)
            stage.press("Enter")
        stage.press("Enter")
        stage.wait("my.guess?.rows?.length > 0 && !my.wants")
        stage.press("PageDown")
        stage.until("roll")
        stage.wait(f"!my.falling && my.data.score.rounds === {number}")
        assert ("An unlikely token gives more points" in stage.text("line")) is (number == 1), "points are explained once"
        stage.press("PageDown")
        stage.until("write")
    assert stage.text("score")
    stage.press("g")
    stage.wait("!part('guess').hidden")
    stage.page.keyboard.type("story")
    stage.press("Enter", "Enter")
    stage.wait("my.guess?.rows?.length > 0 && !my.wants")
    stage.press("c", "ArrowDown", "Enter")  # no dice, no points
    stage.wait("my.look()?.roll === null && my.look()?.chosen >= 0 && !my.wants && !my.falling")
    assert stage.text("line").endswith("The dice were not rolled.") and stage.state("my.data.score.rounds") == 2
    stage.press("]")
    stage.wait("my.data.talk.place === 2")


def heating(stage: OnStage) -> None:
    """The third stop: a higher temperature takes from the favourite. Loading the page again goes on at the same stop."""
    stage.page.reload()
    stage.wait("my.data.talk?.place === 2")
    stage.until("weigh")
    highest = [stage.state("my.look().rows[0][3]")]
    for count, heat in enumerate((0.2, 1.8, 0.7), start=1):
        stage.press("PageDown")
        stage.wait(f"my.act === {count} && part('heat').textContent === 'Temperature {heat}' && !my.wants")
        highest.append(stage.state("my.look().rows[0][3]"))
    usual, cold, hot, before = highest
    assert hot < usual < cold and before == usual and stage.state("my.data.count") == 0
    for _ in range(4):
        stage.press("ArrowUp")
        stage.wait("!my.wants")
    assert "temperature 1.1" in stage.text("info")
    assert stage.state("my.looks[0].rows[0][3]") < before
    write_all(stage)
    stage.press("PageDown")
    stage.wait("my.data.talk.place === 3")


def forking(stage: OnStage) -> None:
    """The fourth stop: another token is chosen in place of the rolled one."""
    stage.until("weigh", 0)
    assert "0.7" in stage.text("info"), "a temperature belongs to its stop"
    stage.press("PageDown")
    stage.until("write", 1)
    first = stage.text("text")
    own = stage.state("my.look().chosen")
    stage.press("PageDown")
    stage.wait("my.choosing >= 0")
    framed = stage.state("my.look().rows[my.choosing][1]")
    assert framed != own and stage.text("line").startswith("3  weigh   The model chose")
    stage.press("PageDown")
    stage.wait(f"my.looks[0]?.chosen === {framed} && my.looks[0].roll === null && !my.wants")
    stage.until("write")
    assert stage.text("text") != first
    write_all(stage)


def test_a_talk_of_three_minutes_on_the_keyboard_alone(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/talk")
    stage.page.locator(".st-key-talk_give button").first.focus()
    stage.press("Enter")
    for stop in (opening, guessing, heating, forking):
        stop(stage)
    stage.press("PageDown")
    stage.page.wait_for_url(lambda url: "/teach" in url)
    stage.page.locator(".st-key-teach_start button").wait_for()
    stage.page.locator(".st-key-result_teach").wait_for(state="hidden")
    assert stage.page.locator(".st-key-teach_share").is_hidden(), "the sentence alone is shown, and the button"
    stage.page.locator(".st-key-teach_text textarea").wait_for()
    stage.press("]")  # teaching has a test of its own
    stage.wait("my.data.talk.place === 5")
    stage.press("p")
    stage.wait("my.data.count >= 2")
    stage.press("p")  # enough of the automatic play
    write_all(stage)
    stage.press("PageDown")
    stage.wait("my.ending")


def test_a_running_order_of_ones_own_is_kept_in_the_browser(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/talk")
    press(stage.page, "talk_remove_1")
    stage.page.locator(".st-key-talk_row_5").wait_for(state="detached")
    press(stage.page, "talk_give")
    stage.until("read", 0)
    stage.page.reload()
    stage.wait("my.data.talk?.place === 0 && my.data.talk.count === 5")
    stage.page.goto(stage.page.url.rsplit("/", 1)[0] + "/talk")
    stage.page.locator(".st-key-talk_row_4").wait_for()
    stage.page.locator(".st-key-talk_row_5").wait_for(state="detached")


def test_a_stop_opens_at_its_top_though_the_one_before_was_scrolled(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/talk")
    main = '[data-testid="stMain"]'
    place, top = ".st-key-talk_bar .place", f"document.querySelector('{main}').scrollTop"
    stage.page.set_viewport_size({"width": 1200, "height": 420})
    stage.page.get_by_text("Ten minutes").first.click()
    stage.page.locator(".st-key-talk_row_9").wait_for()
    press(stage.page, "talk_give")
    stage.until("read", 0)
    for number in range(1, 6):
        stage.press("]")
        stage.wait(f"my.data.talk.place === {number}")
    for number in (7, 8, 9):
        stage.press("]")
        stage.page.locator(place, has_text=f"{number} /").wait_for()
    stage.page.wait_for_function(f"document.querySelector('{main}').scrollHeight > document.querySelector('{main}').clientHeight + 60")
    stage.page.evaluate(f"{top} = 50")
    stage.press("PageDown")  # this stop has no button, so the key opens the next one
    stage.page.locator(place, has_text="10 /").wait_for()
    stage.page.wait_for_function(f"{top} === 0")
