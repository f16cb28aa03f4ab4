"""A release is mended in a real browser: what is suggested, the new file, its audit, and both side by side."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.conftest import Server
from tests.journeys.short import cut, cut_audit, opened
from tests.journeys.test_first_audit import PLAY_WITHIN, keep, settled, shown
from tests.journeys.test_report import downloaded
from tests.pages.runs import finished

if TYPE_CHECKING:
    from playwright.sync_api import Page


ASKED: tuple[Plan, ...] = (
    ReleasedPlan(attacks=("dcr", "mc")),
    AttributePlan(secrets=("diagnosis",), model="cap", sweep_model="cap"),
)
"""What takes a second to play."""


def test_from_a_release_to_a_better_one_beside_it(page: Page, server: Server) -> None:
    """The old release was asked two questions, and the new one is asked the same: these runs are really started."""
    audit = cut_audit(server.home)
    for number, plan in enumerate(ASKED):
        finished(audit, plan, run=f"{number}" * 32)
    opened(page, server, "Audit", audit.id)
    page.get_by_role("heading", name="What can you do about it?").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    page.get_by_text("Shuffle the rows", exact=True).click()
    settled(page)
    page.get_by_role("button", name="Change this file and audit the new one").click()
    page.get_by_role("heading", name="Made from this release").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    keep(page, "mended")
    name, content = downloaded(page, "Download")
    assert name == "release_bayesnet_shuffled.csv"
    old = cut("release_bayesnet.csv").splitlines()
    assert Counter(content.splitlines()) == Counter(old)
    assert content.splitlines() != old
    page.get_by_role("button", name="Compare with the old one").click()
    page.get_by_role("heading", name="Is the new release better than the old one?").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    shown(page, re.compile("What either file shows by itself"))
    keep(page, "compare")
    assert re.search("left=.*right=", page.url)
