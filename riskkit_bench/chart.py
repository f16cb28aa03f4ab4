"""Leak against use: each method is a dot, once for the attacker who can train it and once for who has one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from statistics import mean

from riskkit_bench.html import method_id, value
from riskkit_bench.orders import strongest
from riskkit_bench.origin import origin
from riskkit_bench.results import FILE, GAME, BenchCell, Results
from riskkit_bench.usefulness import PAIRS

PANELS = {GAME: "Attacker who can train the method", FILE: "Attacker with one file"}
WIDE, HIGH, LEFT, TOP, BETWEEN = 430, 320, 44, 28, 60
"""Of a panel, in pixels: its ground, and what stands left of it, above it and between two."""
LINE = 14
"""How high a name is."""
LOWEST = 0.4
"""Where the axis of the AUC begins."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A method: the mean agreement of pairs, and the mean AUC of the strongest attack, over the tables."""

    spelling: str
    title: str
    use: float
    leak: float


def dots(results: Results, kind: str) -> list[Dot]:
    """The methods of which both were measured on every table of the plan."""
    tables = [part.name for part in results.plan.table]
    cells: dict[str, dict[str, list[BenchCell]]] = {part.spelling: {} for part in results.plan.method}
    for cell in results.cells:
        if cell.method in cells:
            cells[cell.method].setdefault(cell.table, []).append(cell)
    titles = {part.spelling: origin(part).title for part in results.plan.method}
    made = []
    for spelling, own in cells.items():
        uses = [cell.use[0] for there in own.values() for cell in there if cell.attack == PAIRS and cell.use]
        best = [strongest([cell for cell in there if cell.kind == kind]) for there in own.values()]
        leaks = [cell.auc[0] for cell in best if cell is not None and cell.auc is not None]
        if len(uses) == len(leaks) == len(tables):
            made.append(Dot(spelling, titles[spelling], mean(uses), mean(leaks)))
    return made


def undominated(there: Sequence[Dot]) -> list[Dot]:
    """Those that no other method beats: less leak at no less use, or more use at no more leak."""

    def beats(first: Dot, other: Dot) -> bool:
        return (
            (first.leak, -first.use) != (other.leak, -other.use) and first.leak <= other.leak and first.use >= other.use
        )

    return [dot for dot in there if not any(beats(other, dot) for other in there)]


def chart(results: Results) -> Iterator[str]:
    """The two panels, and how to read them; nothing where no use was measured."""
    panels = [(title, dots(results, kind)) for kind, title in PANELS.items()]
    panels = [(title, there) for title, there in panels if there]
    if not panels:
        return
    yield '<h2 id="use">Leak against use</h2>'
    yield (
        "<p>Means over all tables, of methods that were measured on each. Low and right is good. Blue: no other method "
        "leaks less and keeps as much. A dot says its name where a mouse rests, and leads to its method.</p>"
    )
    yield '<div class="panels">'
    yield from (_panel(title, there) for title, there in panels)
    yield "</div>"


def _panel(title: str, there: Sequence[Dot]) -> str:
    ahead = undominated(there)
    named = _with_room(ahead)
    marks = [_mark(dot, is_ahead=dot in ahead, is_named=dot in named) for dot in sorted(there, key=lambda dot: dot.use)]
    about = "; ".join(f"{dot.title}: pairs {value(dot.use)}, AUC {value(dot.leak)}" for dot in there)
    axes = [
        *(_line(0, _y(auc), WIDE, _y(auc), value(auc), -6, _y(auc) + 4, "end") for auc in (0.5, 0.75, 1.0)),
        *(
            _line(_x(use), HIGH, _x(use), HIGH + 4, value(use), _x(use), HIGH + 18, "middle")
            for use in (0.25, 0.5, 0.75, 1)
        ),
    ]
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg viewBox="{-LEFT} {-TOP} {LEFT + WIDE + BETWEEN} '
        f'{TOP + HIGH + 44}" role="group" aria-label="{escape(f"{title}. {about}")}">'
        f'<g class="axis">{"".join(axes)}<text x="0" y="-10">AUC of the strongest attack</text>'
        f'<text x="{WIDE}" y="{HIGH + 36}" text-anchor="end">agreement of pairs with the real table</text></g>'
        f"{''.join(marks)}</svg></figure>"
    )


def _with_room(ahead: Sequence[Dot]) -> list[Dot]:
    """Those whose name covers no other name, the most useful ones first; of the others a mouse finds it."""
    named: list[Dot] = []
    for dot in sorted(ahead, key=lambda dot: -dot.use):
        if all(abs(_y(dot.leak) - _y(other.leak)) >= LINE for other in named):
            named.append(dot)
    return named


def _x(use: float) -> float:
    return round(WIDE * use, 1)


def _y(leak: float) -> float:
    return round(HIGH * (1 - leak) / (1 - LOWEST), 1)


def _line(x: float, y: float, to_x: float, to_y: float, text: str, at_x: float, at_y: float, anchor: str) -> str:
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}"/>'
        f'<text x="{at_x}" y="{at_y}" text-anchor="{anchor}">{text}</text>'
    )


def _mark(dot: Dot, *, is_ahead: bool, is_named: bool) -> str:
    """A dot with its numbers where a mouse rests; the name beside it, on the side that has room."""
    x, y = _x(dot.use), _y(dot.leak)
    name = ""
    if is_named:
        turn = f'x="{x - 8:g}" text-anchor="end"' if dot.use > 0.5 else f'x="{x + 8:g}"'
        name = f'<text {turn} y="{y + 4:g}">{escape(dot.spelling)}</text>'
    about = f"{dot.title}: pairs {value(dot.use)}, AUC {value(dot.leak)}"
    return (
        f'<a href="#{method_id(dot.spelling)}"><circle cx="{x}" cy="{y}" r="5"'
        f"{' class=ahead' if is_ahead else ''}><title>{escape(about)}</title></circle>{name}</a>"
    )
