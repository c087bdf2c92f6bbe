"""The Watch page without a browser: every press, every bad input, and what must not change from step to step."""

from __future__ import annotations

from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings
from pages.ui.components.token_strip import token_strip
from pages.ui.session.sampling_controls import START
from tests.pages.apptest import Open, State, press, told


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
        patch.setattr(token_strip, "_STRIP", fail)
        app.run()
        assert not app.exception
        assert "Something went wrong in the app. Your text is still there. Try again." in told(app)
        assert not any("secret" in text for text in told(app))
    app.run()
    assert told(app) == []


def test_a_recording_replays_and_a_broken_one_is_one_sentence(open_app: Open, session: State) -> None:
    app = press(open_app(prompt="The fox"), "step", 4)
    kept, path = Recording.of(session(app).run).dumps(), [step.token_id for step in session(app).run.path]
    app.session_state["keep"] = True
    app.run()
    app.file_uploader[0].upload("run.json", kept.encode()).run()
    assert not app.exception
    assert session(app).run.is_replay
    press(app, "step", 4)
    assert [step.token_id for step in session(app).run.path] == path
    press(app, "step")
    assert told(app) == ["The recording ends here. Press Play to see it from its beginning."]
    app.file_uploader[0].upload("broken.json", kept[:-40].encode()).run()
    assert not app.exception
    assert len(app.info) >= 1


def test_without_any_model_the_page_says_so(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.ui.session import current, state
    from pages.ui.shell import sidebar

    for room in (sidebar, current, state):
        monkeypatch.setattr(room, "list_models", list)
    app = open_app()
    assert set(told(app)) == {"There is no model on this machine. Put one into core/bundled, or open one by name."}


def test_a_model_that_fails_to_load_is_one_sentence(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.errors import HalfDownloaded
    from pages.ui.session import current

    def fail(name: str) -> None:
        raise HalfDownloaded("The weights are cut short. Download it again.")

    monkeypatch.setattr(current, "_loaded", fail)
    app = open_app()
    assert set(told(app)) == {"The weights are cut short. Download it again."}
