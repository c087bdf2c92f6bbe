"""The examination: every figure against something independent, a formula, a count by hand, the model itself."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from random import Random

import pytest
import torch
from transformers import PreTrainedTokenizerFast

from core.training import evaluate, exam, prose, samples
from core.training.corpus import Corpus
from core.training.evaluate import END, HEADING, into_card
from core.training.exam import Candidate
from core.training.tokenizer import texts, train_tokenizer
from core.training.train import new_model

TINY = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(texts(Corpus(None), 300), vocabulary=600)


@pytest.fixture(scope="module")
def candidate(tokenizer: PreTrainedTokenizerFast) -> Candidate:
    model = new_model(tokenizer, TINY, 5)
    with torch.no_grad():
        model.model.embed_tokens.weight.mul_(30)
    return Candidate(model, tokenizer)


def test_the_odds_of_a_sample_are_those_of_the_text_read_at_once(candidate: Candidate) -> None:
    told = samples.sample(candidate, ["Once upon a time", "I", "The capital of France is"], 12, seed=3)
    for one in told:
        ids = candidate.tokenizer.encode(one.beginning)
        whole = candidate.tokenizer.encode(one.beginning + one.text)
        if whole[: len(ids)] != ids or len(whole) != len(ids) + len(one.favourite):
            continue  # text that would be cut into other tokens
        logits = candidate.model(input_ids=torch.tensor([whole])).logits[0, len(ids) - 1 : -1].float()
        probabilities = logits.softmax(-1)
        assert one.favourite == pytest.approx(probabilities.amax(-1).tolist(), abs=1e-4)
        assert one.entropy == pytest.approx((-(probabilities * probabilities.log2()).sum(-1)).tolist(), abs=1e-3)
        assert one.alone == [p >= 0.9 for p in (logits / 0.8).softmax(-1).amax(-1).tolist()]
    again = samples.sample(candidate, ["Once upon a time", "I", "The capital of France is"], 12, seed=3)
    assert [one.text for one in again] == [one.text for one in told]


def test_what_a_small_one_shares_with_the_large_one_is_told_for_each_title_and_for_all_positions(
    candidate: Candidate, tokenizer: PreTrainedTokenizerFast, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Candidate(new_model(tokenizer, TINY, 5), tokenizer)
    with torch.no_grad():
        other.model.model.embed_tokens.weight.mul_(30).add_(torch.randn(32, generator=torch.Generator().manual_seed(1)))
    rows = {
        "A book": prose.windows(tokenizer, ["The old king had a garden. " * 200]),
        "A leaf": prose.windows(tokenizer, ["He sang. " * 50]),
    }
    each = {title: (prose.agreement(candidate, other, asked), sum(len(row) - 1 for row in asked)) for title, asked in rows.items()}
    monkeypatch.setattr(exam, "facts_right", lambda _: {})
    monkeypatch.setattr(exam, "seconds_per_token", lambda _: 1.0)
    monkeypatch.setattr(exam, "agreement", lambda *_: 0.5)
    evaluate.lines.clear()
    evaluate.mini("mini", candidate, other, rows, ">= 75 %")
    positions = sum(count for _, count in each.values())
    together = sum(share * count for share, count in each.values()) / positions
    assert len({share for share, _ in each.values()}) == 2
    for title, share in [(title, share) for title, (share, _) in each.items()] + [
        (f"all real prose together ({positions:,} positions)", together)
    ]:
        assert f"| same favourite, {title} | {share:.1%} | >= 75 % |" in evaluate.lines
    evaluate.lines.clear()
    evaluate.mini("mini", candidate, other, {})
    assert not any("together" in line for line in evaluate.lines), "nothing was asked"


def test_a_text_ends_where_the_model_ended_it(candidate: Candidate) -> None:
    told = samples.sample(candidate, ["A"] * 200, 40, temperature=3.0, seed=1)
    assert len({len(one.favourite) for one in told}) > 1
    assert not any("<|end|>" in one.text for one in told)


def test_sureness_counts_steps_and_not_texts() -> None:
    told = [samples.Sample("", "", [1.0, 0.5, 0.97], [0.0, 1.0, 2.0], [True, False, True]), samples.Sample("", "", [0.2], [5.0], [False])]
    assert samples.sureness(told) == {"above 99 %": 0.25, "above 95 %": 0.5, "entropy": 2.0, "alone": 0.5}


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ('"Come," he said. "Now."', True),
        ('"Come, he said. "Now."', False),
        ('He said, "Come', True),
        ('He said, "Come.\nThen he went.', False),
        ("Nobody spoke.", True),
        ('"Is it you?" asked Mia. "Yes!"\n"Good."', True),
        ('Come," he said.', False),
    ],
)
def test_quotation_marks_are_followed_like_a_reader_does(text: str, closed: bool) -> None:
    assert samples.quotes_closed(text) is closed


def test_somebody_in_the_heros_place_is_seen() -> None:
    def seen(text: str) -> samples.Coherence:
        return samples.coherence("Mia", "There was a girl named Mia.", text)

    assert seen(" Mia met Tom. Tom gave Mia a ball. Mia was glad.").nobody_instead
    assert not seen(" Anna went out. Anna was glad.").nobody_instead
    assert not seen(" Mia had a friend. There was a girl named Anna.").nobody_instead
    assert not seen(" The girl went out.").named_again
    assert not seen(" She went to the sea. She went to the sea. Mia laughed.").nothing_twice


def test_five_grams_are_counted_as_by_hand(tokenizer: PreTrainedTokenizerFast) -> None:
    rng = Random(0)
    words = ["the cat", "the dog", "a cat sat", "and ran", "to the sea", "sat on"]
    taught = [" ".join(rng.choice(words) for _ in range(30)) for _ in range(12)]
    rows = [[tokenizer.bos_token_id, *tokenizer.encode(" ".join(rng.choice(words) for _ in range(9)), add_special_tokens=False)]]
    text = [token for one in taught for token in tokenizer.encode(one)]
    nats = 0.0
    counts: list[dict[tuple[int, ...], Counter[int]]] = [defaultdict(Counter) for _ in range(5)]
    for order in range(5):
        for at in range(order, len(text)):
            counts[order][tuple(text[at - order : at])][text[at]] += 1
    for at in range(1, len(rows[0])):
        p = 1 / len(tokenizer)
        for order in range(min(4, at) + 1):
            followers = counts[order].get(tuple(rows[0][at - order : at]))
            if followers:
                p = (followers[rows[0][at]] + len(followers) * p) / (sum(followers.values()) + len(followers))
        nats -= math.log(p)
    assert prose.five_grams(tokenizer, prose.in_one_row(tokenizer, taught), rows).nats == pytest.approx(nats)


def test_what_is_foreseen_is_the_loss_of_the_model(candidate: Candidate) -> None:
    rows = prose.windows(candidate.tokenizer, ["The cat sat on the mat and looked at the sea. " * 20], length=32, most=3)
    assert all(row[0] == candidate.tokenizer.bos_token_id and len(row) == 33 for row in rows)
    ids = torch.tensor(rows)
    loss = torch.nn.functional.cross_entropy(candidate.model(input_ids=ids).logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
    seen = prose.foresee(candidate, rows)
    assert math.log(seen.perplexity) == pytest.approx(loss.item(), rel=1e-4)
    assert seen.bits_per_character == pytest.approx(seen.nats / math.log(2) / seen.characters)
    assert prose.agreement(candidate, candidate, rows) == 1


def test_the_table_replaces_the_old_one_and_nothing_else() -> None:
    card = f"# model\n\nabout\n\n{HEADING}\n\nold words\n| old | 1 | |\n\n{END}\n\n## After\n"
    written = into_card(card, ["| new | 2 | |"])
    assert written.startswith("# model\n\nabout\n\n## Evaluation\n")
    assert "old" not in written
    assert written.endswith(f"| new | 2 | |\n\n{END}\n\n## After\n")
    assert into_card(written, ["| new | 2 | |"]) == written
