"""Find model files in the bundle, a folder or on the Hugging Face hub; a download shows its progress and can be stopped."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from core.disk import is_disk_full, no_room_on_disk
from core.errors import DownloadStopped, GatedModel, ModelError, NoNetwork, TooLargeToFetch, UnknownModel, quoted
from core.limits import Limits
from core.message import Message, Number
from core.models.model_names import checked_name, is_hub_id, with_revision

BUNDLED = Path(__file__).parents[1] / "bundled"
ROOM_CHECK = 200_000_000  # a download checks the free disk space after this many bytes
TOKENIZER_FILES = ("*.json", "*.txt", "*.model", "*.jinja")
NEEDED = (*TOKENIZER_FILES, "*.safetensors")
# Folders, and the weights of Mistral's own program: the same numbers once more. "*" in a pattern of the hub also matches "/".
UNNEEDED = ("*/*", "consolidated*.safetensors")


@dataclass(frozen=True, slots=True)
class Offer:
    """A recommended model. bytes: published size of its safetensors; the hub is asked for the real size before a download."""

    name: str
    title: str
    parameter_count: int
    bytes: int
    licence: str
    gated: bool
    good_for: str


OFFERS = (
    Offer(
        "HuggingFaceTB/SmolLM2-135M",
        "SmolLM2 135M",
        134_515_008,
        269_060_552,
        "Apache 2.0",
        False,
        Message("English; runs on any laptop"),
    ),
    Offer(
        "HuggingFaceTB/SmolLM2-360M",
        "SmolLM2 360M",
        361_821_120,
        723_674_912,
        "Apache 2.0",
        False,
        Message("the same family, with better answers"),
    ),
    Offer(
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        "SmolLM2 135M Instruct",
        134_515_008,
        269_060_552,
        "Apache 2.0",
        False,
        Message("a tiny chat model"),
    ),
    Offer(
        "Qwen/Qwen3-0.6B", "Qwen3 0.6B", 596_049_920, 1_503_300_328, "Apache 2.0", False, Message("chat, many languages, thinking aloud")
    ),
    Offer("openai-community/gpt2", "GPT-2", 124_439_808, 548_105_171, "MIT", False, Message("a well-known model of 2019, for comparison")),
    Offer(
        "google/gemma-3-270m", "Gemma 3 270M", 268_098_176, 536_223_056, "Gemma terms", True, Message("a large vocabulary, sliding windows")
    ),
    Offer(
        "meta-llama/Llama-3.2-1B",
        "Llama 3.2 1B",
        1_235_814_400,
        2_471_645_608,
        "Llama 3.2 licence",
        True,
        Message("the smallest model of Llama 3.2"),
    ),
)


def bundled_names() -> set[str]:
    """Return the names of the bundled models."""
    return {folder.name for folder in BUNDLED.glob("*/") if (folder / "config.json").is_file()}


def local_folder(name: str) -> Path | None:
    """Return the folder of a bundled or local model; None if the name is a hub id. Raises UnknownModel for a path without a folder."""
    if name in bundled_names():
        return BUNDLED / name
    try:
        path = Path(name).expanduser()
        if path.is_dir():
            return path
        if path.exists():
            raise UnknownModel(
                Message(
                    "{name} is not a model. A model is a folder with config.json and safetensors files, or a GGUF file.", name=quoted(name)
                )
            )
    except (OSError, RuntimeError, ValueError) as error:
        raise UnknownModel(Message("{name} is neither a readable folder nor a hub id.", name=quoted(name))) from error
    if name.startswith(("/", ".", "~")) or "\\" in name:
        raise UnknownModel(Message("The folder {name} does not exist.", name=quoted(name)))
    return None


def find(name: str, files: Sequence[str] = NEEDED) -> Path:
    """Return the folder of this model, downloaded from the hub if necessary. A hub id can end in @ and a revision: org/model@main.

    Files on this machine are used unchanged. A `Download` fetches a newer version.
    """
    folder = local_folder(name) or downloaded(name)
    if folder is not None:
        return folder
    from huggingface_hub import snapshot_download

    repository, revision = with_revision(name)
    with plainly(name):
        return Path(snapshot_download(repository, revision=revision, allow_patterns=list(files), ignore_patterns=list(UNNEEDED)))


def downloaded(name: str) -> Path | None:
    """Return the folder of a completely downloaded hub model, else None. Uses no network and reads only the hub's cache."""
    if not is_hub_id(name):
        return None
    from huggingface_hub import snapshot_download

    repository, revision = with_revision(name)
    try:
        folder = Path(snapshot_download(repository, revision=revision, local_files_only=True))
        index = folder / "model.safetensors.index.json"
        parts = set(json.loads(index.read_text("utf-8"))["weight_map"].values()) if index.is_file() else {"model.safetensors"}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):  # missing or incomplete
        return None
    whole = all((folder / Path(str(part)).name).is_file() for part in parts) and (folder / "config.json").is_file()
    return folder if whole and any(folder.glob("tokenizer*")) else None


