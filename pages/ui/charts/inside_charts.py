"""Charts of “Inside one step”, “Growing up” and “Read a text”, and their rows: core's records with the texts beside the marks.

Grey to black shows the inside of the model, blue probability, orange the chosen token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from core.inspection.embeddings import FlatMap, Neighbour
from core.inspection.inside import Guess, Inside
from core.models.growth_record import Moment
from core.tokens.token_text import Token
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, by_kind, chart_spec, grey_axis, percent_axis, shades, tips
from pages.ui.charts.step_tables import Word
from pages.ui.i18n import numbers
from pages.ui.i18n.numbers import written
from pages.ui.i18n.safe_text import plain as plain
from pages.ui.i18n.translation import N_, _

GUESSES = 5
COLUMNS = 64  # numbers of a vector per row of its chart
HEAT = 32  # tokens in the attention chart: the first one, which gets much attention, and the newest
SHADES = (0.0, 0.01, 0.1, 0.5, 1.0)  # attention weights in the legend
DEEPEST = 0.36  # strongest tint of the background of a token, so that it stays readable
MAP_SIZE = (520, 420)  # pixels, roughly, to find labels that would overlap
LETTER, LINE = 7.2, 15  # pixels of a label

TRAINED = N_("training text")
HELD_OUT = N_("held out")  # loss on text that was not in the training data
MOST_BITS = 18  # top of the axis, the same for every text, so that two texts can be compared
LAYER = 27  # pixels for one row of layers
HEAT_ROW = 20
HEAT_PALEST, HEAT_DARKEST = 0.04, 0.85
FEET = 62  # pixels for the slanted tokens below
STAGE_ROW = 22
LENS_AND_REST = (0.67, 0.33)  # shares of the width; the numbers then fit on a screen of 1280 pixels
LENS_TIPS = (("logit_text", N_("logit")), ("doubt", N_("entropy of the layer")))


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
            "value_text": [written(value, "+.3f") for value in vector.tolist()],
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


def _layers(colours: Palette, height: int) -> alt.Y:
    """Return the layers from top to bottom, by name, in the uppermost `height` pixels."""
    axis = grey_axis(colours, labelFontSize=12, labelPadding=8, labelOverlap=False, minExtent=52, maxExtent=52)
    scale = alt.Scale(paddingInner=0.12, paddingOuter=0, range=[0, height - 3])
    return alt.Y("name:N", axis=axis, sort=alt.SortField("layer", "ascending"), scale=scale)


@chart_spec(16)
def logit_lens(colours: Palette, layers: int, guesses: int, more: tuple[tuple[str, str], ...] = LENS_TIPS) -> alt.TopLevelMixin:
    """Layers (or checkpoints) x likeliest tokens, tinted by probability. Columns: see `logit_lens_rows`; `more`: columns of the card."""
    base = CHART.encode(
        x=alt.X("place:O", axis=None, scale=alt.Scale(domain=list(range(guesses)), paddingInner=0.04, paddingOuter=0)),
        y=_layers(colours, layers * LAYER),
    )
    fields = base.mark_rect(cornerRadius=5, color=colours.dice).encode(
        opacity=alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.07, 1])),
        tooltip=tips(("piece", _("token")), ("share_text", _("probability")), *((column, _(title)) for column, title in more)),
    )
    bright = {"condition": {"test": "datum.share > 0.7", "value": colours.on_dice}, "value": colours.text}
    edge, room = alt.ExprRef(f"8 - width / {2 * guesses}"), alt.ExprRef(f"width / {guesses} - 14")

    def words(kind: str, weight: Any) -> alt.Chart:
        text = base.transform_filter(f"datum.kind === '{kind}'").mark_text(
            align="left", dx=edge, fontSize=13.5, fontWeight=weight, limit=room, tooltip=None
        )
        return text.encode(text="label:N", color=bright)

    share = base.mark_text(
        align="right",
        dx=alt.ExprRef(f"width / {2 * guesses} - 8"),
        fontSize=11,
        opacity=alt.ExprRef(f"width / {guesses} < 88 ? 0 : 0.85"),
        tooltip=None,
    ).encode(text="shown:N", color=bright)
    return alt.layer(fields, words("", "normal"), words("followed", "bold"), share).properties(height=layers * LAYER)


@chart_spec(16)
def token_by_layer(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """One token's probability after every layer, with its rank. Columns: see `token_by_layer_rows`."""
    base = CHART.encode(y=_layers(colours, layers * LAYER))
    scale = alt.Scale(domain=[0, 1], rangeMin=0, rangeMax=alt.ExprRef("width - 118"), nice=False)
    x = alt.X("share:Q", scale=scale, axis=None)
    bars = base.mark_bar(height={"band": 0.62}, cornerRadius=4, tooltip=None).encode(
        x=x, x2=alt.datum(0), color=by_kind("datum.kind", {"taken": colours.chosen}, colours.dice)
    )
    number = base.mark_text(align="left", dx=8, fontSize=12.5, color=colours.text, tooltip=None).encode(x=x, text="text:N")
    return alt.layer(bars, number).properties(height=layers * LAYER)


