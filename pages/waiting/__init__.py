"""The page “Waiting”: one request among others over time; and a text streamed or shown whole."""

from __future__ import annotations

from core.batching.scheduler import Policy
from core.experiments.shared.claim import Claim
from core.experiments.shared.side_by_side import ComparisonStep
from core.experiments.waiting.load import LoadPoint, ServiceTimes, Watched, wait_grows_with_load
from pages.ui.features import MANY_REQUESTS, PASSES, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_

WAITING_VIEWS = (N_("One request among others"), N_("Streamed or whole"))

FEATURE = Feature(
    group=MANY_REQUESTS,
    place=20,
    title=N_("Waiting"),
    sight=N_("One request among others over time; and a text streamed or shown whole."),
    needs=PASSES,
    recorded=(
        Recorded(
            "compare_stream",
            "compare_stream_start",
            ComparisonStep,
            view=("waiting_view", WAITING_VIEWS[1]),
            claim=Claim("a whole answer was written", lambda observations: len(observations[-1].paths[0]) >= 30),
        ),
        Recorded(
            "waiting",
            "waiting_start",
            Watched,
            claim=Claim(
                "a request alone in a batch waits less than one in a queue",
                lambda observations: (
                    (last := {w.policy: w for w in observations})[Policy.CONTINUOUS].spent("queue")
                    < last[Policy.ONE_AT_A_TIME].spent("queue")
                ),
            ),
        ),
        Recorded(
            "waiting_curve",
            "waiting_curve_start",
            ServiceTimes | LoadPoint,
            claim=Claim("the queue grows with the load, as the formula says within a factor of four", wait_grows_with_load),
        ),
    ),
    controls={
        "others": Control(N_("the others"), N_("{count} others a second")),
    },
)
