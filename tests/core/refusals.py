"""How the app refuses: by an error of its own, with one sentence that a visitor can read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.errors import ViewerError

LONGEST = 300  # characters


def reads_as_one_sentence(error: BaseException | None) -> None:
    """Check that this is an error of the app with one sentence: an end, one line, no place left empty, and no more than fits."""
    assert isinstance(error, ViewerError)
    said = str(error)
    assert said.endswith(".") and "\n" not in said and "Traceback" not in said and len(said) < LONGEST, said


@contextmanager
def one_sentence(kind: type[Exception] = ViewerError, match: str | None = None) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Check that the block raises an error of this kind with one sentence. match: what is in it, a regular expression."""
    with pytest.raises(kind, match=match) as told:
        yield told
    reads_as_one_sentence(told.value)
