"""Foreign text in Streamlit's Markdown, shown as its letters and never as an image, link, formula or heading.

Every text that does not come from this project passes through `plain` before it becomes part of a label, caption, notice or other
Markdown: names of models, folders and servers, error messages, recordings, links, model cards, tokens, texts of visitors. A foreign text
alone can use `st.text`; a component sets `textContent`.
"""

from __future__ import annotations

import re

_MARKS = re.compile(r"[\\`*_\[\]<>$~|&^]|:(?=[A-Za-z_+\-])|!(?=\\?\[)")
_AT_THE_START = re.compile(r"^(\d{1,9})?([#+\-=.)])")
_STARTS_A_LINK = re.compile(r"(?i)(?<=[a-z]:)(?=//)|(?<=www)(?=\.)|(?<=[\w.+-])(?=@)|(?<=mailto:)|(?<=xmpp:)")
_NO_BREAK = "\u2060"  # word joiner: invisible, and it ends a web address
_NUMBER_SPACE = "\u00a0"  # between a number and its unit; for Python it is not printable
_LINES = re.compile(r"(?<![ \t])[ \t]*+[\r\n\v\f\x85\u2028\u2029]++\s*+")  # begins at the first of several blanks: each is read once


def plain(text: object, longest: int = 2000) -> str:
    """Return Markdown that shows the letters of this text, on one line.

    A word joiner, which is invisible, keeps Markdown from turning an address into a link.

    >>> print(plain("![a](//x.y) :red[b] 3 * 4"))
    \\!\\[a\\](//x.y) \\:red\\[b\\] 3 \\* 4
    """
    written = str(text)
    begun = written[: 4 * longest]  # the rest is not read: an opened file can have millions of blanks
    printable = "".join(c for c in _LINES.sub(" ", begun).lstrip() if c.isprintable() or c == _NUMBER_SPACE)
    printable = printable if len(printable) <= longest and begun == written else printable[: longest - 3] + "..."
    marked = _MARKS.sub(lambda match: f"\\{match[0]}", _STARTS_A_LINK.sub(_NO_BREAK, printable))
    return _AT_THE_START.sub(r"\1\\\2", marked)
