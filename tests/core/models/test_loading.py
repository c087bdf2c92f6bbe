"""Models are found, described truly, or refused for the right reason. Code in a model's folder is never run."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import save_file

from core import Generation, SamplingSettings, errors, load_model, score_text
from tests.core.refusals import one_sentence, reads_as_one_sentence
from tests.tiny_models import byte_level_tokenizer


def refused(name: Any, kind: type[errors.ViewerError], **how: Any) -> str:
    """The sentence with which this model is refused, for this reason and no other."""
    with one_sentence(kind) as told:
        load_model(str(name) if isinstance(name, Path) else name, **({"device": "cpu"} | how))
    assert type(told.value) is kind
    return str(told.value)


@pytest.fixture
def copied(tiny_folder: Callable[[str], Path], tmp_path: Path) -> Callable[..., Path]:
    """A copy of a tiny model's folder, to be broken."""

    def copy(architecture: str = "llama", without: tuple[str, ...] = (), **config: Any) -> Path:
        folder = tmp_path / architecture
        shutil.copytree(tiny_folder(architecture), folder)
        for name in without:
            (folder / name).unlink()
        if config:
            path = folder / "config.json"
            path.write_text(json.dumps(json.loads(path.read_text()) | config))
        return folder

    return copy


@pytest.fixture(scope="module")
def whole(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny GPT-2 with its weights in several files. Tests read it."""
    folder = tmp_path_factory.mktemp("shards") / "gpt2"
    shutil.copytree(tiny_folder("gpt2"), folder)
    (folder / "model.safetensors").unlink()
    transformers.AutoModelForCausalLM.from_pretrained(tiny_folder("gpt2")).save_pretrained(folder, max_shard_size="60KB")
    return folder


@pytest.fixture
def shards(whole: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to be broken."""
    return Path(shutil.copytree(whole, tmp_path / "shards"))


def test_a_folder_in_several_weight_files_is_one_model(whole: Path, plain: Any) -> None:
    assert len(list(whole.glob("*.safetensors"))) > 1
    assert load_model(str(whole), device="cpu").parameter_count == plain("gpt2").num_parameters()


NAMES = "|   |a/b/c/d|with space|näme/ünïcode|line\nbreak|nul\0byte|../../etc|/no/such/folder|~nobody/x|..\\model".split("|")


@pytest.mark.parametrize("name", [*NAMES, None, 3, "x" * 5000])
def test_what_is_no_model_name_is_unknown(name: Any) -> None:
    refused(name, errors.ModelError)


def test_a_file_or_an_empty_folder_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "file", errors.ModelError)
    refused(tmp_path / "empty", errors.ModelError)


def test_without_network_a_hub_id_says_so() -> None:
    assert "network" in refused("somebody/some-model", errors.ModelError)


SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
BART = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
OTHER_KINDS: dict[str, dict[str, Any]] = {
    "BertForMaskedLM": SMALL | {"vocab_size": 400},
    "BartForConditionalGeneration": BART | {"vocab_size": 400, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16},
    "T5ForConditionalGeneration": {"d_model": 16, "d_ff": 16, "d_kv": 8, "num_layers": 1, "num_heads": 2, "vocab_size": 400},
    "ViTForImageClassification": SMALL | {"image_size": 32},
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_a_model_of_another_kind_is_not_a_causal_model(kind: str, tmp_path: Path) -> None:
    network = getattr(transformers, kind)
    network(network.config_class(**OTHER_KINDS[kind])).save_pretrained(tmp_path)
    byte_level_tokenizer().save_pretrained(tmp_path)
    refused(tmp_path, errors.ModelError)


def test_a_headless_model_is_not_a_causal_model(copied: Any) -> None:
    refused(copied("llama", architectures=["LlamaForSequenceClassification"]), errors.ModelError)


def test_an_adapter_alone_is_refused(tmp_path: Path, copied: Any) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "base_model_name_or_path": "somebody/some-model"}))
    save_file({"lora_A": torch.zeros(2, 2)}, tmp_path / "adapter_model.safetensors")
    refused(tmp_path, errors.ModelError)
    folder = copied("llama", without=("model.safetensors",))
    (folder / "adapter_config.json").write_text("{}")
    save_file({"lora_A": torch.zeros(2, 2)}, folder / "adapter_model.safetensors")
    refused(folder, errors.ModelError)


