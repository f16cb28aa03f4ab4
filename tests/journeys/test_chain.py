"""A chain of anonymisers put together with the keyboard in a real browser, and played."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from playwright.sync_api import TimeoutError as TookTooLong

from tests.journeys.test_first_audit import FOUND, NUMBER, go, keep, number, play, sample, settled, unfold, views

if TYPE_CHECKING:
    from playwright.sync_api import Page


def choose(page: Page, menu: str, what: str, *, so: str = "") -> None:
    """Pick an entry of a menu with the keyboard alone; again where the menu was drawn anew under the pick.

    ``so`` is the text that is there once it was picked; without one the pick is taken to have reached the page.
    """
    for _ in range(3):
        settled(page)
        page.get_by_role("combobox", name=menu).first.focus()
        page.keyboard.type(what)
        page.get_by_role("option", name=what).first.wait_for()
        page.keyboard.press("Enter")
        settled(page)
        if not so:
            return
        with suppress(TookTooLong):
            page.get_by_text(so).first.wait_for(timeout=15_000)
            return
        page.keyboard.press("Escape")
    raise AssertionError(f"{what} could not be picked")


def test_a_chain_is_put_together_with_the_keyboard_and_played(page: Page) -> None:
    sample(page)
    go(page, "Membership")
    unfold(page)
    methods = page.get_by_role("combobox", name="Method that makes the release")
    methods.focus()
    page.keyboard.press("Backspace")
    settled(page)
    choose(page, "Method that makes the release", "Rounding of numbers", so="Rounding of numbers")
    page.keyboard.press("Escape")
    choose(page, "Then", "PRAM (randomised response)", so="as step 2")
    choose(page, "Then", "Additive noise on numbers", so="rounding|pram|noise")
    away = page.get_by_role("button", name="Remove step 3")
    away.focus()
    page.keyboard.press("Enter")
    page.get_by_text("as step 3").wait_for(state="detached")
    settled(page)
    keep(page, "chain_form")
    views(page, "chain")
    number(page, "Trainings", 12)
    text = play(page, FOUND)
    assert NUMBER.search(text), "a number with its interval"
    assert "Rounding of numbers, then" in text
    assert "Planted leak" in text
    keep(page, "chain_result")
