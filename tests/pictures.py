"""The pictures of README and docs, drawn anew from the sample by ``python -m tests.pictures``: ``make pictures``.

A page is what Chromium shows of a dashboard with the sample audit, or of the table of leaks; a sheet is one of the PDF
that ``riskkit report`` writes of it; the tour is walked through the demo. The cost of generators has its own script
(``benchmarks/scaling.py``).
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pypdf
import typst
from PIL import Image

from riskkit import registry
from riskkit.audit import sample
from riskkit.cli import main
from riskkit.jobs.machine import workers
from riskkit.jobs.store import Store
from riskkit.table.write import to_csv
from tests.browsing import at_rest, chromium_of, listened_to
from tests.conftest import dashboard
from tests.tables import adult_frame, from_frame

if TYPE_CHECKING:
    from playwright.sync_api import Page

DOCS = Path(__file__).resolve().parents[1] / "docs"
WINDOW = {"width": 1280, "height": 800}
STEPS, LONGEST = 5, 600_000
"""Steps of the tour; milliseconds that a page may take on a slow computer."""
DOTS = 80
"""Dots an inch of a sheet."""
SHEET = """#set page(width: auto, height: auto, margin: 0pt)
#box(clip: true, height: {share} * 297mm, image("report.pdf", page: {page}, width: 210mm))"""
REPORT = ("--title", "Release of March: privacy audit", "--by", "A. Steward", "--limit", "released=0.57", "--appendix")
NAMES = {
    "age": "年齢", "sex": "性別", "district": "나이", "ward": "病棟コード", "systolic": "Größe", "bmi": "Возраст",
    "diagnosis": "診断名",
}  # fmt: skip
"""Columns of the sample, and what they are called in a file of many scripts."""
FILES = {"real": "患者 2026.csv", "synthetic": "合成.csv", "holdout": "対照.csv"}


def keep(name: str, png: bytes) -> None:
    """Write a picture of 256 colours, which is a quarter of the bytes."""
    drawn = Image.open(io.BytesIO(png)).convert("RGB").quantize(256)
    drawn.save(DOCS / name, optimize=True)
    sys.stdout.write(f"docs/{name}: {drawn.width} x {drawn.height}\n")


@contextmanager
def opened(home: Path, path: str) -> Iterator[Page]:
    """A tab with a page of a dashboard whose store is in that folder."""
    with dashboard(home, is_timed=False) as server, chromium_of(program()) as browser:
        window = server.let_in(browser.new_context(viewport=WINDOW, base_url=server.url))
        listened_to(window)
        tab = window.new_page()
        tab.set_default_timeout(LONGEST)
        tab.goto(path)
        tab.get_by_role("heading", level=1).wait_for()
        yield tab


def program() -> str:
    """The browser of this computer."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))


def page(home: Path, path: str) -> bytes:
    """What a window shows of a page of the dashboard."""
    with opened(home, path) as tab:
        at_rest(tab)
        return tab.screenshot()


def everybody(folder: Path) -> str:
    """An audit of 1,000 people of Adult, who were asked about on random parts of them; returns its name."""
    people = adult_frame().drop(columns="fnlwgt").sample(2_000, random_state=1)
    words = ["records", "--generator", "bayesnet", "--made-by", "bayesnet", "--by", "subsets", "--n-syn", "1000"]
    for slot, rows in (("real", people[:1_000]), ("holdout", people[1_000:])):
        rows.to_csv(folder / f"{slot}.csv", index=False)
        words += [f"--{slot}", str(folder / f"{slot}.csv")]
    fitted = registry.parse("generators", "bayesnet").fit(from_frame(people[:1_000]), np.random.default_rng(1))
    (folder / "synthetic.csv").write_bytes(to_csv(fitted.sample(1_000, np.random.default_rng(2))))
    words += ["--synthetic", str(folder / "synthetic.csv"), "--keep", "everybody", "--quiet"]
    assert main(words) in (0, 3, 4)
    return "everybody"


def whom_it_exposes(home: Path, path: str) -> None:
    """The first screens of Records, and everybody's ROC curve, which is folded away."""
    with opened(home, path) as tab:
        tab.set_viewport_size({"width": WINDOW["width"], "height": 1_220})
        at_rest(tab)
        keep("records_everybody.png", tab.screenshot())
        tab.get_by_text("All numbers", exact=True).first.click()
        tab.get_by_text("How many members are named").first.wait_for()
        at_rest(tab)
        keep("records_roc.png", tab.locator(".stPlotlyChart").last.screenshot())


