"""Translation: all text for visitors goes through this module, and the English sentence is its key.

    raise BadSetting(_("A draft has 1 to {most} tokens, not {value}.").format(most=8, value=9))
    ngettext("{count} token", "{count} tokens", tokens).format(count=written(tokens))
    TITLES = {"read": N_("Read a text")}            # a table made at import is only marked
    st.title(_(TITLES["read"]))                     # and translated where it is shown

A language is a folder under `pages/ui/i18n/languages/`; this module names none of them. A catalogue is read at first use.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.message import Message, Number, Wording
from pages.ui.i18n.spoken_language import DOMAIN, ENGLISH, FOLDER, SPOKEN, T, current, languages, speaking

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog


def _(sentence: str) -> str:
    """Return the sentence in the current language. Placeholders have names: `_("{count} of {total}").format(...)`."""
    code = SPOKEN.get() or current()
    if code == ENGLISH or not sentence:
        return str(sentence)
    if not isinstance(sentence, Message):
        return catalogue(code).gettext(sentence)
    count, singular = sentence.parameters.get("count"), _singulars(code).get(sentence.template)
    if singular is not None and isinstance(count, int):
        translated = ngettext(singular, sentence.template, count)
    else:
        translated = catalogue(code).gettext(sentence.template)
    values = {name: _value(value) for name, value in sentence.parameters.items()}
    return translated.format(**values) if values else translated  # a sentence without parameters can hold a stranger's braces


@cache
def _singulars(code: str) -> dict[str, str]:
    """Return the singular of every sentence in the plural."""
    return {message.id[1]: message.id[0] for message in _written(code) if isinstance(message.id, tuple | list)}


def _value(value: Any) -> str:
    """Return a parameter of a message in the current language."""
    if isinstance(value, Message):
        return _(value)
    if type(value) in (int, float):
        value = Number(value)
    return figures(str(value)) if isinstance(value, Number) else str(value)


def say(error: BaseException) -> str:
    """Return the sentence of an error in the current language."""
    return _(message_of(error))


def message_of(error: BaseException) -> str:
    """Return the message of an error, to be translated where it is shown."""
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)


def ngettext(singular: str, plural: str, count: float) -> str:
    """Return the singular or plural form for this number, by the rules of the current language."""
    code = current()
    if code == ENGLISH:
        return singular if count == 1 else plural
    return catalogue(code).ngettext(singular, plural, round(count))


def N_(sentence: str) -> str:
    """Mark a sentence in a table for translation; `_` translates it where it is shown."""
    return sentence


def said(table: Mapping[T, str]) -> dict[T, str]:
    """Return a table of marked sentences, translated."""
    return {key: _(sentence) for key, sentence in table.items()}


@cache
def _written(code: str) -> Catalog:
    from babel.messages.pofile import read_po

    with (FOLDER / code / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=code, domain=DOMAIN)


@cache
def catalogue(code: str) -> gettext.NullTranslations:
    """Return the catalogue of a language, compiled in memory from its .po, so that no outdated .mo can exist."""
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, _written(code))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@cache
def _marks(code: str) -> tuple[str, str]:
    if code == ENGLISH:
        return ".", ","
    from babel.numbers import get_decimal_symbol, get_group_symbol

    return get_decimal_symbol(code), get_group_symbol(code)


def marks() -> tuple[str, str]:
    """Return the decimal separator and the thousands separator of the current language."""
    return _marks(current())


def figures(plain: str) -> str:
    """Return a number formatted by Python (`12,345.6`) with the separators of the current language."""
    if (SPOKEN.get() or current()) == ENGLISH:
        return plain
    decimal, group = marks()
    return plain.translate({ord("."): decimal, ord(","): group})


def long_text(name: str) -> Path:
    """Return the file of a long text (`glossary.toml`, `tour/curiosity.toml`) in the current language, else in English."""
    path = FOLDER / current() / name
    return path if path.exists() else FOLDER / ENGLISH / name


def wording() -> Wording:
    """Return how reports write in the current language."""
    code = current()

    def translate(sentence: str) -> str:
        with speaking(code):
            return _(sentence)

    def local_figures(plain: str) -> str:
        with speaking(code):
            return figures(plain)

    return Wording(translate, local_figures, code)


def wordings() -> list[Wording]:
    """Return how reports write in each language, English first."""
    sentences = []
    for code in sorted(languages(), key=lambda code: code != ENGLISH):
        with speaking(code):
            sentences.append(wording())
    return sentences


def quoted(text: str) -> str:
    """Return the text in the quotation marks of the current language."""
    return _("“{text}”").format(text=text)
