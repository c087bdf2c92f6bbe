"""What the tests of compiled code share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.engine.backends import compiled
from core.sampling import cpu, pick


@pytest.fixture(scope="module")
def compiled_sampling() -> Iterator[None]:
    """Compiled picking and observing, fetched as the app fetches them."""

    class Nobody:
        def use_compiled(self) -> None:
            """Nothing is to be done."""

    nobody = Nobody()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_VIEWER_COMPILED", "1")
        compiled.begin(nobody)
        assert compiled.wait() and pick.QUICK and cpu.QUICK
        yield
