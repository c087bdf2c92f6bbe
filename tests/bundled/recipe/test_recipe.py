"""The recipe of the bundled models on tiny models: batches, resumed runs, distillation, export and the whole command."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

from core.bundled.recipe import distill, make, train
from core.bundled.recipe.corpus import Corpus
from core.bundled.recipe.export import export
from core.bundled.recipe.mixture import IGNORED, Mixture, Shares, pack, tokenizer_texts
from core.bundled.recipe.models import SHAPES
from core.bundled.recipe.tokenizer import train_tokenizer
from core.bundled.recipe.train import Plan, Run, new_model
from core.models.checksums import CHECKSUMS, checksum_lines

SHAPE = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
PLAN = Plan(step_tokens=256, length=64, steps=4, decay=2, warmup=1)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(tokenizer_texts(Corpus(None), 60_000), 600)


def new_run(tokenizer: PreTrainedTokenizerFast) -> Run:
    return Run(new_model(tokenizer, SHAPE, 0), Mixture(tokenizer, Corpus(None), Shares()), PLAN, compiled=False)


@pytest.mark.parametrize(
    "text",
    [
        "Happy birthday! 🎂🎉 👩‍👩‍👧",
        "你好，世界",
        "naïve café  two spaces\n\n\ttab ",
        " 47 + 38 = 85.",
        "<|start|>?",
        "a\r\nb",
        "\u200b\x00\x7f",
        "",
    ],
)
def test_any_text_is_decoded_exactly(tokenizer: PreTrainedTokenizerFast, text: str) -> None:
    ids = tokenizer.encode(text)
    assert ids[0] == tokenizer.bos_token_id
    assert tokenizer.decode(ids[1:], skip_special_tokens=False) == text


def test_a_batch_depends_on_seed_and_step_alone(tokenizer: PreTrainedTokenizerFast) -> None:
    mixture = new_run(tokenizer).mixture
    first, again = (mixture.batch(7, 2, 64, 0) for _ in range(2))
    assert torch.equal(first.ids, again.ids) and torch.equal(first.targets, again.targets)
    assert not torch.equal(first.ids, mixture.batch(8, 2, 64, 0).ids)


def test_told_stories_and_lessons_get_the_part_of_the_simple_stories() -> None:
    later = Shares(told=0.5, simple=0.2, lessons=0.2, older=0.1).without_simple()
    assert (later.told, later.simple, later.lessons, later.older) == pytest.approx((0.65, 0, 0.25, 0.1))


def test_a_target_is_the_next_token_of_the_same_document() -> None:
    batch = pack([[[5, 6, 7], [8, 9]]], 6, filler=0)
    assert batch.ids.tolist() == [[5, 6, 7, 8, 9, 0]]
    assert batch.targets.tolist() == [[6, 7, IGNORED, 9, IGNORED, IGNORED]]
    assert batch.tokens == 3
    assert batch.mask[0, 0, 4].tolist() == [False, False, False, True, True, False]


def test_a_resumed_run_learns_what_the_other_learns(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    through, stopped, resumed = (new_run(tokenizer) for _ in range(3))
    for _ in range(4):
        through.one_step()
    for _ in range(2):
        stopped.one_step()
    stopped.save(tmp_path / "checkpoint.pt")
    resumed.resume(tmp_path / "checkpoint.pt")
    for _ in range(2):
        resumed.one_step()
    assert (resumed.step, resumed.tokens, resumed.finished) == (through.step, through.tokens, True)
    for one, other in zip(through.model.parameters(), resumed.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_run_begins_with_the_weights_of_an_exported_model(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    given, run = new_run(tokenizer), new_run(tokenizer)
    given.one_step()
    export(given.model, tokenizer, tmp_path / "model")
    train.begin(run, tmp_path / "missing.pt", tmp_path / "model")
    for one, other in zip(given.model.parameters(), run.model.parameters(), strict=True):
        assert torch.equal(one, other)  # the export rounded the weights of `given`, too
    run.one_step()
    run.save(tmp_path / "checkpoint.pt")
    resumed = new_run(tokenizer)
    train.begin(resumed, tmp_path / "checkpoint.pt", tmp_path / "model")
    assert resumed.step == 1


def test_the_divergence_by_hand() -> None:
    teacher, student = torch.tensor([[[0.5, 0.5]]]).log(), torch.tensor([[[0.25, 0.75]]]).log()
    wanted = 0.5 * torch.tensor(2.0).log() + 0.5 * torch.tensor(2 / 3).log()
    assert distill.divergence(teacher, student, torch.tensor([[True]])).item() == pytest.approx(wanted.item())


@pytest.mark.slow
def test_one_command_makes_three_models_that_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "tokenizer_texts", partial(tokenizer_texts, characters=200_000))
    make.make(
        Corpus(None), tmp_path / "run", tmp_path / "bundle", PLAN, replace(PLAN, seed=1), dict.fromkeys(SHAPES, SHAPE), compiled=False
    )
    for name in SHAPES:
        model, tokenizer = (
            AutoModelForCausalLM.from_pretrained(tmp_path / "bundle" / name),
            AutoTokenizer.from_pretrained(tmp_path / "bundle" / name),
        )
        assert model.dtype == torch.bfloat16 and model.config.vocab_size == len(tokenizer)
    assert (tmp_path / "bundle" / "storyteller" / "growth.json").exists()
    assert (tmp_path / "bundle" / CHECKSUMS).read_text("utf-8") == checksum_lines(tmp_path / "bundle")
