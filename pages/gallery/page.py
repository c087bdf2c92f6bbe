"""The gallery: recorded runs and experiments, shown without a model; and the visitor's own files."""

from __future__ import annotations

import streamlit as st

from core.errors import BadRecording
from core.experiments.shared import prepared_runs
from pages.gallery import gallery
from pages.ui import features
from pages.ui.experiments import experiment, stored_results
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import elements, upload_field
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame

frame.page()
ACROSS = 3


def text_card(name: str) -> None:
    """Draw the card of one recorded run."""
    title, point = gallery.RUNS[name]
    with st.container(border=True, gap="xsmall", height="stretch", key=f"gallery_{name}"):
        st.markdown(f"**{_(title)}**")
        st.caption(_(point))
        try:
            shown = gallery.card(name)
        except BadRecording:
            st.caption(_("This recording cannot be read."))
            return
        st.text(shown.excerpt)
        origin = _("{model} · {tokens}").format(model=offered_models.title(shown.model), tokens=numbers.tokens(shown.tokens))
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.caption(origin, width="content")
            if elements.pressed(_("Open"), icon=":material/play_circle:", key=f"gallery_open_{name}"):
                gallery.open_run(name)
                st.switch_page(features.file_of("watch"))


def experiment_card(name: str) -> None:
    """Draw the card of one recorded experiment."""
    result = gallery.result_of(name)
    title, point = result.card or ("", "")
    with st.container(border=True, gap="xsmall", height="stretch", key=f"gallery_{name}"):
        st.markdown(f"**{_(title)}**")
        st.caption(_(point))
        recording = stored_results.bundled(name)
        if recording is None:
            st.caption(_("This recording cannot be read."))
            return
        origin = _("{model} · {day}").format(model=gallery.model_title(recording), day=numbers.day(recording.recorded_on))
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.caption(origin, width="content")
            if elements.pressed(_("Open"), icon=":material/play_circle:", key=f"gallery_open_{name}"):
                gallery.open_experiment(recording)
                experiment.play_again(name)
                st.switch_page(features.file_of(result.page))


def shelf(names: list[str], card: object) -> None:
    """Draw cards, three in a row."""
    for first in range(0, len(names), ACROSS):
        for home, name in zip(st.columns(ACROSS, gap="medium"), names[first : first + ACROSS], strict=False):
            with home:
                card(name)  # type: ignore[operator]


def own_file() -> None:
    """Draw the field for a saved file: a run opens on Watch, an experiment on its page."""
    upload_field.upload_field(_("A saved run or experiment"), "gallery_file", ["json", "gz"], gallery.file_uploaded)
    elements.notices("gallery_file")
    page = gallery.opened_page()
    if page is not None:
        st.page_link(
            features.file_of(page),
            label=_("Go to “{title}”").format(title=features.title_of(page)),
            icon=":material/arrow_forward:",
            width="content",
        )


frame.header(
    _("Recorded runs and experiments"),
    _("recordings"),
    _("Each was written by a model and saved with all its numbers. They play without a model and without a network."),
)
with drawing_boundary():
    elements.section(_("Texts"), _("open on Watch"))
    shelf([example.name for example in prepared_runs.PREPARED], text_card)
    elements.section(_("Experiments"), _("open on their page"))
    shelf([result.name for result in features.recorded() if result.card], experiment_card)
    elements.section(_("Open a file"))
    own_file()
