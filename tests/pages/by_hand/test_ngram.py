"""A model that one can count by hand, on the pages: chosen on Models, used on every page that needs only probabilities."""

from __future__ import annotations

import random
from weakref import WeakSet

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.session import left_session, operator_role, own_models, seats
from tests.pages.apptest import Open, State, go, press, use_model
from tests.pages.ui.session.test_servers_of_texts import CRASH, PAGES, told_everything

USED = {"stage", "guess", "what_if", "compare", "candidates", "read", "gallery", "by_hand", "cost"}
REFUSED = {"inside", "why", "cache", "batching"}


def test_every_page_works_with_it_or_says_why_not(open_app: Open, session: State) -> None:
    app = press(use_model(open_app(prompt="Once upon a time"), "ngram:3"), "step", 2)
    assert len(session(app).run.path) == 2 and session(app).run.path[0].facts
    told = {page: told_everything(go(app, page)) for page in PAGES}
    assert [page for page, text in told.items() if CRASH in text or "cannot be used" in text] == []
    refused = {page for page, text in told.items() if "This model makes no forward passes" in text}
    assert not refused & USED and refused >= REFUSED


def test_a_pasted_text_is_counted_and_used_everywhere(open_app: Open, session: State) -> None:
    app = go(open_app(prompt="the cat"), "by_hand")
    shown = app.dataframe[0].value
    assert shown.iloc[-1].tolist() == ["the", "11–46  cat", "51–66  dog"], "an example is counted before anything is pressed"
    app.text_area(key="by_hand_text").set_value("the cat sat. the cat ran. the dog sat.")
    press(app, "by_hand_count")
    assert "is used on every page" in told_everything(app) and app.dataframe[0].value.equals(shown)
    app = press(go(app, "watch"), "step")
    run = session(app).run
    assert run.model.n == 2 and {candidate.fact for candidate in run.path[0].candidates if candidate.rank <= 2} == {
        "“␣sat” followed “cat” 1 of 2 times",
        "“␣ran” followed “cat” 1 of 2 times",
    }


def test_the_stories_are_counted_without_a_text_and_bad_text_gets_a_sentence(open_app: Open, session: State) -> None:
    app = go(open_app(prompt="Once"), "by_hand")
    press(app, "by_hand_count")
    assert session(app).models.names[-1] == "ngram:2" and len(app.dataframe[0].value) > 50
    app.text_area(key="by_hand_text").set_value("\n\n \n")
    press(app, "by_hand_count")
    assert CRASH not in told_everything(app)


def test_a_button_leads_back_to_the_model_and_the_text_of_before(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="Once", model="storyteller-mini"), "step")
    written = session(app).run.path[0].text
    press(go(app, "by_hand"), "by_hand_count")
    assert session(app).run.model_name == "ngram:2"
    assert "Storyteller" in app.button(key="by_hand_back").label
    press(app, "by_hand_back")
    assert session(app).run.model_name == "storyteller-mini" and session(app).run.path[0].text == written
    assert not [button for button in app.button if button.key == "by_hand_back"]


def test_a_link_opens_it(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="Once upon", model="ngram:3", seed="4"), "step")
    assert session(app).run.model_name == "ngram:3" and len(session(app).run.path) == 1
    assert "cannot be used" not in told_everything(app)
    other = press(open_app(prompt="Once upon", model="ngram:9"), "step")
    assert session(other).run.model_name == "storyteller"


def test_a_text_with_too_many_counts_gets_a_sentence(open_app: Open, session: State) -> None:
    app = go(open_app(prompt="the cat"), "by_hand")
    letters = random.Random(0)
    app.text_area(key="by_hand_text").set_value("".join(chr(letters.randrange(0x4E00, 0x9FFF)) for _character in range(199_000)))
    app.selectbox(key="by_hand_unit").set_value("characters")
    press(app, "by_hand_count")
    assert "different counts" in told_everything(app) and not session(app).models.taught


def test_the_models_of_all_visitors_have_one_limit_and_come_back_with_who_leaves(
    open_app: Open, session: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_role, "is_operator", lambda: False)
    monkeypatch.setattr(own_models, "_OF_ALL", WeakSet())
    monkeypatch.setenv("TOKEN_VIEWER_OWN_MODELS_MEGABYTES", "1")
    text = " ".join(f"word{number}" for number in range(2000))  # about 0.8 MB

    def counted(app: AppTest) -> str:
        app.text_area(key="by_hand_text").set_value(text)
        press(app, "by_hand_count")
        return told_everything(app)

    left, other = go(open_app(prompt="a"), "by_hand"), go(open_app(prompt="b"), "by_hand")
    assert "is used on every page" in counted(left)
    assert "Try again later" in counted(other) and not session(other).models.taught
    session(left).browser.websocket = "closed"
    seats.ADMITTED.add(session(left))
    left_session.release_left("closed")
    assert not session(left).models.taught
    assert "is used on every page" in counted(other)
