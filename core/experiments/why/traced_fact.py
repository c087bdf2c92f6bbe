"""Find where a fact comes from: activations of one prompt are put into another prompt's pass, layer by layer and token by token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.engine.model import LanguageModel
from core.errors import InputError
from core.experiments.shared.claim import Observations
from core.generation.generation import Generation
from core.inspection.attribution.patching import Pair, Patcher
from core.inspection.attribution.units import word_spans
from core.message import Message


@dataclass(frozen=True, slots=True)
class TracedFact:
    """What is known so far. prompts: both. clean, corrupted: their columns as they are shown, tokens or words.

    target, other: the answers of both prompts. recovered[layer][column]: 0 is the corrupted prompt's answer, 1 the clean prompt's; row 0
    is before the first layer. chances[layer][column]: the probabilities of both answers then. before, after: the probabilities of both
    answers after the corrupted and after the clean prompt. layers: how many rows there will be.
    """

    prompts: tuple[str, str]
    clean: tuple[str, ...]
    corrupted: tuple[str, ...]
    target: str
    other: str
    recovered: tuple[tuple[float, ...], ...]
    chances: tuple[tuple[tuple[float, float], ...], ...]
    before: tuple[float, float]
    after: tuple[float, float]
    layers: int


def traced_fact(model: LanguageModel, clean: str, corrupted: str, by_words: bool = False) -> Iterator[TracedFact]:
    """Trace the likeliest next token of the first prompt, against that of the second; yield after every layer.

    by_words: the last token of each word is patched into the same word of the other prompt, so that words may have several tokens.
    Raises InputError for prompts of unequal length or with the same answer, and what `activation_patching` raises.
    """
    runs = [Generation(model, prompt) for prompt in (clean, corrupted)]
    spans = [word_spans(run.prompt_tokens) for run in runs]
    if by_words and len(spans[0]) != len(spans[1]):
        message = Message("The prompts have {one} and {other} words. To align them by words, use equally many.")
        raise InputError(message.with_values(one=len(spans[0]), other=len(spans[1])))
    target_id, other_id = (run.next_distribution().candidates[0].token_id for run in runs)
    if target_id == other_id:
        message = Message("Both prompts are continued with {piece}, so nothing can come back. Choose prompts with different answers.")
        raise InputError(message.with_values(piece=model.piece(target_id)))
    ids = [run.token_ids.tolist() for run in runs]
    pairs: list[Pair] | None = None
    columns = [tuple(token.text or token.piece for token in run.prompt_tokens) for run in runs]
    if by_words:
        pairs = [((span[1] - 1,), (other_span[1] - 1,)) for span, other_span in zip(*spans, strict=True)]
        columns = [tuple("".join(row[start:stop]) for start, stop in row_spans) for row, row_spans in zip(columns, spans, strict=True)]
    patcher = Patcher(model, ids[0], ids[1], target_id, other_id, pairs)
    answers = (model.piece(target_id), model.piece(other_id))
    ends = [patcher.chances_of(logits) for logits in (patcher.corrupted_logits, patcher.clean_logits)]
    result = TracedFact((clean, corrupted), columns[0], columns[1], *answers, (), (), ends[0], ends[1], patcher.layers + 1)
    for row in patcher.measure():
        recovered, chances = tuple(map(float, row.recovered)), tuple((float(a), float(b)) for a, b in row.chances)
        result = replace(result, recovered=(*result.recovered, recovered), chances=(*result.chances, chances))
        yield result


def fact_is_found(observations: Observations) -> bool:
    """Return whether the answer comes back from the differing word at first and from the last position at the end."""
    recovered = observations[-1].recovered
    return max(recovered[0]) > 0.9 and recovered[0][-1] < 0.1 and recovered[-1][-1] > 0.9
