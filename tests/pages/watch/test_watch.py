"""The Watch page without a browser: every press, every bad input, and what must not change from step to step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Generation, Recording, SamplingSettings
from core.sources.capabilities import Can
from pages.ui.live import view_data
from pages.ui.session.sampling_controls import START
from pages.watch import export
from tests.pages.apptest import Open, State, go, live, press, show_more, told, use_model, view


def test_the_run_is_the_one_that_core_gives(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="The old king", temperature="1.3", top_k="7", seed="5"), "step", 8)
    run = session(app).run
    settings = SamplingSettings(temperature=1.3, top_k=7, top_p=START.top_p, seed=5)
    alone = Generation(run.model, "The old king", settings)
    assert [step.token_id for step in run.path] == [alone.step().token_id for _ in range(8)]


@pytest.mark.parametrize(
    "prompt",
    [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "$x$ `code` **bold** :red[red] [link](http://example.org) ![image](x)",
        "🦊👩‍👩‍👧 e\u0301 文字 नमस्ते \ud83d".encode("utf-8", "replace").decode(),
    ],
)
def test_a_strange_prompt_is_written_on_from_or_refused_in_one_sentence(open_app: Open, prompt: str) -> None:
    app = open_app(prompt=prompt)
    assert len(told(app)) <= 1
    press(app, "step", 2)


@pytest.mark.parametrize("query", [{"temperature": "banana"}, {"temperature": "nan", "top_k": "-3"}, {"steps": "12.f999999999999.x"}])
def test_a_link_with_nonsense_shows_one_sentence_and_the_usual_values(open_app: Open, session: State, query: dict[str, str]) -> None:
    app = open_app(**query)
    assert len(told(app)) == 1
    assert session(app).run.settings == START
    press(app, "step")


def test_a_full_context_ends_with_one_sentence(open_app: Open, session: State) -> None:
    app = open_app(prompt="The fox")
    run = session(app).run
    run.model.context_length, usual = run.token_count + 2, run.model.context_length
    try:
        press(app, "step", 4)
        assert told(app) == [
            ("The context is full: this model cannot hold more text. Press Back or Restart to continue from an earlier token.")
        ]
        press(app, "back")
        assert told(app) == []
    finally:
        run.model.context_length = usual


def test_what_nobody_expected_is_one_sentence_too(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = press(open_app(), "step")

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a secret path /home/somebody")

    with monkeypatch.context() as patch:
        patch.setattr(view_data, "_step", fail)
        assert view(app)["error"] == "Something went wrong in the app. Your text is still there. Try again."
        patch.setattr(export, "keep", fail)
        app.run()
        assert not app.exception
        assert "Something went wrong in the app. Your text is still there. Try again." in told(app)
        assert not any("secret" in text for text in told(app))
    app.run()
    assert told(app) == []


def open_file(app: AppTest, content: str) -> AppTest:
    """Open the content of a file in the part Keep of the page."""
    app.session_state["keep"] = True
    app.run().file_uploader[0].upload("run.json", content.encode()).run()
    assert not app.exception
    return app


def test_a_recording_replays_and_a_broken_one_is_one_sentence(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="The fox"), "step", 4)
    kept, path = Recording.of(session(app).run).dumps(), [step.token_id for step in session(app).run.path]
    open_file(app, kept)
    assert Can.NEW_TOKENS not in session(app).run.can
    press(app, "step", 4)
    assert [step.token_id for step in session(app).run.path] == path
    press(app, "step")
    assert told(app) == ["The recording ends here. Press Play to see it from its beginning."]
    assert len(open_file(app, kept[:-40]).info) >= 1


def test_without_any_model_the_page_says_so(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.ui.session import current, state

    for room in (current, state):
        monkeypatch.setattr(room, "list_models", list)
    app = open_app()
    assert set(told(app)) == {"There is no model on this machine. Put one into core/bundled, or open one by name."}


def test_a_model_that_fails_to_load_is_one_sentence(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.errors import ModelError
    from pages.ui.session import current

    def fail(name: str) -> None:
        raise ModelError("The weights are cut short. Download it again.")

    monkeypatch.setattr(current, "_loaded", fail)
    app = open_app()
    assert set(told(app)) == {"The weights are cut short. Download it again."}


def keys(app: AppTest) -> set[str]:
    """Return the keys of all buttons, toggles and menus that are drawn."""
    return {str(one.key) for kind in (app.button, app.toggle, app.slider, app.segmented_control) for one in kind}


def test_the_first_view_has_text_bars_dice_player_and_the_temperature(open_app: Open) -> None:
    app = open_app()
    parts = [part.key for part in app.get("bidi_component")]
    assert {"strip", "odds", "dice", "live_player", "live_prompt"} <= set(parts) and "live_cache" not in parts, "no costs before a step"
    assert {"temperature", "watch_more"} <= keys(app)
    assert not {"top_k", "top_p", "two_settings", "rows", "log", "chip_top_p"} & keys(app)
    assert "chip_top_k" in keys(open_app(top_k="7")), "what counts and is in no preset is seen"
    press(app, "step")
    parts = [part.key for part in app.get("bidi_component")]
    assert "live_cache" in parts and "live_times" not in parts, "the cache comes with the first step, time and certainty with More"
    assert {"top_k", "top_p"} <= keys(show_more(app))
    assert {"live_times", "live_surprise"} <= {part.key for part in app.get("bidi_component")}


def test_more_remembers_itself_on_other_pages_and_so_do_its_choices(open_app: Open) -> None:
    app = open_app()
    show_more(app)
    app.slider(key="rows").set_value(12).run()
    app.toggle(key="watch_more").set_value(False).run()
    go(app, "cost")
    go(app, "watch")
    show_more(app)
    assert app.slider(key="rows").value == 12


def test_branches_are_counted_by_their_text_and_from_the_second_one_on(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="The old king", seed="3"), "step", 3)
    run = session(app).run
    press(app, "back")
    assert len(run.endings()) == 1, "a shorter path of the same text is no branch"
    run.go_to(0)
    rolled = run.path[0].key
    run.go_to(-1)
    attempt = next(number for number in range(1, 500) if run.step(attempt=number).key == rolled or run.go_to(-1))
    assert attempt and len(run.branches()) > len(run.endings()), "the same token with another roll is the same text"
    run.force(next(one.key for one in run.next_distribution().candidates if one.key != run.nodes[2].step.key))
    assert len({branch.text for branch in run.endings()}) == len(run.endings()) >= 2
    app.session_state["branches"] = True
    app.run()
    assert not app.exception and any(str(text.value) == "you are here · 2 steps" for text in app.caption)


def walk(block: Any) -> Iterator[Any]:
    """Return all blocks below one."""
    for child in getattr(block, "children", {}).values():
        yield child
        yield from walk(child)


def test_an_opened_recording_shows_its_own_prompt_settings_and_branches(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="The fox", temperature="1.4", seed="9"), "step", 2)
    run = session(app).run
    run.go_to(0)
    run.force(next(c.key for c in run.next_distribution().candidates if c.key != run.nodes[2].step.key))
    app = open_file(open_app(prompt="Another text"), Recording.of(run).dumps())
    fields = {str(field.label): str(field.value) for field in app.text_input if field.disabled}
    assert (fields["Temperature"], fields["Seed"], view(app)["prompt"]) == ("1.4", "9", "The fox")
    assert "temperature" not in keys(app), "the visitor's own settings have no effect on a recording"
    assert len(session(app).run.endings()) == 2
    press(app, "leave")
    assert session(app).run.prompt == "Another text" and app.slider(key="temperature").value == START.temperature


def test_closing_a_recording_returns_to_the_steps_that_it_replaced(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="The fox", seed="9"), "step", 3)
    other, kept = Recording.of(session(app).run).dumps(), Recording.of(session(press(app, "step")).run).dumps()
    app = press(open_app(prompt="Another text", seed="5"), "step", 2)
    own = [step.token_id for step in session(app).run.path]
    open_file(app, other)
    press(open_file(app, kept), "new_dice")
    assert told(app)[0] == "A recording cannot roll again. Close it to write a text of your own."
    assert len(session(app).run.path) == 4, "nothing has moved"
    press(app, "leave")
    run = session(app).run
    assert (run.prompt, run.settings.seed, [step.token_id for step in run.path]) == ("Another text", 5, own)
    live(app, "undo")
    assert session(app).run.prompt == "The fox", "the recording can be brought back"


def test_a_link_never_holds_a_path_of_this_machine(open_app: Open, session: State, tiny_folder: Callable[[str], Path]) -> None:
    folder = str(tiny_folder("gpt2"))
    app = press(use_model(open_app(), folder), "step")
    assert session(app).run.model_name == folder
    app.session_state["keep"] = True
    app.run()
    sent = "".join(str(one.proto) for one in walk(app.main))
    assert folder not in sent and "%2F".join(folder.split("/")) not in sent
