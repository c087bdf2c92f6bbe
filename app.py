"""Token Probability Viewer: watch a language model write, one token at a time. Run it with `streamlit run app.py`."""

import streamlit as st

from pages.parts import early, sending

app = st.App("viewer.py", lifespan=sending.at_once)  # streamlit finds it by this name
early.begin()
