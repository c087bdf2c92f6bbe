"""What a bundled model's card says under a heading."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.models import bundled_models as card


def test_the_bundled_card_says_where_its_text_came_from() -> None:
    said = card.card_section("storyteller", card.TRAINING_DATA)
    whole = (card.BUNDLED / "storyteller" / "README.md").read_text("utf-8")
    assert f"## {card.TRAINING_DATA}\n\n{said}\n" in whole
    assert len(said) > 100
    assert "\n## " not in said


@pytest.mark.parametrize("name", ["nobody", "../bundled/storyteller", "", "gpt2", "/etc"])
def test_other_models_have_no_card_here(name: str) -> None:
    assert card.card_section(name, card.TRAINING_DATA) == ""


def test_a_heading_that_is_not_there_or_last_or_deeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "BUNDLED", tmp_path)
    monkeypatch.setattr(card, "bundled_names", lambda: {"own"})
    assert card.card_section("own", "Shape") == ""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "README.md").write_text("# own\n## Shape\nround\n\n### deeper\nand flat\n## Last\nend", "utf-8")
    assert card.card_section("own", "Shape") == "round\n\n### deeper\nand flat"
    assert card.card_section("own", "Last") == "end"
    assert card.card_section("own", "Nothing") == ""
