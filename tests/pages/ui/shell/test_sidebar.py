"""The sidebar: a setting that a page does not show keeps its value."""

from __future__ import annotations

from core.sampling.settings import SETTINGS
from tests.pages.apptest import Open, State, go, press, show_more, told
from tests.pages.test_settings_of_page import counting


def test_a_setting_keeps_its_value_on_pages_without_it(open_app: Open, session: State) -> None:
    app = open_app(page="watch", temperature="0.7")
    app.slider(key="temperature").set_value(1.4).run()
    go(app, "context")
    assert counting(app) == frozenset() and not [one for one in app.slider if one.key == "temperature"]
    go(app, "watch")
    assert app.slider(key="temperature").value == 1.4


def test_a_moved_slider_ends_greedy_and_a_penalty_does_not(open_app: Open) -> None:
    app = show_more(open_app(page="watch"))
    app.button(key="preset_Greedy").click().run()
    assert app.toggle(key="greedy").value and app.button(key="chip_greedy")
    app.slider(key="repetition_penalty").set_value(1.5).run()
    assert app.toggle(key="greedy").value and app.button(key="chip_repetition_penalty")
    app.slider(key="temperature").set_value(1.5).run()
    assert not app.toggle(key="greedy").value
    assert not [one for one in app.button if one.key == "chip_greedy"]
    app.button(key="chip_repetition_penalty").click().run()
    assert app.slider(key="repetition_penalty").value == 1.0


UNUSABLE = [
    ("logit_bias", "abc", "cannot be read, so it has no effect. It should look like this: 464:-inf"),
    ("logit_bias", "999999:1", "names token 999999, but the ids of this model are 0 to"),
    ("dry_sequence_breakers", "not json", "cannot be read, so it has no effect"),
    ("dry_sequence_breakers", "5", "must be a list of texts"),
]


def test_a_text_that_cannot_be_used_is_named_in_the_dialog(open_app: Open) -> None:
    app = show_more(open_app())
    for name, written, sentence in UNUSABLE:
        for text, named in ((written, True), (SETTINGS[name].written(SETTINGS[name].off), False)):
            app.session_state[name] = text
            press(app, "all_samplers")
            first = [note.replace("\\", "") for note in told(app)][:1]  # the field stands above the lines of the stages
            assert any(sentence in note for note in first) == named, (name, text)


def test_a_slider_writes_its_number_as_the_language_does(open_app: Open) -> None:
    assert open_app(lang="de").slider(key="temperature").proto.format == "localized"
    assert open_app(lang="en").slider(key="temperature").proto.format != "localized"
