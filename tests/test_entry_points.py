"""Every way into the app has a limit: the code is read (`ast`) for fields and components, and compared with the table in SECURITY.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.source_code import ROOT, calls, parsed

UPLOADS = Path("pages/ui/session/upload_field.py")  # the only file that may take a file from a browser
UNBOUNDED = {"camera_input", "audio_input", "data_editor", "declare_component", "experimental_data_editor"}


def findings(path: Path, tree: ast.Module) -> list[str]:
    """Return the fields of this file that have no limit."""
    found = []
    for name, call in calls(tree):
        known = {word.arg for word in call.keywords}
        bounded = len(call.args) >= 3 or {"min_value", "max_value"} <= known
        without = (
            (name in ("text_input", "text_area", "chat_input") and "max_chars" not in known)
            or (name == "chat_input" and known & {"accept_file", "accept_audio"})
            or (name in ("number_input", "slider") and not bounded)
            or (name == "file_uploader" and (path != UPLOADS or "max_upload_size" not in known))
            or name in UNBOUNDED
        )
        if without:
            found.append(f"{path}:{call.lineno} {name}")
    return found


def sources() -> dict[Path, ast.Module]:
    """Return the code of every file of the pages."""
    return parsed("pages/**/*.py")


def test_every_field_has_a_limit() -> None:
    assert [one for path, tree in sources().items() for one in findings(path, tree)] == []


def table() -> dict[str, list[str]]:
    """Return the rows of the table of entry points in SECURITY.md: limit, where it is enforced and test, by entry point."""
    section = (ROOT / "SECURITY.md").read_text("utf-8").partition("## Entry points\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in section.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in rows[1:] if set(cells[0]) != {"-"}}


def test_the_table_names_every_upload_field_and_every_component_that_sends_values() -> None:
    named = set(re.findall(r"`(\w+)`", " ".join(table())))
    fields = (call for tree in sources().values() for name, call in calls(tree) if name == "upload_field" and len(call.args) > 1)
    uploads = {ast.literal_eval(call.args[1]) for call in fields}
    assert uploads and uploads <= named
    sent = re.compile(r"on_\w+_change$")
    of_components = ((path, call) for path, tree in sources().items() if "components" in path.parts for _name, call in calls(tree))
    components = {path.parent.name for path, call in of_components if any(word.arg and sent.match(word.arg) for word in call.keywords)}
    assert components and components <= named


def test_the_table_names_every_route_of_the_app() -> None:
    named = " ".join(table())
    paths = [call.args[0] for tree in sources().values() for name, call in calls(tree) if name == "Route"]
    routes = {str(path.value) for path in paths if isinstance(path, ast.Constant)}
    assert {"/healthz", "/vote"} <= routes
    assert {path for path in routes if f"`{path}`" not in named} == set()


def test_every_row_names_a_place_and_a_test_that_exist() -> None:
    rows = table()
    assert len(rows) >= 12
    for entry, (limit, places, tests) in rows.items():
        assert limit, entry
        for cell in (places, tests):
            paths = re.findall(r"`([\w./]+\.(?:py|toml|conf))(?:::\w+)?`", cell)
            assert paths, entry
            assert all((ROOT / path).is_file() for path in paths), (entry, paths)


def test_streamlit_s_caches_hold_only_what_may_vanish_at_any_time() -> None:
    """A browser can clear them, so what belongs to the process or to a visitor is in plain objects."""
    users = {str(path) for path, tree in sources().items() if re.search(r"\bst\.cache_(resource|data)\b", ast.unparse(tree))}
    assert users == {"pages/ui/session/selection.py", "pages/inside/named_answers_view.py"}


def fields() -> None:
    import streamlit as st

    st.write(
        repr((st.text_area("a", max_chars=5), st.text_input("b", max_chars=5), st.number_input("c", 0, 9, 3), st.slider("d", 0, 9, 3)))
    )


def test_streamlit_checks_the_limits_on_the_server() -> None:
    """The fields rely on it, so a release of Streamlit that does not is noticed."""
    app = AppTest.from_function(fields).run()
    app.text_area[0].set_value("a" * 9)
    app.text_input[0].set_value("a" * 9)
    app.number_input[0].set_value(10**9)
    app.slider[0].set_value(10**9)
    assert app.run().markdown[0].value == "('aaaaa', 'aaaaa', 3, 3)"
