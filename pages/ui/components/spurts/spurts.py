"""A text that grows in spurts: what was guessed and kept, what was struck, what the large model put in its place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from core.experiments.speculative import SpeculativeRound
from core.language import _, said
from pages.ui.charts import charts, palette
from pages.ui.i18n import names, numbers

HERE = Path(__file__).parent
SHOWN = 400  # characters of a prompt

_SPURTS = st.components.v2.component(
    "spurts",
    html='<div class="spurts"><p class="told"></p></div>',
    css=(HERE / "spurts.css").read_text("utf-8"),
    js=(HERE / "spurts.js").read_text("utf-8"),
)
_GUESSES = st.components.v2.component(
    "guesses",
    html='<div class="guesses"></div>',
    css=(HERE / "spurts.css").read_text("utf-8"),
    js=(HERE / "guesses.js").read_text("utf-8"),
)


def spurts(prompt: str, rounds: Sequence[SpeculativeRound], *, key: str, opened: int | None = None) -> None:
    """Draw the text, round by round; the opened round is underlined."""
    _SPURTS(
        key=key,
        data={
            "colours": palette.as_data(palette.of(charts.theme())),
            "prompt": prompt[-SHOWN:],
            "rounds": [words_of(one) for one in rounds],
            "opened": opened,
            "names": said(names.VERDICTS),
        },
    )


def words_of(one: SpeculativeRound) -> list[tuple[str, str]]:
    """What a round shows in the text: (text, verdict), the struck guess before what took its place, the dropped ones left out."""
    shown = [(guess.text, guess.verdict) for guess in one.drafted if guess.verdict != "dropped"]
    return [*shown, (one.text, one.kind)] if one.token_id >= 0 else shown


def guesses(one: SpeculativeRound, *, key: str) -> None:
    """Draw one round's guesses: both odds as bars on a scale of 0 to 100 %, and the roll on them."""
    _GUESSES(key=key, data={"colours": palette.as_data(palette.of(charts.theme())), "rows": [_row(guess) for guess in one.drafted]})


def _row(guess: Any) -> dict[str, Any]:
    seen = guess.roll is not None
    both = (
        _("q {q} · p {p} · roll {roll}").format(q=numbers.percent(guess.q), p=numbers.percent(guess.p), roll=numbers.decimal(guess.roll, 2))
        if seen
        else ""
    )
    return {
        "text": guess.text,
        "verdict": guess.verdict,
        "told": _(names.VERDICTS[guess.verdict]),
        "q": guess.q,
        "p": guess.p if seen else 0.0,
        "mark": guess.roll * guess.q if seen else None,
        "numbers": both or f"q {numbers.percent(guess.q)}",
    }
