"""Read the metrics of an inference server: KV cache usage, prefix-cache hits, requests, decode passes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic_core import from_json

from core.remote.http_client import HttpClient
from core.remote.protocol import number

MOST_LINES = 20_000
MOST_SLOTS = 4096
_LINE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?\s+(\S+)')
_LABEL = re.compile(r'\b(\w+)="((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class ServerMetrics:
    """Measured by the server since its start, over all its users; None for values that it does not report.

    cache_use: used fraction of the cache now, 0-1, of its fullest engine. cache_tokens: capacity of all engines together; cache_bytes: the
    memory reserved for that, as one card of each engine counts it. queried_tokens: prompt tokens looked up in the cache; hit_tokens: the
    ones found there. running, waiting: requests now. drafted_tokens, accepted_tokens: of a draft model, if it has one. passes, rows: decode
    passes so far, and rows in all of them; `batch_size` computes the requests per pass from their differences.
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
    passes: float | None = None
    rows: float | None = None

    @property
    def hit_rate(self) -> float | None:
        """Return the fraction of all prompt tokens that the cache saved, 0-1; None if unknown."""
        if not self.queried_tokens or self.hit_tokens is None:
            return None
        return min(1.0, self.hit_tokens / self.queried_tokens)

    @classmethod
    def read(cls, text: str, slots: str | None = None) -> ServerMetrics:
        """Return the metrics in a Prometheus text of vLLM or llama-server. Invalid values are ignored.

        slots: a llama-server's list of slots, which replaces `running` and `cache_use`. Without continuous batching, waiting slots count as
        busy there; `waiting` is the server's count of deferred requests.
        """
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
        busy, held, room = _slots(slots)
        passes, rows = sums.get("llamacpp:n_decode_total"), sums.get("llamacpp:n_busy_slots_per_decode")
        if passes is not None and rows is not None:
            rows *= passes
        else:
            passes, rows = sums.get("vllm:iteration_tokens_total_count"), sums.get("vllm:iteration_tokens_total_sum")
        return cls(
            cache_use=held / room if room else use,
            cache_tokens=tokens or None,
            cache_bytes=size or None,
            queried_tokens=queried,
            hit_tokens=hits,
            running=busy if busy is not None else _first(counts, "vllm:num_requests_running", "llamacpp:requests_processing"),
            waiting=_first(counts, "vllm:num_requests_waiting", "llamacpp:requests_deferred"),
            drafted_tokens=_first(counts, "vllm:spec_decode_num_draft_tokens_total", "llamacpp:spec_decode_num_draft_tokens_total"),
            accepted_tokens=_first(counts, "vllm:spec_decode_num_accepted_tokens_total", "llamacpp:spec_decode_num_accepted_tokens_total"),
            passes=passes,
            rows=rows,
        )


def ask(client: HttpClient, kind: str) -> ServerMetrics:
    """Return the server's metrics now. Raises ServerGone."""
    metrics = client.text("/metrics", patience=3.0) or ""
    return ServerMetrics.read(metrics, client.text("/slots", patience=3.0) if kind == "llama-server" else None)


def batch_size(before: ServerMetrics, after: ServerMetrics) -> float | None:
    """Return the mean number of requests per pass between two readings; None without a pass or if unknown."""
    if before.passes is None or before.rows is None or after.passes is None or after.rows is None:
        return None
    passes, rows = after.passes - before.passes, after.rows - before.rows
    return rows / passes if passes > 0 and rows >= 0 else None


def samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield name, labels and value of every finite, non-negative sample.

    >>> list(samples('# HELP a\\na{b="c"} 2.5\\nnonsense'))
    [('a', {'b': 'c'}, 2.5)]
    """
    for line in text.split("\n", MOST_LINES)[:MOST_LINES]:
        sample = None if line.startswith("#") or len(line) > 10_000 else _LINE.match(line)
        if sample is None:
            continue
        try:
            value = float(sample.group(3))
        except ValueError:
            continue
        if math.isfinite(value) and value >= 0:
            yield sample.group(1), dict(_LABEL.findall(sample.group(2) or "")), value


def _slots(text: str | None) -> tuple[int | None, float, float]:
    """Return how many slots of a llama-server are busy, the tokens in all slots, and their capacity in tokens."""
    try:
        listed = from_json(text) if text else None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not listed:
        return None, 0.0, 0.0
    slots = [slot for slot in listed[:MOST_SLOTS] if isinstance(slot, dict)]
    held = sum(min(number(slot.get("n_prompt_tokens")) or 0.0, number(slot.get("n_ctx")) or 0.0) for slot in slots)
    return sum(slot.get("is_processing") is True for slot in slots), held, sum(number(slot.get("n_ctx")) or 0.0 for slot in slots)


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and text.isascii() and len(text) < 19 else 0


def _first(counts: dict[str, int], *names: str) -> int | None:
    return next((counts[name] for name in names if name in counts), None)
