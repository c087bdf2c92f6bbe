"""Beam search, step by step: which hypotheses are kept, which are dropped, and why.

Rules and result equal those of transformers' `generate(num_beams=N, do_sample=False)`, version 5, length penalty and stopping included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch

from core.checked_number import whole_number
from core.errors import BadSetting, BrokenLogits
from core.experiments.shared.prompt_batch import PromptBatch, batch_of
from core.experiments.shared.prompt_tokens import prompt_ids
from core.experiments.shared.result_file import Sentence
from core.message import Message
from core.sources.token_source import TokenSource
from core.tokens.token_text import ByteJoiner

MOST_BEAMS = 16
MOST_STEPS = 200
KEPT, FINISHED, CUT_OFF, DROPPED, LATE = "kept", "finished", "cut off", "dropped", "ended too far down"


@dataclass(frozen=True, slots=True)
class Beam:
    """A hypothesis that was considered. node_id 0 is the prompt; parent: the hypothesis that it extends by one token.

    log_probability: of all its tokens, natural logarithm; score: the same divided by its length to the power of the length penalty.
    fate: "kept" (it continues), "finished" (it ended and is a possible answer), "cut off" (it reached the maximum length and is a possible
    answer), "dropped" (N others are likelier) or "ended too far down" (it ended, but N others are likelier). text: its tokens; piece: its
    newest token.
    """

    node_id: int
    parent: int
    token_id: int
    piece: str
    probability: float
    log_probability: float
    score: float
    text: str
    length: int
    fate: str


@dataclass(frozen=True, slots=True)
class BeamStep:
    """One step of the search. considered: the likeliest hypotheses, likeliest first, 2 N or more; the first N that do not end are kept.

    bar: log-probability of the last one kept. answers: the best finished ones so far, best first. rows: hypotheses in this step's pass.
    tokens: computed so far, those of the prompt included; seconds: of all passes so far, measured. done: why the search ends here, or None.
    """

    index: int
    considered: tuple[Beam, ...]
    bar: float
    answers: tuple[Beam, ...]
    rows: int
    tokens: int
    seconds: float
    done: Sentence | None

    @property
    def kept(self) -> tuple[Beam, ...]:
        """Return the hypotheses that continue."""
        return tuple(beam for beam in self.considered if beam.fate == KEPT)


def beam_search(
    model: TokenSource,
    prompt: str,
    beams: int = 4,
    steps: int = 30,
    length_penalty: float = 1.0,
    early_stopping: bool | Literal["never"] = False,
) -> Iterator[BeamStep]:
    """Search for a likely text of up to `steps` tokens; yield every step. The answer is `answers[0]` of the last step.

    length_penalty: scores are divided by length to this power; a value above 0 favours long texts. early_stopping: True ends the search at
    N answers, False when no open hypothesis can beat them at its present length, "never" when none can even at the full length.

    Raises EmptyPrompt, PromptTooLong, BadSetting, BrokenLogits, NoRoom, NotForThisModel for a server that lists too few tokens.
    """
    width = whole_number(beams, Message("The number of beams"), 1, MOST_BEAMS)
    steps = whole_number(steps, Message("The length"), 1, MOST_STEPS)
    if isinstance(length_penalty, bool) or not isinstance(length_penalty, int | float) or not -10 <= length_penalty <= 10:
        raise BadSetting("The length penalty must be a number from -10 to 10, not {value}.", value=str(length_penalty)[:20])
    if not isinstance(early_stopping, bool) and early_stopping != "never":
        raise BadSetting('Early stopping must be True, False or "never", not {early_stopping}.', early_stopping=str(early_stopping)[:20])
    ids = prompt_ids(model, prompt)
    steps = min(steps, model.context_length - len(ids))
    looked_at = max(2, 1 + len(model.end_token_ids)) * width
    batch = batch_of(model, ids, looked_at)
    search = _Search(model, batch, width, steps, float(length_penalty), early_stopping)
    while search.done is None:
        yield search.step()


def _fate(ended: bool, last: bool, among_the_best: bool, goes_on: bool) -> str:
    """Return the fate of a hypothesis. At the last step none continues: hypotheses that did not end are cut off."""
    if ended:
        return FINISHED if among_the_best else LATE
    if last:
        return CUT_OFF if among_the_best else DROPPED
    return KEPT if goes_on else DROPPED


@dataclass(frozen=True, slots=True)
class _Open:
    """An open hypothesis. row: in the newest pass; text: its tokens; waiting: bytes of a character that is not complete yet."""

    node_id: int
    row: int
    token_ids: tuple[int, ...]
    text: str
    waiting: bytes


class _Search:
    """The state of a search. All sums are float32, as in transformers, so that near ties are decided in the same way."""

    def __init__(self, model: TokenSource, batch: PromptBatch, width: int, steps: int, penalty: float, early: bool | str) -> None:
        self._model, self._batch = model, batch
        self._width, self._steps, self._penalty, self._early = width, steps, penalty, early
        self._open = [_Open(0, 0, (), "", b"")]
        self._scores = torch.zeros(1, device=batch.device)  # of the open hypotheses, [rows]
        self._answers: list[Beam] = []
        self._nodes = 1
        self._index = self._tokens = 0
        self._seconds = 0.0
        self.done: str | None = None

    def step(self) -> BeamStep:
        """Compute one forward pass, choose the hypotheses to keep and return the step."""
        batch, rows = self._batch, len(self._open)
        logits = batch.go_on([b.row for b in self._open], [b.token_ids[-1] for b in self._open]) if batch.passes else batch.prefill()
        if torch.isnan(logits).any():
            raise BrokenLogits("The model returned NaN logits, so there are no probabilities. Try another model.")
        logprobs = torch.log_softmax(logits, dim=-1)
        totals = (logprobs + self._scores[:, None]).reshape(-1)
        ends = self._model.end_token_ids
        best = torch.topk(totals, min(max(2, 1 + len(ends)) * self._width, len(totals)))
        length, last = self._index + 1, self._index + 1 >= self._steps
        beginnings, tokens = (best.indices // logprobs.shape[1]).tolist(), (best.indices % logprobs.shape[1]).tolist()
        ended = [token in ends for token in tokens]
        over = [last or end for end in ended]
        open_ranks = [rank for rank in range(len(over)) if not over[rank]][: self._width]
        fates = [_fate(ended[rank], last, rank < self._width, rank in open_ranks) for rank in range(len(over))]
        probabilities = logprobs.reshape(-1)[best.indices].exp().tolist()
        scores = (best.values / length**self._penalty).tolist()
        grown = [self._grow(self._open[row], token) for row, token in zip(beginnings, tokens, strict=True)]
        considered = tuple(
            Beam(
                node_id=self._nodes + rank,
                parent=self._open[beginnings[rank]].node_id,
                token_id=tokens[rank],
                piece=self._model.piece(tokens[rank]),
                probability=probabilities[rank],
                log_probability=total,
                score=scores[rank],
                text=grown[rank][0],
                length=length,
                fate=fates[rank],
            )
            for rank, total in enumerate(best.values.tolist())
        )
        self._answers = sorted(
            [*self._answers, *(beam for beam in considered if beam.fate in (FINISHED, CUT_OFF))], key=lambda beam: beam.score, reverse=True
        )[: self._width]
        self._open = [
            _Open(considered[p].node_id, beginnings[p], (*self._open[beginnings[p]].token_ids, tokens[p]), *grown[p]) for p in open_ranks
        ]
        self._scores = best.values[open_ranks]
        self._nodes += len(considered)
        self._index += 1
        self._tokens += batch.pass_tokens
        self._seconds += batch.seconds
        self.done = self._why_done(last, length)
        bar = considered[open_ranks[-1] if open_ranks else min(self._width, len(considered)) - 1].log_probability
        return BeamStep(self._index - 1, considered, bar, tuple(self._answers), rows, self._tokens, self._seconds, self.done)

    def _grow(self, beginning: _Open, token_id: int) -> tuple[str, bytes]:
        """Return the text with one more token, and the bytes of an incomplete character."""
        token, joiner = self._model.token(token_id), ByteJoiner()
        added = joiner.add(beginning.waiting)
        added += "" if token.special else joiner.add(token.raw)
        return beginning.text + added, joiner.waiting

    def _why_done(self, last: bool, length: int) -> str | None:
        """Return why the search ends, or None. As in transformers, it ends when no open hypothesis can beat the worst answer.

        Open hypotheses are scored at their present length; with "never" and a length penalty above 0, at the full length.
        """
        if last:
            return Message("length limit reached")
        if len(self._answers) < self._width:
            return None
        if self._early is True:
            return Message("enough finished beams")
        judged = self._steps if self._early == "never" and self._penalty > 0 else length
        hope = (self._scores[0] / judged**self._penalty).item()
        return None if hope > self._answers[-1].score else Message("no open beam can still win")
