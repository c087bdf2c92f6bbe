"""A run as a Vega-Lite chart that shows itself in a notebook. It is what altair draws, without altair: core knows no user interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.errors import RunFinished
from core.generation.generation import Generation
from core.reports.svg import surprise_spec

VEGA_LITE = "application/vnd.vegalite.v6+json"  # the kind under which notebooks know charts of this version


@dataclass(frozen=True, slots=True)
class VegaLiteChart:
    """A chart by its specification. `altair.Chart.from_dict(chart.to_dict())` is the same as an altair.Chart."""

    spec: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The specification, its data inside."""
        return dict(self.spec)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {VEGA_LITE: self.spec, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return "VegaLiteChart(entropy and surprise of each token)"


def of_run(run: Generation) -> VegaLiteChart:
    """How likely and how surprising each written token was. Raises RunFinished where nothing was written yet."""
    if not run.path:
        raise RunFinished("The run has no step yet. Take a step first.")
    return VegaLiteChart(surprise_spec(run.path, width=640))
