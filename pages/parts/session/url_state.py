"""URL state: model and prompt in the browser's address, so that it can be kept, sent and gone back to.

A session reads its address once, when it begins; from then on the address follows the session and is never asked again. Nothing is bound
to a widget: a bound value travels both ways, and where the two ways overlap the older value wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.parts.session import current, share_link, sharing
from pages.parts.session.state import current_session

LONGEST = 6_000  # characters of an address; servers and proxies on the way begin to refuse at 8,000
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Address:
    """query: what stands behind the question mark. stored: what is too long for that, to be kept in the browser under `name`.

    wanted: the name of a text that the browser is asked for, "" if none.
    """

    query: str
    stored: str = ""
    name: str = ""
    wanted: str = ""


def mark() -> None:
    """Before anything is drawn: what the address asks for stands in the widgets of pages that have none for it, too."""
    if "prompt" not in st.session_state:
        st.session_state["prompt"] = current.prompt()
    if current.model_names():
        st.session_state["model"] = current.model_name()


def address() -> Address:
    """What the address is to say now."""
    session = current_session()
    if session.kept_elsewhere:
        return Address("", wanted=session.kept_elsewhere)
    if session.requested is not None:  # still what the link asks for, for whoever loads the page again
        return Address(share_link.encoded(session.requested.query))
    whole = sharing.address_query()
    if len(whole) <= LONGEST:
        return Address(whole)
    return Address(share_link.encoded({KEPT: session.name}), stored=whole, name=session.name)
