"""A model on a server without token ids: only texts and their listed probabilities are known. `generation.listed_run` writes with it."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from core.engine.model import LanguageModel
from core.errors import ModelError, NotOnServer, ServerGone, WrongServer
from core.message import Message
from core.record.listed_tokens import ListedStep
from core.remote.begun_answers import try_ways
from core.remote.http_client import HttpClient
from core.remote.listed import Chat, Completions, OllamaGenerate, Responses, Route, Sampling, TgiGenerate
from core.remote.protocol import printable

ROUTES: dict[str, tuple[type[Route], ...]] = {
    "Ollama": (OllamaGenerate, Chat),
    "LM Studio": (Responses, Chat),
    "TGI": (TgiGenerate, Completions),
}
USUAL = (Completions, Chat, Responses)
COUNTS = (20, 5)  # alternatives that are asked for, the first number that the server accepts
SAMPLE = "The quick brown fox jumps over"
SAME = 0.05  # log-probabilities of one step asked twice differ by less
TEXTS_ONLY = Message(
    "This server sends texts without token ids, so only the page Watch can use it. Choose another model for this page, or connect to "
    "vLLM or llama-server."
)


class ListedModel(LanguageModel):
    """A model that is asked through a `Route`, with the interface of a LanguageModel. What needs token ids
    or the network raises NotOnServer.

    server_kind: what answers at the address. listed: alternatives that the server listed when it was tried. notes: what it can and cannot
    show. before_temperature: its probabilities are the same at every temperature. Sizes are 0, because the server does not report them.
    """

    has_network = False
    has_token_ids = False

    def __init__(self, route: Route, kind: str, listed: int, notes: tuple[str, ...], before_temperature: bool = False) -> None:
        where = route.line.address.shown
        self.name = f"{printable(route.model_id)} at {where}"[:300]
        self.route, self.server_kind, self.listed, self.notes = route, kind, listed, notes
        self.before_temperature = before_temperature
        self.device, self.dtype, self.stored_dtype = f"server ({kind})"[:60], "unknown", "unknown"
        self.parameter_count = self.weight_bytes = self.layer_count = self.cache_bytes_per_token = 0
        self.vocabulary_size = self.context_length = 0
        self.end_token_ids = frozenset()
        self.recommended = None

    @property
    def has_chat_template(self) -> bool:
        """Whether the server takes conversations. Its own template writes them."""
        return self.route.takes_messages

    def __getattr__(self, name: str) -> Any:
        """Raise NotOnServer for what only a model with token ids has."""
        if name in ("engine", "network", "shape", "tokenizer"):
            raise NotOnServer(TEXTS_ONLY)
        raise AttributeError(name)

    def _needs_ids(self, *_given: Any, **_named: Any) -> NoReturn:
        """Raise NotOnServer."""
        raise NotOnServer(TEXTS_ONLY)

    load_network = encode = tokenize = tokenize_messages = token = token_of = _needs_ids

    def renew(self, fresh: ListedModel) -> None:
        """Use another connection to the same model, with its key and its notes."""
        self.route, self.notes, self.listed = fresh.route, fresh.notes, fresh.listed
        self.before_temperature = fresh.before_temperature

    def metrics(self) -> None:
        """Return None: such a server reports no numbers in a known form."""


def connect_listed(line: HttpClient, kind: str, model_id: str) -> ListedModel:
    """Return the model of a server without token ids, after trying which of its routes sends log-probabilities.

    Raises WrongServer if none does, and for invalid answers; ServerGone.
    """
    refusal: ModelError | None = None
    for route_class in ROUTES.get(kind, USUAL):
        for count in COUNTS:
            route = route_class(line, model_id, count)
            try:
                first = route.ask(SAMPLE, 1, Sampling())
            except ServerGone as error:
                refusal = error
                continue
            if first.steps and first.steps[0].listed and first.steps[0].chosen.logprob is not None:
                before = not _depends_on_temperature(route, first.steps[0])
                if isinstance(route, Chat):
                    try_ways(route, kind)
                return ListedModel(route, kind, len(first.steps[0].listed), _notes(route, first.steps[0], before), before)
            break
    said = Message(
        "The server at {address} ({kind}) answers, but sends no log-probabilities, which this app needs.",
        address=line.address.shown,
        kind=kind,
    )
    raise WrongServer(said) from refusal


def _notes(route: Route, step: ListedStep, before_temperature: bool) -> tuple[str, ...]:
    """Return what this server can and cannot show, one sentence each."""
    ids = step.listed[0].token_id is not None
    listed = Message("This server lists {count} tokens at each step, as texts without ids.", count=len(step.listed))
    if ids:
        listed = Message("This server lists {count} tokens at each step with their ids, but it takes only texts.", count=len(step.listed))
    return (
        listed,
        Message("Its probabilities are those before the temperature.")
        if before_temperature
        else Message("Its probabilities change with the temperature, so the app asks for them at temperature 1.")
        if route.continues
        else Message("Its probabilities change with the temperature, so the app asks at temperature 1. Your temperature has no effect."),
        Message(
            "It takes the text again at each step and divides it into tokens by itself. After a token that was chosen by hand, it can "
            "divide the text in another way."
        )
        if route.continues
        else route.why_no_choice,
        *([Message("It writes conversations with its own chat template, which it does not show.")] if route.takes_messages else []),
    )


def _depends_on_temperature(route: Route, step: ListedStep) -> bool:
    """Ask for the same step at another temperature; return whether the listed probabilities differ."""
    try:
        other = route.ask(SAMPLE, 1, Sampling(temperature=0.5))
    except ModelError:
        return False
    there = {one.raw: one.logprob for one in other.steps[0].listed} if other.steps else {}
    pairs = [(one.logprob, there.get(one.raw)) for one in step.listed[:5]]
    return any(b is not None and abs((a or 0.0) - b) > SAME for a, b in pairs) or all(math.isnan(b or math.nan) for _a, b in pairs)
