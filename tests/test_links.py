"""Every link of README, CONTRIBUTING and docs leads to a file and a heading; every page is on a shelf and short."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
        ROOT / "sample_data" / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "benchmarks" / "results").rglob("*.md"),
    ]
)
LINK = re.compile(r"\]\((?!\w+:)([^)\s]+)\)")


def written(path: Path) -> str:
    """The page without its code."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<!`)`[^`\n]*`(?!`)", lambda code: code[0] if "](" not in code[0] else "", text)


def anchors(path: Path) -> set[str]:
    """The headings of a page, as links name them."""
    heads = re.findall(r"^#+ +(.+)$", written(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def broken(path: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    missing = []
    for link in LINK.findall(written(path)):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            missing.append(link)
    return missing


def test_every_link_leads_somewhere() -> None:
    assert len(PAGES) > 50
    assert {str(page.relative_to(ROOT)): broken(page) for page in PAGES if broken(page)} == {}


@pytest.mark.parametrize("link", ["none.md", "page.md#none", "#none"])
def test_a_broken_link_is_seen(link: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n[there](page.md#a-page), [here](#a-page), [x]({link})\n", encoding="utf-8")
    assert broken(page) == [link]


def on_shelves(part: object) -> list[str]:
    """Every page that a part of the navigation names."""
    if isinstance(part, str):
        return [part]
    below = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [page for each in below for page in on_shelves(each)]


def test_every_page_of_docs_is_on_one_shelf() -> None:
    named = on_shelves(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert len(named) == len(set(named))
    assert there - {"leaks/README.md"} <= set(named), "the table of leaks stands there as table_of_leaks.md"


MOST_WORDS = 43_500
"""Of all pages of docs together."""


def test_docs_are_short_enough_to_be_read() -> None:
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in (ROOT / "docs").rglob("*.md")) <= MOST_WORDS
