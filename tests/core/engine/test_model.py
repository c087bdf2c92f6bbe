"""What a loaded model says about itself is true."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from core import Generation, load_model
from core.errors import ModelError
from core.sources.capabilities import Can
from tests.core.refusals import one_sentence
from tests.tiny_models import ARCHITECTURES, some


@pytest.mark.parametrize("architecture", some(ARCHITECTURES))
def test_a_model_describes_itself_truly(architecture: str, tiny: Any, plain: Any) -> None:
    model, network = tiny(architecture), plain(architecture)
    weights = load_file(Path(model.name) / "model.safetensors") if Path(model.name).is_dir() else {}
    assert model.parameter_count == network.num_parameters()
    assert model.weight_bytes == 4 * network.num_parameters()
    if weights:
        assert model.parameter_count <= sum(tensor.numel() for tensor in weights.values())
    assert model.layer_count == network.config.num_hidden_layers
    assert model.vocabulary_size == network.get_output_embeddings().weight.shape[0] == network.config.vocab_size
    assert (model.device, model.dtype) == ("cpu", "float32")
    assert model.end_token_ids == {network.config.eos_token_id}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_precision_asked_for_is_the_one_used(dtype: str, tiny_folder: Any) -> None:
    model = load_model(str(tiny_folder("llama")), device="cpu", dtype=dtype)
    size = 4 if dtype == "float32" else 2
    assert model.dtype == dtype
    assert model.weight_bytes == size * model.parameter_count
    assert model.cache_bytes_per_token == 3 * 2 * 8 * 2 * size
    step = Generation(model, "The sea").step()
    assert step.forward.cache_bytes == model.cache_bytes_per_token * step.position
    assert sum(c.model_probability for c in step.candidates) + step.rest_model_probability == pytest.approx(1, abs=1e-4)


@pytest.mark.skipif(torch.cuda.is_available() or torch.backends.mps.is_available(), reason="this machine has an accelerator")
def test_without_an_accelerator_auto_is_the_cpu_in_full_precision(tiny_folder: Any) -> None:
    model = load_model(str(tiny_folder("gpt2")))
    assert (model.device, model.dtype) == ("cpu", "float32")


def test_a_device_or_precision_that_does_not_exist_is_refused(tiny_folder: Any) -> None:
    for how in ({"device": "abacus"}, {"device": "cuda:99"}, {"dtype": "float7"}, {"dtype": "int8"}, {"device": ""}):
        with one_sentence():
            load_model(str(tiny_folder("gpt2")), **how)


def test_a_model_without_a_template_says_so(tiny: Callable[[str], Any]) -> None:
    assert Can.CHAT not in tiny("gpt2").can
    with pytest.raises(ModelError, match="is not a chat model"):
        Generation(tiny("gpt2"), "Who are you?", as_chat=True)
