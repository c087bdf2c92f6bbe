"""“Growing up” without a browser: the record as it is, for every beginning and at every moment; without one, a sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import BadRecording
from core.models.card import TRAINING_DATA, card_section
from core.models.growth import growth_of
from pages.ui.charts import inside_rows

Open = Callable[..., AppTest]
PAGE = "growing.py"


def said(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption, *app.info])


def test_the_bundled_model_is_shown_from_its_first_day_on(open_app: Open) -> None:
    record = growth_of("storyteller")
    assert record
    app = open_app(page=PAGE)
    assert not app.exception
    assert not app.info
    plain = inside_rows.plain(" ".join(record.moments[0].sample.split()))
    assert plain in said(app)
    app.select_slider(key="growing_age").set_value(len(record.moments) - 1).run()
    assert inside_rows.plain(" ".join(record.moments[-1].sample.split())) in said(app)
    for number in range(len(record.prompts)):
        app.selectbox(key="growing_prompt").set_value(number).run()
        assert not app.exception


def test_a_row_is_a_moment_and_bold_is_what_it_expects_today() -> None:
    record = growth_of("storyteller")
    assert record
    table = inside_rows.growth_rows(record.moments, 1, lambda token_id: f"␣{token_id}")
    assert len(table) == len(record.moments) * inside_rows.GUESSES
    assert list(table[table.layer == 0].place) == list(range(inside_rows.GUESSES))
    last = table[table.layer == len(record.moments) - 1].iloc[0]
    assert (last.place, last.kind) == (0, "followed")
    assert last.share == record.moments[-1].prompts[1].top[0][1]
    assert set(table[table.kind == "followed"].label) == {str(record.moments[-1].prompts[1].top[0][0])}


def test_losses_are_those_of_the_record_and_held_out_ones_are_drawn_only_if_somebody_measured_them() -> None:
    record = growth_of("storyteller")
    assert record
    known = [moment.loss for moment in record.moments if moment.loss is not None]
    held_out = [moment.held_out_loss for moment in record.moments if moment.held_out_loss is not None]
    table = inside_rows.loss_rows(record.moments)
    assert table[table.kind == "lessons"].loss.tolist() == known
    assert table[table.kind == "held out"].loss.tolist() == held_out
    measured = record.moments[-1].model_copy(update={"loss": 1.5, "held_out_loss": 1.25})
    for left, kinds in (({}, ["lessons", "held out"]), ({"loss": None}, ["held out"]), ({"held_out_loss": None}, ["lessons"])):
        assert inside_rows.loss_rows([measured.model_copy(update=left)]).kind.tolist() == kinds
    assert inside_rows.loss_rows([record.moments[0]]).empty


def test_it_is_said_what_an_update_is_and_where_the_text_came_from(open_app: Open) -> None:
    record = growth_of("storyteller")
    assert record
    newest = record.moments[-1]
    app = open_app(page=PAGE)
    assert f"{newest.step:,} times it was nudged a little, each time by the mean of about" in said(app)
    assert record.guesses_per_update == pytest.approx(newest.tokens / newest.step, abs=1)
    assert card_section("storyteller", TRAINING_DATA) in said(app)
    assert record.model_copy(update={"moments": record.moments[:1]}).guesses_per_update == 0


def test_it_is_said_why_some_moments_have_no_dot(open_app: Open) -> None:
    record = growth_of("storyteller")
    assert record and any(moment.loss is None for moment in record.moments[1:])
    assert "Some moments have no dot for the text it learned from" in said(open_app(page=PAGE))


@pytest.mark.parametrize(
    ("tokens", "name"),
    [
        (0, "0"),
        (900, "1 K"),
        (41_000, "41 K"),
        (180_000, "0.18 M"),
        (6_900_000, "6.9 M"),
        (71_234_567, "71 M"),
        (99_685_000, "100 M"),
        (1_234_567_890, "1,235 M"),
    ],
)
def test_pieces_read_are_short(tokens: int, name: str) -> None:
    assert inside_rows.read_so_far(tokens) == name


def test_another_model_is_told_whose_record_this_is(open_app: Open) -> None:
    app = open_app(page=PAGE, model="storyteller-mini")
    assert not app.exception
    assert "Nobody kept such a record of {name}; this is {known}, the model that came with the app.".format(
        name=inside_rows.plain("storyteller-mini"), known="storyteller"
    ) in said(app)


def test_without_a_record_there_is_a_sentence(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.growth.growth_of", lambda name: None)
    app = open_app(page=PAGE)
    assert not app.exception
    assert [info.value for info in app.info] == ["None of the models here has a record of how it grew up."]


def test_a_broken_record_is_one_sentence(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise BadRecording("This growth record cannot be read.")

    monkeypatch.setattr("core.models.growth.growth_of", broken)
    app = open_app(page=PAGE)
    assert not app.exception
    assert [info.value for info in app.info] == ["This growth record cannot be read."]
