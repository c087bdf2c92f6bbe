"""Why this token? without a browser: what leads to it, what its link carries, and what it says when nothing can be explained."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import load_model
from core.errors import BadToken
from core.inspection import attribution
from pages.ui.i18n import names
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.views import why_token
from tests.pages.apptest import Open, State, go, press, run_on, said, told

WORDS, HEADS, FACT, SUM, STEER, TWO = names.WHY_VIEWS
PROMPT = "The opposite of hot is"


def view(app: Any, name: str) -> Any:
    """Choose a view."""
    return app.segmented_control(key="why_view").set_value(name).run()


def test_a_link_of_watch_measures_the_step_that_watch_shows(open_app: Open, session: State) -> None:
    app = press(open_app(prompt=PROMPT), "step")
    run = session(app).run
    app.query_params["measure"] = "words"
    run_on(go(app, "why"))
    seen = session(app).experiments["why_words"].observations[-1]
    assert seen.target == run.path[0].piece and session(app).run is run and len(run.path) == 1
    ids = run.token_ids[: run.path[0].position]
    effects = {part.effect for part in seen.parts}
    expected = attribution.occlusion(run.model, ids, run.path[0].token_id, "mask").effects
    assert max(effects) == pytest.approx(expected.max(), abs=1e-3)
    app.run()
    assert len(session(app).experiments) >= 1 and "measure" not in app.query_params


def test_a_prompt_of_a_link_stays_on_the_first_other_page(open_app: Open, session: State) -> None:
    app = press(open_app(prompt=PROMPT), "step")
    run = session(app).run
    assert session(go(app, "why")).run is run and session(app).player.moment == "rolled"


def test_read_leads_to_a_token_of_its_text(open_app: Open, session: State) -> None:
    app = open_app(page="read")
    app.button(key="read_why_one").click().run()
    run_on(go(app, "why"))
    text = next(iter(EXAMPLES.to_read.values()))
    assert app.text_area(key="why_text").value == text
    assert "".join(session(app).experiments["why_words"].observations[-1].texts).replace("⟨start⟩", "").replace("␣", " ") in text


@pytest.mark.parametrize("prompt", ["", "word " * 900])
def test_a_prompt_that_cannot_be_continued_is_one_sentence(prompt: str, open_app: Open) -> None:
    app = open_app(page="why", prompt=prompt or " ")
    assert not app.exception
    for name in (HEADS, SUM):
        view(app, name)
        assert not app.exception


def test_a_short_text_and_unequal_prompts_are_refused_in_a_sentence(open_app: Open) -> None:
    app = open_app(page="why")
    app.segmented_control(key="why_source").set_value("text").run()
    app.text_area(key="why_text").set_value("A").run()
    assert not app.exception and "too short" in said(app)
    view(app, FACT)
    app.text_input(key="why_clean").set_value("The opposite of happy and sad is").run()
    run_on(press(app, "why_fact_start"))
    assert any("align them by words" in note for note in told(app))
    app.text_input(key="why_corrupted").set_value("The opposite of happy and sad is").run()
    run_on(press(app, "why_fact_start"))
    assert any("nothing can come back" in note for note in told(app))


def test_steering_that_does_nothing_says_so(open_app: Open) -> None:
    app = view(open_app(page="why"), STEER)
    app.slider(key="why_strength").set_value(0.0).run()
    run_on(press(app, "why_steer_start"))
    assert any("does nothing here" in note for note in told(app))
    app.slider(key="why_strength").set_value(20.0).run()
    run_on(press(app, "why_steer_start"))
    assert any("breaks the text" in note for note in told(app))


def test_a_link_compares_two_tokens_and_the_words_are_sorted_by_whom_they_speak_for(open_app: Open, session: State) -> None:
    app = run_on(press(open_app(page="why", prompt=PROMPT, against="␣warm", why=TWO), "why_two_start"))
    seen, model = session(app).experiments["why_two"].observations[-1], session(app).run.model
    assert seen.against == "␣warm" and session(app).page.address["against"] == "␣warm"
    target = session(app).run.next_distribution().candidates[0]
    expected = attribution.occlusion(model, session(app).run.token_ids, target.token_id, "mask", against=model.token_of(" warm").token_id)
    assert max(part.effect for part in seen.parts) == pytest.approx(expected.effects.max(), abs=1e-3)
    assert f"For “{target.piece.strip('␣')}” speak most" in said(app) and "together they have 100 %" in said(app)
    for name, button in ((HEADS, "why_heads"), (SUM, "why_sum")):
        run_on(press(view(app, name), f"{button}_start"))
        assert session(app).experiments[button].observations[-1].against == "␣warm"
    assert "difference of both logits" in said(app)


@pytest.mark.parametrize("typed", ["x" * 100_000, "*`$:[x](y)<script>alert(1)</script>", "cold", "\x00"])
def test_a_second_token_that_cannot_be_compared_is_one_sentence_and_the_choice_stays(typed: str, open_app: Open) -> None:
    app = open_app(page="why", prompt=PROMPT, against=typed, why=TWO)
    assert not app.exception and app.selectbox(key="why_against").value == typed[:4_000]
    if not told(app):  # a token that can be compared, or the explained one
        run_on(press(app, "why_two_start"))
    assert not app.exception


def test_a_typed_token_has_a_space_before_it_if_there_is_such_a_token() -> None:
    model = load_model("storyteller")
    assert {why_token.typed_token(model, typed) for typed in (" warm", "warm")} == {model.token_of(" warm").token_id}
    for typed in ("\ud800", "two whole words", ""):
        with pytest.raises(BadToken):
            why_token.typed_token(model, typed)


def test_on_a_server_words_are_left_out_and_the_rest_is_refused(connected: AppTest, session: State) -> None:
    app = go(connected, "why")
    run_on(press(app, "why_words_start"))
    seen = session(app).experiments["why_words"].observations[-1]
    assert seen.method == "omit" and seen.parts and seen.note
    for name, button in ((HEADS, "why_heads_start"), (SUM, "why_sum_start")):
        run_on(press(view(app, name), button))
        assert any("only probabilities" in note for note in told(app))
    for name in (FACT, STEER):
        view(app, name)
        assert not app.exception


def test_the_measures_of_estimates_are_behind_an_expander(open_app: Open) -> None:
    app = open_app(page="why")
    (estimates,) = [expander for expander in app.expander if expander.label == "Do fast estimates agree?"]
    assert estimates.metric and len(app.metric) == 1 and not estimates.proto.expanded
