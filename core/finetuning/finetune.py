"""Fine-tune a copy of a model on a few sentences, one optimizer step at a time; each stored step can be restored.

The copy shares the weights of the model until its first step, and the model itself never changes. A step is a forward pass over all
positions of the batch, a backward pass and an AdamW update in torch. Texts like the old training data are trained together with the new
ones (rehearsal, against catastrophic forgetting):

    loss = (1 - rehearsal) x loss of the new text + rehearsal x loss of the old

Models of up to `ALL_WEIGHTS` parameters learn with all of their weights; larger ones with low-rank adapters (LoRA, Hu and others 2021) of
`peft`, whose base stays frozen and shared.
"""

from __future__ import annotations

import copy
import gc
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import torch
from torch import nn
from torch.nn import functional

from core.backends.backend import Backend
from core.device import enough_memory, is_out_of_memory
from core.engine.architecture_limits import must_read_forward, possible_with
from core.engine.model import LanguageModel, NetworkFacts
from core.engine.stored_weights import widen
from core.errors import BadSetting, InputError, NoRoom, NotForThisModel
from core.limits import Limits
from core.message import Message, Number
from core.models.hub import BUNDLED, bundled_names
from core.sources.capabilities import Can, missing

if TYPE_CHECKING:
    from core.backends.transformers_backend import TransformersBackend

LESSONS = BUNDLED / "storyteller" / "rehearsal.txt"  # one lesson of the bundled models a line
WRITTEN = 48  # tokens of a text that a model writes for itself
IGNORED = -100
ALL_WEIGHTS = 20_000_000  # parameters up to which all of them learn
LARGEST = 200_000_000  # parameters of a model that can be taught here
LONGEST_TEXT = 100_000  # characters
MOST_STORED_BYTES = 800_000_000  # of all moments of one training (over thirty of the storyteller); those of all visitors: core.limits
REHEARSED = 8  # old texts in a step, at least: of four, which ones were drawn decided what was remembered
LORA_RANK = 8


def rehearsal_texts(model: LanguageModel, count: int = 64, seed: int = 0) -> list[str]:
    """Return texts like those the model learned from: lessons of the bundled models, or what any other model writes by itself.

    If the training text is not available, the model's own samples replace it (pseudo-rehearsal, Robins 1995).
    """
    if model.name in bundled_names():
        return LESSONS.read_text("utf-8").splitlines()[:count]
    from core.generation.generation import generated
    from core.sampling.settings import SamplingSettings

    texts = []
    for number in range(min(count, 8)):
        run = generated(model, model.token(first_token(model)).text or " ", SamplingSettings(top_p=0.95, seed=seed + number), WRITTEN)
        texts.append(" ".join(run.text.split()))
    return [text for text in texts if any(letter.isalnum() for letter in text)]


def first_token(model: LanguageModel) -> int:
    """Return the first token for a sample: this model's token of the letter "A"."""
    return model.encode("A")[-1]


_ALL: WeakSet[FineTuning] = WeakSet()
_KEEPING = threading.RLock()  # around what one training does with the moments of another


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """learning_rate of AdamW. rows: documents of the new text in a step, at most. length: tokens of a row. rehearsal: share that what the
    model knew has in the loss, 0 to 0.9. seed: of the order of the documents.

    Raises BadSetting.
    """

    learning_rate: float = 6e-4
    rows: int = 8
    length: int = 64
    rehearsal: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        bounds = {"learning_rate": (1e-6, 0.1), "rows": (1, 64), "length": (8, 512), "rehearsal": (0.0, 0.9), "seed": (0, 2**53)}
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            is_whole = isinstance(low, int) and isinstance(high, int)
            if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float) or not low <= value <= high:
                kind = Message("a whole number") if is_whole else Message("a number")
                raise BadSetting(
                    "The {name} must be {kind} from {low} to {high}, not {value}.",
                    name=Message(name.replace("_", " ")),
                    kind=kind,
                    low=low,
                    high=high,
                    value=str(value)[:20],
                )


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """One step, as it was measured.

    index: 1 for the first. loss: nats per token of the new text, before the step; rehearsal_loss: of the old, None without any.
    gradient_norm: of all gradients together, before the clipping to 1. tokens: that were learned from, old and new.
    seconds: forward, backward, update. bytes: of tensors that are there: weights, gradients, optimizer state, and the activations saved
    for the way back. changed: weights that are other numbers than before, of `weights`; None if not counted.
    """

    index: int
    loss: float
    rehearsal_loss: float | None
    gradient_norm: float
    learning_rate: float
    tokens: int
    forward_seconds: float
    backward_seconds: float
    update_seconds: float
    weight_bytes: int
    gradient_bytes: int
    optimizer_bytes: int
    activation_bytes: int

    @property
    def seconds(self) -> float:
        """The whole step."""
        return self.forward_seconds + self.backward_seconds + self.update_seconds


