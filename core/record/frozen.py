"""Records that stay as they were made: their arrays cannot be written to, and a copy or a pickle of one needs nothing else."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, Self

import numpy as np


class FrozenArrays:
    """The base of a frozen, slotted dataclass with arrays.

    All its arrays are read-only from the start. A copy of such a record is the record itself; a pickle holds its fields.
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
        return _made_again, (type(self), self._pickled())

    def _pickled(self) -> dict[str, Any]:
        """The fields by name, as they go into a pickle."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@cache
def _arrays(kind: type[Any]) -> tuple[str, ...]:
    """The fields that are declared to be arrays, those of the classes above included; found once, since a record is made at every step."""
    return tuple(field.name for field in fields(kind) if "ndarray" in str(field.type))


def _made_again(kind: type[Any], values: dict[str, Any]) -> Any:
    return kind(**values)


def percent(share: float) -> str:
    """A probability for people, never rounded to what it is not.

    >>> [percent(share) for share in (1.0, 0.9996, 0.123, 0.0123, 0.0003, 1e-9, 0.0)]
    ['100 %', '99.96 %', '12 %', '1.2 %', '0.03 %', '<0.01 %', '0 %']
    """
    if share <= 0:
        return "0 %"
    if share < 1e-4:
        return "<0.01 %"
    if 0.995 <= share < 1:
        return f"{min(share, 0.9999) * 100:.2f} %"
    return f"{share * 100:.{0 if share >= 0.0995 else 1 if share >= 0.00995 else 2}f} %"
