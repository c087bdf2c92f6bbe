"""Every setting of the table on every kind of source: it works, or one sentence says what cannot be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from typing import Any

import pytest
import regex

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import ViewerError
from core.experiments.cost import request
from core.experiments.pupil.cascade import cascade
from core.experiments.pupil.two_models import judge
from core.experiments.speculative import ModelDraft
from core.inspection.embeddings import embedding, neighbours
from core.sampling.settings import SETTING_OF, SETTINGS
from core.sources.capabilities import WHY_NOT, Can
from core.sources.ngram.ngram import NGram
from tests.core.remote import listed_servers
from tests.core.remote.serving import FakeLlama, FakeVLLM, connect, serve

FORMS = (
    "choices:the fox\n the dog",
    'schema:{"type": "boolean"}',
    'example:{"a": 1}',
    "regex:( [a-z]+)+\\.",
    'lark:start: " the" | "a"',
    "regex:a\\",
    "choices:\n",
)
PATTERNS = (" ?(the fox| the dog)", " ?(true|false)", r" ?\{\s*\"a\"\s*:\s*-?[0-9]+\s*\}", r"( [a-z]+)+\.", " the|a")  # of the first forms
VALUES: dict[str, tuple[Any, ...]] = {
    "logit_bias": ({5: 2.0}, {1: None}, {10_000_000: 1.0}),
    "constraint": FORMS,
    "watermark": ("green", "synthid"),
    "order": ("llama.cpp", "vllm", tuple(reversed(SETTING_OF))),
    "dry_sequence_breakers": (("a", "\n"),),
    "greedy": (True,),
}


def values_of(name: str) -> tuple[Any, ...]:
    """Values of a setting that are not off: those above, or both ends of its control."""
    row = SETTINGS[name]
    if name in VALUES:
        return VALUES[name]
    assert row.control is not None, f"give the setting {name} a value in VALUES"
    low, high, step = row.control
    return tuple(value for value in (low, low + step, high) if value != row.off)


def settings_with(name: str, value: Any) -> SamplingSettings:
    """The settings with this value, and with what switches its sampler on."""
    of = SETTINGS[name].of
    values: dict[str, Any] = {"seed": 3, name: value} | ({of: values_of(of)[0]} if of else {})
    return SamplingSettings(**values)


@pytest.fixture(scope="module")
def sources(tiny: Any) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        served = {
            "vLLM": connect(stack.enter_context(serve(FakeVLLM(limit=512)))),
            "llama-server": connect(stack.enter_context(serve(FakeLlama()))),
            "texts": load_model(stack.enter_context(serve(listed_servers.Completions())).address),
            "conversations": load_model(stack.enter_context(serve(listed_servers.hosted_chat)).address),
        }
        ngrams = {"words": NGram("the fox went home. the bear ate honey.", 2), "characters": NGram("the fox", 3, "characters")}
        yield {"local": tiny("llama"), **ngrams, **served}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_works_or_one_sentence_says_why_not(name: str, sources: dict[str, Any]) -> None:
    for model, value in product(sources.values(), values_of(name)):
        run = Generation(model, "the", settings_with(name, value))
        try:
            run.next_distribution()
            run.generate(3)
        except ViewerError as refused:
            assert str(refused).endswith(".") and "\n" not in str(refused)
            assert Can.ALL_SETTINGS not in model.can or value in FORMS or name == "logit_bias", (value, refused)
        else:
            Recording.loads(Recording.of(run).dumps()).replay().step()


@pytest.mark.parametrize("source", ["local", "words", "characters"])
@pytest.mark.parametrize(("form", "pattern"), list(zip(FORMS, PATTERNS, strict=False)))
def test_a_form_holds(source: str, form: str, pattern: str, sources: dict[str, Any]) -> None:
    run = Generation(sources[source], "the", SamplingSettings(constraint=form, seed=1))
    run.generate(6)
    assert run.path and regex.fullmatch(pattern, run.written, partial=True), run.written


def test_a_recording_takes_no_other_setting(tiny: Any) -> None:
    run = Generation(tiny("llama"), "the", SamplingSettings(seed=3))
    run.generate(3)
    for name in SETTINGS:
        for value in values_of(name):
            again = Recording.of(run).replay()
            again.settings = settings_with(name, value)
            assert again.finished is None
            again.next_distribution()
            assert again.generate(3) == run.text, (name, value)


@pytest.mark.parametrize(
    "refused",
    [
        lambda ngram, tiny: next(judge(ngram, tiny, "the")),
        lambda ngram, tiny: next(judge(tiny, ngram, "the")),
        lambda ngram, _tiny: next(cascade(ngram, ngram, "the", thresholds=(1.0,))),
        lambda ngram, _tiny: next(request(ngram, "the")),
        lambda ngram, tiny: ModelDraft(tiny, ngram),
        lambda ngram, _tiny: embedding(ngram, 1),
        lambda ngram, _tiny: neighbours(ngram, 1),
    ],
)
def test_an_experiment_that_needs_more_than_an_ngram_has_says_so(refused: Any, sources: dict[str, Any]) -> None:
    with pytest.raises(ViewerError) as caught:
        refused(sources["words"], sources["local"])
    assert str(caught.value) in WHY_NOT.values()
