"""Real prose: what is read, and what is held out for the evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.bundled.recipe.corpus import HELD_OUT_BOOKS, HELD_OUT_STORYBOOKS, Corpus

STORY = (
    "Once upon a time, there was a boy named Timmy. Timmy had a sister named Lily. One day, they went to the park. "
    "Lily saw a bird. They were all happy. Timmy and a dog ran to the tree and back, and up the hill, and over the bridge. "
    "Then everybody went home and Lily told Mom about the bird and the bee. In the evening it was very quiet for a long time."
)
BOOK = (
    "The fairy sat on a stone. She looked at the sea for a long time and sang.\n"
    '"Where is my crown?" asked the king. It was in the tree, of course.\n\n'
)
SECRET = "Nobody may read this before the evaluation. The trains went by, one after another, and all the children waved their hats.\n\n"


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


def test_what_is_kept_for_the_examination_is_never_drawn(shelf: Corpus) -> None:
    assert sum("Nobody may read this" in text for text in shelf.held_out[HELD_OUT_BOOKS[0]]) == 4
    assert len(shelf.held_out["storybooks"]) == HELD_OUT_STORYBOOKS
    kept = {text for texts in shelf.held_out.values() for text in texts}
    drawn = [piece.text for pieces in shelf.pieces.values() for piece in pieces]
    assert not kept & set(drawn)
    assert not any("Nobody may read this" in text for text in drawn)
    assert sum("Goat number" in text for text in drawn) == 100 - HELD_OUT_STORYBOOKS


def test_older_prose_has_no_paragraph_with_a_rare_word(tmp_path: Path) -> None:
    common = [f"qu{a}{b}{c}" for a in "abcdefghijklmnopqrst" for b in "abcdefghijklmnopqrst" for c in "abcdefghijklmno"]
    rare = "The sorcerer was called Abracadabra, which nobody else in all those kingdoms between both seas had ever dared to choose."
    plain = " ".join(common[:40]) + "."
    book = [*(" ".join(common) + "." for _ in range(2)), plain, rare, plain, plain]
    (tmp_path / "tales.txt").write_text("\n".join(book), encoding="utf-8")
    read = [piece.text for piece in Corpus(tmp_path).pieces["older"]]
    assert read == ["\n\n".join(book[:3]), "\n\n".join(book[4:])]
