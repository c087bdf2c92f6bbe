"""Rows of the charts of “Inside one step” and “Growing up”: core's records with the texts and numbers beside the marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from core.inspection.embeddings import FlatMap, Neighbour
from core.inspection.inside import Guess, Inside
from core.models.growth import Moment
from core.tokens.tokens import Token
from pages.ui.charts.token_text import Word
from pages.ui.i18n import numbers, translation
from pages.ui.i18n.safe_text import plain as plain
from pages.ui.i18n.translation import N_, _, written

GUESSES = 5
COLUMNS = 64  # numbers of a vector per row of its chart
HEAT = 32  # tokens in the attention chart: the first one, which gets much attention, and the newest
SHADES = (0.0, 0.01, 0.1, 0.5, 1.0)  # attention weights in the legend
DEEPEST = 0.36  # strongest tint of the background of a token, so that it stays readable
MAP_SIZE = (520, 420)  # pixels, roughly, to find labels that would overlap
LETTER, LINE = 7.2, 15  # pixels of a label

TRAINED = N_("training text")
HELD_OUT = N_("held out")  # loss on text that was not in the training data


def label(token: str) -> str:
    """Return a token without its leading space."""
    return token[1:] if token.startswith("␣") and len(token) > 1 else token


def labels(tokens: Sequence[str]) -> list[str]:
    """Return tokens without their leading spaces, except where two would look the same: 7 and ␣7 are two tokens."""
    short = [label(token) for token in tokens]
    return [token if short.count(name) > 1 else name for token, name in zip(tokens, short, strict=True)]


def layer_name(number: int, last: int) -> str:
    """Return the name of a row: layer 0 is before the first one, the last is the answer."""
    return _("before") if number == 0 else _("answer") if number == last else str(number)


def logit_lens_rows(seen: Inside, followed: int | None) -> pd.DataFrame:
    """Return layers x likeliest tokens.

    Columns: layer, name, place, label, share, share_text, shown, piece, logit_text, doubt, kind ("followed", "").
    """
    layers = (seen.before, *seen.layers) if seen.before else ()
    rows = [
        {
            "layer": layer.number,
            "name": layer_name(layer.number, len(seen.layers)),
            "place": column,
            "label": name,
            "share": guess.model_probability,
            "share_text": numbers.percent(guess.model_probability),
            "shown": _number(guess.model_probability),
            "piece": guess.piece,
            "logit": guess.logit,
            "logit_text": numbers.decimal(guess.logit, 2),
            "entropy": layer.entropy,
            "doubt": numbers.bits(layer.entropy),
            "kind": "followed" if guess.token_id == followed else "",
        }
        for layer in layers
        for (column, guess), name in zip(
            enumerate(layer.candidates[:GUESSES]), labels([guess.piece for guess in layer.candidates[:GUESSES]]), strict=True
        )
    ]
    return pd.DataFrame(rows)


def _number(share: float) -> str:
    """Return the number in a field; none below 1 %, so that the token has room."""
    return numbers.percent(share) if share >= 0.01 else ""


def growth_rows(moments: Sequence[Moment], prompt: int, shown: Callable[[int], str]) -> pd.DataFrame:
    """Return checkpoints of a training x likeliest tokens, as `logit_lens_rows`.

    shown: returns the text of a token by its id. "followed": the trained model's likeliest token.
    """
    favourite = moments[-1].prompts[prompt].top[0][0]
    rows = [
        {
            "layer": number,
            "name": read_so_far(moment.tokens),
            "place": column,
            "label": name,
            "share": share,
            "share_text": numbers.percent(share),
            "shown": _number(share),
            "piece": shown(token_id),
            "rank": f"{column + 1}",
            "read": _("{count} tokens").format(count=numbers.count(moment.tokens)),
            "kind": "followed" if token_id == favourite else "",
        }
        for number, moment in enumerate(moments)
        for (column, (token_id, share)), name in zip(
            enumerate(moment.prompts[prompt].top[:GUESSES]),
            labels([shown(token_id) for token_id, _score in moment.prompts[prompt].top[:GUESSES]]),
            strict=True,
        )
    ]
    return pd.DataFrame(rows)


def spread(moments: Sequence[Moment], most: int) -> list[Moment]:
    """Return at most so many moments, evenly spread, with the first and the last one."""
    count = min(most, len(moments))
    return [moments[round(row * (len(moments) - 1) / max(1, count - 1))] for row in range(count)]


def loss_rows(moments: Sequence[Moment]) -> pd.DataFrame:
    """Return the recorded losses in nats. Columns: slot, name, kind, on (text of kind), loss, loss_text, read."""
    rows = [
        {
            "slot": slot,
            "name": read_so_far(moment.tokens),
            "kind": kind,
            "on": _(kind),
            "loss": loss,
            "loss_text": _("{count} nats").format(count=numbers.decimal(loss, 2)),
            "read": _("{count} tokens").format(count=numbers.count(moment.tokens)),
        }
        for slot, moment in enumerate(moments)
        for kind, loss in ((TRAINED, moment.loss), (HELD_OUT, moment.held_out_loss))
        if loss is not None
    ]
    return pd.DataFrame(rows, columns=["slot", "name", "kind", "on", "loss", "loss_text", "read"])


def read_so_far(tokens: int) -> str:
    """Return a count of tokens as a short row name: 0, 41 K, 0.82 M, 47 M."""
    if tokens < 1e5:
        return f"{tokens / 1e3:.0f} K" if tokens else "0"
    return f"{written(tokens / 1e6, '.2g' if tokens < 9.95e6 else ',.0f')} M"


def token_by_layer_rows(way: Sequence[Guess], taken: bool) -> pd.DataFrame:
    """Return one token's probability after each layer. Columns: layer, name, share, text, piece, kind ("taken" or "")."""
    return pd.DataFrame(
        [
            {
                "layer": number,
                "name": layer_name(number, len(way) - 1),
                "share": guess.model_probability,
                "text": _("{share} · rank {rank}").format(share=numbers.percent(guess.model_probability), rank=numbers.whole(guess.rank)),
                "piece": guess.piece,
                "kind": "taken" if taken else "",
            }
            for number, guess in enumerate(way)
        ]
    )


