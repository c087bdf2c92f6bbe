"""Test one tokenizer in a separate process: with the arguments `tokenizer.json megabytes` it prints JSON. `tokenizer_trial` runs it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

MOST_PER_LETTER = 64  # tokens per character; a character of many bytes needs at most twelve
LARGEST_VOCABULARY = 4_000_000


def patterns(part: Any) -> Iterator[str]:
    """Yield all regular expressions in a tokenizer's file, except in its vocabulary."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "Regex" and isinstance(value, str):
                yield value
            elif key not in ("vocab", "merges", "added_tokens"):
                yield from patterns(value)
    elif isinstance(part, list):
        for value in part[:1000]:
            yield from patterns(value)


def texts(spec: Any) -> Iterator[str]:
    """Yield the test texts: long repetitions, and repetitions of each character in its expressions with another character at the end."""
    yield from ("a" * 4000, " " * 4000, "\n" * 2000, "ab " * 1000, "1234567890" * 100, "aA1! é🦊\u0301" * 100, "…" * 500)
    letters = dict.fromkeys(
        c for pattern in patterns(spec) for c in re.sub(r"\\[pP]\{\w+\}|\\.", "", pattern) if c.isalnum() or c in " _-'\""
    )
    for letter in list(letters)[:64]:
        for end in ("!", "\u0000", "z9"):
            yield letter * 48 + end


def main() -> None:
    """Test the tokenizer and print the fault as JSON."""
    path, megabytes = sys.argv[1], int(sys.argv[2])
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20,) * 2)
    except (ImportError, ValueError, OSError):  # Windows has no memory limit; the time limit still works
        pass
    from tokenizers import Tokenizer

    why = ""
    try:
        tokenizer = Tokenizer.from_file(path)
        with open(path, "rb") as file:
            spec = json.load(file)
    except Exception:  # loading the tokenizer reports this error
        sys.stdout.write("{}")
        return
    if tokenizer.get_vocab_size() > LARGEST_VOCABULARY:
        why = "has more tokens than any model"
    for text in texts(spec) if not why else ():
        try:
            ids = tokenizer.encode(text).ids
            again = tokenizer.decode(ids[:1000])
        except BaseException as error:  # a panic of the Rust library is not an Exception
            why = "" if isinstance(error, Exception) else "stops with an error on a short text"
            continue
        if len(ids) > MOST_PER_LETTER * len(text) + 64 or len(again) > 1000 * (len(text) + 64):
            why = "makes thousands of tokens from a short text"
            break
    sys.stdout.write(json.dumps({"why": why} if why else {}))


if __name__ == "__main__":
    main()
