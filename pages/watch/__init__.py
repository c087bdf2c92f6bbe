"""The page “Watch”: see a model write, one token at a time."""

from __future__ import annotations

from pages.ui.features import WATCH, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(group=WATCH, place=10, title=N_("Watch"), tab=N_("Write"), sight=N_("See a model write, one token at a time."))
