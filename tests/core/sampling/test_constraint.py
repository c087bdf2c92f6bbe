"""Constraints against independent readers: partial matches of the `regex` package, `json` and `jsonschema`; and what cannot be used."""

from __future__ import annotations

import gc
import json
import math
import weakref
from contextlib import suppress
from time import process_time
from typing import Any

import jsonschema
import numpy as np
import pytest
import regex
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadSetting
from core.sampling import observe_stages
from core.sampling.constraint import lark_grammar
from core.sampling.constraint.allowed_tokens import compiled
from core.sampling.constraint.lark_grammar import lark_of, schema_of
from core.sampling.observation import History
from core.sampling.settings import ORDERS, SamplingSettings
from core.tokens.token_text import Token, lone_token
from tests.benchmarks.constraint import HOSTILE
from tests.core.sampling.chains import on_device
from tests.core.sampling.test_samplers import EVERYTHING

BYTES = [bytes([byte]) for byte in range(256)]
PARTS = [
    b"yes",
    b" yes",
    b"no",
    b"a",
    b"",
    b'":',
    b'{"name',
    b'", "',
    b"\xf0\x9f",
    b"\xa6\x8a",
    b"\x8a!",
    b"ab",
    b"2026",
    b"-1",
    b"  ",
    b"\n",
]


class Words:
    """All bytes, and tokens of several bytes: of one character, of parts of two, of two symbols of a grammar, twice the same."""

    def __init__(self, ends: bool = True) -> None:
        self.raws = [*BYTES, *PARTS, *([b"<|end|>"] if ends else [])]
        self.vocabulary_size = len(self.raws)
        self.end_token_ids = frozenset([len(self.raws) - 1] if ends else [])

    def token(self, token_id: int) -> Token:
        return lone_token(token_id, self.raws[token_id], token_id in self.end_token_ids)

    def raw_tokens(self) -> tuple[list[bytes], list[int]]:
        return list(self.raws), sorted(self.end_token_ids)

    def ids(self, *raws: bytes) -> np.ndarray:
        return np.array([self.raws.index(raw) for raw in raws], dtype=np.int64)


WORDS, ENDLESS = Words(), Words(ends=False)
END = WORDS.vocabulary_size - 1


def allowed(constraint: str, *before: bytes, words: Words = WORDS) -> set[int]:
    mask = compiled(words, constraint).after(words.ids(*before)).mask(words.vocabulary_size)
    return set(np.flatnonzero(mask).tolist())


def expected(pattern: str, text: bytes) -> set[int]:
    """The tokens after which some text that matches can still follow, and the end where the text matches."""
    form = regex.compile(pattern.encode())
    found = {i for i, raw in enumerate(WORDS.raws[:-1]) if raw and form.fullmatch(text + raw, partial=True)}
    return found | ({END} if form.fullmatch(text) else set())


PATTERNS = ["yes|no", "(yes)*a", " ?(yes|no)", "🦊!?", "(🦊|ab)+", "20[0-9]{2}-1", "a{2,3}b?", "[b-y]b", "(a|ab)(c|bcd)*"]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(data=st.data())
def test_the_mask_is_every_token_that_can_follow(pattern: str, data: st.DataObject) -> None:
    """Also after parts of characters, and where the rest of the text is certain."""
    text: list[bytes] = []
    for _step in range(data.draw(st.integers(0, 6))):
        ways = sorted(expected(pattern, b"".join(text)) - {END})
        if not ways:
            break
        text.append(WORDS.raws[data.draw(st.sampled_from(ways))])
    assert allowed(f"regex:{pattern}", *text) == expected(pattern, b"".join(text))


def test_a_choice_that_begins_another_one_can_end_or_go_on() -> None:
    assert {WORDS.raws[i] for i in allowed("choices:yes\nyes!", b"yes")} == {b"!", b"<|end|>"}


def test_tokens_of_two_symbols_and_of_part_of_a_character_are_allowed() -> None:
    pieces = {WORDS.raws[i] for i in allowed('lark:start: a b\na: "{"\nb: "\\"name\\""')}
    assert pieces == {b"{", b'{"name'}
    assert {WORDS.raws[i] for i in allowed("choices:🦊!", b"\xf0\x9f", b"\xa6")} == {b"\x8a", b"\x8a!"}


