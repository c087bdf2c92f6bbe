"""Compare as a page: columns with the same dice."""

from __future__ import annotations

import math

import pytest

from core.sampling.dice import roll
from tests.pages.apptest import Open, State, html, press, run_on, said


def test_columns_with_the_same_dice_stay_and_say_which_controls_have_changed(open_app: Open, session: State) -> None:
    app = open_app(page="compare", prompt="Once upon a time", seed="7")
    app.segmented_control(key="compare_count").set_value(4)
    app.segmented_control(key="compare_length").set_value(20)
    run_on(press(app, "compare_start"))
    row = session(app).experiments["compare"].observations[-1]
    assert len(row.paths) == 4
    for path in row.paths[1:]:
        assert [step.roll for step in path] == [roll(7, i) for i in range(len(path))]
    assert row.paths[0][0].chosen_by == "greedy"
    table = app.dataframe[0].value
    assert table["tokens"].tolist() == [len(path) for path in row.paths]
    assert set(table["model"]) == {"Storyteller"}
    for path, told in zip(row.paths, table["perplexity"], strict=True):
        likelihood = math.prod(step.model_probability for step in path)
        assert float(told.replace(",", "")) == pytest.approx(likelihood ** (-1 / len(path)), rel=0.05)
    for number, parts in enumerate(row.parts_at):
        expected = (
            "the other columns are compared with this one"
            if number == 0
            else "the same as the first column so far"
            if parts is None
            else f"differs from the first column from token {parts + 1} on"
        )
        assert expected in said(app)
    assert "· Greedy · Balanced · Wild · " in html(app)
    app.segmented_control(key="compare_count").set_value(3).run()
    app.selectbox(key="compare_preset_0").set_value("Creative").run()
    assert len(session(app).experiments["compare"].observations[-1].paths) == 4
    assert "Made before you changed" in html(app) and "column 1" in html(app) and "column 4" in html(app)
    app.selectbox(key="compare_preset_0").set_value("Greedy").run()
    app.segmented_control(key="compare_count").set_value(4).run()
    assert "Made before" not in html(app), "what is chosen again is no change"
