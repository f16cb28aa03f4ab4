"""The table that is read first: methods down, public tables across, the strongest attack in each place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from riskkit_bench.html import Row, Shown, cell_id, heat, method_id, shade, sortable, three, value
from riskkit_bench.orders import GUESS, strongest
from riskkit_bench.origin import origin
from riskkit_bench.plan import MethodPart, TablePart
from riskkit_bench.results import CERTIFICATE, FILE, GAME, PARTS, RELEASE, TOGETHER, BenchCell, Results
from riskkit_bench.unplayed import long, missing_seconds
from riskkit_bench.usefulness import DETECTION, PAIRS, TREE

ABOUT = (
    "AUC of the strongest attack: .50 is guessing, 1 is certain. <b>Bold</b>: a leak is shown at {sure:.1%}. A number "
    "leads to its cell and names attack and interval. A dash: this game was not played. The bound is the most that any "
    "attack in the game can reach. Use is that of the attacked file, the mean over tables: how far pairs of columns "
    "and a decision tree agree with the real table (1 is all), and the AUC with which a forest tells its rows from "
    "people it never saw (.50 is not at all)."
)
TRAINS, HAS_FILE = "Attacker who can train the method; people who stand out most", "Attacker with one file; everybody"
EVERYBODY = "Everybody, in one design: people exposed, of 100"
ABOUT_PARTS = (
    " Everybody: the same {rows} people, {trainings} trainings of each method, each of a random half of them, every "
    "attack on each release. Of the exposed, all attacks together can tell beyond chance that they were in (at most "
    "one in twenty of them by luck). A mouse shows AUC, the share named at 1 % false alarms and the worst. A dash "
    "there: not played yet."
)
GOOD_FOR = "Use"
MEASURED = {PAIRS: "Pairs", TREE: "Tree", DETECTION: "Told"}
"""The measures of use, and what stands over their columns."""


def overview(results: Results) -> Iterator[str]:
    """The whole table, with a field that leaves only methods whose text holds what is typed."""
    tables = [part for part in results.plan.table if part.name in {cell.table for cell in results.cells}]
    cells: dict[str, list[BenchCell]] = {part.spelling: [] for part in results.plan.method}
    for cell in results.cells:
        if cell.method in cells and cell.kind != RELEASE:
            cells[cell.method].append(cell)
    parts = {part.spelling: part for part in results.plan.method}
    missing = missing_seconds(results)
    everybody = tables if any(cell.kind == PARTS for cell in results.cells) else []
    yield (
        '<p><label>Methods whose name holds <input type="search" data-filter="overview"></label> '
        '<span class="small muted" role="status" data-count="overview"></span></p>'
    )
    heads = [
        ("Method", False),
        *((part.label, True) for part in everybody),
        *((part.label, True) for part in tables),
        ("Bound", True),
        *((part.label, True) for part in tables),
        *((title, True) for title in MEASURED.values()),
        ("People", True),
        ("Cost", True),
    ]
    sizes = (1, len(everybody), len(tables) + 1, len(tables), len(MEASURED), 2)
    named = zip(("", EVERYBODY, TRAINS, HAS_FILE, GOOD_FOR, ""), sizes, strict=True)
    groups = [group for group in named if group[1]]
    ranked = sorted(cells, key=lambda spelling: _leak(spelling, cells[spelling]))
    rows = [_row(parts[spelling], spelling, cells[spelling], tables, everybody, missing) for spelling in ranked]
    about = (ABOUT + ABOUT_PARTS * bool(everybody)).format(
        sure=results.plan.sure,
        trainings=results.plan.parts.trainings,
        rows=" or ".join(f"{rows:,}" for rows in sorted({part.rows for part in tables})),
    )
    yield sortable(about, heads, rows, "Which methods leak", groups=groups, name="overview")


def _row(
    part: MethodPart,
    spelling: str,
    own: Sequence[BenchCell],
    tables: Sequence[TablePart],
    everybody: Sequence[TablePart],
    missing: Mapping[tuple[str, str], float | None],
) -> Row:
    games = [_strongest(own, table.name, GAME) for table in tables]
    bounds = [cell.auc[0] for cell in own if cell.kind == CERTIFICATE and cell.auc]
    people = sorted({len(cell.people) for cell in games if cell is not None})
    seconds = sum(cell.seconds for cell in own)
    return [
        (_name(part, spelling), None, ""),
        *(_exposed(own, table.name) for table in everybody),
        *(
            _number(cell) if cell is not None else _unplayed(missing.get((table.name, spelling)))
            for table, cell in zip(tables, games, strict=True)
        ),
        (f"≤ {value(max(bounds))}" if bounds else "", max(bounds, default=None), ""),
        *(_number(_strongest(own, table.name, FILE)) for table in tables),
        *(_use(own, name) for name in MEASURED),
        (" or ".join(f"{number:,}" for number in people), max(people, default=None), ""),
        (long(seconds), seconds, ""),
    ]


def _name(part: MethodPart, spelling: str) -> str:
    """What people call it, how it is written in a plan, and where to read on."""
    name = f"cells by {part.by}" if part.by else part.use.removeprefix("external:recipe=")
    return (
        f'<a href="#{method_id(spelling)}">{escape(origin(part).title)}</a> '
        f'<span class="small muted">{escape(name)}</span>'
    )


def _strongest(cells: Sequence[BenchCell], table: str, kind: str) -> BenchCell | None:
    return strongest([cell for cell in cells if (cell.table, cell.kind) == (table, kind)])


def _number(cell: BenchCell | None) -> Shown:
    """The value alone, on a ground that grows stronger with it; its attack and interval where a mouse rests."""
    if cell is None or cell.auc is None:
        return "", None, ""
    about = f"{cell.attack} {three(cell.auc)}" + (f", {len(cell.people)} people" if cell.people else "")
    shown = (
        f'<a href="#{cell_id(cell)}" title="{escape(about)}" style="--heat:{heat(cell.auc[0])}">'
        f"{value(cell.auc[0])}</a>"
    )
    return shown, cell.auc[0], shade(cell)


def _exposed(cells: Sequence[BenchCell], table: str) -> Shown:
    """How many of a hundred people are exposed beyond chance; of how many, and how far, where a mouse rests."""
    cell = next((cell for cell in cells if (cell.table, cell.kind, cell.attack) == (table, PARTS, TOGETHER)), None)
    if cell is None or cell.exposed is None:
        reason = "not played" if cell is None else escape(cell.why)
        return f'<span class="muted" title="{reason}">–</span>', None, ""
    listed, people = cell.exposed
    about = [f"{listed:,} of {people:,} people", f"AUC {three(cell.auc)}"]
    about += [f"named at 1 % {three(cell.tpr)}"] if cell.tpr else []
    about += [f"the worst {three(cell.people[0].auc)}"] if cell.people else []
    share = 100 * listed / max(people, 1)
    shown = f'<a href="#{cell_id(cell)}" title="{", ".join(about)}" style="--heat:{share / 100:.2f}">{share:.0f}</a>'
    return shown, share, "leak" if listed else ""


def _use(cells: Sequence[BenchCell], name: str) -> Shown:
    """The mean of a measure over tables; where a mouse rests what each table has, and what other people have."""
    there = [(cell.table, *cell.use) for cell in cells if cell.attack == name and cell.use is not None]
    if not there:
        return '<span class="muted" title="not measured">–</span>', None, ""
    mean = sum(kept for _, kept, _ in there) / len(there)
    beside = (
        f"{table} {value(kept)}" + ("" if others is None else f" (other people {value(others)})")
        for table, kept, others in there
    )
    return f'<span title="{escape(", ".join(beside))}">{value(mean)}</span>', mean, ""


def _unplayed(seconds: float | None) -> Shown:
    about = "no game" if seconds is None else f"not played: about {long(seconds)} of a processor"
    return f'<span class="muted" title="{about}">–</span>', None, ""


def _leak(spelling: str, own: Sequence[BenchCell]) -> tuple[bool, float, float, str]:
    """Methods that leak most stand first: by people exposed, the mean over tables, then by one file.

    Those that were not asked about everybody stand last, by their games.
    """

    def mean(kind: str) -> float:
        best = [_strongest(own, table, kind) for table in sorted({cell.table for cell in own})]
        reached = [cell.auc[0] for cell in best if cell is not None and cell.auc is not None]
        return sum(reached) / len(reached) if reached else GUESS

    exposed = [cell.exposed[0] / max(cell.exposed[1], 1) for cell in own if cell.kind == PARTS and cell.exposed]
    leak = sum(exposed) / len(exposed) if exposed else mean(GAME)
    return not exposed, -leak, -mean(FILE), spelling


def releases(results: Results) -> Iterator[str]:
    """Published releases: a row each, with the strongest attack on it."""
    rows: list[Row] = []
    for part in results.plan.release:
        best = strongest([cell for cell in results.cells if (cell.table, cell.method) == (part.table, part.name)])
        if best is not None and best.auc is not None:
            link = f'<a href="#{cell_id(best)}">{escape(best.attack)}</a>'
            named = (three(best.tpr), best.tpr[0] if best.tpr else None, "")
            rows.append(
                [
                    (f'<a href="#{method_id(part.name)}">{escape(part.name)}</a>', None, ""),
                    (escape(results.plan.part(part.table).label), None, ""),
                    (three(best.auc), best.auc[0], shade(best)),
                    named,
                    (link, None, ""),
                ]
            )
    if rows:
        heads = [("Release", False), ("Table", False), ("AUC", True), ("Named at 1 %", True), ("Attack", False)]
        about = "Files that others published. Everybody in them is asked about, and as many people who were not."
        yield sortable(about, heads, rows, "Published releases")
