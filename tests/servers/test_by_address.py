"""A real llama-server by its address alone: the app needs no tokenizer here, and the listed probabilities are those of the model.

    pytest -m exhaustive -s tests/servers/test_by_address.py

prints one line for each comparison: steps compared, tokens that differ, largest difference of log-probability.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.remote.address import Address
from core.remote.begun_answers import try_ways
from core.remote.http_client import HttpClient
from core.remote.text_routes import Chat, Sampling
from core.remote.text_server_model import ListedModel, connect_listed
from tests.servers.conftest import MODEL, Process

pytestmark = pytest.mark.exhaustive

PROMPT = "Once upon a time"
TEXTS = ("A fox 🦊.", "über  alles\n\n", "naïve café — 12,345", " leading", "مرحبا", "x" * 50)


@pytest.fixture(scope="module")
def address(server: Process) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def by_address(address: str) -> Any:
    return load_model(address)


@pytest.fixture(scope="module")
def listed(address: str) -> ListedModel:
    """The same server, used as one of which only texts are known."""
    return connect_listed(HttpClient(Address.parse(address)), "OpenAI-compatible", MODEL)


def compared(what: str, pairs: list[tuple[Any, Any]]) -> tuple[int, float]:
    """Print and return how many tokens differ, and the largest difference of the chosen tokens' log-probabilities."""
    different = sum(one.raw != other.raw for one, other in pairs)
    same = [(one, other) for one, other in pairs if one.raw == other.raw]
    furthest = max(abs(math.log(one.model_probability) - math.log(other.model_probability)) for one, other in same)
    sys.stdout.write(f"\n{what}: {len(pairs)} steps, {different} tokens differ, largest difference {furthest:.1e}\n")
    return different, furthest


def test_texts_are_divided_as_by_the_local_tokenizer(by_address: Any, local: Any) -> None:
    assert by_address.server_kind == "llama-server" and "token ids" in by_address.notes[0] and len(by_address.notes) == 1
    assert by_address.end_token_ids == local.end_token_ids
    for text in TEXTS:
        assert by_address.encode(text) == local.encode(text)
        assert [token.raw for token in by_address.tokenize(text)] == [token.raw for token in local.tokenize(text)]
        assert "".join(token.text for token in by_address.tokenize(text)) == text


def test_every_token_has_its_bytes_or_is_a_part_of_a_character(by_address: Any, local: Any) -> None:
    differ = [i for i in range(local.vocabulary_size) if by_address.token(i).raw != local.token(i).raw]
    whole = [i for i in differ if local.token(i).raw.decode("utf-8", "ignore").encode() == local.token(i).raw]
    assert [local.token(i).piece for i in whole if not local.token(i).special] == []
    assert all(by_address.token(i).raw == b"" for i in differ if not local.token(i).special), "nothing is invented"


def test_listed_probabilities_are_those_of_the_model(listed: ListedModel, local: Any) -> None:
    assert listed.route.name == "/v1/completions" and listed.route.continues and listed.listed == 20
    assert any("before the temperature" in note for note in listed.notes)
    run, other = Generation(listed, PROMPT, SamplingSettings(greedy=True)), Generation(local, PROMPT, SamplingSettings(greedy=True))
    run.generate(40)
    other.generate(40)
    different, furthest = compared("llama-server as texts, greedy", list(zip(run.path, other.path, strict=True)))
    assert different == 0 and furthest < 1e-3
    for step, also in zip(run.path, other.path, strict=True):
        there = {local.token(candidate.key).raw for candidate in also.candidates}
        assert sum(run.vocabulary.token(c.key).raw in there for c in step.candidates) >= 15
    assert Recording.loads(Recording.of(run).dumps()).text == run.text


def test_our_dice_give_the_same_text_where_they_are_rolled(listed: ListedModel, local: Any) -> None:
    run = Generation(listed, PROMPT, SamplingSettings(seed=5, temperature=0.7))
    run.generate(40)
    other = Generation(local, PROMPT, SamplingSettings(seed=5, temperature=0.7))
    ours = 0
    for step in run.path:
        also = other.force(step.key if step.token_id is not None else local.token_of(step.raw.decode()).token_id)
        assert abs(math.log(step.model_probability) - math.log(also.model_probability)) < 1e-3
        other.go_to(step.index - 1)
        rolled = other.step()
        if step.chosen_by == "sampled":
            ours += 1
            assert rolled.raw == step.raw, "the unlisted tokens could not change it"
        other.go_to(step.index - 1)
        other.force(also.key)
    sys.stdout.write(
        f"\nllama-server as texts, temperature 0.7: {len(run.path)} steps, {ours} by our dice, {len(run.path) - ours} by the server\n"
    )
    assert ours > len(run.path) / 2


def test_an_answer_as_a_whole(address: str) -> None:
    route = Chat(HttpClient(Address.parse(address)), MODEL)
    model = ListedModel(route, "OpenAI-compatible", 20, (), True)
    run = Generation(model, "Tell me a story", SamplingSettings(greedy=True))
    run.generate(12)
    assert len(run.path) == 12 and {step.chosen_by for step in run.path} == {"server"}
    assert route.ask("Tell me a story", 3, Sampling(0.0)).steps[0].chosen.raw == run.path[0].raw


def test_a_begun_answer_is_continued_token_by_token(address: str) -> None:
    route = Chat(HttpClient(Address.parse(address)), MODEL)
    begun_answers_agree("llama-server", route)


def begun_answers_agree(name: str, route: Chat) -> None:
    """A chat that is asked for one token after the other is the answer that the server writes as a whole, and can be branched."""
    whole = Generation(ListedModel(route, name, 20, (), True), "Tell me a story", SamplingSettings(greedy=True))
    whole.generate(40)
    try_ways(route, name)
    assert route.continues
    run = Generation(ListedModel(route, name, 20, (), True), "Tell me a story", SamplingSettings(greedy=True))
    run.generate(40)
    different, furthest = compared(f"{name}, a chat continued token by token", list(zip(run.path, whole.path, strict=True)))
    assert different == 0 and furthest < 1e-3
    run.go_to(5)
    run.force(run.next_distribution().candidates[2])
    run.generate(4)
    assert len(run.path) == 11 and len(run.branches()) == 2
