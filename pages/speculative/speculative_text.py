"""Speculative decoding as text: accepted, rejected and corrected tokens, and the draft tokens of one round with their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from core.experiments.speculative import SpeculativeRound
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, said

VERDICTS = {
    "accepted": N_("guessed and accepted"),
    "rejected": N_("guessed and rejected"),
    "recovered": N_("corrected by the large model (recovered)"),
    "bonus": N_("added by the large model (bonus)"),
    "dropped": N_("after a rejected one, not checked (dropped)"),
}

SHOWN_PROMPT = 400  # characters


def speculative_text(prompt: str, rounds: Sequence[SpeculativeRound], *, key: str, opened: int | None = None) -> None:
    """Draw the text round by round; the opened round is underlined."""
    verdicts = said(VERDICTS)
    parts = []
    for number, draft_round in enumerate(rounds):
        tokens = (
            f'<span class="{verdict}" title="{escape(verdicts[verdict])}">{escape(text)}</span>'
            for text, verdict in tokens_of_round(draft_round)
        )
        parts.append(f'<span class="round{" opened" if number == opened else ""}">{"".join(tokens)}</span>')
    with st.container(key=key):
        start = f'<span class="prompt">{escape(prompt[-SHOWN_PROMPT:])}</span>'
        st.html(f'<p class="tv-drafts">{start}{"".join(parts)}</p>')


def tokens_of_round(draft_round: SpeculativeRound) -> list[tuple[str, str]]:
    """Return (text, verdict) of what a round shows: a rejected token before its correction, without the draft tokens after it."""
    verdicts = [(guess.text, guess.verdict) for guess in draft_round.drafted if guess.verdict != "dropped"]
    return [*verdicts, (draft_round.text, draft_round.kind)] if draft_round.token_id >= 0 else verdicts


def draft_tokens(draft_round: SpeculativeRound, *, key: str) -> None:
    """Draw a round's draft tokens: both models' probabilities as bars from 0 to 100 %, and the roll as a mark."""
    with st.container(key=key):
        st.html(f'<div class="tv-drafts">{"".join(_row(guess) for guess in draft_round.drafted)}</div>')


def _row(guess: Any) -> str:
    """Return one draft token as HTML."""
    probabilities, bars = f"q {numbers.percent(guess.q)}", f'<i class="q" style="width:{100 * guess.q:.2f}%"></i>'
    if guess.roll is not None:
        probabilities = _("q {q} · p {p} · roll {roll}").format(
            q=numbers.percent(guess.q), p=numbers.percent(guess.p), roll=numbers.decimal(guess.roll, 2)
        )
        bars += f'<i class="p" style="width:{100 * guess.p:.2f}%"></i><i class="roll" style="left:{100 * guess.roll * guess.q:.2f}%"></i>'
    return (
        f'<div class="row"><span class="word {guess.verdict}">{escape(guess.text)}</span><span class="bars">{bars}</span>'
        f'<span class="note">{escape(f"{_(VERDICTS[guess.verdict])} · {probabilities}")}</span></div>'
    )


def verdicts() -> list[tuple[str, str]]:
    """Return the legend of the verdicts: (colour, meaning) pairs."""
    shades = ("computed", "removed", "other", "dice")
    return list(zip(shades, list(said(VERDICTS).values())[:4], strict=True))
