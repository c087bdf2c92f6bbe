"""The check of a chat template as a result: its verdict, and its tokens tinted by the model's surprise."""

from __future__ import annotations

import math

import streamlit as st

from core.experiments.shared.template_check import TemplateCheck
from pages.ui.charts.css_colours import DARKEST
from pages.ui.charts.step_tables import Word
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _

NAME = "watch_template"
MOST_BITS = 12.0  # surprise at which a tint is full


def draw(run: Experiment) -> None:
    """Draw the verdict, and the tokens of the template tinted by the surprise."""
    result: TemplateCheck = run.observations[-1]
    st.markdown("  \n".join(f"**{plain(_(fault))}**" for fault in result.faults) or _("**No fault was found.**"))
    if math.isnan(result.bits):
        st.caption(_("This server gives no probabilities of a text, so the surprise is missing."))
    else:
        sentence = _(
            "Surprise at the end token after a complete answer: {end}. At all tokens of the template: {bits} on average; many models "
            "learned only the end token. Another template with the same end token would pass, too."
        )
        end = "–" if math.isnan(result.end_bits) else numbers.bits(result.end_bits)
        st.caption(sentence.format(end=end, bits=numbers.bits(result.bits)))
    words = [
        Word(piece) if bits is None else Word(piece, "doubt", DARKEST * min(1.0, bits / MOST_BITS), lines=(numbers.bits(bits),))
        for piece, bits in zip(result.pieces, result.surprises, strict=True)
    ]
    alt_text = _("The conversation; the tokens of the template are tinted by the model's surprise.")
    scored_text(words, key=f"{NAME}_text", alt_text=alt_text, size="1rem", max_height="20rem")
