"""Rooms of the process: an audience votes on the next token from its own phones.

`ROOMS` holds them in memory and stores nothing on disk. A presenter's page (a script's thread) opens a room and its questions; the phones'
page (`vote_page.py`, the event loop) reads and votes. A room has a code of four letters, a pass for the link of the QR code, and a key that
only its presenter knows, so that a presenter who reloads finds it again. A voter is a random token of a session cookie, without a name.

Several replicas: a room is in the memory of the replica whose presenter opened it, so all requests with its code must reach that
replica. Each replica gets a letter of its own in TOKEN_VIEWER_ROOM_LETTER. Its codes begin with it, and `deploy/nginx.conf` chooses the
replica by it.
"""

from __future__ import annotations

import hmac
import os
from collections import Counter
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import choice, token_hex, token_urlsafe
from threading import Lock
from time import monotonic

from core.errors import InputError
from core.experiments.shared import guessing_game
from core.experiments.shared.audience_vote import MARKS, Option, OwnWord, Question, VoteRound, compared
from core.limits import Limits
from pages.ui.i18n.translation import N_
from pages.ui.server import network_address, pasted_chat
from pages.ui.server.gate import is_open
from pages.ui.server.rate_limit import AddressRates
from pages.ui.server.request_body import RequestRefused

LETTERS = "BCDFGHJKLMNPRSTVWXYZ"  # no vowels, so that no code is a word, and no Q, which looks like O
IDLE_SECONDS = 7200.0  # without a vote or a press of the presenter
WITHOUT_PRESENTER = 600.0  # seconds after which a room ends whose presenter's websocket is closed
PRESENT_SECONDS = 12.0  # since the last request of a phone that is there; it asks every two seconds
SILENT_SECONDS = 60.0  # a phone without a vote that is silent for so long gives way in a full room
OF_ADDRESS = 8  # rooms of one network's presenters; a machine's own are not counted
UNUSED_SECONDS = 60.0  # a room without phones, unused for so long, gives way when all rooms are in use
MOST_WORDS = 200  # different own words of one question
LARGEST_CHAT = 40_000  # characters
MOST_HANDS = 999
WRONG_CODES, WRONG_CODES_AT_ONCE = 0.5, 30.0  # per second of one address, and how many may come at once


TokenOdds = tuple[int, float]  # key and probability


class VoteRefused(RequestRefused):
    """A request of a phone that cannot be answered."""


class NoSuchRoom(VoteRefused):
    """No room has this code, or it has ended."""

    status = 404


class VoteTooLate(VoteRefused):
    """The vote on this question has ended."""

    status = 409


class TooMany(VoteRefused):
    """Too many requests, wrong codes, phones or rooms."""

    status = 429


@dataclass(slots=True)
class Phone:
    """address: the network from which it entered. seen: time of its last request."""

    address: str
    seen: float


@dataclass(slots=True, eq=False)
class Room:
    """version: grows when phones must draw again. phones: in the order in which they came. presenter: name of the websocket.

    address: the presenter's network. entry: the pass in the QR code's link, which nobody can guess. rounds: the finished votes.
    used: time of the last vote or press. alone_since: when the presenter's websocket was found closed.
    """

    code: str
    presenter: str | None
    address: str = ""
    key: str = field(default_factory=lambda: token_hex(16))
    entry: str = field(default_factory=lambda: token_urlsafe(9))
    version: int = 1
    phones: dict[str, Phone] = field(default_factory=dict)
    question: Question | None = None
    asked: int = 0
    rounds: list[VoteRound] = field(default_factory=list)
    used: float = 0.0
    alone_since: float | None = None


