"""The operator's password: wrong tries are limited and slow the next answers."""

from __future__ import annotations

import pytest

from pages.ui.server.operator_password import SLOWEST, TRIES, Password


def test_the_password_is_tried_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Password(lambda _seconds: None)
    assert known.opens("", "10.0.0.1") is False  # none is set: nothing opens
    monkeypatch.setenv("TOKEN_VIEWER_OPERATOR_PASSWORD", "short")
    assert not known.is_set()
    assert known.opens("short", "10.0.0.9") is False
    monkeypatch.setenv("TOKEN_VIEWER_OPERATOR_PASSWORD", "a long enough word")
    assert known.opens("a long enough word", "10.0.0.1") is True
    assert [known.opens("wrong", "10.0.0.2") for _ in range(TRIES + 1)] == [False] * TRIES + [None]
    assert known.opens("a long enough word", "10.0.0.2") is None
    assert known.opens("a long enough word", "10.0.0.3") is True


def test_wrong_passwords_from_everywhere_slow_the_answers_and_lock_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_OPERATOR_PASSWORD", "a long enough word")
    waited: list[float] = []
    known = Password(waited.append)
    for number in range(300):
        assert known.opens("wrong", f"10.0.{number // 250}.{number % 250}") is False
    assert known.opens("a long enough word", "203.0.113.7") is True
    assert waited == sorted(waited) and waited[0] == 0 and waited[-1] == SLOWEST
    assert [known.opens("wrong", None) for _ in range(20)] == [False] * 20  # behind a proxy that is not trusted all come from one place
    assert known.opens("a long enough word", None) is True


def test_tries_at_the_same_time_and_from_one_network_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_OPERATOR_PASSWORD", "a long enough word")
    answers: list[bool | None] = []

    def meanwhile(_seconds: float) -> None:
        answers.append(known.opens("wrong", f"2001:db8::{len(answers)}"))

    known = Password(meanwhile)
    known.opens("wrong", "2001:db8::ffff")
    assert answers == [None, *[False] * (TRIES - 1)]
