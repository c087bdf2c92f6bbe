"""The page “Models”: the models here, models to download, and models on a server."""

from __future__ import annotations

from pages.ui.features import MODELS, NONE, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=MODELS, place=10, title=N_("Models"), sight=N_("The models here, models to download, and models on a server."), settings=NONE
)
