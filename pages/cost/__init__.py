"""The page “Receipt”: what a text cost: work, bytes, seconds, energy, money."""

from __future__ import annotations

from core.experiments.claims import Claim
from core.experiments.request_cost import RequestCost
from pages.ui.features import WHAT_IT_COSTS, Feature, Recorded
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WHAT_IT_COSTS,
    place=40,
    title=N_("Receipt"),
    sight=N_("What a text cost: work, bytes, seconds, energy, money."),
    address="receipt",
    recorded=(
        Recorded(
            "cost_two",
            "cost_two_start",
            tuple[int, RequestCost],
            claim=Claim(
                "both questions get the same answer, and the long one costs at least twice the work",
                lambda seen: (
                    (last := dict(seen))[0].text.strip() == last[1].text.strip()
                    and last[1].receipt.multiply_adds >= 2 * last[0].receipt.multiply_adds
                ),
            ),
        ),
    ),
)
