"""The game of ten words: honest odds, points as said, and a link that holds the result."""

from __future__ import annotations

import math
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from pages.guess import guess_game
from pages.guess.guess_game import GameOfVisitor
from tests.pages.apptest import Open, State, press, said


def say(app: AppTest, word: str) -> AppTest:
    app.text_input(key=guess_game.FIELD).set_value(word)
    next(button for button in app.button if button.form_id).click()
    app.run()
    assert not app.exception
    return app


def test_ten_words_make_a_game_that_a_friend_sees_and_plays(open_app: Open, session: State) -> None:
    app = open_app(page="guess", seed="3", temperature="1.2")
    assert not app.get("vega_lite_chart"), "no odds before the first guess"
    expected = 0.0
    for number in range(10):
        coming = session(app).run.next_distribution()
        words = [one.text.strip() for one in coming.candidates if one.sampling_probability > 0 and one.text.strip().isalpha()]
        word = words[0] if words and number % 2 == 0 else "the"
        say(app, word)
        step = session(app).run.path[-1]
        assert len(session(app).run.path) == number + 1
        if step.piece.removeprefix("␣") == word:
            expected += -math.log2(step.model_probability)
    game, text = session(app).memory[GameOfVisitor].game, session(app).run.written
    assert game.over and game.points == pytest.approx(expected)
    hits = sum(one.hit for one in game.rounds)
    assert hits and f"with {hits} hit{'' if hits == 1 else 's'};" in said(app)
    assert "for the model," in "\n".join(str(text.value) for text in app.text)
    assert len(app.dataframe) == 1
    link = next(code.value for code in app.code)
    friend = open_app(page="guess", **dict(parse_qsl(link.split("?", 1)[1])))
    seen = session(friend).memory[GameOfVisitor].game
    assert seen.theirs and seen.said == game.said
    assert seen.points == pytest.approx(game.points) and seen.favourite_points == pytest.approx(game.favourite_points)
    press(friend, "guess_same")
    assert session(friend).run.path == []
    for _ in range(10):
        say(friend, "dog")
    assert session(friend).run.written == text


def test_what_is_no_guess_is_refused_and_nothing_is_rolled(open_app: Open, session: State) -> None:
    app = open_app(page="guess")
    for word in ("", "   ", "x" * 41, "a~b"):
        say(app, word)
        assert session(app).run.path == []
        assert len(app.info) == 1 and app.info[0].value.endswith("."), word


@pytest.mark.parametrize("guesses", ["~~~~", "x" * 5000, "a~b~c~d~e~f~g~h~i~j~k~l"])
def test_a_strange_link_is_only_a_new_game(guesses: str, open_app: Open, session: State) -> None:
    app = open_app(page="guess", guesses=guesses, steps="5")
    assert len(session(app).run.path) == 5 and not session(app).memory[GameOfVisitor].game.theirs
