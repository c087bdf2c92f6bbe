"""Which languages there are, which one a browser asks for, and the language of this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

FOLDER = Path(__file__).with_name("languages")
ENGLISH = "en"
DOMAIN = "viewer"
P = ParamSpec("P")
T = TypeVar("T")
SPOKEN: ContextVar[str | None] = ContextVar("language", default=None)
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
    code = SPOKEN.get()
    if code is None:
        code = _asked[0]() if _asked else None
        if code is None:
            return ENGLISH
        SPOKEN.set(code)
    return code


def use(code: str) -> None:
    """Set the language of this thread."""
    SPOKEN.set(code)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Use this language in the block."""
    before = SPOKEN.set(code)
    try:
        yield
    finally:
        SPOKEN.reset(before)


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