def walk(constraint: str, seed: int, words: Words = WORDS, most: int = 400) -> bytes:
    """A text of random allowed tokens, in which rare marks such as quotation marks are as likely as letters."""
    dice, ids = np.random.default_rng(seed), list[int]()
    made = compiled(words, constraint)
    for _step in range(most):
        state = made.after(np.array(ids, dtype=np.int64))
        ways = np.flatnonzero(state.mask(words.vocabulary_size))
        if state.complete or (END in ways and dice.random() < 0.5):
            return b"".join(words.raws[i] for i in ids)
        ids.append(int(dice.choice([i for i in ways if i != END])))
    raise AssertionError("no end")


SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "properties": {"name": {"enum": ["Ann", "Bär", "🦊"]}, "age": {"type": "integer", "minimum": 0, "maximum": 120}},
     "required": ["name", "age"], "additionalProperties": False},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 4},
    {"anyOf": [{"type": "null"}, {"type": "string", "pattern": "^[ab]{2,5}$"}]},
]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("words", [WORDS, ENDLESS])
def test_finished_json_fulfils_its_schema(schema: dict[str, Any], words: Words) -> None:
    for seed in range(30):
        jsonschema.validate(json.loads(walk(f"schema:{json.dumps(schema)}", seed, words)), schema)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    )
)
def test_an_example_fulfils_the_schema_that_is_made_from_it(example: Any) -> None:
    schema = schema_of(example)
    jsonschema.validate(example, schema)
    lark_of(f"example:{json.dumps(example)}")


def test_the_probabilities_are_those_of_the_allowed_tokens_over_their_sum() -> None:
    logits = torch.randn(WORDS.vocabulary_size, generator=torch.Generator().manual_seed(1)) * 3
    settings = SamplingSettings(constraint="choices:yes\nno")
    text = History.of(WORDS, [*WORDS.ids(b"a")], 1)
    found = observe_stages.observe(logits, settings, text, WORDS.vocabulary_size)
    kept = sorted(allowed("choices:yes\nno"))
    p = torch.softmax(logits.double(), 0).numpy()
    after = dict(zip(found.token_ids.tolist(), found.probabilities[-1].tolist(), strict=True))
    assert found.stage_kept[-1] == len(kept) == 6
    assert all(math.isclose(after[i], p[i] / p[kept].sum(), rel_tol=1e-5) if i in kept else after[i] == 0 for i in after)
    everywhere = on_device(logits, settings, text, observe_stages.Selection(), WORDS.vocabulary_size)
    np.testing.assert_allclose(np.sort(everywhere.probabilities[-1]), np.sort(found.probabilities[-1]), atol=1e-6)


@pytest.mark.parametrize("roll", [None, 0.3])
def test_tokens_that_the_constraint_allows_are_listed_behind_the_models_likeliest(roll: float | None) -> None:
    """With the likeliest five alone, no bar could show a token that can be chosen."""
    logits = torch.randn(WORDS.vocabulary_size, generator=torch.Generator().manual_seed(1))
    kept = sorted(allowed("choices:yes\nno"))
    logits[kept] -= 20
    settings, text = SamplingSettings(constraint="choices:yes\nno"), History.of(WORDS, [*WORDS.ids(b"a")], 1)
    ranked = (-logits.numpy()).argsort(kind="stable")
    likeliest = [token_id for token_id in ranked.tolist() if token_id in kept]
    for found in (
        observe_stages.observe(logits, settings, text, 5, roll=roll),
        on_device(logits, settings, text, observe_stages.Selection(roll), 5),
    ):
        listed = found.token_ids.tolist()
        assert listed[:5] == ranked[:5].tolist() and listed[5:10] == likeliest[:5]
        assert [ranked[rank - 1] for rank in found.ranks] == listed
        assert found.probabilities[-1, :5].max() == 0 and not np.isnan(found.dice_starts[5:]).any()


@pytest.mark.parametrize("order", ["transformers", "llama.cpp", "vllm", tuple(reversed(ORDERS["vllm"]))])
@pytest.mark.parametrize("greedy", [False, True])
def test_a_constraint_beside_every_other_sampler_is_the_same_on_both_paths(order: Any, greedy: bool) -> None:
    settings = SamplingSettings(**EVERYTHING, order=order, greedy=greedy, constraint="regex:(yes|no|a)+")
    text = History.of(WORDS, WORDS.ids(b"a", b"no", b"yes", b"no"), 1)
    kept = allowed("regex:(yes|no|a)+", b"no", b"yes", b"no")
    for seed in range(5):
        logits = torch.randn(WORDS.vocabulary_size, generator=torch.Generator().manual_seed(seed)) * 2
        pick = observe_stages.Selection(None if greedy else 0.3, None, greedy)
        try:
            here = observe_stages.observe(logits, settings, text, 20, roll=pick.roll, greedily=greedy)
        except BadSetting as error:
            with pytest.raises(BadSetting, match=regex.escape(str(error))):
                on_device(logits, settings, text, pick, 20)
            continue
        there = on_device(logits, settings, text, pick, 20)
        assert (here.chosen, here.stage_kept, here.stage_names) == (there.chosen, there.stage_kept, there.stage_names)
        assert here.chosen in kept
        np.testing.assert_allclose(here.probabilities, there.probabilities, atol=2e-6)


