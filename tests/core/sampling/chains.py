"""Random sampling settings in random orders, and the same chains by plain processors on the whole vocabulary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from transformers.generation import logits_process as theirs

from core import SamplingSettings
from core.sampling import observe_stages, stages_gpu
from core.sampling.observation import History, Observation, Selection
from core.sampling.observe_stages import observe, processors
from core.sampling.settings import SETTING_OF
from tests.core.plain import bits

SIZES = (10, 33, 100, 384, 1000, 1025, 4096)
LARGE_SIZES = (20_000, 32_000, 131_072, 300_000)
KINDS = ("ordinary", "sure", "even", "few levels", "all equal", "bfloat16", "ruled out", "large")
WITHOUT_TIES = ("ordinary", "sure", "even", "ruled out")
STRANGE = ("steep", "float16", "eighths", "huge", "tiny", "a server's list")  # of hostile or rounding models


def logits_like(kind: str, size: int, seed: int) -> torch.Tensor:
    """Logits with and without equal values and infinities; float32 [size]."""
    draw = np.random.default_rng([seed, size])
    scores = draw.normal(0, 3, size)
    made = {
        "ordinary": lambda: scores,
        "sure": lambda: scores + 25 * (np.arange(size) == seed % size),
        "even": lambda: scores * 0.01,
        "few levels": lambda: np.round(scores),
        "all equal": lambda: np.full(size, 1.5),
        "bfloat16": lambda: torch.from_numpy(scores + 12).bfloat16().double().numpy(),
        "ruled out": lambda: np.where((draw.random(size) < 0.6) & (np.arange(size) > 2), -math.inf, scores),
        "large": lambda: scores * 1e4,
        "steep": lambda: draw.permutation(-0.7 * np.arange(size)),
        "float16": lambda: scores.astype(np.float16),
        "eighths": lambda: np.round(scores * 8) / 8,
        "huge": lambda: scores * 1e30,
        "tiny": lambda: scores * 1e-40,
        "a server's list": lambda: np.where(np.arange(size) < 20, 5 + scores, -9.0),
    }[kind]()
    return torch.from_numpy(made.astype(np.float32))


@dataclass(frozen=True)
class Case:
    """One step: logits, settings and the text before it."""

    logits: torch.Tensor
    settings: SamplingSettings
    history: History


def _maybe(values: st.SearchStrategy[Any], off: Any) -> st.SearchStrategy[Any]:
    return st.one_of(st.just(off), values)


THEIRS: dict[str, st.SearchStrategy[Any]] = {
    "temperature": _maybe(st.floats(0.1, 3), 1.0),
    "top_k": _maybe(st.integers(1, 200), 0),
    "top_p": _maybe(st.floats(0.05, 0.999), 1.0),
    "min_p": _maybe(st.floats(0.001, 0.9), 0.0),
    "typical_p": _maybe(st.floats(0.05, 0.99), 1.0),
    "repetition_penalty": _maybe(st.floats(0.5, 2), 1.0),
    "no_repeat_ngram_size": _maybe(st.integers(1, 4), 0),
    "epsilon_cutoff": _maybe(st.floats(1e-6, 0.3), 0.0),
    "eta_cutoff": _maybe(st.floats(1e-6, 0.3), 0.0),
}
BIASES = st.dictionaries(st.integers(0, 9), st.one_of(st.floats(-20, 20), st.just(-math.inf)), max_size=4)


@st.composite
def cases(draw: st.DrawFn, sizes: tuple[int, ...] = SIZES, shuffled: bool = True, kinds: tuple[str, ...] = KINDS + STRANGE) -> Case:
    """A step with transformers' samplers in any combination; shuffled: in any order, else in transformers'."""
    size = draw(st.sampled_from(sizes))
    values = {name: draw(one) for name, one in THEIRS.items()} | {"logit_bias": draw(BIASES)}
    order: Any = tuple(draw(st.permutations(list(SETTING_OF)))) if shuffled else "transformers"
    settings = SamplingSettings(**values, order=order, seed=draw(st.integers(0, 1000)))
    logits = logits_like(draw(st.sampled_from(kinds)), size, draw(st.integers(0, 10**6)))
    ids = np.array(draw(st.lists(st.integers(0, 9), min_size=1, max_size=30)), dtype=np.int64)
    return Case(logits, settings, History(ids, draw(st.integers(1, len(ids))), lambda token_id: b"%d" % token_id))


def plain_chain(case: Case) -> list[tuple[str, torch.Tensor]]:
    """The scores [vocabulary] after each stage, by transformers' own processors one after the other, until no token is left."""
    settings, scores, found = case.settings, case.logits[None], []
    ids = torch.from_numpy(case.history.ids)[None]
    for name, value, _process in processors(settings):
        made: Any = {
            "logit bias": lambda _: theirs.SequenceBiasLogitsProcessor({(i,): bias for i, bias in settings.biases}),
            "repetition penalty": theirs.RepetitionPenaltyLogitsProcessor,
            "no-repeat n-gram": lambda n: theirs.NoRepeatNGramLogitsProcessor(int(n)),
            "temperature": theirs.TemperatureLogitsWarper,
            "top-k": lambda k: theirs.TopKLogitsWarper(int(k)),
            "top-p": theirs.TopPLogitsWarper,
            "min-p": theirs.MinPLogitsWarper,
            "typical-p": theirs.TypicalLogitsWarper,
            "epsilon": theirs.EpsilonLogitsWarper,
            "eta": theirs.EtaLogitsWarper,
        }[name](value)
        scores = made(ids, scores)
        found.append((name, scores[0]))
        if bool(torch.isneginf(scores).all()):
            break
    return found


