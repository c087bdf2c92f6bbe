"""Token Probability Viewer: watch a language model write, one token at a time. Run it with `streamlit run app.py`."""

import logging
from pathlib import Path

import streamlit as st

from pages.ui.i18n import spoken_language, translation
from pages.ui.server import first_step, preload
from pages.ui.session import first_page_queue, linked_model
from pages.ui.session.state import start_session
from pages.ui.shell import page_guard

if __name__ != "__main__":  # once, before the server listens: streamlit imports this file and serves what is called app
    from starlette.middleware import Middleware

    from pages.ui.components import register
    from pages.ui.live import routes
    from pages.ui.server import event_log, gate, lifespan, websocket_notice

    logging.disable()  # Streamlit warns that there is no visitor yet
    st.navigation([lambda: None])  # from now on it takes no pages from the folder `pages`, also not for the first visitor's link
    logging.disable(logging.NOTSET)
    event_log.open_event_log()
    middleware = [Middleware(gate.Gate), Middleware(websocket_notice.WebsocketNotice)]
    own_routes = lifespan.below_base_path([*lifespan.ROUTES, *routes.ROUTES, *register.ROUTES])
    app = st.App(__file__, lifespan=lifespan.lifespan, routes=own_routes, middleware=middleware)
    preload.begin()
else:  # for every visitor, at every click
    st.set_page_config(
        page_title="Token Probability Viewer",
        page_icon=str(Path(__file__).parent / "pages/ui/shell/icon.png"),
        layout="wide",
        initial_sidebar_state="auto",
    )
    cover = st.empty()
    if preload.is_loading():  # import nothing else before it has ended: two threads could import one circle of modules
        with spoken_language.speaking(spoken_language.best_match(st.context.locale)), cover.container():
            if first_step.is_known():
                first_step.draw()
            with st.spinner(translation._("Loading the model …")):
                preload.wait()
    from pages.ui import features
    from pages.ui.components.browser import browser
    from pages.ui.components.keys import key_bindings
    from pages.ui.presenting import talk
    from pages.ui.session import address_bar, current, elements, language, own_models, seats, state
    from pages.ui.shell import frame, sidebar

    start_session()
    page = st.navigation(frame.pages(), position="top", expanded=True)
    path = features.path_of(page.url_path)
    feature = features.feature_of(path)
    address_bar.fill_widgets(path)
    state.begin_page(path)
    elements.act_on_press()
    page_guard.notice_of_unknown_address(path)
    frame.logo()
    frame.inject_css()
    if not seats.admit():
        page_guard.capacity_notice()
        st.stop()
    with first_page_queue.first_page_turn():
        frame.ensure_model_loaded()
        talk.follow_links(path)
        current.begin_run()
        if not feature.bare:
            language.language_switch()
            sidebar.sidebar(sidebar.used_settings(feature))
            linked_model.draw_offer()
            talk.talk_bar_of_page(path)
        else:
            frame.hidden_heading(page.title)
        talk.keep_talk()  # before the page, so that a reload right after a stop returns to that stop
        browser.begin_at_top(path)
        if sentence := page_guard.why_not(feature):
            page_guard.instead_of_page(sentence)
        else:
            page.run()
        frame.show_next_page_link(path)
        if not feature.bare:
            talk.hidden_stage_link(path)
    address_bar.write_address()
    cover.empty()
    frame.late_notices()
    key_bindings.keys(talk.is_stop(path))
    browser.reconnect()
    browser.follow_system_theme()
    elements.forget_press()
    unsaved = bool(own_models.taught())  # a model that the visitor has trained or opened ends with the page
    browser.describe_page(feature.group, frame.section_of(feature.group), path, ask_before_closing=unsaved)
    if not feature.bare:
        frame.explain_terms(path)
