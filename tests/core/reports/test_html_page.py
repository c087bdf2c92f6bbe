"""The page of a run: one file, offline, with no script but its own. No token becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import altair
import pytest

from core import Generation, Recording, SamplingSettings, inspect_step
from core.errors import BadSetting, CannotWrite, RunFinished
from core.record import notebook_display
from core.reports import html_file
from core.reports import html_page as page_module
from core.reports.html_page import page as page_of
from core.reports.html_page import telling
from core.reports.step_picture import PictureStyle, step_svg
from core.reports.svg import VEGA_LITE, surprise_spec, svg

HOSTILE = "<script>1</script>\" onload='x' & </p>]]> {{ 7*7 }}"
LINK = "http://127.0.0.1:8501/?prompt=The%20fox&steps=r2AB"


@pytest.fixture
def run(tiny: Any) -> Generation:
    made = Generation(tiny("llama"), "The fox", SamplingSettings(seed=3, temperature=0.9))
    list(made.stream(8))
    made.settings = SamplingSettings(top_k=5, seed=9)
    list(made.stream(4))
    return made


class Reader(HTMLParser):
    """What a browser would make of a page: its tags, their attributes and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def harmless(page: str) -> Reader:
    """No script but the page's own, which its policy names by its hash; nothing that is fetched, no handler."""
    own = html_file.script(page_module.SCRIPTS)[0]
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert scripts in ([], [own]) and (not scripts or f"script-src 'sha256-{digest}'" in unescape(page))
    page = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    page = re.sub(r'<script type="application/json">[^<]*</script>', "", page)
    read = Reader(page)
    assert not {"script", "iframe", "object", "embed", "link", "img", "base", "form"} & set(read.tags)
    for name, value in read.attributes:
        assert not name.startswith("on"), name
        assert name not in ("src", "href") or not (value or "").startswith(("http", "//", "javascript")), (name, value)
    assert not re.search(r"url\(|@import", page)
    return read


def on_paper(run: Any) -> str:
    """The text token by token, bytes that are no character yet made visible."""
    return "".join(step.text or step.piece for step in run.path)


def test_everything_is_in_it(run: Generation) -> None:
    page = page_of(run, LINK, charts=2)
    read = harmless(page)
    assert on_paper(run) in read.text and run.prompt in read.text
    for wanted in ("temperature 0.9, seed 3", "from token 9: temperature 1, top-k 5, seed 9", run.model_name, LINK, "Forward passes"):
        assert wanted in read.text
    assert page.count("<figure>") == 3 and page.count("<svg") == 2  # two steps as tables, the surprise, the code
    assert "Content-Security-Policy" in page and "default-src 'none'" in page


def test_the_steps_with_a_chart_are_the_most_surprising_in_the_order_of_the_text(run: Generation) -> None:
    chosen = telling(run.path, 3)
    worst = sorted((step.surprise for step in run.path), reverse=True)[:3]
    assert sorted((step.surprise for step in chosen), reverse=True) == worst
    assert [step.index for step in chosen] == sorted(step.index for step in chosen)
    assert telling(run.path, -1) == [] and len(telling(run.path, 10_000)) <= 24


def test_a_hostile_prompt_and_link_are_text(tiny: Any) -> None:
    made = Generation(tiny("llama"), HOSTILE, SamplingSettings(seed=1))
    list(made.stream(5))
    read = harmless(page_of(made, f"http://x/?prompt={HOSTILE}"))
    assert "<script>1</script>" in read.text and "{{ 7*7 }}" in read.text


def test_hostile_tokens_are_text_everywhere(run: Generation) -> None:
    from dataclasses import replace

    from core.record.step import Words
    from core.tokens.token_text import lone_token

    step = run.path[0]
    bad = {int(i): lone_token(int(i), HOSTILE.encode(), False) for i in step.token_ids}
    evil = replace(step, vocabulary=Words(bad), text=HOSTILE)
    for piece in (
        notebook_display.tinted([evil]),
        notebook_display.bars(evil),
        evil._repr_html_(),
        step_svg(evil, PictureStyle()),
        svg(surprise_spec([evil, evil])),
    ):
        assert "<script" not in piece and "onload='" not in piece.replace("&#x27;", "")
        harmless(piece)


