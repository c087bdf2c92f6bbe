"""Build a llama-server for the tests: `python -m tests.servers.build`. Takes about five minutes on two cores, once.

llama.cpp comes inside the source package of llama-cpp-python, so the package index is all that is needed, besides cmake, ninja and a
C++ compiler. Tests never build anything themselves.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "llama-cpp-python==0.3.36"
HOME = Path(os.environ.get("TOKEN_VIEWER_LLAMA_CPP") or Path.home() / ".cache/token-probability-viewer/llama.cpp")
SERVER, WORKER = HOME / "b/bin/llama-server", HOME / "b/bin/ggml-rpc-server"
FLAGS = ["-DCMAKE_BUILD_TYPE=Release", "-DGGML_NATIVE=ON", "-DGGML_RPC=ON", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF"]
FLAGS += ["-DLLAMA_BUILD_UI=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF", "-DLLAMA_OPENSSL=OFF"]


def build(jobs: int = 2) -> None:
    """Fetch the sources if they are not there, and build the server and its worker for distributed runs."""
    if not (HOME / "CMakeLists.txt").is_file():
        HOME.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=HOME.parent) as folder:
            fetch = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", "llama-cpp-python", "-d", folder, PACKAGE]
            subprocess.run(fetch, check=True)
            with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as archive:
                archive.extractall(folder, filter="data")
            next(Path(folder).glob("*/vendor/llama.cpp")).rename(HOME)
    subprocess.run(["cmake", "-B", "b", "-G", "Ninja", *FLAGS], cwd=HOME, check=True)
    subprocess.run(["ninja", "-C", "b", f"-j{jobs}", SERVER.name, WORKER.name], cwd=HOME, check=True)


if __name__ == "__main__":
    build()
