"""Token Probability Viewer: watch a language model write, one token at a time. Run it with `streamlit run app.py`."""

import streamlit as st

from pages.parts import frame, navigation, panel, visit, words

st.set_page_config(page_title=words.APP, page_icon=str(frame.HERE / "icon.png"), layout="wide", initial_sidebar_state="auto")
visit.enter()
page = st.navigation(navigation.pages(), position="top")
frame.logo()
frame.dress()
if not visit.admitted():
    frame.tell(words.FULL_HOUSE)
    st.stop()
frame.wake()
panel.sidebar()
page.run()
