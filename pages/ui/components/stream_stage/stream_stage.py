"""One text delivered in two ways, streamed and whole. The browser plays both with the measured times."""

from __future__ import annotations

from collections.abc import Sequence

from core.record.step import Step
from pages.ui.components.register import component
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, said

WORDS = {
    "streamed": N_("Streamed"),
    "streamed_term": N_("shown token by token"),
    "whole": N_("Whole"),
    "whole_term": N_("shown after the check"),
    "play": N_("Play"),
    "waiting": N_("writing and checking …"),
    "withheld": N_("This answer was withheld."),
    "cut": N_("cut off here"),
    "first": N_("first token"),
    "total": N_("whole text"),
}


_STAGE = component("stream_stage")


def stream_stage(path: Sequence[Step], found_at: int | None, first_token: float, total: float, slower: float, *, key: str) -> None:
    """Draw both sides. found_at: index of the token that completes a forbidden word, None without one. first_token, total: seconds.

    slower: how many times slower than measured it is played.
    """
    seconds, tokens = 0.0, []
    for step in path:
        seconds += step.forward.seconds
        tokens.append((step.text, round(seconds, 6)))
    _STAGE(
        key=key,
        data={
            "tokens": tokens,
            "found": -1 if found_at is None else found_at,
            "first": numbers.duration(first_token),
            "total": numbers.duration(total),
            "slower": slower,
            "words": said(WORDS),
        },
    )
