"""What the HTML files of a run share: the colours of both themes, the one script that their policy lets run, and JSON as inert data."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from core import palette


@cache
def template(folder: Path) -> jinja2.Template:
    """Return the template `page.html.j2` of a folder."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html.j2")


def joined(files: Sequence[Path]) -> str:
    """Return the texts of files, one after the other."""
    return "".join(file.read_text("utf-8") for file in files)


def with_colours(style: str) -> str:
    """Return a style sheet with the colours of both themes in place of LIGHT and DARK."""
    for name, theme in (("LIGHT", palette.LIGHT), ("DARK", palette.DARK)):
        colours = (f"--tv-{key.replace('_', '-')}: {colour}" for key, colour in palette.as_data(theme).items())
        style = style.replace(name, "; ".join(colours))
    return style


@cache
def script(files: tuple[Path, ...]) -> tuple[str, str]:
    """Return scripts as one, whose names no other script sees, and its hash for a Content-Security-Policy that lets no other script run."""
    text = f"(() => {{\n{joined(files)}}})();\n"
    return text, f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def inert(data: Any) -> str:
    """Return JSON in which no text can end the script element."""
    text = json.dumps(data, separators=(",", ":"))
    return text.translate({ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&"})
