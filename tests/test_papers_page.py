"""docs/papers.md and its ledger leave nothing blank, name nothing that is not there, and give no unfounded figure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from riskkit import registry
from riskkit.audit import studies
from riskkit.commands import abouts
from riskkit.errors import RiskkitError
from tests.test_documentation import options, parser
from tests.test_statistics_page import functions_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
LEDGER = (ROOT / "docs" / "papers_ledger.md").read_text(encoding="utf-8")
HEADS = {
    ("the paper says", "printed", "ours", "ask or see", "how it compares"),
    ("source", "here", "test"),
    ("source", "here", "where", "verdict"),
}
ALIKE = 3
"""So many cells has a line of the ledger without a verdict: what it names is as in the source."""
VERDICTS = ("agrees", "differs", "both kept", "not decided", "not done", "source errs")
"""What a row may say first, in bold letters, of its two figures."""
ROOMS = ("attacks", "generators", "targets", "released", "inference", "explained", "inverters", "defences")
NUMBER = r"-?\d+(?:\.\d+)?|-?\.\d+"
FIGURE = re.compile(rf"(?<![\w.])(?:{NUMBER})(?: \[(?:{NUMBER}), (?:{NUMBER})\])?")


@dataclass(frozen=True)
class Row:
    """One line of a table of the page."""

    source: str
    printed: str
    ours: str
    where: str
    verdict: str


def lines(page: str) -> Iterator[list[str]]:
    """The cells of every line of every table, heads left out."""
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if line.startswith("|") and tuple(cells) not in HEADS and set("".join(cells)) != {"-"}:
            yield cells


def rows(page: str) -> list[Row]:
    """The lines with figures of ours."""
    return [Row(*cells) for cells in lines(page) if len(cells) == len(fields(Row))]


def blanks(page: str) -> list[list[str]]:
    """Lines with an empty cell or another number of cells, or that do not begin their verdict as all do."""
    verdict = re.compile(rf"\*\*({'|'.join(VERDICTS)})\*\*")
    widths = {len(head) for head in HEADS}
    return [
        cells
        for cells in lines(page)
        if len(cells) not in widths or not all(cells) or (len(cells) > ALIKE and not verdict.match(cells[-1]))
    ]


# --------------------------------------------------------------------------------------------------------------
# What is named is there


def missing(page: str) -> list[str]:
    """Every file, test, plug-in, option, command and section that the page names and that there is not."""
    names_missing = [name for name in re.findall(r"`([^`]+)`", page) if not is_there(name)]
    links = re.findall(r"\]\(([^)]+)\)", page)
    return names_missing + [link for link in links if not link.startswith("http") and section(link) is None]


def is_there(name: str) -> bool:
    """Whether what stands in code letters is in the repository, as far as it is a name of something in it."""
    room, colon, plug_in = name.partition(": ")
    if colon and room in ROOMS:
        return is_plug_in(room, plug_in)
    if name.startswith(("riskkit ", "--")):
        return is_asked(name.removeprefix("riskkit ").split())
    return all(is_file(word) for word in name.split() if "/" in word)


def is_plug_in(room: str, text: str) -> bool:
    """Whether ``mvl:variant=syn`` can be made in that room."""
    try:
        registry.parse(room, text)
    except RiskkitError:
        return False
    return True


def is_asked(words: list[str]) -> bool:
    """Whether a command takes these words: an option of any command, or a command with its first argument."""
    if words[0].startswith("--"):
        return any(words[0] in options(parser(name)) for name in abouts())
    return words[0] in abouts() and (words[0] != "study" or set(words[1:2]) <= set(studies.names()))


def is_file(name: str) -> bool:
    """Whether a path, or a test behind ``::``, is in the repository."""
    path, _, function = name.partition("::")
    return (ROOT / path).exists() and (not function or function in functions_of(ROOT / path))


def slug(title: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def section(link: str) -> str | None:
    """The text behind a link from the page: a file of the docs, or what stands under one of its headings."""
    name, _, anchor = link.partition("#")
    path = ROOT / "docs" / name
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    if not anchor:
        return text
    parts = re.split(r"^#+ +", text, flags=re.MULTILINE)
    return next((part for part in parts if slug(part.partition("\n")[0]) == anchor), None)


# --------------------------------------------------------------------------------------------------------------
# What is given as ours stands where the row says


def figures(text: str) -> list[str]:
    """Numbers and numbers with their interval, without a nought before the point or signs between thousands."""
    plain = re.sub(r"(?<=\d)[,_](?=\d{3}(?!\d))", "", re.sub(r"`[^`]*`", "", text))
    return [re.sub(r"(?<![\d.])0\.", ".", figure) for figure in FIGURE.findall(plain)]


def places(where: str) -> str:
    """All that a row refers to: sections of the docs, and files of tests, plans and results."""
    linked = [section(link) or "" for link in re.findall(r"\]\(([^)]+)\)", where)]
    paths = [ROOT / name.partition("::")[0] for name in re.findall(r"`([^`]+)`", where)]
    read = [path.read_text(encoding="utf-8") for path in paths if path.is_file() and path.parent.name != "docs"]
    return "\n".join([*linked, *read])


def unfounded(page: str) -> list[tuple[str, str]]:
    """Figures of ours that stand in no place which their row names: the row and the figure."""
    figures_alone = []
    for row in rows(page):
        there = figures(places(row.where).replace("`", ""))
        known = {*there, *(value for figure in there for value in re.findall(NUMBER, figure))}
        figures_alone += [(row.source, figure) for figure in figures(row.ours) if figure not in known]
    return figures_alone


def test_nothing_is_left_blank() -> None:
    assert len(rows(PAGE)) > 50
    assert len(list(lines(LEDGER))) > 70
    assert blanks(PAGE) == blanks(LEDGER) == []


def test_everything_that_is_named_is_there() -> None:
    assert missing(PAGE) == missing(LEDGER) == []


def test_every_figure_of_ours_stands_where_its_row_says() -> None:
    assert sum(len(figures(row.ours)) for row in rows(PAGE)) > 130
    assert unfounded(PAGE) == []


# --------------------------------------------------------------------------------------------------------------
# Planted faults


def line(ours: str = "-", where: str = "`README.md`") -> str:
    return f"| Table 1 | .5 | {ours} | {where} | **agrees** |"


def test_a_blank_is_seen() -> None:
    assert blanks(line()) == []
    assert len(blanks(line(ours=""))) == len(blanks(line().replace("**", ""))) == 1


@pytest.mark.parametrize(
    "named",
    [
        "`risk/attacks/mvl.py`",
        "`tests/test_core.py::test_nothing_at_all`",
        "`attacks: mvl:variant=sin`",
        "`riskkit papers`",
        "`--base-line tested`",
        "[x](records.md#no-such-section)",
    ],
)
def test_what_is_not_there_is_seen(named: str) -> None:
    assert len(missing(line(where=named))) == 1


def test_a_figure_that_stands_nowhere_is_seen() -> None:
    where = "[studies](../benchmarks/results/studies.md#one-person-among-other-people-fifteen-times)"
    assert unfounded(line("0.55 to 0.83, SD .093; 0.83 [0.79, 0.86]", where)) == []
    assert [figure for _, figure in unfounded(line("0.83 [0.79, 0.87]; 95,000", where))] == [".83 [.79, .87]", "95000"]
