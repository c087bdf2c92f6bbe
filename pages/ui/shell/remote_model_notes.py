"""Notes on a model that runs on an inference server: the numbers that the server reports of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import ViewerError
from core.remote.metrics import ServerMetrics
from core.sources.capabilities import Can
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements

if TYPE_CHECKING:
    pass


def is_served() -> bool:
    """Return whether the visitor's model is on a server."""
    try:
        return Can.SERVED in current.model().can
    except ViewerError:  # shown where the model is used
        return False


def metrics(model: Any) -> None:
    """Draw the server's numbers, requested now. Raises ServerGone."""
    reported: ServerMetrics | None = model.metrics()
    elements.section(_("What the server reports"), _("all visitors, since it started"))
    rows = [] if reported is None else _rows(reported)
    if not rows:
        st.caption(_("This server reports no numbers (llama-server: start it with --metrics)."))
        return
    with st.container(horizontal=True, gap="large"):
        for label, value, help_text in rows:
            st.metric(label, value, help=help_text, width="content")


def _rows(reported: ServerMetrics) -> list[tuple[str, str, str | None]]:
    """Return label, value and help of every reported number."""
    rows: list[tuple[str, str, str | None]] = []
    if reported.running is not None or reported.waiting is not None:
        counts = " · ".join("–" if n is None else numbers.whole(n) for n in (reported.running, reported.waiting))
        rows.append((_("Running · waiting"), counts, _("Requests that the server computes now, and requests in its queue.")))
    if reported.cache_use is not None:
        rows.append((_("Cache in use"), numbers.percent(reported.cache_use), _("How much of the server’s KV cache is in use.")))
    if reported.cache_tokens:
        size = numbers.size(reported.cache_bytes) if reported.cache_bytes else None
        rows.append((_("Room in its cache"), _("{count} tokens").format(count=numbers.count(reported.cache_tokens)), size))
    if reported.hit_rate is not None:
        hits, queried = numbers.whole(reported.hit_tokens or 0), numbers.whole(reported.queried_tokens or 0)
        rows.append(
            (
                _("Found in its cache"),
                numbers.percent(reported.hit_rate),
                _("Prompt tokens that were found in the prefix cache: {hits} of {queried}.").format(hits=hits, queried=queried),
            )
        )
    if reported.drafted_tokens:
        accepted = reported.accepted_tokens or 0
        share = numbers.percent(min(1.0, accepted / reported.drafted_tokens))
        rows.append(
            (
                _("Drafts accepted"),
                share,
                _("Speculative decoding: {accepted} of {drafted} drafted tokens were accepted.").format(
                    accepted=numbers.whole(accepted), drafted=numbers.whole(reported.drafted_tokens)
                ),
            )
        )
    return rows
