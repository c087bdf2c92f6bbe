"""Read-only records: arrays cannot be written to, a copy is the record itself, and a pickle needs no other object."""

from __future__ import annotations

import math
from dataclasses import fields
from functools import cache, partial
from typing import Any, Self

import numpy as np


class FrozenArrays:
    """Base of frozen, slotted dataclasses with arrays.

    All arrays are read-only after construction. A copy returns the record itself; a pickle holds its fields.
    """

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name in _arrays(kind):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._pickled()), ()

    def _pickled(self) -> dict[str, Any]:
        """Return the fields by name, as stored in a pickle."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@cache
def _arrays(kind: type[Any]) -> tuple[str, ...]:
    """Return the fields that are arrays, inherited ones included. Cached, because every step creates a record."""
    return tuple(field.name for field in fields(kind) if "ndarray" in str(field.type))


def percent(share: float) -> str:
    """Return a probability as text with two digits, three near 100 %. It is never rounded to 0 % or 100 %. NaN is a dash.

    >>> [percent(share) for share in (1.0, 0.9996, 0.123, 0.0123, 0.0003, 1e-9, 0.0)]
    ['100 %', '> 99.9 %', '12 %', '1.2 %', '0.03 %', '< 0.00001 %', '0 %']
    """
    value = share * 100
    if math.isnan(value):
        return "–"
    if value <= 0:
        return "0 %"
    if value < 0.00001:
        return "< 0.00001 %"
    if value >= 100:
        return "100 %"
    if value > 99.9:
        return "> 99.9 %"
    digits = 2 if value < 99.5 else 3
    places = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:.{places}f}" if places else str(round(value))
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"
