"""Pictures of a run: a step as a picture of 1920 x 1080, the run as a page that replays it, and the run as an animation."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core import Generation
from core.errors import BadSetting
from core.record.step import Step
from core.reports import animation, fonts, rasterize
from core.reports.animation import Drawn, Options
from core.reports.chart_picture import file_name
from core.reports.html_page import LONGEST_TEXT, page
from core.reports.step_picture import PictureStyle, step_svg, texts_of
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, said, with_current_language, wording
from pages.ui.session import current, elements, provenance
from pages.ui.views.picture_menu import choose_theme, said_missing

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
    seen = current.shown(run)
    step = seen if isinstance(seen, Step) else run.path[-1]
    first, last = _part(len(run.path))
    with st.container(horizontal=True):
        _step_button(step, theme, run)
        _page_button(run, link, first, last)
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
    st.download_button(
        _("Step {number} (PNG)").format(number=step.index + 1),
        data=with_current_language(partial(step_png, step, theme)),
        file_name=_name(run, f"step {step.index + 1}", "png"),
        mime="image/png",
        on_click="ignore",
        icon=":material/image:",
        help=_("The text, the bars and the dice as one picture of 1920 x 1080 for a slide. Reopen another step to save that one."),
        key="pictures_step",
    )


def _page_button(run: Generation, link: str, first: int, last: int) -> None:
    st.download_button(
        _("Page (HTML)"),
        data=with_current_language(partial(page_of, run, link, first, last)),
        file_name=_name(run, "run", "html"),
        mime="text/html",
        on_click="ignore",
        icon=":material/article:",
        help=_("One offline page that replays the text. Printed, it is a handout with charts, settings, costs and a QR code of the link."),
        key="pictures_page",
    )
    if last - first >= LONGEST_TEXT:
        st.caption(_("The page shows the newest {most} of these tokens.").format(most=numbers.whole(LONGEST_TEXT)))


def step_png(step: Step, theme: str) -> bytes:
    """Return the picture of a step. It is called outside of a session."""
    return rasterize.png(step_svg(step, PictureStyle(theme, wording())))


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

        results.start_button(
            NAME, _("Make the animation"), current.error_boundary(begin), icon=":material/movie:", disabled=count > options.most
        )
    if count > options.most:
        sentence = _("{count} tokens are chosen; an animation takes at most {most}. Choose a shorter part above.")
        st.caption(sentence.format(count=numbers.whole(count), most=options.most))
    results.live(_progress, NAME, key="pictures_progress")


def _progress() -> None:
    """Draw how much of the animation is drawn, then the button that saves it."""
    elements.notices(NAME)
    drawing = experiment.of(NAME)
    newest: Drawn | None = drawing.seen[-1] if drawing.seen else None
    if drawing.error:
        elements.show_notice(_(drawing.error))
    elif drawing.running:
        done, total = (newest.done, newest.total) if newest else (0, 1)
        st.progress(done / total, text=_("Drawing: {done} of {total} pictures").format(done=done, total=total))
    elif newest is not None and newest.content:
        kind = str(drawing.about).rpartition(".")[2]
        label = _("Save the animation ({size})").format(size=numbers.size(len(newest.content)))
        st.download_button(
            label, newest.content, drawing.about, f"image/{kind}", on_click="ignore", icon=":material/download:", key="pictures_save"
        )
        st.caption(str(drawing.about))
