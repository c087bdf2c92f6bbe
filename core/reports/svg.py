"""Charts on paper: Vega-Lite specifications as plain dictionaries, the SVG that a browser shows without any script, and its PNG.

A notebook shows a run as such a chart, without altair: core knows no user interface.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import RunFinished
from core.generation.generation import Generation
from core.message import ENGLISH, Message, Wording
from core.palette import LIGHT
from core.record.step import Step

VEGA_LITE = "application/vnd.vegalite.v6+json"  # the kind under which notebooks know charts of this version
LONGEST = 18  # characters of a token beside its bar
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


def rasterized(svg: str, scale: float = 1.0) -> bytes:
    """Return an SVG picture as PNG, hardly compressed."""
    import vl_convert

    picture: bytes = vl_convert.svg_to_png(svg, scale=scale)
    return picture


def png(svg: str, scale: float = 1.0) -> bytes:
    """Return an SVG picture as a small PNG without transparency."""
    from PIL import Image

    file = io.BytesIO()
    Image.open(io.BytesIO(rasterized(svg, scale))).convert("RGB").save(file, "PNG")
    return file.getvalue()


@dataclass(frozen=True, slots=True)
class VegaLiteChart:
    """A chart by its specification. `altair.Chart.from_dict(chart.to_dict())` is the same as an altair.Chart."""

    spec: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The specification, its data inside."""
        return dict(self.spec)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {VEGA_LITE: self.spec, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return "VegaLiteChart(entropy and surprise of each token)"


def of_run(run: Generation) -> VegaLiteChart:
    """How likely and how surprising each written token was. Raises RunFinished where nothing was written yet."""
    if not run.path:
        raise RunFinished("The run has no step yet. Take a step first.")
    return VegaLiteChart(surprise_spec(run.path, width=640))


def surprise_spec(path: Sequence[Step], width: int = 640, wording: Wording = ENGLISH) -> dict[str, Any]:
    """Return a chart over the tokens: a line for the model's entropy and dots for the surprise of the chosen tokens, in bits."""
    values = [
        {"token": step.index + 1, "piece": short(step.piece), "entropy": _number(step.model_entropy), "surprise": _number(step.surprise)}
        for step in path
    ]
    axis: dict[str, Any] = {"title": None, "domain": False, "ticks": False, "grid": False, "tickCount": 4}
    axis |= {"labelColor": LIGHT.muted_text, "titleColor": LIGHT.muted_text}
    x = {
        "field": "token",
        "type": "quantitative",
        "axis": {**axis, "title": wording.say(Message("token"))},
        "scale": {"zero": False},
    }
    kinds = {"piece": "nominal", "entropy": "quantitative", "surprise": "quantitative"}
    tips = [{"field": name, "type": kind} for name, kind in kinds.items()]

    def y(field: str) -> dict[str, Any]:
        return {
            "field": field,
            "type": "quantitative",
            "axis": {**axis, "title": wording.say(Message("bits"))},
        }

    return {
        "$schema": SCHEMA,
        "width": width,
        "height": 120,
        "data": {"values": values},
        "config": {"view": {"stroke": None}},
        "layer": [
            {"mark": {"type": "line", "color": LIGHT.dice, "strokeWidth": 1.5}, "encoding": {"x": x, "y": y("entropy")}},
            {
                "mark": {"type": "point", "filled": True, "color": LIGHT.text, "size": 26, "opacity": 0.75},
                "encoding": {"x": x, "y": y("surprise"), "tooltip": tips},
            },
        ],
    }


def _number(bits: float) -> float | None:
    """Return a number for the chart, at most 64; None if it was not measured."""
    return None if math.isnan(bits) else min(bits, 64.0)


def svg(spec: dict[str, Any], wording: Wording = ENGLISH) -> str:
    """Return a specification as an SVG picture, made offline, with the number separators of the wording."""
    import vl_convert

    locale = {"decimal": wording.figures("."), "thousands": wording.figures(","), "grouping": [3], "currency": ["$", ""]}
    picture: str = vl_convert.vegalite_to_svg(json.dumps(spec), allowed_base_urls=[], format_locale=locale)
    return picture


def short(token: str) -> str:
    """Return a token, shortened to LONGEST characters."""
    return token if len(token) <= LONGEST else f"{token[: LONGEST - 1]}…"
