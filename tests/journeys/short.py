"""The sample cut short: journeys play whole questions on it in seconds, and meet the same pages and fields."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from riskkit.audit.sample import FILES, MADE_BY, sample_folder
from riskkit.jobs.store import Audit, Store
from riskkit.questions.standard import Effort, Situation, plans_for
from tests.conftest import Server
from tests.journeys.test_first_audit import settled, there
from tests.pages.runs import finished

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAME = "The sample, cut short"
WHOLE, ROWS = 2_000, 600
"""Of each table, as it is and cut short: enough for every attack and its planted leak, and too many for a page to time
a contest unasked."""


def cut(name: str, rows: int = ROWS) -> bytes:
    """The first rows of a file of the sample."""
    return b"".join((sample_folder() / name).read_bytes().splitlines(keepends=True)[: rows + 1])


def cut_files(folder: Path) -> dict[str, Path]:
    """Those files in a folder, by the slot they belong to."""
    for name in FILES.values():
        (folder / name).write_bytes(cut(name))
    return {slot: folder / name for slot, name in FILES.items()}


def cut_audit(home: Path, name: str = NAME, rows: int = ROWS) -> Audit:
    """An audit of them in the store of a dashboard, as the sample audit is one of the whole files."""
    audit = Store(home).create(name)
    for slot, file in FILES.items():
        audit.load(slot, cut(file, rows), name=file)
    audit.set_provenance(MADE_BY)
    return audit


def answered(audit: Audit, but: str) -> None:
    """Put in what *Run the audit* would ask, but for that question: played once for all tests on equal files."""
    tables, made_by = audit.tables(), audit.provenance
    answers = audit.answers.within(tables.schema)
    situation = Situation(tables, Effort(audit.effort), made_by.method, answers, made_by.settings)
    plans = plans_for(situation)
    assert but in {plan.question for plan in plans}
    for plan in plans:
        if plan.question != but:
            finished(audit, plan, run=audit.run_of(plan).id)


def opened(page: Page, server: Server, title: str, audit: str = "") -> None:
    """The page of that title at rest, come to by its address."""
    name = "" if title == "Audit" else title.lower().replace(" ", "-")
    server.let_in(page.context)
    page.goto(f"{server.url}/{name}{f'?audit={audit}' if audit else ''}")
    there(page, title)
    settled(page)


def cut_sample(page: Page, server: Server, title: str, rows: int = ROWS) -> Audit:
    """Make that audit and open it on a page."""
    audit = cut_audit(server.home, rows=rows)
    opened(page, server, title, audit.id)
    return audit
