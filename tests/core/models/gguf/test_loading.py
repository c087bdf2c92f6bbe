"""A GGUF file gives the probabilities of the model that it was made from, or is sent to llama-server with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from core import Generation, errors, load_model
from core.chat.chat_template import render
from core.models.gguf import loading
from core.models.gguf.header import RUN, read_header
from core.models.gguf.loading import plan
from core.models.gguf.served_tokenizer import served_tokenizer
from core.models.gguf.tokenizer import chat_template_of, end_tokens, types_of, write_tokenizer
from core.models.gguf.weights import numbers_of
from core.models.memory_estimate import fit
from core.models.models_in_memory import ModelRegistry
from core.tokens.token_text import TokenBytes
from tests import tiny_models
from tests.core.models.gguf import making

pytestmark = pytest.mark.usefixtures("templates_here")

Folder = Callable[[str], Path]
TEXT = "Once upon a time there was a fox 🦊."
OURS: dict[str, Callable[[Folder, Path], Path]] = {
    "llama": lambda tiny, _own: tiny("llama"),
    "gpt2": lambda tiny, _own: tiny("gpt2"),
    "qwen3": lambda tiny, _own: tiny("qwen3"),
    "qwen2": lambda _tiny, own: qwen2(own),
    "gemma3": lambda _tiny, own: tiny_models.save("gemma3", own, head_dim=256, num_hidden_layers=7, query_pre_attn_scalar=256),
}


def log_probabilities(model: Any, ids: list[int]) -> torch.Tensor:
    return torch.log_softmax(model.engine.forward(ids).logits.values.double(), -1)


def theirs(folder: Path, ids: list[int]) -> torch.Tensor:
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        return torch.log_softmax(network(torch.tensor([ids])).logits[0, -1].double(), -1)


def qwen2(folder: Path) -> Path:
    """A tiny Qwen 2, which has biases in its attention."""
    config = transformers.Qwen2Config(vocab_size=365, eos_token_id=1, bos_token_id=0, **tiny_models.GROUPED)
    torch.manual_seed(2)
    network = transformers.AutoModelForCausalLM.from_config(config)
    tiny_models.widen(network)
    for name, weight in network.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(weight, 0.0, 0.3)
    network.save_pretrained(folder)
    tiny_models.byte_level_tokenizer().save_pretrained(folder)
    return folder


@pytest.mark.parametrize("name", OURS)
def test_it_is_the_model_that_it_was_made_from(name: str, tiny_folder: Folder, tmp_path: Path) -> None:
    folder = OURS[name](tiny_folder, tmp_path / name)
    model = load_model(making.converted(folder, name, tmp_path / "model.gguf"), device="cpu")
    own = load_model(folder, device="cpu")
    ids = own.encode(TEXT)
    assert model.encode(TEXT) == ids
    assert model.end_token_ids >= own.end_token_ids
    assert [model.token(i) for i in range(350)] == [own.token(i) for i in range(350)]
    assert model.parameter_count == own.parameter_count
    write_tokenizer(read_header(tmp_path / "model.gguf").metadata, tmp_path)
    written = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))
    used = json.loads(model.tokenizer.backend_tokenizer.to_str())
    assert [part for part in ("normalizer", "pre_tokenizer", "decoder", "post_processor") if used[part] != written[part]] == []
    assert torch.allclose(log_probabilities(model, ids), theirs(folder, ids), atol=1e-4)


@pytest.mark.parametrize("name", ["llama", "gpt2", "gemma3"])
def test_the_tokens_for_llama_server_are_those_of_the_file(name: str, tiny_folder: Folder, tmp_path: Path) -> None:
    metadata = making.metadata_of(tiny_folder(name), name)
    written = tmp_path / "written"
    written.mkdir()
    write_tokenizer(metadata, written)
    tokenizer = transformers.AutoTokenizer.from_pretrained(written)
    served, known = served_tokenizer(metadata), TokenBytes(tokenizer)
    assert len(served) == len(metadata["tokenizer.ggml.tokens"]) and served.get_vocab() == tokenizer.get_vocab()
    for i in range(len(served)):
        assert (served[i], served.is_special(i), served.is_byte(i)) == (known[i], known.is_special(i), known.is_byte(i))
        assert served.convert_ids_to_tokens(i) == tokenizer.convert_ids_to_tokens(i)
    assert served.eos_token_id == tokenizer.eos_token_id and served.convert_ids_to_tokens(len(served)) is None


def test_a_chat_template_comes_from_the_file(tiny_folder: Folder, tmp_path: Path) -> None:
    template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    file = making.converted(tiny_folder("qwen3"), "qwen3", tmp_path / "m.gguf", tokenizer__chat_template=template)
    assert (
        "".join(token.text for token in load_model(file, device="cpu").tokenize_messages(({"role": "user", "content": "hi"},)))
        == "<user>hi"
    )


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0", "Q4_1"])
def test_packed_weights_are_widened(kind: str, tiny_folder: Folder, tmp_path: Path) -> None:
    folder = tiny_folder("qwen3")
    file = making.converted(folder, "qwen3", tmp_path / "m.gguf", kind)
    found = plan(str(file), device="cpu")
    assert (found.here, found.precision) == (True, "F32")  # a small model is in float32 in memory, so nothing is rounded before
    assert fit(str(file), device="cpu").loaded_bytes == 4 * found.header.parameter_count
    model, exact = load_model(file, device="cpu"), load_model(file, device="cpu", dtype="float32")
    ids = model.encode(TEXT)
    assert torch.equal(log_probabilities(model, ids), log_probabilities(exact, ids))
    assert "widened to float32" in str(model.notes[0])
    # transformers reads the same file by itself
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    own = {name: values for name, values in making.weights_of(folder, "qwen3").items() if values.ndim > 1}
    for tensor, values in numbers_of(found.header.tensors):
        if tensor.name in own:
            assert np.abs(values - own[tensor.name]).max() <= (0.1 if kind == "Q4_1" else 0.02), tensor.name
    assert network.num_parameters() == model.parameter_count


@pytest.mark.parametrize(
    ("kind", "table", "precision", "said"),
    [
        ("F16", "F16", "F16", "in float16 as in the file"),
        ("F16", "F32", "F16", "rounded to float16"),
        ("BF16", "BF16", "BF16", "in bfloat16 as in the file"),
        ("Q8_0", "Q8_0", "BF16", "rounded to bfloat16"),
        ("F32", "F32", "F32", "in float32 as in the file"),
    ],
)
def test_a_model_that_stays_in_16_bits_keeps_the_bits_of_its_file(
    kind: str, table: str, precision: str, said: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.models.precision.SMALL", 1)
    monkeypatch.setattr("core.backends.compiled.available", lambda: True)
    file = making.converted(folder, "llama", tmp_path / "m.gguf", kind, kinds={"token_embd.weight": table})
    found = plan(str(file), device="cpu")
    assert found.precision == precision
    model = load_model(file, device="cpu")
    assert said in str(model.notes[0])
    if kind == "F16":
        exact = dict(numbers_of(found.header.tensors))
        down = next(values for tensor, values in exact.items() if tensor.name == "blk.0.ffn_down.weight")
        assert torch.equal(model.load_network().model.layers[0].mlp.down_proj.weight.float(), torch.from_numpy(down))


@pytest.mark.parametrize("kind", ["F16", "BF16", "F32"])
def test_a_note_says_that_norms_were_rounded(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.precision.SMALL", 1)
    monkeypatch.setattr("core.backends.compiled.available", lambda: True)
    folder = tiny_models.save("llama", tmp_path / "m")
    network = transformers.AutoModelForCausalLM.from_pretrained(folder)
    torch.nn.init.uniform_(network.model.norm.weight, 0.5, 1.5)
    network.save_pretrained(folder)
    note = str(load_model(making.converted(folder, "llama", tmp_path / "m.gguf", kind), device="cpu").notes[0])
    assert ("norms and biases were rounded" in note) == (kind != "F32") and "as in the file" in note


def test_without_llama_server_a_sentence_says_what_to_install(
    llama_file: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(errors.ModelError, match="llama-server"):
        load_model(RUN + str(llama_file))
    odd = making.converted(folder, "llama", tmp_path / "odd.gguf", llama__rope__scaling__type="yarn")
    with pytest.raises(errors.ModelError, match=r"rope\.scaling\.type.*Install llama\.cpp"):
        load_model(odd)


def test_a_file_that_does_not_fit_is_for_llama_server(llama_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.gguf.loading.room", lambda: 1000)
    found = plan(str(llama_file))
    assert not found.here and found.loaded_bytes == found.header.file_bytes


def test_an_adapter_or_a_projector_is_no_language_model(folder: Path, tmp_path: Path) -> None:
    metadata = making.metadata_of(folder, "llama") | {"general.type": "adapter"}
    adapter = making.write(tmp_path / "adapter.gguf", metadata, making.weights_of(folder, "llama"))
    with pytest.raises(errors.ModelError, match="adapter"):
        load_model(adapter)


def test_tokens_that_contradict_each_other_are_refused(tiny_folder: Folder, tmp_path: Path) -> None:
    file = making.converted(tiny_folder("gpt2"), "gpt2", tmp_path / "m.gguf", tokenizer__ggml__merges=["no such", "tokens here"])
    with pytest.raises(errors.ModelError, match="do not fit together"):
        load_model(file)


def test_the_registry_loads_it_once_and_again_after_it_was_unloaded(llama_file: Path) -> None:
    shelf = ModelRegistry()
    model = shelf.model(str(llama_file))
    assert shelf.model(str(llama_file)) is model
    before = log_probabilities(model, [1, 5, 9])
    shelf.unload(str(llama_file))
    assert torch.equal(log_probabilities(model, [1, 5, 9]), before)


def test_an_id_outside_of_the_vocabulary_is_no_token(folder: Path, tmp_path: Path) -> None:
    """As files of llama.cpp's convert-llama2c have it: -1."""
    wrong: dict[str, Any] = {"ggml__padding_token_id": 2**32 - 1, "ggml__seperator_token_id": 2**32 - 1}
    model = load_model(making.tiny_file(tmp_path / "model.gguf", folder, **wrong))
    assert model.tokenizer.pad_token is None and model.tokenizer.bos_token == "<s>"


