"""A llama-server that the app starts for one GGUF file, on a free port of this machine, and ends with the app."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from pathlib import Path
from threading import Lock
from typing import Any

from core.disk_full import disk_full_named
from core.errors import ModelError, NoRoom, quoted
from core.remote.address import Address
from core.remote.http_client import USUAL_ANSWER, Answer, HttpClient
from core.remote.server_model import ServerModel, connect

PROGRAM = "llama-server"
CONTEXT = 8192  # tokens at most, because llama-server reserves the memory of its cache at the start
SECONDS = 300.0  # for reading the file
_GUARD = Path(__file__).with_name("ends_with_app.py")


def program() -> str | None:
    """Return the path of llama-server, None if it is not on the PATH."""
    return shutil.which(PROGRAM)


class LocalServer:
    """A llama-server for one file. It starts with the first request, and again if a request finds it ended.

    It ends with `stop`, with the last reference to it, and with the app, even if the app is killed. Other users of this machine cannot use
    it, because it asks for a key that only this process knows.
    """

    def __init__(self, file: Path, name: str, context: int) -> None:
        """context: of the model, in tokens; 0 if unknown. Raises ModelError if llama-server is not on the PATH."""
        executable = program()
        if executable is None:
            raise ModelError(
                "{name} needs llama-server, which was not found. Install llama.cpp, so that llama-server is on the PATH.", name=quoted(name)
            )
        self._name, self._port, self._key = name, _free_port(), secrets.token_hex(16)
        self._command = [executable, "-m", str(file), "--alias", file.stem[:100], "--host", "127.0.0.1", "--port", str(self._port)]
        self._command += ["-c", str(min(context, CONTEXT) or CONTEXT), "-np", "1", "--metrics", "--no-webui", "--offline"]
        self._running: list[subprocess.Popen[bytes]] = []
        self._lock = Lock()
        self._end = weakref.finalize(self, _stop, self._running)
        self.client = _Client(self, Address.parse(f"http://127.0.0.1:{self._port}"), self._key)

    def start(self) -> None:
        """Start the server unless it runs, and wait until it has read the file. Raises a ModelError."""
        with self._lock:
            if self._running and self._running[0].poll() is None:
                return
            _stop(self._running)
            with disk_full_named(self._name), tempfile.TemporaryFile() as log:
                guarded = [sys.executable, "-I", str(_GUARD), *self._command]
                environment = {**os.environ, "LLAMA_API_KEY": self._key}
                self._running.append(subprocess.Popen(guarded, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment))
                try:
                    _wait(self._running[0], self._port, self._name, log)
                except BaseException:
                    _stop(self._running)
                    raise

    def stop(self) -> None:
        """End the server. Its memory is free afterwards."""
        with self._lock:
            _stop(self._running)


class _Client(HttpClient):
    """The client of a local server, which it starts if necessary."""

    def __init__(self, local: LocalServer, address: Address, key: str) -> None:
        super().__init__(address, key, own=True)
        self._local = weakref.ref(local)

    def _start(self) -> None:
        local = self._local()
        if local is not None:
            local.start()

    def get(self, path: str, patience: float | None = None) -> Answer:
        self._start()
        return super().get(path, patience)

    def post(self, path: str, content: dict[str, Any], patience: float | None = None, most: int = USUAL_ANSWER) -> Answer:
        self._start()
        return super().post(path, content, patience, most)


class LocalServerModel(ServerModel):
    """A GGUF file that a llama-server of this app runs."""

    local: LocalServer

    def close(self) -> None:
        """End the server and free its memory. The next step starts it again."""
        self.local.stop()


def run_file(file: Path, name: str, context: int, tokenizer: Any, end_token_ids: frozenset[int]) -> LocalServerModel:
    """Start a llama-server for this file and return its model. tokenizer: its `client` is set here. Raises a ModelError."""
    local = LocalServer(file, name, context)
    tokenizer.client = local.client
    local.start()
    model = connect(local.client, tokenizer, None, end_token_ids, LocalServerModel)
    assert isinstance(model, LocalServerModel)
    model.local, model.name = local, name
    return model


def _wait(process: subprocess.Popen[bytes], port: int, name: str, log: Any) -> None:
    """Wait until the server answers. Raises ModelError or NoRoom if it ends before."""
    until = time.monotonic() + SECONDS
    client = HttpClient(Address.parse(f"http://127.0.0.1:{port}"), patience=2.0, own=True)
    while time.monotonic() < until:
        if process.poll() is not None:
            log.seek(0)
            output = log.read()[-20_000:].decode("utf-8", "replace")
            if "failed to allocate" in output or "bad_alloc" in output:
                raise NoRoom("There is not enough memory to run {name} with llama-server.", name=quoted(name))
            errors = [line.strip() for line in output.splitlines() if "error" in line.lower() or "failed" in line.lower()]
            why = "".join(c if c.isprintable() else " " for c in errors[0])[-150:] if errors else f"status {process.returncode}"
            raise ModelError("llama-server cannot run {name}: {why}", name=quoted(name), why=quoted(why))
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                pass
            if client.get("/health", 2.0).status == 200:
                return
        except (OSError, ModelError):
            pass
        time.sleep(0.05)
    raise ModelError("llama-server did not load {name} within {seconds} seconds.", name=quoted(name), seconds=int(SECONDS))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _stop(running: list[subprocess.Popen[bytes]]) -> None:
    """End the guards' programs by closing their standard inputs, and wait for them."""
    while running:
        process = running.pop()
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
