"""How often a mark is found, and how often chance is called one: `python -m tests.benchmarks.watermark [green|synthid] [runs] [excerpts]`.

By default 200 marked and 200 unmarked runs of 100 tokens by the storyteller at the page's default, and 2,000 human excerpts, each scored
with the page's key and with a key of its own.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from statistics import fmean, stdev

from core import load_model
from core.experiments.shared.watermark_score import MARKED_BELOW
from core.experiments.watermark import MARKED, UNMARKED, Measured, both_sides, human_excerpts, measured, run_ids
from pages.ui.views.watermark_score import DEFAULTS

PROMPT, LENGTH = "Once upon a time", 100


def line(name: str, scores: list[Measured]) -> None:
    """Print one line of a table."""
    calls = [sum(each.p_value < limit for each in scores) for limit in (1e-2, MARKED_BELOW, 1e-6)]
    values = [each.z for each in scores]
    print(f"{name:<34} {len(scores):>5}  z {fmean(values):6.2f} ± {stdev(values):5.2f}   p < 0.01 / 0.001 / 1e-6: {calls}", flush=True)


def main(kind: str = "green", runs: str = "200", excerpts: str = "2000") -> None:
    """Print the table."""
    model, settings = load_model("storyteller", device="cpu", dtype="float32"), DEFAULTS[kind]
    print(settings)
    for side in (MARKED, UNMARKED):
        texts = [run_ids(model, PROMPT, settings, LENGTH, side, number) for number in range(1, int(runs) + 1)]
        line(f"{side} ({sum(len(text) < LENGTH for text in texts)} ended early)", [measured(side, model, ids, settings) for ids in texts])
    tokens = [token for number in range(20) for token in both_sides(model, PROMPT, replace(settings, seed=number), LENGTH)]
    for side in (MARKED, UNMARKED):
        own = [token for token in tokens if token.side == side]
        perplexity, lost = 2 ** fmean(token.surprise for token in own), fmean(token.lost for token in own)
        print(f"{side}: perplexity {perplexity:.1f}, {lost:.2f} bits lost per token")
    human = list(human_excerpts(model, LENGTH, int(excerpts)))
    line("human, the page's key", [measured("human", model, excerpt, settings) for excerpt in human])
    keys = [replace(settings, watermark_key=number) for number in range(1, len(human) + 1)]
    line("human, a key for each excerpt", [measured("human", model, excerpt, own) for excerpt, own in zip(human, keys, strict=True)])


if __name__ == "__main__":
    main(*sys.argv[1:])
