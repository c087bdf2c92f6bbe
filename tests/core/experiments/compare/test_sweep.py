"""Each column writes the text it would write alone, with the same dice. A sweep changes one setting."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.experiments.compare.sweep import RANGES, repeated_runs, statistics, sweep
from core.experiments.shared.side_by_side import Column, ComparisonStep, parting_text, side_by_side

PROMPT = "The sea looked back"


def rows(columns: list[Column], **named: Any) -> list[ComparisonStep]:
    return list(side_by_side(columns, PROMPT, **named))


def columns_of(tiny: Any) -> list[Column]:
    return [
        Column(tiny("gpt2"), SamplingSettings(greedy=True, seed=4)),
        Column(tiny("gpt2"), SamplingSettings(temperature=0.5, seed=4)),
        Column(tiny("llama"), SamplingSettings(temperature=1.5, seed=4)),
    ]


def test_each_column_is_what_it_would_be_alone(tiny: Any) -> None:
    columns = columns_of(tiny)
    last = rows(columns, steps=10)[-1]
    for column, path, finished in zip(columns, last.paths, last.finished, strict=True):
        alone = Generation(column.model, PROMPT, column.settings)
        while len(alone.path) < 10 and not alone.finished:
            alone.step()
        assert [step.token_id for step in path] == [step.token_id for step in alone.path]
        assert finished == alone.finished


def test_the_first_difference_is_marked_and_stays(tiny: Any) -> None:
    columns = [Column(tiny("gpt2"), SamplingSettings(temperature=t, seed=4)) for t in (0.8, 0.8, 0.9, 2.0)]
    found = rows(columns, steps=14)
    assert all(row.parts_at[:2] == (None, None) for row in found)
    for place in (2, 3):
        marks = [row.parts_at[place] for row in found]
        mark = marks[-1]
        tokens = [[step.token_id for step in found[-1].paths[i]] for i in (0, place)]
        first = next((i for i, (a, b) in enumerate(zip(*tokens, strict=False)) if a != b), None)
        assert mark == first
        assert mark is not None
        assert marks == [None] * mark + [mark] * (len(marks) - mark)


def test_parting_is_seen_in_the_text_not_in_its_cuts(tiny: Any) -> None:
    def path(text: str, letters: bool = False) -> Any:
        run = Generation(tiny("gpt2"), "go")
        for part in text if letters else [text]:
            model: Any = run.model
            for token in model.encode(part):
                run.force(token)
        return run.path

    whole, spelled = path(" the sea looked"), path(" the sea looked", letters=True)
    assert len(whole) < len(spelled)
    assert parting_text(whole, spelled) is None
    assert parting_text(spelled, whole[:2]) is None
    assert parting_text([], whole) is None
    assert parting_text(whole, path(" the sun", letters=True)) == len(" the su") - 1


def test_statistics_by_hand(tiny: Any) -> None:
    run = Generation(tiny("gpt2"), "go")
    model: Any = run.model
    for token in model.encode(" the old man and the old man and the sea"):
        run.force(token)
    found = statistics(run.path)
    assert (found.words, found.distinct_words, found.repeats) == (10, 5, 3)
    assert found.tokens == len(run.path)
    assert found.surprise == pytest.approx(-sum(math.log2(s.model_probability) for s in run.path) / len(run.path))
    assert found.seconds > 0
    nothing = statistics([])
    assert (nothing.tokens, nothing.words, nothing.surprise) == (0, 0, 0.0)
    assert repeated_runs([]) == repeated_runs(["a", "a"]) == 0
    assert repeated_runs(["a"] * 5) == 2


@pytest.mark.parametrize("name", RANGES)
def test_a_sweep_turns_one_setting(name: str, tiny: Any) -> None:
    base = SamplingSettings(temperature=0.9, top_p=0.95, seed=2)
    lines = list(sweep(tiny("gpt2"), PROMPT, name, settings=base, steps=6))
    assert [line.value for line in lines] == list(RANGES[name])
    for line in lines:
        assert getattr(line.settings, name) == line.value
        others = {k: v for k, v in line.settings.as_dict().items() if k != name}
        assert others == {k: v for k, v in base.as_dict().items() if k != name}
        alone = Generation(tiny("gpt2"), PROMPT, line.settings)
        while len(alone.path) < 6 and not alone.finished:
            alone.step()
        assert line.text == alone.written
    assert lines[0].parts_at is None
