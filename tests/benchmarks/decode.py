"""How fast a recorded step is: python -m tests.benchmarks.decode [--model storyteller] [--tokens 200] [--repeats 5] [--beside FOLDER]

The model may be a shape of `tests.benchmarks.shapes` (SmolLM2-135M), written to a folder for the occasion, with random weights.

Ways to write the same number of tokens behind the same prompt with the same settings, taking turns in one run:

    step           our step on the threads that `load_model` chose: 20 likeliest tokens, every stage, entropies, the dice, the record
    generate f32   transformers' generate(do_sample=True, output_scores=True) on all cores, as it is loaded by `from_pretrained`
    generate bf16  the same in bfloat16; the faster of the two is what a step is compared with
    loop           the bare loop in float32 on all cores: forward pass, argmax, on

and beside them llama.cpp's server with 20 log-probabilities a token, by its own timings without the prompt, with its usual flags on all
cores, with weights in float32 and in bfloat16, where `tests.servers.build` has made one. `--beside FOLDER` compares recorded steps with
another checkout instead.

Below them, how long a prompt of 8 to 500 tokens takes from nothing until the logits of its last token: ours as the app runs it,
transformers' own pass in float32 and bfloat16 on all cores, and llama.cpp's prompt time.

Printed are medians over the repeats, of the ratio also the smallest and the largest. The floor is the time that memory needs to hand over
the weights once, at the speed at which `core.costs.measured_hardware` read a long vector just before; a model that fits into the
processor's cache can be faster. Ratios are what counts; on a machine that does other things too, seconds mean little.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

import numpy as np
import torch
import transformers

from core import Generation, SamplingSettings, load_model
from core.backends import compiled
from core.backends.compiled import kernels
from core.backends.fast_decoder import FastDecoder
from core.costs.measured_hardware import measure, processor
from core.device import device_for, torch_threads
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.models.hub import BUNDLED, find, local_folder
from tests.benchmarks import beside, programs
from tests.benchmarks.peer import ABSENT, llama_server, seconds_of_prompt, seconds_per_token

SETTINGS = SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.95, repetition_penalty=1.1, seed=1)
PROMPT = "Once upon a time there was"
TOP_N = 20
LENGTHS = (8, 16, 64, 256, 500)  # tokens of a prompt
REST = 0.3  # seconds before each measurement; threads of the way before it spin for a while, and take a core
KINDS = ("f32", "bf16")  # in which llama.cpp has the weights


@dataclass(slots=True)
class Lap:
    """What one way took, by repeat. seconds: for all tokens, prompt included. recording: seconds of a step beside its forward pass.

    further: seconds of one token after the first, whose pass reads the prompt.
    """

    seconds: list[float] = field(default_factory=list)
    recording: list[float] = field(default_factory=list)
    further: list[float] = field(default_factory=list)


Way = Callable[[LanguageModel, Any, int, Lap], None]


def step(model: LanguageModel, _network: Any, count: int, lap: Lap) -> None:
    run = Generation(model, PROMPT, SETTINGS, top_n=TOP_N)
    started = perf_counter()
    times = []
    for _ in range(count):
        begun = perf_counter()
        made = run.step()
        times.append(perf_counter() - begun - made.forward.seconds)
        if len(times) == 1:
            after_the_first = perf_counter()
    ended = perf_counter()
    lap.seconds.append(ended - started)
    lap.further.append((ended - after_the_first) / max(1, count - 1))
    lap.recording.append(median(times))
    assert len(run.path) == count


def generate(model: LanguageModel, network: Any, count: int, lap: Lap) -> None:
    prompt = torch.tensor([model.encode(PROMPT)], device=model.device)
    mask = torch.ones_like(prompt)
    settings = {name: getattr(SETTINGS, name) for name in ("temperature", "top_k", "top_p", "min_p", "typical_p", "repetition_penalty")}
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


def prompt_seconds(model: LanguageModel, plain: dict[str, Any], addresses: dict[str, str | None], length: int) -> dict[str, float]:
    """Seconds of one prompt of so many tokens, by way."""
    ids = np.arange(1, length + 1, dtype=np.int64) * 7919 % model.vocabulary_size
    tokens, cores, taken = torch.from_numpy(ids)[None].to(model.device), os.cpu_count() or 1, dict[str, float]()
    sleep(REST)
    started = perf_counter()
    model.engine.forward(ids, KVCache())
    taken["ours"] = perf_counter() - started
    for kind, network in plain.items():
        sleep(REST)
        with torch_threads(cores), torch.inference_mode():
            started = perf_counter()
            network(tokens, use_cache=True, logits_to_keep=1).logits.float().cpu()
            taken[f"transformers {kind}"] = perf_counter() - started
    for kind, address in addresses.items():
        if address is not None:
            sleep(REST)
            taken[f"llama.cpp {kind}"] = seconds_of_prompt(address, ids.tolist())
    return taken


def compare_prompts(model: LanguageModel, plain: dict[str, Any], addresses: dict[str, str | None], repeats: int) -> None:
    """Measure prompts in turns, and print milliseconds and how many times as long transformers' float32 pass takes as ours."""
    print("prompt tokens, ms:")
    for length in (length for length in LENGTHS if length <= model.context_length):
        laps = [prompt_seconds(model, plain, addresses, length) for _ in range(repeats + 1)][1:]  # the first warms up
        times = ", ".join(f"{way} {1e3 * median(lap[way] for lap in laps):.1f}" for way in laps[0])
        ratios = [lap["transformers f32"] / lap["ours"] for lap in laps]
        print(f"{length:5}  {times}; x {median(ratios):.2f} [{min(ratios):.2f} {max(ratios):.2f}]")


