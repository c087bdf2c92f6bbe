"""Remote model behind an inference server: token ids out, top log-probabilities back, our own stages and dice.

The tokenizer is local, one request is one token, and the server's own prefix cache does what `KVCache` does for a local model. So going
on, back, branching and "no cache" stay one call here too. Weights, layers and attention stay on the server.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import torch

from core.device import Stopwatch
from core.engine.engine import Backend, Engine, Forward, Logits
from core.engine.kv_cache.kv_cache import KVCache
from core.engine.model import LanguageModel
from core.engine.shape import UNBOUNDED_CONTEXT, ModelShape
from core.errors import BrokenLogits, EmptyPrompt, NotOnServer, ServerGone, WrongServer
from core.language import N_, _, written
from core.record.top_logprobs import TopLogprobs
from core.remote.http_client import Answer, HttpClient
from core.remote.llama_cpp import LlamaServer
from core.remote.metrics import ServerMetrics
from core.remote.protocol import ServedStep, Server
from core.remote.vllm import VLLM
from core.tokens.tokens import Token, TokenBytes

WANTED = 100  # tokens a server is asked to list at every step, where it will
SAMPLE = "The quick brown fox jumps over 12 lazy dogs, and nobody knows why."
LEAST_LOGPROB = -1e4  # servers write minus infinity in many ways
SLACK = 1e-3  # of a sum of rounded odds
LEAST_SUM = 0.02
LARGEST_VOCABULARY = 4_000_000  # ten times the largest there is
SAME = 0.05  # log-probabilities of one step asked twice differ by less, even with a half-precision cache
NOT_HERE = N_("This model runs on a server, which gives its odds but not its inside. Load a model on this machine to look into it.")
NO_SHAPE = N_("The shape of this model is not known here. Name a tokenizer that comes with the model's config.json.")


class ServerEngine(Engine):
    """Asks a server where the engine of a local model runs the network. Several visitors may ask at once: servers batch by themselves."""

    def __init__(self, server: Server, vocabulary_size: int, cache_bytes_per_token: int) -> None:
        super().__init__(_Elsewhere(), torch.device("cpu"), vocabulary_size)
        self.server = server
        self._cache_bytes_per_token = cache_bytes_per_token

    def forward(self, token_ids: Sequence[int] | np.ndarray, cache: KVCache | None = None, top_logprobs: int = 0) -> Forward:
        """The odds after these tokens. computed_tokens and reused_tokens are the server's own counts; cache_bytes is computed from them.

        top_logprobs: how many tokens it is asked to list, where more than usual are needed.
        Raises EmptyPrompt, PromptTooLong, BrokenLogits, ServerGone (the same call can be made again when it is back), WrongServer.
        """
        ids = np.asarray(token_ids, dtype=np.int64).tolist()
        if not ids:
            raise EmptyPrompt(_("There is no text to go on from yet. Write a few words first."))
        stopwatch = Stopwatch(self.device)
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
        """The same pass with `count` tokens listed, or this one too. What the server will not list is not listed."""
        known = forward.logits.top_logprobs
        if known is None or (token_id < 0 and len(known) >= min(count, self.server.limit)):
            return forward
        stopwatch = Stopwatch(self.device, forward.seconds)
        ids = token_ids.tolist()
        served = self.server.look_at(ids, token_id, len(known)) if token_id >= 0 else self.server.step(ids, count)
        listed = self.read(served, token_id)
        if _differ(known, listed):  # the way of asking changed the odds: what it says about this token cannot be used
            return forward
        distribution = Logits(listed.logits(), listed)
        stopwatch.stop()
        return replace(forward, logits=distribution, stopwatch=stopwatch)

    def read(self, served: ServedStep, token_id: int = -1) -> TopLogprobs:
        """The list of a step, checked and sorted. A token beyond the likeliest that were asked for stays only if it is this one."""
        where = self.server.line.address.shown
        numbers = [*served.ids, served.sampled]
        whole = set(map(type, numbers)) == {int} and min(numbers) >= 0 and max(numbers) < self.vocabulary_size
        if not whole or not served.ids or len(set(served.ids)) != len(served.ids):
            raise WrongServer(
                _("The server at {where} answers with tokens that do not exist: its model is not the one of this tokenizer.").format(
                    where=where
                )
            )
        if not set(map(type, served.logprobs)) <= {int, float}:
            raise WrongServer(_("The server at {where} lists log-probabilities that are no numbers.").format(where=where))
        try:
            ids, logprobs = np.array(served.ids, dtype=np.int64), np.array(served.logprobs, dtype=np.float64)
        except OverflowError as error:
            raise WrongServer(_("The server at {where} answers with numbers of hundreds of digits.").format(where=where)) from error
        if np.isnan(logprobs).any():
            raise BrokenLogits(
                _("The server at {where} answers with numbers that are not numbers (NaN): there are no odds to show.").format(where=where)
            )
        order = np.lexsort((ids, -logprobs))
        ids, logprobs = ids[order], np.maximum(logprobs[order], LEAST_LOGPROB)
        asked = served.asked
        listed, least = float(np.exp(np.minimum(logprobs[:asked], 1.0)).sum()), float(np.exp(min(0.0, logprobs[:asked][-1])))
        if logprobs[0] > SLACK or listed > 1 + SLACK:
            raise WrongServer(
                _("The server at {where} lists something else than log-probabilities (vLLM: leave --logprobs-mode as it is).").format(
                    where=where
                )
            )
        if listed + least * (self.vocabulary_size - len(logprobs[:asked])) < 1 - LEAST_SUM:  # no unlisted token outweighs the last listed
            raise WrongServer(
                _("The server at {where} lists odds that cannot add up to 100 %, whatever it leaves out.").format(where=where)
            )
        extra = None
        if token_id >= 0 and (place := np.flatnonzero(ids[asked:] == token_id)).size:
            extra = (token_id, min(0.0, float(logprobs[asked:][place[0]])))
        return TopLogprobs(ids[:asked], np.minimum(logprobs[:asked], 0.0), self.vocabulary_size, extra)


class ServerModel(LanguageModel):
    """A served model, with the names of core.engine.model.LanguageModel. What nobody tells is 0; network and shape raise NotOnServer.

    server_kind: "vLLM" or "llama-server". notes: sentences on what this server leaves out or does in its own way.
    """

    has_network = False
    engine: ServerEngine

    def __init__(
        self, server: Server, tokenizer: Any, facts: dict[str, Any], shape: ModelShape | None, end_token_ids: frozenset[int]
    ) -> None:
        self.server_kind, self.server = server.kind, server
        self.name = f"{_printable(facts['id'])} at {server.line.address.shown}"[:300]
        self.tokenizer = tokenizer
        self.device = f"server ({server.kind})"
        self.dtype = _printable(facts["dtype"])[:60]
        self._shape = shape
        self.parameter_count = facts["parameters"] or (shape.parameter_count if shape else 0)
        self.weight_bytes = facts["bytes"] or self.parameter_count * facts["item_bytes"]
        self.layer_count = shape.layer_count if shape else 0
        self.vocabulary_size = facts["vocabulary"]
        self.context_length = facts["context"]
        self.cache_bytes_per_token = shape.cache_numbers_per_token * facts["item_bytes"] if shape else 0
        self.end_token_ids = end_token_ids
        self.engine = ServerEngine(server, self.vocabulary_size, self.cache_bytes_per_token)
        self.notes: tuple[str, ...] = ()
        self._bytes = TokenBytes(tokenizer)
        self._tokens: dict[int, Token] = {}

    def load_network(self) -> Any:
        """Raise NotOnServer: the network is on the server."""
        raise NotOnServer(_(NOT_HERE))

    @property
    def network(self) -> Any:
        """Raise NotOnServer: weights stay on the server."""
        raise NotOnServer(_(NOT_HERE))

    @property
    def shape(self) -> ModelShape:  # type: ignore[override]
        """The shape that its configuration says. Raises NotOnServer if there is none."""
        if self._shape is None:
            raise NotOnServer(_(NO_SHAPE))
        return self._shape

    def renew(self, fresh: ServerModel) -> None:
        """Go on with another connection to the same model: its key, what it lists, and what is to be said about it."""
        self.server = self.engine.server = fresh.server
        self.notes = fresh.notes

    def metrics(self) -> ServerMetrics | None:
        """What the server says about its cache and its queue; None if it does not say. Raises ServerGone."""
        text = self.server.line.text("/metrics", patience=3.0)
        return None if text is None else ServerMetrics.read(text)


def connect(line: HttpClient, tokenizer: Any, config: Any, end_token_ids: frozenset[int]) -> ServerModel:
    """Reach a server and make sure that it can be watched: its kind, its tokens, ids and log-probabilities in its answers.

    tokenizer: of the model that the server runs. config: its transformers configuration, None if it is not at hand.
    Raises ServerGone if nothing usable answers, WrongServer if what answers cannot be used.
    """
    models = line.first("/v1/models")
    entry = _entry(models, line)
    llama = entry.get("owned_by") == "llamacpp"
    meta = entry["meta"] if isinstance(entry.get("meta"), dict) else {}
    shape = None if config is None else ModelShape.from_config(config)
    vocabulary = _count(meta.get("n_vocab")) or (shape.vocabulary_size if shape else len(tokenizer))
    if not len(tokenizer) <= vocabulary <= LARGEST_VOCABULARY:
        raise WrongServer(
            _("The server at {address} runs a model of {vocabulary} tokens, the tokenizer knows {count}.").format(
                address=line.address.shown, vocabulary=written(vocabulary), count=written(len(tokenizer))
            )
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
        "item_bytes": 4 if dtype == "float32" and not llama else 2,  # llama-server keeps its cache in half precision unless told
    }
    server: Server = LlamaServer(line, entry["id"], vocabulary, _letters(tokenizer)) if llama else VLLM(line, entry["id"], vocabulary)
    model = ServerModel(server, tokenizer, facts, shape, end_token_ids)
    model.notes = _try_out(model)
    return model


def _try_out(model: ServerModel) -> tuple[str, ...]:
    """Compare the tokenizers and make one step in two ways; sentences on what this server leaves out."""
    server, where = model.server, model.server.line.address.shown
    own = [int(i) for i in model.tokenizer(SAMPLE, add_special_tokens=False)["input_ids"]]
    theirs = server.tokens(SAMPLE)
    if theirs is not None and theirs != own:
        raise WrongServer(
            _("The server at {where} cuts text into other tokens: name the tokenizer of the model that it runs.").format(where=where)
        )
    ids = model.encode(SAMPLE)[: max(1, model.context_length - 1)]
    first = server.step(ids, WANTED)
    notes = []
    if _differ(model.engine.read(first), model.engine.read(server.otherwise(ids, WANTED))):
        if server.kind != "vLLM":
            raise WrongServer(
                _("The server at {where} lists its odds after its own sampling settings, not the model's.").format(where=where)
            )
        notes.append(
            N_(
                "This server lists log-probabilities after its sampling settings; it is asked with neutral ones, which gives the model's "
                "own."
            )
        )
    if first.reused is None:
        notes.append(N_("This server does not say what it reuses, so all tokens count as computed (vLLM: --enable-prompt-tokens-details)."))
    if server.limit < min(WANTED, model.vocabulary_size):
        notes.append(N_("This server lists {count} tokens at most (vLLM: --max-logprobs for more).").format(count=f"{server.limit:,}"))
    return tuple(notes)


def _differ(one: TopLogprobs, other: TopLogprobs) -> bool:
    """Whether the likeliest tokens have other log-probabilities here than there."""
    there = dict(zip(other.ids.tolist(), other.logprobs.tolist(), strict=True))
    return any(abs(there.get(i, -math.inf) - p) > SAME for i, p in zip(one.ids[:5].tolist(), one.logprobs[:5].tolist(), strict=True))


def _entry(answer: Answer, line: HttpClient) -> dict[str, Any]:
    """The first model that the server offers."""
    data = answer.body.get("data")
    if answer.status == 200 and isinstance(data, list) and data and isinstance(data[0], dict):
        name = data[0].get("id")
        if isinstance(name, str) and 0 < len(name) <= 500:
            return data[0]
    if answer.status == 200 and isinstance(data, list) and not data:
        raise ServerGone(_("The server at {address} has no model loaded.").format(address=line.address.shown))
    raise WrongServer(
        _("What answers at {address} is no inference server: it lists no models. vLLM and llama-server do.").format(
            address=line.address.shown
        )
    )


def _letters(tokenizer: Any) -> tuple[int, int]:
    """Two tokens that are nothing but plain letters."""
    raw = TokenBytes(tokenizer)
    known = (i for i in range(len(tokenizer)) if not raw.is_special(i) and raw[i].isalpha())
    return next(known, 0), next(known, 1)


def _count(value: Any) -> int:
    """A plausible count, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**50 else 0


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in str(text))[:200]


class _Elsewhere(Backend):
    """The backend of a model that does not run here."""

    def new_state(self) -> NoReturn:
        raise NotOnServer(_(NOT_HERE))

    def run(self, token_ids: np.ndarray, state: Any | None) -> NoReturn:
        raise NotOnServer(_(NOT_HERE))

    def length(self, state: Any) -> NoReturn:
        raise NotOnServer(_(NOT_HERE))

    def extend(self, state: Any, count: int) -> NoReturn:
        raise NotOnServer(_(NOT_HERE))

    def cut(self, state: Any, length: int) -> NoReturn:
        raise NotOnServer(_(NOT_HERE))

    def bytes(self, state: Any) -> NoReturn:
        raise NotOnServer(_(NOT_HERE))

    def held_bytes(self, state: Any) -> NoReturn:
        raise NotOnServer(_(NOT_HERE))
