"""Every page is opened once, with its recorded result, in a language whose numbers are French.

Its sentences come from a catalogue that puts each in brackets, so that numbers inside a sentence of the catalogue do not count.
"""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.experiments import recording_specs
from pages.ui.experiments.experiment import Worker
from pages.ui.i18n import page_titles, translation
from pages.ui.session import settings_of_page
from tests.pages.apptest import Open, html
from tests.pages.test_settings_of_page import counting

FIRST = {take.page for take in recording_specs.RECORDING_SPECS if not take.before and not take.query}
ENGLISH_TEXTS = ("glossary.py", "growing.py")  # the glossary and the model's card are English as a whole here
BRACKETS = re.compile(r"⟦[^⟦⟧]*⟧")
ENGLISH_NUMBER = re.compile(r"(?<![\d.\w-])\d{1,3}(?:\.\d{1,2}|,\d{3}\.\d+)(?![\d.B\w])")
NO_NUMBERS = re.compile(
    r"stage\?\S+|„[^“]*“|<style.*?</style>|<script.*?</script>|<[^>]*>|`[^`]*`|(Apache|Llama|Qwen|GPT|CC[- ]BY\S*) ?\d\.\d", re.DOTALL
)


class Brackets(gettext.NullTranslations):
    """Puts every sentence in brackets. A place in it ends them, so that what is put there is outside."""

    def gettext(self, message: str) -> str:
        return "⟦" + re.sub(r"\{\w+\}", r"⟧\g<0>⟦", message) + "⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "current", lambda: "fr")
    monkeypatch.setattr(translation, "catalogue", lambda code: Brackets())
    monkeypatch.setattr(translation, "_singulars", lambda code: {})


def outside_brackets(text: str) -> str:
    """Return the part of a text that did not come out of the catalogue."""
    while BRACKETS.search(text):
        text = BRACKETS.sub(" ", text)
    return text


def english_numbers(app: AppTest) -> list[str]:
    """Return the numbers of a page that are written the English way, each with the text around it."""
    protos = [element.proto for element in app if hasattr(element, "proto") and getattr(element, "type", "") != "text"]
    texts = [text for proto in protos for name in ("label", "help", "body") if isinstance(text := getattr(proto, name, ""), str)]
    bare = [NO_NUMBERS.sub(" ", outside_brackets(text)) for text in texts]
    return [text[max(0, found.start() - 40) : found.end() + 30] for text in bare for found in ENGLISH_NUMBER.finditer(text)]


@pytest.mark.parametrize("page", [file for _group, file, *_rest in page_titles.PAGES])
def test_a_page_opens_with_its_result_and_its_numbers_follow_the_language(page: str, open_app: Open, french: None) -> None:
    app = open_app(page=page)
    if Path(page).stem not in (*page_titles.CHROMELESS_PAGES, "watch", "tour"):  # these begin with a sentence of their own
        heading = next(str(text.value) for text in app.markdown if str(text.value).startswith("# "))
        assert heading.removeprefix("# ").startswith(page_titles.title_of(Path(page).stem)), "menu and heading have one name"
    if page in FIRST:
        assert "⟦A recorded result" in html(app)
        assert not any(isinstance(one, Worker) for one in app.session_state["_session"].results.values()), "nothing was run for it"
    if isinstance(used := settings_of_page.USED[Path(page).stem], frozenset) and Path(page).stem not in page_titles.CHROMELESS_PAGES:
        assert counting(app) == used
    if page not in ENGLISH_TEXTS:
        assert english_numbers(app) == []


def test_every_page_in_the_folder_is_in_the_menu_and_keeps_no_state_of_its_own() -> None:
    files = {path.name: path.read_text("utf-8") for path in (page_titles.ROOT / "pages").glob("*.py") if path.name != "__init__.py"}
    assert set(files) == {file for _, file, _, _ in page_titles.PAGES} | {page_titles.OPERATOR_PAGE.name}
    for file, text in files.items():
        assert "frame.page()" in text and "session_state" not in text, file


def test_the_address_of_a_page_is_in_its_title() -> None:
    for _group, file, title, _sight in page_titles.PAGES:
        path = Path(file).stem
        if path not in page_titles.HIDDEN:
            words = page_titles.ADDRESSES.get(path, path).split("-")
            named = title.casefold().split()
            assert all(any(name.startswith(word) for name in named) for word in words), (path, title)
            assert page_titles.path_of(page_titles.ADDRESSES.get(path, path)) == path
