"""The link of a run: drawn where there is one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core import Generation, load_model
from pages.watch import export


@pytest.mark.parametrize(("query", "drawn"), [("", ["It has no link."]), ("prompt=A", ["Copy link", "It has no link."])])
def test_a_run_without_a_link_has_no_button_to_copy_it(query: str, drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(export, "address_bar", SimpleNamespace(link_query=lambda: (query, "It has no link.")))
    monkeypatch.setattr(export, "copy_button", lambda label, *_more, **_options: seen.append(label))
    monkeypatch.setattr(export, "st", SimpleNamespace(caption=seen.append))
    assert export.link() == query and seen == drawn


def test_a_run_that_no_live_page_can_hold_has_a_sentence_in_place_of_the_button(monkeypatch: pytest.MonkeyPatch, tiny: Any) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(export, "save_button", lambda label, *_more, **_options: drawn.append(label))
    assert export._live_button(Generation(tiny("gpt2"), "The fox")).endswith("It takes Llama models of at most 64 MB.") and drawn == []
    run = Generation(load_model("storyteller-mini"), "The fox")
    assert export._live_button(run) == "" and drawn == ["A live page"]
    assert '"de":{' in export.live_page_of(run)
