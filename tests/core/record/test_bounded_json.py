"""The reader of files from strangers: equal to `json.loads` within its bounds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadRecording
from core.record import bounded_json
from core.record.bounded_json import BoundedJson, Bounds

BOUNDS = Bounds(size=10**6, rest=10**5, entry=10**5, depth=8, marks=10**5, lists={"seen": 1000, "steps": 1000})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@given(st.lists(VALUES), st.lists(VALUES), VALUES, st.sampled_from([None, 1]), st.sampled_from([1, 40, 10**6]))
def test_a_file_within_the_bounds_is_read_as_json_reads_it(seen: Any, steps: Any, other: Any, indent: int | None, chunk: int) -> None:
    content = {"seen": seen, "other": other, "steps": steps}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded_json, "CHUNK", chunk)
        assert BoundedJson(json.dumps(content, indent=indent), BOUNDS).whole() == content


@pytest.mark.parametrize(
    ("bounds", "content"),
    [
        ({"size": 100}, {"x": "a" * 200}),
        ({"rest": 100}, {"x": [1] * 200}),
        ({"entry": 100}, {"seen": ["a" * 200]}),
        ({"entry": 100}, {"seen": [0] * 200}),
        ({"depth": 4}, {"x": [[[[]]]]}),
        ({"marks": 100}, {"seen": [{}] * 200}),
        ({"lists": {"seen": 100}}, {"seen": [{}] * 200}),
        ({"seconds": -1.0}, {"seen": [{}]}),
    ],
)
def test_each_bound_holds(bounds: dict[str, Any], content: dict[str, Any]) -> None:
    assert BoundedJson(json.dumps(content), BOUNDS).whole() == content
    with pytest.raises(BadRecording):
        BoundedJson(json.dumps(content), replace(BOUNDS, **bounds)).whole()


def test_an_object_with_a_million_names_is_not_parsed() -> None:
    many = b",".join(b'"%d": 0' % number for number in range(1_300_000))
    for data in (b"{" + many + b"}", b'{"choices": [{' + many + b"}]}"):
        with pytest.raises(BadRecording, match="too many parts"):
            BoundedJson(data, replace(BOUNDS, size=2**25, rest=2**25, depth=9, marks=3_000_000))