def in_a_folder(name: str, folder: str) -> str:
    """The model's name; of a published shape, a folder with random weights of that shape and as many tokens."""
    from tests.benchmarks.shapes import SHAPES

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
    parser = programs.arguments(__doc__)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another checkout of this project")
    wanted = parser.parse_args()
    with TemporaryDirectory() as place:
        name = in_a_folder(wanted.model, place)
        if wanted.beside is not None:
            beside.compare(wanted.beside, name, wanted.tokens, PROMPT, wanted.repeats)
        else:
            compare(wanted, name)


def plain_networks(name: str, device: str) -> dict[str, Any]:
    """transformers' own networks of these files, by kind, loaded without anything of ours."""
    folder = find(name)
    kinds = {"f32": torch.float32, "bf16": torch.bfloat16}
    return {
        kind: transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).to(device_for(device)).eval()
        for kind, dtype in kinds.items()
    }


def vector_extensions() -> str:
    """The widest vectors that compiled code uses on this processor."""
    features = kernels.features()
    return next((name for name in ("avx512f", "avx2", "avx", "neon") if features.get(name)), "no vector extension known")


def on_all_cores(way: Way) -> Way:
    """The same on as many threads of torch's as there are cores, and torch's threads as they were after it."""

    def run(model: LanguageModel, network: Any, count: int, lap: Lap) -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(os.cpu_count() or 1)
        try:
            way(model, network, count, lap)
        finally:
            torch.set_num_threads(before)

    return run


