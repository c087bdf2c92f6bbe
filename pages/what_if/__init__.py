"""The page “Two branches”: one token is changed; the rest of the text changes with it."""

from __future__ import annotations

from pages.ui.features import IDS, WHAT_IF, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WHAT_IF,
    place=10,
    title=N_("Two branches"),
    sight=N_("One token is changed; the rest of the text changes with it."),
    address="two-branches",
    needs=IDS,
)
