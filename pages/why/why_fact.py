"""What Why this token? draws of a traced fact: layers by tokens, and the probabilities when one field is patched."""

from __future__ import annotations

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.why.traced_fact import TracedFact, traced_fact
from core.record.csv_text import csv_text
from pages.ui.charts import before_after_bars
from pages.ui.charts.css_colours import AFTER, BEFORE, Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance, selection
from pages.ui.session.elements import PERSISTENT
from pages.ui.views import chart
from pages.why.effect_bars import CELL, GAPS, word_of

NAME = "why_fact"
PICKED = "why_fact_picked"
LONGEST = 400  # characters of a prompt


def fact_view() -> None:
    """Draw the controls and the result."""
    first, second = next(iter(EXAMPLES.fact_pairs.values()))
    with st.container(horizontal=True, vertical_alignment="center", key="why_pairs"):
        st.caption(_("Try one"), width="content")
        elements.examples(EXAMPLES.fact_pairs, ("why_clean", "why_corrupted"), "why_pair", type="tertiary")
    with st.container(horizontal=True, vertical_alignment="bottom", key="why_fact_controls"):
        widget_options = {"width": 320, **PERSISTENT}
        clean = st.text_input(_("First prompt"), first, key="why_clean", max_chars=LONGEST, **widget_options) or ""
        corrupted = st.text_input(_("Second prompt"), second, key="why_corrupted", max_chars=LONGEST, **widget_options) or ""
        why = _(
            "Puts the activation at the last token of each word into the same word of the other prompt. For words with different numbers "
            "of tokens."
        )
        by_words = st.toggle(_("Align by words"), key="why_aligned", help=why, **PERSISTENT)
        now = provenance.now(first_prompt=clean, second_prompt=corrupted, by_words=by_words or None, prompt=False, settings=False)
        begin = results.starter(NAME, now, lambda: traced_fact(current.model(), clean, corrupted, by_words))
        results.start_button(NAME, _("Trace it"), begin, type="primary", icon=":material/conversion_path:")
    results.part(NAME, now, begin, draw)


def draw(run: Experiment) -> None:
    """Draw the heat map and the bars of the chosen field."""
    result: TracedFact = run.observations[-1]
    if run.running:
        count = len(result.recovered)
        st.progress(count / result.layers, text=_("{done} of {total} layers").format(done=count, total=result.layers))
    answers = _("“{one}” is continued with **{target}**, “{other}” with **{second}**.")
    target, second = (plain(word_of(token)) for token in (result.target, result.other))
    st.markdown(answers.format(target=target, second=second, one=plain(result.prompts[0]), other=plain(result.prompts[1])))
    layer, column = picked(result)
    left, right = st.columns([0.62, 0.38], gap="large")
    with left:
        title = _("How much of “{token}” comes back?").format(token=target)
        elements.section(title, _("activation patching, 0 to 100 %"))
        alt_text = _("One field per layer and token: how much of the first answer comes back when this activation is replaced.")
        rows = patch_rows(result, (layer, column))
        chart.draw(patch_heat, rows, key="why_fact_map", alt_text=alt_text, on_select=field_clicked, layers=result.layers)
        st.caption(
            _(
                "The second prompt is read, and at one field the activation of the first prompt is put in. A high value means: "
                "the activation at this place holds what decides the answer. 100 %: the difference of the two "
                "logits is that of the first prompt."
            )
        )
        elements.table_button(lambda: csv_text(patch_table(result)), "traced_fact.csv", "why_fact_csv")
    with right:
        field_bars(result, layer, column)


def field_bars(result: TracedFact, layer: int, column: int) -> None:
    """Draw the probabilities of both answers before and after the patch at one field."""
    where = _("the embedding") if layer == 0 else _("layer {layer}").format(layer=layer)
    elements.section(_("Patched at “{word}”, {where}").format(word=plain(column_name(result, column)), where=where))
    legend((BEFORE, _("second prompt")), (AFTER, _("second prompt, patched")))
    rows = before_after_bars.before_after_rows((result.target, result.other), result.before, result.chances[layer][column])
    alt_text = _("Two bars for each of the two answers: before and after the patch.")
    chart.draw(before_after_bars.before_after, rows, key="why_fact_bars", alt_text=alt_text, rows=len(rows))
    back = numbers.percent(min(1.0, max(0.0, result.recovered[layer][column])))
    st.caption(_("{share} of the first answer comes back. Click another field.").format(share=back))


