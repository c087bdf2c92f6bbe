"""What all tests share: tiny models made once per run, and a guard that keeps every test on this machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["TOKEN_VIEWER_COMPILED"] = "0"  # it would come in the middle of a test, and the last digits change with it; its tests ask for it

LOCAL = {"127.0.0.1", "::1", "localhost", "0.0.0.0", ""}


@pytest.fixture(scope="session", autouse=True)
def nothing_leaves_this_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Make every outside address unreachable, as in a room without network, and hide what this machine may have downloaded before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("no-downloads")))
        connect, look_up = socket.socket.connect, socket.getaddrinfo

        def connect_locally(self: socket.socket, address: Any) -> None:
            if isinstance(address, tuple) and address[0] not in LOCAL:
                raise OSError(101, f"tests stay on this machine, but one wanted to reach {address}")
            connect(self, address)

        def look_up_locally(host: Any, *rest: Any, **named: Any) -> Any:
            if (host.decode() if isinstance(host, bytes) else host or "") not in LOCAL:
                raise socket.gaierror(socket.EAI_AGAIN, f"tests stay on this machine, but one asked for {host!r}")
            return look_up(host, *rest, **named)

        patch.setattr(socket.socket, "connect", connect_locally)
        patch.setattr(socket, "getaddrinfo", look_up_locally)
        yield


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model with random weights, by architecture. Tests read it; those that break it make their own."""
    from transformers.utils import logging

    from tests import tiny_models

    logging.disable_progress_bar()
    return cache(lambda architecture: tiny_models.save(architecture, tmp_path_factory.mktemp(architecture)))


@pytest.fixture(scope="session")
def tiny(tiny_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """A tiny model as `load_model` gives it, by architecture."""
    from core import load_model

    return cache(lambda architecture: load_model(str(tiny_folder(architecture)), device="cpu", dtype="float32"))


@pytest.fixture(scope="session")
def plain(tiny_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """The same model as transformers itself loads it: what ours is compared with."""
    from transformers import AutoModelForCausalLM

    return cache(lambda architecture: AutoModelForCausalLM.from_pretrained(tiny_folder(architecture)).eval())
