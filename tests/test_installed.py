"""The wheel: built, installed into an environment without the project, used from Python and opened in the app."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from filelock import FileLock
from PIL import Image

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a new environment: the wheel, and the libraries that these tests run with. The workers share it."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own) / "installed"
    programs, ready = folder / "environment" / "bin", folder / "ready"
    with FileLock(f"{folder}.lock"):
        if not ready.exists():
            install(folder)
            ready.touch()
    return programs


def install(folder: Path) -> None:
    """Build the wheel, and install it into an environment in this folder."""
    build = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", str(folder)]
    folder.mkdir(exist_ok=True)
    subprocess.run(build, check=True, cwd=folder)
    (wheel,) = folder.glob("token_probability_viewer-*.whl")
    venv.create(folder / "environment")
    (packages,) = (folder / "environment").glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    python = str(folder / "environment" / "bin" / "python")
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--quiet", str(wheel)], check=True)


WRITE = """
import doctest, pickle, sys
{example}
path = list(sys.path)
import token_probability_viewer as viewer
from token_probability_viewer import Generation, Recording, SamplingSettings, load_model
from token_probability_viewer.core.reports.settings_text import code
assert viewer.errors.ViewerError and 'Generation' in dir(viewer)
assert not {{'core', 'pages', 'app'}} & set(sys.modules), 'it touches other names'
print()
print(*doctest.testmod(viewer))
viewer.experiments.what_if
from app import create
from core import area
from pages import home
print(create, area, home, sys.path == path)
settings = SamplingSettings(seed=3, top_k=5)
run = Generation(load_model('storyteller-mini'), 'Once', settings)
run.generate(2)
open('run.py', 'w').write(code(run))
print(run.text)
pickle.dump((settings, run.path, Recording.of(run).path), open('kept', 'wb'))
"""
READ = """
import pickle, runpy, sys
settings, path, recorded = pickle.load(open('kept', 'rb'))
print(settings.top_k, *('Once' + ''.join(step.text for step in steps) for steps in (path, recorded)), sep='|')
runpy.run_path('run.py', run_name='__main__')
runpy.run_path(sys.argv[1], run_name='__main__')
"""


def test_everything_works_beside_a_project_with_the_same_names(installed: Path, tmp_path: Path) -> None:
    """The README's example; in another process a run that was kept, the examples, and the command that starts the app."""
    for name, line in (("app.py", "create = 'app'"), ("core/__init__.py", "area = 'core'"), ("pages/__init__.py", "home = 'pages'")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(line)
    block = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)[0]
    assert "from core import" in block
    write = WRITE.format(example=block.replace("from core import", "from token_probability_viewer import"))
    python, smoke = str(installed / "python"), str(ROOT / "tests" / "smoke.py")
    commands = [[python, "-c", write], [python, "-c", READ, smoke]]
    written, read = (subprocess.run(command, cwd=tmp_path, capture_output=True, text=True) for command in commands)
    assert written.returncode == 0, written.stderr[-2000:]
    *example, doctests, names, text = written.stdout.strip().splitlines()
    assert len("\n".join(example)) > 40
    assert (doctests, names) == ("0 1", "app core pages True")
    assert read.returncode == 0, read.stdout + read.stderr[-2000:]
    assert read.stdout.splitlines()[:2] == [f"5|{text}|{text}", text]
    scripts = list((ROOT / "examples").glob("*.py"))
    assert len(scripts) == 4
    for script in scripts:
        drawn, kept = (Image.open(folder / f"{script.stem}.png") for folder in (tmp_path, script.parent))
        assert drawn.size == kept.size, f"draw it again: cd examples && python {script.name}"


def test_the_examples_of_the_package_s_build_hold() -> None:
    hook = runpy.run_path(str(ROOT / "deploy" / "package_tree.py"))
    (example,) = doctest.DocTestFinder().find(hook["renamed"], "renamed", module=False, globs=hook)
    assert doctest.DocTestRunner().run(example) == doctest.TestResults(0, 1)
    with pytest.raises(ValueError, match="line 2: write `from"):
        hook["renamed"]("import os\nimport core.errors\n")
    assert hook["renamed"]("if 1:\n    from pages import (\n        ui,\n    )") == (
        "if 1:\n    from token_probability_viewer.pages import (\n        ui,\n    )"
    )


def test_the_wheel_holds_every_file_and_renames_every_import(installed: Path) -> None:
    (package,) = installed.parent.glob("lib/python*/site-packages/token_probability_viewer")
    listed = subprocess.run(["git", "ls-files", "core", "pages", "app.py"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    assert [name for name in listed.stdout.splitlines() if (ROOT / name).is_file() and not (package / name).is_file()] == []
    left = [path for path in package.rglob("*.py") if re.search(r"^\s*(from|import) (core|pages|app)\b", path.read_text("utf-8"), re.M)]
    assert [path.name for path in left if "recipe" not in path.parts] == []


def test_mypy_sees_the_types_of_the_installed_package(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-torch.*,transformers.*,numpy.*,pandas.*,pydantic.*]\nfollow_imports = skip\n")
    (tmp_path / "use.py").write_text(
        "from token_probability_viewer import Generation, SamplingSettings, load_model\n"
        "run = Generation(load_model('storyteller'), 'Once', SamplingSettings())\n"
        "reveal_type(run.step().model_probability)\nrun.force(token=[])\n"
    )
    command = [sys.executable, "-m", "mypy", "--python-executable", str(installed / "python"), "use.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert 'Revealed type is "float"' in run.stdout and "use.py:4: error:" in run.stdout, run.stdout + run.stderr
