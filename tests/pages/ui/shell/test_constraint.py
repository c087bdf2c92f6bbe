"""A constraint in the app: set in the dialog's actions, shown at the step, shared, and refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from core import SamplingSettings
from core.record.step_rows import Constrained
from core.sampling.settings import CONSTRAINTS, SETTINGS
from pages.ui.charts import distribution_rows
from pages.ui.live.view_data import constraint_sentence as sentence
from pages.ui.session import share_link
from pages.ui.session.sampling_controls import chip_text
from pages.ui.shell.all_samplers import EXAMPLES, WRITE
from tests.pages.apptest import Open, press, told

PROMPT = "Is the sea wet? Answer yes or no:"


def run(app: Any) -> Any:
    return app.session_state["_session"].run


def test_a_constraint_that_leaves_no_token_is_one_sentence_and_nothing_is_lost(open_app: Open) -> None:
    app = open_app(prompt=PROMPT, constraint="choices:🦊", logit_bias=",".join(f"{number}:-inf" for number in range(900)))
    press(app, "step")
    assert not app.exception


@pytest.mark.parametrize("broken", ["yes", "regex:(a", 'lark:start: "a" | b', "schema:{", "nope:x", "regex:" + "a" * 9000])
def test_a_broken_one_in_a_link_is_named_and_the_rest_of_the_link_counts(broken: str, open_app: Open) -> None:
    app = open_app(prompt=PROMPT, constraint=broken, temperature="1.3")
    assert any("Constraint =" in note for note in told(app))
    assert run(app).settings.constraint == "" and run(app).settings.temperature == 1.3


def test_every_kind_has_words_and_every_example_can_be_used() -> None:
    assert CONSTRAINTS.keys() == WRITE.keys()
    for constraint in EXAMPLES.values():
        assert SETTINGS["constraint"].parse(constraint) == constraint
        assert share_link.decoded(share_link.query("a", "m", SamplingSettings(constraint=constraint), [], "a"))["constraint"] == constraint
        assert chip_text(SamplingSettings(constraint=constraint), "constraint")


def test_stages_that_an_order_in_a_link_does_not_name_come_last() -> None:
    assert SETTINGS["order"].parse("top-p,temperature")[:3] == ("top-p", "temperature", "logit bias")


def test_the_sentence_says_what_is_known() -> None:
    assert "excludes 25 %" in sentence(Constrained(0.25, False, 3, None)).replace("\xa0", " ")
    assert "at least 99 %" in sentence(Constrained(0.99, True, 3, None)).replace("\xa0", " ")
    assert "forced" in sentence(Constrained(0.5, False, 1, None))


def test_the_only_allowed_token_says_so_in_its_row(open_app: Open) -> None:
    app = open_app(prompt=PROMPT, constraint="choices:yes", temperature="1", top_p="1")
    for _step in range(3):
        press(app, "step")
    forced = [step for step in run(app).path if step.stage_kept[-1] == 1]
    assert forced
    assert [row["number"] for row in distribution_rows.distribution_rows(forced[0]).to_pylist() if row["dice"] == 1] == ["forced"]
