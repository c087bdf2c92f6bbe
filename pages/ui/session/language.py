"""The language of a visitor: the one chosen in the header, which stands in the address, else the browser's."""

from __future__ import annotations

import streamlit as st

from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import _
from pages.ui.session import state
from pages.ui.session.error_boundary import action_boundary

PARAMETER = "lang"
_SWITCH = "language"


def of_visitor() -> str:
    """Return the code of the language of the visitor whose script runs in this thread.

    Threads without a visitor do not call this. They set one with `speaking` or `with_current_language`.
    """
    session = state.known_session()
    chosen = session.language.chosen if session is not None else st.query_params.get(PARAMETER, "")
    return chosen if chosen in spoken_language.languages() else spoken_language.best_match(st.context.locale)


@action_boundary
def _chosen() -> None:
    wanted = st.session_state.get(_SWITCH)
    if wanted in spoken_language.languages():
        state.current_session().language.chosen = wanted
        spoken_language.use(wanted)


def language_switch() -> None:
    """Draw the choice of language in the header. app.py calls this once per page."""
    languages = spoken_language.languages()
    if len(languages) < 2:
        return
    st.session_state[_SWITCH] = spoken_language.current()
    with st.container(key="language_switch"):
        st.segmented_control(
            _("Language · Sprache"),
            list(languages),
            key=_SWITCH,
            format_func=languages.__getitem__,
            on_change=_chosen,
            label_visibility="collapsed",
            required=True,
        )


spoken_language.ask(of_visitor)
