"""The main job in a real browser: files in, a target picked, the game played, a number with its interval out.

The ``page`` fixture fails every journey in which the browser asks for anything outside 127.0.0.1.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")
from playwright.sync_api import TimeoutError as TookTooLong
from playwright.sync_api import expect

from tests.browsing import at_rest
from tests.conftest import menu

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
NUMBER = re.compile(r"\d+ % \[\d+ %, \d+ %\]|\d\.\d\d \[\d\.\d\d, \d\.\d\d\]")
PLAY_WITHIN = 180_000
"""Milliseconds a small game may take on two busy cores."""
FOUND = re.compile("attacks? picks the right one|An attacker can tell|an attacker can tell")
"""How the sentence on membership begins, whatever was found."""
SETTINGS = re.compile(r"^(tune)?\s*(Set up|Settings(?!,))")
"""What the fold of the settings of a question is called; the name of its icon stands before it."""
SHOWN_WITHIN, LOOK_EVERY = 60_000, 250
"""Milliseconds a result may take to come in sight, and between two looks."""


def keep(page: Page, name: str) -> None:
    """Keep a picture where RISKKIT_SHOTS names a folder."""
    folder = os.environ.get("RISKKIT_SHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def views(page: Page, name: str, height: int = 2400) -> None:
    """Pictures of the page in both themes, wide and narrow, where RISKKIT_SHOTS names a folder."""
    if not os.environ.get("RISKKIT_SHOTS"):
        return
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width in (1400, 420):
            page.set_viewport_size({"width": width, "height": height})
            settled(page)
            keep(page, f"{name}_{theme}_{width}")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1400, "height": 2400})


def go(page: Page, title: str) -> None:
    """Open a page from the menu and wait until it is there."""
    menu(page).filter(has_text=title).click()
    there(page, title)


def there(page: Page, title: str) -> None:
    """Wait for the page of that title, which has a question as its heading."""
    expect(page).to_have_title(f"{title} · riskkit", timeout=SHOWN_WITHIN)
    page.get_by_role("heading", level=1).wait_for()


def settled(page: Page) -> None:
    """Wait until Streamlit has finished this run of the page and drawn it, and has not begun another a moment later."""
    at_rest(page)
    assert page.get_by_test_id("stException").count() == 0


def pick(page: Page, menu: str, what: str) -> None:
    """Pick an entry of a menu with the mouse; again where the menu was drawn anew, and so shut, under the hand."""
    for _ in range(3):
        settled(page)
        page.get_by_role("combobox", name=menu).click()
        with suppress(TookTooLong):
            page.get_by_role("option", name=what).click(timeout=15_000)
            return
        page.keyboard.press("Escape")
    raise AssertionError(f"{what} could not be picked")


def sample(page: Page) -> None:
    """Open the sample audit from an empty start."""
    page.goto("/")
    page.get_by_role("button", name="Open the sample audit").click()
    page.get_by_role("button", name="Run the audit").wait_for()
    settled(page)


def drop(page: Page, slot: str, name: str, data: bytes) -> None:
    """Drop a file into the upload box of that slot; again where a rerun of the page swallowed it."""
    box = page.get_by_test_id("stFileUploader").filter(has_text=slot).locator("input[type=file]")
    for _ in range(3):
        box.set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})
        with suppress(TookTooLong):
            page.get_by_test_id("stMain").get_by_text(name).first.wait_for(timeout=15_000)
            return
    raise AssertionError(f"{name} never arrived")


def unfold(page: Page) -> None:
    """Open the fold of the settings on the page of a question."""
    settled(page)
    fold = page.get_by_test_id("stMain").get_by_test_id("stExpander").filter(has_text=SETTINGS).first
    fold.locator("summary").first.click()
    settled(page)


def number(page: Page, label: str, value: int) -> None:
    """Type a number into the field with that label."""
    field: Locator = page.get_by_role("spinbutton", name=label, exact=True)
    field.fill(str(value))
    field.press("Enter")
    settled(page)


def play(page: Page, about: str | re.Pattern[str], *wanted: re.Pattern[str]) -> str:
    """Press Run, wait for the result on ``about`` with all that is ``wanted`` (an interval), and return its text."""
    before = page.url
    for _ in range(3):
        settled(page)
        page.get_by_role("button", name="Run", exact=True).click()
        with suppress(TookTooLong):
            page.wait_for_url(lambda url: url != before, timeout=20_000)
            break
    page.get_by_role("heading", name=about).first.wait_for(timeout=PLAY_WITHIN)
    return shown(page, re.compile("All numbers"), *(wanted or (NUMBER,)))


def drawn(page: Page, charts: int) -> None:
    """Wait until exactly so many charts are drawn: they come after the text around them."""
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(charts, timeout=SHOWN_WITHIN)


def ticked(page: Page, title: str) -> None:
    """Wait until the menu marks that page as one with results."""
    expect(menu(page).filter(has_text=title)).to_contain_text(re.compile("done|▲"), timeout=SHOWN_WITHIN)


JOINER = "\u2060"
"""Stands in texts that are shown as they are, where a sign could be read as a mark; nobody sees it."""


def shown(page: Page, *wanted: re.Pattern[str]) -> str:
    """Wait until everything ``wanted`` is in sight on a page at rest, and return what the page says.

    Text is in the document before it is in sight, and out of sight again while Streamlit draws the page anew, so the
    text that is returned is the very text that was looked at.
    """
    text = ""
    for _ in range(SHOWN_WITHIN // LOOK_EVERY):
        settled(page)
        text = page.get_by_test_id("stMain").inner_text().replace(JOINER, "")
        if all(pattern.search(text) for pattern in wanted):
            return text
        page.wait_for_timeout(LOOK_EVERY)
    raise AssertionError(f"{[pattern.pattern for pattern in wanted]} never came in sight together:\n{text}")


def test_sample_data_game_and_result(page: Page) -> None:
    sample(page)
    assert "audit=" in page.url
    go(page, "Data")
    page.get_by_text("rows share 12 columns").wait_for()
    keep(page, "data")
    go(page, "Membership")
    unfold(page)
    number(page, "Trainings", 12)
    text = play(page, FOUND)
    assert NUMBER.search(text), "a number with its interval"
    assert "guessing" in text
    keep(page, "membership")

    address = page.url
    page.reload()
    page.get_by_text("All numbers").wait_for()
    assert page.url == address


def test_a_cp932_file_is_read_with_its_words_right(page: Page) -> None:
    wards = ("東病棟", "西病棟", "南病棟", "外来診療科")
    lines = ["年齢,病棟,喫煙"] + [f"{20 + n % 60},{wards[n % 4]},{'はい' if n % 3 else 'いいえ'}" for n in range(200)]
    page.goto("/")
    drop(page, "Real table", "患者.csv", ("\n".join(lines) + "\n").encode("cp932"))
    page.get_by_text("cp932").first.wait_for()
    page.get_by_text("Are the words of").wait_for()
    drop(page, "Synthetic table", "合成.csv", ("\n".join(lines[:1] + lines[:100:-1]) + "\n").encode("cp932"))
    page.get_by_role("button", name="Run the audit").wait_for()
    go(page, "Data")
    shown(page, re.compile("rows share 3 columns"), re.compile("病棟"), re.compile(r"患者\.csv"))
    keep(page, "cp932")


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("long.csv", b"age,ward\n" + b"40,east\n" * 70 + b"41,secretcanary,1\n", r"long\.csv.*line 72"),
        ("book.csv", b"PK\x03\x04" + b"secretcanary" * 50, r"book\.csv"),
        ("empty.csv", b"", r"empty\.csv.*empty"),
    ],
)
def test_a_broken_file_gives_its_sentence_and_nothing_is_lost(page: Page, name: str, data: bytes, says: str) -> None:
    page.goto("/")
    drop(page, "Real table", "real.csv", (SAMPLE / "real.csv").read_bytes())
    page.get_by_text("2,000 rows").first.wait_for()
    settled(page)
    drop(page, "Synthetic table", name, data)
    page.get_by_test_id("stAlert").filter(has_text=re.compile(says, re.DOTALL)).wait_for()
    text = shown(page, re.compile(r"real\.csv"))
    assert "secretcanary" not in text
    assert "Traceback" not in text
    drop(page, "Synthetic table", "release.csv", (SAMPLE / "release_stat.csv").read_bytes())
    page.get_by_role("button", name="Run the audit").wait_for()
