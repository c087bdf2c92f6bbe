"""A model on an inference server: the app sends token ids, receives the likeliest tokens, and applies its own stages and sampling.

The tokenizer is local. Each token is one request, and the server's prefix cache replaces `KVCache`. Step, back, branch and "no cache" are
therefore one call, as for a local model. Weights, layers and attention stay on the server.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import torch

from core.backends.backend import Backend
from core.device import Stopwatch
from core.engine.engine import Engine, NetworkChanges
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.engine.shape import ModelShape, without_memory
from core.engine.shape_from_config import EXPERTS, LAYERS, UNBOUNDED_CONTEXT, first_number
from core.errors import BrokenLogits, EmptyPrompt, NotForThisModel, ServerGone, WrongServer
from core.message import Message
from core.record.unlisted_bounds import TopLogprobs
from core.remote.http_client import Answer as HttpAnswer
from core.remote.http_client import HttpClient
from core.remote.llama_cpp import LlamaServer
from core.remote.metrics import ServerMetrics
from core.remote.protocol import ServedStep, Server, other_model, printable
from core.remote.server_kinds import named_by
from core.remote.server_tokenizer import ServerTokenizer
from core.remote.sglang import SGLang
from core.remote.text_routes import beyond, is_cut_too_short, is_doubtful, is_unbounded
from core.remote.vllm import VLLM
from core.sampling.observation import MOST_CANDIDATES, Observation
from core.sources.capabilities import WHY_NOT, Can, require
from core.sources.source import Answer, Forward, LiveAnswer, Logits, Wanted
from core.tokens.token_text import Token, TokenBytes

WANTED = 100  # tokens that a server is asked to list at every step
SAMPLE = "The quick brown fox jumps over 12 lazy dogs, and nobody knows why."
LEAST_LOGPROB = -1e4  # lower bound, because servers write minus infinity in many ways
SLACK = 1e-3  # allowed error of a sum of rounded probabilities
LEAST_SUM = 0.02
LARGEST_VOCABULARY = 4_000_000  # ten times the largest known
MOST_LAYERS, MOST_EXPERTS = 300, 4096  # of a network that is built without memory; each is an object of Python
HIDDEN = 8.0  # the whole rounding error against what differs between two answers for one step, because both share most of it
LEAST_ERROR = 5e-5  # error of a log-probability in float32; vLLM's differ by up to 2.6e-5
ADDITION = 2**-24  # largest relative error of one addition in float32
SAME = 0.05  # log-probabilities of one step asked twice differ by less, even with a half-precision cache
SERVED = frozenset({Can.NEW_TOKENS, Can.TOKEN_IDS, Can.PASSES, Can.ALL_SETTINGS, Can.CHOICE, Can.TEXT, Can.SERVED, Can.FACTS})


class ServerEngine(Engine):
    """An engine that asks a server instead of running a network. Several visitors can ask at the same time, because servers batch."""

    def __init__(self, server: Server, vocabulary_size: int, cache_bytes_per_token: int) -> None:
        super().__init__(_Elsewhere(), torch.device("cpu"), vocabulary_size)
        self.server = server
        self._cache_bytes_per_token = cache_bytes_per_token

    def forward(
        self,
        token_ids: Sequence[int] | np.ndarray,
        cache: KVCache | None = None,
        top_logprobs: int = 0,
        changes: NetworkChanges | None = None,
    ) -> Forward:
        """Return the listed log-probabilities after these tokens. computed_tokens and reused_tokens are the server's counts;
        cache_bytes is computed from them.

        top_logprobs: how many tokens the server is asked to list, if more than WANTED.
        Raises EmptyPrompt, PromptTooLong, BrokenLogits, ServerGone (the call can be repeated when the server is back), WrongServer.
        """
        ids = np.asarray(token_ids, dtype=np.int64).tolist()
        if not ids:
            raise EmptyPrompt("The text is empty. Write a few words first.")
        stopwatch = Stopwatch(self.device)
        with self.same_model():
            served = self.server.step(ids, max(WANTED, top_logprobs), keep=cache is not None)
            listed = self.read(served)
        distribution = Logits(listed.logits(), listed)
        stopwatch.stop()
        self.passes += 1
        held = served.held * self._cache_bytes_per_token if cache is not None else 0
        if cache is not None:
            cache.bytes = held
        reused = min(max(0, served.reused or 0), len(ids) - 1)
        return Forward(distribution, len(ids) - reused, reused, held, served.queue_seconds, stopwatch, served.seconds)

    def request_more_logprobs(self, token_ids: np.ndarray, forward: Forward, count: int = 0, token_id: int = -1) -> Forward:
        """Return the same pass with `count` listed tokens, or with `token_id` listed too, as far as the server lists them."""
        earlier = forward.logits.top_logprobs
        if earlier is None or (token_id < 0 and len(earlier) >= min(count, self.server.limit)):
            return forward
        stopwatch = Stopwatch(self.device, forward.seconds)
        ids = token_ids.tolist()
        with self.same_model():
            served = self.server.look_at(ids, token_id, len(earlier)) if token_id >= 0 else self.server.step(ids, count)
            listed = self.read(served, token_id)
        if _differ(earlier, listed):  # this request changed the probabilities, so its answer cannot be used
            return forward
        distribution = Logits(listed.logits(), listed)
        stopwatch.stop()
        return replace(forward, logits=distribution, stopwatch=stopwatch)

    @contextmanager
    def same_model(self) -> Iterator[None]:
        """Raise ServerGone that says so instead of another error, if the server runs another model by now."""
        try:
            yield
        except (ServerGone, WrongServer, BrokenLogits) as error:
            if self._runs_another_model():
                raise other_model(self.server.client) from error
            raise

    def _runs_another_model(self) -> bool:
        client = self.server.client
        try:
            models = client.get("/v1/models", 5.0).body.get("data")
        except (ServerGone, WrongServer):
            return False
        named = [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []
        same = [entry for entry in named if entry.get("id") == self.server.model_id]
        return bool(named) and (not same or vocabulary_of({"meta": None} | same[0]) not in (0, self.vocabulary_size))

    def read(self, served: ServedStep, token_id: int = -1) -> TopLogprobs:
        """Return the checked and sorted list of a step. A token beyond the `asked` likeliest stays only if it is `token_id`.

        Raises WrongServer for an invalid list, BrokenLogits for NaN.
        """
        where = self.server.client.address.shown
        numbers = [*served.ids, served.sampled]
        valid = set(map(type, numbers)) == {int} and min(numbers) >= 0 and max(numbers) < self.vocabulary_size
        if not valid or not served.ids or len(set(served.ids)) != len(served.ids):
            raise WrongServer(
                "The server at {where} sent token ids that do not exist: its model does not belong to this tokenizer.", where=where
            )
        if not set(map(type, served.logprobs)) <= {int, float}:
            raise WrongServer("The server at {where} sent log-probabilities that are not numbers.", where=where)
        try:
            ids, logprobs = np.array(served.ids, dtype=np.int64), np.array(served.logprobs, dtype=np.float64)
        except OverflowError as error:
            raise WrongServer("The server at {where} sent numbers with hundreds of digits.", where=where) from error
        if np.isnan(logprobs).any():
            raise BrokenLogits("The server at {where} sent NaN log-probabilities, so there are no probabilities.", where=where)
        order = np.lexsort((ids, -logprobs))
        ids, logprobs = ids[order], np.maximum(logprobs[order], LEAST_LOGPROB)
        asked = served.asked
        listed, least = float(np.exp(np.minimum(logprobs[:asked], 1.0)).sum()), float(np.exp(min(0.0, logprobs[:asked][-1])))
        if logprobs[0] > SLACK or listed > 1 + SLACK:
            raise WrongServer(
                "The server at {where} sent values that are not log-probabilities (vLLM: leave --logprobs-mode at its default).",
                where=where,
            )
        if listed + least * (self.vocabulary_size - len(logprobs[:asked])) < 1 - LEAST_SUM:  # unlisted tokens are less likely
            raise WrongServer("The server at {where} sent probabilities that cannot add up to 100 %.", where=where)
        if len(ids) == asked == self.vocabulary_size:  # all tokens: a server's own sum of float32 numbers is not exactly 1
            logprobs = logprobs - np.logaddexp.reduce(logprobs)
        extra = None
        if token_id >= 0 and (matches := np.flatnonzero(ids[asked:] == token_id)).size:
            extra = (token_id, min(0.0, float(logprobs[asked:][matches[0]])))
        return TopLogprobs(ids[:asked], np.minimum(logprobs[:asked], 0.0), self.vocabulary_size, extra)


class ServerModel(LanguageModel):
    """A model on a server that exchanges token ids. Unknown sizes are 0. Network, and shape without a configuration, raise NotForThisModel.

    server_kind: "vLLM", "SGLang" or "llama-server". notes: sentences on missing or different features of this server. logprob_error: the
    rounding error to expect of its log-probabilities, in nats: HIDDEN times what differed when one step was asked in several ways, and what
    no two answers show.
    """

    engine: ServerEngine

    def __init__(
        self, server: Server, tokenizer: Any, facts: dict[str, Any], shape: ModelShape | None, end_token_ids: frozenset[int]
    ) -> None:
        self.server_kind, self.server = server.kind, server
        self.name = f"{printable(facts['id'])} at {server.client.address.shown}"[:300]
        self.tokenizer = tokenizer
        self.device = f"server ({server.kind})"
        self.dtype = self.stored_dtype = printable(facts["dtype"])[:60]
        self._shape = shape
        self.parameter_count = facts["parameters"] or (shape.parameter_count if shape else 0)
        self.weight_bytes = facts["bytes"] or self.parameter_count * facts["item_bytes"]
        self.layer_count = shape.layer_count if shape else 0
        self.vocabulary_size = facts["vocabulary"]
        self.context_length = facts["context"]
        self.cache_bytes_per_token = shape.cache_bytes_per_token(facts["item_bytes"]) if shape else 0
        self.end_token_ids = end_token_ids
        self.engine = ServerEngine(server, self.vocabulary_size, self.cache_bytes_per_token)
        self._bytes: Any = token_bytes(tokenizer)
        self._tokens: dict[int, Token] = {}

    @property
    def can(self) -> frozenset[Can]:
        """What it can do: everything that needs probabilities. Its shape is known from a configuration."""
        shape = {Can.SHAPE} if self._shape is not None else set()
        return SERVED | shape | (super().can & {Can.CHAT})

    def next(self, keys: np.ndarray, cache: Any, wanted: Wanted, earlier: Answer | None = None) -> Answer:
        """Return the listed tokens after these: as many as the settings need."""
        many = is_unbounded(wanted.settings)  # every token can be chosen, so its probability needs a long list
        usual = min(max(wanted.count, wanted.settings.top_k + 1), MOST_CANDIDATES)
        forward = earlier if isinstance(earlier, Forward) else self.engine.forward(keys, cache, MOST_CANDIDATES if many else usual)
        logits = forward.logits
        short = many or is_cut_too_short(logits.top_logprobs, wanted.settings)
        needed = MOST_CANDIDATES if short else usual
        return forward if logits.known >= needed else self.engine.request_more_logprobs(keys, forward, needed)

    def settle(self, keys: np.ndarray, cache: Any, wanted: Wanted, answer: LiveAnswer, observation: Observation | None) -> LiveAnswer:
        """Return the answer if its list makes the choice certain, else one with a longer list."""
        assert isinstance(answer, Forward)
        assert observation is not None
        logits = answer.logits
        listed = observation.chosen < 0 or observation.chosen in logits
        if listed and not is_doubtful(logits.top_logprobs, wanted.settings, wanted.roll):
            return answer
        certain = observation.chosen if observation.stage_kept[-1] == 1 else -1  # a constraint can leave one unlikely token
        token_id = certain if wanted.forced is None else wanted.forced
        further = self.engine.request_more_logprobs(keys, answer, 8 * logits.known, token_id)
        is_longer = further.logits.known > logits.known
        if observation.chosen not in further.logits and not is_longer:
            raise beyond(logits.known, token_id)
        return further if is_longer or not listed else answer

    def load_network(self) -> Any:
        """Raise NotForThisModel: the network is on the server."""
        require(self, Can.NETWORK)

    @property
    def network(self) -> Any:
        """Raise NotForThisModel: weights stay on the server."""
        require(self, Can.NETWORK)

    @property
    def known_shape(self) -> ModelShape | None:
        """The shape from the model's configuration, None without one."""
        return self._shape

    @property
    def shape(self) -> ModelShape:  # type: ignore[override]
        """Return the shape from the model's configuration. Raises NotForThisModel without a configuration."""
        require(self, Can.SHAPE)
        assert self._shape is not None
        return self._shape

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text; see `LanguageModel.encode`. Raises ServerGone, also if the server runs another model by now."""
        with self.engine.same_model():
            return super().encode(text)

    def token(self, token_id: int) -> Token:
        """Return the token of this id without context. One whose bytes are not known yet is looked up again at the next call."""
        token = super().token(token_id)
        if not token.raw:
            self._tokens.pop(token_id, None)
        return token

    def renew(self, fresh: ServerModel) -> None:
        """Use another connection to the same model, with its key, its limit of listed tokens and its notes."""
        self.server = self.engine.server = fresh.server
        self.notes = fresh.notes

    def metrics(self) -> ServerMetrics | None:
        """Return the server's metrics of its cache and queue; None if it has none. Raises ServerGone."""
        text = self.server.client.text("/metrics", patience=3.0)
        return None if text is None else ServerMetrics.read(text)


