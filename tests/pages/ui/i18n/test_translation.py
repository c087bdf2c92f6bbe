"""Languages: chosen, carried into other threads, read from their folder, and messages of core translated."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import BadSetting
from core.message import Message
from core.sampling.settings import STAGES, SamplingSettings
from pages.ui.i18n import example_texts, extract_sentences, spoken_language, translation
from pages.ui.i18n.numbers import written
from pages.ui.i18n.spoken_language import speaking, with_current_language
from pages.ui.i18n.translation import N_, _, figures, ngettext, said, say
from pages.ui.presenting import prepared_talks

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
    for module in (spoken_language, translation):
        monkeypatch.setattr(module, "FOLDER", tmp_path)
    caches = (spoken_language.languages, translation.catalogue, translation._written, translation._singulars)
    for kept in caches:
        kept.cache_clear()
    with speaking("de"):
        yield
    for kept in caches:
        kept.cache_clear()


def test_a_folder_is_a_language(german: None) -> None:
    assert spoken_language.languages() == {"de": "Deutsch", "en": "English"}
    assert [spoken_language.best_match(wanted) for wanted in ("de-AT", "DE", "de_CH", "fr", "", None, "../de")] == [
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


def test_a_message_is_said_with_its_values(german: None) -> None:
    assert _(Message("{count} tokens", count=1200)) == "1.200 Tokens"
    assert _(Message("The dice")) == "Die Würfel"
    with speaking("en"):
        assert _(Message("{count} tokens", count=1200)) == "1,200 tokens"


def test_an_error_of_core_is_said_in_the_language_of_the_visitor(german: None) -> None:
    with pytest.raises(BadSetting, match="must be at least 0 and at most") as refused:
        SamplingSettings(temperature=3, top_k=-1)
    assert "muss mindestens 0 und höchstens" in say(refused.value)


@pytest.mark.parametrize("wrong", [{"min_p": 1.5}, {"temperature": 0}, {"presence_penalty": -200}])
def test_a_number_out_of_range_is_said_in_the_language_of_the_visitor(wrong: dict[str, float], german: None) -> None:
    with pytest.raises(BadSetting, match="must be at least") as refused:
        SamplingSettings(**wrong)  # type: ignore[arg-type]
    assert "muss mindestens" in say(refused.value)
    assert ("switch Greedy on" in say(refused.value)) == ("temperature" in wrong), (
        "a sentence more, of which this catalogue has no translation"
    )


def test_an_error_with_a_sentence_of_the_page_keeps_braces_in_it(german: None) -> None:
    with speaking("de"):
        assert say(BadSetting("a {strange} name")) == "a {strange} name"


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

    @spoken_language.by_language(4)
    def title(number: int) -> str:
        made.append(spoken_language.current())
        return f"{_('The dice')} {number}"

    assert [title(1), title(1)] == ["Die Würfel 1"] * 2
    with speaking("en"):
        assert title(1) == "The dice 1"
    assert made == ["de", "en"]


def test_the_name_of_every_stage_can_be_translated() -> None:
    """The dialog and Inside show the names. A plain string is found in the sources only if something else marks it."""
    catalogue = spoken_language.FOLDER / "viewer.pot"
    assert [name for name in STAGES if f'msgid "{name}"' not in catalogue.read_text("utf-8")] == []


@pytest.mark.parametrize("file", [example_texts.FILE, prepared_talks.FILE], ids=lambda file: file.name)
def test_titles_and_notes_of_examples_and_talks_are_translated(file: Path) -> None:
    extracted = {sentence for sentence, _comment in extract_sentences.in_data(file.read_text("utf-8"))}
    titles = {"A tale", "Is a whale a fish?", "Night and day"} if file == example_texts.FILE else {"Three minutes", "Guess first"}
    assert titles <= extracted and (len(extracted) > 40 if file == prepared_talks.FILE else "Dear diary," not in extracted)
    with speaking("de"):
        assert all(_(sentence) != sentence for sentence in titles)
