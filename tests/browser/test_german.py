"""German in a real browser: the switch, the link, a browser that asks for it; and no English sentence on any page."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import TimeoutError

from core import language
from core.models.growth import growth_of
from core.models.hub import BUNDLED, bundled_names
from pages.ui.experiments import recorded_results
from pages.ui.i18n import catalogue, example_texts, page_titles
from tests.browser.test_accessibility import SIDEWAYS
from tests.pages.test_every_page import model_texts

pytestmark = pytest.mark.browser
LONG = 60_000  # ms
LEFT = len(catalogue.left_to_translate(catalogue.catalogue_of("de")))
WHOLE = pytest.mark.skipif(LEFT > 0, reason=f"{LEFT} sentences are not translated yet")
PATHS = [Path(file).stem for _group, file, *_rest in page_titles.PAGES]
# Words that English cannot do without and German does not have.
ENGLISH = re.compile(
    r"\b(the|and|of|with|is|what|how|you|your|which|from|this|that|these|are|its|it|not|each|every|when|where|than|has|have|were|"
    r"will|would|could|next|words?|here|there|only|other|both|by|as|be|or|if|for|to|on|at|they|them|their|he|she|his|her)\b",
    re.IGNORECASE,
)
# Where the model's own text stands, or a visitor's: it is English in every language.
OTHERS = """.words, .text, .tail, .strip, .piece, .token, .label, .name, .squares, .dice, .newborn, .paper, .say + .line, code, pre,
textarea, input, svg .mark-text, [data-testid="stText"], [data-testid="stTextArea"], [data-testid="stIFrame"], [lang="en"], .st-key-model,
[data-testid="stTooltipContent"], [data-testid="stDataFrame"], [data-testid="stToolbar"], [data-testid="stFileUploaderDropzone"]"""
TEXTS = """others => {
  const found = [];
  const walk = node => {
    if (node.nodeType === Node.TEXT_NODE) { if (node.data.trim()) found.push(node.data.trim()); return; }
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(others) || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(node.tagName)) return;
    for (const name of ["aria-label", "title", "placeholder", "alt"]) if (node.getAttribute(name)) found.push(node.getAttribute(name));
    for (const child of node.shadowRoot ? [...node.shadowRoot.childNodes, ...node.childNodes] : node.childNodes) walk(child);
  };
  walk(document.body);
  return found;
}"""
OF_STREAMLIT = re.compile(  # what Streamlit's own script writes, in English in every language
    r"^(Show|Hide) (help|password)|^Help for|keyboard_|^Open the|Main menu|Deploy|sidebar|Stop$|Running|Clear value|Select all|"
    r"Choose an option|^Press Enter|Drag and drop|Limit \d|Browse files|open \w+ dropdown|Selected |Link to heading|current value|"
    r"arrow|Skip to main"
)


def english_on(page: Any) -> list[str]:
    """The English sentences that stand on a page, the model's and a visitor's texts left out."""
    known = [text.strip() for text in (example_texts.FIRST_PROMPT, *example_texts.OPENINGS, *example_texts.EXAMPLES.values())]
    told = page.evaluate(TEXTS, OTHERS)
    ours = (text for text in told if not CHART.search(text) and not OF_STREAMLIT.search(text) and not any(one in text for one in known))
    left = {text: without_models(re.sub(r"“[^”]*”|„[^“]*“", "", text)) for text in ours}
    # Two different ones: a model's word may be said of both ways.
    return sorted(text for text, words in left.items() if len({word.lower() for word in ENGLISH.findall(words)}) >= 2)


CHART = re.compile(r"␣|%; .*%; ")  # the tokens of a chart, with their numbers
RECORDED = [file.name.removesuffix(recorded_results.ENDING) for file in recorded_results.FOLDER.glob(f"*{recorded_results.ENDING}")]
TO_READ = (  # prompts that stand in the code of a page or a lab
    "Where is Lily's key?",
    "My name is Anna and I live on the moon.",
    "Good morning! I hope that you are well and that I do not disturb you. Please be so kind and tell me, where is the cat? The cat is",
    "Question: What is 98 + 99 + 43?",
)


@cache
def of_models() -> set[tuple[str, ...]]:
    """All threes of words that stand one after the other in a recorded text or a model's card."""
    texts = [piece_by_piece(known.seen) for name in RECORDED if (known := recorded_results.first(name)) is not None]
    texts += [text for name in RECORDED for text in model_texts(recorded_results.first(name), set())]
    texts += [moment.sample for name in bundled_names() if (growth := growth_of(name)) for moment in growth.moments]
    texts += [Path(example_texts.__file__).read_text("utf-8"), *TO_READ]
    texts += [card.read_text("utf-8") for card in BUNDLED.glob("*/README.md")]
    return {three for text in texts for three in threes(text)}


