"""A vote of the audience on the stage: what the presenter's keys do with the room, and where phones reach it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from core.errors import InputError, ViewerError
from core.experiments.shared import audience_vote, guessing_game
from core.experiments.shared.audience_vote import OwnWord, Question, compared
from core.generation.turns import messages_of
from core.message import quote
from core.sources.capabilities import Can
from pages.ui.i18n.translation import ngettext
from pages.ui.presenting import stage_state
from pages.ui.presenting.stage_state import StageState
from pages.ui.server.gate import address_of
from pages.ui.server.vote_rooms import MOST_HANDS, ROOMS, Room, TokenOdds, chat_votes
from pages.ui.session import current
from pages.ui.session.notices import notify
from pages.ui.session.state import current_session, memory

if TYPE_CHECKING:
    from core import Generation

LONGEST_TEXT = 400  # characters of the text on the phones


@dataclass(slots=True)
class OwnRoom:
    """The room that this presenter opened: its code, "" for none, and the presenter's key."""

    code: str = ""
    key: str = ""


def room() -> Room | None:
    """Return this presenter's room, None if there is none or it has ended."""
    opened = memory(OwnRoom)
    return ROOMS.of_presenter(opened.code, opened.key, current_session().browser.websocket) if opened.code else None


def open_vote(state: StageState) -> None:
    """Ask the audience for the next token. The first vote opens the room. Raises InputError, without a free room TooMany, and errors of the
    run.
    """
    run = current.begin()
    if run.finished:
        raise InputError("The text has ended here. Restart it with R, or take another text.")
    options = audience_vote.options(run.next_distribution(), SystemRandom())
    if len(options) < 2:
        raise InputError("This model lists too few tokens for a vote.")
    opened_room = room()
    if opened_room is None:
        presenter = current_session().browser.websocket
        opened_room = ROOMS.open(presenter, address_of(presenter))
        opened = memory(OwnRoom)
        opened.code, opened.key = opened_room.code, opened_room.key
    at = len(run.path)
    ROOMS.ask(opened_room, text_before(run), options, at, _after(run, at))
    state.at = at


def text_before(run: Generation) -> str:
    """Return the end of the text so far, without special tokens. Of a chat only what was said, without system prompt and roles."""
    if run.messages:
        contents = [message["content"] for message in messages_of(run) if message["role"] != "system"]
        return "\n\n".join(contents).strip()[-LONGEST_TEXT:]
    tokens = [token.raw for token in run.prompt_tokens if not token.special] + [step.raw for step in run.path]
    return b"".join(tokens).decode("utf-8", "replace").strip()[-LONGEST_TEXT:]


def _after(run: Generation, at: int) -> Hashable:
    """Return what identifies the text before a step: its tokens."""
    return tuple(token.key for token in run.prompt_tokens), tuple(step.key for step in run.path[:at])


def _open(state: StageState, event: Mapping[str, Any]) -> None:
    open_vote(state)


def _find(state: StageState, event: Mapping[str, Any]) -> None:
    """Find the room again that this browser opened before a reload."""
    code, key = event.get("code"), event.get("key")
    if isinstance(code, str) and isinstance(key, str) and room() is None:
        opened = memory(OwnRoom)
        opened.code, opened.key = code[:4], key[:64]


def question_of(of_presenter: Room, run: Generation) -> Question | None:
    """Return the vote on this run's text. None without one; a vote on another text is closed."""
    question = of_presenter.question
    if question is not None and question.after != _after(run, question.at):
        ROOMS.close(of_presenter)
        return None
    return question


def _question(of_presenter: Room | None, run: Generation) -> tuple[Room, Question]:
    question = None if of_presenter is None else question_of(of_presenter, run)
    if of_presenter is None or question is None:
        raise InputError("The text has changed since this vote began. Press V for a new vote.")
    return of_presenter, question


def _end(state: StageState, event: Mapping[str, Any]) -> None:
    """End the vote. The dice choose the token, which stays hidden until the presenter goes on."""
    run = current.begin()
    of_presenter, question = _question(room(), run)
    if question.result is not None:
        return
    _count_hands(of_presenter, event)
    run.go_to(question.at - 1)
    current.changed("rolled")
    tokens = _tokens(run, question)
    ROOMS.end(of_presenter, run.step().key, tokens)
    state.at = question.at


