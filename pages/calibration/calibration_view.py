"""What Sure or true? draws: the curve of predicted and observed probabilities at a temperature, its distance, and a die."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.calibration import DIE, TEMPERATURES, Calibration
from core.record.csv_text import csv_text
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, percent_axis, tips, two_sides
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import elements
from pages.ui.session.elements import PERSISTENT
from pages.ui.views import chart

AT = "calibration_temperature"
FEW = 1_000  # tokens
SEVEN = 0.7  # where the bin of the question begins


@chart_spec(8)
def curve(colours: Palette) -> alt.TopLevelMixin:
    """Predicted against observed probabilities with their intervals, and the diagonal. Columns: side, and those of `bins_table`."""
    unit, quarters = alt.Scale(domain=[0, 1]), (0, 0.25, 0.5, 0.75, 1)
    x = alt.X("predicted:Q", axis=percent_axis(colours, *quarters, format="%", title=_("predicted")), scale=unit)
    y = alt.Y("observed:Q", axis=percent_axis(colours, *quarters, format="%", title=_("followed")), scale=unit)
    base = CHART.encode(x=x, y=y, color=two_sides(colours))
    diagonal = CHART.mark_rule(color=colours.muted_text, strokeDash=[4, 4]).encode(
        x=alt.datum(0, scale=unit), y=alt.datum(0, scale=unit), x2=alt.datum(1), y2=alt.datum(1)
    )
    spread = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(y=alt.Y("low:Q", scale=unit), y2="high:Q")
    points = base.mark_point(filled=True, size=70, opacity=1).encode(tooltip=tips(("tip", _("followed"))))
    return alt.layer(diagonal, base.mark_line(strokeWidth=1.5), spread, points).properties(height=380)


def bins_table(observations: list[Calibration], temperatures: Sequence[float] = TEMPERATURES) -> pd.DataFrame:
    """Return the bins of these models at some temperatures. Columns: side ("one", "other"), model, temperature, those of `Bin`, tip."""
    sentence = _("{share} of {count}, interval of 95 %: {low} to {high}")
    return pd.DataFrame(
        {"side": side, "model": model.model, "temperature": temperature, **asdict(part)}
        | {
            "tip": sentence.format(
                count=numbers.whole(part.count), **dict(zip(("share", "low", "high"), map(numbers.percent, ends), strict=True))
            )
        }
        for side, model in zip(("one", "other"), observations, strict=False)
        for temperature in temperatures
        for part in model.bins(temperature)
        for ends in [(part.observed, part.low, part.high)]
    )


def draw(run: Experiment) -> None:
    """Draw the curve of what is read, the temperature, the distances and the die."""
    last: Calibration = run.observations[-1]
    if run.running and not last.counts:
        sentence = _("Reading: {done} of {total} tokens").format(done=numbers.whole(last.done), total=numbers.whole(last.total))
        st.progress(min(1.0, last.done / max(1, last.total)), text=sentence)
    observations = [part for part in run.observations if part.counts]
    if not observations:
        return
    left, right = st.columns(2, gap="large")
    with right:
        shown: dict[str, Any] = {"format_func": lambda value: numbers.decimal(value, 1), **PERSISTENT}
        temperature = float(st.select_slider(_("Temperature of the curve"), TEMPERATURES, 1.0, key=AT, **shown))
        distances(observations, temperature)
    with left:
        legend(*((side, title(part)) for side, part in zip(("dice", "other"), observations, strict=False)))
        alt_text = _("For each range of probabilities, how many of their tokens followed. On the diagonal, both are equal.")
        chart.draw(curve, bins_table(observations, [temperature]), key="calibration_curve", alt_text=alt_text, title=_("Sure or true?"))
        elements.table_button(
            lambda: csv_text(bins_table(observations).drop(columns=["side", "tip"])), "calibration.csv", "calibration_csv"
        )
    if rows := [(title(part), *map(numbers.percent, part.die)) for part in observations if part.die]:
        elements.section(_("Where the truth is known"), _("a fair die: {share} each").format(share=numbers.percent(1 / 6)))
        elements.table((DIE, *map(str, range(1, 7))), rows)
        st.caption(_("The bundled models learned dice from fair rolls. A face counts with its full stop, at temperature 1."))


def title(result: Calibration) -> str:
    """Return the title of a model."""
    return plain(offered_models.title(result.model))


def verdict(result: Calibration, temperature: float) -> str:
    """Say in how many ranges as many tokens followed as the model said, and where it said too little or too much."""
    bins = result.bins(temperature)
    modest, bold = sum(part.low > part.predicted for part in bins), sum(part.high < part.predicted for part in bins)
    sentence = _(
        "{model}: in {fits} of {count} ranges as many tokens followed as it said, within the interval; in {modest} more, in {bold} fewer."
    )
    counts = {"fits": len(bins) - modest - bold, "count": len(bins), "modest": modest, "bold": bold}
    return sentence.format(model=title(result), **{name: numbers.whole(count) for name, count in counts.items()})


def distances(observations: list[Calibration], temperature: float) -> None:
    """Draw the distance of each model from the diagonal, and what it says and does not say."""
    heads = (_("model"), _("of 70 to 80 %, followed"), _("distance"), _("nearest at temperature"), _("tokens"))
    rows = []
    for model in observations:
        seven = next((part for part in model.bins(temperature) if part.start == SEVEN), None)
        followed = (
            "–"
            if seven is None
            else _("{share} of {count}").format(share=numbers.percent(seven.observed), count=numbers.whole(seven.count))
        )
        best = numbers.decimal(model.best(), 1)
        rows.append((title(model), followed, numbers.percent(model.distance(temperature)), best, numbers.whole(model.places)))
    elements.table(heads, rows)
    if min(part.places for part in observations) < FEW:
        few = _("Fewer than {few} tokens: the intervals are wide, and the distance is mostly chance. Use a longer text.")
        st.markdown(few.format(few=numbers.whole(FEW)))
    for model in observations:
        st.markdown(verdict(model, temperature))
    st.caption(_("Thin vertical lines: 95 % intervals. Above the diagonal, more tokens followed than the model said; below it, fewer."))
    st.caption(_("Distance: how far the points are from the diagonal, each weighted by the probability in its range of 10 % (Full-ECE)."))
    st.caption(_("Near the diagonal, a model knows how often such a text goes on like this. It says nothing of facts, or of other texts."))
