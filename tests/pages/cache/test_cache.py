"""The cache race as a page: it opens with what counting can tell, runs to its end, and says so if it cannot begin."""

from __future__ import annotations

import pytest

from core.experiments.cache import CACHED, UNCACHED, RaceStep
from pages.cache import race_rows
from tests.pages.apptest import Open, State, press


def raced(prefill: float, further: list[float]) -> dict[str, list[RaceStep]]:
    times = [prefill, *further]
    return {
        name: [RaceStep(name, i, 5, "", t, 4 + i, 0, sum(times[: i + 1]), 1, 0) for i, t in enumerate(times)] for name in (CACHED, UNCACHED)
    }


def test_every_pass_is_drawn_the_one_that_reads_the_prompt_too_and_the_label_is_the_lines() -> None:
    shown = race_rows.passes(raced(0.030, [0.010, 0.012, 0.011, 0.500, 0.010, 0.013]))
    mine = shown[shown["runner"] == "with"]
    assert mine["raw"].tolist()[:4] == pytest.approx([26.0, 10.0, 12.0, 11.0])  # clipped at twice the highest median, 13 ms
    assert mine["over"].tolist() == [True, False, False, False, True, False, False]
    assert mine["seconds"].isna().tolist() == [True] + [False] * 6
    assert mine["tip"].tolist()[4] == "500\xa0ms"
    first = race_rows.passes(raced(0.030, []))  # only the prompt was read so far
    assert first["label"].tolist() == ["30\xa0ms"] * 2 and first["raw"].tolist() == [30.0] * 2
    last = mine.iloc[-1]
    assert last["label"] == f"{last['seconds']:.0f}\xa0ms" != "500\xa0ms"


def test_stop_keeps_what_was_found(open_app: Open, session: State) -> None:
    app = open_app(page="cache")
    app.segmented_control(key="cache_length").set_value(512).run()
    press(app, "cache_start")
    press(app, "cache_stop")
    run = session(app).experiments["race"]
    assert not run.running and run.observations and not app.exception
