"""The page “Gallery”: recorded runs and experiments, shown without a model."""

from __future__ import annotations

from pages.ui.features import GALLERY, NONE, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=GALLERY, place=10, title=N_("Gallery"), sight=N_("Recorded runs and experiments, shown without a model."), settings=NONE
)
