"""A run as an altair chart, for notebooks. The only file of core that knows altair; it is imported when somebody asks for a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.errors import RunFinished
from core.reports.svg import surprise_spec

if TYPE_CHECKING:
    from core.generation.run import Run


def of_run(run: Run) -> Any:
    """How likely and how surprising each written token was, as an altair.Chart. Raises RunFinished where nothing was written yet."""
    import altair

    if not run.path:
        raise RunFinished("Nothing has been written yet, so there is nothing to draw. Take a step first.")
    return altair.Chart.from_dict(surprise_spec(run.path, width=640))
