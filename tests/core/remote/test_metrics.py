"""The /metrics of a server are read, and nonsense there is ignored."""

from __future__ import annotations

import pytest

from core.remote.metrics import ServerMetrics
from tests.core.remote.serving import recorded


def test_recorded_metrics_are_read() -> None:
    vllm = ServerMetrics.read(recorded("vllm_metrics")["body"])
    assert (vllm.cache_use, vllm.cache_tokens, vllm.cache_bytes) == (0.0, 1_048_576, 1_073_741_824)
    assert (vllm.queried_tokens, vllm.hit_tokens, vllm.hit_rate) == (44, 0, 0.0)
    llama = ServerMetrics.read(recorded("llamacpp_metrics")["body"])
    assert (llama.queried_tokens, llama.hit_tokens, llama.cache_use) == (57, 41, None)
    assert llama.hit_rate == pytest.approx(41 / 57)
    assert llama.running == 0


@pytest.mark.parametrize(
    "text", ["", "<html>", "a{", 'a{b="' + "\\" * 50_000, "vllm:kv_cache_usage_perc NaN\nvllm:kv_cache_usage_perc -1", "x " * 100_000]
)
def test_nonsense_for_metrics_says_nothing(text: str) -> None:
    assert ServerMetrics.read(text) == ServerMetrics()
