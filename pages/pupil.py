"""A pupil and a teacher: two models on the same words; the small one as far as it is sure; and what it took over from the large one."""

from __future__ import annotations

import math

import streamlit as st

from core.experiments.cascade import LARGE_ONLY, SMALL_ONLY, CascadeScore, CascadeToken, cascade
from core.experiments.school_report import SchoolReport, school_reports
from core.experiments.two_models import JudgedParts, JudgedToken, ModelFigures, judge
from core.language import N_, _, written
from pages.ui.charts import charts, palette
from pages.ui.charts.legend import legend
from pages.ui.charts.token_text import Word
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments import experiment, results
from pages.ui.i18n import example_texts, numbers
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame, prompt_field
from pages.ui.views import pupil_view

frame.page()
NAME, CASCADE, SCHOOL = "pupil", "pupil_cascade", "pupil_school"
LENGTHS = (24, 48, 96)
FACTS = 60  # questions of the school report


def now() -> provenance.Provenance:
    """What a judged text would be made with."""
    chosen = {
        N_("the pupil"): pupil_view.named(small),
        N_("the writer"): N_("{name} writes").format(name=pupil_view.named(writer)),
        N_("the length"): N_("{count} tokens").format(count=length),
    }
    return provenance.now(chosen, model=large)


def now_cascade() -> provenance.Provenance:
    """What the three texts would be made with."""
    chosen = {
        N_("the pupil"): pupil_view.named(small),
        N_("the threshold"): N_("{count} bits").format(count=f"{threshold:g}"),
        N_("the length"): N_("{count} tokens").format(count=length),
    }
    return provenance.now(chosen, model=large)


def now_school() -> provenance.Provenance:
    """What an examination would be made with."""
    return provenance.now({N_("the pupil"): pupil_view.named(small)}, model=large, prompt=False, settings=False)


@current.error_boundary
def begin() -> None:
    """One writes, the other judges."""
    current.anchor_notices(NAME)
    who = writer
    other = small if who == large else large
    one, two = current.model_named(who), current.model_named(other)
    prompt, settings, count = current.prompt(), current.settings(), length
    about = (ModelFigures.of(one), ModelFigures.of(two), len(one.encode(prompt)))
    experiment.start(NAME, lambda: judge(one, two, prompt, settings, count), now(), about)


@current.error_boundary
def begin_cascade() -> None:
    """Three texts: both together, and each alone."""
    current.anchor_notices(CASCADE)
    one, two = current.model_named(small), current.model_named(large)
    prompt, settings, count, bits = current.prompt(), current.settings(), length, (float(threshold), SMALL_ONLY, LARGE_ONLY)
    experiment.start(CASCADE, lambda: cascade(one, two, prompt, settings, bits, count), now_cascade(), (small, large))


@current.error_boundary
def begin_school() -> None:
    """Facts, a story, agreement: for the teacher, the pupil, and the pupil's twin if there is one."""
    current.anchor_notices(SCHOOL)
    teacher = current.model_named(large)
    examined = [teacher, *(current.model_named(name) for name in (small, *twins()))]
    experiment.start(
        SCHOOL,
        lambda: school_reports(
            examined,
            teacher,
            example_texts.MOUSE,
            FACTS,
        ),
        now_school(),
        twins(),
    )


def twins() -> list[str]:
    """Bundled models that learnt as the pupil did, but from the texts alone."""
    return [name for name in current.model_names() if name == f"{small}-alone"]


def course() -> None:
    """All that moves while one writes and the other judges."""
    with results.shown(NAME, now(), begin) as run:
        seen = [one for one in run.seen if isinstance(one, JudgedToken)]
        if not seen:
            if not run.running and not run.error:
                st.caption(_("Press the button: one writes with your settings and dice, and both say what they think of every piece."))
            return
        one, two, prompt_tokens = run.about
        names = (pupil_view.named(one.name), pupil_view.named(two.name))
        elements.section(_("The text, piece by piece"), _("surprise of both, bits"))
        colours = palette.of(charts.theme())
        same = seen[0].judge is not None
        if same:
            entries = zip((colours.dice, colours.other), names, strict=True)
            legend(*((shade, _("{name} expected it more").format(name=name)) for shade, name in entries))
        scored_text(
            [pupil_view.word(piece, names) for piece in seen],
            key="pupil_text",
            alt_text=_("The text, piece by piece"),
            size="1.15rem",
            max_height="17rem",
        )
        if same:
            st.caption(_("Below each piece: how surprised {writer} · {judge} was, in bits.").format(writer=names[0], judge=names[1]))
            left, right = st.columns(2, gap="large")
            with left:
                elements.section(_("One place, both odds"), _("next-token distributions, before any setting"))
                pupil_view.odds(seen[pupil_view.place_looked_at(seen, run.running)], names)
            with right:
                elements.section(_("Surprise along the text"), _("up: {writer}, down: {judge}").format(writer=names[0], judge=names[1]))
                pupil_view.surprises(seen)
        for found in run.seen:
            if isinstance(found, JudgedParts):
                pupil_view.parts(found, names)
        pupil_view.figures(seen, names, (one, two), prompt_tokens)


