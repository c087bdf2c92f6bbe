"""An adapter gives the probabilities of PEFT's own model and leaves the original as it is; one that does not fit is one sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from core import Generation, SamplingSettings, load_model
from core.errors import ModelError, NoRoom
from core.models import adapter
from core.models.adapter import with_adapter
from core.models.hub_download import Download
from tests.core.models.gguf.making import converted
from tests.core.models.test_hub_download import SmallHub

TEXT = "Once upon a time there was a fox"
GREEDY = SamplingSettings(greedy=True)


def trained(base: Path, folder: Path, **options: Any) -> Any:
    """Save an adapter with random numbers for this model, and return PEFT's model."""
    network = transformers.AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    made = peft.get_peft_model(network, peft.LoraConfig(task_type="CAUSAL_LM", **({"r": 4, "lora_alpha": 12} | options)))
    torch.manual_seed(5)
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if "lora_" in name:
                weight.normal_(0.0, 0.2)
    made.save_pretrained(str(folder))
    return made.eval()


KINDS: list[tuple[str, dict[str, Any]]] = [
    ("llama", {"target_modules": ["q_proj", "v_proj"]}),
    ("llama", {"target_modules": "all-linear", "use_rslora": True}),
    ("llama", {"target_modules": ["q_proj", "down_proj"], "rank_pattern": {"down_proj": 2}, "alpha_pattern": {"down_proj": 3}}),
    ("llama", {"target_modules": ["q_proj"], "alpha_pattern": {"self.attn.q_proj": 3}}),  # PEFT's dot is any character
    ("gpt2", {"target_modules": ["c_attn", "c_proj"]}),
    ("gemma2", {"target_modules": ["o_proj", "gate_proj"], "layers_to_transform": [1]}),
]