def heat_opacity(depth: float) -> float:
    """Return the opacity of a field of this depth, 0 to 1, for the legend."""
    return HEAT_PALEST + (HEAT_DARKEST - HEAT_PALEST) * depth


@chart_spec(16)
def attention(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """Layers x tokens, the darker the more attention (see `heat_opacity`). Columns: see `attention_rows`."""
    x = alt.X("slot:O", axis=None, scale=alt.Scale(paddingInner=0.08, paddingOuter=0.06))  # without it, the edge cuts the last field
    fields = CHART.mark_rect(cornerRadius=3, color=colours.text).encode(
        x=x,
        y=_layers(colours, layers * HEAT_ROW),
        opacity=alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[HEAT_PALEST, HEAT_DARKEST])),
        tooltip=tips(("piece", _("token")), ("name", _("layer")), ("share_text", _("of the attention"))),
    )
    names = CHART.mark_text(
        angle=305, align="right", baseline="middle", fontSize=12, color=colours.text, tooltip=None, dx=-4, limit=72
    ).encode(x=x, y=alt.value(layers * HEAT_ROW + 8), text="foot:N")
    return alt.layer(fields, names).properties(height=layers * HEAT_ROW + FEET)


@chart_spec(8)
def loss(colours: Palette) -> alt.TopLevelMixin:
    """The loss at the checkpoints of a training, from 0: dots joined by straight lines. Columns: see `loss_rows`."""
    base = CHART.encode(
        x=alt.X(
            "name:O",
            sort=alt.SortField("slot", "ascending"),
            axis=grey_axis(colours, labelAngle=0),
            scale=alt.Scale(type="point", padding=0.4),
        ),
        y=alt.Y("loss:Q", axis=grey_axis(colours, tickCount=4), scale=alt.Scale(domainMin=0)),
        color=shades("kind", {TRAINED: colours.dice, HELD_OUT: colours.other}),
    )
    lines = base.mark_line(strokeWidth=1.5, opacity=0.55, interpolate="linear", tooltip=None)
    dots = base.mark_circle(size=55, opacity=1).encode(
        tooltip=tips(("loss_text", _("loss")), ("on", _("measured on")), ("read", _("after")))
    )
    return alt.layer(lines, dots).properties(height=150)


@chart_spec(8)
def vector(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """A vector as fields, low to high. Columns: see `vector_rows`."""
    fields = CHART.mark_rect(color=colours.text, stroke=None).encode(
        x=alt.X("column:O", axis=None, scale=alt.Scale(padding=0)),
        y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.12, paddingOuter=0)),
        opacity=alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.02, 0.92])),
        tooltip=tips(("place_text", _("number")), ("value_text", _("value"))),
    )
    return fields.properties(height=max(34, min(rows * 18, 320)))


@chart_spec(8)
def neighbours(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """The nearest tokens, cosine from 0 to 1. Columns: see `neighbour_rows`."""
    scale = alt.Scale(domain=[0, 1], rangeMin=110, rangeMax=alt.ExprRef("width - 44"), nice=False)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.3, paddingOuter=0)))
    x = alt.X("cosine:Q", scale=scale, axis=None)
    bars = base.mark_bar(color=colours.muted_text, opacity=0.55, cornerRadius=4).encode(
        x=x, x2=alt.datum(0), tooltip=tips(("piece", _("token")), ("text", _("cosine")))
    )
    names = base.mark_text(align="left", fontSize=14, limit=100, color=colours.text, tooltip=None).encode(x=alt.value(0), text="label:N")
    number = base.mark_text(align="left", dx=7, fontSize=12.5, color=colours.muted_text, tooltip=None).encode(x=x, text="text:N")
    return alt.layer(bars, names, number).properties(height=rows * 25)


@chart_spec(8)
def embedding_map(colours: Palette) -> alt.TopLevelMixin:
    """Tokens on a plane. Columns: see `embedding_map_rows`."""
    scale = alt.Scale(domain=[-1.08, 1.08], nice=False)
    base = CHART.encode(x=alt.X("x:Q", axis=None, scale=scale), y=alt.Y("y:Q", axis=None, scale=scale))
    inks = {"picked": colours.dice_text, "text": colours.dice_text}
    dots = base.mark_circle(opacity=1).encode(
        size=by_kind("datum.kind", {"picked": 150, "text": 60}, 26),
        color=by_kind("datum.kind", inks, colours.removed),
        tooltip=tips(("piece", _("token"))),
    )
    names = [
        base.transform_filter(f"datum.kind === '{kind}'")
        .mark_text(align="left", dx=dx, fontSize=size, fontWeight=weight, color=colour, tooltip=None)  # type: ignore[arg-type]
        .encode(text="label:N")
        for kind, dx, size, weight, colour in (
            ("familiar", 6, 11.5, "normal", colours.muted_text),
            ("text", 7, 13.5, "normal", colours.dice_text),
            ("picked", 10, 15, "bold", colours.dice_text),
        )
    ]
    return alt.layer(names[0], dots, *names[1:]).properties(height=420)


