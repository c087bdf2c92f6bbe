"""What the operator offers: the models and servers that every visitor may choose, besides those that came with the app.

    TOKEN_VIEWER_OFFER       hub ids (fetched before) and folders, with commas
    TOKEN_VIEWER_SERVERS     servers, with commas; with =tokenizer behind it, a server is offered to all: http://10.0.0.10:8000=org/model
    TOKEN_VIEWER_SERVER_KEY  the access key of those servers, if they ask for one

The operator adds to it on the Models page, until the app is started anew.
"""

from __future__ import annotations

import os
from threading import Lock
from time import monotonic

from core.errors import ModelError
from core.models.hub import downloaded, local_folder
from core.remote.address import Address, is_address, named_servers

Access = tuple[str | None, str | None]  # of a server: its tokenizer and its key
REFRESH_SECONDS = 30.0  # seconds after which the disk is asked again for what the environment names

_lock = Lock()
_added: dict[str, Access] = {}
_cached: dict[str, tuple[float, dict[str, Access]]] = {}


def names() -> list[str]:
    """What may be chosen by everybody, as far as it is here."""
    return list(_all())


def access(name: str) -> Access:
    """How this one is asked for: of a server, with its tokenizer and key."""
    return _all().get(name, (None, None))


def add(name: str, tokenizer: str | None = None, api_key: str | None = None) -> None:
    """Offer this one to all. Only an operator's press leads here."""
    with _lock:
        _added[name] = (tokenizer, api_key)


def withdraw(name: str) -> None:
    """Offer it no more; whoever writes with it goes on."""
    with _lock:
        _added.pop(name, None)


def added() -> list[str]:
    """What was offered since the start, and can be taken back."""
    return list(_added)


def _all() -> dict[str, Access]:
    return _from_environment() | dict(_added)


def _from_environment() -> dict[str, Access]:
    written = os.environ.get("TOKEN_VIEWER_OFFER", "") + "\n" + os.environ.get("TOKEN_VIEWER_SERVERS", "")
    known = _cached.get(written)
    if known is None or monotonic() - known[0] > REFRESH_SECONDS:
        _cached.clear()
        known = _cached[written] = (monotonic(), _read_environment())
    return known[1]


def _read_environment() -> dict[str, Access]:
    found: dict[str, Access] = {}
    for name in filter(None, map(str.strip, os.environ.get("TOKEN_VIEWER_OFFER", "").split(","))):
        try:
            here = not is_address(name) and (local_folder(name) or downloaded(name)) is not None
        except ModelError:
            here = False
        if here:
            found[name] = (None, None)
    for address, tokenizer in named_servers():
        if tokenizer:
            found[Address.parse(address).url] = (tokenizer, os.environ.get("TOKEN_VIEWER_SERVER_KEY") or None)
    return found
