"""What of a page can be read and operated: names, headings, pictures in words, colours, stops of the Tab key."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tests.journeys.test_first_audit import settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

Theme = Literal["light", "dark"]
CONTROLS = {
    "button", "checkbox", "combobox", "DisclosureTriangle", "link", "menuitem", "radio", "searchbox", "slider",
    "spinbutton", "switch", "tab", "textbox",
}  # fmt: skip
"""Roles of what can be operated, as the browser tells them to a screen reader."""
SEEN = """() => {
  const there = e => e.getClientRects().length > 0 && e.checkVisibility({visibilityProperty: true});
  const all = what => [...document.querySelectorAll(what)].filter(there);
  const charts = all('[data-testid=stPlotlyChart], [data-testid=stVegaLiteChart]');
  const tables = all('[data-testid=stDataFrame]');
  const name = e => (e && e.getAttribute('aria-label') || '').trim();
  return {
    lang: document.documentElement.lang,
    title: document.title,
    levels: all('h1, h2, h3, h4, h5, h6').map(e => Number(e.tagName[1])),
    jumping: all('[tabindex]').filter(e => e.tabIndex > 0).length,
    charts: charts.filter(e => e.getAttribute('role') !== 'figure' || !name(e)).length,
    tables: tables.filter(e => !name(e.querySelector('[role=region]'))).length,
    images: all('img').filter(e => !(e.getAttribute('alt') || '').trim()).length,
    drawn: charts.length + tables.length + all('img').length,
  }
}"""
FROM_THE_TOP = """part => {
  const first = document.createElement('span');  // where something was pressed, Tab would go on from there
  first.tabIndex = -1;
  document.querySelector(part || 'body').prepend(first);
  first.focus();
  first.remove();
}"""
"""Let the next Tab lead to the first control of the page, or of that part of it."""
STOPS = """part => {
  const within = document.querySelector(part);
  const there = e => e.getClientRects().length > 0 && e.checkVisibility({visibilityProperty: true});
  const what = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const other = e => e.matches(  // reached by arrow keys
    '[role=radio][aria-checked=false], input[type=radio]:not(:checked), [role=toolbar] > :not(:first-child)');
  window.stops = [...within.querySelectorAll(what)]
    .filter(e => e.tabIndex >= 0 && !e.disabled && there(e) && !other(e));
  (FROM_THE_TOP)(part);
  window.walked = [];
  const came = e => e.key === 'Tab' && window.walked.push(
    document.activeElement === document.body || !within.contains(document.activeElement)
      ? null : window.stops.indexOf(document.activeElement));
  window.came && document.removeEventListener('keyup', window.came, true);
  document.addEventListener('keyup', window.came = came, true);
  return window.stops.map(e => (e.getAttribute('aria-label') || e.innerText || e.tagName).trim());
}""".replace("FROM_THE_TOP", FROM_THE_TOP)
"""What Tab should stop at in that part, by name; where each press comes to is written down in ``walked``."""
PRESSES = 16
"""Tabs between two looks at where they led."""
DARKNESS = """() => {
  const colour = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
  return Math.max(...colour.match(/[0-9]+/g).slice(0, 3).map(Number)) / 255;
}"""
"""How bright the page is, from 0 to 1."""
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core that look at colours."""
LOOKS = """() => {
  const style = e => `${e.getAttribute('class')} ${e.getAttribute('style')} ${e.disabled} ${e.tagName}`;
  const ground = e => !e || getComputedStyle(e).backgroundColor !== 'rgba(0, 0, 0, 0)' ? e : ground(e.parentElement);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), looks = new Set();
  for (let text; text = texts.nextNode();) {
    const e = text.parentElement, {color, fontSize, fontWeight} = getComputedStyle(e), behind = ground(e);
    if (text.data.trim() && e.checkVisibility() && !e.closest('svg'))
      looks.add([style(e), color, fontSize, fontWeight, behind && style(behind)].join('|'));
  }
  return [...looks];
}"""
"""How each text of a page looks and what is behind it: of two that look the same, axe has the same to say.

It says nothing of texts in charts.
"""
AXE_IGNORED = ["presentation-role-conflict"]
"""Faults of Streamlit's own: the drop zone of an upload field is named, though it is there for looks."""
MAIN = "[data-testid=stMain]"


