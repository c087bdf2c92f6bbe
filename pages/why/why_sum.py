"""What Why this token? draws of a logit: the parts of the network that add up to it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.experiments.why.logit_sum import LogitSum, logit_sum
from core.inspection.attribution.logit_parts import ATTENTION, CONSTANT, EMBEDDING, FEED_FORWARD, HEAD, LogitPart
from core.record.csv_text import csv_text
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.selection import ExplainedToken
from pages.ui.views import chart
from pages.ui.views.why_token import choose, choose_other
from pages.why.effect_bars import draw_directions, shortened, signed_bars, word_of

PART_NAMES = {
    EMBEDDING: N_("embedding"),
    ATTENTION: N_("layer {layer}, attention"),
    HEAD: N_("layer {layer}, head {head}"),
    FEED_FORWARD: N_("layer {layer}, feed-forward"),
    CONSTANT: N_("constant (biases)"),
}
NAME = "why_sum"
MOST_HEADS = 20  # bars of single heads


def sum_view(token: ExplainedToken) -> None:
    """Draw the controls and the result."""
    model = current.model()
    with st.container(horizontal=True, vertical_alignment="bottom", key="why_sum_controls"):
        target = choose(token)
        against = choose_other(token, target)
        other = None if against is None else model.piece(against)
        st.toggle(_("Each head"), key="why_sum_heads", help=_("Show what each attention head adds, the largest first."), **PERSISTENT)
        now = provenance.now(token=model.piece(target), against=other, text_before=token.text, prompt=False, settings=False)
        begin = results.starter(NAME, now, lambda: logit_sum(model, token.ids, target, token.texts, against))
        results.start_button(NAME, _("Add it up"), begin, type="primary", icon=":material/functions:")
    results.part(NAME, now, begin, draw)


def draw(run: Experiment) -> None:
    """Draw the summands, and their sum beside the logit."""
    result: LogitSum = run.observations[-1]
    parts = result.parts
    if current.field("why_sum_heads"):
        parts = tuple(sorted(result.heads, key=lambda part: -abs(part.value))[:MOST_HEADS])
    text = "".join(text for text in result.texts if not text.startswith("⟨")).replace("␣", " ")
    values = {"token": plain(word_of(result.target, result.against)), "text": plain(shortened(text.strip(), 60))}
    elements.section(_("What adds up to “{token}” after “{text}”?").format(**values), _("logit"))
    total = _("The parts add up to **{total}**; the logit of the model is **{logit}**.")
    if result.against:
        total = _("The parts add up to **{total}**; the difference of both logits is **{logit}**.")
    st.markdown(total.format(total=numbers.decimal(result.sum, 4), logit=numbers.decimal(result.logit, 4)))
    draw_directions(result.target, result.against, (_("raises the score"), _("lowers it")), shares=False)
    alt_text = _("Bars: what each part of the network adds to the logit of the token.")
    chart.draw(signed_bars, sum_rows(parts), key="why_sum_bars", alt_text=alt_text, rows=len(parts))
    if len(parts) < len(result.heads) and current.field("why_sum_heads"):
        st.caption(_("The {shown} largest of {count} parts; the file has all of them.").format(shown=len(parts), count=len(result.heads)))
    st.caption(
        _(
            "The final normalisation divides the sum of all parts by one number. Here this number is held fixed, so that the parts can be "
            "added. A logit alone means little: what counts is its distance to the logits of other tokens."
        )
    )
    elements.table_button(lambda: csv_text(sum_table((*result.parts, *result.heads))), "logit_sum.csv", "why_sum_csv")


def part_name(part: LogitPart) -> str:
    """Return the name of a summand of a logit."""
    return _(PART_NAMES[part.kind]).format(layer=part.layer + 1, head=part.head + 1)


def sum_rows(parts: Sequence[LogitPart]) -> pd.DataFrame:
    """Return the summands of a logit. Columns: see `signed_bars`."""
    rows = []
    for row, part in enumerate(parts):
        label = numbers.decimal(part.value, 2)
        rows.append({"place": row, "part": part_name(part), "effect": part.value, "second": None, "label": label, "tip": label})
    return pd.DataFrame(rows, columns=["place", "part", "effect", "second", "label", "tip"])


def sum_table(parts: Sequence[LogitPart]) -> pd.DataFrame:
    """Return the summands of a logit for a file. Columns: part, logit."""
    return pd.DataFrame([{"part": part.name, "logit": part.value} for part in parts])
