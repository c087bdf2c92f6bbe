"""The page “Glossary”: the terms of the field, in two sentences each, and where to see them."""

from __future__ import annotations

from pages.ui.features import GLOSSARY, NONE, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=GLOSSARY,
    place=10,
    title=N_("Glossary"),
    sight=N_("The terms of the field, in two sentences each, and where to see them."),
    settings=NONE,
)
