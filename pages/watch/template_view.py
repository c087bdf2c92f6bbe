"""Is the template right?: the check of a conversation's template, and the text that a server logged beside it."""

from __future__ import annotations

import streamlit as st

from core.experiments.shared.template_check import LONGEST_LOG, first_difference, template_check
from pages.ui.experiments import results
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.views.template_check import NAME, draw


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


def compared(text: str) -> str:
    """Return in one sentence where a logged text differs first from this conversation in the template."""
    difference = first_difference(current.model(), current.run().prompt_tokens, text)
    if difference is None:
        return _("The text is the same as here, token for token.")
    sentence = _("They differ first at token {place}, after “{before}”: here “{ours}”, in the log “{theirs}”.")
    ours, theirs = (plain(piece) or _("the end") for piece in (difference.ours, difference.theirs))
    return sentence.format(place=numbers.whole(difference.place + 1), before=plain(difference.before), ours=ours, theirs=theirs)