def picked(result: TracedFact) -> tuple[int, int]:
    """Return the field that was clicked; else, in a middle layer, the token where most comes back."""
    layer, column = st.session_state.get(PICKED, (-1, -1))
    if 0 <= layer < len(result.recovered) and 0 <= column < len(result.clean):
        return layer, column
    middle = min(len(result.recovered) - 1, result.layers // 2)
    row = result.recovered[middle]
    return middle, max(range(len(row)), key=row.__getitem__)


def field_clicked() -> None:
    """Keep the field that was clicked."""
    entry = selection.picked("why_fact_map")
    if isinstance(entry.get("row"), int) and isinstance(entry.get("place"), int):
        st.session_state[PICKED] = (entry["row"], entry["place"])


def patch_rows(result: TracedFact, chosen: tuple[int, int]) -> pd.DataFrame:
    """Return one row per layer and column. Columns: see `patch_heat`. chosen: layer and column."""
    rows = []
    for layer, (recovered, chances) in enumerate(zip(result.recovered, result.chances, strict=True)):
        for column, (share, (target_share, other_share)) in enumerate(zip(recovered, chances, strict=True)):
            rows.append(
                {
                    "row": layer,
                    "place": column,
                    "layer": str(layer) if layer else _("embedding"),
                    "column": f"{column}|{column_name(result, column)}",
                    "effect": share,
                    "share_text": numbers.percent(min(1.0, max(0.0, share))),
                    "tip": f"{result.target} {numbers.percent(target_share)}, {result.other} {numbers.percent(other_share)}",
                    "chosen": (layer, column) == chosen,
                }
            )
    return pd.DataFrame(rows)


def column_name(result: TracedFact, column: int) -> str:
    """Return the word of a column; where the prompts differ, both words."""
    clean_word, corrupted_word = (row[column].strip() or row[column] for row in (result.clean, result.corrupted))
    return clean_word if clean_word == corrupted_word else f"{corrupted_word} ← {clean_word}"


def patch_table(result: TracedFact) -> pd.DataFrame:
    """Return all fields for a file. Columns: layer (0 is the embedding), token, recovered, target_probability, other_probability."""
    return pd.DataFrame(
        [
            {
                "layer": layer,
                "token": result.clean[column],
                "recovered": share,
                "target_probability": target_share,
                "other_probability": other_share,
            }
            for layer, (recovered, chances) in enumerate(zip(result.recovered, result.chances, strict=True))
            for column, (share, (target_share, other_share)) in enumerate(zip(recovered, chances, strict=True))
        ]
    )


@chart_spec(16)
def patch_heat(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """One field per layer and token: how much of the first answer comes back; a click picks it.

    Columns: layer (text), column ("3|␣hot"), effect (0 to 1), share_text, tip, chosen.
    """
    pick = alt.selection_point(name="pick", fields=["row", "place"], on="click", toggle=False, clear=False)
    across = alt.X(
        "column:O",
        sort=None,
        scale=GAPS,
        axis=grey_axis(
            colours, orient="top", labelAngle=0, labelFontSize=13, labelColor=colours.text, labelExpr="split(datum.label, '|')[1]"
        ),
    )
    base = CHART.encode(x=across, y=alt.Y("layer:O", sort=None, scale=GAPS, axis=grey_axis(colours, _("layer"), minExtent=70)))
    scale = alt.Scale(domain=[0, 1], range=[colours.line, colours.dice], interpolate="rgb", clamp=True)
    edge = {"condition": {"test": "datum.chosen", "value": colours.text}, "value": "transparent"}
    cells = base.mark_rect(cornerRadius=3, strokeWidth=2).encode(color=alt.Color("effect:Q", legend=None, scale=scale), stroke=edge)
    ink = {"condition": {"test": "datum.effect > 0.55", "value": colours.on_dice}, "value": colours.text}
    numbers = base.mark_text(fontSize=11, tooltip=None).encode(text="share_text:N", color=ink)
    card = tips(("share_text", _("comes back")), ("tip", _("with the patch")))
    fields = base.mark_rect(opacity=0, cursor="pointer").encode(tooltip=card).add_params(pick)  # above the numbers, to take every click
    return alt.layer(cells, numbers, fields).properties(height=CELL * layers)
