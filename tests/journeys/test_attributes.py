"""A secret guessed from the released file in a real browser: chosen with the keyboard, run, read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.conftest import Server
from tests.journeys.short import cut_sample
from tests.journeys.test_chain import choose
from tests.journeys.test_first_audit import drawn, keep, play, ticked, unfold, views

if TYPE_CHECKING:
    from playwright.sync_api import Page

NUMBER = re.compile(r"-?\d\.\d{3} \[-?\d\.\d{3}, -?\d\.\d{3}\]")


def test_a_secret_is_guessed_with_a_fast_model_and_the_sentence_says_what_leaks(page: Page, server: Server) -> None:
    cut_sample(page, server, "Attributes")
    page.get_by_text("Example: an attacker guesses").wait_for()
    unfold(page)
    choose(page, "Secret", "readmitted")
    page.keyboard.press("Escape")
    choose(page, "Model that guesses", "Decision tree")
    choose(page, "Generator to run again", "Bayesian network")
    page.get_by_text("20 trainings of bayesnet").wait_for()
    keep(page, "attributes_form")
    text = play(page, "readmitted", NUMBER, re.compile(r"Leak shown|Undecided"))
    page.get_by_text("had their “readmitted” drawn at random before").wait_for()
    page.get_by_text("Rows that match exactly (CAP)").click()
    page.get_by_text("have a released row that agrees in all known columns").wait_for()
    assert re.search(r"Leak (of “readmitted” )?not shown|guesses “readmitted” right more often", text)
    drawn(page, 2)
    ticked(page, "Attributes")
    keep(page, "attributes_result")
    views(page, "attributes")
