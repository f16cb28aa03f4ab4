"""Every page without a mouse and without eyes: names, headings, pictures in words, the way on, the keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from playwright.sync_api import TimeoutError as TookTooLong

from riskkit.audit.sample import FILES
from riskkit.jobs.store import Store
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.singling_out.play import SinglingOutPlan
from tests.conftest import Server, dashboard
from tests.journeys.operable import (
    DARKNESS,
    FROM_THE_TOP,
    LOOKS,
    MAIN,
    SEEN,
    Theme,
    axe,
    faults,
    turned,
    walk,
)
from tests.journeys.short import NAME, cut, cut_audit, opened
from tests.journeys.test_first_audit import go, settled, shown, there
from tests.pages.runs import finished

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = (
    "Audit", "Data", "Membership", "Records", "Attributes", "Singling out", "Linkability", "Reconstruction", "Compare",
    "Report", "Key combinations", "One run", "Explanations", "Contest", "Audits",
)  # fmt: skip
PLANS: tuple[Plan, ...] = (
    ReleasedPlan(attacks=("dcr", "mc")),
    MembershipPlan(trainings=12, generations=1, n_syn=200),
    AttributePlan(secrets=("diagnosis",), model="cap", sweep_model="cap"),
    SinglingOutPlan(size=2, max_rows=200),
    OneRunPlan(generator="mst", rows=100),
    LinkabilityPlan(splits=1, max_rows=200),
    ReconstructionPlan(secrets=("diagnosis", "smoker"), max_rows=200),
    RecordsPlan(records="top:8", inside=8, outside=8, shadows=6, again=2, n_syn=80, certificate=True),
    ContestPlan(anonymisers=("identity", "stat"), attackers=("distance",), source="people", guesses=30, rules="none"),
    ExplanationPlan(target="diagnosis", attackers=("linear",), victims=40, auxiliary=(80,), model_seeds=1),
)
"""A small run of every question, so that every page has its results and their charts."""


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard with an audit of the sample cut short in which every question was answered."""
    home = tmp_path_factory.mktemp("furnished")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RISKKIT_HOME", str(home))
        audit = cut_audit(home)
        for number, plan in enumerate(PLANS):
            finished(audit, plan, run=f"{number}" * 32)
    with dashboard(home, is_timed=False) as started:
        yield started


