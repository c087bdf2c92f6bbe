"""Recorded steps per second of this checkout and of another one, in turns: `python -m tests.benchmarks.decode --beside FOLDER`.

Each round starts a new process in either folder, which loads the same model and writes the same number of tokens. On a machine that does
other things too, processor time is the steadier of the two measures (for models on one thread).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

HERE = Path(__file__).parents[2]
PROGRAM = """
import sys
from time import perf_counter, process_time
from core import Generation, SamplingSettings, load_model
try:
    from core.backends import compiled
except ImportError:  # a checkout from before this room was named
    from core.engine.backends import compiled

name, count, prompt = sys.argv[1], int(sys.argv[2]), sys.argv[3]
settings = SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.95, repetition_penalty=1.1, seed=1)
model = load_model(name)
model.end_token_ids = frozenset()
compiled.wait()
seconds, processor = [], []
for lap in range(5):
    run = Generation(model, prompt, settings, top_n=20)
    started, begun = perf_counter(), process_time()
    for _ in range(count):
        run.step()
    seconds.append(perf_counter() - started)
    processor.append(process_time() - begun)
print(count / min(seconds), count / min(processor), getattr(model.engine, "speed", model.engine).threads)  # older checkouts have no speed
"""


def steps_per_second(folder: Path, name: str, count: int, prompt: str) -> tuple[float, float, str]:
    """Measured in a process of that checkout, the best of five: by the clock and by processor time; and its number of threads."""
    command = [sys.executable, "-c", PROGRAM, name, str(count), prompt]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{folder}: {done.stderr[-2000:]}")
    clock, processor, threads = done.stdout.split()[-3:]
    return float(clock), float(processor), threads


def compare(other: Path, name: str, count: int, prompt: str, rounds: int) -> None:
    """Print the steps per second of both in every round, and the median ratios."""
    for folder in (HERE, other):
        steps_per_second(folder, name, count, prompt)  # compiles what is not compiled yet
    ratios: list[tuple[float, float]] = []
    for _ in range(rounds):
        theirs, ours = (steps_per_second(folder, name, count, prompt) for folder in (other, HERE))
        ratios.append((ours[0] / theirs[0], ours[1] / theirs[1]))
        for place, (clock, processor, threads) in (("there", theirs), ("here", ours)):
            print(f"{place:>6}{clock:8.1f} steps/s by the clock,{processor:8.1f} by processor time, {threads} thread(s)", flush=True)
    for kind, found in zip(("the clock", "processor time"), zip(*ratios, strict=True), strict=True):
        print(f"here against there by {kind}: {median(found):.2f} [{min(found):.2f} {max(found):.2f}]")
