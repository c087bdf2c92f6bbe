"""A talk: a running order of stops that is edited, saved as a file, opened again and given with the keys."""

from __future__ import annotations

import streamlit as st

from pages.talk import talk_editor
from pages.ui import features
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.presenting import prepared_talks, talk, talk_file
from pages.ui.presenting.talk_file import Stop
from pages.ui.presenting.vote_button import vote_button
from pages.ui.session import elements, upload_field
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.offered_files import save_button
from pages.ui.shell import frame

frame.page()


def prepared() -> None:
    """Draw the prepared talks, and the field for a saved one."""
    with st.container(horizontal=True, vertical_alignment="center", key="talk_prepared"):
        for name, talk in prepared_talks.TALKS.items():
            label = _("{name} · {count} stops").format(name=_(name), count=len(talk.stops))
            st.button(label, on_click=talk_editor.open_prepared, args=(name,), key=f"talk_take_{name}")
        with st.popover(_("Open a running order"), icon=":material/folder_open:", key="talk_open"):
            upload_field.upload_field(_("Open a running order"), "talk_file", ["json"], talk_editor.file_opened)
    if prepared_talks.GONE:
        titles = ", ".join(_(title) for title in prepared_talks.GONE)
        st.caption(_("This app does not have the pages of these stops, so the talks leave them out: {stops}.").format(stops=titles))


def stop_row(index: int, stop: Stop, count: int) -> None:
    """Draw one stop: its title, its notes, its link and its number of tokens."""
    key = talk_editor.field_key
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"talk_row_{index}"):
        st.text_input(
            f"{index + 1} · {_('Title')}", stop.title, key=key(index, "title"), max_chars=80, on_change=talk_editor.edited, width=260
        )
        st.text_area(_("Notes"), stop.say, key=key(index, "say"), max_chars=1000, height=68, on_change=talk_editor.edited)
        with st.popover(stop.page, icon=":material/link:", key=f"talk_more_{index}"):
            link = st.text_input(
                _("Link"),
                stop.link,
                key=key(index, "link"),
                max_chars=talk_file.LONGEST_LINK,
                help=_("The address of a page of this app, without the host's name."),
                on_change=talk_editor.edited,
                width=420,
            )
            st.caption(plain(link))
            st.number_input(
                _("Tokens to write"),
                0,
                500,
                stop.words,
                key=key(index, "words"),
                help=_(
                    "After this many tokens on stage, the key → opens the next stop. Empty: only the key ] opens it. "
                    "0: the whole text is shown at once."
                ),
                on_change=talk_editor.edited,
            )
        move = talk_editor.move
        st.button(_("Up"), on_click=move, args=(index, -1), key=f"talk_up_{index}", disabled=index == 0, type="tertiary")
        st.button(_("Down"), on_click=move, args=(index, 1), key=f"talk_down_{index}", disabled=index == count - 1, type="tertiary")
        st.button(_("Remove"), on_click=talk_editor.remove, args=(index,), key=f"talk_remove_{index}", disabled=count == 1, type="tertiary")


def add() -> None:
    """Draw the buttons that add a stop."""
    elements.section(_("Add a stop"))
    titles = {path: title for path, title in features.titles().items() if path in talk_file.stop_paths()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="talk_add"):
        st.button(
            _("My text, on stage"),
            on_click=talk_editor.add_page,
            args=(talk.STAGE,),
            help=_("Your text as it is now, with its settings, dice and steps."),
            icon=":material/add:",
            key="talk_add_stage",
        )
        with st.popover(_("A page"), icon=":material/add:", help=_("A page with your text as it is now."), key="talk_add_page"):
            for path, title in titles.items():
                st.button(title, on_click=talk_editor.add_page, args=(path,), key=f"talk_page_{path}", type="tertiary")
        with st.popover(
            _("A link"),
            icon=":material/add:",
            help=_("Paste the address of a page of this app, for example of a stop of the tour."),
            key="talk_add_link",
        ):
            st.text_input(
                _("Link"),
                key="talk_link",
                max_chars=talk_file.LONGEST_LINK,
                help=_("The address of a page of this app, without the host's name."),
                on_change=talk_editor.add_link,
            )
        with st.popover(
            _("A recording"),
            icon=":material/add:",
            help=_("A run saved under Watch, Keep or share. It is stored in the running order and needs no model."),
            key="talk_add_recording",
        ):
            upload_field.upload_field(_("A recording"), "talk_recording", ["json"], talk_editor.add_recording)


def give() -> None:
    """Draw the name, and the buttons that give and save the talk, and that let the audience vote."""
    known = talk_editor.order()
    with st.container(horizontal=True, vertical_alignment="bottom", key="talk_give_row"):
        st.text_input(_("Name"), known.name, key=talk_editor.field_key(-1, "name"), max_chars=60, on_change=talk_editor.edited, width=260)
        st.button(
            _("Give this talk"),
            on_click=talk_editor.start_talk,
            type="primary",
            icon=":material/co_present:",
            help=_(
                "→, Space or page down: start and next, ← or page up: back, B: black screen, N: speaker's window, ?: all keys, Esc: end."
            ),
            key="talk_give",
        )
        if (left := talk.editor().left) is not None:
            label = _("Continue at stop {number}").format(number=left.place + 1)
            st.button(label, on_click=talk.resume, icon=":material/resume:", key="talk_resume")
        order = talk_editor.order()
        save_button(_("Save as a file"), order.dumps, order.file_name, key="talk_save")
        vote_button("talk_vote")


talk.follow()
frame.header(
    _("A talk"),
    _("running order"),
    _("A talk is a list of stops. Use a prepared one or make your own, and give it with the arrow keys or a clicker."),
)
with drawing_boundary():
    prepared()
    elements.notices("talk")
    give()
    stops = talk_editor.order().stops
    for number, stop_of_order in enumerate(stops):
        stop_row(number, stop_of_order, len(stops))
    add()
