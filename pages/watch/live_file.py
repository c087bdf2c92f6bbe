"""Write a live page in all languages of the app, of which a browser takes its own: python -m pages.watch.live_file FILE --model mini"""

from __future__ import annotations

import sys

from core.reports.__main__ import write_live_page
from pages.ui.i18n.translation import wordings

if __name__ == "__main__":
    write_live_page(sys.argv[1:], wordings(), "python -m pages.watch.live_file")
