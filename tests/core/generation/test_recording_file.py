"""A hostile file of a recording is refused without much memory. The fields of a valid one may stand in any order."""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from core import Generation, Recording, SamplingSettings
from core.errors import BadRecording, BadSetting, NotForThisModel
from core.generation import recording_file
from core.record import bounded_json
from tests.core.remote.serving import FakeLlama, FakeSGLang, FakeVLLM, connect, serve
from tests.core.runs import branched_run
from tests.core.sampling.test_samplers import EVERYTHING
from tests.tiny_models import some

ROOT = Path(__file__).parents[3]
HOSTILE = {
    "nested lists among the steps": '{"steps": [' + "[]," * 8_000_000 + "[]]}",
    "one deep list": "[" * 30_000_000,
    "numbers in place of steps": '{"steps": [' + "0," * 15_000_000 + "0]}",
    "empty steps": '{"steps": [' + "{}," * 8_000_000 + "{}]}",
    "texts in place of steps": '{"steps": [' + '"",' * 8_000_000 + '""]}',
    "a text without an end": '{"a": "' + '\\"' * 15_000_000,
    "numbers in the settings": '{"settings": {"x": [' + "0," * 15_000_000 + "0]}}",
    "a hundred thousand names": "{" + ",".join(f'"{number}": 1' for number in range(1_000_000)) + "}",
    "the same list twice": '{"steps": [], "steps": []}',
}
PROGRAM = """
import resource, sys
from core import Generation, Recording, SamplingSettings
from core.errors import BadRecording
data = open(sys.argv[1], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    Recording.loads(data)
except BadRecording:
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.parametrize("name", some(HOSTILE, ["one deep list", "the same list twice"]))
def test_a_hostile_file_is_refused_without_filling_the_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    path.write_text(HOSTILE[name])
    out = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert float(out) < 200


@pytest.fixture(scope="module")
def content(tiny: Any) -> dict[str, Any]:
    return json.loads(Recording.of(branched_run(tiny("gpt2"))).dumps())


def test_lists_may_stand_anywhere_and_be_written_anyhow(content: dict[str, Any]) -> None:
    names = sorted(content, key=lambda name: name not in ("steps", "vocabulary"))
    for indent in (None, 1):
        assert (
            Recording.loads(json.dumps({name: content[name] for name in names}, indent=indent)).dumps()
            == Recording.loads(json.dumps(content)).dumps()
        )
    assert Recording.loads(b"\xef\xbb\xbf" + json.dumps(content).encode()).path


@pytest.mark.parametrize("harm", ["[,", ",]", "}{", "} {", "},,{"])
def test_a_comma_too_many_or_too_few_is_refused(content: dict[str, Any], harm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_json, "CHUNK", 10)  # every entry is a piece of its own
    sound = json.dumps(content, separators=(",", ":"))
    assert Recording.loads(sound).path
    start = sound.index('"steps":[') + 8
    head, steps = sound[:start], sound[start:]
    broken = {"[,": "[," + steps[1:], ",]": steps.replace("}]", "},]", 1)}.get(harm) or steps.replace("},{", harm, 1)
    with pytest.raises(BadRecording):
        Recording.loads(head + broken)


def test_a_file_that_takes_too_long_is_given_up(content: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_file, "BOUNDS", replace(recording_file.BOUNDS, seconds=-1.0))
    with pytest.raises(BadRecording, match="took longer"):
        Recording.loads(json.dumps(content))


def _edited(content: dict[str, Any], field: str, place: int, value: Any) -> str:
    """Return the file after one number of its first step was edited. A negative place counts from the end."""
    step = json.loads(json.dumps(content["steps"][0]))
    step[field] = value if field == "roll" else [*step[field]]
    if field == "probabilities":
        step[field][-1][place] = value
    elif field != "roll":
        step[field][place] = value
    return json.dumps(content | {"steps": [step, *content["steps"][1:]]})


@pytest.mark.parametrize(
    ("field", "place", "value", "sentence"),
    [
        ("ranks", 0, 999, "a rank does not fit the probabilities"),
        ("ranks", -1, 999, "a rank does not fit the probabilities"),
        ("logits", 0, 1e308, r"is broken \(at steps → 0 → logits → 0\)"),
        ("logits", 0, 1e30, "a logit does not fit its probability"),
        ("logits", 1, 3.5, "a logit does not fit its probability"),
        ("stage_entropies", 0, 60.0, "an entropy does not fit the probabilities"),
        ("stage_entropies", -1, 0.0, "an entropy does not fit the probabilities"),
        ("probabilities", 0, 1.0, "the probabilities of a stage add up to more than 1"),
        ("removed_at", 0, 0, "an excluded token has a probability"),
        ("roll", 0, 0.9999999, "the roll is not in the range of the chosen token"),
        ("roll", 0, None, "the roll is not in the range of the chosen token"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(content: dict[str, Any], field: str, place: int, value: Any, sentence: str) -> None:
    with pytest.raises(BadRecording, match=sentence):
        Recording.loads(_edited(content, field, place, value))


UNUSUAL: dict[str, dict[str, Any]] = {
    "everything": EVERYTHING,
    "everything and greedy": EVERYTHING | {"greedy": True},
    "a tournament": {"watermark": "synthid", "temperature": 1.5},
    "a green list after mirostat": {"mirostat_tau": 3.0, "watermark": "green"},
    "hot": {"temperature": 100.0},
    "cold": {"temperature": 0.01},
    "a large bias": {"logit_bias": {100: 1e6, 101: 1e6, 102: -math.inf}},
}


@pytest.mark.parametrize("name", UNUSUAL)
@pytest.mark.parametrize("top_n", [1, 20])
def test_the_numbers_of_a_run_fit_each_other_with_unusual_settings(name: str, top_n: int, tiny: Any) -> None:
    run = Generation(tiny("llama"), "The sea looked back", SamplingSettings(seed=4, **UNUSUAL[name]), top_n=top_n)
    for _ in range(8):
        run.step()
    run.go_to(1)
    run.force(7)
    assert len(Recording.loads(Recording.of(run).dumps()).nodes) == len(run.nodes)


@pytest.mark.parametrize("make", [FakeLlama, FakeVLLM, FakeSGLang])
@pytest.mark.parametrize("name", [name for name in UNUSUAL if "tournament" not in name])
def test_the_numbers_of_a_servers_run_fit_each_other(name: str, make: Any, no_waiting: None) -> None:
    with serve(make()) as server:
        run = Generation(connect(server), "def main", SamplingSettings(seed=4, **UNUSUAL[name]), top_n=5)
        with contextlib.suppress(NotForThisModel, BadSetting):  # a server can be unable to do it
            for _ in range(4):
                run.step()
            run.force(run.path[0].candidates[1].token_id)
    assert len(Recording.loads(Recording.of(run).dumps()).nodes) == len(run.nodes)


@pytest.mark.parametrize(
    "chosen", [{}, {"token": "c", "logprob": -0.1}, {"token": "c", "logprob": None}], ids=["listed", "other", "not known"]
)
@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("ranks", 999, "a rank does not fit the probabilities"),
        ("logits", 1e30, "a logit does not fit its probability"),
        ("stage_entropies", 60.0, "an entropy does not fit the probabilities"),
        ("stage_entropies", 0.0, "an entropy does not fit the probabilities"),
    ],
)
def test_numbers_of_a_saved_answer_that_contradict_each_other_are_refused(
    field: str, value: Any, sentence: str, chosen: dict[str, Any]
) -> None:
    tops = [{"token": "a", "logprob": -0.7}, {"token": "b", "logprob": -1.2}]
    answer = {"choices": [{"logprobs": {"content": [tops[0] | {"top_logprobs": tops} | chosen]}}]}
    content = json.loads(Recording.from_response(answer).dumps())
    assert Recording.loads(json.dumps(content)).path, "a server can take its choice from another distribution than its list"
    with pytest.raises(BadRecording, match=sentence):
        Recording.loads(_edited(content, field, 0, value))


FAULTY: dict[str, dict[str, Any]] = {
    "steps of nothing": {"steps": [{}] * 20_000},
    "unknown names in every step": {"steps": [{str(i): 0 for i in range(100)}] * 2_000},
    "lists of nonsense": {"steps": [{"token_ids": ["x"] * 1000, "ranks": ["x"] * 1000}] * 100},
    "unknown names": {str(i): 1 for i in range(50_000)},
    "unknown names in the model": {"model": {str(i): 1 for i in range(50_000)}},
    "tokens of nothing": {"vocabulary": [[]] * 50_000, "prompt_tokens": [None] * 50_000},
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_file_of_nothing_but_faults_is_refused_at_the_first_of_each_kind(name: str) -> None:
    """Some 200 KB of them once took gigabytes to report."""
    with pytest.raises(BadRecording) as caught:
        Recording.loads(json.dumps(FAULTY[name] | {"format": "token-probability-viewer recording", "version": 1}))
    cause = caught.value.__cause__
    assert not isinstance(cause, ValidationError) or cause.error_count() < 60
