"""The decoder in NumPy gives the logits of transformers for every family it accepts, and refuses all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from core.backends import compiled, fast_decoder
from core.backends.fast_decoder import BLOCK, FastDecoder
from tests.core.backends.compiled.loaded import load_compiled
from tests.core.backends.families import ACCEPTED, GPT2, MANY, SHAPE, SLIDING, USUAL, network_of
from tests.tiny_models import some


@pytest.fixture(params=["NumPy", pytest.param("compiled", marks=pytest.mark.slow)])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to compute."""
    if request.param == "compiled":
        pytest.importorskip("numba")
        monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    return str(request.param)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """As the app sets it for small models; with more, these tests would mostly wait for a busy machine's other processes."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def network() -> Any:
    return network_of("Llama")


@pytest.fixture(scope="module")
def fast(network: Any) -> FastDecoder:
    return accepted(network)


def accepted(network: Any) -> FastDecoder:
    fast = FastDecoder.of(network)
    assert fast is not None
    if compiled.available():
        assert compiled.wait()
    assert fast.is_compiled == compiled.available()
    return fast


def text(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, SHAPE["vocab_size"], count)


def all_logits(network: Any, ids: np.ndarray) -> torch.Tensor:
    """Transformers' logits [tokens, vocabulary] of one pass over everything, without a cache."""
    with torch.inference_mode():
        return network(torch.from_numpy(ids)[None], use_cache=False).logits[0]


