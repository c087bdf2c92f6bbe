"""llama.cpp's own speed with the same model: what its server says it took, 20 log-probabilities a token included."""

from __future__ import annotations

import contextlib
import json
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks import programs
from tests.browser.conftest import free_port
from tests.servers.build import HOME, SERVER
from tests.servers.conftest import converted

ABSENT = f"llama.cpp: absent; `python -m tests.servers.build` makes its server in {HOME}"


@contextlib.contextmanager
def llama_server(folder: Path, threads: int, kind: str = "f32") -> Iterator[str | None]:
    """The address of a running server with the model of this folder in float32 or "bf16"; None where no server was built."""
    if not SERVER.is_file():
        yield None
        return
    with tempfile.TemporaryDirectory() as place:
        file, port = converted(Path(place), folder, kind), free_port()
        command = [str(SERVER), "-m", str(file), "--host", "127.0.0.1", "--port", str(port), "-c", "2048", "-np", "1", "-t", str(threads)]
        with programs.program(command):
            programs.wait_for(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}"


def seconds_of_prompt(address: str, token_ids: list[int]) -> float:
    """What the server itself says this prompt took it, computed from nothing."""
    wanted = {"prompt": token_ids, "n_predict": 1, "cache_prompt": False, "temperature": 0.0}
    return float(_timings(address, wanted)["prompt_ms"]) / 1e3


def seconds_per_token(address: str, prompt: str, count: int) -> float:
    """What the server itself says a token took it, by its own timings."""
    wanted = {"prompt": prompt, "n_predict": count, "n_probs": 20, "temperature": 0.9, "top_k": 100, "top_p": 0.95, "ignore_eos": True}
    timings = _timings(address, wanted)
    return float(timings["predicted_ms"]) / 1e3 / float(timings["predicted_n"])


def _timings(address: str, wanted: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(f"{address}/completion", json.dumps(wanted).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        timings: dict[str, Any] = json.load(answer)["timings"]
    return timings
