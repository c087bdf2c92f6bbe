"""Two models that learn from each other: what each is asked, what is left to the large one, how the phase begins, goes on and ends."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedTokenizerFast

from core.models.growth import Growth
from core.training import together
from core.training.corpus import Corpus
from core.training.data import IGNORED, Batch, Lessons
from core.training.distill import divergence
from core.training.models import CHECKPOINTS
from core.training.spelling import deterred, misspelt
from core.training.together import (
    Pair,
    Together,
    loss_of,
    plan_of,
    put_back,
    rank_loss,
    sure_from,
    target_distribution,
    twin_of,
    with_strangers,
)
from core.training.tokenizer import texts, train_tokenizer
from core.training.train import Plan, new_model

TINY = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
SMALLER = TINY | {"hidden_size": 16}
PLAN = Plan(steps=20, warmup=2, decay=5, step_tokens=256, length=64, long_length=64)
STORY = (
    "Once there was a fox who lived in a tree. The fox was cold, and the tree was old. She said so to the owl, and the owl said no. " * 4
)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(texts(Corpus(None), 400), vocabulary=700)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "fox.txt").write_text(STORY)
    return Corpus(tmp_path / "texts")


def pair(tokenizer: PreTrainedTokenizerFast) -> Pair:
    return Pair(new_model(tokenizer, TINY, 1), new_model(tokenizer, SMALLER, 2))


WAS, SMALL = [0.3, 0.25, 0.25, 0.2], [0.06, 0.2, 0.3, 0.44]
FOND = [0.45, 0.25, 0.2, 0.1]  # of its favourite


def asked_of(was: list[float], small: list[float], ids: list[int], sure: float = 0.4, mask: torch.Tensor | None = None) -> list[float]:
    """What the large one is to think at the last of these positions, as probabilities."""
    before, pupil = (torch.log(torch.tensor(told)).expand(1, len(ids), -1) + 3 for told in (was, small))
    mask = torch.ones(1, 1, len(ids), len(ids), dtype=torch.bool).tril() if mask is None else mask
    return target_distribution(before, pupil, torch.tensor([ids]), mask, torch.full((1, len(ids)), sure))[0, -1].exp().tolist()


def mixed(was: list[float], small: list[float]) -> list[float]:
    weighted = [one ** (1 - together.STUDENT_WEIGHT) * other**together.STUDENT_WEIGHT for one, other in zip(was, small, strict=True)]
    return [weight / sum(weighted) for weight in weighted]


def test_prose_is_marked_and_lessons_are_not(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    lessons = Lessons(tokenizer, corpus, prose_share=0.5)
    batch = lessons.batch(0, 8, 128)
    assert 0.3 < batch.prose[batch.targets != IGNORED].float().mean() < 0.7
    written = tokenizer.decode(batch.ids[batch.prose])
    assert "fox was cold" in written and "fox was cold" not in tokenizer.decode(batch.ids[~batch.prose])
    assert not Lessons(tokenizer, Corpus(None)).batch(0, 8, 128).prose.any()
    halves = [batch.part(worker, 2).prose for worker in range(2)]
    assert torch.equal(halves[0], batch.prose[0::2]) and torch.equal(halves[1], batch.prose[1::2])


def test_where_the_large_one_is_unsure_of_prose_it_is_drawn_towards_the_small_one() -> None:
    assert asked_of(WAS, SMALL, [3, 1]) == pytest.approx(mixed(WAS, SMALL))
    assert asked_of(WAS, SMALL, [3, 1], sure=0.0) == pytest.approx(WAS), "in lessons it stays as it was"
    assert asked_of(FOND, SMALL, [3, 1]) == pytest.approx(FOND), "and where it has a favourite"
    assert asked_of(FOND, SMALL, [3, 1], sure=0.7) == pytest.approx(mixed(FOND, SMALL)), "which must be beyond doubt in patchwork"


@pytest.mark.parametrize(
    ("ids", "small", "left_alone"),
    [
        ([0, 1], SMALL, True),  # its favourite stands there, and is far less likely to the small one
        ([1, 0], SMALL, True),
        ([3, 1], SMALL, False),  # it stands nowhere
        ([0, 1], [0.2, 0.2, 0.2, 0.4], False),  # the small one sees it, too
        ([0, 1], [0.1, 0.2, 0.3, 0.4], False),  # not so well, as commas and articles, which stand everywhere
    ],
)
def test_what_only_the_large_one_looks_up_is_left_to_it(ids: list[int], small: list[float], left_alone: bool) -> None:
    wanted = asked_of(WAS, small, ids)
    assert wanted == pytest.approx(WAS if left_alone else mixed(WAS, small))


def test_what_stands_in_another_document_of_the_row_is_not_looked_up() -> None:
    apart = torch.eye(2, dtype=torch.bool)[None, None]
    assert asked_of(WAS, SMALL, [0, 1], mask=apart) == pytest.approx(mixed(WAS, SMALL))


def patched(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> Batch:
    batch = Lessons(tokenizer, corpus, patchwork=0.5).batch(3, 32, 128)
    assert 0.1 < batch.patchwork.float().mean() < 0.4, "about half of the prose"
    return batch


def test_lessons_prose_and_patchwork_are_left_alone_from_another_probability_on(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    batch = patched(tokenizer, corpus)
    assert batch.prose[batch.patchwork].all(), "it is prose, too"
    sure = sure_from(batch)
    assert sure[~batch.prose].unique().tolist() == [0.0]
    assert sure[batch.prose & ~batch.patchwork].unique().tolist() == pytest.approx([together.SURE])
    assert sure[batch.patchwork].unique().tolist() == pytest.approx([together.SURE_IN_PATCHWORK])


def test_in_patchwork_stand_tokens_that_the_small_one_drew_and_nowhere_else(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    batch, small = patched(tokenizer, corpus), new_model(tokenizer, SMALLER, 2)
    drawn = with_strangers(batch, small, torch.Generator().manual_seed(1))
    other = drawn.ids != batch.ids
    assert 0.7 * together.STRANGE < other[batch.patchwork].float().mean() <= 1.3 * together.STRANGE
    assert not other[~batch.patchwork].any()
    assert (drawn.ids == tokenizer.bos_token_id)[batch.ids == tokenizer.bos_token_id].all(), "a document begins as it did"
    follows = batch.mask[:, 0].diagonal(-1, 1, 2)
    assert torch.equal(drawn.ids[:, 1:][follows], drawn.targets[:, :-1][follows]), "a target is still the next token"
    assert torch.equal(drawn.targets == IGNORED, batch.targets == IGNORED)
    again, different = (with_strangers(batch, small, torch.Generator().manual_seed(seed)).ids for seed in (1, 2))
    assert torch.equal(again, drawn.ids) and not torch.equal(different, drawn.ids)
    with torch.no_grad():
        small.lm_head.weight.zero_()
        small.lm_head.weight[7] = 1.0
        small.model.norm.weight.fill_(0)  # every token is as likely
    spread = with_strangers(batch, small, torch.Generator().manual_seed(1)).ids[other]
    assert spread.unique().numel() > 0.5 * min(spread.numel(), len(tokenizer)), "drawn, and not the likeliest"


def test_a_batch_without_patchwork_stays_as_it_is(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    batch = Lessons(tokenizer, corpus).batch(3, 4, 64)
    assert not batch.patchwork.any()
    assert with_strangers(batch, new_model(tokenizer, SMALLER, 2), torch.Generator()) is batch
    exam = Lessons(tokenizer, corpus, patchwork=1.0).batch(3, 4, 64, exam=True)
    assert not exam.patchwork.any(), "nobody is examined in it"


def test_what_either_thinks_impossible_stays_so() -> None:
    wanted = asked_of([0.35, 0.35, 0.3, 1e-30], [0.4, 1e-30, 0.3, 0.3], [2, 2])
    assert max(wanted[1::2]) < 1e-3
    assert sum(wanted) == pytest.approx(1)


def test_a_favourite_is_to_lead_by_a_little_and_no_more() -> None:
    def loss(said: list[float]) -> float:
        return rank_loss(torch.tensor([[[1.0, 3.0, 2.0, 0.0]]]), torch.tensor([[said]]), torch.tensor([[True]])).item()

    margin = together.RANK_MARGIN
    assert loss([5.0, 9.0, 7.0, 0.0]) == loss([0.0, margin + 0.01, 0.0, 0.0]) == 0
    assert loss([0.0, 0.0, -9.0, 0.0]) == pytest.approx(margin)
    assert loss([0.0, 5.0, 7.5, 6.0]) == pytest.approx(2.5 + margin), "behind whoever is first, however many are before it"
    torch.manual_seed(1)
    wanted, said = torch.randn(2, 3, 6), torch.randn(2, 3, 6, requires_grad=True)
    asked = torch.tensor([[True, False, False], [False, False, True]])
    each = [rank_loss(wanted[row, at][None, None], said[row, at][None, None], asked[:1, :1]).item() for row, at in ((0, 0), (1, 2))]
    loss_of_both = rank_loss(wanted, said, asked)
    assert loss_of_both.item() == pytest.approx(sum(each) / 2), "the mean over what is asked"
    loss_of_both.backward()
    assert said.grad is not None and not said.grad[~asked].any()
    assert said.grad.sum().item() == pytest.approx(0, abs=1e-6), "one is raised by as much as another is lowered"


def test_the_loss_is_what_both_are_asked_and_the_spelling(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    both, was = pair(tokenizer), new_model(tokenizer, TINY, 3)
    batch = Lessons(tokenizer, corpus, patchwork=0.5).batch(0, 4, 64)
    written = batch.prose & ~batch.patchwork
    assert written.any() and not written.all()
    wrong = torch.zeros(4, 64, len(tokenizer), dtype=torch.bool)
    wrong[..., 5] = True
    asked = batch.targets != IGNORED
    loss = loss_of(both, was, batch.ids, batch.targets, batch.mask, sure_from(batch), written, wrong, wrong.roll(1, -1), 5.0, 0.1)
    loss.backward()
    with torch.no_grad():
        before, large, small = (model(input_ids=batch.ids, attention_mask=batch.mask).logits for model in (was, both.large, both.small))
        wanted = target_distribution(before, small, batch.ids, batch.mask, sure_from(batch))
        by_hand = divergence(wanted, large, asked) + divergence(large, small, asked)
        by_hand += together.RANK_WEIGHT * (rank_loss(wanted, large, asked) + rank_loss(large, small, asked))
        for said in (large, small):
            told = said.log_softmax(-1).gather(-1, batch.targets.clamp(min=0)[..., None])[..., 0]
            by_hand -= together.TEXT_WEIGHT * told[written & asked].sum() / asked.sum()
        by_hand += 5.0 * misspelt(large, wrong, asked) + 0.1 * deterred(large, wrong.roll(1, -1), asked)
    assert loss.item() == pytest.approx(float(by_hand), rel=0.01)  # passes in bf16, where the processor does it
    assert all(weight.grad is not None for weight in both.parameters()) and all(weight.grad is None for weight in was.parameters())


def test_nobody_is_made_easier_to_imitate_by_the_others_gradient(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    both, was = pair(tokenizer), new_model(tokenizer, TINY, 3)
    batch = Lessons(tokenizer, corpus).batch(0, 4, 64)
    asked = batch.targets != IGNORED
    loss_of(both, was, batch.ids, batch.targets, batch.mask, sure_from(batch), torch.zeros_like(batch.prose)).backward()
    together_ = [weight.grad.clone() for weight in both.parameters() if weight.grad is not None]
    both.zero_grad()
    before, large, small = (model(input_ids=batch.ids, attention_mask=batch.mask).logits for model in (was, both.large, both.small))
    wanted = target_distribution(before.detach(), small.detach(), batch.ids, batch.mask, sure_from(batch))
    (divergence(wanted, large, asked) + together.RANK_WEIGHT * rank_loss(wanted, large, asked)).backward()
    (divergence(large.detach(), small, asked) + together.RANK_WEIGHT * rank_loss(large.detach(), small, asked)).backward()
    for mine, weight in zip(together_, both.parameters(), strict=True):
        assert weight.grad is not None
        assert (mine - weight.grad).norm() < 0.05 * weight.grad.norm() + 1e-6  # passes in bf16, where the processor does it


def test_both_come_nearer_to_each_other_and_the_large_one_as_it_was_stays(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    both, was = pair(tokenizer), new_model(tokenizer, TINY, 1)
    for model in (both.large, was):
        with torch.no_grad():
            model.model.embed_tokens.weight.mul_(20)
    lessons = Lessons(tokenizer, corpus)
    learner = Together(both, was, lessons, replace(PLAN, steps=30, muon_rate=1e-2, adam_rate=1e-2), compiled=False)
    batch = lessons.batch(999, 4, 64)

    def apart() -> float:
        with torch.no_grad():
            large, small = (model(input_ids=batch.ids, attention_mask=batch.mask).logits for model in (both.large, both.small))
        return float(divergence(large, small, batch.targets != IGNORED))

    first = apart()
    before, kept = ([weight.clone() for weight in model.parameters()] for model in (both, was))
    for _ in range(25):
        learner.one_step()
    assert apart() < 0.8 * first
    assert not any(torch.equal(old, new) for old, new in zip(before, both.parameters(), strict=True)), "both learn"
    assert all(torch.equal(old, new) for old, new in zip(kept, was.parameters(), strict=True))


def test_a_stopped_phase_goes_on_as_if_it_had_not_been(tokenizer: PreTrainedTokenizerFast, corpus: Corpus, tmp_path: Path) -> None:
    whole, resumed = (
        Together(pair(tokenizer), new_model(tokenizer, TINY, 3), Lessons(tokenizer, corpus), PLAN, compiled=False) for _ in range(2)
    )
    for _ in range(2):
        whole.one_step()
    whole.save(tmp_path / "together.pt")
    going_on = whole.one_step()
    resumed.resume(tmp_path / "together.pt")
    assert resumed.one_step() == pytest.approx(going_on, abs=1e-6)
    for mine, theirs in zip(whole.model.parameters(), resumed.model.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-4)


def test_the_phase_begins_where_the_large_one_stood_however_often_it_is_asked(tmp_path: Path) -> None:
    torch.save({"step": 31_312}, tmp_path / CHECKPOINTS["storyteller"])
    plan = plan_of(tmp_path)
    assert (plan.begin, plan.steps) == (31_312, 31_312 + together.STEPS)
    torch.save({"step": plan.steps}, tmp_path / CHECKPOINTS["storyteller"])
    assert plan_of(tmp_path) == plan
    assert plan.patchwork > 0 and twin_of(plan).patchwork == 0, "what is no text is nothing to learn from alone"
    assert (twin_of(plan).begin, twin_of(plan).steps, twin_of(plan).seed) == (plan.begin, plan.steps, plan.seed), "the same texts"
    assert twin_of(plan).muon_rate == together.STUDENT_RATE * plan.muon_rate
    assert plan.averaged and twin_of(plan).averaged


def test_both_end_as_the_mean_of_what_they_were_and_what_they_came_to(tokenizer: PreTrainedTokenizerFast, corpus: Corpus) -> None:
    plan = replace(PLAN, begin=3, steps=5)
    means, ends = (
        Together(pair(tokenizer), new_model(tokenizer, TINY, 3), Lessons(tokenizer, corpus), one, compiled=False)
        for one in (replace(plan, averaged=True), replace(plan, averaged=False))
    )
    began = [weight.clone() for weight in means.pair.parameters()]
    for learner in (means, ends):
        learner.step = 3
        for _ in range(2):
            learner.one_step()
    for was, end, mean in zip(began, ends.pair.parameters(), means.pair.parameters(), strict=True):
        torch.testing.assert_close(mean, (was + end) / 2, atol=1e-6, rtol=1e-5)


def test_at_the_end_both_stand_where_they_came_from(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    learner = Together(pair(tokenizer), new_model(tokenizer, TINY, 3), Lessons(tokenizer, Corpus(None)), PLAN, compiled=False)
    learner.one_step()
    learner.save(tmp_path / together.CHECKPOINT)
    put_back(tmp_path)
    put_back(tmp_path)
    for name, shape, model in (("storyteller", TINY, learner.pair.large), ("storyteller-mini", SMALLER, learner.pair.small)):
        state = torch.load(tmp_path / CHECKPOINTS[name], weights_only=True)
        assert (state["step"], state["tokens"], state["optimizers"]) == (1, learner.tokens, [])
        again = new_model(tokenizer, shape, 9)
        again.load_state_dict(state["model"])
        assert all(torch.equal(mine, theirs) for mine, theirs in zip(model.parameters(), again.parameters(), strict=True))


def test_the_growth_record_holds_the_loss_on_the_text_and_no_other(
    tokenizer: PreTrainedTokenizerFast, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer.save_pretrained(tmp_path / "tokenizer")
    for name, shape in (("storyteller", TINY), ("storyteller-mini", SMALLER)):
        monkeypatch.setitem(together.SHAPES, name, shape)
        state = {"model": new_model(tokenizer, shape, 1).state_dict(), "optimizers": [], "step": 7, "tokens": 70}
        torch.save(state, tmp_path / CHECKPOINTS[name])
    monkeypatch.setattr(together.torch, "compile", lambda function, **_: function)
    together.begin(tmp_path / "texts", tmp_path, replace(PLAN, begin=7, steps=9))
    moments = Growth.model_validate_json((tmp_path / "growth.json").read_text()).moments
    assert [(moment.step, moment.loss) for moment in moments] == [(9, None)], "what both are asked is no loss on the text"
    assert moments[0].tokens > 70 and moments[0].held_out_loss == pytest.approx(math.log(len(tokenizer)), rel=0.1)
