"""Logit lens, attention and embeddings of one step.

Generation does not use this module. An inspection runs its own passes on request and waits for the lock like every visitor.

The fast implementations of attention (sdpa, flash) do not return weights. For one pass over one token the network is switched to the eager
implementation and back. The keys and values of earlier tokens still come from the fast one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import torch

from core.backends.transformers_backend import backend_of
from core.checked_number import whole_number
from core.device import enough_memory
from core.engine.architecture_limits import possible_with
from core.engine.model import LanguageModel
from core.errors import BadToken, BrokenLogits, EmptyPrompt, PromptTooLong
from core.inspection import embeddings
from core.inspection.embeddings import Neighbour
from core.inspection.logit_lens import LayerOutputs, Layers, same_probabilities
from core.message import Message
from core.record import notebook_display
from core.sources.capabilities import Can, require
from core.sources.source import Source
from core.tokens.token_text import Token

CHUNK = 512  # tokens per turn; during a long text others get turns in between
MOST_GUESSES = 1_000
NO_LAYERS = Message("This architecture does not give the state after each layer, so there is no prediction per layer.")
NO_ATTENTION = Message("This architecture has no attention: it keeps one state of the whole text instead of attending to tokens.")
SOME_ATTENTION = Message("Layers {layers} of this model have no attention.")
ONE_WITHOUT = Message("Layer {layers} of this model has no attention.")
HIDDEN_ATTENTION = Message("This architecture does not give its true attention weights, so they are not shown.")
SOME_HIDDEN = Message("The true attention weights of layers {layers} are not known, so they are not shown.")
ONE_HIDDEN = Message("The true attention weights of layer {layers} are not known, so they are not shown.")
TO_NOTHING = Message(
    "The heads of this model have attention sinks that belong to no token. So the shown attention adds up to less than 100 %."
)


def attention_modules(layer: Any) -> list[Any]:
    """Return the modules of a layer that compute attention, by the names that transformers gives their classes."""
    return [part for part in layer.modules() if "Attention" in type(part).__name__ or "Attn" in type(part).__name__]


@contextmanager
def capture_attention(layers: Layers) -> Iterator[dict[int, torch.Tensor]]:
    """Collect the attention weights of a pass in the block: layer index -> weights [heads, positions] of the last position.

    Layers without attention (state spaces, convolutions) are missing, and those whose numbers are no weights. The caller must hold the
    engine's lock, because no other pass may run while the network is switched.
    """
    seen: dict[int, torch.Tensor] = {}

    def note(index: int) -> Any:
        def hook(module: Any, _inputs: Any, output: Any) -> None:
            for part in output if isinstance(output, tuple) else ():
                if isinstance(part, torch.Tensor) and part.dim() == 4 and len(part) == 1 and part.shape[2] and part.is_floating_point():
                    weights = part[0, :, -1].clone()  # a view would keep the weights of all positions
                    if _are_weights(weights, hasattr(module, "sinks")):
                        seen[index] = weights

        return hook

    def ask(_module: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return inputs, named | {"output_attentions": True}

    parts = ((index, part) for index, layer in enumerate(layers.modules) for part in attention_modules(layer))
    hooks = [part.register_forward_hook(note(index)) for index, part in parts]
    hooks.append(layers.model.load_network().register_forward_pre_hook(ask, with_kwargs=True))
    try:
        with _plainly(layers.model.load_network()):
            yield seen
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def _plainly(network: Any) -> Iterator[None]:
    """Use eager attention in the block. Architectures with their own attention return weights when asked."""
    usual = network.get_correct_attn_implementation(None)
    if usual == "eager":
        yield
        return
    network.set_attn_implementation("eager")
    try:
        yield
    finally:
        network.set_attn_implementation(usual)


def _are_weights(weights: torch.Tensor, has_sinks: bool) -> bool:
    """Return whether each head's numbers are probabilities of positions, which add up to 1, or with attention sinks to less."""
    sums, slack = weights.float().sum(1), 1e-3 if weights.dtype in (torch.float32, torch.float64) else 0.02
    return bool((weights >= 0).all() and (sums <= 1 + slack).all() and (has_sinks or (sums >= 1 - slack).all()))


