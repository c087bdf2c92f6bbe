"""Token Probability Viewer: watch a language model write, one token at a time. Run it with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.parts import early

if __name__ != "__main__":  # once, before the server listens: streamlit imports this file and serves what is called app
    from pages.parts import sending

    app = st.App(__file__, lifespan=sending.at_once)
    early.begin()
else:  # for every visitor, at every click
    from pages.parts import words

    st.set_page_config(
        page_title=words.APP, page_icon=str(Path(__file__).parent / "pages/parts/icon.png"), layout="wide", initial_sidebar_state="auto"
    )
    if early.under_way():  # nothing else is imported before it is there
        with st.spinner(words.WAKING):
            early.wait()
    from pages.parts import address, frame, navigation, panel, visit, wish

    visit.enter()
    address.mark()
    page = st.navigation(navigation.pages(), position="top")
    frame.logo()
    frame.dress()
    if not visit.admitted():
        frame.tell(words.FULL_HOUSE)
        st.stop()
    frame.wake()
    panel.sidebar()
    wish.offer()
    page.run()
