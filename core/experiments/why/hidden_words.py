"""Hide one word of a text at a time, and measure how the probability of one token changes; beside it, gradients as a second opinion."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.engine.model import LanguageModel
from core.errors import BadSetting, InputError, ModelError
from core.experiments.shared.claim import BIT, Observations
from core.experiments.shared.result_file import Sentence
from core.inspection.attribution.gradients import integrated_gradients, rank_correlation
from core.inspection.attribution.occlusion import Occluder, Span, checked_spans
from core.inspection.attribution.passes import MOST_VARIANTS, at_least_two, changed
from core.inspection.attribution.units import joined, sentence_spans, word_spans
from core.inspection.inside import existing_ids
from core.message import Message
from core.tokens.token_text import Token

UNITS = ("word", "sentence", "passage")
LONGEST_GRADIENT = 1_024  # tokens; the gradient keeps what all layers computed
NO_GRADIENT = Message("There is no gradient for this text: it is longer than {most} tokens.", most=LONGEST_GRADIENT)


@dataclass(frozen=True, slots=True)
class HiddenPart:
    """A part of the text that was hidden. start, stop: its tokens; effect: nats, positive if the part spoke for the token."""

    start: int
    stop: int
    effect: float
    gradient: float | None = None


@dataclass(frozen=True, slots=True)
class HiddenWords:
    """What is known so far. texts: the tokens of the text as they are shown; target: the token explained.

    probability: of the target after the whole text. parts: what was hidden, in order of the text. done, total: hidden parts of all to hide.
    agreement: rank correlation of effects and gradients. note: why there is no gradient.
    against: another token, if its logit was subtracted. Then the effects are those on the difference of both logits, and every probability
    is that of the target among these two tokens. log_probability: see `Occlusion`.
    """

    texts: tuple[str, ...]
    target: str
    method: str
    unit: str
    probability: float
    parts: tuple[HiddenPart, ...]
    done: int
    total: int
    agreement: float | None = None
    note: Sentence = ""
    against: str = ""
    log_probability: float | None = None

    def without(self, part: HiddenPart) -> float:
        """Return the probability of the target without this part."""
        before = math.log(self.probability or math.nan) if self.log_probability is None else self.log_probability
        return changed(before, part.effect, bool(self.against))


def hidden_words(
    model: LanguageModel,
    token_ids: Sequence[int] | np.ndarray,
    target_id: int,
    texts: Sequence[str] | None = None,
    method: str = "omit",
    unit: str = "word",
    passage: Span | None = None,
    against: int | None = None,
) -> Iterator[HiddenWords]:
    """Hide each word or sentence, or only a passage of tokens, and yield what is known after every batch; the last one has the gradients.

    A text of more than MOST_VARIANTS words is hidden in groups first; then the groups with the largest effects are taken apart.
    texts: how the tokens are shown. against: see `occlusion`. Raises what `occlusion` raises, and BadSetting for an unknown unit.
    """
    if unit not in UNITS:
        raise BadSetting("{unit} cannot be hidden. Use word, sentence or passage.", unit=str(unit)[:40])
    ids = at_least_two(existing_ids(model, token_ids))
    tokens = [model.token(int(i)) for i in ids]
    spans = _spans(tokens, unit, passage)
    result = HiddenWords(tuple(texts or (token.text for token in tokens)), model.piece(int(target_id)), method, unit, 0.0, (), 0, 0)
    return _hide(model, ids, target_id, against, result, spans)


def _spans(tokens: Sequence[Token], unit: str, passage: Span | None) -> tuple[Span, ...]:
    """Return what to hide."""
    if unit == "passage":
        return checked_spans([passage or (0, 0)], len(tokens))
    spans = word_spans(tokens) if unit == "word" else sentence_spans(tokens)
    if not spans or (len(spans) == 1 and spans[0] == (0, len(tokens))):
        raise InputError("The text has only one part, so nothing can be taken away from it. Hide single words, or write more.")
    return spans


def _hide(
    model: LanguageModel, ids: np.ndarray, target_id: int, against: int | None, seen: HiddenWords, spans: tuple[Span, ...]
) -> Iterator[HiddenWords]:
    occluder = Occluder(model, ids, target_id, seen.method, against)
    other = "" if against is None else model.piece(against)
    before = occluder.log_probability
    most = MOST_VARIANTS if len(spans) <= MOST_VARIANTS else MOST_VARIANTS // 2
    groups = joined(spans, most)
    total = len(groups) if len(groups) == len(spans) else len(groups) + min(len(spans), most)
    seen = replace(seen, probability=changed(before, 0.0, bool(other)), total=total, against=other, log_probability=before)
    effect_of: dict[Span, float] = {}
    members = {(group[0][0], group[-1][1]): group for group in groups}
    seen = yield from _measured(occluder, list(members), effect_of, seen)
    if len(groups) < len(spans):
        finer: list[Span] = []
        for span in sorted(members, key=lambda span: -abs(effect_of[span])):
            if len(finer) + len(members[span]) > most:
                break
            finer += members[span]
            del effect_of[span]
        seen = replace(seen, total=seen.done + len(finer))
        seen = yield from _measured(occluder, finer, effect_of, seen)
    yield _with_gradients(model, ids, target_id, against, seen)


def _measured(
    occluder: Occluder, spans: Sequence[Span], effect_of: dict[Span, float], result: HiddenWords
) -> Generator[HiddenWords, None, HiddenWords]:
    """Measure these spans into `effect_of`, and yield what is known after every batch. Returns the last."""
    for places, effects in occluder.measure(spans):
        effect_of |= {spans[index]: float(effect) for index, effect in zip(places, effects, strict=True)}
        parts = tuple(HiddenPart(start, stop, effect) for (start, stop), effect in sorted(effect_of.items()))
        result = replace(result, parts=parts, done=result.done + len(places))
        yield result
    return result


def _with_gradients(model: LanguageModel, ids: np.ndarray, target_id: int, against: int | None, result: HiddenWords) -> HiddenWords:
    """Return the same with the gradients of all parts, or with the reason why there are none."""
    if len(ids) > LONGEST_GRADIENT:
        return replace(result, note=NO_GRADIENT)
    try:
        effects = integrated_gradients(model, ids, target_id, against=against).effects
    except ModelError as error:
        return replace(result, note=error.args[0])
    parts = tuple(replace(part, gradient=float(effects[part.start : part.stop].sum())) for part in result.parts)
    agreement = rank_correlation([part.effect for part in parts], [part.gradient or 0.0 for part in parts]) if len(parts) > 2 else math.nan
    return replace(result, parts=parts, agreement=None if math.isnan(agreement) else agreement)


def speaks_for_both(observations: Observations) -> bool:
    """Return whether one part speaks for the token and another one for the other token, by at least 1 bit each."""
    effects = [part.effect for part in observations[-1].parts]
    return bool(observations[-1].against) and max(effects) >= BIT and min(effects) <= -BIT
