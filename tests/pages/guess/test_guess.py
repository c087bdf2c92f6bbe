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


def test_ten_words_make_a_game_and_its_points_are_the_surprise_of_what_was_hit(open_app: Open, session: State) -> None:
    app = open_app(page="guess", seed="3")
    assert not app.get("vega_lite_chart"), "no odds before the first guess"
    expected = 0.0
    for number in range(10):
        run = session(app).run
        coming = run.next_distribution()
        word = next(c.text.strip() for c in coming.candidates if c.text.strip())
        say(app, word)
        step = session(app).run.path[-1]
        assert len(session(app).run.path) == number + 1
        if step.piece.removeprefix("␣") == word:
            expected += -math.log2(step.model_probability)
    game = session(app).memory[GameOfVisitor].game
    assert game.over and game.points == pytest.approx(expected)
    assert len(app.dataframe) == 1
    press(app, "guess_same")
    assert session(app).run.path == []


def test_a_friend_sees_the_result_and_plays_the_same_ten(open_app: Open, session: State) -> None:
    app = open_app(page="guess", seed="3", temperature="1.2")
    for number in range(10):
        say(app, ("dog", "the", "named", "was", "a")[number % 5])
    theirs, text = session(app).memory[GameOfVisitor].game, session(app).run.written
    link = next(code.value for code in app.code)
    query = dict(parse_qsl(link.split("?", 1)[1]))
    friend = open_app(page="guess", **query)
    seen = session(friend).memory[GameOfVisitor].game
    assert seen.theirs and seen.said == theirs.said
    assert seen.points == pytest.approx(theirs.points) and seen.favourite_points == pytest.approx(theirs.favourite_points)
    press(friend, "guess_same")
    for _ in range(10):
        say(friend, "dog")
    assert session(friend).run.written == text


@pytest.mark.parametrize("word", ["", "   ", "x" * 41, "a~b"])
def test_what_is_no_guess_is_refused_and_nothing_is_rolled(word: str, open_app: Open, session: State) -> None:
    app = say(open_app(page="guess"), word)
    assert session(app).run.path == []
    assert len(app.info) == 1 and app.info[0].value.endswith(".")


@pytest.mark.parametrize("guesses", ["", "~~~~", "x" * 5000, "<b>~&~'", "a~b~c~d~e~f~g~h~i~j~k~l"])
def test_a_strange_link_is_only_a_new_game(guesses: str, open_app: Open, session: State) -> None:
    app = open_app(page="guess", guesses=guesses)
    assert not session(app).memory[GameOfVisitor].game.theirs


def test_one_hit_is_singular_and_the_sentence_names_both_probabilities(open_app: Open, session: State) -> None:
    app = open_app(page="guess", prompt="Once upon a time, there was a little", seed="3")
    for number in range(10):
        run = session(app).run
        coming = run.next_distribution()
        hit = next((one.text.strip() for one in coming.candidates if one.sampling_probability > 0 and one.text.strip().isalpha()), "dog")
        say(app, hit if number == 0 else "zzz")
    game = session(app).memory[GameOfVisitor].game
    hits = sum(one.hit for one in game.rounds)
    assert f"with {hits} hit{'' if hits == 1 else 's'};" in said(app)
    assert "for the model," in "\n".join(str(text.value) for text in app.text)
