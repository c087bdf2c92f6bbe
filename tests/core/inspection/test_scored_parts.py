"""Words and fields of a scored text: against plain products, `json` and worked examples; cut, doubled, huge and hostile texts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core import score_text
from core.inspection import scored_parts, scoring
from core.inspection.inside import Guess
from core.inspection.scored_parts import DEEPEST, LONGEST_NAME, json_places
from core.inspection.scoring import ScoredToken
from core.tokens.token_text import Token

Model = Callable[[str], Any]
FORM = '{"animal": "cat", "legs": 4, "tame": true, "names": ["Tom", {"short": null}], "size": -1.5e3}'


def scored(*pieces: tuple[str, float | None], special: str = "", others: dict[int, list[tuple[int, float]]] | None = None) -> Any:
    """A scored text of these tokens; others: id and probability of what else was listed at a token."""
    written = [Token(index, text, text, text.encode(), text == special) for index, (text, _chance) in enumerate(pieces)]
    tokens = []
    for index, (text, chance) in enumerate(pieces):
        listed = [(index, chance or 0.0), *(others or {}).get(index, [])]
        guesses = tuple(Guess(i, f"<{i}>", f"<{i}>", rank, 0.0, share) for rank, (i, share) in enumerate(listed, 1))
        tokens.append(ScoredToken(index, index, text, text, chance, 1, 1.0, 1.0, guesses))
    return SimpleNamespace(written=written, tokens=tokens)


def test_a_worked_example() -> None:
    """Two tokens with 1/2 and 1/4 are a word with 1/8; after the first, 1/8 of the other half's kind went elsewhere: 0.3 + 0.5 * 0.6."""
    text = scored(("A", None), (" fo", 0.5), ("x", 0.25), (".", 0.9), others={1: [(7, 0.3)], 2: [(8, 0.5), (9, 0.1)]})
    (word,) = scoring.words(text)
    assert (word.text, word.start, word.stop, word.probability) == ("fox", 1, 3, 0.125)
    assert (word.lowest_token, word.lowest_probability) == ("x", 0.25)
    assert word.others == pytest.approx(0.3 + 0.5 * 0.6) and word.other == "<7>"
    assert not (word.begins_inside or word.ends_inside or word.cut) and word.name == ""


def test_the_least_sure_word_is_first_and_a_word_within_a_token_says_so() -> None:
    text = scored((" one", 0.9), (" two,three", 0.2), (" don", 0.5), ("'t", 0.5), ("<end>", 0.01), special="<end>")
    parts = scoring.words(text)
    assert [(part.text, part.probability) for part in parts] == [("two", 0.2), ("three", 0.2), ("don't", 0.25), ("one", 0.9)]
    assert [(part.begins_inside, part.ends_inside) for part in parts] == [(False, True), (True, False), (False, False), (False, False)]
    assert all(math.isnan(part.others) and part.other == "" for part in parts), "nothing else was listed"


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_each_probability_is_the_product_of_those_of_the_tokens(architecture: str, tiny: Model) -> None:
    score = score_text(tiny(architecture), "Es war naïve: 日本 and Łódź 🦊, isn't it? नमस्ते e\u0301t\u0301e " + FORM)
    text = "".join(token.text for token in score.written if not token.special)
    for part in (*scoring.words(score), *scoring.fields(score)):
        own = "".join(token.text for token in score.written[part.start : part.stop])
        assert part.text in own and (part.begins_inside or part.ends_inside or own.strip(' "') == part.text)
        assert part.probability == pytest.approx(math.exp(score.log_probabilities[part.start : part.stop].sum()), rel=1e-9)
        assert part.lowest_probability == pytest.approx(math.exp(score.log_probabilities[part.start : part.stop].min()), rel=1e-9)
        assert 0.0 <= part.others <= 1.0 - part.probability + 1e-6
    expected = set(re.findall(r"[\w'\u0300-\u036f\u0900-\u097f]+", text))
    assert {part.text for part in scoring.words(score)} <= expected
    assert {"naïve", "Łódź", "isn't", "नमस्ते", "e\u0301t\u0301e"} <= {part.text for part in scoring.words(score)}


def leaves(value: Any, name: str = "") -> dict[str, Any]:
    """The values of parsed JSON by their names, written as the app writes them."""
    if isinstance(value, dict):
        return {key: leaf for part, inner in value.items() for key, leaf in leaves(inner, f"{name}.{part}".removeprefix(".")).items()}
    if isinstance(value, list):
        return {key: leaf for place, inner in enumerate(value) for key, leaf in leaves(inner, f"{name}[{place}]").items()}
    return {name: value}


