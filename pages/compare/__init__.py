"""The page “Compare”: the same prompt under other settings, side by side."""

from __future__ import annotations

import numpy as np

from core.experiments import claims
from core.experiments.claims import Claim
from core.experiments.compared_settings import ComparisonStep, SweepResult
from core.sampling.settings import SamplingSettings
from pages.ui.features import IDS, WHAT_IF, Feature, Recorded
from pages.ui.i18n.translation import N_
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL

COMPARE_VIEWS = (N_("Side by side"), N_("One setting, turned"))


def used_settings() -> frozenset[str]:
    """Columns have their own settings with the visitor's seed. The setting that is turned through its range does not count."""
    view = current.field("compare_view") or COMPARE_VIEWS[0]
    if view == COMPARE_VIEWS[0]:
        count = int(current.field("compare_count") or 3)
        chosen = [current.field(f"compare_preset_{number}") for number in range(count)]
        return ALL if "From the sidebar" in chosen or (count == 4 and chosen[3] is None) else frozenset({"seed"})
    return ALL - {current.field("compare_setting") or "temperature"}


FEATURE = Feature(
    group=WHAT_IF,
    place=20,
    title=N_("Compare"),
    sight=N_("The same prompt under other settings, side by side."),
    settings=used_settings,
    needs=IDS,
    recorded=(
        Recorded(
            "compare",
            "compare_start",
            ComparisonStep,
            tuple[str, list[tuple[str, str, SamplingSettings]]],
            card=(N_("Three moods"), N_("The same dice under three settings, side by side.")),
            claim=Claim("three settings write three texts", lambda seen: claims.different_texts(seen[-1].paths, 3)),
        ),
        Recorded(
            "compare_sweep",
            "compare_sweep_start",
            SweepResult,
            str,
            view=("compare_view", COMPARE_VIEWS[1]),
            claim=Claim(
                "the hottest setting takes less likely tokens than the coldest",
                lambda seen: (
                    np.mean([step.model_probability for step in seen[-1].path]) < np.mean([step.model_probability for step in seen[0].path])
                ),
            ),
        ),
    ),
)
