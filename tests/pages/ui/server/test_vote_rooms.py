"""Rooms: who is counted, when a room ends, and what a stranger can send."""

from __future__ import annotations

from time import process_time

import pytest

from core.errors import InputError
from core.experiments.shared.audience_vote import Option, Question
from pages.ui.server import vote_rooms
from pages.ui.server.vote_rooms import NoSuchRoom, Room, Rooms, TooMany, VoteRefused, VoteTooLate, chat_votes

OPTIONS = (Option(1, "dog", 0.5), Option(2, "cat", 0.25), Option(3, "tax", 0.05))
ADDRESS = "203.0.113.7"


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def present() -> set[str | None]:
    return {"presenter"}


@pytest.fixture
def registry(clock: Clock, present: set[str | None]) -> Rooms:
    return Rooms(clock, present.__contains__)


@pytest.fixture
def room(registry: Rooms) -> Room:
    opened = registry.open("presenter")
    registry.ask(opened, "The", OPTIONS, 0, "text")
    return opened


def question_of(room: Room) -> Question:
    assert room.question is not None
    return room.question


def test_a_phone_has_one_vote_that_it_can_change_until_the_end(registry: Rooms, room: Room) -> None:
    registry.vote(room, "anna", 1, 0, "")
    registry.vote(room, "anna", 1, 1, "")
    registry.vote(room, "ben", 1, 1, "")
    assert question_of(room).counts() == [0, 2, 0]
    result = registry.end(room, came=1)
    assert result is not None and result.votes == (0, 2, 0) and room.rounds == [result]
    assert registry.end(room, came=1) is None, "ended once"
    with pytest.raises(VoteTooLate):
        registry.vote(room, "anna", 1, 0, "")
    registry.ask(room, "The cat", OPTIONS, 1, "text")
    with pytest.raises(VoteTooLate):
        registry.vote(room, "anna", 1, 0, "")  # of the question before
    assert question_of(room).counts() == [0, 0, 0]


@pytest.mark.parametrize("option", [-1, 3, 10**9])
def test_an_option_that_does_not_exist_is_refused(registry: Rooms, room: Room, option: int) -> None:
    with pytest.raises(VoteRefused, match="does not exist"):
        registry.vote(room, "anna", 1, option, "")


def test_own_words_count_if_the_presenter_allows_them(registry: Rooms, room: Room) -> None:
    with pytest.raises(VoteRefused, match="not allowed"):
        registry.vote(room, "anna", 1, None, "ship")
    registry.change(room, lambda question: setattr(question, "allows_own", True))
    assert registry.vote(room, "anna", 1, None, " ship ") == "ship"
    assert registry.vote(room, "ben", 1, None, "SHIP") == "SHIP"
    assert registry.vote(room, "eva", 1, None, "Cat") == 1, "a word that is an option"
    assert question_of(room).words() == [("ship", 2)] and question_of(room).released == []
    for word in ("a" * 41, "", "\x00"):
        with pytest.raises(InputError):
            registry.vote(room, "anna", 1, None, word)
    for count in range(vote_rooms.MOST_WORDS - 1):
        registry.vote(room, f"phone {count}", 1, None, f"word {count}")
    with pytest.raises(TooMany):
        registry.vote(room, "last", 1, None, "one more")
    assert registry.vote(room, "last", 1, None, "Ship") == "Ship"


def test_a_code_is_needed_and_guessing_codes_is_slow(registry: Rooms, room: Room, clock: Clock) -> None:
    assert registry.of_phone(room.code.lower(), "anna", ADDRESS) is room
    refused = {NoSuchRoom: 0, TooMany: 0}
    for number in range(100):
        with pytest.raises(VoteRefused) as error:
            registry.of_phone(f"{number:04d}", f"phone {number}", ADDRESS)
        refused[type(error.value)] += 1
    assert refused[NoSuchRoom] <= vote_rooms.WRONG_CODES_AT_ONCE + 1
    for wrong in ("", "x", registry.open("presenter").entry, room.code):
        with pytest.raises(TooMany, match="Scan the QR code"):
            registry.of_phone(room.code, "late", ADDRESS, entry=wrong)
    assert registry.of_phone(room.code, "scans the code", ADDRESS, entry=room.entry) is room
    assert len(room.entry) >= 12 and room.entry != room.key
    assert registry.of_phone(room.code, "anna", ADDRESS) is room, "who is in the room stays"
    assert registry.of_phone(room.code, "ben", "203.0.113.8") is room, "other networks do not notice"
    clock.now += 10
    assert registry.of_phone(room.code, "late", ADDRESS) is room


@pytest.mark.parametrize("code", ["", "ABC", "ABCDE", "../..", "<b>", "ÄÖÜß", "\x00\x00\x00\x00"])
def test_a_wrong_code_is_refused_in_a_sentence(registry: Rooms, room: Room, code: str) -> None:
    with pytest.raises(NoSuchRoom, match=r"\.$"):
        registry.of_phone(code, "anna", ADDRESS)


