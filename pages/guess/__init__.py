"""The page “Guess the next word”: ten tokens: your guess beside the model's."""

from __future__ import annotations

from pages.ui.features import WATCH, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=WATCH, place=40, title=N_("Guess the next word"), tab=N_("Guess"), sight=N_("Ten tokens: your guess beside the model's.")
)
