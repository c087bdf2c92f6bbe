"""The installed package: an alias of `core`, whose folder lies in it, and the command that starts the app.

    >>> from token_probability_viewer import Generation, load_model

A wheel holds `core`, `pages` and `app.py` in the folder `tree` of this package, so that they stand beside no other package's files.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

TREE = Path(__file__).with_name("tree")


def _core() -> Any:
    if str(TREE) not in sys.path:
        sys.path.insert(0, str(TREE))
    core = import_module("core")
    if TREE not in Path(str(core.__file__)).parents:
        raise ImportError(f"Another package called core is imported already: {core.__file__}. Import token_probability_viewer first.")
    return core


_api = _core()
__all__ = _api.__all__


def __getattr__(name: str) -> Any:
    """Return a name of `core`."""
    return getattr(_api, name)


def __dir__() -> list[str]:
    """Return all names of `core`."""
    return dir(_api)


def main() -> None:
    """Start the app: `token-probability-viewer --server.port 8501`. The arguments are those of `streamlit run`."""
    os.chdir(TREE)  # Streamlit reads .streamlit/config.toml there
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", "app.py", *sys.argv[1:]])