def compare(wanted: argparse.Namespace, name: str) -> None:
    """Measure and print."""
    busy = os.getloadavg()[0]
    model = load_model(name, device=wanted.device, dtype=wanted.dtype)  # first, so that its speed trial is alone
    plain = plain_networks(name, wanted.device)
    model.end_token_ids = frozenset()  # all ways write on past the end of the text, so that they write equally much
    count = min(wanted.tokens, model.context_length - len(model.encode(PROMPT)))
    ways: dict[str, tuple[Way, Any]] = {
        "step": (step, None),
        **{f"generate {kind}": (on_all_cores(generate), network) for kind, network in plain.items()},
        "loop": (on_all_cores(loop), plain["f32"]),
    }
    laps = {name: Lap() for name in ways}
    compiled.wait()
    for way, network in ways.values():
        way(model, network, min(count, 30), Lap())  # warming up
    peers: dict[str, list[float]] = {}
    folder: Path | None = local_folder(name) if model.device == "cpu" else None
    with ExitStack() as servers:
        addresses = {kind: servers.enter_context(llama_server(folder, os.cpu_count() or 1, kind)) for kind in KINDS} if folder else {}
        names = list(ways)
        for repeat in range(wanted.repeats):
            for place in range(len(names)):
                way_name = names[(place + repeat) % len(names)]
                way, network = ways[way_name]
                sleep(REST)
                way(model, network, count, laps[way_name])
            for kind, address in addresses.items():
                if address is not None:
                    sleep(REST)
                    peers.setdefault(kind, []).append(seconds_per_token(address, PROMPT, count))
        report(wanted, model, count, laps, peers, busy)
        compare_prompts(model, plain, addresses, wanted.repeats)


def report(
    wanted: argparse.Namespace, model: LanguageModel, count: int, laps: dict[str, Lap], peers: dict[str, list[float]], busy: float
) -> None:
    """Print the table and the ratios."""
    peak = measure(model.device, model.dtype)
    read = model.engine.backend.weight_bytes if isinstance(model.engine.backend, FastDecoder) else model.weight_bytes
    floor = read / peak.bytes_per_second
    per_token = {way_name: median(lap.seconds) / count for way_name, lap in laps.items()}
    backend = type(model.engine.backend).__name__
    print(f"{processor()}, {vector_extensions()}, reads {peak.bytes_per_second / 1e9:.0f} GB/s")
    print(f"{wanted.model}: {model.parameter_count / 1e6:.1f}M parameters, {model.dtype} on {model.device}, {backend}")
    threads = f"{model.engine.speed.threads} of {os.cpu_count()} cores"
    print(f"{count} tokens, {wanted.repeats} repeats, steps on {threads}, torch {torch.__version__}")
    best = min((name for name in per_token if name.startswith("generate")), key=per_token.__getitem__)
    print(f"{'':15}{'tokens/s':>10}{'ms/token':>10}{'x generate':>12}{'share of floor':>16}")
    for way_name, seconds in per_token.items():
        print(f"{way_name:15}{1 / seconds:10.0f}{seconds * 1e3:10.2f}{per_token[best] / seconds:12.2f}{floor / seconds:16.0%}")
    further = laps["step"].further
    print(f"{'step, no prompt':15}{1 / median(further):10.0f}{median(further) * 1e3:10.2f}{'':12}{floor / median(further):16.0%}")
    for kind, times in peers.items():
        seconds = median(times)
        print(f"{f'llama.cpp {kind}':15}{1 / seconds:10.0f}{seconds * 1e3:10.2f}{per_token[best] / seconds:12.2f}")
    if not peers:
        print(ABSENT)
    ratios = [theirs / ours for ours, theirs in zip(laps["step"].seconds, laps[best].seconds, strict=True)]
    print(f"step against {best}: {median(ratios):.2f} [{min(ratios):.2f} {max(ratios):.2f}]")
    for kind, times in peers.items():
        ratios = [theirs / ours for ours, theirs in zip(further, times, strict=True)]
        print(f"step without the prompt against llama.cpp {kind}: {median(ratios):.2f} [{min(ratios):.2f} {max(ratios):.2f}]")
    print(f"recording a step beside its forward pass: {median(laps['step'].recording) * 1e3:.2f} ms")
    print(f"floor: {floor * 1e3:.2f} ms to read {read / 1e6:.0f} MB of weights at {peak.bytes_per_second / 1e9:.1f} GB/s")
    programs.tell_load(busy)


if __name__ == "__main__":
    main()
