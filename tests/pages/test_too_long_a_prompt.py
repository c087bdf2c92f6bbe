"""An experiment on a prompt that does not fit is one sentence, or it runs; no page fails."""

from __future__ import annotations

import pytest

from tests.pages.apptest import Open, run_on, said

STARTS = ("cache_start", "pupil_start", "quantization_start", "speculative_start", "waiting_start", "candidates_start")


@pytest.mark.parametrize("start", STARTS)
def test_a_prompt_longer_than_the_context_is_refused_in_a_sentence(start: str, open_app: Open) -> None:
    app = open_app(page=f"{start.split('_')[0]}.py", prompt="word " * 900)
    app.button(key=start).click().run()
    run_on(app)
    assert not app.exception and "Shorten it" in said(app)
