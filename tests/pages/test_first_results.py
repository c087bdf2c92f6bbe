"""No page begins empty: each shows a finished result at once, says that it is a recording, plays it again, and runs it live at a press."""

from __future__ import annotations

import gzip
from dataclasses import MISSING, fields, replace
from itertools import permutations
from pathlib import Path
from types import UnionType
from typing import get_args

import pytest

from pages.ui import features
from pages.ui.experiments import stored_results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame
from tests.pages.apptest import Open, State, html


def test_other_choices_pale_it_and_another_prompt_does_not(open_app: Open) -> None:
    app = open_app(page="cache", prompt="The fox")
    assert "A recorded result." in html(app)
    app.segmented_control(key="cache_length").set_value(64).run()
    assert "A recorded result, made with other choices than those above." in html(app)


def test_what_one_visitor_does_with_it_no_other_sees(open_app: Open, session: State) -> None:
    one, other = open_app(page="teach"), open_app(page="teach")
    mine, theirs = (session(app).experiments["teach"].about for app in (one, other))
    assert mine is not theirs and mine.looks
    mine.picked = 0
    assert theirs.picked is None


@pytest.mark.parametrize("spec", features.recorded(), ids=lambda spec: spec.name)
def test_a_result_came_with_the_app_shows_its_claim_and_is_written_as_it_was_read(spec: features.Recorded) -> None:
    path = stored_results.FOLDER / f"{spec.name}{stored_results.ENDING}"
    found = stored_results.bundled(spec.name)
    assert found is not None and found.name == spec.name and path.stat().st_size < 200_000
    assert spec.claim.holds(found.observations), spec.claim.says
    assert isinstance(found.made_by, Provenance) and found.made_by.model
    written = found.dumps(stored_results.files()[spec.name])
    hint = "if you added a setting or a field, record all results again: `python -m pages.ui.experiments.record_results`"
    assert gzip.decompress(written) == gzip.decompress(path.read_bytes()), hint


def test_the_fields_of_an_observation_tell_its_class() -> None:
    unions = (spec.observation for spec in features.recorded() if isinstance(spec.observation, UnionType))
    for one, other in (pair for union in unions for pair in permutations(get_args(union), 2)):
        written = {field.name for field in fields(one)}
        needed = {field.name for field in fields(other) if field.default is MISSING and field.default_factory is MISSING}
        assert not needed <= written <= {field.name for field in fields(other)}


def test_what_holds_a_model_is_not_offered_as_a_file() -> None:
    found = stored_results.bundled("race")
    assert found is not None
    plain = Experiment(found.observations, made_by=found.made_by, about=found.about)
    assert stored_results.can_save("race", plain) and not stored_results.can_save("race", replace(plain, about=object()))
    assert not stored_results.can_save("race", replace(plain, observations=(*found.observations, object())))
    assert not stored_results.can_save("compare_unread", plain), "the gallery could not open it"


def test_a_broken_recording_is_as_if_it_were_not_there(open_app: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / f"race{stored_results.ENDING}").write_bytes(b"broken")
    monkeypatch.setattr(stored_results, "FOLDER", tmp_path)
    app = open_app(page="cache")
    assert "A recorded result." not in html(app)


def test_the_ways_on_lead_round_to_every_page() -> None:
    paths = set(features.features()) - frame.GUIDED
    reached, here = set(), "chat"
    for _path in paths:
        here = frame.following(here).path
        reached.add(here)
    assert reached >= paths - {"chat"}
