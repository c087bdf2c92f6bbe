"""Every sentence on screen is a message, the template is up to date, and a translation says neither more nor less than the English one."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from core.sampling.settings import SETTING_OF
from pages.ui.i18n import extract_sentences, spoken_language, translation
from tests.source_code import calls, name_of, parsed

MARKS = set(extract_sentences.MARKS)
# What is shown of a call: its first argument, all of them, and what stands under these keywords.
FIRST = set(
    """button caption markdown text_input text_area selectbox segmented_control pills slider select_slider number_input toggle checkbox
    radio popover expander save_button file_uploader metric info warning error success spinner status toast
    notify show_notice say opening unseen_heading quiet text subheader title paper""".split()
)
ALL = {"header", "section"}
KEYWORDS = {"help", "placeholder", "label", "alt_text", "hint", "title", "lead", "term"}
# Files whose words are for whoever runs the app, for a log, or for the model to read.
OTHERS = {
    "record_results.py",
    "lifespan.py",
    "gate.py",
    "event_log.py",
    "deployment.py",
    "operator_password.py",
    "extract_sentences.py",
    "choose_examples.py",
}
MARKUP = re.compile(r":material/\w+:|:\w+(-badge)?\[|\]|<[^>]*>|[a-z-]+:[^;\"]*;|https?:\S+")
WORDS = re.compile(r"[A-Za-z]{2,}")
SENTENCE = re.compile(r"[A-Za-z]{2,}[,:]? [A-Za-z]{2,}")
# Names and units that are the same in every language, and what the model reads.
NAMES = {"Token Probability Viewer", "Wh", "FLOP", "kWh", "ms", "id", *SETTING_OF, "dynamic temperature"}
NOT_WORDS = re.compile(
    r"datum|width|color-mix|format\(|^\s*<|[{};]|^\.|\\|stTop|Once upon|^ ?dragon|Dear diary|capital of France|^My name is|strawberry|"
    r"^Alice was|Good morning!|Where is the cat|^Question|What is \d|repetition penalty|^forget|(8|4) bits|closed up|"
    r"^(end of (text|recording)|context full|limit reached|stop text|enough tokens|out of memory|notepad full|constraint fulfilled)$|"
    r"^(one by one|held out|From the sidebar)$|"
    r"42 and 4242|token-probability-viewer|self|recording of an experiment|_text |space label|part (token|label)|model dice|row step|"
    r"slot bottom|zero milli|Language · Sprache|^experiment $|(Forward passes|Time computing|Price, by the token)$|did not (start|end)|"
    r"^this model$|^guess (game|run)$|^text-decoration|"
    r"^In a village|^The bird flew"
)


@cache
def pages() -> dict[Path, ast.Module]:
    """The code that draws."""
    return {path: tree for path, tree in parsed("pages/**/*.py").items() if path.name not in OTHERS}


def core() -> dict[Path, ast.Module]:
    return parsed("core/**/*.py")


@cache
def sentences() -> Any:
    return extract_sentences.sentences()


def plain_texts(node: ast.AST, pattern: re.Pattern[str]) -> Iterator[ast.Constant]:
    """The string constants of an expression that are no messages and hold words, those in parts of f-strings too."""
    if isinstance(node, ast.Call):
        if name_of(node) not in MARKS and isinstance(node.func, ast.Attribute):
            yield from plain_texts(node.func.value, pattern)
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        bare = MARKUP.sub(" ", node.value)
        if pattern.search(bare) and bare.strip() not in NAMES:
            yield node
    inner = {ast.JoinedStr: "values", ast.IfExp: "", ast.BinOp: "", ast.Tuple: "elts", ast.List: "elts", ast.BoolOp: "values"}
    if isinstance(node, ast.IfExp):
        yield from [*plain_texts(node.body, pattern), *plain_texts(node.orelse, pattern)]
    elif isinstance(node, ast.BinOp):
        yield from [*plain_texts(node.left, pattern), *plain_texts(node.right, pattern)]
    elif type(node) in inner:
        for part in getattr(node, inner[type(node)]):
            yield from plain_texts(part, pattern)


def shown(call: ast.Call) -> Iterator[ast.AST]:
    """The arguments of a call that a visitor sees."""
    name = name_of(call)
    if name in FIRST:
        yield from call.args[:1]
    elif name in ALL:
        yield from call.args
    elif name == "legend":
        yield from (one.elts[1] for one in call.args if isinstance(one, ast.Tuple) and len(one.elts) == 2)
    if name in FIRST | ALL | {"Tooltip", "Axis", "draw", "legend", "live_text", "Page"}:
        yield from (one.value for one in call.keywords if one.arg in KEYWORDS)


def test_every_label_and_every_sentence_that_is_shown_is_a_message() -> None:
    found = []
    for path, tree in pages().items():
        for _name, call in calls(tree):
            for argument in shown(call):
                texts = (text for text in plain_texts(argument, WORDS) if not NOT_WORDS.search(str(text.value)))
                found += [f"{path}:{call.lineno} {text.value!r}" for text in texts]
    assert found == []


def unmarked(tree: ast.Module) -> Iterator[ast.Constant]:
    """String constants outside of messages, docstrings, logs and claims, which are for developers."""
    hidden = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    for name, call in calls(tree):
        if name in MARKS | {"exception", "warning", "info", "compile", "component", "getLogger", "get_option", "Claim"}:
            hidden |= {id(inner) for inner in ast.walk(call)} if name != "info" or "log" in ast.dump(call.func) else set()
    yield from (
        node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden
    )


def test_nothing_that_reads_like_a_sentence_is_left_out() -> None:
    found = []
    for path, tree in pages().items():
        texts = (text for text in unmarked(tree) if text.value not in NAMES and SENTENCE.search(MARKUP.sub(" ", str(text.value))))
        found += [f"{path}:{text.lineno} {text.value!r}" for text in texts if not NOT_WORDS.search(str(text.value))]
    assert found == []


def test_messages_are_plain_strings_with_named_places() -> None:
    wrong = []
    for path, tree in (pages() | core()).items():
        for called, call in calls(tree):
            if called not in MARKS or not isinstance(call.func, ast.Name):
                continue
            for text in call.args[: extract_sentences.MARKS[called]]:
                if isinstance(text, ast.JoinedStr | ast.BinOp):
                    wrong.append(f"{path}:{call.lineno} is put together")
                elif isinstance(text, ast.Constant):
                    wrong += [f"{path}:{call.lineno} {name!r}" for name in odd_places(str(text.value))]
    assert wrong == []


def odd_places(sentence: str) -> list[str]:
    """Places of a sentence that have no name, or say themselves how they are written."""
    return [
        name for _text, name, spec, sign in Formatter().parse(sentence) if name is not None and (spec or sign or not name.isidentifier())
    ]


def test_nothing_is_translated_while_modules_are_read() -> None:
    """A page's file is run anew for every visitor; all else is read once, in nobody's language."""
    wrong = []
    read_once = {path: tree for path, tree in parsed("pages/**/*.py").items() if path.name != "page.py"}
    for path, tree in (read_once | core()).items():
        for node in outside_of_functions(tree):
            if isinstance(node, ast.Call) and name_of(node) in {"_", "ngettext"} and isinstance(node.func, ast.Name):
                wrong.append(f"{path}:{node.lineno}")
    assert wrong == []


def outside_of_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            for default in [*child.args.defaults, *filter(None, child.args.kw_defaults), *child.decorator_list]:
                yield default
                yield from outside_of_functions(default)
        elif not isinstance(child, ast.Lambda):
            yield child
            yield from outside_of_functions(child)


def test_no_function_that_speaks_has_another_underscore() -> None:
    wrong = []
    for path, tree in (pages() | core()).items():
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "pages.ui.i18n.translation")
        if any(alias.name == "_" for node in imports for alias in node.names):
            wrong += [
                f"{path}:{node.lineno}"
                for node in ast.walk(tree)
                if (isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Store))
                or (isinstance(node, ast.arg) and node.arg == "_")
            ]
    assert wrong == []


def test_a_cache_of_words_knows_the_language() -> None:
    wrong = []
    for path, tree in pages().items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            cached = any(re.search(r"\b(lru_cache|cache|cache_data|cache_resource)\b", ast.dump(one)) for one in function.decorator_list)
            speaks = any(name in MARKS - {"N_"} for name, _call in calls(function))
            wrong += [f"{path}:{function.lineno}"] if cached and speaks else []
    assert wrong == []


def test_the_template_is_what_the_code_says() -> None:
    written = extract_sentences.file_text(sentences())
    assert extract_sentences.TEMPLATE.read_text("utf-8") == written, "run `python -m pages.ui.i18n.extract_sentences`"


LANGUAGES = [code for code in spoken_language.languages() if code != spoken_language.ENGLISH]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_has_every_sentence_and_no_other(code: str) -> None:
    template, own = sentences(), extract_sentences.catalogue_of(code)
    assert {one.id for one in own if one.id} == {one.id for one in template if one.id}, "run `python -m pages.ui.i18n.extract_sentences`"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_file_is_as_the_command_writes_it(code: str) -> None:
    """Else the next change of another sentence would break these lines, too."""
    text = (spoken_language.FOLDER / code / "LC_MESSAGES" / "viewer.po").read_text("utf-8")
    assert text == extract_sentences.file_text(extract_sentences.catalogue_of(code)), (
        "run `python -m pages.ui.i18n.extract_sentences` once more"
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_is_whole(code: str) -> None:
    left = extract_sentences.untranslated(extract_sentences.catalogue_of(code))
    if len(left) > 200:
        pytest.skip(f"{code} is being translated: {len(left)} sentences are left")
    assert [one.id for one in left] == [], f"translate these sentences in languages/{code}/LC_MESSAGES/viewer.po"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_keeps_every_place_and_all_markup(code: str) -> None:
    wrong = []
    for message in extract_sentences.catalogue_of(code):
        if not message.id:
            continue
        forms = (message.id,) if isinstance(message.id, str) else message.id
        for own in (message.string,) if isinstance(message.string, str) else message.string or ():
            if own and (places(own) - places(forms[-1]) or places(forms[0]) - places(own) or odd_places(own)):
                wrong.append(f"{forms[0]!r}: {own!r}")
            if own and own.count("**") != forms[-1].count("**"):
                wrong.append(f"{forms[0]!r}: {own!r}")
    assert wrong == []


def places(sentence: str) -> set[str]:
    return {name for _text, name, _spec, _sign in Formatter().parse(sentence) if name is not None}


def test_every_language_explains_every_term() -> None:
    folder = Path(translation.__file__).parent / "languages"
    terms = {file.parent.name: tomllib.loads(file.read_text("utf-8")).keys() for file in sorted(folder.glob("*/glossary.toml"))}
    assert len(terms) > 1
    assert {language: sorted(terms["en"] ^ keys) for language, keys in terms.items() if keys != terms["en"]} == {}
