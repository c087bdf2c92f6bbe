"""What runs for every visitor and at every click."""

import streamlit as st

from pages.parts import early

early.wait()
from pages.parts import frame, navigation, panel, visit, wish, words  # noqa: E402 (not before what was begun early is there)

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
wish.offer()
page.run()
