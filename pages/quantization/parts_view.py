"""What rounding each part of the model alone changes."""

from __future__ import annotations

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.quantization.rounded_weights import PartDamage
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _
from pages.ui.views import chart


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


def draw(run: Experiment) -> None:
    """Draw the damage of each part alone."""
    damages: list[PartDamage] = list(run.observations)
    st.caption(
        _("One part with {bits} bits, all others in full precision. Mean divergence along the same text, nats.").format(bits=run.about)
    )
    rows = [
        {
            "layer": _("head") if part_damage.layer < 0 else str(part_damage.layer + 1),
            "part": part_damage.name,
            "damage": part_damage.mean_kl,
            "tip": _("{count} nats").format(count=written(part_damage.mean_kl, ".2g")),
        }
        for part_damage in damages
    ]
    title, layers = _("Which part changes the probabilities most?"), len({part_damage.layer for part_damage in damages})
    chart.draw(part_heat, pd.DataFrame(rows), key="quantization_heat", alt_text=title, layers=layers)
