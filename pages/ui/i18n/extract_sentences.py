"""Message catalogues: `python -m pages.ui.i18n.extract_sentences` extracts the sentences from the code, the examples
and the talks, and updates every language.

It writes `viewer.pot` in `pages/ui/i18n/languages` and, for each folder there, `LC_MESSAGES/viewer.po`: new sentences are added without a
translation, unused ones are removed. `python -m pages.ui.i18n.extract_sentences fr` creates a language.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from collections.abc import Iterator
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from core import errors
from pages.ui.i18n.spoken_language import DOMAIN, FOLDER

ROOT = FOLDER.parents[3]
TEMPLATE = FOLDER / f"{DOMAIN}.pot"
ERRORS = [name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.ViewerError)]
# How many of the first arguments are sentences.
MARKS = dict.fromkeys(("_", "N_", "Message", *ERRORS), 1) | {"ngettext": 2}
WIDTH = 120
Extracted = tuple[Any, str]  # a sentence or its plural forms, and a comment for translators


def in_python(source: str) -> Iterator[Extracted]:
    """Yield the sentences of a Python file, also those in f-strings. A comment `# Translators: ...` belongs to the line below it."""
    lines = source.splitlines()
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        assert isinstance(call.func, ast.Name)
        forms = tuple(arg.value for arg in call.args[: MARKS.get(call.func.id, 0)] if isinstance(arg, ast.Constant) and arg.value)
        if forms and len(forms) == MARKS[call.func.id]:
            above = lines[call.lineno - 2].strip() if call.lineno > 1 else ""
            comment = above.removeprefix("# Translators:").strip() if "# Translators:" in above else ""
            yield forms[0] if len(forms) == 1 else forms, comment


def in_data(source: str) -> Iterator[Extracted]:
    """Yield the titles in a file of examples or talks, which are the keys of its tables, and the presenter's notes."""
    for table in json.loads(source).values():
        for title, entry in table.items() if isinstance(table, dict) else ():
            yield title, ""
            if isinstance(entry, dict) and "say" in entry:
                yield entry["say"], ""


def in_template(source: str) -> Iterator[Extracted]:
    """Yield the sentences of a Jinja template."""
    file = io.BytesIO(source.encode())
    for _line, _function, sentence, _comments in babel_extract(file, list(MARKS), (), {}):
        first = sentence if isinstance(sentence, str) else next(iter(sentence or ()), None)
        if first:
            yield first, ""


def sentences() -> Catalog:
    """Return every sentence in the code. Files are left out and sentences sorted, so that only changed sentences change the file."""
    catalog = Catalog(domain=DOMAIN, project="Token Probability Viewer", fuzzy=False, charset="utf-8")
    catalog.header_comment = "# Sentences of the Token Probability Viewer."
    readers = {"py": in_python, "j2": in_template, "json": in_data}
    patterns = ("app.py", "core/**/*.py", "core/**/*.j2", "pages/**/*.py", "pages/**/*.json")
    files = [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]
    for file in files:
        for sentence, comment in readers[file.suffix[1:]](file.read_text("utf-8")):
            catalog.add(sentence, auto_comments=[comment] if comment else [])
    return catalog


def file_text(catalogue: Catalog) -> str:
    """Return the text of a catalogue's file."""
    file = io.BytesIO()
    write_po(file, catalogue, width=WIDTH, omit_header=False, no_location=True, sort_output=True)
    lines = file.getvalue().decode("utf-8").splitlines()
    dates = ('"POT-Creation-Date', '"PO-Revision-Date', '"Last-Translator', '"Language-Team', '"Report-Msgid-Bugs-To', '"Generated-By')
    return "\n".join(line for line in lines if not line.startswith(dates)) + "\n"


def updated(old: Catalog, template: Catalog) -> Catalog:
    """Return a language with exactly the sentences of the template. Translations stay, and no fuzzy ones are added."""
    old.update(template, no_fuzzy_matching=True)
    old.obsolete.clear()
    return old


def catalogue_of(code: str) -> Catalog:
    """Read the catalogue of a language. Returns an empty one if there is no file."""
    path = FOLDER / code / "LC_MESSAGES" / f"{DOMAIN}.po"
    if not path.exists():
        return Catalog(locale=code, domain=DOMAIN, project="Token Probability Viewer", charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=code, domain=DOMAIN)


def untranslated(catalogue: Catalog) -> list[Message]:
    """Return the messages without a translation."""
    return [
        message
        for message in catalogue
        if message.id and not all((message.string,) if isinstance(message.id, str) else message.string or ())
    ]


def main(new_languages: list[str]) -> None:
    """Write the template and every language."""
    template = sentences()
    TEMPLATE.write_text(file_text(template), "utf-8")
    codes = sorted({path.parents[1].name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po")} | set(new_languages))
    for code in codes:
        path = FOLDER / code / "LC_MESSAGES" / f"{DOMAIN}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = updated(catalogue_of(code), template)
        path.write_text(file_text(fresh), "utf-8")
        sys.stdout.write(f"{code}: {len(untranslated(fresh))} of {len(fresh)} sentences are left to translate\n")


if __name__ == "__main__":
    main(sys.argv[1:])
