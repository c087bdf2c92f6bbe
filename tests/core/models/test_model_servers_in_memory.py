"""Connecting to a server blocks nobody else, and asks every time which model runs there and whether the key is valid."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import Generation, SamplingSettings, load_model
from core.errors import ServerGone, WrongServer
from core.models.models_in_memory import ModelRegistry
from tests.core.remote.serving import TINY, Asked, FakeLlama, FakeVLLM, Reply, recorded_body, serve

PLENTY = 10**12
TOKENIZER = str(TINY)
GREEDY = SamplingSettings(greedy=True)

pytestmark = pytest.mark.usefixtures("no_waiting")


@pytest.fixture
def shelf() -> ModelRegistry:
    return ModelRegistry(free=lambda _: PLENTY)


@pytest.mark.parametrize("verb", ["model", "connect"])
def test_a_server_that_sleeps_holds_up_nobody_else(verb: str, shelf: ModelRegistry, tiny_folder: Callable[[str], Path]) -> None:
    """While it is asked, others load, put away and bring back models, and connect elsewhere."""
    asked, wake = threading.Event(), threading.Event()
    fake = FakeVLLM()

    def sleepy(request: Asked) -> Reply:
        asked.set()
        assert wake.wait(60)
        return fake(request)

    folder = str(tiny_folder("llama"))
    with serve(sleepy) as server, serve(FakeVLLM()) as other:
        caller = threading.Thread(target=lambda: getattr(shelf, verb)(server.address, TOKENIZER), daemon=True)
        caller.start()
        assert asked.wait(60)
        done = threading.Event()

        def everybody_else() -> None:
            model = shelf.model(folder)
            shelf.unload(folder)
            Generation(model, "Once upon").step()
            shelf.connect(other.address, TOKENIZER)
            shelf.unload(other.address)
            done.set()

        threading.Thread(target=everybody_else, daemon=True).start()
        assert done.wait(60)
        assert not wake.is_set()
        wake.set()
        caller.join(60)
        assert shelf.known(server.address, TOKENIZER) is not None


def test_connecting_again_asks_anew_and_a_run_goes_on(shelf: ModelRegistry) -> None:
    with serve(FakeVLLM()) as server:
        first = shelf.connect(server.address, TOKENIZER)
        run = Generation(first, "def main", GREEDY)
        run.step()
        asked = len(server.asked)
        assert shelf.model(server.address, TOKENIZER) is first
        assert len(server.asked) == asked
        assert shelf.connect(server.address, TOKENIZER) is first
        assert len(server.asked) > asked
        run.step()
        assert len(run.path) == 2


def test_another_model_behind_the_same_address_is_another_model(shelf: ModelRegistry) -> None:
    models = json.loads(json.dumps(recorded_body("llamacpp_v1_models")))
    fake = FakeLlama()

    def answer(asked: Asked) -> Reply:
        return Reply.of(models) if asked.path == "/v1/models" else fake(asked)

    with serve(answer) as server:
        first: Any = shelf.connect(server.address, TOKENIZER)
        models["data"][0]["id"] = fake.model = "other"
        second: Any = shelf.connect(server.address, TOKENIZER)
        assert second is not first
        assert (first.name, second.name) == (f"tiny at 127.0.0.1:{server.port}", f"other at 127.0.0.1:{server.port}")
        assert shelf.model(server.address, TOKENIZER) is second
        with pytest.raises(ServerGone, match="another model"):
            Generation(first, "def main", GREEDY).step()
        assert Generation(second, "def main", GREEDY).step().token_id >= 0


def test_a_key_that_was_taken_back_opens_nothing_any_more(shelf: ModelRegistry) -> None:
    fake, valid = FakeVLLM(), {"Bearer sk-old"}

    def guarded(asked: Asked) -> Reply:
        return fake(asked) if asked.headers.get("authorization") in valid else Reply.of({"error": "Unauthorized"}, 401)

    with serve(guarded) as server:
        old = shelf.connect(server.address, TOKENIZER, "sk-old")
        assert shelf.known(server.address, TOKENIZER, "sk-old") is old
        assert shelf.known(server.address, TOKENIZER) is None
        valid.clear()
        with pytest.raises(WrongServer, match="access key"):
            shelf.connect(server.address, TOKENIZER, "sk-old")
        assert shelf.known(server.address, TOKENIZER, "sk-old") is None
        valid.add("Bearer sk-new")
        assert shelf.connect(server.address, TOKENIZER, "sk-new") is not old


def test_one_server_is_one_server_however_it_is_written_and_no_password_is_its_name(shelf: ModelRegistry) -> None:
    with serve(FakeVLLM()) as server:
        place = f"127.0.0.1:{server.port}"
        first = shelf.connect(place, TOKENIZER)
        assert shelf.known(f"http://{place}/v1/", TOKENIZER) is first
        assert shelf.tokenizer_of_open_server(place) == TOKENIZER
        secret = shelf.connect(f"http://anna:hunter2@{place}", TOKENIZER)
        assert secret is not first
        assert server.asked[-1].headers["authorization"] == "Basic YW5uYTpodW50ZXIy"
        assert list(shelf.in_memory()) == [f"http://{place}"]
        assert load_model(place, tokenizer=TOKENIZER).name == f"tiny at {place}"
        shelf.unload(place)
        assert not shelf.in_memory()
