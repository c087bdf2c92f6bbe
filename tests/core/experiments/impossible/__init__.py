"""Impossible input of the experiments: a file for each page, which names the calls and the values that must be refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from core.errors import ViewerError
from tests.core.refusals import one_sentence

TEXT = "Once upon a time"
COUNTS = [0, -1, 10**9, 1.5, True, None, "8"]
REAL = [-1.0, math.nan, math.inf, "x"]
Settings = dict[str, tuple[Callable[[Any, Any], Any], list[Any]]]  # how it is called with a model and a value, and the refused values
Prompts = dict[str, Callable[[Any, str], Any]]  # how it is called with a model and a prompt


def refused(call: Callable[[], Any], kind: type[ViewerError]) -> None:
    """Check that the call, or the first step of the iterator that it returns, raises this kind of error with one sentence."""

    with one_sentence(kind):
        asked = call()
        if isinstance(asked, Iterator):
            next(asked)
