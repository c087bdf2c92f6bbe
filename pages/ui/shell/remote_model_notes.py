"""What there is to say where a model runs on an inference server: which numbers are estimates, whose clock it was, and how full it is.

Of a model that runs here nothing is drawn, so that a page can always ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import ViewerError
from core.language import _
from core.record.step import Step, TokenDistribution
from core.remote.metrics import ServerMetrics
from pages.ui.i18n import numbers
from pages.ui.session import current, elements

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.generation.replay import RecordedModel


def estimates(seen: TokenDistribution | Step) -> None:
    """One quiet line where a server's short list leaves something to be estimated; the whole sentence on hover."""
    if not seen.note:
        return
    what = (
        _("The odds are exact, the doubt is an upper bound.")
        if seen.exact
        else _("What the dice use is exact; a stage before it is an estimate.")
        if seen.stage_exact[-1]
        else _("The odds of the dice are estimates.")
    )
    line = _("≈ {what} :gray[:small[{listed} of {whole} tokens listed]]").format(
        what=what, listed=numbers.whole(seen.top_logprobs_count), whole=numbers.whole(seen.stage_kept[0])
    )
    st.caption(line, help=_(seen.note))


def times(path: Sequence[Step], model: LanguageModel | RecordedModel | Any) -> None:
    """How much of the newest step's time was the server's own, and how long it had waited there."""
    if not path or not on_a_server(path[-1], model):
        return
    done = path[-1].forward
    queue = _(", and {queue} in its queue").format(queue=numbers.duration(done.queue_seconds)) if done.queue_seconds else ""
    whole = numbers.duration(done.seconds)
    if done.server_seconds is None:
        st.caption(
            _("Measured from here, the way to the server included{queue}").format(queue=queue),
            help=_(
                "The server says how long it computed; the rest of the time is the way there and back, its queue, and reading its answer."
            ),
        )
    else:
        st.caption(
            _("The server’s own clock: {server} of {whole}{queue}").format(
                server=numbers.duration(done.server_seconds), whole=whole, queue=queue
            ),
            help=_(
                "The server says how long it computed; the rest of the time is the way there and back, its queue, and reading its answer."
            ),
        )


def is_served() -> bool:
    """Whether the visitor's model is on a server."""
    try:
        return hasattr(current.model(), "server_kind")
    except ViewerError:  # said where the model is asked for
        return False


def on_a_server(step: Step, model: Any) -> bool:
    """Whether this step was made on a server, also where only its recording is at hand."""
    return step.forward.server_seconds is not None or step.top_logprobs_count > 0 or hasattr(model, "server_kind")


def metrics(model: Any) -> None:
    """The server's own numbers, asked for as this is drawn; a word where it gives none. Raises ServerGone."""
    told: ServerMetrics | None = model.metrics()
    elements.section(_("What the server says about itself"), _("all visitors, since it started"))
    rows = [] if told is None else _rows(told)
    if not rows:
        st.caption(_("This server tells nothing about itself (llama-server: start it with --metrics)."))
        return
    with st.container(horizontal=True, gap="large"):
        for label, value, help_text in rows:
            st.metric(label, value, help=help_text, width="content")


def _rows(told: ServerMetrics) -> list[tuple[str, str, str | None]]:
    """Label, value and help of what it says; nothing of what it does not."""
    rows: list[tuple[str, str, str | None]] = []
    if told.running is not None or told.waiting is not None:
        counts = " · ".join("–" if n is None else numbers.whole(n) for n in (told.running, told.waiting))
        rows.append((_("Running · waiting"), counts, _("Requests that the server is working on now, and those in its queue.")))
    if told.cache_use is not None:
        rows.append((_("Cache in use"), numbers.percent(told.cache_use), _("The share of the server’s KV cache that holds something now.")))
    if told.cache_tokens:
        size = numbers.size(told.cache_bytes) if told.cache_bytes else None
        rows.append((_("Room in its cache"), _("{count} tokens").format(count=numbers.count(told.cache_tokens)), size))
    if told.hit_rate is not None:
        hits, queried = numbers.whole(told.hit_tokens or 0), numbers.whole(told.queried_tokens or 0)
        rows.append(
            (
                _("Found in its cache"),
                numbers.percent(told.hit_rate),
                _("Of all prompt tokens, the share that did not have to be computed (prefix cache hits): {hits} of {queried}.").format(
                    hits=hits, queried=queried
                ),
            )
        )
    if told.drafted_tokens:
        accepted = told.accepted_tokens or 0
        share = numbers.percent(min(1.0, accepted / told.drafted_tokens))
        rows.append(
            (
                _("Drafts accepted"),
                share,
                _("Speculative decoding: {accepted} of {drafted} drafted tokens were kept.").format(
                    accepted=numbers.whole(accepted), drafted=numbers.whole(told.drafted_tokens)
                ),
            )
        )
    return rows
