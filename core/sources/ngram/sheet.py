"""The table of an n-gram model as a sheet of paper: what follows each context, with ranges of dice as the counts say.

A class can write with it as the app does: look up the last tokens, throw, write the token of that range, and look up again.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from core.errors import BadSetting
from core.message import ENGLISH, Message, Wording
from core.sources.ngram.ngram import NGram

MOST_ROWS = 60
FOLLOWERS = 5  # in a row, the likeliest ones
WALK = 60  # tokens
END = "■"
Context = tuple[str, ...]
TWO_DICE = Message("two dice")
DICE: dict[str, tuple[str, ...]] = {
    TWO_DICE: tuple(f"{first}{second}" for first in range(1, 7) for second in range(1, 7)),
    Message("a ten-sided die"): tuple(str(face) for face in range(10)),
}


@dataclass(frozen=True, slots=True)
class SheetRow:
    """What follows one context. context: its tokens as text, "" for the beginning. followers: range of the dice, token, count of each."""

    context: str
    followers: tuple[tuple[str, str, int], ...]


def sheet(model: NGram, dice: str = TWO_DICE, rows: int = MOST_ROWS) -> list[SheetRow]:
    """Return the rows in alphabetical order, the beginning first: the contexts where texts are most often. Throws lead to them.

    Raises BadSetting for other dice or an impossible number of rows.
    """
    if dice not in DICE or isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= MOST_ROWS:
        raise BadSetting("A sheet has 1 to {most} rows, for two dice or a ten-sided die.", most=MOST_ROWS)
    counts, start = _written_counts(model), (END,) if model.n > 1 else ()
    chosen = _visited(counts, start, rows, model.n)
    result = []
    for context in sorted(chosen, key=lambda context: (context != start, " ".join(context).casefold())):
        followers = [
            (text, count) for text, count in counts[context].most_common() if text == END or _after(context, text, model.n) in chosen
        ]
        drawn = followers[: FOLLOWERS if model.n > 1 else len(DICE[dice]) // 2]
        if drawn:
            result.append(SheetRow("" if context == start else " ".join(context), _ranges(drawn, DICE[dice])))
    return result


def _written_counts(model: NGram) -> dict[Context, Counter[str]]:
    """Return the counts by the texts as a person writes them: without spaces, so that "the" is one token wherever it stands."""
    texts = [
        END if token.special else _on_paper(token.raw.decode("utf-8", "replace"))
        for token in map(model.token, range(model.vocabulary_size))
    ]
    counts: dict[Context, Counter[str]] = {}
    for length in range(model.n):
        for context, ids, times in model.counts.contexts(length):
            if length == model.n - 1 or context[:1] == (0,):
                written = counts.setdefault(tuple(texts[key] for key in context), Counter())
                for key, count in zip(ids.tolist(), times.tolist(), strict=True):
                    written[texts[key]] += count
    return counts


def _on_paper(text: str) -> str:
    """Return a token without its space; a quotation mark shows on which side the words stand."""
    return {' "': "“", '"': "”"}.get(text, text.strip() or "␣")


def _visited(counts: dict[Context, Counter[str]], start: Context, rows: int, n: int) -> set[Context]:
    """Return the beginning and the contexts with the most expected visits in the first WALK tokens of a text."""
    here: dict[Context, float] = {start: 1.0}
    visits = dict(here)
    for _token in range(WALK):
        further: dict[Context, float] = {}
        for context, share in heapq.nlargest(4 * rows, here.items(), key=lambda item: item[1]):
            followers = counts[context]
            for text, count in followers.most_common(FOLLOWERS):
                after = start if text == END else _after(context, text, n)
                if after in counts:
                    further[after] = further.get(after, 0.0) + share * count / followers.total()
        for context, share in further.items():
            visits[context] = visits.get(context, 0.0) + share
        here = further
    return {start, *heapq.nlargest(rows - 1, (context for context in visits if context != start), key=visits.__getitem__)}


def _after(context: Context, text: str, n: int) -> Context:
    return (*context, text)[-(n - 1) :] if n > 1 else ()


def _ranges(followers: Sequence[tuple[str, int]], faces: Sequence[str]) -> tuple[tuple[str, str, int], ...]:
    """Divide the faces by the counts, by largest remainders; a token that gets no face is left out."""
    total = sum(count for _text, count in followers)
    exact = [count * len(faces) / total for _text, count in followers]
    given = [int(share) for share in exact]
    for index in sorted(range(len(exact)), key=lambda index: given[index] - exact[index])[: len(faces) - sum(given)]:
        given[index] += 1
    result, first = [], 0
    for (text, count), width in zip(followers, given, strict=True):
        if width:
            result.append((faces[first] if width == 1 else f"{faces[first]}–{faces[first + width - 1]}", text, count))
        first += width
    return tuple(result)


def sheet_html(model: NGram, dice: str = TWO_DICE, wording: Wording = ENGLISH) -> str:
    """Return the sheet as a page of HTML for A4 paper. Raises BadSetting."""
    title = wording.say(Message("Write like a language model: {name}", name=model.name))
    how = wording.say(
        Message("Begin at ▶. Throw {dice}, write the token beside your number, and look up the row of your last tokens. ■ ends the text.")
        .with_values(dice=wording.say(dice))
    )  # fmt: skip
    parts = []
    for row in sheet(model, dice):
        cells = "".join(f"<li><b>{escape(faces)}</b> {escape(token)}</li>" for faces, token, _count in row.followers)
        parts.append(f"<section><h2>{escape(row.context) or '▶'}</h2><ol>{cells}</ol></section>")
    style = (
        "@page{size:A4;margin:10mm}body{font:8pt/1.2 sans-serif;margin:0;color:#000;background:#fff}h1{font-size:13pt;margin:0 0 1mm}"
        "p{margin:0 0 3mm}main{columns:5;column-gap:4mm}section{break-inside:avoid;border-top:.3mm solid #999;padding:.4mm 0}"
        "h2{font-size:8.5pt;margin:0}ol{list-style:none;margin:0;padding:0}b{display:inline-block;min-width:10mm;font-weight:400;color:#444}"
    )
    head = f'<!doctype html><html lang="{wording.language}"><meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
    return f"{head}<h1>{escape(title)}</h1><p>{escape(how)}</p><main>{''.join(parts)}</main></html>"
