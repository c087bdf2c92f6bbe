"""A fixture for tests of compiled sampling."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.engine.backends import compiled
from tests.core.engine.backends.compiled.loaded import load_compiled


@pytest.fixture(scope="module")
def compiled_sampling() -> Iterator[None]:
    """Compiled sampling, loaded as the app loads it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_VIEWER_COMPILED", "1")
        load_compiled()
        assert compiled.sampling_is_ready()
        yield
