"""Whom the table exposes, in a real browser: set up, run, one person opened from the table, a column coarsened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.conftest import Server
from tests.journeys.short import WHOLE, cut_sample
from tests.journeys.test_chain import choose
from tests.journeys.test_first_audit import drawn, keep, number, play, settled, unfold, views

if TYPE_CHECKING:
    from playwright.sync_api import Page

COUNT = re.compile(r"(Of 4 records tested, at least \d are exposed|None of 4 records tested is shown to be exposed)")
BRACKET = re.compile(r"The risk of record \d+ lies between \d\.\d\d and \d\.\d\d")


def test_a_person_is_opened_and_a_coarser_column_helps(page: Page, server: Server) -> None:
    cut_sample(page, server, "Records", WHOLE)
    page.get_by_text("Example: person 17").wait_for()
    unfold(page)
    choose(page, "For whom", "Rows I name")
    page.get_by_label("Row numbers, counted from 0").fill("411, 907, 12, 40")
    page.get_by_label("Row numbers, counted from 0").press("Enter")
    number(page, "Trainings a side", 40)
    keep(page, "records_form")
    text = play(page, "records tested", COUNT)
    assert COUNT.search(text)
    page.get_by_text("What tells most about this person").wait_for()
    settled(page)
    keep(page, "records_result")
    page.get_by_text(BRACKET).first.wait_for()
    page.get_by_text("What if a column were coarser").click()
    page.get_by_text("Coarsen until this many people share a value").wait_for()
    page.get_by_text("Who stands out").last.click()
    drawn(page, 5)
    page.get_by_text("The released rows most like this person").click()
    page.get_by_text("A near row describes and proves nothing").wait_for()
    page.get_by_text("Leave this person out").click()
    page.get_by_text("holds nothing of them").wait_for()
    views(page, "records", 4600)

    address = page.url
    page.reload()
    page.get_by_text("What tells most about this person").wait_for()
    assert page.url == address
