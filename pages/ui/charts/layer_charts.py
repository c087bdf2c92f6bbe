"""Layers of a model as rows: the likeliest tokens after each, and the tokens nearest to one. “Inside one step”, “Growing up” and the
tour share them.

Grey to black shows the inside of the model, blue probability, orange the chosen token.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt
import pandas as pd

from core.inspection.embeddings import Neighbour
from core.inspection.inside import Inside
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _

GUESSES = 5
LAYER = 27  # pixels for one row of layers
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


def share_shown(share: float) -> str:
    """Return the number in a field; none below 1 %, so that the token has room."""
    return numbers.percent(share) if share >= 0.01 else ""


def logit_lens_rows(result: Inside, followed: int | None) -> pd.DataFrame:
    """Return layers x likeliest tokens.

    Columns: layer, name, place, label, share, share_text, shown, piece, logit_text, doubt, kind ("followed", "").
    """
    layers = (result.before, *result.layers) if result.before else ()
    rows = [
        {
            "layer": layer.number,
            "name": layer_name(layer.number, len(result.layers)),
            "place": column,
            "label": name,
            "share": guess.model_probability,
            "share_text": numbers.percent(guess.model_probability),
            "shown": share_shown(guess.model_probability),
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


def neighbour_rows(near: Iterable[Neighbour]) -> pd.DataFrame:
    """Return the nearest tokens. Columns: row, label, piece, cosine, text."""
    return pd.DataFrame(
        [
            {"row": row, "label": label(n.piece), "piece": n.piece, "cosine": max(0.0, n.cosine), "text": numbers.decimal(n.cosine, 2)}
            for row, n in enumerate(near)
        ],
        columns=["row", "label", "piece", "cosine", "text"],
    )


def layer_axis(colours: Palette, height: int) -> alt.Y:
    """Return the layers from top to bottom, by name, in the uppermost `height` pixels."""
    axis = grey_axis(colours, labelFontSize=12, labelPadding=8, labelOverlap=False, minExtent=52, maxExtent=52)
    scale = alt.Scale(paddingInner=0.12, paddingOuter=0, range=[0, height - 3])
    return alt.Y("name:N", axis=axis, sort=alt.SortField("layer", "ascending"), scale=scale)


@chart_spec(16)
def logit_lens(colours: Palette, layers: int, guesses: int, more: tuple[tuple[str, str], ...] = LENS_TIPS) -> alt.TopLevelMixin:
    """Layers (or checkpoints) x likeliest tokens, tinted by probability. Columns: see `logit_lens_rows`; `more`: columns of the card."""
    base = CHART.encode(
        x=alt.X("place:O", axis=None, scale=alt.Scale(domain=list(range(guesses)), paddingInner=0.04, paddingOuter=0)),
        y=layer_axis(colours, layers * LAYER),
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