def piece_by_piece(seen: Any) -> str:
    """Pieces in the order in which they were written."""
    return "".join(text if text[:1] in "␣.,!?\"'" else f" {text}" for text in model_texts(seen, set())).replace("␣", " ")


def threes(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return list(zip(words, words[1:], words[2:], strict=False))


def without_models(text: str) -> str:
    """The words of a text that do not stand like this in something that a model wrote, read or has on its card."""
    words = re.findall(r"\w+", text)
    theirs = {place + more for place, three in enumerate(threes(text)) if three in of_models() for more in range(3)}
    return " ".join(word for place, word in enumerate(words) if place not in theirs)


@WHOLE
@pytest.mark.parametrize("path", PATHS)
def test_no_english_sentence_stands_on_a_german_page_and_nothing_is_cut_off(path: str, at: Callable[..., Any]) -> None:
    page = at(f"{path}?lang=de")
    page.wait_for_function("document.documentElement.lang === 'de'", timeout=LONG)  # said last of all
    page.wait_for_timeout(1_500)  # what is drawn by a fragment comes after the page
    assert english_on(page) == []
    for narrow in (700, 390, 320):  # German words are longer
        page.set_viewport_size({"width": narrow, "height": 900})
        try:
            page.wait_for_function(f"() => ({SIDEWAYS}) <= 1", timeout=8_000)
        except TimeoutError:
            pytest.fail(f"the page scrolls {page.evaluate(SIDEWAYS)} pixels sideways at {narrow} pixels")


def test_the_switch_turns_the_page_and_the_address_keeps_it(at: Callable[..., Any]) -> None:
    page = at("read")
    assert page.locator("html").get_attribute("lang") == "en"
    page.locator(".st-key-tongue").get_by_text("Deutsch").click()
    page.wait_for_function("document.documentElement.lang === 'de'", timeout=LONG)
    page.wait_for_url(re.compile("lang=de"), timeout=LONG)
    page.reload()
    page.wait_for_function("document.documentElement.lang === 'de'", timeout=LONG)
    page.locator(".st-key-tongue").get_by_text("English").click()
    page.wait_for_function("document.documentElement.lang === 'en'", timeout=LONG)


def test_a_link_says_its_language(at: Callable[..., Any]) -> None:
    page = at("glossary?lang=de")
    page.wait_for_function("document.documentElement.lang === 'de'", timeout=LONG)
    assert page.locator(".st-key-tongue [aria-checked=true], .st-key-tongue [aria-pressed=true]").first.inner_text() == "Deutsch"


def test_a_german_browser_gets_german_pages(app: str, browser: Any) -> None:
    context = browser.new_context(locale="de-AT")
    try:
        page = context.new_page()
        page.goto(f"{app}/glossary")
        page.wait_for_function("document.documentElement.lang === 'de'", timeout=LONG)
        assert "lang=" not in page.url  # what was not chosen is not kept
        with language.speaking("de"):
            titles = page_titles.titles()
        assert page.get_by_role("heading", level=1).count() == 1 and titles
    finally:
        context.close()