def test_a_text_begins_with_the_start_token_as_in_llama_cpp(folder: Path, tmp_path: Path) -> None:
    without = load_model(making.tiny_file(tmp_path / "1.gguf", folder, ggml__bos_token_id=None))
    assert without.tokenize("Once")[0].raw == b"<s>"
    off = load_model(making.tiny_file(tmp_path / "2.gguf", folder, ggml__add_bos_token=False))
    assert off.tokenize("Once")[0].raw != b"<s>"


@pytest.mark.parametrize("template", ["\n  {{ m }}", "{{ bos_token }}{{ m }}", "  {% if true %}\n{{ m }}\n  {% endif %}\n", "{{ m }}\n\n"])
def test_a_conversation_begins_with_one_start_token(template: str, folder: Path, tmp_path: Path) -> None:
    """Else it is what the template writes, white space included."""
    template = template.replace("m }}", "messages[-1].content }}")
    read = {}
    for wanted in (True, False):
        model = load_model(making.tiny_file(tmp_path / f"{wanted}.gguf", folder, chat_template=template, ggml__add_bos_token=wanted))
        read[wanted] = b"".join(token.raw for token in Generation(model, [{"role": "user", "content": "Hi"}]).prompt_tokens)
    assert read[True] == b"<s>" + read[False].removeprefix(b"<s>")


