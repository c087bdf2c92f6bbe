"""Every page is opened once, in a language whose catalogue puts each sentence in brackets and whose numbers are French.

Words outside brackets are missing from the catalogue; numbers written the English way are not formatted for the language.
"""

from __future__ import annotations

import gettext
import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import pages.ui
from core import language
from core.engine.published_shapes import SHAPES
from core.experiments.fork import Fork
from core.experiments.thinking import CHAIN_OF_THOUGHT
from core.models.growth import growth_of
from core.models.hub import BUNDLED, bundled_names
from core.training.growth import PROMPTS
from pages.ui.experiments import gallery, recorded_results, recording_specs
from pages.ui.experiments.experiment import Worker
from pages.ui.i18n import glossary, page_titles
from pages.ui.presenting import tour_voices
from pages.ui.session import active_settings
from tests.pages.apptest import html
from tests.pages.test_active_settings import counting

Open = Callable[..., AppTest]
FIRST = {take.page for take in recording_specs.RECORDING_SPECS if not take.before and not take.query}
BRACKETS = re.compile(r"⟦[^⟦⟧]*⟧")
MARKUP = re.compile(
    r":material/\w+:|:\w+(-badge)?\[|\]\(#?[^)]*\)|<[^>]*>|https?:\S+|^(stage|teach)(\?\S+)?$|⟨start⟩|␣\w+|`[^`]*`|\$[^$]*\$|&\w+;"
)
WORD = re.compile(r"(?<![0-9A-Za-z])[A-Za-z]{3,}(?![0-9A-Za-z])")  # and no letters of a checksum
# Names of models, machines and units, file formats, and what Streamlit says by itself.
NAMES = set(
    """Storyteller storyteller Mini mini Apache Qwen SmolLM Instruct GPT Gemma Llama licence terms MIT HuggingFaceTB openai community
    google meta llama gemma NVIDIA RTX Tensor Apple laptop with float bfloat cpu CPU CUDA GPU FLOP MFLOP GFLOP TFLOP kFLOP PFLOP mWh kWh
    Mixtral Mistral DeepSeek Phi Kimi Token Probability Viewer TOKEN VIEWER
    HTML JSON CSV SVG PNG AMD Meta model card newborn Paris nswer Deutsch English Ctrl Enter Januar Februar März
    April Mai Juni Juli August September Oktober November Dezember""".split()
)


class Brackets(gettext.NullTranslations):
    """Says every sentence in brackets; places in it end them, so that what is put there has to come from the catalogue, too."""

    def gettext(self, message: str) -> str:
        return "⟦" + re.sub(r"\{\w+\}", r"⟧\g<0>⟦", message) + "⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in pkgutil.walk_packages(pages.ui.__path__, "pages.ui."):  # what is first read later would keep these
        importlib.import_module(module.name)
    monkeypatch.setattr(language, "current", lambda: "fr")  # no page has been drawn in it, or will be
    monkeypatch.setattr(language, "catalogue", lambda code: Brackets())
    monkeypatch.setattr(language, "again", lambda said: f"⟦{said}⟧")


def written(page: AppTest) -> Iterator[tuple[str, str]]:
    """What stands on a page: the kind of an element, and its words."""
    for element in page:
        kind = getattr(element, "type", "")
        proto = getattr(element, "proto", None)
        if kind in ("html", "text"):  # what is drawn comes from the same functions, among colours and sizes; plain text is a model's
            continue
        if kind in ("vega_lite_chart", "arrow_vega_lite_chart"):
            yield from ((kind, title) for title in titles(json.loads(getattr(proto, "spec", "{}"))))
        for name in ("label", "help", "body", "placeholder", "text"):
            told = getattr(proto, name, "")
            if isinstance(told, str) and told:
                yield f"{kind}.{name}", told
        for option in getattr(proto, "options", None) or ():
            yield f"{kind}.options", option if isinstance(option, str) else getattr(option, "content", "")


