"""Explanations attacked in a real browser: chosen with the keyboard, run, read, a victim's values asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.journeys.test_chain import choose
from tests.journeys.test_first_audit import (
    NUMBER,
    drawn,
    go,
    keep,
    number,
    play,
    sample,
    settled,
    shown,
    ticked,
    unfold,
    views,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_explanations_of_a_linear_model_give_everything_away(page: Page) -> None:
    sample(page)
    go(page, "Explanations")
    page.get_by_text("Example: from its explanation").wait_for()
    unfold(page)
    choose(page, "Defences to try", "Rounding")
    page.keyboard.press("Escape")
    settled(page)
    number(page, "Rows the attacker holds", 300)
    page.get_by_text("More settings", exact=True).click()
    number(page, "Victims, at most", 40)
    number(page, "Models trained anew", 1)
    keep(page, "explanations_form")
    text = play(page, "If a service predicts", NUMBER, re.compile("Leak shown"))
    assert "inputs better than one guess for everybody" in text
    drawn(page, 4)  # inputs, association, defences, groups of people
    ticked(page, "Explanations")
    keep(page, "explanations_result")
    views(page, "explanations", 4200)

    address = page.url
    page.reload()
    shown(page, re.compile("All numbers"))
    assert page.url == address
