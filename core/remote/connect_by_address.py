"""Connect to a server by its address, without any file of its model: with token ids if it exchanges them, else with texts."""

from __future__ import annotations

from typing import Any

from core.engine.model import LanguageModel
from core.errors import ServerGone, WrongServer
from core.message import Message
from core.remote.http_client import HttpClient
from core.remote.server_kinds import kind_of
from core.remote.server_model import connect, model_entry, vocabulary_of
from core.remote.server_tokenizer import JOINED, ServerTokenizer, size_by_texts
from core.remote.text_server_model import connect_listed
from core.sources.source import Source


def connect_by_address(client: HttpClient) -> Source:
    """Return the model of the server at this address, without any file of the model.

    llama-server, vLLM and SGLang exchange token ids; all others, and an SGLang without /tokenize, give listed probabilities. Raises
    WrongServer, ServerGone.
    """
    answer = client.first("/v1/models")
    entry = model_entry(answer, client)
    kind = kind_of(client, entry)
    if kind in JOINED:
        try:
            return _with_ids(client, entry, kind)
        except ServerGone as error:
            if kind != "SGLang":
                raise WrongServer(
                    "The server at {address} does not split texts into tokens. Give the name of its tokenizer.",
                    address=client.address.shown,
                ) from error
    model = connect_listed(client, kind, entry["id"])
    count = len(answer.body["data"])
    if count > 1 and not client.address.model:
        several = Message(
            "This server has {count} models, and this is its first one. Write # and the name of a model after the address for another one.",
            count=count,
        )
        model.notes = (*model.notes, several)
    return model


def _with_ids(client: HttpClient, entry: dict[str, Any], kind: str) -> LanguageModel:
    """Return the model of a server that exchanges token ids. Raises ServerGone if it does not split texts."""
    size = vocabulary_of(entry) or size_by_texts(client, entry["id"], kind)
    tokenizer = ServerTokenizer.asked(client, entry["id"], size, kind)
    served = connect(client, tokenizer, None, tokenizer.ends)
    shows = Message(
        "{kind} exchanges token ids and lists up to {count} tokens at each step, before the temperature. It divides texts into tokens.",
        kind=kind,
        count=served.server.limit,
    )
    served.notes = (shows, *served.notes)
    return served
