"""The recipe of the storyteller: batches depend on seed and step, and a resumed run learns the same."""

from __future__ import annotations

from pathlib import Path

import torch

from core.training.corpus import Corpus
from core.training.recipe.mixture import Mixture, Shares, tokenizer_texts
from core.training.recipe.train import Plan, Run
from core.training.tokenizer import train_tokenizer

_SHAPE = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}


def _run() -> Run:
    corpus = Corpus(None)
    tokenizer = train_tokenizer(iter(tokenizer_texts(corpus, 60_000)), 600)
    return Run(tokenizer, Mixture(tokenizer, corpus, Shares()), Plan(step_tokens=256, length=64), compiled=False, shape=_SHAPE)


def test_a_batch_depends_on_seed_and_step_alone() -> None:
    run = _run()
    first, again = (run.mixture.batch(7, 2, 64, 0) for _ in range(2))
    assert torch.equal(first.ids, again.ids) and torch.equal(first.targets, again.targets)
    assert not torch.equal(first.ids, run.mixture.batch(8, 2, 64, 0).ids)


def test_a_resumed_run_learns_what_the_other_learns(tmp_path: Path) -> None:
    through, stopped, resumed = _run(), _run(), _run()
    for _ in range(4):
        through.one_step()
    for _ in range(2):
        stopped.one_step()
    stopped.save(tmp_path / "checkpoint.pt")
    resumed.resume(tmp_path / "checkpoint.pt")
    for _ in range(2):
        resumed.one_step()
    assert (resumed.step, resumed.tokens) == (through.step, through.tokens)
    for one, other in zip(through.model.parameters(), resumed.model.parameters(), strict=True):
        assert torch.equal(one, other)
