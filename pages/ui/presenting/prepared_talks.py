"""Three prepared talks, from `talks.json`: the stops by their titles, and the stops of each talk.

`choose_examples` finds the seeds and the numbers of tokens, so that a run ends where a sentence ends and has a few real choices.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pages.ui.i18n.translation import _
from pages.ui.presenting import talk_file
from pages.ui.presenting.talk_file import Stop, Talk

FILE = Path(__file__).with_name("talks.json")


def _read(content: dict[str, Any]) -> dict[str, Talk]:
    """Return the talks by name, without the stops whose pages are not here. Each is checked as a file of a running order is."""
    talks = {}
    for name, talk in content["talks"].items():
        stops = [{"title": title, **content["stops"][title]} for title in talk["stops"] if title not in GONE]
        if stops:
            talks[name] = talk_file.loads(json.dumps({"format": talk_file.FORMAT, "version": 1, "name": name, **talk, "stops": stops}))
    return talks


_CONTENT = json.loads(FILE.read_text("utf-8"))
STOPS = {title: Stop(title, stop["link"]) for title, stop in _CONTENT["stops"].items()}
GONE = [title for title, stop in STOPS.items() if stop.page not in talk_file.stop_paths()]  # their pages were taken out of this app
TALKS = _read(_CONTENT)
THREE = next(iter(TALKS.values()))


def translated(talk: Talk) -> Talk:
    """Return a prepared talk in the visitor's language."""
    return replace(talk, name=_(talk.name), stops=tuple(replace(stop, title=_(stop.title), say=_(stop.say)) for stop in talk.stops))
