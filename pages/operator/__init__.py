"""The page “Operator”: visitors, loaded models, limits."""

from __future__ import annotations

from pages.ui.features import MODELS, NONE, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=MODELS, place=20, title=N_("Operator"), sight=N_("Visitors, loaded models, limits."), settings=NONE, for_operator=True
)