class Rooms:
    """The rooms of one process, by code. Safe to use from several threads. clock, is_present: for tests."""

    def __init__(self, clock: Callable[[], float] = monotonic, is_present: Callable[[str | None], bool] = is_open) -> None:
        self._clock, self._is_present, self._lock = clock, is_present, Lock()
        self._rooms: dict[str, Room] = {}
        self._wrong = AddressRates(WRONG_CODES, WRONG_CODES_AT_ONCE, clock)

    def open(self, presenter: str | None, address: str = "") -> Room:
        """Open a room. address: the presenter's network. At a limit, a room that is not used gives way.

        Raises TooMany at the limits TOKEN_VIEWER_ROOMS and OF_ADDRESS.
        """
        with self._lock:
            self._forget_ended()
            most = Limits.from_environment().rooms
            from_there = [room for room in self._rooms.values() if room.address == address]
            is_local = not address or network_address.is_loopback(address)
            if not is_local and len(from_there) >= OF_ADDRESS and not self._give_up(from_there):
                raise TooMany(
                    N_("Presenters of this network have {most} rooms for votes already. Close one of their pages first."), most=OF_ADDRESS
                )
            if most and len(self._rooms) >= most and not self._give_up(list(self._rooms.values())):
                raise TooMany(N_("All rooms for votes are in use on this instance. Try again later."))
            code = self._new_code()
            self._rooms[code] = room = Room(code, presenter, address, used=self._clock())
            return room

    def _give_up(self, rooms: Sequence[Room]) -> bool:
        """End one of these rooms. Return whether there was one to end.

        It is the one that has been without its presenter for longest, without phones if possible; else one that no phone has entered.
        """
        alone = [(bool(room.phones), room.alone_since, room.code) for room in rooms if room.alone_since is not None]
        unused = [(room.used, room.code) for room in rooms if not room.phones and self._clock() - room.used > UNUSED_SECONDS]
        if not alone and not unused:
            return False
        del self._rooms[min(alone)[-1] if alone else min(unused)[-1]]
        return True

    def of_presenter(self, code: str, key: str, presenter: str | None) -> Room | None:
        """Return the presenter's room; None if the key is wrong or the room has ended. The room follows the presenter's new websocket."""
        with self._lock:
            self._forget_ended()
            room = self._rooms.get(code)
            if room is None or not _is_same(room.key, key):
                return None
            room.presenter, room.alone_since = presenter, None
            return room

    def of_phone(self, code: str, phone: str | None, address: str, key: str = "", entry: str = "") -> Room:
        """Return the room that a phone asks for, and note that the phone is there. phone: None for a page that does not vote.

        key: of the room, from its presenter's page. entry: the pass of the QR code's link. No wrong codes of others keep these out.

        Raises NoSuchRoom, and TooMany for an address with too many wrong codes or for a full room.
        """
        with self._lock:
            self._forget_ended()
            room = self._rooms.get(code.upper())
            is_known = room is not None and (phone in room.phones or _is_same(room.key, key) or _is_same(room.entry, entry))
            if not is_known and self._wrong.is_spent(address):
                raise TooMany(N_("Too many wrong codes came from this network. Scan the QR code, or wait a minute and try again."))
            if room is None:
                self._wrong.count(address)
                raise NoSuchRoom(N_("No room has this code. Look at the screen again: the room may have ended."))
            if phone is not None:
                self._let_in(room, phone, address)
            return room

    def ask(self, room: Room, text: str, options: Sequence[Option], at: int, after: Hashable) -> Question:
        """Open a vote. It keeps the presenter's choice about own words and live counts from the one before."""
        with self._lock:
            room.asked += 1
            before = room.question
            room.question = question = Question(room.asked, text, tuple(options), at, after, hands=[0] * len(options))
            if before is not None:
                question.allows_own, question.is_live = before.allows_own, before.is_live
            self._changed(room)
            return question

    def change(self, room: Room, change: Callable[[Question], None]) -> None:
        """Apply a presenter's change to the open question; without one, nothing happens."""
        with self._lock:
            if room.question is not None:
                change(room.question)
                self._changed(room)

    def end(self, room: Room, came: int, tokens: Mapping[str, TokenOdds] | None = None) -> VoteRound | None:
        """End the vote and return its result. came: key of the token that the dice chose. None without an open vote.

        tokens: key and probability of the tokens that are own words, by `compared`. They are looked up before, because phones wait here.
        """
        with self._lock:
            question = room.question
            if question is None or question.result is not None:
                return None
            words = tuple(_with_token(word, tokens or {}) for word in question.own_words())
            question.result = VoteRound(question.options, tuple(question.counts()), words, came)
            room.rounds.append(question.result)
            self._changed(room)
            return question.result

    def close(self, room: Room) -> None:
        """Take the question away; its phones wait for the next one."""
        with self._lock:
            room.question = None
            self._changed(room)

    def vote(self, room: Room, phone: str, number: int, option: int | None, word: str) -> int | str:
        """Count a phone's vote for an option or an own word, in place of its vote before. Return what was counted.

        Raises VoteTooLate after the end, VoteRefused for an option or a word that is not possible, InputError for a long word.
        """
        with self._lock:
            question = room.question
            if question is None or question.number != number or question.result is not None:
                raise VoteTooLate(N_("This vote has ended. The next one appears here by itself."))
            if option is not None:
                if not 0 <= option < len(question.options):
                    raise VoteRefused(N_("This option does not exist. Reload the page."))
                cast: int | str = option
            elif not question.allows_own:
                raise VoteRefused(N_("Own words are not allowed in this vote. Choose an option."))
            else:
                cast = question.vote_of(guessing_game.cleaned([word])[0])
                if isinstance(cast, str) and len(question.words()) >= MOST_WORDS and compared(cast) not in dict(question.words()):
                    raise TooMany(N_("This vote has enough own words. Choose an option."))
            question.votes[phone] = cast
            room.used = self._clock()
            return cast

    def present(self, room: Room) -> int:
        """Return how many phones are there now."""
        with self._lock:
            return sum(self._clock() - phone.seen < PRESENT_SECONDS for phone in list(room.phones.values()))

    def _changed(self, room: Room) -> None:
        room.version += 1
        room.used = self._clock()

    def _let_in(self, room: Room, phone: str, address: str) -> None:
        now, most = self._clock(), Limits.from_environment().phones
        if phone not in room.phones and most and len(room.phones) >= most:
            voted = room.question.votes if room.question is not None else {}
            room.phones = {name: other for name, other in room.phones.items() if now - other.seen < SILENT_SECONDS or name in voted}
            if len(room.phones) >= most and not _gives_up_phone(room, voted.keys(), address):
                raise TooMany(N_("This room is full."))
        room.phones.setdefault(phone, Phone(address, now)).seen = now

    def _new_code(self) -> str:
        """Return a code that no room has."""
        first = os.environ.get("TOKEN_VIEWER_ROOM_LETTER", "").upper()
        while True:
            letters = [choice(LETTERS) for _letter in range(4)]
            if len(first) == 1 and first in LETTERS:
                letters[0] = first
            if (code := "".join(letters)) not in self._rooms:
                return code

    def _forget_ended(self) -> None:
        """Remove idle rooms, and those whose presenter has left."""
        now = self._clock()
        for room in list(self._rooms.values()):
            if self._is_present(room.presenter):
                room.alone_since = None
            elif room.alone_since is None:
                room.alone_since = now
            is_alone = room.alone_since is not None and now - room.alone_since > WITHOUT_PRESENTER
            if is_alone or now - room.used > IDLE_SECONDS:
                del self._rooms[room.code]


