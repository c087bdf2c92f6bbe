"""What “Inside one step” draws, as tables: core's records with the words and numbers that stand beside the marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from core import language
from core.inspection.embeddings import FlatMap, Neighbour
from core.inspection.inside import Guess, Inside
from core.language import N_, _, written
from core.models.growth import Moment
from core.record.step import Stage, Step, TokenDistribution
from core.record.tables import REST, stages_table
from core.tokens.tokens import Token
from pages.ui.charts.token_text import Word
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain as plain

GUESSES = 5
COLUMNS = 64  # numbers of a vector in one row of its picture
HEAT = 32  # tokens that the heat map shows: the first one, where much of every look goes, and the newest
SHADES = (0.0, 0.01, 0.1, 0.5, 1.0)  # shares of a look in its legend
STAGE_ROWS = 7
DEEPEST = 0.36  # how strong the tint of a word gets; its letters stay readable
MAP_SIZE = (520, 420)  # pixels, roughly; only to see which labels would collide
LETTER, LINE = 7.2, 15  # pixels of a label

HELD_OUT = N_("held out")  # the kind of a loss on text that it never learned from


def label(piece: str) -> str:
    """A piece without the space before it, which says little in a chart."""
    return piece[1:] if piece.startswith("␣") and len(piece) > 1 else piece


def labels(pieces: Sequence[str]) -> list[str]:
    """The pieces of one row without their spaces, but for those that would then be called the same: a 7 and a ␣7 are two tokens."""
    short = [label(piece) for piece in pieces]
    return [piece if short.count(name) > 1 else name for piece, name in zip(pieces, short, strict=True)]


def station(number: int, last: int) -> str:
    """How a row of layers is called."""
    return _("before") if number == 0 else _("answer") if number == last else str(number)


def lens_rows(seen: Inside, followed: int | None) -> pd.DataFrame:
    """Layers x guesses. Columns: layer, name, place, label, share, share_text, shown, piece, logit_text, doubt, kind ("followed", "")."""
    stations = (seen.before, *seen.layers) if seen.before else ()
    rows = [
        {
            "layer": layer.number,
            "name": station(layer.number, len(seen.layers)),
            "place": place,
            "label": name,
            "share": guess.model_probability,
            "share_text": numbers.percent(guess.model_probability),
            "shown": _worth_a_number(guess.model_probability),
            "piece": guess.piece,
            "logit_text": numbers.decimal(guess.logit, 2),
            "doubt": numbers.bits(layer.entropy),
            "kind": "followed" if guess.token_id == followed else "",
        }
        for layer in stations
        for (place, guess), name in zip(
            enumerate(layer.candidates[:GUESSES]), labels([guess.piece for guess in layer.candidates[:GUESSES]]), strict=True
        )
    ]
    return pd.DataFrame(rows)


def _worth_a_number(share: float) -> str:
    """What stands in the field; of the hardly likely only the word, which then has room."""
    return numbers.percent(share) if share >= 0.01 else ""


def growth_rows(moments: Sequence[Moment], prompt: int, piece: Callable[[int], str]) -> pd.DataFrame:
    """Moments of a training x guesses, like `lens_rows` but with rank and read; "followed" is what the grown model expects first."""
    favourite = moments[-1].prompts[prompt].top[0][0]
    rows = [
        {
            "layer": number,
            "name": read_so_far(moment.tokens),
            "place": place,
            "label": name,
            "share": share,
            "share_text": numbers.percent(share),
            "shown": _worth_a_number(share),
            "piece": piece(token_id),
            "rank": f"{place + 1}",
            "read": _("{count} pieces").format(count=numbers.count(moment.tokens)),
            "kind": "followed" if token_id == favourite else "",
        }
        for number, moment in enumerate(moments)
        for (place, (token_id, share)), name in zip(
            enumerate(moment.prompts[prompt].top[:GUESSES]),
            labels([piece(token_id) for token_id, _score in moment.prompts[prompt].top[:GUESSES]]),
            strict=True,
        )
    ]
    return pd.DataFrame(rows)


def loss_rows(moments: Sequence[Moment]) -> pd.DataFrame:
    """The losses on record, in nats. Columns: slot, name, kind ("lessons", "held out"), on (the same in words), loss, loss_text, read."""
    rows = [
        {
            "slot": slot,
            "name": read_so_far(moment.tokens),
            "kind": kind,
            "on": _(kind),
            "loss": loss,
            "loss_text": _("{count} nats").format(count=numbers.decimal(loss, 2)),
            "read": _("{count} pieces").format(count=numbers.count(moment.tokens)),
        }
        for slot, moment in enumerate(moments)
        for kind, loss in ((N_("lessons"), moment.loss), (HELD_OUT, moment.held_out_loss))
        if loss is not None
    ]
    return pd.DataFrame(rows, columns=["slot", "name", "kind", "on", "loss", "loss_text", "read"])


def read_so_far(tokens: int) -> str:
    """Tokens read, as short as the name of a row: 0, 41 K, 0.82 M, 47 M."""
    if tokens < 1e5:
        return f"{tokens / 1e3:.0f} K" if tokens else "0"
    return f"{written(tokens / 1e6, '.2g' if tokens < 9.95e6 else ',.0f')} M"


def way_rows(way: Sequence[Guess], taken: bool) -> pd.DataFrame:
    """One token through the layers. Columns: layer, name, share, text, piece, kind ("taken" or "")."""
    return pd.DataFrame(
        [
            {
                "layer": number,
                "name": station(number, len(way) - 1),
                "share": guess.model_probability,
                "text": _("{share} · rank {rank}").format(share=numbers.percent(guess.model_probability), rank=numbers.whole(guess.rank)),
                "piece": guess.piece,
                "kind": "taken" if taken else "",
            }
            for number, guess in enumerate(way)
        ]
    )


def gaze(seen: Inside, layer: int | None, head: int | None) -> np.ndarray | None:
    """The share of the look that each token got, [positions]: of one layer (0 ...) or the mean of all, of one head or the mean of all."""
    rows = [row for row in seen.attention if row is not None] if layer is None else [seen.attention[layer]]
    found = [row for row in rows if row is not None]
    if not found:
        return None
    if layer is not None and head is not None and 0 <= head < len(found[0]):
        return found[0][head]
    return np.mean([row.mean(0) for row in found], axis=0)


def gaze_words(texts: Sequence[str], tokens: Sequence[Token], shares: np.ndarray) -> list[Word]:
    """The text, each token tinted by its share of the look."""
    most = max(float(shares.max()), 1e-9)
    last = len(tokens) - 1
    return [
        Word(
            text=text,
            colour="text",
            depth=DEEPEST * share / most,
            head=f"id {token.token_id}",
            lines=(_("{share} of the look").format(share=numbers.percent(share)), *((_("it looks from here"),) if place == last else ())),
        )
        for place, (text, token, share) in enumerate(zip(texts, tokens, shares.tolist(), strict=True))
    ]


def heat_rows(seen: Inside) -> pd.DataFrame:
    """Layers x tokens. Columns: layer, name, slot, foot (the token, under the last row), depth (see `heat_depth`), share_text.

    At least one layer must have attention. The same share has the same depth in every layer and at every step.
    """
    tokens = seen.tokens
    places = list(range(len(tokens))) if len(tokens) <= HEAT else [0, *range(len(tokens) - HEAT + 1, len(tokens))]
    last = max(number for number, weights in enumerate(seen.attention, 1) if weights is not None)
    rows = []
    for number, weights in enumerate(seen.attention, 1):
        if weights is None:
            continue
        shares = weights.mean(0).tolist()
        for slot, place in enumerate(places):
            piece, share = tokens[place].piece, shares[place]
            gap = " …" if slot == 0 and len(places) < len(tokens) else ""
            rows.append(
                {
                    "layer": number,
                    "name": f"{number}",
                    "slot": slot,
                    "foot": label(piece) + gap if number == last else "",
                    "piece": piece,
                    "depth": heat_depth(share),
                    "share_text": numbers.percent(share),
                }
            )
    return pd.DataFrame(rows)


def heat_depth(share: float) -> float:
    """How dark a field of the heat map is, 0 to 1: the root of its share, so that a hundredth can still be told from nothing."""
    return math.sqrt(max(0.0, min(1.0, share)))


def vector_rows(vector: np.ndarray) -> pd.DataFrame:
    """A vector as fields. Columns: row, column, value, depth (0 = lowest, 1 = highest), place_text, value_text."""
    reach = max(float(np.abs(vector).max()), 1e-9)
    places = np.arange(len(vector))
    return pd.DataFrame(
        {
            "row": places // COLUMNS,
            "column": places % COLUMNS,
            "depth": (vector / reach + 1) / 2,
            "place_text": [_("{count} of {total}").format(count=place + 1, total=len(vector)) for place in places],
            "value_text": [language.written(value, "+.3f") for value in vector.tolist()],
        }
    )


def neighbour_rows(near: Iterable[Neighbour]) -> pd.DataFrame:
    """Columns: row, label, piece, cosine, text."""
    return pd.DataFrame(
        [
            {"row": row, "label": label(n.piece), "piece": n.piece, "cosine": max(0.0, n.cosine), "text": numbers.decimal(n.cosine, 2)}
            for row, n in enumerate(near)
        ],
        columns=["row", "label", "piece", "cosine", "text"],
    )


def map_rows(flat: FlatMap, pieces: Sequence[str], own: set[int], picked: int) -> pd.DataFrame:
    """Columns: x, y (each from -1 to 1), label ("" where it would cover another), piece, kind ("picked", "text", "familiar")."""
    low, high = (flat.places.min(0), flat.places.max(0)) if len(flat.places) else (np.zeros(2), np.zeros(2))
    spread = np.where(high > low, high - low, 1.0)
    places = (flat.places - low) / spread * 2 - (high > low)
    kinds = ["picked" if i == picked else "text" if i in own else "familiar" for i in flat.token_ids]
    labels = [""] * len(pieces)
    taken: list[tuple[float, float, float]] = []
    for place in sorted(range(len(pieces)), key=lambda place: ("picked", "text", "familiar").index(kinds[place])):
        text = label(pieces[place])
        left, middle = (places[place] + 1) / 2 * MAP_SIZE
        right = left + 10 + LETTER * len(text)
        if all(right < other_left or left > other_right or abs(middle - height) > LINE for other_left, other_right, height in taken):
            taken.append((left, right, middle))
            labels[place] = text
    return pd.DataFrame(
        {"x": places[:, 0], "y": places[:, 1], "label": labels, "piece": list(pieces), "kind": kinds},
    )


def stage_rows(distribution: TokenDistribution | Step) -> list[tuple[Stage, str, pd.DataFrame]]:
    """For every stage: the stage, what it did in one line, and the table of its chart.

    Columns: row, label, before, after, kind ("open", "taken", "removed", "rest"), number, piece, arithmetic.
    """
    table = stages_table(distribution)
    taken = distribution.token_id if isinstance(distribution, Step) else -2
    listed = [int(i) for i in distribution.token_ids[:STAGE_ROWS]]
    if taken >= 0 and taken not in listed:
        listed[-1] = taken
    stages, result = distribution.stages, []
    earlier: Stage | None = None
    for stage in stages:
        shares = stage.candidates
        before = earlier.candidates if earlier else shares
        grown = _growth(before, shares)
        own = table[table.stage == stage.name].set_index("token_id")
        rows = []
        for row, token_id in enumerate(listed):
            was, now = before[token_id], shares[token_id]
            gone = was > 0 and now == 0
            rows.append(
                {
                    "row": row,
                    "label": label(str(own.piece[token_id])),
                    "before": was,
                    "after": now,
                    "kind": "taken" if token_id == taken else "removed" if now == 0 else "open",
                    "number": _("cut") if gone else numbers.percent(now) if now > 0 else "–",
                    "piece": str(own.piece[token_id]),
                    "arithmetic": _arithmetic(stage, was, now, grown, _logit(distribution, token_id)),
                }
            )
        left = {
            "after": max(0.0, 1 - sum(shares[i] for i in listed)),
            "before": max(0.0, 1 - sum(before[i] for i in listed)),
        }
        left = {name: share if share > 1e-6 else 0.0 for name, share in left.items()}
        rows.append(
            {
                "row": len(listed),
                "label": REST,
                "kind": "rest",
                "number": numbers.percent(left["after"]),
                "piece": REST,
                "arithmetic": "",
                **left,
            }
        )
        result.append((stage, _told(stage, earlier, distribution), pd.DataFrame(rows)))
        earlier = stage
    return result


def _logit(distribution: TokenDistribution, token_id: int) -> float:
    return float(distribution.logits[int(np.flatnonzero(distribution.token_ids == token_id)[0])])


def _growth(before: dict[int, float], after: dict[int, float]) -> float:
    """By how much a cut-off let the survivors grow: the same factor for all of them."""
    best = max(after, key=lambda i: after[i])
    return after[best] / before[best] if before[best] > 0 else 1.0


def _arithmetic(stage: Stage, was: float, now: float, grown: float, logit: float) -> str:
    """How this stage came from the share before to the share after, in one line."""
    if stage.name == "model":
        if not math.isfinite(logit):
            return numbers.percent(now)
        return _("e^{logit} ÷ the sum of e^logit over all tokens = {share}").format(
            logit=numbers.decimal(logit, 2), share=numbers.percent(now)
        )
    if now == 0:
        return _("{share} → removed").format(share=numbers.percent(was)) if was > 0 else _("removed before")
    was_text, now_text = numbers.percent(was), numbers.percent(now)
    if stage.name == "temperature" and stage.setting:
        log, scaled = math.log(was), math.log(was) / stage.setting
        return _("ln {was} = {log}; ÷ {temperature} = {scaled}; e^{scaled} ÷ the sum of these = {now}").format(
            was=was_text,
            log=numbers.decimal(log, 2),
            temperature=numbers.short(stage.setting),
            scaled=numbers.decimal(scaled, 2),
            now=now_text,
        )
    if stage.name == "repetition penalty":
        return _("{was} → {now}: the logits of tokens already used are divided by {penalty} (multiplied, below zero)").format(
            was=was_text, now=now_text, penalty=numbers.short(stage.setting or 1.0)
        )
    return _("{was} ÷ {kept} (what is kept adds up to {share}) = {now}").format(
        was=was_text, kept=numbers.decimal(1 / grown, 3), share=numbers.percent(1 / grown), now=now_text
    )


def _told(stage: Stage, earlier: Stage | None, distribution: TokenDistribution) -> str:
    """What a stage did, in one line."""
    doubt = numbers.bits(stage.entropy)
    if earlier is None:
        return f"{numbers.tokens(stage.kept)} · {doubt}"
    removed = earlier.kept - stage.kept
    if removed > 0:
        grown = _growth(earlier.candidates, stage.candidates)
        return _("{left} left of {all} · cut: {share} of the odds · {doubt}").format(
            left=numbers.whole(stage.kept),
            all=numbers.whole(earlier.kept),
            share=numbers.percent(max(0.0, 1 - 1 / grown)),
            doubt=doubt,
        )
    if stage.name not in ("temperature", "repetition penalty"):
        return _("cut nothing here · {doubt}").format(doubt=doubt)
    moved = sum(abs(stage.candidates[i] - earlier.candidates[i]) for i in earlier.candidates) + abs(stage.rest - earlier.rest)
    return _("{share} of the odds moved · {doubt}").format(share=numbers.percent(moved / 2), doubt=doubt)
