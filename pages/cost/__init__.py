"""The page “Receipt”: what a text cost: work, bytes, seconds, energy, money."""

from __future__ import annotations

from core.experiments.cost import RequestCost, is_compared
from core.experiments.shared.claim import Claim
from pages.ui.features import WHAT_IT_COSTS, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WHAT_IT_COSTS,
    place=10,
    title=N_("Receipt"),
    sight=N_("What a text cost: work, bytes, seconds, energy, money."),
    address="receipt",
    recorded=(
        Recorded(
            "cost_two",
            "cost_two_start",
            tuple[int, RequestCost],
            claim=Claim("both questions get the same answer, and the long one costs at least twice the work and no less time", is_compared),
        ),
    ),
    controls={
        "short_question": Control(N_("the short question")),
        "long_question": Control(N_("the long question")),
        "rates": Control(N_("the rates"), shown=False),
    },
)
