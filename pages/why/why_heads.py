"""What Why this token? draws of attention heads: which mattered, what a head attends to, and how the text goes on without some."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from core.engine.switched_off_heads import Head
from core.experiments.why.ablated_heads import AblatedHeads, WithoutHeads, ablated_heads, without_heads
from core.record.csv_text import csv_text
from pages.ui.charts import before_after_bars
from pages.ui.charts.css_colours import AFTER, BEFORE, LOWERS, RAISES, Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.charts.step_tables import Word
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments import experiment, results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import names, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, elements, provenance, selection
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.selection import ExplainedToken
from pages.ui.views import chart
from pages.ui.views.why_token import choose, choose_other
from pages.why.effect_bars import BIT, CELL, GAPS, draw_directions, signed_bits, word_of

NAME, WITHOUT = "why_heads", "why_without"
PICKED = "why_heads_picked"  # the head that was clicked


def heads_view(token: ExplainedToken) -> None:
    """Draw the controls and the results."""
    model = current.model()
    with st.container(horizontal=True, vertical_alignment="bottom", key="why_heads_controls"):
        target = choose(token)
        against = choose_other(token, target)
        other = None if against is None else model.piece(against)
        instead = _("What takes the place of the head's output: zero, or its mean over this text, which keeps what it always adds.")
        widget_options = {"format_func": said(names.HEAD_VALUES).__getitem__, "help": instead}
        value = elements.choice(_("A switched-off head gives"), list(names.HEAD_VALUES), "zero", "why_value", **widget_options)
        now = provenance.now(
            head_value=value, token=model.piece(target), against=other, text_before=token.text, prompt=False, settings=False
        )
        begin = results.starter(NAME, now, lambda: ablated_heads(model, token.ids, target, token.texts, value, against))
        results.start_button(NAME, _("Switch off each head"), begin, type="primary", icon=":material/power_settings_new:")
    results.part(NAME, now, begin, draw)
    if token.from_run:
        go_on()


def draw(run: Experiment) -> None:
    """Draw the heat map, and what the chosen head attends to."""
    result: AblatedHeads = run.observations[-1]
    if run.running:
        st.progress(min(1.0, result.done / result.total), text=_("{done} of {total} heads").format(done=result.done, total=result.total))
    head = picked(result)
    left, right = st.columns(2, gap="large")
    with left:
        word = plain(word_of(result.target, result.against))
        elements.section(_("Which head mattered?"), _("change of the log-probability of “{token}”").format(token=word))
        draw_directions(result.target, result.against, (_("raises its probability"), _("lowers it")))
        alt_text = _("One field per attention head, layers from top to bottom, coloured by how much it raises or lowers the probability.")
        rows, layers = head_rows(result, [head]), len(result.effects)
        chart.draw(head_heat, rows, key="why_heads_map", alt_text=alt_text, on_select=head_clicked, layers=layers)
        effect = result.effects[head[0]][head[1]]
        sentence = _("{head}: {bits}. Without it, the probability of “{token}” is {after} instead of {before}. Click another head.")
        values = {
            "token": word,
            "after": numbers.percent(result.without(effect or 0.0)),
            "before": numbers.percent(result.probability),
        }
        st.caption(sentence.format(head=head_name(head), bits=signed_bits(effect or 0.0), **values))
        elements.table_button(lambda: csv_text(head_table(result)), "heads.csv", "why_heads_csv")
    with right:
        elements.section(_("What does it look at?"), _("attention of the last position; {head}").format(head=head_name(head)))
        if result.attention:
            alt_text = _("The text; the stronger the tint of a token, the more attention it got.")
            scored_text(attention_words(result, head), key="why_heads_gaze", alt_text=alt_text, max_height="16rem")
        elif not run.running:
            st.caption(_("This architecture does not give its true attention weights, so they are not shown."))


def picked(result: AblatedHeads) -> Head:
    """Return the head that was clicked, or the one with the largest effect."""
    layer, head = st.session_state.get(PICKED, (-1, -1))
    inside = 0 <= layer < len(result.effects) and 0 <= head < len(result.effects[layer])
    return (layer, head) if inside else result.strongest()


def head_clicked() -> None:
    """Keep the head that was clicked."""
    entry = selection.picked("why_heads_map")
    if isinstance(entry.get("layer"), int) and isinstance(entry.get("head"), int):
        st.session_state[PICKED] = (entry["layer"] - 1, entry["head"] - 1)


def go_on() -> None:
    """Draw the choice of heads that are switched off together, and the text that goes on without them."""
    elements.section(_("And without several of them?"), _("ablation; the same dice"))
    model = current.model()
    measured = experiment.started_or_recorded(NAME).observations
    strongest = measured[-1].strongest() if measured else (0, 0)
    options = [(layer, head) for layer in range(model.shape.layer_count) for head in range(model.shape.head_count)]
    usual = [strongest] if strongest in options else []
    with st.container(horizontal=True, vertical_alignment="bottom", key="why_without_controls"):
        label = _("Switched off")
        chosen = st.multiselect(label, options, usual, key=f"why_off_{strongest}", format_func=head_name, width=420, **PERSISTENT)
        heads = sorted(set(chosen))  # a browser can name one twice, and in any order
        now = provenance.now(heads=str(heads), text_before=current.run().text, prompt=False)

        def write() -> Iterator[WithoutHeads]:
            run = current.run()
            written = [step.token_id for step in run.path]
            prompt = run.messages if run.messages and current.as_chat() else run.prompt
            return without_heads(model, prompt, written, heads, current.settings())

        begin = results.starter(WITHOUT, now, write)
        results.start_button(WITHOUT, _("Go on without them"), begin, icon=":material/fork_right:")
    results.part(WITHOUT, now, begin, draw_without)


def draw_without(run: Experiment) -> None:
    """Draw the bars before and after, and both texts."""
    result: WithoutHeads = run.observations[-1]
    left, right = st.columns(2, gap="large")
    with left:
        legend((BEFORE, _("all heads")), (AFTER, _("without these heads")))
        rows = before_after_bars.before_after_rows(result.pieces, result.usual, result.changed)
        alt_text = _("Two bars per token: its probability with all heads, and without the switched-off ones.")
        chart.draw(before_after_bars.before_after, rows, key="why_without_bars", alt_text=alt_text, rows=len(rows))
    with right:
        for title, text in ((_("all heads"), result.usual_text), (_("without these heads"), result.changed_text)):
            st.caption(title)
            st.markdown(plain(text) or "…")


def head_rows(result: AblatedHeads, chosen: Sequence[tuple[int, int]]) -> pd.DataFrame:
    """Return one row per measured head. Columns: see `head_heat`."""
    measured = [(layer, head, effect) for layer, row in enumerate(result.effects) for head, effect in enumerate(row) if effect is not None]
    most = max((abs(effect) for _layer, _head, effect in measured), default=0.0)
    return pd.DataFrame(
        [
            {
                "layer": layer + 1,
                "head": head + 1,
                "effect": effect / BIT,
                "share": effect / most if most else 0.0,
                "name": head_name((layer, head)),
                "tip": signed_bits(effect),
                "chosen": (layer, head) in chosen,
            }
            for layer, head, effect in measured
        ]
    )


def head_name(head: tuple[int, int]) -> str:
    """Return the name of a head."""
    return _("layer {layer}, head {head}").format(layer=head[0] + 1, head=head[1] + 1)


def attention_words(result: AblatedHeads, head: tuple[int, int]) -> list[Word]:
    """Return the text tinted by what the last position attends to in this head."""
    shares = result.attention[head[0]][head[1]]
    return [
        Word(text, "text", 0.4 * math.sqrt(share), lines=(numbers.percent(share),))
        for text, share in zip(result.texts, shares, strict=True)
    ]


def head_table(result: AblatedHeads) -> pd.DataFrame:
    """Return all heads for a file. Columns: layer, head, effect_bits."""
    return head_rows(result, ())[["layer", "head", "effect"]].rename(columns={"effect": "effect_bits"})


def _diverging(colours: Palette) -> alt.Color:
    """Return the colour of a share of the largest effect."""
    scale = alt.Scale(
        domain=[-1, 0, 1], range=[getattr(colours, LOWERS), colours.line, getattr(colours, RAISES)], interpolate="rgb", clamp=True
    )
    return alt.Color("share:Q", legend=None, scale=scale)


@chart_spec(16)
def head_heat(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """One field per attention head, layers from top to bottom; a click picks it. Columns: layer, head, effect, share, name, tip, chosen.

    share: of the largest effect, -1 to 1.
    """
    pick = alt.selection_point(name="pick", fields=["layer", "head"], on="click", toggle=False, clear=False)
    base = CHART.encode(
        x=alt.X("head:O", scale=GAPS, axis=grey_axis(colours, _("head"), labelAngle=0, orient="top")),
        y=alt.Y("layer:O", scale=GAPS, axis=grey_axis(colours, _("layer"))),
    )
    edge = {"condition": {"test": "datum.chosen", "value": colours.text}, "value": "transparent"}
    cells = base.mark_rect(cornerRadius=3, strokeWidth=2, cursor="pointer").encode(
        color=_diverging(colours), stroke=edge, tooltip=tips(("name", _("head")), ("tip", _("effect")))
    )
    return alt.layer(cells.add_params(pick)).properties(height=max(120, CELL * layers))
