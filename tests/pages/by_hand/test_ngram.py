"""A model that one can count by hand, on the pages: chosen on Models, used on every page that needs only probabilities."""

from __future__ import annotations

from typing import Any

from tests.pages.apptest import Open, State, go, press
from tests.pages.ui.session.test_servers_of_texts import CRASH, PAGES, told_everything

USED = {"stage", "guess", "what_if", "compare", "candidates", "read", "gallery", "by_hand", "cost"}
REFUSED = {"inside", "why", "cache", "batching"}


def with_ngram(open_app: Open, session: State) -> Any:
    app = open_app(prompt="Once upon a time")
    session(app).names.append("ngram:3")
    app.run()
    app.selectbox(key="model").set_value("ngram:3").run()
    return app


def test_every_page_works_with_it_or_says_why_not(open_app: Open, session: State) -> None:
    app = press(with_ngram(open_app, session), "step", 2)
    assert len(session(app).run.path) == 2 and session(app).run.path[0].facts
    told = {page: told_everything(go(app, page)) for page in PAGES}
    assert [page for page, text in told.items() if CRASH in text or "cannot be used" in text] == []
    refused = {page for page, text in told.items() if "This model makes no forward passes" in text}
    assert not refused & USED and refused >= REFUSED


def test_a_pasted_text_is_counted_and_used_everywhere(open_app: Open, session: State) -> None:
    app = go(open_app(prompt="the cat"), "by_hand")
    app.text_area(key="by_hand_text").set_value("the cat sat. the cat ran. the dog sat.")
    press(app, "by_hand_count")
    assert "is used on every page" in told_everything(app) and len(app.dataframe) == 1
    app = press(go(app, "watch"), "step")
    run = session(app).run
    assert run.model.n == 2 and {candidate.fact for candidate in run.path[0].candidates if candidate.rank <= 2} == {
        "“␣sat” followed “cat” 1 of 2 times",
        "“␣ran” followed “cat” 1 of 2 times",
    }


def test_the_stories_are_counted_without_a_text_and_bad_text_gets_a_sentence(open_app: Open, session: State) -> None:
    app = go(open_app(prompt="Once"), "by_hand")
    press(app, "by_hand_count")
    assert session(app).names[-1] == "ngram:2" and len(app.dataframe) == 1
    app.text_area(key="by_hand_text").set_value("\n\n \n")
    press(app, "by_hand_count")
    assert CRASH not in told_everything(app)


def test_a_link_opens_it(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="Once upon", model="ngram:3", seed="4"), "step")
    assert session(app).run.model_name == "ngram:3" and len(session(app).run.path) == 1
    assert "cannot be used" not in told_everything(app)
    other = press(open_app(prompt="Once upon", model="ngram:9"), "step")
    assert session(other).run.model_name == "storyteller"