def attention_shares(seen: Inside, layer: int | None, head: int | None) -> np.ndarray | None:
    """Return the attention weight of each token, [positions], of one layer (0 ...) and head. None: the mean of all."""
    rows = [row for row in seen.attention if row is not None] if layer is None else [seen.attention[layer]]
    weights = [row for row in rows if row is not None]
    if not weights:
        return None
    if layer is not None and head is not None and 0 <= head < len(weights[0]):
        return weights[0][head]
    return np.mean([row.mean(0) for row in weights], axis=0)


def attention_words(texts: Sequence[str], tokens: Sequence[Token], shares: np.ndarray) -> list[Word]:
    """Return the text, each token tinted by its attention weight."""
    most = max(float(shares.max()), 1e-9)
    last = len(tokens) - 1
    return [
        Word(
            text=text,
            colour="text",
            depth=DEEPEST * share / most,
            head=f"id {token.token_id}",
            lines=(
                _("{share} of the attention").format(share=numbers.percent(share)),
                *((_("the attention of this token"),) if index == last else ()),
            ),
        )
        for index, (text, token, share) in enumerate(zip(texts, tokens, shares.tolist(), strict=True))
    ]


def attention_rows(seen: Inside) -> pd.DataFrame:
    """Return layers x tokens. Columns: layer, name, slot, foot (the token, in the last row), piece, depth (see `heat_depth`), share_text.

    At least one layer must have attention. Equal weights have equal depth in every layer and at every step.
    """
    tokens = seen.tokens
    places = list(range(len(tokens))) if len(tokens) <= HEAT else [0, *range(len(tokens) - HEAT + 1, len(tokens))]
    last = max(number for number, weights in enumerate(seen.attention, 1) if weights is not None)
    rows = []
    for number, weights in enumerate(seen.attention, 1):
        if weights is None:
            continue
        shares = weights.mean(0).tolist()
        for slot, position in enumerate(places):
            token, share = tokens[position].piece, shares[position]
            gap = " …" if slot == 0 and len(places) < len(tokens) else ""
            rows.append(
                {
                    "layer": number,
                    "name": f"{number}",
                    "slot": slot,
                    "foot": label(token) + gap if number == last else "",
                    "piece": token,
                    "depth": heat_depth(share),
                    "share": share,
                    "share_text": numbers.percent(share),
                }
            )
    return pd.DataFrame(rows)


def heat_depth(share: float) -> float:
    """Return how dark a field is, 0 to 1: the root of its weight, so that 1 % is still visible."""
    return math.sqrt(max(0.0, min(1.0, share)))


def vector_rows(vector: np.ndarray) -> pd.DataFrame:
    """Return a vector as fields. Columns: row, column, depth (0 = lowest, 1 = highest), place_text, value_text."""
    reach = max(float(np.abs(vector).max()), 1e-9)
    places = np.arange(len(vector))
    return pd.DataFrame(
        {
            "row": places // COLUMNS,
            "column": places % COLUMNS,
            "depth": (vector / reach + 1) / 2,
            "place_text": [_("{count} of {total}").format(count=index + 1, total=len(vector)) for index in places],
            "dimension": places + 1,
            "value": vector,
            "value_text": [translation.written(value, "+.3f") for value in vector.tolist()],
        }
    )


def neighbour_rows(near: Iterable[Neighbour]) -> pd.DataFrame:
    """Return the nearest tokens. Columns: row, label, piece, cosine, text."""
    return pd.DataFrame(
        [
            {"row": row, "label": label(n.piece), "piece": n.piece, "cosine": max(0.0, n.cosine), "text": numbers.decimal(n.cosine, 2)}
            for row, n in enumerate(near)
        ],
        columns=["row", "label", "piece", "cosine", "text"],
    )


def embedding_map_rows(flat: FlatMap, tokens: Sequence[str], own: set[int], picked: int) -> pd.DataFrame:
    """Return tokens on a plane. Columns: x, y (-1 to 1), label ("" if it would overlap), piece, kind ("picked", "text", "familiar")."""
    low, high = (flat.places.min(0), flat.places.max(0)) if len(flat.places) else (np.zeros(2), np.zeros(2))
    spread = np.where(high > low, high - low, 1.0)
    places = (flat.places - low) / spread * 2 - (high > low)
    kinds = ["picked" if i == picked else "text" if i in own else "familiar" for i in flat.token_ids]
    labels = [""] * len(tokens)
    taken: list[tuple[float, float, float]] = []
    for index in sorted(range(len(tokens)), key=lambda index: ("picked", "text", "familiar").index(kinds[index])):
        text = label(tokens[index])
        left, middle = (places[index] + 1) / 2 * MAP_SIZE
        right = left + 10 + LETTER * len(text)
        if all(right < other_left or left > other_right or abs(middle - height) > LINE for other_left, other_right, height in taken):
            taken.append((left, right, middle))
            labels[index] = text
    return pd.DataFrame({"x": places[:, 0], "y": places[:, 1], "label": labels, "piece": list(tokens), "kind": kinds})
