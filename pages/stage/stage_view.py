"""The stage: five beats for each token, controlled by the presenter's keys.

The browser has the data of all beats, so that a key answers at once. The next token's pass is made ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.errors import ViewerError
from core.experiments.shared.guessing_game import Guess
from core.sources.capabilities import Can
from pages.stage.stage_payload import steps_payload, text_payload
from pages.stage.vote_payload import vote_payload
from pages.ui.components.stage import texts
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import _, quoted, said, say
from pages.ui.presenting import talk
from pages.ui.presenting.phone_address import code_picture, live_addresses
from pages.ui.presenting.stage_state import StageState, needs_page, stage_state
from pages.ui.presenting.talk_file import WITHOUT_A_CHOICE
from pages.ui.server import offered_models
from pages.ui.session import current
from pages.ui.session.state import current_session

if TYPE_CHECKING:
    from core import Generation


def stage_data() -> dict[str, Any]:
    """Return the data of the stage for the browser; without a run, only the sentence that says why."""
    state, sentences = stage_state(), [note.text for note in current.notices()]
    always = {"needs_page": needs_page(state), "version": current_session().live.version}
    try:
        return always | _data(current.run(), state, " ".join(sentences))
    except ViewerError as error:
        return always | _data(None, state, " ".join([*sentences, say(error)]))


def _data(run: Generation | None, state: StageState, notice: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "texts": said(texts.TEXTS),
        "doubt": WITHOUT_A_CHOICE,
        "beats": list(texts.BEATS),
        "names": [_(word) for word in texts.BEATS.values()],
        "keys": [(_(keys), _(action)) for keys, action in texts.KEYS],
        "say": {beat: [_(first), _(second)] for beat, (first, second) in texts.SAY.items()},
        "notice": notice,
        "did": state.did,
        "session": current.storage_key(),
        "talk": talk.shown_stop(),
        "words": [],
        "looks": {},
        "count": 0,
        "room": None,
        "vote": None,
        "phones": [[address.partition("://")[2], code_picture(address)] for address in live_addresses()[:1]],
    }
    if run is None:
        return shown
    name, parameters = offered_models.title(run.model_name), numbers.count(run.model.parameter_count)
    ending = (
        _("A saved answer of {model}, one token at a time.")
        if Can.FACTS not in run.can
        else _("A recording of {model}, {parameters} parameters, one token at a time.")
        if Can.NEW_TOKENS not in run.can
        else _("Written by {model}, {parameters} parameters, one token at a time.")
    )
    return shown | {
        "words": text_payload(run),
        "looks": steps_payload(run, min(state.at, len(run.path)), not state.rolled_only),
        "count": len(run.path),
        "run": f"{id(run)}",
        "line": run.line,
        "finished": _("The text ends here.") if run.finished else "",
        "settings": phrases.settings_summary(run.settings),
        "temperature": run.settings.temperature,
        "heat": _("Temperature {value}").format(value=numbers.short(run.settings.temperature)),
        "model": (_("recording of {model}") if Can.NEW_TOKENS not in run.can else _("{model}, live")).format(model=name),
        "ending": ending.format(model=name, parameters=parameters),
        "called": [_called(guess) for guess in state.called],
        "score": _score(state),
        **vote_payload(run),
    }


def _called(guess: Guess) -> tuple[str, str, str, str, int]:
    """Return a scored guess: the word, its first token if it has several, probability, rank, token id (-1 if unknown)."""
    token = guess.piece.removeprefix("␣")
    begins = "" if guess.whole or not token else f"{_(texts.TEXTS['begins'])} {quoted(token)}"
    if guess.token_id is None:
        return guess.said, "", _(texts.TEXTS["unwritten"]), "", -1
    if guess.probability is None or guess.rank is None:
        return guess.said, begins, _(texts.TEXTS["unlisted"]), "", guess.token_id
    return (
        guess.said,
        begins,
        f"{_(texts.TEXTS['model'])} {numbers.chance(guess.probability)}",
        f"{_(texts.TEXTS['rank'])} {numbers.whole(guess.rank)}",
        guess.token_id,
    )


def _score(state: StageState) -> dict[str, Any]:
    """Return the score, empty before the first round."""
    rounds = state.rounds
    if not rounds:
        return {}
    return {
        "index": state.scored_at,
        "room": numbers.decimal(sum(scored_round.points for scored_round in rounds), 1),
        "favourite": numbers.decimal(sum(scored_round.favourite_points for scored_round in rounds), 1),
        "rounds": len(rounds),
        "hit": rounds[-1].hit,
        "points": numbers.decimal(rounds[-1].points, 1),
    }
