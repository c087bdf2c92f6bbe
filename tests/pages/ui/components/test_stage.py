"""The stage shows the very numbers of the run, and nothing of what came before the dice have fallen."""

from __future__ import annotations

import re

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from pages.stage import stage_payload
from pages.ui.features import FOLDER
from pages.ui.i18n import numbers


@pytest.fixture
def run() -> Generation:
    made = Generation(load_model("storyteller-mini"), "Once upon a time, there was a little", SamplingSettings(seed=3, top_p=0.9), top_n=50)
    list(made.stream(4))
    return made


def test_the_coming_token_is_sent_without_a_roll_and_none_is_thrown(run: Generation) -> None:
    sent = stage_payload.steps_payload(run, 4)
    coming = sent["4"]
    assert coming["roll"] is None and coming["chosen"] == -1
    assert len(run.path) == 4, "the pass is made ahead, the roll is not"
    assert {"2", "3"} <= set(sent)
    assert sent["3"]["chosen"] == run.path[3].token_id


def test_a_recording_keeps_what_came_to_itself_until_the_dice_fall(run: Generation) -> None:
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    came = run.path[0]
    coming = stage_payload.steps_payload(replay, 0)["0"]
    assert coming["roll"] is None and coming["chosen"] == -1
    assert not any(segment[4] for segment in coming["segments"]), "no segment of the strip is marked"
    live = stage_payload.step_payload(stage_payload.before_the_roll(came), run)
    for kept, known in zip(coming["rows"], live["rows"], strict=True):
        assert kept[2:4] == pytest.approx(known[2:4], abs=1e-6)
        assert [kept[0], *kept[4:]] == [known[0], *known[4:]], "the same bars as a live run"
    assert "recorded" in coming["lines"][1] and "measured" in live["lines"][1]


def test_the_bars_are_those_of_the_record_and_add_up(run: Generation) -> None:
    for step in run.path:
        sent = stage_payload.step_payload(step, run)
        known = {c.token_id: c for c in step.candidates}
        assert sum(row[2] for row in sent["rows"]) + sent["rest"][2] == pytest.approx(1.0, abs=1e-5)
        assert sum(row[3] for row in sent["rows"]) + sent["rest"][3] == pytest.approx(1.0, abs=1e-5)
        assert step.token_id in {row[1] for row in sent["rows"]}
        for _, token_id, model, dice, number, _kind, rank in sent["rows"]:
            candidate = known[token_id]
            assert (model, dice, rank) == (candidate.model_probability, candidate.sampling_probability, candidate.rank)
            assert number == numbers.chance(dice)


def test_the_sentence_is_the_text_and_a_long_one_is_sent_in_part() -> None:
    long = Generation(load_model("storyteller-mini"), "The sea " * 100, SamplingSettings(seed=1))
    list(long.stream(7))
    sent = stage_payload.text_payload(long)
    assert len(sent) <= stage_payload.LONGEST_TEXT
    assert [word[5] for word in sent if word[5] >= 0] == list(range(7))
    assert long.text.endswith("".join(word[0] for word in sent).replace("␣", " ").replace("↵", "\n"))


def test_words_to_click_are_in_the_order_of_the_alphabet_and_not_of_the_odds(run: Generation) -> None:
    choices = stage_payload.steps_payload(run, 4)["4"]["choices"]
    assert choices == sorted(choices, key=str.casefold)
    assert len(set(choices)) == len(choices) <= stage_payload.GUESS_BUTTONS
    assert all(not stage_payload.step_payload(step, run)["choices"] for step in run.path), "after the roll there is nothing to guess"


def test_scripts_name_the_elements_of_streamlit_in_one_file() -> None:
    naming = [
        file.name
        for file in sorted((FOLDER / "ui" / "components").rglob("*.js"))
        if re.search(r"data-testid|testScriptState", file.read_text("utf-8"))
    ]
    assert naming == ["streamlit.js"]
