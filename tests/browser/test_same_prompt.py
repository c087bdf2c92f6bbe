"""Same prompt, other number as a visitor uses it: the recommended pairs, the table as a file, the link, Stop, a reload."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.experiments import stored_results
from tests.browser import observed
from tests.browser.drawn import Drawn
from tests.browser.watching import download, eventually, live, press

pytestmark = pytest.mark.browser
At = Callable[..., Any]
CACHED = "bfloat16 one by one, with the cache"
RESULT = ".st-key-result_same_prompt"


def kept_result(page: Any) -> RecordedExperiment:
    """Return the file of the result that is on the page, which must be drawn."""
    file = download(page, page.locator(".st-key-keep_same_prompt button:visible").first)
    kept = RecordedExperiment.loads(file.read_bytes(), stored_results.files())
    eventually(page, lambda: observed.DRAWN["same_prompt"](Drawn(page, RESULT), kept))
    return kept


def ways(page: Any, first: str, second: str, pair: int | None = None) -> None:
    """Wait until the page shows these changes of both ways, and no others. pair: press this button before."""
    if pair is not None:
        press(page, f"same_prompt_pair_{pair}")

    def shown() -> None:
        texts = [page.locator(f".st-key-same_prompt_{side}").inner_text() for side in ("first", "second")]
        assert [" ".join(text.split()) for text in texts] == [f"The first way {first}".strip(), f"The second way {second}".strip()]

    eventually(page, shown)


def test_a_pair_is_compared_saved_linked_and_kept(at: At) -> None:
    page = at("same-prompt?prompt=The+fox")
    for number, (first, second) in enumerate((("", "bfloat16"), ("bfloat16", "bfloat16 4 texts"), ("bfloat16", CACHED))):
        ways(page, first, second, number)
    live(page, "same_prompt_start", "same_prompt")
    page.wait_for_function("() => new URLSearchParams(location.search).get('ways') === '3-3.5'")
    kept = kept_result(page)
    difference = kept.observations[-1].difference
    assert 0 < difference.largest < 1 and kept.made_by.prompt == "The fox"
    count, total = sum(map(bool, difference.differences)), len(difference.token_ids) - 1
    page.locator(f"{RESULT} h2", has_text=f"{count} of {total} log-probabilities differ").wait_for()
    table = pd.read_csv(io.StringIO(download(page, page.locator(".st-key-same_prompt_csv button")).read_text("utf-8-sig")))
    assert table.token_id.tolist() == list(difference.token_ids)
    for column, values in (("first_nats", difference.first), ("second_nats", difference.second), ("kl_nats", difference.kl)):
        assert table[column].tolist() == pytest.approx(values, rel=1e-9, nan_ok=True)
    assert table.difference_nats[1:].tolist() == pytest.approx(difference.differences.tolist(), rel=1e-9)
    press(page, "same_prompt_table_start")
    page.locator(".st-key-result_same_prompt_table [data-testid=stProgress]", has_text="tokens").wait_for()
    press(page, "same_prompt_table_stop")
    page.locator(".st-key-same_prompt_table_start button:not([disabled])").wait_for()
    assert page.locator(".st-key-result_same_prompt_table tr").count() < 16
    page.goto(page.url.replace("ways=3-3.5", "ways=3-3.9"))
    ways(page, "bfloat16", "bfloat16 4 texts")
