"""The page “Fewer bits”: the same model with fewer bits per weight: probabilities, text, bytes."""

from __future__ import annotations

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
        ),
        Recorded("quantization_parts", "quantization_parts_start", PartDamage, int),
    ),
)
