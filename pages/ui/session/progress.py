"""Parts of a page that show something in progress: each is drawn again when there is something new.

`GET /run/progress` (`live/routes.py`) sends the browser the numbers of `OpenPage.advancing`, and the browser asks for each part whose
number has changed since it was drawn (`components/browser/progress.js`). No part has a clock.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.ui.components.browser import browser
from pages.ui.session.state import Session, current_session

SHORTEST = 0.15  # seconds between two draws of a part


def part(
    draw: Callable[[], None], number: Callable[[Session], float], *, key: str, advances: bool = True, seconds: float = SHORTEST
) -> None:
    """Draw a part of the page now, and again whenever its number has changed.

    number: how far it is. It is called between the draws in another thread, so it asks only the session that it is given, and answers at
    once. advances: whether there is something in progress. seconds: shortest time between two draws.
    """
    advancing = current_session().page.advancing
    advancing.pop(key, None)
    if advances:
        advancing[key] = number

    def drawn() -> None:
        session = current_session()
        before = number(session)
        draw()
        if advances:
            browser.progress(key, {"run_key": session.live.key, "number": before, "pause": 1000 * seconds})

    st.fragment(drawn, key=key)()