@pytest.mark.parametrize(("architecture", "options"), KINDS)
def test_the_probabilities_are_those_of_peft(
    architecture: str, options: dict[str, Any], tiny_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    theirs = trained(tiny_folder(architecture), tmp_path / "own", **options)
    base = load_model(str(tiny_folder(architecture)), device="cpu")
    model = with_adapter(base, tmp_path / "own")
    ids = base.encode(TEXT)
    with torch.inference_mode():
        expected = theirs(torch.tensor([ids])).logits[0, -1]
    own, plain = (one.engine.forward(ids).logits.values for one in (model, base))
    assert torch.allclose(own, expected, atol=1e-4)
    assert not torch.allclose(own, plain, atol=1e-2)
    with torch.inference_mode(), theirs.disable_adapter():
        assert torch.allclose(plain, theirs(torch.tensor([ids])).logits[0, -1], atol=1e-4)
    assert model.parameter_count == base.parameter_count + sum(w.numel() for n, w in theirs.named_parameters() if "lora_" in n)
    shared = {id(weight) for weight in base.load_network().parameters()}
    assert all(id(weight) in shared for weight in model.load_network().parameters())


def test_both_models_write_in_turn_and_share_no_cache(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    theirs = trained(tiny_folder("llama"), tmp_path / "own", target_modules="all-linear")
    base = load_model(str(tiny_folder("llama")), device="cpu")
    model = with_adapter(base, tmp_path / "own")
    assert (model.adapter_of, model.name, model.engine.lock is base.engine.lock) == (base.name, f"{base.name} + own", True)
    runs = [Generation(one, TEXT, GREEDY) for one in (base, model)]
    assert runs[0].cache is not runs[1].cache
    for _each in range(8):
        for run in runs:
            run.step()
    ids = torch.tensor([base.encode(TEXT)])
    adapted = theirs.generate(input_ids=ids, max_new_tokens=8, do_sample=False)[0, ids.shape[1] :].tolist()
    with theirs.disable_adapter():
        usual = theirs.generate(input_ids=ids, max_new_tokens=8, do_sample=False)[0, ids.shape[1] :].tolist()
    assert [[step.token_id for step in run.path] for run in runs] == [usual, adapted] and usual != adapted


def test_an_adapter_on_a_packed_file(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    theirs = trained(tiny_folder("llama"), tmp_path / "own", target_modules=["q_proj", "k_proj"])
    model = with_adapter(load_model(converted(tiny_folder("llama"), "llama", tmp_path / "m.gguf"), device="cpu"), tmp_path / "own")
    ids = model.encode(TEXT)
    with torch.inference_mode():
        expected = theirs(torch.tensor([ids])).logits[0, -1]
    assert torch.allclose(model.engine.forward(ids).logits.values, expected, atol=1e-3)


def changed(folder: Path, **settings: Any) -> Path:
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))
    return folder


HARMS: dict[str, Callable[[Path], object]] = {
    "DoRA": lambda folder: changed(folder, use_dora=True),
    "another kind": lambda folder: changed(folder, peft_type="IA3"),
    "no kind": lambda folder: changed(folder, peft_type=None),
    "biases": lambda folder: changed(folder, bias="all"),
    "other modules": lambda folder: changed(folder, modules_to_save=["lm_head"]),
    "changed weights": lambda folder: changed(folder, init_lora_weights="pissa"),
    "an unknown setting": lambda folder: changed(folder, brand_new="x"),
    "a text as scale": lambda folder: changed(folder, lora_alpha="12"),
    "an infinite scale": lambda folder: changed(folder, lora_alpha=float("inf")),
    "a pattern that takes for ever": lambda folder: changed(folder, alpha_pattern={"(a+)+$": 3}),
    "no settings": lambda folder: (folder / "adapter_config.json").unlink(),
    "settings of another kind": lambda folder: (folder / "adapter_config.json").write_text("[1]"),
    "a depth bomb": lambda folder: (folder / "adapter_config.json").write_text("[" * 100_000),
    "huge settings": lambda folder: (folder / "adapter_config.json").write_text(" " * 2_000_000 + "{}"),
    "no weights": lambda folder: (folder / "adapter_model.safetensors").unlink(),
    "a pickle": lambda folder: (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin"),
    "half the weights": lambda folder: (folder / "adapter_model.safetensors").write_bytes(
        (folder / "adapter_model.safetensors").read_bytes()[:-40]
    ),
}


def rewritten(change: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]) -> Callable[[Path], object]:
    def harm(folder: Path) -> None:
        path = folder / "adapter_model.safetensors"
        save_file({key: value.contiguous() for key, value in change(load_file(path)).items()}, path)

    return harm


HARMS |= {
    "no number": rewritten(lambda known: {key: value * float("nan") for key, value in known.items()}),
    "one side only": rewritten(lambda known: {key: value for key, value in known.items() if "lora_A" in key}),
    "another size": rewritten(lambda known: {key: torch.cat([value, value], 1) for key, value in known.items()}),
    "another rank": rewritten(lambda known: {key: value[:2] if "lora_A" in key else value for key, value in known.items()}),
    "another module": rewritten(lambda known: {key.replace("q_proj", "x_proj"): value for key, value in known.items()}),
    "another tensor": rewritten(lambda known: known | {"base_model.model.lm_head.weight": torch.zeros(2, 2)}),
    "nothing": rewritten(lambda known: {}),
    "a vector": rewritten(lambda known: {key: value[0] for key, value in known.items()}),
}


@pytest.fixture(scope="module")
def adapted(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter of the tiny Llama."""
    folder = tmp_path_factory.mktemp("adapted")
    trained(tiny_folder("llama"), folder, target_modules=["q_proj"])
    return folder


@pytest.fixture
def own(adapted: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(adapted, tmp_path / "own"))


@pytest.mark.parametrize("name", HARMS)
def test_what_does_not_fit_is_one_sentence(name: str, tiny: Callable[[str], Any], own: Path) -> None:
    HARMS[name](own)
    base = tiny("llama")
    before = base.engine.forward([5, 6]).logits.values.clone()
    with pytest.raises(ModelError) as caught:
        with_adapter(base, own)
    assert len(str(caught.value)) < 300 and str(caught.value).endswith(".")
    assert torch.equal(base.engine.forward([5, 6]).logits.values, before)


def test_another_model_and_a_missing_folder_are_refused(adapted: Path, tiny: Callable[[str], Any], tmp_path: Path) -> None:
    for name, folder in (("gpt2", adapted), ("llama", tmp_path / "none"), ("llama", tmp_path)):
        with pytest.raises(ModelError):
            with_adapter(tiny(name), folder)


def test_an_adapter_of_the_hub_is_downloaded_within_the_limits(
    adapted: Path, tiny: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = SmallHub(adapted)
    try:
        monkeypatch.setattr(adapter, "Download", partial(Download, endpoint=server.address, cache=tmp_path / "cache"))
        model = with_adapter(tiny("llama"), "some/model")
        assert model.name.endswith("+ model") and model.adapter_of == tiny("llama").name
        monkeypatch.setenv("TOKEN_VIEWER_FREE_GIGABYTES", "99999999")
        monkeypatch.setattr(adapter, "Download", partial(Download, endpoint=server.address, cache=tmp_path / "other"))
        with pytest.raises(NoRoom):
            with_adapter(tiny("llama"), "some/model")
    finally:
        server.shutdown()
        server.server_close()


def test_a_copy_of_the_base_s_own_head_is_no_change_and_another_head_is(
    tiny_folder: Callable[[str], Path], tiny: Callable[[str], Any], tmp_path: Path
) -> None:
    theirs = trained(tiny_folder("llama"), tmp_path / "own", target_modules=["q_proj", "lm_head"])
    base = tiny("llama")
    ids = base.encode(TEXT)
    with torch.inference_mode():
        expected = theirs(torch.tensor([ids])).logits[0, -1]
    assert torch.allclose(with_adapter(base, tmp_path / "own").engine.forward(ids).logits.values, expected, atol=1e-4)
    rewritten(lambda known: {key: value + 1 if "base_layer" in key else value for key, value in known.items()})(tmp_path / "own")
    with pytest.raises(ModelError, match=r"base_layer.weight”, which this app does not compute"):
        with_adapter(base, tmp_path / "own")


def test_a_pattern_with_regular_expressions_and_a_file_of_mlx_are_named(own: Path, tiny: Callable[[str], Any], tmp_path: Path) -> None:
    changed(own, alpha_pattern={r".*layers\.0.*": 64})
    with pytest.raises(ModelError, match="scales by a pattern that this app does not read"):
        with_adapter(tiny("llama"), own)
    mlx = tmp_path / "mlx"
    mlx.mkdir()
    (mlx / "adapter_config.json").write_text(json.dumps({"fine_tune_type": "lora", "lora_parameters": {"rank": 2, "scale": 20.0}}))
    for name in ("adapters.safetensors", "0000100_adapters.safetensors", "adapters.npz"):
        (mlx / name).touch()
        with pytest.raises(ModelError, match=r"is an adapter of MLX\. Only adapters of PEFT are read"):
            with_adapter(tiny("llama"), mlx)
        (mlx / name).unlink()


def test_the_notes_name_another_base_and_a_template_that_is_not_used(tiny_folder: Callable[[str], Path], own: Path) -> None:
    base = load_model(str(tiny_folder("llama")), device="cpu")
    assert len(with_adapter(base, own).notes) == 1 + len(base.notes)
    base.name += "@v1.0"
    assert len(with_adapter(base, own).notes) == 1 + len(base.notes), "a revision is no other model"
    changed(own, base_model_name_or_path="org/another-model")
    (own / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages[0].content }}"}))
    said = [str(note) for note in with_adapter(base, own).notes]
    assert said[1].startswith("The adapter was made for “org/another-model”, and runs on") and "chat template of its own" in said[2]
