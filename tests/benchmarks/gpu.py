"""How fast a watched step is on a GPU, and how close: python -m tests.benchmarks.gpu [--sizes 0.1B 1B 8B] [--tokens 200] [--tiny]

Llamas of three sizes with random weights in bfloat16. Four ways to write the same number of tokens behind the same prompt, taking turns:

    step              our recorded step, the forward pass as transformers launches it
    loop              the bare loop: forward pass, argmax, on
    generate          transformers' generate(do_sample=True)
    generate, static  the same with a static cache, which transformers compiles on a GPU

The share of the bandwidth is what a step must read (every weight but the table of the embeddings, the keys and values so far) against what
`core.costs.measured_hardware` read per second just before. Then the same weights go to the CPU in float32 and read the same text: printed
are the largest differences between its record and that of our way, of a logit, a probability and an entropy (bits) over all listed tokens
and stages, and at how many steps they rolled the CPU's token. It differs from it by bfloat16.

`--tiny` runs the script itself on a CPU in seconds; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import torch
import transformers

from core import Generation, SamplingSettings, list_models, load_model
from core.backends.backend import Backend
from core.backends.transformers_backend import TransformersBackend
from core.costs.measured_hardware import measure
from core.engine.model import LanguageModel
from core.record.step import TokenDistribution
from core.sampling.settings import SETTINGS as TABLE

PROMPT = "Once upon a time there was a little fox who wanted to see the sea. "
SETTINGS = SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.95, repetition_penalty=1.1, seed=1)
SIZES: dict[str, dict[str, Any]] = {  # SmolLM2 135M, Llama 3.2 1B, Llama 3.1 8B
    "tiny": dict(hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2),
    "0.1B": dict(hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3),
    "1B": dict(hidden_size=2048, intermediate_size=8192, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8),
    "8B": dict(hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8),
}
VOCABULARY = {"tiny": 4096, "0.1B": 49152}  # the others: 128256
STEP = "step"


@dataclass(slots=True)
class Apart:
    """The largest differences from the CPU, and how many of the steps would have taken the same token."""

    logit: float = 0.0
    probability: float = 0.0
    entropy: float = 0.0
    same: int = 0
    steps: int = 0


@dataclass(slots=True)
class Row:
    """One way: seconds for all tokens by repeat, and how far its records are from the CPU's (only our own ways)."""

    seconds: list[float] = field(default_factory=list)
    apart: Apart | None = None


def network_of(size: str, device: str) -> Any:
    """A Llama of this size with random weights; its logits spread by about 3, so that its odds are far from even."""
    config = transformers.LlamaConfig(
        **SIZES[size],
        vocab_size=VOCABULARY.get(size, 128256),
        max_position_embeddings=4096,
        tie_word_embeddings=size != "8B",
        eos_token_id=None,
    )
    torch.manual_seed(0)
    with torch.device(device):
        network = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    with torch.no_grad():
        network.model.norm.weight.fill_(3 / (config.initializer_range * config.hidden_size**0.5))
    return network


def model_of(network: Any, tokenizer: Any, backend: Backend) -> LanguageModel:
    model = LanguageModel("random", network, tokenizer, backend)
    model.end_token_ids = frozenset()  # all ways write on past the end of the text, so that they write equally much
    return model


def finish(network: Any) -> None:
    if network.device.type == "cuda":
        torch.cuda.synchronize()


def step(model: LanguageModel, count: int) -> None:
    run = Generation(model, PROMPT, SETTINGS)
    for _ in range(count):
        run.step()


