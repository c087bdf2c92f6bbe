"""The conversation and the ending of a link, which can come from anybody."""

from __future__ import annotations

import json

import pytest

from core.chat.conversation import MOST_MESSAGES
from pages.ui.session import share_link
from pages.ui.session.run_request import Conversation, RunRequest, split_at_question
from pages.ui.session.share_link import LONGEST_CONVERSATION, Stop, conversation_of, ending_of, is_valid, link_values

EARLIER = (("system", "Be a fox. 🦊"), ("user", "Who?"), ("assistant", 'I & "you"'))


def test_a_conversation_survives_its_link() -> None:
    conversation, ending = Conversation(EARLIER, "I think"), Stop(("\n\n", "###"), 40)
    values = share_link.decoded(share_link.encoded(link_values(conversation, ending)))
    assert is_valid(values)
    assert (conversation_of(values), ending_of(values)) == (conversation, ending)
    assert link_values(Conversation(), Stop()) == {}


@pytest.mark.parametrize(
    "earlier",
    [
        "x",
        "{}",
        "[1]",
        '[["user"]]',
        '[["robot", "x"]]',
        '[["user", 3]]',
        '[["user", "a"], ["system", "b"]]',
        json.dumps([["user", "a"]] * (MOST_MESSAGES + 1)),
        "[" * 100_000,
        json.dumps([["user", "a" * (3 * LONGEST_CONVERSATION)]]),
        json.dumps([["user", "a" * (LONGEST_CONVERSATION // 2)], ["assistant", "a" * (LONGEST_CONVERSATION // 2 + 1)]]),
    ],
)
def test_what_is_no_conversation_is_named_and_left_out(earlier: str) -> None:
    assert not is_valid({"earlier": earlier})
    assert conversation_of({"earlier": earlier}) == Conversation()
    assert len(share_link.invalid_values({"earlier": earlier}, [])) == 1


@pytest.mark.parametrize(
    "query",
    [{"stop": "x,"}, {"stop": "3"}, {"stop": "[3]"}, {"stop": '[""]'}, {"stop": json.dumps(["a" * 201])}, {"stop": json.dumps(["a"] * 41)}]
    + [{"most_new_tokens": text} for text in ("-1", "x", "1.5", "9" * 30, "١")],
)
def test_what_is_no_ending_is_named_and_left_out(query: dict[str, str]) -> None:
    assert not is_valid(query)
    assert ending_of(query) == Stop()


def test_a_stop_of_the_tour_is_no_ending() -> None:
    assert is_valid({"stop": "dice"}) and ending_of({"stop": "dice"}) == Stop()


def test_the_messages_of_a_request_and_back() -> None:
    request = RunRequest("m", "And?", True, Conversation(EARLIER, "Well,"))
    assert [one["role"] for one in request.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert split_at_question(tuple((one["role"], one["content"]) for one in request.messages)) == ("And?", request.conversation)
    assert split_at_question(EARLIER[:1]) is None and split_at_question(()) is None and split_at_question((("assistant", "x"),)) is None
    assert RunRequest("m", "And?", False, Conversation(EARLIER)).messages == []
    assert Conversation(EARLIER).with_system("").earlier == EARLIER[1:]
    assert Conversation(EARLIER[1:]).with_system("New").system == "New"
