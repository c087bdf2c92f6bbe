"""The methods with which runs and steps write and show themselves, such as `run.to_html()`. `core` adds them to the classes.

So a run and a step do not know how they are drawn. Reports are imported at the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.generation.generation import Generation
from core.message import ENGLISH, Wording
from core.record import notebook_display
from core.record.step import Step, TokenDistribution


def add_methods() -> None:
    """Add the methods of this module to their classes."""
    Generation.to_html, Generation.to_live_html, Generation.to_gif, Generation.chart = to_html, to_live_html, to_gif, chart
    Generation._repr_html_ = run_in_notebook
    Step.to_image, Step._repr_html_ = to_image, step_in_notebook
    TokenDistribution._repr_html_ = distribution_in_notebook


def to_html(
    run: Generation,
    path: str | Path | None = None,
    *,
    link: str = "",
    charts: int = 3,
    wording: Wording = ENGLISH,
    first: int | None = None,
    last: int | None = None,
) -> str | None:
    """Return the run as one HTML page that replays it offline; with a path, write it there instead and return None.

    Printed, the page is a handout. link: an address that repeats the run, shown with its QR code. charts: how many steps get a chart.
    first, last: the tokens to show, from 1; without them the newest 2,000. Raises BadSetting, CannotWrite.
    """
    from core.reports import files, html_page

    document = html_page.page(run, link, charts, wording=wording, first=first, last=last)
    if path is None:
        return document
    files.write(path, document.encode())
    return None


def to_live_html(run: Generation, path: str | Path | None = None, *, wordings: Sequence[Wording] = (ENGLISH,)) -> str | None:
    """Return the run as one HTML file that writes on by itself, offline; with a path, write it there instead and return None.

    The model is in the file: a Llama of at most 64 MB. wordings: the languages of the page. Raises NotForThisModel, CannotWrite.
    """
    from core.reports import files
    from core.reports.live_page import page

    document = page.page(run, wordings)
    if path is None:
        return document
    files.write(path, document.encode())
    return None


def to_gif(
    run: Generation,
    path: str | Path,
    *,
    speed: float = 2.0,
    theme: str = "light",
    beats: bool = False,
    first: int = 1,
    last: int | None = None,
    wording: Wording = ENGLISH,
) -> None:
    """Write the run as an animation of 960 x 540, one frame per token. path: ends in .gif or .webp.

    speed: tokens per second. beats: three frames per token: probabilities, choice, text. first, last: the tokens to show, from 1; at
    most 240, or 80 with beats. Raises RunFinished for a run without steps, BadSetting, CannotWrite beyond 10 MB, CannotWrite.
    """
    from core.reports import animation

    animation.write(run.path, path, animation.Options(theme, speed, beats, wording), first, last)


def chart(run: Generation) -> Any:
    """Return a Vega-Lite chart of each token's probability and surprise, for notebooks. Raises RunFinished for a run without steps."""
    from core.reports import svg

    return svg.of_run(run)


def to_image(step: Step, path: str | Path, theme: str = "light", wording: Wording = ENGLISH) -> None:
    """Write the step as a picture of 1920 x 1080: the text, the bars, the dice. path: ends in .png or .svg. theme: "light" or "dark".

    Raises BadSetting for another ending or theme, CannotWrite.
    """
    from core.reports import files, fonts, svg
    from core.reports.step_picture import PictureStyle, step_svg, texts_of

    kind = files.ending(path, ".png", ".svg")
    drawn = step_svg(step, PictureStyle(files.checked_theme(theme), wording))
    if kind == ".png":
        fonts.warn_of_missing(texts_of(step))
    files.write(path, svg.png(drawn) if kind == ".png" else drawn.encode())


def run_in_notebook(run: Generation) -> str:
    """Return the tinted text, for a notebook."""
    newest = run.path[-1] if run.path else None
    title = f"{run.model_name} · {len(run.path)} tokens written" + (f" · {run.finished}" if run.finished else "")
    bars = notebook_display.bars(newest, 5) if newest else ""
    return notebook_display.framed(title, notebook_display.tinted(run.path, run.prompt_tokens), bars)


def step_in_notebook(step: Step) -> str:
    """Return the bars, the chosen token and how it was chosen, for a notebook."""
    how = step.chosen_by if step.roll is None else f"rolled {step.roll:.4f}"
    return notebook_display.framed(f"Token {step.index + 1}: {step.piece} · {how}", notebook_display.bars(step))


def distribution_in_notebook(distribution: TokenDistribution) -> str:
    """Return the bars, for a notebook."""
    return notebook_display.framed(f"What comes next? Token {distribution.index + 1}", notebook_display.bars(distribution))
