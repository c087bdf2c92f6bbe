"""Real prose: what is read, what is told anew, what stays out, and what nobody ever reads."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from core.training.corpus import HELD_OUT_BOOKS, HELD_OUT_STORYBOOKS, Corpus
from core.training.decency import hurtful, hurtful_among
from core.training.lessons import words

STORY = (
    "Once upon a time, there was a boy named Timmy. Timmy had a sister named Lily. One day, they went to the park. "
    "Lily saw a bird. They were all happy. Timmy and a dog ran to the tree and back, and up the hill, and over the bridge. "
    "Then everybody went home and Lily told Mom about the bird and the bee. In the evening it was very quiet for a long time."
)
BOOK = (
    "The fairy sat on a stone. She looked at the sea for a long time and sang.\n"
    '"Where is my crown?" asked the king. It was in the tree, of course.\n\n'
)
SECRET = "Nobody may read this before the examination. The trains went by, one after another, and all the children waved their hats.\n\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Corpus:
    dark = "Once there was a cat. The cat was sick and then it died. Everybody was sad. " * 4
    (tmp_path / "tinystories_few.txt").write_text(f"{STORY}\n{dark}\nshort\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    (tmp_path / "storybooks.txt").write_text(
        "\n\n".join(f"Goat number {n} climbed on a rock.\nIt saw {n} birds in the sky." for n in range(100)), encoding="utf-8"
    )
    (tmp_path / "books").mkdir()
    first, second, third = BOOK * 3, SECRET * 4, BOOK.replace("crown", "gun") * 2
    (tmp_path / "books" / "nesbit.txt").write_text("\n\n".join(book[:-2] for book in (first, second, third)), encoding="utf-8")
    rows = [("Tales", first), (HELD_OUT_BOOKS[0], second), ("More tales", third)]
    (tmp_path / "books" / "list.tsv").write_text(
        "".join(f"Nesbit, E. (Edith)\t{title}\t{len(book) - 2}\n" for title, book in rows), encoding="utf-8"
    )
    return Corpus(tmp_path)


def test_a_story_of_the_plain_text_is_told_anew_each_time(shelf: Corpus) -> None:
    rng = Random(0)
    told = [text for text in (shelf.draw(rng).text for _ in range(2000)) if "told Mom" in text]
    assert len(set(told)) > 50
    assert len({text[:20] for text in told}) > 5, "from its beginning, or from some sentence on"
    for text in told:
        girl = re.search(r"and (\w+) told Mom", text)
        assert girl, text
        assert girl[1] in words.GIRLS


def test_a_patchwork_holds_a_sentence_of_each_of_many_simple_stories(shelf: Corpus) -> None:
    told = shelf.draw_patchwork(Random(4))
    assert not told.whole and len(told.text) > 700
    goats = re.findall(r"number (\d+) climbed|saw (\d+) birds", told.text)
    assert len(goats) > 15 and len({number for pair in goats for number in pair if number}) > 10
    assert "crown" not in told.text, "of simple ones alone"
    assert told == shelf.draw_patchwork(Random(4)) and told != shelf.draw_patchwork(Random(5))
    kept = shelf.held_out["storybooks"]
    said = {
        found for seed in range(40) for found in re.findall(r"Goat number \d+ climbed on a rock", shelf.draw_patchwork(Random(seed)).text)
    }
    assert said and not any(sentence in text for sentence in said for text in kept), "and of none that are held out"


def test_without_simple_stories_something_else_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "tale.txt").write_text(BOOK * 4, encoding="utf-8")
    assert "crown" in Corpus(tmp_path).draw_patchwork(Random(0)).text


def test_what_is_held_out_is_drawn_for_the_examination_only(shelf: Corpus) -> None:
    rng = Random(0)
    drawn = {shelf.draw_held_out(rng).text for _ in range(400)}
    kept = [text for texts in shelf.held_out.values() for text in texts]
    assert all(any(text in whole for whole in kept) for text in drawn)
    assert any("Nobody may read" in text for text in drawn)
    assert any("Goat number" in text for text in drawn)
    assert not drawn & {shelf.draw(rng).text for _ in range(400)}


def test_a_child_s_story_is_told_of_foxes_and_bakers_too(shelf: Corpus) -> None:
    rng = Random(1)
    begun = [text for text in (shelf.draw(rng).text for _ in range(4000)) if re.match(r"(Once|One day).*there (was|lived)", text)]
    heroes = {found[1] for text in begun if (found := re.match(r".*?\ban? (?:\w+ )?(\w+) (?:named|who) ", text))}
    assert len(heroes) > 30 and {"fox", "boy"} <= heroes
    named = [re.search(r"named ([A-Z]\w+)|(?:name was|called h\w+) ([A-Z]\w+)", text) for text in begun]
    assert all(found and f"{found[1] or found[2]} had a sister" in text for found, text in zip(named, begun, strict=True))
    assert not [text for text in begun if re.search(r"\ba [aeio]\w+ (?:named|who)", text)], "an owl, an elephant"


@pytest.mark.parametrize(
    "story", ["", "Once there was a cat.", "Once upon a time, there was a girl.", "One day, there was a boy named 7.", "a girl named Mia."]
)
def test_a_story_without_one_named_child_keeps_its_hero(tmp_path: Path, story: str) -> None:
    whole = story + " Everybody went home, and it was very quiet in the evening for a long, long time." * 4
    (tmp_path / "tinystories_few.txt").write_text(whole, encoding="utf-8")
    rng, corpus = Random(0), Corpus(tmp_path)
    assert not [text for text in (corpus.draw(rng).text for _ in range(200)) if "who liked" in text or "who wanted" in text]


def test_a_story_from_its_beginning_may_have_been_asked_for(shelf: Corpus) -> None:
    rng = Random(1)
    asked = [text for text in (shelf.draw(rng).text for _ in range(1800)) if re.match(r"[^.:]*\bstory\b[^.:]*[.:]\n", text)]
    assert len(asked) > 20
    for text in asked:
        wish, _, story = text.partition("\n")
        about = re.search(r"about an? (\w+)", wish)
        assert not about or about[1] in story


def test_dark_and_broken_stories_stay_out_and_an_empty_folder_is_empty(shelf: Corpus, tmp_path: Path) -> None:
    assert [piece.text for piece in shelf.pieces["simple"] if "Timmy" in piece.text] == [STORY]
    assert not any("died" in text for text in shelf.texts())
    (tmp_path / "nothing").mkdir()
    assert not Corpus(tmp_path / "nothing")
    assert not Corpus(None)


def test_what_is_kept_for_the_examination_is_never_drawn(shelf: Corpus) -> None:
    assert sum("Nobody may read this" in text for text in shelf.held_out[HELD_OUT_BOOKS[0]]) == 4
    assert len(shelf.held_out["storybooks"]) == HELD_OUT_STORYBOOKS
    kept = {text for texts in shelf.held_out.values() for text in texts}
    assert not kept & set(shelf.texts())
    assert not any("Nobody may read this" in text for text in shelf.texts())
    assert sum("Goat number" in text for text in shelf.texts()) == 100 - HELD_OUT_STORYBOOKS


def test_a_hurtful_paragraph_parts_two_pieces(shelf: Corpus) -> None:
    tales = [piece.text for piece in shelf.pieces["tale"]]
    assert any("crown" in text for text in tales)
    assert not any(hurtful(text) for text in tales)
    assert hurtful("He took his GUN and said: you idiot!") == ["gun", "idiot"]
    many = ["gun", "guns", "gunner", "hello", "hell", "", "kill", "killjoy", "skill", "x" * 10_000]
    assert hurtful_among(many) == {word for word in many if hurtful(word)} == {"gun", "guns", "hell", "kill", "killjoy"}
    assert hurtful_among([]) == set()
    assert not hurtful("She began to skill her hands with a shuttle; the hello was ugly-free.".replace("ugly-", ""))


def test_a_piece_ends_where_its_story_ends_or_says_that_it_does_not(shelf: Corpus) -> None:
    rng = Random(2)
    for piece in (shelf.draw(rng) for _ in range(300)):
        assert piece.whole == (piece.text[-1] in '.!?"' and ("birds in the sky" in piece.text or "the bee" in piece.text)), piece


def test_one_row_holds_a_document(shelf: Corpus) -> None:
    rng = Random(3)
    assert all(len(one.text) < 1900 and one.text == one.text.strip() for one in (shelf.draw(rng) for _ in range(300)))
    assert any(a != b for a, b in pairwise(shelf.draw(Random(seed)).text for seed in range(10)))
