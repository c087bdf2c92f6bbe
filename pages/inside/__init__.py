"""The page “Inside one step”: one token on its way through the model, from text to sampling."""

from __future__ import annotations

from pages.ui.features import HOW_IT_WORKS, PASSES, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=HOW_IT_WORKS,
    place=10,
    title=N_("Inside one step"),
    sight=N_("One token on its way through the model, from text to sampling."),
    needs=PASSES,
)
