"""Is the chat template the one that the model was trained with? What its text shows, and the model's surprise at its tokens."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate

from core.chat.conversation import Messages, checked_messages, text_of
from core.engine.model import LanguageModel
from core.errors import ModelError, PromptTooLong
from core.experiments.shared.result_file import Sentence
from core.inspection.attribution.passes import at_least_two
from core.inspection.inside import existing_ids
from core.inspection.scoring import surprises
from core.message import Message, Number
from core.sources.capabilities import Can, require
from core.sources.source import NO_ARGUMENTS, Arguments
from core.sources.token_source import checked_text
from core.tokens.token_text import Token

PROBE = (
    {"role": "system", "content": "Answer in one sentence."},
    {"role": "user", "content": "What is the capital of France?"},
    {"role": "assistant", "content": "The capital of France is Paris."},
    {"role": "user", "content": "And of Italy?"},
)
FOREIGN = 6.0  # bits at the end token after the answer of PROBE: SmolLM2 has 0.1 in its own template, 14 and 18 in two others
SURE_BITS = 1.0  # of the end token, below which the model is sure that its answer ends
LONGEST_LOG = 200_000  # characters of a pasted text
_MARK = re.compile(r"<\|[^|<>\s]{1,40}\|>")
NO_SYSTEM = Message("The template does not take a system prompt.")
DOUBLED = Message("The text begins with the start token {token} twice.")
SPLIT = Message("“{token}” is {count} tokens: the model has no token of its own for it.")
CHANGED = Message("The template changes the text of message {number}, so its tokens count as the template's.")
NO_END = Message("The template writes no end token after an answer, so the model may not stop.")
STRANGE = Message(
    "After a complete answer, the end token {token} surprises the model by {bits} bits: it was hardly trained with this template."
)


@dataclass(frozen=True, slots=True)
class TemplateCheck:
    """What was found. pieces: the tokens of the conversation. surprises: bits at each token of the template; None for the text of messages,
    for the first token, and everywhere if the model is on a server. bits: their mean, NaN without any. end_bits: at the end token after the
    answer of PROBE, NaN if not measured. faults: what is wrong, in words."""

    pieces: tuple[str, ...]
    surprises: tuple[float | None, ...]
    bits: float
    end_bits: float
    faults: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a logged text differs first. place: of the token, from 0. before: what precedes it. ours, theirs: its pieces, "" at an end."""

    place: int
    before: str
    ours: str
    theirs: str


def template_check(model: LanguageModel, messages: Messages, arguments: Arguments = NO_ARGUMENTS) -> Iterator[TemplateCheck]:
    """Check the template of a chat model with this conversation, and with PROBE; yield once.

    Raises ModelError for a model without a template or a template that fails, PromptTooLong, BrokenLogits, NoRoom.
    """
    require(model, Can.CHAT, Can.TOKEN_IDS)
    tokens = model.tokenize_messages(messages, arguments)
    ids = at_least_two(existing_ids(model, [token.token_id for token in tokens])).tolist()
    spans = model.content_spans(messages, tokens, arguments)
    content = {index for start, stop in spans for index in range(start, stop)}
    measured = surprises(model, ids, 1).tolist() if Can.NETWORK in model.can else [math.nan] * (len(ids) - 1)
    bits = [None, *(None if index in content or math.isnan(value) else value for index, value in enumerate(measured, 1))]
    written_bits = [value for value in bits if value is not None]
    pairs = enumerate(zip(messages, spans, strict=False), 1)
    unknown = [CHANGED.with_values(number=number) for number, (message, span) in pairs if text_of(message) and not span[1]]
    probed, end_bits = _probe_faults(model, arguments)
    faults = dict.fromkeys([*_text_faults(tokens, content), *unknown, *probed])
    mean = sum(written_bits) / len(written_bits) if written_bits else math.nan
    yield TemplateCheck(tuple(token.piece for token in tokens), tuple(bits), mean, end_bits, tuple(faults))


def checked_question(model: LanguageModel) -> Iterator[TemplateCheck]:
    """Check the template with one question, without an answer. Raises what `template_check` raises."""
    return template_check(model, checked_messages(PROBE[1:2]))


def first_difference(model: LanguageModel, tokens: Sequence[Token], text: str) -> Difference | None:
    """Return where the tokens of a logged text differ first from these; None if all are the same.

    Raises PromptTooLong for more than LONGEST_LOG characters, InputError for half a character.
    """
    if len(text) > LONGEST_LOG:
        raise PromptTooLong("The text has more than {most} characters. Paste one request.", most=LONGEST_LOG)
    theirs = [model.token(int(i)) for i in model.tokenizer(checked_text(text), add_special_tokens=False)["input_ids"]]
    index = next((i for i, (a, b) in enumerate(zip(tokens, theirs, strict=False)) if a.key != b.key), min(len(tokens), len(theirs)))
    if index == len(tokens) == len(theirs):
        return None
    ends = [side[index].piece if index < len(side) else "" for side in (tokens, theirs)]
    return Difference(index, "".join(token.piece for token in tokens[max(0, index - 8) : index]), *ends)


def _probe_faults(model: LanguageModel, arguments: Arguments) -> tuple[list[Sentence], float]:
    """Return what the template does wrong with the conversation PROBE, and the bits at the end token after its answer, NaN if unknown."""
    probe, faults = checked_messages(PROBE), list[Sentence]()
    try:
        tokens = model.tokenize_messages(probe, arguments)
    except ModelError:
        try:
            probe = probe[1:]
            tokens = model.tokenize_messages(probe, arguments)
        except ModelError as error:
            return [error.args[0]], math.nan
        faults.append(NO_SYSTEM)
    spans = model.content_spans(probe, tokens, arguments)
    faults += _text_faults(tokens, {index for start, stop in spans for index in range(start, stop)})
    (_start, answered), (asked, _stop) = spans[-2:]
    end = next((index for index in range(answered, asked) if tokens[index].token_id in model.end_token_ids), None)
    if end is None and 0 < answered < asked:
        faults.append(NO_END)
    if end is None or Can.NETWORK not in model.can or end >= model.context_length:
        return faults, math.nan
    bits = float(surprises(model, [token.token_id for token in tokens[: end + 1]], end)[0])
    return faults + [STRANGE.with_values(token=tokens[end].piece, bits=Number(bits, ".1f"))] * (bits > FOREIGN), bits


def _text_faults(tokens: Sequence[Token], content: Set[int]) -> Iterator[Sentence]:
    """Yield a start token that is doubled, and signs such as <|user|> that are several tokens. content: places of the messages' text."""
    if len(tokens) > 1 and tokens[0].special and tokens[0].key == tokens[1].key:
        yield DOUBLED.with_values(token=tokens[0].piece)
    texts = [" " if index in content else token.raw.decode("utf-8", "replace") for index, token in enumerate(tokens)]
    begins = [0, *accumulate(map(len, texts))]
    for mark in _MARK.finditer("".join(texts)):
        count = bisect_left(begins, mark.end()) - bisect_right(begins, mark.start()) + 1
        if count > 1:
            yield SPLIT.with_values(token=mark[0], count=count)
