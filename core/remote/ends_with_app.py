"""Run a program and end it when this process's standard input closes, which happens when the app ends for any reason.

`ends_with_app.py PROGRAM ARGUMENTS`. `local_server` runs this file in a process that imports nothing of the app.
"""

from __future__ import annotations

import subprocess
import sys
import threading


def main() -> None:
    """Start the program, end it with the app, and return its exit status."""
    program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)

    def wait_for_the_app() -> None:
        sys.stdin.buffer.read()
        program.kill()

    threading.Thread(target=wait_for_the_app, daemon=True).start()
    sys.exit(program.wait())


if __name__ == "__main__":
    main()
