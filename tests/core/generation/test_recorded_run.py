"""A recording shows the run exactly as it was. A broken file is refused in one sentence."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from core import Generation, Recording
from core.errors import BadRecording
from core.record import step_rows, tables
from tests.core.refusals import one_sentence
from tests.core.runs import PROMPT, all_alike, branched_run


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def run(request: pytest.FixtureRequest, tiny: Any) -> Generation:
    return branched_run(tiny(request.param))


class SoundFile(dict[str, Any]):
    """A file with nothing wrong, short in the report of a test that fails."""

    def __repr__(self) -> str:
        return "a sound file"


@pytest.fixture(scope="module")
def content(tiny: Any) -> dict[str, Any]:
    """A sound file as plain data, for tests that break it."""
    return SoundFile(json.loads(Recording.of(branched_run(tiny("gpt2"))).dumps()))


def test_a_saved_run_is_the_run(run: Generation, tmp_path: Path) -> None:
    Recording.of(run).save(tmp_path / "run.json")
    kept = Recording.load(tmp_path / "run.json")
    # A file travels; of a folder it names only the last part.
    assert (kept.prompt, kept.text, kept.settings, kept.model_name) == (run.prompt, run.text, run.settings, Path(run.model.name).name)
    all_alike(kept.path, run.path)
    assert Recording.loads(kept.dumps()).dumps() == kept.dumps()
    assert Recording.loads(kept.dumps().encode()).text == run.text


def test_every_branch_is_kept(run: Generation) -> None:
    tree = Recording.loads(Recording.of(run).dumps())
    assert len(tree.nodes) == len(run.nodes)
    for node in run.nodes:
        all_alike(tree.path_to(node.node_id), run.path_to(node.node_id))
    assert [(b.name, b.parts_at, b.step_count, b.text) for b in tree.branches()] == [
        (b.name, b.parts_at, b.step_count, b.text) for b in run.branches()
    ]


def test_a_recording_needs_no_model_to_be_read(run: Generation, tmp_path: Path) -> None:
    import subprocess
    import sys

    Recording.of(run).save(tmp_path / "run.json")
    program = "import sys; from core import Recording; kept = Recording.load(sys.argv[1]); kept.replay().step();"
    program += "print('torch' in sys.modules, len(kept.path))"
    root = Path(__file__).parents[3]
    out = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "run.json")], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    assert out.split() == ["False", str(len(run.path))]


# Files that are wrong


def refused(data: Any) -> str:
    text = data if isinstance(data, str | bytes) else json.dumps(data)
    with one_sentence(BadRecording) as told:
        Recording.loads(text)
    assert str(told.value).encode()
    return str(told.value)


def changed(content: dict[str, Any], *place: Any, to: Any) -> dict[str, Any]:
    """The file with one value replaced."""
    content = copy.deepcopy(content)
    part = content
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = to
    return content


DEEP = json.loads("[" * 900 + "]" * 900)
WHOLE = ["", " ", "null", "[]", "{}", "3", '"text"', "not json", "{" * 5000, "[" * 100_000, b"\xff\xfe\x00", b"\x89PNG\r\n", "1" * 10_000]
TWICE = '{"steps": [], "steps": []}'


@pytest.mark.parametrize("data", [*WHOLE, TWICE], ids=lambda data: repr(data)[:16])
def test_what_is_no_recording_at_all_is_refused(data: str | bytes) -> None:
    refused(data)


def test_a_newer_version_says_so(content: dict[str, Any]) -> None:
    assert "newer" in refused(changed(content, "version", to=content["version"] + 1))
    assert "newer" in refused(changed(content, "version", to=10**300))


def test_a_file_that_is_too_large_says_so(tmp_path: Path) -> None:
    assert "large" in refused(b" " * (64 * 2**20 + 1))
    with open(tmp_path / "huge.json", "wb") as file:
        file.truncate(3 * 2**30)
    with pytest.raises(BadRecording):
        Recording.load(tmp_path / "huge.json")


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.json", tmp_path, "a\0b"):
        with pytest.raises(BadRecording):
            Recording.load(path)


# For each place of the file, values that cannot stand there.
WRONG: dict[tuple[Any, ...], list[Any]] = {
    ("version",): ["1", 0],
    ("prompt",): ["", "another", "half \ud83e pair"],
    ("prompt_tokens",): [[]],
    ("prompt_tokens", 0, "raw"): ["zz"],
    ("settings", "temperature"): [-1, 1e999, 10**400, DEEP],
    ("settings", "surprise"): [1],
    ("\ud83e",): [1],
    ("extra\n" * 300,): [1],
    ("here",): [99, -1, 1.5],
    ("top_n",): [10**9],
    ("finished",): ["x" * 1000],
    ("model", "name"): ["x" * 1000, "half \ud83e"],
    ("model", "context_length"): [-5],
    ("vocabulary",): [[]],
    ("vocabulary", 0, "id"): [10**30],
    ("steps", 0, "parent"): [1],
    ("steps", 3, "parent"): [-1],
    ("steps", 0, "token_id"): [4],
    ("steps", 0, "token_ids"): [[]],
    ("steps", 0, "token_ids", 0): [-1, 10**30],
    ("steps", 0, "probabilities", 0, 0): [1.5, None, "0.5"],
    ("steps", 0, "probabilities", 0): [[]],
    ("steps", 0, "removed_at", 0): [15],
    ("steps", 0, "roll"): [1.0, "0"],
    ("steps", 0, "chosen_by"): ["magic"],
    ("steps", 0, "settings"): [{"seed": DEEP}, None],
    ("steps", 0, "stage_names"): [[]],
    ("steps", 0, "stage_kept"): [[1]],
    ("steps", 0, "stage_entropies", 0): [1e999],
    ("steps", 0, "seconds"): [-1],
    ("steps", 0): [DEEP, None],
    ("steps",): [{}],
}


@pytest.mark.parametrize("place", WRONG, ids=lambda place: ascii(place)[:40])
def test_a_value_that_cannot_be_is_refused(place: tuple[Any, ...], content: dict[str, Any]) -> None:
    for value in WRONG[place]:
        refused(changed(content, *place, to=value))


def test_a_missing_field_is_refused(content: dict[str, Any]) -> None:
    for name in content.keys() - {"messages"}:  # old files have no messages
        refused({key: value for key, value in content.items() if key != name})
    for name in content["steps"][0]:
        broken = copy.deepcopy(content)
        del broken["steps"][0][name]
        if name not in MAY_BE_MISSING:
            refused(broken)


MAY_BE_MISSING = {"name", "held_bytes", "server_seconds", "server_listed", "stage_exact"}  # what a run on this machine has no need to say


def read_everything(kept: Recording) -> None:
    """All that a page does with a recording."""
    assert kept.text.startswith(kept.prompt)
    kept.dumps().encode()
    tables.steps_table(kept.path)
    replay = kept.replay()
    while not replay.finished:
        replay.next_distribution()
        step = replay.step()
        assert step_rows.dice_segments(step) and len(tables.stages_table(step))
        assert 0 <= step.model_probability <= 1.000001
        assert step.piece.encode()
    for branch in replay.branches():
        assert branch.text.encode() is not None


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([10**400, -(10**20), 2**53, 2**63, 0.5, -0.0, math.inf, -math.inf, math.nan, 1e308, 5e-324]),
    st.text(max_size=4),
    st.sampled_from(["\ud83e", "x" * 5000, "00" * 3000, "sampled", "<script>"]),
    st.lists(st.integers(-1, 3), max_size=3),
    st.just(DEEP),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@budget(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_with_any_values_replaced_is_refused_or_works(data: Any, content: dict[str, Any]) -> None:
    broken = copy.deepcopy(content)
    for _ in range(data.draw(st.integers(1, 3))):
        part: Any = broken
        while True:
            key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
            if isinstance(part[key], dict | list) and part[key] and data.draw(st.integers(0, 5)):
                part = part[key]
                continue
            how = data.draw(st.sampled_from(["replace", "remove", "add"]))
            if how == "replace":
                part[key] = copy.deepcopy(data.draw(JUNK))
            elif how == "remove":
                del part[key]
            elif isinstance(part, list):
                part.insert(key, copy.deepcopy(part[key]))
            else:
                part[data.draw(st.text(max_size=3))] = 1
            break
        if not broken:
            break
    try:
        kept = Recording.loads(json.dumps(broken))
    except BadRecording as error:
        assert str(error).encode()
        return
    read_everything(kept)


def test_a_run_that_fits_into_no_file_says_so(tiny: Any) -> None:
    """In one sentence of ours, not in pydantic's pages of detail."""
    run = Generation(tiny("gpt2"), PROMPT)
    step = run.force(40)
    run.nodes[1].step = dataclasses.replace(step, forward=dataclasses.replace(step.forward, seconds=1e10))
    with pytest.raises(BadRecording, match=r"^This run cannot be saved[^\n]*$"):
        Recording.of(run)