def test_a_room_survives_a_reload_and_ends_after_its_presenter_has_left(
    registry: Rooms, room: Room, clock: Clock, present: set[str | None]
) -> None:
    registry.vote(room, "anna", 1, 0, "")
    present.clear()
    clock.now += 5
    assert registry.of_phone(room.code, "anna", ADDRESS) is room
    present.add("reloaded")
    assert registry.of_presenter(room.code, room.key, "reloaded") is room
    assert question_of(room).counts() == [1, 0, 0]
    clock.now += vote_rooms.WITHOUT_PRESENTER + 1
    assert registry.of_phone(room.code, "anna", ADDRESS) is room
    present.clear()
    registry.of_phone(room.code, "anna", ADDRESS)
    clock.now += vote_rooms.WITHOUT_PRESENTER + 1
    with pytest.raises(NoSuchRoom):
        registry.of_phone(room.code, "anna", ADDRESS)
    assert registry.of_presenter(room.code, room.key, "reloaded") is None


def test_a_room_ends_after_two_idle_hours(registry: Rooms, room: Room, clock: Clock) -> None:
    clock.now += vote_rooms.IDLE_SECONDS - 1
    registry.vote(room, "anna", 1, 0, "")
    clock.now += vote_rooms.IDLE_SECONDS - 1
    assert registry.of_presenter(room.code, room.key, "presenter") is room
    clock.now += 2
    assert registry.of_presenter(room.code, room.key, "presenter") is None


def test_two_presenters_have_two_rooms_and_no_key_of_the_other(registry: Rooms, room: Room) -> None:
    other = registry.open("presenter")
    assert other.code != room.code
    for key in ("", other.key, "ü" * 10_000):
        assert registry.of_presenter(room.code, key, "presenter") is None
    registry.ask(other, "A", OPTIONS, 0, "text")
    registry.vote(other, "anna", 1, 2, "")
    assert question_of(room).counts() == [0, 0, 0]


def test_a_phone_that_sleeps_is_not_there_but_keeps_its_vote(registry: Rooms, room: Room, clock: Clock) -> None:
    registry.of_phone(room.code, "anna", ADDRESS)
    registry.vote(room, "anna", 1, 0, "")
    assert registry.present(room) == 1
    clock.now += 600
    assert registry.present(room) == 0 and question_of(room).counts() == [1, 0, 0]
    registry.of_phone(room.code, "anna", ADDRESS)
    assert registry.present(room) == 1


