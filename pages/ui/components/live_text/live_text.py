"""Text field that sends its text while the visitor types."""

from __future__ import annotations

from pages.ui.components.register import component

_FIELD = component("live_text")


def live_text(start: str, *, key: str, label: str, examples: dict[str, str], limit: int) -> str:
    """Draw the field and return its text, at most `limit` characters. start: its first text."""
    result = _FIELD(
        key=key,
        data={"start": start[:limit], "label": label, "examples": list(examples.items()), "limit": limit},
        on_text_change=lambda: None,
    )
    return cleaned(result.text, start)[:limit]


def cleaned(sent: object, start: str) -> str:
    """Return the text that the browser sent, without incomplete characters; `start` if it sent something else."""
    text = sent if isinstance(sent, str) else start
    return text.encode("utf-8", "ignore").decode("utf-8")
