"""A talk: a running order of stops, put together, kept as a file, opened elsewhere, and given with the keys."""

from __future__ import annotations

import streamlit as st

from pages.parts.layout import frame, navigation
from pages.parts.session import opened_recording, talk, talk_desk
from pages.parts.session.talk import Stop
from pages.parts.text import talk_words as words
from pages.parts.text.plain import plain

frame.page()


def prepared() -> None:
    """Three talks to begin with, and one of one's own from a file."""
    with st.container(horizontal=True, vertical_alignment="center", key="talk_prepared"):
        for name, known in words.TALKS.items():
            st.button(f"{name} · {len(known.stops)} stops", on_click=talk_desk.take, args=(name,), key=f"talk_take_{name}")
        with st.popover(words.OPEN, icon=":material/folder_open:", key="talk_open"):
            st.file_uploader(
                words.OPEN, type=["json"], key="talk_file", on_change=talk_desk.opened, max_upload_size=opened_recording.LARGEST_UPLOAD
            )


def stop_row(place: int, stop: Stop, count: int) -> None:
    """One stop: its title, its words, where it leads, and what to say there."""
    key = talk_desk.field_key
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"talk_row_{place}"):
        st.text_input(
            f"{place + 1} · {words.STOP_TITLE}", stop.title, key=key(place, "title"), max_chars=80, on_change=talk_desk.edited, width=260
        )
        st.text_input(words.STOP_SAY, stop.say, key=key(place, "say"), max_chars=1000, on_change=talk_desk.edited)
        with st.popover(stop.page, icon=":material/link:", key=f"talk_more_{place}"):
            link = st.text_input(
                words.STOP_LINK, stop.link, key=key(place, "link"), help=words.STOP_LINK_HELP, on_change=talk_desk.edited, width=420
            )
            st.caption(plain(link))
            st.number_input(
                words.STOP_WORDS, 0, 500, stop.words, key=key(place, "words"), help=words.STOP_WORDS_HELP, on_change=talk_desk.edited
            )
        move = talk_desk.move
        st.button(words.UP, on_click=move, args=(place, -1), key=f"talk_up_{place}", disabled=place == 0, type="tertiary")
        st.button(words.DOWN, on_click=move, args=(place, 1), key=f"talk_down_{place}", disabled=place == count - 1, type="tertiary")
        st.button(words.REMOVE, on_click=talk_desk.remove, args=(place,), key=f"talk_remove_{place}", disabled=count == 1, type="tertiary")


def add() -> None:
    """More stops."""
    frame.section(words.ADD)
    titles = {path: title for path, title in navigation.titles().items() if path in talk.paths()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="talk_add"):
        st.button(
            words.ADD_STAGE,
            on_click=talk_desk.add_page,
            args=(talk.STAGE,),
            help=words.ADD_STAGE_HELP,
            icon=":material/add:",
            key="talk_add_stage",
        )
        with st.popover(words.ADD_PAGE, icon=":material/add:", help=words.ADD_PAGE_HELP, key="talk_add_page"):
            for path, title in titles.items():
                st.button(title, on_click=talk_desk.add_page, args=(path,), key=f"talk_page_{path}", type="tertiary")
        with st.popover(words.ADD_LINK, icon=":material/add:", help=words.ADD_LINK_HELP, key="talk_add_link"):
            st.text_input(words.STOP_LINK, key="talk_link", help=words.STOP_LINK_HELP, on_change=talk_desk.add_link)
        with st.popover(words.ADD_RECORDING, icon=":material/add:", help=words.ADD_RECORDING_HELP, key="talk_add_recording"):
            st.file_uploader(
                words.ADD_RECORDING,
                type=["json"],
                key="talk_recording",
                on_change=talk_desk.add_recording,
                max_upload_size=opened_recording.LARGEST_UPLOAD,
            )


def give() -> None:
    """Begin, and keep."""
    known = talk_desk.order()
    with st.container(horizontal=True, vertical_alignment="bottom", key="talk_give_row"):
        st.text_input(words.NAME, known.name, key=talk_desk.field_key(-1, "name"), max_chars=60, on_change=talk_desk.edited, width=260)
        st.button(words.GIVE, on_click=talk_desk.give, type="primary", icon=":material/co_present:", help=words.GIVE_HELP, key="talk_give")
        st.download_button(
            words.SAVE,
            data=talk_desk.order().dumps,
            file_name="talk.json",
            mime="application/json",
            on_click="ignore",
            icon=":material/download:",
            key="talk_save",
        )


talk.follow()
frame.header(words.TITLE, words.TERM, words.LEAD)
with frame.error_boundary():
    prepared()
    frame.notices("talk")
    give()
    stops = talk_desk.order().stops
    for number, one in enumerate(stops):
        stop_row(number, one, len(stops))
    add()
