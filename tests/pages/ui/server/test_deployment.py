"""Who comes from where: nothing that a stranger can send makes them the machine's own user."""

from __future__ import annotations

import pytest

from pages.ui.server import deployment
from pages.ui.server.allowed_hosts import is_allowed_host, page_host

HERE = {"host": "localhost:8501"}


def listens_on(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    options: dict[str, object] = {"server.address": address, "server.corsAllowedOrigins": []}
    monkeypatch.setattr(deployment.st, "get_option", options.__getitem__)


@pytest.mark.parametrize("host", ["localhost", "localhost:8501", "127.0.0.1:8501", "[::1]:8501", "LOCALHOST"])
@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "127.8.8.8", "::ffff:127.0.0.1"])
def test_the_machine_s_own_user_is_local(peer: str, host: str) -> None:
    assert deployment.comes_from(peer, {"host": host}) == deployment.LOCAL


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("10.0.0.5", HERE),
        (None, HERE),
        ("unix", HERE),
        ("10.0.0.5", HERE | {"x-forwarded-for": "127.0.0.1"}),
        ("127.0.0.1", HERE | {"x-forwarded-for": "127.0.0.1"}),
        ("127.0.0.1", HERE | {"forwarded": "for=127.0.0.1"}),
        ("127.0.0.1", HERE | {"x-real-ip": "127.0.0.1"}),
        ("127.0.0.1", HERE | {"via": "1.1 proxy"}),
        ("127.0.0.1", {"host": "evil.example"}),
        ("127.0.0.1", {"host": "localhost.evil.example"}),
        ("127.0.0.1", {"host": "localhost@evil.example"}),
        ("127.0.0.1", {}),
    ],
)
def test_whoever_comes_through_a_proxy_or_by_another_name_is_not(peer: str | None, headers: dict[str, str]) -> None:
    assert deployment.comes_from(peer, headers) == deployment.ELSEWHERE


@pytest.mark.parametrize(
    ("address", "said", "public"),
    [
        ("127.0.0.1", None, False),
        ("localhost", "", False),
        ("::1", None, False),
        ("0.0.0.0", None, True),
        (None, None, True),
        ("192.168.1.7", None, True),
        ("127.0.0.1", "1", True),
        ("127.0.0.1", "yes please", True),
        ("0.0.0.0", "0", False),
    ],
)
def test_an_app_that_listens_beyond_this_machine_is_public_unless_said_otherwise(
    monkeypatch: pytest.MonkeyPatch, address: str | None, said: str | None, public: bool
) -> None:
    listens_on(monkeypatch, address)
    if said is not None:
        monkeypatch.setenv("TOKEN_VIEWER_PUBLIC", said)
    assert deployment.public() is public


def test_behind_a_proxy_on_the_same_machine_nobody_is_the_operator_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    listens_on(monkeypatch, "127.0.0.1")
    assert deployment.is_operator_by_connection(deployment.LOCAL)
    assert not deployment.is_operator_by_connection(deployment.ELSEWHERE)
    monkeypatch.setenv("TOKEN_VIEWER_PUBLIC", "1")
    assert not deployment.is_operator_by_connection(deployment.LOCAL)
    assert not deployment.is_operator_by_connection(None)
    listens_on(monkeypatch, "0.0.0.0")
    assert deployment.is_operator_by_connection(deployment.LOCAL)
    assert not deployment.is_operator_by_connection(deployment.ELSEWHERE)


def test_a_name_that_a_stranger_can_turn_around_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    listens_on(monkeypatch, "127.0.0.1")
    assert all(map(is_allowed_host, ("localhost:8501", "127.0.0.1", "[::1]:8501", "192.168.1.7:8501")))
    assert not any(map(is_allowed_host, ("evil.example", "evil.example:8501", "", None, "a b", "x@localhost", "localhost/..")))
    monkeypatch.setenv("TOKEN_VIEWER_HOSTS", "viewer.example.org, *.inside.example")
    assert all(map(is_allowed_host, ("viewer.example.org", "VIEWER.example.org.:443", "a.inside.example")))
    assert not any(map(is_allowed_host, ("evil.example", "inside.example", "viewer.example.org.evil.example")))


def test_a_public_app_without_named_hosts_answers_to_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    listens_on(monkeypatch, "0.0.0.0")
    assert is_allowed_host("whatever.example")
    monkeypatch.setenv("TOKEN_VIEWER_HOSTS", "viewer.example.org")
    assert not is_allowed_host("whatever.example")
    assert is_allowed_host("127.0.0.1:8501")


def test_a_page_of_another_site_is_told_from_one_behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    listens_on(monkeypatch, "127.0.0.1")
    assert page_host(None, "localhost:8501") == "localhost:8501"
    assert page_host("http://localhost:8501", "localhost:8501") == "localhost:8501"
    for other in ("http://localhost:3000", "https://evil.example", "null", "file://", "http://localhost:8501.evil.example"):
        assert page_host(other, "localhost:8501") is None
    monkeypatch.setenv("TOKEN_VIEWER_HOSTS", "viewer.example.org")
    assert page_host("https://viewer.example.org", "127.0.0.1:8501") == "viewer.example.org"


def test_only_whole_sites_may_frame_it() -> None:
    wanted = ["https://huggingface.co", "http://course.intranet", "ftp://a.example", "https://a.example; script-src *", "https://", "*", ""]
    assert deployment.frame_sources(wanted) == "'self' https://huggingface.co http://course.intranet"
