"""What all tests share: the environment, tiny models made once per run, and a guard that keeps every test on this machine."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

# Set before anything imports the libraries that read them. What the shell says about the hub must not change a result.
for _name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_ENDPOINT", "HF_TOKEN", "HF_HUB_CACHE", "HUGGING_FACE_HUB_TOKEN"):
    os.environ.pop(_name, None)
os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="no-downloads-")
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# Compiled code becomes ready in the middle of a test, and the last digits change with it. Its own tests switch it on.
os.environ["TOKEN_VIEWER_COMPILED"] = "0"
# Threads of torch that wait give their core to the other worker and to the browser. Teach under load: 32 instead of 90 seconds.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
atexit.register(shutil.rmtree, os.environ["HF_HOME"], ignore_errors=True)

LOCAL = {"127.0.0.1", "::1", "localhost", "0.0.0.0", ""}

settings.register_profile("quick", max_examples=20, deadline=None, derandomize=True)
settings.register_profile("exhaustive", max_examples=500, deadline=None)


_guarded = False


def _refuse_outside_addresses(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: raise the error of a machine without a network for every address that is not this machine's."""
    if not _guarded:
        return
    if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] not in LOCAL:
        raise OSError(101, f"tests stay on this machine, but one wanted to reach {arguments[1]}")
    if event == "socket.getaddrinfo":
        host = arguments[0].decode() if isinstance(arguments[0], bytes) else arguments[0] or ""
        if host not in LOCAL:
            raise socket.gaierror(socket.EAI_AGAIN, f"tests stay on this machine, but one asked for {host!r}")


sys.addaudithook(_refuse_outside_addresses)


def _is_exhaustive(config: pytest.Config) -> bool:
    chosen = str(config.option.markexpr)
    return "exhaustive" in chosen and "not exhaustive" not in chosen


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples hypothesis tries: few by default, many with `-m exhaustive`."""
    settings.load_profile("exhaustive" if _is_exhaustive(config) else "quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `-m exhaustive`, run every test of hypothesis again with many examples."""
    if _is_exhaustive(config):
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):
                item.add_marker("exhaustive")


@pytest.fixture(scope="session", autouse=True)
def nothing_leaves_this_machine() -> Iterator[None]:
    """Switch the audit hook on. Tests of live servers replace this fixture."""
    global _guarded
    _guarded = True
    yield
    _guarded = False


@pytest.fixture(scope="session", autouse=True)
def equal_tokenizers_are_tried_once() -> Iterator[None]:
    """Tests load many folders with the same tokenizer; the app tries each file of a folder in a process of its own."""
    from core.models import tokenizer_trial

    real, found = tokenizer_trial._tried, dict[tuple[bytes, float], str]()

    def tried(path: str, changed: int, size: int, seconds: float) -> str:
        key = sha256(Path(path).read_bytes()).digest(), seconds
        if key not in found:
            found[key] = real(path, changed, size, seconds)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizer_trial, "_tried", tried)
        yield


@pytest.fixture
def templates_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render chat templates in this process. Those of a test end, and a process for each takes most of the time of a conversation."""
    from core.chat import chat_template
    from core.chat.chat_template_process import rendered

    def render(asked: str, _seconds: float) -> str:
        given = json.loads(asked)
        try:
            return rendered(*(given[name] for name in ("template", "turns", "values", "longest", "introduce")))
        except Exception as error:
            raise chat_template.TemplateFailed(str(error)) from error

    monkeypatch.setattr(chat_template, "_render", render)


@pytest.fixture(scope="session")
def read_once() -> Callable[[Path, str], Any]:
    """The reader of tokenizers, which reads each folder once."""
    from core.models import loading

    return cache(loading.read_tokenizer)


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch, read_once: Callable[[Path, str], Any]) -> None:
    """Give servers a minute for their first answer, ask again at once, and read their tokenizers once. A test can set shorter times."""
    from core.models import loading
    from core.remote import http_client

    monkeypatch.setattr(http_client, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(http_client, "FIRST_PATIENCE", 60.0)
    monkeypatch.setattr(loading, "read_tokenizer", read_once)


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model with random weights, by architecture. Tests read it; those that change it make their own.

    A folder is made once per run: the workers of xdist share it.
    """
    from transformers.utils import logging

    from tests import tiny_models

    logging.disable_progress_bar()
    own = tmp_path_factory.getbasetemp()
    home = (own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own) / "tiny-models"
    home.mkdir(exist_ok=True)

    @cache
    def folder(architecture: str) -> Path:
        if not (home / architecture).exists():
            made = tiny_models.save(architecture, tmp_path_factory.mktemp(architecture))
            try:
                made.rename(home / architecture)
            except OSError:  # another worker was first
                assert (home / architecture / "config.json").is_file()
        return home / architecture

    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """A tiny model as `load_model` gives it, by architecture. It is loaded once per worker."""
    from core import load_model

    return cache(lambda architecture: load_model(str(tiny_folder(architecture)), device="cpu", dtype="float32"))


@pytest.fixture(scope="session")
def plain(tiny_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """The same model as transformers itself loads it: what ours is compared with."""
    import torch
    from transformers import AutoModelForCausalLM

    @cache
    def load(architecture: str) -> Any:
        with torch.inference_mode(False):  # whoever asks first: these weights are also used where gradients are computed
            return AutoModelForCausalLM.from_pretrained(tiny_folder(architecture)).eval()

    return load


@pytest.fixture(scope="session")
def chat_folder(tiny_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The folder of a tiny Llama with a byte-level tokenizer and a context of 512 tokens, by its chat template. Tests read it."""
    from tests import tiny_models

    @cache
    def folder(template: str = tiny_models.CHAT) -> Path:
        return tiny_models.with_template(tiny_folder("large"), tmp_path_factory.mktemp("chat") / "chatty", template)

    return folder


@pytest.fixture(scope="session")
def chatty(chat_folder: Callable[..., Path]) -> Callable[..., Any]:
    """That model as `load_model` gives it, by its chat template. It is loaded once per worker."""
    from core import load_model

    return cache(lambda *template: load_model(str(chat_folder(*template)), device="cpu"))
