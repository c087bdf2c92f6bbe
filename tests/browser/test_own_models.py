"""What is pressed for a model of one's own: llama-server for its file, its makers' preset, an adapter that is added and switched."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.experiments.quantization.two_versions import two_versions
from core.models.adapter import with_adapter
from tests.browser import agreement
from tests.browser.drawn import Drawn
from tests.browser.test_conversation import recording, use_file
from tests.browser.watching import COLD, Watching, eventually, press, settled, turn_to, type_into
from tests.core.models.gguf.making import converted
from tests.core.models.test_adapter import trained
from tests.servers.build import SERVER

pytestmark = pytest.mark.browser
MAKERS = {"do_sample": True, "temperature": 0.6, "top_k": 7, "top_p": 0.95, "eos_token_id": 1}


@pytest.fixture
def folder(tiny_folder: Callable[[str], Path], tmp_path: Path) -> Path:
    """A tiny Llama with settings of its makers."""
    made = tmp_path / "own"
    shutil.copytree(tiny_folder("large"), made)
    (made / "generation_config.json").write_text(json.dumps(MAKERS))
    return made


def largest_difference(found: Recording, model: Any) -> float:
    """The largest difference between the likeliest tokens' log-probabilities in a recording and in a run of this model here."""
    run = Generation(model, found.prompt, SamplingSettings(greedy=True))
    worst = 0.0
    for step in found.path:
        here = {one.token_id: one.model_probability for one in run.force(step.token_id).candidates}
        pairs = [(one.model_probability, here[one.token_id]) for one in step.candidates[:5] if one.token_id in here]
        worst = max([worst, *(abs(math.log(a) - math.log(b)) for a, b in pairs)])
    return worst


def with_llama_server(page: Any, folder: Path) -> None:
    """The file runs with llama-server, and its probabilities are those of the model, up to the rounding of its cache."""
    file = converted(folder, "llama", folder.parent / "own.gguf")
    type_into(page, "models_name", str(file))
    settled(page)
    press(page, "models_serve")
    page.get_by_text("run by a llama-server that this app started").first.wait_for(timeout=COLD)
    settled(page)
    turn_to(page, "Watch")
    Watching(page).steps(1, 3)
    found = recording(page)
    assert all(step.forward.server_seconds is not None for step in found.path) and len(found.path) == 3
    assert largest_difference(found, load_model(folder, device="cpu", dtype="float32")) < 0.02


def with_the_makers_settings(page: Any, folder: Path) -> None:
    """Their button sets what generation_config.json says; it is the marked one then."""
    use_file(page, folder)
    turn_to(page, "Watch")
    watching = Watching(page)
    press(page, "preset_own")
    page.locator('.st-key-preset_own [data-testid="stBaseButton-primary"]').first.wait_for()
    watching.press("step", 1)
    settings = recording(page).path[0].settings
    assert (settings.temperature, settings.top_k, settings.top_p, settings.greedy) == (0.6, 7, 0.95, False)


def made_by(page: Any, model: Any, other: Any) -> None:
    """Assert that the run on the page has the probabilities of one model and not those of the other."""
    kept = recording(page)
    assert largest_difference(kept, model) < 1e-3 < largest_difference(kept, other)


def with_an_adapter(page: Any, folder: Path) -> None:
    """An adapter is added, switched off and on at the same step, and compared: each time with the probabilities of each."""
    own = folder.parent / "adapter"
    trained(folder, own, target_modules="all-linear")
    use_file(page, folder)
    turn_to(page, "Watch")
    written = Watching(page).steps(1, 3)
    turn_to(page, "Models")
    settled(page)
    type_into(page, "models_adapter", str(own))
    settled(page)
    press(page, "models_add_adapter")
    toggle = page.locator('[data-testid="stCheckbox"] label', has_text="With its adapter")
    toggle.wait_for(timeout=COLD)
    turn_to(page, "Watch")
    watching = Watching(page)
    watching.until("steps.length === 3")
    model = load_model(folder, device="cpu", dtype="float32")
    both = {True: with_adapter(model, str(own)), False: model}
    for on, presses in ((True, 0), (False, 1), (True, 1)):
        for _each in range(presses):
            toggle.click()
            settled(page)
        page.wait_for_function(f"document.querySelector('[class*=st-key-adapter_] input').checked === {str(on).lower()}")
        assert watching.until("steps.length === 3") and watching.written() == written
        eventually(page, partial(made_by, page, both[on], both[not on]))
    turn_to(page, "Precision")
    settled(page)
    press(page, "versions_start")
    drawn = Drawn(page, ".st-key-chart_versions_bars")
    page.locator(".st-key-chart_versions_bars svg.marks").wait_for(timeout=COLD)
    (found,) = two_versions(model, both[True], "Once")
    agreement.same(drawn.marks("rect", "full")[:8], found.original.probabilities)
    agreement.same(drawn.marks("rect", "rounded")[:8], found.other.probabilities)


ROWS: dict[str, tuple[Callable[[Any, Path], None], str]] = {
    "llama-server": (with_llama_server, "greedy=true"),
    "makers' settings": (with_the_makers_settings, "temperature=1.0"),
    "adapter": (with_an_adapter, "greedy=true"),
}


BUILT = pytest.mark.skipif(not SERVER.is_file(), reason="no llama-server: build it with `python -m tests.servers.build`")


@pytest.mark.parametrize("what", [pytest.param(what, marks=BUILT) if what == "llama-server" else what for what in ROWS])
def test_it_is_pressed_and_does_what_it_says(what: str, hall: str, at: Callable[..., Any], folder: Path) -> None:
    pressed, query = ROWS[what]
    pressed(at(f"models?{query}&prompt=Once", hall), folder)
