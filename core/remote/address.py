"""Parse the address of an inference server, and refuse addresses that the app must not connect to.

A visitor enters the address, so it is untrusted. It is parsed without resolving its name. `connected_socket` resolves the name, checks all
its IP addresses, and connects to one of the checked addresses, so that a second DNS answer cannot lead elsewhere.
"""

from __future__ import annotations

import base64
import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from core.errors import WrongServer
from core.message import Message
from core.sources.ngram import PREFIX as NGRAM

SCHEMES = ("http://", "https://")
_HOST_AND_PORT = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}(?:/[\w/.~-]*)?(?:#[\w./:@+-]{1,200})?", re.ASCII)
_MODEL = re.compile(r"[\w./:@+-]{1,200}", re.ASCII)
_NOT_A_SERVER = Message(
    "This address is reserved for services of the network or the cloud (link-local). Give the address of an inference server."
)
# Metadata services of clouds outside the link-local range, which hold secrets: AWS, Google, Alibaba, Azure, Oracle.
_CLOUDS = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")))
# IPv6 addresses that a translator turns into the IPv4 address in them (RFC 6052, 8215, 2765), and the old form of RFC 4291. The IPv4
# address is in the last bytes, or where RFC 6052 puts it after a prefix of 48, 56 or 64 bits.
_PLACES = ((12, 13, 14, 15), (6, 7, 9, 10), (7, 9, 10, 11), (9, 10, 11, 12))
_TRANSLATED = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96")))
_COMPATIBLE = ipaddress.ip_network("::/96")
_ISATAP = (bytes.fromhex("00005efe"), bytes.fromhex("02005efe"))  # before the IPv4 address in an address of any network (RFC 5214)

Number = ipaddress.IPv4Address | ipaddress.IPv6Address


class ForbiddenAddress(WrongServer):
    """The host has an IP address that the app must not connect to."""


def is_address(name: str) -> bool:
    """Return whether this names a server, not a model: a URL, or a host with a port. "ngram:3" is the name of a model.

    >>> is_address("http://gpu"), is_address("10.0.0.7:8000"), is_address("org/model")
    (True, True, False)
    """
    name = name.strip()
    return not name.startswith(NGRAM) and (name.lower().startswith(SCHEMES) or bool(_HOST_AND_PORT.fullmatch(name)))


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server. url: without credentials; shown: text for people; credentials: (user, password) from the URL, or None.

    model: one of several models of the server, named after a # in the address; "" for the first one.
    """

    url: str
    shown: str
    credentials: tuple[str, str] | None
    model: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Return the address in a text such as "http://10.0.0.7:8000" or "10.0.0.7:8000". Raises WrongServer; no error contains
        credentials."""
        text = text.strip()
        if _HOST_AND_PORT.fullmatch(text):
            text = f"http://{text}"
        try:
            parts = urlsplit(text)
            port, host = parts.port, (parts.hostname or "").encode("idna").decode()
        except (ValueError, UnicodeError):
            parts, port, host = None, None, ""
        if parts is None or parts.scheme not in ("http", "https") or not re.fullmatch(r"[a-z0-9._:-]+", host):
            raise WrongServer("This is not a server address. An address looks like http://127.0.0.1:8000.")
        if parts.query or (parts.fragment and not _MODEL.fullmatch(parts.fragment)) or not re.fullmatch(r"[\w/.~-]*", parts.path, re.ASCII):
            raise WrongServer("The address of a server is a host and a port without a path, such as http://127.0.0.1:8000.")
        number = _number(host)
        if number is not None and _forbidden(number):
            raise WrongServer(_NOT_A_SERVER)
        public_address = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
        path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
        credentials = (unquote(parts.username or ""), unquote(parts.password or "")) if parts.username or parts.password else None
        model = f"#{parts.fragment}" if parts.fragment else ""
        return cls(f"{parts.scheme}://{public_address}{path}{model}", public_address + path, credentials, parts.fragment)

    @property
    def key(self) -> str | None:
        """Return the credentials as an access key, None without credentials."""
        if self.credentials is None:
            return None
        return "Basic " + base64.b64encode(":".join(self.credentials).encode()).decode()

    @property
    def named(self) -> bool | None:
        """Return whether TOKEN_VIEWER_SERVERS contains this server; None if the variable is not set."""
        if os.environ.get("TOKEN_VIEWER_SERVERS") is None:
            return None
        allowed = {Address.parse(address).url for address, _each in named_servers()}
        return bool(allowed & {self.url, self.url.partition("#")[0]})

    @property
    def allowed(self) -> bool:
        """Return whether visitors may use this server: one in TOKEN_VIEWER_SERVERS, or any server if the variable is not set."""
        return self.named is not False


def named_servers() -> list[tuple[str, str | None]]:
    """Return the servers in TOKEN_VIEWER_SERVERS, each with the tokenizer after its =; None without a =."""
    written = os.environ.get("TOKEN_VIEWER_SERVERS", "").split(",")
    pairs = (entry.strip().partition("=") for entry in written if entry.strip())
    return [(address.strip(), tokenizer.strip() if mark else None) for address, mark, tokenizer in pairs]


def without_secrets(name: str, api_key: str | None) -> tuple[str, str | None]:
    """Return a model's name that is safe to show, store and share, and the key. Credentials in an address are moved to the key.

    >>> without_secrets("10.0.0.7:8000/v1", None), without_secrets("storyteller", None)
    (('http://10.0.0.7:8000', None), ('storyteller', None))
    """
    if not is_address(name):
        return name, api_key
    address = Address.parse(name)
    return address.url, api_key or address.key


def connected_socket(host: str, port: int, timeout: float) -> socket.socket:
    """Return a TCP connection to this host. The name is resolved now, and the connection goes to one of the checked IP addresses.

    Raises OSError without an answer, ForbiddenAddress if one of the host's IP addresses is forbidden.
    """
    resolved = [entry[4][0] for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    numbers = list(dict.fromkeys(str(number) for number in resolved))
    if any(_forbidden(ipaddress.ip_address(number.partition("%")[0])) for number in numbers):
        raise ForbiddenAddress(_NOT_A_SERVER)
    error: OSError = OSError("the name has no address")
    for number in numbers:
        try:
            connection = socket.create_connection((number, port), timeout=timeout)
        except OSError as refused:
            error = refused
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
    raise error


def is_closed_here(address: Address) -> bool:
    """Return whether the address is a port of this machine at which no program listens."""
    parts = urlsplit(address.url)
    host = parts.hostname or ""
    number = _number(host)
    if host != "localhost" and not (number is not None and number.is_loopback):
        return False
    try:
        connected_socket(host, parts.port or (443 if parts.scheme == "https" else 80), 1.0).close()
    except ConnectionRefusedError:
        return True
    except OSError:
        pass
    return False


def _number(host: str) -> Number | None:
    """Return the IP address of this host in any form that a resolver accepts (decimal, hexadecimal, octal, short); None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host.rstrip(".")))
    except (OSError, ValueError):
        return None


def _forbidden(number: Number) -> bool:
    """Return whether this IP address, or one embedded in it, is forbidden: link-local, multicast, or a cloud's metadata service."""
    forms: list[Number | None] = [number]
    if isinstance(number, ipaddress.IPv6Address):
        forms += [number.ipv4_mapped, number.sixtofour, number.teredo[1] if number.teredo else None]
        stands_for_others = any(number in network for network in _TRANSLATED) or number.packed[8:12] in _ISATAP
        if stands_for_others or (number in _COMPATIBLE and int(number) > 0xFFFF):
            forms += [ipaddress.IPv4Address(bytes(number.packed[index] for index in places)) for places in _PLACES]
    return any(form is not None and (form.is_link_local or form.is_multicast or form in _CLOUDS) for form in forms)
