"""The decimal and the thousands separator of the current language, and numbers written with them."""

from __future__ import annotations

import math
from functools import cache
from typing import Literal

from pages.ui.i18n.spoken_language import ENGLISH, SPOKEN, current

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


def figures(plain: str) -> str:
    """Return a number formatted by Python (`12,345.6`) with the separators of the current language."""
    if (SPOKEN.get() or current()) == ENGLISH:
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
