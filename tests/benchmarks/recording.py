"""What a step costs beside its forward pass: python -m tests.benchmarks.recording [--steps 200]

Real steps of a run whose network answers at once, with odds that fall as words' frequencies do: listing 20 tokens, all stages, both
entropies, the dice, the record. Printed are medians in milliseconds: by the clock, and of the processor's own time, which counts less of
what else the machine does. TOKEN_VIEWER_COMPILED changes nothing here.
"""

from __future__ import annotations

import argparse
import os
from statistics import median
from time import perf_counter, thread_time
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import transformers

from core import Generation, SamplingSettings
from core.engine.model import LanguageModel
from tests.benchmarks.decode import PROMPT, SETTINGS, TOP_N
from tests.tiny_models import byte_level_tokenizer

VOCABULARIES = (4_096, 50_257, 151_936, 262_144)
WAYS = {"Balanced": SamplingSettings(temperature=0.8, top_p=0.9), "six settings": SETTINGS, "none": SamplingSettings()}
ANSWERS = 8


class Prompter:
    """A backend that has its answers ready, one after the other; it keeps nothing but a count."""

    def __init__(self, vocabulary: int) -> None:
        draw = np.random.default_rng(vocabulary)
        made = [draw.normal(0, 0.5, vocabulary) - 1.6 * np.log(1 + draw.permutation(vocabulary)) for _ in range(ANSWERS)]
        self._answers = [torch.from_numpy(answer.astype(np.float32)) for answer in made]

    def new_state(self) -> Any:
        return SimpleNamespace(length=0)

    def run(self, token_ids: np.ndarray, state: Any) -> torch.Tensor:
        state.length += len(token_ids)
        return self._answers[state.length % ANSWERS]

    def length(self, state: Any) -> int:
        return int(state.length)

    def extend(self, state: Any, count: int) -> bool:
        return True

    def cut(self, state: Any, length: int) -> bool:
        state.length = length
        return True

    def bytes(self, state: Any) -> int:
        return 0

    def held_bytes(self, state: Any) -> int:
        return 0


def beside(vocabulary: int, settings: SamplingSettings, steps: int) -> tuple[float, float]:
    """Median milliseconds of a step, by the clock and of the processor."""
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1}
    config = transformers.LlamaConfig(vocab_size=vocabulary, max_position_embeddings=steps + 200, tie_word_embeddings=True, **sizes)
    model = LanguageModel("prompter", transformers.LlamaForCausalLM(config).eval(), byte_level_tokenizer(), Prompter(vocabulary))
    model.end_token_ids = frozenset()
    run = Generation(model, PROMPT, settings, top_n=TOP_N)
    run.step()
    clock, own = [], []
    for _ in range(steps):
        begun, began = perf_counter(), thread_time()
        made = run.step()
        own.append(thread_time() - began)
        clock.append(perf_counter() - begun - made.forward.seconds)
    return median(clock) * 1e3, median(own) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    wanted = parser.parse_args()
    torch.set_num_threads(1)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{os.cpu_count()} processors, load {load:.1f} before the start; ms by the clock (of the processor)")
    print(f"{'vocabulary':>12}" + "".join(f"{name:>18}" for name in WAYS))
    for vocabulary in VOCABULARIES:
        found = [beside(vocabulary, settings, wanted.steps) for settings in WAYS.values()]
        print(f"{vocabulary:12,}" + "".join(f"{f'{clock:.2f} ({own:.2f})':>18}" for clock, own in found), flush=True)


if __name__ == "__main__":
    main()
