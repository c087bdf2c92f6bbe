"""No address, however it is written or resolved, leads to a machine's own link-local or its cloud. Passwords are not shown."""

from __future__ import annotations

import ipaddress
import random
import socket
from typing import Any

import pytest

from core.errors import WrongServer
from core.remote import address
from core.remote.address import Address, connected_socket, is_address, without_secrets

# Spellings of 169.254.169.254, and other addresses that belong to a machine or its cloud.
SAME_MACHINE = (
    "169.254.169.254 2852039166 0xA9FEA9FE 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376 169.254.43518 169.254.169.254. １６９.254.169.254 "
    "[::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::a9fe:a9fe] [64:ff9b::a9fe:a9fe] [64:ff9b:1::a9fe:a9fe] [::ffff:0:a9fe:a9fe] "
    "[2001:db8::5efe:169.254.169.254] [::200:5efe:a9fe:a9fe] "
    "[2002:a9fe:a9fe::1] [fe80::1] [fd00:ec2::254] 100.100.100.200 168.63.129.16 224.0.0.1"
).split()
OTHERS = "127.0.0.1 [::1] 10.0.0.7 192.168.1.2 0.0.0.0 [fd12::1] 100.64.0.1 203.0.113.9 gpu".split()


@pytest.mark.parametrize("host", SAME_MACHINE)
def test_no_spelling_leads_to_the_machines_own_card(host: str) -> None:
    with pytest.raises(WrongServer, match="link-local"):
        Address.parse(f"http://{host}:80/v1")


# From IANA's IPv6 special-purpose address registry: the blocks whose addresses stand for an IPv4 address, the lengths of the prefixes
# before it (RFC 6052 for translators), and the blocks that are link-local themselves.
EMBEDDING = {"64:ff9b::": (96,), "64:ff9b:1::": (48, 56, 64, 96), "::ffff:0:0": (96,), "2002::": (16,), "::ffff:0:0:0": (96,), "::": (96,)}
LINK_LOCAL = ("169.254.0.0/16", "fe80::/10")


def embedded(block: str, length: int, number: ipaddress.IPv4Address) -> ipaddress.IPv6Address:
    """Return the address of this block that stands for an IPv4 address behind a prefix of so many bits."""
    whole, place = bytearray(ipaddress.IPv6Address(block).packed), length // 8
    for byte in number.packed:
        if place == 8 and 32 < length < 96:
            place = 9  # RFC 6052 keeps this byte empty
        whole[place] = byte
        place += 1
    return ipaddress.IPv6Address(bytes(whole))


def test_no_special_purpose_address_leads_to_a_link_local_one() -> None:
    dice = random.Random(0)
    for _ in range(200):
        inside = ipaddress.IPv4Address(int(ipaddress.IPv4Address("169.254.0.0")) + dice.randrange(2**16))
        forms = {str(inside): "", **{str(embedded(block, length, inside)): block for block, known in EMBEDDING.items() for length in known}}
        own = ipaddress.ip_network(LINK_LOCAL[1])
        forms[str(own[dice.randrange(own.num_addresses)])] = ""
        for form in forms:
            with pytest.raises(WrongServer, match="link-local"):
                Address.parse(f"http://[{form}]:80" if ":" in form else f"http://{form}:80")
        for block, known in EMBEDDING.items():
            for length in known:
                host = embedded(block, length, ipaddress.IPv4Address("203.0.113.9"))
                assert Address.parse(f"http://[{host}]:80").url


@pytest.mark.parametrize("host", OTHERS)
def test_where_servers_are_may_be_asked(host: str) -> None:
    assert Address.parse(f"http://{host}:8000").url == f"http://{host}:8000"


@pytest.mark.parametrize("numbers", [["169.254.169.254"], ["127.0.0.1", "fe80::1%eth0"], ["::ffff:169.254.169.254"]])
def test_a_name_is_resolved_and_compared_before_anybody_is_connected(numbers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def found(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET6 if ":" in n else socket.AF_INET, socket.SOCK_STREAM, 6, "", (n, port)) for n in numbers]

    monkeypatch.setattr(address.socket, "getaddrinfo", found)
    monkeypatch.setattr(address.socket, "create_connection", lambda place, **_: asked.append(place))
    with pytest.raises(WrongServer, match="link-local"):
        connected_socket("innocent.example", 80, 1.0)
    assert asked == []


def test_only_the_number_that_was_compared_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that means another machine the next time it is asked for (DNS rebinding) is asked for once a connection."""
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    looked_up: list[str] = []

    def found(host: str, port: int, **_: Any) -> list[Any]:
        looked_up.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (n, port)) for n in next(answers)]

    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        own = socket.create_connection
        tried: list[str] = []

        def connect(place: tuple[str, int], **more: Any) -> Any:
            tried.append(place[0])
            with monkeypatch.context() as real:
                real.setattr(
                    address.socket, "getaddrinfo", lambda host, port, *_: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]
                )
                return own(place, **more)

        monkeypatch.setattr(address.socket, "getaddrinfo", found)
        monkeypatch.setattr(address.socket, "create_connection", connect)
        connected_socket("turncoat.example", port, 1.0).close()
        with pytest.raises(WrongServer):
            connected_socket("turncoat.example", port, 1.0)
    assert tried == ["127.0.0.1"]
    assert looked_up == ["turncoat.example"] * 2


SERVERS = ["http://gpu", "HTTPS://gpu/v1", "10.0.0.7:8000", "localhost:8000", "[::1]:8080", "gpu:8000/v1"]
MODELS = ["storyteller", "org/model", "org/model@v1:2", "C:\\models", "./a:1", "gpu:port"]


@pytest.mark.parametrize(("name", "answer"), [*((name, True) for name in SERVERS), *((name, False) for name in MODELS)])
def test_a_host_with_a_port_is_a_server_and_a_model_is_not(name: str, answer: bool) -> None:
    assert is_address(name) is answer


def test_a_password_leaves_the_address_for_the_key() -> None:
    assert without_secrets("http://anna:hunter2@gpu:8000/v1", None) == ("http://gpu:8000", "Basic YW5uYTpodW50ZXIy")
    assert without_secrets("http://anna:hunter2@gpu:8000", "sk-1") == ("http://gpu:8000", "sk-1")
    assert without_secrets("gpu:8000", None) == ("http://gpu:8000", None)
    assert without_secrets("org/model", "sk-1") == ("org/model", "sk-1")
