"""Export and sharing: the link, the recording, the table of steps, pictures; and opening a recording again.

Pictures are of a step (1920 x 1080), of the run as a page that replays it, and of the run as an animation.
"""

from __future__ import annotations

from functools import partial
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from core import Generation
from core.errors import BadSetting, NotForThisModel
from core.record.csv_text import csv_text
from core.record.step import Step
from core.record.tables import candidates_table, steps_table
from core.reports import animation, fonts, svg
from core.reports.animation import Drawn, Options
from core.reports.files import file_name
from core.reports.html_page import LONGEST_TEXT, page
from core.reports.live_page.page import check
from core.reports.live_page.page import page as live_page
from core.reports.step_picture import PictureStyle, step_svg, texts_of
from pages.ui.charts.tree_rows import branch_name
from pages.ui.components.copy_button.copy_button import copy_button
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _, ngettext, said, say, wording, wordings
from pages.ui.session import (
    address_bar,
    conversation,
    current,
    elements,
    notices,
    opened_recording,
    player_actions,
    provenance,
    upload_field,
)
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.offered_files import save_button
from pages.ui.views.save_chart import choose_theme, said_missing

NAME = "animation"
SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0)  # tokens per second
FORMATS = {".gif": "GIF", ".webp": "WebP"}
BEATS = {False: N_("One per token"), True: N_("Three per token")}


def pictures(run: Generation, link: str) -> None:
    """Draw the buttons. link: the address that repeats the run."""
    if not run.path:
        st.caption(_("Take a step first: pictures, pages and animations show the steps of a run."))
        return
    theme = choose_theme("pictures_theme")
    distribution = current.shown(run)
    step = distribution if isinstance(distribution, Step) else run.path[-1]
    first, last = _part(len(run.path))
    with st.container(horizontal=True):
        _step_button(step, theme, run)
        _page_button(run, link, first, last)
        why_not = _live_button(run)
    if why_not:
        st.caption(why_not)
    said_missing(fonts.missing([*texts_of(step), *(path_step.text for path_step in run.path)]))
    _animation(run, theme, first, last)


def _name(run: Generation, what: str, kind: str) -> str:
    return file_name(what, run.model_name.rpartition("/")[2], " ".join(run.prompt.split()[:6]), kind=kind)


def _part(count: int) -> tuple[int, int]:
    """Draw the choice of the tokens to show, and return the first and the last one."""
    if count < 2:
        return 1, count
    usual = (max(1, count - animation.MOST_FRAMES + 1), count)
    if "pictures_part" in st.session_state and st.session_state["pictures_part"][1] > count:
        st.session_state["pictures_part"] = usual
    first, last = st.slider(_("Tokens to show"), 1, count, usual, key="pictures_part")
    return first, last


def _step_button(step: Step, theme: str, run: Generation) -> None:
    save_button(
        _("Step {number} (PNG)").format(number=step.index + 1),
        partial(step_png, step, theme),
        _name(run, f"step {step.index + 1}", "png"),
        help=_("The text, the bars and the dice as one picture of 1920 x 1080 for a slide. Reopen another step to save that one."),
        key="pictures_step",
    )


def _page_button(run: Generation, link: str, first: int, last: int) -> None:
    save_button(
        _("Page (HTML)"),
        partial(page_of, run, link, first, last),
        _name(run, "run", "html"),
        help=_("One offline page that replays the text. Printed, it is a handout with charts, settings, costs and a QR code of the link."),
        key="pictures_page",
    )
    if last - first >= LONGEST_TEXT:
        st.caption(_("The page shows the newest {most} of these tokens.").format(most=numbers.whole(LONGEST_TEXT)))


def _live_button(run: Generation) -> str:
    """Draw the button of the live page. Return the sentence that says why there is none for this run, "" if there is one."""
    try:
        check(run)
    except NotForThisModel as error:
        return say(error)
    save_button(
        _("A live page"),
        partial(live_page_of, run),
        _name(run, "live", "html"),
        help=_("One file with the model in it: it opens in any browser without a network, shows this run, and writes on from there."),
        key="pictures_live",
    )
    return ""


