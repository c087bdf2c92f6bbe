"""Connect to a server by its address: find out which kind of server it is, and what the app can show of its model."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from core.engine.model import LanguageModel
from core.errors import ServerGone, WrongServer
from core.message import Message
from core.remote.http_client import HttpClient
from core.remote.server_model import connect, model_entry, vocabulary_of
from core.remote.server_tokenizer import JOINED, ServerTokenizer, size_by_texts
from core.remote.text_server_model import connect_listed
from core.sources.source import Source

OWNERS = {
    "llamacpp": "llama-server",
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tabbyapi": "TabbyAPI",
    "tensorrt_llm": "TensorRT-LLM",
    "koboldcpp": "KoboldCpp",
}
HOSTS = {
    "api.openai.com": "OpenAI",
    "api.fireworks.ai": "Fireworks",
    "api.together.xyz": "Together",
    "api.deepseek.com": "DeepSeek",
    "openrouter.ai": "OpenRouter",
}
UNNAMED = "OpenAI-compatible"


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


def kind_of(client: HttpClient, entry: dict[str, Any]) -> str:
    """Return what answers there: by the owner that it names, by its own requests, or by its host. entry: of its first model."""
    owner = str(entry.get("owned_by", "")).lower()
    host = client.address.shown.partition("/")[0].partition(":")[0]
    named = OWNERS.get(owner) or HOSTS.get(host)
    if named:
        return named
    for kind, path, field in (("Ollama", "/api/version", "version"), ("LM Studio", "/api/v0/models", "data"), ("TGI", "/info", "model_id")):
        with suppress(ServerGone, WrongServer):
            answer = client.get(path, 5.0)
            if answer.status == 200 and answer.body.get(field):
                return kind
    return UNNAMED
