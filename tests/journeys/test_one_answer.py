"""From three files to one answer to a signed report, counted: clicks, scrolls and keys of somebody with no manual."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import pypdf
import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from playwright.sync_api import TimeoutError as TookTooLong
from playwright.sync_api import expect

from riskkit.jobs.store import Store
from tests.conftest import Server
from tests.journeys.short import answered, cut_files
from tests.journeys.test_first_audit import PLAY_WITHIN, SHOWN_WITHIN, keep, settled, there
from tests.tables import DATA

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FileChooser, Locator, Page

PLACES = {"real": "Real table", "synthetic": "Synthetic table", "holdout": "Holdout"}
"""Where each file is dropped."""
MOST_CLICKS, MOST_SCROLLS, MOST_KEYS = 8, 3, 60
WINDOW = {"width": 1440, "height": 900}
"""What a laptop shows."""


@dataclass
class Hand:
    """Somebody at a window of usual size, whose clicks and scrolls are counted; a fold is never opened."""

    page: Page
    clicks: int = 0
    scrolls: int = 0

    def see(self, what: Locator) -> Locator:
        """Bring it into view, a screen at a time."""
        what.wait_for(state="visible", timeout=PLAY_WITHIN)
        box = what.bounding_box()
        assert box is not None
        below = box["y"] + box["height"] - WINDOW["height"]
        above = -box["y"]
        self.scrolls += ceil(max(below, above, 0) / (0.9 * WINDOW["height"]))
        what.scroll_into_view_if_needed()
        return what

    def click(self, what: Locator) -> None:
        """Press it."""
        self.see(what).click()
        self.clicks += 1

    def drop(self, slot: str, file: Path) -> None:
        """Drop a file into that place: as much work as a click."""
        box = self.page.get_by_test_id("stFileUploader").filter(has_text=slot)
        self.see(box)
        box.locator("input[type=file]").set_input_files(file)
        self.page.get_by_test_id("stMain").get_by_text(file.name).first.wait_for(timeout=PLAY_WITHIN)
        settled(self.page)
        self.clicks += 1


@pytest.fixture
def laptop(browser: Browser, server: Server, page: Page) -> Page:
    """The tab at the size of a laptop's window."""
    page.set_viewport_size(WINDOW)  # type: ignore[arg-type]
    return page


def signed(hand: Hand, files: dict[str, Path], when_loaded: Callable[[], None] = lambda: None) -> bytes:
    """Walk the path; returns the report in PDF. ``when_loaded`` is called when the files are there."""
    page = hand.page
    page.goto("/")
    page.get_by_text("Drop three files").wait_for()
    for slot, file in files.items():
        hand.drop(slot, file)
    when_loaded()
    hand.click(page.get_by_role("button", name="Run the audit"))
    page.get_by_text("The audit is under way").wait_for()
    keep(page, "one_answer_running")
    page.get_by_text("Run it again, with another effort").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    keep(page, "one_answer")
    hand.click(page.get_by_test_id("stMain").get_by_role("link", name="The report to sign"))
    there(page, "Report")
    settled(page)
    by = page.get_by_role("textbox", name="Who is responsible for it")
    hand.click(by)
    by.fill("A. Steward")
    by.press("Enter")
    settled(page)
    pdf = page.get_by_role("button", name="PDF", exact=True)
    hand.see(pdf)
    with page.expect_download() as waiting:
        hand.click(pdf)
    return Path(waiting.value.path()).read_bytes()


def read(paper: bytes) -> str:
    """The text of page one."""
    from io import BytesIO

    return pypdf.PdfReader(BytesIO(paper)).pages[0].extract_text()


def test_three_files_from_an_empty_start_to_the_signed_pdf_in_a_few_clicks(
    laptop: Page, server: Server, tmp_path: Path
) -> None:
    """The run plays the attacks on the file alone; what else it asks was played before.

    It plays everything below, in a slow one, and in ``tests/test_kept_audit.py``.
    """
    hand = Hand(laptop)
    files = {PLACES[slot]: file for slot, file in cut_files(tmp_path).items()}
    cover = read(signed(hand, files, lambda: all_but_one(server)))
    assert "A. Steward" in cover
    assert "The released file" in cover
    assert "Attributes" in cover
    assert hand.clicks <= MOST_CLICKS
    assert hand.scrolls <= MOST_SCROLLS


def all_but_one(server: Server) -> None:
    """Answer what *Run the audit* would ask of the only audit, but the question about the released file."""
    (audit,) = Store(server.home).audits()
    answered(audit, but="released")


