"""A hostile file of a recording is refused without much memory. The fields of a valid one may stand in any order."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from core import Recording
from core.errors import BadRecording
from core.generation import recording_file
from core.record import bounded_json
from tests.core.runs import branched_run
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
from core import Recording
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
