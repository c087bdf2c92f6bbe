"""The page “A talk”: prepare the stops of a talk, save it, and give it with the keys."""

from __future__ import annotations

from pages.ui.features import NONE, PRESENT, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=PRESENT, place=10, title=N_("A talk"), sight=N_("Prepare the stops of a talk, save it, and give it with the keys."), settings=NONE
)
