"""The orders of the engines are those of the table, and a new stage has its place in them without being named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.sampling.settings import ORDERS, STAGES
from core.sampling.settings_row import ENGINES
from core.sampling.stage_orders import ENGINE_ORDERS, of_engines


@pytest.mark.parametrize("engine", ENGINES)
def test_an_order_names_only_stages_that_exist_and_each_once(engine: str) -> None:
    named = ENGINE_ORDERS[engine]
    assert len(set(named)) == len(named)
    assert set(named) <= STAGES.keys()
    assert sorted(ORDERS[engine]) == sorted(STAGES)
    assert tuple(name for name in ORDERS[engine] if name in named) == named


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stage_without_a_name_in_the_order_stands_behind_the_last_of_its_kind(engine: str) -> None:
    kinds = {"nudge": "repetition", "slope": "cut-off", "second slope": "cut-off", "alone": "new"}
    new = {name: replace(STAGES["DRY"], name=name, kind=kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    order = of_engines(new | STAGES)[engine]
    before = {name: order[index - 1] for index, name in enumerate(order)}
    assert (before["nudge"], before["slope"], before["second slope"], before["watermark"]) == ("DRY", "XTC", "slope", "alone")
    assert tuple(name for name in order if name not in new) == ORDERS[engine]