def titles(spec: Any) -> Iterator[str]:
    """All titles in a chart."""
    if isinstance(spec, dict):
        yield from (value for name, value in spec.items() if name == "title" and isinstance(value, str))
        for value in spec.values():
            yield from titles(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from titles(value)


def outside_brackets(told: str) -> str:
    """The part of a text that did not come out of the catalogue."""
    while BRACKETS.search(told):
        told = BRACKETS.sub(" ", told)
    return told


def forgotten(page: AppTest, own: set[str]) -> list[str]:
    """The words of a page that did not come out of the catalogue."""
    found = []
    for kind, told in written(page):
        bare = outside_brackets(told)
        words = [word for word in WORD.findall(MARKUP.sub(" ", bare)) if word not in NAMES and word not in own]
        if words:
            found.append(f"{kind}: {' '.join(words[:8])!r} in {told[:110]!r}")
    return sorted(set(found))


WRITTEN = ("piece", "text", "prompt", "written", "question", "right_answer", "begin", "answer", "title")  # what a model reads and writes


def model_texts(found: Any, seen: set[int]) -> Iterator[str]:
    """What models read and wrote, wherever it stands in a result: it stays as it is in every language."""
    if id(found) in seen or isinstance(found, str | int | float | None):
        return
    seen.add(id(found))
    if isinstance(found, dict):
        inside = list(found.values())
    elif isinstance(found, list | tuple):
        inside = list(found)
        for side in ("", "left", "right"):  # a word may be of several pieces
            pieces = [getattr(one, side, None) if side else one for one in inside]
            yield "".join(text for piece in pieces if isinstance(text := getattr(piece, "text", None), str))
    elif is_dataclass(found):
        named = {field.name: getattr(found, field.name, None) for field in fields(found)}
        yield from (text for name in WRITTEN if isinstance(text := getattr(found, name, None), str))
        inside = list(named.values())
    elif isinstance(found, Fork):
        inside = [found.pairs]
    else:
        return
    for one in inside:
        yield from model_texts(one, seen)


def of_models(app: AppTest) -> set[str]:
    """The words that models read and wrote in what this visitor sees, and those of their cards."""
    session = app.session_state["_session"]
    texts = list(model_texts(dict(session.results), set()))
    texts += [text for name in gallery.EXPERIMENTS for text in model_texts(recorded_results.first(name), set())]
    texts += [*PROMPTS, CHAIN_OF_THOUGHT.begin, *SHAPES]
    texts += [moment.sample for name in bundled_names() if (growth := growth_of(name)) for moment in growth.moments]
    texts += [card.read_text("utf-8") for card in BUNDLED.glob("*/README.md")]
    return set(WORD.findall(" ".join(texts)))


def long_texts() -> set[str]:
    """The words of the glossary and of the tour, which stand in files of their own."""
    texts = [f"{term.title} {term.text}" for term in glossary.terms()]
    for name in tour_voices.VOICES:
        voice = tour_voices.voice(name)
        texts += [voice.title, voice.lead, *(str(words) for words in voice.stops.values())]
    return set(WORD.findall(" ".join(texts)))


ENGLISH_NUMBER = re.compile(r"(?<![\d.\w-])\d{1,3}(?:\.\d{1,2}|,\d{3}\.\d+)(?![\d.B\w])")
NO_NUMBERS = re.compile(
    r"stage\?\S+|„[^“]*“|<style.*?</style>|<script.*?</script>|<[^>]*>|`[^`]*`|(Apache|Llama|Qwen|GPT|CC[- ]BY\S*) ?\d\.\d", re.DOTALL
)


def english_numbers(app: AppTest) -> list[str]:
    """The numbers of a page that are written the English way, each with the text around it."""
    told = [told for _kind, told in written(app)] + [element.proto.body for element in app if getattr(element, "type", "") == "html"]
    bare = [NO_NUMBERS.sub(" ", outside_brackets(one)) for one in told]
    return [one[max(0, found.start() - 40) : found.end() + 30] for one in bare for found in ENGLISH_NUMBER.finditer(one)]


@pytest.mark.parametrize("page", [file for _group, file, *_rest in page_titles.PAGES])
def test_a_page_opens_with_its_result_and_every_word_and_number_of_it_is_translated(page: str, open_app: Open, bracketed: None) -> None:
    app = open_app(page=page)
    assert not app.exception
    if page in FIRST:
        results = app.session_state["_session"].results
        assert "⟦A recording" in html(app)
        assert not any(isinstance(one, Worker) for one in results.values()), "nothing was run for it"
    if isinstance(used := active_settings.USED[Path(page).stem], frozenset) and Path(page).stem not in page_titles.CHROMELESS_PAGES:
        assert counting(app) == used
    if page in ("stage.py", "notes.py"):  # drawn by a component from the texts that its own tests read
        return
    run = app.session_state["_session"].run
    own = long_texts() if page in ("glossary.py", "tour.py") else set()
    own |= set(WORD.findall((Path(__file__).parents[2] / "pages/ui/i18n/example_texts.py").read_text("utf-8")))
    own |= set(WORD.findall(run.prompt + run.text)) if run is not None else set()
    found = forgotten(app, own | of_models(app))
    assert not found, "\n".join(found)
    if page not in ("glossary.py", "teach.py"):  # the glossary and the model's card are English texts as a whole here
        assert english_numbers(app) == []


@pytest.mark.parametrize("file", [file for _, file, _, _ in page_titles.PAGES])
def test_every_page_is_ready_for_a_cold_start(file: str) -> None:
    text = (page_titles.ROOT / "pages" / file).read_text("utf-8")
    assert "frame.page()" in text
    assert "session_state" not in text, "the visitor's state belongs to pages/ui/session/current.py"


def test_every_page_in_the_folder_is_in_the_menu() -> None:
    files = {path.name for path in (page_titles.ROOT / "pages").glob("*.py")} - {"__init__.py"}
    assert files == {file for _, file, _, _ in page_titles.PAGES} | {page_titles.OPERATOR_PAGE.name}
