"""Plain passes of transformers' network over batches of texts. Each batch waits for its own turn, so that others wait for one at most."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from core.backends.transformers_backend import backend_of, cache_argument
from core.device import enough_memory, network_threads, torch_threads
from core.engine.architecture_limits import possible_with
from core.engine.model import LanguageModel
from core.engine.network_layers import Hook, hooked
from core.errors import BadToken, BrokenLogits, InputError, NotForThisModel
from core.inspection.inside import checked_ids
from core.message import Message
from core.sources.capabilities import Can, require

TOKENS_AT_ONCE = 1_024  # of one batch
WORTH_KEEPING = 4  # tokens that all texts of a batch begin with, from which on they are computed once
MOST_VARIANTS = 512  # of one press
NO_BATCH = Message("{model} gives other probabilities to several texts at once than to each alone, so they cannot be compared.")
NEUTRAL = (" it", "it", " the", ",", " a", " ")  # words that say little; the first that is one token takes the place of a hidden one


class Passes:
    """Batches of texts [rows, tokens] through the network of a model. Raises ModelError for a model on a server."""

    def __init__(self, model: LanguageModel) -> None:
        require(model, Can.NETWORK)
        self.model = model
        self.network = model.load_network()
        accepted = inspect.signature(self.network.forward).parameters
        self._last_only: dict[str, Any] = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._no_cache: dict[str, Any] = {} if cache_argument(self.network) is None else {"use_cache": False}
        self.takes_positions = "position_ids" in accepted
        self._backend = backend_of(model)

    @contextmanager
    def turn(self, gradients: bool = False) -> Iterator[None]:
        """Hold the model's lock. Raises NoRoom instead of the device's error."""
        engine = self.model.engine
        message = Message("There is not enough memory on {device} for this. Use a shorter text.", device=self.model.device)
        mode = torch.enable_grad() if gradients else torch.inference_mode()
        with (
            engine.lock.acquire(),
            torch_threads(network_threads(self.model.parameter_count)),
            mode,
            enough_memory(message),
            possible_with(self.model.name),
        ):
            yield

    def tensor(self, ids: Any) -> torch.Tensor:
        """Return token ids as a tensor on the model's device."""
        return torch.as_tensor(np.asarray(ids, dtype=np.int64)).to(self.model.engine.device)

    def forward(self, hooks: Iterable[Hook] = (), **inputs: Any) -> torch.Tensor:
        """Return the float32 logits [rows, vocabulary] after the last token of each row. Inside of a `turn`."""
        hooks = list(hooks)
        if max(map(len, inputs.values())) > 1 and not self._backend.batches_truly():
            if hooks or inputs.keys() != {"input_ids"}:
                raise NotForThisModel(NO_BATCH.with_values(model=self.model.name))
            return self._backend.last_logits(inputs["input_ids"])
        with hooked(hooks):
            logits: torch.Tensor = self.network(**inputs, **self._last_only, **self._no_cache).logits[:, -1].float()
        return logits

    def logits(self, ids: Any, hooks: Iterable[Hook] = (), **inputs: Any) -> torch.Tensor:
        """Wait for a turn, and return the float32 logits [rows, vocabulary] after these texts [rows, tokens]."""
        with self.turn():
            return checked(self.forward(hooks, input_ids=self.tensor(ids), **inputs))

    def continued(self, ids: np.ndarray, start: int, hooks: Iterable[Hook] = (), **inputs: Any) -> torch.Tensor:
        """Return the same logits for texts that are equal before `start`, whose common beginning is computed once.

        Hooks see the positions from `start` on. Only for a `start` that `beginning` returned.
        """
        if start == 0:
            return self.logits(ids, hooks, **inputs)
        state = self._backend.new_state()
        with self.turn():
            self._backend.run(ids[0, :start], state)
            state.cache.batch_repeat_interleave(len(ids))
            if self.takes_positions:
                places = torch.arange(start, ids.shape[1], device=self.model.engine.device)
                inputs = {"position_ids": places[None].expand(len(ids), -1)} | inputs
            with hooked(hooks):
                output = self.network(
                    input_ids=self.tensor(ids[:, start:]), past_key_values=state.cache, use_cache=True, **inputs, **self._last_only
                )
            return checked(output.logits[:, -1].float())

    def beginning(self, start: int, count: int) -> int:
        """Return from which token on texts of `count` tokens that are equal before `start` are computed separately: `start`, or 0."""
        start = min(start, count - 1)
        if start < WORTH_KEEPING or not self._backend.is_cached or not self._backend.can_read_in_chunks(count):
            return 0
        with self.turn():
            return start if self._backend.batches_truly() else 0

    def log_probabilities(self, ids: np.ndarray, target_id: int, against: int | None = None, **inputs: Any) -> np.ndarray:
        """Return `log_probability` after each of these texts, float64 [rows], nats."""
        differ = (ids != ids[0]).any(0)
        start = self.beginning(int(differ.argmax()), ids.shape[1]) if differ.any() and not inputs else 0
        return log_probability(self.continued(ids, start, **inputs), target_id, against)


