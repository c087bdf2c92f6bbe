"""Editor of a running order: its fields and the actions of its buttons."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlsplit

import streamlit as st

from core.errors import BadRecording
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.presenting import prepared_talks, talk, talk_file
from pages.ui.presenting.talk_file import LARGEST_RECORDING, MOST_STOPS, Stop, Talk
from pages.ui.session import address_bar, current, upload_field
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify

FIELDS = ("title", "say", "link", "words")


def order() -> Talk:
    """Return the running order in the editor, by default the first prepared one."""
    editor = talk.editor()
    if editor.order is None:
        editor.order = prepared_talks.translated(prepared_talks.THREE)
    return editor.order


def field_key(index: int, name: str) -> str:
    """Return the key of a stop's field. A new or reordered running order gets new keys."""
    return f"talk_{talk.editor().opened}_{index}_{name}"


def _set_order(changed: Talk, new_fields: bool = True) -> None:
    editor = talk.editor()
    editor.order = changed
    editor.opened += new_fields


def _from_fields() -> Talk:
    """Return the running order with the values of the fields. Raises BadRecording."""
    talk = order()
    stops = []
    for index, stop in enumerate(talk.stops):
        values = {name: st.session_state.get(field_key(index, name), getattr(stop, name)) for name in FIELDS}
        title = str(values["title"] or "").strip() or _("A new stop")
        count = None if values["words"] is None else int(values["words"])
        link, say = str(values["link"] or ""), str(values["say"] or "")[:1000]
        same_page = stop if link == stop.link else replace(stop, doubt=None, shown=(), start="", acts=())  # they belong to the old page
        stops.append(talk_file.checked(replace(same_page, title=title[:80], link=link, say=say, words=count)))
    name = str(st.session_state.get(field_key(-1, "name"), talk.name) or talk.name).strip()[:60]
    return replace(talk, name=name or talk.name, stops=tuple(stops))


@action_boundary
def edited() -> None:
    """Apply the fields to the running order."""
    anchor_notices("talk")
    _set_order(_from_fields(), new_fields=False)


@action_boundary
def open_prepared(name: str) -> None:
    """Open a prepared talk in the editor."""
    anchor_notices("talk")
    _set_order(prepared_talks.translated(prepared_talks.TALKS[name]))


@action_boundary
def move(index: int, by: int) -> None:
    """Move a stop up (-1) or down (1)."""
    anchor_notices("talk")
    stops = list(order().stops)
    if 0 <= index + by < len(stops):
        stops[index], stops[index + by] = stops[index + by], stops[index]
        _set_order(replace(order(), stops=tuple(stops)))


@action_boundary
def remove(index: int) -> None:
    """Remove a stop. The last one stays."""
    anchor_notices("talk")
    stops = order().stops
    if len(stops) > 1:
        _set_order(replace(order(), stops=stops[:index] + stops[index + 1 :]))


def _add(stop: Stop) -> None:
    talk = order()
    if len(talk.stops) >= MOST_STOPS:
        raise BadRecording(_("A running order has at most {most} stops.").format(most=MOST_STOPS))
    if len(json.dumps(stop.recording, ensure_ascii=False)) > LARGEST_RECORDING:
        most = numbers.size(LARGEST_RECORDING)
        raise BadRecording(_("This recording is larger than {most}, the limit for a stop of a talk.").format(most=most))
    _set_order(replace(talk, stops=(*talk.stops, talk_file.checked(stop))))


@action_boundary
def add_page(page: str) -> None:
    """Add a page or the stage with the current run."""
    anchor_notices("talk")
    query, _said = address_bar.link_query()
    run = current.run()
    if page == talk.STAGE and Can.NEW_TOKENS not in run.can:
        _add(Stop(run.prompt[:80], page, recording=_recording_text(), words=len(run.path) or None))
        return
    _add(Stop(features.title_of(page), f"{page}?{query}" if query else page, words=(len(run.path) or None) if page == talk.STAGE else None))


def _recording_text() -> str:
    from core import Recording

    return Recording.of(current.run()).dumps()


@action_boundary
def add_link() -> None:
    """Add the page whose address was pasted."""
    anchor_notices("talk")
    link = str(st.session_state.get("talk_link") or "").strip()
    if link:
        _add(Stop(features.title_of(features.path_of(urlsplit(link).path.strip("/").rpartition("/")[2])), link))
        st.session_state["talk_link"] = ""


@action_boundary
def add_recording() -> None:
    """Add a stage stop with the uploaded recording."""
    from core import Recording

    anchor_notices("talk")
    data = upload_field.take("talk_recording")
    if data is not None:
        recording = Recording.loads(data)
        _add(Stop(recording.prompt[:80], talk.STAGE, words=len(recording.path) or None, recording=recording.dumps()))


@action_boundary
def file_opened() -> None:
    """Open the uploaded running order."""
    anchor_notices("talk")
    data = upload_field.take("talk_file")
    if data is not None:
        _set_order(talk_file.loads(data))
        notify(_("“{name}” is open: {count} stops.").format(name=order().name, count=len(order().stops)))


@action_boundary
def start_talk() -> None:
    """Start the talk in the editor."""
    anchor_notices("talk")
    talk.begin(_from_fields())