def _with_token(word: OwnWord, tokens: Mapping[str, TokenOdds]) -> OwnWord:
    key, probability = tokens.get(compared(word.label), (None, 0.0))
    return replace(word, key=key, probability=probability)


def _is_same(secret: str, sent: str) -> bool:
    return hmac.compare_digest(secret.encode(), sent.encode("utf-8", "replace"))


def _gives_up_phone(room: Room, voted: Container[str], address: str) -> bool:
    """Remove a phone without a vote, the newest one of the network with most phones. Return False if it would be the newcomer's own.

    So no network fills a room alone, although it can have as many phones as cookies.
    """
    by_network = Counter(phone.address for phone in room.phones.values())
    for network, count in by_network.most_common():
        if count <= by_network[address]:
            return False
        newest = next((name for name, phone in reversed(room.phones.items()) if phone.address == network and name not in voted), None)
        if newest is not None:
            del room.phones[newest]
            return True
    return False


def chat_votes(question: Question, text: str) -> tuple[Counter[int | str], int]:
    """Return the votes of a pasted chat and the number of lines that were not counted.

    The last message of a name counts. A word that is not an option counts if own words are allowed. The names are not stored.
    """
    last: dict[str, int | str] = {}
    written, skipped = pasted_chat.messages(text[:LARGEST_CHAT])
    for name, message in written:
        cast = _chat_vote(question, message)
        if cast is None or (isinstance(cast, str) and not question.allows_own):
            skipped += 1
        else:
            last[name.casefold()] = cast
    return Counter(last.values()), skipped


def _chat_vote(question: Question, message: str) -> int | str | None:
    """Return the option or the own word of a message. None if it is too long for a word, or only marks."""
    try:
        cast = question.vote_of(guessing_game.cleaned([message.strip(MARKS) or message])[0])
    except InputError:
        return None
    return cast if isinstance(cast, int) or cast.strip(MARKS) else None


ROOMS = Rooms()
