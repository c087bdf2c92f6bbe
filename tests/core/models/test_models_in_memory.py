"""Loaded models: as many as fit, the least recently used is unloaded, and a run continues after its model was unloaded."""

from __future__ import annotations

import shutil
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import ModelError
from core.inspection import inside
from core.models.models_in_memory import Eviction, ModelRegistry

PLENTY = 10**12
PROMPT = "Once upon a time there"
SETTINGS = SamplingSettings(temperature=1.2, top_k=40, seed=11)


@pytest.fixture
def folders(tiny_folder: Callable[[str], Path]) -> list[str]:
    """Three models: one in NumPy, two as transformers runs them."""
    return [str(tiny_folder(name)) for name in ("llama", "gpt2", "bloom")]


def weights(model: Any) -> int:
    """Bytes of weights in memory."""
    return sum(weight.untyped_storage().nbytes() for weight in model.network.parameters())


def ids(run: Generation) -> list[int]:
    return [step.token_id for step in run.path]


def alone(folder: str, count: int) -> list[int]:
    run = Generation(load_model(folder), PROMPT, SETTINGS)
    return [run.step().token_id for _ in range(count)]


def test_the_least_recently_used_gives_way_when_too_many_are_here(folders: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_MODELS", "2")
    shelf = ModelRegistry(free=lambda _: PLENTY)
    first, second = shelf.model(folders[0]), shelf.model(folders[1])
    assert shelf.model(folders[0]) is first, "a model is loaded once"
    Generation(first, PROMPT).step()  # so the second one is now the one not used for longest
    third = shelf.model(folders[2])
    assert set(shelf.in_memory()) == {folders[0], folders[2]}
    assert (weights(first), weights(second), weights(third)) == (first.weight_bytes, 0, third.weight_bytes)
    assert shelf.eviction(second) == Eviction(1, folders[2])
    assert shelf.eviction(first) == Eviction()


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_run_goes_on_as_if_its_model_had_never_been_away(folders: list[str], which: int) -> None:
    shelf = ModelRegistry(free=lambda _: PLENTY)
    run = Generation(shelf.model(folders[which]), PROMPT, SETTINGS)
    for _ in range(6):
        run.step()
    run.go_to(2)
    run.force(run.next_distribution().candidates[3].token_id)
    before, branches, record = run.path, run.branches(), Recording.of(run).dumps()
    model: Any = run.model
    backend = weakref.ref(model.engine.backend)
    shelf.unload(folders[which])
    assert weights(run.model) == 0
    assert run.cache_bytes == 0
    assert backend() is None, "whatever arrays it had are gone too"
    assert run.path == before, "the very same steps"
    assert (run.branches(), Recording.of(run).dumps()) == (branches, record)
    assert run.path[-1].candidates[0].piece, "texts are still written"
    run.switch(run.branches()[0].node_id)
    for _ in range(4):
        run.step()
    assert ids(run) == alone(folders[which], 10)
    back = run.path[6]
    assert (back.forward.reused_tokens, back.forward.computed_tokens) == (0, back.position), "the notepad is written anew, and it says so"
    assert run.path[7].forward.reused_tokens == back.position
    assert weights(run.model) == run.model.weight_bytes
    assert shelf.in_memory()[folders[which]] is run.model
    shelf.unload(folders[which])
    assert weights(run.model) == 0, "what came back goes again"
    assert run.step().token_id == alone(folders[which], 11)[-1]


def test_what_cannot_come_back_is_one_sentence_and_the_run_waits(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder("gpt2"), folder)
    shelf = ModelRegistry(free=lambda _: PLENTY)
    run = Generation(shelf.model(str(folder)), PROMPT, SETTINGS)
    run.step()
    path = run.path
    shelf.unload(str(folder))
    folder.rename(tmp_path / "elsewhere")
    for _ in range(2):
        with pytest.raises(ModelError, match="cannot be loaded again now"):
            run.step()
    assert (run.path, run.finished) == (path, None)
    (tmp_path / "elsewhere").rename(folder)
    for _ in range(3):
        run.step()
    assert ids(run) == alone(str(folder), 4)


def test_other_files_under_the_same_name_do_not_go_on_with_an_old_text(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder("gpt2"), folder)
    shelf = ModelRegistry(free=lambda _: PLENTY)
    run = Generation(shelf.model(str(folder)), PROMPT, SETTINGS)
    run.step()
    shelf.unload(str(folder))
    shutil.rmtree(folder)
    shutil.copytree(tiny_folder("bloom"), folder)
    with pytest.raises(ModelError, match="changed after this run began"):
        run.step()
    assert len(run.path) == 1
    fresh = shelf.model(str(folder))
    assert fresh is not run.model
    assert Generation(fresh, PROMPT).step().token_id >= 0


def test_who_looks_inside_or_at_the_vectors_gets_the_weights_back(folders: list[str]) -> None:
    shelf = ModelRegistry(free=lambda _: PLENTY)
    model = shelf.model(folders[0])
    token_ids = model.encode(PROMPT)
    opened = inside.inspect_step(model, token_ids)
    way, near = opened.follow(token_ids[0]), opened.neighbours(token_ids[-1])
    shelf.unload(folders[0])
    assert opened.follow(token_ids[0]) == way, "an opened step holds on to the layers, and finds them filled again"
    shelf.unload(folders[0])
    assert opened.neighbours(token_ids[-1]) == near
    shelf.unload(folders[0])
    assert inside.inspect_step(model, token_ids).layers == opened.layers
    assert shelf.eviction(model).times == 3


def test_two_who_write_at_once_with_room_for_one_both_get_their_text(folders: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_MODELS", "1")
    shelf = ModelRegistry(free=lambda _: PLENTY)
    runs = [Generation(shelf.model(folder), PROMPT, SETTINGS) for folder in folders[:2]]
    assert len(shelf.in_memory()) == 1

    def write(run: Generation) -> None:
        for _ in range(8):
            run.step()

    writers = [threading.Thread(target=write, args=(run,), daemon=True) for run in runs]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert not writer.is_alive()
    assert [ids(run) for run in runs] == [alone(folder, 8) for folder in folders[:2]]
    assert len(shelf.in_memory()) == 1