def data_of(page: str) -> Any:
    """The candidates that the script shows."""
    return json.loads(re.findall(r'<script type="application/json">([^<]*)</script>', page)[0])


def test_the_candidates_of_the_page_are_those_of_the_record(run: Generation) -> None:
    steps = data_of(page_of(run))["steps"]
    assert len(steps) == len(run.path)
    for shown, step in zip(steps, run.path, strict=True):
        assert shown["roll"] == step.roll
        chosen = next(row for row in shown["rows"] if row[1] == shown["chosen"])
        assert chosen[2:4] == pytest.approx([step.model_probability, step.sampling_probability], abs=1e-6)
        assert sum(row[2] for row in shown["rows"]) == pytest.approx(1.0, abs=1e-5)


def test_a_part_of_a_long_text_says_what_is_left_out(run: Generation) -> None:
    page = page_of(run, first=3, last=5)
    assert len(data_of(page)["steps"]) == 3
    assert "… 2 earlier tokens left out …" in page and "… 7 later tokens left out …" in page
    for first, last in ((0, 3), (5, 3), (2, 99)):
        with pytest.raises(BadSetting):
            run.to_html(first=first, last=last)


def test_a_page_is_written_whole_or_not_at_all(run: Generation, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    assert run.to_html(file) is None and file.read_text("utf-8") == run.to_html()
    with pytest.raises(CannotWrite, match="Nothing was changed"):
        run.to_html(tmp_path / "missing" / "run.html")
    assert list(tmp_path.iterdir()) == [file], "no rest of a failed write"


def test_a_hundred_tokens_take_less_than_a_megabyte(tiny: Any) -> None:
    made = Generation(tiny("llama"), "The fox", SamplingSettings(seed=3), top_n=50)
    list(made.stream(100))
    assert len(str(made.to_html()).encode()) < 2**20


def test_an_empty_run_and_a_replay_have_a_page_too(tiny: Any, run: Generation) -> None:
    empty = harmless(page_of(Generation(tiny("llama"), "The fox")))
    assert "The fox" in empty.text and "What it cost" not in empty.text and "See it again" not in empty.text
    replay = Recording.of(run).replay()
    list(replay.stream())
    shown = harmless(page_of(replay))
    assert "shown from a recording" in shown.text and on_paper(run) in shown.text


def test_things_show_themselves_in_a_notebook(tiny: Any, run: Generation) -> None:
    seen = inspect_step(tiny("llama"), run.token_ids)
    for thing in (run, run.path[0], run.next_distribution(), seen, Generation(tiny("llama"), "The fox")):
        harmless(thing._repr_html_())
    assert run.path[0].piece in Reader(run.path[0]._repr_html_()).text
    shares = [float(width) for width in re.findall(r"width:([\d.]+)%", notebook_display.bars(run.path[0]))]
    assert shares and max(shares) <= 100.0
    assert notebook_display.percent is not None and f"{100 * run.path[0].candidates[0].model_probability:.2f}%" in notebook_display.bars(
        run.path[0]
    )


def test_a_chart_for_a_notebook(tiny: Any, run: Generation) -> None:
    made = run.chart()
    whole = made.to_dict()
    assert made._repr_mimebundle_()[VEGA_LITE] == whole
    assert altair.Chart.from_dict(whole).to_dict()["layer"], "altair reads it"
    assert [row["token"] for row in whole["data"]["values"]] == [step.index + 1 for step in run.path]
    with pytest.raises(RunFinished):
        Generation(tiny("llama"), "The fox").chart()


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(5.5e-7, "$", "0.000055 cents"), (108_000, "B", "108 KB"), (0.9992, "share", "> 99.9 %"), (0.05, "share", "5 %")],
)
def test_the_receipt_of_the_page_writes_numbers_as_the_app_does(value: float, unit: str, shown: str) -> None:
    assert page_module._number(value, unit) == shown