def assert_same(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", some(ACCEPTED, USUAL))
def test_logits_are_those_of_transformers(name: str, way: str) -> None:
    family, changes = ACCEPTED[name]
    network = network_of(family, **changes)
    fast, ids = accepted(network), text(MANY + BLOCK + 150)
    expected = all_logits(network, ids)
    assert expected.std(-1).min() > 0.2  # even odds would agree with anything
    state = fast.new_state()
    end = 0
    # Less than a block, single tokens, a few one by one, blocks behind what is there, more than the reserve.
    for count in (30, 1, 1, 3, 2, BLOCK + 40, 1, 4, MANY, 1):
        end += count
        assert_same(fast.run(ids[end - count : end], state), expected[end - 1])
        assert fast.length(state) == end
    assert_same(fast.run(ids, None), expected[-1])


@pytest.mark.parametrize("name", some(ACCEPTED, USUAL))
@pytest.mark.parametrize("cores", [1, 2, 5])
def test_a_prompt_is_the_same_on_any_number_of_cores(name: str, cores: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_decoder, "CORES", cores)
    family, changes = ACCEPTED[name]
    network = network_of(family, **changes)
    fast, ids = accepted(network), text(400)
    expected, state = all_logits(network, ids), fast.new_state()
    for start, stop in ((0, 100), (100, 399), (399, 400)):  # blocks from nothing, behind a text, and a single token
        assert_same(fast.run(ids[start:stop], state), expected[stop - 1])


def test_a_block_that_fails_leaves_no_other_waiting(fast: FastDecoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_decoder, "CORES", 3)
    ids = text(3 * fast_decoder.SMALLEST_BLOCK)
    for place in range(0, len(ids), fast_decoder.SMALLEST_BLOCK):
        broken = ids.copy()
        broken[place] = SHAPE["vocab_size"]
        with pytest.raises(IndexError):
            fast.run(broken, fast.new_state())
    assert fast.run(ids, None).isfinite().all()


@pytest.mark.parametrize(("length", "new"), [(0, 1), (1, 50), (129, 3), (199, 1)])
def test_after_a_cut_another_text_goes_on_as_if_it_had_always_been_there(network: Any, fast: FastDecoder, length: int, new: int) -> None:
    state, first, second = fast.new_state(), text(200), text(new, seed=1)
    fast.run(first, state)
    assert fast.cut(state, length)
    assert fast.length(state) == length
    assert_same(fast.run(second, state), all_logits(network, np.concatenate([first[:length], second]))[-1])


def test_an_unknown_token_leaves_the_state_usable(network: Any, fast: FastDecoder) -> None:
    state, ids = fast.new_state(), text(10)
    fast.run(ids[:9], state)
    with pytest.raises(IndexError):
        fast.run(np.array([SHAPE["vocab_size"]]), state)
    assert_same(fast.run(ids[9:], state), all_logits(network, ids)[-1])


@pytest.mark.parametrize("name", some(SLIDING, USUAL))
def test_where_a_window_has_slid_a_text_can_be_cut_back_a_little_and_never_gets_wrong(name: str, way: str) -> None:
    """Cutting is refused where keys are gone that the next token would see, and else gives what a text from the start gives."""
    family, changes = ACCEPTED[name]
    network = network_of(family, **changes)
    fast, window = accepted(network), int(changes["sliding_window"])
    random = np.random.default_rng(4)
    state, ids, refused, done = fast.new_state(), text(1), 0, 0
    fast.run(ids, state)
    for _ in range(60):
        new = random.integers(0, SHAPE["vocab_size"], int(random.choice([1, 1, 2, 5, 30])))
        length = int(random.integers(max(0, len(ids) - 2 * window), len(ids) + 1))
        if fast.cut(state, length):
            ids, done = ids[:length], done + 1
        else:
            refused += 1
            assert length < len(ids)
        ids = np.concatenate([ids, new])
        assert_same(fast.run(new, state), all_logits(network, ids)[-1])
        used, held = fast.cache_bytes(state)
        assert used <= held
    assert done > 10
    assert refused > 0 or window == 1


@pytest.mark.parametrize("name", ["grouped queries, tied", "gpt2", "pythia", "phi3"])
def test_the_weights_are_the_networks_own(name: str) -> None:
    family, changes = ACCEPTED[name]
    network = network_of(family, **changes)
    fast = accepted(network)
    ours = [fast.parts.embedding, fast.parts.head.weight]
    ours += [part.weight for layer in fast.parts.layers for part in (*layer.qkv, layer.o, *layer.gate_up, layer.down)]
    ours += [] if fast.parts.positions is None else [fast.parts.positions]
    theirs = {weight.data_ptr(): weight.nbytes for weight in network.parameters() if weight.dim() > 1}
    assert {weight.data_ptr(): weight.nbytes for weight in ours} == theirs


def test_blas_runs_as_many_threads_as_torch(fast: FastDecoder) -> None:
    def blas_threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        if not blas_threads() or max(blas_threads()) == 1:
            pytest.skip("this BLAS has no threads that could be counted")
        fast.run(text(1), None)
        assert blas_threads() == [1] * len(blas_threads())


# What eight tokens would not show is refused by its setting, the rest also by its numbers.
REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "bloom": ("Bloom", {"n_layer": 3, "n_head": 6}),
    "mixtral": ("Mixtral", {"num_local_experts": 2}),
    "a window that llama does not know": ("Llama", {"sliding_window": 64}),
    "windows of another kind": ("Qwen3", {"head_dim": 8, "layer_types": ["chunked_attention"] * 3}),
    "dynamic rope": ("Llama", {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}}),
    "an activation that is not known": ("Llama", {"hidden_act": "mish"}),
    "cross attention": ("GPT2", GPT2 | {"add_cross_attention": True}),
    "epsilon of zero": ("Llama", {"rms_norm_eps": 0.0}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_architectures_and_settings_are_refused(name: str) -> None:
    family, changes = REFUSED[name]
    assert FastDecoder.of(network_of(family, **changes)) is None


class QuantizedLinear(torch.nn.Linear):
    """Stands for the layers that quantization and adapters put in a linear layer's place."""


def with_a_replaced_layer(network: Any) -> Any:
    plain = network.model.layers[1].mlp.up_proj
    network.model.layers[1].mlp.up_proj = QuantizedLinear(plain.in_features, plain.out_features, bias=False)
    return network


def with_a_hook(network: Any) -> Any:
    network.model.layers[2].mlp.register_forward_hook(lambda module, inputs, output: output * 1.01)
    return network


def with_mixed_precision(network: Any) -> Any:
    network.model.layers[1].mlp.up_proj.to(torch.bfloat16)
    return network


CHANGES: dict[str, Callable[[Any], Any]] = {
    "bfloat16": lambda network: network.to(torch.bfloat16),
    "float16": lambda network: network.to(torch.float16),
    "float64": lambda network: network.to(torch.float64),
    "mixed precision": with_mixed_precision,
    "another device": lambda network: network.to("meta"),
    "training": lambda network: network.train(),
    "a replaced layer": with_a_replaced_layer,
    "a subclass": lambda network: type("LlamaForCausalLM", (type(network),), {"__module__": "elsewhere"})(network.config).eval(),
    "other numbers than its parts": with_a_hook,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_network_is_refused(change: str) -> None:
    assert FastDecoder.of(CHANGES[change](network_of("Llama"))) is None


def test_broken_weights_are_refused_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    for broken in (float("nan"), float("inf")):
        network = network_of("Llama")
        with torch.no_grad():
            network.model.layers[0].mlp.up_proj.weight[0, 0] = broken
        assert FastDecoder.of(network) is None
    assert not recwarn.list


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_a_small_model_that_was_widened_is_read_in_16_bits_and_any_other_as_it_is(monkeypatch: pytest.MonkeyPatch, exact: bool) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    network = network_of("Llama").float()
    if exact:
        with torch.no_grad():
            for weight in network.parameters():
                weight.copy_(weight.to(torch.bfloat16))
    load_compiled()
    from core.backends.compiled import passes as tables

    decoder = FastDecoder.of(network)
    assert decoder is not None and decoder.is_compiled
    narrow = compiled.compile_step(decoder.parts, decoder.places)
    assert decoder.weight_bytes == decoder.parts.weights_per_token * (2 if exact else 4)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "NARROWED", 0)
        wide = compiled.compile_step(decoder.parts, decoder.places)
    states = decoder.new_state(), decoder.new_state()
    for token in (3, 1, 4, 1, 5):
        for state in states:
            decoder._make_room(state, 1, 1)
        np.testing.assert_array_equal(wide(token, states[0]), narrow(token, states[1]))


def test_weights_that_gpt2_keeps_by_inputs_lie_by_outputs_and_are_the_same_ones(tmp_path: Path) -> None:
    network = network_of("GPT2", **GPT2)
    kept = {name: weight.clone() for name, weight in network.state_dict().items()}
    fast = FastDecoder.of(network)
    assert fast is not None
    for block, layer in zip(network.transformer.h, fast.parts.layers, strict=True):
        for module, part in ((block.attn.c_attn, layer.qkv[0]), (block.mlp.c_fc, layer.gate_up[0]), (block.mlp.c_proj, layer.down)):
            assert part.weight.is_contiguous() and part.weight.data_ptr() == module.weight.data_ptr(), "no second copy"
            assert part.weight.shape == module.weight.shape[::-1]
    weight, place = network.transformer.h[0].mlp.c_proj.weight, fast.parts.layers[0].down.weight.data_ptr()
    assert FastDecoder.of(network) is not None and weight.data_ptr() == place, "once is enough"
    network.save_pretrained(tmp_path)
    for found in (network.state_dict(), type(network).from_pretrained(tmp_path).state_dict()):
        assert all(torch.equal(weight, kept[name]) for name, weight in found.items())
