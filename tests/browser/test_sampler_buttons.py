"""What the buttons of the samplers promise: order, bias, named answers, constraints, two settings, own presets, definitions."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from core.sampling.settings import ORDERS, SETTINGS
from tests.browser.drawn import Drawn
from tests.browser.watching import (
    Watching,
    all_samplers,
    download,
    eventually,
    open_more_settings,
    opened,
    press,
    settled,
    show_more,
    type_into,
)

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
At = Callable[..., Any]
START = "?prompt=Once+upon+a+time&temperature=1&top_p=1"


def bars(page: Any, key: str = "odds") -> dict[str, float]:
    """The probability after the settings by token, as drawn."""
    return Drawn(page, f".st-key-{key}").shares("used", "label")


def check(condition: bool) -> None:
    assert condition


def test_a_bias_and_a_sampler_change_the_bars_until_their_chips_are_removed(visit: Visit) -> None:
    page = visit(START).page
    before = bars(page)
    first = ","  # the likeliest, which the field shows first
    show_more(page)
    press(page, "bias")
    for button, changed in (("more", lambda now: now > before[first]), ("never", lambda now: now == 0)):
        page.locator(f".st-key-bias_{button} button:visible").first.click()
        settled(page)
        eventually(page, lambda: check(changed(bars(page)[first])))  # noqa: B023
    reasons = page.locator(".st-key-odds .bar:visible").evaluate_all(
        "rows => rows.filter(row => row.bar).map(row => [row.bar.label, row.bar.removed_by])"
    )
    assert dict(reasons)[first] == "logit bias"
    page.keyboard.press("Escape")
    page.locator(".st-key-chip_logit_bias button").first.click()
    eventually(page, lambda: check(bars(page) == pytest.approx(before, abs=1e-6)))
    all_samplers(page)
    page.get_by_text("Cut-offs", exact=True).click()
    field = page.locator(".st-key-top_n_sigma input")
    field.fill("0.5")
    field.press("Enter")
    page.keyboard.press("Escape")  # at once: the browser then sends the value and the closing together
    eventually(page, lambda: check(bars(page) != pytest.approx(before, abs=1e-6)))
    page.locator(".st-key-chip_top_n_sigma button").first.click()
    eventually(page, lambda: check(bars(page) == pytest.approx(before, abs=1e-6)))
    eventually(page, lambda: check("top_n_sigma" not in parse_qs(urlsplit(page.url).query)))


def test_named_answers_are_computed_saved_and_tokens_found(at: At) -> None:
    page = at("inside?prompt=Once+upon+a+time+there+was+a+little")
    type_into(page, "inside_answers", "girl; boy; dragon")
    page.locator(".st-key-chart_inside_answer_bars svg").first.wait_for()
    drawn = Drawn(page, ".st-key-chart_inside_answer_bars").pairs("text", "label", "after")
    assert len(drawn) == 3
    file = download(page, page.locator(".st-key-inside_answers_csv button"))
    rows = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
    assert [row["answer"] for row in rows] == [" girl", " boy", " dragon"]
    assert [float(row["probability"]) for row in rows] == pytest.approx(list(drawn.values()), abs=1e-6)
    type_into(page, "inside_search", "girl")
    page.get_by_role("table").filter(has_text="girl").first.wait_for()
    type_into(page, "inside_search", "xyzzyx")
    page.get_by_text("No token of the vocabulary contains this text.").wait_for()


def open_constraint(page: Any) -> None:
    """Open the constraint in the dialog."""
    page.locator("[role=dialog]").get_by_text("Constraint", exact=True).first.click()
    opened(page, "[role=dialog] [class*=st-key-samplers_Constraint]")


def apply_example(page: Any, kind: str) -> None:
    """Press an example of a constraint in the dialog and close it."""
    all_samplers(page)
    open_constraint(page)
    button = page.locator(f".st-key-constraint_{kind} button").first
    button.scroll_into_view_if_needed()
    button.click()
    page.locator(".st-key-constraint_off button").first.wait_for()
    page.keyboard.press("Escape")
    settled(page)


def test_a_constraint_is_set_followed_shared_and_removed(visit: Visit) -> None:
    watching = visit("?prompt=Is+the+sea+wet%3F+Answer+yes+or+no%3A&temperature=1&top_p=1")
    page = watching.page
    apply_example(page, "choices")
    page.get_by_text("The constraint excludes").first.wait_for()
    eventually(page, lambda: check("constraint" in parse_qs(urlsplit(page.url).query)))
    for count in range(1, 9):
        watching.press("step", count)
        if watching.seen()["tokens"][-1]["text"].startswith("⟨"):
            break
    text = "".join(watching.written()[:-1]).replace("␣", " ").strip()
    assert text in ("yes", "no", "Yes", "No")
    wanted = [token["wanted"] for token in watching.seen()["tokens"] if token["step"] >= 0]
    assert any(wanted)
    assert page.get_by_text("likeliest token excluded").first.is_visible()
    other = visit(f"?{urlsplit(watching.address()).query}")
    other.until(f"steps.length === {len(watching.written())}")
    assert other.written() == watching.written()
    other.page.locator(".st-key-chip_constraint button").first.click()
    eventually(other.page, lambda: check("constraint" not in parse_qs(urlsplit(other.page.url).query)))


def test_a_form_that_cannot_be_used_is_refused_and_a_sampler_is_found_with_its_definition(visit: Visit) -> None:
    page = visit(START).page
    all_samplers(page)
    open_constraint(page)
    form = page.locator(".st-key-constraint_form textarea").first
    page.locator(".st-key-constraint_kind").first.scroll_into_view_if_needed()
    page.locator(".st-key-constraint_kind [data-baseweb=select], .st-key-constraint_kind [role=combobox]").first.click()
    page.get_by_role("option", name="Lark grammar").click()
    settled(page)
    form.fill('start: "a" | b')
    form.press("Control+Enter")
    settled(page)
    page.locator(".st-key-constraint_apply button").first.click()
    page.get_by_text('Grammar, line 1: unknown name: "b"').first.wait_for()
    assert form.input_value() == 'start: "a" | b'
    page.keyboard.press("Escape")
    assert not page.locator(".st-key-chip_constraint").count()
    all_samplers(page)
    type_into(page, "find_sampler", "exclude top choices")
    page.locator(".st-key-xtc_probability").first.wait_for()
    page.locator(".st-key-mirostat_tau").first.wait_for(state="detached")
    page.get_by_role("link", name="Definition: XTC").click()
    page.locator(".st-key-glossary_xtc").first.wait_for()
    assert page.locator(".st-key-glossary_find input").input_value() == "XTC"
    assert not page.locator(".st-key-glossary_batch").count()


def test_two_settings_stand_side_by_side_with_the_same_dice(visit: Visit) -> None:
    watching = visit("?prompt=Once+upon+a+time&temperature=1.5&top_p=0.8&min_p=0.05")
    page = watching.page
    watching.steps(1, 1)
    show_more(page)
    page.locator(".st-key-two_settings label").first.click()
    page.locator(".st-key-two_settings_bars_B .bar").first.wait_for()
    one, other = bars(page, "two_settings_bars_A"), bars(page, "two_settings_bars_B")
    assert list(one)[:5] == list(other)[:5] and one != other
    assert {token: share for token, share in bars(page).items() if token in one and token != "everything else"}.items() <= one.items()
    page.get_by_text("Jensen-Shannon divergence").first.wait_for()
    page.locator(".st-key-two_settings_B [data-baseweb=select], .st-key-two_settings_B [role=combobox]").first.click()
    page.get_by_role("option", name="The sidebar's settings", exact=True).click()
    eventually(page, lambda: check(bars(page, "two_settings_bars_B") == one))
    page.get_by_text("the Jensen-Shannon divergence is 0.000").first.wait_for()
    page.get_by_text("Both choose").first.wait_for()


def stages(page: Any) -> list[str]:
    """Return the stages of the dialog, in their order."""
    page.locator("[data-stage]").first.wait_for()
    return list(page.locator("[data-stage]").evaluate_all("rows => rows.map(row => row.dataset.stage)"))


def test_a_stage_is_moved_the_bars_change_and_the_link_keeps_the_order(visit: Visit) -> None:
    watching = visit("?temperature=1.8&min_p=0.1&top_p=0.6&prompt=Once+upon+a+time")
    page, usual = watching.page, list(ORDERS["transformers"])
    before, place = watching.seen()["bars"], usual.index("temperature")
    all_samplers(page)
    assert stages(page) == usual
    page.locator('[data-stage="temperature"]').focus()
    for moved in range(1, 3):
        page.keyboard.press("Alt+ArrowDown")
        eventually(page, lambda: check(stages(page).index("temperature") == place + moved))  # noqa: B023
        settled(page)
    moved_order = stages(page)
    page.keyboard.press("Escape")
    eventually(page, lambda: check(watching.seen()["bars"] != before))
    page.locator(".st-key-chip_order").first.wait_for()
    written = SETTINGS["order"].written(tuple(moved_order))
    eventually(page, lambda: check(parse_qs(urlsplit(page.url).query).get("order") == [written]))
    other = visit(f"?{urlsplit(page.url).query}")
    eventually(other.page, lambda: check(other.seen()["bars"] == watching.seen()["bars"]))
    all_samplers(other.page)
    assert stages(other.page).index("temperature") == place + 2
    other.page.locator(".st-key-engine_transformers button").click()
    eventually(other.page, lambda: check(stages(other.page) == usual))
    other.page.keyboard.press("Escape")
    eventually(other.page, lambda: check(other.seen()["bars"] == before))


STORED = "() => localStorage.getItem('token-probability-viewer presets')"


def saved_in(page: Any) -> bool:
    """Whether the address has the settings of the preset."""
    known = parse_qs(urlsplit(page.url).query)
    return all(known.get(name) == [value] for name, value in (("temperature", "1.35"), ("top_k", "7"), ("order", "vllm")))


def test_settings_are_saved_kept_by_the_browser_used_and_deleted(visit: Visit, new_page: Callable[..., Any], app: str) -> None:
    page = visit("?prompt=Once+upon+a+time&temperature=1.35&top_p=1&top_k=7&order=vllm").page
    open_more_settings(page)
    press(page, "save_settings")
    type_into(page, "own_preset_name", "Mine")
    press(page, "own_preset_save")
    page.locator(".st-key-own_preset_0 button", has_text="Mine").first.wait_for()
    second = new_page(f"{app}/{START}", beside=page)
    second.locator(".st-key-own_preset_0 button", has_text="Mine").first.click()
    eventually(second, lambda: check(saved_in(second)))
    open_more_settings(second)
    press(second, "save_settings")
    press(second, "own_delete_0")
    second.locator(".st-key-own_preset_0").first.wait_for(state="detached")
    eventually(second, lambda: check(second.evaluate(STORED) == "{}"))
