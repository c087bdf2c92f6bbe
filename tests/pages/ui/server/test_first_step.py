"""The pictures that a visitor sees while the model loads show what the model does now."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.experiments.record_results import first_steps


def parted(picture: str) -> tuple[list[str], list[float]]:
    """Return the words and the numbers of an SVG picture."""
    return re.split(r"-?\d+\.\d+", picture), [float(number) for number in re.findall(r"-?\d+\.\d+", picture)]


def test_the_pictures_of_the_first_step_are_those_of_the_bundled_model() -> None:
    pictures = first_steps()
    assert len(pictures) >= 4
    for path, picture in pictures.items():
        words, sizes = parted(path.read_text("utf-8"))
        assert words == parted(picture)[0], f"{path.name}: run `python -m pages.ui.experiments.record_results first_step` again"
        assert sizes == pytest.approx(parted(picture)[1], abs=0.2)  # pixels; kernels differ in the last digits


def test_only_who_asks_for_the_first_step_sees_it() -> None:
    def script() -> None:
        import streamlit as st

        from pages.ui.server import first_step

        if first_step.is_known():
            first_step.draw()
        st.write("the page")

    app = AppTest.from_function(script)
    assert "recorded" in app.run().caption[0].value
    app.query_params["prompt"] = "Another text"
    assert not app.run().caption
