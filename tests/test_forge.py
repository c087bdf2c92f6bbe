"""What a project has beside its code: versions that agree, addresses that exist, the forms and the workflow of a forge."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[1]
FORGE = ROOT / ".github"
FORMS = sorted(path for path in (FORGE / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
HOSTS = {"download.pytorch.org"}  # a host is added here by someone who has opened it


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = read(ROOT / "CITATION.cff")
    newest = re.search(r"(?m)^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert newest is not None
    assert newest[1] == citation["version"] == project["version"]
    assert newest[2] == str(citation["date-released"])
    assert citation["license"] == project["license"]


def test_the_versions_of_the_changes_fall() -> None:
    versions = re.findall(r"(?m)^## (\d+)\.(\d+)\.(\d+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    numbers = [tuple(map(int, version)) for version in versions]
    assert len(numbers) >= 2 and numbers == sorted(set(numbers), reverse=True)


def test_no_address_leads_to_a_host_that_nobody_has_opened() -> None:
    files = [*(ROOT / name for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md")), *filter(Path.is_file, FORGE.rglob("*"))]
    addresses = {host for path in files for host in re.findall(r"https?://([\w.-]+)", path.read_text("utf-8"))}
    assert addresses <= HOSTS


def test_the_classifiers_name_the_versions_and_the_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "Typing :: Typed" in project["classifiers"]
    assert f"Programming Language :: Python :: {project['requires-python'].removeprefix('>=')}" in project["classifiers"]
    assert not [name for name in project["classifiers"] if name.startswith("License ::")], "`license` says it, and both are refused"


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_what_is_needed(path: Path) -> None:
    form = read(path)
    assert form["name"] and form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields) >= 3
    assert all(field["type"] in ("input", "textarea") and field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_the_workflow_runs_the_same_as_ci_and_installs_elsewhere() -> None:
    workflow = read(FORGE / "workflows" / "tests.yml")
    jobs = workflow["jobs"]
    assert set(workflow[True]) == {"push", "pull_request"}  # YAML reads the word "on" as true
    assert workflow["permissions"] == {"contents": "read"}
    assert jobs["whole"]["runs-on"].startswith("ubuntu")
    assert [step["run"] for step in jobs["whole"]["steps"] if "run" in step][-1] == "bash .ci/run"
    installed = jobs["installed"]
    assert {name.partition("-")[0] for name in installed["strategy"]["matrix"]["os"]} == {"macos", "windows"}
    commands = [step["run"] for step in installed["steps"] if "run" in step]
    assert commands[0] == "pip install ." and "tests/smoke.py" in commands[1]


def test_a_release_gets_the_live_page_that_the_readme_links() -> None:
    workflow = read(FORGE / "workflows" / "release.yml")
    commands = [step["run"] for step in workflow["jobs"]["live-page"]["steps"] if "run" in step]
    readme = (FORGE.parent / "README.md").read_text("utf-8")
    made = commands[1].rpartition(" ")[2]
    assert f"    {commands[1]}\n" in readme and commands[2].endswith(f" {made}")
    assert re.findall(r"\]\(([^)]+)\)", readme)[1] == f"../../releases/latest/download/{made}", "the first link after the picture"
