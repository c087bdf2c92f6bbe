"""Rules of the project: which folder may import which, what the documents name, and the README's two commands."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.source_code import ROOT, calls, parsed

TOP_LEVEL = {
    *("app.py", "pages", "core", "tests", "requirements.txt", "README.md", ".streamlit"),
    *(
        "requirements-dev.txt",
        "pyproject.toml",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "examples",
        "deploy",
        "LICENSE",
        ".gitignore",
        ".gitattributes",
        ".ci",
        ".github",
        "Dockerfile",
        ".dockerignore",
    ),
}
LARGEST_FILE = 25 * 2**20  # bytes


@cache
def files() -> list[Path]:
    """All files of the project, those not committed yet included, those git ignores left out."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def packages_of(tree: ast.Module) -> set[str]:
    """The packages that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def floor(folder: str, packages: set[str]) -> dict[str, set[str]]:
    """Files under the folder that import one of these packages."""
    found = {str(path): packages_of(tree) & packages for path, tree in parsed(f"{folder}/**/*.py").items()}
    return {path: wrong for path, wrong in found.items() if wrong}


def test_arrows_point_down_only() -> None:
    assert floor("core", {"streamlit", "altair", "pages", "app", "tests"}) == {}
    assert floor("pages", {"app", "tests", "torch", "transformers"}) == {}


# Inside core a room may import from those before it, and from itself.
CORE_ORDER = (
    "message palette errors disk_full checked_number limits device tokens sampling record chat "
    "sources backends engine remote models generation inspection costs batching finetuning reports experiments bundled"
).split()


@cache
def modules() -> dict[str, ast.Module]:
    """The modules of the app by dotted name."""
    own = parsed("core/**/*.py") | parsed("pages/**/*.py") | parsed("app.py")
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): tree for path, tree in own.items()}


@cache
def imported_modules(typed: bool = False) -> dict[str, set[str]]:
    """Which of our modules each module imports, wherever in it. typed: also those that only a type checker reads."""
    return {name: set(_imported(tree, modules().keys(), typed)) - {name} for name, tree in modules().items()}


def _imported(node: ast.AST, known: Collection[str], typed: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test) and not typed:
            continue
        if isinstance(child, ast.ImportFrom) and child.module:
            names = (f"{child.module}.{alias.name}" for alias in child.names)
            yield from (name if name in known else child.module for name in names if name in known or child.module in known)
        elif isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names if alias.name in known)
        yield from _imported(child, known, typed)


def place_of(module: str) -> int:
    """The place of a module's room in `CORE_ORDER`."""
    return CORE_ORDER.index(module.split(".")[1])


def test_inside_core_the_rooms_stand_in_order() -> None:
    wrong = []
    for name, found in imported_modules().items():
        if name.startswith("core."):
            above = {other for other in found if other == "core" or place_of(other) > place_of(name)}
            wrong += [f"{name} imports {other}" for other in sorted(above)]
    assert wrong == []


# Inside pages/ui a room imports only from those before it, and from itself.
UI_ORDER = "i18n features server charts components session experiments live views presenting shell".split()


def test_inside_pages_ui_the_rooms_stand_in_order() -> None:
    wrong = []
    for name, found in imported_modules().items():
        if name.startswith("pages.ui."):
            rooms = {other: other.split(".")[2] for other in found if other.startswith("pages.ui.")}
            own = UI_ORDER.index(name.split(".")[2])
            wrong += [f"{name} imports {other}" for other, room in rooms.items() if UI_ORDER.index(room) > own]
            wrong += [
                f"{name} imports {other}"
                for other in found
                if other.split(".")[0] == "pages" and other not in rooms and other != "pages.ui"
            ]
    assert wrong == []


def test_a_feature_imports_only_what_is_shared_and_its_own() -> None:
    wrong = []
    for name, found in imported_modules().items():
        if name.startswith("pages.") and not name.startswith("pages.ui"):
            feature = ".".join(name.split(".")[:2])
            own = {other for other in found if other == feature or other.startswith((f"{feature}.", "pages.ui", "core"))}
            wrong += [f"{name} imports {other}" for other in sorted(found - own)]
    assert wrong == []


def test_an_experiment_is_imported_by_its_page_alone() -> None:
    """An experiment has the name of its page, so that both can be taken away. What several pages need is in `shared`."""
    pages = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")}
    named = {name.split(".")[2] for name in modules() if name.startswith("core.experiments.")}
    assert named - pages == {"shared"}
    wrong = []
    for name, found in imported_modules().items():
        own = name.split(".")[1 if name.startswith("pages.") else 2 : 3] if name.startswith(("pages.", "core.experiments.")) else []
        experiments = {other for other in found if other.startswith("core.experiments.")}
        wrong += [f"{name} imports {other}" for other in experiments if other.split(".")[2] not in ("shared", *own[:1])]
    assert sorted(wrong) == []


