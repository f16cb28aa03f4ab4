"""Leak against use: each method is a dot: for everybody, for the attacker who can train it, for who has one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from statistics import mean

from riskkit_bench.html import method_id, three, value
from riskkit_bench.orders import strongest
from riskkit_bench.origin import origin
from riskkit_bench.results import FILE, GAME, PARTS, BenchCell, Results
from riskkit_bench.usefulness import PAIRS

PANELS = {PARTS: "Everybody, in one design", GAME: "Attacker who can train the method", FILE: "Attacker with one file"}
WIDE, HIGH, LEFT, TOP, BETWEEN = 430, 320, 44, 28, 60
"""Of a panel, in pixels: its ground, and what stands left of it, above it and between two."""
LINE = 14
"""How high a name is."""
LETTER = 6.0
"""How wide a letter of a name is."""
LOWEST = 0.4
"""Where the axis of the AUC begins."""


NAME, SCALE, ROW, ROOM = 90, 300, 16, 34
"""Of a method's own picture, in pixels: a table's name, the AUC from 0 to 1, a row, and what its axis and key take."""
MARKS = {PARTS: "everybody", GAME: "trains the method", FILE: "one file"}
"""The attackers of that picture, each with a row of its own a table."""


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
    """The panels, and how to read them; nothing where no use was measured."""
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
    sides = _sides(ahead, there)
    marks = [
        _mark(dot, is_ahead=dot in ahead, side=sides.get(dot, 0)) for dot in sorted(there, key=lambda dot: dot.use)
    ]
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


def _sides(ahead: Sequence[Dot], there: Sequence[Dot]) -> dict[Dot, int]:
    """On which side of a dot its name stands (-1: left), where it covers no dot and no name of a more useful one.

    Of those that are left out a mouse finds the name.
    """
    placed: dict[Dot, int] = {}
    for dot in sorted(ahead, key=lambda dot: -dot.use):
        for side in (-1, 1):
            start, end = _span(dot, side)
            spans = [_span(other, turn) for other, turn in placed.items() if _is_level(dot, other, LINE)]
            marks = [_x(other.use) for other in there if other != dot and _is_level(dot, other, LINE - 4)]
            is_free = all(end < low or high < start for low, high in spans)
            if is_free and all(x + 5 < start or end < x - 5 for x in marks) and start > -LEFT and end < WIDE + BETWEEN:
                placed[dot] = side
                break
    return placed


def _span(dot: Dot, side: int) -> tuple[float, float]:
    """From where to where the name of a dot reaches, on that side of it."""
    near, far = sorted((_x(dot.use) + 8 * side, _x(dot.use) + side * (8 + LETTER * len(_name(dot)))))
    return near, far


def _is_level(dot: Dot, other: Dot, pixels: float) -> bool:
    return abs(_y(dot.leak) - _y(other.leak)) < pixels


def _name(dot: Dot) -> str:
    return dot.spelling.removeprefix("external:recipe=")


def _x(use: float) -> float:
    return round(WIDE * use, 1)


def _y(leak: float) -> float:
    return round(HIGH * (1 - leak) / (1 - LOWEST), 1)


def _line(x: float, y: float, to_x: float, to_y: float, text: str, at_x: float, at_y: float, anchor: str) -> str:
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}"/>'
        f'<text x="{at_x}" y="{at_y}" text-anchor="{anchor}">{text}</text>'
    )


def _mark(dot: Dot, *, is_ahead: bool, side: int) -> str:
    """A dot with its numbers where a mouse rests; the name beside it, on that side, or on none."""
    x, y = _x(dot.use), _y(dot.leak)
    anchor = "end" if side < 0 else "start"
    name = (
        f'<text x="{x + 8 * side:g}" text-anchor="{anchor}" y="{y + 4:g}">{escape(_name(dot))}</text>' if side else ""
    )
    about = f"{dot.title}: pairs {value(dot.use)}, AUC {value(dot.leak)}"
    return (
        f'<a href="#{method_id(dot.spelling)}"><circle cx="{x}" cy="{y}" r="5"'
        f"{' class=ahead' if is_ahead else ''}><title>{escape(about)}</title></circle>{name}</a>"
    )


def intervals(results: Results, spelling: str) -> str:
    """A method's strongest attack on each table, a line from end to end of its interval, by who attacks."""
    own = [cell for cell in results.cells if cell.method == spelling]
    kinds = [kind for kind in MARKS if any(cell.kind == kind for cell in own)]
    tables = [part for part in results.plan.table if any(cell.table == part.name for cell in own)]
    if not kinds:
        return ""
    drawn, labels = [], []
    for number, part in enumerate(tables):
        top = ROW * number * (len(kinds) + 1)
        drawn.append(
            f'<text x="{NAME - 8}" y="{top + ROW * len(kinds) / 2 + 4:g}" text-anchor="end">{escape(part.label)}</text>'
        )
        for row, kind in enumerate(kinds):
            cell = strongest([cell for cell in own if (cell.table, cell.kind) == (part.name, kind)])
            if cell is None or cell.auc is None:
                continue
            y = top + ROW * row + ROW / 2
            reached, low, high = (round(NAME + SCALE * auc, 1) for auc in cell.auc)
            about = f"{part.label}, {MARKS[kind]}: {cell.attack} {three(cell.auc)}"
            labels.append(about)
            drawn.append(
                f'<g class="k{row}"><title>{escape(about)}</title>'
                f'<line x1="{low:g}" y1="{y:g}" x2="{high:g}" y2="{y:g}"/>'
                f'<circle cx="{reached:g}" cy="{y:g}" r="4"/><text x="{NAME + SCALE + 8}" y="{y + 4:g}">'
                f"{value(cell.auc[0])} {MARKS[kind]}</text></g>"
            )
    high = ROW * len(tables) * (len(kinds) + 1)
    axis = "".join(
        f'<line x1="{NAME + SCALE * auc:g}" y1="0" x2="{NAME + SCALE * auc:g}" y2="{high}"/>'
        f'<text x="{NAME + SCALE * auc:g}" y="{high + 14}" text-anchor="middle">{value(auc) if auc else 0}</text>'
        for auc in (0, 0.5, 1)
    )
    return (
        f'<svg class="intervals" viewBox="0 0 {NAME + SCALE + 150} {high + ROOM}" role="img" '
        f'aria-label="{escape("AUC of the strongest attack. " + "; ".join(labels))}"><g class="axis">{axis}'
        f'<text x="{NAME + SCALE / 2:g}" y="{high + 30}" text-anchor="middle">AUC of the strongest attack</text></g>'
        f"{''.join(drawn)}</svg>"
    )