class Bomb:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("weights", ["pytorch_model.bin", "model.pt", "consolidated.00.pth"])
def test_a_pickle_is_never_opened(weights: str, copied: Any, tiny_folder: Any, tmp_path: Path) -> None:
    folder = copied("gpt2", without=("model.safetensors",))
    (folder / weights).write_bytes(pickle.dumps(Bomb(tmp_path / "went-off")))
    refused(folder, errors.ModelError)
    shutil.copy(tiny_folder("gpt2") / "model.safetensors", folder)
    load_model(str(folder), device="cpu")  # with safetensors beside it, the pickle is not opened either
    assert not (tmp_path / "went-off").exists()


def test_code_that_a_model_brings_is_never_run(copied: Any, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
    code += "from transformers import LlamaConfig as Config, LlamaForCausalLM as Model, PreTrainedTokenizerFast as Words\n"
    maps = {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}
    folder = copied("llama", model_type="somebodys-own", auto_map=maps)
    (folder / "own.py").write_text(code)
    refused(folder, errors.ModelError)
    shutil.rmtree(folder)
    folder = copied("llama", auto_map=maps)  # an architecture that transformers has itself: its own code is used instead
    (folder / "own.py").write_text(code)
    path = folder / "tokenizer_config.json"
    load_model(str(folder), device="cpu")
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"auto_map": {"AutoTokenizer": ["own.Words", "own.Words"]}, "tokenizer_class": "Words"})
    )
    try:
        load_model(str(folder), device="cpu")
    except errors.ViewerError as error:
        assert isinstance(error, errors.ModelError)
    assert not mark.exists()


@pytest.mark.parametrize("kept", [0, 1, 7, 100, 0.5, 0.999])
def test_weights_that_are_cut_short_are_half_downloaded(kept: float, copied: Any) -> None:
    weights = copied("gpt2") / "model.safetensors"
    raw = weights.read_bytes()
    weights.write_bytes(raw[: int(kept * len(raw)) if isinstance(kept, float) else kept])
    refused(weights.parent, errors.ModelError)


def test_missing_weights_are_half_downloaded(copied: Any, shards: Path) -> None:
    refused(copied("gpt2", without=("model.safetensors",)), errors.ModelError)
    sorted(shards.glob("*.safetensors"))[0].unlink()
    refused(shards, errors.ModelError)


def test_a_weight_index_cannot_point_out_of_its_folder(shards: Path, tmp_path: Path) -> None:
    path = shards / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    stolen = tmp_path / "elsewhere.safetensors"
    shutil.copy(sorted(shards.glob("*.safetensors"))[0], stolen)
    index["weight_map"] = dict.fromkeys(index["weight_map"], "../elsewhere.safetensors")
    path.write_text(json.dumps(index))
    refused(shards, errors.ModelError)


@pytest.mark.parametrize("index", ["", "[]", "{}", '{"weight_map": []}', '{"weight_map": {"a": 3}}'])
def test_a_broken_weight_index_is_refused(index: str, shards: Path) -> None:
    (shards / "model.safetensors.index.json").write_text(index)
    refused(shards, errors.ModelError)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"llama"', "[" * 50_000, "\ud83e"])