def served_shape(config: Any) -> ModelShape | None:
    """Return the shape of a model whose network is on a server, from the same network built here without memory.

    Without a known work and cache if it cannot be built. None for more than MOST_LAYERS layers or MOST_EXPERTS experts in one, which no
    published model has.
    """
    text = config.get_text_config()
    experts = first_number(text, *EXPERTS) * getattr(text, "is_moe", True)  # a dense Doge's configuration counts experts too
    if first_number(text, *LAYERS) > MOST_LAYERS or experts > MOST_EXPERTS:
        return None
    try:
        return ModelShape.of(without_memory(config))
    except Exception:  # a stranger's configuration can cause any error
        return replace(ModelShape.from_config(config), work_known=False, cache_known=False)


def vocabulary_of(entry: dict[str, Any]) -> int:
    """Return the number of tokens that the server reports for this model, 0 if it does not."""
    meta = entry["meta"] if isinstance(entry.get("meta"), dict) else {}
    count = _count(meta.get("n_vocab"))
    return count if count <= LARGEST_VOCABULARY else 0


def connect(
    client: HttpClient, tokenizer: Any, config: Any, end_token_ids: frozenset[int], model_class: type[ServerModel] = ServerModel
) -> ServerModel:
    """Connect to a server and return its model, after checking its kind, its tokenizer, and the ids and log-probabilities in its answers.

    tokenizer: of the model that the server runs. config: its transformers configuration, None if unknown. model_class: the model's class.
    Raises ServerGone without a usable answer, WrongServer if the answers cannot be used.
    """
    entry = model_entry(client.first("/v1/models"), client)
    kind = named_by(entry)
    meta = entry["meta"] if isinstance(entry.get("meta"), dict) else {}
    shape = None if config is None else served_shape(config)
    vocabulary = _count(meta.get("n_vocab")) or (shape.vocabulary_size if shape else len(tokenizer))
    if not len(tokenizer) <= vocabulary <= LARGEST_VOCABULARY:
        raise WrongServer(
            "The model of the server at {address} has {vocabulary} tokens, but the tokenizer has {count}.",
            address=client.address.shown,
            vocabulary=vocabulary,
            count=len(tokenizer),
        )
    dtype = "unknown" if config is None else str(getattr(config, "dtype", None) or "unknown").removeprefix("torch.")
    facts = {
        "id": entry["id"],
        "vocabulary": vocabulary,
        "context": _count(meta.get("n_ctx"))
        or _count(entry.get("max_model_len"))
        or (shape.context_length if shape else UNBOUNDED_CONTEXT),
        "parameters": _count(meta.get("n_params")),
        "bytes": _count(meta.get("size")),
        "dtype": str(meta.get("ftype") or dtype),
        # llama-server stores its cache in half precision by default
        "item_bytes": 4 if dtype == "float32" and kind != "llama-server" else 2,
    }
    server: Server = (SGLang if kind == "SGLang" else VLLM)(client, entry["id"], vocabulary)
    if kind == "llama-server":
        server = LlamaServer(client, entry["id"], vocabulary, _letters(tokenizer))
    if isinstance(server, LlamaServer) and isinstance(tokenizer, ServerTokenizer):
        server.words = tokenizer
        tokenizer.list_all = server.list_all
    model = model_class(server, tokenizer, facts, shape, end_token_ids)
    model.notes = _try_out(model)
    return model


