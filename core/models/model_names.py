"""Model names as people give them: hub ids with a revision, paths, and what is pasted from a browser or a file manager."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from core.errors import ModelError, quoted

LONGEST_NAME = 300
_PART = r"[A-Za-z0-9](?:[\w.-]{0,94}[A-Za-z0-9])?"
_QUOTES = ('""', "''", "“”", "„“", "«»")  # around a path that a file manager or a chat has copied
_HUB_PAGE = re.compile(
    rf"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?P<id>{_PART}/{_PART})(?P<file>:\w[\w-]{{1,29}})?"
    r"(?:/(?:tree|blob|resolve)/(?P<revision>[^/?#]+))?(?:[/?#].*)?",
    re.ASCII | re.IGNORECASE,
)
HUB_ID = re.compile(rf"{_PART}/{_PART}(?:@[A-Za-z0-9][\w./-]{{0,99}})?", re.ASCII)


def checked_name(name: object) -> str:
    """Return the name as `find` takes it, also from a path in quotation marks, a file:// address or the address of a page of the hub.

    Raises ModelError if it cannot be a model's name.

    >>> checked_name(' "/home/me/gpt2" '), checked_name("file:///home/me/gpt2")
    ('/home/me/gpt2', '/home/me/gpt2')
    >>> checked_name("hf.co/org/model-GGUF:Q4_K_M")
    'org/model-GGUF:Q4_K_M'
    """
    if not isinstance(name, str) or not name.strip():
        raise ModelError("The model name is empty. Choose a bundled model, or give a folder or a hub id.")
    name = _pasted(name.strip())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ModelError("This is not a model name. A hub id looks like HuggingFaceTB/SmolLM2-135M.")
    return name


def _pasted(name: str) -> str:
    for marks in _QUOTES:
        if len(name) > 2 and name[0] == marks[0] and name[-1] == marks[-1]:
            name = name[1:-1].strip()
    if name.lower().startswith("file://") and len(name) <= LONGEST_NAME:
        return unquote(urlsplit(name).path)
    match = _HUB_PAGE.fullmatch(name) if len(name) <= LONGEST_NAME else None
    return name if match is None else match["id"] + (match["file"] or "") + (f"@{unquote(match['revision'])}" if match["revision"] else "")


def with_revision(name: str) -> tuple[str, str | None]:
    """Return a hub id and the revision after its @, None without one. Raises ModelError for an invalid revision.

    >>> with_revision("org/model@v1.0"), with_revision("org/model")
    (('org/model', 'v1.0'), ('org/model', None))
    """
    repository, _each, revision = name.partition("@")
    if ".." in revision or revision.startswith("/"):  # the revision becomes part of a path in the hub's cache
        raise ModelError("This revision of {name} does not exist.", name=quoted(name))
    return repository, revision or None


def is_hub_id(name: str) -> bool:
    """Return whether this has the form of a hub id: owner/model, optionally with @ and a revision. The hub is not asked."""
    return len(name) <= LONGEST_NAME and HUB_ID.fullmatch(name) is not None and ".." not in name and "--" not in name.partition("@")[0]
