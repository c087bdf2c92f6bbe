"""A scored text as the page shows it: words with their tint, the curve, the places worth a look; and the scoring, kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from core import ScoredText, score_text
from core.inspection.scoring import ScoredToken
from core.language import _
from pages.ui.charts import inside_charts
from pages.ui.charts.palette import DARKEST
from pages.ui.charts.token_text import Word, shown
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

KEPT = 12  # readings
ON_ONE_PAGE = 800  # tokens
CURVE = 300  # bars; a longer text is drawn in means of several tokens
MOST_BITS = 12.0  # surprise at which a mark is full

_kept: OrderedDict[tuple[int, str], ScoredText] = OrderedDict()
_guard = threading.Lock()


def read(model: LanguageModel, text: str, progress: Callable[[int, int], None] | None = None) -> ScoredText:
    """The text scored by the model, from memory if it was read a moment ago. Raises ViewerError."""
    key = (id(model), text)
    with _guard:
        known = _kept.get(key)
    if known is None or known.model is not model:
        known = score_text(model, text, progress=progress)
    with _guard:
        _kept[key] = known
        _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return known


def _depth(token: ScoredToken, tint: str) -> tuple[str, float]:
    """Colour and depth of a word."""
    if token.probability is None or token.rank is None or token.entropy is None:
        return INK, 0.0
    if tint == "probability":
        return INK, PALEST + (DARKEST - PALEST) * (1 - token.probability)
    if tint == "entropy":
        return INK, PALEST + (DARKEST - PALEST) * min(1.0, token.entropy / MOST_BITS)
    return INK, RANKS[0 if token.rank == 1 else 1 if token.rank <= 10 else 2 if token.rank <= 100 else 3]


INK = "doubt"  # one colour for every tint: whichever is chosen, the darker a piece, the less the model expected it or anything
PALEST = 0.03
RANKS = (PALEST, 0.16, 0.32, DARKEST)


def words(scored: ScoredText, tint: str, part: int = 0) -> list[Word]:
    """One page of the text as tinted words."""
    start = part * ON_ONE_PAGE
    return [
        _word(token, shown(token.text, token.piece, written.raw), tint)
        for token, written in zip(scored.tokens[start : start + ON_ONE_PAGE], scored.written[start : start + ON_ONE_PAGE], strict=True)
    ]


def _word(token: ScoredToken, text: str, tint: str) -> Word:
    colour, depth = _depth(token, tint)
    if token.probability is None or token.rank is None or token.surprise is None or token.entropy is None:
        return Word(text, head=f"id {token.token_id}", lines=(_("nothing stood before it"),))
    bars = [
        (guess.piece, guess.model_probability, numbers.percent(guess.model_probability), guess.token_id == token.token_id)
        for guess in token.candidates
    ]
    if token.token_id not in {guess.token_id for guess in token.candidates}:
        bars.append((token.piece, token.probability, numbers.percent(token.probability), True))
    lines = (
        _("{share} · rank {rank}").format(share=numbers.percent(token.probability), rank=numbers.whole(token.rank)),
        _("surprise {surprise}, doubt before it {doubt}").format(surprise=numbers.bits(token.surprise), doubt=numbers.bits(token.entropy)),
    )
    return Word(text, colour, depth, head=f"id {token.token_id}", lines=lines, bars=tuple(bars))


def parts(scored: ScoredText) -> int:
    """How many pages the words of this text take."""
    return max(1, -(-len(scored.written) // ON_ONE_PAGE))


def curve_rows(scored: ScoredText) -> pd.DataFrame:
    """Surprise along the text, in means of several tokens where there are more than CURVE. Columns: see `inside_charts.curve`.

    cut: an arrow where the bar would be higher than the chart, else empty.
    """
    table = scored.table().dropna(subset=["surprise"])
    wide = max(1, -(-len(table) // CURVE))
    groups = [table.iloc[start : start + wide] for start in range(0, len(table), wide)]
    return pd.DataFrame(
        [
            {
                "position": int(group.position.iloc[0]),
                "surprise": float(group.surprise.mean()),
                "depth": min(1.0, float(group.surprise.mean()) / MOST_BITS),
                "cut": "↑" if group.surprise.mean() > inside_charts.MOST_BITS else "",
                "piece": "".join(group.piece),
                "surprise_text": (_("{bits} on average") if wide > 1 else "{bits}").format(bits=numbers.bits(float(group.surprise.mean()))),
                "share_text": numbers.percent(float(group.probability.iloc[0])) if wide == 1 else "–",
            }
            for group in groups
        ],
        columns=["position", "surprise", "depth", "cut", "piece", "surprise_text", "share_text"],
    )


def place_lines(tokens: tuple[ScoredToken, ...]) -> list[str]:
    """For a list of places: the piece, how likely it was, how surprising, and what was expected instead; as Markdown."""
    lines = []
    for token in tokens:
        told = f"{numbers.percent(token.probability)} · {numbers.bits(token.surprise or 0.0)}"
        if token.candidates and token.rank != 1:
            told += f" · {_('expected {piece}').format(piece=plain(token.candidates[0].piece))}"
        lines.append(f"**{plain(token.piece)}** :gray[{told}]")
    return lines