def loop(network: Any, prompt: torch.Tensor, count: int) -> None:
    ids, cache = prompt, None
    with torch.inference_mode():
        for _ in range(count):
            output = network(ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
            cache = output.past_key_values
            ids = output.logits[:, -1:].argmax(-1)
            ids.item()


def generate(network: Any, prompt: torch.Tensor, count: int, **cache: str) -> None:
    settings = {name: value for name, value in SETTINGS.as_dict().items() if TABLE[name].where != "dialog" and TABLE[name].stage}
    mask = torch.ones_like(prompt)
    with torch.inference_mode():
        written = network.generate(prompt, attention_mask=mask, do_sample=True, **settings, max_new_tokens=count, pad_token_id=0, **cache)
    assert written.shape[1] == prompt.shape[1] + count


def timed(network: Any, ways: dict[str, Callable[[int], None]], count: int, repeats: int) -> dict[str, Row]:
    """Let the ways take turns, after one round to warm up. A way that this machine cannot go is left out, with a line that says so."""
    rows: dict[str, Row] = {}
    for name, way in ways.items():
        try:
            way(count)  # as long as the rounds that count, so that every buffer and every recording is there
            rows[name] = Row()
        except Exception as error:
            print(f"{name}: does not run here ({str(error).splitlines()[0][:150]})", file=sys.stderr)
    for repeat in range(repeats):
        order = list(rows)
        for name in order[repeat % len(order) :] + order[: repeat % len(order)]:
            finish(network)
            started = perf_counter()
            ways[name](count)
            finish(network)
            rows[name].seconds.append(perf_counter() - started)
    return rows


def taken(model: LanguageModel, tokens: list[int]) -> list[tuple[TokenDistribution, int]]:
    """What was seen before each of these tokens was taken, and which one would have been rolled."""
    run, seen = Generation(model, PROMPT, SETTINGS, top_n=50), list[tuple[TokenDistribution, int]]()
    for token in tokens:
        rolled = run.step()
        seen.append((rolled, rolled.token_id))
        if rolled.token_id != token:
            run.go_to(len(run.path) - 1)
            run.force(token)
    return seen


def compare(found: list[tuple[TokenDistribution, int]], expected: list[tuple[TokenDistribution, int]]) -> Apart:
    apart = Apart(steps=len(found))
    for (distribution, token), (true, its) in zip(found, expected, strict=True):
        apart.same += token == its
        _, here, there = np.intersect1d(distribution.token_ids, true.token_ids, return_indices=True)
        apart.logit = max(apart.logit, float(np.abs(distribution.logits[here] - true.logits[there]).max()))
        apart.probability = max(apart.probability, float(np.abs(distribution.probabilities[:, here] - true.probabilities[:, there]).max()))
        apart.entropy = max(apart.entropy, float(np.abs(np.subtract(distribution.stage_entropies, true.stage_entropies)).max()))
    return apart


def bytes_read(model: LanguageModel, prompt: int, count: int) -> float:
    """Bytes a step must read on average: all weights but the rows of the table that are not looked up, and the keys and values so far."""
    table = model.network.get_input_embeddings().weight
    tied = model.network.get_output_embeddings().weight.data_ptr() == table.data_ptr()
    return model.weight_bytes - (0 if tied else table.nbytes) + model.cache_bytes_per_token * (prompt + count / 2)


def bench(size: str, device: str, tokenizer: Any, count: int, repeats: int, checked: int) -> list[str]:
    """Rows of the table for one size."""
    peak = measure(device, "bfloat16")
    network = network_of(size, device)
    models = {STEP: model_of(network, tokenizer, TransformersBackend(network))}
    prompt = torch.tensor([models[STEP].encode(PROMPT)], device=device)
    ways: dict[str, Callable[[int], None]] = {
        **{name: partial(step, model) for name, model in models.items()},
        "loop": partial(loop, network, prompt),
        "generate": partial(generate, network, prompt),
        "generate, static": partial(generate, network, prompt, cache_implementation="static"),
    }
    rows = timed(network, ways, count, repeats)
    amount = bytes_read(models[STEP], prompt.shape[1], count)

    leader = Generation(models[STEP], PROMPT, SETTINGS)
    tokens = [leader.step().token_id for _ in range(checked)]
    records = {name: taken(model, tokens) for name, model in models.items()}
    models.clear()
    ways.clear()
    network.to("cpu", torch.float32)  # the same weights
    expected = taken(model_of(network, tokenizer, TransformersBackend(network)), tokens)
    for name, record in records.items():
        if name in rows:
            rows[name].apart = compare(record, expected)
    return [line(size, name, row, count, rows["loop"], amount / peak.bytes_per_second) for name, row in rows.items()]


def line(size: str, name: str, row: Row, count: int, loop: Row, floor: float) -> str:
    """One line of the table. floor: seconds that the memory needs for a token."""
    seconds = median(row.seconds) / count
    apart = row.apart
    parity = (
        ["", "", "", ""]
        if apart is None
        else [f"{apart.logit:.3f}", f"{apart.probability:.4f}", f"{apart.entropy:.4f}", f"{apart.same} of {apart.steps}"]
    )
    speed = [f"{1 / seconds:.0f}", f"{seconds * 1e3:.2f}", f"{median(loop.seconds) / count / seconds:.2f}", f"{floor / seconds:.0%}"]
    return "| " + " | ".join([size, name, *speed, *parity]) + " |"


HEADINGS = [
    "size",
    "way",
    "tokens/s",
    "ms/token",
    "x loop",
    "share of bandwidth",
    "logit apart",
    "probability apart",
    "entropy apart",
    "same token",
]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=["0.1B", "1B", "8B"])
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--checked", type=int, default=24, help="steps that are compared with the CPU")
    parser.add_argument("--tiny", action="store_true", help="try the script itself, on a CPU if need be")
    wanted = parser.parse_args(arguments)
    if not wanted.tiny and not torch.cuda.is_available():
        sys.exit("There is no CUDA device here, and this measures one; --tiny tries the script itself on a CPU.")
    device = f"cuda:{torch.cuda.current_device()}" if torch.cuda.is_available() else "cpu"
    sizes, count, repeats, checked = wanted.sizes, wanted.tokens, wanted.repeats, wanted.checked
    if wanted.tiny:
        sizes, count, repeats, checked = ["tiny"], 6, 1, 4
    tokenizer = load_model(list_models()[0].name, device="cpu").tokenizer  # any will do for random weights
    lines = [text for size in sizes for text in bench(size, device, tokenizer, count, repeats, checked)]
    where = torch.cuda.get_device_name(device) if device != "cpu" else "a CPU, which says nothing about speed"
    print(f"{where}; torch {torch.__version__}, transformers {transformers.__version__}; {count} tokens, median of {repeats}\n")
    print("| " + " | ".join(HEADINGS) + " |")
    print("|" + "---|" * len(HEADINGS))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
