"""The game "Guess the next word" for one player: ten words, and a link that shows the result again."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from core.errors import InputError, ViewerError
from core.experiments.shared import guessing_game
from core.experiments.shared.guessing_game import Round
from core.generation.generation import Generation
from pages.ui.i18n.translation import _
from pages.ui.session import address_bar, current, player_actions, share_link
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices
from pages.ui.session.state import current_session, memory

WORDS = 10
FIELD = "guess_word"
SEPARATOR = "~"  # separates the guesses in a link


@dataclass(slots=True)
class Game:
    """begun_at: steps of the run before the first guess. node: the node of the next guess. said: the guesses. theirs: opened by a link."""

    begun_at: int
    node: int
    rounds: list[Round] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    theirs: bool = False

    @property
    def over(self) -> bool:
        """Whether all guesses are made, or the game is a result from a link."""
        return self.theirs or len(self.rounds) >= WORDS

    @property
    def points(self) -> float:
        """Points of the visitor, in bits."""
        return sum(guessed_round.points for guessed_round in self.rounds)

    @property
    def favourite_points(self) -> float:
        """Points for always guessing the likeliest word."""
        return sum(guessed_round.favourite_points for guessed_round in self.rounds)


@dataclass(slots=True)
class GameOfVisitor:
    """The visitor's game, and the run that it is on."""

    run: Generation | None = None
    game: Game | None = None


def game() -> Game:
    """Return the visitor's game on the current run. Begins a new one if the run has changed. Raises ViewerError."""
    run = current.run()
    remembered = memory(GameOfVisitor)
    if remembered.game is not None and remembered.game.node == run.here and remembered.run is run:
        return remembered.game
    linked = current_session().link.query.pop("guesses", "")
    with current_session().action_lock:
        fresh = _from_link(linked) if linked else None
    remembered.run, remembered.game = run, fresh or Game(len(run.path), run.here)
    return remembered.game


def _from_link(linked: str) -> Game | None:
    """Return the game of a link, its guesses scored again on the link's run. None if the link is not valid."""
    run = current.run()
    words = linked[: 50 * WORDS].split(SEPARATOR)[:WORDS]
    if not words or len(words) > len(run.path):
        return None
    path, line, end = run.path, run.line, run.here
    linked_game = Game(len(path) - len(words), end, theirs=True)
    try:
        for position, word in enumerate(words, start=linked_game.begun_at):
            run.switch(line[position])
            linked_game.rounds.append(guessing_game.finish(guessing_game.judge(run, [word]), path[position]))
            linked_game.said.append(word)
    except ViewerError:
        return None
    finally:
        run.switch(end)
    return linked_game


@action_boundary
def word_guessed() -> None:
    """Score the guess in the field, then make the step."""
    anchor_notices("guess")
    word = str(st.session_state.get(FIELD) or "")
    run = current.begin()
    now = game()
    if now.over or run.finished:
        return
    words = guessing_game.cleaned([word])
    if len(words) != 1 or SEPARATOR in words[0]:
        raise InputError(_("Enter one word of letters."))
    judged = guessing_game.judge(run, words)
    step = run.step()
    current.changed("rolled").player.playing = False
    now.rounds.append(guessing_game.finish(judged, step))
    now.said.append(words[0])
    now.node = run.here


@action_boundary
def play_again(same: bool) -> None:
    """Play again from the same step. same: with the same words, else with another seed."""
    anchor_notices("guess")
    run = current.begin()
    now = game()
    begun_at = now.begun_at
    run.go_to(begun_at - 1)
    current.changed("coming").player.playing = False
    if not same:
        player_actions.new_dice()
    remembered = memory(GameOfVisitor)
    remembered.run, remembered.game = run, Game(len(run.path), run.here)


def link() -> str:
    """Return the query of a link to this result."""
    query, _said = address_bar.link_query()
    guesses = share_link.encoded({"guesses": SEPARATOR.join(game().said)})
    return f"{query}&{guesses}".lstrip("&")
