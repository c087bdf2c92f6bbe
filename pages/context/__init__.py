"""The page “Context”: what a longer text costs, and the limit of its length."""

from __future__ import annotations

from core.experiments.context import LengthPoint, LimitReached
from core.experiments.shared.claim import Claim
from pages.ui.features import NONE, PASSES, WHAT_IT_COSTS, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WHAT_IT_COSTS,
    place=40,
    title=N_("Context"),
    sight=N_("What a longer text costs, and the limit of its length."),
    settings=NONE,
    needs=PASSES,
    recorded=(
        Recorded(
            "context",
            "context_start",
            LengthPoint,
            tuple[int, int, int],
            card=(N_("Longer and longer"), N_("What a long text costs before its first word.")),
            claim=Claim(
                "the longest prompt takes at least four times as long as the shortest",
                lambda observations: max(p.prefill.median for p in observations) >= 4 * min(p.prefill.median for p in observations),
            ),
        ),
        Recorded(
            "context_end",
            "context_end_start",
            LimitReached,
            claim=Claim("the context ends the text", lambda observations: observations[-1].ended == "context full"),
        ),
    ),
    controls={
        "repeats": Control(N_("the repeats"), N_("{count} times each")),
    },
)
