"""What is drawn instead of a page: why a model cannot be used on it, that all seats are taken, that an address has no page."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from core.errors import ViewerError
from core.sources.capabilities import missing
from pages.ui import features
from pages.ui.features import Feature
from pages.ui.i18n.translation import _
from pages.ui.session import current, progress, seats
from pages.ui.session.notices import notify, show_notice
from pages.ui.session.state import current_session
from pages.ui.shell.frame import header


def why_not(feature: Feature) -> str:
    """Return why the visitor's model cannot be used on a page; "" if it can, and if there is no model."""
    if not feature.needs:
        return ""
    try:
        return missing(current.model(), *feature.needs)
    except ViewerError:  # the page says why there is no model
        return ""


def instead_of_page(sentence: str) -> None:
    """Draw the heading of a page and why it cannot be used with the visitor's model."""
    header(features.title_of(current_session().page.path or ""))
    show_notice(_(sentence))


def notice_of_unknown_address(path: str) -> None:
    """Say that the address of a new session has no page. path: of the page that Streamlit opened instead, "" for the first one."""
    session = current_session()
    root = str(st.get_option("server.baseUrlPath")).strip("/")
    asked = urlsplit(st.context.url or "").path.strip("/").removeprefix(root).strip("/")
    if session.page.draws == 1 and not path and asked:
        notify(_("This app has no page at the address “{address}”. The page Watch is open instead.").format(address=asked[:60]))


def capacity_notice() -> None:
    """Say that all seats are taken; the page opens by itself when one is free."""
    show_notice(_("All seats are taken. This page opens by itself when one is free. You can also run the app on your own machine."))
    progress.part(_seat, lambda session: seats.is_one_free(), key="full_house")


def _seat() -> None:
    if seats.admit():
        st.rerun()
