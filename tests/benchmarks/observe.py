"""What the record of a step costs beside its forward pass: `python -m tests.benchmarks.observe [--rounds 60]`.

Compiled and in NumPy, in turns on the same scores: the bundled model's own over a text that it writes, and made-up ones for larger
vocabularies (normal, with fifteen favourites far above, as a language model's are). Milliseconds are medians; the ratio is the median of
the rounds' ratios. Recording a step takes this, the dice and the run's own bookkeeping; the last line has all of it.
"""

from __future__ import annotations

import argparse
import os
from statistics import median
from time import perf_counter

import numpy as np

from core import Generation, SamplingSettings, load_model
from core.backends import compiled
from core.sampling import cpu, stages
from core.sampling.observation import Selection

SIX = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95, min_p=0.02, typical_p=0.95, repetition_penalty=1.1, seed=3)
ASKED = {
    "six settings": SIX,
    "top-p and temperature": SamplingSettings(temperature=0.8, top_p=0.9, seed=3),
    "none": SamplingSettings(seed=3),
    "greedy": SamplingSettings(greedy=True),
}
LISTED = 20


def made_up(size: int, count: int = 20) -> list[np.ndarray]:
    """Scores as a model with so many tokens might give."""
    rng = np.random.default_rng(0)
    rows = [rng.standard_normal(size).astype(np.float32) for _ in range(count)]
    for row in rows:
        row[rng.integers(0, size, 15)] += rng.uniform(10, 18, 15).astype(np.float32)
    return rows


def of_the_bundled_model(count: int = 60) -> tuple[list[np.ndarray], float]:
    """The model's own answers along a text, and what a step takes beside its forward pass, in seconds."""
    run = Generation(load_model("storyteller"), "Once upon a time, there was a little fox who", SIX)
    compiled.wait()
    rows: list[np.ndarray] = []
    beside: list[float] = []
    while len(rows) < count and run.finished is None:
        logits = run.logits
        assert logits is not None
        rows.append(logits.numpy().copy())
        run.step()
    run.release()
    run = Generation(load_model("storyteller"), "Once upon a time, there was a little fox who", SIX)
    while len(beside) < count and run.finished is None:
        began = perf_counter()
        step = run.step()
        beside.append(perf_counter() - began - step.forward.seconds)
    run.release()
    return rows, median(beside[1:])


def compare(name: str, rows: list[np.ndarray], rounds: int) -> None:
    """Print one line for each kind of settings."""
    for kind, chosen in ASKED.items():
        selection = Selection(greedily=True) if chosen.greedy else Selection(0.37)
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(rounds + 2):
            for switch, found in zip(("1", "0"), times, strict=True):
                os.environ["TOKEN_VIEWER_COMPILED"] = switch
                began = perf_counter()
                cpu.observe(rows[number % len(rows)], stages.processors(chosen), chosen.greedy, np.arange(80), selection, LISTED)
                if number > 1:
                    found.append(perf_counter() - began)
        os.environ["TOKEN_VIEWER_COMPILED"] = "1"
        ratio = median(slow / fast for fast, slow in zip(*times, strict=True))
        print(f"{name:>22} {kind:<22}{median(times[0]) * 1e3:8.3f} ms, in NumPy {median(times[1]) * 1e3:7.3f} ms: {ratio:4.1f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the start, {rounds} rounds, {LISTED} tokens listed")
    rows, beside = of_the_bundled_model()
    if not compiled.sampling_is_ready():
        raise SystemExit("Nothing is compiled here: numba is missing, or TOKEN_VIEWER_COMPILED=0.")
    compare("4,096, its own", rows, rounds)
    for size in (50_257, 151_936, 262_144):
        compare(f"{size:,}, made up", made_up(size), rounds)
    print(f"A step of the bundled model beside its forward pass, six settings: {beside * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