@pytest.mark.parametrize("order", ["transformers", "llama.cpp", "vllm"])
def test_a_constraint_and_a_ban_that_leave_nothing_are_one_sentence(order: str) -> None:
    ban = dict.fromkeys(allowed("choices:yes"), -math.inf)
    settings = SamplingSettings(constraint="choices:yes", logit_bias=ban, order=order)
    with pytest.raises(BadSetting, match="leave no token to choose"):
        observe_stages.observe(torch.zeros(WORDS.vocabulary_size), settings, History.of(WORDS, [97], 1), 5)


def test_going_back_and_branching_give_the_same_as_reading_from_the_start() -> None:
    form = "regex:(yes|no|a)+🦊"
    made = compiled(WORDS, form)
    texts = [(), (b"yes",), (b"yes", b"no"), (b"yes",), (b"a", b"\xf0\x9f"), (b"yes", b"no", b"a"), (b"a",), (b"n", b"o"), ()]
    for text in texts:
        fresh = type(made)(WORDS, _tokenizer(), form)
        assert made.after(WORDS.ids(*text)) == fresh.after(WORDS.ids(*text))


def test_a_model_that_ends_takes_its_constraints_with_it() -> None:
    words = Words()
    compiled(words, "choices:a").after(words.ids())
    gone = weakref.ref(words)
    del words
    gc.collect()
    assert gone() is None


def _tokenizer() -> Any:
    from core.sampling.constraint import allowed_tokens as module

    return module._tokenizer(WORDS)


CANNOT_BE_USED = {
    "lark:start: a\na: b\nb: a": "No text can fulfil the constraint",
    'schema:{"type":"string","pattern":"["}': "The JSON schema cannot be used: unclosed character class",
    'schema:{"type":\n x}': "JSON schema, line 2, character 2",
    "schema:[1]": "A JSON schema is an object in braces",
    "schema:": "JSON schema, line 1, character 1",
    "example:": "JSON example, line 1, character 1",
    "choices:\n \n": "Choices are 1 to 1,000 texts",
    "choices:" + "\n".join(map(str, range(1500))): "Choices are 1 to 1,000 texts, one in each line, not 1,500",
    "regex:": "allows only the empty text",
    'lark:start: ""': "allows only the empty text",
    "lark:": "no start rule found",
    "regex:(a": "Regular expression, line 1, character 1: unclosed group",
    "regex:ab(?=c)": "Regular expression, line 1, character 3: look-around",
    "regex:[^\\s\\S]": "No text can fulfil the constraint",
    'lark:start: "a"\n  b\nx: y': "Grammar, line",
    'lark:start: "a" | b\n\nc: "x"\n': 'Grammar, line 1: unknown name: "b"',
    "lark:start: <|nope|>": "unknown special token",
    "regex:" + "(" * 200 + ")" * 200: "more than 40 brackets",
    'schema:{"oneOf": [{"type": "integer"}, {"type": "number"}]}': "Write anyOf instead",
    'schema:{"const": 123456789012345678901234567890}': "a whole number beyond 64 bits",
    "regex:ab\\": "Regular expression, line 1, character 3: incomplete escape",
    'schema:{"type":"integer","minimum":' + "9" * 5000 + "}": "too large",
}  # fmt: skip


@pytest.mark.parametrize("constraint", CANNOT_BE_USED)
def test_what_cannot_be_used_is_one_sentence_with_place_and_reason(constraint: str) -> None:
    settings, text = SamplingSettings(constraint=constraint), History.of(WORDS, [97], 1)
    with pytest.raises(BadSetting, match=regex.escape(CANNOT_BE_USED[constraint])) as caught:
        observe_stages.observe(torch.zeros(len(WORDS.raws)), settings, text, 5, roll=0.5)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_constraint_costs_seconds_at_most_and_ends(name: str) -> None:
    """The benchmark has the figures."""
    ids, started = list[int](), process_time()
    with suppress(BadSetting):
        made = compiled(WORDS, HOSTILE[name])
        for step in range(20):
            ways = np.flatnonzero(made.after(np.array(ids, dtype=np.int64)).mask(WORDS.vocabulary_size)[:END])
            if not len(ways):
                break
            ids.append(int(ways[7 * step % len(ways)]))
    assert process_time() - started < 10


