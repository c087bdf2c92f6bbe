"""Running order: a talk as a list of stops, put together, kept as a file, opened elsewhere, and gone through with the keys.

A stop is a place in the app with all that is set there: its link. The stage and the pages go on with the visitor's own run, which a link
sets to a text, settings and steps; a recording that a stop carries, or names (`stage?run=loop`), is opened in its place.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core import Recording
from core.errors import BadRunningOrder, ViewerError, quoted
from core.labs import prepared
from core.language import _
from pages.parts.session import current, run_start
from pages.parts.session.sampling_controls import CONTROLS
from pages.parts.session.state import current_session, results

FORMAT = "token-probability-viewer running order"
LARGEST_FILE = 64 * 2**20  # bytes; a stop may carry a recording
MOST_STOPS = 60
LONGEST_LINK = 8_000
STAGE = "stage"
PREPARED = "run"  # in a stop's link: the name of a run of the gallery, which is replayed
RUNS = frozenset(recipe.name for recipe in prepared.PREPARED)
PAGES = Path(__file__).parents[2]
RUN = {
    PREPARED,
    "prompt",
    "model",
    "steps",
    "as_chat",
    *(control.key for control in CONTROLS),
}  # what a link says of the run; all else is its page's


@dataclass(frozen=True, slots=True)
class Stop:
    """title: what it is about. link: page and state, `stage?prompt=...`. say: what to say there. words: on the stage, after so many the
    key goes on to the next stop (None: only the key for that does; 0: the whole text is shown at once). recording: the text of its file."""

    title: str
    link: str
    say: str = ""
    words: int | None = None
    recording: str = ""

    @property
    def page(self) -> str:
        """The path of its page: `stage`, `what_if`."""
        return urlsplit(self.link).path.strip("/") or "watch"

    @property
    def query(self) -> dict[str, str]:
        """What stands behind the question mark."""
        return dict(parse_qsl(urlsplit(self.link).query, max_num_fields=50))


@dataclass(frozen=True, slots=True)
class Talk:
    """A running order by name."""

    name: str
    stops: tuple[Stop, ...]

    def dumps(self) -> str:
        """The text of its file."""
        stops = [{key: value for key, value in _plain(stop).items() if value not in ("", None)} for stop in self.stops]
        return json.dumps({"format": FORMAT, "version": 1, "name": self.name, "stops": stops}, indent=1, ensure_ascii=False)


def _plain(stop: Stop) -> dict[str, Any]:
    return {"title": stop.title, "link": stop.link, "say": stop.say, "words": stop.words, "recording": stop.recording}


class _StopFile(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    title: Annotated[str, Field(min_length=1, max_length=80)]
    link: Annotated[str, Field(max_length=LONGEST_LINK)]
    say: Annotated[str, Field(max_length=1_000)] = ""
    words: Annotated[int, Field(ge=0, le=500)] | None = None
    recording: str = ""


class _TalkFile(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    format: Literal["token-probability-viewer running order"]
    version: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=60)]
    stops: Annotated[list[_StopFile], Field(min_length=1, max_length=MOST_STOPS)]


def loads(text: str | bytes) -> Talk:
    """Read a running order from the text of its file, which may come from a stranger. Raises BadRunningOrder."""
    if len(text) > LARGEST_FILE:
        raise BadRunningOrder(_("This file is too large for a running order."))
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRunningOrder(_("This file is no running order: it cannot be read as JSON.")) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadRunningOrder(_("This file is no running order of this app."))
    try:
        file = _TalkFile.model_validate(content)
    except ValidationError as error:
        place = " → ".join(str(part) for part in error.errors(include_input=False, include_context=False)[0]["loc"][:4])
        raise BadRunningOrder(_("This running order is broken (at {place}).").format(place=place or _("its beginning"))) from error
    stops = tuple(checked(Stop(**one.model_dump())) for one in file.stops)
    return Talk(file.name, stops)


def checked(stop: Stop) -> Stop:
    """This stop, its link without what is before the page. Raises BadRunningOrder where it leads nowhere in this app."""
    try:
        parts = urlsplit(stop.link.strip()[:LONGEST_LINK])
        path = parts.path.strip("/").rsplit("/", 1)[-1] or "watch"
    except ValueError:
        path = ""
    if path not in paths():
        leads = _("The stop {title} leads to no page of this app. Copy the link of the page as it should look.")
        raise BadRunningOrder(leads.format(title=quoted(stop.title)))
    return replace(stop, title=stop.title.strip()[:80] or path, link=f"{path}?{parts.query}" if parts.query else path)


def paths() -> set[str]:
    """Where a stop can lead."""
    return {path.stem for path in PAGES.glob("*.py")} - {"__init__", "notes", "talk"}


@dataclass(slots=True)
class UnderWay:
    """A talk being given. place: the stop that is shown, from 0. go: the stop that was asked for. leave: whether it is to end."""

    talk: Talk
    place: int = 0
    go: int | None = 0
    leave: bool = False


@dataclass(slots=True)
class Desk:
    """The running order that is put together, and the one that is given."""

    order: Talk | None = None
    given: UnderWay | None = None
    opened: int = field(default=0)  # how often another order was opened: the fields of its stops begin anew then


def desk() -> Desk:
    """This visitor's."""
    known = results().setdefault("talk", Desk())
    assert isinstance(known, Desk)
    return known


