"""Build hook of the wheel: puts `core`, `pages` and `app.py` into the package `token_probability_viewer`, and renames their imports.

In a checkout the imports are `from core...` and `from pages...`. Installed, these names belong to other projects, so the wheel holds
`from token_probability_viewer.core...`. Files without such imports are taken as they are.
"""

from __future__ import annotations

import ast
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "token_probability_viewer"
PARTS = ("core", "pages", "app.py")


def renamed(source: str) -> str:
    """Return a module with the imports that it has in the package. Raises ValueError for an import that has no such form.

    >>> renamed("from core.errors import InputError")
    'from token_probability_viewer.core.errors import InputError'
    """
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(name.name.partition(".")[0] in PARTS for name in node.names):
            raise ValueError(f"line {node.lineno}: write `from ... import` instead of `{ast.unparse(node)}`")
        if isinstance(node, ast.ImportFrom) and not node.level and str(node.module).partition(".")[0] in PARTS:
            line = lines[node.lineno - 1].encode()
            before, after = line[: node.col_offset].decode(), line[node.col_offset :].decode()
            lines[node.lineno - 1] = before + after.replace(f"from {node.module} ", f"from {PACKAGE}.{node.module} ", 1)
    return "".join(lines)


class PackageTree(BuildHookInterface):
    """Adds the files of `PARTS` to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the renamed modules into a folder for the time of the build."""
        root = Path(self.root)
        self._folder = TemporaryDirectory()
        for part in PARTS:
            for path in [root / part] if part.endswith(".py") else sorted((root / part).rglob("*")):
                if not path.is_file() or "__pycache__" in path.parts or path.suffix == ".pyc":
                    continue
                name, source = path.relative_to(root), path
                if path.suffix == ".py":
                    source = Path(self._folder.name) / name
                    source.parent.mkdir(parents=True, exist_ok=True)
                    source.write_text(renamed(path.read_text("utf-8")), "utf-8")
                build_data["force_include"][str(source)] = f"{PACKAGE}/{name.as_posix()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder."""
        self._folder.cleanup()
