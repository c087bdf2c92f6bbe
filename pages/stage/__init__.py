"""The page “On stage”: for an audience: one thing at a time, in large letters, driven by keys."""

from __future__ import annotations

from pages.ui.features import PRESENT, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=PRESENT,
    place=20,
    title=N_("On stage"),
    sight=N_("For an audience: one thing at a time, in large letters, driven by keys."),
    bare=True,
)
