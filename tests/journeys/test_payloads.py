"""Texts that a browser might run, as names of columns, files and audits, levels, titles and notes, on every page.

What they would do shows as a dialog, as a request, as something the content security policy forbade (the ``page``
fixture fails a test for both), or as an element that no page of ours has. That nothing runs in an export is shown by
``tests/report/audited/test_payloads.py``; what the browser is handed is looked at here.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from riskkit.jobs.store import SLOTS, Audit, Store
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.conftest import Server, dashboard
from tests.journeys.short import opened
from tests.journeys.test_accessible import PAGES
from tests.journeys.test_first_audit import JOINER, PLAY_WITHIN, go, settled
from tests.journeys.test_report import downloaded
from tests.pages.runs import finished
from tests.report.audited.payloads import MARKUP

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page

BROWSER = r"""
<iframe src=http://x.test></iframe>
<style>@import 'http://x.test/a.css'</style>
<base href=http://x.test>
<link rel=prefetch href=http://x.test/a>
<meta http-equiv=refresh content='0;url=http://x.test'>
<svg><image href=http://x.test/a.png></svg>
"><img src=http://x.test/a.png>
<video src=http://x.test/v>
<details open ontoggle=alert(1)>
<a href="javascript:alert(1)">a</a>
<math><mtext></mtext></math>
<b>a</b><br>b
%{x}<extra></extra>
http://x.test/auto
www.x.test
<http://x.test>
[a]: http://x.test
[a](http://x.test "t")
$\href{http://x.test}{a}$
$\includegraphics{http://x.test/a.png}$
smile :smile: b
""".strip().splitlines()
"""What Streamlit's Markdown, KaTeX and Plotly's labels could make of a name."""
TEXTS = [text for text in (*MARKUP, *BROWSER) if text.isprintable() and len(text) <= 100]
ROWS = 240
NAME = "<img src=http://x.test/n.png onerror=alert(1)> *b* $x$ :smile:"
"""Of the audit that has everything in it."""
PLANS: tuple[Plan, ...] = (
    ReleasedPlan(attacks=("dcr", "mc")),
    MembershipPlan(trainings=8, generations=1, n_syn=100),
    AttributePlan(secrets=(TEXTS[0], TEXTS[1]), model="cap", sweep_model="cap"),
    RecordsPlan(records="top:5", inside=6, outside=6, shadows=6, again=2, n_syn=60),
    ContestPlan(anonymisers=("identity", "stat"), attackers=("distance",), source="people", guesses=10, rules="none"),
    ExplanationPlan(target=TEXTS[2], attackers=("linear",), victims=10, auxiliary=(40,), model_seeds=1),
)
"""A small run of every question."""
UNFOLD = """() => document.querySelectorAll('[data-testid=stExpander] details:not([open]) > summary')
  .forEach(e => e.click())"""
FOREIGN = """() => [...document.querySelectorAll(
  'iframe, object, embed, base[href*="x.test"], link[href*="x.test"], [src*="x.test"], [href*="x.test"], '
  + '[onerror], [onload], [ontoggle], a[href^="javascript"], meta[http-equiv], '
  + '#stMain script:not([type="module"][src^="./static/js/"]:empty)'
)].map(e => e.outerHTML.slice(0, 200))"""
"""Elements that only a payload could have brought into a page: a page names none but the server's own."""


def table(seed: int, names: list[str]) -> bytes:
    """A CSV whose columns have these names, and whose levels are the next of them."""
    rng = np.random.default_rng(seed)
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(["age", *names])
    levels = [(names[index], names[(index + 1) % len(names)], "plain") for index in range(len(names))]
    for _ in range(ROWS):
        lines.writerow([int(rng.integers(20, 80)), *(own[int(rng.integers(3))] for own in levels)])
    return text.getvalue().encode()


def loaded(audit: Audit, source: Callable[[int], bytes], files: Sequence[str]) -> Audit:
    """The audit with a table in every slot, under these file names."""
    for seed, (slot, name) in enumerate(zip(SLOTS, files, strict=True)):
        audit.load(slot, source(seed), name=name)
    return audit


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard with an audit whose columns and levels are all texts, every question of it answered, and others
    whose names and file names are."""
    home = tmp_path_factory.mktemp("payloads")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RISKKIT_HOME", str(home))
        store = Store.default()
        for start in range(0, len(TEXTS), 3):
            files = [TEXTS[(start + slot) % len(TEXTS)] for slot in range(3)]
            loaded(store.create(files[1]), lambda _: b"a,b\n" + b"1,x\n2,y\n" * 30, files)
        audit = loaded(store.create(NAME), lambda seed: table(seed, TEXTS), TEXTS[:3])
        for number, plan in enumerate(PLANS):
            finished(audit, plan, run=f"{number}" * 32)
    with dashboard(home, is_timed=False) as started:
        yield started


@pytest.fixture
def tab(page: Page, furnished: Server) -> Iterator[Page]:
    """A tab at that dashboard; fails a test in which a dialog opened or an element came that is none of ours."""
    dialogs: list[str] = []

    def closed(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", closed)
    page.set_default_timeout(PLAY_WITHIN)
    yield page
    assert page.evaluate(FOREIGN) == []
    assert dialogs == []


def text_of(tab: Page) -> str:
    """What the page says, without what stands in texts to keep signs apart."""
    return " ".join(tab.get_by_test_id("stMain").inner_text().replace(JOINER, "").split())


def named(home: Path, name: str) -> Audit:
    """The newest audit of that name."""
    return next(audit for audit in Store(home).audits() if audit.name == name)


def packed(texts: Sequence[str], most: int = 200) -> list[str]:
    """The texts with spaces between them, as many together as such a field takes."""
    fields = [""]
    for text in texts:
        if len(fields[-1]) + len(text) + 1 > most:
            fields.append("")
        fields[-1] = f"{fields[-1]} {text}".strip()
    return fields


def test_there_are_as_many_as_promised_and_every_one_is_in_a_field_of_the_report() -> None:
    assert len(set(TEXTS)) >= 40
    assert max(map(len, packed(TEXTS))) <= 200
    assert all(any(text in field for field in packed(TEXTS)) for text in TEXTS)


def test_no_page_runs_a_name_or_a_level(tab: Page, furnished: Server) -> None:
    audit, drawn = named(furnished.home, NAME), 0
    for index, title in enumerate(PAGES):
        if index == 0:
            opened(tab, furnished, title, audit.id)
        else:
            go(tab, title)
            settled(tab)
        tab.evaluate(UNFOLD)
        settled(tab)
        assert tab.evaluate(FOREIGN) == []
        assert NAME in text_of(tab), title
        labels = " ".join(tab.locator(".js-plotly-plot text").all_text_contents())
        drawn += sum(text in labels.replace(JOINER, "") for text in TEXTS)
        if title == "Attributes":
            assert all(text in text_of(tab) for text in TEXTS[:2]), "the secrets are named letter by letter"
    assert drawn > 0, "charts had names on them"


def test_no_page_runs_the_name_of_a_file_or_an_audit(tab: Page, furnished: Server) -> None:
    opened(tab, furnished, "Audits")
    tab.get_by_role("button", name=re.compile(r"Show \d+ more")).click()
    settled(tab)
    listed = text_of(tab)
    for audit in Store(furnished.home).audits():
        if audit.name != NAME:
            opened(tab, furnished, "Data", audit.id)
            tab.get_by_test_id("stMain").get_by_test_id("stTooltipHoverTarget").first.hover()
            tab.get_by_test_id("stTooltipContent").first.wait_for()
            assert tab.evaluate(FOREIGN) == []
            names = text_of(tab)
            for text in (audit.name, *(file["name"] for file in audit.files.values())):
                assert text in names
        assert audit.name in listed


def test_no_page_runs_a_title_or_a_note(tab: Page, furnished: Server) -> None:
    opened(tab, furnished, "Report", named(furnished.home, NAME).id)
    tab.get_by_text("Say who releases it, to whom, and for what").click()
    for together in packed(TEXTS):
        for label in ("Title on the cover", "Who is responsible for it"):
            tab.get_by_label(label).fill(together)
            tab.keyboard.press("Enter")
        settled(tab)
        assert tab.evaluate(FOREIGN) == []
    for button in ("PDF", "JSON", "Evidence pack (ZIP)"):
        name, source = downloaded(tab, button)
        assert source, name
