"""How fast a watched step is: python -m tests.benchmarks.decode [--model storyteller] [--tokens 200] [--repeats 5]

The model may be a shape of `tests.benchmarks.popular` (SmolLM2-135M), written to a folder for the occasion, with random weights.

Three ways to write the same number of tokens behind the same prompt, with the same model, settings and threads, taking turns in one run:

    step      our step: the 20 likeliest tokens, every sampling stage, both entropies, the dice, the record
    generate  transformers' generate(do_sample=True, output_scores=True), in float32
    loop      the bare loop: forward pass, argmax, on, in float32

and beside them llama.cpp's server with 50 log-probabilities a token, by its own timings, with weights in float32 and in bfloat16, where
`tests.servers.build` has made one.

Printed are medians over the repeats, of the ratio also the smallest and the largest. The floor is the time that memory needs to hand over
the weights once, at the speed at which `core.costs.machine` read a long vector just before; a model that fits into the processor's cache
can be faster. Ratios are what counts; on a machine that does other things too, seconds mean little.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import torch
import transformers

from core import Generation, SamplingSettings, load_model
from core.costs.machine import measure
from core.engine.backends import compiled
from core.engine.backends.fast_decoder import FastDecoder
from core.engine.model import LanguageModel
from core.engine.stored_weights import widen
from core.models.hub import BUNDLED, local_folder
from tests.benchmarks.peer import ABSENT, llama_server, seconds_per_token

SETTINGS = SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.95, repetition_penalty=1.1, seed=1)
PROMPT = "Once upon a time there was"
TOP_N = 20
KINDS = ("f32", "bf16")  # in which llama.cpp has the weights


@dataclass(slots=True)
class Lap:
    """What one way took, by repeat. seconds: for all tokens, prompt included. recording: seconds of a step beside its forward pass."""

    seconds: list[float] = field(default_factory=list)
    recording: list[float] = field(default_factory=list)


def step(model: LanguageModel, network: Any, count: int, lap: Lap) -> None:
    run = Generation(model, PROMPT, SETTINGS, top_n=TOP_N)
    started = perf_counter()
    times = []
    for _ in range(count):
        begun = perf_counter()
        made = run.step()
        times.append(perf_counter() - begun - made.forward.seconds)
    lap.seconds.append(perf_counter() - started)
    lap.recording.append(median(times))
    assert len(run.path) == count


def generate(model: LanguageModel, network: Any, count: int, lap: Lap) -> None:
    prompt = torch.tensor([model.encode(PROMPT)], device=model.device)
    mask = torch.ones_like(prompt)
    settings = {name: value for name, value in SETTINGS.as_dict().items() if name not in ("greedy", "seed")}
    started = perf_counter()
    with torch.inference_mode():
        output = network.generate(
            prompt,
            attention_mask=mask,
            do_sample=True,
            **settings,
            max_new_tokens=count,
            eos_token_id=None,
            pad_token_id=0,
            output_scores=True,
            return_dict_in_generate=True,
        )
        written = output.sequences[0].tolist()
    lap.seconds.append(perf_counter() - started)
    assert len(written) == prompt.shape[1] + count


def loop(model: LanguageModel, network: Any, count: int, lap: Lap) -> None:
    ids = torch.tensor([model.encode(PROMPT)], device=model.device)
    started = perf_counter()
    with torch.inference_mode():
        cache = None
        for _ in range(count):
            output = network(ids, past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            ids = output.logits[:, -1:].argmax(-1)
            ids.item()
    lap.seconds.append(perf_counter() - started)


def in_a_folder(name: str, folder: str) -> str:
    """The model's name; of a published shape, a folder with random weights of that shape and as many tokens."""
    from tests.benchmarks.popular import SHAPES

    if name not in SHAPES:
        return name
    shape = SHAPES[name]
    tokenizer = transformers.AutoTokenizer.from_pretrained(BUNDLED / "storyteller")
    marks = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = getattr(transformers, f"{shape.family}Config")(**shape.config, **marks)
    torch.manual_seed(0)
    transformers.AutoModelForCausalLM.from_config(config, dtype=shape.stored).save_pretrained(folder)
    tokenizer.add_tokens([f"<|extra {number}|>" for number in range(len(tokenizer), shape.config["vocab_size"])])
    tokenizer.save_pretrained(folder)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto")
    wanted = parser.parse_args()
    with TemporaryDirectory() as place:
        compare(wanted, in_a_folder(wanted.model, place))


