"""A recorded step gives transformers' logits for every visitor, place and length. A step that cannot be recorded is refused.

Without a GPU a tape (`tests.core.backends.tape`) records: like a CUDA graph, it repeats operations on fixed memory without Python.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from core import Generation, SamplingSettings, load_model
from core.backends import cuda_graph
from core.backends.cuda_graph import StaticDecode
from core.backends.transformers_backend import TransformersBackend
from core.engine.engine import Engine
from core.engine.kv_cache.kv_cache import KVCache
from core.errors import NotEnoughMemory
from core.sampling import stages
from tests.core.backends import tape
from tests.core.engine.test_engine import random_ids, walk
from tests.core.plain import assert_close, plain_logits
from tests.tiny_models import ARCHITECTURES, some

TAKEN = ["llama", "gpt2", "gpt_bigcode", "qwen3", "mixtral", "olmoe", "gpt_neox", "phi3", "deepseek_v3"]
EVERYTHING = SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.95, repetition_penalty=1.1, seed=4)
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")


@pytest.fixture(autouse=True)
def small_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Desks of 8, 16 and 32 tokens, so that short texts move from one to the next and beyond the last."""
    monkeypatch.setattr(cuda_graph, "SMALLEST", 8)
    monkeypatch.setattr(cuda_graph, "LARGEST", 32)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def static(network: Any, record: cuda_graph.Record | None = tape.record) -> StaticDecode:
    backend, note = StaticDecode.of(network, record)
    assert backend is not None and note == "", note
    return backend


def engine_of(backend: Any, network: Any) -> Engine:
    return Engine(backend, network.device, network.get_input_embeddings().num_embeddings)


@pytest.mark.parametrize("record", [None, tape.record], ids=["not recorded", "recorded"])
@pytest.mark.parametrize("architecture", some(TAKEN))
def test_going_on_back_and_aside_gives_the_logits_of_a_plain_pass(architecture: str, record: Any, plain: Any) -> None:
    network, cache = plain(architecture), KVCache()
    engine = engine_of(static(network, record), network)
    before: list[int] = []
    for number, ids in enumerate(walk(np.random.default_rng(7))):
        shared = next((i for i, (old, new) in enumerate(zip(before, ids, strict=False)) if old != new), min(len(before), len(ids)))
        forward = engine.forward(ids, cache)
        assert_close(forward.logits.values, plain_logits(network, ids), f"the logits of text {number}")
        assert forward.reused_tokens == min(shared, len(ids) - 1)
        before = ids


def test_visitors_take_turns_at_one_recorded_step(plain: Any) -> None:
    network, rng = plain("llama"), np.random.default_rng(11)
    recordings = []

    def record(step: cuda_graph.Step, device: torch.device) -> cuda_graph.Step:
        recordings.append(step)
        return tape.record(step, device)

    engine = engine_of(static(network, record), network)
    texts, caches = {visitor: random_ids(rng, 3) for visitor in range(6)}, {visitor: KVCache() for visitor in range(6)}
    for turn in range(60):
        visitor = int(rng.integers(6))
        if turn % 9 == 8:  # goes back two words and takes another
            texts[visitor] = texts[visitor][:-2] or [5]
        texts[visitor] = [*texts[visitor], *random_ids(rng, 1)]
        logits = engine.forward(texts[visitor], caches[visitor]).logits.values
        assert_close(logits, plain_logits(network, texts[visitor]), f"visitor {visitor} in turn {turn}")
    assert len(recordings) == 3  # 8, 16 and 32 tokens, for all of them


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "gpt_bigcode"])
def test_bytes_are_those_of_the_tokens_held_and_the_buffers_are_at_most_twice_as_large(architecture: str, plain: Any, tiny: Any) -> None:
    backend, per_token = static(plain(architecture)), tiny(architecture).cache_bytes_per_token
    state, ids = backend.new_state(), np.array(random_ids(np.random.default_rng(2), 30))
    assert backend.bytes(state) == 0
    for count in (5, 1, 10, *[1] * 28):
        backend.run(ids[:count], state)
        length = backend.length(state)
        assert backend.bytes(state) == per_token * length
        assert backend.held_bytes(state) == sum(part.untyped_storage().nbytes() for part in (state.keys, state.values))
        assert per_token * length <= backend.held_bytes(state) <= per_token * max(cuda_graph.PAGE, 2 * length)
    backend.cut(state, 3)
    assert backend.bytes(state) == per_token * 3
    backend.run(ids[:1], state)
    assert backend.held_bytes(state) == per_token * cuda_graph.PAGE


@pytest.mark.parametrize("architecture", some(sorted(set(ARCHITECTURES) - set(TAKEN))))
def test_what_cannot_lie_on_a_desk_is_refused_in_a_sentence(architecture: str, plain: Any) -> None:
    backend, note = StaticDecode.of(plain(architecture), tape.record)
    assert backend is None
    assert note.startswith("Every token runs kernel by kernel")
    assert note.endswith(").")


