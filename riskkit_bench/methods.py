"""What is to be known of each method: what it is, in which version, under which licence, and every cell of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from riskkit_bench.chart import intervals
from riskkit_bench.html import Row, alike, cell_id, method_id, shade, sortable, three, value
from riskkit_bench.origin import origin
from riskkit_bench.plan import BenchPlan, MethodPart
from riskkit_bench.results import (
    CERTIFICATE,
    FILE,
    GAME,
    INSIDE,
    PARTS,
    RELEASE,
    SECRET,
    USE,
    BenchCell,
    Results,
)
from riskkit_bench.usefulness import DETECTION

KINDS = {
    GAME: "game of one person",
    FILE: "one released file",
    RELEASE: "published release",
    CERTIFICATE: "best attack there can be",
    USE: "what the file is good for",
    PARTS: "everybody, on halves of the people",
    INSIDE: "the same, by one who has the trained method",
    SECRET: "secret drawn anew",
}
"""What a kind of cell is called."""
HEADS = (
    ("Table", False),
    ("Kind", False),
    ("Attack", False),
    ("AUC", True),
    ("Named at 1 %", True),
    ("N", True),
    ("Trainings", True),
    ("Planted", True),
    ("Seconds", True),
    ("Note", False),
)
CELLS = (
    "N counts trainings in a game and records on a file. Trainings are all that stand behind the cell, the attacker's "
    "own too. Planted: the AUC on a leak that was planted in the file. Seconds: the cell's share of the processor time "
    "of what was played together."
)


def methods(results: Results) -> Iterator[str]:
    """A fold for each method of the plan, and for each published release."""
    parts = {part.spelling: part for part in results.plan.method}
    for spelling, part in sorted(parts.items(), key=lambda pair: origin(pair[1]).title.casefold()):
        yield _fold(results, spelling, origin(part).title, list(_facts(results.plan, part)))
    for release in results.plan.release:
        yield _fold(results, release.name, f"{release.name} (published)", [("File", release.file)])


def _facts(plan: BenchPlan, part: MethodPart) -> Iterator[tuple[str, str]]:
    """What stands above its cells, a term and its text each."""
    known = origin(part)
    yield "In a plan", part.use
    yield "Version", known.version
    yield "Licence", known.licence
    if part.by:
        yield "Cells by", part.by
    yield "What a seed settles", known.chance
    if plan.has_parts(part):
        yield "Everybody", f"{plan.parts.trainings} trainings, each of a random half of the people"
    if people := plan.people(part):
        trainings = plan.trainings(part)
        yield "Game", f"{people} people, {trainings} counted trainings each"


def _fold(results: Results, spelling: str, title: str, facts: Sequence[tuple[str, str]]) -> str:
    own = [cell for cell in results.cells if cell.method == spelling]
    terms = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in facts)
    table = sortable(CELLS, HEADS, [_cell(cell) for cell in own], f"Cells of {title}") if own else ""
    return (
        f'<details id="{method_id(spelling)}" data-method="{escape(spelling)}"><summary>{escape(title)} '
        f'<span class="small muted">{escape(spelling)}: {len(own):,} cells</span></summary>\n'
        f"<dl>{terms}</dl>\n{intervals(results, spelling)}{table}</details>"
    )


def _cell(cell: BenchCell) -> Row:
    return [
        (escape(cell.table), None, cell_id(cell)),
        (KINDS[cell.kind], None, ""),
        (escape(cell.attack), None, ""),
        (three(cell.auc), cell.auc[0] if cell.auc else None, shade(cell)),
        (three(cell.tpr), cell.tpr[0] if cell.tpr else None, ""),
        (f"{cell.n:,}" if cell.n else "", cell.n or None, ""),
        (f"{cell.trainings:,}" if cell.trainings else "", cell.trainings or None, ""),
        ("" if cell.control is None else f"{cell.control:.2f}", cell.control, ""),
        (f"{cell.seconds:,.2f}", cell.seconds, ""),
        (escape(_note(cell)), None, "why"),
    ]


def _note(cell: BenchCell) -> str:
    """What is said of a cell beside its numbers."""
    if cell.use is not None:
        kept, others = cell.use
        if cell.attack == DETECTION:
            return f"A forest tells its rows from other people with an AUC of {value(kept)}; .50 is not at all."
        beside = "" if others is None else f"; as many other people have {value(others)}"
        return f"Agrees with the real table by {value(kept)} of 1{beside}."
    if cell.gain is not None:
        more, least, most = (f"{100 * end:.0f}" for end in cell.gain)
        return f"Of 100 drawn secrets it guesses {more} [{least}, {most}] more than chance does."
    if cell.exposed is not None:
        listed, people = cell.exposed
        most = f" Most: {three(cell.people[0].auc)}." if cell.people else ""
        return f"{listed:,} of {people:,} people are exposed beyond chance.{most}"
    if shade(cell) != "turned" or cell.auc is None:
        return alike(cell.why)
    reached, low, high = cell.auc
    opposite = three((1 - reached, 1 - high, 1 - low))
    return f"Worse than guessing: with its answers turned round {opposite}. {alike(cell.why)}"
