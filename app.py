"""Token Probability Viewer: watch a language model write, one token at a time. Run it with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from core import language
from pages.parts.runtime import preload

if __name__ != "__main__":  # once, before the server listens: streamlit imports this file and serves what is called app
    from starlette.middleware import Middleware

    from pages.parts.runtime import gate, health, journal, tcp_nodelay

    journal.open_journal()
    app = st.App(__file__, lifespan=tcp_nodelay.at_once, routes=health.ROUTES, middleware=[Middleware(gate.Gate)])
    preload.begin()
else:  # for every visitor, at every click
    st.set_page_config(
        page_title="Token Probability Viewer",
        page_icon=str(Path(__file__).parent / "pages/parts/layout/icon.png"),
        layout="wide",
        initial_sidebar_state="auto",
    )
    if preload.under_way():  # import nothing else before it has ended: two threads could import one circle of modules
        with language.speaking(language.fitting(st.context.locale)), st.spinner(language._("Waking the model …")):
            preload.wait()
    from pages.parts.components.address import address
    from pages.parts.components.glossary import glossary
    from pages.parts.components.key_list import key_list
    from pages.parts.components.keys import keys
    from pages.parts.components.menu_mark import menu_mark
    from pages.parts.components.reconnect import reconnect
    from pages.parts.components.talk_memory.talk_memory import talk_memory
    from pages.parts.components.visibility.visibility import visibility
    from pages.parts.layout import frame, navigation, onward, resting, sidebar, stage_door
    from pages.parts.runtime import opening
    from pages.parts.session import current, requested_model, state, tongue, url_state

    current.start_session()
    url_state.mark()
    page = st.navigation(navigation.pages(), position="top")
    state.arrive(page.url_path)
    frame.logo()
    frame.dress()
    if not current.admit():
        frame.full_house()
        st.stop()
    with opening.turn():
        frame.wake()
        stage_door.enter(page.url_path)
        if page.url_path not in navigation.BARE:
            tongue.switch()
            sidebar.sidebar(resting.used(page.url_path))
            requested_model.offer()
            stage_door.bar(page.url_path)
        else:
            frame.unseen_heading(page.title)
        talk_memory()  # before the page: whoever sees a stop and loads the page again at once comes back to it
        page.run()
        onward.onward(page.url_path)
        if page.url_path not in navigation.BARE:
            stage_door.way(page.url_path)
    address.address()
    frame.late_notices()
    keys.keys()
    reconnect.reconnect()
    visibility()
    menu_mark.menu_mark(navigation.group_of(page.url_path), page.url_path)
    if page.url_path not in navigation.BARE:
        glossary.glossary(page.url_path)
    key_list.key_list()
