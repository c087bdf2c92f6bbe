"""Is the template right?: its tokens tinted by the model's surprise, a verdict, and the text that a server logged beside it."""

from __future__ import annotations

import math

import streamlit as st

from core.experiments.watch import LONGEST_LOG, TemplateCheck, first_difference, template_check
from pages.ui.charts.css_colours import DARKEST
from pages.ui.charts.step_tables import Word
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary

NAME = "watch_template"
MOST_BITS = 12.0  # surprise at which a tint is full


def template_view() -> None:
    """Draw the closed part of the page that checks the template of this conversation."""
    with st.expander(_("Is the template right?"), icon=":material/rule:", key=NAME, on_change="rerun") as opened, drawing_boundary():
        if not opened.open:
            return
        run = current.run()
        now = provenance.now(settings=False)
        begin = results.starter(NAME, now, lambda: template_check(current.model(), run.messages, run.template_arguments))
        results.start_button(NAME, _("Check the template"), begin, icon=":material/rule:")
        results.part(NAME, now, begin, draw, _("Press the button: the model reads this conversation in its template."))
        elements.section(_("What did your program send?"))
        hint = _("Paste the prompt as a server logged it, with all tokens of the template.")
        text = st.text_area(hint, key=f"{NAME}_log", max_chars=LONGEST_LOG, height=90, **PERSISTENT) or ""
        if text:
            st.markdown(compared(text))


def draw(run: Experiment) -> None:
    """Draw the verdict, and the tokens of the template tinted by the surprise."""
    seen: TemplateCheck = run.seen[-1]
    st.markdown("  \n".join(f"**{plain(_(fault))}**" for fault in seen.faults) or _("**No fault was found.**"))
    if math.isnan(seen.bits):
        st.caption(_("This server gives no probabilities of a text, so the surprise is missing."))
    else:
        sentence = _(
            "Surprise at the end token after a complete answer: {end}. At all tokens of the template: {bits} on average; many models "
            "learned only the end token."
        )
        end = "–" if math.isnan(seen.end_bits) else numbers.bits(seen.end_bits)
        st.caption(sentence.format(end=end, bits=numbers.bits(seen.bits)))
    words = [
        Word(piece) if bits is None else Word(piece, "doubt", DARKEST * min(1.0, bits / MOST_BITS), lines=(numbers.bits(bits),))
        for piece, bits in zip(seen.pieces, seen.surprises, strict=True)
    ]
    alt_text = _("The conversation; the tokens of the template are tinted by the model's surprise.")
    scored_text(words, key=f"{NAME}_text", alt_text=alt_text, size="1rem", max_height="20rem")


def compared(text: str) -> str:
    """Return in one sentence where a logged text differs first from this conversation in the template."""
    difference = first_difference(current.model(), current.run().prompt_tokens, text)
    if difference is None:
        return _("The text is the same as here, token for token.")
    sentence = _("They differ first at token {place}, after “{before}”: here “{ours}”, in the log “{theirs}”.")
    ours, theirs = (plain(piece) or _("the end") for piece in (difference.ours, difference.theirs))
    return sentence.format(place=numbers.whole(difference.place + 1), before=plain(difference.before), ours=ours, theirs=theirs)
