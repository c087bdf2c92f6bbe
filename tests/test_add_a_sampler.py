"""A sampler is added as CONTRIBUTING says, in a copy of the project: one row and one file. Then it is everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = """
    nudge: float = _row(
        0.0, Message("Nudge"), Message("nudge"), Message("Makes the token before more likely."),
        low=-5.0, high=5.0, control=(0.0, 2.0, 0.1), group="Repetition", engines=_in("", "nudge"),
        stage=Stage("nudge", "repetition", (65, 65, 65), Message("Repeat the token before")),
    )
    nudge_length: int = _row(
        1, Message("Nudge length"), Message("nudge length"), Message("How many tokens before become more likely."),
        low=1, high=9, control=(1, 9, 1), group="Repetition", of="nudge",
    )
"""
USE = """
import gzip
import pytest
from core import Generation, SamplingSettings, load_model
from core.errors import BadSetting
from core.message import ENGLISH
from core.remote.sampling_parameters import parameters
from core.reports.settings_text import arguments, summary
from pages.inside.inside_view import heading_of
from pages.ui import features
from pages.ui.experiments import experiment
from pages.ui.i18n import phrases
from pages.ui.session import share_link
from pages.ui.session.sampling_controls import CHIPS, chip_text
from streamlit.testing.v1 import AppTest

settings = SamplingSettings(nudge=1.5)
for wrong in (6, "a lot", float("nan"), True):
    with pytest.raises(BadSetting, match="Nudge"):
        SamplingSettings(nudge=wrong)
run = Generation(load_model("storyteller"), "Once upon a time", settings)
step = run.step()
assert [stage.name for stage in step.stages] == ["model", "nudge"]
assert "nudge 1.5" in summary(settings, ENGLISH) and "nudge 1.5" in phrases.settings_summary(settings)
assert heading_of("nudge") == "Repeat the token before"
assert "nudge" in CHIPS and chip_text(settings, "nudge") == "Nudge 1.5"
assert parameters("llama.cpp", settings)["nudge"] == 1.5
assert "# transformers does not have: nudge" in arguments("transformers", settings)
with pytest.raises(BadSetting, match="nudge"):
    parameters("vllm", settings)
with pytest.raises(BadSetting, match="these settings: nudge length."):  # it has the sampler, and not this
    parameters("llama.cpp", SamplingSettings(nudge=1.5, nudge_length=2))
assert "nudge=1.5" in share_link.query("a", "m", settings, [], "a")
path = share_link.format_steps(run.path, SamplingSettings())
assert share_link.parse_steps(path)[0] == settings
app = AppTest.from_file("app.py", default_timeout=120)
app.query_params["nudge"] = "1.5"
app.run()
assert not app.exception
assert app.session_state["_session"].run.settings.nudge == 1.5
app.button(key="all_samplers").click().run()
field = app.number_input(key="nudge")
assert (field.label, field.value, field.max) == ("Nudge", 1.5, 2.0)
app.button(key="chip_nudge").click().run()
assert app.session_state["_session"].run.settings.nudge == 0
for take in features.recorded():
    path = experiment.FOLDER / f"{take.name}{experiment.ENDING}"
    written = experiment.loads(path.read_bytes()).dumps(experiment.files()[take.name])
    assert gzip.decompress(written) == gzip.decompress(path.read_bytes()), f"the new setting changes {path.name}"
print("it is everywhere")
"""


def copy_of_the_project(folder: Path) -> None:
    """Lay links to everything into a folder, and a copy of core/sampling."""
    (folder / "core").mkdir()
    for path in [*(ROOT / "core").iterdir()]:
        if path.name != "sampling":
            (folder / "core" / path.name).symlink_to(path)
    for name in ("pages", "app.py", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "core" / "sampling", folder / "core" / "sampling")


def example_of_contributing() -> str:
    """The sampler that CONTRIBUTING shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return re.findall(r"```python\n# core/sampling/samplers/nudge.py\n(.*?)```", text, re.DOTALL)[0]


def test_a_new_sampler_is_one_row_and_one_file(tmp_path: Path) -> None:
    copy_of_the_project(tmp_path)
    table = tmp_path / "core" / "sampling" / "settings.py"
    text = table.read_text("utf-8")
    assert text.count("    # fmt: on\n") == 1
    table.write_text(text.replace("    # fmt: on\n", f"{ROW}    # fmt: on\n"), "utf-8")
    sampler = f'"""A sampler of a test."""\n\nfrom __future__ import annotations\n\n{example_of_contributing()}'
    (tmp_path / "core" / "sampling" / "samplers" / "nudge.py").write_text(sampler, "utf-8")
    used = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert used.returncode == 0 and "it is everywhere" in used.stdout, used.stderr[-3000:]
