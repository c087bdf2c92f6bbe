"""Pages and a sampler are added as CONTRIBUTING says, and a page is deleted, in a copy of the project. Everything imports and draws."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pages.ui import features
from pages.ui.experiments import stored_results
from pages.ui.presenting import prepared_talks

ROOT = Path(__file__).parents[1]
OF_A_PAGE = ("pages/{}", "core/experiments/{}", "core/experiments/{}.py")
OPENED = ("core", "core/bundled", "core/bundled/experiments", "core/experiments", "pages")  # folders whose entries are linked one by one
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
DRAW = """
import gzip, os, sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
import pytest
from core import Generation, SamplingSettings, load_model
from core.errors import BadRecording, BadSetting
from core.message import ENGLISH
from core.remote.sampling_parameters import parameters
from core.reports.settings_text import arguments, summary
from core.sampling.settings import ORDERS
from pages.gallery import gallery
from pages.inside.inside_view import heading_of
from pages.ui import features
from pages.ui.experiments import stored_results
from pages.ui.i18n import phrases
from pages.ui.presenting import tour_texts
from pages.ui.session import share_link
from pages.ui.session.sampling_controls import CHIPS, chip_text
from streamlit.testing.v1 import AppTest

gone, missing_stops, *saved = sys.argv[1:]
files = [Path(folder, name) for top in ("core", "pages") for folder, _, names in os.walk(top, followlinks=True) for name in names]
for file in sorted(files):
    if file.suffix == ".py" and file.name not in ("page.py", "__main__.py") and "recipe" not in file.parts:
        import_module(".".join(file.with_suffix("").parts).removesuffix(".__init__"))

def shown():
    assert not app.exception, app.exception
    return " ".join(str(element.proto) for element in app.main if hasattr(element, "proto"))

app = AppTest.from_file("app.py", default_timeout=120).run()
pages = {"watch": shown()}
for path in features.features():
    app.switch_page(f"pages/{path}/page.py").run()
    pages[path] = shown()
assert gone not in pages and len(pages) > 27
assert gone not in tour_texts.STOPS.values() and all(tour_texts.voice(name) for name in tour_texts.VOICES)
line = f"the talks leave them out: {missing_stops}."
assert (line in pages["talk"]) == bool(missing_stops) and ("leave them out" in pages["talk"]) == bool(missing_stops)
for name in saved:
    with pytest.raises(BadRecording, match="^This experiment belongs to a page that this app does not have.$"):
        gallery.open_file(Path(name).read_bytes())
    assert f"gallery_open_{Path(name).name.partition('.')[0]}" not in pages["gallery"]

assert features.features()["murmur"].title == "Murmur" and features.features()["echo"].title == "Echo"
assert "What comes next?" in pages["murmur"] and "murmur_odds" in pages["murmur"]
app.switch_page("pages/echo/page.py").run()
app.button(key="echo_start").click().run()
worker = app.session_state["_session"].experiments["echo"]
assert worker.wait(60)
app.run()
assert len(worker.observations) == 20 and "How surprising" in shown() and "echo_bars" in shown()
(result,) = [result for result in features.recorded() if result.name == "echo"]
from core.experiments.echo import echo
seen = list(echo(load_model("storyteller"), "Once", SamplingSettings(), 3))
assert result.observation is type(seen[0]) and result.claim.holds(seen) and not result.claim.holds(seen[1:])

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
    if take.name == "echo":
        continue  # not recorded
    path = stored_results.FOLDER / f"{take.name}{stored_results.ENDING}"
    written = stored_results.loads(path.read_bytes()).dumps(stored_results.files()[take.name])
    assert gzip.decompress(written) == gzip.decompress(path.read_bytes()), f"the new setting changes {path.name}"
print("all of it draws")
"""


def blocks(comment: str) -> list[str]:
    """The examples of CONTRIBUTING that begin with this comment."""
    return re.findall(rf"```python\n# {re.escape(comment)}\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)


def results_of(page: str) -> list[str]:
    """The bundled results that the declaration of a page names."""
    return [f"{result.name}{stored_results.ENDING}" for result in features.feature_of(page).recorded]


def copy_without(page: str, folder: Path) -> None:
    """Lay links to everything into a folder but to what belongs to this page."""
    left_out = {ROOT / name.format(page) for name in OF_A_PAGE} | {stored_results.FOLDER / name for name in results_of(page)}
    for name in OPENED:
        (folder / name).mkdir()
        for path in (ROOT / name).iterdir():
            if str(path.relative_to(ROOT)) not in OPENED and path.name != "__pycache__" and path not in left_out:
                (folder / name / path.name).symlink_to(path)
    for name in ("app.py", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)


def add_two_pages(folder: Path) -> None:
    """Write the page of CONTRIBUTING with its experiment, and the one without under another name."""
    (plain, with_result), (page,) = blocks("pages/echo/__init__.py"), blocks("pages/echo/page.py")
    (drawn,), (experiment,) = blocks("pages/echo/page.py, with the experiment"), blocks("core/experiments/echo.py")
    files = {"pages/echo/__init__.py": with_result, "pages/echo/page.py": drawn, "core/experiments/echo.py": experiment}
    for name, text in (("__init__", plain.replace("place=20", "place=21")), ("page", page)):
        files[f"pages/murmur/{name}.py"] = text.replace("echo", "murmur").replace("Echo", "Murmur")
    for file, text in files.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(f'"""A page of a test."""\n\n{text}', "utf-8")


def add_a_sampler(folder: Path) -> None:
    """Write the rows and the file of a sampler into a copy of core/sampling."""
    sampling = folder / "core" / "sampling"
    sampling.unlink()
    shutil.copytree(ROOT / "core" / "sampling", sampling)
    text = (sampling / "settings.py").read_text("utf-8")
    assert text.count("    # fmt: on\n") == 1
    (row,), (sampler,) = blocks("in the table of core/sampling/settings.py"), blocks("core/sampling/samplers/nudge.py")
    rows = ROW + textwrap.indent(row, "    ")
    (sampling / "settings.py").write_text(text.replace("    # fmt: on\n", f"{rows}    # fmt: on\n"), "utf-8")
    header = '"""A sampler of a test."""\n\nfrom __future__ import annotations\n\n'
    (sampling / "samplers" / "nudge.py").write_text(header + sampler, "utf-8")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("cache", marks=pytest.mark.slow),  # with recorded results, one of them in the tour
        pytest.param("what_if", marks=pytest.mark.exhaustive),  # in a talk
        pytest.param("stage", marks=pytest.mark.exhaustive),  # with a vote
    ],
)
def test_everything_draws_with_two_new_pages_and_a_new_sampler_and_without_a_page(page: str, tmp_path: Path) -> None:
    copy_without(page, tmp_path)
    add_two_pages(tmp_path)
    add_a_sampler(tmp_path)
    stops = ", ".join(title for title, stop in prepared_talks.STOPS.items() if stop.page == page)
    saved = [str(stored_results.FOLDER / name) for name in results_of(page)]
    used = subprocess.run([sys.executable, "-c", DRAW, page, stops, *saved], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert used.returncode == 0 and "all of it draws" in used.stdout, used.stderr[-3000:]
