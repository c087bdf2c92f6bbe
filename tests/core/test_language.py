"""Languages: chosen, carried into other threads, read from their folder, and sentences translated again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import language
from core.errors import BadSetting
from core.language import N_, _, again, figures, ngettext, said, speaking, with_current_language, written
from core.settings import SamplingSettings

PO = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "The dice"
msgstr "Die Würfel"

msgid "{count} of {total}"
msgstr "{count} von {total}"

msgid "as it was after {age}, written down in its training"
msgstr "so war es nach {age}, in seiner Ausbildung aufgeschrieben"

msgid "{label} must be at least {low} and at most {high}, not {shown}."
msgstr "{label} muss mindestens {low} und höchstens {high} sein, nicht {shown}."

msgid "{count} token"
msgid_plural "{count} tokens"
msgstr[0] "{count} Token"
msgstr[1] "{count} Tokens"
"""


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "viewer.po").write_text(PO, "utf-8")
    monkeypatch.setattr(language, "FOLDER", tmp_path)
    caches = (language.languages, language.catalogue, language._written, language._patterns, language._again)
    for kept in caches:
        kept.cache_clear()
    with speaking("de"):
        yield
    for kept in caches:
        kept.cache_clear()


def test_without_anybody_it_is_english() -> None:
    assert language.current() == "en"
    assert _("The dice") == N_("The dice") == "The dice"
    assert [ngettext("{count} token", "{count} tokens", count) for count in (0, 1, 2)] == [
        "{count} tokens",
        "{count} token",
        "{count} tokens",
    ]


def test_a_folder_is_a_language(german: None) -> None:
    assert language.languages() == {"de": "Deutsch", "en": "English"}
    assert [language.best_match(wanted) for wanted in ("de-AT", "DE", "de_CH", "fr", "", None, "../de")] == [
        "de",
        "de",
        "de",
        "en",
        "en",
        "en",
        "en",
    ]


def test_sentences_and_plurals(german: None) -> None:
    assert _("The dice") == "Die Würfel"
    assert _("Nobody translated this.") == "Nobody translated this."
    assert _("") == ""
    assert ngettext("{count} token", "{count} tokens", 1).format(count=1) == "1 Token"
    assert ngettext("{count} token", "{count} tokens", 3).format(count=3) == "3 Tokens"
    assert said({"a": N_("The dice")}) == {"a": "Die Würfel"}


def test_numbers_are_written_as_there(german: None) -> None:
    assert written(12345.678, ",.2f") == "12.345,68"
    assert figures("1,234.5") == "1.234,5"
    with speaking("en"):
        assert written(12345.678, ",.2f") == "12,345.68"


def test_what_was_said_in_english_is_said_again(german: None) -> None:
    assert again("The dice") == "Die Würfel"
    assert again("1,200 tokens") == "1.200 Tokens"
    assert again("3 of 1,200") == "3 of 1,200"  # too short to be known for a sentence of ours
    assert (
        again("as it was after 40 tokens, written down in its training") == "so war es nach 40 Tokens, in seiner Ausbildung aufgeschrieben"
    )
    assert again("A text of a visitor, with {braces}.") == "A text of a visitor, with {braces}."
    with speaking("en"):
        assert again("1,200 tokens") == "1,200 tokens"


def test_an_error_of_core_speaks_to_whoever_caused_it(german: None) -> None:
    with pytest.raises(BadSetting, match="muss mindestens 0 und höchstens"):
        SamplingSettings(temperature=3, top_k=-1)


def test_a_thread_speaks_the_language_of_the_one_that_began_it(german: None) -> None:
    heard: list[str] = []
    threads = [
        threading.Thread(target=work)
        for work in (with_current_language(lambda: heard.append(_("The dice"))), lambda: heard.append(_("The dice")))
    ]
    for thread in threads:
        thread.start()
        thread.join()
    assert heard == ["Die Würfel", "The dice"]


def test_a_cache_of_words_is_kept_for_each_language(german: None) -> None:
    made: list[str] = []

    @language.by_language(4)
    def title(number: int) -> str:
        made.append(language.current())
        return f"{_('The dice')} {number}"

    assert [title(1), title(1)] == ["Die Würfel 1"] * 2
    with speaking("en"):
        assert title(1) == "The dice 1"
    assert made == ["de", "en"]
