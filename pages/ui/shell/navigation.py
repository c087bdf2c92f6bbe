"""Navigation of Streamlit: the pages by group, for the visitor's language and role."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui.features import GROUPS, LANDING, Feature, features
from pages.ui.i18n import translation
from pages.ui.i18n.translation import _
from pages.ui.server import deployment
from pages.ui.session import roles
from pages.ui.session.state import current_session


def pages() -> dict[str, list[st.Page]]:
    """Return the pages by translated group title, for st.navigation. A visitor without a path lands on the first one.

    Made once per session, language and role: st.Page reads the file system several times for each page.
    """
    kept, for_operator = current_session().navigation, deployment.public() and roles.is_operator()
    key = (translation.current(), for_operator)
    if key not in kept:
        kept[key] = _pages(for_operator)
    return kept[key]


def _pages(for_operator: bool) -> dict[str, list[st.Page]]:
    groups: dict[str, list[st.Page]] = {group: [] for group in GROUPS}
    for path, feature in features().items():
        landing = path == LANDING
        seen = feature.in_menu and (for_operator or not feature.for_operator)
        url = "start" if landing else feature.url
        groups[feature.group].append(_page(feature, url, default=landing, visibility="visible" if seen else "hidden"))
    # After the pages themselves, because `st.page_link` takes the first one with a file: the names of the folders are addresses, too. The
    # landing page has none; a hidden copy of it gives links to /watch a page.
    others = [feature for path, feature in features().items() if feature.url != path or path == LANDING]
    groups[GROUPS[-1]] += [_page(feature, feature.path, visibility="hidden") for feature in others]
    return {_(group): listed for group, listed in groups.items()}


def _page(feature: Feature, url: str, **page_options: Any) -> st.Page:
    return st.Page(feature.file, title=_(feature.title), url_path=url, help=_(feature.sight), **page_options)
