"""Resource limits per process and per visitor, read from the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from core.errors import BadSetting
from core.language import _

PREFIX = "TOKEN_VIEWER_"


@dataclass(frozen=True, slots=True)
class Limits:
    """Every limit is read from an environment variable, TOKEN_VIEWER_ and its name in capitals; 0 means no limit.

    visitors: sessions at a time. models: in memory at a time; fewer where memory is short. tokens_per_run: tokens one path may have,
    prompt included. prompt_tokens: tokens of a prompt. cache_megabytes: all visitors' caches together, per model. idle_seconds: after this
    long without a pass a visitor's cache is given back; it is rebuilt from the tokens when they go on. upload_megabytes: of a recording
    that is opened; 64 at most. readers: requests that one visitor may send at once in a serving experiment. experiments: running at a time
    for all visitors together. experiment_seconds: the longest one may run. training_seconds, training_tokens: of one training that a
    visitor begins. training_megabytes: of the earlier moments that all visitors' trainings keep to go back to. sockets,
    sockets_per_address: open connections of browsers, from everywhere and from one address. uploads_megabytes: all that one session may
    have handed in at a time. seat_seconds: after this long without a word a visitor's seat may go to somebody who waits.
    download_gigabytes: the largest model that is fetched. free_gigabytes: of the disk, left alone by downloads.
    """

    visitors: int = 200
    models: int = 3
    tokens_per_run: int = 0
    prompt_tokens: int = 0
    cache_megabytes: int = 2048
    idle_seconds: int = 300
    upload_megabytes: int = 64
    readers: int = 32
    experiments: int = 16
    experiment_seconds: int = 1800
    training_seconds: int = 180
    training_tokens: int = 2_000_000
    training_megabytes: int = 1200
    sockets: int = 400
    sockets_per_address: int = 100
    uploads_megabytes: int = 192
    seat_seconds: int = 600
    download_gigabytes: int = 50
    free_gigabytes: int = 5

    @classmethod
    def from_environment(cls) -> Limits:
        """The limits of this process. Raises BadSetting for a value that is no whole number."""
        values = {}
        for field in fields(cls):
            text = os.environ.get(PREFIX + field.name.upper())
            if text is None:
                continue
            if not text.strip().isdecimal() or len(text) > 15:
                raise BadSetting(
                    _("{prefix}{upper} must be a whole number, 0 for no limit, not {text}.").format(
                        prefix=PREFIX, upper=field.name.upper(), text=repr(text[:40])
                    )
                )
            values[field.name] = int(text)
        return cls(**values)
