"""Reading a given text: perplexity against transformers' loss, and every score against plain probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core import score_text
from core.errors import BrokenLogits, EmptyPrompt
from core.inspection import scoring
from tests.core.plain import bits, plain_logits, plain_odds
from tests.tiny_models import ARCHITECTURES, some

Model = Callable[[str], Any]

TEXT = "Once upon a time a fox met a bear."


@pytest.mark.parametrize("architecture", some(ARCHITECTURES))
def test_perplexity_is_the_loss_of_transformers(architecture: str, tiny: Model, plain: Model) -> None:
    model = tiny(architecture)
    scored = score_text(model, TEXT)
    ids = torch.tensor([model.encode(TEXT)])
    with torch.inference_mode():
        loss = float(plain(architecture)(ids, labels=ids, use_cache=False).loss)
    assert scored.perplexity == pytest.approx(math.exp(loss), rel=1e-4)
    assert scored.total_bits == pytest.approx(loss * (ids.shape[1] - 1) / math.log(2), rel=1e-4)


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "gemma2", "mamba"], ["gpt2", "mamba"]))
def test_every_token_is_scored_from_those_before_it(architecture: str, tiny: Model, plain: Model) -> None:
    model = tiny(architecture)
    scored = score_text(model, TEXT, top_n=3)
    ids = model.encode(TEXT)
    assert scored.tokens[0].probability is None
    for position in range(1, len(ids)):
        distribution, token = plain_odds(plain(architecture), ids[:position]), scored.tokens[position]
        assert token.token_id == ids[position]
        assert token.probability == pytest.approx(distribution[ids[position]], rel=1e-3)
        assert token.surprise == pytest.approx(-math.log2(distribution[ids[position]]), abs=1e-3)
        assert token.rank == 1 + int((distribution > distribution[ids[position]] * (1 + 1e-6)).sum())
        assert token.entropy == pytest.approx(bits(distribution), abs=1e-3)
        best = np.argsort(-distribution)[:3]
        assert [guess.token_id for guess in token.candidates] == best.tolist()
        assert [guess.model_probability for guess in token.candidates] == pytest.approx(distribution[best].tolist(), rel=1e-3)
        logits = plain_logits(plain(architecture), ids[:position])
        assert [guess.logit for guess in token.candidates] == pytest.approx(logits[best.tolist()].tolist(), abs=1e-3), "the logit itself"


def test_a_worked_example() -> None:
    """Four tokens after the first with chances 1/2, 1/4, 1/8, 1/8: 1 + 2 + 3 + 3 = 9 bits, perplexity 2 ** (9 / 4)."""
    logs = np.log(np.array([np.nan, 0.5, 0.25, 0.125, 0.125]))
    written = tuple(scoring.Token(i, text, text, text.encode()) for i, text in enumerate(["x", "ab", "c", "d", "ef"]))
    nothing = np.zeros((5, 0))
    scored = scoring.ScoredText(None, "xabcdef", written, logs, np.ones(5), np.ones(5), nothing, nothing, 8, 4, logs)  # type: ignore[arg-type]
    assert scored.scored_count == 4
    assert scored.total_bits == pytest.approx(9)
    assert scored.perplexity == pytest.approx(2 ** (9 / 4))
    assert scored.bits_per_character == pytest.approx(9 / 6)
    assert scored.nll == pytest.approx(9 * math.log(2) / 4)


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "mistral", "lfm2"], ["llama", "mistral"]))
def test_a_longer_text_is_read_in_strides(architecture: str, tiny: Model, plain: Model) -> None:
    """Windows of 64 tokens that move on by 16, each with the start token in front: the sliding-window perplexity, written out."""
    model, network, text = tiny(architecture), plain(architecture), TEXT * 5
    ids = torch.tensor([model.encode(text)])
    expected, done = [math.nan], 1
    with torch.inference_mode():
        for begin in range(0, ids.shape[1], 16):
            end = min(begin + 64, ids.shape[1])
            window = ids[:, begin:end].clone()
            if begin and model.tokenize(text)[0].special:
                window[0, 0] = ids[0, 0]
            logs = torch.log_softmax(network(window, use_cache=False).logits[0].double(), 1)
            expected += [float(logs[place - begin - 1, ids[0, place]]) for place in range(done, end)]
            done = end
            if end == ids.shape[1]:
                break
    told: list[tuple[int, int]] = []
    scored = score_text(model, text, stride=16, progress=lambda done, total: told.append((done, total)))
    assert len(scored.tokens) == ids.shape[1] > 64
    assert scored.log_probabilities == pytest.approx(np.array(expected), abs=1e-3, nan_ok=True)
    assert (scored.window, scored.stride) == (64, 16)
    assert told == sorted(told)
    assert told[0] == (0, ids.shape[1])
    assert told[-1] == (ids.shape[1], ids.shape[1])


@pytest.mark.parametrize("architecture", some(["llama", "gemma2", "gpt_neox", "deepseek_v3"]))
def test_pieces_and_chunks_change_no_number(architecture: str, tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny(architecture)
    whole = score_text(model, TEXT)
    monkeypatch.setattr(scoring, "CHUNK", 7)
    monkeypatch.setattr("core.inspection.logit_lens.FLOATS_AT_ONCE", 3 * model.vocabulary_size)
    pieces = score_text(model, TEXT)
    assert pieces.log_probabilities == pytest.approx(whole.log_probabilities, abs=1e-4, nan_ok=True)
    assert pieces.ranks.tolist() == whole.ranks.tolist()


def test_one_token_alone_has_no_score(tiny: Model) -> None:
    scored = score_text(tiny("gpt2"), "a")
    assert len(scored.tokens) == 1
    assert math.isnan(scored.perplexity)
    assert math.isnan(scored.bits_per_character)
    assert scored.most_surprising() == ()


@pytest.mark.parametrize("text", ["", None, 7, b"bytes"])
def test_nothing_to_read_is_said(text: Any, tiny: Model) -> None:
    with pytest.raises(EmptyPrompt):
        score_text(tiny("gpt2"), text)


def test_a_broken_model_is_said(tiny_folder: Model) -> None:
    from core import load_model

    model = load_model(str(tiny_folder("gpt2")), device="cpu")
    with torch.no_grad():
        model.network.transformer.ln_f.weight.fill_(math.nan)
    with pytest.raises(BrokenLogits):
        score_text(model, TEXT)