def _try_out(model: ServerModel) -> tuple[str, ...]:
    """Compare the tokenizers and two requests for one step; return sentences on missing features of this server. Raises WrongServer."""
    server, where = model.server, model.server.client.address.shown
    token_ids = [int(i) for i in model.tokenizer(SAMPLE, add_special_tokens=False)["input_ids"]]
    theirs = server.tokens(SAMPLE)
    if theirs is not None and theirs != token_ids:
        raise WrongServer(
            "The server at {where} splits text into other tokens than this tokenizer. Choose the tokenizer of the server's model.",
            where=where,
        )
    ids = model.encode(SAMPLE)[: max(1, model.context_length - 1)]
    first = server.step(ids, WANTED)
    notes = []
    listed, other = model.engine.read(first), model.engine.read(server.step_with_other_sampling(ids, WANTED))
    alone = model.engine.read(server.step(ids, WANTED, keep=False))
    model.logprob_error = max(LEAST_ERROR, HIDDEN * max(_error(listed, other), _error(listed, alone))) + _offset(model)
    if _differ(listed, other):
        if server.kind == "llama-server":
            raise WrongServer(
                "The server at {where} sent probabilities after its own sampling settings instead of the model's.", where=where
            )
        notes.append(
            Message(
                "This server lists log-probabilities after its sampling settings. The app sends neutral settings, so "
                "it gets the model's own."
            )
        )
    if first.reused is None:
        notes.append(
            Message("This server does not report reused tokens, so all tokens count as computed (vLLM: --enable-prompt-tokens-details).")
        )
    if server.limit < min(WANTED, model.vocabulary_size):
        notes.append(Message("This server lists {count} tokens at most (vLLM: --max-logprobs for more).", count=server.limit))
    return tuple(notes)


