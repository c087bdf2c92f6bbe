"""What all charts share: the specification without data, axes, tooltips and colours by kind of row."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import altair as alt

from pages.ui.charts import css_colours as palettes
from pages.ui.charts.css_colours import Palette
from pages.ui.i18n.spoken_language import ENGLISH, by_language, current
from pages.ui.i18n.translation import marks

Spec = dict[str, Any]
P = ParamSpec("P")
CHART = alt.Chart()  # without data


def chart_spec(maxsize: int) -> Callable[[Callable[Concatenate[Palette, P], alt.TopLevelMixin]], Callable[Concatenate[str, P], Spec]]:
    """Turn a function that draws a chart in the colours of a palette into one from the name of a theme to a specification, cached."""

    def decorate(draw: Callable[Concatenate[Palette, P], alt.TopLevelMixin]) -> Callable[Concatenate[str, P], Spec]:
        @by_language(maxsize)
        @wraps(draw)
        def drawn(theme: str, *args: P.args, **kwargs: P.kwargs) -> Spec:
            return spec(draw(palettes.of(theme), *args, **kwargs))

        return drawn

    return decorate


def spec(chart: alt.TopLevelMixin) -> Spec:
    """Return a chart as a plain specification without data, drawn as SVG so that it can be saved as such."""
    specification = _without_data(chart.to_dict())
    # The alternative text and the hidden text describe a chart to screen readers. Vega's names of single marks would only add noise.
    specification["config"] = {"view": {"stroke": None}, "mark": {"aria": False}}
    if current() != ENGLISH:
        decimal, thousands = marks()
        specification["config"]["axis"] = {"aria": False}  # Vega describes axes in English only
        specification["config"]["locale"] = {"number": {"decimal": decimal, "thousands": thousands, "grouping": [3], "currency": ["", ""]}}
    specification["padding"] = {"left": 0, "right": 0, "top": 2, "bottom": 2}
    specification["usermeta"] = {"embedOptions": {"renderer": "svg"}}
    return specification


def _without_data(specification: Spec) -> Spec:
    """Return the specification without the empty data sources that Altair writes into every layer."""
    specification = {word: value for word, value in specification.items() if word not in ("$schema", "data", "datasets")}
    if "layer" in specification:
        specification["layer"] = [_without_data(layer) for layer in specification["layer"]]
    return specification


def by_kind(field: str, values: dict[str, Any], otherwise: Any) -> Any:
    """Return a condition that gives each kind of row its colour or size."""
    return {"condition": [{"test": f"{field} === '{kind}'", "value": value} for kind, value in values.items()], "value": otherwise}


def shades(field: str, colours: dict[str, str]) -> alt.Color:
    """Return the colour of each value of a field, without a legend."""
    return alt.Color(f"{field}:N", legend=None, scale=alt.Scale(domain=list(colours), range=list(colours.values())))


def tips(*named: tuple[str, str]) -> list[alt.Tooltip]:
    """Return tooltips for (column, title) pairs."""
    return [alt.Tooltip(f"{column}:N", title=title) for column, title in named]


def grey_axis(colours: Palette, title: str | None = None, **more: Any) -> alt.Axis:
    """Return an axis of small grey numbers without lines, with a title if one is needed."""
    usual = {"domain": False, "ticks": False, "grid": False, "labelFontSize": 11, "labelPadding": 4, "labelOverlap": True}
    inks = {"labelColor": colours.muted_text, "titleColor": colours.muted_text, "titleFontWeight": "normal", "titleFontSize": 12}
    return alt.Axis(**{"title": title, **usual, **inks, **more})


def small_axis(colours: Palette, ticks: int = 3, **more: Any) -> alt.Axis:
    """Return the vertical axis of a small chart, 34 pixels wide so that charts below each other line up."""
    return grey_axis(colours, tickCount=ticks, minExtent=34, maxExtent=34, **more)


def percent_axis(colours: Palette, *ticks: float, **more: Any) -> alt.Axis:
    """Return an axis of probabilities with dashed lines at 0, 50 and 100 %, or at these ticks."""
    lines = {"grid": True, "gridColor": colours.line, "gridDash": [2, 3], "values": list(ticks or (0, 0.5, 1))}
    lines |= {"labelOverlap": "parity", "labelSeparation": 4}  # on a narrow screen every other number
    return grey_axis(colours, **{**lines, **more})


def two_sides(colours: Palette) -> alt.Color:
    """Return the colours of two sides: blue is the first, plum the second. Column: side ("one", "other")."""
    return shades("side", {"one": colours.dice, "other": colours.other})


def text_places(colours: Palette) -> alt.X:
    """Return the places of a text, from left to right. Column: place."""
    return alt.X("place:Q", axis=small_axis(colours, ticks=6, format="d", tickMinStep=1), scale=alt.Scale(nice=False, padding=6))


def shares_up(colours: Palette) -> Any:
    """Return probabilities from 0 to 100 %. Column: share."""
    axis = percent_axis(colours, format="%", minExtent=38, maxExtent=38)
    return alt.Y("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1], clamp=True))
