"""“Is it marked?” as a page: what it says follows from its observations, and an attack changes the score."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import pytest

from core import SamplingSettings, load_model
from core.experiments import watermark
from core.experiments.shared import watermark_score as scoring
from core.experiments.shared.watermark_score import MARKED_BELOW, Score
from core.experiments.watermark import ATTACKED, CERTAIN, HUMAN, MARKED, UNMARKED, MarkedToken, Measured
from pages.ui.experiments import stored_results
from pages.ui.views import watermark_score
from tests.pages.apptest import Open, State, press, run_on, said, show_more


@pytest.fixture
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many runs of each kind as a null distribution needs, and a few human excerpts."""
    excerpts = watermark.human_excerpts
    monkeypatch.setattr(watermark, "RUNS", 10)
    monkeypatch.setattr(watermark, "human_excerpts", lambda model, length, most: excerpts(model, length, min(most, 10)))


def of_kind(seen: Any, kind: type, /, **fields: Any) -> list[Any]:
    return [one for one in seen if isinstance(one, kind) and all(getattr(one, name) == value for name, value in fields.items())]


def test_the_first_result_is_said_in_numbers_and_is_attacked_by_a_click(open_app: Open) -> None:
    kept = stored_results.bundled("watermark")
    assert kept is not None
    app = open_app(page="watermark")
    tokens, settings = of_kind(kept.observations, MarkedToken, side=MARKED), kept.about
    whole = scoring.tally([token.green for token in tokens], settings)
    assert watermark_score.verdict(whole, settings) in said(app) and f"{whole.green} of {whole.counted} counted tokens" in said(app)
    attacks = of_kind(kept.observations, Measured, kind=ATTACKED)
    gone = next(step for step in attacks if step.p_value >= MARKED_BELOW)
    assert f"{gone.changed} of {gone.words} words had to be replaced" in said(app)
    for kind, name in ((MARKED, "marked"), (UNMARKED, "not marked"), (HUMAN, "book excerpts")):
        texts = of_kind(kept.observations, Measured, kind=kind)
        assert f"{sum(text.p_value < MARKED_BELOW for text in texts)} of {len(texts)} {name}" in said(app)
    words = watermark.words_of("".join(token.text for token in tokens).strip())
    app.button_group(key="watermark_words_0").set_value(list(range(len(words)))).run()
    model = load_model("storyteller")
    left = scoring.score(model, scoring.written_ids(model, watermark.edited(words, range(len(words)))), settings)
    assert f"{len(words)} words are changed." in said(app) and watermark_score.verdict(left, settings) in said(app)
    assert left.p_value > MARKED_BELOW


def test_a_tournament_is_written_and_judged_by_the_unmarked_runs(open_app: Open, session: State, few_runs: None) -> None:
    app = open_app(page="watermark", model="storyteller-mini", prompt="Once upon a time", seed="7")
    app.segmented_control(key="watermark_kind").set_value("synthid")
    app.segmented_control(key="watermark_length").set_value(50)
    app.run()
    run_on(press(app, "watermark_start"))
    settings = replace(watermark_score.DEFAULTS["synthid"], seed=7)
    seen = session(app).experiments["watermark"].observations
    null = watermark.null_of(of_kind(seen, Measured))
    assert null is not None and f"{len(of_kind(seen, Measured, kind=UNMARKED))} unmarked runs of this model" in said(app)
    tokens = of_kind(seen, MarkedToken, side=MARKED)
    assert watermark_score.verdict(scoring.tally([token.green for token in tokens], settings), settings, null) in said(app)
    app.segmented_control(key="watermark_act").set_value("paste").run()
    app.text_area(key="watermark_pasted").set_value("The sun was warm.").run()
    model = load_model("storyteller-mini")
    ids = scoring.written_ids(model, "The sun was warm.")
    assert len(ids) > 4 and watermark_score.verdict(scoring.score(model, ids, settings), settings) in said(app)
    app.text_area(key="watermark_pasted").set_value("Sun").run()
    assert not app.exception and any("A score needs at least 5." in notice.value for notice in app.info)


def test_a_certain_text_is_written_by_one_press_and_not_called_marked(open_app: Open, session: State, few_runs: None) -> None:
    app = open_app(page="watermark")
    app.segmented_control(key="watermark_length").set_value(50)
    run_on(press(app, "watermark_certain"))
    tokens = of_kind(session(app).experiments["watermark"].observations, MarkedToken)
    assert sum(token.top > CERTAIN for token in tokens) > 0.7 * len(tokens) > 0
    assert said(app).count("**Not called marked.**") == 3 and "Nothing to attack" in said(app)


def test_the_page_begins_with_the_mark_of_a_link(open_app: Open) -> None:
    app = open_app(page="watermark", watermark="synthid", watermark_key="42", watermark_context="2")
    assert app.segmented_control(key="watermark_kind").value == "synthid"
    assert [app.number_input(key=f"watermark_watermark_{name}").value for name in ("key", "context")] == [42, 2]


def test_a_tournament_under_greedy_is_said_to_have_no_effect(open_app: Open) -> None:
    app = open_app(page="watermark", greedy="1")
    app.segmented_control(key="watermark_kind").set_value("synthid")
    app.selectbox(key="watermark_sampling").set_value("sidebar").run()
    assert any("a tournament has no effect" in notice.value for notice in app.info)


def test_read_scores_a_text_with_a_key(open_app: Open) -> None:
    app = open_app(page="read")
    app.session_state["read_mark_one"] = True  # the part of the page is opened
    app.run()
    model, settings = load_model("storyteller"), replace(watermark_score.DEFAULTS["green"], watermark_key=42)
    app.number_input(key="read_mark_one_watermark_key").set_value(42).run()
    ids = scoring.written_ids(model, str(app.text_area(key="read_text").value))
    assert watermark_score.verdict(scoring.score(model, ids, settings), settings) in said(app)
    app.text_area(key="read_text").set_value("Hi").run()
    assert not app.exception


def test_the_dialog_switches_a_mark_on_and_a_chip_switches_it_off(open_app: Open, session: State) -> None:
    app = show_more(open_app())
    app.button(key="all_samplers").click().run()
    app.selectbox(key="watermark").set_value("green").run()
    assert session(app).run.settings.watermark == "green"
    app.button(key="chip_watermark").click().run()
    assert session(app).run.settings.watermark == ""


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.4, "in 40\u00a0% of texts"),
        (1 / 2345, "once in 2,300 texts"),
        (1e-7, "once in 10,000,000 texts"),
        (0.0, "a trillion"),
        (1.0, "100\u00a0%"),
    ],
)
def test_how_rare_a_score_is(p_value: float, words: str) -> None:
    assert words in watermark_score.rarity(p_value)
    assert ("Marked" in watermark_score.verdict(Score(1.0, p_value, 9, 3), SamplingSettings(watermark="green"))) == (p_value < MARKED_BELOW)
    assert "Not called" in watermark_score.verdict(Score(9.0, 0.0, 9, 3), SamplingSettings(watermark="synthid"), NormalDist(9.0, 1.0))


def test_a_score_is_compared_with_one_thing() -> None:
    measured = watermark_score.verdict(Score(-2.7, 0.99, 40, 20.0), watermark_score.DEFAULTS["synthid"], NormalDist(-2.5, 1.0))
    assert "chance" not in measured and "% of unmarked texts reach this or more" in measured.replace("\u00a0", " ")
