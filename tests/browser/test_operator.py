"""The operator's door, pressed in a real browser: wrong passwords are counted, and after five of them the right one is too late."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui.server import deployment
from tests.browser.conftest import running_app

pytestmark = pytest.mark.browser
PASSWORD = "a long enough word"


def test_after_five_wrong_passwords_the_right_one_is_too_late(browser: Any) -> None:
    with running_app(TOKEN_VIEWER_PUBLIC="1", TOKEN_VIEWER_OPERATOR_PASSWORD=PASSWORD) as address:
        page = browser.new_context().new_page()
        page.goto(f"{address}/operator")
        field, told = page.locator(".st-key-operator_password input"), page.get_by_test_id("stAlert")
        field.wait_for(timeout=90_000)
        for number in range(deployment.TRIES):
            field.fill(f"not the word {number}")
            page.locator(".st-key-operator_enter button").click()
            page.wait_for_timeout(1500)
            assert "That is not the password." in told.first.inner_text(timeout=30_000)
        field.fill(PASSWORD)
        page.locator(".st-key-operator_enter button").click()
        told.get_by_text("There were too many wrong passwords. Wait five minutes.").wait_for(timeout=30_000)
        assert page.locator(".st-key-operator_figures").count() == 0
        page.context.close()