@pytest.fixture
def several(furnished: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """An audit there with two files of releases of one table, and risk compared between groups of its people."""
    monkeypatch.setenv("RISKKIT_HOME", str(furnished.home))
    audit = cut_audit(furnished.home, "Several releases, and groups")
    rows = cut(FILES["synthetic"]).splitlines(keepends=True)
    audit.load("release_2", b"".join([rows[0], *rows[:200:-1]]), name="release_2.csv")
    finished(audit, ReleasedPlan(attacks=("dcr",), groups=("sex",)), run="a" * 32)
    records = RecordsPlan(
        records="random:60", inside=20, outside=20, shadows=10, again=3, n_syn=80, releases=2, groups=("sex",)
    )
    finished(audit, records, run="b" * 32)
    return audit.id


def furnished_audit(server: Server) -> str:
    """The audit in which every question was answered."""
    return next(audit.id for audit in Store(server.home).audits() if audit.name == NAME)


def tab_to(page: Page, name: str) -> int:
    """Press Tab until what has that name has the focus; how often."""
    focused = """() => {
      const e = document.activeElement;  // what scrolls takes the focus too, and holds every text of the page
      return e.matches('a, button, input, summary') ? e.getAttribute('aria-label') || e.innerText : '';
    }"""
    for count in range(1, 150):
        page.keyboard.press("Tab")
        if page.evaluate(focused).strip().rpartition("\n")[2] == name:  # an icon stands before it, on a line of its own
            return count
    raise AssertionError(f"Tab never came to {name!r}")


def test_every_page_with_results_can_be_read_and_operated(page: Page, furnished: Server) -> None:
    """By turns in the dark and in the light theme, and looks that no page had before in both.

    All but the first from the menu, which is walked through once.
    """
    seen, drawn, known = list[str](), 0, set[str]()
    theme: Theme = "dark"
    for place, title in enumerate(PAGES):
        if place == 0:
            page.emulate_media(color_scheme=theme)
            opened(page, furnished, title, furnished_audit(furnished))
            assert page.evaluate(DARKNESS) < 0.1, "a page that is opened in the dark is dark"
        else:
            go(page, title)
            settled(page)
        following = "Whole households" if title == "Contest" else PAGES[(place + 1) % len(PAGES)]
        if title != "Report":  # which ends the work
            page.get_by_role("link", name=f"Next: {following}").wait_for()
        seen += faults(page, title)
        seen += [f"{title}, {theme}: {what}" for what in (*axe(page), *walk(page, MAIN if place else "body"))]
        drawn += page.evaluate(SEEN)["drawn"]
        theme, other = turned(page, theme, known)
        seen += [f"{title}, {what}" for what in other]
    assert seen == []
    assert drawn > 2 * len(PAGES), "there were charts and tables to look at"


def test_pages_of_several_releases_and_of_groups_are_clean_too(page: Page, furnished: Server, several: str) -> None:
    seen, known = list[str](), set[str]()
    theme: Theme = "light"
    for place, (title, more, about) in enumerate(
        (
            ("Audit", "", "release_2.csv"),
            ("Data", "", "Release 2"),
            ("Membership", "&question=released", "For whom risk is highest"),
            ("Records", "", "60 records tested"),
        )
    ):
        if more or place == 0:
            opened(page, furnished, title, f"{several}{more}")
        else:
            go(page, title)
            settled(page)
        page.get_by_role("link", name="Next: ").wait_for()
        assert about in (page.locator("[data-testid=stMain]").first.text_content() or ""), title
        if title == "Membership":
            fold = page.locator("[data-testid=stExpander]").filter(has_text=about)
            fold.locator("summary").click()
            fold.locator(".js-plotly-plot").first.wait_for()
            settled(page)
        seen += faults(page, title) + [f"{title}: {what}" for what in axe(page)]
        theme, other = turned(page, theme, known)
        seen += [f"{title}, {what}" for what in other]
    assert seen == []


def test_every_page_without_data_says_what_to_do_and_leads_there(page: Page, server: Server) -> None:
    seen, known = [], set[str]()
    for place, title in enumerate(PAGES):
        if place == 0:
            opened(page, server, title)
        else:
            go(page, title)
            settled(page)
        page.get_by_role("heading", name="Nothing is loaded yet").wait_for()
        page.get_by_role("button", name="Open the sample audit").wait_for()
        if title not in ("Audit", "Data"):
            page.get_by_role("button", name="Load your files").wait_for()
        seen += faults(page, title)
        form = page.evaluate(FORM)
        if form not in known:
            known.add(form)
            seen += [f"{title}: {what}" for what in axe(page)]
    assert seen == []
    assert 1 < len(known) < len(PAGES), "some differ in more than their texts"
    page.get_by_role("button", name="Load your files").press("Enter")
    there(page, "Audit")
    shown(page, re.compile("Drop three files"))


FORM = r"""() => document.querySelector('[data-testid=stMain]').outerHTML
  .replace(/>[^<]*[^<\s][^<]*</g, '>.<')
  .replace(/ (id|href|aria-label|aria-labelledby|aria-describedby|for|title)="[^"]+"/g, ' $1')
  .replace(/st-key-[\w-]+/g, '.')"""
"""What a page holds beside its texts and names: of two pages that have the same, axe has the same to say."""


PLANTED = {
    "<button></button>": "controls without a name: ['button']",
    "<h6>Deep</h6>": "headings jump",
    "<h1>Again</h1>": "headings of level 1: 2",
    '<img src="data:," width="9" height="9">': "1 images without words",
    '<div data-testid="stPlotlyChart">.</div>': "1 charts without words",
    '<input aria-label="First" tabindex="5">': "1 controls jump the queue",
}
"""Faults, and what is said of each."""
FADED = """() => {
  document.querySelector('[data-testid=stMain] h1').insertAdjacentHTML('afterend', '<p class=own>Plain</p>');
  const faded = new CSSStyleSheet();
  faded.replaceSync('@media (prefers-color-scheme: dark) { .own { color: #333 !important } }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, faded];
}"""
"""A paragraph that is dark on dark."""


def test_faults_that_are_planted_are_seen(page: Page, server: Server) -> None:
    opened(page, server, "Audits")
    assert faults(page, "Audits") == []
    main = "document.querySelector('[data-testid=stMain]')"
    for planted, words in PLANTED.items():
        page.evaluate(f"html => {main}.insertAdjacentHTML('beforeend', html)", planted)
        (fault,) = faults(page, "Audits")
        assert words in fault
        page.evaluate(f"{main}.lastElementChild.remove()")
    assert walk(page) == walk(page, MAIN) == []
    page.evaluate(
        "document.addEventListener('focusin', e => e.target.innerText == 'Load your files' && e.target.blur())"
    )
    for part in ("body", MAIN):
        assert walk(page, part), "a control that Tab passes over"


def test_a_colour_that_cannot_be_read_in_the_dark_is_seen(page: Page, server: Server) -> None:
    pytest.importorskip("axe_playwright_python")
    opened(page, server, "Audits")
    known = set(page.evaluate(LOOKS))
    assert turned(page, "light", known) == ("light", []), "no text looks as none before"
    page.evaluate(f"({FADED})()")
    assert axe(page) == []
    theme, (fault,) = turned(page, "light", known)
    assert theme == "dark"
    assert fault.startswith("in the dark theme: color-contrast")


def still(page: Page) -> None:
    """Wait until nothing was drawn for half a second: what is drawn late takes the place away that a link led to."""
    page.evaluate("""() => new Promise(done => {
      let timer;
      const again = () => { clearTimeout(timer); timer = setTimeout(() => { seen.disconnect(); done(); }, 500); };
      const seen = new MutationObserver(again);
      seen.observe(document.body, {subtree: true, childList: true, attributes: true});
      again();
    })""")


def presses(page: Page, *names: str) -> int:
    """Key presses that lead to the last of these: Tab to each, and Enter on all but that."""
    count = 0
    page.evaluate(FROM_THE_TOP)
    for index, name in enumerate(names):
        count += tab_to(page, name)
        if index < len(names) - 1:
            page.keyboard.press("Enter")
            count += 1
    return count


def test_run_and_the_next_page_are_a_few_key_presses_away(page: Page, furnished: Server) -> None:
    opened(page, furnished, "Membership", furnished_audit(furnished))
    still(page)
    assert presses(page, "Skip to Run", "Run") <= 6
    assert presses(page, "Skip to the next page", "Next: Records") <= 7


@pytest.mark.parametrize(
    "sizes", [((390, 844), (720, 450)), ((1440, 900),)], ids=["a phone and 200 %, where the menu is folded", "a laptop"]
)
def test_a_narrow_window_shows_the_sentence_and_cuts_nothing_off(
    page: Page, furnished: Server, sizes: Sequence[tuple[int, int]]
) -> None:
    for title in ("Membership", "Records", "Attributes"):
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            if (width, height) != sizes[0]:
                settled(page)
            elif title == "Membership":
                opened(page, furnished, title, furnished_audit(furnished))
            else:  # without the menu, which a narrow window folds away
                page.get_by_role("link", name=f"Next: {title}").click()
                there(page, title)
                settled(page)
            box = page.get_by_role("heading", level=2).first.bounding_box()
            assert box
            assert box["y"] + 30 <= height, f"{title}: the first line of the sentence is in view"
            assert page.evaluate(CUT_OFF) == [], title


CUT_OFF = """() => [...document.querySelectorAll('[data-testid=stMain] button, [data-testid=stMain] label')]
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.innerText)"""
"""Controls that reach beyond the window."""


def test_the_sample_is_opened_a_limit_moved_and_the_report_taken_by_keyboard_alone(
    page: Page, furnished: Server
) -> None:
    opened(page, furnished, "Data", Store(furnished.home).create("Still empty").id)
    tab_to(page, "Open the sample audit")
    page.keyboard.press("Enter")
    page.get_by_text("rows share 12 columns").wait_for()
    settled(page)
    tab_to(page, "Next: Membership")
    page.keyboard.press("Enter")
    there(page, "Membership")
    settled(page)
    page.keyboard.press("Home")
    page.evaluate("document.activeElement.blur()")
    tab_to(page, "Report")
    page.keyboard.press("Enter")
    there(page, "Report")
    settled(page)
    opened(page, furnished, "Report", furnished_audit(furnished))  # which has answers that a limit is for
    tab_to(page, "Limits: how much leak is tolerable?")
    page.keyboard.press("Enter")
    settled(page)
    own = page.get_by_role("option", name="A limit of your own")
    for _ in range(3):  # a menu that is drawn anew under the hand stays shut
        tab_to(page, "The released file: limit on the AUC")
        page.keyboard.press("ArrowDown")
        with suppress(TookTooLong):
            own.wait_for(timeout=10_000)
            break
    page.keyboard.press("Enter")
    slider = page.get_by_role("slider", name="The released file: tolerable AUC")
    slider.wait_for(state="attached")
    settled(page)
    before = slider.input_value()
    tab_to(page, "The released file: tolerable AUC")
    page.keyboard.press("ArrowRight")
    settled(page)
    assert float(slider.input_value()) > float(before)
    shown(page, re.compile(rf"limit 0\.{slider.input_value().partition('.')[2]:0<2}"))
    tab_to(page, "PDF")
    with page.expect_download() as coming:
        page.keyboard.press("Enter")
    assert Path(coming.value.path()).read_bytes().startswith(b"%PDF")