def _offset(model: ServerModel) -> float:
    """Return how far all log-probabilities of a step can be off together, which two answers for one step do not show; nats.

    llama-server adds the weights of all tokens one after the other in float32, the likeliest first (`get_token_probabilities`), and divides
    by this sum. Of 4,096 tokens it is up to 4.6e-5 off, at most 2.4e-4 (Higham 2002, section 4.2).
    """
    return model.vocabulary_size * ADDITION if model.server.kind == "llama-server" else 0.0


def _differ(top: TopLogprobs, other: TopLogprobs) -> bool:
    """Return whether the log-probabilities of the five likeliest tokens of `top` differ in `other`."""
    logprob_of = dict(zip(other.ids.tolist(), other.logprobs.tolist(), strict=True))
    return any(abs(logprob_of.get(i, -math.inf) - p) > SAME for i, p in zip(top.ids[:5].tolist(), top.logprobs[:5].tolist(), strict=True))


def _error(top: TopLogprobs, other: TopLogprobs) -> float:
    """Return the largest difference between the log-probabilities of the twenty likeliest tokens of `top` and those in `other`, in nats."""
    logprob_of = dict(zip(other.ids.tolist(), other.logprobs.tolist(), strict=True))
    pairs = zip(top.ids[:20].tolist(), top.logprobs[:20].tolist(), strict=True)
    return max((abs(logprob_of[i] - p) for i, p in pairs if i in logprob_of), default=0.0)


