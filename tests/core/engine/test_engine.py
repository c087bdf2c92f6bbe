"""With any cache the engine gives the logits of a full forward pass without a cache."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import torch

from core.engine.kv_cache.prefix_reuse import KVCache
from core.errors import NoRoom
from tests.core.plain import assert_close, bytes_in, plain_logits
from tests.tiny_models import ARCHITECTURES, FULL_ATTENTION, some


def random_ids(rng: np.random.Generator, count: int) -> list[int]:
    return [int(i) for i in rng.integers(3, 350, count)]


def walk(rng: np.random.Generator) -> list[list[int]]:
    """Texts as a visitor makes them one after another: on, on, back, another way, a shorter one, the same again, a new one."""
    text = random_ids(rng, 5)
    walked = [text]
    for move in ["on", "on", "same", "back", "other", "on", "far", "on", "back", "far", "start", "other", "on", "new", "on", "shorter"]:
        if move == "on":
            text = [*text, *random_ids(rng, 1)]
        elif move == "far":
            text = [*text, *random_ids(rng, 9)]
        elif move in ("back", "shorter"):
            text = text[: max(1, len(text) - 3)]
        elif move == "other":
            text = [*text[:-1], (text[-1] + 1) % 350]
        elif move == "start":
            text = text[:2]
        elif move == "new":
            text = random_ids(rng, 14)
        walked.append(text)
    return walked


@pytest.mark.parametrize("architecture", some(ARCHITECTURES))
def test_a_cache_never_changes_the_logits(architecture: str, tiny: Any, plain: Any) -> None:
    engine, network, cache = tiny(architecture).engine, plain(architecture), KVCache()
    for number, ids in enumerate(walk(np.random.default_rng(7))):
        forward = engine.forward(ids, cache)
        assert_close(forward.logits.values, plain_logits(network, ids), f"the logits of text {number}")
        assert forward.computed_tokens + forward.reused_tokens == len(ids)
        assert forward.computed_tokens >= 1
        assert forward.seconds > 0


@pytest.mark.parametrize("architecture", some(FULL_ATTENTION))
def test_full_attention_reuses_the_longest_shared_prefix(architecture: str, tiny: Any) -> None:
    engine, cache = tiny(architecture).engine, KVCache()
    before: list[int] = []
    for ids in walk(np.random.default_rng(8)):
        shared = next((i for i, (old, new) in enumerate(zip(before, ids, strict=False)) if old != new), min(len(before), len(ids)))
        forward = engine.forward(ids, cache)
        assert forward.reused_tokens == min(shared, len(ids) - 1)
        before = ids


@pytest.mark.parametrize("architecture", some(sorted(set(ARCHITECTURES) - set(FULL_ATTENTION))))
def test_going_on_reuses_everything_even_where_a_cache_cannot_be_cut(architecture: str, tiny: Any) -> None:
    engine, cache = tiny(architecture).engine, KVCache()
    ids = random_ids(np.random.default_rng(9), 12)
    engine.forward(ids, cache)
    for _ in range(5):
        ids = [*ids, 17]
        forward = engine.forward(ids, cache)
        assert forward.computed_tokens == 1


@pytest.mark.parametrize("architecture", some(ARCHITECTURES))
def test_cache_bytes_are_those_of_the_tensors(architecture: str, tiny: Any) -> None:
    model, cache = tiny(architecture), KVCache()
    ids = random_ids(np.random.default_rng(2), 21)
    for length in (5, 6, 7, 20, 21, 6):
        forward = model.engine.forward(ids[:length], cache)
        held, backing = bytes_in(cache.state)
        assert (forward.cache_bytes, forward.held_bytes) == (cache.bytes, cache.held_bytes)
        state: Any = cache.state
        rooms = [state.whole, state.recent] if hasattr(state, "whole") else []
        arrays = [part for room in rooms for part in (room.keys, room.values)] or state
        assert cache.held_bytes == bytes_in(arrays)[1], "counted by walking over the arrays, whatever they are"
        assert 0 < forward.cache_bytes <= cache.held_bytes <= backing
        if architecture in FULL_ATTENTION:
            assert forward.cache_bytes == model.cache_bytes_per_token * length
        elif not rooms:
            assert forward.cache_bytes == held


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), NoRoom),
        (MemoryError(), NoRoom),
        (RuntimeError("a kernel failed"), RuntimeError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_pass_that_fails_half_way_leaves_the_cache_right(
    failure: BaseException, kind: type[BaseException], tiny: Any, plain: Any
) -> None:
    model, cache = tiny("bloom"), KVCache()
    model.engine.forward([30, 31, 32], cache)
    with failing_layer(model.network, failure), pytest.raises(kind):
        model.engine.forward([30, 31, 32, 33, 34], cache)
    forward = model.engine.forward([30, 31, 32, 33, 34], cache)
    assert_close(forward.logits.values, plain_logits(plain("bloom"), [30, 31, 32, 33, 34]))


class failing_layer:
    """While open, the last layer of the network fails, when the layers before it have already changed the cache."""

    def __init__(self, network: Any, failure: BaseException) -> None:
        self._layer, self._failure = network.transformer.h[-1], failure

    def __enter__(self) -> None:
        self._hook = self._layer.register_forward_pre_hook(self._fail)

    def _fail(self, *_: Any) -> None:
        raise self._failure

    def __exit__(self, *_: object) -> None:
        self._hook.remove()


def test_visitors_share_one_model_without_mixing_their_caches(tiny: Any, plain: Any) -> None:
    engine = tiny("llama").engine
    texts = {visitor: random_ids(np.random.default_rng(visitor), 12) for visitor in range(4)}
    answers: dict[tuple[int, int], torch.Tensor] = {}

    def visit(visitor: int) -> None:
        cache = KVCache()
        for length in range(2, 13):
            answers[visitor, length] = engine.forward(texts[visitor][:length], cache).logits.values.clone()

    threads = [threading.Thread(target=visit, args=(visitor,)) for visitor in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 * 11
    for (visitor, length), logits in answers.items():
        assert_close(logits, plain_logits(plain("llama"), texts[visitor][:length]))


def test_logits_given_out_are_not_written_over_by_the_next_pass(tiny: Any) -> None:
    engine, cache = tiny("llama").engine, KVCache()
    first = engine.forward([40, 41, 42], cache).logits.values
    kept = first.clone()
    engine.forward([40, 41, 42, 43], cache)
    assert torch.equal(first, kept)
