"""The glossary: each term with a page on which it can be seen happening."""

from __future__ import annotations

from itertools import chain

from pages.ui import features
from pages.ui.i18n.glossary import terms
from tests.pages.apptest import Open, said


def test_each_term_has_a_page_that_shows_it_and_each_name_one_meaning() -> None:
    assert {term.page for term in terms()} <= {"start", *features.features()} - {"glossary"}
    names = [name.casefold() for name in chain.from_iterable(term.names for term in terms())]
    assert names and len(names) == len(set(names))


def test_the_page_lists_all_and_finds_some(open_app: Open) -> None:
    app = open_app(page="glossary")
    assert all(term.text in said(app) for term in terms())
    app.text_input(key="glossary_find").set_value("KV ca").run()
    assert "notepad" in said(app) and "A gradient" not in said(app)
    app.text_input(key="glossary_find").set_value("xyzzy*_<b>").run()
    assert "No term contains this text" in said(app) and not app.exception
