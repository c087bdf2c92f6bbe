"""Charts on paper: Vega-Lite specifications as plain dictionaries, and the SVG that a browser shows without any script."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.message import ENGLISH, Message, Wording
from core.record.frozen import percent
from core.record.rich import CHOSEN, CHOSEN_TEXT, DICE, MODEL, MUTED, TEXT
from core.record.step import Step

LONGEST = 18  # characters of a token beside its bar
ROW = 20  # pixels
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


def odds_spec(step: Step, rows: int = 8, width: int = 330, wording: Wording = ENGLISH) -> dict[str, Any]:
    """Return the bar chart of one step, 0 to 100 %: pale the model's probability, solid the one after settings, orange the chosen token."""
    listed = list(step.candidates[:rows])
    if all(candidate.token_id != step.token_id for candidate in listed):
        listed = [*listed[:-1], step.chosen]
    values = [
        {
            "row": place,
            "label": short(candidate.piece),
            "model": candidate.model_probability,
            "dice": candidate.sampling_probability,
            "end": max(candidate.model_probability, candidate.sampling_probability),
            "number": _number(candidate.sampling_probability, wording),
            "taken": candidate.token_id == step.token_id,
        }
        for place, candidate in enumerate(listed)
    ]
    y = {"field": "row", "type": "ordinal", "axis": None, "scale": {"paddingInner": 0.25}}
    scale = {"domain": [0, 1], "rangeMin": 120, "rangeMax": width - 52, "nice": False}
    shades = {"condition": {"test": "datum.taken", "value": CHOSEN}, "value": DICE}

    def x(field: str) -> dict[str, Any]:
        return {"field": field, "type": "quantitative", "scale": scale, "axis": None}

    def text(field: str, place: dict[str, Any], **mark: Any) -> dict[str, Any]:
        mark = {"type": "text", "baseline": "middle", "color": TEXT, "fontSize": 12, **mark}
        return {"mark": mark, "encoding": {"y": y, "x": place, "text": {"field": field}}}

    bar = {"type": "bar", "cornerRadius": 3}
    return {
        "$schema": SCHEMA,
        "width": width,
        "height": ROW * len(values),
        "data": {"values": values},
        "config": {"view": {"stroke": None}},
        "layer": [
            {"mark": {**bar, "color": MODEL, "height": {"band": 1}}, "encoding": {"y": y, "x": x("model"), "x2": {"datum": 0}}},
            {"mark": {**bar, "height": {"band": 0.5}}, "encoding": {"y": y, "x": x("dice"), "x2": {"datum": 0}, "color": shades}},
            text("label", {"value": 112}, align="right") | {"transform": [{"filter": "!datum.taken"}]},
            text("label", {"value": 112}, align="right", color=CHOSEN_TEXT, fontWeight=700) | {"transform": [{"filter": "datum.taken"}]},
            text("number", x("end"), align="left", dx=6),
        ],
    }


def surprise_spec(path: Sequence[Step], width: int = 640, wording: Wording = ENGLISH) -> dict[str, Any]:
    """Return a chart over the tokens: a line for the model's entropy and dots for the surprise of the chosen tokens, in bits."""
    values = [
        {"token": step.index + 1, "piece": short(step.piece), "entropy": step.model_entropy, "surprise": min(step.surprise, 64.0)}
        for step in path
    ]
    axis = {"title": None, "domain": False, "ticks": False, "grid": False, "labelColor": MUTED, "tickCount": 4}
    x = {
        "field": "token",
        "type": "quantitative",
        "axis": {**axis, "title": wording.say(Message("token")), "titleColor": MUTED},
        "scale": {"zero": False},
    }
    kinds = {"piece": "nominal", "entropy": "quantitative", "surprise": "quantitative"}
    tips = [{"field": name, "type": kind} for name, kind in kinds.items()]

    def y(field: str) -> dict[str, Any]:
        return {"field": field, "type": "quantitative", "axis": {**axis, "title": wording.say(Message("bits")), "titleColor": MUTED}}

    return {
        "$schema": SCHEMA,
        "width": width,
        "height": 120,
        "data": {"values": values},
        "config": {"view": {"stroke": None}},
        "layer": [
            {"mark": {"type": "line", "color": DICE, "strokeWidth": 1.5}, "encoding": {"x": x, "y": y("entropy")}},
            {
                "mark": {"type": "point", "filled": True, "color": TEXT, "size": 26, "opacity": 0.75},
                "encoding": {"x": x, "y": y("surprise"), "tooltip": tips},
            },
        ],
    }


def _number(probability: float, wording: Wording) -> str:
    return wording.figures(percent(probability)) if probability else wording.say(Message("excluded"))


def svg(spec: dict[str, Any], wording: Wording = ENGLISH) -> str:
    """Return a specification as an SVG picture, made offline, with the number separators of the wording."""
    import vl_convert

    locale = {"decimal": wording.figures("."), "thousands": wording.figures(","), "grouping": [3], "currency": ["$", ""]}
    picture: str = vl_convert.vegalite_to_svg(json.dumps(spec), allowed_base_urls=[], format_locale=locale)
    return picture


def short(piece: str) -> str:
    """Return a token, shortened to LONGEST characters."""
    return piece if len(piece) <= LONGEST else f"{piece[: LONGEST - 1]}…"
