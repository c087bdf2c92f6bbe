"""“Inside one step” without a browser: the run carried over, every station drawn from core's own record, nothing changed by looking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Generation, Recording, SamplingSettings
from core.generation.resample import resample
from core.inspection import inside
from core.inspection.embeddings import FlatMap, flat_map
from pages.ui.charts import inside_charts, inside_rows
from pages.ui.components.live_text import live_text
from pages.ui.components.roll_tally import roll_tally
from pages.ui.i18n import names, numbers

Model = Callable[[str], Any]
Open = Callable[..., AppTest]

PAGE = "inside.py"
EVERY_STAGE = SamplingSettings(temperature=0.8, top_k=40, top_p=0.9, min_p=0.02, typical_p=0.95, repetition_penalty=1.3, seed=5)


def said(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.header, *app.caption, *app.info])


def test_the_run_of_watch_is_looked_into(open_app: Open, session: Callable[[AppTest], Any]) -> None:
    app = open_app(page=PAGE, prompt="The bear", steps="3", seed="4")
    run = session(app).run
    assert run.text.startswith("The bear")
    assert len(run.path) == 3
    place = len(run.prompt_tokens) + 3
    assert f"Piece {place} of the text, {inside_rows.plain(run.path[2].piece)}: number 3 of those that the model wrote" in said(app)


def test_a_step_more_and_back(open_app: Open, session: Callable[[AppTest], Any]) -> None:
    app = open_app(page=PAGE, steps="2")
    app.button(key="inside_step").click().run()
    assert len(session(app).run.path) == 3
    app.button(key="inside_back").click().run()
    assert len(session(app).run.path) == 2
    assert not app.exception


def test_looking_changes_nothing(open_app: Open, session: Callable[[AppTest], Any]) -> None:
    app = open_app(page=PAGE, steps="2")
    run = session(app).run
    text, nodes, passes = run.text, len(run.nodes), run.model.engine.passes
    app.selectbox(key=next(box.key for box in app.selectbox if box.key and box.key.startswith("inside_follow"))).select_index(2).run()
    app.run()
    assert (run.text, len(run.nodes)) == (text, nodes)
    assert run.model.engine.passes == passes


def test_sliders_act_without_a_pass(open_app: Open, session: Callable[[AppTest], Any]) -> None:
    app = open_app(page=PAGE)
    passes = session(app).run.model.engine.passes
    app.session_state["temperature"], app.session_state["top_k"] = 0.5, 7
    app.run()
    assert session(app).run.model.engine.passes == passes
    assert "7 left of" in said(app)


def test_charts_keep_their_specification_from_step_to_step(open_app: Open) -> None:
    app = open_app(page=PAGE, steps="1")
    before = [found.proto.spec for found in app.get("vega_lite_chart")]
    app.button(key="inside_step").click().run()
    after = [found.proto.spec for found in app.get("vega_lite_chart")]
    assert len(before) > 6
    assert after == before


@pytest.mark.parametrize("layer", [0, 3])
def test_one_layer_and_one_head_can_be_chosen(open_app: Open, layer: int) -> None:
    app = open_app(page=PAGE, steps="2")
    app.segmented_control(key="inside_layer").set_value(layer).run()
    app.selectbox(key="inside_head").select_index(2).run()
    assert not app.exception
    assert not app.info


def test_a_recording_is_looked_into_like_a_live_run(open_app: Open, session: Callable[[AppTest], Any]) -> None:
    app = open_app(page=PAGE, prompt="The bear", steps="4", seed="4")
    live = session(app).run
    session(app).run = replay = Recording.of(live).replay()
    for _ in range(3):
        replay.step()
    app.run()
    assert not app.exception
    assert not app.info
    assert f"{inside_rows.plain(live.path[2].piece)}: number 3 of those" in said(app)


def test_a_recording_of_another_model_shows_what_it_can(open_app: Open, session: Callable[[AppTest], Any], tiny: Model) -> None:
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
        seen = inside_rows.stage_rows(distribution)
        assert [stage.name for stage, _, _ in seen] == [stage.name for stage in distribution.stages]
        for stage, told, rows in seen:
            assert rows.after.sum() == pytest.approx(1.0, abs=1e-3)
            assert told.endswith("bits")
            assert all(rows.arithmetic.iloc[:-1].str.len() > 0)
            listed = rows.iloc[:-1]
            assert set(listed.after.round(9)) <= {round(share, 9) for share in stage.candidates.values()}
        before = [rows.before.tolist() for _, _, rows in seen[1:]]
        assert before == [pytest.approx(rows.after.tolist(), abs=1e-6) for _, _, rows in seen[:-1]]


def test_the_arithmetic_adds_up(tiny: Model) -> None:
    distribution = Generation(tiny("llama"), "Once upon a time", SamplingSettings(temperature=0.5, top_k=3), top_n=20).next_distribution()
    own, warm, cut = inside_rows.stage_rows(distribution)
    assert own[2].arithmetic[0].startswith(f"e^{distribution.logits[0]:.2f} ÷")
    first = float(own[2].after[0])
    assert f"{np.log(first):.2f}; ÷ 0.5 = {np.log(first) / 0.5:.2f}" in warm[2].arithmetic[0]
    kept = sum(sorted(warm[2].after[:-1], reverse=True)[:3])
    assert f"÷ {kept:.3f}" in cut[2].arithmetic[0]
    assert cut[2].arithmetic[5].endswith("removed")
    assert cut[1].startswith(f"3 left of {distribution.stage_kept[0]:,}")


def test_lens_and_way_are_what_core_saw(tiny: Model) -> None:
    model = tiny("gpt2")
    seen = inside.inspect_step(model, model.encode("Once upon a time"))
    favourite = seen.layers[-1].candidates[0]
    rows = inside_rows.lens_rows(seen, favourite.token_id)
    assert len(rows) == 4 * inside_rows.GUESSES
    answer = rows[rows.name == "answer"]
    assert answer.share.tolist() == [guess.model_probability for guess in seen.layers[-1].candidates[: inside_rows.GUESSES]]
    assert rows[rows.kind == "followed"].layer.max() == 3
    way = inside_rows.way_rows(seen.follow(favourite.token_id), taken=True)
    assert way.share.iloc[-1] == pytest.approx(favourite.model_probability)
    assert way.text.iloc[-1].endswith("rank 1")


def test_the_look_is_the_mean_of_what_the_heads_did(tiny: Model) -> None:
    model = tiny("lfm2")
    seen = inside.inspect_step(model, model.encode("Once upon a time"))
    rows = seen.attention[1]
    assert rows is not None
    assert inside_rows.gaze(seen, None, None) == pytest.approx(rows.mean(0))
    assert inside_rows.gaze(seen, 1, 2) == pytest.approx(rows[2])
    assert inside_rows.gaze(seen, 1, 99) == pytest.approx(rows.mean(0))
    assert inside_rows.gaze(seen, 0, None) is None
    heat = inside_rows.heat_rows(seen)
    assert set(heat.layer) == {2}
    assert len(heat) == len(seen.token_ids)
    words = inside_rows.gaze_words([t.piece for t in seen.tokens], seen.tokens, rows.mean(0))
    assert max(word.depth for word in words) == pytest.approx(inside_rows.DEEPEST)


def test_the_heat_has_one_scale_for_all_layers_and_never_leaves_out_the_first_piece(tiny: Model) -> None:
    model = tiny("llama")
    ids = [int(i) for i in np.random.default_rng(4).integers(300, 340, 50)]
    seen = inside.inspect_step(model, ids)
    heat = inside_rows.heat_rows(seen)
    shown = [0, *range(len(ids) - inside_rows.HEAT + 1, len(ids))]
    for number, weights in enumerate(seen.attention, 1):
        assert weights is not None
        shares = weights.mean(0)[shown]
        layer = heat[heat.layer == number]
        assert layer.depth.tolist() == pytest.approx(np.sqrt(shares).tolist())
        assert layer.share_text.tolist() == [numbers.percent(float(share)) for share in shares]
    assert heat.piece.iloc[0] == model.piece(ids[0])
    assert heat[heat.slot == 0].foot.iloc[-1].endswith(" …"), "the gap is shown"
    assert len(inside_rows.heat_rows(inside.inspect_step(model, ids[:20]))) == 20 * len(seen.attention)


def test_the_legend_of_the_heat_shows_the_shades_of_its_fields() -> None:
    spec = inside_charts.heat("light", 3)
    scale = next(layer["encoding"]["opacity"]["scale"] for layer in spec["layer"] if "opacity" in layer["encoding"])
    assert scale == {"domain": [0, 1], "range": [inside_charts.heat_opacity(0), inside_charts.heat_opacity(1)]}
    assert [inside_rows.heat_depth(share) for share in (0.0, 0.25, 1.0, 1.0001)] == [0.0, 0.5, 1.0, 1.0]


def test_two_tokens_of_one_row_never_have_the_same_name() -> None:
    assert inside_rows.labels(["7", "␣7", "␣fox", "␣"]) == ["7", "␣7", "fox", "␣"]


def test_the_contents_lead_to_every_station(open_app: Open) -> None:
    app = open_app(page=PAGE, steps="1")
    ways = next(text.value for text in app.markdown if "](#" in text.value)
    assert [way.split(")")[0] for way in ways.split("(#")[1:]] == [head.anchor for head in app.header]
    assert list(names.STATIONS) == [head.anchor for head in app.header]


def test_labels_on_the_map_do_not_cover_each_other(tiny: Model) -> None:
    model = tiny("llama")
    flat = flat_map(model, range(300, 360))
    rows = inside_rows.map_rows(flat, [model.piece(i) for i in flat.token_ids], {300, 301}, 302)
    assert rows.x.between(-1.0001, 1.0001).all()
    assert rows.y.between(-1.0001, 1.0001).all()
    assert rows.kind.value_counts().to_dict() == {"familiar": 57, "text": 2, "picked": 1}
    assert rows.loc[rows.kind == "picked", "label"].tolist() == [inside_rows.label(model.piece(302))]
    assert (rows.label == "").any()


def test_a_map_of_one_piece_and_of_none() -> None:
    assert inside_rows.map_rows(FlatMap((5,), np.zeros((1, 2)), 0.0), ["x"], {5}, 5).x.tolist() == [0.0]
    assert inside_rows.map_rows(FlatMap((), np.zeros((0, 2)), 0.0), [], set(), 5).empty


def test_a_vector_keeps_every_number() -> None:
    rows = inside_rows.vector_rows(np.array([-2.0, 0.0, 1.0, *[0.5] * 70]))
    assert len(rows) == 73
    assert rows.depth.tolist()[:3] == [0.0, 0.5, 0.75]
    assert (rows.row.max(), rows.column.max()) == (1, 63)
    assert inside_rows.vector_rows(np.zeros(3)).depth.tolist() == [0.5] * 3


@pytest.mark.parametrize("piece", ["*bold*", "[a](b)", "$x$", ":red[x]", "`", "<b>", "#", "a_b", "\\"])
def test_pieces_are_never_read_as_markdown(piece: str) -> None:
    escaped = inside_rows.plain(piece)
    assert escaped.replace("\\", "") == piece.replace("\\", "")
    assert all(escaped[place - 1] == "\\" for place, letter in enumerate(escaped) if letter in "*[]$:`<#_" and place)


def test_the_tally_hands_real_rolls_to_the_browser(tiny: Model) -> None:
    run = Generation(tiny("llama"), "Once upon a time", EVERY_STAGE, top_n=50)
    step = run.step()
    text = run.text
    data = roll_tally.tally_data(step)
    thrown = resample(step, roll_tally.READY)
    assert data["rolls"] == [round(number, 4) for number in thrown.rolls.tolist()]
    names = [name for name, _, _ in data["rows"]]
    for pick, token_id in list(zip(data["picks"], thrown.token_ids.tolist(), strict=True))[:200]:
        piece = run.model.piece(token_id) if token_id >= 0 else "everything else"
        assert names[pick] in (piece, "everything else")
    assert sum(share for _, share, _ in data["rows"]) == pytest.approx(1.0, abs=1e-5)
    assert [name for name, _, kind in data["rows"] if kind == "taken"] in ([step.piece], [])
    assert run.text == text


@pytest.mark.parametrize("sent", [None, 7, {"a": 1}, [], "\ud83e", "x" * 10])
def test_whatever_a_browser_sends_becomes_text(sent: object) -> None:
    assert live_text.cleaned(sent, "start").encode() is not None
    assert live_text.cleaned(None, "start") == "start"
    assert live_text.cleaned("a\ud83eb", "start") == "ab"


def test_no_table_holds_what_json_cannot(tiny: Model) -> None:
    model = tiny("llama")
    seen = inside.inspect_step(model, model.encode("Once"))
    tables = [inside_rows.lens_rows(seen, None), inside_rows.heat_rows(seen), inside_rows.neighbour_rows(seen.neighbours(5, 3))]
    for table in tables:
        assert isinstance(table, pd.DataFrame)
        assert not table.select_dtypes("number").isna().any().any()