def cascaded() -> None:
    """Three texts with the same dice, and what each cost."""
    with results.shown(CASCADE, now_cascade(), begin_cascade) as run:
        tokens = [one for one in run.seen if isinstance(one, CascadeToken)]
        if not tokens:
            if not run.running and not run.error:
                st.caption(_("Press the button: each of the three texts grows by one piece in turn."))
            return
        colours = palette.of(charts.theme())
        legend((colours.computed, _("here the large one took over")))
        small_name, large_name = (pupil_view.named(name) for name in run.about)
        titles = (_("Together"), _("{name} alone").format(name=small_name), _("{name} alone").format(name=large_name))
        scores = {one.run: one.bits_per_token for one in run.seen if isinstance(one, CascadeScore)}
        lines, sums = (
            [
                _("| | by the small one | large one's surprise, a token | multiply-adds (computed) | time of the passes |"),
                "|---|---:|---:|---:|---:|",
            ],
            list[tuple[float, int, float]](),
        )
        for number, (home, title) in enumerate(zip(st.columns(3, gap="large"), titles, strict=True)):
            mine = [one for one in tokens if one.run == number]
            with home:
                st.caption(title)
                told = [
                    Word(
                        pupil_view.piece_of(one), "computed", 0.3 if one.by_large and number == 0 else 0.0, lines=(pupil_view.told_of(one),)
                    )
                    for one in mine
                    if one.text  # an end token writes nothing, and a character may need several
                ]
                scored_text(told, key=f"pupil_cascade_{number}", alt_text=title, size="1rem", max_height="14rem")
            if mine:
                share = sum(not one.by_large for one in mine) / len(mine)
                work, seconds = sum(one.multiply_adds for one in mine), sum(one.seconds for one in mine)
                sums.append((share, work, seconds))
                bits_told = numbers.bits(scores[number]) if number in scores else "…"
                lines.append(f"| {title} | {numbers.percent(share)} | {bits_told} | {numbers.count(work)} | {numbers.duration(seconds)} |")
        st.markdown("\n".join(lines))
        if not run.running and len(sums) == 3:
            together, _helped, alone = sums
            wrote, factors = numbers.percent(together[0]), [f"{written(together[at] / alone[at], '.2g')} ×" for at in (1, 2)]
            st.markdown(
                _(
                    "The small one wrote **{share}** of the pieces, with **{work}** the multiply-adds of the "
                    "large one alone and **{time}** the time of its passes."
                ).format(share=wrote, work=factors[0], time=factors[1])
            )
            st.caption(
                _(
                    "Quality here is what the large one makes of the text: less surprise is nearer to what it "
                    "would have said itself. The large one has to read what was written meanwhile, in one pass, "
                    "so its work does not vanish with its turns."
                )
            )


