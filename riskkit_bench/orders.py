"""Orders that must hold in any table of leaks, whatever was played: where one does not, a number of it is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from riskkit import registry
from riskkit.errors import RiskkitError
from riskkit_bench.results import CERTIFICATE, FILE, GAME, PARTS, RELEASE, BenchCell, Results

GUESS = 0.5
"""The AUC of guessing."""
ROUNDING = 2e-6
"""What two numbers that were rounded may differ by."""


@dataclass(frozen=True, slots=True)
class CheckedOrder:
    """One order, in words, with whether it holds, how much was compared, and where it does not."""

    text: str
    holds: bool
    compared: int
    breaches: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def check(results: Results) -> list[CheckedOrder]:
    """Every order of which the results have something to compare."""
    orders = [*_falling(results), _blind(results), _certificates(results), _epsilon(results)]
    return [order for order in orders if order.compared]


def strongest(cells: Sequence[BenchCell]) -> BenchCell | None:
    """The attack that is surest to work: the highest lower end at the level for the whole table."""
    there = [cell for cell in cells if cell.sure is not None and cell.auc is not None]
    return max(there, key=lambda cell: (cell.sure or (0, 0))[1:2] + (cell.auc or (0,))[:1], default=None)


def _falling(results: Results) -> Iterator[CheckedOrder]:
    """Releases that the plan declares to leak less and less: so does the attack, and its ends are apart."""
    for declared in results.plan.falling:
        cells = [
            cell
            for cell in results.cells
            if (cell.table, cell.kind) == (declared.table, RELEASE) and declared.attack in ("", cell.attack)
        ]
        best = [strongest([cell for cell in cells if cell.method == name]) for name in declared.names]
        reached = [(cell.place, cell.auc) for cell in best if cell is not None and cell.auc is not None]
        wrong = [
            f"{place} {auc[0]:.3f} is not above {other} {next_auc[0]:.3f}"
            for (place, auc), (other, next_auc) in pairwise(reached)
            if auc[0] <= next_auc[0]
        ]
        if len(reached) > 1 and reached[0][1][1] <= reached[-1][1][2]:
            wrong.append(f"{reached[0][0]} and {reached[-1][0]} are not apart at {results.plan.level:.0%}")
        falling = " > ".join(f"{place.split('/')[1]} {auc[0]:.2f}" for place, auc in reached)
        by = f"by {declared.attack}" if declared.attack else "by the strongest attack on each"
        text = f"{declared.table}: {falling}, {by}; the first and the last are told apart."
        yield CheckedOrder(text, not wrong, max(len(reached) - 1, 0), tuple(wrong))


def _blind(results: Results) -> CheckedOrder:
    """Methods that ignore the table: no interval of any attack on them leaves guessing out."""
    cells = [
        cell
        for cell in results.cells
        if cell.method in results.plan.blind and cell.kind in (GAME, FILE, PARTS) and cell.sure
    ]
    wrong = [f"{cell.place} {cell.sure}" for cell in cells if cell.sure and not cell.sure[1] <= GUESS <= cell.sure[2]]
    names = ", ".join(results.plan.blind)
    text = f"A method that ignores the table ({names}) is within chance in all of {len(cells):,} cells."
    return CheckedOrder(text, not wrong, len(cells), tuple(wrong))


def _certificates(results: Results) -> CheckedOrder:
    """No attack in the game is shown to do better, on any person, than the best attack there can be."""
    bounds = {(c.table, c.method): c for c in results.cells if c.kind == CERTIFICATE and c.sure is not None}
    compared, wrong = 0, []
    for cell in results.cells:
        bound = bounds.get((cell.table, cell.method))
        if cell.kind != GAME or bound is None or bound.sure is None:
            continue
        most = {person.row: person.auc[2] for person in bound.people}
        for person in cell.people:
            limit = most.get(person.row) if bound.people else bound.sure[2]
            if limit is not None:
                compared += 1
                if person.auc[1] > limit + ROUNDING:
                    wrong.append(f"{cell.place}, row {person.row}: {person.auc[1]:.3f} above {limit:.3f}")
    text = f"No attack's lower end lies above the certificate: {compared:,} pairs of an attack and a person."
    return CheckedOrder(text, not wrong, compared, tuple(wrong))


def _epsilon(results: Results) -> CheckedOrder:
    """Of a method with several epsilons no attack shows that a smaller one leaks more, and its bound is no higher."""
    groups: dict[tuple[str, ...], list[tuple[float, BenchCell]]] = {}
    for cell in results.cells:
        epsilon, rest = _apart(cell.method)
        if epsilon is not None and cell.sure is not None and cell.kind != RELEASE:
            groups.setdefault((cell.table, rest, cell.kind, cell.attack), []).append((epsilon, cell))
    compared, wrong = 0, []
    for group in groups.values():
        rising = sorted(group, key=lambda pair: pair[0])
        for index, (small, smaller) in enumerate(rising):
            for large, other in rising[index + 1 :]:
                compared += small < large
                if small < large and smaller.sure and other.sure and smaller.sure[1] > other.sure[2] + ROUNDING:
                    wrong.append(f"{smaller.place} {smaller.sure[1]:.3f} above {other.place} {other.sure[2]:.3f}")
    text = f"Where epsilon falls, risk does not rise: {compared:,} pairs of cells, attacks and certificates."
    return CheckedOrder(text, not wrong, compared, tuple(wrong))


def _apart(method: str) -> tuple[float | None, str]:
    """The epsilon of a method, and the method without it; None where it has none."""
    try:
        made = registry.parse("generators", method)
    except RiskkitError:  # a published release, or a method that is not here
        return None, method
    epsilon = getattr(made, "epsilon", None)
    if epsilon is None:
        return None, method
    name, _, rest = method.partition(":")
    kept = ",".join(part for part in rest.split(",") if part and not part.startswith("epsilon="))
    return float(epsilon), f"{name}:{kept}"
