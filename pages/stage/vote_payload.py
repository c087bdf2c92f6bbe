"""The stage's data of a vote for the browser: room and codes while it is open, three answers beside each other when it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.experiments.shared import audience_vote
from core.experiments.shared.audience_vote import Option, OwnWord, Question, VoteRound, VoteScore, compared
from core.record.step_rows import label_of
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _, ngettext
from pages.ui.presenting import phone_address, stage_vote
from pages.ui.presenting.phone_address import code_picture
from pages.ui.server.vote_page import counts
from pages.ui.server.vote_rooms import Room

if TYPE_CHECKING:
    from core import Generation

MOST_WORDS = 6  # own words that are shown


def vote_payload(run: Generation) -> dict[str, Any]:
    """Return the room and the vote on this run: "room" (code and key, for the browser to find it again) and "vote", None without one."""
    room = stage_vote.room()
    if room is None:
        return {"room": None, "vote": None}
    question = stage_vote.question_of(room, run)
    about = None if question is None else _open(room, question) if question.result is None else _ended(room, question, question.result, run)
    return {"room": {"code": room.code, "key": room.key}, "vote": about}


def _open(room: Room, question: Question) -> dict[str, Any]:
    addresses, link = phone_address.addresses(), f"?room={room.code}&pass={room.entry}"
    return _both(room, question) | {
        "addresses": [[address.partition("://")[2], code_picture(address + link)] for address in addresses],
        "how": _(phone_address.SAME_NETWORK if addresses else phone_address.UNREACHABLE),
        "options": [option.label for option in question.options],
        "hands": question.hands,
        "own": question.allows_own,
        "live": question.is_live,
    }


def _both(room: Room, question: Question) -> dict[str, Any]:
    return {
        "code": room.code,
        "number": question.number,
        "at": question.at,
        "ended": question.result is not None,
        "now": counts(room),
        "waiting": [],
    }


def _ended(room: Room, question: Question, result: VoteRound, run: Generation) -> dict[str, Any]:
    words = question.words()
    step = next((step for step in run.path[question.at : question.at + 1]), None)
    came = (
        step.piece if step is not None and step.key == result.came else next((o.label for o in result.options if o.key == result.came), "")
    )
    total = sum(result.votes) + result.own
    return _both(room, question) | {
        "rows": [_row(option, count, total, result) for option, count in zip(result.options, result.votes, strict=True)],
        "own_row": [_("own words"), result.own, result.own / max(1, total)] if result.own else None,
        "shown": [[word, numbers.whole(count)] for word, count in words if word in question.released][:MOST_WORDS],
        "waiting": [[word, numbers.whole(count)] for word, count in words if word not in question.released],
        "voters": ngettext("{count} vote", "{count} votes", total).format(count=numbers.whole(total)),
        "came": label_of(came),
        "choices": [
            ["audience", _favourite_label(question, result), _("the audience's favourite")],
            ["model", result.model_favourite.label, _("the model's favourite")],
            ["dice", label_of(came), _("the token of the dice")],
        ],
        "forward": "audience" if result.favourite is not None and not _waits(question, result) else "dice",
        "scores": score_lines(room.rounds),
    }


def _waits(question: Question, result: VoteRound) -> bool:
    """Return whether the audience's favourite is an own word that the presenter has not shown."""
    return isinstance(result.favourite, OwnWord) and compared(result.favourite.label) not in question.released


def _favourite_label(question: Question, result: VoteRound) -> str:
    """Return the audience's favourite for the wall, "" without a vote."""
    if result.favourite is None:
        return ""
    return _("an own word") if _waits(question, result) else result.favourite.label


def _row(option: Option, count: int, total: int, result: VoteRound) -> list[Any]:
    """Return a row: label, votes, their share, the model's probability as a length and as a text, whether the dice chose it."""
    return [
        option.label,
        numbers.whole(count),
        count / max(1, total),
        option.probability,
        numbers.percent(option.probability),
        option.key == result.came,
    ]


def score_lines(rounds: list[VoteRound]) -> list[str]:
    """Return the sentences about all rounds: agreement, hits, log scores, and the explanation of the scores. [] without votes."""
    total = audience_vote.score(rounds)
    if not total.rounds:
        return []
    agreed = ngettext(
        "The audience's favourite was the model's in {agreed} of {count} round, and the token of the dice in {hits}.",
        "The audience's favourite was the model's in {agreed} of {count} rounds, and the token of the dice in {hits}.",
        total.rounds,
    ).format(agreed=numbers.whole(total.agreed), hits=numbers.whole(total.hits), count=numbers.whole(total.rounds))
    people = _("In a study, people guessed {share} of next tokens (arXiv 2212.11281).").format(share=numbers.percent(audience_vote.PEOPLE))
    formula = _(
        "−log2 of the probability of the dice's token, mean of {count} rounds. Audience: (its votes + 1) / (all votes + number of "
        "choices). Model: its probability / the sum over the choices. Choices are options and own words. A round counts if the token of "
        "the dice was a choice."
    ).format(count=numbers.whole(total.scored))
    return [f"{agreed} {people}", *([_bits(rounds[-1], total), formula] if total.scored else [])]


def _bits(latest: VoteRound, total: VoteScore) -> str:
    """Return the log scores of the latest round, if it has some, and of all rounds, if there are more."""
    sentences = []
    if latest.bits is not None:
        audience, model = (numbers.decimal(bits, 1) for bits in latest.bits)
        sentences.append(
            _("Log score, lower is better: audience {audience} bits, model {model} bits.").format(audience=audience, model=model)
        )
    if latest.bits is None or total.scored > 1:
        audience, model = numbers.decimal(total.audience_bits, 1), numbers.decimal(total.model_bits, 1)
        mean = ngettext(
            "Mean of {count} round: audience {audience} bits, model {model} bits.",
            "Mean of {count} rounds: audience {audience} bits, model {model} bits.",
            total.scored,
        )
        sentences.append(mean.format(audience=audience, model=model, count=numbers.whole(total.scored)))
    return " ".join(sentences)
