"""Text of others is shown letter by letter: what Streamlit's own Markdown would make of it is nothing but these letters."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.i18n.safe_text import plain

HOSTILE = (
    "![x](https://evil.example/x.png)",
    "[click](https://evil.example)",
    "<img src=https://evil.example/x.png onerror=alert(1)>",
    "<https://evil.example>",
    "https://evil.example/x",
    "www.evil.example",
    "me@evil.example",
    ":red[x] :material/home: :smile:",
    "$\\href{https://evil.example}{x}$",
    "[x]: https://evil.example\n\n[x]",
    "\\![x](//evil.example)",
    "# heading\n- list\n\n    code",
    "| a | b |\n|---|---|\n| ![x](//evil.example) | b |",
    "&#33;&#91;x&#93;(https://evil.example)",
    "`code` **bold** __b__ ~~gone~~ ^[note]",
)


def letters(shown: str) -> str:
    """What a reader sees: the escapes and the word joiners are gone."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown).replace("\u2060", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_markdown_knows_is_left(text: str) -> None:
    shown = plain(text)
    bare = re.sub(r"\\.", "", shown)
    assert not re.search(r"[`*_\[\]<>$~|&^]", bare)
    assert not re.search(r"(?i)[a-z]://|www\.|\w@\w", shown)
    assert "\n" not in shown
    assert not re.match(r"(#|-|\+|=|\d+[.)])", shown)


@given(st.text(max_size=200))
def test_all_letters_are_still_there(text: str) -> None:
    wanted = " ".join(re.split(r"[ \t]*[\r\n\v\f\x85\u2028\u2029]+\s*", text)).lstrip()
    wanted = "".join(c for c in wanted if c.isprintable() or c == "\u00a0")  # the space between a number and its unit
    assert letters(plain(text)) == letters(wanted) or "\\" in text
    assert len(plain(text).splitlines()) <= 1


def test_usual_names_and_sentences_stay_as_they_are() -> None:
    for text in ("storyteller-mini writes from now on.", "It fits (2.5 GB).", "Before you: 3.", "That is “a name”, isn't it?", "top-p 0.9"):
        assert plain(text) == text


def test_the_space_between_a_number_and_its_unit_stays() -> None:
    assert plain("The constraint excludes 43\u00a0% of it") == "The constraint excludes 43\u00a0% of it"


@pytest.mark.parametrize("unit", [" ", "\t", "\n", " \n", "\u200b", "[", "www.", "a:"])
def test_a_text_of_millions_of_characters_is_not_read_to_its_end(unit: str) -> None:
    """8,000 blanks in an opened result took nine seconds, for every visitor."""
    start = process_time()
    shown = plain(unit * 2_000_000 + "a")
    assert process_time() - start < 0.2 and shown.endswith("...") and len(shown) < 8_000


def test_blanks_before_a_line_break_go_with_it() -> None:
    assert plain("a \t \n  b  c \u2028\r\n\v d ") == "a b  c d "
