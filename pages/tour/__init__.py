"""The page “Take the tour”: from the first press to the last token, in fifteen stops."""

from __future__ import annotations

from pages.ui.features import IDS, NONE, TOUR, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=TOUR,
    place=10,
    title=N_("Take the tour"),
    sight=N_("From the first press to the last token, in fifteen stops."),
    settings=NONE,
    needs=IDS,
)
