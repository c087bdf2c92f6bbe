"""What there is to say where a model runs on an inference server: which numbers are estimates, whose clock it was, and how full it is.

Of a model that runs here nothing is drawn, so that a page can always ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import ViewerError
from core.record.step import Step, TokenDistribution
from core.servers.metrics import ServerMetrics
from pages.parts.layout import frame
from pages.parts.session import current
from pages.parts.text import numbers
from pages.parts.text import server_words as words

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.generation.replay import RecordedModel


def estimates(seen: TokenDistribution | Step) -> None:
    """One quiet line where a server's short list leaves something to be estimated; the whole sentence on hover."""
    if not seen.note:
        return
    what = words.EXACT_ODDS if seen.exact else words.ESTIMATED_BETWEEN if seen.stage_exact[-1] else words.ESTIMATED_DICE
    line = words.LISTED.format(what=what, listed=f"{seen.top_logprobs_count:,}", whole=f"{seen.stage_kept[0]:,}")
    st.caption(line, help=seen.note)


def times(path: Sequence[Step], model: LanguageModel | RecordedModel | Any) -> None:
    """How much of the newest step's time was the server's own, and how long it had waited there."""
    if not path or not on_a_server(path[-1], model):
        return
    done = path[-1].forward
    queue = words.QUEUE.format(queue=numbers.duration(done.queue_seconds)) if done.queue_seconds else ""
    whole = numbers.duration(done.seconds)
    if done.server_seconds is None:
        st.caption(words.TIME_WITHOUT.format(queue=queue), help=words.TIME_HELP)
    else:
        st.caption(words.TIME.format(server=numbers.duration(done.server_seconds), whole=whole, queue=queue), help=words.TIME_HELP)


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
    frame.section(words.METRICS, words.METRICS_TERM)
    rows = [] if told is None else _rows(told)
    if not rows:
        st.caption(words.NO_METRICS)
        return
    with st.container(horizontal=True, gap="large"):
        for label, value, help_text in rows:
            st.metric(label, value, help=help_text, width="content")


def _rows(told: ServerMetrics) -> list[tuple[str, str, str | None]]:
    """Label, value and help of what it says; nothing of what it does not."""
    rows: list[tuple[str, str, str | None]] = []
    if told.running is not None or told.waiting is not None:
        counts = " · ".join("–" if n is None else f"{n:,}" for n in (told.running, told.waiting))
        rows.append((words.RUNNING, counts, words.RUNNING_HELP))
    if told.cache_use is not None:
        rows.append((words.CACHE_USE, numbers.percent(told.cache_use), words.CACHE_USE_HELP))
    if told.cache_tokens:
        size = numbers.size(told.cache_bytes) if told.cache_bytes else None
        rows.append((words.CACHE_ROOM, words.CACHE_ROOM_TOKENS.format(count=numbers.count(told.cache_tokens)), size))
    if told.hit_rate is not None:
        hits, queried = f"{told.hit_tokens:,}", f"{told.queried_tokens:,}"
        rows.append((words.HIT_RATE, numbers.percent(told.hit_rate), words.HIT_RATE_HELP.format(hits=hits, queried=queried)))
    if told.drafted_tokens:
        accepted = told.accepted_tokens or 0
        share = numbers.percent(min(1.0, accepted / told.drafted_tokens))
        rows.append((words.ACCEPTED, share, words.ACCEPTED_HELP.format(accepted=f"{accepted:,}", drafted=f"{told.drafted_tokens:,}")))
    return rows
