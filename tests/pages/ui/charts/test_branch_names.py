"""What a branch without a name is called: the end of its whole text, so that one is told from another."""

from __future__ import annotations

from typing import Any

from core import Generation
from pages.ui.charts.tree_rows import branch_name


def test_a_branch_of_one_full_stop_shows_what_stands_before_it(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, "The sea looked")
    run.force(model.encode(" back")[-1])
    run.go_to(-1)
    stop = next(i for i in range(model.vocabulary_size) if model.token(i).raw == b".")
    run.force(stop)
    names = [branch_name(run, branch) for branch in run.branches()]
    assert "The sea looked." in names
    assert len(set(names)) == len(names)
    assert all(len(branch_name(run, branch, 8)) == 8 and branch_name(run, branch, 8).startswith("…") for branch in run.branches())


def test_line_breaks_of_a_branch_are_shown_and_a_given_name_goes_first(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, "The sea\n\nlooked")
    run.force(next(i for i in range(model.vocabulary_size) if model.token(i).raw == b"\n"))
    assert branch_name(run, run.branches()[0]) == "The sea ↵ ↵ looked ↵"
    run.rename(run.here, "mine")
    assert branch_name(run, run.branches()[0]) == "mine"