def test_a_config_that_cannot_be_read_is_broken(text: str, copied: Any) -> None:
    folder = copied("llama")
    (folder / "config.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    refused(folder, errors.ModelError)


LIES: list[dict[str, Any]] = [
    *[{"hidden_size": size} for size in (64, -1, 0, "many")],
    *[{"num_hidden_layers": count} for count in (5, -1)],
    *[{"num_attention_heads": count} for count in (0, 3)],
    *[{"num_key_value_heads": count} for count in (4, 0)],
    *[{"vocab_size": size} for size in (10, 100_000)],
    *[{"architectures": names} for names in ("LlamaForCausalLM", [3])],
    *[{"eos_token_id": ids} for ids in ("end", [None])],
    *[{"quantization_config": {"quant_method": name}} for name in ("magic", "bitsandbytes")],
    {"hidden_act": "magic"},
    {"rope_parameters": {"rope_type": "magic"}},
    {"intermediate_size": 7},
    {"model_type": "gpt2"},
    {"torch_dtype": "float7", "dtype": "float7"},
    {"max_position_embeddings": "long"},
    {"_attn_implementation": "flash_attention_2"},
]


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_a_config_that_lies_is_refused_or_harmless(lie: dict[str, Any], copied: Any) -> None:
    """Either the model is refused with a sentence of ours, or it writes."""
    folder = copied("llama", **lie)
    try:
        model = load_model(str(folder), device="cpu")
    except errors.ViewerError as error:
        assert type(error) is errors.ModelError
        reads_as_one_sentence(error)
        return
    step = Generation(model, "The sea").step()
    assert sum(c.model_probability for c in step.candidates) + step.rest_model_probability == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("without", [("tokenizer.json",), ("tokenizer.json", "tokenizer_config.json")], ids=lambda names: "+".join(names))
def test_a_model_without_a_tokenizer_is_broken(without: tuple[str, ...], copied: Any) -> None:
    assert "tokenizer" in refused(copied("gpt2", without=without), errors.ModelError)


@pytest.mark.parametrize("text", ["", "{}", "null", '{"model": {"type": "BPE"}}', "[" * 10_000])
def test_a_broken_tokenizer_is_said_to_be_that(text: str, copied: Any) -> None:
    folder = copied("gpt2")
    (folder / "tokenizer.json").write_text(text)
    assert "tokenizer" in refused(folder, errors.ModelError)


def test_a_pad_token_that_the_model_never_learnt_is_a_note_and_only_a_text_that_needs_it_is_refused(copied: Any, tiny: Any) -> None:
    """As transformers' generate runs it: nothing is looked up that no text asks for."""
    folder = copied("gpt2")
    known = tiny("gpt2").vocabulary_size
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens([f"<gap{i}>" for i in range(known - len(tokenizer))])
    tokenizer.add_special_tokens({"pad_token": "<pad>"})
    assert tokenizer.pad_token_id >= known
    tokenizer.save_pretrained(folder)
    model = load_model(folder, device="cpu", dtype="float32")
    assert any("<pad>" in note or "pad" in note for note in model.notes)
    settings = SamplingSettings(seed=3)
    mine, theirs = Generation(model, "The sea", settings), Generation(tiny("gpt2"), "The sea", settings)
    assert [s.token_id for s in mine.stream(6)] == [s.token_id for s in theirs.stream(6)]
    for refused_by in (
        lambda: Generation(model, "The <pad> sea"),
        lambda: score_text(model, "The <pad> sea"),
        lambda: model.encode("<pad>"),
        lambda: mine.force("<pad>"),
    ):
        with one_sentence(errors.BadToken):
            refused_by()
    assert len(mine.path) == 6


def test_a_tokenizer_of_another_model_is_refused(copied: Any) -> None:
    folder = copied("gpt2")
    path = folder / "tokenizer.json"
    spec = json.loads(path.read_text())
    spec["model"]["vocab"] |= {f"more{i}": 5000 + i for i in range(10)}
    path.write_text(json.dumps(spec))
    assert "belongs to another model" in refused(folder, errors.ModelError)


@pytest.mark.parametrize("place", ["core.backends.fast_decoder.FastDecoder.of", "transformers.AutoModelForCausalLM.from_pretrained"])
def test_not_enough_memory_says_so(place: str, tiny_folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(place, full)
    assert "Choose a smaller model" in refused(tiny_folder("gpt2"), errors.NoRoom)