def rows(seen: dict[int, torch.Tensor], layer_count: int, positions: int, keys: Collection[int]) -> tuple[np.ndarray | None, ...]:
    """Return float32 [heads, positions] per layer, None for a layer without known attention; 0 outside of a sliding window.

    keys: how many of the last positions a layer can attend to. Other weights belong to keys that are no tokens, such as compressed ones.
    """
    per_layer: list[np.ndarray | None] = []
    for index in range(layer_count):
        weights = seen.get(index)
        if weights is None or weights.shape[1] not in keys:
            per_layer.append(None)
            continue
        row = np.zeros((weights.shape[0], positions), dtype=np.float32)
        row[:, positions - weights.shape[1] :] = weights.float().cpu().numpy()
        per_layer.append(row)
    return tuple(per_layer)


@dataclass(frozen=True, slots=True)
class Guess:
    """A token with its rank at one layer or position. rank 1 = likeliest; model_probability: softmax of the model's own logits."""

    token_id: int
    text: str
    piece: str
    rank: int
    logit: float
    model_probability: float


@dataclass(frozen=True, slots=True)
class Layer:
    """The probabilities after one layer, computed by the model's own final norm and head (logit lens).

    number: 1 is the first layer, 0 the token's vector before any layer. candidates: the likeliest tokens, best first. entropy: bits.
    rest_model_probability: probability of all unlisted tokens.
    """

    number: int
    candidates: tuple[Guess, ...]
    entropy: float
    rest_model_probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """The inspection of one step. All values belong to the last of `token_ids`, the position that predicts the next token.

    layers: one per layer, the last is the model's own distribution; empty if the layers cannot be read. before: the same before the first
    layer. attention: per layer float32 [heads, positions], each row sums to 1 over the tokens, with sinks to less; None for a layer whose
    attention is missing or not known. notes:
    one sentence for each thing that this kind of model cannot show. seconds: of computation, without waiting.
    """

    model: LanguageModel
    token_ids: tuple[int, ...]
    before: Layer | None
    layers: tuple[Layer, ...]
    attention: tuple[np.ndarray | None, ...]
    notes: tuple[str, ...]
    seconds: float
    _reader: Layers
    _hidden: torch.Tensor | None  # [1 + layers, hidden], input of the first layer and output of each
    _logits: torch.Tensor  # float32 [vocabulary], the model's own

    def _repr_html_(self) -> str:
        """Return the likeliest token after every layer, for a notebook."""
        return notebook_display.framed(f"{len(self.layers)} layers, and what each would say", notebook_display.layers(self.layers))

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the inspected text."""
        return tuple(self.model.token(i) for i in self.token_ids)

    def follow(self, token_id: int) -> tuple[Guess, ...]:
        """Return one token's probability and rank before the first layer and after each layer; empty if the layers cannot be read.

        Raises BadToken for an id outside the vocabulary.
        """
        token = self.model.token(token_id)
        if self._hidden is None:
            return ()
        with self.model.engine.lock.acquire():
            logits = _stacked(self._reader, self._hidden, self._logits)
        token_logits = logits[:, token.token_id]
        chances = torch.exp(token_logits - torch.logsumexp(logits, 1)).tolist()
        ranks = ((logits > token_logits[:, None]).sum(1) + 1).tolist()
        return tuple(
            Guess(token.token_id, token.text, token.piece, rank, logit, chance)
            for rank, logit, chance in zip(ranks, token_logits.tolist(), chances, strict=True)
        )

    def embedding(self, token_id: int) -> np.ndarray:
        """Return a token's vector, float32 [hidden], from the model's embedding table. Raises BadToken."""
        return embeddings.embedding(self.model, token_id)

    def neighbours(self, token_id: int, n: int = 10) -> tuple[Neighbour, ...]:
        """Return the n tokens with the nearest vectors by cosine, nearest first. Raises BadToken."""
        return embeddings.neighbours(self.model, token_id, n)


def inspect_step(model: LanguageModel, token_ids: Sequence[int] | np.ndarray, top_n: int = 10) -> Inside:
    """Inspect the step after these tokens: probabilities after every layer, and attention.

    The last layer's probabilities are those of the step. Raises EmptyPrompt, BadToken, BadSetting, PromptTooLong, BrokenLogits, NoRoom.
    """
    ids, top_n = checked_ids(model, token_ids), whole_number(top_n, "top_n", 0)
    probe = _Probe(model, ids)
    message = Message("There is not enough memory on {device} to inspect a step of {count} tokens.", device=model.device, count=len(ids))
    with enough_memory(message), possible_with(model.name):
        logits, hidden = probe.usual_pass()
        rows = probe.attention_pass(logits)
        with probe.turn():
            stations = () if hidden is None else _read(model, _stacked(probe.layers, hidden, logits), top_n)
    return Inside(
        model=model,
        token_ids=tuple(ids.tolist()),
        before=stations[0] if stations else None,
        layers=stations[1:],
        attention=rows,
        notes=tuple(_notes(model, probe.layers, rows, bool(stations))),
        seconds=probe.seconds,
        _reader=probe.layers,
        _hidden=hidden,
        _logits=logits,
    )


class _Probe:
    """The passes of one inspection. Each waits for its own turn, so that other visitors wait for at most one of them."""

    def __init__(self, model: LanguageModel, ids: np.ndarray) -> None:
        self._model, self._ids = model, ids
        self._backend = backend_of(model)
        self._state: Any = None
        self.layers = Layers(model)
        self.seconds = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the model's lock; the time is added to `seconds`."""
        with self._model.engine.lock.acquire(), torch.inference_mode():
            started = perf_counter()
            yield
            self.seconds += perf_counter() - started

    def _read_all_but_last(self) -> None:
        """Compute keys and values of all tokens but the last; no state if the architecture cannot continue from one."""
        self._state = None
        ids = self._ids[:-1]
        if not len(ids):
            return
        state = self._backend.new_state()
        size = CHUNK if self._backend.can_read_in_chunks(len(self._ids)) else len(ids)
        for start in range(0, len(ids), size):
            with self.turn():
                self._backend.run(ids[start : start + size], state)
        if self._backend.length(state) == len(ids) and self._backend.extend(state, 1):
            self._state = state

    def _run_last(self) -> torch.Tensor:
        return self._backend.run(self._ids if self._state is None else self._ids[-1:], self._state)

    def usual_pass(self) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Return the step's usual logits [vocabulary], and the layers' vectors [1 + layers, hidden] if they can be read."""
        self._read_all_but_last()
        with self.turn():
            with self.layers.listening() as heard:
                logits = self._run_last()
            hidden = _last_of_each(heard, len(self.layers.modules))
            return logits, hidden if hidden is not None and self.layers.speak_truly(hidden[-1], logits) else None

    def attention_pass(self, logits: torch.Tensor) -> tuple[np.ndarray | None, ...]:
        """Return the attention of another pass over the last token; None for each layer if its probabilities differ."""
        nothing: tuple[None, ...] = (None,) * self._model.layer_count
        if not self._model.shape.attention:
            return nothing
        if self._state is not None:
            with self.turn():
                cut = self._backend.cut(self._state, len(self._ids) - 1)
            if not cut:
                self._read_all_but_last()
        with self.turn():
            keys = {len(self._ids)} if self._state is None else {count + 1 for count in self._backend.key_counts(self._state)}
            with capture_attention(self.layers) as seen:
                again = self._run_last()
            if not same_probabilities(again, logits, self._model.dtype):
                return nothing
            return rows(seen, self._model.layer_count, len(self._ids), keys)


def checked_ids(model: LanguageModel, token_ids: Iterable[int] | np.ndarray) -> np.ndarray:
    """Return these ids as int64 [positions], checked for this model. Raises EmptyPrompt, BadToken, PromptTooLong, ModelError."""
    must_be_here(model)
    return existing_ids(model, token_ids)


def existing_ids(model: LanguageModel, token_ids: Iterable[int] | np.ndarray) -> np.ndarray:
    """Return these ids as int64 [positions], also for a model on a server. Raises EmptyPrompt, BadToken, PromptTooLong."""
    try:
        ids = np.array(list(token_ids))
    except (TypeError, ValueError) as error:
        raise BadToken("Tokens are given as a sequence of ids.") from error
    if ids.size == 0:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise BadToken("Tokens are given as a sequence of ids.")
    strange = ids[(ids < 0) | (ids >= model.vocabulary_size)]
    if len(strange):
        raise BadToken(
            "Token id {strange} does not exist. The ids of this model are 0 to {last}.", strange=strange[0], last=model.vocabulary_size - 1
        )
    if len(ids) > model.context_length:
        raise PromptTooLong(
            "The text has {count} tokens; {model} takes at most {most}. Shorten it.",
            count=len(ids),
            model=model.name,
            most=model.context_length,
        )
    return ids.astype(np.int64)


def must_be_here(model: LanguageModel) -> None:
    """Raise ModelError for a model on a server, whose network is not accessible."""
    require(model, Can.NETWORK)


def _last_of_each(heard: LayerOutputs, layer_count: int) -> torch.Tensor | None:
    """Return the last position's vectors [1 + layers, hidden], or None if a layer's output is missing or of another size."""
    if heard.handed_in is None or layer_count == 0 or len(heard.handed_on) != layer_count:
        return None
    vectors = [heard.handed_in[-1], *(heard.handed_on[index][-1] for index in range(layer_count))]
    if any(vector.shape != vectors[-1].shape for vector in vectors):
        return None
    return torch.stack([vector.to(vectors[-1].device) for vector in vectors])


def _stacked(layers: Layers, hidden: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
    """Return logits [1 + layers, vocabulary] of the logit lens; the last row is the model's own."""
    return torch.cat([*layers.answers(hidden[:-1]), last[None]])


