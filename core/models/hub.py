"""Find model files in the bundle, a folder or on the Hugging Face hub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.disk_full import is_disk_full, no_room_on_disk
from core.errors import ModelError, quoted
from core.message import Message
from core.models.checksums import broken_file
from core.models.model_names import is_hub_id, with_revision

BUNDLED = Path(__file__).parents[1] / "bundled"
TOKENIZER_FILES = ("*.json", "*.txt", "*.model", "*.jinja")
NEEDED = (*TOKENIZER_FILES, "*.safetensors")
# Folders, and the weights of Mistral's own program: the same numbers once more. "*" in a pattern of the hub also matches "/".
UNNEEDED = ("*/*", "consolidated*.safetensors")


@dataclass(frozen=True, slots=True)
class Offer:
    """A recommended model. bytes: published size of its safetensors; the hub is asked for the real size before a download.

    chat: whether it has a chat template.
    """

    name: str
    title: str
    parameter_count: int
    bytes: int
    licence: str
    gated: bool
    good_for: str
    chat: bool = False


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
        chat=True,
    ),
    Offer(
        "Qwen/Qwen3-0.6B",
        "Qwen3 0.6B",
        596_049_920,
        1_503_300_328,
        "Apache 2.0",
        False,
        Message("chat, many languages, thinking aloud"),
        chat=True,
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
    """Return the folder of a bundled or local model; None if the name is a hub id. Raises ModelError for a path without a folder."""
    if name in bundled_names():
        if broken := broken_file(BUNDLED / name):
            raise ModelError("{file} of {name} is damaged. Install this app again.", file=broken, name=quoted(name))
        return BUNDLED / name
    try:
        path = Path(name).expanduser()
        if path.is_dir():
            return path
        if path.exists():
            raise ModelError(
                "{name} is not a model. A model is a folder with config.json and safetensors files, or a GGUF file.", name=quoted(name)
            )
    except (OSError, RuntimeError, ValueError) as error:
        raise ModelError("{name} is neither a readable folder nor a hub id.", name=quoted(name)) from error
    if name.startswith(("/", ".", "~")) or "\\" in name:
        raise ModelError("The folder {name} does not exist.", name=quoted(name))
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
    complete = all((folder / Path(str(part)).name).is_file() for part in parts) and (folder / "config.json").is_file()
    return folder if complete and any(folder.glob("tokenizer*")) else None


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
        raise ModelError("{name} is not a model name. A hub id looks like HuggingFaceTB/SmolLM2-135M.", name=quoted(name)) from error
    except GatedRepoError as error:
        raise ModelError(
            "{name} requires that you accept its licence on the hub. Then set HF_TOKEN and try again.", name=quoted(name)
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError("The hub has this model, but not the revision in {name}.", name=quoted(name)) from error
    except RepositoryNotFoundError as error:
        raise ModelError("The hub has no model {name}, or it is private. Check the spelling.", name=quoted(name)) from error
    except (LocalEntryNotFoundError, OfflineModeIsEnabled) as error:
        raise ModelError(no_network) from error
    except HfHubHTTPError as error:
        raise ModelError(
            "The hub did not send {name}. Try again later. The bundled models work without the hub.", name=quoted(name)
        ) from error
    except (OSError, RuntimeError) as error:
        if is_disk_full(error):
            raise no_room_on_disk(name) from error
        raise ModelError("The download of {name} failed. The bundled models work without a network.", name=quoted(name)) from error
    except Exception as error:  # huggingface_hub does not convert the connection errors of its HTTP client
        if type(error).__module__.split(".")[0].startswith(("http", "requests", "urllib3")):
            raise ModelError(no_network) from error
        raise