def _tokens(run: Generation, question: Question) -> dict[str, TokenOdds]:
    """Return key and probability of the tokens that are the most frequent own words."""
    words = [word.label for word in question.own_words()[: guessing_game.MOST]]
    guesses = guessing_game.judge(run, words) if words else []
    return {compared(g.said): (g.token_id, g.probability or 0.0) for g in guesses if g.whole and g.token_id is not None}


def _write_own(run: Generation, at: int, word: OwnWord) -> None:
    """Write an own word at this step, of several tokens if need be. Raises InputError if the model cannot."""
    run.go_to(at - 1)
    guess = guessing_game.judge(run, [word.label])[0]
    can_write = guess.token_id is not None and (guess.whole or run.can >= {Can.NEW_TOKENS, Can.TOKEN_IDS})
    if guess.token_id is None or not can_write:
        raise InputError("This model cannot write {word}. Choose another token.", word=quote(word.label))
    written = f" {word.label}" if guess.piece.startswith("␣") else word.label
    keys = [guess.token_id] if guess.whole else [token.key for token in run.model.tokenize(written) if not token.special]  # type: ignore[attr-defined]
    stage_state.take(run, at, keys[0])
    for key in keys[1:]:
        run.force(key)


def _go_on(state: StageState, event: Mapping[str, Any]) -> None:
    """Continue with the audience's favourite, the model's, or the token of the dice."""
    run = current.begin()
    of_presenter, question = _question(room(), run)
    result = question.result
    if result is None:
        return
    favourite, by = result.favourite, event.get("by")
    if by == "audience" and favourite is None:
        raise InputError("Nobody voted. Continue with 2 or 3.")
    current.changed("rolled").player.playing = False
    if by == "audience" and isinstance(favourite, OwnWord):
        stood = run.here
        try:
            _write_own(run, question.at, favourite)
        except ViewerError:
            run.switch(stood)
            raise
    else:
        token = favourite.key if by == "audience" and favourite else result.model_favourite.key if by == "model" else result.came
        if token is not None and (len(run.path) <= question.at or run.path[question.at].key != token):
            stage_state.take(run, question.at, token)
    ROOMS.close(of_presenter)
    state.at, state.called = len(run.path) - 1, ()


def _close(state: StageState, event: Mapping[str, Any]) -> None:
    of_presenter = room()
    if of_presenter is not None:
        ROOMS.close(of_presenter)


def _change(state: StageState, event: Mapping[str, Any]) -> None:
    """Change what the phones may do, or show an own word."""
    of_presenter = room()
    if of_presenter is None or of_presenter.question is None:
        return
    word = event.get("release")

    def change(question: Question) -> None:
        question.allows_own ^= event.get("own") is True
        question.is_live ^= event.get("live") is True
        if isinstance(word, str) and word in dict(question.words()) and word not in question.released:
            question.released.append(word)

    _count_hands(of_presenter, event)
    ROOMS.change(of_presenter, change)


def _count_hands(of_presenter: Room, event: Mapping[str, Any]) -> None:
    """Take the hands that the presenter counted, one number for each option, before the vote has ended."""
    hands = event.get("hands")

    def change(question: Question) -> None:
        if isinstance(hands, list) and len(hands) == len(question.options) and question.result is None:
            question.hands = [min(max(count, 0), MOST_HANDS) if type(count) is int else 0 for count in hands]

    ROOMS.change(of_presenter, change)


def _chat(state: StageState, event: Mapping[str, Any]) -> None:
    """Count the lines of a pasted chat, in place of those of the paste before."""
    of_presenter, text = room(), event.get("text")
    if of_presenter is None or of_presenter.question is None or of_presenter.question.result is not None or not isinstance(text, str):
        return
    _count_hands(of_presenter, event)
    votes, skipped = chat_votes(of_presenter.question, text)
    ROOMS.change(of_presenter, lambda question: setattr(question, "chat", votes))
    counted = sum(votes.values())
    sentence = ngettext("{count} vote came from the chat.", "{count} votes came from the chat.", counted).format(count=counted)
    if skipped:
        left_out = ngettext("{count} line was left out.", "{count} lines were left out.", skipped).format(count=skipped)
        sentence = f"{sentence} {left_out}"
    notify(sentence)


VERBS = {
    "vote": _open,
    "vote_find": _find,
    "vote_end": _end,
    "vote_go": _go_on,
    "vote_close": _close,
    "vote_set": _change,
    "vote_chat": _chat,
}
