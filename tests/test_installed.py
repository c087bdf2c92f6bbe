"""The wheel: built, installed into an environment without the project, used from Python and opened in the app."""

from __future__ import annotations

import re
import site
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import free_port
from tests.test_deploy import get, wait_for

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow
QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a new environment: the wheel, and the libraries that these tests run with."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", str(folder)]
    subprocess.run(build, check=True, cwd=folder)
    (wheel,) = folder.glob("token_probability_viewer-*.whl")
    venv.create(folder / "environment")
    (packages,) = (folder / "environment").glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    programs = folder / "environment" / "bin"
    install = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--no-deps", "--quiet", str(wheel)]
    subprocess.run(install, check=True, cwd=folder)
    return programs


def test_the_example_of_the_readme_runs_with_the_installed_package(installed: Path, tmp_path: Path) -> None:
    block = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)[0]
    assert "from core import" in block
    code = block.replace("from core import", "from token_probability_viewer import")
    code += "\nimport token_probability_viewer as viewer\nassert viewer.errors.ViewerError and 'Generation' in dir(viewer)\n"
    code += "import core\nassert 'environment' in core.__file__, core.__file__\n"
    run = subprocess.run([installed / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    assert len(run.stdout) > 40


def test_beside_another_core_it_says_so(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "core.py").write_text("")
    run = subprocess.run(
        [installed / "python", "-c", "import core, token_probability_viewer"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "Another package called core is imported already" in run.stderr


def test_the_command_starts_the_app(installed: Path, tmp_path: Path) -> None:
    port = free_port()
    options = ["--server.port", str(port), "--server.headless", "true", "--server.address", "127.0.0.1"]
    server = subprocess.Popen([str(installed / "token-probability-viewer"), *options], cwd=tmp_path, **QUIET)
    try:
        wait_for(f"http://127.0.0.1:{port}/healthz")
        assert get(f"http://127.0.0.1:{port}/")[0] == 200  # ready: the first model is loaded
    finally:
        server.terminate()
        server.wait(20)