def _read(model: LanguageModel, logits: torch.Tensor, top_n: int) -> tuple[Layer, ...]:
    """Return the likeliest tokens, entropy and unlisted probability of each row of logits [rows, vocabulary]."""
    chances = torch.softmax(logits, 1)
    if bool(chances.isnan().any()):
        raise BrokenLogits("The model returned NaN logits, so there is nothing to show. Try another model or precision.")
    entropies = (torch.special.entr(chances).sum(1) / np.log(2)).tolist()
    top = torch.topk(logits, max(1, min(top_n, MOST_GUESSES, logits.shape[1])))
    shares = chances.gather(1, top.indices)
    layers = []
    for number, (ids, scores, parts) in enumerate(zip(top.indices.tolist(), top.values.tolist(), shares.tolist(), strict=True)):
        guesses = tuple(guess(model, i, rank, score, part) for rank, (i, score, part) in enumerate(zip(ids, scores, parts, strict=True), 1))
        layers.append(Layer(number, guesses, entropies[number], max(0.0, 1.0 - sum(parts))))
    return tuple(layers)


def guess(model: Source, token_id: int, rank: int, logit: float, probability: float) -> Guess:
    """Return a token with its rank, logit and probability."""
    token = model.token(token_id)
    return Guess(token_id, token.text, token.piece, rank, logit, probability)


def _notes(model: LanguageModel, layers: Layers, rows: tuple[np.ndarray | None, ...], readable: bool) -> Iterable[str]:
    """Yield one sentence for each thing that cannot be shown."""
    if not readable:
        yield NO_LAYERS
    missing = [index for index, row in enumerate(rows) if row is None]
    if len(missing) == len(rows):
        yield HIDDEN_ATTENTION if model.shape.attention else NO_ATTENTION
    else:
        hidden = [index for index in missing if attention_modules(layers.modules[index])]
        yield from _of_layers(sorted({*missing} - {*hidden}), ONE_WITHOUT, SOME_ATTENTION)
        yield from _of_layers(hidden, ONE_HIDDEN, SOME_HIDDEN)
    if any(row is not None and bool((row.sum(1) < 0.99).any()) for row in rows):
        yield TO_NOTHING


def _of_layers(indices: Sequence[int], singular: Message, plural: Message) -> Iterable[str]:
    """Yield the sentence about these layers, none if there are none."""
    *some, last = [str(index + 1) for index in indices] or [""]
    if some:
        yield plural.with_values(layers=Message("{some} and {last}", some=", ".join(some), last=last))
    elif last:
        yield singular.with_values(layers=last)
