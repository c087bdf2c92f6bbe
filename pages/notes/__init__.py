"""The page “The speaker's window”: the next stop, your notes and a clock; follows the stage."""

from __future__ import annotations

from pages.ui.features import NONE, PRESENT, Feature
from pages.ui.i18n.translation import N_

FEATURE = Feature(
    group=PRESENT,
    place=30,
    title=N_("The speaker's window"),
    sight=N_("The next stop, your notes and a clock; follows the stage."),
    settings=NONE,
    in_menu=False,
    bare=True,
)
