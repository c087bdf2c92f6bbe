"""A packed file beside its original: the divergence is that of plain passes of transformers, and two different models are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from core import load_model
from core.errors import BadSetting, ModelError
from core.experiments.quantization.two_versions import two_versions
from tests import tiny_models
from tests.core.models.gguf import making

PROMPT = "Once upon a time"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tiny Llama and its file with weights of 8 bits."""
    folder = tmp_path_factory.mktemp("versions")
    original = tiny_models.save("llama", folder / "original", hidden_size=64, intermediate_size=64)
    return original, making.converted(original, "llama", folder / "packed.gguf", "Q8_0")


def test_a_packed_file_beside_its_original(pair: tuple[Path, Path]) -> None:
    original, packed = (load_model(str(path), device="cpu") for path in pair)
    (found,) = two_versions(original, packed, PROMPT, length=8, text_length=20)
    assert (found.other.dtype, found.original.dtype) == ("Q8_0", "float32")
    assert found.other.bytes == pair[1].stat().st_size and found.original.bytes == original.weight_bytes
    assert 0 < found.mean_kl < 0.1 and 0.5 < found.top1_kept <= 1
    network = transformers.AutoModelForCausalLM.from_pretrained(pair[0], dtype=torch.float32).eval()
    ids = original.encode(PROMPT)
    text = network.generate(torch.tensor([ids]), max_new_tokens=20, do_sample=False)
    with torch.inference_mode():
        logs = network(text).logits[0].double().log_softmax(-1)
        theirs = packed.load_network()(text).logits[0].double().log_softmax(-1)
    divergence = (logs.exp() * (logs - theirs)).sum(-1)
    assert len(found.kl) == text.shape[1]
    assert torch.allclose(torch.tensor(found.kl, dtype=torch.double), divergence, atol=1e-6)
    loss = torch.nn.functional.nll_loss(logs[:-1], text[0, 1:])
    assert found.original.perplexity == pytest.approx(float(loss.exp()), rel=1e-6)
    assert found.original.probabilities[0] == pytest.approx(float(logs[len(ids) - 1].exp().max()), rel=1e-5)
    assert len(found.pieces) == len(found.other.probabilities) == 8


def test_one_model_twice_other_tokens_and_wrong_lengths_are_refused(pair: tuple[Path, Path], tiny: Callable[[str], Any]) -> None:
    model = load_model(str(pair[0]), device="cpu")
    with pytest.raises(BadSetting):
        next(two_versions(model, model, PROMPT))
    with pytest.raises(ModelError, match="different tokens"):
        next(two_versions(model, tiny("gpt2"), PROMPT))
    for length in (0, 65, 1.5, True):
        with pytest.raises(BadSetting):
            next(two_versions(model, load_model(str(pair[1]), device="cpu"), PROMPT, length=length))  # type: ignore[arg-type]
