"""Widths of text agree with what is drawn, and characters without a font are found."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from core.reports import drawing, fonts
from core.reports.svg import rasterized

SIZE = 60


def drawn_width(text: str, bold: bool = False) -> float:
    """The width of the ink of a text between two bars, without the bars themselves."""
    weight = ' font-weight="700"' * bold
    look = f'font-size="{SIZE}" font-family="{fonts.FAMILY}"{weight} xml:space="preserve"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="90"><text x="10" y="60" {look}>|{text}|</text></svg>'
    left, _top, right, _bottom = Image.open(io.BytesIO(rasterized(svg))).getchannel("A").getbbox() or (0, 0, 0, 0)
    return right - left - drawn_width("", bold) if text else float(right - left)


@pytest.mark.parametrize("text", ["Once upon a time", "iiiiiiiiiiiiiiii", "MMMMMMMM", "0.6356 is 34 %", "Größe, café", "the Dragon's gold"])
@pytest.mark.parametrize("bold", [False, True])
def test_the_width_of_a_text_is_that_of_its_drawing(text: str, bold: bool) -> None:
    assert fonts.width(text, SIZE, bold) == pytest.approx(drawn_width(text, bold), rel=0.02, abs=3)


def test_a_character_that_no_font_has_is_named_and_a_common_one_is_not() -> None:
    assert fonts.missing(["Once upon a time – “Größe” → €", "\n\t"]) == []
    nowhere = "\U0001f9ff\ue000"  # a private character has no font
    assert "\ue000" not in fonts.missing([nowhere]), "a private character is not printable, so it is shown by its code"
    assert fonts.missing(["\u13e8"]) in ([], ["\u13e8"]), "Cherokee depends on the machine"


def test_parts_of_a_text_keep_marks_with_their_characters() -> None:
    runs = list(fonts.font_runs("a ␣b 🦊\ufe0f"))
    assert "".join(part for part, _family in runs) == "a ␣b 🦊\ufe0f"
    assert runs[-1] == ("🦊\ufe0f", fonts.EMOJI)


def test_lines_break_between_words_at_line_feeds_and_inside_words_without_space() -> None:
    def lines(*texts: str, room: float = 300) -> list[str]:
        return ["".join(span.text for span in line).strip() for line in drawing.broken([drawing.Span(t) for t in texts], 30, room)]

    assert lines("Once", " upon", " a", " time", " there", " was") == ["Once upon a time", "there was"]
    assert lines("one", "\n", "two") == ["one", "two"]
    assert "".join(lines(" in", "com", "pre", "hen", "si", "bil", "i", "ties", room=160)) == "incomprehensibilities"
    assert all(fonts.width(line, 30) <= 300 for line in lines("x" * 200))


def test_text_for_a_picture_has_no_character_that_xml_forbids() -> None:
    import xml.etree.ElementTree as ElementTree

    hostile = "a\x00b\x1b<script>&]]>\ud800\uffff"
    assert ElementTree.fromstring(drawing.svg(10, 10, drawing.text(0, 9, hostile, 9, "#000000"), background="#ffffff")) is not None