@pytest.mark.parametrize(
    "text",
    [
        FORM,
        f"Here it is:\n```json\n{FORM}\n``` {{no JSON}} [1, [2, []], {{}}]",
        json.dumps({'a"b': 'x\\"y\n', "é": "日本 🦊", "": {"": []}, "deep": [[[["end"]]]]}, indent=3),
    ],
)
def test_the_values_are_those_that_json_reads(text: str) -> None:
    decoder, found, place = json.JSONDecoder(), dict[str, Any](), 0
    while (place := min((at for at in (text.find("{", place), text.find("[", place)) if at >= 0), default=-1)) >= 0:
        try:
            value, place = decoder.raw_decode(text, place)
            found |= leaves(value)
        except ValueError:
            place += 1
    read = {}
    for name, start, stop, cut in json_places(text):
        assert not cut
        written = text[start:stop]
        read[name] = json.loads(f'"{written}' if text[start - 1] == '"' else written)
    assert read == found and found


def test_cut_json_doubled_names_and_what_is_no_json() -> None:
    def values(text: str) -> list[tuple[str, str, bool]]:
        return [(name, text[start:stop], cut) for name, start, stop, cut in json_places(text)]

    assert values('{"a": "x", "a": "y", "b": "hal') == [("a", 'x"', False), ("a (2)", 'y"', False), ("b", "hal", True)]
    assert values('{"a": [1, 23') == [("a[0]", "1", False), ("a[1]", "23", True)]
    assert values('{"a": 1, b: 2, "c": 3}') == [("a", "1", False)]
    assert values('{"a": NaN, "c": 3}') == [] and values('{"a" 1}') == [] and values("[01]") == [] and values('{"a": "') == []
    assert values("") == values("{") == values("]") == values('"alone"') == values("no brackets") == []
    assert values('{"a\\q": 1, "\\ud800": 2}')[0] == ("a\\q", "1", False)
    assert [cut for *_rest, cut in values("[1]")] == [False]


def test_what_was_not_measured_is_left_out() -> None:
    text = scored(("{", None), ('"a":', None), (" 1", None), (",", None), (' "b":', 0.5), (" 2", 0.4), ("}", 0.9), (" fox", math.nan))
    assert [(part.name, part.probability) for part in scoring.fields(text)] == [("b", 0.4)]
    assert [part.text for part in scoring.words(text)] == ["2", "b"]
    for nothing in (scored(), scored(("one", None)), scored(("", 0.5), ("", 0.5)), scored(("fox", 0.5), special="fox")):
        assert scoring.words(nothing) == scoring.fields(nothing) == ()


def test_one_token_and_equal_tokens() -> None:
    (word,) = scoring.words(scored((" fox", 0.5)))
    assert (word.text, word.probability, word.lowest_token) == ("fox", 0.5, " fox")
    equal = scoring.words(scored((" fox", 0.5), (" fox", 0.25), (" fox", 0.5)))
    assert [(part.text, part.start, part.probability) for part in equal] == [("fox", 1, 0.25), ("fox", 0, 0.5), ("fox", 2, 0.5)]


def test_a_probability_of_zero_and_very_small_products_are_first() -> None:
    parts = scoring.words(scored((" a", 0.5), (" b", 0.0), *[("c", 1e-30)] * 20))
    assert [part.text for part in parts] == ["b" + "c" * 20, "a"] and parts[0].probability == 0.0


@pytest.mark.parametrize(
    "unit", ['{"a":', "[", "{", '"', '{"', "[1,", '{"a":1}', "\\", '["a', "[" * 70 + "1", "a b", "1e", " \n", "[tr", '{"a":"']
)
def test_each_character_of_a_hostile_text_is_read_a_few_times(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, read = scored_parts._LEXEME, [0]

    def match(text: str, place: int) -> Any:
        lexeme = pattern.match(text, place)
        read[0] += 1 + (0 if lexeme is None else lexeme.end() - place)
        return lexeme

    monkeypatch.setattr(scored_parts, "_LEXEME", SimpleNamespace(match=match))
    text = (unit * 80_000)[:80_000]
    places = list(json_places(text))
    assert read[0] < 6 * len(text)
    assert all(0 <= begin < end <= len(text) and len(name) <= LONGEST_NAME + 12 for name, begin, end, _cut in places)


def test_json_that_is_too_deep_is_read_up_to_there() -> None:
    assert list(json_places("[" * DEEPEST + "1")) and len(list(json_places("[" * (DEEPEST + 5) + "1"))) <= 1


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_a_text_of_many_tokens(count: int, tiny: Model) -> None:
    model = tiny("llama")
    unit = ' {"fox": "bear 12"}'
    score = score_text(model, unit * (count // (len(model.tokenize(unit)) - 2) + 2))
    assert len(score.written) >= count
    fields, words = scoring.fields(score), scoring.words(score)
    assert len(fields) == len(score.text) // len(unit) and len(words) >= 3 * len(fields) - 1
    probabilities = [part.probability for part in fields]
    assert probabilities == sorted(probabilities) and np.isfinite(probabilities).all()
