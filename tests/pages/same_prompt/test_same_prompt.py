"""Same prompt, other number as a page: its link, its recommended pairs, a server as a way, and texts that cannot be compared."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.same_prompt import ways
from pages.ui.experiments import stored_results
from tests.core.remote.serving import Running
from tests.pages.apptest import Open, State, go, html, press, run_on, said, told

FIRST, SECOND = "same_prompt_first", "same_prompt_second"


def test_a_link_sets_both_ways_and_a_broken_one_is_as_if_it_were_not_there(open_app: Open) -> None:
    app = open_app(page="same_prompt", ways="3-3.9")
    assert (app.multiselect(key=FIRST).value, app.multiselect(key=SECOND).value) == (["bfloat16"], ["bfloat16", "texts_4"])
    for broken in ("", "x-y", "3-999.-1", "1-2-3", "3", "²-٣"):
        assert sum(map(len, ways.in_link(broken))) <= 1, broken


def test_a_link_of_many_changes_is_read_at_once_and_each_change_counts_once() -> None:
    """100,000 numbers kept a thread busy for minutes after its visitor had left."""
    for text in ("1." * 100_000 + "-1", "1" * 5000 + "-1", "-" * 100_000, "1-" + "9" * 5000):
        assert ways.in_link(text) == ([], ["bfloat16"])
    assert ways.in_link("3.3.3.9.3-3") == (["bfloat16", "texts_4"], ["bfloat16"])
    everything = ".".join(map(str, range(len(ways.CHANGES))))
    assert ways.in_link(f"{everything}-{everything}") == (list(ways.CHANGES), list(ways.CHANGES))
    many = ["bfloat16", "gone", "float16", "texts_2", "texts_4"] * 20_000
    assert ways.without_replaced(many, ways.CHANGES) == ["float16", "texts_4"]


def test_the_recorded_result_says_why_its_texts_part_in_numbers_that_differ(open_app: Open) -> None:
    kept = stored_results.bundled("same_prompt")
    assert kept is not None
    texts = said(open_app(page="same_prompt"))
    for run in kept.observations[-1].runs:
        assert run.parted is not None
        (sentence,) = re.findall(rf"They part at token {run.parted + 1}: .*", texts)
        gap, *shift = re.findall(r"(?:were|was) ([\d.e-]+)|(?:differ|moved) by ([\d.e-]+)\.", sentence)
        assert float(gap[0]) == pytest.approx(run.gap, rel=0.05) and ("equal" in sentence) == (run.gap == run.shift)
        assert [float(by) for _gap, by in shift] == pytest.approx([run.shift] if run.shift > run.gap else [], rel=0.05)
        assert all(by != gap[0] for _gap, by in shift)


def test_a_pair_sets_both_ways_and_the_link_follows(open_app: Open, session: State) -> None:
    app = press(open_app(page="same_prompt"), "same_prompt_pair_1")
    assert app.multiselect(key=SECOND).value == ["bfloat16", "texts_4"] and session(app).page.address == {"ways": "3-3.9"}
    assert "made with other choices" in html(app)
    press(app, "same_prompt_pair_0")
    assert session(app).page.address == {}


def test_of_two_values_of_one_field_the_later_one_stays(open_app: Open) -> None:
    app = open_app(page="same_prompt")
    app.multiselect(key=FIRST).set_value(["bfloat16", "float16", "texts_2", "texts_4"]).run()
    assert app.multiselect(key=FIRST).value == ["float16", "texts_4"] and not app.exception


@pytest.mark.parametrize(("text", "sentence"), [("", "empty"), ("dragon " * 200, "at most 128")])
def test_a_text_that_cannot_be_compared_gets_one_sentence(text: str, sentence: str, open_app: Open) -> None:
    app = open_app(page="same_prompt")
    app.text_area(key="same_prompt_read").set_value(text)
    app = run_on(press(app, "same_prompt_start"))
    assert any(sentence in note for note in told(app)), told(app)


@pytest.mark.usefixtures("no_recordings")
def test_two_ways_with_settings_that_exclude_tokens_are_drawn(open_app: Open) -> None:
    app = open_app(page="same_prompt", top_k="2", prompt="The fox")
    app.text_area(key="same_prompt_read").set_value("The fox <b>*met*</b> a bear.")
    app.multiselect(key=SECOND).set_value(["settings"]).run()
    app = run_on(press(app, "same_prompt_start"))
    assert "∞" in said(app) and "Both texts are the same." in said(app) and "<b>" not in html(app)


@pytest.mark.usefixtures("no_recordings")
def test_on_a_server_only_the_server_is_a_way(connected: AppTest, server: Running) -> None:
    app = go(connected, "same_prompt")
    assert all("no layers on this machine" in option for option in app.multiselect(key=SECOND).options[:-1])
    app.text_area(key="same_prompt_read").set_value("def main(argv): return 0")
    assert any("no layers on this machine" in note for note in told(run_on(press(app, "same_prompt_start"))))
    app.multiselect(key=FIRST).set_value([server.address])
    app.multiselect(key=SECOND).set_value([server.address]).run()
    assert "Both texts are the same." in said(run_on(press(app, "same_prompt_start")))
    app.selectbox(key="model").set_value("storyteller").run()
    press(app, "same_prompt_pair_3")
    assert any("different tokens: token 1" in note for note in told(run_on(press(app, "same_prompt_start"))))