def live_page_of(run: Generation) -> str:
    """Return the live page of a run in all languages. It is called outside of a session."""
    return live_page(run, wordings())


def step_png(step: Step, theme: str) -> bytes:
    """Return the picture of a step. It is called outside of a session."""
    return svg.png(step_svg(step, PictureStyle(theme, wording())))


def page_of(run: Generation, link: str, first: int, last: int) -> str:
    """Return the page of a run. It is called outside of a session, when the run may have become shorter."""
    last = min(last, len(run.path))
    first = min(max(first, last - LONGEST_TEXT + 1), last)
    return page(run, link, wording=wording(), first=first or None, last=last or None)


def _animation(run: Generation, theme: str, first: int, last: int) -> None:
    """Draw the choices of an animation, the button that makes it, its progress and its file."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        speed = st.selectbox(_("Tokens per second"), SPEEDS, index=2, format_func=numbers.short, key="pictures_speed", width=130)
        kind = st.selectbox(_("Format"), list(FORMATS), format_func=FORMATS.__getitem__, key="pictures_format", width=110)
        frames = said(BEATS)
        beats = st.selectbox(_("Pictures"), list(BEATS), format_func=frames.__getitem__, key="pictures_beats", width=170)
        options = Options(theme, speed, beats, wording())
        count = last - first + 1

        def begin() -> None:
            if count > options.most:
                raise BadSetting(_("Choose at most {most} tokens.").format(most=options.most))
            steps = animation.part_of(run.path, first, last, options.most)
            about = _name(run, f"tokens {first} to {last}", kind.removeprefix("."))
            experiment.start(NAME, lambda: animation.drawn(steps, options, kind), provenance.shown(), about)

        results.start_button(NAME, _("Make the animation"), action_boundary(begin), icon=":material/movie:", disabled=count > options.most)
    if count > options.most:
        sentence = _("{count} tokens are chosen; an animation takes at most {most}. Choose a shorter part above.")
        st.caption(sentence.format(count=numbers.whole(count), most=options.most))
    results.live(_progress, NAME, key="pictures_progress")


def _progress() -> None:
    """Draw how much of the animation is drawn, then the button that saves it."""
    elements.notices(NAME)
    drawing = experiment.started_or_recorded(NAME)
    newest: Drawn | None = drawing.observations[-1] if drawing.observations else None
    if drawing.error:
        notices.show_notice(_(drawing.error))
    elif drawing.running:
        made, total = (newest.done, newest.total) if newest else (0, 1)
        st.progress(made / total, text=_("Drawing: {done} of {total} pictures").format(done=made, total=total))
    elif newest is not None and newest.content:
        label = _("Save the animation ({size})").format(size=numbers.size(len(newest.content)))
        save_button(label, newest.content, str(drawing.about), key="pictures_save")
        st.caption(str(drawing.about))


def link() -> str:
    """Draw the button of the run's link, if it has one, and what the link opens. Return its query, "" without a link."""
    query, note = address_bar.link_query()
    if query:
        copy_button(_("Copy link"), _("Link"), key="link", query=query)
    st.caption(note)
    return query


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
        with drawing_boundary():
            query = link()
            files(run)
            pictures(run, whole_link(query))
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
        for label, content_of, name, about in (
            (_("Recording (JSON)"), recording_of, "run.json", ""),
            (_("Steps (CSV)"), steps_of, "steps.csv", ""),
            (_("Candidates (CSV)"), candidates_of, "candidates.csv", _("All listed tokens of every step.")),
            (_("Code (Python)"), code_of, "run.py", script),
        ):
            save_button(label, partial(content_of, run), name, key=f"save_{name.replace('.', '_')}", help=about)
        if run.messages:
            about = _("The conversation as chat programs and servers read it.")
            save_button(_("Messages (JSON)"), partial(conversation.messages_file, run), "messages.json", key="save_messages", help=about)


def code_of(run: Generation) -> str:
    """Return the Python code that repeats a run. It is called outside of a session."""
    from core.reports.settings_text import code

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
                args=(player_actions.switch, (), branch.node_id),
                help=steps,
                type="primary" if branch.is_current else "secondary",
                width="stretch",
            )
            st.caption(steps)
