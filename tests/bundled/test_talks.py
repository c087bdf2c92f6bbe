"""The stage stops of the prepared talks with the bundled weights: choose again with `pages.ui.presenting.choose_seeds` when they change."""

from __future__ import annotations

import pytest

from core import load_model
from pages.ui.presenting.choose_seeds import ENDS, sentences, stage_stops
from pages.ui.presenting.running_order import Stop

STOPS = {stop.title: stop for stop in stage_stops()}


@pytest.mark.parametrize("title", ["One token at a time", "Guess first", "Colder and hotter", "The end"])
def test_a_run_ends_where_a_sentence_ends(title: str) -> None:
    stop: Stop = STOPS[title]
    chosen = int(stop.query["seed"])
    made = {one.seed: one for one in sentences(load_model("storyteller"), stop, chosen + 1)}[chosen]
    assert len(made.path) == stop.words
    assert made.path[-1].text.rstrip().endswith(ENDS)
    assert made.faults in ([], ["short"])
