"""Tokenizer, batches, optimizers, training and distillation, on models that are tiny and on text that is made on the spot."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

from core.training import distill, growth, optimizer
from core.training.corpus import Corpus
from core.training.data import IGNORED, Lessons
from core.training.distill import Distiller, divergence, student
from core.training.export import export
from core.training.models import CHECKPOINTS, STORYTELLER
from core.training.optimizer import Optimizers, schedule
from core.training.tokenizer import END, START, texts, train_tokenizer
from core.training.train import Plan, Trainer, new_model

TINY = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
PLAN = Plan(steps=20, warmup=2, decay=5, step_tokens=256, length=64, long_length=64)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(texts(Corpus(None), 400), vocabulary=700)


def trainer(tokenizer: PreTrainedTokenizerFast, plan: Plan = PLAN) -> Trainer:
    return Trainer(new_model(tokenizer, TINY, plan.seed), Lessons(tokenizer, Corpus(None)), plan, compiled=False)


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
def test_any_text_comes_back_exactly(tokenizer: PreTrainedTokenizerFast, text: str) -> None:
    ids = tokenizer.encode(text)
    assert ids[0] == tokenizer.bos_token_id
    assert tokenizer.decode(ids[1:], skip_special_tokens=False) == text


def test_a_digit_is_one_token_with_or_without_its_space(tokenizer: PreTrainedTokenizerFast) -> None:
    assert tokenizer.convert_ids_to_tokens(tokenizer.encode("What is 47 + 38?", add_special_tokens=False))[-6:] == [
        "Ġ4",
        "7",
        "Ġ+",
        "Ġ3",
        "8",
        "?",
    ]
    assert all(len(tokenizer.encode(f" {digit}", add_special_tokens=False)) == 1 for digit in range(10))


def test_start_and_end_are_the_first_two_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    assert (tokenizer.bos_token, tokenizer.eos_token) == (START, END)
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id) == (0, 1)


def test_a_batch_depends_on_its_step_and_nothing_else(tokenizer: PreTrainedTokenizerFast) -> None:
    one, other = Lessons(tokenizer, Corpus(None)), Lessons(tokenizer, Corpus(None))
    other.batch(3, 4, 64)
    assert torch.equal(one.batch(7, 4, 64).ids, other.batch(7, 4, 64).ids)
    assert not torch.equal(one.batch(7, 4, 64).ids, one.batch(8, 4, 64).ids)


def test_every_document_sees_itself_and_its_past_only(tokenizer: PreTrainedTokenizerFast) -> None:
    batch = Lessons(tokenizer, Corpus(None)).batch(1, 3, 96)
    for row in range(3):
        starts = (batch.ids[row] == tokenizer.bos_token_id).long().cumsum(0)
        filled = int((batch.targets[row] != IGNORED).nonzero().max()) + 1
        for at in range(filled):
            seen = batch.mask[row, 0, at].nonzero().flatten()
            assert seen.tolist() == [position for position in range(at + 1) if starts[position] == starts[at]]


def test_a_target_is_the_next_token_and_never_the_next_document(tokenizer: PreTrainedTokenizerFast) -> None:
    batch = Lessons(tokenizer, Corpus(None)).batch(2, 4, 96)
    ids, targets = batch.ids[:, 1:], batch.targets[:, :-1]
    asked = targets != IGNORED
    assert torch.equal(ids[asked], targets[asked])
    assert tokenizer.bos_token_id not in batch.targets
    assert batch.tokens == int((batch.targets != IGNORED).sum())


def test_the_schedule_warms_up_holds_and_falls_to_nothing() -> None:
    rates = [schedule(step, 100, 10, 20) for step in range(101)]
    assert rates[:10] == pytest.approx([0.1 * n for n in range(1, 11)])
    assert set(rates[10:80]) == {1.0}
    assert rates[80:] == pytest.approx([1 - n / 20 for n in range(21)])


def test_muon_has_the_hidden_matrices_and_adam_has_everything_else(tokenizer: PreTrainedTokenizerFast) -> None:
    model = new_model(tokenizer, TINY, 0)
    muon, adam = ({id(p) for group in one.param_groups for p in group["params"]} for one in Optimizers(model, 1e-3, 1e-3, 0.0).all)
    assert not muon & adam
    assert muon | adam == {id(p) for p in model.parameters()}
    assert id(model.model.embed_tokens.weight) in adam
    assert id(model.model.layers[0].mlp.up_proj.weight) in muon


@pytest.mark.parametrize("shape", [(48, 32), (32, 48), (32, 32), (1, 8)])
def test_muon_in_float32_moves_weights_as_torch_does_in_bf16(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "nesterov": True, "adjust_lr_fn": "match_rms_adamw"}
    ours, theirs = (torch.nn.Parameter(torch.randn(shape, generator=torch.Generator().manual_seed(0))) for _ in range(2))
    mine, torchs = optimizer.Muon([ours], **settings), torch.optim.Muon([theirs], **settings)
    monkeypatch.setattr(optimizer, "CPU_MULTIPLIES_BF16", False)
    for number in range(3):
        ours.grad, theirs.grad = (torch.randn(shape, generator=torch.Generator().manual_seed(number + 1)) for _ in range(2))
        before = theirs.detach().clone()
        mine.step()
        torchs.step()
        moved = (theirs - before).norm()
        assert (ours - theirs).norm() < 0.03 * (number + 1) * moved
    assert mine.state_dict()["state"][0].keys() == torchs.state_dict()["state"][0].keys()


def test_a_run_learns(tokenizer: PreTrainedTokenizerFast) -> None:
    learner = trainer(tokenizer, replace(PLAN, steps=40, decay=10, muon_rate=2e-2, adam_rate=2e-2))
    before = learner.exam_loss(1)
    for _ in range(40):
        learner.one_step()
    assert learner.exam_loss(1) < before - 1


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    whole = trainer(tokenizer)
    for _ in range(2):
        whole.one_step()
    whole.save(tmp_path / "checkpoint.pt")
    going_on = whole.one_step()

    resumed = trainer(tokenizer)
    resumed.resume(tmp_path / "checkpoint.pt")
    assert resumed.step == 2
    assert resumed.one_step() == pytest.approx(going_on, abs=1e-6)
    assert resumed.tokens == whole.tokens
    for mine, theirs in zip(whole.model.parameters(), resumed.model.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-4)


def test_a_run_of_two_cycles_ends_as_the_mean_of_its_beginning_and_its_ends(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    plan = replace(PLAN, begin=10, steps=16, cycles=2, averaged=True, warmup=1, decay=2)
    assert [plan.cycle(step) for step in range(10, 16)] == [(0, 3), (1, 3), (2, 3), (0, 3), (1, 3), (2, 3)]
    whole, stopped = trainer(tokenizer, plan), trainer(tokenizer, plan)
    whole.step = stopped.step = 10
    seen = [whole.model.state_dict()["model.norm.weight"].clone()]
    moved = []
    for _ in range(3):
        before = whole.model.state_dict()["model.layers.0.mlp.up_proj.weight"].clone()
        whole.one_step()
        moved.append(float((whole.model.state_dict()["model.layers.0.mlp.up_proj.weight"] - before).norm()))
    assert moved[2] < 0.7 * moved[1], "the rate falls"
    seen.append(whole.model.state_dict()["model.norm.weight"].clone())
    for _ in range(2):
        whole.one_step()
    whole.save(tmp_path / "checkpoint.pt")
    stopped.resume(tmp_path / "checkpoint.pt")
    for one in (whole, stopped):
        one.one_step()
        last = one.snapshots[2]["model.norm.weight"]
        assert all(torch.equal(kept["model.norm.weight"], was) for kept, was in zip(one.snapshots, seen, strict=False))
        torch.testing.assert_close(one.model.state_dict()["model.norm.weight"], (seen[0] + seen[1] + last) / 3)
    assert not torch.equal(seen[1], last)


def test_the_divergence_is_the_formula_and_nothing_where_nothing_is_asked() -> None:
    teacher, student = torch.log(torch.tensor([[[0.5, 0.5], [0.9, 0.1]]])), torch.log(torch.tensor([[[0.25, 0.75], [0.5, 0.5]]]))
    by_hand = 0.5 * torch.log(torch.tensor(0.5 / 0.25)) + 0.5 * torch.log(torch.tensor(0.5 / 0.75))
    assert divergence(teacher, student, torch.tensor([[True, False]])).item() == pytest.approx(by_hand.item(), abs=1e-6)
    assert divergence(teacher, teacher, torch.tensor([[True, True]])).item() == pytest.approx(0, abs=1e-6)


def test_distillation_brings_the_student_nearer_and_leaves_the_teacher_alone(tokenizer: PreTrainedTokenizerFast) -> None:
    teacher, student = new_model(tokenizer, TINY, 1), new_model(tokenizer, TINY, 2)
    with torch.no_grad():
        teacher.model.embed_tokens.weight.mul_(20)
    kept = [p.clone() for p in teacher.parameters()]
    distiller = Distiller(
        teacher, student, Lessons(tokenizer, Corpus(None)), replace(PLAN, steps=30, muon_rate=1e-2, adam_rate=1e-2), compiled=False
    )
    first = distiller.one_step()
    for _ in range(25):
        last = distiller.one_step()
    assert last < 0.8 * first
    assert all(torch.equal(old, new) for old, new in zip(kept, teacher.parameters(), strict=True))


def test_the_twin_without_a_teacher_begins_alike_and_learns_the_text(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    plan = replace(PLAN, steps=20, step_tokens=512, length=64)
    torch.save({"model": new_model(tokenizer, STORYTELLER, 0).state_dict()}, tmp_path / CHECKPOINTS["storyteller"])
    lessons = Lessons(tokenizer, Corpus(None))
    twin, taught = (student(tmp_path, tokenizer, lessons, plan, alone, compiled=False) for alone in (True, False))
    assert isinstance(taught, Distiller) and not isinstance(twin, Distiller)
    assert all(torch.equal(one, other) for one, other in zip(twin.model.parameters(), taught.model.parameters(), strict=True))
    batch = lessons.batch(0, *plan.shape(0))
    with torch.no_grad():
        logits = twin.model(input_ids=batch.ids, attention_mask=batch.mask).logits
    plain = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)
    assert twin.one_step() == pytest.approx(plain.item(), rel=0.02)  # the text's own loss; the pass in bf16


def test_the_twin_goes_on_to_the_texts_of_a_later_phase(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer.save_pretrained(tmp_path / "tokenizer")
    read: list[tuple[int, int]] = []
    monkeypatch.setattr(distill, "MINI", TINY)

    def run(learner: Trainer, path: Path, minutes: float) -> None:
        read.append((learner.step, learner.plan.begin))
        learner.tokens += 7
        learner.save(path)

    monkeypatch.setattr(distill, "run", run)
    distill.begin(None, tmp_path, replace(PLAN, steps=0), alone=True)
    first = torch.load(tmp_path / "alone.pt", weights_only=True)
    distill.begin(None, tmp_path, replace(PLAN, begin=500, steps=520), alone=True)
    later = torch.load(tmp_path / "alone.pt", weights_only=True)
    distill.begin(None, tmp_path, replace(PLAN, begin=500, steps=520), alone=True)
    assert read == [(0, 0), (500, 500), (500, 500)]
    assert (first["tokens"], later["tokens"]) == (7, 14)
    assert all(torch.equal(first["model"][key], weight) for key, weight in later["model"].items()), "with the weights that it has"


def test_an_exported_model_loads_like_any_other_and_speaks_alike(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    model = new_model(tokenizer, TINY, 3)
    export(model, tokenizer, tmp_path / "model")
    loaded, again = AutoModelForCausalLM.from_pretrained(tmp_path / "model"), AutoTokenizer.from_pretrained(tmp_path / "model")
    ids = torch.tensor([again.encode("Once upon a time")])
    assert ids.tolist() == [tokenizer.encode("Once upon a time")]
    assert loaded.dtype == torch.bfloat16
    for mine, theirs in zip(model.parameters(), loaded.parameters(), strict=True):
        assert torch.equal(mine.to(torch.bfloat16), theirs)


def test_the_growth_record_replaces_what_a_resumed_run_passes_again(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    model = new_model(tokenizer, TINY, 4)
    for step in (0, 10, 30, 10):
        growth.append(tmp_path / "growth.json", growth.moment(model, tokenizer, step, step * 100, None))
    record = json.loads((tmp_path / "growth.json").read_text())
    assert [moment["step"] for moment in record["moments"]] == [0, 10]
    top = record["moments"][0]["prompts"][0]["top"]
    assert len(top) == growth.TOP
    assert [p for _, p in top] == sorted((p for _, p in top), reverse=True)
    assert 0 < sum(p for _, p in top) <= 1 + 1e-4


def test_the_growth_record_holds_the_loss_on_what_is_held_out(tokenizer: PreTrainedTokenizerFast) -> None:
    learner = trainer(tokenizer)
    entry = growth.moment(learner.model, tokenizer, 0, 0, None, learner.exam_loss(1))
    assert entry["loss"] is None
    assert entry["held_out_loss"] == pytest.approx(math.log(len(tokenizer)), abs=1.5), "a model that knows nothing yet"
