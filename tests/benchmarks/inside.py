"""How long it takes to look inside one step and to read a text: `python -m tests.benchmarks.inside [model]`.

Prints milliseconds (the best and the middle of several rounds) and the share of one plain forward pass over the same tokens. Drawing is
measured as the page does it: words, curve and lists of a scored text as the tables and messages that go to the browser.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from time import perf_counter

import torch

from core import load_model, score_text
from core.inspection import inside
from pages.ui.charts import inside_rows, scoring_rows
from pages.ui.i18n.example_texts import TO_READ

ROUNDS = 12
LOOKED, SCORED = 128, 512


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """Best and median seconds of several rounds, after one to warm up."""
    work()
    times = []
    for _ in range(ROUNDS):
        started = perf_counter()
        work()
        times.append(perf_counter() - started)
    return min(times), statistics.median(times)


def main(name: str = "storyteller") -> None:
    """Measure and print."""
    model = load_model(name)
    text = TO_READ["A tale"]
    while len(model.encode(text)) < SCORED:
        text += " " + TO_READ["A tale"]
    ids = model.encode(text)[: min(SCORED, model.context_length)]
    text = model.text_of(ids)

    def plain(count: int) -> Callable[[], object]:
        inputs = torch.tensor([ids[:count]])

        def run() -> object:
            with torch.inference_mode():
                return model.network(inputs, use_cache=False).logits

        return run

    print(f"{model.name}: {model.parameter_count:,} parameters, {model.layer_count} layers, {torch.get_num_threads()} torch thread(s)\n")
    print(f"{'':44}{'best':>9}{'median':>9}{'of a plain pass':>17}")

    def row(told: str, work: Callable[[], object], against: float | None = None) -> float:
        best, middle = measure(work)
        share = f"{middle / against:.1f} x" if against else ""
        print(f"{told:44}{best * 1000:>6.0f} ms{middle * 1000:>6.0f} ms{share:>17}")
        return middle

    short = row(f"a plain forward pass, {LOOKED} tokens", plain(LOOKED))
    row(f"look inside, {LOOKED} tokens", lambda: inside.inspect_step(model, ids[:LOOKED]), short)
    seen = inside.inspect_step(model, ids[:LOOKED])
    row("follow one token through the layers", lambda: seen.follow(ids[5]), short)
    row("eight neighbours of a token", lambda: seen.neighbours(ids[5], 8), short)
    row("the tables of lens and attention", lambda: (inside_rows.logit_lens_rows(seen, None), inside_rows.attention_rows(seen)), short)
    long = row(f"a plain forward pass, {len(ids)} tokens", plain(len(ids)))
    row(f"score {len(ids)} tokens", lambda: score_text(model, text), long)

    def score_and_draw() -> object:
        scored = score_text(model, text)
        return (
            scoring_rows.scored_words(scored, "rank"),
            scoring_rows.curve_rows(scored),
            scoring_rows.place_lines(scored.most_surprising(4)),
        )

    row(f"score {len(ids)} tokens and draw them", score_and_draw, long)


if __name__ == "__main__":
    main(*sys.argv[1:2])
