"""The language that somebody reads: every sentence for people goes through here, and the English sentence is its own key.

    raise BadSetting(_("A draft has 1 to {most} tokens, not {value}.").format(most=8, value=9))
    ngettext("{count} token", "{count} tokens", tokens).format(count=written(tokens))
    TITLES = {"read": N_("Read a text")}            # a table made at import: only marked there,
    st.title(_(TITLES["read"]))                     # and said in somebody's language where it is shown

A language is a folder under `core/languages/`; nothing here knows which there are. Its catalogue is read when somebody first needs it.
"""

from __future__ import annotations

import gettext
import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, cast

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
    """The languages there are, by code, each under its own name: `{"de": "Deutsch", "en": "English"}`."""
    from babel import Locale

    codes = {path.parents[1].name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po")} | {ENGLISH}
    names = {code: Locale.parse(code).get_display_name(code) or code for code in codes}
    return {code: names[code][0].upper() + names[code][1:] for code in sorted(codes)}


def best_match(wanted: str | None) -> str:
    """The language we have for what a browser asks for (`de-AT`); English for one that is not here."""
    code = (wanted or "").replace("-", "_")
    return next((known for known in (code, code.partition("_")[0].lower()) if known in languages()), ENGLISH)


def ask(visitor: Callable[[], str | None]) -> None:
    """From now on whoever has not said a language is asked: the pages know their visitors. None: nobody is there."""
    _asked[:] = [visitor]


def current() -> str:
    """The code of the language of whoever this thread works for."""
    known = _SPOKEN.get()
    if known is None:
        known = _asked[0]() if _asked else None
        if known is None:
            return ENGLISH
        _SPOKEN.set(known)
    return known


def use(code: str) -> None:
    """From here on, in this thread."""
    _SPOKEN.set(code)


def in_english(say: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What this says in English: for what is kept, and said `again` in somebody's language."""
    with speaking(ENGLISH):
        return say(*args, **kwargs)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """For as long as this lasts."""
    before = _SPOKEN.set(code)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def with_current_language(work: Callable[P, T]) -> Callable[P, T]:
    """The same for another thread: it speaks the language of the one that hands it over."""
    code = current()

    @wraps(work)
    def there(*args: P.args, **kwargs: P.kwargs) -> T:
        with speaking(code):
            return work(*args, **kwargs)

    return there


def by_language(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`lru_cache` for what holds words: once for each language."""

    def keep(make: Callable[P, T]) -> Callable[P, T]:
        def once(code: str, *args: Any, **kwargs: Any) -> T:
            return make(*args, **kwargs)

        made: Any = lru_cache(maxsize=maxsize)(once)

        @wraps(make)
        def known(*args: P.args, **kwargs: P.kwargs) -> T:
            return cast(T, made(current(), *args, **kwargs))

        return known

    return keep


def _(sentence: str) -> str:
    """This sentence in the language of whoever reads it. Placeholders have names: `_("{count} of {total}").format(...)`."""
    code = current()
    return sentence if code == ENGLISH or not sentence else catalogue(code).gettext(sentence)


def ngettext(one: str, many: str, count: float) -> str:
    """The form that goes with this number, by the rules of the language."""
    code = current()
    if code == ENGLISH:
        return one if count == 1 else many
    return catalogue(code).ngettext(one, many, round(count))


def N_(sentence: str) -> str:
    """A mark for a sentence in a table: it is said with `_` where it is shown."""
    return sentence


def said(table: Mapping[T, str]) -> dict[T, str]:
    """A table of marked sentences, said."""
    return {key: _(sentence) for key, sentence in table.items()}


@cache
def _written(code: str) -> Catalog:
    from babel.messages.pofile import read_po

    with (FOLDER / code / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=code, domain=DOMAIN)


@cache
def catalogue(code: str) -> gettext.NullTranslations:
    """All sentences of a language, compiled from its .po in memory: there is no second file that could be older."""
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, _written(code))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def long_text(name: str) -> Path:
    """The file of a long text (`glossary.toml`, `tour/curiosity.toml`) in this language, the English one where it has none."""
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
    """What this language writes before the decimals, and between thousands."""
    code = current()
    return _mark(code, "decimal"), _mark(code, "group")


def figures(plain: str) -> str:
    """A number that Python has written (`12,345.6`), as this language writes it."""
    if current() == ENGLISH:
        return plain
    decimal, group = marks()
    return plain.translate({ord("."): decimal, ord(","): group})


def written(value: float, spec: str = ",") -> str:
    """A number by Python's format specification, as this language writes it.

    >>> written(12345), written(0.25, ".1f")
    ('12,345', '0.2')
    """
    return figures(format(value, spec))


def quoted(text: str) -> str:
    """This text in the quotation marks of the language."""
    return _("“{text}”").format(text=text)


def again(said: str) -> str:
    """What was said in English, in the language of whoever reads it now: a recording, a record or a result keeps the English sentence.

    It is found by its words, whatever stands in its places; what is no sentence of ours stays as it is.
    """
    code = current()
    return said if code == ENGLISH or not said else _again(code, said)


@lru_cache(maxsize=2048)
def _again(code: str, said: str) -> str:
    known = catalogue(code)
    if re.fullmatch(r"[+\-]?[\d,]*\d(\.\d+)?", said):
        with speaking(code):
            return figures(said)
    plain = known.gettext(said)
    if plain != said:
        return plain
    for pattern, translated in _patterns(code):
        found = pattern.fullmatch(said)
        if found:
            return translated.format(**{name: _again(code, value) for name, value in found.groupdict().items()})
    return said


@cache
def _patterns(code: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Sentences with places in them, those with the most words of their own first."""
    pairs: list[tuple[str, str]] = []
    for message in _written(code):
        forms, translations = ([one] if isinstance(one, str) else list(one or ()) for one in (message.id, message.string))
        pairs += zip(forms, translations, strict=False)
    found: list[tuple[int, re.Pattern[str], str]] = []
    for sentence, translated in pairs:
        if not translated:
            continue
        letters, pattern, names = 0, "", set[str]()
        for text, name, spec, _conversion in Formatter().parse(sentence) if "{" in sentence else ():
            letters += sum(map(str.isalpha, text))
            pattern += re.escape(text)
            if name is not None and not spec:
                pattern += f"(?P={name})" if name in names else f"(?P<{name}>.+?)"
                names.add(name)
        if names and letters >= 3:
            found.append((letters, re.compile(pattern, re.DOTALL), translated))
    return tuple((pattern, translated) for letters, pattern, translated in sorted(found, key=lambda one: -one[0]))
