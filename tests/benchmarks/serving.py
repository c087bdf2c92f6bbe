"""What batching brings: python -m tests.benchmarks.serving [--tokens 32] [--repeats 5] [--exact 10000] [--speculative]
    [--distribution 20000]

The same tokens written in several ways that take turns in one run, so that a busy machine is busy for all of them:

    Generation     one at a time as on Watch, every step recorded (20 candidates)
    engine         one at a time, the engine's fastest pass and only the pick: the quickest there is for one reader
    server of n    passes shared by n readers who all write (core.batching), only the picks

Printed are medians. --exact writes so many tokens in batches of eight and again alone, and counts those that differ. --speculative times a
draft that is checked against plain decoding. --distribution holds the first three tokens of so many speculated runs of the bundled pair
against the target's own odds.
"""

from __future__ import annotations

import os
from statistics import median
from time import perf_counter

from core import Generation, SamplingSettings, load_model
from core.backends import compiled
from core.batching.batch_server import FinishedRequest, Server, ServerSettings
from core.batching.scheduler import Policy
from core.costs.measured_hardware import measure
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.experiments.batching.batch_curve import SIZES, CurvePoint, batch_curve
from core.experiments.batching.compared_policies import compare_alone
from core.experiments.shared.planned_requests import PlannedRequest
from core.experiments.speculative import gain, speculate
from core.sampling.observation import History
from core.sampling.observe_stages import pick
from pages.ui.i18n import example_texts
from pages.ui.i18n.example_texts import EXAMPLES
from tests.benchmarks import programs
from tests.benchmarks.shapes import SHAPES, model_of, networks
from tests.core.experiments.test_speculative import three_tokens

PROMPT = "Once upon a time, there was a little fox who"
SETTINGS = SamplingSettings(temperature=0.8, top_p=0.95, seed=1)
# Weights that have learned nothing find all tokens about as likely: top-p would keep nearly all and sort them, as it never does in earnest.
UNTAUGHT = SamplingSettings(temperature=0.8, top_k=50, seed=1)
OPENINGS = (
    "Once upon a time",
    "The king asked the dragon",
    "A bear and a mouse",
    "One day a girl",
    "The capital of France",
    "It was raining",
)


def generation(model: LanguageModel, tokens: int, settings: SamplingSettings) -> list[float]:
    """Seconds per recorded step."""
    run, times = Generation(model, PROMPT, settings), []
    while len(run.path) < tokens and run.finished is None:
        began = perf_counter()
        run.step()
        times.append(perf_counter() - began)
    run.release()
    return times[1:]


def engine(model: LanguageModel, tokens: int, settings: SamplingSettings) -> list[float]:
    """Seconds per pass and pick, nothing recorded."""
    cache, ids, times = KVCache(), model.encode(PROMPT), []
    start = len(ids)
    for _ in range(tokens):
        began = perf_counter()
        before = History.of(model, ids, start)
        ids.append(pick(model.engine.forward(before.ids, cache).logits.values, settings, before))
        times.append(perf_counter() - began)
    cache.clear()
    assert len(ids) == start + tokens
    return times[1:]


def exact(model: LanguageModel, wanted: int) -> None:
    """Write in batches of eight, then alone, and count what differs."""
    written = differing = close = round_ = 0
    largest, parted = 0.0, list[float]()
    while written < wanted:
        who = []
        for number in range(8):
            text = OPENINGS[(round_ + number) % len(OPENINGS)]
            settings = SamplingSettings(temperature=(0.7, 1.0, 1.5)[number % 3], top_p=(1.0, 0.95)[number % 2], seed=8 * round_ + number)
            who.append(PlannedRequest(number, text, tuple(model.encode(text)), settings, 120, 0.0))
        server = Server(model, [reader.request() for reader in who], ServerSettings(Policy.CHUNKED, 8, 32, 100))
        finished: list[FinishedRequest] = []
        while not server.done:
            finished += server.step().finished
        for one in compare_alone(model, who, finished):
            written += one.tokens
            differing += one.first_difference is not None
            if one.first_difference is not None:
                parted.append(who[one.reader_id].settings.temperature)
            close += one.close_rolls
            largest = max(largest, one.largest_difference)
        round_ += 1
    print(f"{written:,} tokens in batches of eight and alone: {differing} answers part, largest difference of a logit {largest:.1e},")
    print(f"those that part were written at temperature: {parted}")
    print(f"{close} rolls so close to a border that such a difference could have turned them")


