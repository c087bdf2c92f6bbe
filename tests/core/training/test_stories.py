"""The stories and the questions about what was told: everybody is introduced, every question can be answered, hardly two are alike."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from core.training.corpus import Corpus
from core.training.lessons import plots, recall, stories, words
from core.training.lessons.grammar import expand, held_out
from core.training.lessons.storylines import PLOTS, QUESTIONS


@pytest.mark.parametrize("plot", PLOTS)
def test_every_way_of_every_beat_can_be_told(plot: str) -> None:
    for seed, way in enumerate([way for beat in PLOTS[plot] for way in beat] + plots.ASIDES + plots.MIDDLES + plots.ENDINGS):
        rng = Random(seed)
        told = expand(rng, way, stories.cast(rng, exam=False))
        assert not re.search(r"[{}\[\]|]|  |\ba [aeio]", told.replace("a one", "")), told


@pytest.mark.parametrize("plot", PLOTS)
def test_whoever_helps_is_introduced(plot: str) -> None:
    rng = Random(4)
    for _ in range(150):
        slots = stories.cast(rng, exam=False)
        told = " ".join(stories.happenings(rng, plot, slots))
        assert slots["f"] not in told or slots["fkind"] in told, told


def test_hardly_two_stories_share_a_long_run_of_words() -> None:
    def runs(story: str) -> set[tuple[str, ...]]:
        told = story.split("\nQuestion")[0].split()
        return {tuple(told[at : at + 13]) for at in range(len(told) - 12)}

    rng = Random(9)
    known = set().union(*(runs(stories.story(rng)) for _ in range(2000)))
    fresh = [runs(stories.story(rng)) for _ in range(200)]
    assert sum(len(run & known) for run in fresh) / sum(map(len, fresh)) < 0.005
    assert sum(bool(run & known) for run in fresh) < 0.2 * len(fresh)


@pytest.mark.parametrize("plot", PLOTS)
def test_what_is_asked_about_a_story_was_told(plot: str) -> None:
    rng = Random(8)
    for _ in range(60):
        slots = stories.cast(rng, exam=False)
        told = " ".join(stories.happenings(rng, plot, slots)).lower()
        for _, short, _ in QUESTIONS[plot]:
            answer = re.sub(r"^(an?|to|at|near|from) ", "", expand(rng, short, slots).rstrip(".").lower())
            assert all(word in told for word in re.findall(r"\w+", answer.replace("it was ", ""))), (answer, told)


def test_a_marked_question_has_its_answer_in_the_text_once() -> None:
    rng = Random(3)
    for distance in (0, 3, 20):
        for _ in range(100):
            text, right = recall.marked(rng, distance)
            told, question = text.split("\nQuestion: ")
            assert text.endswith("\nAnswer:")
            assert question.count("?") == 1
            # The shortest right answer is the thing to remember (or "At the park", "A baker").
            value = re.sub(r"^(at|an?) ", "", min(right, key=len))
            about = {word for word in re.findall(r"\w+", question) if word in words.GIRLS + words.BOYS} or set(
                re.findall(r"\w+s\b|\w{3,}", question)
            )
            said = [one for one in told.split(". ") if re.search(rf"\b{re.escape(value)}\b", one.lower())]
            assert any(about & set(re.findall(r"\w+", one)) for one in said), (told, question, right)


def test_everybody_in_a_list_of_pairs_is_asked_for() -> None:
    for exam in (False, True):
        rng = Random(6)
        for _ in range(100):
            text = recall.pairs(rng, exam)
            told = re.split(r"\n| (?=(?:What|Where|Who|Which|How)\b)| (?=[A-Z][a-z]+\?)", text)[0]
            assert text.count("?") == told.count(".") >= 1, text
    assert all(
        held_out(slots["n"], slots["t"], slots["v"]) for slots in (recall.fact(Random(seed), True, "where") for seed in range(30))
    ), "the examination's facts are never taught"


STORY = (
    "Once upon a time, there was a boy named Timmy. Timmy had a sister named Lily. One day, they went to the park. "
    "Lily saw a bird. They were all happy. Timmy and a dog ran to the tree and back, and up the hill, and over the bridge. "
    "Then everybody went home and Lily told Mom about the bird and the bee. In the evening it was very quiet for a long time."
)


@pytest.fixture
def shelf(tmp_path: Path) -> Corpus:
    dark = "Once there was a cat. The cat was sick and then it died. Everybody was sad. " * 4
    (tmp_path / "tinystories_few.txt").write_text(f"{STORY}\n{dark}\nshort\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    return Corpus(tmp_path)


def test_a_story_of_the_plain_text_is_told_anew_each_time(shelf: Corpus) -> None:
    rng = Random(0)
    told = [shelf.draw(rng) for _ in range(60)]
    assert len(set(told)) > 50
    for text in told:
        assert text.startswith("They were"), "how a text may begin is a lesson's business"
        girl = re.search(r"and (\w+) told Mom", text)
        assert girl, text
        assert girl[1] in words.GIRLS


def test_dark_and_broken_stories_stay_out_and_an_empty_folder_is_empty(shelf: Corpus, tmp_path: Path) -> None:
    assert shelf.stories == [STORY]
    (tmp_path / "nothing").mkdir()
    assert not Corpus(tmp_path / "nothing")
    assert not Corpus(None)