def model_entry(answer: HttpAnswer, client: HttpClient) -> dict[str, Any]:
    """Return the first model that the server lists, or the one that the address names. Raises ServerGone for an empty list, WrongServer
    for no list and for a model that is not in it."""
    model_id = client.address.model
    data = answer.body.get("data")
    if answer.status == 200 and isinstance(data, list) and data:
        named = [model for model in data if isinstance(model, dict) and isinstance(model.get("id"), str) and 0 < len(model["id"]) <= 500]
        if model_id and named:
            entry = next((model for model in named if model["id"] == model_id), None)
            if entry is None:
                raise WrongServer("The server at {address} has no model with this name.", address=client.address.shown)
            return entry
        if named and named[0] is data[0]:
            return named[0]
    if answer.status == 200 and isinstance(data, list) and not data:
        raise ServerGone("The server at {address} has no model loaded.", address=client.address.shown)
    raise WrongServer(
        "The server at {address} lists no models, so it is not an inference server such as vLLM or llama-server.",
        address=client.address.shown,
    )


def token_bytes(tokenizer: Any) -> Any:
    """Return the bytes of a tokenizer's tokens. A tokenizer on a server knows them itself."""
    return tokenizer if isinstance(tokenizer, ServerTokenizer) else TokenBytes(tokenizer)


def _letters(tokenizer: Any) -> tuple[int, int]:
    """Return two tokens that consist of plain letters."""
    raw = token_bytes(tokenizer)
    letters = (i for i in range(len(tokenizer)) if not raw.is_special(i) and raw[i].isalpha())
    return next(letters, 0), next(letters, 1)


def _count(value: Any) -> int:
    """Return the value if it is a plausible count, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**50 else 0


class _Elsewhere(Backend):
    """The backend of a model on a server; every method raises NotForThisModel."""

    def _refuse(self, *_given: Any, **_named: Any) -> NoReturn:
        raise NotForThisModel(WHY_NOT[Can.NETWORK])

    new_state = run = length = extend = cut = cache_bytes = choose_speed = _refuse
