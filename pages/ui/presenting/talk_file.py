"""Running order: a talk as a list of stops, each a link into this app, and its file.

Every value of the file is checked, because it can come from a stranger.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadRecording, quoted
from core.record.bounded_json import BoundedJson, Bounds
from pages.ui import features
from pages.ui.i18n.translation import _

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
FORMAT = "token-probability-viewer running order"
LONGEST_LINK = 8_000
WITHOUT_A_CHOICE = 0.1  # bits of entropy: one token has about 99 %


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
        path = " → ".join(str(part) for part in error.errors(include_input=False, include_context=False)[0]["loc"][:4])
        raise BadRecording(_("This running order is broken (at {place}).").format(place=path or _("its beginning"))) from error
    stops = tuple(checked(Stop(**stop.model_dump() | {"shown": tuple(stop.shown), "acts": tuple(stop.acts)})) for stop in file.stops)
    return Talk(file.name, stops, file.minutes)


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of a talk. link: page and state, `stage?prompt=...`. say: notes for the presenter. recording: the text of its file.

    words: number of words on the stage after which the forward key opens the next stop. None: only the key for the next stop does.
    0: the whole text is shown at once. doubt: entropy in bits; on the stage, tokens after a distribution with less are written without
    a press. None: WITHOUT_A_CHOICE. shown: keys of the parts of a page that the audience sees, large, without the containers in them whose
    key begins with `detail_`; empty for the whole page. start: key of the button that the first forward key presses. acts: what the
    forward key does on the stage before it writes on, in this order: `guess` and `vote` (at once, when the stop opens), `choose` (another
    token than the first one), `temperature 0.2`.
    """

    title: str
    link: str
    say: str = ""
    words: int | None = None
    recording: str = ""
    doubt: float | None = None
    shown: tuple[str, ...] = ()
    start: str = ""
    acts: tuple[str, ...] = ()

    @property
    def page(self) -> str:
        """Path of its page: `stage`, `what_if`."""
        return urlsplit(self.link).path.strip("/") or "watch"

    @property
    def query(self) -> dict[str, str]:
        """Query of its link."""
        return dict(parse_qsl(urlsplit(self.link).query, max_num_fields=50))


@dataclass(frozen=True, slots=True)
class Talk:
    """A running order with its name. minutes: how long it takes, None if unknown."""

    name: str
    stops: tuple[Stop, ...]
    minutes: int | None = None

    @property
    def file_name(self) -> str:
        """Name of its file: the name of the talk with letters, digits, spaces and hyphens only."""
        return "".join(c if c.isalnum() or c in " -" else "_" for c in self.name).strip() + ".json"

    def dumps(self) -> str:
        """Return the text of its file."""
        stops = [{key: value for key, value in asdict(stop).items() if value not in ("", None, ())} for stop in self.stops]
        minutes = {} if self.minutes is None else {"minutes": self.minutes}
        head = {"format": FORMAT, "version": 1, "name": self.name, **minutes}
        return json.dumps({**head, "stops": stops}, indent=1, ensure_ascii=False)


def checked(stop: Stop) -> Stop:
    """Return the stop with its link reduced to page and query. Raises BadRecording if this app does not have the page."""
    try:
        parts = urlsplit(stop.link.strip()[:LONGEST_LINK])
        address = parts.path.strip("/").rsplit("/", 1)[-1] or "watch"
        path = features.path_of(address)
    except ValueError:
        address = path = ""
    if path not in stop_paths():
        leads = _("The link of the stop {title} is not a page of this app. Copy the page's address.")
        raise BadRecording(leads.format(title=quoted(stop.title)))
    link = f"{path}?{parts.query}" if parts.query else path
    shown = stop.shown  # keys begin with the name of their page
    if address in features.feature_of(path).former:
        shown = tuple(_renamed(key, address, path) for key in shown)
    return replace(stop, title=stop.title.strip()[:80] or path, link=link, shown=shown)


def _renamed(key: str, former: str, path: str) -> str:
    """Return the key of a part of a page whose folder had another name.

    >>> _renamed("chart_growing_lens", "growing", "training"), _renamed("result_teach", "growing", "training")
    ('chart_training_lens', 'result_teach')
    """
    kind = "chart_" if key.startswith("chart_") else ""
    rest = key.removeprefix(kind)
    return f"{kind}{path}_{rest.removeprefix(f'{former}_')}" if rest.startswith(f"{former}_") else key


def stop_paths() -> set[str]:
    """Return the paths of the pages that a stop can open."""
    return set(features.paths()) - {"notes", "talk", "chat"}