def faults(page: Page, title: str) -> list[str]:
    """What somebody without a mouse or without eyes would stumble over on this page."""
    seen = page.evaluate(SEEN)
    levels, unnamed = seen["levels"], nameless(page)
    jumps = [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1]
    present = {
        f"the language is {seen['lang']!r}": seen["lang"] != "en",
        f"the tab is called {seen['title']!r}": seen["title"] != f"{title} · riskkit",
        f"headings of level 1: {levels.count(1)}": levels[:1] != [1] or levels.count(1) != 1,
        f"headings jump: {jumps}": bool(jumps),
        f"{seen['jumping']} controls jump the queue": bool(seen["jumping"]),
        **{f"{seen[kind]} {kind} without words": bool(seen[kind]) for kind in ("charts", "tables", "images")},
        f"controls without a name: {unnamed}": bool(unnamed),
    }
    return [f"{title}: {what}" for what, is_there in present.items() if is_there]


def nameless(page: Page) -> list[str]:
    """The roles of the controls that a screen reader could not name."""
    browser = page.context.new_cdp_session(page)
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    browser.detach()
    return [
        node["role"]["value"]
        for node in nodes
        if not node["ignored"]
        and node["role"]["value"] in CONTROLS
        and not str(node.get("name", {}).get("value", "")).strip()
    ]


def axe(page: Page, *rules: str) -> list[str]:
    """What axe-core finds, where it is installed: by these rules, or by all."""
    package = find_spec("axe_playwright_python")
    if package is None or package.origin is None:
        return []
    if not page.evaluate("'axe' in window"):
        page.evaluate(Path(package.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate(
        "async asked => (await axe.run(document, {resultTypes: ['violations'], ...asked})).violations",
        {"runOnly": list(rules)} if rules else {},
    )
    return [
        f"{violation['id']}: {', '.join(str(node['target']) for node in violation['nodes'][:3])}"
        for violation in violations
        if violation["id"] not in AXE_IGNORED
    ]


def walk(page: Page, part: str = "body") -> list[str]:
    """Press Tab until that part is left or begins anew; what was passed over, passed out of order, or never let go."""
    names = page.evaluate(STOPS, part)
    visited: list[int] = []
    for stop in tabs(page, 2 * len(names) + 20):
        if stop is None or (visited and stop == visited[0] and visited[-1] != stop):
            break
        if stop >= 0 and stop not in visited[-1:]:  # a table has several places to stop at
            visited.append(stop)
    else:
        return ["Tab never leaves the page"]
    missed = [names[stop] for stop in set(range(len(names))) - set(visited)]
    return [f"never reached: {missed}"] * bool(missed) + ["not in reading order"] * (visited != sorted(visited))


def tabs(page: Page, most: int) -> Iterator[int | None]:
    """Where each Tab from the top leads, by its number among the stops; None is outside the page."""
    for _ in range(0, most, PRESSES):
        for _ in range(PRESSES):
            page.keyboard.press("Tab")
        yield from page.evaluate("walked.splice(0)")


def turned(page: Page, theme: Theme, known: set[str]) -> tuple[Theme, list[str]]:
    """The theme that the page is in at the end, and what axe-core finds about its colours in the other one.

    It is turned to the other theme where a text looks as none of those known; they all are known from now on.
    """
    looks = set(page.evaluate(LOOKS))
    if looks <= known:
        return theme, []
    other: Theme = "light" if theme == "dark" else "dark"
    seen = colours_in(page, other)
    known |= looks | set(page.evaluate(LOOKS))
    return other, [f"in the {other} theme: {what}" for what in seen]


def colours_in(page: Page, theme: Theme) -> list[str]:
    """What axe-core finds about the colours when that theme is asked for: all else is as in the other."""
    themed(page, theme)
    settled(page)
    return axe(page, *COLOURS)


def themed(page: Page, theme: Theme) -> None:
    """Ask for that theme, and wait until the page has it; its policy lets no function of a test wait in it."""
    page.emulate_media(color_scheme=theme)
    for _ in range(100):
        if (page.evaluate(DARKNESS) < 0.5) == (theme == "dark"):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the page did not become {theme}")
