"""The address, and what comes back from a browser: short enough for every server on the way, and never trusted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from pages.ui.session import address_bar, current, resumed_session, sampler_actions, seats, share_link, state
from pages.ui.session.run_request import RunRequest

SECRETS: tuple[Any, ...] = (None, "", 7, [], {}, "0" * 32, "x" * 10**6)


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch) -> state.Session:
    """Somebody with a run of six steps, without a page."""
    someone = state.Session()
    fields: dict[str, Any] = {state._KEY: someone}
    for module in (state, current, address_bar):
        monkeypatch.setattr(module, "st", SimpleNamespace(session_state=fields))
    run = Generation(load_model("storyteller"), "The old king", SamplingSettings(seed=4))
    list(run.stream(6))
    hold(someone, run)
    fields |= {"prompt": "The old king", "seed": 4, "temperature": 1.0, "top_p": 1.0}
    return someone


def hold(someone: state.Session, run: Any) -> None:
    """This is their run."""
    someone.run, someone.begun.asked = run, RunRequest("storyteller", run.prompt)


def test_a_link_that_is_too_long_says_where_it_works(visitor: state.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address_bar, "LONGEST", 40)
    monkeypatch.setattr(share_link, "LONGEST_LINK", 50)
    query, said = address_bar.link_query()
    assert (query, said) == (
        f"kept={visitor.browser.name}",
        "This text is too long for a link. This link opens it in this browser only. For other browsers, save a recording.",
    )
    put = address_bar.address()
    assert put.query == query, "what the link names lies in the browser"
    assert share_link.decoded(put.stored)["prompt"] == "The old king"


def test_the_link_of_a_recording_leaves_out_first_what_it_cannot_hold(visitor: state.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(visitor, Recording.of(visitor.run).replay())
    list(visitor.run.stream()) if visitor.run else None
    whole, said = address_bar.link_query()
    assert said.endswith("send its file."), "a link replays the steps with a live model and does not contain the recording"
    monkeypatch.setattr(share_link, "LONGEST_LINK", len(whole) - 1)
    query, said = address_bar.link_query()
    assert "steps" in whole and "steps" not in query and "prompt=The+old+king" in query
    assert said == "This link contains only the prompt. To share the recording, send its file."
    monkeypatch.setattr(share_link, "LONGEST_LINK", 5)
    assert address_bar.link_query() == ("", "The text is too long for a link. Save a recording instead.")


def test_twenty_thousand_characters_of_any_script_make_no_long_address(visitor: state.Session) -> None:
    current.st.session_state["prompt"] = "漢" * 20_000
    put = address_bar.address()
    assert len(put.query) < 100 < len(put.stored) < share_link.LONGEST_STORED
    assert share_link.decoded(put.stored)["prompt"] == "漢" * 20_000


def text_found(visitor: state.Session, found: object) -> list[str]:
    """What is said of it."""
    address_bar.text_found(found)
    return [note.text for note in visitor.notices.latest]


@pytest.mark.parametrize(
    "found",
    [
        *[None, "", "prompt=x", 7, [], {}, {"query": None}, {"query": 7, "back": "yes"}, {"query": "%%%=&&;", "back": 1}],
        *[{"query": "", "secret": secret} for secret in SECRETS],
    ],
)
def test_what_is_no_text_changes_nothing(visitor: state.Session, found: object) -> None:
    before = address_bar.address()
    assert text_found(visitor, found) == []
    assert address_bar.address() == before


def test_a_name_that_the_browser_does_not_know_is_said_once_and_stays_said(visitor: state.Session) -> None:
    visitor.browser.wanted = "abc"
    assert address_bar.address().wanted == "abc"
    assert text_found(visitor, {"query": "", "back": False}) == [
        ("The text of this link is stored in the browser where it was written, and not in this one.")
    ]
    assert address_bar.address().wanted == ""


def test_a_page_that_lost_its_session_hands_over_what_was_on_it(visitor: state.Session) -> None:
    visitor.begun.asked = visitor.run = None
    current.st.session_state.clear()
    current.st.session_state[state._KEY] = visitor
    assert text_found(visitor, {"query": "prompt=A+boat&seed=9&temperature=1.3&steps=r2AB", "back": True}) == [
        ("The connection was lost. Your text was restored. Results of experiments were lost.")
    ]
    assert (current.prompt(), current.settings().seed, visitor.link.steps) == ("A boat", 9, "r2AB")


def test_a_tab_that_was_loaded_again_has_its_session_back_unless_another_tab_has_it(
    visitor: state.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, fresh = visitor, state.Session(browser=state.Browser(name="new", websocket="new"), page=state.OpenPage(path="watch", draws=1))
    left.begun.asked = RunRequest("storyteller", "The old king")
    left.browser.websocket, left.player.playing, left.fields.saved, left.experiments = "old", True, {"temperature": 0.3}, {"race": "result"}
    fields = current.st.session_state
    fields.clear()
    fields[state._KEY] = fresh
    monkeypatch.setattr(seats, "ACTIVE", {fresh})
    monkeypatch.setattr(seats, "ADMITTED", {left, fresh})
    still_open = {"old"}
    monkeypatch.setattr(resumed_session, "is_open", still_open.__contains__)
    found = {"query": "", "secret": left.browser.secret}
    address_bar.text_found(found)
    assert fields[state._KEY] is fresh, "a duplicated tab"
    still_open.clear()
    secret = fresh.browser.secret
    address_bar.text_found(found)
    assert fields[state._KEY] is left and left not in (None, fresh)
    assert (left.browser.websocket, left.page.path, left.browser.secret, left.player.playing) == ("new", "watch", secret, False)
    assert (current.prompt(), fields["temperature"], left.run is not None, left.experiments) == (
        "The old king",
        0.3,
        True,
        {"race": "result"},
    )
    assert {left} == seats.ACTIVE
    assert {left} == seats.ADMITTED, "the next reload finds this session by its secret, and no other that had the same"


def test_it_says_what_cannot_come_back(visitor: state.Session) -> None:
    assert text_found(visitor, {"query": "prompt=A+boat", "back": True, "recording": True}) == [
        "A recording is open only as long as its page. Open its file again."
    ]
    visitor.notices.latest.clear()
    said = text_found(visitor, {"query": "prompt=A+boat&model=my+model&steps=r2AB", "back": True})
    assert said[0] == ("The connection was lost, and the model {name} was closed. Its text cannot be continued.").format(name="my model")
    assert visitor.link.steps is None, "another model does not write what that one wrote"


def test_a_damaged_link_opens_what_can_be_read_and_says_so(visitor: state.Session) -> None:
    visitor.begin_from({"seed": "5", "prompt": "The brave dragon", "steps": "r2FcAN.”"})
    assert (visitor.link.query["prompt"], visitor.link.steps) == ("The brave dragon", "r2FcAN")
    assert ["damaged" in note.text for note in visitor.notices.latest] == [True]
    visitor.notices.latest.clear()
    visitor.begin_from({"seed": "9" * 12, "steps": "banana"})
    assert [name in visitor.notices.latest[0].text for name in ("Seed", "steps", "defaults")] == [True] * 3, (
        "in words, not as a part of the link"
    )


def test_a_setting_that_did_not_change_keeps_the_reopened_step(visitor: state.Session) -> None:
    """After a change of page, Streamlit can call the callback of a setting whose value is the same."""
    visitor.fields.saved["temperature"], visitor.player.selected_index = 1.0, 2
    sampler_actions.settings_changed("temperature")
    assert visitor.player.selected_index == 2
    current.st.session_state["temperature"] = 1.2
    sampler_actions.settings_changed("temperature")
    assert visitor.player.selected_index is None
