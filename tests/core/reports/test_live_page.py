"""The file of a live page: what is in it is the model, the table of settings and the run, and no text in it becomes markup."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import runpy
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import CannotWrite, NotForThisModel, WrongType
from core.models.hub import BUNDLED
from core.reports import __main__ as readme
from core.reports import html_file
from core.reports.live_page import llama_data
from core.reports.live_page import page as page_module
from core.reports.live_page.page import OFFERED, page
from core.sampling.presets import PRESETS
from core.sampling.settings import SETTINGS
from tests import tiny_models

HOSTILE = "</script><script>1</script> <!-- \" onload='x' & \u2028 {{ 7*7 }}"
MINI = "storyteller-mini"


@pytest.fixture(scope="module")
def mini() -> Any:
    return load_model(MINI)


@pytest.fixture(scope="module")
def document(mini: Any) -> str:
    """The page of this model without a run."""
    return page(mini)


@pytest.fixture(scope="module")
def small_llama(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tiny Llama with random float32 weights, separate embeddings and a tokenizer with the pattern of GPT-2."""
    folder = tmp_path_factory.mktemp("llama")
    tiny_models.save("llama", folder, tiny_models.byte_level_tokenizer(), tie_word_embeddings=False)
    return load_model(str(folder), device="cpu", dtype="float32")


def part(document: str, name: str) -> str:
    found = re.search(rf'<script type="[^"]*" id="{name}">([^<]*)</script>', document)
    assert found is not None
    return found[1]


def data_of(document: str) -> Any:
    return json.loads(part(document, "data"))


def weights_of(document: str) -> np.ndarray:
    """Read the weights as the page does: base64, gzip, planes of the upper bytes."""
    planes = np.frombuffer(gzip.decompress(base64.b64decode(part(document, "weights"))), np.uint8)
    shape = data_of(document)["shape"]
    count = shape["vocabulary"] * shape["hidden"] * (1 if shape["tied"] else 2) + shape["hidden"]
    head = (2 * shape["heads"] + 2 * shape["kvHeads"]) * shape["headSize"] * shape["hidden"]
    count += shape["layers"] * (head + 3 * shape["hidden"] * shape["intermediate"] + 2 * shape["hidden"])
    columns = planes.reshape(-1, count)
    whole = np.zeros((count, 4), np.uint8)
    whole[:, 4 - len(columns) :] = columns.T
    return whole.view("<f4").ravel()


def test_the_weights_are_those_of_the_file_bit_for_bit(document: str) -> None:
    import torch
    from safetensors.torch import load_file as load_torch

    stored = load_torch(BUNDLED / MINI / "model.safetensors")
    names = ["model.embed_tokens"]
    for at in range(3):
        names += [f"model.layers.{at}.{each}" for each in llama_order()]
    wanted = np.concatenate([stored[f"{name}.weight"].float().numpy().ravel() for name in [*names, "model.norm"]])
    assert stored["model.norm.weight"].dtype is torch.bfloat16
    found = weights_of(document)
    assert len(found) == len(wanted) and (found.view(np.uint32) == wanted.view(np.uint32)).all()


def llama_order() -> list[str]:
    attention = ["input_layernorm", *(f"self_attn.{name}_proj" for name in "qkvo")]
    return [*attention, "post_attention_layernorm", *(f"mlp.{name}_proj" for name in ("gate", "up", "down"))]


def test_float32_weights_and_a_head_of_its_own_are_kept_whole(small_llama: Any) -> None:
    document = page(small_llama)
    stored = load_file(Path(small_llama.name) / "model.safetensors")
    found = weights_of(document)
    assert data_of(document)["shape"]["tied"] is False
    assert (found[-stored["lm_head.weight"].size :] == stored["lm_head.weight"].ravel()).all()


