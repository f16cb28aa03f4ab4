"""How much there is to read on every page of the finished sample and of the demo, at the size of a laptop's window."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from riskkit.audit import sample
from riskkit.jobs.store import Store
from tests.conftest import Server, dashboard
from tests.journeys.test_first_audit import settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

WINDOW = {"width": 1440, "height": 900}
FIRST_SCREEN, WHOLE_PAGE, CAPTION = 120, 350, 20
"""Most words in view without scrolling, outside of folds, and in a grey line."""
LISTED = 30
"""Words of a further audit in the list of all."""
PLACES = (
    "",
    "data",
    "membership",
    "records",
    "attributes",
    "singling-out",
    "linkability",
    "reconstruction",
    "explanations",
    "contest",
    "households",
    "keys",
    "one-run",
    "compare",
    "report",
    "audits",
)
WORD = re.compile(r"\S*\w\S*")
TEXTS = """() => {
  const texts = [], walk = document.createTreeWalker(
    document.querySelector('[data-testid=stMain]'), NodeFilter.SHOW_TEXT);
  for (let node; node = walk.nextNode();) {
    const around = node.parentElement, fold = around.closest('details'), place = document.createRange();
    place.selectNodeContents(node);
    const box = place.getBoundingClientRect(), is_hidden = !around.checkVisibility({checkVisibilityCSS: true});
    if (is_hidden || box.width < 2 || around.closest('svg, style, script')) continue;
    if (around.closest('[data-testid=stIconMaterial], span[aria-hidden=true], a[href*=skip-to]')) continue;
    if (fold && !fold.open && !around.closest('summary')) continue;
    texts.push([box.top, node.textContent.trim()]);
  }
  return texts;
}"""
"""Every text that is drawn outside of charts, icons and folds that are shut, with the height it stands at."""
CUT = """() => [...document.querySelectorAll('[data-testid=stMain] :is(button, [role=tab]) p')]
  .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.innerText.trim())"""
"""Labels of buttons that end in dots."""
CAPTIONS = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stCaptionContainer]')]
  .filter(e => e.checkVisibility() && !e.closest('details:not([open])')).map(e => e.innerText.trim())"""


def count(text: str) -> int:
    """Words in a text; signs alone are none."""
    return len(WORD.findall(text))


@pytest.fixture(scope="module")
def finished_audits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, str]]]:
    """A dashboard with the audits as they ship, finished, and the id of each."""
    home = tmp_path_factory.mktemp("sample")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RISKKIT_HOME", str(home))
        store = Store.default()
        made = {"demo": sample.demo(store), "homes": sample.homes(store), "sample": sample.load_sample(store)}
    with dashboard(home, is_timed=False) as started:
        yield started, {name: audit.id for name, audit in made.items()}


@pytest.mark.parametrize(
    ("audit", "place"),
    [*(("sample", place) for place in PLACES), *(("demo", place) for place in PLACES), ("homes", "households")],
)
def test_a_page_is_read_in_a_minute(
    page: Page, finished_audits: tuple[Server, dict[str, str]], audit: str, place: str
) -> None:
    server, audits = finished_audits
    page.set_viewport_size(WINDOW)  # type: ignore[arg-type]
    server.let_in(page.context)
    page.goto(f"{server.url}/{place}?audit={audits[audit]}")
    page.get_by_role("heading", level=1).wait_for()
    settled(page)
    texts = page.evaluate(TEXTS)
    first = [text for top, text in texts if top < WINDOW["height"]]
    more = LISTED * (len(audits) - 1) if place == "audits" else 0
    assert sum(map(count, first)) <= FIRST_SCREEN + more, "\n".join(first)
    assert sum(count(text) for _, text in texts) <= WHOLE_PAGE + more, "\n".join(text for _, text in texts)
    assert [text for text in page.evaluate(CAPTIONS) if count(text) > CAPTION] == []
    assert page.evaluate(CUT) == []
