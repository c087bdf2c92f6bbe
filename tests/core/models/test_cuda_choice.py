"""Which backend a model on a CUDA card gets. No card is needed: the backend itself is replaced."""

from __future__ import annotations

import pytest

from core.engine.backends.static_decode import StaticDecode
from core.models import loading


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorded graph that answers with its note alone."""
    monkeypatch.setattr(StaticDecode, "of", lambda network: (None, f"recorded {network}"))


@pytest.mark.parametrize("value", [None, "0", ""])
def test_on_cuda_a_model_is_run_by_transformers_unless_a_graph_is_asked_for(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKEN_VIEWER_CUDA_GRAPH", raising=False)
    if value is not None:
        monkeypatch.setenv("TOKEN_VIEWER_CUDA_GRAPH", value)
    assert loading._on_cuda("network") == (None, "")


def test_the_recorded_graph_is_used_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_CUDA_GRAPH", "1")
    assert loading._on_cuda("network") == (None, "recorded network")
