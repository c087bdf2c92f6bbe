"""Read the Prometheus metrics of an inference server: KV cache usage, prefix-cache hits, requests."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LINES = 20_000
_LINE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?\s+(\S+)')
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class ServerMetrics:
    """Measured by the server since its start, over all its users; None for values that it does not report.

    cache_use: used fraction of the cache now, 0-1, of its fullest engine. cache_tokens: capacity of all engines together; cache_bytes: the
    memory reserved for that, as one card of each engine counts it. queried_tokens: prompt tokens looked up in the cache; hit_tokens: the
    ones found there. running, waiting: requests now. drafted_tokens, accepted_tokens: of a draft model, if it has one.
    """

    cache_use: float | None = None
    cache_tokens: int | None = None
    cache_bytes: int | None = None
    queried_tokens: int | None = None
    hit_tokens: int | None = None
    running: int | None = None
    waiting: int | None = None
    drafted_tokens: int | None = None
    accepted_tokens: int | None = None

    @property
    def hit_rate(self) -> float | None:
        """Return the fraction of all prompt tokens that the cache saved, 0-1; None if unknown."""
        if not self.queried_tokens or self.hit_tokens is None:
            return None
        return min(1.0, self.hit_tokens / self.queried_tokens)

    @classmethod
    def read(cls, text: str) -> ServerMetrics:
        """Return the metrics in a Prometheus text of vLLM or llama-server. Invalid lines are ignored."""
        sums: dict[str, float] = {}
        use: float | None = None
        tokens = size = 0
        for name, labels, value in samples(text):
            sums[name] = sums.get(name, 0.0) + value
            if name in ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "llamacpp:kv_cache_usage_ratio"):
                use = max(use or 0.0, min(1.0, value))
            elif name == "vllm:cache_config_info":
                tokens += _whole(labels.get("kv_cache_size_tokens")) or (
                    _whole(labels.get("num_gpu_blocks")) * _whole(labels.get("block_size"))
                )
                size += _whole(labels.get("kv_cache_memory_bytes"))
        counts = {name: int(value) for name, value in sums.items() if value < 2**62}
        hits = counts.get("vllm:prefix_cache_hits_total", counts.get("llamacpp:prompt_tokens_cached_total"))
        queried = counts.get("vllm:prefix_cache_queries_total")
        if queried is None and hits is not None and "llamacpp:prompt_tokens_total" in counts:  # llama-server counts only computed tokens
            queried = hits + counts["llamacpp:prompt_tokens_total"]
        return cls(
            cache_use=use,
            cache_tokens=tokens or None,
            cache_bytes=size or None,
            queried_tokens=queried,
            hit_tokens=hits,
            running=_first(counts, "vllm:num_requests_running", "llamacpp:requests_processing"),
            waiting=_first(counts, "vllm:num_requests_waiting", "llamacpp:requests_deferred"),
            drafted_tokens=_first(counts, "vllm:spec_decode_num_draft_tokens_total", "llamacpp:spec_decode_num_draft_tokens_total"),
            accepted_tokens=_first(counts, "vllm:spec_decode_num_accepted_tokens_total", "llamacpp:spec_decode_num_accepted_tokens_total"),
        )


def samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield name, labels and value of every finite, non-negative sample.

    >>> list(samples('# HELP a\\na{b="c"} 2.5\\nnonsense'))
    [('a', {'b': 'c'}, 2.5)]
    """
    for line in text.split("\n", MOST_LINES)[:MOST_LINES]:
        found = None if line.startswith("#") or len(line) > 10_000 else _LINE.match(line)
        if found is None:
            continue
        try:
            value = float(found.group(3))
        except ValueError:
            continue
        if math.isfinite(value) and value >= 0:
            yield found.group(1), dict(_LABEL.findall(found.group(2) or "")), value


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and text.isascii() and len(text) < 19 else 0


def _first(counts: dict[str, int], *names: str) -> int | None:
    return next((counts[name] for name in names if name in counts), None)
