"""Every page, opened and then used: what it draws is compared with what was observed; and no page breaks a rule of accessibility.

Each page is loaded once: with its recorded result in the light theme, then in the dark theme on a phone, then after its main button.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pandas as pd
import pytest

from core import Generation, load_model, score_text
from core.experiments.shared import prepared_runs
from core.experiments.shared.result_file import RecordedExperiment
from core.models.growth_record import growth_of
from core.models.hub import bundled_names
from pages.ui import features
from pages.ui.experiments import stored_results
from pages.ui.features import Recorded
from pages.ui.i18n import example_texts
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.glossary import terms
from pages.ui.presenting import prepared_talks, talk_file
from pages.ui.session.sampling_controls import START
from tests.browser import agreement, observed
from tests.browser.accessibility import BY_LOOK, COVERED, sideways, violations
from tests.browser.drawn import Drawn
from tests.browser.watching import download, eventually, live, opened, press, settled, type_into

pytestmark = pytest.mark.browser
At = Callable[..., Any]
PATHS = features.paths()
MAIN = "[data-testid=stMain]"
# Long experiments with charts: they are stopped at their first mark.
STOPPED = {"batching_curve", "thinking_budget_set", "quantization_parts", "looping_runs"}
ELSEWHERE = {
    "newborn",
    "same_prompt",
    "same_prompt_table",
    "think_set",
    "watch_template",
}  # pressed by test_teach.py, test_same_prompt.py, test_experiments.py; the last one by test_template_view.py, with a chat model
# 200 runs, or long before the first mark: only the exhaustive selection presses them.
AT_LENGTH = {"looping", "watermark", "waiting_curve"}
PHONE = {"width": 390, "height": 3000}  # so high that the player covers nothing
WIDE = {"stage", "notes"}  # pages for a wall and a desk
CHARTS = """() => [...document.querySelectorAll("[data-testid=stVegaLiteChart]")].every(
    one => !one.checkVisibility() || one.querySelector("svg"))"""
SMALLEST = {  # the first choice of these controls is the smallest
    "thinking_budget_set": ("think_count",),
    "watermark": ("watermark_length",),
    "race": ("cache_length",),
    "candidates": ("candidates_count", "candidates_length"),
    "batching": ("batching_readers",),
    "context": ("context_repeats",),
    "pupil_school": ("pupil_length",),
    "waiting": ("waiting_length",),
    "waiting_curve": ("waiting_requests",),
}


@cache
def usual(prompt: str = example_texts.FIRST_PROMPT, count: int = 0) -> Generation:
    """Return a run of the bundled model with the settings that every visitor begins with."""
    run = Generation(load_model("storyteller"), prompt, START)
    list(run.stream(count))
    return run


# What pages without an experiment draw, before and after their main button.


def watch(page: Any) -> None:
    run = usual()
    eventually(page, partial(agreement.live_bars, Drawn(page, ".st-key-odds"), run.next_distribution()))
    agreement.words(Drawn(page, ".st-key-strip"), run.prompt)


def watch_step(page: Any) -> None:
    press(page, "step")
    run = usual(count=1)
    eventually(page, partial(agreement.words, Drawn(page, ".st-key-strip"), run.prompt + run.path[0].text))
    eventually(page, partial(agreement.live_bars, Drawn(page, ".st-key-odds"), run.path[0]))
    press(page, "to_stage")
    page.locator(".stage .text .token").first.wait_for()


def tour(page: Any) -> None:
    assert len(Drawn(page, ".st-key-tour_strip").texts(".token")) > 3


def tour_one(page: Any) -> None:
    strip = Drawn(page, ".st-key-tour_strip")
    before = len(strip.texts(".token"))
    press(page, "tour_one")
    eventually(page, lambda: same_number(strip.texts(".token"), before + 1))


def same_number(found: list[str], count: int) -> None:
    """Assert that so many texts were found."""
    assert len(found) == count, found


def read(page: Any, example: str = "A tale") -> None:
    tokens = score_text(load_model("storyteller"), EXAMPLES.to_read[example]).tokens
    surprises = [token.surprise for token in tokens if token.surprise is not None]
    eventually(page, lambda: agreement.same(Drawn(page, MAIN).marks("rect", "surprise"), surprises))


def read_another(page: Any) -> None:
    press(page, "read_example_A-twist")
    read(page, "A twist")
    page.locator('[class*="_sure"] summary').first.click()
    button = page.locator('[class*="_sure_csv"] button').first
    button.wait_for()
    opened(page, '[class*="_sure"]')
    parts = saved_table(page, button)
    assert parts.probability.is_monotonic_increasing and len(parts) > 10


def saved_table(page: Any, button: Any) -> pd.DataFrame:
    """Press a button that saves a table, and return the table."""
    return pd.read_csv(io.StringIO(download(page, button).read_text("utf-8-sig")))


def guess(page: Any) -> None:
    agreement.words(Drawn(page, ".st-key-guess_strip"), example_texts.FIRST_PROMPT)


def guess_a_word(page: Any) -> None:
    page.locator(".st-key-guess_form input, [data-testid=stForm] input").first.fill("princess")
    page.locator("[data-testid=stForm] button").first.click()
    drawn = Drawn(page, MAIN)
    eventually(page, lambda: same_number([*drawn.shares("model")], 9))


def shelf(page: Any) -> None:
    cards = Drawn(page, MAIN).texts('[class*="st-key-gallery_open_"]')
    assert len(cards) >= len(prepared_runs.PREPARED) + sum(result.card is not None for result in features.recorded())


def shelf_open(page: Any) -> None:
    press(page, "gallery_open_cold")
    text = "".join(step.text for step in prepared_runs.load("cold").path)
    eventually(page, lambda: agreement.words(Drawn(page, ".st-key-strip"), text.strip()))


def stage(page: Any) -> None:
    agreement.words(Drawn(page, ".stage .text"), example_texts.FIRST_PROMPT)


def stage_on(page: Any) -> None:
    """Read, think, weigh: the third beat shows the odds."""
    page.keyboard.press("3")
    favourite = usual().next_distribution().candidates[0].text.strip()
    eventually(page, lambda: agreement.words(Drawn(page, ".stage .bars .bar >> nth=0"), favourite, ".label"))


def talk(page: Any) -> None:
    stops = prepared_talks.THREE.stops
    eventually(page, lambda: same_number(Drawn(page, MAIN).texts('[class*="st-key-talk_row_"]'), len(stops)))
    saved = talk_file.loads(download(page, page.locator(".st-key-talk_save button")).read_text("utf-8"))
    assert len(saved.stops) == len(stops)


def talk_give(page: Any) -> None:
    press(page, "talk_give")
    page.locator(".stage .text .token").first.wait_for()


def notes(page: Any) -> None:
    assert Drawn(page, ".notes").texts(".clock")[0].startswith("0:")


def inside(page: Any) -> None:
    drawn = Drawn(page, MAIN)
    eventually(page, lambda: same_number(drawn.texts("[data-testid=stVegaLiteChart] svg.marks"), 10))
    agreement.words(Drawn(page, ".st-key-strip"), usual().prompt)
    eventually(page, partial(agreement.bars, Drawn(page, ".st-key-result_inside_settings"), usual().next_distribution(), "before"))


def inside_step(page: Any) -> None:
    press(page, "inside_step")
    run = usual(count=1)
    eventually(page, partial(agreement.words, Drawn(page, ".st-key-strip"), run.prompt + run.path[0].text))


def training(page: Any) -> None:
    grown = growth_of("storyteller")
    assert grown is not None
    shares = [share for moment in grown.moments for _, share in moment.prompts[1].top[:6]]
    eventually(page, lambda: agreement.among(Drawn(page, MAIN).marks("rect", "share"), shares))
    losses = [loss for moment in grown.moments for loss in (moment.loss, moment.held_out_loss) if loss is not None]
    eventually(page, lambda: agreement.same(Drawn(page, MAIN).marks("symbol", "loss"), losses))


def sheet_of_the_example(page: Any) -> None:
    """The field for a text is empty, and the sheet is that of the example."""
    assert page.locator(".st-key-by_hand_text textarea").input_value() == ""
    page.get_by_text("The sheet of “the cat sat. the cat ran. the dog sat.”").wait_for()
    page.locator("[data-testid=stDataFrame]").wait_for()


def sheet_of_the_stories(page: Any) -> None:
    """The stories are counted, and the table has a row for each row of the sheet."""
    press(page, "by_hand_count")
    page.get_by_text("is used on every page").wait_for()
    page.get_by_text("The sheet of “the").wait_for(state="detached")
    page.locator("[data-testid=stDataFrame]").wait_for()


def glossary(page: Any) -> None:
    same_number(Drawn(page, MAIN).texts('[class*="st-key-glossary_"] h2, [class*="st-key-glossary_"] h3'), len(terms()))


def what_if(page: Any, more: int = 0) -> None:
    sides = [len(Drawn(page, f".st-key-what_if_view_{side}").texts("[role=button]")) for side in (1, 2)]
    assert sides[0] == sides[1] > more
    assert Drawn(page, ".st-key-result_what_if").marks("symbol", "(index)")


def what_if_step(page: Any) -> None:
    before = len(Drawn(page, ".st-key-what_if_view_1").texts("[role=button]"))
    press(page, "what_if_step")
    eventually(page, lambda: what_if(page, before))


def models(page: Any) -> None:
    told = " ".join(Drawn(page, MAIN).texts("p")).lower()
    assert len(bundled_names()) == 3 and all(name.replace("-", " ") in told for name in bundled_names())


def models_use(page: Any) -> None:
    press(page, "models_use_storyteller-mini")
    page.locator(".st-key-models_use_storyteller button").wait_for()


def operator(page: Any) -> None:
    figures = Drawn(page, ".st-key-operator_figures").texts("[data-testid=stMetricValue]")
    assert int(figures[0].split()[0]) >= 1
    eventually(page, lambda: same_number([row[0] for row in Drawn(page, MAIN).rows() if row[0] == "VISITORS"], 1))


def marked_texts(page: Any) -> None:
    kept = stored_results.bundled("watermark")
    assert kept is not None
    eventually(page, lambda: observed.DRAWN["watermark"](Drawn(page, MAIN), kept))


def attack_in_every_way(page: Any) -> None:
    """Words are clicked and replaced, deleted, swapped; every second one is changed; another text is pasted. Each time the score falls."""

    def z() -> float:
        sentences = page.get_by_text("counted tokens are on the green list")
        return float(sentences.nth(sentences.count() - 1).inner_text().split("z = ")[1].split(":")[0].replace("−", "-"))

    def falls_below(limit: float) -> None:
        assert z() < limit

    def attack_with(act: str) -> None:
        page.locator(".st-key-watermark_act button", has_text=act).click()
        settled(page)

    untouched = z()
    for number in range(3, 24, 4):
        page.locator(".st-key-watermark_words_0 button").nth(number).click()
    page.get_by_text("6 words are changed.", exact=True).wait_for()
    for act in ("delete", "swap with the next", "replace"):
        attack_with(act)
        eventually(page, lambda: falls_below(untouched))
    type_into(page, "watermark_every", "2")
    page.locator(".st-key-watermark_words_2 button").first.wait_for()
    eventually(page, lambda: falls_below(untouched - 2))
    attack_with("paste another text")
    type_into(page, "watermark_pasted", "The sun was warm, and the children went home to their mother.")
    eventually(page, lambda: falls_below(2))
    press(page, "watermark_certain")


def chat(page: Any) -> None:
    page.get_by_text("storyteller has no chat template").wait_for()


def chat_models(page: Any) -> None:
    page.get_by_role("link", name="Download a chat model").click()
    page.get_by_text("a tiny chat model").wait_for()


Draws = Callable[[Any], None]
PLAIN: dict[str, tuple[Draws, Draws | None]] = {
    "watch": (watch, watch_step),
    "tour": (tour, tour_one),
    "chat": (chat, chat_models),
    "read": (read, read_another),
    "guess": (guess, guess_a_word),
    "gallery": (shelf, shelf_open),
    "stage": (stage, stage_on),
    "talk": (talk, talk_give),
    "notes": (notes, None),  # it follows a stage: test_stage.py
    "inside": (inside, inside_step),
    "training": (training, None),
    "glossary": (glossary, None),
    "by_hand": (sheet_of_the_example, sheet_of_the_stories),
    "what_if": (what_if, what_if_step),
    "watermark": (marked_texts, attack_in_every_way),
    "models": (models, models_use),
    "operator": (operator, None),
}


# The columns of the table that a result can be saved as.
TABLES: dict[str, Callable[[Any], dict[str, list[Any]]]] = {
    "looping": lambda seen: {name: [getattr(tried, name) for tried in seen[-1].remedies] for name in ("setting", "log_probability")},
    "thinking_budget": lambda seen: {name: [getattr(point, name) for point in seen] for name in ("chance", "tokens")},
    "calibration": lambda seen: {},
}


def has_area(result: Any) -> None:
    """Assert that a mark is seen: a bar of 0 % is drawn without one."""
    sizes = "marks => marks.map(mark => mark.getBoundingClientRect()).map(box => box.width * box.height)"
    assert any(result.locator(".role-mark path").evaluate_all(sizes))


@dataclass
class Experiment:
    """An experiment on its page."""

    page: Any
    take: Recorded

    def show(self) -> None:
        """Choose the view in which it stands."""
        views = self.page.locator(f".st-key-{self.take.page}_view button")
        if self.take.view is not None:
            views.get_by_text(self.take.view[1], exact=True).click()
        elif views.count():
            views.first.click()
        settled(self.page)

    def matches(self, kept: RecordedExperiment) -> None:
        """Assert that what is drawn is what was observed."""
        name = self.take.name
        drawn = Drawn(self.page, f".st-key-result_{name}, .st-key-result_{name}_outdated")
        eventually(self.page, partial(observed.DRAWN[name], drawn, kept))

    def recorded(self) -> None:
        """Compare with the result that came with the app."""
        kept = stored_results.bundled(self.take.name)
        assert kept is not None
        self.page.locator(f".st-key-recorded_{self.take.name}").wait_for()
        self.matches(kept)
        if self.take.name in TABLES:
            table = saved_table(self.page, self.page.locator(f".st-key-{self.take.name}_csv button"))
            assert len(table) > 3
            for column, values in TABLES[self.take.name](kept.observations).items():
                assert table[column].tolist() == pytest.approx(values)

    def stopped_at_its_first_result(self) -> None:
        """Run it until the first mark is drawn, and stop it."""
        name, result = self.take.name, self.page.locator(f".st-key-result_{self.take.name}")
        recorded = self.page.locator(f".st-key-recorded_{name}").first
        press(self.page, self.take.press)
        recorded.wait_for(state="detached")
        eventually(self.page, lambda: has_area(result), 120)
        press(self.page, self.take.press.replace("_start", "_stop"))
        self.page.locator(f".st-key-made_{name} .st-key-keep_{name} button:visible").first.wait_for()
        settled(self.page)

    def pressed(self, whole: bool) -> None:
        """Run it here and now, and compare with the observations of its file. whole: also a long one, to its end."""
        name = self.take.name
        for control in SMALLEST.get(name, ()):
            self.page.locator(f".st-key-{control} button").first.click()
            settled(self.page)
        if name == "teach":  # one step of training
            press(self.page, "teach_tune")
            self.page.locator(".st-key-teach_steps input[type=range]").press("Home")
            settled(self.page)
            self.page.keyboard.press("Escape")
        if name == "think":  # a short sum
            type_into(self.page, "think_question", "What is 1 + 2?")
            type_into(self.page, "think_answer", "3")
            settled(self.page)
        if name in STOPPED and not whole:
            self.stopped_at_its_first_result()
        else:
            live(self.page, self.take.press, name)
        file = download(self.page, self.page.locator(f".st-key-keep_{name} button:visible").first)
        self.matches(RecordedExperiment.loads(file.read_bytes(), stored_results.files()))


def widen_and_darken(page: Any) -> None:
    """Give a phone's page the width of a screen, and let the system turn dark: the page follows by itself."""
    shade = "getComputedStyle(document.querySelector('[data-testid=stApp]')).getPropertyValue('--tv-muted-text')"
    before = page.evaluate(shade)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"before => {shade} !== before", arg=before)
    settled(page)


