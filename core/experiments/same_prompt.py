"""Why the same prompt gets other numbers, or another text: one text computed in two ways, with real passes of each.

    a = Way(backend="eager")
    d = compare(model, "Once upon a time, there was a fox.", a, replace(a, dtype="bfloat16"))
    d.differences                                                           # nats

A sum of rounded numbers depends on its order, and another batch, kernel, precision or cache adds in another order. Nothing here is random.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from transformers.cache_utils import DynamicCache

from core.backends.transformers_backend import backend_of, cache_argument
from core.checked_number import shown, whole_number
from core.device import network_threads, torch_threads
from core.engine.architecture_limits import must_read_forward, possible_with
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.engine.stored_weights import is_stored, widen
from core.engine.weight_rounding import rounded_copy, weight_matrices
from core.errors import BadSetting, BrokenLogits, ModelError, NotForThisModel, PromptTooLong
from core.experiments.shared.claim import Observations
from core.experiments.shared.closeness import divergence, first_difference
from core.experiments.shared.network_copy import GROUP, NO_MATRICES, network_copy, turn
from core.experiments.shared.prompt_tokens import encoded, prompt_ids
from core.experiments.shared.result_file import Sentence
from core.inspection.scoring import answer_after
from core.message import Message
from core.sampling import dice
from core.sampling.observation import History
from core.sampling.observe_stages import pick, sampling_probabilities
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import Can, missing
from core.sources.source import Wanted

BACKENDS = APP, EAGER, SDPA = "app", "eager", "sdpa"
CHOICES: dict[str, tuple[Any, ...]] = {  # the values that the fields of a way can have
    "dtype": ("float32", "bfloat16", "float16"),
    "cache": (True, False),
    "padding": ("left", "right", "ragged"),
    "bits": (16, 8, 4),
}
MOST_TEXTS = 16  # in a batch
MOST_TOKENS = 128  # of the text that is read
LONGEST = 64  # tokens of each written text
LONGER = 4  # tokens by which each further text of a batch is longer than the one before
GREEDY = SamplingSettings(greedy=True)
UNCACHED = Message("{model} runs without a cache, because with one its steps do not give the numbers of plain passes.")
ONE_BY_ONE = Message(
    "With several tokens at once after others, transformers' passes of {model} can give wrong numbers, which is more than another order of "
    "sums. This app computes them one by one."
)
PADDED = Message(
    "With padding, transformers' passes of {model} can give wrong numbers, which is more than another order of sums. "
    "Its cache or its state takes padding for text."
)


@dataclass(frozen=True, slots=True)
class Way:
    """A way of computing. Raises BadSetting for an impossible value.

    backend: "app" (this app's own steps: one text, token by token; in another precision or with fewer bits it uses transformers' passes),
    "eager" or "sdpa" (transformers' passes), or a model on a connected server, which decides everything but `settings` by itself.
    dtype: of weights and sums. cache: False computes all tokens again for each new one. chunk: tokens computed at once, 0 for all.
    batch: texts in a pass, ours first; text n begins with token n of ours and is LONGER tokens longer than the one before. padding: side of
    the padding; "ragged" writes all texts into one row. threads: 0 for the number that the app takes. bits: of
    the weights. settings: log-probabilities after these sampling settings; None for the model's own.
    """

    backend: Any = APP
    dtype: str = "float32"
    cache: bool = True
    chunk: int = 0
    batch: int = 1
    padding: str = "left"
    threads: int = 0
    bits: int = 16
    settings: SamplingSettings | None = None

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value, names = getattr(self, name), ", ".join(map(str, allowed))
            if type(value) is not type(allowed[0]) or value not in allowed:
                raise BadSetting("{name} is one of {names}, not {shown}.", name=name, names=names, shown=shown(value))
        whole_number(self.chunk, Message("The number of tokens at once"), 0, MOST_TOKENS)
        whole_number(self.batch, Message("The number of texts in a batch"), 1, MOST_TEXTS)
        whole_number(self.threads, Message("The number of threads"), 0, os.cpu_count() or 1)
        if not isinstance(self.backend, LanguageModel) and self.backend not in BACKENDS:
            raise BadSetting("A way is computed by app, eager, sdpa or a connected model, not by {shown}.", shown=shown(self.backend))

    def is_own(self, model: LanguageModel) -> bool:
        """Return whether this model's own backend computes it."""
        return self.backend == APP and self.bits == 16 and self.dtype == model.dtype


REFERENCE = Way(EAGER, cache=False)


def why_not(model: LanguageModel, way: Way) -> str:
    """Return the sentence that says why this model or machine cannot compute in this way, "" if that is not known beforehand."""
    if isinstance(way.backend, LanguageModel):
        return missing(way.backend, Can.NEW_TOKENS, Can.TOKEN_IDS)
    if Can.NETWORK not in model.can:
        return missing(model, Can.NETWORK)
    if way.is_own(model) and (way.batch > 1 or way.chunk > 1):
        return Message("This app's own steps compute one text, token by token.")
    if way.padding == "ragged" and way.batch > 1 and way.cache:
        return Message("Texts of different lengths share one row only without a cache.")
    try:
        ones = torch.ones((2, 2), dtype=getattr(torch, way.dtype), device=model.engine.device)
        torch.nn.functional.linear(ones, ones).softmax(-1)
    except RuntimeError:
        return Message("This machine cannot compute in {dtype}.", dtype=way.dtype)
    return ""


def _must_be_true(model: LanguageModel, way: Way, longest: int) -> None:
    """Raise NotForThisModel for transformers' passes that the engine does not use, because they give wrong numbers.

    longest: tokens of the longest text that is read.
    """
    backend, pads = backend_of(model), way.batch > 1 and way.padding != "ragged"
    wrong = None
    with possible_with(model.name), turn(model):
        if way.cache and way.backend != APP and not backend.is_cached:
            wrong = UNCACHED
        elif way.cache and backend.is_cached and 1 < way.chunk < longest and not backend.extend(backend.new_state(), way.chunk):
            wrong = ONE_BY_ONE
        elif pads and ((way.cache and not backend.caches_padding(way.padding)) or (way.padding == "left" and not backend.pads_truly())):
            wrong = PADDED
    if wrong:
        raise NotForThisModel(wrong.with_values(model=model.name))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a comparison is. done, total: tokens, of both ways together."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One text in two ways, one entry per token. The first token has no text before it: its numbers are NaN, its favourites "".

    first, second: log-probabilities, nats. kl: Kullback-Leibler divergence of the second way from the first, nats; if a server lists only
    some tokens, all others count as one, and it is at most the true one. favourites: the likeliest token of each way. leads: nats between
    the likeliest and the second token of the first way.
    """

    token_ids: tuple[int, ...]
    pieces: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    kl: tuple[float, ...]
    favourites: tuple[tuple[str, str], ...]
    leads: tuple[float, ...]

    @property
    def differences(self) -> np.ndarray:
        """Second minus first log-probability of each token but the first, nats; 0 where both ways exclude the token."""
        first, second = np.array(self.first[1:]), np.array(self.second[1:])
        return np.subtract(second, first, out=np.zeros_like(first), where=first != second)

    @property
    def largest(self) -> float:
        """Largest absolute difference, nats."""
        return float(np.abs(self.differences).max())

    @property
    def median(self) -> float:
        """Median absolute difference, nats."""
        return float(np.median(np.abs(self.differences)))

    @property
    def changed(self) -> tuple[int, ...]:
        """Indices of the tokens before which the likeliest token differs."""
        return tuple(index for index, (first, second) in enumerate(self.favourites) if first != second)

    @property
    def outside(self) -> tuple[int, ...]:
        """Indices of the tokens whose probability changes by a factor outside of 0.9 to 1.1."""
        ratios = np.exp(self.differences)
        return tuple((np.flatnonzero((ratios < 0.9) | (ratios > 1.1)) + 1).tolist())


@dataclass(frozen=True, slots=True)
class FreeRun:
    """What both ways write after a prompt, each after its own tokens. roll: of the dice where they part; NaN if greedy, or if they do not.

    first, second: tokens. parted: index of the first that differs, None if all are equal. Greedily, gap: nats between the two tokens in the
    first way; shift: by how much this differs in the second way. With dice, gap: distance of the roll from the border of the first way's
    token; shift: by how much this border differs.
    """

    greedy: bool
    first: tuple[str, ...]
    second: tuple[str, ...]
    parted: int | None
    gap: float
    shift: float
    roll: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A way against the first one: on a text, and what both write. way: its index. runs: greedily, and with dice if settings were given."""

    way: int
    difference: Difference
    runs: tuple[FreeRun, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A way that is impossible here. way: its index. reason: a sentence."""

    way: int
    reason: Sentence


class _Network:
    """transformers' passes of a way. network: from `_copied`. ids: our text or its beginning; length: all tokens that it will have."""

    def __init__(self, model: LanguageModel, way: Way, network: Any, ids: Sequence[int], length: int) -> None:
        self._model, self._way, self._network, self._text = model, way, network, ids
        self._longer = min(LONGER, (model.context_length - length) // max(1, way.batch - 1))
        self._argument = cache_argument(network)
        keeps = way.cache and self._argument is not None and backend_of(model).is_cached
        self._cache = DynamicCache(config=network.config.get_text_config()) if keeps else None
        self._ids = self._mask = torch.empty((way.batch, 0), dtype=torch.int64)
        self.at_once = way.chunk or len(ids)

    def extend(self, new: Sequence[int]) -> torch.Tensor:
        """Add these tokens to our text, and as many to each other one; return float32 logits [new, vocabulary] after each of ours."""
        way, begun, lengths, ours = self._way, self._ids.shape[1], self._mask.sum(1).tolist(), len(self._text)
        counts = [len(new) + (0 if begun else row * self._longer) for row in range(1, way.batch)]
        others = ([self._text[(row + lengths[row] + at) % ours] for at in range(count)] for row, count in enumerate(counts, 1))
        rows, side = [torch.tensor(tokens) for tokens in (list(new), *others)], "left" if way.padding == "left" else "right"
        added = [pad_sequence(kind, True, padding_side=side) for kind in (rows, list(map(torch.ones_like, rows)))]
        self._ids, self._mask = (torch.cat(sides, 1) for sides in zip((self._ids, self._mask), added, strict=True))
        positions, more = (self._mask.cumsum(1) - 1).clamp(min=0), dict[str, Any]()
        start = begun if self._cache is not None else 0
        first, ids = begun - start + (added[0].shape[1] - len(new) if side == "left" else 0), self._ids[:, start:]
        if way.padding == "ragged" and way.batch > 1:
            inside = self._mask.bool()
            first, ids, more = lengths[0], self._ids[inside][None], {"position_ids": positions[inside][None]}
        elif way.batch > 1 or start:
            more = {"position_ids": positions[:, start:]} | ({} if bool(self._mask.all()) else {"attention_mask": self._mask})
        more = {name: value.to(self._model.engine.device) for name, value in more.items()}
        if self._argument is not None:
            more |= {"use_cache": False} if self._cache is None else {"use_cache": True, self._argument: self._cache}
        threads = way.threads or network_threads(self._model.parameter_count)
        with turn(self._model), torch.inference_mode(), torch_threads(threads):
            return _checked(self._network(ids.to(self._model.engine.device), **more).logits[0, first : first + len(new)])


class _Asked:
    """A source that answers for the last token of a text: the app's own steps, or a server. ids: the text whose tokens are listed."""

    at_once = 1

    def __init__(self, source: LanguageModel, way: Way, ids: Sequence[int]) -> None:
        self._source, self._cache, self._text, self._ids = source, KVCache() if way.cache else None, ids, list[int]()

    def extend(self, new: Sequence[int]) -> torch.Tensor:
        """Return the logits after the last token [1, vocabulary], NaN for tokens that a server does not list while it reads the text."""
        self._ids += new
        then = next(iter(self._text[len(self._ids) :]), None)
        answer = answer_after(self._source, np.array(self._ids, dtype=np.int64), self._cache, Wanted(SamplingSettings(), 2), then)
        values, listed = _checked(answer.logits.values), answer.logits.top_logprobs
        if then is not None and listed is not None and len(listed) < len(values):
            tokens = torch.tensor([*listed.ids.tolist(), *([listed.extra[0]] if listed.extra else [])])
            values = torch.full_like(values, math.nan).index_copy(0, tokens, values[tokens])
        return values[None]


def _checked(logits: torch.Tensor) -> torch.Tensor:
    """Return these logits in float32 on the CPU. Raises BrokenLogits for NaN."""
    if bool(logits.isnan().any()):
        raise BrokenLogits("The model returned NaN logits. Try another model or precision.")
    return logits.float().cpu()


def _copied(model: LanguageModel, way: Way) -> Any:
    """Return a copy of the network for this way. It shares the weights if they stay as they are."""
    dtype = getattr(torch, way.dtype)
    shares = way.bits == 16 and way.dtype == model.dtype and not is_stored(model.load_network())
    network = network_copy(model, shares)
    with turn(model):
        network = widen(network) if is_stored(network) else network
        if way.backend in (EAGER, SDPA):
            try:
                network.set_attn_implementation(way.backend)
            except ValueError as error:
                raise NotForThisModel("{model} has no {name} attention.", model=model.name, name=way.backend) from error
        if way.bits < 16:
            inner = (module for module in network.modules() if module is not network.get_output_embeddings())
            matrices = [matrix for module in inner for matrix in weight_matrices(module, model.shape.hidden_size)]
            if not matrices:
                raise ModelError(NO_MATRICES)
            for weight, turned in matrices:
                weight.data = rounded_copy(weight, turned, way.bits, GROUP, weight.dtype)
        for weight in () if shares else network.parameters():  # not the buffers: rotary frequencies stay in float32, as after loading
            weight.data = weight.data.to(dtype)
    return network


@dataclass(slots=True)
class _Computed:
    """What a way computed. logs: natural, after each token of the text, float64 [vocabulary]. written: each run's tokens and logits."""

    logs: list[np.ndarray] = field(default_factory=list)
    written: list[tuple[list[int], list[torch.Tensor]]] = field(default_factory=list)


def _compute(
    model: LanguageModel,
    way: Way,
    ids: Sequence[int],
    into: _Computed,
    prompt: Sequence[int],
    runs: Sequence[SamplingSettings],
    length: int,
) -> Iterator[int]:
    """Read a text, then write after the prompt with each of these settings; yield the tokens done so far. It holds one copy."""
    if refused := why_not(model, way):
        raise NotForThisModel(refused)
    source = way.backend if isinstance(way.backend, LanguageModel) else model
    network = None
    if not isinstance(way.backend, LanguageModel) and not way.is_own(model):
        must_read_forward(model)
        _must_be_true(model, way, max(len(ids), len(prompt)))
        network = _copied(model, way)

    def begin(text: Sequence[int], size: int, listed: bool) -> _Network | _Asked:
        return _Asked(source, way, text if listed else ()) if network is None else _Network(model, way, network, text, size)

    computing, last = begin(ids, len(ids), way.settings is None), len(ids) - 1
    for start in range(0, last, computing.at_once):
        for at, row in enumerate(computing.extend(ids[start : start + computing.at_once])[: last - start], start + 1):
            into.logs.append(_logs(model, row, way.settings, ids[:at]))
        yield len(into.logs)
    for number, settings in enumerate(runs):
        computing, text, tokens, taken = begin(prompt, len(prompt) + length, False), list(prompt), list[int](), list[torch.Tensor]()
        into.written.append((tokens, taken))
        size = way.chunk or len(prompt)
        *_before, row = (computing.extend(prompt[start : start + size])[-1] for start in range(0, len(prompt), size))
        while len(tokens) < length and not (tokens and tokens[-1] in model.end_token_ids):
            row = computing.extend(tokens[-1:])[-1] if tokens else row
            tokens.append(pick(row, settings, History.of(model, text, len(prompt))))
            taken.append(row)
            text.append(tokens[-1])
            yield last + number * length + len(tokens)


def _logs(model: LanguageModel, row: torch.Tensor, settings: SamplingSettings | None, before: Sequence[int]) -> np.ndarray:
    """Return log-probabilities of logits [vocabulary]; those of a server that does not list all tokens are log-probabilities."""
    if settings is not None:
        with np.errstate(divide="ignore"):
            return np.log(sampling_probabilities(row, settings, History.of(model, before, len(before))))
    logs: np.ndarray = (row.double() if bool(row.isnan().any()) else row.double().log_softmax(0)).numpy()
    return logs


def _text(model: LanguageModel, text: str, ways: Sequence[Way]) -> list[int]:
    """Return the tokens of a text that can be compared. Raises what `compared` raises."""
    ids, most = encoded(model, text), min(MOST_TOKENS, model.context_length)
    if len(ids) < 2:
        raise BadSetting("A single token cannot be compared, because no token comes before it. Write a little more.")
    if len(ids) > most:
        raise PromptTooLong("The text has {count} tokens; at most {most} are compared. Shorten it.", count=len(ids), most=most)
    for other in (way.backend for way in ways if isinstance(way.backend, LanguageModel)):
        theirs = encoded(other, text)
        if (at := first_difference(ids, theirs)) is not None:
            first, second = (tokens[at] if at < len(tokens) else "-" for tokens in (ids, theirs))
            sentence = Message("{one} and {other} divide this text into different tokens: token {number} has the id {first} and {second}.")
            raise ModelError(sentence.with_values(one=model.name, other=other.name, number=at + 1, first=first, second=second))
    return ids


def _kl(first: np.ndarray, second: np.ndarray) -> float:
    """Return the sum of p log (p / q), nats, of log-probabilities [vocabulary]; all tokens that are NaN in one of them count as one."""
    listed = ~(np.isnan(first) | np.isnan(second))
    p, q = first[listed], second[listed]
    if not listed.all():
        p, q = (np.append(logs, math.log(max(1e-12, 1 - np.exp(logs).sum()))) for logs in (p, q))
    return divergence(torch.from_numpy(p)[None], torch.from_numpy(q)[None])[0]


def _difference(model: LanguageModel, ids: Sequence[int], first: _Computed, second: _Computed) -> Difference:
    sides = (first.logs, second.logs)
    likeliest = ([model.piece(int(np.nanargmax(logs))) for logs in side] for side in sides)
    leads = (float(np.diff(np.sort(logs[~np.isnan(logs)])[-2:])[0]) for logs in first.logs)
    of_tokens, others = ((math.nan, *(float(logs[token]) for logs, token in zip(side, ids[1:], strict=True))) for side in sides)
    kl, favourites = (math.nan, *map(_kl, *sides)), (("", ""), *zip(*likeliest, strict=True))
    return Difference(tuple(ids), tuple(map(model.piece, ids)), of_tokens, others, kl, favourites, (math.nan, *leads))


def _end(probabilities: np.ndarray, token: int, upper: bool) -> float:
    """Return where a token's segment of the dice starts or ends: likeliest first, equal ones by id. probabilities: [vocabulary]."""
    probability = probabilities[token]
    before = probabilities[probabilities > probability].sum() + (probabilities[:token] == probability).sum() * probability
    return float(before + probability * upper)


def _free_runs(
    model: LanguageModel, prompt: Sequence[int], runs: Sequence[SamplingSettings], first: _Computed, second: _Computed
) -> tuple[FreeRun, ...]:
    compared_runs = []
    for settings, *sides in zip(runs, first.written, second.written, strict=True):
        written, gap, shift, roll = [tokens for tokens, _logits in sides], math.nan, math.nan, math.nan
        parted = first_difference(*written)
        if parted is not None and settings.greedy:
            gap, other = (
                float(logits[parted].double()[[written[0][parted], written[1][parted]]].diff().neg()) for _tokens, logits in sides
            )
            shift = gap - other
        elif parted is not None:
            history, roll = History.of(model, [*prompt, *written[0][:parted]], len(prompt)), dice.roll(settings.seed, parted)
            strips = [sampling_probabilities(logits[parted], settings, history) for _tokens, logits in sides]
            upper = roll >= _end(strips[1], written[0][parted], True)
            border, moved = (_end(strip, written[0][parted], upper) for strip in strips)
            gap, shift = abs(border - roll), abs(border - moved)
        pieces = [tuple(map(model.piece, tokens)) for tokens in written]
        compared_runs.append(FreeRun(settings.greedy, pieces[0], pieces[1], parted, gap, shift, roll))
    return tuple(compared_runs)


def compared(
    model: LanguageModel, text: str, prompt: str, ways: Sequence[Way], settings: SamplingSettings | None = None, length: int = 24
) -> Iterator[Progress | Comparison | Refused]:
    """Read a text in each way, and write up to `length` tokens after a prompt: greedily, and by the dice of `settings`, if given.

    Yields the comparison of each further way with the first one, or Refused if it is impossible here. Raises EmptyPrompt, PromptTooLong,
    BadSetting, ModelError for a server that divides the text into other tokens, NoRoom, ServerGone. NotForThisModel and BrokenLogits are
    raised for the first way and, if there are two, for the second one.
    """
    length = whole_number(length, Message("The length"), 0, LONGEST)
    ids, begin = _text(model, text, ways), prompt_ids(model, prompt) if length else []
    length = min(length, model.context_length - len(begin))
    runs = [GREEDY, *([] if settings is None else [replace(settings, greedy=False)])] if length else []
    total, reference = len(ids) - 1 + length * len(runs), _Computed()
    for number, way in enumerate(ways):
        computed = reference if number == 0 else _Computed()
        try:
            for progress in _compute(model, way, ids, computed, begin, runs, length):
                yield Progress(number * total + progress, len(ways) * total)
        except ModelError as error:
            if number == 0 or len(ways) == 2:
                raise
            yield Refused(number, error.args[0])
            continue
        if number:
            yield Comparison(number, _difference(model, ids, reference, computed), _free_runs(model, begin, runs, reference, computed))


def compare(model: LanguageModel, text: str, first: Way, second: Way) -> Difference:
    """Return how the log-probabilities of a text differ between two ways. Raises what `compared` raises."""
    *_progress, last = compared(model, text, "", (first, second), length=0)
    assert isinstance(last, Comparison)
    return last.difference


def two_orders(dtype: str, numbers: tuple[float, float, float] = (0.1, 0.3, 0.5)) -> tuple[float, float]:
    """Return (a + b) + c and a + (b + c) of three numbers in this precision.

    >>> two_orders("bfloat16"), two_orders("float32")[0] == two_orders("float32")[1]
    ((0.8984375, 0.90234375), False)
    """
    a, b, c = torch.tensor(numbers, dtype=getattr(torch, dtype))
    return float((a + b) + c), float(a + (b + c))


def sizes(observations: Observations) -> list[float]:
    """Return the largest difference of each way from the first one, nats."""
    return [way.difference.largest for way in observations if isinstance(way, Comparison)]
