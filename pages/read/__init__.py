"""The page “Read a text”: how probable the model finds each token of a given text."""

from __future__ import annotations

from pages.ui.features import IDS, NONE, WATCH, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WATCH,
    place=30,
    title=N_("Read a text"),
    tab=N_("Read"),
    sight=N_("How probable the model finds each token of a given text."),
    settings=NONE,
    needs=IDS,
)