def log_probability(logits: torch.Tensor, target_id: int, against: int | None = None) -> np.ndarray:
    """Return log p(target), float64 [rows], for logits [rows, vocabulary].

    against: another token. Then log p(target) - log p(against), which is the difference of their logits.
    """
    rows = logits.double()
    values = rows.log_softmax(-1)[:, target_id] if against is None else rows[:, target_id] - rows[:, against]
    numbers: np.ndarray = values.cpu().numpy()
    return numbers


def checked(logits: torch.Tensor) -> torch.Tensor:
    """Return the logits. Raises BrokenLogits for NaN."""
    if bool(logits.isnan().any()):
        raise BrokenLogits("The model returned NaN logits, so nothing can be compared. Try another model or precision.")
    return logits


def reachable(log_probability_: float, model: LanguageModel, target_id: int, against: int | None = None) -> float:
    """Return this log-probability, or difference of two. Raises BadToken if it is infinite, because then nothing can change it."""
    if not np.isfinite(log_probability_):
        impossible = against if against is not None and log_probability_ > 0 else target_id
        message = Message("The model gives the token {piece} the probability 0, so nothing can be compared. Choose another token.")
        raise BadToken(message.with_values(piece=model.piece(impossible)))
    return float(log_probability_)


def text_and_target(model: LanguageModel, token_ids: Sequence[int] | np.ndarray, target_id: int) -> tuple[np.ndarray, int]:
    """Return the ids, int64 [tokens], and the target's id. Raises EmptyPrompt, BadToken, PromptTooLong, InputError, ModelError."""
    require(model, Can.NETWORK)
    ids = checked_ids(model, token_ids)
    return at_least_two(ids), target(model, target_id)


def at_least_two(ids: np.ndarray) -> np.ndarray:
    """Return the ids. Raises InputError for a text of one token, of which nothing can be taken away."""
    if len(ids) < 2:
        raise InputError("The text has only one token, so nothing can be taken away from it. Write a few words more.")
    return ids


def target(model: LanguageModel, target_id: Any) -> int:
    """Return a token's id as an int. Raises BadToken."""
    if isinstance(target_id, bool) or not isinstance(target_id, int | np.integer):
        raise BadToken("The token to explain is given by its id, a whole number.")
    return model.token(int(target_id)).token_id


def changed(log_probability_: float, effect: float, of_two: bool) -> float:
    """Return the probability after a change with this effect on its logarithm, nats.

    of_two: the log-probability is the difference of two, and the result is the probability of the first token among these two.
    """
    left = log_probability_ - effect
    return 1.0 / (1.0 + math.exp(min(700.0, -left))) if of_two else min(1.0, math.exp(min(700.0, left)))


def other_token(model: LanguageModel, against: Any, target_id: int) -> int | None:
    """Return the id of the token to compare with, None if there is none. Raises BadToken, also for the target itself."""
    if against is None:
        return None
    if (other := target(model, against)) == target_id:
        raise BadToken("Both tokens are the same, so nothing can be compared. Choose another token.")
    return other


def batches(count: int, tokens: int) -> Iterator[range]:
    """Yield the rows of each batch, for `count` texts of this many tokens."""
    rows = max(1, TOKENS_AT_ONCE // max(1, tokens))
    for start in range(0, count, rows):
        yield range(start, min(start + rows, count))


def neutral_token(model: LanguageModel) -> int:
    """Return the token that takes the place of a hidden one: a word that says little, or the first token that is not special."""
    for word in NEUTRAL:
        ids = [i for i in model.encode(word) if not model.token(i).special]
        if len(ids) == 1:
            return ids[0]
    return next((i for i in range(model.vocabulary_size) if not model.token(i).special), 0)
