"""The lessons: the same for the same seed, honest about chance, right in every partial sum, and true to the hold-out rule."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from core.training import lessons
from core.training.lessons import EARLY, LATER, LESSONS, chance, commitment, document, facts, opinions, recall, sums, words
from core.training.lessons.atlas import CAPITALS
from core.training.lessons.grammar import HELD_OUT_ONE_IN, article, draw, expand, held_out
from core.training.lessons.retell import vary

_EQUATION = re.compile(r"\d+(?: ?\+ ?\d+)+ = \d+")


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_the_same_for_the_same_seed_and_another_for_another(name: str) -> None:
    first, again, other = ([LESSONS[name](rng) for _ in range(30)] for rng in (Random(5), Random(5), Random(6)))
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("exam", [False, True])
def test_a_lesson_is_plain_text_without_leftovers_of_its_grammar(name: str, exam: bool) -> None:
    rng = Random(11)
    for text in (LESSONS[name](rng, exam) for _ in range(300)):
        assert text == text.strip()
        assert text
        assert not re.search(r"[{}\[\]|]|  |\ba [aeio][a-z]+ing\b|[^.]\.\.(?!\.)|\s[.,!?](?!\.)", text), text


def test_both_mixtures_name_every_lesson() -> None:
    assert set(EARLY) == set(LATER) == set(LESSONS)
    assert all(document(Random(seed), early=early) for seed in range(50) for early in (False, True)), "no document is empty"


def test_brackets_nest_and_slots_are_filled() -> None:
    seen = {expand(Random(seed), "[a [red|blue]|the] {t}", {"t": "hat"}) for seed in range(60)}
    assert seen == {"a red hat", "a blue hat", "the hat"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a apple", "an apple"),
        ("A owl and a fox", "An owl and a fox"),
        ("a unicorn", "a unicorn"),
        ("a honest king", "an honest king"),
        ("a one-eyed cat", "a one-eyed cat"),
        ("a used coat", "a used coat"),
        ("extra apples", "extra apples"),
    ],
)
def test_the_article_fits_the_word_behind_it(before: str, after: str) -> None:
    assert article(before) == after


def test_about_one_combination_in_twelve_is_held_out_even_among_neighbours() -> None:
    rate = sum(held_out(a, b, c) for a, b, c in itertools.product(range(10, 40), repeat=3)) / 30**3
    assert rate == pytest.approx(1 / HELD_OUT_ONE_IN, abs=0.01)
    rows = [sum(held_out(a, b) for b in range(200)) for a in range(50)]
    assert min(rows) > 3
    assert max(rows) < 40


def test_a_draw_lies_on_the_side_that_was_asked_for() -> None:
    rng = Random(0)
    for exam in (False, True):
        assert {held_out(*draw(exam, lambda: (rng.randrange(1000), rng.randrange(1000)))) for _ in range(300)} == {exam}


def test_the_training_text_never_asks_a_held_out_sum() -> None:
    rng = Random(2)
    for exam in (False, True):
        asked = [tuple(sorted(map(int, re.findall(r"\d+", sums.sum_of_three(rng, exam).split("\n")[0])))) for _ in range(400)]
        assert {held_out(*triple) for triple in asked} == {exam}


def test_the_training_text_never_tells_a_held_out_phrasing_of_a_fact() -> None:
    kept = {f"{before} {answer}" for _, before, answer in facts.examination()}
    rng = Random(3)
    taught = [facts.facts(rng) for _ in range(4000)]
    assert len(kept) > 150
    assert not [text for text in taught for secret in kept if secret in text]


def test_a_held_out_memory_never_occurs_in_training() -> None:
    for exam in (False, True):
        rng = Random(5)
        memories = [recall.fact(rng, exam, rng.choice(list(recall.KINDS))) for _ in range(300)]
        assert {held_out(memory["n"], memory["t"], memory["v"]) for memory in memories} == {exam}


@pytest.mark.parametrize("name", ["sum of three", "sum of two", "number"])
def test_every_equation_in_a_lesson_is_right(name: str) -> None:
    rng = Random(6)
    found = [equation for _ in range(500) for equation in _EQUATION.findall(LESSONS[name](rng))]
    assert len(found) > 50
    for equation in found:
        left, right = equation.split("=")
        assert sum(map(int, left.split("+"))) == int(right), equation


def test_every_answer_to_a_sum_is_right() -> None:
    rng = Random(7)
    for _ in range(500):
        text = sums.sum_of_three(rng)
        question, _, answer = text.partition("\n")
        assert sum(map(int, re.findall(r"\d+", question))) == int(re.findall(r"\d+", answer)[-1])


def test_a_thought_writes_the_units_and_carries_right_at_every_step() -> None:
    rng = Random(8)
    for _ in range(300):
        thought = sums.thought(*sums.triple(rng))
        assert thought.count("Units:") == 2
        for units, written, carried in re.findall(r"= (\d+), write (\d), carry (\d)", thought):
            assert int(units) == 10 * int(carried) + int(written)
        for tens, result, written in re.findall(r"Tens: \d+ \+ \d+ \+ \d+ = (\d+)\. So \d+ \+ \d+ = (\d+)()", thought):
            assert int(result) // 10 == int(tens)
            assert written == ""


def test_a_thought_worked_by_hand() -> None:
    assert sums.thought(47, 38, 25) == (
        "Let us think step by step. First 47 + 38. Units: 7 + 8 = 15, write 5, carry 1. Tens: 4 + 3 + 1 = 8. "
        "So 47 + 38 = 85. Still to add: 25. "
        "Now 85 + 25. Units: 5 + 5 = 10, write 0, carry 1. Tens: 8 + 2 + 1 = 11. So 85 + 25 = 110. The answer is 110."
    )


def test_one_question_of_three_numbers_in_ten_is_answered_at_once() -> None:
    rng = Random(9)
    thoughts = sum("step by step" in sums.sum_of_three(rng) for _ in range(2000))
    assert 1750 < thoughts < 1850


def test_dice_in_the_lessons_are_fair() -> None:
    rng = Random(10)
    counts = Counter(found[1] for _ in range(60_000) if (found := re.fullmatch(r"I rolled a die and got a (\d)\.", chance.chance(rng))))
    total = sum(counts.values())
    assert set(counts) == set("123456")
    assert total > 500
    assert max(counts.values()) / total < 0.21


def test_every_urn_has_only_distinct_draws_where_its_entropy_is_used() -> None:
    from core.training.exam import URNS

    urns = dict(chance.URNS)
    assert all(len(set(urns[opening])) == len(urns[opening]) for opening in URNS)


def test_yes_and_no_are_equally_likely_and_each_has_its_own_reasons() -> None:
    rng = Random(12)
    texts = [commitment.is_a(rng) for _ in range(3000)]
    agreed = sum(bool(re.search(r"[?:] Yes[ ,.]|\nAnswer: Yes", text)) for text in texts)
    assert 1350 < agreed < 1650
    for _, _, yes, no in commitment.PAIRS:
        assert yes
        assert no
        assert not set(yes) & set(no)


def test_at_least_a_hundred_capitals_in_four_phrasings() -> None:
    assert len(CAPITALS) >= 100
    assert len(facts.PHRASINGS["capital"]) >= 4
    for country, city in CAPITALS.items():
        assert sum(facts.taught("capital", country, phrasing) for phrasing in range(len(facts.PHRASINGS["capital"]))) >= 4, city


def test_an_answer_in_a_recall_lesson_was_said_before() -> None:
    rng = Random(13)
    marked = 0
    for _ in range(600):
        before, mark, after = recall.recall(rng, exam=bool(rng.random() < 0.5)).partition("\nAnswer: ")
        if mark:
            marked += 1
            answer = after.split("\n")[0].rstrip(".").lower().removesuffix(" most of all")
            assert answer.split()[-1] in before.lower()
    assert marked > 100


def test_a_story_is_not_told_twice_in_the_same_words() -> None:
    rng = Random(16)
    sentence = 'Then she was very sad. "I will not do it," said Mia. At last, it began to rain, and everybody went home.'
    told = {vary(rng, sentence) for _ in range(200)}
    assert len(told) > 100
    assert all(text.count('"') == 2 and "Mia" in text for text in told)
    # Short forms are for speaking only.
    assert any("I'll not" in text for text in told)
    assert not any("'" in text.split('"')[0] + text.split('"')[2] for text in told)


@pytest.mark.parametrize("table", [opinions.ADJECTIVES, opinions.VERBS, opinions.MORE])
def test_a_question_nobody_wrote_down_is_answered_with_a_reason_for_that_answer(table: list[tuple[str, list[str], list[str]]]) -> None:
    rng = Random(4)
    asked = [opinions.opinion(rng) for _ in range(4000)]
    for what, yes, no in table:
        assert not set(yes) & set(no)
        asks = re.compile(rf"(?:Is .*|that .* is|Can .*|that .* can) {re.escape(what)}{' than .*' if table is opinions.MORE else ''}$")
        about = []
        for text in asked:
            question = text.split("?")[0]
            kind = opinions.MORE if " than " in question else opinions.VERBS if re.search(r"\b[Cc]an\b", question) else opinions.ADJECTIVES
            if kind is table and asks.search(question):
                about.append(text)
        for answer, right, wrong in (("Yes", yes, no), ("No", no, yes)):
            answers = [text for text in about if re.search(rf"\b{answer}[,.]", text)]
            assert answers, (what, answer)
            for text in answers:
                said = text.split(f"{answer}", 1)[1]
                assert any(reason in said for reason in right), text
                assert not any(re.search(rf"(?:because|since|and) {re.escape(reason)}\b", said) for reason in wrong), text


def test_questions_of_the_examination_are_never_taught() -> None:
    taught = {
        opinions.opinion(Random(seed)).split("?")[0] + str("No" in text)
        for seed in range(3000)
        for text in [opinions.opinion(Random(seed))]
    }
    for seed in range(200):
        text = opinions.opinion(Random(seed), exam=True)
        assert " than " in text or text.split("?")[0] + str("No" in text) not in taught, text


def test_told_in_other_words_everybody_still_says_the_same() -> None:
    told = '"Where is my hat?" asked Mia. "I have it," said the old bear. Tom laughed. "Run!" cried Mia. "Wait for me," she called.'
    for seed in range(300):
        text = vary(Random(seed), told)
        for who, words_said in (("Mia", "Where is my hat?"), ("bear", "I have it"), ("Mia", "Run!"), ("she", "Wait for me")):
            assert re.search(rf'(?i){who} \w+[^."]*, "{re.escape(words_said)}', text) or re.search(
                rf'"{re.escape(words_said)}[,.?!]*" (\w+ )?(the old )?{who}\b', text
            ), text
        assert text.count('"') == 8, text
        assert not re.search(r'[,.] ?[,.]|  |"[a-z]|[.!?]" [A-Z]?[a-z]+ed [A-Z]\w+ [A-Z]', text), text


def test_the_fingerprint_of_the_lessons_is_the_same_twice_and_changes_with_a_lesson(monkeypatch: pytest.MonkeyPatch) -> None:
    before = lessons.fingerprint()
    assert before == lessons.fingerprint()
    assert re.fullmatch(r"[0-9a-f]{8}", before)

    class Changed(type(Path())):  # type: ignore[misc]
        """A path to lessons of which one was changed."""

        def read_bytes(self) -> bytes:
            return super().read_bytes() + b"#" * (self.name == "facts.py")

    monkeypatch.setattr(lessons, "Path", Changed)
    assert lessons.fingerprint() != before


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


def test_no_lesson_has_a_kind_of_wording_that_is_kept_for_the_examination() -> None:
    secrets = {before for _, before, _ in facts.strange_wordings()}
    rng = Random(17)
    taught = " ".join(facts.facts(rng) for _ in range(6000))
    assert len(secrets) > 1000
    assert not [secret for secret in secrets if len(secret) > 18 and secret in taught]
    assert {kind for kind, _, _ in facts.strange_wordings()} == set(facts.PHRASINGS) - {"is", "qa"}


def test_what_comes_next_is_asked_from_many_sides() -> None:
    assert facts.statement("next", "March", "April", 0) == "The month after March is April."
    assert facts.statement("last", "Monday", "Sunday", 2) == "If this day is Monday, the last day was Sunday."


def test_counting_down_goes_down() -> None:
    rng = Random(18)
    for _ in range(200):
        numbers = [int(number) for number in re.findall(r"\d+", facts._down(rng))]
        assert numbers == sorted(numbers, reverse=True)


def test_no_lesson_begins_as_the_examination_does() -> None:
    from core.training.beginnings import EVERYDAY, HEROES, STORIES

    rng = Random(19)
    taught = [document(rng) for _ in range(8000)]
    # The nine that were named with the goals may be known; the others are strangers.
    asked = EVERYDAY[9:] + STORIES + [beginning for _, beginning in HEROES]
    assert len(asked) >= 60 + 20 + 20
    assert not [(beginning, text) for text in taught for beginning in asked if text.startswith(beginning)]
