"""A GGUF file by its path: python -m tests.benchmarks.gguf FILE [--tokens 48] [--repeats 5]

Printed, one line each:

    load       seconds of `load_model(FILE)` in a new process, imports included, and its processor time
    speed      recorded steps per second against those of an ordinary folder with the same weights, in turns: the median of the ratios
    float32    largest difference from transformers' own reading of the file (`gguf_file=`), over the 100 likeliest tokens of three texts
    bfloat16   the same, both in bfloat16
    server     the same, against llama-server on the same file, with its cache in float32; and whether it divides the texts as the app does
    unpacked   the same, against llama-server on a file with these weights in float32: what is left without its 8-bit activations

The last two need `python -m tests.servers.build`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import torch
import transformers

from core import Generation, SamplingSettings, load_model
from core.models.gguf.architectures import config_of
from core.models.gguf.header import read_header
from core.models.gguf.weights import numbers_of, precision_of, write_weights
from core.remote.address import Address
from core.remote.http_client import HttpClient
from tests.benchmarks import programs
from tests.core.models.gguf.making import write
from tests.servers.build import SERVER
from tests.servers.conftest import llama_server

TEXTS = (
    "Once upon a time there was a little fox who lived in a forest.",
    "The capital of France is Paris, and 12 × 12 is 144.",
    "def add(a, b):\n    return a +",
)
LIKELIEST = 100
LOAD = """import time
begun = time.perf_counter()
from core import load_model
load_model({!r})
print(time.perf_counter() - begun, time.process_time())"""
Logprobs = Callable[[list[int]], np.ndarray]


def loading(file: Path) -> tuple[float, float]:
    """Return the seconds of loading in a new process, and the processor time of that process."""
    done = subprocess.run([sys.executable, "-c", LOAD.format(str(file))], capture_output=True, check=True, text=True)
    seconds, used = map(float, done.stdout.split()[-2:])
    return seconds, used


def difference(one: Logprobs, other: Callable[[list[int]], dict[int, float]], texts: list[list[int]]) -> float:
    """Return the largest difference over the likeliest tokens of `one` after each text and each half of it."""
    found: list[float] = []
    for ids in [*texts, *(ids[: len(ids) // 2] for ids in texts)]:
        here, there = one(ids), other(ids)
        found += [abs(float(here[i]) - there[i]) for i in np.argsort(-here)[:LIKELIEST].tolist() if i in there]
    return float(np.max(found))  # NaN stays NaN


def of_model(model: Any) -> Logprobs:
    return lambda ids: torch.log_softmax(model.engine.forward(ids).logits.values.double(), 0).numpy()


def of_network(network: Any) -> Callable[[list[int]], dict[int, float]]:
    def logprobs(ids: list[int]) -> dict[int, float]:
        with torch.inference_mode():
            logits = network(torch.tensor([ids])).logits[0, -1]
        return dict(enumerate(torch.log_softmax(logits.double(), 0).tolist()))

    return logprobs


def of_server(line: HttpClient) -> Callable[[list[int]], dict[int, float]]:
    def logprobs(ids: list[int]) -> dict[int, float]:
        wanted = {"prompt": ids, "n_predict": 1, "n_probs": 4 * LIKELIEST, "temperature": 0.0, "cache_prompt": False, "logit_bias": []}
        listed = line.post("/completion", wanted, most=2**24).body["completion_probabilities"][0]["top_logprobs"]
        return {one["id"]: one["logprob"] for one in listed}

    return logprobs


def agreement(file: Path, texts: list[list[int]]) -> Iterator[str]:
    for name, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        model = load_model(file, device="cpu", dtype=name)
        network = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=dtype)
        yield f"{name:10} {difference(of_model(model), of_network(network), texts):.1e} from transformers' reading"
        del model, network


def servers(file: Path, unpacked: Path, texts: list[list[int]]) -> Iterator[str]:
    model: Any = load_model(file, device="cpu", dtype="float32")
    header = read_header(file)
    write(unpacked, {**header.metadata, "general.file_type": 0}, {tensor.name: values for tensor, values in numbers_of(header.tensors)})
    for name, path in (("server", file), ("unpacked", unpacked)):
        with llama_server(path, unpacked.parent, 0) as process:
            line = HttpClient(Address.parse(f"http://127.0.0.1:{process.port}"))
            programs.wait_for(f"http://127.0.0.1:{process.port}/health", 300)
            content = [{"content": text, "add_special": True, "parse_special": True} for text in TEXTS]
            same = [line.post("/tokenize", one).body["tokens"] for one in content] == texts
            far = difference(of_model(model), of_server(line), texts)
        yield f"{name:10} {far:.1e} from llama-server; {'the same' if same else 'OTHER'} tokens"


def speed(file: Path, folder: Path, tokens: int, repeats: int) -> tuple[float, float, list[float]]:
    """Return the steps per second of the file and of a folder with its weights, and the ratio of each round."""
    header = read_header(file)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config_of(header)), "utf-8")
    write_weights(header, folder / "model.safetensors", precision_of(header, "auto"))
    packed = load_model(file, device="cpu")
    packed.tokenizer.save_pretrained(folder)
    ordinary = load_model(folder, device="cpu")
    found: dict[str, list[float]] = {"file": [], "folder": []}
    for _each in range(repeats + 1):
        for name, model in (("file", packed), ("folder", ordinary)):
            run = Generation(model, TEXTS[0], SamplingSettings(seed=1, top_p=0.95))
            run.step()
            began = perf_counter()
            for _step in range(tokens):
                if run.finished:
                    break
                run.step()
            found[name].append((len(run.path) - 1) / (perf_counter() - began))
    rounds = [a / b for a, b in zip(found["file"][1:], found["folder"][1:], strict=True)]
    return median(found["file"][1:]), median(found["folder"][1:]), rounds


def main() -> None:
    """Print the lines for the file that the command line names."""
    parser = programs.arguments(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=["load", "speed", "agreement", "server"])
    asked = parser.parse_args()
    transformers.logging.disable_progress_bar()
    with TemporaryDirectory() as place:
        if asked.only in (None, "load"):
            seconds, used = loading(asked.file)
            print(f"load       {seconds:.1f} s, {used:.1f} s of processor time")
        if asked.only in (None, "speed"):
            here, there, rounds = speed(asked.file, Path(place) / "folder", asked.tokens, asked.repeats)
            print(f"speed      {here:.1f} steps/s; folder {there:.1f}: {median(rounds):.2f}x [{min(rounds):.2f}, {max(rounds):.2f}]")
        if asked.only in (None, "agreement", "server"):
            texts = [load_model(asked.file, device="cpu").encode(text) for text in TEXTS]
        if asked.only in (None, "agreement"):
            for said in agreement(asked.file, texts):
                print(said, flush=True)
        if asked.only in (None, "server") and SERVER.is_file():
            for said in servers(asked.file, Path(place) / "unpacked.gguf", texts):
                print(said, flush=True)


if __name__ == "__main__":
    main()
