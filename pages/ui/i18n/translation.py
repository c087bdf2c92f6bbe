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
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, cast

from core.message import Message, Number, Wording

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

FOLDER = Path(__file__).with_name("languages")
ENGLISH = "en"
DOMAIN = "viewer"
P = ParamSpec("P")
T = TypeVar("T")

_SPOKEN: ContextVar[str | None] = ContextVar("language", default=None)
_asked: list[Callable[[], str | None]] = []


@cache
def languages() -> dict[str, str]:
    """Return the available languages by code, each with its own name: `{"de": "Deutsch", "en": "English"}`."""
    from babel import Locale

    codes = {path.parents[1].name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po")} | {ENGLISH}
    names = {code: Locale.parse(code).get_display_name(code) or code for code in codes}
    return {code: names[code][0].upper() + names[code][1:] for code in sorted(codes)}


def best_match(wanted: str | None) -> str:
    """Return the available language for a browser's language (`de-AT`); English if there is none."""
    code = (wanted or "").replace("-", "_")
    return next((language for language in (code, code.partition("_")[0].lower()) if language in languages()), ENGLISH)


def of_browser(accept_language: str) -> str:
    """Return the first language of this Accept-Language header that the app has; English if there is none."""
    codes = [entry.partition(";")[0].strip() for entry in accept_language[:200].split(",")]
    available = [(code, best_match(code)) for code in codes]
    return next((best for code, best in available if code.lower().startswith(best)), ENGLISH)


def ask(visitor: Callable[[], str | None]) -> None:
    """Set the function that returns the visitor's language for threads without one. It returns None without a visitor."""
    _asked[:] = [visitor]


def current() -> str:
    """Return the language code of this thread; English if none is set."""
    code = _SPOKEN.get()
    if code is None:
        code = _asked[0]() if _asked else None
        if code is None:
            return ENGLISH
        _SPOKEN.set(code)
    return code


def use(code: str) -> None:
    """Set the language of this thread."""
    _SPOKEN.set(code)


def in_english(say: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `say` returns in English, for text that is stored."""
    with speaking(ENGLISH):
        return say(*args, **kwargs)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Use this language in the block."""
    before = _SPOKEN.set(code)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def with_current_language(work: Callable[P, T]) -> Callable[P, T]:
    """Return the function for another thread, in which it uses this thread's language."""
    code = current()

    @wraps(work)
    def there(*args: P.args, **kwargs: P.kwargs) -> T:
        with speaking(code):
            return work(*args, **kwargs)

    return there


def by_language(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`lru_cache` for results that contain text, with one result per language."""

    def keep(make: Callable[P, T]) -> Callable[P, T]:
        def once(code: str, *args: Any, **kwargs: Any) -> T:
            return make(*args, **kwargs)

        cached: Any = lru_cache(maxsize=maxsize)(once)

        @wraps(make)
        def known(*args: P.args, **kwargs: P.kwargs) -> T:
            return cast(T, cached(current(), *args, **kwargs))

        return known

    return keep


def _(sentence: str) -> str:
    """Return the sentence in the current language. Placeholders have names: `_("{count} of {total}").format(...)`."""
    code = _SPOKEN.get() or current()
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


def commented(code: str, comment: str) -> list[str]:
    """Return the sentences with this comment in the catalogue of a language; none in English, which has no catalogue."""
    return [] if code == ENGLISH else [str(message.id) for message in _written(code) if comment in message.auto_comments]


@cache
def catalogue(code: str) -> gettext.NullTranslations:
    """Return the catalogue of a language, compiled in memory from its .po, so that no outdated .mo can exist."""
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, _written(code))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def long_text(name: str) -> Path:
    """Return the file of a long text (`glossary.toml`, `tour/curiosity.toml`) in the current language, else in English."""
    own = FOLDER / current() / name
    return own if own.exists() else FOLDER / ENGLISH / name


Mark = Literal["decimal", "group"]


@cache
def _mark(code: str, mark: Mark) -> str:
    if code == ENGLISH:
        return "." if mark == "decimal" else ","
    from babel.numbers import get_decimal_symbol, get_group_symbol

    return get_decimal_symbol(code) if mark == "decimal" else get_group_symbol(code)


def marks() -> tuple[str, str]:
    """Return the decimal separator and the thousands separator of the current language."""
    code = current()
    return _mark(code, "decimal"), _mark(code, "group")


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


def figures(plain: str) -> str:
    """Return a number formatted by Python (`12,345.6`) with the separators of the current language."""
    if (_SPOKEN.get() or current()) == ENGLISH:
        return plain
    decimal, group = marks()
    return plain.translate({ord("."): decimal, ord(","): group})


def written(value: float, spec: str = ",") -> str:
    """Return a number in Python's format specification, with a minus sign and the separators of the current language.

    >>> written(12345), written(-0.25, ".1f")
    ('12,345', '−0.2')
    """
    if math.isnan(value):
        return "–"
    plain = format(value, spec)
    return figures(f"−{plain[1:]}" if plain.startswith("-") else plain)


def quoted(text: str) -> str:
    """Return the text in the quotation marks of the current language."""
    return _("“{text}”").format(text=text)
