"""Two versions of one model beside each other: a file with packed weights and its original, or a model with and without an adapter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.errors import BadSetting, ModelError
from core.experiments.shared.closeness import Closeness, divergence, first_difference, perplexity, read_text
from core.experiments.shared.prompt_tokens import prompt_ids
from core.generation.generation import Generation
from core.inspection.inside import must_be_here
from core.message import Message
from core.models.gguf.header import is_gguf, path_of, read_header
from core.sampling.settings import SamplingSettings

MOST_TOKENS = 256  # of the text that both read
LONGEST = 64  # tokens of each written text
LISTED = 8  # tokens whose probabilities from both models are recorded


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two models. dtype: the type of its stored weights, or the format of its file. bytes: of the weights as they are stored.

    perplexity: of the text that both read; seconds: for reading it, measured. probabilities: after the prompt, of the tokens of
    `TwoVersions.pieces`. written: its greedy text.
    """

    name: str
    dtype: str
    bytes: int
    perplexity: float
    seconds: float
    probabilities: tuple[float, ...]
    written: str


@dataclass(frozen=True, slots=True)
class TwoVersions(Closeness):
    """Both models on one text. kl: Kullback-Leibler divergence of the other from the original, see `Closeness`.

    pieces: the original's likeliest tokens after the prompt. first_difference: index of the first token that differs in the written texts,
    None if there is none.
    """

    original: Version
    other: Version
    kl: tuple[float, ...]
    kept: tuple[bool, ...]
    pieces: tuple[str, ...]
    first_difference: int | None


def two_versions(
    original: LanguageModel, other: LanguageModel, prompt: str, length: int = 24, text_length: int = 96
) -> Iterator[TwoVersions]:
    """Let both models read the original's greedy text after `prompt`, and write `length` tokens; yield the comparison.

    text_length: tokens of that text. Raises BadSetting for one model twice or an impossible length, ModelError for a model on a server or
    for models with different tokens, EmptyPrompt, PromptTooLong.
    """
    length = whole_number(length, Message("The number of tokens"), 1, LONGEST)
    text_length = whole_number(text_length, Message("The number of tokens"), 1, MOST_TOKENS)
    if original is other:
        raise BadSetting("Choose two different models.")
    for model in (original, other):
        must_be_here(model)
    check_same_tokens(original, other)
    ids = prompt_ids(original, prompt)
    prompt_ids(other, prompt)  # its context may be shorter
    runs = [Generation(model, prompt, SamplingSettings(greedy=True), top_n=1) for model in (original, other)]
    nexts = [_probabilities(run) for run in runs]
    listed = np.argsort(-nexts[0], kind="stable")[:LISTED]
    runs[0].generate(max(length, text_length))
    runs[1].generate(length)
    written = [[step.token_id for step in run.path] for run in runs]
    most = min(MOST_TOKENS, original.context_length, other.context_length)
    text = np.array([*ids, *written[0][:text_length]][:most], dtype=np.int64)
    size = min(original.vocabulary_size, other.vocabulary_size)
    logs, seconds = zip(*(read_text(model, model.load_network(), text, tries=2) for model in (original, other)), strict=True)
    versions = [
        Version(
            name=model.name,
            dtype=packed_format(model) or model.stored_dtype,
            bytes=packed_bytes(model) or model.weight_bytes,
            perplexity=perplexity(read, text),
            seconds=taken,
            probabilities=tuple(map(float, probabilities[listed])),
            written=model.text_of(tokens[:length]),
        )
        for model, read, taken, probabilities, tokens in zip((original, other), logs, seconds, nexts, written, strict=True)
    ]
    yield TwoVersions(
        original=versions[0],
        other=versions[1],
        kl=divergence(logs[0][:, :size], logs[1][:, :size]),
        kept=tuple((logs[0].argmax(1) == logs[1].argmax(1)).tolist()),
        pieces=tuple(original.piece(int(token)) for token in listed),
        first_difference=first_difference(written[0][:length], written[1][:length]),
    )
    for run in runs:
        run.release()


def check_same_tokens(model: LanguageModel, other: LanguageModel) -> None:
    """Raise ModelError if the models do not have the same tokens with the same ids. Unused rows at the end of a table do not count."""
    count = min(len(model.tokenizer), len(other.tokenizer), model.vocabulary_size, other.vocabulary_size)
    if any(model.token(number).raw != other.token(number).raw for number in range(count)):
        message = Message("{one} and {other} have different tokens, so they cannot be compared. Choose two versions of one model.")
        raise ModelError(message.with_values(one=model.name, other=other.name))


def packed_bytes(model: LanguageModel) -> int:
    """Return the bytes of the GGUF file that the model was read from, 0 for any other model."""
    return read_header(path_of(model.name)).file_bytes if is_gguf(model.name) else 0


def packed_format(model: LanguageModel) -> str:
    """Return the format of the GGUF file that the model was read from ("Q4_1"), "" for any other model."""
    return read_header(path_of(model.name)).format if is_gguf(model.name) else ""


def _probabilities(run: Generation) -> np.ndarray:
    """Return the model's probabilities of the next token, float64 [vocabulary]."""
    logits = run.logits
    assert logits is not None  # a model on a server was refused
    probabilities: np.ndarray = logits.double().softmax(0).cpu().numpy()
    return probabilities
