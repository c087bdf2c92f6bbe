"""What the tests of compiled code share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.sampling import cpu, pick
from tests.core.engine.backends.nobody import fetch_compiled


@pytest.fixture(scope="module")
def compiled_sampling() -> Iterator[None]:
    """Compiled picking and observing, fetched as the app fetches them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_VIEWER_COMPILED", "1")
        fetch_compiled()
        assert pick.QUICK and cpu.QUICK
        yield
