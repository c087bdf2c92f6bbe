"""What the tests of a live page share: the bundled models, the file of each, and the settings as the page holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from core import SamplingSettings, load_model
from core.message import ENGLISH
from core.reports.live_page.page import OFFERED
from core.reports.live_page.page import page as page_of
from pages.ui.i18n.spoken_language import speaking
from pages.ui.i18n.translation import wording
from tests.browser.watching import PATIENCE

MODELS = ("storyteller-mini", "storyteller")
READY = "main[data-ready]"


@cache
def model(name: str) -> Any:
    return load_model(name)


def offered(settings: SamplingSettings) -> dict[str, Any]:
    return {row.name: getattr(settings, row.name) for row in OFFERED}


def german() -> Any:
    with speaking("de"):
        return wording()


def written_in(folder: Path) -> Callable[[str], Path]:
    """Return a function that writes the file of a model once, in English and German."""

    @cache
    def written(name: str) -> Path:
        path = folder / f"{name}.html"
        path.write_text(page_of(model(name), [ENGLISH, german()]), "utf-8")
        return path

    return written


@contextmanager
def opening(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open files without a network. Afterwards: nothing was asked for but the files, and no script failed."""
    contexts, asked, failed = [], [], []

    def open_file(
        path: Path, hash: str = "", width: int = 1400, height: int = 900, wait: str = READY, script: str = "", **options: Any
    ) -> Any:
        context = browser.new_context(offline=True, viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(path.as_uri() + hash)
        page.wait_for_selector(wait)
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert {url.partition(":")[0] for url in asked} <= {"file", "data"} and len(asked) == len(contexts)
    assert not failed, failed
