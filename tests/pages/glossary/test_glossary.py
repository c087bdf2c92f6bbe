"""The glossary: sixty terms and more, two sentences each, each with a page on which it can be seen happening."""

from __future__ import annotations

import re
from itertools import chain

from pages.ui import features
from pages.ui.i18n.glossary import terms
from tests.pages.apptest import Open, said


def test_some_sixty_terms_of_two_sentences_each_with_a_page_that_shows_it() -> None:
    assert len(terms()) >= 60
    for term in terms():
        assert len(re.findall(r"[.!?](?= |$)", term.text)) == 2, term.key
        assert term.text.endswith(".") and term.text[0].isupper(), term.key
        assert term.page in {"start", *features.features()} - {"glossary"}, term.key
    names = [name.casefold() for name in chain.from_iterable(term.names for term in terms())]
    assert len(names) == len(set(names)), "a word has one meaning"


def test_the_page_lists_all_and_finds_some(open_app: Open) -> None:
    app = open_app(page="glossary")
    assert all(term.text in said(app) for term in terms())
    app.text_input(key="glossary_find").set_value("KV ca").run()
    assert "notepad" in said(app) and "A gradient" not in said(app)
    app.text_input(key="glossary_find").set_value("xyzzy*_<b>").run()
    assert "No term contains this text" in said(app) and not app.exception
