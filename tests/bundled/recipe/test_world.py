"""The simulated world: stories follow their state, contain no hurtful word, and answer their own questions."""

from __future__ import annotations

import re
from random import Random

import pytest

from core.bundled.recipe.hurtful_words import hurtful
from core.bundled.recipe.world.asides import with_asides
from core.bundled.recipe.world.registers import document
from core.bundled.recipe.world.scripts import PLOTS
from core.bundled.recipe.world.state import Entity, Impossible, State
from core.bundled.recipe.world.story import Story
from core.bundled.recipe.world.tell import story
from core.bundled.recipe.world.wording import choose, possessive, tidy


def test_one_story_of_every_plot_leaves_no_slot_open() -> None:
    for name in PLOTS:
        assert not re.search(r"[\[\]{}|#]|  ", story(Random(name), name).text)


@pytest.mark.exhaustive
def test_every_plot_can_be_told_and_leaves_no_slot_open() -> None:
    for name in PLOTS:
        for number in range(40):
            text = story(Random(f"{name}/{number}"), name).text
            assert text.endswith((".", "!", "?", '"'))
            assert not re.search(r"[\[\]{}|#]|  |\.\.| ,| \.", text), text


@pytest.mark.exhaustive
def test_nothing_hurtful_is_told() -> None:
    assert not [word for number in range(600) for word in hurtful(document(Random(f"decent/{number}")))]


def test_additions_are_rare_and_leave_every_word_in_its_place() -> None:
    added = words = 0
    for number in range(60):
        text = story(Random(number)).text
        longer = iter(re.findall(r"\w+", with_asides(Random(number), text)))
        kept = re.findall(r"\w+", text)
        assert all(word in longer for word in kept)  # in this order
        words += len(kept)
        added += len(re.findall(r"\w+", with_asides(Random(number), text))) - len(kept)
    assert 0.005 < added / words < 0.05


def test_nothing_is_added_to_the_tag_of_a_speech() -> None:
    text = '"I told a lie," I said. "I ate it," she cried. "Never mind."'
    assert {with_asides(Random(seed), text).partition(' "I ate it')[0] for seed in range(300)} >= {'"I told a lie," I said.'}
    assert all(" I said." in with_asides(Random(seed), text) and " she cried." in with_asides(Random(seed), text) for seed in range(300))


def test_what_nobody_holds_cannot_be_given() -> None:
    state, ball = State(), Entity("thing", "ball")
    giver, taker = Entity("person", "girl", "she", "Mia"), Entity("person", "boy", "he", "Tom")
    with pytest.raises(Impossible):
        state.do("give", giver, ball, taker)
    state.do("own", giver, ball)
    state.do("give", giver, ball, taker)
    assert state.holder[ball] is taker


@pytest.mark.parametrize(("hero", "wanted"), [("child", "They saw them."), ("I", "We saw us.")])
def test_a_line_of_a_script_has_a_probability_and_knows_who_tells(hero: str, wanted: str) -> None:
    told = Story(Random(3))
    told.begin(hero)
    told.tell("0.0? Never.")
    told.tell("we: They saw them.")
    assert told.text == wanted


def test_a_line_of_a_script_lets_somebody_speak() -> None:
    told = Story(Random(3))
    told.begin("tale")
    told.play("meet", who="h")
    told.tell("@who kind to h answering: Good day!")
    assert '"Good day!"' in told.text


@pytest.mark.parametrize(("friend", "of_two"), [(False, False), (True, True)])
def test_an_ending_says_we_of_two_and_me_of_the_one_who_tells(friend: bool, of_two: bool) -> None:
    told = []
    for seed in range(300):
        one = Story(Random(seed))
        one.begin("I")
        if friend:
            one.friend()
        one.ending()
        told.append(one.text)
    assert not any(re.search(r"\b(?:hear|see) I\b|\b[Tt]hey\b|\bthem\b", text) for text in told)
    assert any("hear me tell" in text for text in told)
    assert any(re.search(r"\bus\b", text) for text in told) is of_two


def test_templates_choose_and_tidy() -> None:
    assert choose(Random(0), "[a|a] b") == "a b"
    assert tidy("a apple. it is red .") == "An apple. It is red."
    assert possessive("James") == "James'"
    with pytest.raises(ValueError):
        choose(Random(0), "[a|b")
