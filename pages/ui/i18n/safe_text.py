"""Text of others, in a place where Streamlit reads Markdown: shown letter by letter, never as a picture, a link, a formula or a heading.

Whatever we did not write ourselves goes through `plain` before it stands in a label, a caption, a notice or any other Markdown: names of
models, folders and servers, their notes and complaints, what is in a recording, in a link, in a model card, tokens, texts of visitors.
Where nothing of ours stands beside it, `st.text` is enough; a component sets `textContent`.
"""

from __future__ import annotations

import re

_MARKS = re.compile(r"[\\`*_\[\]<>$~|&^]|:(?=[A-Za-z_+\-])|!(?=\\?\[)")
_AT_THE_START = re.compile(r"^(\d{1,9})?([#+\-=.)])")
_STARTS_A_LINK = re.compile(r"(?i)(?<=[a-z]:)(?=//)|(?<=www)(?=\.)|(?<=[\w.+-])(?=@)|(?<=mailto:)|(?<=xmpp:)")
_NO_BREAK = "\u2060"  # word joiner: seen by nobody, but no address goes through it
_LINES = re.compile(r"[ \t]*[\r\n\v\f\x85\u2028\u2029]+\s*")


def plain(text: object, longest: int = 2000) -> str:
    """This text as Markdown that shows just these letters, on one line.

    An address that Markdown would make a link by itself is kept from it by a word joiner, which nobody sees.

    >>> print(plain("![a](//x.y) :red[b] 3 * 4"))
    \\!\\[a\\](//x.y) \\:red\\[b\\] 3 \\* 4
    """
    letters = _LINES.sub(" ", str(text)).lstrip()
    shown = "".join(c for c in letters if c.isprintable())
    shown = shown if len(shown) <= longest else shown[: longest - 3] + "..."
    marked = _MARKS.sub(lambda found: f"\\{found[0]}", _STARTS_A_LINK.sub(_NO_BREAK, shown))
    return _AT_THE_START.sub(r"\1\\\2", marked)