@pytest.mark.parametrize("kind", [3, 4, 1])
def test_a_known_end_of_a_turn_ends_it_whatever_its_type(kind: int, long_qwen3: Path, tmp_path: Path) -> None:
    data = making.metadata_of(long_qwen3, "qwen3")
    tokens, types = list(data["tokenizer.ggml.tokens"]), list(data["tokenizer.ggml.token_type"])
    tokens[-1], types[-1] = "<|im_end|>", kind
    new = {"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": types}
    model = load_model(making.write(tmp_path / "model.gguf", data | new, making.weights_of(long_qwen3, "qwen3")))
    assert len(tokens) - 1 in model.end_token_ids
    assert [token.raw for token in model.tokenize("Hi<|im_end|>")][-1] == b"<|im_end|>" and model.token(len(tokens) - 1).special


def test_a_mark_of_the_chat_template_is_one_token_whatever_its_type(long_qwen3: Path, tmp_path: Path) -> None:
    data = making.metadata_of(long_qwen3, "qwen3")
    tokens, types = list(data["tokenizer.ggml.tokens"]), list(data["tokenizer.ggml.token_type"])
    tokens[-3:], types[-3:] = ["<|other|>", "<|im_start|>", "<|im_end|>"], [1, 1, 1]
    chat = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
    new = {"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": types, "tokenizer.chat_template": chat}
    model = load_model(making.write(tmp_path / "model.gguf", data | new, making.weights_of(long_qwen3, "qwen3")))
    ids = [token.token_id for token in Generation(model, [{"role": "user", "content": "Hi"}]).prompt_tokens]
    assert ids.count(len(tokens) - 2) == 2 and ids.count(len(tokens) - 1) == 1 and model.token(len(tokens) - 2).special
    assert types_of(data | new)[-3:] == [1, 3, 3], "an ordinary word that the template does not write stays one"


