"""A public server with the operator's limits: the password is guarded, and an experiment ends when its tab is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import running_app
from tests.browser.watching import press, settled

pytestmark = pytest.mark.browser
At = Callable[..., Any]
PASSWORD = "a long enough word"


@pytest.fixture(scope="module")
def public() -> Iterator[str]:
    """A public server that runs one experiment at a time."""
    with running_app(
        TOKEN_VIEWER_PUBLIC="1",
        TOKEN_VIEWER_OPERATOR_PASSWORD=PASSWORD,
        TOKEN_VIEWER_EXPERIMENTS="1",
        STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1",
    ) as address:
        yield address


def test_an_experiment_ends_when_its_tab_has_been_closed(at: At, public: str) -> None:
    first, second = at("think", address=public), at("compare", address=public)
    first.locator(".st-key-think_view button").last.click()
    first.locator(".st-key-think_count button").last.click()
    settled(first)
    press(first, "think_set_start")
    first.locator(".st-key-think_set_stop button").wait_for()
    press(second, "compare_start")
    second.locator("[data-testid=stAlert]").wait_for()  # as many experiments run here as may
    first.close()
    start, begun = second.locator(".st-key-compare_start button"), second.locator(".st-key-made_compare, .st-key-compare_stop")
    for _ in range(60):
        if begun.count():
            break
        start.evaluate_all("buttons => buttons[0]?.click()")
        settled(second)
    begun.first.wait_for()
