"""A download of a model from the Hugging Face hub, which shows its progress, is bounded, and can be stopped."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from core.errors import ModelError, NoRoom, quoted
from core.limits import Limits
from core.message import Number
from core.models.hub import NEEDED, UNNEEDED, plainly
from core.models.model_names import checked_name, with_revision

ROOM_CHECK = 200_000_000  # a download checks the free disk space after this many bytes


class Download:
    """A download in its own thread. Read done, total, bytes_per_second, folder and error from any thread; stop() ends it soon.

    The hub's cache keeps partial files, so a second download continues where the first one stopped.
    endpoint, cache: the hub's address and the cache folder, None for the defaults. files: returns the only wanted files of a repository.
    """

    def __init__(
        self, name: str, endpoint: str | None = None, cache: Path | None = None, files: Callable[[], Iterable[str]] | None = None
    ) -> None:
        self.name = checked_name(name)
        repository = self.name.rpartition(":")[0] if files is not None else self.name
        self._repository, self._revision = with_revision(repository)
        self._files, self._wanted, self._unwanted = files, list(NEEDED), list(UNNEEDED)
        self.done = 0  # bytes
        self.total = 0  # bytes, 0 while unknown
        self.folder: Path | None = None
        self.error: ModelError | None = None
        self._endpoint, self._cache = endpoint, cache
        self._began = monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="download")
        self._thread.start()

    @property
    def running(self) -> bool:
        """Return whether the download is still running."""
        return self._thread.is_alive()

    @property
    def bytes_per_second(self) -> float:
        """Return the mean speed so far."""
        return self.done / max(monotonic() - self._began, 1e-3)

    def stop(self) -> None:
        """End the download at its next progress report."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the download ends, at most this many seconds."""
        self._thread.join(seconds)

    def _work(self) -> None:
        from huggingface_hub import snapshot_download

        try:
            with plainly(self.name):
                if self._files is not None:
                    self._wanted, self._unwanted = list(self._files()), []
                self.check_room()
                folder = snapshot_download(
                    self._repository,
                    revision=self._revision,
                    allow_patterns=self._wanted,
                    ignore_patterns=self._unwanted,
                    tqdm_class=_meter(self),
                    endpoint=self._endpoint,
                    cache_dir=self._cache,
                    max_workers=2,
                )
            # The meter does not count files that were already downloaded, so the sizes are read from the files.
            self.done = self.total = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
            self.folder = Path(folder)
        except ModelError as error:
            self.error = error
        except Exception as error:  # a thread has no caller that could handle it
            self.error = ModelError("The download of {name} failed.", name=quoted(self.name))
            self.error.__cause__ = error

    def check_room(self) -> None:
        """Ask the hub for the size of the files before the download. Raises NoRoom."""
        from huggingface_hub import HfApi
        from huggingface_hub.utils import filter_repo_objects

        try:
            info = HfApi(endpoint=self._endpoint).model_info(self._repository, revision=self._revision, files_metadata=True, timeout=10.0)
        except Exception:  # the download itself raises the error, or needs no network because all files are here
            return
        sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
        self._announced(
            sum(sizes[name] for name in filter_repo_objects(sizes, allow_patterns=self._wanted, ignore_patterns=self._unwanted))
        )

    def _announced(self, size: int) -> None:
        """Raise NoRoom if this many bytes exceed the limit or the free disk space."""
        from huggingface_hub.constants import HF_HUB_CACHE

        limits = Limits.from_environment()
        if limits.download_gigabytes and size > limits.download_gigabytes * 10**9:
            raise NoRoom(
                "{name} has {size} GB. The limit for downloads is {most} GB (TOKEN_VIEWER_DOWNLOAD_GIGABYTES).",
                name=quoted(self.name),
                size=Number(size / 1000000000.0, ",.1f"),
                most=limits.download_gigabytes,
            )
        folder = Path(self._cache or HF_HUB_CACHE)
        free = shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists())).free
        if size > free - limits.free_gigabytes * 10**9:
            raise NoRoom(
                "{name} has {size} GB. The disk has {free} GB left, of which {free_gigabytes} GB stay free (TOKEN_VIEWER_FREE_GIGABYTES).",
                name=quoted(self.name),
                size=Number(size / 1000000000.0, ",.1f"),
                free=Number(free / 1000000000.0, ",.1f"),
                free_gigabytes=limits.free_gigabytes,
            )

    def count(self, more: int) -> None:
        """Add received bytes. Raises ModelError after `stop`, NoRoom above the limits."""
        self.done += more
        if more and self.done // ROOM_CHECK != (self.done - more) // ROOM_CHECK:  # the announced size can be wrong
            self._announced(max(0, self.total - self.done) if self.total else 0)
            most = Limits.from_environment().download_gigabytes * 10**9
            if most and self.done > most:
                self._announced(self.done)
        if self._stop.is_set():
            raise ModelError("The download of {name} was stopped. The received part is kept.", name=quoted(self.name))


def _meter(download: Download) -> Any:
    """Return a progress-bar class for huggingface_hub that draws nothing and reports received bytes to `download`."""

    class Meter:
        _lock = threading.RLock()

        def __init__(self, *items: Any, **settings: Any) -> None:
            self._items = items[0] if items else settings.get("iterable")
            self._bytes = str(settings.get("desc", "")).startswith("Reconstructing")
            self._total, self.n = settings.get("total") or 0, 0

        @property
        def total(self) -> int:
            return self._total

        @total.setter
        def total(self, value: int) -> None:
            self._total = value
            if self._bytes:
                download.total = int(value)

        def update(self, more: float | None = 1) -> None:
            self.n += int(more or 0)
            download.count(int(more or 0) if self._bytes else 0)

        def __iter__(self) -> Iterator[Any]:
            return iter(self._items or ())

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_given: object) -> None:
            return None

        def _nothing(self, *_given: object, **_named: object) -> None:
            """Draw nothing."""

        close = refresh = clear = reset = display = _nothing
        set_description = set_description_str = set_postfix = set_postfix_str = _nothing

        @classmethod
        def get_lock(cls) -> Any:
            return cls._lock

        @classmethod
        def set_lock(cls, lock: Any) -> None:
            cls._lock = lock

    return Meter
