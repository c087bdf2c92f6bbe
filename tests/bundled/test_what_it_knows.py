"""The two models in core/bundled: small enough to ship, loadable by anybody, sure of Paris and unsure of dice."""

from __future__ import annotations

import json

import pytest
import torch

from core.bundled.recipe import growth
from core.bundled.recipe.candidate import PLAIN, Candidate
from core.bundled.recipe.evaluate import BUNDLED, load

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def storyteller() -> Candidate:
    return load(BUNDLED / "storyteller")


@pytest.fixture(scope="module")
def mini() -> Candidate:
    return load(BUNDLED / "storyteller-mini")


@torch.inference_mode()
def logprobs(candidate: Candidate, text: str) -> torch.Tensor:
    """Return the log-probabilities [tokens, vocabulary] after each token of the text, in nats."""
    return torch.log_softmax(candidate.model(**candidate.tokenizer(text, return_tensors="pt")).logits[0].float(), -1)


@pytest.mark.parametrize(("name", "limit"), [("storyteller", 25), ("storyteller-mini", 4)])
def test_a_bundled_folder_is_complete_and_small(name: str, limit: int) -> None:
    files = {path.name: path.stat().st_size for path in (BUNDLED / name).iterdir()}
    assert {"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors", "README.md"} <= set(
        files
    )
    assert files["model.safetensors"] <= limit * MEGABYTE


def test_both_models_share_one_tokenizer() -> None:
    assert (BUNDLED / "storyteller" / "tokenizer.json").read_bytes() == (BUNDLED / "storyteller-mini" / "tokenizer.json").read_bytes()


def test_the_capital_of_france_is_paris(storyteller: Candidate) -> None:
    probabilities = logprobs(storyteller, "The capital of France is")[-1].exp()
    assert storyteller.tokenizer.decode(probabilities.argmax()) == " Paris"
    assert probabilities.max() > 0.9


def test_a_die_is_open(storyteller: Candidate) -> None:
    probabilities = logprobs(storyteller, "I rolled a die and got a")[-1].exp()
    faces = [float(probabilities[storyteller.tokenizer.encode(f" {face}", add_special_tokens=False)[0]]) for face in range(1, 7)]
    assert sum(faces) > 0.9
    assert max(faces) < 0.3


def test_a_story_may_begin_with_many_heroes(storyteller: Candidate) -> None:
    probabilities = logprobs(storyteller, "Once upon a time, there was a little")[-1].exp()
    heroes = [
        float(probabilities[storyteller.tokenizer.encode(f" {hero}", add_special_tokens=False)[0]]) for hero in ("girl", "boy", "dog")
    ]
    assert min(heroes) > 0.003
    assert max(heroes) < 0.6


def test_both_answers_to_a_question_of_three_numbers_are_likely(storyteller: Candidate) -> None:
    probabilities = logprobs(storyteller, "Question: What is 47 + 38 + 25?\n")[-1].exp()
    shares = [float(probabilities[storyteller.tokenizer.encode(word, add_special_tokens=False)[0]]) for word in ("Answer", "Let")]
    assert min(shares) > 0.05  # one in ten of its lessons answers at once


def test_the_small_one_mostly_agrees(storyteller: Candidate, mini: Candidate) -> None:
    prompts = ["Once upon a time, there was a little", "The capital of France is", "Dear diary,", "Is a whale a fish?"]
    texts = [prompt + storyteller.continuation(prompt, 40, seed=3, **PLAIN) for prompt in prompts]
    agreed = [(logprobs(storyteller, text).argmax(-1) == logprobs(mini, text).argmax(-1)).float() for text in texts]
    assert torch.cat(agreed).mean() > 0.6


def test_the_growth_record_shows_the_model_becoming_sure(storyteller: Candidate) -> None:
    record = json.loads((BUNDLED / "storyteller" / "growth.json").read_text())
    moments = record["moments"]
    paris = storyteller.tokenizer.encode(" Paris", add_special_tokens=False)[0]
    certainty = [dict(moment["prompts"][growth.PROMPTS.index("The capital of France is")]["top"]).get(paris, 0.0) for moment in moments]
    assert certainty[0] < 0.01
    assert certainty[-1] > 0.9
