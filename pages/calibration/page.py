"""Sure or true?: predicted and observed probabilities of every token of a text, at any temperature."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from core.experiments.calibration import TEMPERATURES, Calibration, calibrations, unread_stories
from pages.calibration import NOBODY, OWN, STORIES, TEXT_NAMES, TEXTS
from pages.calibration.calibration_view import AT, draw
from pages.ui import features
from pages.ui.experiments import results
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import _, said
from pages.ui.server import offered_models
from pages.ui.session import current, elements, linked_controls, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.linked_controls import Linked, LinkedControl
from pages.ui.shell import frame

frame.page()
NAME = "calibration"
LONGEST = 60_000  # characters


def usual_beside() -> str:
    """Return the pupil of the visitor's model, if it is here."""
    mini = f"{current.model_name()}-mini"
    return mini if mini in current.model_names() else NOBODY


def controls() -> None:
    """Draw the controls, the button and the result."""
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{NAME}_controls"):
        kind = elements.choice(_("Text"), TEXTS, STORIES, f"{NAME}_text_of", format_func=said(TEXT_NAMES).__getitem__)
        others = [NOBODY, *(name for name in current.model_names() if name != current.model_name())]
        usual = others.index(usual_beside())
        titles = {name: offered_models.title(name) if name != NOBODY else "–" for name in others}
        beside = st.selectbox(_("Beside it"), others, usual, key=f"{NAME}_beside", format_func=titles.__getitem__, width=200, **PERSISTENT)
        button_home = st.container()
    text = ""
    if kind == OWN:
        first = next(iter(EXAMPLES.to_read.values()))
        text = st.text_area(_("Your own text"), first, key=f"{NAME}_text", height=108, max_chars=LONGEST, **PERSISTENT) or ""
    now = provenance.now(read_text=kind, beside=beside, text_before=text or None, prompt=False, settings=False)

    def read() -> Iterator[Calibration]:
        models = [current.model(), *([] if beside == NOBODY else [current.model_named(beside)])]
        return calibrations(models, unread_stories() if kind == STORIES else [text])

    begin = results.starter(NAME, now, read)
    with button_home:
        results.start_button(NAME, _("Read and count"), begin, type="primary", icon=":material/straighten:")
    results.part(NAME, now, begin, draw, _("Press the button: the model reads the text, and each of its probabilities is counted."))


frame.header(
    _("Sure or true?"),
    _("calibration"),
    _("Of all tokens that got a probability of 70 %, did seven of ten follow? Every probability at every place of a text counts."),
)
with drawing_boundary():
    linked: Linked = {
        "at": LinkedControl(AT, 1.0, TEMPERATURES),
        "read": LinkedControl(f"{NAME}_text_of", STORIES, TEXTS),
        "beside": LinkedControl(f"{NAME}_beside", usual_beside(), (NOBODY, *current.model_names())),
        "text": LinkedControl(f"{NAME}_text", next(iter(EXAMPLES.to_read.values()))),
    }
    linked_controls.read(linked)
    controls()
    linked_controls.write(linked)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="calibration_words"):
        st.caption(_("How sure was the model of one word, or of one field of an answer?"), width="content")
        st.page_link(features.file_of("read"), label=_("Read a text"), icon=":material/menu_book:", width="content")
