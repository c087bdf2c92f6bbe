"""A model's name in a link: its kind by its form, and how it is written without a path of this machine."""

from __future__ import annotations

import re

from core.generation.recording_file import public_name
from core.models.gguf.header import is_gguf
from core.models.model_names import LONGEST_NAME, is_hub_id
from core.remote.address import is_address


def kind_of_model(name: str) -> str | None:
    """Return the kind of a model by the form of its name: "hub", "folder" or "server"; None if the name is none of them.

    The file system is not read, so that a link cannot find out which folders exist.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        return None
    if is_gguf(name):
        return "folder"
    if is_hub_id(name):
        return "hub"
    if is_address(name):
        return "server"
    return "folder" if re.match(r"[/~.\\]|[A-Za-z]:[\\/]", name) else None


def link_name(model: str) -> str:
    """Return a model's name in a link: of a path on this machine only the last part, written so that it is known as one.

    >>> link_name("/home/ann/models/fox.gguf"), link_name("/home/ann/models/fox"), link_name("org/model"), link_name("storyteller")
    ('fox.gguf', './fox', 'org/model', 'storyteller')
    """
    if kind_of_model(model) != "folder":
        return model
    name = public_name(model)
    return name if kind_of_model(name) == "folder" else f"./{name}"
