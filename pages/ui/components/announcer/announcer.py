"""The announcer: each step in one sentence, for those who hear the page instead of seeing it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.record.step import Step, TokenDistribution
from pages.ui.i18n import screen_reader

HERE = Path(__file__).parent

_ANNOUNCER = st.components.v2.component(
    "announcer",
    html='<div class="said" role="status" aria-live="polite"></div>',
    css=(HERE / "announcer.css").read_text("utf-8"),
    js=(HERE / "announcer.js").read_text("utf-8"),
)


def announcer(seen: TokenDistribution | Step, *, key: str, finished: str = "") -> None:
    """Say the step that is seen; before the roll nothing. finished: why the text has come to its end."""
    say(" ".join(filter(None, (screen_reader.step(seen) if isinstance(seen, Step) else "", finished))), key=key)


def say(sentence: str, *, key: str) -> None:
    """Say this, once it is another than before; politely, and at most once a second."""
    _ANNOUNCER(key=key, data={"sentence": sentence})
