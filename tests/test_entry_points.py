"""Every way into the app has a limit: the code is read (`ast`) for fields and components, and compared with the table in SECURITY.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[1]
UPLOADS = "pages/ui/session/upload_field.py"  # the only file that may take a file from a browser
UNBOUNDED = {"camera_input", "audio_input", "data_editor", "declare_component", "experimental_data_editor"}


def calls(text: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call with the last part of its function's name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""), node


def findings(text: str, path: str = "pages/x.py") -> list[str]:
    """Return the fields of this file that have no limit."""
    found = []
    for name, call in calls(text):
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


def sources() -> dict[str, str]:
    """Return the text of every file of the pages, by path."""
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in sorted((ROOT / "pages").rglob("*.py"))}


def test_every_field_has_a_limit() -> None:
    assert [one for path, text in sources().items() for one in findings(text, path)] == []


def table() -> dict[str, list[str]]:
    """Return the rows of the table of entry points in SECURITY.md: limit, where it is enforced and test, by entry point."""
    section = (ROOT / "SECURITY.md").read_text("utf-8").partition("## Entry points\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in section.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in rows[1:] if set(cells[0]) != {"-"}}


def test_the_table_names_every_upload_field_and_every_component_that_sends_values() -> None:
    named = set(re.findall(r"`(\w+)`", " ".join(table())))
    texts = sources()
    uploads = {call.args[1].value for text in texts.values() for name, call in calls(text) if name == "upload_field" and len(call.args) > 1}  # type: ignore[attr-defined]
    assert uploads and uploads <= named
    components = {Path(path).parent.name for path, text in texts.items() if "/components/" in path and re.search(r"on_\w+_change=", text)}
    assert components and components <= named


def test_the_table_names_every_route_of_the_app() -> None:
    named = " ".join(table())
    paths = [call.args[0] for text in sources().values() for name, call in calls(text) if name == "Route"]
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
    users = {path for path, text in sources().items() if re.search(r"\bst\.cache_(resource|data)\b", text)}
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
