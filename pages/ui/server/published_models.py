"""Models and servers that the operator publishes, so that every visitor can choose them.

    TOKEN_VIEWER_OFFER       hub ids (downloaded before) and folders, with commas
    TOKEN_VIEWER_SERVERS     servers, with commas; one with = is published: http://10.0.0.10:8000=org/model, or
                             http://10.0.0.10:8000= without a tokenizer
    TOKEN_VIEWER_SERVER_KEY  the access key of these servers, if they need one

Models that the operator publishes on the Models page stay until the app restarts.
"""

from __future__ import annotations

import os
from threading import Lock
from time import monotonic

from core.errors import ModelError
from core.models.gguf.header import is_here
from core.models.hub import downloaded, local_folder
from core.remote.address import Address, is_address, named_servers

Access = tuple[str | None, str | None]  # tokenizer and key of a server
REFRESH_SECONDS = 30.0  # seconds after which the environment's models are looked up on disk again

_lock = Lock()
_added: dict[str, Access] = {}
_cached: dict[str, tuple[float, dict[str, Access]]] = {}


def names() -> list[str]:
    """Return the names of the published models that are on this machine, and of the published servers."""
    return list(_all())


def access(name: str) -> Access:
    """Return tokenizer and key of a published server, (None, None) for other models."""
    return _all().get(name, (None, None))


def add(name: str, tokenizer: str | None = None, api_key: str | None = None) -> None:
    """Publish a model. Only for actions of the operator."""
    with _lock:
        _added[name] = (tokenizer, api_key)


def withdraw(name: str) -> None:
    """Remove a model from the list. Visitors who use it keep it."""
    with _lock:
        _added.pop(name, None)


def added() -> list[str]:
    """Return the models published since the start, which can be withdrawn."""
    return list(_added)


def _all() -> dict[str, Access]:
    return _from_environment() | dict(_added)


def _from_environment() -> dict[str, Access]:
    written = os.environ.get("TOKEN_VIEWER_OFFER", "") + "\n" + os.environ.get("TOKEN_VIEWER_SERVERS", "")
    cached_access = _cached.get(written)
    if cached_access is None or monotonic() - cached_access[0] > REFRESH_SECONDS:
        _cached.clear()
        cached_access = _cached[written] = (monotonic(), _read_environment())
    return cached_access[1]


def _read_environment() -> dict[str, Access]:
    accesses: dict[str, Access] = {}
    for name in filter(None, map(str.strip, os.environ.get("TOKEN_VIEWER_OFFER", "").split(","))):
        try:
            here = is_here(name) or (not is_address(name) and (local_folder(name) or downloaded(name)) is not None)
        except ModelError:
            here = False
        if here:
            accesses[name] = (None, None)
    for address, tokenizer in named_servers():
        if tokenizer is not None:
            accesses[Address.parse(address).url] = (tokenizer, os.environ.get("TOKEN_VIEWER_SERVER_KEY") or None)
    return accesses
