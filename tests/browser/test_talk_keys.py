"""The keys of a talk: forward, back, Escape and "?" mean the same at every stop, whatever page it is and wherever the focus is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pages.ui.presenting.talk_file import Stop
from tests.browser.presenting import SETTLED, Given, OnStage, write_all
from tests.browser.watching import FIND, stays

pytestmark = pytest.mark.browser
TOUR = Stop("Tour", "tour?stop=send")
BRANCHES = Stop("Branches", "what_if", shown=("what_if_view_0",), start="what_if_play")
NOTEPAD = Stop("Notepad", "cache", shown=("result_race",), start="cache_start")
QUESTION = Stop("Question", "think")
LESSON = Stop("Lesson", "teach", shown=("result_teach",), start="teach_start")
FOX = Stop("Fox", "stage?prompt=The+fox&seed=3", words=4, doubt=0.0)


@pytest.fixture
def given(on_stage: Callable[..., OnStage]) -> Callable[..., Given]:
    """Open the page of talks and give these stops."""
    return lambda *stops: Given(on_stage("/talk"), *stops)


def test_focus_on_a_button_or_an_empty_field_does_not_hold_the_forward_key(given: Callable[..., Given]) -> None:
    talk = given(QUESTION, QUESTION, QUESTION)
    talk.at(1, "next: Question")
    talk.page.locator(".st-key-think_start button").focus()
    talk.stage.press(" ")
    talk.at(2)
    field = talk.page.locator(".st-key-think_question input")
    field.fill("")
    talk.stage.press("ArrowRight")
    talk.at(3)
    field.fill("What is 1")
    talk.stage.press("End", " ", "ArrowLeft", "ArrowRight", "+")
    assert field.input_value() == "What is 1 +", "a field with text keeps Space and the arrows"
    talk.stage.press("PageUp")
    talk.at(2)


def test_a_stop_shows_its_question_until_it_is_started_and_lists_the_keys(
    given: Callable[..., Given], on_stage: Callable[..., OnStage]
) -> None:
    both = Stop("Both", "what_if", shown=("what_if_view_1", "what_if_view_2"), start="what_if_play")
    talk = given(NOTEPAD, both)
    page, listed = talk.page, talk.page.locator(".st-key-keys dialog[open]")
    talk.at(1, "start")
    talk.stage.press("?")
    listed.wait_for()
    keys = listed.text_content()
    assert "Page down" in keys and "end the talk" in keys and "roll the last token" not in keys
    talk.stage.press("Escape")
    listed.wait_for(state="detached")
    stays(page, "document.querySelector('.st-key-talk_bar')")
    talk.stage.press("?")
    listed.wait_for()
    talk.stage.press("ArrowRight")  # a clicker closes it, too
    listed.wait_for(state="detached")
    talk.at(1, "start")

    talk.has_button("cache_start")
    result, heading = page.locator(".st-key-result_race"), page.locator(".st-key-heading h1")
    heading.wait_for()
    assert result.is_hidden(), "neither a recorded result nor one of the rehearsal"
    assert heading.evaluate("heading => parseFloat(getComputedStyle(heading).fontSize) >= 48"), "it fills the slide"
    notes = on_stage("/notes", beside=talk.stage)
    line = f"() => ({FIND})('notes') && ({FIND})('line')?.textContent"
    notes.page.wait_for_function(f"{line} === 'Press → to start.'")
    assert notes.text("goal") == "of 7:00"
    notes.press(" ")
    talk.at(1, "next: Both")
    notes.page.wait_for_function(f"() => !({FIND})('line').textContent")
    result.wait_for()
    heading.wait_for(state="hidden")
    page.locator(".st-key-cache_start").wait_for(state="hidden")

    page.keyboard.press("PageDown")
    talk.at(2)
    words = page.locator(".st-key-what_if_view_1 .words")
    words.wait_for()
    assert words.evaluate("words => parseFloat(getComputedStyle(words).maxHeight) > 0.6 * innerHeight"), "branches have room"
    assert not heading.is_visible()
    talk.stage.press("Escape")
    page.locator(".st-key-talk_resume").wait_for()


def test_the_forward_key_leaves_the_field_of_guesses_and_a_digit_takes_a_suggestion(on_stage: Callable[..., OnStage]) -> None:
    stage = on_stage("/stage?prompt=The+dog+ran+to+the")
    stage.until("read", 0)
    for key in ("ArrowRight", " ", "PageDown"):
        stage.press("g")
        stage.wait("!part('guess').hidden")
        stage.press(key)
        stage.wait("!my.guess && my.beat === 2 && !part('bars').hidden")
    stage.press("g")
    stage.wait("!part('guess').hidden")
    words = stage.state("my.data.looks['0'].choices")
    stage.press("?")
    stage.wait("!part('help').hidden")
    stage.press("ArrowRight")
    stage.wait("part('help').hidden && my.guess && !my.guess.rows")
    stage.press("2", "1")
    assert stage.state("my.guess.said") == [words[1], words[0]], "a digit takes a suggestion"
    stage.press("ArrowRight")
    stage.wait("my.guess?.rows?.length === 2")
    stage.press("Escape")
    stage.wait("!my.guess")
    stage.press("g")
    stage.wait("!part('guess').hidden")
    stage.page.keyboard.type("park")
    stage.press("ArrowRight")
    assert stage.state("Boolean(my.guess) && !my.guess.rows"), "an arrow moves within a word"
    stage.press("PageDown")
    stage.wait("my.guess?.rows?.length === 1 && my.guess.rows[0][0] === 'park'")
    stage.press("ArrowRight")
    stage.until("roll", 1)


def test_forward_takes_the_framed_word_and_back_takes_a_token_away(given: Callable[..., Given]) -> None:
    talk = given(FOX, NOTEPAD)
    stage = talk.stage
    stage.until("read", 0)
    stage.press("5")
    stage.until("write", 1)
    stage.press("ArrowRight", "ArrowRight")
    stage.wait(f"my.t === 2 && my.beat === 2 && {SETTLED}")
    before = stage.text("text")
    stage.press("ArrowLeft")
    stage.wait("my.t === 1 && my.beat === 2")
    assert len(stage.text("text")) < len(before)
    stage.press("c", "ArrowDown")
    framed = stage.state("my.look().rows[my.choosing][1]")
    stage.press("ArrowRight")
    stage.wait(f"my.looks[1]?.roll === null && my.beat === 4 && {SETTLED}")
    assert stage.state("my.looks[1].chosen") == framed
    stage.press("c")
    stage.wait("my.choosing >= 0")
    stage.press("ArrowLeft")
    assert stage.state("my.choosing") == -1 and stage.state("my.t") == 1, "back closes the choice"


def test_a_press_while_a_stop_is_still_being_drawn_is_not_lost(given: Callable[..., Given]) -> None:
    talk = given(QUESTION, TOUR, QUESTION, BRANCHES, FOX)
    for number in (1, 2, 3):
        talk.page.locator(".st-key-talk_bar .place", has_text=f"{number} /").wait_for()
        talk.stage.press("ArrowRight")  # at once: the page's first run goes on
    talk.at(4)


def test_after_a_reload_and_after_back_each_press_is_one_choice_again(given: Callable[..., Given]) -> None:
    castle = Stop("Castle", "stage?prompt=There+was+a+castle&seed=3&temperature=0.7", words=4, doubt=5.3)
    stage = given(FOX, castle).stage
    stage.until("read", 0)
    stage.press("]")
    stage.wait("my.data.talk?.place === 1 && my.beat === 2")
    presses = write_all(stage)
    assert 0 < presses < 4, "some tokens have no choice"
    stage.page.reload()
    stage.wait("my.data.count === 4 && my.t === 0 && my.beat === 2")
    assert write_all(stage) == presses
    stage.press(*["ArrowLeft"] * 4)
    stage.wait("my.t === 0 && my.beat === 2")
    assert write_all(stage) == presses


def test_a_reload_while_the_address_changes_continues_the_session_and_shows_no_other_stage(given: Callable[..., Given]) -> None:
    talk = given(FOX, FOX)
    stage = talk.stage
    stage.until("read", 0)
    session = stage.state("my.connection.key")

    def after_the_address_has_changed(route: Any) -> None:
        talk.page.wait_for_url("**steps=*")
        route.continue_()

    talk.page.route("**/stage?*", after_the_address_has_changed, times=1)
    stage.press("5")
    stage.wait("my.data.count === 1")
    talk.page.reload()
    stage.wait("true")
    assert stage.state("[my.connection.key, my.data.talk?.place, my.data.count]") == [session, 0, 1], "the first that is shown"


def test_a_stop_can_be_left_while_its_experiment_runs_and_the_stage_is_drawn(given: Callable[..., Given]) -> None:
    talk = given(*(LESSON, FOX) * 2)
    fox = f"({FIND})('stage')?.textContent.includes('fox')"
    for number in range(2):
        talk.at(2 * number + 1)
        talk.has_button("teach_start")
        talk.stage.press("ArrowRight")
        talk.has_button("teach_pause")
        talk.stage.press("ArrowRight")
        talk.page.wait_for_url("**/stage?**")
        talk.page.wait_for_function(f"() => {fox} ?? false")
        stays(talk.page, fox, 0.5)  # what the lesson still sends does not take the stage away
        talk.stage.press("]")
