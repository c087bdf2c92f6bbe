"""A bundled model that writes before transformers' code for its network is there, against the one that is loaded whole."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings, load_model
from core.engine.backends.fast_decoder import FastDecoder
from core.engine.backends.llama_files import llama_parts
from core.engine.backends.transformers_backend import TransformersBackend
from core.engine.late_network import LateNetwork
from core.engine.late_tokenizer import LateTokenizer
from core.models import early
from core.models.hub import BUNDLED, bundled_names

ROOT = Path(__file__).parents[3]
FACTS = """name device stored_dtype dtype shape parameter_count weight_bytes layer_count vocabulary_size context_length
cache_bytes_per_token end_token_ids notes""".split()
FIRST_STEP = """
import sys
from core.models.early import load_early
from core import Generation, SamplingSettings
settings = SamplingSettings(temperature=0.8, top_k=40, top_p=0.9, min_p=0.01)
run = Generation(load_early("storyteller"), "Once upon a time, there was a little", settings)
assert run.step().text
heavy = ("torch._dynamo", "torch._inductor", "sympy", "transformers", "huggingface_hub")
print([name for name in heavy if name in sys.modules])
"""


def test_the_first_step_needs_neither_the_networks_code_nor_a_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_STEP], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted(bundled_names()))
def test_it_is_the_model_that_is_loaded_whole(name: str) -> None:
    model, whole = early.load_early(name), load_model(name)
    assert model is not None and isinstance(model._network, LateNetwork)
    assert {fact: getattr(model, fact) for fact in FACTS} == {fact: getattr(whole, fact) for fact in FACTS}
    text = "Once upon a time, there was a little fox 🦊. Question: How much is 3 + 4?\nAnswer:"
    assert model.encode(text) == whole.encode(text)
    settings = SamplingSettings(temperature=1.2, seed=3)
    runs = [Generation(one, "Once upon a time, there was a little", settings) for one in (model, whole)]
    texts = [[step.token_id for step in run.write(30)] for run in runs]
    assert texts[0] == texts[1]
    ids = np.array(whole.encode(text))
    assert torch.allclose(model.engine.forward(ids).logits.values, whole.engine.forward(ids).logits.values, atol=1e-4)


@pytest.mark.parametrize("name", sorted(bundled_names()))
def test_the_tokenizer_answers_as_transformers_own_does(name: str) -> None:
    model, whole = early.load_early(name), load_model(name).tokenizer
    assert model is not None and isinstance(model.tokenizer, LateTokenizer)
    late = model.tokenizer
    for fact in ("all_special_ids", "eos_token_id", "bos_token_id", "chat_template", "is_fast", "added_tokens_decoder"):
        found, expected = getattr(late, fact), getattr(whole, fact)
        assert str(found) == str(expected) if fact == "added_tokens_decoder" else found == expected, fact
    assert len(late) == len(whole)
    assert [late.convert_ids_to_tokens(i) for i in (*range(len(whole)), len(whole))] == [
        whole.convert_ids_to_tokens(i) for i in (*range(len(whole)), len(whole))
    ]
    for text in (
        "",
        " ",
        "Once upon a time",
        "🦊 Füchse\n\n\tund\r\n",
        "<|end|> <|start|>",
        "a" * 5000,
        "\u200b\ufeff e\u0301",
        "1234 + 5 = ?",
    ):
        for how in ({}, {"add_special_tokens": False}, {"add_special_tokens": True}):
            assert late(text, **how)["input_ids"] == whole(text, **how)["input_ids"], (text[:20], how)
    assert late._whole is None, "transformers was not asked"


def test_what_the_tokenizer_does_not_know_itself_transformers_answers() -> None:
    model, whole = early.load_early("storyteller"), load_model("storyteller").tokenizer
    assert model is not None
    late = model.tokenizer
    assert late.get_vocab() == whole.get_vocab()
    assert late("a fox", return_offsets_mapping=True)["offset_mapping"] == whole("a fox", return_offsets_mapping=True)["offset_mapping"]
    assert late(["a fox", "two"])["input_ids"] == whole(["a fox", "two"])["input_ids"]
    assert late.convert_ids_to_tokens([5, 6]) == whole.convert_ids_to_tokens([5, 6])
    assert late.decode([5, 6, 7]) == whole.decode([5, 6, 7])
    with pytest.raises(AttributeError):
        _ = late.no_such_thing
    assert copy.copy(late)("a fox")["input_ids"] == whole("a fox")["input_ids"]
    assert model.network is not None
    assert type(model.tokenizer) is type(whole), "with the network comes the tokenizer itself"


@pytest.mark.parametrize("change", [{"tokenizer_class": "LlamaTokenizer"}, {"chat_template": "{{ messages }}"}, None])
def test_a_tokenizer_that_is_not_plain_is_left_to_transformers(tmp_path: Path, change: dict[str, str] | None) -> None:
    for part in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / part).write_bytes((BUNDLED / "storyteller" / part).read_bytes())
    if change is None:
        (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    else:
        told = json.loads((tmp_path / "tokenizer_config.json").read_text())
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(told | change))
    with pytest.raises(ValueError, match="plain"):
        LateTokenizer(tmp_path, lambda: None)


def test_a_model_with_such_a_tokenizer_is_left_to_the_whole_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_whatever: object) -> None:
        raise ValueError("no plain tokenizer")

    monkeypatch.setattr("core.engine.late_tokenizer.LateTokenizer", refused)
    assert early.load_early("storyteller") is None


def test_the_network_comes_when_it_is_asked_for_on_the_same_weights() -> None:
    model = early.load_early("storyteller-mini")
    assert model is not None
    weights = dict(model._network.named_parameters())
    network = model.network
    assert network is model.network and not isinstance(network, LateNetwork)
    assert {name: weight.data_ptr() for name, weight in network.named_parameters()} == {
        name: weight.data_ptr() for name, weight in weights.items()
    }
    ids = torch.arange(5, 25)
    with torch.inference_mode():
        expected = network(input_ids=ids[None]).logits[0, -1]
    backend = model.engine.backend
    assert isinstance(backend, FastDecoder) and torch.allclose(backend.run(ids.numpy(), None), expected, atol=1e-4)
    assert isinstance(backend._proof, tuple), "compiled code is proved by the network"


def test_weights_that_were_read_wrong_are_found_out_and_the_network_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = early.load_early("storyteller-mini")
    assert model is not None
    run = Generation(model, "Once upon a time, there was a little", SamplingSettings(greedy=True))
    list(run.write(3))
    monkeypatch.setattr(FastDecoder, "agrees_with", lambda self, network: False)
    assert model.network is not None
    assert isinstance(model.engine.backend, TransformersBackend)
    assert len(list(run.write(5))) == 5


@pytest.mark.parametrize(
    "other",
    [
        {"model_type": "mistral"},
        {"rope_parameters": {"rope_type": "llama3", "rope_theta": 10000.0}},
        {"rope_parameters": None},
        {"hidden_act": "gelu"},
        {"num_hidden_layers": 6},
        {"num_hidden_layers": 8},
        {"tie_word_embeddings": False},
    ],
)
def test_what_is_no_plain_llama_is_left_to_the_whole_loader(other: dict[str, Any]) -> None:
    from safetensors.torch import load_file

    folder = BUNDLED / "storyteller-mini"
    told = json.loads((folder / "config.json").read_text()) | other
    layers = other.get("num_hidden_layers")
    if layers is not None:  # relative to what it has
        told["num_hidden_layers"] = json.loads((folder / "config.json").read_text())["num_hidden_layers"] + (1 if layers == 8 else -1)
    weights = {name: weight.float() for name, weight in load_file(folder / "model.safetensors").items()}
    assert llama_parts(told, weights) is None


@pytest.mark.parametrize("name", ["", "no such model", "../storyteller", "HuggingFaceTB/SmolLM2-135M", "/tmp"])
def test_any_other_name_is_left_to_the_whole_loader(name: str) -> None:
    assert early.load_early(name) is None
