"""The presenter's side of a vote: what the keys do with the run, whatever values a browser sends."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Generation, SamplingSettings, load_model
from core.errors import InputError
from core.experiments.shared import audience_vote
from core.experiments.shared.audience_vote import Option, Question, VoteRound
from pages.stage import vote_payload
from pages.ui.i18n import spoken_language
from pages.ui.presenting import phone_address, stage_vote
from pages.ui.presenting.stage_state import StageState
from pages.ui.server import vote_page
from pages.ui.server.vote_rooms import MOST_HANDS, Room, Rooms

NUMBERS = st.none() | st.booleans() | st.integers() | st.floats()
VALUES = st.recursive(NUMBERS | st.text(max_size=60), lambda inner: st.lists(inner, max_size=7), max_leaves=8)


class Presenter:
    """A presenter on the stage with a run; `press` is a key press with its values."""

    def __init__(self, run: Generation) -> None:
        self.run, self.state = run, StageState()
        self.own = stage_vote.OwnRoom()
        self.told: list[str] = []

    def press(self, verb: str, **event: Any) -> None:
        stage_vote.VERBS[verb](self.state, event)

    @property
    def room(self) -> Room:
        room = stage_vote.room()
        assert room is not None
        return room

    @property
    def question(self) -> Question:
        assert self.room.question is not None
        return self.room.question


@pytest.fixture(scope="module")
def model() -> Any:
    return load_model("storyteller-mini")


@pytest.fixture
def presenter(model: Any, monkeypatch: pytest.MonkeyPatch) -> Presenter:
    made = Presenter(Generation(model, "The dog ran to the", SamplingSettings(seed=3), top_n=50))
    rooms = Rooms(is_present=lambda _name: True)
    for module in (stage_vote, vote_page):
        monkeypatch.setattr(module, "ROOMS", rooms)
    monkeypatch.setattr(stage_vote, "memory", lambda kind: made.own)
    monkeypatch.setattr(phone_address, "addresses", lambda: ["http://192.0.2.7:8501/vote"])
    session = SimpleNamespace(connection="x", player=SimpleNamespace(playing=False))
    mocked = {"begin": lambda: made.run, "current_session": lambda: session, "changed": lambda _moment: session, "notify": made.told.append}
    monkeypatch.setattr(stage_vote, "current", SimpleNamespace(**mocked))
    return made


@pytest.mark.parametrize("by", ["audience", "model", "dice"])
def test_the_text_goes_on_with_the_token_that_the_presenter_chooses(presenter: Presenter, by: str) -> None:
    presenter.press("vote")
    options = presenter.question.options
    unlikely = min(range(len(options)), key=lambda column: options[column].probability)
    presenter.press("vote_end", hands=[12 * (column == unlikely) for column in range(len(options))])
    result = presenter.question.result
    assert result is not None and presenter.run.path[0].key == result.came, "the dice chose as always"
    assert presenter.run.path[0].chosen_by == "sampled"
    presenter.press("vote_go", by=by)
    expected = {"audience": options[unlikely].key, "model": max(options, key=lambda o: o.probability).key, "dice": result.came}[by]
    assert presenter.run.path[0].key == expected and len(presenter.run.path) == 1
    assert presenter.room.question is None
    presenter.press("vote")
    assert presenter.question.at == 1 and len(presenter.room.rounds) == 1, "the next round, in the same room"


def test_a_round_without_voters_does_not_go_on_with_a_favourite_of_the_audience(presenter: Presenter) -> None:
    presenter.press("vote")
    presenter.press("vote_end")
    payload = vote_payload.vote_payload(presenter.run)["vote"]
    assert payload["choices"][0][1] == "" and payload["scores"] == []
    came = [step.key for step in presenter.run.path]
    with pytest.raises(InputError, match="Nobody voted"):
        presenter.press("vote_go", by="audience")
    assert presenter.question.result is not None and [step.key for step in presenter.run.path] == came
    presenter.press("vote_go", by="model")
    assert presenter.run.path[0].rank == 1


@pytest.mark.parametrize(("word", "written"), [("Ship!", " Ship"), ("zoologically", " zoologically")])
def test_an_own_word_is_the_audience_s_favourite_and_the_text_goes_on_with_it(presenter: Presenter, word: str, written: str) -> None:
    presenter.press("vote")
    presenter.press("vote_set", own=True)
    number = presenter.question.number
    stage_vote.ROOMS.vote(presenter.room, "anna", number, 0, "")
    for phone in ("ben", "eva"):
        stage_vote.ROOMS.vote(presenter.room, phone, number, None, word)
    presenter.press("vote_end")
    ended = vote_payload.vote_payload(presenter.run)["vote"]
    assert (ended["choices"][0][1], ended["forward"], ended["own_row"][1]) == ("an own word", "dice", 2), "the presenter shows it first"
    presenter.press("vote_set", release=ended["waiting"][0][0])
    shown = vote_payload.vote_payload(presenter.run)["vote"]
    assert (shown["choices"][0][1], shown["forward"], shown["shown"]) == (written.strip(), "audience", [[written.strip().lower(), "2"]])
    presenter.press("vote_go", by="audience")
    assert "".join(step.text for step in presenter.run.path) == written
    assert presenter.room.question is None and presenter.state.at == len(presenter.run.path) - 1


def test_an_own_word_that_is_a_token_has_a_score(presenter: Presenter) -> None:
    presenter.press("vote")
    presenter.press("vote_set", own=True)
    later = [c for c in presenter.run.next_distribution().candidates if c.rank > audience_vote.LAST_LESS_LIKELY]
    token = next(candidate for candidate in later if candidate.piece[:1] == "␣" and candidate.piece[1:].isalpha())
    stage_vote.ROOMS.vote(presenter.room, "anna", 1, None, f"{token.piece[1:]}!")
    presenter.press("vote_end")
    assert presenter.question.result is not None
    (word,) = presenter.question.result.words
    assert word.key == token.key and word.probability == pytest.approx(token.model_probability, rel=1e-3)
    presenter.press("vote_go", by="audience")
    assert [step.key for step in presenter.run.path] == [token.key]


def test_of_a_chat_the_phones_show_what_was_said(chatty: Callable[..., Any]) -> None:
    model = chatty()
    messages = [("system", "Be a fox."), ("user", "Who?"), ("assistant", "A fox."), ("user", "Sure?")]
    run = Generation(model, [{"role": role, "content": content} for role, content in messages])
    assert stage_vote.text_before(run) == "Who?\n\nA fox.\n\nSure?"
    for token in model.tokenize("small dragon"):
        run.force(token.token_id)
    assert stage_vote.text_before(run) == "Who?\n\nA fox.\n\nSure?\n\nsmall dragon"


def test_a_vote_ends_with_the_text_that_it_is_about(presenter: Presenter) -> None:
    presenter.press("vote")
    presenter.run.step()
    presenter.run.go_to(-1)
    assert vote_payload.vote_payload(presenter.run)["vote"] is not None, "the same text"
    presenter.run = Generation(presenter.run.model, "Another text", SamplingSettings())
    with pytest.raises(InputError, match="has changed"):
        presenter.press("vote_end")
    assert vote_payload.vote_payload(presenter.run)["vote"] is None and presenter.run.path == []


def test_a_presenter_who_reloads_finds_the_room_with_its_key_only(presenter: Presenter) -> None:
    presenter.press("vote")
    room = presenter.room
    presenter.own.code = presenter.own.key = ""
    presenter.press("vote_find", code=room.code, key="guessed")
    assert stage_vote.room() is None
    presenter.press("vote_find", code=room.code, key=room.key)
    assert stage_vote.room() is room


def test_the_three_answers_are_those_of_votes_distribution_and_step(presenter: Presenter) -> None:
    seen = presenter.run.next_distribution()
    presenter.press("vote")
    number = presenter.question.number
    stage_vote.ROOMS.vote(presenter.room, "anna", number, 1, "")
    presenter.press("vote_end")
    payload = vote_payload.vote_payload(presenter.run)["vote"]
    model = {candidate.key: candidate.model_probability for candidate in seen.candidates}
    for row, option in zip(payload["rows"], presenter.question.options, strict=True):
        assert row[0] == option.label and row[3] == model[option.key]
        assert row[5] == (option.key == presenter.run.path[0].key)
    assert [row[1] for row in payload["rows"]].count("1") == 1 and payload["came"] == presenter.run.path[0].piece.removeprefix("␣")
    assert "29\u00a0%" in payload["scores"][0] and "1 round" in payload["scores"][0]
    with spoken_language.speaking("de"):
        assert "Publikum" in vote_payload.vote_payload(presenter.run)["vote"]["scores"][0]


@given(st.dictionaries(st.sampled_from(["hands", "own", "live", "release", "text", "by", "code", "key"]), VALUES))
@settings(max_examples=25, deadline=None)
@pytest.mark.usefixtures("_vote_of_all")
def test_whatever_a_browser_sends_a_vote_stays_a_vote(event: dict[str, Any]) -> None:
    presenter = _PRESENTERS[-1]
    for verb in ("vote_set", "vote_chat", "vote_find"):
        presenter.press(verb, **event)
    hands = presenter.question.hands
    assert len(hands) == len(presenter.question.options) and all(0 <= count <= MOST_HANDS for count in hands)
    assert set(presenter.question.released) <= dict(presenter.question.words()).keys()


_PRESENTERS: list[Presenter] = []


@pytest.fixture
def _vote_of_all(presenter: Presenter) -> None:
    presenter.press("vote")
    _PRESENTERS.append(presenter)


def test_the_address_of_a_laptop_is_that_of_its_network_and_none_if_it_listens_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def at(url: str | None, listens: bool) -> list[str]:
        monkeypatch.setattr(phone_address.deployment, "listens_beyond", lambda: listens)
        monkeypatch.setattr(phone_address, "_own_numbers", lambda: ["192.0.2.7"])
        monkeypatch.setattr(phone_address.st, "context", SimpleNamespace(url=url))
        return phone_address._addresses()

    assert at("http://localhost:8501/stage", False) == [] and at(None, False) == []
    assert [
        address.startswith("http://192.0.2.7:") and address.endswith("/vote") for address in at("http://127.0.0.1:8501/stage", True)
    ] == [True]
    assert at("https://viewer.example.org/stage", False) == ["https://viewer.example.org/vote"]


def test_the_live_page_is_beside_the_page_of_the_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone_address, "addresses", lambda: ["http://192.0.2.7:8501/app/vote", "https://viewer.example.org/vote"])
    assert phone_address.live_addresses() == ["http://192.0.2.7:8501/app/live", "https://viewer.example.org/live"]
    monkeypatch.setattr(phone_address, "addresses", list)
    assert phone_address.live_addresses() == []


def test_the_log_scores_are_of_the_latest_round_and_of_all() -> None:
    scored = VoteRound((Option(1, "dog", 0.5), Option(2, "cat", 0.5)), (1, 0), (), 1)
    other = VoteRound(scored.options, (2, 0), (), 99)
    assert vote_payload.score_lines([]) == []
    assert len(vote_payload.score_lines([other])) == 1, "the token of the dice was no option"
    assert vote_payload.score_lines([scored])[1] == "Log score, lower is better: audience 0.6 bits, model 1.0 bits."
    assert vote_payload.score_lines([scored, other])[1] == "Mean of 1 round: audience 0.6 bits, model 1.0 bits."
    assert vote_payload.score_lines([scored, scored])[1].endswith("Mean of 2 rounds: audience 0.6 bits, model 1.0 bits.")