def test_rooms_and_phones_have_limits(registry: Rooms, room: Room, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_ROOMS", "2")
    monkeypatch.setenv("TOKEN_VIEWER_PHONES", "3")
    registry.open("presenter")
    with pytest.raises(TooMany, match=r"\.$"):
        registry.open("presenter")
    for phone in "abc":
        registry.of_phone(room.code, phone, ADDRESS)
    registry.vote(room, "a", 1, 0, "")
    with pytest.raises(TooMany, match="full"):
        registry.of_phone(room.code, "d", ADDRESS)
    clock.now += vote_rooms.SILENT_SECONDS + 1
    registry.of_phone(room.code, "d", ADDRESS)
    assert set(room.phones) == {"a", "d"}, "silent phones without a vote give way"


def test_hands_and_a_chat_count_beside_the_phones(registry: Rooms, room: Room) -> None:
    registry.vote(room, "anna", 1, 0, "")
    registry.change(room, lambda question: question.hands.__setitem__(1, 12))
    votes, skipped = chat_votes(question_of(room), "Ann: dog\n10:03 Bob: Cat!\nann: tax\nno colon\n: \nEve: ship\n<b>x</b>: \U0001f4a9\n")
    assert dict(votes) == {2: 1, 1: 1} and skipped == 4
    registry.change(room, lambda question: question.chat.update(votes))
    assert question_of(room).counts() == [1, 13, 1]
    registry.change(room, lambda question: setattr(question, "allows_own", True))
    votes, skipped = chat_votes(question_of(room), "Eve: ship\n" * 10_000 + "x" * 10**6 + ": dog")
    assert votes["ship"] == 1 and sum(votes.values()) == 1


@pytest.mark.parametrize(
    "chat",
    [
        "10:31:02 From Anna to Everyone: dog\n10:31:40 From Anna to Everyone: cat",
        "10:31:02 Von Anna an Alle : dog\n10:31:40 Von Anna an Alle : cat",
        "[29.11.26, 10:31:02] Anna: dog\n[29.11.26, 10:31:40] Anna: cat",
        "11/29/26, 9:31 PM - Anna: dog\n11/29/26, 9:32 PM - Anna: cat",
        "00:12:02\tAnna:\tdog\n00:12:40\tAnna:\tcat",
        "2026-11-29 10:31:02 From Anna to Everyone:\n\tdog\n2026-11-29 10:31:40 From Anna to Everyone:\n\tcat",
        "Anna\n10:32\ndog\nAnna\n10:33\ncat",
        "[10:32] Anna\ndog\n[10:33] Anna\ncat",
        "Anna 10:32\ndog\n\nAnna 10:33 AM\ncat",
        "Anna to Everyone 10:31 AM\ndog\nAnna to Everyone 10:32 AM\ncat",
        "Anna — Today at 10:31 AM\ndog\nAnna — Yesterday at 10:31 AM\ncat",
        "Anna (10:31): dog\nAnna, 10:32: cat",
        "Anna：dog\nAnna：cat",
    ],
)
def test_a_pasted_chat_with_times_has_one_vote_for_each_name(chat: str) -> None:
    asked = Question(1, "The", OPTIONS, 0, None, allows_own=True)
    votes, skipped = chat_votes(asked, chat)
    assert dict(votes) == {1: 1} and skipped == 0


def test_lines_of_a_chat_that_are_no_vote_are_left_out() -> None:
    asked = Question(1, "The", OPTIONS, 0, None, allows_own=True)
    chat = "Anna:\nBen: dog\n10:32\nEve\n10:33\nIda\n10:34\ncat\nso long\nJo: 12:30\nMia: it is: tax"
    votes, skipped = chat_votes(asked, chat)
    assert dict(votes) == {0: 1, 1: 1, "12:30": 1, "it is: tax": 1}
    assert skipped == 4, "Anna and Eve wrote nothing; a time alone; so long"


@pytest.mark.parametrize("part", [" ", "(", "1", "10:31 ", "a ", "From a to ", ":", "1:", "[", "]", "10:31]", "a\n10:31\n", "\t\n", "-"])
def test_a_chat_of_noise_is_read_at_once(part: str) -> None:
    noise = (part * 40_000)[:40_000]
    began = process_time()
    chat_votes(Question(1, "The", OPTIONS, 0, None, allows_own=True), noise + "x")
    assert process_time() - began < 1


def test_a_replica_s_codes_begin_with_its_letter(registry: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_ROOM_LETTER", "k")
    assert {registry.open("presenter").code[0] for _room in range(9)} == {"K"}
    monkeypatch.setenv("TOKEN_VIEWER_ROOM_LETTER", "<script>")
    assert registry.open("presenter").code[0] in vote_rooms.LETTERS


def test_rooms_without_a_presenter_give_way_first(
    registry: Rooms, room: Room, clock: Clock, present: set[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_ROOMS", "4")
    registry.of_phone(room.code, "anna", ADDRESS)
    present.add("unused")
    left = [registry.open(name, f"198.51.100.{number}") for number, name in enumerate(("left", "also left", "unused"))]
    registry.of_phone(left[0].code, "ben", ADDRESS)
    clock.now += 1
    for gone in (left[1], left[0]):
        newer = registry.open("presenter", "198.51.100.9")
        registry.of_phone(newer.code, "eva", ADDRESS)
        assert registry.of_presenter(gone.code, gone.key, "back") is None, "one without phones goes before one with phones"
    with pytest.raises(TooMany, match="All rooms"):
        registry.open("presenter", "198.51.100.9")
    clock.now += vote_rooms.UNUSED_SECONDS + 1
    registry.open("presenter", "198.51.100.9")
    assert registry.of_presenter(left[2].code, left[2].key, "unused") is None, "one that no phone has entered gives way last"
    assert registry.of_presenter(room.code, room.key, "presenter") is room


def test_one_network_has_a_few_rooms_and_the_machine_itself_all(registry: Rooms, present: set[str | None]) -> None:
    rooms = [registry.open("presenter", "2001:db8::/64") for _room in range(vote_rooms.OF_ADDRESS)]
    with pytest.raises(TooMany, match="this network"):
        registry.open("presenter", "2001:db8::/64")
    assert registry.open("presenter", "203.0.113.9") and registry.of_presenter(rooms[0].code, rooms[0].key, "presenter")
    rooms[3].presenter = "left"
    assert registry.open("presenter", "2001:db8::/64") and registry.of_presenter(rooms[3].code, rooms[3].key, "left") is None
    for address in ("127.0.0.1", ""):
        for _room in range(vote_rooms.OF_ADDRESS + 1):
            registry.open("presenter", address)


def test_cookies_of_one_network_do_not_fill_a_room(registry: Rooms, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_PHONES", "10")
    for number in range(10):
        registry.of_phone(room.code, f"cookie {number}", "198.51.100.1")
    for number in range(5):
        registry.vote(room, f"cookie {number}", 1, 0, "")
    with pytest.raises(TooMany, match="full"):
        registry.of_phone(room.code, "cookie 10", "198.51.100.1")
    for number in range(4):
        registry.of_phone(room.code, f"honest {number}", ADDRESS)
    assert [name for name in room.phones if name.startswith("cookie")] == [f"cookie {number}" for number in range(6)], "voters stay"
    registry.of_phone(room.code, "honest 4", ADDRESS)
    with pytest.raises(TooMany, match="full"):
        registry.of_phone(room.code, "honest 5", ADDRESS)  # now both networks have as many
    with pytest.raises(TooMany, match="full"):
        registry.of_phone(room.code, "cookie 9", "198.51.100.1")
