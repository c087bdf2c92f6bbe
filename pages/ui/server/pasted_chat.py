"""Reads the messages of a pasted chat: who wrote what, as Zoom, Teams, WhatsApp, Twitch and Discord write it."""

from __future__ import annotations

import re

_DAY = r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|Today|Yesterday|Heute|Gestern)"
_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?"
_STAMP = rf"(?:{_DAY}(?:,| at| um)? ?)?{_TIME}"
_FIRST = re.compile(rf"[\[(]?{_STAMP}[\])]?(?=$|\W)[ ,–—-]*", re.IGNORECASE)
_LAST = re.compile(rf"(?<!\w){_STAMP}[\])]?$", re.IGNORECASE)
_COLON = re.compile(r"(?<!\d):|:(?!\d)")  # not the one of a time
_SENT_TO = re.compile(r"(?:From|Von) (.+?) (?:to|an) .+", re.IGNORECASE)
_TO_ALL = (["to", "everyone"], ["an", "alle"])


def messages(text: str) -> tuple[list[tuple[str, str]], int]:
    """Return the messages of a chat as (name, message), and the number of lines that are none.

    A line is "Name: message", with or without the time before or after the name. After a line with a name and a colon or a time, the next
    line is the message. A line with a time alone stands between name and message.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    read = [_read(line) for line in lines]
    written: list[tuple[str, str]] = []
    skipped = at = 0

    def is_time(line: int) -> bool:
        return line < len(read) and read[line] == ("", None)

    while at < len(lines):
        name, message = read[at]
        at += 1
        if message is None and is_time(at):
            at += 1
        elif message is None:
            name = ""
        if name and not message and at < len(lines) and not is_time(at + 1) and (lines[at][0].isspace() or read[at][1] is None):
            message = " ".join(lines[at].split())
            at += 1
        if name and message:
            written.append((name, message))
        else:
            skipped += 1
    return written, skipped


def _read(line: str) -> tuple[str, str | None]:
    """Return the name and the message of a line. The message is "" if it is in the next line, and None if the line names nobody.

    Without a name, the line is returned in its place; of a line with only a time, "".
    """
    line = " ".join(line.replace("：", ":").split())
    rest = line[stamp.end() :] if (stamp := _FIRST.match(line)) else line
    colon = _COLON.search(rest)
    name, message = (rest[: colon.start()], rest[colon.end() :]) if colon else (rest, "")
    bare = name[: last.start()] if (last := _LAST.search(name)) else name
    if colon is None and stamp is None and last is None:
        return line, None
    bare = bare.strip(" ,([–—-")
    if match := _SENT_TO.fullmatch(bare):
        bare = match[1].strip()
    elif (words := bare.split()) and [word.lower() for word in words[-2:]] in _TO_ALL:
        bare = " ".join(words[:-2])
    return bare, None if colon is None and not bare else message.strip()
