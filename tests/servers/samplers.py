"""llama.cpp's samplers, each alone and in random chains: the largest difference from a real llama-server's probabilities after sampling.

The bundled model in float32 runs on both sides. `python -m tests.benchmarks.samplers` prints one line for each comparison.

Two chains are left out, because llama.cpp itself does something else there: after top-n-sigma, which keeps excluded tokens in its list with
a logit of minus infinity, its typical-p computes NaN, and its dynamic temperature counts the excluded tokens as still there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np

from core import Generation, SamplingSettings
from core.remote.http_client import HttpClient
from core.remote.sampling_parameters import parameters
from core.sampling.settings import STAGES

CLOSE = 1e-4
Draw = Callable[[Random, Generation], SamplingSettings]
Chain = tuple[SamplingSettings, int, float]
PROMPT = "Once upon a time there was a little fox. The fox had a red ball. The fox had a"
CHAINS = 50
MIROSTAT_STEPS = 12

ALONE: dict[str, dict[str, Any]] = {
    "none": {},
    "logit bias": {"logit_bias": {0: -float("inf"), 1: 2.0, 2: -1.0}},  # of the likeliest tokens, by rank
    "repetition penalty": {"repetition_penalty": 1.4},
    "frequency penalty": {"frequency_penalty": 0.7},
    "presence penalty": {"presence_penalty": 1.2},
    "DRY": {"dry_multiplier": 0.9, "dry_allowed_length": 1},
    "top-n-sigma": {"top_n_sigma": 1.5},
    "top-k": {"top_k": 12},
    "typical-p": {"typical_p": 0.6},
    "top-p": {"top_p": 0.8},
    "min-p": {"min_p": 0.05},
    "XTC": {"xtc_probability": 1.0, "xtc_threshold": 0.05},
    "temperature": {"temperature": 1.6},
    "dynamic temperature": {"dynatemp_range": 0.6, "dynatemp_exponent": 1.3, "temperature": 1.1},
    "mirostat": {"mirostat_tau": 3.0, "mirostat_eta": 0.2},
}
VALUES: dict[str, Any] = {
    "repetition_penalty": lambda r: r.uniform(0.8, 1.8),
    "frequency_penalty": lambda r: r.uniform(-0.5, 1.5),
    "presence_penalty": lambda r: r.uniform(-0.5, 1.5),
    "dry_multiplier": lambda r: r.uniform(0.2, 2.0),
    "top_n_sigma": lambda r: r.uniform(0.8, 3.0),
    "top_k": lambda r: r.randint(5, 300),
    "typical_p": lambda r: r.uniform(0.6, 0.98),
    "top_p": lambda r: r.uniform(0.6, 0.99),
    "min_p": lambda r: r.uniform(0.001, 0.05),
    "xtc_probability": lambda _: 1.0,
    "temperature": lambda r: r.uniform(0.5, 2.0),
    "dynatemp_range": lambda r: r.uniform(0.1, 0.45),
    "logit_bias": lambda r: {r.randint(0, 9): r.uniform(-3, 3) for _ in range(3)},
}


def post_sampling(line: HttpClient, ids: list[int], settings: SamplingSettings, count: int) -> dict[int, float]:
    """The probabilities after llama-server's sampling, by token id."""
    more: dict[str, Any] = {"prompt": ids, "n_predict": 1, "n_probs": count, "post_sampling_probs": True, "cache_prompt": True}
    body = line.post("/completion", parameters("llama.cpp", settings) | more).body
    return {entry["id"]: entry["prob"] for entry in body["completion_probabilities"][0]["top_probs"]}


def furthest(line: HttpClient, run: Generation, settings: SamplingSettings) -> float:
    """The largest difference between the two engines' probabilities at the run's next step."""
    size = run.model.vocabulary_size
    there = post_sampling(line, run.token_ids.tolist(), settings, size)
    seen = run.next_distribution(settings)
    assert len(seen.token_ids) == min(size, run.top_n)
    here = np.zeros(size)
    here[seen.token_ids] = seen.probabilities[-1]
    theirs = np.zeros(size)
    theirs[list(there)] = list(there.values())
    return float(np.abs(here - theirs).max())


