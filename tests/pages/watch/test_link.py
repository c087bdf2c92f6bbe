"""The link of a run: drawn where there is one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pages.watch import export


@pytest.mark.parametrize(("query", "drawn"), [("", ["It has no link."]), ("prompt=A", ["Copy link", "It has no link."])])
def test_a_run_without_a_link_has_no_button_to_copy_it(query: str, drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(export, "address_bar", SimpleNamespace(link_query=lambda: (query, "It has no link.")))
    monkeypatch.setattr(export, "copy_button", lambda label, *_more, **_options: seen.append(label))
    monkeypatch.setattr(export, "st", SimpleNamespace(caption=seen.append))
    assert export.link() == query and seen == drawn
