"""Pictures of steps and charts, and animations: their numbers are those of the record."""

from __future__ import annotations

import io
import re
import resource
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core import Generation, Recording, SamplingSettings
from core.errors import BadSetting, CannotWrite, InputError, RunFinished
from core.message import percent
from core.palette import DARK, LIGHT
from core.record.step import Step, Words
from core.reports import __main__ as readme
from core.reports import animation, chart_picture, drawing, fonts
from core.reports.animation import Options
from core.reports.chart_picture import Caption
from core.reports.files import file_name
from core.reports.step_picture import PictureStyle, picture_rows, step_svg
from core.reports.svg import png
from core.tokens.token_text import lone_token

HOSTILE = "</text><script>alert(1)</script>&\x00\u202e"


@pytest.fixture(scope="module")
def run(tiny: Any) -> Generation:
    made = Generation(tiny("llama"), "The fox", SamplingSettings(seed=3, temperature=0.9, top_k=9))
    list(made.stream(6))
    return made


def texts(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_numbers_of_a_step_are_drawn(run: Generation, theme: str) -> None:
    step = run.path[4]
    shown = texts(step_svg(step, PictureStyle(theme)))
    assert f"{step.roll:.4f}" in shown and any(f"{step.roll:.4f} falls on" in text for text in shown)
    for row in picture_rows(step).all:
        assert (percent(row.final) if row.final else "excluded") in shown
    assert any("temperature 0.9, top-k 9, seed 3" in text for text in shown)


def test_the_sentence_is_that_of_the_run_also_in_a_recording(run: Generation) -> None:
    prompt, path = run.path[3].sentence(100)
    assert (prompt, path) == (run.prompt, run.path[:4])
    replay = Recording.loads(Recording.of(run).dumps()).replay()
    list(replay.stream())
    again = replay.path[3].sentence(100)
    assert again[0] == run.prompt and [step.token_id for step in again[1]] == [step.token_id for step in run.path[:4]]
    assert run.path[5].sentence(2)[0] == "…"


def orange(picture: Image.Image, colour: str) -> int:
    """The longest row of pixels in this colour."""
    wanted = tuple(bytes.fromhex(colour[1:]))
    pixels = picture.convert("RGB")
    return max(sum(pixels.getpixel((x, y)) == wanted for x in range(pixels.width)) for y in range(420, 860, 6))


def test_the_bar_of_the_chosen_token_is_as_long_as_its_probability(run: Generation, tmp_path: Path) -> None:
    for index, (theme, colours) in enumerate((("light", LIGHT), ("dark", DARK))):
        step = run.path[index]
        file = tmp_path / f"{theme}.png"
        step.to_image(file, theme)
        picture = Image.open(file)
        assert picture.size == (1920, 1080)
        room = 1920 - 2 * 84 - 480 - 220
        assert orange(picture, colours.chosen) == pytest.approx(max(4, room * step.sampling_probability), abs=6)


def test_hostile_tokens_stay_text(run: Generation) -> None:
    step = run.path[2]
    bad = {int(i): lone_token(int(i), HOSTILE.encode(), False) for i in step.token_ids}
    evil = replace(step, vocabulary=Words(bad), text=HOSTILE, before=HOSTILE)
    root = ElementTree.fromstring(step_svg(evil, PictureStyle()))
    assert {node.tag.partition("}")[2] for node in root.iter()} <= {"svg", "rect", "text", "tspan", "path"}
    assert png(step_svg(evil, PictureStyle())).startswith(b"\x89PNG")


@pytest.mark.parametrize("text", ["مرحبا بالعالم", "🦊 said 漢字", "x" * 3_000, "word " * 40_000, "", "\n\n\n"])
def test_any_text_has_a_picture(run: Generation, text: str) -> None:
    step = replace(run.path[0], before=text)
    assert Image.open(io.BytesIO(png(step_svg(step, PictureStyle())))).size == (1920, 1080)


def test_characters_without_a_font_are_named(run: Generation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "missing", lambda texts: ["漢"] if any("漢" in text for text in texts) else [])
    with pytest.warns(UserWarning, match="No font of this machine has 漢"):
        replace(run.path[0], before="漢字").to_image(tmp_path / "step.png")


def test_an_animation_has_a_frame_per_token_at_the_chosen_speed(run: Generation, tmp_path: Path) -> None:
    for kind, beats, count in ((".gif", False, 6), (".webp", False, 6), (".gif", True, 18)):
        file = tmp_path / f"run{beats}{kind}"
        run.to_gif(file, speed=4, beats=beats)
        picture = Image.open(file)
        assert (picture.size, getattr(picture, "n_frames", 1)) == ((960, 540), count)
        picture.seek(0)
        if kind == ".gif":
            assert picture.info["duration"] == pytest.approx(1000 / 4 / (3 if beats else 1), abs=10)
        assert file.stat().st_size < animation.MOST_BYTES


def test_an_animation_tells_its_progress_and_ends_when_it_is_closed(run: Generation) -> None:
    source: Any = animation.drawn(run.path, Options())
    assert [next(source).done, next(source).done] == [1, 2]
    source.close()
    *progress, last = animation.drawn(run.path, Options())
    assert [one.done for one in progress] == [1, 2, 3, 4, 5, 6] and last.content.startswith(b"GIF89a")


def test_bad_choices_are_one_sentence(run: Generation, tiny: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.gif"
    wrong: list[tuple[type[Exception], Any]] = [
        (BadSetting, lambda: run.to_gif(tmp_path / "run.mp4")),
        (BadSetting, lambda: run.to_gif(file, speed=0)),
        (BadSetting, lambda: run.to_gif(file, theme="sepia")),
        (BadSetting, lambda: run.to_gif(file, first=4, last=2)),
        (BadSetting, lambda: run.path[0].to_image(tmp_path / "step.jpg")),
        (RunFinished, lambda: Generation(tiny("llama"), "The fox").to_gif(file)),
        (BadSetting, lambda: animation.part_of(run.path * 50, 1, None, Options().most)),
        (InputError, lambda: chart_picture.of_chart({"mark": "bar"}, [], LIGHT)),
    ]
    for error, act in wrong:
        with pytest.raises(error) as found:
            act()
        assert str(found.value).endswith(".") and "\n" not in str(found.value)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_loses_nothing(run: Generation, tmp_path: Path) -> None:
    file = tmp_path / "step.svg"
    run.path[0].to_image(file)
    before = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # as if the disk had space for 100 bytes
    try:
        with pytest.raises(CannotWrite, match="Nothing was changed"):
            run.path[1].to_image(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]


def bars(count: int) -> dict[str, Any]:
    return {"mark": "bar", "encoding": {"x": {"field": "value", "type": "quantitative"}, "y": {"field": "name", "type": "nominal"}}}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chart_has_title_legend_line_and_its_rows(theme: str) -> None:
    rows = [{"name": "␣fox", "value": 0.5}, {"name": "🦊", "value": 0.4, "gap": float("nan")}, {"name": "<b>&", "value": 0.25}]
    caption = Caption("How sure was it?", "A note.", (("#DE6B08", "chosen token"),), "storyteller · “The fox” · seed 7")
    svg = chart_picture.picture(lambda colours: chart_picture.of_chart(bars(3), rows, colours), caption, theme)
    shown = texts(svg)
    assert {"How sure was it?", "A note.", "chosen token", "storyteller · “The fox” · seed 7", "fox", "🦊", "<b>&"} <= set(shown)
    assert re.search(rf'<rect x="0.0" y="0.0"[^>]*fill="{LIGHT.page if theme == "light" else DARK.page}"', svg)
    picture = Image.open(io.BytesIO(png(svg, chart_picture.SCALE)))
    assert picture.width == 2 * float(re.search(r'width="([\d.]+)"', svg)[1])  # type: ignore[index]


def test_a_file_name_says_what_is_inside() -> None:
    assert (
        file_name("What came next?", "storyteller", "The old king", "light", kind="svg")
        == "what-came-next_storyteller_the-old-king_light.svg"
    )
    assert file_name("../../etc", "", "💥", kind="png") == "etc.png" and file_name(kind="csv") == "chart.csv"


@pytest.mark.slow
def test_the_moving_picture_in_the_readme_is_drawn_by_its_command(tmp_path: Path) -> None:
    readme.draw(tmp_path / "run.gif")
    drawn, kept = Image.open(tmp_path / "run.gif"), Image.open(readme.PICTURE)
    assert drawn.size == kept.size == (960, 540)
    assert getattr(drawn, "n_frames", 1) == getattr(kept, "n_frames", 1) > 30, "draw it again: python -m core.reports"
    assert readme.PICTURE.stat().st_size < 2**20


def test_a_step_without_its_run_has_a_picture(run: Generation) -> None:
    import pickle

    step: Step = pickle.loads(pickle.dumps(run.path[3]))
    assert step.before == "" and f"{step.roll:.4f}" in texts(step_svg(step, PictureStyle()))


@given(content=st.text("aiW 漢e\u0301", max_size=30), room=st.floats(0, 400))
def test_a_shortened_text_is_the_longest_beginning_that_fits(content: str, room: float) -> None:
    fits = fonts.width(content, 13) <= room
    beginnings = [content[:length] for length in range(len(content), 0, -1)]
    longest = next((part for part in beginnings if fonts.width(part + "…", 13) <= room), "")
    assert drawing.shortened(content, 13, room) == (content if fits else longest.rstrip() + "…")


@pytest.mark.parametrize("unit", ["a", "a ", " ", "\n", "\u200b", "漢", "!"])
def test_a_long_text_is_drawn_in_linear_time(unit: str) -> None:
    """A token, a name or a prompt of an opened file can be as long as the file."""

    def seconds(length: int) -> float:
        content = unit * length + "a"
        start = thread_time()
        drawing.shortened(content, 13, 300)
        assert "".join("".join(drawing.paragraph(content, 13, 300)).split()) == "".join(content.split())
        return thread_time() - start

    short, long = min(seconds(2_000) for _run in range(3)), seconds(32_000)
    assert long < 0.05 or long / short < 60, "linear 16, quadratic 256"
