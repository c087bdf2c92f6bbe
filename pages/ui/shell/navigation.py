"""Navigation of Streamlit: the pages by group, for the visitor's language and role."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import streamlit as st

from pages.ui.i18n import translation
from pages.ui.i18n.page_titles import ADDRESSES, FOLDER, HIDDEN, OPERATOR_PAGE, PAGES
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
    groups: dict[str, list[st.Page]] = {}
    for number, (group, file, title, sight) in enumerate(PAGES):
        path = "start" if number == 0 else Path(file).stem
        address = ADDRESSES.get(path, path)
        seen: Literal["visible", "hidden"] = "hidden" if path in HIDDEN else "visible"
        made = st.Page(FOLDER / file, title=_(title), url_path=address, help=_(sight), default=number == 0, visibility=seen)
        groups.setdefault(group, []).append(made)
    landing = PAGES[0]
    # The landing page has no path. A hidden copy of it gives links to /watch a page.
    groups[landing[0]].append(st.Page(FOLDER / landing[1], title=_(landing[2]), url_path=Path(landing[1]).stem, visibility="hidden"))
    shown: Literal["visible", "hidden"] = "visible" if for_operator else "hidden"
    groups["Models"].append(
        st.Page(OPERATOR_PAGE, title=_("Operator"), url_path="operator", help=_("Visitors, loaded models, limits."), visibility=shown)
    )
    others = {Path(file).stem: (file, title) for _group, file, title, _sight in PAGES if Path(file).stem in ADDRESSES}
    for path, (file, title) in others.items():  # after the pages themselves: `st.page_link` takes the first one with a file
        groups["Models"].append(st.Page(FOLDER / file, title=_(title), url_path=path, visibility="hidden"))
    return {_(group): listed for group, listed in groups.items()}
