"""“Inside one step” without a browser: the run carried over, every station drawn from core's own record, nothing changed by looking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import Generation, Recording, SamplingSettings
from core.generation.step_again import resample
from core.inspection import inside
from pages.inside import inside_charts, roll_tally, sampling_rows
from pages.ui.charts import layer_charts
from pages.ui.components.live import live
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from tests.pages.apptest import Open, State

Model = Callable[[str], Any]

PAGE = "inside"
EVERY_STAGE = SamplingSettings(temperature=0.8, top_k=40, top_p=0.9, min_p=0.02, typical_p=0.95, repetition_penalty=1.3, seed=5)


def said(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.header, *app.caption, *app.info])


def test_looking_changes_nothing(open_app: Open, session: State) -> None:
    app = open_app(page=PAGE, steps="2")
    run = session(app).run
    text, nodes, passes = run.text, len(run.nodes), run.model.engine.passes
    app.selectbox(key=next(box.key for box in app.selectbox if box.key and box.key.startswith("inside_follow"))).select_index(2).run()
    app.run()
    assert (run.text, len(run.nodes)) == (text, nodes)
    assert run.model.engine.passes == passes


def test_a_recording_is_looked_into_like_a_live_run(open_app: Open, session: State) -> None:
    app = open_app(page=PAGE, prompt="The bear", steps="4", seed="4")
    live = session(app).run
    session(app).run = replay = Recording.of(live).replay()
    list(replay.stream(3))
    app.run()
    assert not app.exception
    assert not app.info
    assert f"{plain(live.path[2].piece)}: number 3 of those" in said(app)


def test_a_recording_of_another_model_shows_what_it_can(open_app: Open, session: State, tiny: Model) -> None:
    app = open_app(page=PAGE, prompt="The bear", steps="1")
    made = Generation(tiny("llama"), "The bear")
    made.step()
    session(app).run = replay = Recording.of(made).replay()
    replay.step()
    app.run()
    assert not app.exception
    assert "choose that model" in said(app)
    assert "What do the dice decide?" in said(app)


@pytest.mark.parametrize(
    "settings", [SamplingSettings(), EVERY_STAGE, SamplingSettings(greedy=True), SamplingSettings(temperature=0.05, top_k=1)]
)
def test_the_stages_are_those_of_the_record(settings: SamplingSettings, tiny: Model) -> None:
    run = Generation(tiny("llama"), "Once upon a time", settings, top_n=50)
    for distribution in (run.next_distribution(), run.step(), run.force(100)):
        seen = sampling_rows.stage_rows(distribution)
        assert [stage.name for stage, _, _ in seen] == [stage.name for stage in distribution.stages]
        for stage, told, rows in seen:
            assert rows.after.sum() == pytest.approx(1.0, abs=1e-3)
            assert told.endswith("bits")
            assert all(rows.arithmetic.iloc[:-1].str.len() > 0)
            listed = rows.iloc[:-1]
            assert set(listed.after.round(9)) <= {round(share, 9) for share in stage.candidates.values()}
        before = [rows.before.tolist() for _, _, rows in seen[1:]]
        assert before == [pytest.approx(rows.after.tolist(), abs=1e-6) for _, _, rows in seen[:-1]]


def test_lens_and_way_are_what_core_saw(tiny: Model) -> None:
    model = tiny("gpt2")
    seen = inside.inspect_step(model, model.encode("Once upon a time"))
    favourite = seen.layers[-1].candidates[0]
    rows = layer_charts.logit_lens_rows(seen, favourite.token_id)
    assert len(rows) == 4 * layer_charts.GUESSES
    answer = rows[rows.name == "answer"]
    assert answer.share.tolist() == [guess.model_probability for guess in seen.layers[-1].candidates[: layer_charts.GUESSES]]
    assert rows[rows.kind == "followed"].layer.max() == 3
    way = inside_charts.token_by_layer_rows(seen.follow(favourite.token_id), taken=True)
    assert way.share.iloc[-1] == pytest.approx(favourite.model_probability)
    assert way.text.iloc[-1].endswith("rank 1")


def test_the_look_is_the_mean_of_what_the_heads_did(tiny: Model) -> None:
    model = tiny("lfm2")
    seen = inside.inspect_step(model, model.encode("Once upon a time"))
    rows = seen.attention[1]
    assert rows is not None
    assert inside_charts.attention_shares(seen, None, None) == pytest.approx(rows.mean(0))
    assert inside_charts.attention_shares(seen, 1, 2) == pytest.approx(rows[2])
    assert inside_charts.attention_shares(seen, 1, 99) == pytest.approx(rows.mean(0))
    assert inside_charts.attention_shares(seen, 0, None) is None
    heat = inside_charts.attention_rows(seen)
    assert set(heat.layer) == {2}
    assert len(heat) == len(seen.token_ids)
    words = inside_charts.attention_words([t.piece for t in seen.tokens], seen.tokens, rows.mean(0))
    assert max(word.depth for word in words) == pytest.approx(inside_charts.DEEPEST)


def test_the_heat_has_one_scale_for_all_layers_and_never_leaves_out_the_first_piece(tiny: Model) -> None:
    model = tiny("llama")
    ids = [int(i) for i in np.random.default_rng(4).integers(300, 340, 50)]
    seen = inside.inspect_step(model, ids)
    heat = inside_charts.attention_rows(seen)
    shown = [0, *range(len(ids) - inside_charts.HEAT + 1, len(ids))]
    for number, weights in enumerate(seen.attention, 1):
        assert weights is not None
        shares = weights.mean(0)[shown]
        layer = heat[heat.layer == number]
        assert layer.depth.tolist() == pytest.approx(np.sqrt(shares).tolist())
        assert layer.share_text.tolist() == [numbers.percent(float(share)) for share in shares]
    assert heat.piece.iloc[0] == model.piece(ids[0])
    assert heat[heat.slot == 0].foot.iloc[-1].endswith(" …"), "the gap is shown"
    assert len(inside_charts.attention_rows(inside.inspect_step(model, ids[:20]))) == 20 * len(seen.attention)


def test_the_tally_counts_real_rolls(tiny: Model) -> None:
    run = Generation(tiny("llama"), "Once upon a time", EVERY_STAGE, top_n=50)
    step = run.step()
    text = run.text
    rows, rolls = roll_tally.tally_rows(step, 200)
    thrown = resample(step, 200)
    assert rolls.roll.tolist() == thrown.rolls.tolist()
    counted = Counter(run.model.piece(token_id) if token_id >= 0 else "everything else" for token_id in thrown.token_ids.tolist())
    counted["everything else"] = 200 - sum(counted[name] for name in rows.label[rows.kind != "rest"])
    assert dict(zip(rows.label, rows["count"], strict=True)) == {name: counted[name] for name in rows.label}
    assert rows.expected.sum() == pytest.approx(1.0, abs=1e-5)
    assert [*rows.label[rows.kind == "taken"]] in ([step.piece], [])
    assert roll_tally.tally_rows(step, 0)[0].seen.sum() == 0
    assert run.text == text


@pytest.mark.parametrize("sent", [None, 7, {"a": 1}, [], "\ud83e", "x" * 10])
def test_whatever_a_browser_sends_becomes_text(sent: object) -> None:
    assert live.cleaned(sent, "start").encode() is not None
    assert live.cleaned(None, "start") == "start"
    assert live.cleaned("a\ud83eb", "start") == "ab"
