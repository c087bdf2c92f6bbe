"""Rows of the charts that compare writing with and without the KV cache."""

from __future__ import annotations

import math

import pandas as pd

from core.experiments.cache import CACHED, UNCACHED, RaceStep, Trend
from pages.ui.i18n import numbers

MOST_POINTS = 160
Steps = dict[str, list[RaceStep]]


def table(steps: Steps, column: str, scale: float = 1.0) -> pd.DataFrame:
    """Return a column of both runs by tokens written, about MOST_POINTS rows each."""
    rows = []
    for runner, kind in ((CACHED, "with"), (UNCACHED, "without")):
        mine = steps[runner]
        thin = max(1, len(mine) // MOST_POINTS)
        for step in mine:
            newest = step is mine[-1]
            if step.index % thin and not newest:
                continue
            value = getattr(step, column)
            written = numbers.duration(value) if "seconds" in column else numbers.whole(value)
            row = {"token": step.index + 1, "runner": kind, column: value * scale, "label": written if newest else "", "tip": written}
            rows.append(row)
    return pd.DataFrame(rows, columns=["token", "runner", column, "label", "tip"])


def middle(values: list[float]) -> float:
    """Return the median of neighbouring passes: single ones vary on a busy machine."""
    return sorted(values)[len(values) // 2]


def passes(steps: Steps) -> pd.DataFrame:
    """Return the milliseconds of every pass and the median of the five around it, except for the prefill.

    A pass that took far longer than all others is a triangle at the upper edge; its card holds the true time.
    """
    table_of_passes = table(steps, "seconds", 1000).assign(raw=0.0, over=False)
    table_of_passes["raw"] = table_of_passes["seconds"]
    for runner, kind in ((CACHED, "with"), (UNCACHED, "without")):
        mine = [step.seconds * 1000 for step in steps[runner]]
        at = table_of_passes["runner"] == kind
        places = table_of_passes.loc[at, "token"].astype(int) - 1
        around = [middle(mine[max(1, index - 2) : index + 3]) if index else float("nan") for index in places]
        table_of_passes.loc[at, "seconds"] = around
        named = at & (table_of_passes["label"] != "")
        table_of_passes.loc[named, "label"] = (
            numbers.duration((mine[-1] if math.isnan(around[-1]) else around[-1]) / 1000) if around else ""
        )
    if table_of_passes["seconds"].notna().any():
        edge = 2.0 * table_of_passes["seconds"].max()
        table_of_passes["over"] = table_of_passes["raw"] > edge
        table_of_passes["raw"] = table_of_passes["raw"].clip(upper=edge)
    return table_of_passes


def with_fit(steps: Steps, fits: dict[str, Trend | None]) -> pd.DataFrame:
    """Return the seconds so far, and the sums of the fit."""
    table_of_totals = table(steps, "total_seconds").assign(fit=float("nan"))
    for kind, fit in fits.items():
        if fit is not None:
            at = table_of_totals["runner"] == kind
            table_of_totals.loc[at, "fit"] = [fit.total(int(token)) for token in table_of_totals.loc[at, "token"]]
    return table_of_totals
