"""Weights kept in 16 bits give the numbers of the float32 model in half the memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from core import Generation, SamplingSettings, load_model
from core.backends import compiled
from core.backends.fast_decoder import FastDecoder
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.stored_weights import is_stored, widen
from core.models import precision
from core.models.memory_estimate import fit
from core.models.precision import stays_in
from tests import tiny_models
from tests.tiny_models import some

pytestmark = pytest.mark.slow  # they compile the kernels
FAMILIES = ["llama", "qwen3", "gpt2", "gpt_neox", "gemma2", "gemma3", "mistral", "phi3"]
STORED = {"bfloat16": torch.bfloat16, "float16": torch.float16}
USUAL = [("llama", "bfloat16"), ("gpt2", "float16"), ("gemma2", "bfloat16")]


@pytest.fixture(autouse=True)
def compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models count as large, and compiled code is there."""
    pytest.importorskip("numba")
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    monkeypatch.setattr(precision, "SMALL", 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """The folder of a tiny model whose files hold 16-bit numbers."""
    known: dict[tuple[str, str], Path] = {}

    def make(architecture: str, kind: str) -> Path:
        if (architecture, kind) not in known:
            path = tiny_models.save(architecture, tmp_path_factory.mktemp(f"{architecture}-{kind}"))
            AutoModelForCausalLM.from_pretrained(path, dtype=STORED[kind]).save_pretrained(path)
            known[architecture, kind] = path
        return known[architecture, kind]

    return make


def text(count: int) -> np.ndarray:
    return np.random.default_rng(3).integers(3, 200, count)


@pytest.mark.parametrize(("architecture", "kind"), some(product(FAMILIES, STORED), USUAL))
def test_the_odds_are_those_of_the_float32_model(architecture: str, kind: str, folder: Callable[[str, str], Path]) -> None:
    path, ids = folder(architecture, kind), text(40)
    model = load_model(path, device="cpu")
    assert compiled.wait()
    backend = model.engine.backend
    assert isinstance(backend, FastDecoder)
    assert backend.is_compiled
    assert (model.dtype, model.stored_dtype) == ("float32", kind)
    plain = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
    with torch.inference_mode():
        expected = plain(torch.from_numpy(ids)[None], use_cache=False).logits[0]
    cache = KVCache()
    for end in (12, 13, 14, 20, 21, 15, 16, 40):
        found = model.engine.forward(ids[:end], cache).logits.values
        torch.testing.assert_close(found, expected[end - 1], atol=1e-4, rtol=0)
    with torch.inference_mode():  # as experiments and the inspection compute
        slow = model.network(torch.from_numpy(ids)[None], use_cache=False).logits[0]
    assert torch.equal(slow, expected), "widened exactly, then the very same operations"


def test_memory_is_halved_and_said_before_loading(folder: Callable[[str, str], Path]) -> None:
    path = folder("llama", "bfloat16")
    said, model = fit(str(path), "cpu"), load_model(path, device="cpu")
    wide = load_model(path, device="cpu", dtype="bfloat16")
    assert said.loaded_bytes == said.file_bytes == 2 * said.parameter_count
    assert model.weight_bytes == pytest.approx(said.loaded_bytes, rel=0.02), "vectors are float32"
    assert model.cache_bytes_per_token == 2 * wide.cache_bytes_per_token, "keys and values are float32"
    assert any("bfloat16" in note for note in model.notes)
    assert wide.dtype == "bfloat16"


def test_without_compiled_code_or_for_another_family_weights_are_widened(
    folder: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder("bloom", "bfloat16")
    assert load_model(path, device="cpu").stored_dtype == "float32"
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "0")
    path = folder("llama", "bfloat16")
    said, model = fit(str(path), "cpu"), load_model(path, device="cpu")
    assert said.loaded_bytes == model.weight_bytes == 4 * said.parameter_count
    assert (model.stored_dtype, model.notes) == ("float32", ())


def test_only_what_is_stored_in_one_narrow_kind_stays() -> None:
    cpu = torch.device("cpu")
    assert stays_in({"BF16": 9}, "llama", cpu, "auto") == "bfloat16"
    assert stays_in({"F16": 9, "U8": 4}, "gpt_neox", cpu, "float32") == "float16"
    for counts, family, device, dtype in (
        ({"BF16": 9, "F32": 1}, "llama", cpu, "auto"),
        ({"F32": 9}, "llama", cpu, "auto"),
        ({"BF16": 9}, "mamba", cpu, "auto"),
        ({"BF16": 9}, "llama", cpu, "bfloat16"),
        ({"BF16": 9}, "llama", torch.device("meta"), "auto"),
    ):
        assert stays_in(counts, family, device, dtype) is None


def test_widened_again_it_is_an_ordinary_network(folder: Callable[[str, str], Path]) -> None:
    for architecture in ("llama", "gpt2", "gemma3"):
        path = folder(architecture, "bfloat16")
        network: Any = widen(load_model(path, device="cpu").network)
        assert not is_stored(network)
        plain = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        ids = torch.from_numpy(text(9))[None]
        with torch.inference_mode():
            torch.testing.assert_close(network(ids).logits, plain(ids).logits, rtol=1e-5, atol=1e-5)
        network(ids).logits.sum().backward()


def resident(path: str, kind: str) -> int:
    """Bytes of this kind in a list of this process's memory, as the kernel keeps it; of the model's file alone in `smaps`."""
    lines = iter(Path(path).read_text("utf-8", "replace").splitlines())
    counted, total = path.endswith("rollup"), 0
    for line in lines:
        if "-" in line.split(maxsplit=1)[0]:
            counted = path.endswith("rollup") or line.endswith("model.safetensors")
        elif counted and line.startswith(f"{kind}:"):
            total += int(line.split()[1]) * 1024
    return total


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").is_file(), reason="where this kernel does not say what a process holds")
def test_several_processes_hold_the_weights_once(tmp_path: Path, folder: Callable[[str, str], Path]) -> None:
    """They are the file's own pages, which all processes share, and nobody makes a copy: for replicas behind one address."""
    load_model(folder("llama", "bfloat16"), device="cpu")  # what is imported for it is there
    large = {"hidden_size": 512, "intermediate_size": 2048, "num_hidden_layers": 6, "num_attention_heads": 8}
    path = tiny_models.save("llama", tmp_path, **large)
    AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16).save_pretrained(path)
    size, before = (path / "model.safetensors").stat().st_size, resident("/proc/self/smaps_rollup", "Anonymous")
    model = load_model(path, device="cpu")
    for _ in Generation(model, "A fox", SamplingSettings(seed=1)).stream(3):
        pass
    assert size > 40_000_000
    assert resident("/proc/self/smaps", "Rss") > 0.9 * size
    assert resident("/proc/self/smaps", "Anonymous") < 0.1 * size
    assert resident("/proc/self/smaps_rollup", "Anonymous") - before < 0.5 * size
