"""Charts of the pages about serving, quantization and small models, and the rows of the serving board.

A board shows time spans, texts, slots and KV blocks, updated with each iteration of a server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from core.batching.request import RequestState
from core.batching.server import Iteration
from core.experiments.batching import PlannedRequest, Served
from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, percent_axis, tips
from pages.ui.i18n.translation import _

TOUCH = 1e-9  # seconds; spans closer than this are one


@dataclass(slots=True)
class SideRows:
    """One server. spans: [start, stop, kind] per request; slots: [start, stop, rows]; texts: written text per request."""

    spans: list[list[list[Any]]]
    texts: list[str]
    done: list[bool]
    slots: list[list[float]] = field(default_factory=list)
    blocks: tuple[int, ...] = ()
    iterations: list[Iteration] = field(default_factory=list)

    @property
    def clock(self) -> float:
        """Return the end of the last iteration in seconds."""
        return self.iterations[-1].stop if self.iterations else 0.0


@dataclass(slots=True)
class Board:
    """All servers. who: the requests; read: number of observations that were added."""

    who: Sequence[PlannedRequest]
    sides: list[SideRows]
    read: int = 0

    @classmethod
    def of(cls, who: Sequence[PlannedRequest], sides: int = 2) -> Board:
        """Return a board before the first iteration."""
        return cls(
            who, [SideRows([[] for _request in who], ["" for _request in who], [False for _request in who]) for _side in range(sides)]
        )

    def take(self, seen: Sequence[Served]) -> None:
        """Add the new ones of all observations so far."""
        for served in seen[self.read :]:
            self._add(self.sides[served.side], served.iteration)
        self.read = len(seen)

    def _add(self, side: SideRows, done: Iteration) -> None:
        side.iterations.append(done)
        side.blocks = done.blocks
        _extend(side.slots, done.start, done.stop, done.rows)
        for part in done.progress:
            mine = side.spans[part.request_id]
            if not mine and self.who[part.request_id].arrival < done.start:
                _extend(mine, self.who[part.request_id].arrival, done.start, "queued")
            _extend(mine, done.start, done.stop, kind(part.state, part.tokens))
            side.texts[part.request_id] += part.text
        for request in done.finished:
            side.done[request.request_id] = True


def kind(state: RequestState, tokens: int) -> str:
    """Return the kind of a request's time in one iteration."""
    if state is RequestState.PREEMPTED:
        return "preempted"
    if state is RequestState.WAITING:
        return "queued"
    if tokens == 0:
        return "stalled"
    return "prefill" if state is RequestState.PREFILLING else "decode"


def _extend(spans: list[list[Any]], start: float, stop: float, what: Any) -> None:
    """Extend the last span if this one continues it, otherwise add a span."""
    if spans and spans[-1][2] == what and start - spans[-1][1] <= TOUCH:
        spans[-1][1] = stop
    else:
        spans.append([start, stop, what])


@chart_spec(16)
def batch_curve(colours: Palette, column: str, unit: str, ceiling: bool = False) -> alt.TopLevelMixin:
    """A measured `column` by batch size; dashed: the computed upper bound. Columns: size, `column`, ceiling, label, tip."""
    across = alt.X(
        "size:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=16),
        axis=grey_axis(colours, _("requests per pass"), values=[1, 2, 4, 8, 16, 32, 64], format="d"),
    )
    axis = grey_axis(
        colours, tickCount=4, labelExpr=f"datum.value ? datum.label + ' {_(unit)}' : '0'", format="~s", minExtent=56, maxExtent=56
    )
    up = alt.Y(f"{column}:Q", scale=alt.Scale(zero=True), axis=axis)
    base = CHART.encode(x=across)
    layers: list[Any] = []
    if ceiling:
        layers.append(base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=alt.Y("ceiling:Q", axis=axis)))
    layers.append(base.mark_line(strokeWidth=2.5, color=colours.dice).encode(y=up))
    layers.append(base.mark_point(filled=True, size=60, opacity=1, color=colours.dice).encode(y=up, tooltip=tips(("tip", _("measured")))))
    layers.append(base.mark_text(baseline="bottom", dy=-9, fontSize=12, color=colours.text).encode(y=up, text="label:N"))
    return alt.layer(*layers).properties(height=210)


@chart_spec(8)
def speculation_curve(colours: Palette) -> alt.TopLevelMixin:
    """Tokens per pass by draft length: computed line, measured dot. Columns: guesses, expected, measured (one), label."""
    across = alt.X("guesses:Q", scale=alt.Scale(nice=False), axis=grey_axis(colours, _("draft tokens (K)"), tickMinStep=1, format="d"))
    axis = grey_axis(colours, tickCount=4, minExtent=40, maxExtent=40)
    up = alt.Y("expected:Q", scale=alt.Scale(domainMin=0), axis=axis)
    base = CHART.encode(x=across)
    line = base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=up)
    measured = base.transform_filter("isValid(datum.measured)")
    dot = measured.mark_point(filled=True, size=80, opacity=1, color=colours.dice).encode(y=alt.Y("measured:Q", axis=axis))
    name = measured.mark_text(align="left", dx=9, fontSize=13, fontWeight=600, color=colours.text).encode(y="measured:Q", text="label:N")
    return alt.layer(line, dot, name).properties(height=190)


