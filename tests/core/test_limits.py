"""The limits of the environment hold, and a cache that was dropped changes no text."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.engine.kv_cache.cache_pool import CachePool
from core.engine.kv_cache.prefix_reuse import KVCache
from core.errors import BadSetting, PromptTooLong
from core.limits import Limits


def test_limits_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", "7")
    monkeypatch.setenv("TOKEN_VIEWER_CACHE_MEGABYTES", "0")
    assert Limits.from_environment() == Limits(visitors=7, cache_megabytes=0)


@pytest.mark.parametrize("value", ["", "many", "-1", "1.5", "1e9", "9" * 40, "０x1", "None"])
def test_a_limit_that_is_no_number_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", value)
    with pytest.raises(BadSetting, match="TOKEN_VIEWER_VISITORS must be a whole number"):
        Limits.from_environment()


def test_a_prompt_beyond_the_limit_is_refused(tiny: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_PROMPT_TOKENS", "3")
    with pytest.raises(PromptTooLong, match="at most 3"):
        Generation(tiny("llama"), "Once upon a time there was a fox")


def test_a_run_stops_at_the_limit_and_can_go_on_from_earlier(tiny: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny("llama")
    count = len(model.tokenize("Once upon"))
    monkeypatch.setenv("TOKEN_VIEWER_TOKENS_PER_RUN", str(count + 4))
    run = Generation(model, "Once upon", SamplingSettings(seed=5))
    while not run.finished:
        run.step()
    assert (run.finished, len(run.path)) == ("limit reached", 4)
    run.go_to(1)
    assert run.finished is None


def _held(size: int) -> KVCache:
    cache = KVCache()
    cache.held_bytes = size
    return cache


def test_the_longest_unused_cache_gives_way_first() -> None:
    pool = CachePool(Limits(cache_megabytes=1, idle_seconds=0))
    old, middle, new = _held(400_000), _held(400_000), _held(400_000)
    for cache in (old, middle):
        pool.use(cache)
    pool.use(old)
    pool.use(new)
    assert (old.held_bytes, middle.held_bytes, new.held_bytes) == (400_000, 0, 400_000)
    assert (pool.bytes, pool.count, pool.dropped) == (800_000, 2, 1)


def test_an_idle_cache_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("core.engine.kv_cache.cache_pool.monotonic", lambda: now[0])
    pool = CachePool(Limits(idle_seconds=10))
    sleeper, player = _held(1000), _held(1000)
    pool.use(sleeper)
    now[0] = 105.0
    pool.use(player)
    assert sleeper.held_bytes == 1000
    now[0] = 111.0
    pool.use(player)
    assert (sleeper.held_bytes, player.held_bytes) == (0, 1000)


def test_a_visitor_who_left_holds_nothing() -> None:
    pool = CachePool(Limits())
    leaving, staying = _held(1000), _held(2000)
    pool.use(leaving)
    pool.use(staying)
    del leaving
    gc.collect()
    assert (pool.count, pool.bytes) == (1, 2000)


def test_the_budget_counts_what_the_arrays_hold_and_not_only_their_tokens(
    tiny: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for tokens to come set aside, the arrays themselves stay below the budget, whoever writes."""
    monkeypatch.setenv("TOKEN_VIEWER_CACHE_MEGABYTES", "1")
    engine = tiny("llama").engine
    monkeypatch.setattr(engine, "pool", CachePool(Limits.from_environment()))
    caches = [KVCache() for _ in range(12)]
    ids = list(np.random.default_rng(1).integers(3, 350, 200))
    for length in range(190, 200):
        for cache in caches:
            engine.forward(ids[:length], cache)
            arrays = sum(part.nbytes for c in caches if c.state is not None for part in (c.state.keys, c.state.values))
            assert arrays == engine.pool.bytes <= 1_000_000
    assert engine.pool.dropped
