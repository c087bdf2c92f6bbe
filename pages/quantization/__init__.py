"""The page “Fewer bits”: the same model with fewer bits per weight: probabilities, text, bytes."""

from __future__ import annotations

from core.experiments.quantization.rounded_weights import PartDamage, Rounded, fewer_bits_are_worse
from core.experiments.shared.claim import Claim
from pages.ui.features import NONE, PASSES, PRECISION, Feature, Recorded
from pages.ui.i18n.controls import Control
from pages.ui.i18n.translation import N_
from pages.ui.server import offered_models

SCALES = {"row": N_("a row"), "group": N_("32 numbers")}
FEATURE = Feature(
    group=PRECISION,
    place=10,
    title=N_("Fewer bits"),
    sight=N_("The same model with fewer bits per weight: probabilities, text, bytes."),
    address="fewer-bits",
    settings=NONE,
    needs=PASSES,
    recorded=(
        Recorded(
            "quantization",
            "quantization_start",
            Rounded,
            tuple[str, int],
            card=(N_("Fewer bits"), N_("The same model with fewer and fewer bits per weight.")),
            claim=Claim("fewer bits are further from the full model", fewer_bits_are_worse),
        ),
        Recorded(
            "quantization_parts",
            "quantization_parts_start",
            PartDamage,
            int,
            claim=Claim(
                "every part was measured", lambda observations: len(observations) > 10 and all(p.mean_kl >= 0 for p in observations)
            ),
        ),
    ),
    controls={
        "scale": Control(N_("the scale"), names=SCALES),
        "head": Control(N_("the head"), names={True: N_("Quantize the output head too")}),
        "bits": Control(N_("the bits"), N_("{count} bits")),
        "version": Control(N_("the other version"), text=offered_models.title),
    },
)
