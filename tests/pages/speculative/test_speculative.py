"""The page of guessing and checking: both texts come to their end, a pass can be looked into, and a wrong draft is a calm sentence."""

from __future__ import annotations

from core.experiments.speculative import DraftedToken, SpeculativeRound
from pages.speculative.speculative_text import tokens_of_round
from tests.pages.apptest import Open, State, press, run_on, said


def test_a_pass_that_guessed_nothing_says_so_and_is_not_the_one_that_is_opened(open_app: Open, session: State) -> None:
    app = open_app(page="speculative", prompt="red, green, blue, red, green, blue, red, green, Once upon a time")
    app.selectbox(key="speculative_draft").set_value("n-grams").run()
    app.segmented_control(key="speculative_length").set_value(32).run()
    press(app, "speculative_start")
    run_on(app, 200)
    rounds = [one for one in session(app).experiments["speculative"].observations if isinstance(one, SpeculativeRound)]
    empty = [number for number, one in enumerate(rounds, 1) if not one.drafted and one.token_id >= 0]
    assert empty and len(rounds) > 1, "what never stood there before cannot be guessed from the text"
    app.slider(key=f"speculative_pick_{len(rounds)}").set_value(empty[0]).run()
    assert not app.exception and "Nothing was drafted here" in said(app)


def test_what_a_round_shows_in_the_text() -> None:
    kept, struck, unseen = (DraftedToken(i, text, 0.5, 0.5, 0.1, verdict) for i, text, verdict in
                            ((1, " a", "accepted"), (2, " b", "rejected"), (3, " c", "dropped")))  # fmt: skip
    one = SpeculativeRound(0, (kept, struck, unseen), "recovered", 4, " d", 0.5, 0.2, 0.1, 0.1, 0.3, 2)
    assert tokens_of_round(one) == [(" a", "accepted"), (" b", "rejected"), (" d", "recovered")]


def test_choices_follow_the_model_of_the_sidebar_and_a_draft_has_its_tokenizer(open_app: Open) -> None:
    app = open_app(page="compare")
    assert app.selectbox(key="compare_model_1").value == "storyteller"
    app.selectbox(key="model").set_value("storyteller-mini").run()
    assert app.selectbox(key="compare_model_1").value == "storyteller-mini"
    app.selectbox(key="compare_model_1").set_value("storyteller").run()
    assert app.selectbox(key="compare_model_1").value == "storyteller", "a choice on the page stays"
    app = open_app(page="speculative", model="storyteller-mini")
    assert app.selectbox(key="speculative_draft").value == "n-grams", "the mini has no smaller model of its own"
