"""llama.cpp's own speed with the same model: what its server says it took, 20 log-probabilities a token included."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.servers.build import HOME, SERVER
from tests.servers.conftest import free_port

ABSENT = f"llama.cpp: absent; `python -m tests.servers.build` makes its server in {HOME}"
CONVERTER = Path(__file__).parents[1] / "servers" / "convert.py"


@contextlib.contextmanager
def llama_server(folder: Path, threads: int, kind: str = "f32") -> Iterator[str | None]:
    """The address of a running server with the model of this folder in float32 or "bf16"; None where no server was built."""
    if not SERVER.is_file():
        yield None
        return
    with tempfile.TemporaryDirectory() as place:
        file, port = Path(place) / "model.gguf", free_port()
        subprocess.run([sys.executable, str(CONVERTER), str(HOME), str(folder), str(file), kind], capture_output=True, check=True)
        command = [str(SERVER), "-m", str(file), "--host", "127.0.0.1", "--port", str(port), "-c", "2048", "-np", "1", "-t", str(threads)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            address, until = f"http://127.0.0.1:{port}", time.monotonic() + 60
            while time.monotonic() < until:
                with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/health", timeout=1) as answer:
                    if answer.status == 200:
                        break
                time.sleep(0.1)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=20)


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
