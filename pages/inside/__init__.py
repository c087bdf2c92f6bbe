"""The page “Inside one step”: one token on its way through the model, from text to sampling."""

from __future__ import annotations

from pages.ui.features import INSIDE, PASSES, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=INSIDE,
    place=10,
    title=N_("Inside one step"),
    sight=N_("One token on its way through the model, from text to sampling."),
    needs=PASSES,
)
