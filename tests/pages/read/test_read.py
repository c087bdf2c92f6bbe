"""“Read a text” without a browser: what is shown is what core scored; every bad text gets one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import score_text
from core.inspection import scoring
from core.inspection.scored_answer import scored_answer
from pages.read import scoring_rows
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from tests.pages.apptest import Open, State, press, said, told

Model = Callable[[str], Any]

PAGE = "read"
TEXT = "Once upon a time a fox 🦊 met a bear."


def test_the_sums_are_those_of_core(open_app: Open, session: State) -> None:
    app = open_app(page=PAGE)
    app.text_area(key="read_text").set_value(TEXT).run()
    scored = score_text(session(app).run.model, TEXT)
    assert app.metric[1].value == f"{scored.nll:.2f}"
    assert app.metric[2].value == f"{scored.bits_per_byte:.2f}"
    assert float(app.metric[0].value.replace(",", "")) == pytest.approx(scored.perplexity, rel=0.01)


def test_nothing_to_read_is_said(open_app: Open) -> None:
    app = open_app(page=PAGE)
    app.text_area(key="read_text").set_value("").run()
    assert not app.exception
    assert told(app) == ["The text is empty. Paste or write some text."]


def test_a_text_longer_than_the_context_is_read_in_strides(open_app: Open, session: State) -> None:
    app = open_app(page=PAGE)
    model = session(app).run.model
    long = "Once upon a time there was a little fox. " * (model.context_length // 4)
    app.text_area(key="read_text").set_value(long).run()
    assert not app.exception
    captions = " ".join(caption.value for caption in app.caption)
    assert f"context of {model.context_length:,} tokens" in captions
    assert app.select_slider(key="read_part_one").options


def test_words_say_what_core_scored(tiny: Model) -> None:
    scored = score_text(tiny("llama"), TEXT)
    words = scoring_rows.scored_words(scored, "rank")
    assert len(words) == len(scored.tokens)
    for word, token in list(zip(words, scored.tokens, strict=True))[1:]:
        assert f"rank {token.rank:,}" in word.lines[0]
        own = [bar for bar in word.bars if bar[3]]
        assert [bar[1] for bar in own] == [pytest.approx(token.probability)]
    assert words[0].bars == ()


@pytest.mark.parametrize("tint", ["rank", "probability", "entropy"])
def test_darker_means_less_expected_in_every_tint(tiny: Model, tint: str) -> None:
    scored = score_text(tiny("llama"), TEXT * 3)
    words = scoring_rows.scored_words(scored, tint)
    assert len({word.colour for word in words[1:]}) == 1, "a paler shade of another colour could be the darker one"
    expected = {
        "rank": lambda token: -sum(token.rank > limit for limit in (1, 10, 100)),
        "probability": lambda token: token.probability,
        "entropy": lambda token: -min(token.entropy, scoring_rows.MOST_BITS),
    }[tint]
    pairs = sorted((expected(token), -word.depth) for word, token in list(zip(words, scored.tokens, strict=True))[1:])
    assert [depth for _, depth in pairs] == sorted(depth for _, depth in pairs)
    assert pairs[0][1] < pairs[-1][1]


def test_a_long_text_is_cut_into_parts_and_its_curve_into_means(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring_rows, "ON_ONE_PAGE", 10)
    monkeypatch.setattr(scoring_rows, "CURVE", 7)
    scored = score_text(tiny("llama"), TEXT)
    count = scoring_rows.page_count(scored)
    assert sum(len(scoring_rows.scored_words(scored, "rank", part)) for part in range(count)) == len(scored.tokens)
    curve = scoring_rows.curve_rows(scored)
    assert len(curve) <= 7
    assert curve.surprise.max() <= max(token.surprise or 0 for token in scored.tokens)


def rows_of(app: Any) -> list[list[str]]:
    """The cells of the table of words or values, without marks."""
    (table,) = [part.value for part in app.markdown if part.value.startswith("| ") and "lowest token" in part.value]
    return [[cell.strip(" *") for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]


def test_words_and_fields_are_those_of_core_and_a_choice_apart(open_app: Open, session: State) -> None:
    app = open_app(page=PAGE)
    app.session_state["read_one_sure"] = True  # the part of the page is opened
    app.text_area(key="read_text").set_value(EXAMPLES.to_read["A form"]).run()
    score = score_text(session(app).run.model, EXAMPLES.to_read["A form"])
    fields, words = scoring.fields(score), scoring.words(score)
    assert [row[1] for row in rows_of(app)] == [numbers.percent(part.probability) for part in fields]
    assert {row[0].partition(":")[0].replace("\\", "") for row in rows_of(app)} == {part.name for part in fields}
    assert "not how true it is" in said(app)
    app.segmented_control(key="read_one_sure_of").set_value("words").run()
    assert [row[0] for row in rows_of(app)] == [part.text for part in words[:12]]


def test_a_strange_text_is_read_like_any_other_and_has_words_and_fields(open_app: Open) -> None:
    app = open_app(page=PAGE)
    app.session_state["read_one_sure"] = True
    for text in (
        "🦊🦊",
        "| a | b |",
        "*`$:[x](y)<script>alert(1)</script>",
        '{"<script>": "*`$:[x](y)"}',
        '{"a": "cut',
        "\x00\x07👩‍👩‍👧‍👦昔々<|end|> =",
    ):
        app.text_area(key="read_text").set_value(text).run()
        assert not app.exception and told(app) == [], text


def test_watch_shows_the_words_of_its_run(open_app: Open, session: State) -> None:
    app = open_app(prompt="Once upon a time")
    app.session_state["watch_sure"] = True
    app.toggle(key="watch_more").set_value(True).run()
    assert not [part for part in app.markdown if "lowest token" in part.value], "nothing was written yet"
    press(app, "step", 6)
    words = scoring.words(scored_answer(session(app).run))
    assert words and [row[0] for row in rows_of(app)] == [part.text for part in words]
    assert [row[1] for row in rows_of(app)] == [numbers.percent(part.probability) for part in words]
