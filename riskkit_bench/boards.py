"""The board of a table: what each person who was played risks under each method. It holds row numbers and no value."""

from __future__ import annotations

from html import escape

from riskkit_bench.html import Row, sortable, three, value
from riskkit_bench.results import CERTIFICATE, GAME, Results, Three


def board(results: Results, table: str) -> str:
    """A row for each person, a column for each method; empty where nobody was played."""
    games = [cell for cell in results.cells if cell.table == table and cell.kind == GAME]
    rows = sorted({person.row for cell in games for person in cell.people})
    methods = list(dict.fromkeys(cell.method for cell in games if cell.people))
    if not rows:
        return ""
    reached: dict[tuple[int, str], tuple[Three, str]] = {}
    for cell in games:
        for person in cell.people:
            place = person.row, cell.method
            if place not in reached or person.auc[1] > reached[place][0][1]:
                reached[place] = person.auc, cell.attack
    most = {
        (person.row, cell.method): person.auc[0]
        for cell in results.cells
        if cell.table == table and cell.kind == CERTIFICATE
        for person in cell.people
    }
    noisy = {
        cell.method: cell.auc[0]
        for cell in results.cells
        if cell.table == table and cell.kind == CERTIFICATE and cell.auc and not cell.people
    }
    shown: list[Row] = [
        [(f"row {row:,}", None, ""), *(_place(row, method, reached, most, noisy) for method in methods)] for row in rows
    ]
    heads = [("Person", False), *((method, True) for method in methods)]
    about = "Under each number the attack that reached it, and the most that any attack can reach where that is known."
    name = escape(table)
    return (
        f"<details><summary>{name}: {len(rows)} people, {len(methods)} methods</summary>\n"
        f'<div class="small">{sortable(about, heads, shown, f"People of {name}")}</div></details>'
    )


def _place(
    row: int,
    method: str,
    reached: dict[tuple[int, str], tuple[Three, str]],
    most: dict[tuple[int, str], float],
    noisy: dict[str, float],
) -> tuple[str, float | None, str]:
    """What one person risks under one method."""
    if (row, method) not in reached:
        return "", None, ""
    auc, attack = reached[row, method]
    bound = most.get((row, method), noisy.get(method))
    limit = "" if bound is None else f", ≤ {value(bound)}"
    return f"{three(auc)}<br>{escape(attack)}{limit}", auc[0], "leak" if auc[1] > 0.5 else ""
