"""The table of what sources can do, in core/README.md, is what they say of themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core import Generation, Recording, load_model
from core.errors import NotForThisModel
from core.remote.text_routes import Chat, Completions
from core.remote.text_server_model import ListedModel
from core.sources.capabilities import WHY_NOT, Can, missing, require
from tests.core.generation.test_saved_answers import SPLIT, chat
from tests.core.remote.serving import FakeLlama, connect, serve

README = Path(__file__).parents[3] / "core" / "README.md"


def table() -> dict[str, dict[Can, str]]:
    """What core/README.md says of each source: a column for each, a row for each thing that it can do."""
    lines = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in README.read_text("utf-8").splitlines() if line[:1] == "|"]
    start = next(number for number, line in enumerate(lines) if line[0] == "source")
    rows = lines[start + 3 : start + 3 + len(Can)]
    assert [row[0] for row in rows] == list(Can)
    return {name: {Can(row[0]): row[column] for row in rows} for column, name in enumerate(lines[start][1:], 1)}


def sources(tiny: Any) -> dict[str, list[frozenset[Can]]]:
    run = Generation(tiny("gpt2"), "the sea")
    run.step()
    with serve(FakeLlama()) as server:
        served = connect(server)
        line = served.server.client
    return {
        "local model": [load_model("storyteller").can, tiny("gpt2").can],
        "server with ids": [served.can],
        "server with texts": [ListedModel(route(line, "m"), "x", 5, ()).can for route in (Completions, Chat)],
        "recording": [Recording.of(run).model.can, Recording.from_response(json.dumps(chat(*SPLIT))).model.can],
        "n-gram": [load_model("ngram:2").can],
    }


def test_the_table_says_what_each_source_can_do(tiny: Any) -> None:
    written = table()
    for name, found in sources(tiny).items():
        for can, cell in written[name].items():
            has = [can in each for each in found]
            assert all(has) if cell == "yes" else not any(has) if not cell else True, (name, can, cell)


def test_each_missing_thing_has_one_sentence(tiny: Any) -> None:
    assert set(WHY_NOT) == set(Can)
    assert all(sentence.endswith(".") for sentence in WHY_NOT.values())
    model = load_model("ngram:2")
    assert missing(model, Can.TEXT) == "" and missing(model, Can.NETWORK, Can.PASSES) == WHY_NOT[Can.PASSES]
    with pytest.raises(NotForThisModel):
        require(model, Can.NETWORK)