def test_on_a_phone_the_answer_comes_into_view_by_itself(page: Page, server: Server, tmp_path: Path) -> None:
    """*Run* stands screens below the verdict, and what says that the audit is finished does not cover it."""
    page.set_viewport_size({"width": 390, "height": 844})
    audit = Store(server.home).create("In the hand")
    for slot, file in cut_files(tmp_path).items():
        audit.load(slot, file.read_bytes(), name=file.name)
    all_but_one(server)
    page.goto(f"/?audit={audit.id}")
    settled(page)
    page.get_by_role("button", name="Run the audit").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_in_viewport(timeout=SHOWN_WITHIN)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollBy(0, 90)")
    page.get_by_text("The audit is finished.").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    expect(page.get_by_role("heading", level=2).first).to_be_in_viewport(ratio=1)
    toast = page.get_by_test_id("stToast").bounding_box()
    assert toast is not None
    assert toast["y"] > 422, "in the lower half"
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "shoppers").is_dir(), reason="shared/data/shoppers is not on this machine")
def test_shoppers_from_an_empty_start_to_the_signed_pdf_in_a_few_clicks(laptop: Page, tmp_path: Path) -> None:
    folder = DATA / "shoppers"
    names = ("train.csv", "2024_synthcity-bayesian_network.csv.gz", "holdout.csv")
    hand = Hand(laptop)
    cover = read(signed(hand, {slot: folder / name for slot, name in zip(PLACES.values(), names, strict=True)}))
    assert "Leak shown" in cover
    assert hand.clicks <= MOST_CLICKS
    assert hand.scrolls <= MOST_SCROLLS


class Keys:
    """Somebody without a mouse: every key is counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.pressed = page, 0
        self.log: list[tuple[int, str]] = []

    def press(self, key: str) -> None:
        """One key."""
        self.page.keyboard.press(key)
        self.pressed += 1

    def reach(self, name: str, skip: str = "") -> None:
        """Press Tab until what has that name has the focus; a link that skips to it is taken where one is met."""
        passed: list[str] = []
        for _ in range(MOST_KEYS):
            self.press("Tab")
            if name in (named := self.page.evaluate(FOCUSED)):
                self.log.append((self.pressed, name))
                return
            passed.append(named)
            if skip and skip in named:
                self.press("Enter")
        raise AssertionError(f"{self.pressed} keys: {name} is not reached by {MOST_KEYS} Tabs, but {passed}")


FOCUSED = """() => {
  const e = document.activeElement;
  if (!e.matches('a, button, input')) return '';
  const label = e.labels && e.labels.length ? e.labels[0].innerText : '';
  return (e.getAttribute('aria-label') || label || e.innerText || '').trim();
}"""


def chosen(keys: Keys) -> FileChooser:
    """The window in which a file is chosen, opened by a key; again where the page was being drawn meanwhile.

    A page that draws its slots anew takes the focus from them, and it is sought again.
    """
    for _ in range(3):
        if "Upload" not in keys.page.evaluate(FOCUSED):
            keys.reach("Upload", "Skip to the files")
        with suppress(TookTooLong):
            with keys.page.expect_file_chooser(timeout=10_000) as chooser:
                keys.press("Enter")
            return chooser.value
    raise AssertionError(f"the key opened no window: {keys.log}")


def test_the_same_by_keyboard_alone(laptop: Page, server: Server, tmp_path: Path) -> None:
    page, keys = laptop, Keys(laptop)
    page.goto("/")
    page.get_by_text("Drop three files").wait_for()
    settled(page)
    for file in cut_files(tmp_path).values():
        keys.reach("Upload", "Skip to the files")
        chosen(keys).set_files(file)
        page.get_by_test_id("stMain").get_by_text(file.name).first.wait_for(timeout=PLAY_WITHIN)
        settled(page)
    all_but_one(server)
    keys.reach("Run the audit", "Skip to Run")
    keys.press("Enter")
    page.get_by_text("Run it again, with another effort").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    keys.reach("The report to sign", "Skip to what to do next")
    keys.press("Enter")
    there(page, "Report")
    settled(page)
    keys.reach("Who is responsible for it", "Skip to the downloads")
    page.keyboard.type("A. Steward")
    keys.press("Enter")
    settled(page)
    keys.reach("picture_as_pdf")
    with page.expect_download() as waiting:
        keys.press("Enter")
    assert "A. Steward" in read(Path(waiting.value.path()).read_bytes())
    assert keys.pressed <= MOST_KEYS, keys.log
