"""A sampler is added as CONTRIBUTING says, in a copy of the project: one row and one file. Then it is everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = """
    nudge: float = _row(
        0.0, Message("Nudge"), Message("nudge"), Message("Makes the token before more likely."),
        low=-5.0, high=5.0, control=(0.0, 2.0, 0.1), group="Repetition", engines=_in("", "nudge"),
        stage=Stage("nudge", "repetition", Message("Repeat the token before")),
    )
    nudge_length: int = _row(
        1, Message("Nudge length"), Message("nudge length"), Message("How many tokens before become more likely."),
        low=1, high=9, control=(1, 9, 1), group="Repetition", of="nudge",
    )
    nudge_growth: str = _row(
        "straight", Message("Nudge growth"), Message("nudge growth"), Message("How the nudge grows along the text."),
        choices={"straight": Message("off"), "curved": Message("along a curve")}, group="Repetition", engines=_in("", "nudge_growth"),
    )
    nudge_twice: bool = _row(
        False, Message("Nudge twice"), Message("nudge twice"), Message("Nudges once more."), group="Repetition", engines=_in("", "twice"),
    )
"""
USE = """
import gzip
from dataclasses import replace
import pytest
from core import Generation, SamplingSettings, load_model
from core.errors import BadSetting
from core.message import ENGLISH
from core.remote.sampling_parameters import parameters
from core.reports.settings_text import arguments, summary
from core.sampling.settings import ORDERS
from pages.inside.inside_view import heading_of
from pages.ui import features
from pages.ui.experiments import experiment, stored_results
from pages.ui.i18n import phrases
from pages.ui.session import share_link
from pages.ui.session.sampling_controls import CHIPS, chip_text
from streamlit.testing.v1 import AppTest

settings = SamplingSettings(nudge=1.5, nudge_growth="curved", nudge_twice=True)
for wrong in (6, "a lot", float("nan"), True):
    with pytest.raises(BadSetting, match="Nudge"):
        SamplingSettings(nudge=wrong)
    with pytest.raises(BadSetting, match="Nudge growth must be one of straight, curved"):
        SamplingSettings(nudge_growth=wrong)
    with pytest.raises(BadSetting, match="Nudge twice must be on or off"):
        SamplingSettings(nudge_twice=2 if wrong is True else wrong)
run = Generation(load_model("storyteller"), "Once upon a time", settings)
step = run.step()
assert [stage.name for stage in step.stages] == ["model", "nudge"]
assert "nudge 1.5, nudge growth along a curve, nudge twice on" in summary(settings, ENGLISH)
assert "nudge 1.5, nudge growth: along a curve, nudge twice" in phrases.settings_summary(settings)
assert heading_of("nudge") == "Repeat the token before"
assert all(order[order.index("nudge") - 1] == "DRY" for order in ORDERS.values())
with_growth = SamplingSettings(dry_multiplier=1.0, growth="linear")
assert phrases.settings_summary(with_growth).endswith("growth: linear")
with pytest.raises(BadSetting, match="these settings: growth."):
    parameters("llama.cpp", with_growth)
chips = {name: chip_text(settings, name) for name in CHIPS if "nudge" in name}
assert chips == {"nudge": "Nudge 1.5", "nudge_growth": "Nudge growth: along a curve", "nudge_twice": "Nudge twice"}
sent = parameters("llama.cpp", settings)
assert (sent["nudge"], sent["nudge_growth"], sent["twice"]) == (1.5, "curved", True)
assert "# transformers does not have: nudge, nudge growth, nudge twice" in arguments("transformers", settings)
with pytest.raises(BadSetting, match="nudge"):
    parameters("vllm", settings)
with pytest.raises(BadSetting, match="these settings: nudge length."):  # it has the sampler, and not this
    parameters("llama.cpp", SamplingSettings(nudge=1.5, nudge_length=2))
assert "nudge=1.5&nudge_growth=curved&nudge_twice=" in share_link.query("a", "m", settings, [], "a")
path = share_link.format_steps(run.path, SamplingSettings())
assert share_link.parse_steps(path)[0] == settings
app = AppTest.from_file("app.py", default_timeout=120)
for name, text in (("nudge", "1.5"), ("nudge_growth", "curved"), ("nudge_twice", "true")):
    app.query_params[name] = text
app.run()
assert not app.exception
set_by_link = app.session_state["_session"].run.settings
assert set_by_link == replace(set_by_link, nudge=1.5, nudge_growth="curved", nudge_twice=True)
app.toggle(key="watch_more").set_value(True).run()
app.button(key="all_samplers").click().run()
field = app.number_input(key="nudge")
assert (field.label, field.value, field.max) == ("Nudge", 1.5, 2.0)
choice = app.selectbox(key="nudge_growth")
assert (choice.label, choice.value, choice.options) == ("Nudge growth", "curved", ["off", "along a curve"])
assert app.toggle(key="nudge_twice").value is True and app.selectbox(key="growth").options == ["exponential", "linear"]
app.button(key="chip_nudge_growth").click().run()
app.button(key="chip_nudge_twice").click().run()
app.button(key="chip_nudge").click().run()
assert not app.exception
left = app.session_state["_session"].run.settings
assert (left.nudge, left.nudge_growth, left.nudge_twice) == (0, "straight", False)
for take in features.recorded():
    path = stored_results.FOLDER / f"{take.name}{stored_results.ENDING}"
    written = stored_results.loads(path.read_bytes()).dumps(stored_results.files()[take.name])
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


def example_of_contributing(comment: str) -> str:
    """The example of CONTRIBUTING that begins with this comment."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return re.findall(rf"```python\n# {comment}\n(.*?)```", text, re.DOTALL)[0]


def test_a_new_sampler_is_one_row_and_one_file(tmp_path: Path) -> None:
    copy_of_the_project(tmp_path)
    table = tmp_path / "core" / "sampling" / "settings.py"
    text = table.read_text("utf-8")
    assert text.count("    # fmt: on\n") == 1
    rows = ROW + textwrap.indent(example_of_contributing("in the table of core/sampling/settings.py"), "    ")
    table.write_text(text.replace("    # fmt: on\n", f"{rows}    # fmt: on\n"), "utf-8")
    sampler = (
        f'"""A sampler of a test."""\n\nfrom __future__ import annotations\n\n{example_of_contributing("core/sampling/samplers/nudge.py")}'
    )
    (tmp_path / "core" / "sampling" / "samplers" / "nudge.py").write_text(sampler, "utf-8")
    used = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert used.returncode == 0 and "it is everywhere" in used.stdout, used.stderr[-3000:]
