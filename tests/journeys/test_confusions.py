"""What people asked who tried riskkit without a manual, and what a browser shows them now: ``docs/confusions.md``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from playwright.sync_api import expect

from riskkit.audit.sample import FILES
from riskkit.jobs.store import Audit, Store
from riskkit.questions.released.plan import ReleasedPlan
from tests.conftest import Server, dashboard, menu
from tests.journeys.short import answered, cut, opened
from tests.journeys.test_first_audit import PLAY_WITHIN, SHOWN_WITHIN, go, pick, settled
from tests.pages.runs import finished

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

WINDOW = {"width": 1440, "height": 900}
"""What a laptop shows."""
ASKS = re.compile(r"Questions it asks: ([^.]*)\.")


@pytest.fixture
def laptop(page: Page) -> Page:
    """The tab at the size of a laptop's window."""
    page.set_viewport_size(WINDOW)  # type: ignore[arg-type]
    return page


def box(what: Locator) -> dict[str, float]:
    """Where it stands on the screen, without scrolling."""
    what.wait_for(timeout=SHOWN_WITHIN)
    place = what.bounding_box()
    assert place is not None
    return dict(place)


def unknown(home: Path) -> Audit:
    """Three files of which nobody says how the release was made."""
    audit = Store(home).create("Nothing known")
    for slot, name in FILES.items():
        audit.load(slot, cut(name), name=name)
    return audit


def test_where_do_i_upload_and_what_is_a_holdout(laptop: Page) -> None:
    laptop.goto("/")
    places = [box(laptop.get_by_test_id("stFileUploader").nth(index)) for index in range(3)]
    assert len({place["y"] for place in places}) == 1, "side by side"
    assert places[0]["x"] < places[1]["x"] < places[2]["x"]
    assert max(place["y"] + place["height"] for place in places) < WINDOW["height"], "without scrolling"
    assert box(laptop.get_by_role("button", name="Open the sample audit"))["y"] < WINDOW["height"]
    assert box(laptop.get_by_text("A holdout is a table of people from the same population"))["y"] < WINDOW["height"]


def test_a_new_audit_is_always_in_view(laptop: Page, server: Server) -> None:
    audit = unknown(server.home)
    for title in ("Audit", "Records", "Report"):
        if title == "Audit":
            opened(laptop, server, title, audit.id)
        else:
            go(laptop, title)
        assert box(laptop.get_by_role("button", name="New audit"))["y"] < WINDOW["height"] / 3


def test_which_method_i_do_not_know_it_and_no_effort_asks_what_need_not_concern_me(
    laptop: Page, server: Server
) -> None:
    opened(laptop, server, "Audit", unknown(server.home).id)
    main = laptop.get_by_test_id("stMain")
    expect(main.get_by_role("combobox", name="How was the release made?")).to_have_value("I don't know")
    expect(laptop.get_by_role("button", name="Run the audit")).to_be_enabled()
    for effort in main.get_by_test_id("stButtonGroup").get_by_role("radio").all():
        effort.click()
        settled(laptop)
        questions = ASKS.search(main.inner_text().replace("\u2060", ""))
        assert questions
        assert {"The released file", "Attributes"} <= set(questions[1].split(", "))
        assert not {"Explanations", "Contest", "Membership"} & set(questions[1].split(", ")), effort.inner_text()
    apart = box(laptop.get_by_test_id("stSidebar").get_by_text("More", exact=True))["y"]
    for title in ("Explanations", "Contest"):
        assert box(menu(laptop).filter(has_text=title))["y"] > apart
    assert box(menu(laptop).filter(has_text="Membership"))["y"] < apart


def test_it_does_not_seem_dead_and_every_number_stands_beside_guessing(laptop: Page, server: Server) -> None:
    """The run plays the attacks on the file alone; what else it asks is put in when the page is there."""
    audit = unknown(server.home)
    opened(laptop, server, "Audit", audit.id)
    answered(audit, but="released")
    where = box(laptop.get_by_role("button", name="Run the audit"))
    laptop.get_by_role("button", name="Run the audit").click()
    toast = laptop.get_by_test_id("stToast")
    expect(toast).to_contain_text("The audit has started", timeout=SHOWN_WITHIN)
    cancel = laptop.get_by_test_id("stMain").get_by_role("button", name="Cancel")
    expect(laptop.get_by_test_id("stMain").get_by_role("progressbar").first).to_be_visible(timeout=SHOWN_WITHIN)
    assert abs(box(cancel)["y"] - where["y"]) < WINDOW["height"] / 2, "where the finger is"
    expect(menu(laptop).first).to_contain_text("running", timeout=SHOWN_WITHIN)
    expect(laptop.get_by_test_id("stToast").filter(has_text="The audit is finished")).to_be_visible(timeout=PLAY_WITHIN)
    settled(laptop)
    bars = laptop.get_by_test_id("stMain").get_by_role("img", name=re.compile(r"\d\.\d\d \[.*\], guessing \d\.\d\d"))
    assert bars.count() >= 4, "each bar has its interval beside what guessing reaches"
    expect(menu(laptop).filter(has_text="Membership")).to_contain_text("file alone")


def test_limits_are_there_after_a_reload_in_a_second_tab_and_after_a_restart(page: Page, server: Server) -> None:
    """What was started again is another dashboard of the same home."""
    audit = unknown(server.home)
    finished(audit, ReleasedPlan(attacks=("dcr", "mc")))
    name = "The released file: limit on the AUC"

    def kept(page: Page) -> None:
        expect(page.get_by_role("combobox", name=name)).to_have_value("A limit of your own", timeout=SHOWN_WITHIN)
        who = page.get_by_role("textbox", name="The released file: who set it")
        expect(who).to_have_value("The board", timeout=SHOWN_WITHIN)

    opened(page, server, "Report", audit.id)
    page.get_by_text("Limits: how much leak is tolerable?").click()  # shut while none is set
    expect(page.get_by_role("combobox", name=name)).to_have_value("No limit", timeout=SHOWN_WITHIN)
    pick(page, name, "A limit of your own")
    who = page.get_by_role("textbox", name="The released file: who set it")
    who.fill("The board", timeout=SHOWN_WITHIN)
    who.press("Enter")
    settled(page)
    page.reload()
    kept(page)
    second = page.context.new_page()
    opened(second, server, "Report", audit.id)
    kept(second)
    second.close()
    with dashboard(server.home, is_timed=False) as again:
        opened(page, again, "Report", audit.id)
        kept(page)