def curve(model: LanguageModel, tokens: int, repeats: int, settings: SamplingSettings) -> None:
    """Batch size against throughput and latency, beside one at a time."""
    peak = measure(model.device, model.dtype)
    alone: dict[str, list[float]] = {"Generation": [], "engine": []}
    points: dict[int, list[CurvePoint]] = {size: [] for size in SIZES}
    for _ in range(repeats):
        alone["Generation"] += generation(model, tokens, settings)
        alone["engine"] += engine(model, tokens, settings)
        for point in batch_curve(model, PROMPT, peak, settings, SIZES, tokens, 1):
            points[point.size].append(point)
    base = median(alone["engine"])
    print(f"{'':14}{'tokens/s':>10}{'ms/token':>10}{'x engine':>10}{'x Generation':>14}{'pass alone, ms':>16}{'computed ceiling':>18}")
    for name, times in alone.items():
        own = median(times)
        print(f"{name:14}{1 / own:10.0f}{own * 1e3:10.2f}{base / own:10.2f}{median(alone['Generation']) / own:14.2f}")
    for size, found in points.items():
        rate = median(point.tokens_per_second for point in found)
        times_alone = median(alone["Generation"]) * rate
        name, pass_ms = f"server of {size}", median(point.pass_seconds for point in found) * 1e3
        print(
            f"{name:14}{rate:10.0f}{size / rate * 1e3:10.2f}{rate * base:10.2f}{times_alone:14.2f}{pass_ms:16.2f}{found[0].ceiling:18.0f}"
        )


def speculative(model: LanguageModel, tokens: int, repeats: int) -> None:
    """A draft and n-grams, at several lengths, interleaved with plain decoding."""
    draft = load_model("storyteller-mini", device=model.device)
    print(f"{'':34}{'K':>4}{'kept':>8}{'tokens/pass':>13}{'computed':>10}{'x plain':>9}")
    for name, guesser, text, greedy in (
        ("mini, a story", draft, PROMPT, False),
        ("mini, a story, greedy", draft, PROMPT, True),
        ("mini, a sum step by step", draft, EXAMPLES.foreseen["A sum, step by step"], False),
        ("n-grams, a story", None, PROMPT, False),
        ("n-grams, a text that repeats", None, EXAMPLES.foreseen[example_texts.REPEATS], False),
        ("n-grams, the same, greedy", None, EXAMPLES.foreseen[example_texts.REPEATS], True),
    ):
        for guesses in (2, 4, 8):
            seen = []
            for seed in range(repeats):
                settings = SamplingSettings(temperature=0.8, top_p=0.95, seed=seed, greedy=greedy)
                seen.append(gain(list(speculate(model, guesser, text, settings, guesses, tokens)), guesses))
            kept, mean, expected, times = (
                median(getattr(one, field) or 0.0 for one in seen)
                for field in ("acceptance_rate", "tokens_per_pass", "expected_per_pass", "speed_up")
            )
            print(f"{name:34}{guesses:4}{kept:8.0%}{mean:13.2f}{expected:10.2f}{times:9.2f}")


def main() -> None:
    parser = programs.arguments(__doc__)
    parser.add_argument("--model", default="storyteller", help="a model, or a shape of tests.benchmarks.shapes")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--exact", type=int, default=0)
    parser.add_argument("--speculative", action="store_true")
    parser.add_argument("--distribution", type=int, default=0)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto")
    wanted = parser.parse_args()
    busy = os.getloadavg()[0]
    if wanted.model in SHAPES:  # a published shape with weights made on the spot
        model = model_of(wanted.model, networks(SHAPES[wanted.model])[1])
    else:
        model = load_model(wanted.model, device=wanted.device, dtype=wanted.dtype)
    model.end_token_ids = frozenset()
    compiled.batches_are_ready()
    compiled.wait_for_batches()  # what serves until then is not what is measured here
    threads = model.engine.speed.threads
    print(f"{model.name}: {model.parameter_count / 1e6:.1f}M parameters, {model.dtype} on {model.device}, {threads} thread(s)")
    if wanted.exact:
        exact(model, wanted.exact)
    elif wanted.distribution:
        statistic, limit = three_tokens(model, load_model("storyteller-mini", device=model.device), wanted.distribution)
        print(f"{wanted.distribution:,} speculated runs: chi-square {statistic:.1f}, exceeded once in 10,000 times: {limit:.1f}")
    elif wanted.speculative:
        speculative(model, wanted.tokens, wanted.repeats)
    else:
        curve(model, wanted.tokens, wanted.repeats, UNTAUGHT if wanted.model in SHAPES else SETTINGS)
    programs.tell_load(busy)


if __name__ == "__main__":
    main()
