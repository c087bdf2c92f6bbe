"""What a step on a server costs beside the server's own time: `python -m tests.benchmarks.served`.

Against a stand-in in a process of its own that answers at once in llama-server's words, so that all of the time is ours: the request, the
line, JSON, checking, dice and record. With TOKEN_VIEWER_TEST_SERVER and TOKEN_VIEWER_TEST_TOKENIZER, against that server, whose own clock
is taken off. Two clocks: the processor time of this process, which holds on a busy machine too, and the time that passes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

VOCABULARY = 4096
FIRST = 300  # the favourite's number: a plain word
ROUNDS, STEPS = 4, 25


def answers() -> dict[int, bytes]:
    """One answer to a step for every length of list."""
    logits = np.random.default_rng(5).normal(0.0, 2.5, VOCABULARY)
    logs = np.sort(logits - np.log(np.exp(logits).sum()))[::-1]
    made = {}
    for count in (100, 1000, VOCABULARY):
        listed = [
            {
                "id": FIRST + i if FIRST + i < VOCABULARY else i - VOCABULARY + FIRST,
                "token": " word",
                "bytes": [32, 119, 111, 114, 100],
                "logprob": float(logs[i]),
            }
            for i in range(count)
        ]
        body = {"tokens": [FIRST], "model": "tiny", "tokens_cached": 20, "timings": {"cache_n": 19, "prompt_n": 1, "prompt_ms": 0.0}}
        made[count] = json.dumps(body | {"completion_probabilities": [{"id": FIRST, "top_logprobs": listed}]}).encode()
    return made


def stand_in() -> None:
    """Answer for ever, on one connection after the other; the port is told on standard output."""
    made = answers()
    models = {"data": [{"id": "tiny", "owned_by": "llamacpp", "meta": {"n_vocab": VOCABULARY, "n_ctx": 512}}]}
    with socket.create_server(("127.0.0.1", 0)) as door:
        print(door.getsockname()[1], flush=True)
        while True:
            line, _ = door.accept()
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with line:
                serve(line, made, json.dumps(models).encode())


def serve(line: socket.socket, made: dict[int, bytes], models: bytes) -> None:
    """One connection until the other side hangs up."""
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            part = line.recv(1 << 16)
            if not part:
                return
            data += part
        head, data = data.split(b"\r\n\r\n", 1)
        length = next((int(row.split(b":")[1]) for row in head.split(b"\r\n") if row.lower().startswith(b"content-length")), 0)
        while len(data) < length:
            data += line.recv(1 << 16)
        body, data = data[:length], data[length:]
        path = head.split(b" ", 2)[1]
        answer, status = (models, b"200 OK") if path == b"/v1/models" else (b"{}", b"404 Not Found")
        if path == b"/completion":
            answer, status = made[min(count for count in made if count >= json.loads(body)["n_probs"])], b"200 OK"
        kind = b"application/json; charset=utf-8"
        line.sendall(b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(answer)) + answer)


def main() -> None:
    """Measure and print."""
    from core import Generation, SamplingSettings, load_model

    address, tokenizer = os.environ.get("TOKEN_VIEWER_TEST_SERVER"), os.environ.get("TOKEN_VIEWER_TEST_TOKENIZER", "storyteller")
    helper = None
    if not address:
        helper = subprocess.Popen([sys.executable, "-m", "tests.benchmarks.served", "stand-in"], stdout=subprocess.PIPE, text=True)
        assert helper.stdout is not None
        address = f"http://127.0.0.1:{helper.stdout.readline().strip()}"
    try:
        model = load_model(address, tokenizer=tokenizer)
        cases: dict[str, Any] = {
            "greedy": SamplingSettings(greedy=True),
            "temperature 0.8, top-p 0.9": SamplingSettings(temperature=0.8, top_p=0.9, seed=1),
            "temperature 0.8, top-k 40": SamplingSettings(temperature=0.8, top_k=40, seed=1),
            "temperature 0.8": SamplingSettings(temperature=0.8, seed=1),
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
        for _ in range(ROUNDS):
            for name, settings in cases.items():
                run = Generation(model, "Once upon a time", settings, top_n=50)
                for _ in range(STEPS):
                    began, busy = perf_counter(), process_time()
                    step = run.step()
                    busy = process_time() - busy
                    times[name].append((busy, perf_counter() - began - (step.forward.server_seconds or 0.0)))
        for name, seen in times.items():
            busy, passed = (1000 * median(row[column] for row in seen) for column in (0, 1))
            print(f"{name:28} {busy:6.2f} ms of processor, {passed:6.2f} ms in all, a step beside the server's own time")
    finally:
        if helper is not None:
            helper.kill()


if __name__ == "__main__":
    stand_in() if sys.argv[1:] == ["stand-in"] else main()
