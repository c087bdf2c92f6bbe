"""The installed package: all names of its part `core`, and the command that starts the app.

    >>> from token_probability_viewer import Generation, load_model

A wheel holds `core`, `pages` and `app.py` below this package, with imports of that name (`deploy/package_tree.py`), so that they touch no
other package's files and names.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from token_probability_viewer import core

if TYPE_CHECKING:
    from token_probability_viewer.core import *  # noqa: F403

__all__ = core.__all__


def __getattr__(name: str) -> Any:
    """Return a name of `core`."""
    return getattr(core, name)


def __dir__() -> list[str]:
    """Return all names of `core`."""
    return dir(core)


def main() -> None:
    """Start the app: `token-probability-viewer --server.port 8501`. The arguments are those of `streamlit run`."""
    os.chdir(Path(__file__).parent)  # Streamlit reads .streamlit/config.toml there
    sys.argv = ["streamlit", "run", "app.py", *sys.argv[1:]]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
