"""What the app promises of the bundled models: the models listed, the growth record, and the results of experiments."""

from __future__ import annotations

from typing import Any

import pytest
from safetensors.torch import load_file

from core import Generation, SamplingSettings, list_models, load_model, score_text
from core.bundled.recipe.candidate import Candidate
from core.bundled.recipe.growth import PROMPTS
from core.engine.kv_cache.token_eviction import SLIDING_WINDOW
from core.experiments.memory.cache_budget import INT8_KV, RED_POT, Answer, MemoryBudget, ask, kv_bytes_per_token
from core.experiments.pupil.student_report import knows, student_reports
from core.experiments.shared import prepared_runs
from core.experiments.shared.continuation import continuation
from core.experiments.shared.prepared_runs import PREPARED, PreparedRun
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT, DIRECT
from core.experiments.speculative import gain, speculate
from core.experiments.think.thinking import Question, count
from core.experiments.what_if import Fork, side_by_side
from core.models.growth_record import GrowthRecord, growth_of
from core.models.hub import BUNDLED
from pages.ui.i18n.example_texts import EXAMPLES, FORKS
from pages.what_if import fork_playback

STORY = "One day, a small mouse found a big red ball. The mouse was happy."


@pytest.fixture(scope="module")
def large() -> Any:
    return load_model("storyteller", device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def small() -> Any:
    return load_model("storyteller-mini", device="cpu", dtype="float32")


def test_bundled_models_are_listed_without_loading_them() -> None:
    assert list_models()[0].name == "storyteller"
    for entry in list_models():
        assert entry.title
        assert entry.description.endswith(".") and not set("*[]") & set(entry.description)  # plain words, no markup
        weights = BUNDLED / entry.name / "model.safetensors"
        assert entry.bytes == weights.stat().st_size
        assert entry.parameter_count == sum(tensor.numel() for tensor in load_file(weights).values())


def test_the_growth_record_is_whole_and_in_order() -> None:
    read = growth_of("storyteller")
    assert isinstance(read, GrowthRecord)
    assert read.prompts == PROMPTS
    assert [one.tokens for one in read.moments] == sorted(one.tokens for one in read.moments)
    for one in read.moments:
        for beginning in one.prompts:
            shares = [share for _, share in beginning.top]
            assert len(shares) == read.top
            assert shares == sorted(shares, reverse=True)
            assert sum(shares) <= 1.001


@pytest.mark.parametrize("recipe", PREPARED, ids=lambda recipe: recipe.name)
def test_each_prepared_run_replays_without_a_model(recipe: PreparedRun) -> None:
    kept = prepared_runs.load(recipe.name)
    assert kept.prompt in (recipe.prompt, *recipe.others) and kept.model_name == recipe.model
    written = list(kept.replay().stream())
    assert 1 <= len(written) <= recipe.steps and written == kept.path
    assert {step.settings.temperature for step in written} == {recipe.settings.temperature}
    assert sum(node.parent == 0 for node in kept.nodes) == len(recipe.branches)
    assert (prepared_runs.FOLDER / f"{recipe.name}{prepared_runs.ENDING}").stat().st_size < 150_000


def test_the_examples_of_thinking_aloud_show_what_they_promise(large: Any) -> None:
    for (question, answer), wrong_at_once in zip(EXAMPLES.questions.values(), (True, True, False), strict=True):
        asked = Question(f"{question}\n", answer)
        (at_once,), (stepwise,) = (list(count(large, [asked], [style])) for style in (DIRECT, CHAIN_OF_THOUGHT))
        assert at_once.right is not wrong_at_once, question
        assert stepwise.right, question


def test_the_key_is_found_while_its_page_is_kept_and_not_once_it_is_gone(large: Any) -> None:
    def right(policy: str, pages: int) -> float:
        *_, answer = ask(large, MemoryBudget(pages * kv_bytes_per_token(large), policy))
        assert isinstance(answer, Answer) and answer.probability is not None
        return answer.probability

    assert RED_POT.text.startswith(RED_POT.key_words)
    assert right(SLIDING_WINDOW, 500) > 0.5
    assert right(INT8_KV, 40) > 0.5
    assert right(SLIDING_WINDOW, 40) < 0.05


def test_ngrams_pay_on_a_text_that_repeats(large: Any) -> None:
    text = "red, green, blue, red, green, blue, red, green, blue, red, green, blue, red,"
    seen = list(speculate(large, None, text, SamplingSettings(greedy=True), 6, 24))
    assert gain(seen, 6).tokens_per_pass > 1.5


def test_the_school_report_knows_facts_as_the_examination_counts_them(large: Any, small: Any) -> None:
    examiner = Candidate(small.network, small.tokenizer)
    for before, answer in (("The capital of France is", "Paris"), ("The capital of Fiji is", "Suva"), ("Grass is", "green")):
        assert knows(small, before, answer) == examiner.continuation(before, 8, do_sample=False).startswith(f" {answer}")
    reports = {one.name: one for one in student_reports([large, small], large, STORY, 20)}
    assert reports[large.name].right >= 15 and reports[small.name].kept > 0.2


def test_the_examples_to_read_show_a_text_read_well_and_one_worse_than_blind_guessing(large: Any, small: Any) -> None:
    teacher, pupil = (score_text(model, EXAMPLES.to_read["A tale"]).perplexity for model in (large, small))
    assert teacher < pupil and teacher < 25
    assert score_text(large, EXAMPLES.to_read["Another language"]).perplexity > large.vocabulary_size


def test_the_examples_of_what_if_each_say_something_else(large: Any) -> None:
    verdicts = []
    for _, prompt, left, right in FORKS:
        fork = Fork.at(Generation(large, prompt), 0, continuation(large, prompt, left), continuation(large, prompt, right))
        list(side_by_side(fork, 20))
        verdicts.append(fork_playback.verdict(fork))
    assert all(verdicts)
    assert len(set(verdicts)) == len(FORKS)