def difference(case: Case) -> str:
    """The first difference between our record and the plain chain; empty if there is none."""
    size = len(case.logits)
    chain = plain_chain(case)
    nothing = next((name for name, scores in chain if bool(torch.isneginf(scores).all())), None)
    try:
        seen = observe(case.logits, case.settings, case.history, size)
    except Exception as error:
        return "" if nothing is not None and f"{nothing} excludes the last one" in str(error) else repr(error)
    if nothing is not None:
        return f"{nothing} leaves no token, which was not said"
    removed_at, probabilities = np.empty(size, np.int64), np.empty((len(seen.stage_names), size))
    removed_at[seen.token_ids], probabilities[:, seen.token_ids] = seen.removed_at, seen.probabilities
    for number, (name, scores) in enumerate(chain, start=1):
        kept = (removed_at == -1) | (removed_at > number)
        expected = torch.softmax(scores.double(), 0).numpy()
        if seen.stage_names[number] != name or (kept != ~torch.isneginf(scores).numpy()).any() or seen.stage_kept[number] != kept.sum():
            return f"{name}: {seen.stage_kept[number]} tokens instead of {int((scores > -math.inf).sum())}"
        if np.abs(probabilities[number] - expected).max() > 2e-6:
            return f"{name}: a probability differs by {np.abs(probabilities[number] - expected).max():.1e}"
        if abs(seen.stage_entropies[number] - bits(expected)) > 1e-3:
            return f"{name}: the entropy is {seen.stage_entropies[number]} instead of {bits(expected)}"
    return ""


def text_of(ids: Any) -> History:
    """A text of these tokens, without a prompt; their bytes are empty."""
    return History(np.asarray(ids, dtype=np.int64), 0, lambda token_id: b"")


def on_device(logits: torch.Tensor, settings: SamplingSettings, text: History, selection: Selection, count: int) -> Observation:
    """The observation as it is computed on the logits' device, with transformers' own processors."""
    active, previous_ids = observe_stages.at(settings, text)
    return stages_gpu.observe(logits, active, settings.greedy, previous_ids, selection, count)
