"""Switch off attention heads: each alone, to see which mattered for a token; several together, to see how the text goes on without them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.engine.model import LanguageModel
from core.engine.switched_off_heads import Head
from core.generation.generation import Generation
from core.inspection.attribution.head_effects import Ablator
from core.inspection.attribution.passes import changed
from core.inspection.inside import inspect_step
from core.sampling.settings import SamplingSettings
from core.sources.source import Prompt

LISTED = 6  # tokens beside the bars
WRITTEN = 24  # tokens of each continuation


@dataclass(frozen=True, slots=True)
class AblatedHeads:
    """What is known so far. effects[layer][head]: nats, positive if the head spoke for the target; None if not measured yet.

    texts: the tokens of the text as they are shown; probability: of the target in the unchanged model. attention[layer][head][token]: how
    much the last position attends to each token; empty if unknown. log_probability: see `HeadAblation`. against: another token, if its
    logit was subtracted; the probability is then that of the target among these two tokens.
    """

    texts: tuple[str, ...]
    target: str
    value: str
    probability: float
    effects: tuple[tuple[float | None, ...], ...]
    done: int
    attention: tuple[tuple[tuple[float, ...], ...], ...] = ()
    against: str = ""
    log_probability: float | None = None

    @property
    def total(self) -> int:
        """The number of heads."""
        return sum(map(len, self.effects))

    def without(self, effect: float) -> float:
        """Return the probability without a head with this effect."""
        before = math.log(self.probability or math.nan) if self.log_probability is None else self.log_probability
        return changed(before, effect, bool(self.against))

    def strongest(self) -> Head:
        """Return the head with the largest effect."""
        measured = ((abs(effect or 0.0), (layer, head)) for layer, row in enumerate(self.effects) for head, effect in enumerate(row))
        return max(measured, key=lambda pair: pair[0])[1]


@dataclass(frozen=True, slots=True)
class WithoutHeads:
    """The next token and the continuation with all heads, and without some. heads: (layer, head) of those switched off.

    pieces: some tokens; usual, changed: their probabilities. usual_text, changed_text: both continuations so far, with the same dice.
    """

    heads: tuple[tuple[int, int], ...]
    pieces: tuple[str, ...]
    usual: tuple[float, ...]
    changed: tuple[float, ...]
    usual_text: str = ""
    changed_text: str = ""


def ablated_heads(
    model: LanguageModel,
    token_ids: Sequence[int] | np.ndarray,
    target_id: int,
    texts: Sequence[str] | None = None,
    value: str = "zero",
    against: int | None = None,
) -> Iterator[AblatedHeads]:
    """Switch off each head alone, and yield what is known after every batch; the last one has the attention of all heads.

    Raises what `head_ablation` raises.
    """
    ids = [int(i) for i in token_ids]
    ablator = Ablator(model, ids, target_id, value, against)
    effects: list[list[float | None]] = [[None] * ablator.heads for _layer in range(ablator.layers)]
    pieces = tuple(texts or (model.token(i).text for i in ids))
    before, other = ablator.log_probability, "" if against is None else model.piece(against)
    chance = changed(before, 0.0, bool(other))
    result = AblatedHeads(pieces, model.piece(target_id), value, chance, (), 0, against=other, log_probability=before)
    for some, measured in ablator.measure():
        for (layer, head), effect in zip(some, measured, strict=True):
            effects[layer][head] = float(effect)
        result = replace(result, effects=tuple(map(tuple, effects)), done=result.done + len(some))
        yield result
    rows = inspect_step(model, ids, top_n=1).attention
    if all(row is not None for row in rows):
        attention = tuple(tuple(tuple(round(float(share), 4) for share in head) for head in row) for row in rows if row is not None)
        yield replace(result, attention=attention)


def without_heads(
    model: LanguageModel,
    prompt: Prompt,
    written_ids: Sequence[int],
    heads: Iterable[Head],
    settings: SamplingSettings | None = None,
    length: int = WRITTEN,
    as_chat: bool = False,
) -> Iterator[WithoutHeads]:
    """Write on after the prompt and these tokens, with all heads and without some, with the same dice; yield after every token.

    Raises InputError for a head that is not there, ModelError with the reason if the heads cannot be separated, and what a run raises.
    """
    off = tuple(sorted({(int(layer), int(head)) for layer, head in heads}))
    runs = [Generation(model, prompt, settings, as_chat=as_chat), Generation(model, prompt, settings, as_chat=as_chat, without_heads=off)]
    for run in runs:
        for token_id in written_ids:
            run.force(int(token_id))
    start = len(runs[0].path)
    nexts = [run.next_distribution() for run in runs]
    likeliest = dict.fromkeys(c.token_id for distribution in nexts for c in distribution.candidates[: LISTED // 2 + 1])
    ids = list(likeliest)[:LISTED]
    chances = [np.asarray(run.logits.double().softmax(0)[ids].cpu()) if run.logits is not None else np.zeros(len(ids)) for run in runs]
    usual, changed = (tuple(map(float, chance)) for chance in chances)
    result = WithoutHeads(off, tuple(model.piece(i) for i in ids), usual, changed)
    yield result
    for _token in range(length):
        for run in runs:
            if not run.finished:
                run.step()
        usual_text, changed_text = ("".join(step.text for step in run.path[start:]) for run in runs)
        result = replace(result, usual_text=usual_text, changed_text=changed_text)
        yield result
        if all(run.finished for run in runs):
            return