LONG = [path for path in PATHS if any(take.name in STOPPED | AT_LENGTH for take in features.feature_of(path).recorded)]


@pytest.mark.parametrize(
    ("path", "whole"), [(path, False) for path in PATHS] + [pytest.param(path, True, marks=pytest.mark.exhaustive) for path in LONG]
)
def test_a_page_draws_its_result_and_is_accessible(path: str, whole: bool, at: At) -> None:
    page = at("" if path == "watch" else path, **({} if path in WIDE else PHONE))
    experiments = [Experiment(page, take) for take in features.feature_of(path).recorded if "stop" not in dict(take.query)]
    before, after = PLAIN.get(path, (None, None))
    assert before or experiments, "a page without anything drawn needs a row"
    page.wait_for_function(CHARTS)
    found = violations(page)
    if path not in WIDE:
        assert page.evaluate(COVERED) == [], "the menu of a chart covers no mark"
        found += sideways(page, 320, 700)
        widen_and_darken(page)
        found += violations(page, *BY_LOOK)
    if before:
        eventually(page, partial(before, page))
    for shown in experiments:
        if shown.take.view is None:
            shown.recorded()
    if after:
        after(page)
    for shown in experiments:
        shown.show()
        if shown.take.view is not None:
            shown.recorded()
            found += violations(page)
        if shown.take.name not in (ELSEWHERE if whole else ELSEWHERE | AT_LENGTH):
            shown.pressed(whole)
    assert not found, "\n".join(found)
