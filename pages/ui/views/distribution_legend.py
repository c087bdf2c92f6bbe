"""The legend of the bars of a step."""

from __future__ import annotations

from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session.state import current_session


def entries() -> list[tuple[str, str]]:
    """Return the legend of the bars: (colour, meaning) pairs."""
    run = current_session().run
    if run is not None and Can.FACTS not in run.can:  # both bars show the one probability in the file
        return [("dice", _("probability in the file")), ("chosen", _("chosen token"))]
    kinds = (_("model's probability"), _("probability after your settings"), _("chosen token"))
    return list(zip(("model", "dice", "chosen"), kinds, strict=True))
