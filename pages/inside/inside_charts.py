"""Charts of “Inside one step”, and their rows: core's records with the texts beside the marks.

Grey to black shows the inside of the model, blue probability, orange the chosen token.
"""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from core.inspection.embeddings import FlatMap
from core.inspection.inside import Guess, Inside
from core.tokens.token_text import Token
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.layer_charts import LAYER, label, layer_axis, layer_name
from pages.ui.charts.parts import CHART, by_kind, chart_spec, percent_axis, tips
from pages.ui.charts.step_tables import Word
from pages.ui.i18n import numbers
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _

COLUMNS = 64  # numbers of a vector per row of its chart
HEAT = 32  # tokens in the attention chart: the first one, which gets much attention, and the newest
SHADES = (0.0, 0.01, 0.1, 0.5, 1.0)  # attention weights in the legend
DEEPEST = 0.36  # strongest tint of the background of a token, so that it stays readable
MAP_SIZE = (520, 420)  # pixels, roughly, to find labels that would overlap
LETTER, LINE = 7.2, 15  # pixels of a label
HEAT_ROW = 20
HEAT_PALEST, HEAT_DARKEST = 0.04, 0.85
FEET = 62  # pixels for the slanted tokens below
STAGE_ROW = 22


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


def attention_shares(result: Inside, layer: int | None, head: int | None) -> np.ndarray | None:
    """Return the attention weight of each token, [positions], of one layer (0 ...) and head. None: the mean of all."""
    rows = [row for row in result.attention if row is not None] if layer is None else [result.attention[layer]]
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


def attention_rows(result: Inside) -> pd.DataFrame:
    """Return layers x tokens. Columns: layer, name, slot, foot (the token, in the last row), piece, depth (see `heat_depth`), share_text.

    At least one layer must have attention. Equal weights have equal depth in every layer and at every step.
    """
    tokens = result.tokens
    places = list(range(len(tokens))) if len(tokens) <= HEAT else [0, *range(len(tokens) - HEAT + 1, len(tokens))]
    last = max(number for number, weights in enumerate(result.attention, 1) if weights is not None)
    rows = []
    for number, weights in enumerate(result.attention, 1):
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


def embedding_map_rows(flat: FlatMap, tokens: Sequence[str], text_ids: set[int], picked: int) -> pd.DataFrame:
    """Return tokens on a plane. Columns: x, y (-1 to 1), label ("" if it would overlap), piece, kind ("picked", "text", "familiar")."""
    low, high = (flat.places.min(0), flat.places.max(0)) if len(flat.places) else (np.zeros(2), np.zeros(2))
    spread = np.where(high > low, high - low, 1.0)
    places = (flat.places - low) / spread * 2 - (high > low)
    kinds = ["picked" if i == picked else "text" if i in text_ids else "familiar" for i in flat.token_ids]
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


@chart_spec(16)
def token_by_layer(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """One token's probability after every layer, with its rank. Columns: see `token_by_layer_rows`."""
    base = CHART.encode(y=layer_axis(colours, layers * LAYER))
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
        y=layer_axis(colours, layers * HEAT_ROW),
        opacity=alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[HEAT_PALEST, HEAT_DARKEST])),
        tooltip=tips(("piece", _("token")), ("name", _("layer")), ("share_text", _("of the attention"))),
    )
    names = CHART.mark_text(
        angle=305, align="right", baseline="middle", fontSize=12, color=colours.text, tooltip=None, dx=-4, limit=72
    ).encode(x=x, y=alt.value(layers * HEAT_ROW + 8), text="foot:N")
    return alt.layer(fields, names).properties(height=layers * HEAT_ROW + FEET)


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