def given() -> UnderWay | None:
    """The talk that is being given, if any."""
    return desk().given


def neighbour(by: int) -> int | None:
    """The place of the stop before (-1) or behind (1) the one shown, if there is one."""
    under_way = given()
    place = -1 if under_way is None else under_way.place + by
    return place if under_way is not None and 0 <= place < len(under_way.talk.stops) else None


def begin(order: Talk) -> None:
    """Give this talk, from its first stop; `go` leads there."""
    desk().given = UnderWay(order)


def end() -> None:
    """The talk is over."""
    desk().given = None


def go(place: int) -> None:
    """To this stop: the run as its link has it, then its page. Ends the script. Raises BadRunningOrder, BadRecording."""
    under_way = given()
    if under_way is None or not 0 <= place < len(under_way.talk.stops):
        return
    under_way.place, stop = place, under_way.talk.stops[place]
    try:
        set_run(stop)
    except ViewerError as error:  # a broken recording: its stop shows the run that is there, and says so
        current_session().said_on_arrival.append(str(error))
    own = {key: value for key, value in stop.query.items() if key not in RUN}
    results().pop("stage", None)
    st.switch_page(PAGES / f"{stop.page}.py", query_params=own or None)


def set_run(stop: Stop) -> None:
    """The visitor's run as this stop has it; what was written before is put aside and comes back on Watch."""
    session, query = current_session(), stop.query
    if stop.recording:
        _replay(Recording.loads(stop.recording))
        return
    if query.get(PREPARED) in RUNS:
        _replay(prepared.load(query[PREPARED]))
        return
    if not RUN & query.keys() and stop.page != STAGE:
        return  # the page goes on with the run that is there
    if query.get("model", "") in current.model_names():
        st.session_state["model"] = query["model"]
    session.lay_aside()
    current.take_over(query)
    session.playing = False
    session.begun_with, session.replay_steps = None, query.get("steps")


def _replay(recording: Recording) -> None:
    run_start.replace(current_session(), recording.replay(), (current.model_name(), current.prompt(), current.as_chat()))


def follow() -> None:
    """Do what the keys asked for: to another stop, or out of the talk. Ends the script if there is something to do."""
    under_way = given()
    if under_way is None:
        return
    if under_way.leave:
        end()
        st.switch_page(PAGES / "talk.py")
    if under_way.go is not None:
        place, under_way.go = under_way.go, None
        go(place)


__all__ = ["LONGEST_LINK", "Stop", "Talk", "UnderWay", "begin", "checked", "desk", "end", "follow", "given", "loads", "neighbour"]
