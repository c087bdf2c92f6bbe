"""Hurtful words: paragraphs with them are not trained on, and the evaluation counts sampled texts that contain them.

The list covers violence, insults and swearing, as whole words. Slurs and obscenities are stored as checksums.
"""

from __future__ import annotations

import re
import zlib
from functools import cache
from pathlib import Path

from core.experiments.shared.questions.words import read

_TEXTS = read(Path(__file__).with_suffix(".toml"))
_HURTFUL = re.compile("|".join(_TEXTS["words"]))
_UNPRINTED = frozenset(_TEXTS["checksums"])
_WORD = re.compile(r"[a-z]+")


@cache
def _is_hurtful(word: str) -> bool:
    return bool(_HURTFUL.fullmatch(word)) or zlib.crc32(word.encode()) in _UNPRINTED


def hurtful(text: str) -> list[str]:
    """Return the hurtful words of this text, in their order.

    >>> hurtful("The giant said he would KILL the dragon.")
    ['kill']
    """
    return [word for word in _WORD.findall(text.lower()) if _is_hurtful(word)]
