"""Write a live page in all languages of the app, of which a browser takes its own: python -m pages.watch.live_file FILE --model mini"""

from __future__ import annotations

import sys

from core.reports.__main__ import write_live_page
from pages.ui.i18n.translation import wordings


def write(arguments: list[str]) -> None:
    """Do what the command does with these arguments."""
    write_live_page(arguments, wordings(), "python -m pages.watch.live_file")


if __name__ == "__main__":
    write(sys.argv[1:])
