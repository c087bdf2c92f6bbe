"""axe-core over a page: violations of WCAG 2.2 A or AA that this app causes. Those of Streamlit's own markup are listed."""

from __future__ import annotations

import re
from typing import Any

from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import TimeoutError

OPTIONS: dict[str, Any] = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {"heading-order": {"enabled": True}, "page-has-heading-one": {"enabled": True}},
    "resultTypes": ["violations"],
}
# Rule, and a part of the element's HTML or place. Streamlit puts the groups of its menu as <div> into a <ul>: this app cannot change it.
STREAMLITS = (("list", "stSidebarNavItems"), ("listitem", r"<li class=\"st-emotion-cache"))
SIDEWAYS = "Math.max(...[...document.querySelectorAll('[data-testid=stMain], html')].map(node => node.scrollWidth - node.clientWidth))"

# How many explained terms are marked beside their word: the marks follow the page a moment after it changes.
STRAYS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest(".tv-screen-reader, .st-key-unseen, script, style") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const seen = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) seen.push([box, node.data]);
  }
  return [...document.querySelectorAll(".tv-term")].filter((term) => {
    const { left, top, width, height } = term.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    return !seen.some(([box, text]) =>
      box.left - 3 < x && x < box.right + 3 && box.top - 3 < y && y < box.bottom + 3 && text.includes(term.ariaLabel));
  }).length;
}"""

# The marks of charts under the button of their menu.
COVERED = """() => [...document.querySelectorAll('[class*="st-key-chart_"] > [class*="st-key-save_"] button')].flatMap(button => {
  const own = button.getBoundingClientRect();
  const chart = button.closest('[class*="st-key-chart_"]');
  const marks = [...chart.querySelectorAll('[data-testid="stVegaLiteChart"] svg g.role-mark > *')];
  return marks.filter(mark => {
    const box = mark.getBoundingClientRect();
    return box.width > 0 && box.left < own.right && box.right > own.left && box.top < own.bottom && box.bottom > own.top;
  }).map(mark => mark.textContent || mark.getAttribute("d"));
})"""
# Whether no transition runs. A document does not list those of its shadow trees.
FADED = """() => {
  const fading = root => root.getAnimations().some(one => one instanceof CSSTransition && one.playState === "running")
    || [...root.querySelectorAll("*")].some(node => node.shadowRoot && fading(node.shadowRoot));
  return !fading(document);
}"""


BY_LOOK = ("color-contrast", "target-size")  # the rules that depend on the colours and the width of a page


def violations(page: Any, *rules: str) -> list[str]:
    """Return what axe finds and Streamlit does not cause, a line each. rules: only these, all if none is named."""
    page.wait_for_function(f"() => ({STRAYS})() === 0")
    page.wait_for_function(FADED)  # a colour on its way to another one has any contrast
    options = OPTIONS | ({"runOnly": list(rules), "rules": {}} if rules else {})
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_FILE_PATH.read_text("utf-8"))
    found = []
    for violation in page.evaluate("options => axe.run(options).then(result => result.violations)", options):
        for node in violation["nodes"]:
            place = f"{node['target']} {node['html'][:300]}"
            if not any(violation["id"] == rule and re.search(sign, place) for rule, sign in STREAMLITS):
                reason = next((check["message"] for kind in ("any", "all", "none") for check in node[kind]), "")
                found.append(f"{violation['id']}: {place[:240]} {reason[:160]}")
    return found


def sideways(page: Any, *widths: int) -> list[str]:
    """Return the widths, in pixels, at which the page must be scrolled sideways, a line each. The page keeps the last width."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": page.viewport_size["height"]})
        try:
            page.wait_for_function(f"() => ({SIDEWAYS}) <= 1", timeout=8_000)  # charts follow the width a moment later
        except TimeoutError:
            found.append(f"the page scrolls {page.evaluate(SIDEWAYS)} pixels sideways at {width} pixels")
    return found