def by_id(values: dict[str, Any], run: Generation) -> dict[str, Any]:
    """The settings, with the ranks of the logit bias replaced by token ids."""
    ids = run.next_distribution(SamplingSettings()).token_ids.tolist()
    return values | ({"logit_bias": {ids[rank]: bias for rank, bias in values["logit_bias"].items()}} if "logit_bias" in values else {})


def random_settings(dice: Random, run: Generation) -> SamplingSettings:
    """A chain of llama.cpp's samplers in a random order, without what llama.cpp does differently."""
    chosen = {name: draw(dice) for name, draw in VALUES.items() if dice.random() < 0.4}
    in_llama_cpp = {name: stage.in_llama_cpp for name, stage in STAGES.items() if stage.in_llama_cpp}
    groups = [*dict.fromkeys(in_llama_cpp.values())]
    dice.shuffle(groups)
    if "top_n_sigma" in chosen and groups.index("top_n_sigma") < groups.index("typ_p"):
        chosen.pop("typical_p", None)
    if "top_n_sigma" in chosen and groups.index("top_n_sigma") < groups.index("temperature"):
        chosen.pop("dynatemp_range", None)
    order = ("logit bias", *(name for group in groups for name, other in in_llama_cpp.items() if other == group))
    return SamplingSettings(**by_id(chosen, run), xtc_threshold=0.05, repeat_last_n=64, order=order)


def settings_in_its_order(dice: Random, run: Generation) -> SamplingSettings:
    """llama.cpp's samplers in its own order, some with excluded tokens before those that count them."""
    chosen = {name: draw(dice) for name, draw in VALUES.items() if dice.random() < 0.5}
    if dice.random() < 0.3:
        chosen["logit_bias"] = {dice.randint(0, 9): -float("inf")}
    return SamplingSettings(**by_id(chosen, run), xtc_threshold=0.05, repeat_last_n=64, order="llama.cpp")


def alone(line: HttpClient, model: Any) -> Iterator[tuple[str, float]]:
    """Yield each sampler of llama.cpp and its largest difference."""
    run = Generation(model, PROMPT, SamplingSettings(greedy=True), top_n=model.vocabulary_size)
    run.top_n = model.vocabulary_size  # all tokens
    for name, values in ALONE.items():
        settings = SamplingSettings(**by_id(values, run), order="llama.cpp")
        seen = run.next_distribution(settings)
        if name != "none":  # it must change something
            assert name == seen.stage_names[-1]
            assert np.abs(seen.probabilities[-1] - seen.probabilities[-2]).max() > 10 * CLOSE
        yield name, furthest(line, run, settings)


def chains(line: HttpClient, model: Any, draw: Draw = random_settings, count: int = CHAINS) -> Iterator[Chain]:
    """Yield random chains at different steps, how many tokens they leave, and their largest difference."""
    run = Generation(model, PROMPT, SamplingSettings(seed=4, top_p=0.95), top_n=model.vocabulary_size)
    run.top_n = model.vocabulary_size
    dice = Random(43)
    for number in range(count):
        if number % 5 == 4:
            run.step()
        settings = draw(dice, run)
        yield settings, run.next_distribution(settings).stage_kept[-1], furthest(line, run, settings)


def mirostat(line: HttpClient, model: Any) -> float:
    """The largest difference over some tokens that llama-server writes in one request, so that its limit moves as well."""
    settings = SamplingSettings(mirostat_tau=2.0, mirostat_eta=0.4, temperature=1.2, order="llama.cpp", seed=5)
    run = Generation(model, PROMPT, settings, top_n=model.vocabulary_size)
    run.top_n = model.vocabulary_size
    more: dict[str, Any] = {"prompt": run.token_ids.tolist(), "n_predict": MIROSTAT_STEPS, "n_probs": 4096, "post_sampling_probs": True}
    body = line.post("/completion", parameters("llama.cpp", settings) | more | {"return_tokens": True}).body
    worst = 0.0
    for token_id, entry in zip(body["tokens"], body["completion_probabilities"], strict=True):
        step = run.force(token_id)
        here = {c.token_id: c.sampling_probability for c in step.candidates if c.sampling_probability > 0}
        there = {one["id"]: one["prob"] for one in entry["top_probs"]}
        worst = max(worst, *(abs(here.get(i, 0.0) - there.get(i, 0.0)) for i in here.keys() | there.keys()))
    return worst
