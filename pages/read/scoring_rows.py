"""Rows of a scored text: tinted tokens, the curve of surprise, lists of single tokens. The newest scores are cached."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

import pandas as pd

from core import ScoredText, score_text
from core.engine.model import LanguageModel
from core.inspection.scoring import ScoredToken
from core.tokens.token_text import known_id
from pages.read import surprise_chart
from pages.ui.charts.css_colours import DARKEST
from pages.ui.charts.step_tables import Word, shown
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _

MOST_CACHED = 12  # cached scores
ON_ONE_PAGE = 800  # tokens
CURVE = 300  # bars; in a longer text a bar is the mean of several tokens
MOST_BITS = 12.0  # surprise at which a tint is full

_cached: OrderedDict[tuple[int, str], ScoredText] = OrderedDict()
_guard = threading.Lock()


def scored(model: LanguageModel, text: str, progress: Callable[[int, int], None] | None = None) -> ScoredText:
    """Return the text scored by the model, cached if possible. Raises ViewerError."""
    key = (id(model), text)
    with _guard:
        score = _cached.get(key)
    if score is None or score.model is not model:
        score = score_text(model, text, progress=progress)
    with _guard:
        _cached[key] = score
        _cached.move_to_end(key)
        while len(_cached) > MOST_CACHED:
            _cached.popitem(last=False)
    return score


def _depth(token: ScoredToken, tint: str) -> tuple[str, float]:
    """Return colour and depth of a token."""
    if token.probability is None or token.rank is None or token.entropy is None:
        return INK, 0.0
    if tint == "probability":
        return INK, PALEST + (DARKEST - PALEST) * (1 - token.probability)
    if tint == "entropy":
        return INK, PALEST + (DARKEST - PALEST) * min(1.0, token.entropy / MOST_BITS)
    return INK, RANKS[0 if token.rank == 1 else 1 if token.rank <= 10 else 2 if token.rank <= 100 else 3]


INK = "doubt"  # one colour for all tints: darker is less expected
PALEST = 0.03
RANKS = (PALEST, 0.16, 0.32, DARKEST)


def scored_words(scored: ScoredText, tint: str, part: int = 0) -> list[Word]:
    """Return one page of the text as tinted tokens."""
    start = part * ON_ONE_PAGE
    return [
        _word(token, shown(token.text, token.piece, written.raw), tint)
        for token, written in zip(scored.tokens[start : start + ON_ONE_PAGE], scored.written[start : start + ON_ONE_PAGE], strict=True)
    ]


def _word(token: ScoredToken, text: str, tint: str) -> Word:
    colour, depth = _depth(token, tint)
    if token.probability is None or token.rank is None or token.surprise is None or token.entropy is None:
        return Word(text, head=_head(token.token_id), lines=(_("not measured") if token.position else _("no token before it"),))
    bars = [
        (guess.piece, guess.model_probability, numbers.percent(guess.model_probability), guess.token_id == token.token_id)
        for guess in token.candidates
    ]
    if token.token_id not in {guess.token_id for guess in token.candidates}:
        bars.append((token.piece, token.probability, numbers.percent(token.probability), True))
    lines = (
        _("{share} · rank {rank}").format(share=numbers.percent(token.probability), rank=numbers.whole(token.rank)),
        _("surprise {surprise}, entropy before it {entropy}").format(
            surprise=numbers.bits(token.surprise), entropy=numbers.bits(token.entropy)
        ),
    )
    return Word(text, colour, depth, head=_head(token.token_id), lines=lines, bars=tuple(bars))


def _head(key: int) -> str:
    """Return the id of a token for its card; nothing if only its bytes are known."""
    return "" if known_id(key) is None else f"id {key}"


def page_count(scored: ScoredText) -> int:
    """Return the number of pages of a text."""
    return max(1, -(-len(scored.written) // ON_ONE_PAGE))


def curve_rows(scored: ScoredText) -> pd.DataFrame:
    """Return the surprise along a text, at most CURVE bars. Columns: see `surprise_chart.curve`."""
    table = scored.table().dropna(subset=["surprise"])
    wide = max(1, -(-len(table) // CURVE))
    groups = [table.iloc[start : start + wide] for start in range(0, len(table), wide)]
    return pd.DataFrame(
        [
            {
                "position": int(group.position.iloc[0]),
                "surprise": float(group.surprise.mean()),
                "depth": min(1.0, float(group.surprise.mean()) / MOST_BITS),
                "cut": "↑" if group.surprise.mean() > surprise_chart.MOST_BITS else "",
                "piece": "".join(group.piece),
                "surprise_text": (_("{bits} on average") if wide > 1 else "{bits}").format(bits=numbers.bits(float(group.surprise.mean()))),
                "share_text": numbers.percent(float(group.probability.iloc[0])) if wide == 1 else "–",
            }
            for group in groups
        ],
        columns=["position", "surprise", "depth", "cut", "piece", "surprise_text", "share_text"],
    )


def place_lines(tokens: tuple[ScoredToken, ...]) -> list[str]:
    """Return lines of Markdown about tokens: probability, surprise and the token that was expected."""
    lines = []
    for token in tokens:
        line = f"{numbers.percent(token.probability)} · {numbers.bits(token.surprise or 0.0)}"
        if token.candidates and token.rank != 1:
            line += f" · {_('expected {piece}').format(piece=plain(token.candidates[0].piece))}"
        lines.append(f"**{plain(token.piece)}** :gray[{line}]")
    return lines
