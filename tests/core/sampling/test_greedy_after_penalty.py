"""Greedy after a penalty or bias: the token taken is not the model's likeliest, and every sentence says which stage moved it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core import Generation, SamplingSettings
from core.reports import html_page
from pages.ui.charts import distribution_rows, live_rows


def test_sentences_name_the_stages_that_moved_the_greedy_choice(tiny: Callable[[str], Any]) -> None:
    model = tiny("llama")
    favourite = Generation(model, "once", SamplingSettings(greedy=True)).step()
    assert favourite.rank == 1 and favourite.moved_by == ()
    run = Generation(model, "once", SamplingSettings(greedy=True, logit_bias={favourite.token_id: -100.0}))
    seen = run.next_distribution()
    assert seen.moved_by == ("logit bias",)
    assert "after logit bias" in live_rows.caption(seen)
    step = run.step()
    assert step.rank > 1 and step.moved_by == ("logit bias",)
    assert "after logit bias" in live_rows.caption(step)
    assert "the likeliest token after logit bias" in html_page.page(run)
    reasons = {row["token_id"]: row["removed_by"] for row in distribution_rows.distribution_rows(step, 12, folded=False).to_pylist()}
    assert reasons[favourite.token_id] == "logit bias, greedy"