def test_frequencies_that_change_with_the_text_are_refused() -> None:
    """They are chosen by Python, from a number read back from the device."""
    config = transformers.LlamaConfig(
        vocab_size=50,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        rope_parameters={"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4},
    )
    backend, note = StaticDecode.of(transformers.LlamaForCausalLM(config).eval(), tape.record)
    assert backend is None
    assert "reads numbers back" in note


def wrong(step: cuda_graph.Step, _device: torch.device) -> cuda_graph.Step:
    return lambda: step().roll(1)


def stuck(step: cuda_graph.Step, _device: torch.device) -> cuda_graph.Step:
    always = step()
    return lambda: always


def impossible(step: cuda_graph.Step, _device: torch.device) -> cuda_graph.Step:
    raise RuntimeError("operation not permitted when stream is capturing")


@pytest.mark.parametrize(("record", "reason"), [(wrong, "differ"), (stuck, "differ"), (impossible, "not permitted")])
def test_a_recording_that_fails_or_says_something_else_is_refused(record: Any, reason: str, plain: Any) -> None:
    backend, note = StaticDecode.of(plain("llama"), record)
    assert backend is None
    assert reason in note


def test_a_network_of_broken_numbers_is_refused(plain: Any) -> None:
    network = copy.deepcopy(plain("llama"))
    with torch.no_grad():
        network.lm_head.weight[0, 0] = torch.nan
    assert StaticDecode.of(network)[0] is None


def test_a_step_that_fails_leaves_the_next_one_right(plain: Any) -> None:
    network, failing = plain("llama"), False

    def record(step: cuda_graph.Step, device: torch.device) -> cuda_graph.Step:
        replay = tape.record(step, device)

        def run() -> torch.Tensor:
            if failing:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return replay()

        return run

    engine, cache = engine_of(static(network, record), network), KVCache()
    engine.forward([30, 31, 32], cache)
    failing = True
    with pytest.raises(NotEnoughMemory):
        engine.forward([30, 31, 32, 33], cache)
    failing = False
    assert_close(engine.forward([30, 31, 32, 33], cache).logits.values, plain_logits(network, [30, 31, 32, 33]))


PICKS: list[dict[str, Any]] = [{"roll": 0.4}, {"forced": 17}, {}]


@pytest.mark.parametrize("pick", PICKS, ids=["rolled", "forced", "not yet"])
@pytest.mark.parametrize("settings", [EVERYTHING, SamplingSettings(), SamplingSettings(greedy=True)], ids=["all", "plain", "greedy"])
@pytest.mark.parametrize("backend", [TransformersBackend, StaticDecode])
def test_nothing_waits_for_the_device_before_the_one_copy(
    backend: Callable[[Any], Any], settings: SamplingSettings, pick: dict[str, Any]
) -> None:
    """On a device without numbers, whoever asks for one is found out: prompt, next token, stages, pick."""
    name, shape = ARCHITECTURES["llama"]
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(vocab_size=300, **shape)).eval()
    engine, cache, ids = engine_of(backend(network), network), KVCache(), list(range(7))
    if settings.greedy and "roll" in pick:
        pick = {"greedily": True}
    with tape.NothingReadBack() as guard:
        engine.forward(ids[:5], cache)
        for end in (6, 7):
            logits = engine.forward(ids[:end], cache).logits.values
            assert (logits.device.type, logits.dtype) == ("meta", torch.float32)
            with pytest.raises(tape.Copied):
                stages.observe(logits, settings, np.array(ids[:end]), 20, **pick)
    assert len(guard.copied) == 2
    assert max(guard.copied) < 300


@pytest.fixture
def on_gpu(plain: Any) -> Any:
    return copy.deepcopy(plain("llama")).to("cuda", torch.bfloat16)


@needs_cuda
def test_a_cuda_graph_says_what_the_step_says_that_was_recorded(on_gpu: Any) -> None:
    both = [(backend, backend.new_state()) for backend in (static(on_gpu, None), static(on_gpu, cuda_graph._again))]
    ids = np.array(random_ids(np.random.default_rng(8), 30))
    for end in range(1, 31):
        found, expected = (backend.run(ids[end - 1 : end], state) for backend, state in both)
        torch.testing.assert_close(found, expected, atol=0.05, rtol=0.01)


@needs_cuda
def test_cuda_itself_sees_no_wait_before_the_one_copy(on_gpu: Any) -> None:
    engine, cache = engine_of(static(on_gpu, None), on_gpu), KVCache()
    ids = random_ids(np.random.default_rng(1), 12)
    for end in (6, 7):  # whatever is set up at the first use
        stages.observe(engine.forward(ids[:end], cache).logits.values, EVERYTHING, np.array(ids[:end]), 20, roll=0.5)
    guard = tape.NothingReadBack()
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        for end in (8, 9, 12):
            logits = engine.forward(ids[:end], cache).logits.values
            with guard, pytest.raises(tape.Copied):
                stages.observe(logits, EVERYTHING, np.array(ids[:end]), 20, roll=0.5)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert len(guard.copied) == 3


@needs_cuda
def test_a_loaded_model_decodes_by_a_cuda_graph_if_asked_to(tiny_folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_CUDA_GRAPH", "1")
    run = Generation(load_model(str(tiny_folder("llama")), device="cuda"), "The sea", EVERYTHING)
    model: Any = run.model
    assert isinstance(model.engine.backend, StaticDecode) and len([run.step() for _ in range(12)]) == 12
