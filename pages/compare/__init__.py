"""The page “Compare”: the same prompt under other settings, side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.experiments.compare.sweep import SweepResult
from core.experiments.shared.claim import Claim, different_texts
from core.experiments.shared.side_by_side import ComparisonStep
from core.message import Message
from core.sampling.presets import PRESETS
from core.sampling.settings import SamplingSettings
from pages.ui.features import IDS, WHAT_IF, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.server import offered_models
from pages.ui.session import current
from pages.ui.session.sampling_controls import ALL, CONTROLS

SIDEBAR = N_("From the sidebar")
SETTING_NAMES = {row.name: row.label for row in CONTROLS}
COLUMN = Control("", names={name: name for name in (*PRESETS, SIDEBAR)}, text=offered_models.title, between=", ")
COMPARE_VIEWS = (N_("Side by side"), N_("One setting, turned"))


def used_settings() -> frozenset[str]:
    """Columns have their own settings with the visitor's seed. The setting that is turned through its range does not count."""
    view = current.field("compare_view") or COMPARE_VIEWS[0]
    if view == COMPARE_VIEWS[0]:
        count = int(current.field("compare_count") or 3)
        chosen = [current.field(f"compare_preset_{number}") for number in range(count)]
        return ALL if SIDEBAR in chosen or (count == 4 and chosen[3] is None) else frozenset({"seed"})
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
            claim=Claim("three settings write three texts", lambda observations: different_texts(observations[-1].paths, 3)),
        ),
        Recorded(
            "compare_sweep",
            "compare_sweep_start",
            SweepResult,
            str,
            view=("compare_view", COMPARE_VIEWS[1]),
            claim=Claim(
                "the hottest setting takes less likely tokens than the coldest",
                lambda observations: (
                    np.mean([step.model_probability for step in observations[-1].path])
                    < np.mean([step.model_probability for step in observations[0].path])
                ),
            ),
        ),
    ),
    controls={
        **{f"column_{number}": replace(COLUMN, name=Message("column {number}", number=number)) for number in range(1, 5)},
        "models": Control(N_("the models"), text=offered_models.title, between=", "),
        "setting": Control(N_("the setting"), names=SETTING_NAMES),
    },
)
