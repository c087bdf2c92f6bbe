"""The page “Same prompt, other number”: one text computed in two ways, and where the numbers and the texts part."""

from __future__ import annotations

from dataclasses import replace

from core.experiments.same_prompt import Comparison, Progress, Refused, sizes
from core.experiments.shared.claim import Claim
from core.message import Message
from core.remote.address import is_address
from pages.ui.features import PASSES, PRECISION, Feature, Recorded
from pages.ui.i18n.controls import Control, Values
from pages.ui.i18n.translation import N_
from pages.ui.server import offered_models

BATCHES = (2, 4, 8, 16)  # texts
NO_CHANGE = ("usual",)
CHANGE_NAMES = {
    "usual": N_("float32, SDPA attention"),
    "eager": N_("eager attention"),
    "sdpa": N_("SDPA attention"),
    "app": N_("this app's steps"),
    "cached": N_("one by one, with the cache"),
    "cached_16": N_("16 at once, with the cache"),
    "uncached": N_("one by one, without the cache"),
    **{f"texts_{count}": Message("{count} texts", count=count) for count in BATCHES},
    "padded_right": N_("padded right"),
    "ragged": N_("ragged"),
    "one_thread": N_("one thread"),
    "all_threads": N_("all threads"),
    "bits_8": N_("8-bit weights"),
    "bits_4": N_("4-bit weights"),
    "settings": N_("after the settings"),
}
WAY = Control(N_("the first way"), names=CHANGE_NAMES, text=lambda name: offered_models.title(name) if is_address(name) else name)

FEATURE = Feature(
    group=PRECISION,
    place=20,
    title=N_("Same prompt, other number"),
    sight=N_("One text computed in two ways: where the log-probabilities and the written texts part, and why."),
    address="same-prompt",
    needs=PASSES,
    recorded=(
        Recorded(
            "same_prompt",
            "same_prompt_start",
            Progress | Comparison,
            tuple[Values, Values],
            card=(N_("Same prompt, other number"), N_("The same text in float32 and in bfloat16: which tokens get other probabilities.")),
            claim=Claim(
                "both ways give other log-probabilities, and at least one written text parts where gap and shift say so",
                lambda observations: (
                    (last := observations[-1]).difference.largest > 1e-3
                    and any(run.parted is not None and 0 <= run.gap <= run.shift for run in last.runs)
                ),
            ),
        ),
        Recorded(
            "same_prompt_noise",
            "same_prompt_noise_start",
            Progress | Comparison,
            claim=Claim("ten repeats, and none differs", lambda observations: sizes(observations) == [0.0] * 10),
        ),
        Recorded(
            "same_prompt_table",
            "same_prompt_table_start",
            Progress | Comparison | Refused,
            tuple[Values, ...],
            claim=Claim(
                "another order of sums differs, and rounded weights a thousand times as much",
                lambda observations: 0 < 1000 * sizes(observations)[0] < max(sizes(observations)),
            ),
        ),
    ),
    controls={"first_way": WAY, "second_way": replace(WAY, name=N_("the second way"))},
)
