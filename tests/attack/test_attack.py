"""The five shortest attacks on a public instance, each of which must leave it as it was. `python -m tests.attack` runs all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.attack import attacks
from tests.attack.__main__ import instance

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A public instance of this module."""
    with instance(opened=False) as found:
        yield found


@pytest.mark.parametrize("name", attacks.some(quick=True))
def test_it_holds(name: str, address: str) -> None:
    with ThreadPoolExecutor(1) as thread:  # the browser tests of this process have an event loop in the main thread
        assert thread.submit(asyncio.run, attacks.some(quick=True)[name](address)).result()
