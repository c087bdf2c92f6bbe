"""The n-gram models of the bundled stories, which are counted once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from core import load_model


@pytest.fixture(scope="session")
def ngram() -> Callable[[int], Any]:
    """The model of the bundled stories by n, from 1 to 4. It is counted once per worker."""
    return cache(lambda n: load_model(f"ngram:{n}"))