def sessions_in(tree: ast.AST) -> set[str]:
    """How a file calls a visitor's session: the call that returns it, and names that have its type or hold what the call returned."""
    said = {"current_session()", "state.current_session()"}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None and ast.unparse(node.annotation).startswith("Session"):
            said.add(node.arg)
        elif isinstance(node, ast.Assign) and re.search(r"\b(current_session|known_session|current\.changed)\(", ast.unparse(node.value)):
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            said |= {target.id for target in targets[:1] if isinstance(target, ast.Name)}
    return said


def test_a_session_has_few_fields_and_each_is_read_in_few_rooms() -> None:
    """What more rooms need has a function in `pages/ui/session`. A feature declares what it keeps itself (`state.memory`)."""
    home = "pages.ui.session.state"
    (session,) = (node for node in modules()[home].body if isinstance(node, ast.ClassDef) and node.name == "Session")
    rooms: dict[str, set[str]] = {ast.unparse(node.target): set() for node in session.body if isinstance(node, ast.AnnAssign)}
    for name, tree in modules().items():
        if name.startswith(("pages.", "app")) and name != home:
            said, room = sessions_in(tree), ".".join(name.split(".")[1 : 3 if name.startswith("pages.ui.") else 2])
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and node.attr in rooms and ast.unparse(node.value) in said:
                    rooms[node.attr].add(room)
    assert len(rooms) <= 16
    assert {field: sorted(found) for field, found in rooms.items() if len(found) > 3} == {}
    assert all(rooms.values()), "a field that no room reads"


def circle(left: dict[str, set[str]]) -> list[str]:
    """The modules that are left when those that import none of the others are taken away, again and again."""
    left = dict(left)
    while free := {name for name, found in left.items() if not found & left.keys()}:
        left = {name: found for name, found in left.items() if name not in free}
    return sorted(left)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports for a type checker alone count, but for one: the sessions that are open are held where `Session` reads them."""
    left = dict(imported_modules(typed=True))
    left["pages.ui.session.live_state"] = left["pages.ui.session.live_state"] - {"pages.ui.session.state"}
    assert circle(left) == []


def test_the_app_does_not_import_the_recipe_of_the_bundled_models() -> None:
    wrong = [(name, other) for name, found in imported_modules().items() for other in found if other.startswith("core.bundled.recipe")]
    assert [pair for pair in wrong if not pair[0].startswith("core.bundled.recipe")] == []


def test_importing_core_and_listing_its_models_imports_nothing_heavy() -> None:
    heavy = ("torch", "transformers", "streamlit", "altair", "pandas", "vl_convert", "jinja2")
    work = "import sys, core; core.list_models(); core.SamplingSettings(top_k=3)"
    program = f"{work}; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_no_file_is_too_large_for_a_checkout() -> None:
    assert [path for path in files() if path.stat().st_size > LARGEST_FILE] == []


def test_no_page_asks_for_the_value_of_a_button_itself() -> None:
    """Another rerun can end the run that would have seen it: `elements.pressed` keeps the press."""
    for path, tree in parsed("pages/**/*.py").items():
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        buttons = [call for _name, call in calls(tree) if ast.unparse(call.func) in ("st.button", "st.form_submit_button")]
        assert all(id(node) in alone for node in buttons), path


def test_the_top_level_is_that_of_the_design_card() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in files()} <= TOP_LEVEL


def test_the_readme_runs_and_tests_the_app_in_one_line_each() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "pip install -r requirements.txt && streamlit run app.py" in text
    assert "pip install -r requirements-dev.txt && pytest" in text
    assert "pip install -r requirements-dev.txt && pytest" in (ROOT / ".ci/run").read_text("utf-8")


def test_the_files_that_the_documents_name_are_there() -> None:
    missing = []
    for page in (path for path in files() if path.suffix == ".md"):
        for target in re.findall(r"\]\((?!https?:|#|\.\./\.\./releases/)([^)#\s]+)", page.read_text("utf-8")):
            if not (page.parent / target).exists():
                missing.append(f"{page.relative_to(ROOT)}: {target}")
    assert missing == []


def test_examples_in_docstrings_are_run_by_the_usual_tests() -> None:
    """Those of page.py cannot be: importing it draws the page."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    assert "--doctest-modules" in options["addopts"]
    examples = [path for path in files() if path.suffix == ".py" and re.search(r"^ *>>> ", path.read_text("utf-8"), re.MULTILINE)]
    not_run = [path for path in examples if path.relative_to(ROOT).parts[0] not in options["testpaths"] or path.name == "page.py"]
    of_wheel = {ROOT / "deploy" / "package_tree.py", ROOT / "deploy" / "token_probability_viewer" / "__init__.py"}
    assert set(not_run) == of_wheel, "tests/test_installed.py runs the examples of the wheel"


def test_every_dependency_has_one_version() -> None:
    lines = [
        line for name in ("requirements.txt", "requirements-dev.txt") for line in (ROOT / name).read_text().splitlines() if line.strip()
    ]
    assert [line for line in lines if not re.fullmatch(r"-r requirements\.txt|[\w.\-\[\]]+==[\w.]+(\s*;.*)?", line)] == []
