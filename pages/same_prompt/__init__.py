"""The page “Same prompt, other number”: one text computed in two ways, and where the numbers and the texts part."""

from __future__ import annotations

from core.experiments import claims
from core.experiments.claims import Claim
from core.experiments.same_prompt import Comparison, Progress, Refused
from pages.ui.features import PASSES, SERVING, Feature, Recorded
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=SERVING,
    place=60,
    title=N_("Same prompt, other number"),
    sight=N_("One text computed in two ways: where the log-probabilities and the written texts part, and why."),
    address="same-prompt",
    needs=PASSES,
    recorded=(
        Recorded(
            "same_prompt",
            "same_prompt_start",
            Progress | Comparison,
            tuple[str, str],
            card=(N_("Same prompt, other number"), N_("The same text in float32 and in bfloat16: which tokens get other probabilities.")),
            claim=Claim(
                "both ways give other log-probabilities, and at least one written text parts where gap and shift say so",
                lambda seen: (
                    (last := seen[-1]).difference.largest > 1e-3
                    and any(run.parted is not None and 0 <= run.gap <= run.shift for run in last.runs)
                ),
            ),
        ),
        Recorded(
            "same_prompt_noise",
            "same_prompt_noise_start",
            Progress | Comparison,
            claim=Claim("ten repeats, and none differs", lambda seen: claims.sizes(seen) == [0.0] * 10),
        ),
        Recorded(
            "same_prompt_table",
            "same_prompt_table_start",
            Progress | Comparison | Refused,
            tuple[tuple[str, ...], ...],
            claim=Claim(
                "another order of sums differs, and rounded weights a thousand times as much",
                lambda seen: 0 < 1000 * claims.sizes(seen)[0] < max(claims.sizes(seen)),
            ),
        ),
    ),
)
