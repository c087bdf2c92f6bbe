"""Reads the file of a running order. Every value is checked, because the file can come from a stranger."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadRecording
from core.record.bounded_json import BoundedJson, Bounds
from pages.ui.i18n.translation import _
from pages.ui.presenting.running_order import FORMAT, LONGEST_LINK, Stop, Talk, checked

MOST_STOPS = 60
LARGEST_RECORDING = 8 * 2**20  # bytes of the recording of one stop, as written in the file
BOUNDS = Bounds(
    size=64 * 2**20,
    rest=2**16,
    entry=LARGEST_RECORDING + 2**16,
    depth=4,
    marks=5_000,  # a stop has nine names and up to 25 texts
    lists={"stops": MOST_STOPS},
    seconds=20.0,
    error=BadRecording,
)


_Key = Annotated[str, Field(max_length=60, pattern=r"^[a-z0-9_]*$")]  # it becomes part of a selector
_Act = Annotated[str, Field(pattern=r"^(guess|vote|choose|temperature [012]\.[0-9])$")]


class _StopFile(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    title: Annotated[str, Field(min_length=1, max_length=80)]
    link: Annotated[str, Field(max_length=LONGEST_LINK)]
    say: Annotated[str, Field(max_length=1_000)] = ""
    words: Annotated[int, Field(ge=0, le=500)] | None = None
    recording: str = ""
    doubt: Annotated[float, Field(ge=0, le=20, allow_inf_nan=False)] | None = None
    shown: Annotated[list[_Key], Field(max_length=8)] = []
    start: _Key = ""
    acts: Annotated[list[_Act], Field(max_length=12)] = []


class _TalkFile(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    format: Literal["token-probability-viewer running order"]
    version: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=60)]
    stops: Annotated[list[_StopFile], Field(min_length=1, max_length=MOST_STOPS)]
    minutes: Annotated[int, Field(ge=1, le=600)] | None = None


def loads(text: str | bytes) -> Talk:
    """Return the talk of a file. Raises BadRecording."""
    content = BoundedJson(text, BOUNDS)
    if not isinstance(content.head, dict) or content.head.get("format") != FORMAT:
        raise BadRecording(_("This file is not a running order of this app."))
    try:
        file = _TalkFile.model_validate(content.whole())
    except ValidationError as error:
        place = " → ".join(str(part) for part in error.errors(include_input=False, include_context=False)[0]["loc"][:4])
        raise BadRecording(_("This running order is broken (at {place}).").format(place=place or _("its beginning"))) from error
    stops = tuple(checked(Stop(**stop.model_dump() | {"shown": tuple(stop.shown), "acts": tuple(stop.acts)})) for stop in file.stops)
    return Talk(file.name, stops, file.minutes)
