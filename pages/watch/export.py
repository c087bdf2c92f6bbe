"""Export and sharing: the link, the recording, the table of steps, pictures; and opening a recording again."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from core import Generation
from core.record.tables import candidates_table, csv_text, steps_table
from pages.ui.charts.tree_rows import branch_name
from pages.ui.components.copy_button.copy_button import copy_button
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, ngettext
from pages.ui.session import address_bar, conversation, current, elements, opened_recording, upload_field
from pages.watch import run_pictures


def keep(run: Generation) -> None:
    """Draw the popover with the link and the files of a run. A file is made at the press, from the run as it is then."""
    with st.popover(
        _("Keep or share"),
        icon=":material/ios_share:",
        help=_("Copy a link, save the run, a picture or an animation of it, or open a recording."),
        on_change="rerun",
        key="keep",
    ) as popover:
        if not popover.open:
            return
        with elements.error_boundary():
            query, note = address_bar.link_query()
            copy_button(_("Copy link"), _("Link"), key="link", query=query)
            st.caption(note)
            files(run)
            run_pictures.pictures(run, whole_link(query))
            opened = partial(elements.run_and_rerun, opened_recording.recording_uploaded, ())
            label = _("Open a recording, or a server's saved answer with log-probabilities")
            elements.notices("recording")  # above its field: below it, the end of the popover is out of sight
            upload_field.upload_field(label, "recording", ["json", "jsonl", "txt"], opened)
            begun = partial(elements.run_and_rerun, conversation.file_uploaded, ())
            elements.notices("conversation_file")
            upload_field.upload_field(_("Open a conversation"), "conversation_file", ["json"], begun)


def files(run: Generation) -> None:
    """Draw the buttons that download the recording and the steps."""
    with st.container(horizontal=True):
        script = _("A script that repeats this run, with all its settings.")
        for label, content_of, name, mime, icon, about in (
            (_("Recording (JSON)"), recording_of, "run.json", "application/json", "movie", None),
            (_("Steps (CSV)"), steps_of, "steps.csv", "text/csv", "table", None),
            (_("Candidates (CSV)"), candidates_of, "candidates.csv", "text/csv", "table_rows", _("All listed tokens of every step.")),
            (_("Code (Python)"), code_of, "run.py", "text/x-python", "code", script),
        ):
            widget_options: dict[str, Any] = {"on_click": "ignore", "icon": f":material/{icon}:", "help": about}
            st.download_button(label, partial(content_of, run), name, mime, **widget_options)
        if run.messages:
            st.download_button(
                _("Messages (JSON)"),
                data=partial(conversation.messages_file, run),
                file_name="messages.json",
                mime="application/json",
                on_click="ignore",
                icon=":material/forum:",
                help=_("The conversation as chat programs and servers read it."),
            )


def code_of(run: Generation) -> str:
    """Return the Python code that repeats a run. It is called outside of a session."""
    from core.reports.python_code import code

    return code(run)


def recording_of(run: Generation) -> str:
    """Return the file of a run. It is called outside of a session, so the run is an argument."""
    from core import Recording

    return Recording.of(run).dumps()


def whole_link(query: str) -> str:
    """Return the link with this query, with the host that the visitor's browser uses."""
    parts = urlsplit(st.context.url or "")
    return urlunsplit((parts.scheme, parts.netloc, "/", query, "")) if parts.netloc else ""


def steps_of(run: Generation) -> str:
    """Return the steps of the current path as CSV. It is called outside of a session."""
    return csv_text(steps_table(run.path))


def candidates_of(run: Generation) -> str:
    """Return the listed tokens of all steps of the current path as CSV. It is called outside of a session."""
    return csv_text(candidates_table(run.path))


def branches(run: Generation) -> None:
    """Draw the popover with all branches; a click moves the current path there. Nothing is drawn as long as there is one alone."""
    endings = run.endings()
    if len(endings) < 2:
        return
    label = _("Branches · {count}").format(count=len(endings))
    with st.popover(label, icon=":material/alt_route:", key="branches", on_change="rerun") as popover:
        if not popover.open:
            return
        for branch in endings:
            where = _("you are here") if branch.is_current else _("parts at step {step}").format(step=(branch.parts_at or 0) + 1)
            if not branch.is_current and branch.parts_at == len(run.path):
                where = _("goes on from here")
            counted = ngettext("{count} step", "{count} steps", branch.step_count).format(count=numbers.whole(branch.step_count))
            steps = f"{where} · {counted}"
            st.button(
                plain(branch_name(run, branch)),
                key=f"branch_{branch.node_id}",
                on_click=elements.run_and_rerun,
                args=(current.switch, (), branch.node_id),
                help=steps,
                type="primary" if branch.is_current else "secondary",
                width="stretch",
            )
            st.caption(steps)
