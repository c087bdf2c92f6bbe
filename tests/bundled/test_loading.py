"""A bundled model that was loaded without transformers' network, compared with the same model as `load_model` gives it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings, load_model
from core.engine.model import LanguageModel
from core.errors import ModelError
from core.inspection.inside import inspect_step
from core.models import fast_start
from core.models.hub import BUNDLED, bundled_names
from core.models.models_in_memory import ModelRegistry
from core.tokens.bundled_tokenizer import PlainTokenizer

ROOT = Path(__file__).parents[2]
FACTS = """name device stored_dtype dtype shape parameter_count weight_bytes layer_count vocabulary_size context_length
cache_bytes_per_token end_token_ids notes""".split()
TEXTS = ("", " ", "Once upon a time", "🦊 Füchse\n\n\tund\r\n", "<|end|> <|start|>", "a" * 5000, "\u200b\ufeff e\u0301", "1234 + 5 = ?")
PROGRAM = """
import sys
from core.models.fast_start import load_without_network
from core import Generation, SamplingSettings
run = Generation(load_without_network("storyteller"), "Once upon a time", SamplingSettings(temperature=0.8, top_k=40, top_p=0.9))
assert run.step().text
print([name for name in ("torch._dynamo", "sympy", "transformers.modeling_utils", "scipy") if name in sys.modules])
"""


def loaded(name: str = "storyteller-mini") -> LanguageModel:
    model = fast_start.load_without_network(name)
    assert model is not None and model.network is None
    return model


def test_the_first_step_does_not_import_transformers_networks() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted(bundled_names()))
def test_facts_tokens_and_logits_are_those_of_load_model(name: str) -> None:
    model, whole = loaded(name), load_model(name)
    assert {fact: getattr(model, fact) for fact in FACTS} == {fact: getattr(whole, fact) for fact in FACTS}
    own, other = model.tokenizer, whole.tokenizer
    assert own.get_vocab() == other.get_vocab() and len(own) == len(other)
    assert (own.all_special_ids, own.eos_token_id, own.is_fast) == (other.all_special_ids, other.eos_token_id, other.is_fast)
    assert [model.token(i) for i in range(model.vocabulary_size)] == [whole.token(i) for i in range(whole.vocabulary_size)]
    for text in TEXTS:
        assert model.tokenize(text) == whole.tokenize(text)
        assert own(text, add_special_tokens=False)["input_ids"] == other(text, add_special_tokens=False)["input_ids"]
        assert own(text, return_offsets_mapping=True)["offset_mapping"] == other(text, return_offsets_mapping=True)["offset_mapping"]
    assert own.decode([5, 6, 7]) == other.decode([5, 6, 7])
    ids = np.array(whole.encode("Once upon a time, there was a little fox. Question: How much is 3 + 4?"))
    assert torch.allclose(model.engine.forward(ids).logits.values, whole.engine.forward(ids).logits.values, atol=1e-4)


def test_load_network_puts_transformers_network_on_the_same_tensors() -> None:
    model = loaded()
    run = Generation(model, "Once upon a time", SamplingSettings(seed=3))
    run.step()
    network = model.load_network()
    assert network is model.network is model.load_network()
    assert network.get_input_embeddings().weight.data_ptr() == model.engine.backend.parts.embedding.data_ptr()  # type: ignore[attr-defined]
    assert inspect_step(model, model.encode("Once upon a time")).layers


def test_a_network_with_other_logits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded()
    monkeypatch.setattr(type(model.engine.backend), "agrees_with", lambda *_: False)
    with pytest.raises(ModelError, match="do not fit"):
        model.load_network()


def test_it_can_be_unloaded_and_comes_back_with_the_same_numbers() -> None:
    shelf = ModelRegistry(lambda name, **_: loaded(name))
    model = shelf.model("storyteller-mini")
    ids = np.arange(5, 25)
    before = model.engine.forward(ids).logits.values
    shelf.unload("storyteller-mini")
    assert model.engine.unloaded and sum(weight.numel() for weight in model.load_network().parameters()) == 0
    assert torch.equal(model.engine.forward(ids).logits.values, before)


def test_other_models_are_left_to_load_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fast_start.load_without_network("no-such-model") is None
    monkeypatch.setattr("core.device.device_for", lambda _: torch.device("meta"))
    assert fast_start.load_without_network("storyteller") is None


@pytest.mark.parametrize("change", [{"tokenizer_class": "LlamaTokenizer"}, {"chat_template": "{{ messages }}"}, None])
def test_a_tokenizer_that_is_not_plain_is_refused(tmp_path: Path, change: dict[str, str] | None) -> None:
    for part in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / part).write_bytes((BUNDLED / "storyteller" / part).read_bytes())
    if change is None:
        (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    else:
        settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | change))
    with pytest.raises(ValueError, match="plain"):
        PlainTokenizer(tmp_path)


def test_its_tokenizer_can_be_saved_for_transformers(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    own = loaded().tokenizer
    own.save_pretrained(tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path)("a fox")["input_ids"] == own("a fox")["input_ids"]
