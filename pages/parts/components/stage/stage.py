"""Stage: one thing at a time in letters that the last row can read, five beats for every token, driven by the speaker's keys.

The beats happen in the browser, from what it was sent, so that a key answers at once. The pass for the coming token is made ahead; its dice
fall when the speaker lets them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import SamplingSettings
from core.labs.guess import Guess, Round
from pages.parts.charts import charts
from pages.parts.components.stage.looks import looks, words_of
from pages.parts.layout import palette
from pages.parts.session import current, talk
from pages.parts.session.stage_state import KEY, StageState
from pages.parts.text import numbers
from pages.parts.text import stage_words as words

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay

HERE = Path(__file__).parent

_STAGE = st.components.v2.component(
    "stage_view",
    html=(HERE / "stage.html").read_text("utf-8"),
    css=(HERE / "stage.css").read_text("utf-8"),
    js="".join((HERE / f"{part}.js").read_text("utf-8") for part in ("drawing", "guessing", "driving")),
)


def stage(run: Generation | Replay | None, state: StageState, notice: str, on_did: Callable[[], None]) -> None:
    """Show the run, or the notice alone where there is none. `on_did` is called when a key asks something of the run."""
    _STAGE(key=KEY, data=stage_data(run, state, notice, charts.theme()), on_did_change=on_did)


def stage_data(run: Generation | Replay | None, state: StageState, notice: str, theme: str) -> dict[str, Any]:
    """The stage as the browser gets it."""
    shown: dict[str, Any] = {
        "colours": palette.as_data(palette.of(theme)),
        "texts": words.TEXTS,
        "beats": words.BEATS,
        "keys": words.KEYS,
        "say": words.SAY,
        "notice": notice,
        "did": state.did,
        "session": current.current_session().name,
        "talk": _talk(),
        "words": [],
        "looks": {},
        "count": 0,
    }
    if run is None:
        return shown
    name, parameters = run.model_name, numbers.count(run.model.parameter_count)
    ending = words.ENDING_RECORDED if run.is_replay else words.ENDING
    return shown | {
        "words": words_of(run),
        "looks": looks(run, min(state.at, len(run.path)), theme, not state.rolled_only),
        "count": len(run.path),
        "run": f"{id(run)}",
        "line": run.line,
        "finished": words.FINISHED if run.finished else "",
        "temperature": _temperature(run.settings),
        "model": (words.RECORDED if run.is_replay else words.LIVE).format(model=name),
        "ending": ending.format(model=name, parameters=parameters),
        "called": [_called(guess) for guess in state.called],
        "score": _score(state.rounds),
    }


def _temperature(settings: SamplingSettings) -> str:
    return "greedy" if settings.greedy else words.TEMPERATURE.format(value=f"{settings.temperature:g}")


def _called(guess: Guess) -> tuple[str, str, str, str, int]:
    """One guess as it is revealed: what was said, its piece if that is not all of it, its chance, its rank, its token."""
    piece = guess.piece.removeprefix("␣")
    begins = "" if guess.whole or not piece else f"{words.TEXTS['begins']} “{piece}”"
    if guess.token_id is None:
        return guess.said, "", words.TEXTS["unwritten"], "", -1
    if guess.probability is None or guess.rank is None:
        return guess.said, begins, words.TEXTS["unlisted"], "", guess.token_id
    return (
        guess.said,
        begins,
        f"{words.TEXTS['model']} {numbers.chance(guess.probability)}",
        f"{words.TEXTS['rank']} {guess.rank:,}",
        guess.token_id,
    )


def _score(rounds: list[Round]) -> dict[str, Any]:
    """The running score; empty before the first round."""
    if not rounds:
        return {}
    return {
        "room": f"{sum(one.points for one in rounds):.1f}",
        "favourite": f"{sum(one.favourite_points for one in rounds):.1f}",
        "rounds": len(rounds),
        "hit": rounds[-1].hit,
        "points": f"{rounds[-1].points:.1f}",
    }


def _talk() -> dict[str, Any] | None:
    """The stop of the running order that is shown, if a talk is given."""
    under_way = talk.given()
    if under_way is None:
        return None
    stops = under_way.talk.stops
    stop, later = stops[under_way.place], stops[under_way.place + 1 : under_way.place + 2]
    return {
        "name": under_way.talk.name,
        "place": under_way.place,
        "count": len(stops),
        "title": stop.title,
        "say": stop.say,
        "words": stop.words,
        "next": later[0].title if later else "",
    }
