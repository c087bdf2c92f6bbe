"""The audience votes: five phones in a talk whose presenter reloads; hands, a chat and own words without phones; the button on Guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pages.ui.presenting.prepared_talks import TALKS
from tests.browser.accessibility import violations
from tests.browser.presenting import SMALLEST, Given, OnStage
from tests.browser.test_talk_keys import FOX
from tests.browser.watching import FIND, PATIENCE, press, settled

pytestmark = pytest.mark.browser
OPEN = "my.data.vote && !my.data.vote.ended && !my.wants"
ENDED = "my.data.vote?.ended && !my.wants"
GONE_ON = "!my.data.vote && !my.wants && my.beat === 4"
VOTES = "my.data.vote.rows.map(row => Number(row[1]))"
PASTE = """text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  window.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
}"""


@pytest.fixture
def phones(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open the vote page of a room on a phone of its own."""
    contexts: list[Any] = []
    failed: list[str] = []

    def opened(address: str, room: str, width: int = 390, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 760}, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(f"{address}/vote?room={room}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not failed, failed


def vote(phone: Any, labels: list[str], option: int) -> None:
    """Tap an option and wait until the vote is confirmed."""
    button = phone.locator("#options").get_by_role("button").nth(option)
    button.click()
    phone.locator("#status", has_text=f"“{labels[option]}”").wait_for()
    assert button.get_attribute("aria-pressed") == "true"


def fits(stage: OnStage, last: str) -> None:
    """Check that the letters are large enough for a hall and that the last element stands above the foot."""
    size, name, text = stage.page.evaluate(SMALLEST)
    assert size >= 24, (name, text)
    ends = stage.page.evaluate(f"last => [last, 'foot'].map(name => ({FIND})(name).getBoundingClientRect())", last)
    assert ends[0]["bottom"] <= ends[1]["top"] + 1


def test_five_phones_vote_in_a_talk_whose_presenter_reloads(new_page: Callable[..., Any], hall: str, phones: Callable[..., Any]) -> None:
    stage = OnStage(new_page(f"{hall}/talk", width=1280, height=720))
    Given(stage, TALKS["Ten minutes"].stops[2], FOX)
    stage.wait(OPEN)
    room, labels = stage.state("[my.data.vote.code, my.data.vote.options]")
    before = stage.text("text")
    assert stage.text("room_code") == room and stage.text("address").endswith("/vote")
    assert stage.page.locator(".qr svg").count() == 1
    fits(stage, "vote_keys")
    audience = [phones(hall, room) for _phone in range(5)]
    for phone, option in zip(audience, (0, 1, 1, 2, 1), strict=True):
        vote(phone, labels, option)
    vote(audience[0], labels, 2)  # changes its mind
    assert violations(audience[0]) == []
    stage.wait("my.data.vote.now.votes === 5 && my.data.vote.now.phones === 5 && my.data.vote.now.counts === null")

    stage.page.reload()
    stage.wait(f"{OPEN} && my.data.vote.code === '{room}' && my.data.vote.now.votes === 5")
    audience[4].reload()  # it finds its vote again
    audience[4].locator("#status", has_text=f"“{labels[1]}”").wait_for()
    stage.press("PageDown")
    stage.wait(ENDED)
    assert stage.state(VOTES)[:3] == [0, 3, 2]
    assert stage.state("my.data.vote.rows.filter(row => row[5]).length") <= 1
    fits(stage, "result_scores")
    audience[0].locator("#status", has_text="has ended").wait_for()
    assert audience[0].locator("#options button").first.is_disabled()
    stage.page.reload()
    stage.wait(f"{ENDED} && my.data.vote.code === '{room}'")
    assert stage.text("text") == before, "the text stands before the vote"

    stage.press("PageDown")  # the audience's favourite
    stage.wait(GONE_ON)
    assert stage.state("my.data.words.at(-1)[0]").removeprefix("␣") == labels[1]
    audience[0].locator("#status", has_text=f"room {room}").wait_for()
    assert violations(audience[0]) == []
    stage.press("]")
    stage.wait("my.data.talk.place === 1 && !my.wants")
    stage.press("v")
    stage.wait(f"{OPEN} && my.data.vote.code === '{room}'")
    late = phones(hall, room.lower(), width=320, color_scheme="dark", locale="de-DE")
    late.locator("#options button").first.click()
    late.locator("#status", has_text="Die Stimme ist gezählt").wait_for()
    assert violations(late) == []
    assert late.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    stage.wait("my.data.vote.now.votes === 1 && my.data.vote.now.phones === 6")
    stage.press("PageDown")
    stage.wait(ENDED)
    assert " of 2 rounds" in stage.state("my.data.vote.scores[0]")
    fits(stage, "result_scores")
    stage.press("e")  # the end of the talk
    stage.wait("my.ending")
    stage.page.get_by_role("img", name="Try it on your phone").wait_for()
    late.goto(f"http://{stage.text('live_address')}")
    late.wait_for_selector("main[data-ready]")


def test_without_phones_hands_and_a_chat_count_and_own_words_wait_for_the_presenter(
    on_stage: Callable[..., OnStage],
) -> None:
    stage = on_stage("/?stage=1&prompt=The+dog+ran+to+the&seed=7")
    stage.until("read", 0)
    stage.press("v")
    stage.wait(OPEN)
    assert "--server.address 0.0.0.0" in stage.text("how") and stage.page.locator(".qr svg").count() == 0
    labels = stage.state("my.data.vote.options")
    stage.press("ArrowDown", "1", "2", "ArrowDown", "7", "Backspace", "4")
    stage.wait("my.data.vote.now.votes === 16")
    stage.press("w")
    stage.wait(f"{OPEN} && my.data.vote.own")
    stage.page.evaluate(PASTE, f"Ann: {labels[2]}\nBob: {labels[2].upper()}\nann: <b>rocket</b>\nhello\n")
    stage.wait(f"{OPEN} && my.data.vote.now.votes === 18")
    assert "2 votes came from the chat. 1 line was left out." in stage.text("line")
    stage.press("ArrowRight")
    stage.wait(ENDED)
    assert stage.state(VOTES)[:3] == [12, 4, 1] and stage.state("my.data.vote.own_row[1]") == 1
    assert "rocket" not in stage.text("vote"), "an own word waits for the presenter"
    notes = on_stage("/?notes=1", beside=stage)
    notes.page.wait_for_function(f"() => ({FIND})('tail')?.textContent")
    assert notes.text("tail").removeprefix("… ") == stage.text("text"), "the speaker's window stands where the wall stands"
    notes.page.get_by_role("button", name="<b>rocket</b> 1").click()
    stage.wait("part('result_words').textContent.includes('<b>rocket</b> 1')")
    fits(stage, "result_scores")
    stage.press("2")
    stage.wait(GONE_ON)
    stage.press("ArrowRight", "v")
    stage.wait(OPEN)
    stage.press("ArrowRight")  # nobody votes: the dice decide
    stage.wait(ENDED)
    assert stage.text("result_choices").count("nobody voted") == 1
    stage.press("ArrowRight")
    stage.wait(GONE_ON)
    stage.press("v")
    stage.wait(OPEN)
    stage.press("Escape")
    stage.wait("!my.data.vote && !my.wants")


def test_the_button_on_guess_opens_the_vote_on_the_stage(new_page: Callable[..., Any], app: str) -> None:
    page = new_page(f"{app}/guess", width=1280, height=720)
    settled(page)
    press(page, "guess_vote")
    OnStage(page).wait(OPEN)


def test_a_wrong_code_leads_to_the_field_for_another_one(hall: str, phones: Callable[..., Any]) -> None:
    phone = phones(hall, "<b>", width=320)
    phone.locator("#status", has_text="No room has this code.").wait_for()
    assert violations(phone) == []
    phone.locator("#code").fill("zzzz")
    phone.locator("#enter button").click()
    phone.wait_for_url("**/vote?room=zzzz")
    phone.locator("#status", has_text="No room has this code.").wait_for()


def test_a_phone_keeps_its_focus_and_is_told_the_result(new_page: Callable[..., Any], hall: str, phones: Callable[..., Any]) -> None:
    stage = OnStage(new_page(f"{hall}/stage?prompt=The+dog+ran", width=1280, height=720))
    stage.until("read", 0)
    stage.press("v")
    stage.wait(OPEN)
    phone = phones(hall, stage.state("my.data.vote.code"))
    first = phone.locator("#options button").first
    first.focus()
    phone.keyboard.press("Enter")
    phone.locator("#status", has_text="Your vote").wait_for()
    stage.press("ArrowRight")
    stage.wait(ENDED)
    phone.locator("#status", has_text=f"Votes: “{first.inner_text().strip()}” 1,").wait_for()
    assert first.get_attribute("aria-disabled") == "true" and phone.evaluate("document.activeElement.parentElement.id") == "options"
    assert violations(phone) == []
    stage.press("3")
    phone.locator("#status", has_text="The next question appears").wait_for()
    assert phone.evaluate("document.activeElement.id") == "question"
    stage.press("v")
    stage.wait(OPEN)
    phone.locator("#options button").first.wait_for()
    assert phone.evaluate("document.activeElement.id") == "question"
