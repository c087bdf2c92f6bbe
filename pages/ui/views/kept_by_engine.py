"""How many tokens stay in the order of each engine, in one line."""

from __future__ import annotations

from dataclasses import replace

from core.sampling.settings import ORDERS, SamplingSettings
from core.sources.capabilities import Can
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import current
from pages.ui.session.own_presets import ENGINES


def kept_line(settings: SamplingSettings) -> str:
    """Return in one line how many tokens stay in each engine's order; empty at the end of a run and in a recording."""
    run = current.run()
    if run.finished or Can.NEW_TOKENS not in run.can or not run.model.vocabulary_size:
        return ""
    by_engine = {ENGINES[engine]: run.next_distribution(replace(settings, order=engine)).stage_kept[-1] for engine in ORDERS}
    if not isinstance(settings.order, str):
        by_engine[_("your own")] = run.next_distribution(settings).stage_kept[-1]
    counts = " · ".join(f"{name} {numbers.whole(count)}" for name, count in by_engine.items())
    return _("Tokens that stay in the order of: {counts}").format(counts=counts)
