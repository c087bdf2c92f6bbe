"""Notes on a model that runs on an inference server: estimated numbers, the server's times and its load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import ViewerError
from core.record.near_border import is_close, neighbour
from core.record.step import Step, TokenDistribution
from core.remote.metrics import ServerMetrics
from core.sources.capabilities import Can
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements

NAMED = 8  # close steps of a text that are named

if TYPE_CHECKING:
    from core.sources.source import Source


def estimates(seen: TokenDistribution | Step) -> None:
    """Say in one line which numbers are estimated because the server lists few tokens, and whether the roll fell beside a border."""
    run = current.run()
    if error := run.model.logprob_error:
        border(seen, run.path, error)
    if not seen.note:
        return
    if seen.is_open:
        listed = numbers.whole(seen.top_logprobs_count)
        st.caption(_("{count} tokens listed; all others are one row.").format(count=listed), help=_(seen.note))
        return
    what = (
        _("The probabilities are as the server gives them; the entropy is an upper bound.")
        if seen.exact
        else _("The probabilities after your settings are computed from the server's list. Those of an earlier stage are estimates.")
        if seen.stage_exact[-1]
        else _("The probabilities after your settings are estimates.")
    )
    line = _("≈ {what} :gray[:small[{listed} of {whole} tokens listed]]").format(
        what=what, listed=numbers.whole(seen.top_logprobs_count), whole=numbers.whole(seen.stage_kept[0])
    )
    st.caption(line, help=_(seen.note))


def border(seen: TokenDistribution | Step, path: Sequence[Step], error: float) -> None:
    """Say that another token could have been chosen, if the rounding error that is expected of this server is large enough for it.

    Unless Play is on, name the other steps of which the same is true.
    """
    if isinstance(seen, Step) and is_close(seen, error):
        other = neighbour(seen, error)
        if other is None:
            st.caption(_("≈ This choice is close: with the rounding errors expected of this server, another token could have been chosen."))
        else:
            sentence = _("≈ This choice is close: with the rounding errors expected of this server, “{piece}” could have been chosen.")
            st.caption(plain(sentence.format(piece=other.piece)))
    close = [] if current.playing() else [step for step in path if is_close(step, error)]
    if close:
        named = ", ".join(numbers.whole(step.index + 1) for step in close[:NAMED]) + (", …" if len(close) > NAMED else "")
        counted = _("≈ Close choices in this text: {count} of {steps} (steps {named}).")
        st.caption(counted.format(count=numbers.whole(len(close)), steps=numbers.whole(len(path)), named=named))


def times(path: Sequence[Step], model: Source) -> None:
    """Say how much of the newest step's time the server computed, and how long the request waited there."""
    if not path or not path[-1].forward.measured or not on_a_server(path[-1], model):
        return
    done = path[-1].forward
    queue = _(", and {queue} in its queue").format(queue=numbers.duration(done.queue_seconds)) if done.queue_seconds else ""
    line = _("Measured here, the network included{queue}").format(queue=queue)
    if done.server_seconds is not None:
        computed = _("Computing on the server: {server} of {whole}{queue}")
        line = computed.format(server=numbers.duration(done.server_seconds), whole=numbers.duration(done.seconds), queue=queue)
    st.caption(line, help=_("The server reports how long it computed. The other part is the network, its queue, and reading its answer."))


def is_served() -> bool:
    """Return whether the visitor's model is on a server."""
    try:
        return Can.SERVED in current.model().can
    except ViewerError:  # shown where the model is used
        return False


def on_a_server(step: Step, model: Any) -> bool:
    """Return whether this step was made on a server, also in a recording."""
    return step.forward.server_seconds is not None or step.top_logprobs_count > 0 or Can.SERVED in model.can


def metrics(model: Any) -> None:
    """Draw the server's own numbers, requested now. Raises ServerGone."""
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
