"""Resource limits per process and per visitor, read from the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from core.errors import BadSetting

PREFIX = "TOKEN_VIEWER_"


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits. Each is read from an environment variable, TOKEN_VIEWER_ and its name in capitals; 0 means no limit.

    visitors: sessions at a time. models: in memory at a time; fewer if memory is short. tokens_per_run: tokens of one path, prompt
    included. prompt_tokens: tokens of a prompt. cache_megabytes: all visitors' caches together, per model. idle_seconds: without a pass for
    this long, a visitor's cache is freed; the next step computes it again. upload_megabytes: size of one uploaded file; at most 64, and 0
    means 64, because the app and `.streamlit/config.toml` allow no more. readers: requests that one visitor may send at once in a serving
    experiment. experiments: running at a time, of all visitors.
    experiment_seconds: of one experiment. training_seconds, training_tokens: of one training by a visitor. training_megabytes: of the saved
    earlier states of all visitors' trainings. own_models_megabytes: of the models that all visitors trained or counted.
    sockets, sockets_per_address: open browser connections, in total and per address.
    uploads_megabytes, all_uploads_megabytes: of all files that one session holds, and all sessions together. seat_seconds: without a
    message for this long, a visitor's seat can go to a waiting one. download_gigabytes: of the largest model to download. free_gigabytes:
    disk space that downloads leave free. rooms: for votes, at a time. phones: in one room.
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
    own_models_megabytes: int = 1000
    sockets: int = 400
    sockets_per_address: int = 100
    uploads_megabytes: int = 192
    all_uploads_megabytes: int = 512
    seat_seconds: int = 600
    download_gigabytes: int = 50
    free_gigabytes: int = 5
    rooms: int = 50
    phones: int = 500

    @classmethod
    def from_environment(cls) -> Limits:
        """Return the limits of this process. Raises BadSetting for a value that is not a whole number."""
        values = {}
        for field in fields(cls):
            text = os.environ.get(PREFIX + field.name.upper())
            if text is None:
                continue
            if not text.strip().isdecimal() or len(text) > 15:
                raise BadSetting(
                    "{prefix}{upper} must be a whole number, 0 for no limit, not {text}.",
                    prefix=PREFIX,
                    upper=field.name.upper(),
                    text=repr(text[:40]),
                )
            values[field.name] = int(text)
        return cls(**values)
