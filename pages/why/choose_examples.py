"""Search for the prompts of “Why this token?”, and for the beginnings, layers and strengths of its steered texts."""

from __future__ import annotations

from itertools import product
from typing import Any

from core import Generation
from core.engine.model import LanguageModel
from core.experiments.shared.claim import BIT
from core.experiments.why.ablated_heads import ablated_heads
from core.experiments.why.hidden_words import hidden_words, speaks_for_both
from core.experiments.why.steered_run import SteeredRun, steered, steered_run
from pages.ui import features
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.presenting.choose_examples import report
from pages.ui.session.sampling_controls import START

WHY_PROMPTS = (
    "The capital of France is",
    "Lily put the key under the red pot. The key was under the red",
    "3 + 4 =",
    "The opposite of big is",
)
WHY_TWO = (
    ("The sun is hot and snow is", " white"),
    ("In winter it is cold and in summer it is", " warm"),
    ("A baby dog is called a", " dog"),
)
BEGINNINGS = {
    "Night and day": ("The girl looked up and saw the", "She went out of the house. It was", "One day,"),
    "Animals and people": ("One day Tom met a", "In the village there lived a", "One morning there came a"),
}


def why_holds(model: LanguageModel, prompt: str) -> bool:
    """Return whether hiding a word, and switching off a head, takes enough from the likeliest token after this prompt."""
    ids = [int(token_id) for token_id in model.encode(prompt)]
    target = Generation(model, prompt).next_distribution().candidates[0].token_id
    results = {"why_words": hidden_words(model, ids, target, method="mask"), "why_heads": ablated_heads(model, ids, target)}
    of_result = {result.name: result.claim for result in features.recorded()}
    return all(of_result[name].holds(list(seen)) for name, seen in results.items())


def turned(model: LanguageModel, prompt: str, other: str) -> bool:
    """Return whether some word speaks for the likeliest token alone, and for the other one if both are compared, by at least 1 bit each."""
    ids = [int(token_id) for token_id in model.encode(prompt)]
    target = Generation(model, prompt).next_distribution().candidates[0].token_id
    alone, both = (
        list(hidden_words(model, ids, target, method="mask", against=against)) for against in (None, model.token_of(other).token_id)
    )
    pairs = zip(alone[-1].parts, both[-1].parts, strict=True)
    return speaks_for_both(both) and any(part.effect >= BIT and -two.effect >= BIT for part, two in pairs)


def choose_why(model: LanguageModel, examples: dict[str, Any]) -> None:
    """Write the prompts of the recorded results of "Why this token?"."""
    examples["why_prompt"] = next(prompt for prompt in WHY_PROMPTS if why_holds(model, prompt))
    examples["why_two"] = next(list(pair) for pair in WHY_TWO if turned(model, *pair))


def steered_with(model: LanguageModel, title: str, beginning: str, layer: int, strength: float) -> SteeredRun:
    """Return the end of a run that these lists steer."""
    more, less = (texts.splitlines() for texts in EXAMPLES.steering[title][:2])
    *_before, last = steered_run(model, beginning, more, less, layer, strength, START)
    return last


def choose_steering(model: LanguageModel, examples: dict[str, Any]) -> None:
    """Write the beginning, the layer and the strength of each pair of lists, with the least strange of the texts that hold the claim."""
    for title, beginnings in BEGINNINGS.items():
        runs = (steered_with(model, title, *option) for option in product(beginnings, range(1, model.layer_count), (2.0, 4.0, 5.0, 6.0)))
        holding = [run for run in runs if steered([run], title)]
        best = min(holding, key=_strangeness)
        examples["steering"][title][2:] = best.prompt, best.layer, best.strength
        report(f"{title}: {best.prompt}|{best.steered}")


def _strangeness(run: SteeredRun) -> float:
    assert run.steered_perplexity is not None and run.usual_perplexity is not None
    return run.steered_perplexity / run.usual_perplexity


SEARCHES = {"why": choose_why, "steering": choose_steering}
