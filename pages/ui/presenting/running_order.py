"""Running order: a talk as a list of stops, each a link into this app. Its file is read by `running_order_file`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from core.errors import BadRunningOrder, quoted
from core.language import _
from pages.ui.i18n import page_titles

FORMAT = "token-probability-viewer running order"
LONGEST_LINK = 8_000


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


def checked(stop: Stop) -> Stop:
    """This stop, its link without what is before the page. Raises BadRunningOrder where it leads nowhere in this app."""
    try:
        parts = urlsplit(stop.link.strip()[:LONGEST_LINK])
        path = parts.path.strip("/").rsplit("/", 1)[-1] or "watch"
    except ValueError:
        path = ""
    if path not in stop_paths():
        leads = _("The stop {title} leads to no page of this app. Copy the link of the page as it should look.")
        raise BadRunningOrder(leads.format(title=quoted(stop.title)))
    return replace(stop, title=stop.title.strip()[:80] or path, link=f"{path}?{parts.query}" if parts.query else path)


def stop_paths() -> set[str]:
    """Where a stop can lead."""
    return {path.stem for path in page_titles.FOLDER.glob("*.py")} - {"__init__", "notes", "talk"}