def leaks() -> bytes:
    """The first screen of the table of leaks."""
    with chromium_of(program()) as browser:
        tab = browser.new_page(viewport={"width": 1440, "height": 1000})
        tab.goto((DOCS / "leaks" / "index.html").as_uri())
        return tab.screenshot()


def tour(home: Path) -> None:
    """Every step of the tour, and what one click on its first repair leads to."""
    with opened(home, "/") as tab:
        tab.get_by_role("button", name="Tour").click()
        for step in range(1, STEPS + 1):
            tab.get_by_text(f"Step {step} of {STEPS}").wait_for()
            if step == 1:
                tab.get_by_role("button", name="Remove the 14 copies").first.wait_for()
            at_rest(tab)
            keep(f"demo/step_{step}.png", tab.screenshot())
            if step == 1:
                tab.get_by_role("button", name="Remove the 14 copies").first.click()
                tab.get_by_role("heading", name="Is the new release better").first.wait_for()
                at_rest(tab)
                keep("demo/shuffled.png", tab.screenshot())
            if step < STEPS:
                tab.get_by_role("button", name="Next", exact=True).click()
        tab.get_by_role("button", name="End the tour").click()


def sheet(pdf: bytes, says: str, share: float = 1.0) -> bytes:
    """The upper part of the sheet of a report that says this."""
    texts = [each.extract_text() for each in pypdf.PdfReader(io.BytesIO(pdf)).pages]
    number = next(number for number, text in enumerate(texts, 1) if says in text)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "report.pdf").write_bytes(pdf)
        written = Path(folder) / "sheet.typ"
        written.write_text(SHEET.format(share=share, page=number), encoding="utf-8")
        drawn = typst.compile(str(written), format="png", ppi=DOTS)
    assert isinstance(drawn, bytes)
    return drawn


def report(audit: str, folder: Path, *options: str) -> bytes:
    """The PDF of the report on an audit."""
    assert main(["report", audit, "--out", str(folder), *options]) in (0, 3, 4)
    return (folder / "report.pdf").read_bytes()


def in_many_scripts(folder: Path) -> str:
    """An audit of the sample with other names of files and columns; returns its name."""
    words = ["released", "--attacks", "dcr", "--keep", "names"]
    for slot, name in FILES.items():
        head, _, rows = (sample.sample_folder() / sample.FILES[slot]).read_text(encoding="utf-8").partition("\n")
        called = ",".join(NAMES.get(column, column) for column in head.split(","))
        (folder / name).write_text(f"{called}\n{rows}", encoding="utf-8")
        words += [f"--{slot}", str(folder / name)]
    assert main(words) == 0
    return "names"


def draw() -> None:
    """Draw every picture."""
    with tempfile.TemporaryDirectory() as folder:
        home, out = Path(folder) / "home", Path(folder) / "report"
        home.mkdir(mode=0o700)
        os.environ["RISKKIT_HOME"] = str(home)
        audit = sample.sample_audit(Store(home), workers=workers())
        pdf = report(audit.id, out, *REPORT)
        keep("report_cover.png", sheet(pdf, REPORT[1]))
        keep("report_question.png", sheet(pdf, "What this does not show"))
        why = ("--class", "restricted", "--asked-by", "A. Steward", "--purpose", "Review", "--confirm", "--appendix")
        names = report(in_many_scripts(Path(folder)), out, *why)
        keep("report_names.png", sheet(names, NAMES["diagnosis"], 0.5))
        keep("membership.png", page(home, f"/membership?audit={audit.id}"))
        asked = everybody(Path(folder))
        whom_it_exposes(home, f"/records?audit={next(each.id for each in Store(home).audits() if each.name == asked)}")
        keep("leaks/page.png", leaks())
        fresh = Path(folder) / "fresh"
        fresh.mkdir(mode=0o700)
        tour(fresh)


if __name__ == "__main__":
    draw()