def test_the_size_is_within_its_limit_and_as_the_readme_says(document: str) -> None:
    sizes = [len(each.encode()) / 1e6 for each in (page(load_model("storyteller")), document)]
    assert sizes[0] < 12 and sizes[1] < 2.2
    said = " ".join((BUNDLED.parents[1] / "README.md").read_text("utf-8").split())
    assert f"in it ({sizes[0]:.1f} MB; with a smaller one, `--model mini`, {sizes[1]:.1f} MB)" in said


def test_the_table_of_settings_is_in_it(document: str) -> None:
    """Labels, ranges and the effect of every place of a slider are those of the table; there is no second one."""
    data = data_of(document)
    for row, written in zip(OFFERED, data["settings"], strict=True):
        words, (low, high, step) = data["words"]["en"]["settings"][row.name], row.control
        assert written == {"name": row.name, "off": row.off}
        kind = "checkbox" if isinstance(row.off, bool) else "number" if row.name == "seed" else "range"
        assert f'<input id="set_{row.name}" type="{kind}" min="{low}" max="{high}" step="{step}">' in document
        assert (words["label"], words["short"], words["help"]) == (row.label, row.short, row.help)
        if not isinstance(row.off, bool) and row.name != "seed":
            assert len(words["effects"]) == round((high - low) / step) + 1
            assert (words["effects"][0], words["effects"][-1]) == (row.effect(low) or row.help, row.effect(high) or row.help)
    assert [{name: preset[name] for name in ("temperature", "top_p", "greedy")} for preset in data["presets"]] == [
        {"temperature": each.temperature, "top_p": each.top_p, "greedy": each.greedy} for each in PRESETS.values()
    ]
    script = (page_module.HERE / "sampling.js").read_text("utf-8").partition("const STAGES = {")[2].partition("\n};")[0]
    assert sorted(re.findall(r"^  (\w+): \(", script, re.MULTILINE)) == sorted(row["setting"] for row in data["stages"])
    assert [row["setting"] for row in data["stages"]] == [
        *("repetition_penalty", "frequency_penalty", "presence_penalty", "temperature", "top_k", "top_p", "min_p", "typical_p")
    ]


def test_the_run_and_its_branches_are_in_it(mini: Any) -> None:
    run = Generation(mini, "The fox", SamplingSettings(temperature=0.8, seed=2**40 + 3))
    list(run.stream(4))
    run.go_to(1)
    run.force(run.next_distribution().candidates[3])
    run.settings = SamplingSettings(greedy=True)
    run.step()
    run.go_to(0)
    run.step(attempt=2)
    run.switch(4)
    run.delete(run.nodes[5].node_id)
    data = data_of(page(run))
    start, kept = data["start"], [node.step for node in run.nodes[1:] if node.step is not None]
    assert start["prompt"] == "The fox" and start["here"] == 4
    assert [(key, how, attempt) for _parent, key, how, attempt, _at in start["nodes"]] == [
        (step.key, step.chosen_by, step.attempt) for step in kept
    ]
    assert [parent for parent, *_rest in start["nodes"]] == [0, 1, 2, 3, 1]
    assert start["settings_of"][0]["seed"] == 2**40 + 3 and start["settings"]["greedy"] is True


def test_settings_that_the_page_lacks_are_named(mini: Any, document: str) -> None:
    run = Generation(mini, "The fox", SamplingSettings(xtc_probability=0.5, top_k=7))
    data = data_of(page(run))
    assert SETTINGS["xtc_probability"].label in data["words"]["en"]["missing"] and data["start"]["settings"]["top_k"] == 7
    assert data_of(document)["words"]["en"]["missing"] == ""


