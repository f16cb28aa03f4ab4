"""The table of leaks as one HTML file: it opens from disk, fetches nothing, has equal bytes for equal results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from riskkit.audit.exporting import write
from riskkit_bench.boards import board
from riskkit_bench.html import Row, alike, cell_id, sortable, three
from riskkit_bench.orders import CheckedOrder, strongest
from riskkit_bench.origin import origin
from riskkit_bench.plan import BenchPlan
from riskkit_bench.results import CERTIFICATE, FILE, GAME, RELEASE, BenchCell, Results
from riskkit_bench.unplayed import long, missing_seconds, sentence

HERE = Path(__file__).parent
KINDS = {
    GAME: "game of one person",
    FILE: "one released file",
    RELEASE: "published release",
    CERTIFICATE: "best attack there can be",
}
"""What a kind of cell is called."""


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
        *_sayings(results),
        '<h2 id="leaks">Who leaks how much</h2>',
        *_summary(results),
        '<h2 id="orders">Orders that must hold</h2>',
        *_orders(held),
        '<h2 id="people">Person by person</h2>',
        (
            "<p>Row numbers count from 0 in the public file. Each number is the AUC of the attack that is surest to "
            f"work on that person, with the interval at {results.plan.sure:.1%}, which allows for fifty looks; ≤ is "
            "the most that any attack can reach.</p>"
        ),
        *(board(results, table) for table in sorted(results.tables) if "/" not in table),
        '<h2 id="cells">Every cell</h2>',
        *(_cells(results, table) for table in dict.fromkeys(cell.table for cell in results.cells)),
        '<h2 id="methods">The methods</h2>',
        _methods(results),
        '<h2 id="made">How it was made</h2>',
        *_make(results),
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
    played = [cell for cell in cells if cell.auc is not None]
    tables = [name for name in results.tables if "/" not in name]
    yield (
        f"<p>{len(played):,} cells with a number: attacks that guess who was in the data, on methods that make "
        f"synthetic tables, on {len(tables)} public tables. {len(cells) - len(played):,} more say why an attack has "
        "no number there. An AUC of .5 is guessing, 1 is certain. Brackets hold the "
        f'{results.plan.level:.0%} interval. <span class="key">Shaded</span>: a leak is shown, the interval at '
        f'{results.plan.sure:.1%} lies above guessing. <span class="turned">Dashed</span>: it lies below; who turns '
        "the attack's answers round is shown to tell members from others.</p>"
    )


def _sayings(results: Results) -> Iterator[str]:
    """The sentences of the plan, each with its cells."""
    if not results.plan.saying:
        return
    yield '<h2 id="sentences">What it says</h2>\n<ol>'
    for saying in results.plan.saying:
        cells = [(place, results.find(place)) for place in saying.cells]
        links = [
            f'<a href="#{cell_id(cell)}">{escape(place)}</a> {three(cell.auc)}'
            if cell
            else f"{escape(place)}: not there"
            for place, cell in cells
        ]
        yield f'<li>{escape(saying.text)} <span class="small muted">{"; ".join(links)}</span></li>'
    yield "</ol>"


def _summary(results: Results) -> Iterator[str]:
    """A row for each method on each table: the surest attack of either kind, and the certificate."""
    rows: list[Row] = []
    missing = missing_seconds(results)
    for table, method in _pairs(results):
        own = [cell for cell in results.cells if (cell.table, cell.method) == (table, method)]
        file, game = (strongest([c for c in own if c.kind in kinds]) for kinds in ((FILE, RELEASE), (GAME,)))
        bound = next((cell for cell in own if cell.kind == CERTIFICATE), None)
        kind = "published release" if any(cell.kind == RELEASE for cell in own) else "trained here"
        seconds = sum(cell.seconds for cell in own)
        trainings = max((cell.trainings for cell in own), default=0)
        people = len(game.people) if game else 0
        rows.append(
            [
                (escape(table), None, ""),
                (escape(method), None, "name"),
                *_reach(file),
                *(_not_played(missing[table, method]) if (table, method) in missing else _reach(game)),
                (f"{people:,}" if people else "", people or None, ""),
                (
                    "" if bound is None else three(bound.auc, only=True),
                    bound.auc[0] if bound and bound.auc else None,
                    "",
                ),
                (f"{trainings:,}" if trainings else "", trainings or None, ""),
                (f"{seconds:,.1f}", seconds, ""),
                (kind, None, ""),
            ]
        )
    heads = [
        ("Table", False),
        ("Method", False),
        ("File: AUC", True),
        ("named at 1 %", True),
        ("attack", False),
        ("Game: mean AUC", True),
        ("named at 1 %", True),
        ("attack", False),
        ("People", True),
        ("Certificate", True),
        ("Trainings", True),
        ("Seconds", True),
        ("What", False),
    ]
    about = (
        "The attack that is surest to work, on one released file (everybody is asked about) and in the game of one "
        "person. People: how many the game asks about, those who stand out most or as the plan says, each in a game of "
        "their own. Named at 1 %: the share of members that an attack names while it accuses 1 % of the others. "
        "Certificate: the best mean AUC that any attack in the game can reach." + sentence(results)
    )
    yield sortable(about, heads, rows, "Who leaks how much")


def _reach(cell: BenchCell | None) -> Row:
    """AUC, share named and attack of a cell."""
    if cell is None or cell.auc is None:
        return [("", None, ""), ("", None, ""), ("", None, "")]
    link = f'<a href="#{cell_id(cell)}">{escape(cell.attack)}</a>'
    return [
        (three(cell.auc), cell.auc[0], _shade(cell)),
        (three(cell.tpr), cell.tpr[0] if cell.tpr else None, ""),
        (link, None, ""),
    ]


def _not_played(seconds: float | None) -> Row:
    """What stands in the place of a game that was not played: what it would cost, where that is known."""
    shown = "no game" if seconds is None else f"no game: about {long(seconds)}"
    return [(f'<span class="muted">{shown}</span>', None, ""), ("", None, ""), ("", None, "")]


def _cells(results: Results, table: str) -> str:
    """Every cell of a table."""
    own = [cell for cell in results.cells if cell.table == table]
    rows: list[Row] = [
        [
            (escape(cell.method), None, cell_id(cell)),
            (KINDS[cell.kind], None, ""),
            (escape(cell.attack), None, ""),
            (three(cell.auc), cell.auc[0] if cell.auc else None, _shade(cell)),
            (three(cell.tpr), cell.tpr[0] if cell.tpr else None, ""),
            (f"{cell.n:,}" if cell.n else "", cell.n or None, ""),
            (f"{cell.trainings:,}" if cell.trainings else "", cell.trainings or None, ""),
            ("" if cell.control is None else f"{cell.control:.2f}", cell.control, ""),
            (f"{cell.seconds:,.2f}", cell.seconds, ""),
            (escape(_note(cell)), None, "why"),
        ]
        for cell in own
    ]
    heads = [
        ("Method", False),
        ("Kind", False),
        ("Attack", False),
        ("AUC", True),
        ("Named at 1 %", True),
        ("N", True),
        ("Trainings", True),
        ("Planted", True),
        ("Seconds", True),
        ("Note", False),
    ]
    about = (
        "N counts trainings in a game and records on a file. Trainings are all that stand behind the cell, the "
        "attacker's own too. Planted: the AUC on a leak that was planted in the file. Seconds: the cell's share of "
        "the processor time of what was played together."
    )
    title = escape(table)
    held = sortable(about, heads, rows, f"Cells of {title}")
    return f"<details><summary>{title}: {len(own):,} cells</summary>\n{held}</details>"


def _orders(held: Sequence[CheckedOrder]) -> Iterator[str]:
    yield "<ul>"
    for order in held:
        word = "Holds" if order.holds else "<strong>Does not hold</strong>"
        wrong = "".join(f"<br>{escape(breach)}" for breach in order.breaches[:20])
        yield f"<li>{word}: {escape(order.text)}{wrong}</li>"
    yield "</ul>"


def _methods(results: Results) -> str:
    """What each method is, in which version, under which licence, and whether a seed makes it again."""
    rows: list[Row] = []
    parts = {part.spelling: part for part in results.plan.method}
    for use, part in sorted(parts.items()):
        source = origin(part)
        texts = (use, source.title, source.version, source.licence, source.chance)
        rows.append([(escape(text), None, "") for text in texts])
    heads = [
        ("Method", False),
        ("What it is", False),
        ("Version", False),
        ("Licence", False),
        ("What a seed settles", False),
    ]
    about = (
        "The version of riskkit that made a cell stands below. A recipe is a method of another package, with the "
        "packages that its file pins; of other programs the plan says what is said here. Where a seed does not "
        "settle all of it, a cell cannot be made again to the same number."
    )
    return sortable(about, heads, rows, "The methods")


def _make(results: Results) -> Iterator[str]:
    game, file = results.plan.game, results.plan.file
    yield (
        f"<p>Game of one person: {game.people} people by the rule <code>{escape(game.chosen)}</code>, {game.trainings} "
        "counted trainings each, half with the person and half without, one release a training; the attacker knows "
        f"every other row. One file: at most {file.asked:,} people asked about on a side, one training. Seed "
        f"{results.plan.seed}. The file of results beside this page has every number.</p>"
    )
    yield from _other_sizes(results.plan)
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


def _other_sizes(plan: BenchPlan) -> Iterator[str]:
    """Which methods are played with fewer or more people and trainings than the plan says of all."""
    usual = (plan.game.people, plan.game.trainings)
    sizes: dict[tuple[int, int], dict[str, None]] = {}
    for part in plan.method:
        size = (plan.people(part), plan.trainings(part))
        if size[0] and size != usual:
            sizes.setdefault(size, {})[part.spelling] = None
    if sizes:
        each = "; ".join(
            f"{people} and {trainings} of {', '.join(f'<code>{escape(use)}</code>' for use in sorted(uses))}"
            for (people, trainings), uses in sorted(sizes.items(), reverse=True)
        )
        yield f"<p>Other numbers of people and of counted trainings each: {each}.</p>"


def _pairs(results: Results) -> list[tuple[str, str]]:
    """Tables with their methods, those that leak most first within a table."""
    pairs = dict.fromkeys((cell.table, cell.method) for cell in results.cells)

    def leak(pair: tuple[str, str]) -> tuple[str, float, str]:
        own = [cell for cell in results.cells if (cell.table, cell.method) == pair and cell.kind != CERTIFICATE]
        best = strongest(own)
        return pair[0], -(best.auc[0] if best and best.auc else 0.0), pair[1]

    return sorted(pairs, key=leak)


def _shade(cell: BenchCell) -> str:
    """The class of a number that shows a leak, by the attack's answers or by their opposite."""
    if cell.sure is None or cell.kind == CERTIFICATE:
        return ""
    return "leak" if cell.sure[1] > 0.5 else "turned" if cell.sure[2] < 0.5 else ""


def _note(cell: BenchCell) -> str:
    """What is said of a cell beside its numbers."""
    if _shade(cell) != "turned" or cell.auc is None:
        return alike(cell.why)
    value, low, high = cell.auc
    opposite = three((1 - value, 1 - high, 1 - low))
    return f"Worse than guessing: with its answers turned round {opposite}. {alike(cell.why)}"
