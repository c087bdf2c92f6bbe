"""A file of a recording costs little however it lies, and whoever works beside it goes on working."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from core import Recording
from core.errors import BadRecording
from core.generation import recording_file
from tests.core.runs import branched_run

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
import resource, sys, time
from core import Recording
from core.errors import BadRecording
data = open(sys.argv[1], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begun = time.process_time()
try:
    Recording.loads(data)
except BadRecording:
    print(time.process_time() - begun, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_seconds_and_megabytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    path.write_text(HOSTILE[name])
    out = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    seconds, megabytes = map(float, out.split())
    assert seconds < 10
    assert megabytes < 200


@pytest.fixture(scope="module")
def content(tiny: Any) -> dict[str, Any]:
    return json.loads(Recording.of(branched_run(tiny("gpt2"))).dumps())


def long_file(content: dict[str, Any], megabytes: int) -> bytes:
    step = next(s for s in content["steps"] if s["token_id"] not in content["model"]["end_token_ids"]) | {"name": ""}
    count = megabytes * 2**20 // len(json.dumps(step))
    steps = [step | {"parent": number} for number in range(min(count, 40_000))]
    return json.dumps(content | {"steps": steps, "here": len(steps), "finished": None}).encode()


def test_a_long_file_is_read_beside_others(content: dict[str, Any]) -> None:
    """A neighbour's thread, which wants its turn every few milliseconds, never waits for long."""
    data = long_file(content, 24)
    pauses, stop = [0.0], threading.Event()

    def neighbour() -> None:
        last = time.perf_counter()
        while not stop.is_set():
            time.sleep(0.002)
            now = time.perf_counter()
            pauses.append(now - last)
            last = now

    beside = threading.Thread(target=neighbour)
    beside.start()
    kept = Recording.loads(data)
    stop.set()
    beside.join()
    assert len(kept.path) > 1000
    assert sorted(pauses)[-3] < 0.5  # two may be the machine's own


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
    monkeypatch.setattr(recording_file, "PIECE", 10)  # every entry is a piece of its own
    sound = json.dumps(content, separators=(",", ":"))
    assert Recording.loads(sound).path
    start = sound.index('"steps":[') + 8
    head, steps = sound[:start], sound[start:]
    broken = {"[,": "[," + steps[1:], ",]": steps.replace("}]", "},]", 1)}.get(harm) or steps.replace("},{", harm, 1)
    with pytest.raises(BadRecording):
        Recording.loads(head + broken)


def test_a_file_that_takes_too_long_is_given_up(content: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_file, "LONGEST", -1.0)
    with pytest.raises(BadRecording, match="takes longer"):
        Recording.loads(json.dumps(content))
