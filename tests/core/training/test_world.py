"""The simulated world: what is told is true, nothing is hurtful, no wording is worn out, questions are answered by the state."""

from __future__ import annotations

import re
from random import Random

import pytest

from core.training.decency import hurtful
from core.training.world.ask import questions
from core.training.world.measure import repeated_plots, sequences
from core.training.world.names import COLOURS
from core.training.world.registers import document
from core.training.world.registry import PLOTS
from core.training.world.state import Entity, Impossible, State
from core.training.world.tell import story
from core.training.world.wording import choose, possessive, tidy


def _stories(count: int = 400) -> list:
    return [story(Random(f"test/{number}")) for number in range(count)]


def test_every_plot_can_be_told_and_leaves_no_slot_open() -> None:
    for name in PLOTS:
        for number in range(40):
            text = story(Random(f"{name}/{number}"), name).text
            assert text.endswith((".", "!", "?", '"'))
            assert not re.search(r"[\[\]{}|#]|  |\.\.| ,| \.", text), text


def test_what_happened_can_happen_again_with_the_same_outcome() -> None:
    for told in _stories():
        again = told.state.replayed()
        once = told.state
        assert (again.holder, again.where, again.owner, again.flags) == (once.holder, once.where, once.owner, once.flags)


def test_a_thing_keeps_its_colour_in_the_text() -> None:
    colours = "|".join(COLOURS)
    for told in _stories():
        for thing in {part for event in told.state.events for part in event.parts if isinstance(part, Entity) and part.kind == "thing"}:
            named = re.findall(rf"\b({colours}) {thing.noun}\b", told.text)
            assert set(named) <= {thing.colour}, told.text


def test_answers_stand_in_the_story() -> None:
    asked = [(told, pair) for told in _stories() for pair in questions(told)]
    assert len(asked) > 300
    for told, (question, answer) in asked:
        word = answer.removeprefix("the one who tells the story").removeprefix("the ")
        assert word.lower() in told.text.lower(), (question, answer, told.text)


def test_no_five_words_are_worn_out() -> None:
    found = sequences([told.text for told in _stories(1200)])
    words, often = found.most_common(1)[0]
    assert often / sum(found.values()) < 1 / 2000, words


def test_of_a_thousand_stories_no_two_share_a_plot_with_the_same_cast() -> None:
    assert repeated_plots(1000, seed=5) == 0


def test_nothing_hurtful_is_told() -> None:
    assert not [word for number in range(600) for word in hurtful(document(Random(f"decent/{number}")))]


def test_articles_fit_the_next_word_and_sentences_begin_large() -> None:
    for told in _stories():
        assert not re.search(r"\b[Aa] [aeio]", told.text), told.text
        assert not re.search(r"[^\"]\. [a-z]", told.text), told.text


def test_what_nobody_holds_cannot_be_given() -> None:
    state, ball = State(), Entity("thing", "ball")
    giver, taker = Entity("person", "girl", "she", "Mia"), Entity("person", "boy", "he", "Tom")
    with pytest.raises(Impossible):
        state.do("give", giver, ball, taker)
    state.do("own", giver, ball)
    state.do("give", giver, ball, taker)
    assert state.holder[ball] is taker and state.owner[ball] is giver


def test_templates_choose_and_tidy() -> None:
    assert choose(Random(0), "[a|a] b") == "a b"
    assert tidy("a apple. it is red .") == "An apple. It is red."
    assert possessive("James") == "James'"
    with pytest.raises(ValueError):
        choose(Random(0), "[a|b")
