"""Values of a page's controls as a result stores them: in English, shown in the visitor's language."""

from __future__ import annotations

import re
from functools import cache

from pages.ui.i18n.translation import N_, _, figures

BETWEEN = " | "  # between the values of two sides
TEMPLATES = (
    N_("layer {count}"),
    N_("strength {count}"),
    N_("{count} requests"),
    N_("requests: {count}"),
    N_("{count} tokens"),
    N_("{least} to {most} tokens"),
    N_("{count} tokens each"),
    N_("{count} drafted tokens"),
    N_("first tokens kept: {count}"),
    N_("{share} old training texts"),
    N_("seed {seed}"),
    N_("{name} writes"),
    N_("{count} bits"),
    N_("{count} a second"),
    N_("{count} others a second"),
    N_("{count} tries"),
    N_("{count} beams"),
    N_("length penalty {penalty}"),
    N_("as it was after {age}, written down in its training"),
    N_("right is {answer}"),
    N_("{count} questions"),
    N_("{count} times each"),
    N_("key {key}"),
    N_("gamma {gamma}"),
    N_("delta {delta}"),
    N_("{count} texts"),
)


def translated(value: str) -> str:
    """Return a stored value in the visitor's language; unchanged if it is a text of the visitor."""
    return BETWEEN.join(map(_part, value.split(BETWEEN)))


def _part(value: str) -> str:
    if _(value) != value:
        return _(value)
    for template in sorted(TEMPLATES, key=len, reverse=True):  # "4 to 8 tokens" is not "{count} tokens"
        match = _pattern(template).fullmatch(value)
        if match is not None:
            return _(template).format(**{name: figures(part) for name, part in match.groupdict().items()})
    return value


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of the values that a template makes."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(re.escape(part) if index % 2 == 0 else f"(?P<{part}>.+)" for index, part in enumerate(parts)))
