"""One run delivered twice: as a stream, and as a whole answer after a check."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.experiments.delivery import deliver, words_of
from core.record.step import Step
from pages.ui.components.stream_stage.stream_stage import stream_stage
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _

PLAYED = 8.0  # seconds that the playback takes at least


def draw(path: Sequence[Step], typed: str) -> None:
    """Play both deliveries of this run. typed: the words that must not appear."""
    both = deliver(path, words_of(typed))
    slower = max(1.0, PLAYED / both.total if both.total else 1.0)
    stream_stage(path, both, slower, key="compare_stage")
    times = _("First token after {first}, everything after {total}: measured.").format(
        first=numbers.duration(both.first_token), total=numbers.duration(both.total)
    )
    if both.found is None:
        outcome = _("The filter found nothing: both ways show the same text, the whole answer {later} later.").format(
            later=numbers.duration(both.total - both.first_token)
        )
    else:
        outcome = _(
            "The filter found “{word}” at token {place}. By then the stream had shown {count} words; the whole answer shows none."
        ).format(word=both.found, place=(both.found_at or 0) + 1, count=len(both.already_seen.split()))
    st.markdown(f"{outcome} {times}")
    if slower > 1.5:
        st.caption(_("Played {factor} times slower than it was").format(factor=numbers.decimal(slower, 0)))
