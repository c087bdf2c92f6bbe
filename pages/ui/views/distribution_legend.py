"""The legend of the bars of a step."""

from __future__ import annotations

from core.reports.live_view.texts import LEGEND
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, elements


def entries() -> list[tuple[str, str]]:
    """Return the legend of the bars: (colour, meaning) pairs."""
    if elements.has_run() and Can.FACTS not in current.run().can:  # both bars show the one probability in the file
        return [("dice", _("probability in the file")), ("chosen", _(LEGEND["chosen"]))]
    return list(said(LEGEND).items())