def examined() -> None:
    """Facts, perplexity, agreement."""
    with results.shown(SCHOOL, now_school(), begin_school) as run:
        found: dict[str, SchoolReport] = {one.name: one for one in run.seen}
        if not found:
            if not run.running and not run.error:
                st.caption(
                    _("Press the button: each is asked {count} facts, and reads a short story that stands in no lesson.").format(
                        count=FACTS
                    )
                )
            return
        lines = [
            _("| | size | facts right | perplex\u00adity of the story | teacher's favourite kept | diver\u00adgence (KL, nats) |"),
            "|---|---:|---:|---:|---:|---:|",
        ]
        for one in found.values():
            kl = "–" if math.isnan(one.kl) else written(one.kl, ".2f")
            facts = _("{count} of {total}").format(count=one.right, total=one.asked) if one.asked else "…"
            along = f"{numbers.perplexity(one.perplexity)} | {numbers.percent(one.kept)} | {kl}"
            lines.append(f"| {pupil_view.named(one.name)} | {numbers.count(one.parameters)} | {facts} | {along} |")
        st.markdown("\n".join(lines))
        st.caption(
            _(
                "Facts in the words of the bundled models' lessons, right where every piece of the answer is "
                "the favourite. The story was written for this page."
            )
        )
        st.caption(
            _(
                "**{twin}** has the pupil's size. For two thirds of their steps the two were one model, which read texts; for "
                "the last third both read the same new ones, the pupil with the teacher's odds beside every word, the "
                "twin without. Each was trained once, so small differences may be chance."
            ).format(twin=pupil_view.named(run.about[0]))
            if run.about
            else _(
                "What the teacher gave would show beside a twin of the same size that learnt from the texts "
                "alone. No such model is here; `python -m core.training.distill --alone` trains it."
            )
        )


def button(name: str, start: str, again: str, press: object, icon: str) -> None:
    """Start or stop."""
    state = experiment.of(name)
    if state.running:
        st.button(_("Stop"), on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{name}_stop")
    elif st.button(
        again if state.seen and not state.recorded_on else start,
        type="primary" if name == NAME else "secondary",
        icon=icon,
        key=f"{name}_start",
    ):
        assert callable(press)
        press()
        st.rerun()


frame.header(
    _("A pupil and a teacher"),
    _("model size, distillation"),
    _(
        "Two models on the same words. One writes, the other says of every piece how far it had "
        "expected it. A smaller model is faster and less clever; one that learnt from the large "
        "one's odds comes surprisingly near."
    ),
)
with elements.error_boundary():
    names = current.model_names()
    if len(names) < 2:
        elements.show_notice(_("Only one model is here. Fetch another one on the Models page."))
    else:
        prompt_field.own_text()
        with st.container(horizontal=True, vertical_alignment="bottom", key="pupil_controls"):
            teachers = names.index(current.model_name()) if not current.model_name().endswith("-mini") else 0
            large = st.selectbox(
                _("Teacher"),
                names,
                index=teachers,
                format_func=pupil_view.named,
                key="pupil_large",
                help=_("The larger of the two."),
                width=200,
                **PERSISTENT,
            )
            others = [name for name in names if name != large]
            first = next((place for place, name in enumerate(others) if name.endswith("-mini")), 0)
            small = st.selectbox(
                _("Pupil"),
                others,
                index=first,
                format_func=pupil_view.named,
                key="pupil_small",
                help=_("The smaller of the two. The bundled mini learnt from the bundled storyteller's odds."),
                width=200,
                **PERSISTENT,
            )
            ways = {N_("Pupil"): small, N_("Teacher"): large}
            chosen = st.segmented_control(
                _("Who writes"), list(ways), default="Teacher", format_func=_, key="pupil_writer", required=True, **PERSISTENT
            )
            writer = ways[chosen or "Teacher"]
            length = st.segmented_control(_("Tokens"), LENGTHS, default=48, key="pupil_length", required=True, **PERSISTENT) or 48
            button(NAME, _("Write and judge"), _("Once more"), begin, ":material/edit:")
        results.live(course, NAME, key="pupil_course")
        elements.section(_("Let the small one answer, unless it is unsure"), _("cascade"))
        st.caption(
            _(
                "Wherever the small one's odds are spread wider than this, the large one takes over for that "
                "piece. Three texts with the same dice: both together, the small one alone, the large one "
                "alone."
            )
        )
        with st.container(horizontal=True, vertical_alignment="bottom", key="pupil_cascade_controls"):
            threshold = st.slider(
                _("Asks the large one above"),
                0.0,
                8.0,
                2.0,
                0.25,
                format="%.2f bits",
                key="pupil_threshold",
                help=_("Bits of entropy of the small one's odds: 0 is dead sure, 1 is like a coin, 3 like a die with eight sides."),
                width=320,
                **PERSISTENT,
            )
            button(CASCADE, _("Write all three"), _("Once more"), begin_cascade, ":material/alt_route:")
        results.live(cascaded, CASCADE, key="pupil_cascade_course")
        elements.section(_("What it learnt"), _("facts, perplexity, agreement"))
        button(SCHOOL, _("Examine them"), _("Once more"), begin_school, ":material/school:")
        results.live(examined, SCHOOL, key="pupil_school_course")
