"""The page of fewer bits: all of them run to their end, one part at a time too, and nothing hostile breaks it."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from tests.pages.apptest import said


def test_the_notepad_is_there_from_the_beginning(open_app: Callable[..., AppTest]) -> None:
    app = open_app(page="quantization.py")
    assert (
        not app.exception
        and ("| bits a number | note\u00adpad | diver\u00adgence (KL, nats) | favour\u00adites kept | perplex\u00adity |") in said(app)
        and "Press the button: the weights stay as they are, and keys and values are kept at 8 and at 4 bits." not in said(app)
    )
