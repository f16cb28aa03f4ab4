"""What Streamlit's widgets say by themselves is said in the reader's language, and so that a screen reader says it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from riskkit.language import MARKS
from tests.conftest import Server, dashboard
from tests.speaking import speak

pytestmark = pytest.mark.second
WAIT = 60_000


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        speak(patch, MARKS)
        with dashboard(tmp_path_factory.mktemp("marked"), is_timed=False) as started:
            yield started


@pytest.fixture
def opened(browser: Browser, marked: Server) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(marked.address)
    yield page
    page.close()


def upload(page: Page, folder: Path) -> None:
    """Load a file, which opens an audit."""
    source = folder / "people.csv"
    source.write_text(
        "age,job\n" + "".join(f"{20 + index % 50},{'ab'[index % 2]}\n" for index in range(60)), encoding="utf-8"
    )
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("stFileUploader").first.get_by_role("button", name="⟦Choose a file⟧").click()
    chooser.value.set_files(source)
    expect(page.get_by_text("people.csv").first).to_be_visible(timeout=WAIT)


def test_a_place_for_files_speaks_the_language_and_still_takes_a_file(opened: Page, tmp_path: Path) -> None:
    place = opened.get_by_test_id("stFileUploader").first
    expect(place.get_by_role("button", name="⟦Choose a file⟧")).to_be_visible(timeout=WAIT)
    heard = place.aria_snapshot()
    assert "Up to" in heard
    assert "300" in heard
    assert not [english for english in ("Upload", "per file", "file upload") if english in heard], heard
    upload(opened, tmp_path)


def test_a_menu_without_a_match_says_so_in_the_language(opened: Page, tmp_path: Path) -> None:
    upload(opened, tmp_path)
    menu = opened.get_by_test_id("stSelectbox").locator("input").first
    menu.fill("no such thing", timeout=WAIT)
    options = opened.locator("[role=listbox] > [role=option]")
    expect(options).to_have_count(1)
    assert options.inner_text().strip() == "", "the English is hidden"
    content = options.evaluate("one => getComputedStyle(one, '::before').content")
    assert "Nothing of that name" in content


def test_the_menu_of_the_page_speaks_the_language(opened: Page) -> None:
    expect(opened.locator("main h1, h1").first).to_be_visible(timeout=WAIT)
    opened.get_by_test_id("stMainMenu").get_by_role("button").click(timeout=WAIT)
    for name, word in (("System", "As the system"), ("Light", "Light"), ("Dark", "Dark")):
        item = opened.get_by_test_id(f"stMainMenuItem-theme-{name}")
        expect(item).to_have_css("font-size", "0px", timeout=WAIT)
        assert f"⟦{word}⟧" in item.evaluate("one => getComputedStyle(one, '::after').content")
        assert item.evaluate("one => getComputedStyle(one, '::after').fontSize") == "14px"
    for name, word in (("print", "Print"), ("recordScreencast", "Record screen")):
        item = opened.get_by_test_id(f"stMainMenuItem-{name}")
        assert item.inner_text().strip() == "", "the English is hidden"
        assert f"⟦{word}⟧" in (item.get_attribute("aria-label") or item.aria_snapshot())