@pytest.mark.parametrize("form", ['lark:start: "a" start', 'schema:{"properties":{"a":{"$ref":"#"}},"required":["a"],"type":"object"}'])
def test_a_form_that_never_ends_allows_a_token_after_any_number_of_tokens(form: str) -> None:
    made, ids = compiled(WORDS, form), list[int]()
    for _step in range(200):
        mask = made.after(np.array(ids, dtype=np.int64)).mask(WORDS.vocabulary_size)
        assert not mask[END]
        ids.append(int(np.flatnonzero(mask)[-1]))


@given(st.text(max_size=60), st.sampled_from(["choices", "schema", "example", "regex", "lark"]))
def test_any_form_is_used_or_refused_in_one_sentence(text: str, kind: str) -> None:
    try:
        compiled(WORDS, SamplingSettings(constraint=f"{kind}:{text}").constraint)
    except BadSetting as error:
        assert str(error)


def test_a_constraint_beyond_the_parser_s_limits_is_refused_where_it_grows_too_large() -> None:
    made = compiled(WORDS, "schema:" + json.dumps({"type": "object", "properties": {f"p{number}": {} for number in range(500)}}))
    assert WORDS.raws.index(b"{") in np.flatnonzero(made.after(WORDS.ids()).mask(WORDS.vocabulary_size))
    with pytest.raises(BadSetting, match="The constraint is too complex here"):
        made.after(WORDS.ids(b"{"))


def test_an_ambiguous_grammar_is_refused_before_its_time_grows_with_the_cube_of_the_text() -> None:
    made, text = compiled(WORDS, 'lark:start: e\ne: e e | "a"'), WORDS.ids(*[b"a"] * 600)
    assert not made.after(text[:200]).complete
    with pytest.raises(BadSetting, match="The constraint is too complex here"):
        made.after(text)


@pytest.mark.parametrize("form", ["schema:" + json.dumps({"type": "object", "properties": {f"p{number}": {} for number in range(100)}}),
                                  "choices:" + "\n".join(f"choice {number}" for number in range(500)),
                                  'lark:start: e\ne: e "+" e | e "*" e | "(" e ")" | /[0-9]+/'])  # fmt: skip
def test_usual_wide_and_ambiguous_forms_stay_within_the_limits(form: str) -> None:
    made, ids = compiled(WORDS, form), list[int]()
    for step in range(100):
        ways = np.flatnonzero(made.after(np.array(ids, dtype=np.int64)).mask(WORDS.vocabulary_size)[:END])
        if not len(ways):
            break
        ids.append(int(ways[7 * step % len(ways)]))
    assert len(ids) > 5


def test_a_format_that_is_not_known_is_ignored_with_a_note() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": "password"}, "b": {"type": "string", "format": "date"}}}
    form = f"schema:{json.dumps(schema)}"
    assert [str(note) for note in lark_grammar.notes(form)] == ["The format password is ignored, as JSON Schema says of unknown formats."]
    assert '"format": "date"' in lark_grammar.lark_of(form) and "password" not in lark_grammar.lark_of(form)
    kept = 'schema:{"const": {"format": "password"}}'
    assert lark_grammar.notes(kept) == () and "password" in lark_grammar.lark_of(kept), "a plain value is no schema"


def test_the_wrapper_of_openai_is_read_as_the_schema_in_it() -> None:
    inner = {"type": "boolean"}
    wrapper = {"name": "answer", "strict": True, "schema": inner}
    whole, flat = {"type": "json_schema", "json_schema": wrapper}, {"type": "json_schema"} | wrapper
    for form in (wrapper, whole, {"response_format": whole}, flat, {"format": flat}, {"text": {"format": flat}}, {"format": inner}):
        assert lark_grammar.lark_of(f"schema:{json.dumps(form)}") == lark_grammar.lark_of(f"schema:{json.dumps(inner)}")


def test_the_notes_say_what_a_schema_does_not_demand() -> None:
    assert "a name can come twice" in str(lark_grammar.notes('schema:{"patternProperties": {"^k": {}}, "type": "object"}')[0])
    assert "demands nothing" in str(lark_grammar.notes('schema:{"title": "x"}')[0])
    assert lark_grammar.notes("choices:a") == lark_grammar.notes('schema:{"type": "integer"}') == ()
