"""Values of a page's controls as a result stores them: in English, shown in the visitor's language."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pages.ui.i18n.number_marks import figures
from pages.ui.i18n.spoken_language import current
from pages.ui.i18n.translation import _, commented

BETWEEN = " | "  # between the values of two sides
STORED = "stored"  # the comment of the sentences of `control_value` in the catalogue


def control_value(template: str, **values: Any) -> str:
    """Return the value of a control as a result stores it: `control_value("{count} tokens", count=40)`."""
    return template.format(**values)


def translated(value: str) -> str:
    """Return a stored value in the visitor's language; unchanged if it is a text of the visitor."""
    return BETWEEN.join(map(_part, value.split(BETWEEN)))


def _part(value: str) -> str:
    if _(value) != value:
        return _(value)
    for template in _templates(current()):
        match = _pattern(template).fullmatch(value)
        if match is not None:
            return _(template).format(**{name: figures(part) for name, part in match.groupdict().items()})
    return value


@cache
def _templates(code: str) -> list[str]:
    """Return the templates of stored values, the longest first: "4 to 8 tokens" is not "{count} tokens"."""
    return sorted((str(sentence) for sentence in commented(code, STORED)), key=len, reverse=True)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of the values that a template makes."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(re.escape(part) if index % 2 == 0 else f"(?P<{part}>.+)" for index, part in enumerate(parts)))