def compare(wanted: argparse.Namespace, name: str) -> None:
    """Measure and print."""
    busy = os.getloadavg()[0]
    model = load_model(name, device=wanted.device, dtype=wanted.dtype)
    model.end_token_ids = frozenset()  # all ways write on past the end of the text, so that they write equally much
    plain = model.network if model.stored_dtype == model.dtype else widen(deepcopy(model.network))
    count = min(wanted.tokens, model.context_length - len(model.encode(PROMPT)))
    ways: list[tuple[str, Callable[[LanguageModel, Any, int, Lap], None]]] = [("step", step), ("generate", generate), ("loop", loop)]
    laps = {name: Lap() for name, _ in ways}
    compiled.wait()
    for _, way in ways:
        way(model, plain, min(count, 30), Lap())  # warming up
    peers: dict[str, list[float]] = {}
    folder: Path | None = local_folder(name) if model.device == "cpu" else None
    with ExitStack() as servers:
        addresses = {kind: servers.enter_context(llama_server(folder, model.engine.threads, kind)) for kind in KINDS} if folder else {}
        for repeat in range(wanted.repeats):
            for place in range(len(ways)):
                way_name, way = ways[(place + repeat) % len(ways)]
                way(model, plain, count, laps[way_name])
            for kind, address in addresses.items():
                if address is not None:
                    peers.setdefault(kind, []).append(seconds_per_token(address, PROMPT, count))

    peak = measure(model.device, model.dtype)
    read = model.engine.backend.weight_bytes if isinstance(model.engine.backend, FastDecoder) else model.weight_bytes
    floor = read / peak.bytes_per_second
    per_token = {way_name: median(lap.seconds) / count for way_name, lap in laps.items()}
    backend = type(model.engine.backend).__name__
    print(f"{wanted.model}: {model.parameter_count / 1e6:.1f}M parameters, {model.dtype} on {model.device}, {backend}")
    print(f"{count} tokens, {wanted.repeats} repeats, {torch.get_num_threads()} of {os.cpu_count()} threads, torch {torch.__version__}")
    print(f"{'':15}{'tokens/s':>10}{'ms/token':>10}{'x generate':>12}{'share of floor':>16}")
    for way_name, seconds in per_token.items():
        print(f"{way_name:15}{1 / seconds:10.0f}{seconds * 1e3:10.2f}{per_token['generate'] / seconds:12.2f}{floor / seconds:16.0%}")
    for kind, times in peers.items():
        seconds = median(times)
        print(f"{f'llama.cpp {kind}':15}{1 / seconds:10.0f}{seconds * 1e3:10.2f}{per_token['generate'] / seconds:12.2f}")
    if not peers:
        print(ABSENT)
    ratios = [theirs / ours for ours, theirs in zip(laps["step"].seconds, laps["generate"].seconds, strict=True)]
    print(f"step against generate: {median(ratios):.2f} [{min(ratios):.2f} {max(ratios):.2f}]")
    print(f"recording a step beside its forward pass: {median(laps['step'].recording) * 1e3:.2f} ms")
    print(f"floor: {floor * 1e3:.2f} ms to read {read / 1e6:.0f} MB of weights at {peak.bytes_per_second / 1e9:.1f} GB/s")
    if busy > 0.7:
        print(f"This machine was busy (load {busy:.1f} before the start): take the ratios, not the seconds.")


if __name__ == "__main__":
    main()
