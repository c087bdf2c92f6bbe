"""Every page is opened once, with its recorded result, in a language whose numbers are French.

Its sentences come from a catalogue that puts each in brackets, so that numbers inside a sentence of the catalogue do not count.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import features
from pages.ui.experiments.worker import Worker
from pages.ui.i18n import spoken_language, translation
from pages.ui.shell.sidebar import used_settings
from tests.pages.apptest import Open, State, html, show_more
from tests.pages.test_settings_of_page import counting

FIRST = {take.page for take in features.recorded() if take.view is None and not take.query}
ENGLISH_TEXTS = ("glossary", "training")  # the glossary and the model's card are English as a whole here
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
def french(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(spoken_language, "best_match", lambda wanted: "fr")
    monkeypatch.setattr(translation, "catalogue", lambda code: Brackets())
    monkeypatch.setattr(translation, "_singulars", lambda code: {})
    with spoken_language.speaking("fr"):
        yield


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


@pytest.mark.parametrize("page", [path for path, feature in features.features().items() if not feature.for_operator])
def test_a_page_opens_with_its_result_and_its_numbers_follow_the_language(page: str, open_app: Open, french: None) -> None:
    app = open_app(page=page)
    if not features.feature_of(page).bare and page not in ("watch", "tour"):  # these begin with a sentence of their own
        heading = next(str(text.value) for text in app.markdown if str(text.value).startswith("# "))
        assert heading.removeprefix("# ").startswith(features.title_of(page)), "menu and heading have one name"
    if page in FIRST:
        assert "⟦A recorded result" in html(app)
        assert not any(isinstance(one, Worker) for one in app.session_state["_session"].experiments.values()), "nothing was run for it"
    feature = features.feature_of(page)
    if page == "watch":
        show_more(app)
    if not callable(feature.settings) and not feature.bare:
        assert counting(app) == used_settings(feature)
    if page not in ENGLISH_TEXTS:
        assert english_numbers(app) == [], "write numbers with pages/ui/i18n/numbers.py"


def test_every_folder_of_a_page_is_in_the_menu_and_keeps_no_state_of_its_own() -> None:
    folders = {path.name for path in features.FOLDER.iterdir() if path.is_dir() and (path / "__init__.py").exists()} - {"ui"}
    assert folders == set(features.features())
    for path, feature in features.features().items():
        text = feature.file.read_text("utf-8")
        assert "frame.page()" in text and "session_state" not in text, path


def test_places_in_the_menu_are_different() -> None:
    places = [(feature.group, feature.place) for feature in features.features().values()]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("for_operator", [False, True])
def test_every_page_is_a_tab_of_one_entry_of_the_menu(for_operator: bool) -> None:
    tabs = [features.tabs(group, for_operator) for group in features.GROUPS]
    assert all(tabs), "every entry has a page"
    assert not any(pages[0].bare for pages in tabs), "the page that an entry opens has tabs and the menu"
    listed = {feature.path for pages in tabs for feature in pages}
    assert listed == {path for path, f in features.features().items() if f.in_menu and (for_operator or not f.for_operator)}
    for pages in tabs:
        labels = [feature.tab or feature.title for feature in pages]
        assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("language", spoken_language.languages())
def test_no_entry_of_the_menu_begins_with_another(language: str) -> None:
    """The script that marks the open entry compares beginnings, because a section has an icon after its name."""
    with spoken_language.speaking(language):
        entries = [translation._(name) for name in (*features.GROUPS, "More")]
    assert not [(one, other) for one in entries for other in entries if one is not other and one.startswith(other)]


def test_every_address_opens_its_page(open_app: Open, session: State) -> None:
    pages = [page for listed in next(iter(session(open_app()).page.navigation.values())).values() for page in listed]
    opened = {page.url_path: features.path_of(page.url_path) for page in pages}
    assert opened == {"": "", "watch": "watch"} | {
        name: path for path, f in features.features().items() for name in (path, f.url, *f.former)
    }
    seen = [page for page in pages if page.visibility == "visible"]
    assert [page.title for page in seen] == list(features.GROUPS)
    assert {page.url_path for page in seen} == {features.tabs(group)[0].url for group in features.GROUPS} - {"watch"} | {""}


def test_a_page_links_to_the_other_tabs(open_app: Open) -> None:
    app = open_app(page="compare")
    links = [(link.proto.label, link.proto.page) for link in app.get("page_link")]
    assert links[:3] == [("Two branches", "two-branches"), ("Several tries", "several-tries"), ("Thinking aloud", "think")]
    assert '<a aria-current="page">Compare</a>' in html(app)
    assert "<a aria-current" not in html(open_app(page="glossary")), "it is alone"
