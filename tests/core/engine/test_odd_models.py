"""Unusual but valid models write as they should. Files that claim impossible sizes are refused before memory is taken."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer

from core import Generation, Recording, SamplingSettings, errors, load_model
from core.errors import BadToken
from tests import tiny_models
from tests.core.refusals import one_sentence

LARGE = 262_144  # tokens, as Gemma 3 has
PROMPT = "Once upon a time"


def test_without_an_end_token_a_text_goes_on_until_the_context_is_full(tmp_path: Path) -> None:
    tokenizer = tiny_models.byte_level_tokenizer()
    tokenizer.eos_token = tokenizer.bos_token = None
    model = load_model(str(tiny_models.save("gpt2", tmp_path, tokenizer)))
    assert model.end_token_ids == frozenset()
    run = Generation(model, PROMPT, SamplingSettings(seed=3))
    while run.finished is None:
        run.step()
    assert (run.finished, run.token_count) == ("context full", tiny_models.CONTEXT)
    run.go_to(4)
    assert run.finished is None
    run.switch(len(run.nodes) - 1)
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    while replay.finished is None:
        replay.step()
    assert (replay.finished, replay.written) == ("context full", run.written)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model with one of the largest vocabularies there are, and next to nothing else."""
    spec = json.loads(tiny_models.byte_level_tokenizer().backend_tokenizer.to_str())
    vocabulary = spec["model"]["vocab"]
    vocabulary |= {f"Ġword{number}": number for number in range(len(vocabulary), LARGE)}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(spec)), eos_token="<|end|>")
    small = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    folder = tiny_models.save("llama", tmp_path_factory.mktemp("large"), tokenizer, vocab_size=LARGE, **small)
    return load_model(str(folder))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "settings",
    [
        SamplingSettings(seed=1),
        SamplingSettings(temperature=0.7, top_p=0.5, seed=2),
        SamplingSettings(top_k=50, min_p=0.01, seed=3),
        SamplingSettings(typical_p=0.5, repetition_penalty=1.3, seed=4),
        SamplingSettings(greedy=True),
    ],
    ids=["plain", "top-p", "top-k", "typical", "greedy"],
)
def test_a_vocabulary_of_a_quarter_of_a_million_tokens_is_one_like_any_other(large: Any, settings: SamplingSettings) -> None:
    run = Generation(large, PROMPT, settings, top_n=50)
    for _ in range(5):
        run.step()
    for step in run.path:
        assert sum(c.model_probability for c in step.candidates) + step.rest_model_probability == pytest.approx(1, abs=1e-5)
        assert sum(c.sampling_probability for c in step.candidates) + step.rest_sampling_probability == pytest.approx(1, abs=1e-5)
    distribution = run.next_distribution()
    logits = run.logits
    assert logits is not None
    exact = np.exp(logits.double().numpy() - logits.double().logsumexp(0).item())
    assert distribution.candidates[0].model_probability == pytest.approx(exact.max(), rel=1e-5)
    assert distribution.model_entropy == pytest.approx(-(exact * np.log2(exact)).sum(), abs=1e-3)
    passes = large.engine.passes
    for temperature in (0.3, 0.9, 1.7):
        assert (
            run.next_distribution(SamplingSettings(temperature=temperature, top_p=0.9)).candidates[0].token_id
            == distribution.candidates[0].token_id
        )
    assert large.engine.passes == passes


def test_a_token_that_only_the_network_knows_is_shown_by_its_number(tiny: Callable[[str], Any]) -> None:
    model = tiny("gpt2")
    beyond = len(model.tokenizer) + 2
    assert beyond < model.vocabulary_size
    run = Generation(model, PROMPT, SamplingSettings(seed=1))
    step = run.force(beyond)
    assert (step.text, step.piece, step.raw) == ("", f"#{beyond}", b"")
    run.step()
    assert run.text.startswith(PROMPT)
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    assert replay.step().piece == f"#{beyond}"
    with pytest.raises(BadToken, match=f"0 to {model.vocabulary_size - 1}"):
        run.force(model.vocabulary_size)


@pytest.fixture
def broken(tiny_folder: Callable[[str], Path], tmp_path: Path) -> Callable[..., Path]:
    """A copy of a tiny Llama's folder with one file replaced."""

    def copy(file: str, content: bytes) -> Path:
        folder = tmp_path / "model"
        shutil.copytree(tiny_folder("llama"), folder, dirs_exist_ok=True)
        (folder / file).write_bytes(content)
        return folder

    return copy


def refused(folder: Path, kind: type[errors.ViewerError] = errors.ModelError) -> str:
    """Return the one sentence with which this folder is refused, for this reason and without reading it into memory."""
    held = psutil.Process().memory_info().rss
    with one_sentence(kind) as caught:
        load_model(str(folder))
    assert type(caught.value) is kind
    assert psutil.Process().memory_info().rss - held < 200e6
    assert len(str(caught.value)) < 300
    return str(caught.value)


@pytest.mark.parametrize(
    "file", ["config.json", "generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "model.safetensors.index.json"]
)
def test_a_file_of_a_hundred_megabytes_is_not_even_read(broken: Callable[..., Path], file: str) -> None:
    folder = broken(file, b'{"x": [')
    with (folder / file).open("ab") as opened:
        opened.truncate(100_000_000)
    assert "100 MB" in refused(folder)


@pytest.mark.parametrize("file", ["generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"])
@pytest.mark.parametrize("content", [b"[1]", bytes(range(256)) * 12, b""], ids=["list", "noise", "empty"])
def test_a_small_file_beside_it_that_is_none_is_refused(broken: Callable[..., Path], file: str, content: bytes) -> None:
    refused(broken(file, content))


@pytest.mark.parametrize(
    "lie",
    [
        {"intermediate_size": 10**8},
        {"head_dim": 10**6},
        {"vocab_size": 10**9},
        {"num_hidden_layers": 10**6},
        {"hidden_size": 10**7},
        {"intermediate_size": 10**8, "quantization_config": {"quant_method": "gptq", "bits": 4}},
        {"max_position_embeddings": -1},
    ],
    ids=str,
)
def test_a_configuration_that_lies_about_its_size_is_refused_before_memory_is_taken(
    broken: Callable[..., Path], tiny_folder: Callable[[str], Path], lie: dict[str, Any]
) -> None:
    told = json.loads((tiny_folder("llama") / "config.json").read_text())
    refused(broken("config.json", json.dumps(told | lie).encode()))


def test_weights_that_hold_nothing_are_said_to_be_that(broken: Callable[..., Path]) -> None:
    folder = broken("model.safetensors", b"")
    save_file({}, folder / "model.safetensors")
    assert "no safetensors weights" in refused(folder, errors.ModelError)
