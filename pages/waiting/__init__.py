"""The page “Waiting”: one request among others over time; and a text streamed or shown whole."""

from __future__ import annotations

from core.experiments.compared_settings import ComparisonStep
from core.experiments.waiting import LoadPoint, ServiceTimes, Watched
from pages.ui.features import PASSES, SERVING, Feature, Recorded
from pages.ui.i18n import names
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=SERVING,
    place=40,
    title=N_("Waiting"),
    sight=N_("One request among others over time; and a text streamed or shown whole."),
    needs=PASSES,
    recorded=(
        Recorded(
            "compare_stream",
            "compare_stream_start",
            ComparisonStep,
            view=("waiting_view", names.WAITING_VIEWS[1]),
        ),
        Recorded("waiting", "waiting_start", Watched),
        Recorded("waiting_curve", "waiting_curve_start", ServiceTimes | LoadPoint),
    ),
)
