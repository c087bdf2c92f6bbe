"""The gallery: real runs and experiments that were kept, each for one point, to be shown without any model; and files of one's own."""

from __future__ import annotations

import streamlit as st

from core.errors import BadRecording
from core.labs import prepared
from pages.parts.layout import frame, navigation, results
from pages.parts.runtime import experiment, gallery, loaded_models
from pages.parts.session import opened_recording
from pages.parts.text import gallery_words as words
from pages.parts.text import what_if_words

frame.page()
ACROSS = 3


def text_card(name: str) -> None:
    """One prepared run: what it shows, how it begins, who wrote it."""
    title, point = words.RUNS_SHOWN[name]
    with st.container(border=True, gap="xsmall", height="stretch", key=f"gallery_{name}"):
        st.markdown(f"**{title}**")
        st.caption(point)
        try:
            shown = gallery.card(name)
        except BadRecording:
            st.caption(words.BROKEN)
            return
        st.text(shown.excerpt)
        made = words.MADE_OF.format(model=loaded_models.title(shown.model), tokens=what_if_words.tokens(shown.tokens))
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.caption(made, width="content")
            if st.button(words.OPEN, icon=":material/play_circle:", key=f"gallery_open_{name}"):
                gallery.open_run(name)
                st.switch_page(frame.PAGES / "watch.py")


def experiment_card(name: str) -> None:
    """One recorded experiment."""
    page, title, point = words.EXPERIMENTS_SHOWN[name]
    with st.container(border=True, gap="xsmall", height="stretch", key=f"gallery_{name}"):
        st.markdown(f"**{title}**")
        st.caption(point)
        known = gallery.experiment_recording(name)
        if known is None:
            st.caption(words.BROKEN)
            return
        made = words.MADE_ON.format(model=gallery.maker(known), day=results.day(known.recorded_on))
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.caption(made, width="content")
            if st.button(words.OPEN, icon=":material/play_circle:", key=f"gallery_open_{name}"):
                gallery.open_experiment(known)
                experiment.play_again(name)
                st.switch_page(frame.PAGES / page)


def shelf(names: list[str], card: object) -> None:
    """Cards, three in a row."""
    for first in range(0, len(names), ACROSS):
        for home, name in zip(st.columns(ACROSS, gap="medium"), names[first : first + ACROSS], strict=False):
            with home:
                card(name)  # type: ignore[operator]


def own_file() -> None:
    """A file that was kept: a run goes to Watch, an experiment to its page."""
    st.file_uploader(
        words.FILE, type=["json", "gz"], key="gallery_file", on_change=gallery.file_given, max_upload_size=opened_recording.LARGEST_UPLOAD
    )
    frame.notices("gallery_file")
    page = gallery.opened_page()
    if page is not None:
        title = next((title for _, file, title, _ in navigation.PAGES if file == page), page)
        st.page_link(frame.PAGES / page, label=words.TO_PAGE.format(title=title), icon=":material/arrow_forward:", width="content")


frame.header(words.TITLE, words.TERM, words.LEAD)
with frame.error_boundary():
    frame.section(words.RUNS, words.RUNS_TERM)
    shelf([one.name for one in prepared.PREPARED], text_card)
    frame.section(words.EXPERIMENTS, words.EXPERIMENTS_TERM)
    shelf(list(words.EXPERIMENTS_SHOWN), experiment_card)
    frame.section(words.OPEN_FILE)
    own_file()