@chart_spec(8)
def two_bars(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """Two bars per token from 0 to the largest: full precision pale, quantized deep. Columns: place, piece, full, rounded, end, label."""
    scale = alt.Scale(domainMin=0, nice=True, rangeMax=alt.ExprRef("width - 110"))
    axis = percent_axis(colours, orient="top", format="~%", values=alt.Undefined, tickCount=3)
    names = grey_axis(colours, labelFontSize=13, labelColor=colours.text, labelLimit=120, minExtent=110)
    base = CHART.encode(y=alt.Y("piece:N", sort=alt.SortField("place"), axis=names))

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    full = base.mark_bar(height=17, color=colours.model, cornerRadius=2).encode(x=x("full"))
    rounded = base.mark_bar(height=7, color=colours.dice, cornerRadius=2).encode(x=x("rounded"))
    label = base.mark_text(align="left", dx=6, fontSize=12, color=colours.muted_text).encode(x=x("end"), text="label:N")
    return alt.layer(full, rounded, label).properties(height=28 * rows)


@chart_spec(8)
def part_heat(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """Parts of the model by layer; stronger = more divergence. Columns: layer, part, damage, tip."""
    cells = CHART.mark_rect(cornerRadius=2, stroke=colours.page, strokeWidth=2).encode(
        x=alt.X("layer:O", sort=None, axis=grey_axis(colours, _("layer"), labelAngle=0)),
        y=alt.Y("part:N", sort=None, axis=grey_axis(colours, minExtent=90)),
        color=alt.Color(
            "damage:Q", legend=None, scale=alt.Scale(type="sqrt", range=[colours.line, colours.dice], domainMin=0, interpolate="rgb")
        ),
        tooltip=tips(("tip", _("divergence"))),
    )
    return alt.layer(cells).properties(height=132)


@chart_spec(8)
def mirrored(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """One token per row: its probability in one model left of its name, in the other model right. Orange: the chosen token.

    Columns: place, piece, left, right (0 to 1), left_label, right_label, chosen (bool).
    """
    across = alt.Scale(domain=[-1, 1], nice=False)
    middle = "(56 / max(240, width / 2))"  # share of the width for the names, on each side of the middle
    share = f"(1 - {middle}) / 1.3"  # scales the bars, so that the number of a bar of 100 % has room
    up = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.25))
    places = {"l0": f"-{middle}", "l1": f"-{middle} - datum.left * {share}", "r0": middle, "r1": f"{middle} + datum.right * {share}"}
    base = CHART.transform_calculate(**places).encode(y=up)

    def bar(start: str, end: str, colour: str) -> Any:
        shade = {"condition": {"test": "datum.chosen", "value": colours.chosen}, "value": colour}
        return base.mark_bar(cornerRadius=3).encode(x=alt.X(f"{start}:Q", scale=across, axis=None), x2=f"{end}:Q", color=shade)

    def number(end: str, text: str, side: Any, dx: int) -> Any:
        label = base.mark_text(align=side, dx=dx, fontSize=12, color=colours.muted_text)
        return label.encode(x=alt.X(f"{end}:Q", scale=across, axis=None), text=f"{text}:N")

    ink = {"condition": {"test": "datum.chosen", "value": colours.chosen_text}, "value": colours.text}
    name = base.mark_text(fontSize=13.5, limit=110).encode(x=alt.datum(0, type="quantitative", scale=across), text="piece:N", color=ink)
    layers = (bar("l0", "l1", colours.dice), bar("r0", "r1", colours.other))
    numbers = (number("l1", "left_label", "right", -6), number("r1", "right_label", "left", 6))
    return alt.layer(*layers, *numbers, name).properties(height=27 * rows)


@chart_spec(8)
def two_surprises(colours: Palette) -> alt.TopLevelMixin:
    """Surprise along a text in bits: one model upwards, the other downwards. Columns: place, up, down (bits), tip."""
    axis = grey_axis(colours, tickCount=5, labelExpr=f"format(abs(datum.value), '~r') + ' {_('bits')}'", minExtent=52, maxExtent=52)
    across = alt.X("place:Q", scale=alt.Scale(nice=False, padding=6), axis=None)
    base = CHART.transform_calculate(under="-datum.down").encode(x=across, tooltip=tips(("tip", _("surprise"))))
    wide = alt.ExprRef("max(2, min(14, 0.7 * width / (1 + domain('x')[1] - domain('x')[0])))")
    above = base.mark_bar(color=colours.dice, size=wide).encode(y=alt.Y("up:Q", axis=axis))
    below = base.mark_bar(color=colours.other, size=wide).encode(y=alt.Y("under:Q", axis=axis))
    return alt.layer(above, below).properties(height=260)


@chart_spec(8)
def over_time(colours: Palette, unit: str = "") -> alt.TopLevelMixin:
    """One or two numbers by seconds, as steps. Columns: seconds, value, series."""
    across = alt.X(
        "seconds:Q",
        scale=alt.Scale(nice=False, domainMin=0),
        axis=grey_axis(colours, tickCount=5, labelExpr="format(datum.value, '~r') + ' s'"),
    )
    axis = grey_axis(colours, tickCount=4, labelExpr=f"datum.label + '{unit}'", minExtent=40, maxExtent=40)
    shade = alt.Color("series:N", sort=None, legend=None, scale=alt.Scale(range=[colours.dice, colours.other]))
    line = CHART.mark_line(interpolate="step-after", strokeWidth=2).encode(x=across, y=alt.Y("value:Q", axis=axis), color=shade)
    return alt.layer(line).properties(height=150)
