"""Write the checksums of the bundled models' files. `make` and `export` do it too.

python -m core.bundled.recipe.checksums core/bundled
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.models.checksums import CHECKSUMS, checksum_lines


def write_checksums(bundle: Path) -> None:
    """Write the checksums of every model in this folder."""
    (bundle / CHECKSUMS).write_text(checksum_lines(bundle), "utf-8", newline="\n")


if __name__ == "__main__":
    write_checksums(Path(sys.argv[1]))