def test_a_hostile_prompt_is_data_and_no_script_but_the_own_runs(mini: Any) -> None:
    document = page(Generation(mini, HOSTILE))
    assert data_of(document)["start"]["prompt"] == HOSTILE
    own = html_file.script(page_module.SCRIPTS)[0]
    assert re.findall(r"<script>(.*?)</script>", document, re.DOTALL) == [own] and document.count("</script>") == 3
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    policy = unescape(document)
    assert f"script-src 'sha256-{digest}' 'wasm-unsafe-eval'" in policy and "default-src 'none'" in policy
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg|www\.pcg-random\.org)", document) and "import(" not in own


@pytest.mark.parametrize("architecture", ["gpt2", "qwen3", "gemma2"])
def test_another_architecture_is_refused_with_its_size(tiny: Any, architecture: str) -> None:
    with pytest.raises(
        NotForThisModel, match=r"cannot hold .* \(\d+ MB\): its architecture is another one\. It takes Llama models of at most 64 MB"
    ):
        page(tiny(architecture))


def test_another_tokenizer_is_refused(tiny: Any) -> None:
    with pytest.raises(NotForThisModel, match="its tokenizer is not a byte-level BPE"):
        page(tiny("llama"))


def test_a_large_model_is_refused_before_its_weights_are_read(mini: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_data, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(llama_data, "_planes", lambda _parts: pytest.fail("read"))
    with pytest.raises(NotForThisModel, match=r"\(1 MB\): it is too large\. It takes Llama models of at most 1 MB"):
        page(mini)


def test_a_recording_a_conversation_and_a_changed_network_are_refused(mini: Any) -> None:
    run = Generation(mini, "The fox")
    run.step()
    with pytest.raises(NotForThisModel, match="is a recording or runs on a server"):
        page(Recording.loads(Recording.of(run).dumps()).replay())
    with pytest.raises(NotForThisModel, match="without changes to the network"):
        page(Generation(mini, "The fox", without_heads=[(0, 0)]))
    for wrong in (None, "storyteller", 3):
        with pytest.raises(WrongType):
            page(wrong)  # type: ignore[arg-type]


def pre_tokenizer(pattern: str, **more: Any) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False, **more}
    return {"type": "Sequence", "pretokenizers": [split, {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]}


def test_a_pattern_that_javascript_reads_otherwise_is_refused() -> None:
    assert llama_data._pattern(pre_tokenizer(r" ?\p{L}+|\s+")) == r" ?\p{L}+|\p{White_Space}+"
    for pattern in (r"\p{L}++", r"(?>a)", r"(?i:'s)", r"\Aa", r"[a&&b]", r"a\z"):
        assert llama_data._pattern(pre_tokenizer(pattern)) is None, pattern
    assert llama_data._pattern(pre_tokenizer("a", behavior="Removed")) is None
    assert llama_data._pattern({}) is None and llama_data._pattern({"type": "Metaspace"}) is None


def test_the_methods_of_a_run_write_it_whole_or_not_at_all(mini: Any, tmp_path: Path) -> None:
    run = Generation(mini, "The fox")
    assert run.to_live_html(tmp_path / "live.html") is None
    assert (tmp_path / "live.html").read_text("utf-8") == run.to_live_html()
    with pytest.raises(CannotWrite):
        run.to_live_html(tmp_path / "missing" / "live.html")


def test_the_command_writes_a_file_or_says_why_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mini.html"
    monkeypatch.setattr(sys, "argv", ["core.reports", "live", str(file), "--model", "mini"])
    runpy.run_path(readme.__file__, run_name="__main__")
    assert data_of(file.read_text("utf-8"))["model"] == MINI
    with pytest.raises(SystemExit, match=r"^[^\n]+ is not a model name[^\n]+$"):
        readme.write_live_page([str(tmp_path / "x.html"), "--model", "<b>no such model</b>"])


def test_every_language_of_the_wordings_is_in_it(mini: Any) -> None:
    other = SimpleNamespace(say=lambda sentence: str(sentence).upper(), figures=str, language="xx")
    data = data_of(page(mini, [page_module.ENGLISH, other]))  # type: ignore[list-item]
    assert list(data["words"]) == ["en", "xx"] and data["words"]["xx"]["page"]["settings"] == "MORE SETTINGS"
