"""How fast a watched step is for the models that people bring: python -m tests.benchmarks.popular [--models smollm2 qwen2.5] [--tokens 24]

Their true shapes with random weights made on the spot, in the precision in which their makers publish them. Two ways to write the same
number of tokens behind the same prompt, taking turns:

    step      our step, all six settings on: the 20 likeliest tokens, every stage, both entropies, the dice, the record
    generate  transformers' generate(do_sample=True, output_scores=True) on all cores, in float32 and in bfloat16: the faster one counts

ratio: the median of the rounds' ratios, with the smallest and the largest. floor: the time that reading all weights of a token once takes,
as they are stored, at the speed at which this machine sums half a gigabyte; with the step's share of it. apart: the largest difference
between our logits and those of the network in float32, over a prompt and tokens fed one by one. beside: a step without its forward pass.
"""

from __future__ import annotations

import argparse
import gc
import os
from copy import deepcopy
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import torch
import transformers

from core import Generation
from core.backends import compiled
from core.backends.fast_decoder import FastDecoder
from core.engine.model import LanguageModel
from core.engine.stored_weights import keep_stored
from core.engine.threads import fastest
from tests.benchmarks.decode import SETTINGS, TOP_N
from tests.tiny_models import byte_level_tokenizer

PROMPT = "Once upon a time there was"
SMALL: dict[str, Any] = {"tie_word_embeddings": True, "max_position_embeddings": 2048}


@dataclass(frozen=True, slots=True)
class Shape:
    """A published model: its family, its numbers, and the precision of its files."""

    family: str
    config: dict[str, Any]
    stored: torch.dtype


def _llama_like(hidden: int, layers: int, heads: int, kv_heads: int, between: int, vocabulary: int, **more: Any) -> dict[str, Any]:
    sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv_heads}
    return SMALL | sizes | {"intermediate_size": between, "vocab_size": vocabulary} | more


GEMMA3 = {"head_dim": 256, "sliding_window": 512, "query_pre_attn_scalar": 256}
SHAPES = {
    "SmolLM2-135M": Shape("Llama", _llama_like(576, 30, 9, 3, 1536, 49152), torch.bfloat16),
    "Qwen2.5-0.5B": Shape("Qwen2", _llama_like(896, 24, 14, 2, 4864, 151936), torch.bfloat16),
    "Qwen3-0.6B": Shape("Qwen3", _llama_like(1024, 28, 16, 8, 3072, 151936, head_dim=128), torch.bfloat16),
    "Gemma-3-270M": Shape("Gemma3Text", _llama_like(640, 18, 4, 1, 2048, 262144, **GEMMA3), torch.bfloat16),
    "GPT-2": Shape("GPT2", {"vocab_size": 50257}, torch.float32),
    "Pythia-160M": Shape(
        "GPTNeoX",
        {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 50304},
        torch.float16,
    ),
}


def networks(shape: Shape) -> tuple[Any, Any]:
    """The network in float32, and the same weights as they are stored."""
    config = getattr(transformers, f"{shape.family}Config")(**shape.config)
    torch.manual_seed(0)
    plain = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    with torch.no_grad():
        for weight in plain.parameters():
            if weight.dim() > 1:
                weight.copy_(weight.to(shape.stored))
    if shape.stored is torch.float32:
        return plain, deepcopy(plain)  # GPT-2's weights are laid out anew for us, which `generate` does not gain from
    kept = transformers.AutoModelForCausalLM.from_config(config, dtype=shape.stored).eval()
    kept.load_state_dict(plain.state_dict())
    kept.tie_weights()
    assert keep_stored(kept)
    return plain, kept


def model_of(name: str, network: Any) -> LanguageModel:
    """The model as the app has it, on compiled code where there is some, and on the threads that were measured to be fastest."""
    backend = FastDecoder.of(network)
    assert backend is not None, name
    compiled.wait()
    model = LanguageModel(name, network, byte_level_tokenizer(), backend)
    model.end_token_ids = frozenset()
    model.engine.threads = fastest(model.engine, model.parameter_count)
    return model


def step(model: LanguageModel, count: int) -> tuple[float, list[float], list[int]]:
    """Seconds per token behind the prompt, seconds of each step beside its pass, and the ids written."""
    run = Generation(model, PROMPT, SETTINGS, top_n=TOP_N)
    run.step()
    beside, started = [], perf_counter()
    for _ in range(count):
        begun = perf_counter()
        made = run.step()
        beside.append(perf_counter() - begun - made.forward.seconds)
    return (perf_counter() - started) / count, beside, [int(i) for i in run.token_ids]


