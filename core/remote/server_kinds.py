"""Which kind of server answers at an address: llama-server, vLLM, SGLang, Ollama, OpenAI and others."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from core.errors import ServerGone, WrongServer
from core.remote.http_client import HttpClient

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


def named_by(entry: dict[str, Any]) -> str:
    """Return the kind of server that an entry of its list of models names as its owner; "" if it names none that is known."""
    return OWNERS.get(str(entry.get("owned_by", "")).lower(), "")


def kind_of(client: HttpClient, entry: dict[str, Any]) -> str:
    """Return what answers there: by the owner that it names, by its own requests, or by its host. entry: of its first model."""
    host = client.address.shown.partition("/")[0].partition(":")[0]
    named = named_by(entry) or HOSTS.get(host)
    if named:
        return named
    for kind, path, field in (("Ollama", "/api/version", "version"), ("LM Studio", "/api/v0/models", "data"), ("TGI", "/info", "model_id")):
        with suppress(ServerGone, WrongServer):
            answer = client.get(path, 5.0)
            if answer.status == 200 and answer.body.get(field):
                return kind
    return UNNAMED
