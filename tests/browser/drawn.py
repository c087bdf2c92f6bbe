"""Read what is drawn inside a part of a page: the marks of its charts with their data, its words, the cells of its tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.browser.watching import eventually

# Vega keeps the item of the scene graph, with its row of data, on every SVG element that it draws.
MARKS = """selector => [...document.querySelectorAll(selector)].flatMap(part => [...part.querySelectorAll(
    "[data-testid=stVegaLiteChart] svg g.role-mark")].flatMap(group => [...group.children].map(shape => {
  const item = shape.__data__, box = shape.getBoundingClientRect();
  const row = item?.datum ?? item?.items?.[0]?.datum ?? null;
  return { kind: group.classList[0].replace("mark-", ""), row, size: Math.max(box.width, box.height), text: shape.textContent,
    broken: /NaN|undefined/.test(shape.outerHTML) };
})))"""
SHARES = """(rows, [bar, name]) => Object.fromEntries(rows.filter(row => row.bar).map(row => {
  const drawn = row.querySelector(`i.${bar}`), share = Number(getComputedStyle(drawn).getPropertyValue("--share"));
  return [row.bar[name], share > 0 && drawn.offsetWidth === 0 ? null : share];
}))"""
ROWS = """selector => [...document.querySelectorAll(selector)].flatMap(part => [...part.querySelectorAll("table tr")].map(
  row => [...row.querySelectorAll("td")].map(cell => cell.textContent.trim())).filter(row => row.length))"""


def plainly(text: str) -> str:
    """Return letters and digits alone: markup and visible spaces do not count."""
    return re.sub(r"[\W_]+", "", text)


class Drawn:
    """A part of a page, by its CSS selector. Every reading waits a few seconds for something to be drawn, and fails when nothing is."""

    def __init__(self, page: Any, part: str) -> None:
        self.page = page
        self.part = part

    def _read(self, read: Callable[[], Any], what: str) -> Any:
        def drawn() -> Any:
            found = read()
            assert found, f"no {what} is drawn in {self.part}"
            return found

        return eventually(self.page, drawn, 10)

    def marks(self, kind: str, field: str) -> list[Any]:
        """Return the value of this field for every mark of this kind ("rect", "symbol", "text") that has one. At least one is visible."""
        return [value for (value,) in self.rows_of(kind, field)]

    def rows_of(self, kind: str, *fields: str) -> list[tuple[Any, ...]]:
        """Return the values of these fields for every mark of this kind that has them all. At least one is visible."""

        def read() -> list[Any]:
            found = [mark for mark in self.page.evaluate(MARKS, self.part) if mark["kind"] == kind and mark["row"]]
            found = [mark for mark in found if all(mark["row"].get(field) is not None for field in fields)]
            return found if any(mark["size"] > 0 for mark in found) else []

        found = self._read(read, f"{kind} with {', '.join(fields)}")
        assert not any(mark["broken"] for mark in found), f"a {kind} in {self.part} has no place"
        return [tuple(mark["row"][field] for field in fields) for mark in found]

    def pairs(self, kind: str, name: str, field: str) -> dict[str, Any]:
        """Return the value of a field by the value of another one; the first mark of a name counts."""

        def read() -> dict[str, Any]:
            values: dict[str, Any] = {}
            for mark in self.page.evaluate(MARKS, self.part):
                if mark["kind"] == kind and mark["size"] > 0 and {name, field} <= set(mark["row"] or ()):
                    values.setdefault(mark["row"][name], mark["row"][field])
            return values

        found: dict[str, Any] = self._read(read, f"{kind} with {name} and {field}")
        return found

    def shares(self, bar: str, name: str = "piece") -> dict[str, float]:
        """Return by its token how much of its row a bar of the live view takes: "model", or "used" for the probability after the settings.

        name: "piece", or "label" for the token as the row shows it.
        """
        rows = self.page.locator(self.part).locator(".bar:visible")
        found: dict[str, float] = self._read(lambda: rows.evaluate_all(SHARES, [bar, name]), "bar")
        return found

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the elements in this part, those of components included. At least one has a text."""

        def read() -> list[str]:
            found = [text.strip() for text in self.page.locator(self.part).locator(selector).all_text_contents()]
            return found if any(found) else []

        found: list[str] = self._read(read, selector)
        return found

    def rows(self) -> list[list[str]]:
        """Return the cells of the tables in this part, row by row, without their headings. There is at least one row."""
        found: list[list[str]] = self._read(lambda: self.page.evaluate(ROWS, self.part), "table")
        return found