class FineTuning:
    """A copy of a model on its way. text: what is taught, a document a line (or parts of a long one). rehearsal_texts: what it knew.

    Raises NotForThisModel for a model on a server, a recording's or one that is too large; InputError for a text with nothing in it, or far
    too much; NoRoom.
    """

    def __init__(self, model: LanguageModel, text: str, plan: TrainingPlan | None = None, rehearsal_texts: Sequence[str] = ()) -> None:
        self.plan = plan or TrainingPlan()
        self.model = model
        self.documents = documents(model, text, self.plan.length)
        self.rehearsed = [ids for old in rehearsal_texts for ids in documents(model, old, self.plan.length)]
        if self.plan.rehearsal and not self.rehearsed:
            raise InputError("This model has no old training texts. Set “Share of old training texts” to 0.")
        if Can.NETWORK in model.can:
            must_read_forward(model)
        self.adapted = model.parameter_count > ALL_WEIGHTS
        self.index = self.tokens = 0
        self.network: nn.Module = _twin(model, self.adapted)
        backend = _backend_of(model)
        with possible_with(model.name), model.engine.lock.acquire():
            self._in_batches = backend.batches_truly()
        self.trained = {name: weight for name, weight in self.network.named_parameters() if weight.requires_grad}
        self._optimizer = self._new_optimizer()
        self._moments: dict[int, dict[str, torch.Tensor]] = {}
        self._stored_at = 0.0
        with _KEEPING:
            _ALL.add(self)
        self.keep()

    def step(self) -> TrainingStep:
        """Train on one batch and return the step. Raises NoRoom; the weights are then unchanged."""
        rng = Random(f"{self.plan.seed}/{self.index}")
        new = _batch(rng.sample(self.documents, min(self.plan.rows, len(self.documents))), self.network)
        old = None
        if self.plan.rehearsal:
            old = _batch(rng.sample(self.rehearsed, min(max(len(new[0]), REHEARSED), len(self.rehearsed))), self.network)
        message = Message("There is not enough memory for a training step. Use fewer or shorter sentences.")
        try:  # without dropout, so that a step can be repeated exactly
            with enough_memory(message), possible_with(self.model.name):
                with torch.enable_grad(), _KeptForBackward(self.network) as saved:
                    began = perf_counter()
                    loss = self._loss(*new)
                    old_loss = None if old is None else self._loss(*old)
                    share = self.plan.rehearsal
                    total = loss if old_loss is None else (1 - share) * loss + share * old_loss
                    self._wait()
                    forward = perf_counter()
                    total.backward()
                    norm = float(nn.utils.clip_grad_norm_(self.trained.values(), 1.0))
                    backward = perf_counter()
                gradients = sum(_bytes(weight.grad) for weight in self.trained.values() if weight.grad is not None)
                self._optimizer.step()
                self._wait()
                updated = perf_counter()
        finally:
            self._optimizer.zero_grad(set_to_none=True)
        self.index += 1
        tokens = sum(int((batch[1] != IGNORED).sum()) for batch in (new, old) if batch is not None)
        self.tokens += tokens
        return TrainingStep(
            index=self.index,
            loss=float(loss.detach()),
            rehearsal_loss=None if old_loss is None else float(old_loss.detach()),
            gradient_norm=norm,
            learning_rate=self.plan.learning_rate,
            tokens=tokens,
            forward_seconds=forward - began,
            backward_seconds=backward - forward,
            update_seconds=updated - backward,
            weight_bytes=sum(_bytes(weight) for weight in self.network.parameters()),
            gradient_bytes=gradients,
            optimizer_bytes=sum(_bytes(value) for state in self._optimizer.state.values() for value in state.values()),
            activation_bytes=saved.bytes,
        )

    def _loss(self, *batch: torch.Tensor) -> torch.Tensor:
        return (_loss if self._in_batches else _loss_of_single_rows)(self.network, *batch)

    @property
    def moments(self) -> list[int]:
        """Return the steps whose weights are stored, 0 = before the first; `undo` can restore each of them."""
        return sorted(self._moments)

    def keep(self) -> None:
        """Keep the weights of now. When the moments grow too large, every second one between the first and the newest goes.

        Too large are this training's own, or those of all together: then the training that has rested longest gives first, this one last.
        """
        with torch.no_grad():
            self._moments[self.index] = {name: weight.detach().clone() for name, weight in self.trained.items()}
        with _KEEPING:
            self._thin(MOST_STORED_BYTES)
            self._stored_at = perf_counter()
            together = Limits.from_environment().training_megabytes * 1_000_000
            for training in sorted(_ALL, key=lambda training: training._stored_at) if together else ():
                training._thin(training.stored_bytes - max(0, sum(other.stored_bytes for other in _ALL) - together))

    @property
    def stored_bytes(self) -> int:
        """Return the bytes of all stored weights."""
        return len(self._moments) * sum(_bytes(weight) for weight in self.trained.values())

    def _thin(self, most: float) -> None:
        while len(self._moments) > 3 and self.stored_bytes > most:
            for index in self.moments[1:-1:2]:
                del self._moments[index]

    def undo(self, index: int) -> None:
        """Restore the weights after this step, bit for bit, and reset the optimizer; drop later steps. Raises BadSetting if not stored."""
        with _KEEPING, torch.no_grad():
            if index not in self._moments:
                raise BadSetting(
                    "Checkpoints exist after the steps {names}, not {index}.",
                    names=", ".join(map(str, self.moments)),
                    index=str(index)[:20],
                )
            for name, weight in self.trained.items():
                weight.copy_(self._moments[index][name])
            self._moments = {step: weights for step, weights in self._moments.items() if step <= index}
        self.index = index
        self._optimizer = self._new_optimizer()

    def taught(self, name: str) -> LanguageModel:
        """Return the model as it is now, with this name and its own weights; it works like a loaded model."""
        from core.backends.fast_decoder import FastDecoder

        with torch.no_grad():  # RecurrentGemma keeps the states of its last pass, and those of a training step cannot be copied
            single = torch.zeros((1, 1), dtype=torch.long, device=next(self.network.parameters()).device)
            self.network(input_ids=single, use_cache=False)
        network: Any = copy.deepcopy(self.network)
        if self.adapted:
            network = widen(network).merge_and_unload()  # in 16 bits the small changes of the training would be lost
        for weight in network.parameters():
            weight.requires_grad_(False)
        return self._student(name, network.eval(), FastDecoder.of(network))

    def as_it_is(self) -> LanguageModel:
        """Return the model in training, for use between two steps. It changes with every step."""
        network: Any = self.network
        return self._student(self.model.name, network.get_base_model() if self.adapted else network)

    def _student(self, name: str, network: Any, backend: Backend | None = None) -> LanguageModel:
        """Return a model of this network; without a backend of its own, it uses a cache only if the model that is taught does."""
        facts, taught = NetworkFacts.of(network, self.model.tokenizer), _backend_of(self.model)
        if backend is None and not taught.is_cached:
            backend, facts = type(taught)(network, cached=False), replace(facts, shape=facts.shape.without_cache())
        return LanguageModel(name, network, self.model.tokenizer, backend, facts)

    def release(self) -> None:
        """Free the memory; models returned by `taught` stay valid."""
        with _KEEPING:
            _ALL.discard(self)
            self._moments.clear()
        self.trained, self.network = {}, nn.Module()
        self._optimizer = torch.optim.AdamW([torch.zeros(1)])
        gc.collect()

    def _new_optimizer(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.trained.values(), lr=self.plan.learning_rate, betas=(0.9, 0.95), weight_decay=0.0)

    def _wait(self) -> None:
        """Wait until the device has finished, so that measured times are correct."""
        if next(iter(self.trained.values())).is_cuda:
            torch.cuda.synchronize()


