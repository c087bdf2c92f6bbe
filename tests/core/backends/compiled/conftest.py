"""Tests of compiled code are slow: the first one compiles the kernels, which takes a minute for a new folder of sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.backends import compiled
from tests.core.backends.compiled.loaded import load_compiled


@pytest.fixture(scope="module")
def compiled_sampling() -> Iterator[None]:
    """Compiled sampling, loaded as the app loads it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_VIEWER_COMPILED", "1")
        load_compiled()
        assert compiled.sampling_is_ready()
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder as slow."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("slow")
            item.add_marker(pytest.mark.timeout(900))