def test_the_end_of_a_message_of_gpt_oss_does_not_end_its_answer() -> None:
    names = ["a", "<|end|>", "<|return|>", "<|call|>"]
    data = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": names, "tokenizer.ggml.token_type": [1, 3, 3, 3]}
    assert end_tokens(data) == [2, 3]
    assert end_tokens(data | {"tokenizer.ggml.tokens": [*names[:3], "b"]}) == [1, 2]


def words(*names: str, **more: Any) -> dict[str, Any]:
    """The metadata of a file with these tokens, all typed as ordinary words."""
    data = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": list(names), "tokenizer.ggml.token_type": [1] * len(names)}
    return data | {f"tokenizer.{key.replace('__', '.')}": value for key, value in more.items()}


@pytest.mark.parametrize("name", ["[EOT]", "[EOS]", "<eos>", "</s>", "<turn|>", "[e~[", "<|flush|>", "<PAD>", "<reponame>"])
def test_llama_cpps_other_ends_of_an_answer_end_it_too(name: str) -> None:
    """The list is that of a real llama-server, which prints it."""
    assert end_tokens(words("a", name)) == [1] and types_of(words("a", name)) == [1, 3]


def test_a_name_that_ends_an_answer_elsewhere_can_be_an_ordinary_word() -> None:
    solar, gemma = words("<|end|>", "<|calls|>", "<|flush|>"), words("</s>", "<|tool_response>")
    assert end_tokens(solar) == [1, 2] and end_tokens(gemma) == [1] and types_of(gemma) == [1, 3]
    assert end_tokens(words("a", "b", ggml__fim_pad_token_id=1, ggml__eos_token_id=0)) == [0, 1]


def test_a_kind_of_tokenizer_that_is_not_read_here_has_its_start_token_too() -> None:
    """llama-server puts it before a conversation, so the text that the app sends has it."""
    file = words("<s>", "a", ggml__bos_token_id=0, ggml__pre="tekken", chat_template="{{ messages[0].content }}")
    for data, start in ((file, "<s>"), (file | {"tokenizer.ggml.add_bos_token": False}, "")):
        template = chat_template_of(data)
        assert template is not None and render(template, [{"role": "user", "content": "a"}], {"bos_token": "<s>"}) == f"{start}a"


def test_biases_that_a_file_leaves_out_are_zero(folder: Path, tmp_path: Path) -> None:
    weights = making.weights_of(folder, "llama")
    parts = [name for name in weights if name.split(".")[-2] in ("attn_q", "attn_k", "attn_v")]
    biases = {name.replace("weight", "bias"): np.full(weights[name].shape[0], 0.1, np.float32) for name in parts}
    model = load_model(making.tiny_file(tmp_path / "model.gguf", folder, weights | biases))
    attention = model.load_network().model.layers[0].self_attn
    assert attention.o_proj.bias.abs().max() == 0 and torch.allclose(attention.v_proj.bias, torch.tensor(0.1))
    plain = transformers.AutoModelForCausalLM.from_pretrained(folder, attention_bias=True).eval()
    with torch.no_grad():
        for name, value in plain.named_parameters():
            if name.endswith("_proj.bias"):
                value.fill_(0.0 if "o_proj" in name else 0.1)
        expected = torch.log_softmax(plain(torch.tensor([[5, 6, 7]])).logits[0, -1].double(), -1)
    assert torch.allclose(log_probabilities(model, [5, 6, 7]), expected, atol=1e-4)


def test_a_part_under_another_name_says_which_part_it_is(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "part (1).gguf"
    data = making.metadata_of(folder, "llama") | {"split.no": 0, "split.count": 2}
    making.write(path, data, making.weights_of(folder, "llama"))
    with pytest.raises(errors.ModelError, match=r"is part 1 of 2\. Put all parts .*-00001-of-00002\.gguf"):
        load_model(path)
    with pytest.raises(errors.ModelError, match=r"is a folder with a GGUF file\. Name the file .*part \(1\)\.gguf"):
        load_model(tmp_path)


def test_a_cache_folder_that_cannot_be_written_is_not_needed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = making.tiny_file(tmp_path / "model.gguf", folder)
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setattr(loading, "user_cache_dir", lambda _name: str(blocked))
    assert load_model(path).vocabulary_size
    monkeypatch.setattr(loading.tempfile, "gettempdir", lambda: str(blocked))
    with pytest.raises(errors.ModelError, match="needs a folder for temporary files"):
        load_model(path)


def test_a_file_without_a_table_of_tokens_is_refused_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    weights = {name: values for name, values in making.weights_of(folder, "llama").items() if name != "token_embd.weight"}
    with pytest.raises(errors.ModelError, match="does not fit its weights"):
        load_model(making.tiny_file(tmp_path / "model.gguf", folder, weights))