def _backend_of(model: LanguageModel) -> TransformersBackend:
    from core.backends.transformers_backend import backend_of  # imports transformers, which takes seconds

    return backend_of(model)


def documents(model: LanguageModel, text: str, length: int) -> list[list[int]]:
    """Return the text as rows of at most `length` + 1 token ids: one document per line, long ones in parts, an end token after each.

    Raises InputError.
    """
    if len(text) > LONGEST_TEXT:
        raise InputError(
            "The text has {count} characters; at most {most} can be taught at a time. Use a part of it.", count=len(text), most=LONGEST_TEXT
        )
    rows: list[list[int]] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        ids = [*model.encode(line.strip()), *sorted(model.end_token_ids)[:1]]
        beyond = next((i for i in ids if i >= model.vocabulary_size), None)
        if beyond is not None:
            raise InputError("This text needs a token that the model has no vector for. Use other words.")
        rows += [ids[start : start + length + 1] for start in range(0, max(1, len(ids) - 1), length)]
    rows = [row for row in rows if len(row) > 1]
    if not rows or not any(letter.isalnum() or ord(letter) > 0x2000 for letter in text):
        raise InputError("The training text is empty. Write a sentence or two.")
    return rows


def _twin(model: LanguageModel, adapted: bool) -> nn.Module:
    """A network of the same kind to be trained: with weights of its own in float32, or with adapters on weights that stay shared."""
    if sentence := missing(model, Can.NETWORK):
        raise NotForThisModel(sentence)
    if model.parameter_count > LARGEST:
        raise NotForThisModel(
            "{model} has {parameter_count} million parameters. The limit for teaching is {largest} million.",
            model=model.name,
            parameter_count=Number(model.parameter_count / 1000000.0, ",.0f"),
            largest=LARGEST // 10**6,
        )
    network = model.load_network()
    with model.engine.lock.acquire():  # the weights may have been unloaded
        try:
            if not adapted:
                twin = widen(copy.deepcopy(network)).eval()
                for weight in twin.parameters():
                    weight.requires_grad_(True)
                return twin
            from peft import LoraConfig, get_peft_model

            shared = copy.deepcopy(network, {id(weight): weight for weight in network.parameters()})
            return get_peft_model(
                shared, LoraConfig(r=LORA_RANK, lora_alpha=2 * LORA_RANK, target_modules="all-linear", task_type="CAUSAL_LM")
            ).eval()
        except Exception as error:
            if is_out_of_memory(error):
                raise NoRoom("There is not enough memory for a copy of {model}.", model=model.name) from error
            raise NotForThisModel("The architecture of {model} cannot be trained here.", model=model.name) from error


