"""The examination: its figures against a formula, a count by hand and the model itself."""

from __future__ import annotations

import pytest

from core.training import samples
from core.training.evaluate import END, HEADING, into_card


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ('"Come," he said. "Now."', True),
        ('"Come, he said. "Now."', False),
        ('He said, "Come', True),
        ('He said, "Come.\nThen he went.', False),
        ("Nobody spoke.", True),
        ('"Is it you?" asked Mia. "Yes!"\n"Good."', True),
        ('Come," he said.', False),
    ],
)
def test_quotation_marks_are_followed_like_a_reader_does(text: str, closed: bool) -> None:
    assert samples.quotes_closed(text) is closed


def test_the_table_replaces_the_old_one_and_nothing_else() -> None:
    card = f"# model\n\nabout\n\n{HEADING}\n\nold words\n| old | 1 | |\n\n{END}\n\n## After\n"
    written = into_card(card, ["| new | 2 | |"])
    assert written.startswith("# model\n\nabout\n\n## Evaluation\n")
    assert "old" not in written
    assert written.endswith(f"| new | 2 | |\n\n{END}\n\n## After\n")
    assert into_card(written, ["| new | 2 | |"]) == written
