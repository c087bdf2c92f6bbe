"""Try the installed package, from any folder: run the examples, start the app by its command, wait until it is ready.

    pip install . && cd /another/folder && python /path/to/tests/smoke.py

The pictures of the examples are written into that folder. Needs nothing but the package, on Linux, macOS and Windows.
"""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from contextlib import redirect_stdout
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
FEWER_RUNS = ("range(4), 30", "range(2), 5")  # seeds and tokens of the sweep, which otherwise writes for half a minute
PATIENCE = 180  # seconds; the first start compiles


def run_examples() -> None:
    """Run each example. Raises the error of one that fails, FileNotFoundError for one without its picture."""
    for script in sorted(EXAMPLES.glob("*.py")):
        began = time.monotonic()
        code = compile(script.read_text("utf-8").replace(*FEWER_RUNS), str(script), "exec")
        with redirect_stdout(io.StringIO()):
            exec(code, {"__name__": "__main__", "__file__": str(script)})
        size = Path(f"{script.stem}.png").stat().st_size
        sys.stdout.write(f"{script.name}: {time.monotonic() - began:.0f} s, a picture of {size // 1000} kB\n")


def is_ready(address: str) -> bool:
    """Return whether the app answers that its first model is loaded."""
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def start_app() -> None:
    """Start the app by its command and stop it when it is ready. Raises RuntimeError if it ends, TimeoutError if it takes too long."""
    command = shutil.which("token-probability-viewer", path=sysconfig.get_path("scripts"))
    if command is None:
        raise FileNotFoundError("The command token-probability-viewer is not installed.")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    options = ["--server.port", port, "--server.headless", "true", "--server.address", "127.0.0.1"]
    began = time.monotonic()
    server = subprocess.Popen([command, *options], stdout=subprocess.DEVNULL)
    try:
        while not is_ready(f"http://127.0.0.1:{port}/healthz"):
            if server.poll() is not None:
                raise RuntimeError(f"The app ended with code {server.returncode}.")
            if time.monotonic() - began > PATIENCE:
                raise TimeoutError(f"The app was not ready after {PATIENCE} seconds.")
            time.sleep(0.2)
        sys.stdout.write(f"the app: ready after {time.monotonic() - began:.0f} s\n")
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    run_examples()
    start_app()
