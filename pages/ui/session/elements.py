"""Elements that pages and views share: section headings, notices, buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from core.errors import EmptyPrompt, ViewerError
from core.sampling.settings_row import Setting
from pages.ui import features
from pages.ui.i18n.translation import _, say
from pages.ui.session import current
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import show_notice
from pages.ui.session.offered_files import save_button
from pages.ui.session.state import current_session, memory

Option = TypeVar("Option")


@dataclass(slots=True)
class Press:
    """key: of the button that was just pressed; see `pressed`. verb: called at the start of the next run; see `button`."""

    key: str = ""
    verb: Callable[[], None] | None = None


@action_boundary
def clear_notices() -> None:
    """Remove all notices. For `on_change` of controls without a callback of their own."""


# Arguments for every control of a page, so that it keeps its value while other pages are open.
PERSISTENT: dict[str, Any] = {"persist_state": "session", "on_change": clear_notices}


def section(title: str, term: str = "", help: str | None = None) -> None:
    """Draw the heading of a part of a page."""
    st.markdown(f"## {title}" + (f" :small[:gray[{term}]]" if term else ""), help=help)


def choice(label: str, options: Sequence[Option], default: Option, key: str, **appearance: Any) -> Option:
    """Draw a choice of one option that the visitor's session remembers, and return the chosen option."""
    chosen = st.segmented_control(label, options, default=default, key=key, required=True, **PERSISTENT, **appearance)
    return default if chosen is None else chosen


def number(row: Setting, start: Any, **widget_options: Any) -> Any:
    """Draw the field of a setting that is a number, with the range of its control, and return the number."""
    kind: Any = type(row.off)
    low, high, step = map(kind, row.control)
    shown = "%d" if kind is int else "%.3f" if step < 0.01 else "%.2f"
    chosen = st.number_input(_(row.label), min_value=low, max_value=high, value=kind(start), step=step, format=shown, **widget_options)
    return start if chosen is None else chosen


def table(head: Sequence[str], rows: Iterable[Sequence[str]], ends_in_text: bool = False) -> None:
    """Draw a table whose first column is text and whose other columns are numbers. ends_in_text: the last column is text, too."""
    numbered = len(head) - 1 - ends_in_text
    lines = [head, ["---", *["---:"] * numbered, *["---"] * ends_in_text], *rows]
    st.markdown("\n".join(f"| {' | '.join(cells)} |" for cells in lines))


def page_link(path: str, **options: Any) -> None:
    """Draw a link to the page with this path as `st.page_link` does; nothing if this app does not have the page."""
    if features.is_here(path):
        st.page_link(features.file_of(path), **options)


def notices(place: str = "") -> None:
    """Show the notices of this place (the key of a button, "" for the head of the page) in one box."""
    shown = current.notices(place)
    if shown:
        show_notice(" ".join(note.text for note in shown))
    current_session().notices.shown.update(shown)


def mark_notices() -> None:
    """Note that the live view shows the notices without a place."""
    current_session().notices.in_view = True


def has_run() -> bool:
    """Return whether there is a run to show."""
    with suppress(ViewerError):
        current.run()
        return True
    return False


def ready() -> bool:
    """Return whether there is a run to show; if not, show the sentence that says why."""
    try:
        current.run()
    except ViewerError as error:
        notices()
        begins = isinstance(error, EmptyPrompt) and current.as_chat()
        show_notice(_("This is a new conversation. Write your first message below.") if begins else say(error))
        return False
    return True


def examples(values: Mapping[str, Sequence[Any]], fields: Sequence[str], key: str, **widget_options: Any) -> bool:
    """Draw a button for each example, which writes its values into the fields with these keys. Return whether one was just pressed."""

    def fill(example: Sequence[Any]) -> None:
        for field, value in zip(fields, example, strict=True):
            current.fill(field, value)

    buttons = [
        pressed(_(title), f"{key}_{number}", first=partial(fill, example), help=str(example[0]), **widget_options)
        for number, (title, example) in enumerate(values.items())
    ]
    return any(buttons)


def table_button(data: Callable[[], str], name: str, key: str) -> None:
    """Draw the button that saves a table under this name."""
    save_button(_("Save as CSV"), data, name, key=key, quiet=True)


def run_and_rerun(verb: Callable[..., None], redraw: Sequence[str], *args: object) -> None:
    """Call `verb(*args)`, then rerun the fragments with these keys; rerun the whole page if none is named or Play is on."""
    played = current.playing()
    verb(*args)
    if redraw and not played and not current.playing():
        st.rerun(list(redraw))
    st.rerun()


def pressed(
    label: str,
    key: str,
    draw: Callable[..., object] = st.button,
    first: Callable[[], None] | None = None,
    **widget_options: Any,
) -> bool:
    """Draw a button and return whether it was pressed.

    draw: `st.button` or `st.form_submit_button`. first: called before the run of a press.

    The value that Streamlit returns for a button is lost if another rerun ends this run before it comes to the button. A component that
    reports a size at this moment is enough. The callback is never lost, because Streamlit calls it first.
    """
    draw(label, key=key, on_click=_note_press, args=(key, first), **widget_options)
    press = memory(Press)
    was_pressed = press.key == key
    if was_pressed:
        press.key = ""
    return was_pressed


def _note_press(key: str, first: Callable[[], None] | None) -> None:
    memory(Press).key = key
    if first is not None:
        first()


def forget_press() -> None:
    """Forget a press whose button is no longer on the page. app.py calls this at the end of the page."""
    memory(Press).key = ""


def button(label: str, verb: Callable[[], None], key: str, **widget_options: Any) -> None:
    """Draw a button whose `verb`, made from the current values of all fields, is called at the beginning of the next run.

    Streamlit calls `on_click` with the arguments of the last run, which miss a text that arrives together with the press. In the run of
    the press, other widgets are already drawn, and Streamlit refuses a new value for a drawn widget.
    """
    if pressed(label, key, **widget_options):
        act_in_next_run(verb)
        st.rerun()


def act_in_next_run(verb: Callable[[], None]) -> None:
    """Call `verb` at the beginning of the next run, before a widget is drawn."""
    memory(Press).verb = verb


def act_on_press() -> None:
    """Call the verb of the `button` that was pressed in the last run. app.py calls this before it draws a widget."""
    press = memory(Press)
    verb, press.verb = press.verb, None
    if verb is not None:
        verb()
