"""The page “Many requests”: many requests in one pass, and how many fit into a memory."""

from __future__ import annotations

from core.batching.scheduler import Policy
from core.costs.measured_hardware import Peak
from core.experiments.batching.batch_curve import CurvePoint
from core.experiments.batching.compared_policies import CONTINUOUS_IS_FASTER, Served
from core.experiments.shared.claim import Claim
from core.experiments.shared.planned_requests import PlannedRequest
from pages.ui.features import MANY_REQUESTS, PASSES, Feature, Recorded
from pages.ui.i18n import names
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=MANY_REQUESTS,
    place=10,
    title=N_("Many requests"),
    sight=N_("Many requests in one pass, and how many fit into a memory."),
    address="many-requests",
    needs=PASSES,
    recorded=(
        Recorded(
            "batching",
            "batching_start",
            Served,
            tuple[tuple[PlannedRequest, ...], tuple[Policy, Policy], tuple[int, int]],
            card=(N_("A batch of eight"), N_("Eight requests one after the other, then all in one batch.")),
            claim=CONTINUOUS_IS_FASTER,
        ),
        Recorded(
            "batching_curve",
            "batching_curve_start",
            CurvePoint,
            tuple[Peak, int],
            claim=Claim(
                "a larger batch writes more tokens per second",
                lambda observations: (
                    max(observations, key=lambda p: p.size).tokens_per_second
                    > 1.3 * min(observations, key=lambda p: p.size).tokens_per_second
                ),
            ),
        ),
        Recorded(
            "tour_many",
            "tour_many_start",
            Served,
            tuple[PlannedRequest, ...],
            page="tour",
            query=(("stop", "many"),),
            claim=CONTINUOUS_IS_FASTER,
        ),
    ),
    controls={
        "policies": Control(N_("the two ways"), names=names.SCHEDULERS),
        "arrivals": Control(N_("the arrivals"), N_("{count} a second")),
        "lengths": Control(N_("the lengths"), N_("{least} to {most} tokens")),
        "slots": Control(N_("the slots"), shown=False),
        "budget": Control(N_("the budget"), shown=False),
        "blocks": Control(N_("the blocks"), shown=False),
        "share": Control(N_("sharing"), shown=False),
        "common": Control(N_("the beginning"), shown=False),
    },
)
