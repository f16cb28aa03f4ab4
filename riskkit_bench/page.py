"""The table of leaks as one HTML file: it opens from disk, fetches nothing, has equal bytes for equal results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from riskkit.audit.output_files import write
from riskkit_bench.boards import board
from riskkit_bench.chart import chart
from riskkit_bench.html import cell_id, three, value
from riskkit_bench.methods import KINDS, methods
from riskkit_bench.orders import CheckedOrder, strongest
from riskkit_bench.overview import overview, releases
from riskkit_bench.plan import Saying
from riskkit_bench.results import CERTIFICATE, FILE, GAME, RELEASE, BenchCell, Results
from riskkit_bench.unplayed import everybody_sentence, sentence

HERE = Path(__file__).parent
PLACE = re.compile(r"\{([^{}]+)\}")
"""Where a sentence has the number of a cell."""


def save(results: Results, held: Sequence[CheckedOrder], path: Path) -> None:
    """Write the page, whole or not at all."""
    write({path.name: html(results, held).encode()}, path.parent)


def lines(results: Results) -> Iterator[list[str]]:
    """A line for each method on each table, for a terminal."""
    for table, method in _pairs(results):
        own = [cell for cell in results.cells if (cell.table, cell.method) == (table, method)]
        played = [strongest([c for c in own if c.kind in kinds]) for kinds in ((GAME,), (FILE, RELEASE))]
        bound = next((cell for cell in own if cell.kind == CERTIFICATE and cell.auc), None)
        figures = [f"{three(cell.auc)} {cell.attack}" if cell else "-" for cell in played]
        most = f"{bound.auc[0]:.3f}" if bound and bound.auc else "-"
        yield [f"{table:<15}", f"{method:<29}", f"{figures[0]:<35}", f"{figures[1]:<35}", most]


def html(results: Results, held: Sequence[CheckedOrder]) -> str:
    """The page."""
    title = escape(results.plan.title)
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    parts = [
        f"<h1>{title}</h1>",
        *_about(results),
        *overview(results),
        *chart(results),
        *_sayings(results),
        '<h2 id="releases">Published releases</h2>',
        *releases(results),
        '<h2 id="orders">Orders that must hold</h2>',
        *_orders(held),
        '<h2 id="people">Person by person</h2>',
        (
            "<p>Row numbers count from 0 in the public file. Each number is the AUC of the attack that is surest to "
            f"work on that person, with the interval at {results.plan.sure:.1%}, which allows for fifty looks; ≤ is "
            "the most that any attack can reach.</p>"
        ),
        *(board(results, table) for table in sorted(results.tables) if "/" not in table),
        '<h2 id="methods">Every method, and every cell</h2>',
        *methods(results),
        '<h2 id="made">How it was made</h2>',
        *_make(results),
        '<h2 id="cite">Cite it, join it</h2>',
        *_cite(results),
    ]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _about(results: Results) -> Iterator[str]:
    cells = [cell for cell in results.cells if cell.kind != CERTIFICATE]
    played = sum(cell.auc is not None for cell in cells)
    tables = {cell.table for cell in cells}
    facts = [
        f"{len(results.plan.method)} methods",
        f"{len(tables)} public table{'s' if len(tables) != 1 else ''}",
        f"{played:,} results",
        *([f"edition {escape(results.plan.edition)}"] if results.plan.edition else []),
        '<a href="#sentences">What it says</a>',
        '<a href="#methods">Every method</a>',
        '<a href="#made">How it is measured</a>',
        '<a href="#cite">Cite it</a>',
        '<button type="button" data-csv>All cells (CSV)</button>',
    ]
    yield f'<p class="small facts">{" · ".join(facts)}</p>'


def _sayings(results: Results) -> Iterator[str]:
    """The sentences of the plan, each with its cells."""
    if not results.plan.saying:
        return
    yield '<h2 id="sentences">What it says</h2>\n<ol>'
    for saying in results.plan.saying:
        links = [_link(place, results.find(place)) for place in saying.cells]
        yield (
            f"<li>{escape(_written(saying, results))}"
            f'<details class="small"><summary>{len(links)} cells</summary>{"; ".join(links)}</details></li>'
        )
    yield "</ol>"


def _link(place: str, cell: BenchCell | None) -> str:
    if cell is None:
        return f"{escape(place)}: not there"
    shown = three(cell.auc or cell.gain) if cell.exposed is None else f"{_of_people(cell)}, AUC {three(cell.auc)}"
    return f'<a href="#{cell_id(cell)}">{escape(place)}</a> {shown}'


def _of_people(cell: BenchCell) -> str:
    """How many people are exposed, and of how many."""
    assert cell.exposed is not None
    return "{:,} of {:,}".format(*cell.exposed)


def _written(saying: Saying, results: Results) -> str:
    """The sentence with the number of each cell that it names in brackets; a dash where there is none.

    Of a cell that counts people ``place|auc`` is its AUC; of drawn secrets it is the gain.
    """

    def number(match: re.Match[str]) -> str:
        place, _, figure = match[1].partition("|")
        cell = results.find(place)
        if cell is not None and cell.exposed is not None and not figure:
            return _of_people(cell)
        reached = None if cell is None else cell.auc or cell.gain
        return "–" if reached is None else value(reached[0])

    return PLACE.sub(number, saying.text)


def _orders(held: Sequence[CheckedOrder]) -> Iterator[str]:
    yield "<ul>"
    for order in held:
        word = "Holds" if order.holds else "<strong>Does not hold</strong>"
        wrong = "".join(f"<br>{escape(breach)}" for breach in order.breaches[:20])
        yield f"<li>{word}: {escape(order.text)}{wrong}</li>"
    yield "</ul>"


def _make(results: Results) -> Iterator[str]:
    game, file = results.plan.game, results.plan.file
    yield (
        f"<p>Game of one person: {game.people} people by the rule <code>{escape(game.chosen)}</code>, {game.trainings} "
        "counted trainings each, half with the person and half without, one release a training; the attacker knows "
        f"every other row. One file: at most {file.asked:,} people asked about on a side, one training. Seed "
        f"{results.plan.seed}. The file of results beside this page has every number.</p>"
    )
    yield (
        f"<p>Brackets hold the {results.plan.level:.0%} interval. A leak is shown where the interval at "
        f"{results.plan.sure:.1%} lies above guessing, which allows for fifty looks. "
        '<span class="turned">Dashed</span>: it lies below; who turns the attack\'s answers round is shown to tell '
        "members from others. A cell of an attack that cannot be played on a method says why.</p>"
    )
    yield from (f"<p>{text}</p>" for text in (sentence(results), everybody_sentence(results)) if text)
    spent = {kind: sum(cell.seconds for cell in results.cells if cell.kind == kind) for kind in KINDS}
    each = ", ".join(f"{KINDS[kind]}: {seconds:,.0f}" for kind, seconds in spent.items() if seconds)
    yield f"<p>All cells together took {sum(spent.values()):,.0f} seconds of a processor ({each}).</p>"
    yield '<ul class="small">'
    for name, about in sorted(results.tables.items()):
        files = ", ".join(f"<code>{escape(entry['file'])}</code> {entry['sha256'][:16]}" for entry in about["files"])
        yield (
            f"<li>{escape(name)}: {escape(about['title'])}; {about['rows']:,} people, {about['columns']} columns; "
            f"table <code>{about['sha256'][:16]}</code>; files {files}</li>"
        )
    versions = dict.fromkeys(cell.made_with for cell in results.cells)
    yield from (f"<li>Made with {escape(version)}</li>" for version in versions if version)
    yield f"<li>Plan <code>{results.plan_sha256}</code></li>"
    yield f"<li>Cells <code>{results.sha256}</code></li>\n</ul>"


def _cite(results: Results) -> Iterator[str]:
    """How to name it in a text, under which terms, and how a method comes in."""
    edition = f", edition {escape(results.plan.edition)}" if results.plan.edition else ""
    yield (
        f"<p>riskkit developers: <cite>{escape(results.plan.title)}</cite> The open table of leaks{edition}. "
        f"Cells <code>{results.sha256[:16]}</code>.</p>"
    )
    if results.plan.licence:
        yield f"<p>Numbers and page may be used under {escape(results.plan.licence)}.</p>"
    yield (
        "<p>Put your method into the table: a program that learns a CSV and writes one, one file that says what is "
        "played, one command; <code>docs/leaks/join.md</code> says how, and what is checked. Each cell is named by the "
        "hash of all that its number follows from.</p>"
    )


def _pairs(results: Results) -> list[tuple[str, str]]:
    """Tables with their methods, those that leak most first within a table."""
    pairs = dict.fromkeys((cell.table, cell.method) for cell in results.cells)

    def leak(pair: tuple[str, str]) -> tuple[str, float, str]:
        own = [cell for cell in results.cells if (cell.table, cell.method) == pair and cell.kind != CERTIFICATE]
        best = strongest(own)
        return pair[0], -(best.auc[0] if best and best.auc else 0.0), pair[1]

    return sorted(pairs, key=leak)
