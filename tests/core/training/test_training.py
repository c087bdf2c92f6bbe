"""Tokenizer, batches, schedule, checkpoints and export of training, on tiny models."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

from core.training.corpus import Corpus
from core.training.data import IGNORED, Lessons
from core.training.export import export
from core.training.tokenizer import texts, train_tokenizer
from core.training.train import new_model

TINY = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(texts(Corpus(None), 400), vocabulary=700)


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


def test_a_target_is_the_next_token_and_never_the_next_document(tokenizer: PreTrainedTokenizerFast) -> None:
    batch = Lessons(tokenizer, Corpus(None)).batch(2, 4, 96)
    ids, targets = batch.ids[:, 1:], batch.targets[:, :-1]
    asked = targets != IGNORED
    assert torch.equal(ids[asked], targets[asked])
    assert tokenizer.bos_token_id not in batch.targets
    assert batch.tokens == int((batch.targets != IGNORED).sum())


def test_an_exported_model_loads_like_any_other_and_speaks_alike(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    model = new_model(tokenizer, TINY, 3)
    export(model, tokenizer, tmp_path / "model")
    loaded, again = AutoModelForCausalLM.from_pretrained(tmp_path / "model"), AutoTokenizer.from_pretrained(tmp_path / "model")
    ids = torch.tensor([again.encode("Once upon a time")])
    assert ids.tolist() == [tokenizer.encode("Once upon a time")]
    assert loaded.dtype == torch.bfloat16
    for mine, theirs in zip(model.parameters(), loaded.parameters(), strict=True):
        assert torch.equal(mine.to(torch.bfloat16), theirs)