@chart_spec(8)
def stage(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """A sampling stage: pale before, deep after, 0 to 100 %. Columns: see `sampling_rows.stage_rows`."""
    scale = alt.Scale(domain=[0, 1], clamp=True, rangeMin=78, rangeMax=alt.ExprRef("width - 50"), nice=False)
    axis = percent_axis(colours, labels=False)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.26, paddingOuter=0.08)))
    pale, deep = {"removed": colours.removed, "rest": colours.rest}, {"taken": colours.chosen, "rest": colours.muted_text}
    ink = {"removed": colours.muted_text, "rest": colours.muted_text, "taken": colours.chosen_text}
    hit = base.mark_rect(color=colours.muted_text, opacity=0.001).encode(
        x=alt.value(0), x2=alt.value("width"), tooltip=tips(("piece", _("token")), ("arithmetic", _("computed")))
    )
    was = base.mark_bar(height={"band": 1}, cornerRadius=3, tooltip=None).encode(
        x=alt.X("before:Q", scale=scale, axis=axis), x2=alt.datum(0), color=by_kind("datum.kind", pale, colours.model)
    )
    now = base.mark_bar(height={"band": 0.5}, cornerRadius=3, tooltip=None).encode(
        x=alt.X("after:Q", scale=scale, axis=axis), x2=alt.datum(0), color=by_kind("datum.kind", deep, colours.dice)
    )
    names = base.mark_text(align="left", fontSize=13, limit=72, tooltip=None).encode(
        x=alt.value(0), text="label:N", color=by_kind("datum.kind", ink, colours.text)
    )
    number = base.mark_text(align="right", fontSize=12, tooltip=None).encode(
        x=alt.value("width"), text="number:N", color=by_kind("datum.kind", ink, colours.text)
    )
    return alt.layer(was, now, names, number, hit).properties(height=rows * STAGE_ROW)


@chart_spec(8)
def tally(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """Probability (wide bar), observed share (narrow bar) and usual range (rule) of each token. Columns: see `roll_tally.tally_rows`."""
    scale = alt.Scale(domain=[0, 1], clamp=True, rangeMin=110, rangeMax=alt.ExprRef("width - 150"), nice=False)
    axis = percent_axis(colours, labels=False)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1)))
    fills, inks = {"taken": colours.chosen, "rest": colours.rest}, {"taken": colours.chosen_text, "rest": colours.muted_text}

    def bar(end: str, size: float, shift: float, colour: Any) -> alt.Chart:
        bars = base.mark_bar(height={"band": size}, yOffset=shift, cornerRadius=3, tooltip=None)
        return bars.encode(x=alt.X(f"{end}:Q", scale=scale, axis=axis), x2=alt.datum(0), color=colour)

    luck = base.mark_rule(strokeWidth=2, yOffset=7, color=colours.muted_text, tooltip=None).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    ink = by_kind("datum.kind", inks, colours.text)
    names = base.mark_text(align="left", fontSize=14, limit=104, tooltip=None).encode(x=alt.value(0), text="label:N", color=ink)
    number = base.mark_text(align="right", fontSize=13, tooltip=None).encode(x=alt.value("width"), text="number:N", color=ink)
    expected = bar("expected", 0.55, -4, by_kind("datum.kind", fills, colours.dice))
    return alt.layer(expected, bar("seen", 0.28, 7, alt.value(colours.text)), luck, names, number).properties(height=rows * 28)


@chart_spec(8)
def rolls(colours: Palette) -> alt.TopLevelMixin:
    """A mark for each roll, from 0 to 1. Columns: roll."""
    x = alt.X("roll:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    return CHART.mark_tick(color=colours.text, opacity=0.35, thickness=1.5, height=16).encode(x=x).properties(height=18)


@chart_spec(8)
def curve(colours: Palette) -> alt.TopLevelMixin:
    """Surprise along a text in bits. Bars above MOST_BITS end there, with an arrow.

    Columns: position, surprise, piece, surprise_text, share_text, depth (0 to 1), cut (an arrow or "").
    """
    axis = grey_axis(colours, values=[0, 6, 12, MOST_BITS])
    x = alt.X("position:O", axis=None, scale=alt.Scale(paddingInner=0.14, paddingOuter=0))
    bars = CHART.mark_bar(cornerRadius=1.5, color=colours.doubt).encode(
        x=x,
        y=alt.Y("surprise:Q", axis=axis, scale=alt.Scale(domain=[0, MOST_BITS], clamp=True)),
        opacity=alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.35, 1])),
        tooltip=tips(("piece", _("token")), ("surprise_text", _("surprise")), ("share_text", _("probability"))),
    )
    arrows = CHART.mark_text(baseline="top", dy=-13, fontSize=12, color=colours.text, tooltip=None).encode(
        x=x, y=alt.value(0), text="cut:N"
    )
    return alt.layer(bars, arrows).properties(height=120)
