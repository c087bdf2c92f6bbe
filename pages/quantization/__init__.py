"""The page “Fewer bits”: the same model with fewer bits per weight: probabilities, text, bytes."""

from __future__ import annotations

from core.experiments import claims
from core.experiments.claims import Claim
from core.experiments.quantization import PartDamage, Rounded
from pages.ui.features import NONE, PASSES, SERVING, Feature, Recorded
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=SERVING,
    place=30,
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
            claim=Claim("fewer bits are further from the full model", claims.fewer_bits_are_worse),
        ),
        Recorded(
            "quantization_parts",
            "quantization_parts_start",
            PartDamage,
            int,
            claim=Claim("every part was measured", lambda seen: len(seen) > 10 and all(p.mean_kl >= 0 for p in seen)),
        ),
    ),
)
