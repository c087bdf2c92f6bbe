"""The race in figures, with and without a cache: python -m tests.benchmarks.cache [model] [tokens]."""

from __future__ import annotations

import sys
from statistics import median

from core import Generation, SamplingSettings, load_model
from core.costs.machine import measure
from core.costs.receipt import Receipt
from core.experiments.cache_budget import INT4_KV, SLIDING_WINDOW, MemoryBudget, fill, page_bytes
from core.experiments.cache_race import CACHED, UNCACHED, race, same_text, speed_up, trend

PROMPT = "Once upon a time, there was a little fox who"


def main(name: str = "storyteller", tokens: int = 256) -> None:
    """Race, then fill a notepad under three plans, then name what the machine could do at best."""
    model = load_model(name)
    steps = list(race(model, PROMPT, SamplingSettings(temperature=0.8, seed=1), tokens))
    print(f"{name}, {tokens} tokens, same text: {same_text(steps)}, {speed_up(steps) or 0:.1f} times faster with a cache")
    for runner in (CACHED, UNCACHED):
        mine = [step for step in steps if step.runner == runner]
        first, last = mine[: len(mine) // 8], mine[-len(mine) // 8 :]
        grown = trend(steps, runner)
        print(
            f"  {runner}: {mine[-1].total_seconds:.2f} s, {mine[-1].total_positions:,} positions, "
            f"{median(s.seconds for s in first) * 1000:.2f} ms a step at first, {median(s.seconds for s in last) * 1000:.2f} at last, "
            + (
                f"+{grown.slope * 1e6:.2f} ± {grown.error * 1e6:.2f} µs a token there, r² {grown.r_squared:.2f}"
                if grown
                else "too short to fit"
            )
        )
    for plan in (MemoryBudget(10**12), MemoryBudget(40 * page_bytes(model), SLIDING_WINDOW), MemoryBudget(10**12, INT4_KV)):
        pages = list(fill(model, PROMPT, plan, SamplingSettings(greedy=True), 64))
        print(f"  {plan.policy}: {len(pages)} pages passed, {len(pages[-1].kept)} held in {pages[-1].bytes:,} bytes")
    peak = measure(model.device, model.dtype)
    print(f"  {peak.device}, {peak.threads} thread(s): {peak.flops / 1e9:.0f} GFLOP/s, {peak.bytes_per_second / 1e9:.1f} GB/s")
    run = Generation(model, PROMPT, SamplingSettings(seed=1))
    while len(run.path) < 64 and run.finished is None:
        run.step()
    for amount in Receipt.of(run.path, model.shape, item_size=model.weight_bytes / model.parameter_count, peak=peak).amounts:
        print(f"  {amount.kind:>8}  {amount.name}: {amount.value:,.6g} {amount.unit}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "storyteller", int(sys.argv[2]) if len(sys.argv) > 2 else 256)
