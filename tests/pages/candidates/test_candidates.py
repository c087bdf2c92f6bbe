"""Several tries as a page: written together, ranked, one kept as the visitor's own run; beam search, step by step."""

from __future__ import annotations

import re
from typing import Any

import pytest

from core.experiments.candidates.beam import DROPPED, beam_search
from core.experiments.candidates.best_of_n import merged, ranked, write_together
from pages.candidates import TRIES_VIEWS
from pages.candidates.rows_of_tries import rows_of_beams, rows_of_candidates
from tests.pages.apptest import Open, State, press, run_on, said


def test_a_try_that_is_kept_becomes_the_visitors_run(open_app: Open, session: State) -> None:
    app = open_app(page="candidates", prompt="Once upon a time", seed="3")
    app.segmented_control(key="candidates_length").set_value(20)
    run_on(press(app, "candidates_start"))
    best = ranked(session(app).experiments["candidates"].observations[-1].tries)[0].attempt
    press(app, "candidates_keep")
    assert [step.token_id for step in session(app).run.path] == [step.token_id for step in best.path]
    assert "This try is your run now, on every page." in said(app)


def test_a_step_after_the_end_keeps_the_answer(open_app: Open, session: State) -> None:
    app = open_app(page="candidates", prompt="Once upon a time")
    app.segmented_control(key="candidates_view").set_value(TRIES_VIEWS[1]).run()
    app.segmented_control(key="candidates_beam_length").set_value(10).run()
    run_on(press(app, "candidates_beam_all"))
    answer = next(line for line in said(app).splitlines() if "The search has ended" in line)
    assert app.button(key="candidates_beam_step").disabled and app.button(key="candidates_beam_all").disabled
    assert answer in said(app.run())
    run_on(press(app, "candidates_beam_again"))
    assert "step 1" in said(app) and "The search has ended" not in said(app)


def test_the_merged_rows_hold_every_word(tiny: Any) -> None:
    tries = list(write_together(tiny("gpt2"), "The sea", count=6, steps=8))[-1].tries
    rows = rows_of_candidates(merged(tries), best=2)
    by_id = {row.node_id: row for row in rows}
    ends = [row for row in rows if not any(other.parent == row.node_id for other in rows)]
    told = []
    for row in ends:
        text, here = row.text, row
        while here.parent is not None:
            here = by_id[here.parent]
            text = here.text + text
        told.append(text)
    assert sorted(set(told)) == sorted({"".join(step.text or step.piece for step in attempt.path) for attempt in tries})
    assert all(0 < row.share <= 1 for row in rows)


def test_the_beam_rows_lead_to_the_answer(tiny: Any) -> None:
    steps = list(beam_search(tiny("qwen3"), "The sea", 3, 8))
    for so_far in range(1, len(steps) + 1):
        rows = rows_of_beams(steps[:so_far])
        known = {row.node_id for row in rows}
        assert all(row.parent is None or row.parent in known for row in rows)
        dropped = [beam for beam in steps[so_far - 1].considered if beam.fate == DROPPED]
        assert {beam.node_id for beam in dropped} <= known
    rows = rows_of_beams(steps, steps[-1].answers[0].node_id)
    way = [row for row in rows if row.kind == "path"]
    assert way[-1].node_id == steps[-1].answers[0].node_id
    assert [row.parent for row in way] == [None, *(row.node_id for row in way[:-1])]
    told, answer = (re.sub("⟨..⟩", "", text) for text in ("".join(row.text for row in way), steps[-1].answers[0].text))
    assert told == answer
    assert rows_of_beams([]) == []


@pytest.mark.parametrize("architecture", ["qwen3", "llama", "gpt2"])
def test_only_what_is_given_up_is_dashed(architecture: str, tiny: Any) -> None:
    steps = list(beam_search(tiny(architecture), "The sea", 4, 14))
    for so_far in range(1, len(steps) + 1):
        newest = steps[so_far - 1]
        competing = {beam.node_id for beam in (*newest.kept, *newest.answers)}
        rows = {row.node_id: row for row in rows_of_beams(steps[:so_far])}
        leads = set(competing)
        for node_id in competing:  # every row on the way to one that competes
            here = rows.get(node_id)
            while here is not None:
                leads.add(here.node_id)
                here = None if here.parent is None else rows[here.parent]
        assert {node_id for node_id, row in rows.items() if row.kind == "gone"} == set(rows) - leads


def test_a_dashed_row_never_says_that_it_was_kept(tiny: Any) -> None:
    steps = list(beam_search(tiny("qwen3"), "The sea", 3, 8))
    rows = rows_of_beams(steps, steps[-1].answers[0].node_id)
    assert any(row.kind == "gone" for row in rows)
    assert not any("kept" in row.note or "an answer" in row.note for row in rows if row.kind == "gone")
