"""What a game that was not played would cost, by what the plan says of a training and what played games took."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from riskkit_bench.plan import BenchPlan, MethodPart
from riskkit_bench.play import game_plan
from riskkit_bench.results import FILE, GAME, PARTS, Results

HOUR, MINUTE = 3600, 60


def missing_seconds(results: Results) -> Mapping[tuple[str, str], float | None]:
    """Seconds of a processor that a game would take, by table and method; None where the plan says none of a training.

    They are those of the smallest game that the plan plays: its trainings, each as long as ``seconds`` in the plan
    says, times what played games of that table took of the same product, the median over methods; 1 where none was.
    """
    games = {(cell.table, cell.method) for cell in results.cells if cell.kind == GAME}
    files = {(cell.table, cell.method) for cell in results.cells if cell.kind == FILE}
    seconds = {part.spelling: part.seconds for part in results.plan.method if part.seconds}
    trainings = smallest_game(results.plan)
    longer = {table: _longer(results, table, seconds) for table in {table for table, _ in files - games}}
    return {
        (table, method): trainings * seconds[method] * longer[table] if method in seconds else None
        for table, method in sorted(files - games)
    }


def smallest_game(plan: BenchPlan) -> int:
    """Trainings of the smallest game that the plan plays, the attackers' own too."""
    played = [part for part in plan.method if plan.people(part)] or [MethodPart("independent")]
    return min(_trainings(plan, part) for part in played)


def _trainings(plan: BenchPlan, part: MethodPart) -> int:
    return game_plan(plan, part, plan.attacks("attacks")).total_trainings()


def _longer(results: Results, table: str, seconds: Mapping[str, float]) -> float:
    """How many times the seconds of the plan a training took in games of that table, the median over methods."""
    return median(_ratios(results, table, seconds) or [1.0])


def _ratios(results: Results, table: str, seconds: Mapping[str, float]) -> list[float]:
    """For each method that was played on that table: what its game took, by what the plan says that it would."""
    expected = {
        part.spelling: _trainings(results.plan, part) * seconds[part.spelling]
        for part in results.plan.method
        if part.spelling in seconds and results.plan.has_game(part, table)
    }
    took = dict.fromkeys(expected, 0.0)
    for cell in results.cells:
        if cell.table == table and cell.kind == GAME and cell.method in expected:
            took[cell.method] += cell.seconds
    return [took[method] / expected[method] for method in expected if took[method]]


def long(seconds: float) -> str:
    """``11 hours``, ``1.5 hours``, ``20 minutes``: no more digits than an estimate has."""
    if seconds < HOUR:
        minutes = max(round(seconds / MINUTE), 1)
        return f"{minutes} minute{'s' if minutes > 1 else ''}"
    hours = seconds / HOUR
    return f"{hours:.0f} hours" if hours >= 9.5 else f"{hours:.1f} hours"


def sentence(results: Results) -> str:
    """What the page says of all games that were not played; empty where none is missing or nothing is said of them."""
    missing = missing_seconds(results)
    if not any(missing.values()):
        return ""
    return (
        f"{len(missing)} games were not played, for their cost: {smallest_game(results.plan)} trainings each, as long "
        "as the plan says, times what played games of that table took of the same. All of them: about "
        f"{long(sum(seconds or 0.0 for seconds in missing.values()))} of a processor."
    )


def everybody_sentence(results: Results) -> str:
    """What the page says of methods that nobody was asked about in the one design; empty where there are none."""
    asked = {cell.method for cell in results.cells if cell.kind == PARTS}
    left = [part for part in results.plan.method if asked and part.spelling not in asked]
    if not left:
        return ""
    trainings = results.plan.parts.trainings * len(results.plan.table)
    names = ", ".join(sorted(part.use.removeprefix("external:recipe=") for part in left))
    were, their = (f"{len(left)} methods were", "their") if len(left) > 1 else ("1 method was", "its")
    return (
        f"{were} not asked about everybody, for {their} cost: {names}. {trainings} trainings each, as long as the plan "
        f"says: about {long(trainings * sum(part.seconds for part in left))} of a processor."
    )
