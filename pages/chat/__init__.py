"""The page “Chat”: a conversation on Watch; for a model that cannot have one, the models that can."""

from __future__ import annotations

from pages.ui.features import NONE, WATCH, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(group=WATCH, place=20, title=N_("Chat"), sight=N_("Talk with a chat model, and see every token of it."), settings=NONE)
