"""What the list of words says about the next token: whole words, their beginnings, their ends, and nothing where the text knows better."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from core.training.corpus import Corpus
from core.training.data import IGNORED, Lessons
from core.training.evaluate import BUNDLED
from core.training.models import MINI
from core.training.spelling import DETERRED_TO, Spelling, deterred, known_words, misspelt, words_of
from core.training.train import Plan, Trainer, loss_of, new_model

TOKENIZER: PreTrainedTokenizerFast = AutoTokenizer.from_pretrained(BUNDLED / "storyteller")
WORDS = words_of(["The elephant said he'd go home. Don't say two or twelve, elder!", "killer kiln"])


def wrong_after(text: str, spelling: Spelling) -> set[str]:
    """Decoded tokens that cannot follow this text."""
    ids = torch.tensor([TOKENIZER.encode(text)])
    targets = torch.zeros_like(ids)  # the start token: it ends every word
    found = spelling.wrong(ids, targets)[0, -1]
    return {TOKENIZER.decode([token]) for token in found.nonzero().flatten().tolist()}


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    return Spelling(TOKENIZER, WORDS)


def test_a_word_that_has_begun_goes_on_as_a_known_one(spelling: Spelling) -> None:
    text = "The el"
    ids = torch.tensor([TOKENIZER.encode(text)])
    bits = spelling.wrong(ids, torch.full_like(ids, TOKENIZER.encode("der", add_special_tokens=False)[0]))[0, -1]
    wrong = {TOKENIZER.decode([token]) for token in bits.nonzero().flatten().tolist()}
    assert {"s", "f", " the", ".", "ing"} <= wrong
    assert not {"e", "d"} & wrong


def test_a_word_may_begin_that_is_known_and_no_other(spelling: Spelling) -> None:
    wrong = wrong_after("The", spelling)
    assert {" princess", " g", "n"} - wrong <= {" g"}, "unknown words may not begin; 'go' may"
    assert not {" el", " tw", " he", ".", "\n", " 4", '"'} & wrong


def test_apostrophes_belong_to_words_and_to_quotations(spelling: Spelling) -> None:
    assert not {"'", ","} & wrong_after("he said 'go", spelling)
    assert "'d" not in wrong_after(" he", spelling)
    assert "'d" in wrong_after(" go", spelling)


def test_what_hurts_is_no_known_word(spelling: Spelling) -> None:
    ids = torch.tensor([TOKENIZER.encode(" kil")])
    goes_on = torch.full_like(ids, TOKENIZER.encode("n", add_special_tokens=False)[0])
    bits = spelling.wrong(ids, goes_on)[0, -1]
    assert bits[TOKENIZER.encode("l", add_special_tokens=False)[0]]


def test_nothing_is_wrong_where_the_text_itself_says_so_or_nothing_is_asked(spelling: Spelling) -> None:
    ids = torch.tensor([TOKENIZER.encode("The zebra zzz zigzags")])
    targets = torch.cat([ids[:, 1:], torch.full((1, 1), IGNORED)], 1)
    wrong = spelling.wrong(ids, targets)
    told = wrong[:, :-1].gather(2, targets[:, :-1, None])
    assert not told.any()
    assert not wrong[:, -1].any()


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_an_answer(text: str) -> None:
    ids = torch.tensor([TOKENIZER.encode(text)])
    targets = torch.cat([ids[:, 1:], torch.full((1, 1), IGNORED)], 1)
    wrong = Spelling(TOKENIZER, {"a", "be"}).wrong(ids, targets)
    assert wrong.shape == (*ids.shape, len(TOKENIZER))
    assert not wrong[:, :-1].gather(2, targets[:, :-1, None]).any()


def test_the_loss_is_what_lies_on_wrong_tokens() -> None:
    logits = torch.tensor([[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25], [1.0, 1e-9, 1e-9, 1e-9]]).log()
    wrong = torch.tensor([[False, True, False, False], [False, False, False, False], [True, True, False, True]])
    asked = torch.tensor([True, True, False])
    assert misspelt(logits, wrong, asked).item() == pytest.approx(-math.log(0.75) / 2, rel=1e-5)


def test_learning_to_spell_takes_probability_from_wrong_tokens_only_as_long_as_it_is_asked_for() -> None:
    words = known_words(Corpus(None), lessons=200)
    lessons = Lessons(TOKENIZER, Corpus(None))
    spelling = Spelling(TOKENIZER, words)
    batch = lessons.batch(1000, 2, 64)
    wrong = spelling.wrong(batch.ids, batch.targets)
    assert 0 < wrong.float().mean() < 1

    def after(weight: float) -> float:
        plan = Plan(steps=12, warmup=1, decay=1, length=64, long_length=64, step_tokens=128, spelling=weight)
        trainer = Trainer(new_model(TOKENIZER, MINI, 0), lessons, plan, compiled=False, spelling=spelling if weight else None)
        for _ in range(8):
            trainer.one_step()
        with torch.no_grad():
            both = loss_of(trainer.model, batch.ids, batch.targets, batch.mask, wrong, torch.zeros_like(wrong), 1.0)
            return float(both - loss_of(trainer.model, batch.ids, batch.targets, batch.mask))

    assert after(20.0) < 0.7 * after(0.0)


def hurtful_after(text: str, spelling: Spelling) -> set[str]:
    """Decoded tokens that complete a hurtful word after this text."""
    ids = torch.tensor([TOKENIZER.encode(text)])
    found = spelling.hurtful(ids, torch.full_like(ids, TOKENIZER.encode("o", add_special_tokens=False)[0]))[0, -1]
    return {TOKENIZER.decode([token]) for token in found.nonzero().flatten().tolist()}


def test_what_completes_a_hurtful_word_is_known_even_if_it_may_become_another() -> None:
    spelling = Spelling(TOKENIZER, words_of(["hello drowsy hated kilt and the killer begun"]))
    assert {"l", "ll"} <= hurtful_after("the ki", spelling) | hurtful_after("the kil", spelling)
    assert "t" not in hurtful_after("the kil", spelling)
    # It may become "hello", but no text would write that so.
    assert "l" in hurtful_after("oh hel", spelling)
    assert {" the", ".", ","} <= hurtful_after("oh hell", spelling)
    assert "o" not in hurtful_after("oh hell", spelling)
    assert not hurtful_after("the", Spelling(TOKENIZER, {"the"})) & {" and", ".", "n"}


def test_a_text_that_holds_a_hurtful_word_is_believed() -> None:
    ids = torch.tensor([TOKENIZER.encode("love and hate")])
    targets = torch.cat([ids[:, 1:], torch.full((1, 1), IGNORED)], 1)
    found = Spelling(TOKENIZER, {"love", "and"}).hurtful(ids, targets)
    assert found.shape == (*ids.shape, len(TOKENIZER))
    assert not found[:, :-1].gather(2, targets[:, :-1, None]).any() and not found[:, -1].any()


def test_hurtful_tokens_are_pushed_as_hard_where_they_are_rare_down_to_a_floor() -> None:
    hurtful = torch.tensor([[False, True, False], [False, True, False], [False, True, False], [False, False, False], [True, True, True]])
    odds = torch.tensor([[0.5, 0.5, 0.0], [1.0, 1e-5, 0.0], [1.0, 1e-9, 0.0], [0.3, 0.3, 0.4], [0.3, 0.3, 0.4]])
    logits = (odds + 1e-12).log().requires_grad_()
    asked = torch.tensor([True, True, True, True, False])
    loss = deterred(logits, hurtful, asked)
    assert loss.item() == pytest.approx((math.log(0.5) + math.log(1e-5) - 2 * DETERRED_TO) / 4, rel=1e-3)
    loss.backward()
    assert logits.grad is not None and torch.isfinite(logits.grad).all()
    assert logits.grad[1, 1].item() == pytest.approx(1 / 4, rel=1e-3), "a ten-thousandth is pushed like a tenth"
    assert not logits.grad[2:].any(), "below the floor, where nothing hurts and where nothing is asked there is no push"
