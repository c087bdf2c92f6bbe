"""“Training” without a browser: the record as it is, for every beginning and at every moment; without one, a sentence."""

from __future__ import annotations

import pytest

from core.errors import BadRecording
from core.models.growth_record import growth_of
from pages.training import training_charts
from pages.ui.i18n.safe_text import plain
from tests.pages.apptest import Open, said

PAGE = "training"


def test_losses_are_those_of_the_record_and_held_out_ones_are_drawn_only_if_somebody_measured_them() -> None:
    record = growth_of("storyteller")
    assert record
    known = [moment.loss for moment in record.moments if moment.loss is not None]
    held_out = [moment.held_out_loss for moment in record.moments if moment.held_out_loss is not None]
    table = training_charts.loss_rows(record.moments)
    assert table[table.kind == "training text"].loss.tolist() == known
    assert table[table.kind == "held out"].loss.tolist() == held_out
    measured = record.moments[-1].model_copy(update={"loss": 1.5, "held_out_loss": 1.25})
    for left, kinds in (({}, ["training text", "held out"]), ({"loss": None}, ["held out"]), ({"held_out_loss": None}, ["training text"])):
        assert training_charts.loss_rows([measured.model_copy(update=left)]).kind.tolist() == kinds
    assert training_charts.loss_rows([record.moments[0]]).empty


def test_a_talk_shows_a_few_moments_with_the_first_and_the_last() -> None:
    record = growth_of("storyteller")
    assert record
    few = training_charts.spread(record.moments, 13)
    assert len(few) == 13 and (few[0], few[-1]) == (record.moments[0], record.moments[-1])
    assert [moment.tokens for moment in few] == sorted({moment.tokens for moment in few})
    assert training_charts.spread(record.moments[:2], 13) == list(record.moments[:2])
    assert training_charts.spread(record.moments[:1], 13) == [record.moments[0]] and training_charts.spread([], 13) == []


def test_another_model_is_told_whose_record_this_is(open_app: Open) -> None:
    app = open_app(page=PAGE, model="storyteller-mini")
    assert "{name} has no such record. This is {known}, the model that came with the app.".format(
        name=plain("storyteller-mini"), known="storyteller"
    ) in said(app)


def test_without_a_record_there_is_a_sentence(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.growth_record.growth_of", lambda name: None)
    app = open_app(page=PAGE)
    assert [info.value for info in app.info] == ["None of the models here has a record of its training."]


def test_a_broken_record_is_one_sentence(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise BadRecording("This growth record cannot be read.")

    monkeypatch.setattr("core.models.growth_record.growth_of", broken)
    app = open_app(page=PAGE)
    assert [info.value for info in app.info] == ["This growth record cannot be read."]


def test_the_sample_of_the_untrained_model_is_short(open_app: Open) -> None:
    app = open_app(page="training")
    samples = [element.value for element in app.markdown if element.value.startswith("Once upon a time, there was a little")]
    assert samples and all(len(sample) < 230 and "Ben" not in sample for sample in samples)
