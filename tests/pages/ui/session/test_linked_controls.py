"""Controls of pages in the address: a link sets them, a change is written, and what is not valid is as if it were not there."""

from __future__ import annotations

from itertools import cycle

import pytest

from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.session.linked_controls import LONGEST
from tests.pages.apptest import Open, State

LOOP = {"text": "She sang", "copies": "6", "length": "400", "chosen_by": "own"}
MANY = {"loop": "How often", "texts": "48"}
BUDGET = {"think": "How much is enough?", "question": "1 + 2?", "answer": "3", "count": "10", "carries": "False"}
OWN = {"read": "own", "beside": "nobody", "text": "A fox.", "at": "1.5"}
STEERED = {"why": "Turn it up", "more": "tea and cake", "less": "a wolf", "layer": "2", "strength": "-6.5"}
TEXTS = {"text", "question", "answer", "second", "more", "less", "against"}
WORDS = {"text": 'A fox: {"name": "Reynard"}', "tint": "entropy", "sure": "True", "parts": "words"}


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("looping", LOOP),
        ("looping", MANY),
        ("think", BUDGET),
        ("calibration", {"read": "own", "beside": "nobody", "text": "A fox."}),
        ("calibration", {"at": "1.5"}),
        ("read", WORDS),
        ("why", STEERED),
        ("watch", {"template": "True", "sure": "True", "parts": "words"}),
        ("read", {"read": "texts", "text": "A fox.", "second": "A bear."}),
    ],
)
def test_a_link_opens_a_page_with_its_controls_and_the_page_writes_the_same_link(
    page: str, link: dict[str, str], open_app: Open, session: State
) -> None:
    app = open_app(page=page, **link)
    assert not app.exception and session(app).page.address == link


def test_a_change_is_written_and_usual_values_are_not(open_app: Open, session: State) -> None:
    app = open_app(page="looping")
    assert session(app).page.address == {}
    app.segmented_control(key="looping_copies").set_value(3).run()
    assert session(app).page.address == {"copies": "3"}
    app.text_input(key="looping_prompt").set_value("She sang").run()
    app.segmented_control(key="looping_copies").set_value(4).run()
    assert session(app).page.address == {"text": "She sang"}


def test_the_usual_value_of_one_control_is_written_for_another(open_app: Open, session: State) -> None:
    first, second, *_others = EXAMPLES.to_read.values()
    app = open_app(page="read", read="texts")
    app.text_area(key="read_text").set_value(second)
    app.text_area(key="read_second").set_value(first).run()
    assert session(app).page.address == {"read": "texts", "text": second, "second": first}


@pytest.mark.parametrize(("page", "link"), [("looping", LOOP), ("think", BUDGET), ("why", {"why": "Turn it up"})])
def test_the_sidebar_has_the_settings_that_the_linked_controls_need(page: str, link: dict[str, str], open_app: Open) -> None:
    assert any(field.key == "seed" for field in open_app(page=page, **link).number_input)


@pytest.mark.parametrize("page", ["looping", "think", "calibration", "read", "why"])
def test_a_broken_link_is_as_if_it_were_not_there(page: str, open_app: Open, session: State) -> None:
    names = {*LOOP, *MANY, *BUDGET, *OWN, *WORDS, *STEERED, "hide"} - TEXTS
    app = open_app(page=page, **dict(zip(sorted(names), cycle(["", "900", "nan", "x" * 100_000, "\x00<script>", "0.50"]), strict=False)))
    assert not app.exception and session(app).page.address == {}


def test_a_text_that_is_too_long_for_a_link_is_left_out(open_app: Open, session: State) -> None:
    app = open_app(page="calibration", read="own")
    app.text_area(key="calibration_text").set_value("fox " * LONGEST).run()
    assert not app.exception and session(app).page.address == {"read": "own"}
