"""Reads the file of a running order. Every value is checked, because the file can come from a stranger."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadRunningOrder
from pages.ui.i18n import numbers
from pages.ui.i18n.language import _
from pages.ui.presenting.running_order import FORMAT, LONGEST_LINK, Stop, Talk, checked

LARGEST_FILE = 64 * 2**20  # bytes; a stop may carry a recording
MOST_STOPS = 60


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
    """Return the talk of a file. Raises BadRunningOrder."""
    if len(text) > LARGEST_FILE:
        raise BadRunningOrder(_("This file is larger than {size}, the limit for a running order.").format(size=numbers.size(LARGEST_FILE)))
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRunningOrder(_("This file is not a running order: it is not valid JSON.")) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadRunningOrder(_("This file is not a running order of this app."))
    try:
        file = _TalkFile.model_validate(content)
    except ValidationError as error:
        place = " → ".join(str(part) for part in error.errors(include_input=False, include_context=False)[0]["loc"][:4])
        raise BadRunningOrder(_("This running order is broken (at {place}).").format(place=place or _("its beginning"))) from error
    stops = tuple(checked(Stop(**one.model_dump())) for one in file.stops)
    return Talk(file.name, stops)
