"""Pictures of a page at two widths, light and dark: `python -m tests.browser.look batching "watch?greedy=true"`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import mkdtemp

from playwright.sync_api import sync_playwright

from tests.browser.conftest import find_browser, running_app
from tests.browser.watching import COLD, settled

SIZES = {1400: 1200, 390: 844}  # pixels


def main(addresses: list[str], folder: Path) -> None:
    """Write a picture of the whole page for each address, width and theme, and print its path."""
    with running_app() as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for address in addresses:
            for width, height in SIZES.items():
                for theme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
                    page.goto(f"{app}/{address}")
                    settled(page, COLD)
                    page.wait_for_timeout(1500)  # charts are drawn after the script has ended
                    path = folder / f"{address.partition('?')[0] or 'start'}_{width}_{theme}.png"
                    page.screenshot(path=path, full_page=True)
                    page.close()
                    sys.stdout.write(f"{path}\n")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or [""], Path(mkdtemp()))