def _batch(rows: Sequence[Sequence[int]], network: nn.Module) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids, targets and mask, int64 [rows, longest - 1]; padding is ignored."""
    where = next(network.parameters()).device
    longest = max(map(len, rows)) - 1
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    targets = torch.full((len(rows), longest), IGNORED)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    for number, row in enumerate(rows):
        size = len(row) - 1
        ids[number, :size] = torch.tensor(row[:-1])
        targets[number, :size] = torch.tensor(row[1:])
        mask[number, :size] = 1
    return ids.to(where), targets.to(where), mask.to(where)


def _loss(network: nn.Module, ids: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy per target token, in nats."""
    logits = network(input_ids=ids, attention_mask=mask, use_cache=False).logits
    return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED)


def _loss_of_single_rows(network: nn.Module, ids: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the same for an architecture that gives other probabilities in a batch: one row after the other, without padding."""
    sizes = mask.sum(1).tolist()
    rows = ([tensor[row : row + 1, :size] for tensor in (ids, targets, mask)] for row, size in enumerate(sizes))
    losses = [_loss(network, *row) * size for row, size in zip(rows, sizes, strict=True)]
    return torch.stack(losses).sum() / sum(sizes)


class _KeptForBackward:
    """Counts the bytes that autograd keeps for the way back, each storage once, the weights left out: they are there anyway."""

    def __init__(self, network: nn.Module) -> None:
        self._weights = {weight.untyped_storage().data_ptr() for weight in network.parameters()}
        self._seen: dict[int, int] = {}
        self._hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, lambda tensor: tensor)

    def _pack(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self._weights:
            self._seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    @property
    def bytes(self) -> int:
        """Return the bytes of all saved tensors."""
        return sum(self._seen.values())

    def __enter__(self) -> _KeptForBackward:
        self._hooks.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._hooks.__exit__(*error)


def _bytes(tensor: Any) -> int:
    return tensor.numel() * tensor.element_size() if isinstance(tensor, torch.Tensor) else 0
