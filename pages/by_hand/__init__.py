"""The page “By hand”: count a text, and write with dice what a language model would."""

from __future__ import annotations

from pages.ui.features import LEARNING, NONE, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=LEARNING,
    place=30,
    title=N_("By hand"),
    sight=N_("Count a text, and write with dice what a language model would."),
    address="by-hand",
    settings=NONE,
)
