"""An explanation audit: every offer under every model seed, every attacker beside guesses, one verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.core import Bools, Estimate
from riskkit.discreet import Discreet
from riskkit.explain import library
from riskkit.games.explanation_deal import ExplanationDeal
from riskkit.games.explanation_library import Beside
from riskkit.jobs.pool import Clock, Pool, Progress
from riskkit.phrases import phrase
from riskkit.questions.explanations import outcome as said
from riskkit.questions.explanations.figures import Figures, Tries, against_constants, joined, tied
from riskkit.questions.explanations.plan import CHANGES, CONTROL, NONE, SYNTHETIC, ExplanationPlan
from riskkit.questions.explanations.units import Played, played
from riskkit.stats import recovery
from riskkit.stats.records import level_of_each
from riskkit.stats.recovery import OVERALL
from riskkit.stats.reference import reference_lift
from riskkit.table.load import Tables

GAME = {
    "question": "explanations",
    "random": "victims, models, the attacker's rows and the references; the table is fixed",
    "unit": "victim",
}
"""The game, for every result. The plan says the rest."""
MODE = "constant_mode"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExplanationsResult(Discreet):
    """A finished plan.

    ``against`` is what is judged: every attacker on the service without a defence, at the level that allows for
    ``looks``. ``associations`` are how much each column has to do with the target; None where that cannot be said.
    ``beside`` is how far the shap library's values lie from ours, where they are published.
    """

    plan: ExplanationPlan
    deal: ExplanationDeal
    target: str
    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    against: tuple[said.Against, ...]
    looks: int
    reference: said.Reference | None
    associations: tuple[Estimate | None, ...]
    tried: tuple[said.Tried, ...]
    records: dict[str, Any]
    notes: tuple[str, ...]
    beside: Beside | None = None

    def estimate(self, name: str, **labels: str) -> Estimate:
        """The estimate of that name with these labels."""
        wanted = {"defence": NONE, "feature": OVERALL, "rows": str(self.sizes[-1]), **labels}
        return next(e for e in self.estimates if e.name == name and wanted.items() <= e.labels.items())

    def as_dict(self) -> dict[str, Any]:
        """All but what is known of single people, as plain values; whatever the workers, the same."""
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict(), **self._counts()},
            "attackers": [
                {
                    "attacker": one.attacker,
                    "holds": str(registry.parse("inverters", one.attacker).holds),
                    "successful": one.is_successful(),
                    "recovered": list(one.recovered),
                    "planted": one.planted,
                    "gains": {name: [gain.as_dict() for gain in gains] for name, gains in one.gains.items()},
                }
                for one in self.against
            ],
            "features": [
                {"feature": column, "association": None if found is None else found.as_dict()}
                for column, found in zip(self.columns, self.associations, strict=True)
            ],
            "defences": [
                {"defence": defence, **one.as_dict()}
                for defence, one in zip(self.plan.defences, self.tried, strict=True)
            ],
            "reference": None if self.reference is None else self.reference.as_dict(),
            "library": None if self.beside is None else asdict(self.beside),
            "notes": list(self.notes),
        }

    def kept(self) -> dict[str, Any]:
        """:meth:`as_dict` and what is recovered of single people beside it; never for a report that is passed on."""
        return {**self.as_dict(), "records": self.records}

    def _counts(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "n_train": len(self.deal.train),
            "n_pool": len(self.deal.pool),
            "n_victims": len(self.deal.victims),
            "sizes": list(self.sizes),
            "looks": self.looks,
        }


def run_explanations(
    tables: Tables,
    plan: ExplanationPlan,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ExplanationsResult:
    """Let every attacker of the plan at the explanations.

    Parameters
    ----------
    workers
        Processes that work side by side. They change the time, never a number.
    progress, cancelled
        Told how far it is, and asked whether to stop, after every model.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        There are too few rows, no such target, or the model cannot learn it.
    """
    registry.check_ready(registry.parse("explained", plan.model))
    if plan.by_library:
        library.check_ready()
    dealt = plan.deal(tables)
    target = plan.target_of(tables.schema)
    offers, units = plan.offers(target), plan.units(target)
    pool = Pool(workers, Clock(len(units), progress), cancelled)
    parts: dict[str, list[Played]] = {offer: [] for offer in offers}
    for part in pool.map("Training and attacking models", played, dealt, units, plan, offers):
        parts[part.unit.offer].append(part)
    return _result(plan, dealt, target, parts)


def _result(
    plan: ExplanationPlan, dealt: ExplanationDeal, target: str, parts: dict[str, list[Played]]
) -> ExplanationsResult:
    sizes = plan.sizes(dealt)
    tries = {offer: joined(each) for offer, each in parts.items()}
    columns = tries[NONE][MODE, sizes[-1]].columns
    against = _against(plan, tries, sizes[-1])
    looks = _looks(plan, len(columns))
    figures = _figures(plan, sizes[-1], tries, parts)
    reference = _reference(parts, plan.level)
    everyone = dealt.train.plus(dealt.pool).plus(dealt.victims)
    first = parts[NONE][0]
    records = {
        "columns": list(columns),
        "truth": first.truth,
        "recovered": first.recovered,
        "right": {name: _graded(first, name, sizes[-1]) for name in first.recovered},
        "shares": {name: _shares(tries[NONE][name, sizes[-1]], len(first.truth)) for name in first.recovered},
    }
    result = ExplanationsResult(
        plan,
        dealt,
        target,
        columns,
        sizes,
        tuple(figures.estimates),
        against,
        looks,
        reference,
        tuple(tied(everyone, column, target, plan.level) for column in columns),
        (),
        records,
        _notes(plan, dealt, figures, looks, sizes),
        first.beside,
    )
    return replace(result, tried=_tried(result, tries))


def _graded(first: Played, attacker: str, most: int) -> list[list[bool | None]]:
    """Whether each shown value is right; None where the truth is missing."""
    right = first.answers[attacker, most].right[: len(first.truth)]
    return [[None if np.isnan(cell) else bool(cell) for cell in row] for row in right]


def _shares(found: recovery.Recovered, shown: int) -> list[dict[str, Any] | None]:
    """How much of each shown victim is recovered over models; None where one model was trained alone."""
    if found.seeds == 1 or np.isnan(found.right).all(axis=(0, 2)).any():
        return [None] * shown
    return [one.as_dict() for one in recovery.of_each_victim(found, "success_rate")[:shown]]


def _looks(plan: ExplanationPlan, columns: int) -> int:
    return len(plan.attackers) * (columns + 1)


def _against(plan: ExplanationPlan, tries: dict[str, Tries], most: int) -> tuple[said.Against, ...]:
    """Every attacker beside the constant guesses, at the level that allows for all columns and attackers."""
    level = level_of_each(plan.level, _looks(plan, len(tries[NONE][MODE, most].columns)))
    out = []
    for name in plan.attackers:
        planted = said.Against(name, against_constants(tries[CONTROL], name, most, level), planted=True)
        gains = against_constants(tries[NONE], name, most, level)
        out.append(said.Against(name, gains, planted.is_successful()))
    return tuple(out)


def _figures(plan: ExplanationPlan, most: int, tries: dict[str, Tries], parts: dict[str, list[Played]]) -> Figures:
    figures = Figures(plan, most)
    for offer, found in tries.items():
        if offer != CONTROL:
            figures.measures(offer, found)
            figures.read(offer, parts[offer])
    figures.gains(tries[NONE])
    figures.accepted(tries[NONE])
    return figures


def _tried(result: ExplanationsResult, tries: dict[str, Tries]) -> tuple[said.Tried, ...]:
    """Every defence with the attacker that names most values under it."""
    plan, most = result.plan, result.sizes[-1]
    level = level_of_each(plan.level, max(len(plan.attackers) * len(plan.defences), 1))
    out = []
    for defence in plan.defences:
        rates = [result.estimate("success_rate", attacker=name, defence=defence) for name in plan.attackers]
        beaten = [
            recovery.is_successful(
                tries[defence][name, most],
                *(tries[defence][constant, most] for constant in ("constant_median", MODE)),
                level=level,
            )
            for name in plan.attackers
        ]
        top = next(e for e in result.estimates if e.name == "top_three" and e.labels["defence"] == defence)
        best = max(rates, key=lambda rate: rate.value)
        out.append(said.Tried(defence_title(defence), best, any(beaten), top))
    return tuple(out)


def _reference(parts: dict[str, list[Played]], level: float) -> said.Reference | None:
    """The single-reference leak, where the service compares with one row and some value is 0."""
    lift, planted = (_lift(parts[offer], level) for offer in (NONE, CONTROL))
    if lift is None:
        return None
    says, equal = _cells(parts[NONE])
    precision, recall = recovery.reference_leak(says, equal, level=level)
    assert precision is not None
    return said.Reference(precision, recall, lift, planted)


def _lift(parts: Sequence[Played], level: float) -> Estimate | None:
    return None if parts[0].says is None else reference_lift(*_cells(parts), level=level)


def _cells(parts: Sequence[Played]) -> tuple[Bools, Bools]:
    cells = [(part.says, part.equal) for part in parts if part.says is not None and part.equal is not None]
    return np.stack([says for says, _ in cells]), np.stack([equal for _, equal in cells])


def titled(room: str, spelled: str) -> str:
    """What people call a plug-in, with what of it is not at its default; of a defence with all its settings."""
    made = registry.parse(room, spelled)
    told = [
        f"{setting.label.lower()} {getattr(made, setting.name)}"
        for setting in registry.settings(type(made))
        if room == "defences" or getattr(made, setting.name) != setting.default
    ]
    return f"{made.title} ({', '.join(told)})" if told else str(made.title)


def defence_title(text: str) -> str:
    """What people call a defence."""
    if text == SYNTHETIC:
        return "the model trained on the release"
    name, equals, count = text.partition("=")
    if equals and name in CHANGES:
        what = {"references": "reference rows", "permutations": "sampled orders"}[name]
        return f"{int(count):,} {what}"
    return titled("defences", text)


def _notes(
    plan: ExplanationPlan, dealt: ExplanationDeal, figures: Figures, looks: int, sizes: Sequence[int]
) -> tuple[str, ...]:
    notes = []
    if len(dealt.victims) < plan.victims:
        notes.append(
            phrase(
                "The table has room for {victims:,} different victims, a quarter of its rows at most, not for "
                "{wanted:,}.",
                victims=len(dealt.victims),
                wanted=plan.victims,
            )
        )
    if not plan.auxiliary:
        notes.append(phrase("The attacker holds {rows:,} rows: as many as there are, up to 1,600.", rows=sizes[-1]))
    if plan.model_seeds == 1:
        notes.append(
            phrase("One model was trained, so the intervals are about it alone; another may give away more or less.")
        )
    notes.append(
        phrase(
            "The verdict allows for {looks:,} looks, every attacker on every input and overall (Bonferroni). "
            "Sizes, optimisers and defences beside it are for comparison.",
            looks=looks,
        )
    )
    return tuple(dict.fromkeys([*notes, *figures.notes]))
