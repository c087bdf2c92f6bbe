"""A recorded experiment comes back as it was, at any speed. A broken file is refused in one sentence."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from core import SamplingSettings
from core.batching.scheduler import Policy
from core.errors import BadRecording
from core.experiments.memory.rounded_cache import RoundedCache, rounded_cache
from core.experiments.pupil.cascade import LARGE_ONLY, SMALL_ONLY, CascadeScore, CascadeToken, cascade
from core.experiments.pupil.student_report import StudentReport, student_reports
from core.experiments.pupil.two_models import JudgedParts, JudgedToken, ModelFigures, judge
from core.experiments.quantization.rounded_weights import PartDamage
from core.experiments.same_prompt import Refused
from core.experiments.shared import result_file
from core.experiments.shared.result_file import ExperimentFile, HexBytes, RecordedExperiment, StoredDistribution, TableStep, experiment_file
from core.experiments.shared.side_by_side import Column, ComparisonStep, side_by_side
from core.experiments.waiting.load import LoadPoint, ServiceTimes, Watched, load_curve, watch_one
from core.message import Message
from tests.core.refusals import one_sentence

DAY = "2026-01-31"


def again(kept: RecordedExperiment, file: type[ExperimentFile]) -> RecordedExperiment:
    """Return what its file brings back."""
    return RecordedExperiment.loads(kept.dumps(file), {kept.name: file})


@pytest.fixture
def compared(tiny: Callable[[str], Any]) -> tuple[Any, ...]:
    model = tiny("llama")
    columns = [Column(model, SamplingSettings(greedy=True)), Column(model, SamplingSettings(temperature=1.3, top_k=5, seed=3))]
    return tuple(side_by_side(columns, "the fox", 6))


def test_steps_come_back_without_a_model(compared: tuple[Any, ...]) -> None:
    kept = RecordedExperiment("compare", DAY, compared, tuple(0.1 * i for i in range(len(compared))))
    back = again(kept, experiment_file(ComparisonStep))
    last, was = back.observations[-1], compared[-1]
    assert last.parts_at == was.parts_at and last.finished == was.finished
    for path, before in zip(last.paths, was.paths, strict=True):
        assert [step.text for step in path] == [step.text for step in before]
        for one, other in zip(path, before, strict=True):
            assert (one.token_id, one.roll, one.chosen_by, one.settings) == (other.token_id, other.roll, other.chosen_by, other.settings)
            np.testing.assert_allclose(one.probabilities, other.probabilities, rtol=1e-6)
            assert [candidate.piece for candidate in one.candidates] == [candidate.piece for candidate in other.candidates]
            assert one.stage_names == other.stage_names
    assert back.observations[0].paths[0][0] is last.paths[0][0], "a step that many observations hold is one step"


def two(tiny: Callable[[str], Any]) -> dict[str, Callable[[], Iterator[Any]]]:
    """Labs of two models, of many requests and of a rounded cache, on tiny ones."""
    one, other, third = tiny("llama"), tiny("gpt2"), tiny("qwen3")
    text = "the fox and the dog ran home"
    return {
        "pupil": lambda: judge(one, other, "the fox", SamplingSettings(seed=1), 5),
        "pupil_cascade": lambda: cascade(other, third, "the fox", SamplingSettings(seed=1), (2.0, SMALL_ONLY, LARGE_ONLY), 4),
        "pupil_school": lambda: student_reports([one, other], one, text, 2),
        "waiting": lambda: watch_one(one, "the fox", ["the dog"], SamplingSettings(seed=1), 3),
        "waiting_curve": lambda: load_curve(one, ["the dog"], loads=(0.5,), requests=3),
        "quantization_notepad": lambda: rounded_cache(one, text),
    }


SEEN: dict[str, Any] = {
    "pupil": JudgedToken | JudgedParts,
    "pupil_cascade": CascadeToken | CascadeScore,
    "pupil_school": StudentReport,
    "waiting": Watched,
    "waiting_curve": ServiceTimes | LoadPoint,
    "quantization_notepad": RoundedCache,
}


@pytest.mark.parametrize("name", SEEN)
def test_what_a_lab_yields_comes_back(name: str, tiny: Callable[[str], Any]) -> None:
    seen = tuple(two(tiny)[name]())
    about = (ModelFigures.of(tiny("llama")), ModelFigures.of(tiny("gpt2")), 3)
    file = experiment_file(SEEN[name], tuple[ModelFigures, ModelFigures, int])
    back = again(RecordedExperiment(name, DAY, seen, (0.0,) * len(seen), about=about), file)
    assert seen and back.about == about and [type(one) for one in back.observations] == [type(one) for one in seen]
    for one, other in zip(back.observations, seen, strict=True):
        same(one, other)


def same(one: Any, other: Any) -> None:
    """Hold two values against each other, field by field, NaN as NaN. A whole number in a field for a float comes back as a float."""
    assert type(one) is type(other) or one == other
    if is_dataclass(other) and not isinstance(other, type):
        for field in fields(other):
            same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(other, tuple):
        for mine, theirs in zip(one, other, strict=True):
            same(mine, theirs)
    elif isinstance(other, float):
        assert one == pytest.approx(other, rel=1e-8, nan_ok=True)
    else:
        assert one == other


def test_it_plays_in_its_own_rhythm_and_at_any_speed() -> None:
    kept = RecordedExperiment("parts", DAY, (1, 2, 3), (0.5, 1.5, 61.5))
    for speed, expected in (
        (1.0, [0.5, 1.0, result_file.LONGEST_PAUSE]),
        (2.0, [0.25, 0.5, result_file.LONGEST_PAUSE]),
        (float("inf"), []),
    ):
        pauses: list[float] = []
        assert list(kept.again(speed, pauses.append)) == [1, 2, 3]
        assert pauses == pytest.approx(expected)


def test_a_result_that_holds_a_model_is_refused(tiny: Callable[[str], Any]) -> None:
    with pytest.raises(BadRecording, match="cannot store"):
        RecordedExperiment("race", DAY, (1,), (0.0,), about=tiny("llama")).dumps(experiment_file(int, Any))


@pytest.mark.parametrize("seen", [("1",), (PartDamage(0, "up", "x"),), (PartDamage(0, "up", 0.5), object()), (object(),)])  # type: ignore[arg-type]
def test_a_value_of_another_type_is_not_written(seen: tuple[Any, ...]) -> None:
    for declared in (PartDamage, PartDamage | ComparisonStep, StoredDistribution):
        with pytest.raises(BadRecording, match="cannot store"):
            RecordedExperiment("parts", DAY, seen, (0.0,) * len(seen)).dumps(experiment_file(declared))


@dataclass(frozen=True, slots=True)
class About:
    """Values of all kinds that a file can hold."""

    settings: SamplingSettings = field(default_factory=SamplingSettings)
    policy: Policy = Policy.STATIC
    step: StoredDistribution | None = None
    table: tuple[tuple[str, int | None], ...] = (("a", 1), ("b", None))
    raw: HexBytes = b"\xff\x00"
    named: frozenset[str] = frozenset("a")
    by_name: Mapping[str, float] = field(default_factory=lambda: {"a": math.inf})


FILE = experiment_file(PartDamage, About | list[Any] | None)
FILES = {"quantization_parts": FILE}


def content(**changed: Any) -> dict[str, Any]:
    kept = RecordedExperiment("quantization_parts", DAY, (PartDamage(0, "up", 0.25),), (0.5,))
    return kept.content(FILE) | changed


def test_values_of_all_kinds_come_back() -> None:
    kept = RecordedExperiment("quantization_parts", DAY, (PartDamage(0, "up", 0.25),), (0.5,), about=About())
    assert again(kept, FILE) == kept


def packed(what: Any) -> bytes:
    return gzip.compress(json.dumps(what).encode())


DAMAGE: dict[str, Any] = {"layer": 0, "name": "up", "mean_kl": 0.25}
NESTED = json.loads("[" * 50 + "]" * 50)
WRONG: dict[str, bytes] = {
    "empty": b"",
    "no archive": b"hello",
    "cut off": packed(content())[:-9],
    "another format": packed(content(format="x")),
    "a newer version": packed(content(version=99)),
    "no name": packed(content(name="../../etc/passwd")),
    "no observations": packed(content(seen=[], seconds=[])),
    "times missing": packed(content(seconds=[])),
    "times that are none": packed(content(seconds=[-5.0])),
    "times that decrease": packed(content(seen=[DAMAGE, DAMAGE], seconds=[2.0, 1.0])),
    "times that are not finite": packed(content(seconds=[math.nan])),
    "times without end": packed(content(seconds=[1e300])),
    "no date": packed(content(recorded_on="yesterday")),
    "an experiment that is none": packed(content(name="unknown")),
    "a class of Python": packed(content(seen=[{"record": ["Popen", {"args": "ls"}]}])),
    "another class": packed(content(seen=[{"temperature": 1.0}])),
    "a field too many": packed(content(seen=[DAMAGE | {"x": 1}])),
    "a field too few": packed(content(seen=[{"layer": 0}])),
    "a field of another type": packed(content(seen=[DAMAGE | {"layer": "0"}])),
    "a number with a fraction": packed(content(seen=[DAMAGE | {"layer": 0.5}])),
    "a truth for a number": packed(content(seen=[DAMAGE | {"layer": True}])),
    "too many observations": packed(content(seen=[DAMAGE] * (result_file.MOST_SEEN + 1), seconds=[0.0] * (result_file.MOST_SEEN + 1))),
    "a list that is too long": packed(content(vocabularies=[{"end_token_ids": [], "tokens": []}] * 200)),
    "settings out of range": packed(content(about={"settings": {"temperature": -1.0}})),
    "settings that are not finite": packed(content(about={"settings": {"temperature": float("nan")}})),
    "an enum that is none": packed(content(about={"policy": "chaos"})),
    "a step that is not there": packed(content(about={"step": 0})),
    "a step below zero": packed(content(about={"step": -1})),
    "a step of nothing": packed(content(steps=[{}])),
    "keys that cannot be": packed(content(about={"settings": {"logit_bias": {"x": 2.0}}})),
    "bytes that are none": packed(content(about={"raw": "zz"})),
    "a huge number": packed(content(seen=[DAMAGE | {"layer": 10**40}])),
    "a number of many digits": gzip.compress(json.dumps(content()).replace("0.25", "1" * 5000).encode()),
    "a text that is too long": packed(content(seen=[DAMAGE | {"name": "a" * (result_file.LONGEST_TEXT + 1)}])),
    "an input that is too long": packed(content(about={"table": [["a" * (result_file.LONGEST_INPUT + 1), 1]]})),
    "nested too deeply": packed(content(about=NESTED)),
    "broken tokens": packed(content(vocabularies=[{"end_token_ids": [], "tokens": [{"id": 1, "raw": "zz", "special": False}]}])),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_gets_one_sentence(name: str) -> None:
    with one_sentence(BadRecording):
        RecordedExperiment.loads(WRONG[name], FILES)


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_file, "LARGEST_CONTENT", 1_000_000)
    with pytest.raises(BadRecording, match="too large"):
        RecordedExperiment.loads(gzip.compress(b'{"format": "%b"' % result_file.FORMAT.encode() + b" " * 5_000_000), FILES)


def test_a_sentence_with_the_same_long_value_a_thousand_times_is_refused() -> None:
    """Its text would have a hundred million characters."""
    file = experiment_file(Refused)
    kept = RecordedExperiment("same_prompt", DAY, (Refused(1, Message("{name} cannot do it.", name="a" * 100_000)),), (0.5,))
    assert again(kept, file) == kept
    wrong = kept.content(file)
    wrong["seen"][0]["reason"]["template"] = "{name}" * 1000
    with pytest.raises(BadRecording, match="broken"):
        RecordedExperiment.loads(packed(wrong), {"same_prompt": file})


NAMES = st.sampled_from([*TableStep.model_fields, *(each.name for kind in (About, PartDamage, SamplingSettings) for each in fields(kind))])


def test_a_hundred_thousand_wrong_items_are_one_error() -> None:
    wrong = content(about={"table": [[1, "b"]] * 100_000}, seen=[{}] * 10_000, vocabularies=[{}] * 10_000, steps=[{}] * 10_000)
    with pytest.raises(ValidationError) as caught:
        FILE.model_validate(wrong, context={})
    assert caught.value.error_count() < 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON, JSON, JSON, JSON)
@example(None, {"float": []}, [], [])
def test_no_nonsense_brings_anything_but_a_sentence(about: Any, seen: Any, steps: Any, words: Any) -> None:
    with suppress(BadRecording):
        RecordedExperiment.loads(packed(content(about=about, seen=[seen], steps=steps, vocabularies=words)), FILES)