@contextmanager
def plainly(name: str) -> Iterator[None]:
    """Convert the errors of huggingface_hub within the `with` block to a ModelError with one sentence."""
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    no_network = Message(
        "{name} is not on this machine and the hub cannot be reached. The bundled models work without a network.", name=quoted(name)
    )
    try:
        yield
    except ModelError:
        raise
    except HFValidationError as error:
        raise UnknownModel(
            Message("{name} is not a model name. A hub id looks like HuggingFaceTB/SmolLM2-135M.", name=quoted(name))
        ) from error
    except GatedRepoError as error:
        raise GatedModel(
            Message("{name} requires that you accept its licence on the hub. Then set HF_TOKEN and try again.", name=quoted(name))
        ) from error
    except RevisionNotFoundError as error:
        raise UnknownModel(Message("The hub has this model, but not the revision in {name}.", name=quoted(name))) from error
    except RepositoryNotFoundError as error:
        raise UnknownModel(Message("The hub has no model {name}, or it is private. Check the spelling.", name=quoted(name))) from error
    except (LocalEntryNotFoundError, OfflineModeIsEnabled) as error:
        raise NoNetwork(no_network) from error
    except HfHubHTTPError as error:
        raise NoNetwork(
            Message("The hub refused {name}. Try again later. The bundled models work without the hub.", name=quoted(name))
        ) from error
    except (OSError, RuntimeError) as error:
        if is_disk_full(error):
            raise no_room_on_disk(name) from error
        raise NoNetwork(Message("The download of {name} failed. The bundled models work without a network.", name=quoted(name))) from error
    except Exception as error:  # huggingface_hub does not convert the connection errors of its HTTP client
        if type(error).__module__.split(".")[0].startswith(("http", "requests", "urllib3")):
            raise NoNetwork(no_network) from error
        raise


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
            self.error = ModelError(Message("The download of {name} failed.", name=quoted(self.name)))
            self.error.__cause__ = error

    def check_room(self) -> None:
        """Ask the hub for the size of the files before the download. Raises TooLargeToFetch."""
        from huggingface_hub import HfApi
        from huggingface_hub.utils import filter_repo_objects

        try:
            info = HfApi(endpoint=self._endpoint).model_info(self._repository, revision=self._revision, files_metadata=True, timeout=10.0)
        except Exception:  # the download itself raises the error, or needs no network because all files are here
            return
        sizes = {one.rfilename: one.size or 0 for one in info.siblings or ()}
        self._announced(
            sum(sizes[name] for name in filter_repo_objects(sizes, allow_patterns=self._wanted, ignore_patterns=self._unwanted))
        )

    def _announced(self, size: int) -> None:
        """Raise TooLargeToFetch if this many bytes exceed the limit or the free disk space."""
        from huggingface_hub.constants import HF_HUB_CACHE

        limits = Limits.from_environment()
        if limits.download_gigabytes and size > limits.download_gigabytes * 10**9:
            raise TooLargeToFetch(
                Message(
                    "{name} has {size} GB. The limit for downloads is {most} GB (TOKEN_VIEWER_DOWNLOAD_GIGABYTES).",
                    name=quoted(self.name),
                    size=Number(size / 1000000000.0, ",.1f"),
                    most=limits.download_gigabytes,
                )
            )
        place = Path(self._cache or HF_HUB_CACHE)
        free = shutil.disk_usage(next(one for one in (place, *place.parents) if one.exists())).free
        if size > free - limits.free_gigabytes * 10**9:
            raise TooLargeToFetch(
                Message(
                    "{name} has {size} GB. The disk has {free} GB left, of which {free_gigabytes} GB stay free "
                    "(TOKEN_VIEWER_FREE_GIGABYTES).",
                    name=quoted(self.name),
                    size=Number(size / 1000000000.0, ",.1f"),
                    free=Number(free / 1000000000.0, ",.1f"),
                    free_gigabytes=limits.free_gigabytes,
                )
            )

    def count(self, more: int) -> None:
        """Add received bytes. Raises DownloadStopped after `stop`, TooLargeToFetch above the limits."""
        self.done += more
        if more and self.done // ROOM_CHECK != (self.done - more) // ROOM_CHECK:  # the announced size can be wrong
            self._announced(max(0, self.total - self.done) if self.total else 0)
            most = Limits.from_environment().download_gigabytes * 10**9
            if most and self.done > most:
                self._announced(self.done)
        if self._stop.is_set():
            raise DownloadStopped(Message("The download of {name} was stopped. The received part is kept.", name=quoted(self.name)))


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