def generate(network: Any, prompt: list[int], count: int) -> float:
    """Seconds per token behind the prompt on all cores: what count more tokens take."""
    torch.set_num_threads(os.cpu_count() or 1)
    ids = torch.tensor([prompt])
    settings = {name: value for name, value in SETTINGS.as_dict().items() if name not in ("greedy", "seed")}
    times = []
    with torch.inference_mode():
        for tokens in (1, 1 + count):
            started = perf_counter()
            output = network.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=True,
                **settings,
                max_new_tokens=tokens,
                eos_token_id=None,
                pad_token_id=0,
                output_scores=True,
                return_dict_in_generate=True,
            )
            output.sequences[0].tolist()
            times.append(perf_counter() - started)
    return (times[1] - times[0]) / count


def apart(plain: Any, model: LanguageModel, ids: list[int]) -> float:
    """The largest difference of any logit, behind a prompt of twelve tokens and each of those after it."""
    backend, state = model.engine.backend, model.engine.backend.new_state()
    with torch.inference_mode():
        expected = plain(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
        found = [backend.run(np.array(ids[:12]), state)]
        found += [backend.run(np.array([token]), state) for token in ids[12:]]
    return float((torch.stack(found) - expected[11:]).abs().max())


def reading_speed() -> float:
    """Bytes a second at which half a gigabyte is summed, on as many threads as torch has; the best of five."""
    block = torch.ones(1 << 27)
    times = []
    for _ in range(6):
        started = perf_counter()
        block.sum()
        times.append(perf_counter() - started)
    return block.nbytes / min(times[1:])


def bytes_read(network: Any) -> int:
    """Of all weights that a token meets: every matrix, but of tables of embeddings only a row."""
    table = network.get_input_embeddings().weight
    tied = network.get_output_embeddings().weight is table
    learned = [module.weight for module in network.modules() if isinstance(module, torch.nn.Embedding)]
    unread = {id(weight) for weight in learned if not (tied and weight is table)}
    return sum(weight.nbytes for weight in network.parameters() if id(weight) not in unread)


def report(name: str, shape: Shape, rounds: int, count: int) -> None:
    plain, kept = networks(shape)
    model = model_of(name, kept)
    prompt = model.encode(PROMPT)
    opponents = {"f32": plain, "bf16": deepcopy(plain).to(torch.bfloat16)}
    for opponent in opponents.values():
        generate(opponent, prompt, 2)  # warming up
    ours, beside, ids = [], [], [0]
    laps: dict[str, list[float]] = {kind: [] for kind in opponents}
    for _ in range(rounds):
        for kind, opponent in opponents.items():
            laps[kind].append(generate(opponent, prompt, count))
        torch.set_num_threads(model.engine.threads)
        seconds, others, ids = step(model, count)
        ours.append(seconds)
        beside += others
    torch.set_num_threads(model.engine.threads)
    best = min(laps, key=lambda kind: median(laps[kind]))
    theirs = laps[best]
    floor = bytes_read(kept) / reading_speed()
    ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
    assert isinstance(model.engine.backend, FastDecoder)
    print(
        f"{name:14}{model.parameter_count / 1e6:6.0f}M {str(shape.stored).removeprefix('torch.'):>9}"
        f"{median(ours) * 1e3:9.2f}{median(theirs) * 1e3:10.2f} ({best})"
        f"{median(ratios):8.2f} [{ratios[0]:.2f} {ratios[-1]:.2f}]{floor * 1e3:8.2f} {floor / median(ours):5.0%}"
        f"{apart(plain, model, ids[:24]):10.1e}{median(beside) * 1e3:8.2f}"
        f"  {'compiled' if model.engine.backend.is_compiled else 'NumPy'}, {model.engine.threads} thread(s)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=list(SHAPES), help="beginnings of their names")
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    transformers.logging.set_verbosity_error()
    print(f"torch {torch.__version__}, NumPy {np.__version__}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the start")
    head = f"{'':14}{'size':>7} {'stored':>9}{'ms/step':>9}{'generate':>10} (kind)"
    print(f"{head}{'ratio':>5} [spread]{'floor':>9}{'share':>6}{'apart':>10}{'beside':>8}")
    for name, shape in SHAPES.items():
        if any(name.lower().startswith(start.lower()) for start in wanted.models):
            report(name, shape, wanted.rounds, wanted.tokens)
            gc.collect()


if __name__ == "__main__":
    main()
