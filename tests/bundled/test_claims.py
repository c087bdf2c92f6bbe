"""Every prepared thing shows what it says, with the bundled weights.

When one of these fails, the weights or an example changed: run `python -m pages.ui.presenting.choose_examples`, then
`python -m pages.ui.experiments.record_results`.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from core import Recording, load_model
from core.experiments.pupil.cascade import LARGE_ONLY, SMALL_ONLY, cascade, cascade_is_worth_it
from core.experiments.pupil.student_report import student_reports
from core.experiments.shared import prepared_runs
from core.experiments.shared.claim import text_of
from core.experiments.shared.claims_of_runs import branches, ends_in_a_sentence, repeated_sentences
from core.experiments.shared.prepared_runs import PREPARED, PreparedRun
from core.experiments.why.steered_run import steered
from pages.gallery import gallery
from pages.ui.experiments import stored_results
from pages.ui.features import recorded
from pages.ui.i18n import example_texts
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.presenting import choose_examples
from pages.ui.presenting.prepared_talks import TALKS
from pages.ui.presenting.stage_state import doubt
from pages.ui.presenting.talk_file import Stop
from pages.ui.session.provenance import Provenance
from pages.ui.session.sampling_controls import START
from pages.why.choose_examples import steered_with, turned, why_holds
from tests.browser.observed import DRAWN

STOPS = {stop.title: stop for stop in choose_examples.stage_stops()}
PRESSES_A_MINUTE = 10
BEATS = 5  # presses for the first token of a talk
MINUTES = {"Three minutes": 3, "Ten minutes": 10, "Half an hour": 30}


@cache
def loaded(name: str) -> Any:
    return load_model(name, device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def large() -> Any:
    return loaded("storyteller")


def test_the_examples_were_chosen_for_these_weights() -> None:
    assert list(EXAMPLES.weights) == choose_examples.fingerprints(), "the weights changed: choose and record again"


@pytest.mark.parametrize("recipe", PREPARED, ids=lambda recipe: recipe.name)
def test_a_prepared_run_shows_its_claim_in_its_file_and_with_the_weights(recipe: PreparedRun) -> None:
    kept = prepared_runs.load(recipe.name)
    assert recipe.claim.holds(kept), recipe.claim.says
    if not recipe.is_bundled:
        return
    made = prepared_runs.make(recipe, loaded(recipe.model))
    assert list(map(text_of, branches(made))) == list(map(text_of, branches(kept)))


@pytest.mark.exhaustive
def test_all_recorded_times_are_of_one_machine_and_one_day() -> None:
    """Before a release: until then a new result has the day and the machine of whoever added it, and its page says so."""
    found = [stored_results.bundled(spec.name) for spec in recorded()]
    made = {(one.recorded_on, one.made_by.machine) for one in found if one is not None and isinstance(one.made_by, Provenance)}
    assert len(made) == 1, f"{made}: record all results in one sitting, `python -m pages.ui.experiments.record_results` without names"
    assert all(made.pop())


def test_each_recorded_result_is_looked_at_in_a_browser() -> None:
    names = {spec.name for spec in recorded() if spec.page != "tour"}  # the tour is walked in tests/browser/test_tour.py
    assert names == set(DRAWN), "add a function with its name to CHECKS in tests/browser/observed.py"


def test_the_example_of_two_tokens_shows_what_one_token_hides(large: Any) -> None:
    assert turned(large, *EXAMPLES.why_two)
    assert not turned(large, EXAMPLES.why_prompt, " London")


def test_a_claim_fails_for_a_run_that_does_not_show_it() -> None:
    runs = {recipe.name: prepared_runs.load(recipe.name) for recipe in PREPARED}
    for name, other in (("loop", "hot"), ("ending", "loop"), ("certain", "open"), ("open", "certain"), ("cold", "hot"), ("hot", "cold")):
        claim = next(recipe.claim for recipe in PREPARED if recipe.name == name)
        assert not claim.holds(runs[other]), (claim.says, other)
    emoji = next(recipe.claim for recipe in PREPARED if recipe.name == "emoji")
    assert not emoji.holds(runs["rare_name"])


@pytest.mark.parametrize("title", STOPS)
def test_a_run_on_stage_ends_where_a_sentence_ends_and_has_a_few_choices(title: str, large: Any) -> None:
    stop: Stop = STOPS[title]
    made = choose_examples.sentence(large, stop, int(stop.query["seed"]))
    assert len(made.path) == stop.words
    assert not made.faults


def test_the_recording_of_a_talk_stops_at_the_end_of_a_sentence_that_it_has_repeated() -> None:
    stop = next(stop for stop in TALKS["Ten minutes"].stops if "run" in stop.query)
    path = prepared_runs.load(stop.query["run"]).path[: stop.words]
    assert ends_in_a_sentence(path) and repeated_sentences(path) >= 3


@pytest.mark.parametrize("name", TALKS)
def test_a_talk_takes_at_most_ten_presses_a_minute(name: str, large: Any) -> None:
    presses, is_first = 0, True
    for stop in TALKS[name].stops:
        presses += 1 + bool(stop.start) + len(stop.acts)  # to the next stop, the stop's button, and what else the forward key does there
        if stop.page != "stage":
            continue
        if "run" in stop.query:
            path = list(islice(prepared_runs.load(stop.query["run"]).path, stop.words))
        else:
            path = list(choose_examples.sentence(large, stop, int(stop.query["seed"])).path)
        assert stop.doubt is not None
        presses += sum(doubt(step) >= stop.doubt for step in path[1:]) + (BEATS if is_first else 1)
        is_first = False
    assert presses <= PRESSES_A_MINUTE * MINUTES[name]


def test_the_model_is_at_home_in_the_example_prompts(large: Any) -> None:
    for name, prompt in EXAMPLES.prompts.items():
        assert choose_examples.at_home(large, prompt, seeds=3), name
    assert not choose_examples.at_home(large, "The football match", seeds=3)


def test_the_prompt_of_why_this_token_depends_on_a_word_and_on_a_head(large: Any) -> None:
    assert why_holds(large, EXAMPLES.why_prompt)


@pytest.mark.parametrize("title", EXAMPLES.steering)
def test_a_steered_text_is_about_what_was_turned_up(title: str, large: Any) -> None:
    beginning, layer, strength = EXAMPLES.steering[title][2:]
    assert steered([steered_with(large, title, beginning, layer, strength)], title)


def test_the_cascade_of_the_sum_is_worth_it_and_that_of_a_story_is_not(large: Any) -> None:
    for name, worth in ((example_texts.SUM_ALOUD, True), ("A story", False)):
        seen = list(cascade(loaded("storyteller-mini"), large, EXAMPLES.foreseen[name], START, (2.0, SMALL_ONLY, LARGE_ONLY), 48))
        assert cascade_is_worth_it(seen) is worth, name


def test_the_teacher_is_better_than_the_pupil_and_the_pupil_than_its_twin(large: Any) -> None:
    models = [large, *map(loaded, choose_examples.MODELS[1:])]
    seen = list(student_reports(models, large, EXAMPLES.unseen_story, 20))
    claim = next(spec.claim for spec in recorded() if spec.name == "pupil_school")
    assert claim.holds(seen)


def test_each_card_of_the_gallery_names_a_recording() -> None:
    assert set(gallery.RUNS) == {recipe.name for recipe in PREPARED}
    for recipe in PREPARED:
        data = (prepared_runs.FOLDER / f"{recipe.name}{prepared_runs.ENDING}").read_bytes()
        assert Recording.loads(gzip.decompress(data)).prompt in (recipe.prompt, *recipe.others)


@pytest.mark.parametrize("file", choose_examples.FILES, ids=lambda file: file.name)
def test_the_files_are_written_as_the_command_writes_them(file: Path) -> None:
    text = file.read_text("utf-8")
    assert text == choose_examples.file_text(json.loads(text))
