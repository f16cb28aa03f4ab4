"""What to ask of a released file: a frozen plan, and what it will cost."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

from riskkit import registry
from riskkit.errors import DesignError
from riskkit.games.released import Compared, ReleasedAttack, ReleasedGame, deal
from riskkit.report.released import NO_HOLDOUT
from riskkit.stats import power, records
from riskkit.table.load import Tables

SUITE = ("dcr", "dcr-diff", "mc", "domias", "dpi", "gen-lra", "classifier", "ensemble")
"""The attacks of a plan that names none: different in kind, so that they miss different leaks."""
PILOT = 400
"""Rows of each table that a forecast times every attack on; then twice as many, to see how it grows."""


@dataclass(frozen=True, slots=True)
class ReleasedPlan:
    """An audit of the released file alone: every attack on the same release, records and reference.

    ``attacks`` are written as :func:`riskkit.registry.parse` reads them; ``default`` stands for :data:`SUITE` and
    ``all`` for every one there is. Attacks that compare do so with other people asked about (``reference`` is
    ``cross``), or with a ``reference_share`` of the holdout's records that nobody is asked about (``aside``, as they
    were published); at most ``max_rows`` rows a side are asked about. ``level`` is the chance that no lower end of an
    interval lies above the truth, and that no upper end lies below it. Numbers of workers are not part of a plan: they
    change no number.

    Raises
    ------
    ParameterError, DesignError
        An attack that does not exist, a setting out of range, a list that is empty.
    """

    question: ClassVar[str] = "released"
    unit: ClassVar[str] = "attack"

    attacks: tuple[str, ...] = ("default",)
    reference: str = Compared.CROSS.value
    reference_share: float = 0.5
    max_rows: int = 10_000
    seed: int = 1
    level: float = 0.95

    def __post_init__(self) -> None:
        object.__setattr__(self, "attacks", _spelled(self.attacks))
        if self.reference not in tuple(Compared):
            raise DesignError(f"The reference is {self.reference!r}; it must be one of {', '.join(Compared)}.")
        if not 0 <= self.reference_share < 1:
            raise DesignError(f"The share set aside is {self.reference_share}; it must be at least 0 and below 1.")
        if self.max_rows < records.FEWEST_RECORDS:
            raise DesignError(f"At most {self.max_rows} rows a side are too few; ask about at least 5.")
        if self.seed < 0:
            raise DesignError(f"The seed is {self.seed}; it must be 0 or greater.")
        if not 0.5 <= self.level < 1:
            raise DesignError(f"The level is {self.level}; it must be at least 0.5 and below 1 (0.95 is usual).")

    def made_attacks(self) -> tuple[ReleasedAttack, ...]:
        """The attacks, in the order of the plan."""
        return tuple(registry.parse("released", text) for text in self.attacks)

    def game(self, tables: Tables) -> ReleasedGame:
        """The game of these files.

        Raises
        ------
        DesignError
            The release or the holdout is not loaded, or no record is left to ask about.
        """
        if tables.synthetic is None:
            raise DesignError("No synthetic table is loaded; load the release on the Data page.")
        if tables.holdout is None:
            raise DesignError(NO_HOLDOUT)
        return deal(
            tables.real,
            tables.synthetic,
            tables.holdout,
            compared=Compared(self.reference),
            reference_share=self.reference_share,
            max_rows=self.max_rows,
            seed=self.seed,
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ReleasedPlan:
        """The plan that :meth:`as_dict` wrote."""
        values: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in given.items()}
        return cls(**values)

    @property
    def label(self) -> str:
        """The plan in a few words."""
        return ", ".join(self.attacks)

    def command(self, real: str, synthetic: str = "", holdout: str = "") -> str:
        """The command line that gives the same numbers."""
        files = {"--real": real, "--synthetic": synthetic or "SYNTHETIC", "--holdout": holdout}
        parts = ["python -m riskkit released"]
        parts += [f"{flag} {shlex.quote(name)}" for flag, name in files.items() if name]
        parts += [f"--attacks {shlex.quote(','.join(self.attacks))}"]
        parts += [f"--reference {self.reference}"]
        parts += [f"--reference-share {self.reference_share}"] * (self.reference == Compared.ASIDE)
        parts += [f"--max-rows {self.max_rows}"]
        parts += [f"--seed {self.seed}"] + [f"--level {self.level}"] * (self.level != 0.95)
        return " ".join(parts)


def _spelled(given: tuple[str, ...]) -> tuple[str, ...]:
    """The attacks as they are spelled, each once, ``default`` and ``all`` as what they stand for."""
    there = registry.plugins("released")
    groups = {"default": [name for name in SUITE if name in there], "all": list(there)}
    named = [name for text in given for name in groups.get(text.strip(), [text])]
    if not named:
        raise DesignError("The plan names none of the attacks; choose at least one.")
    return tuple(dict.fromkeys(registry.spell(registry.parse("released", text)) for text in named))


def listed(text: str) -> tuple[str, ...]:
    """The attacks in ``dcr,dpi:k=20,domias``: a part with an equals sign and no name belongs to the one before it."""
    out: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if out and "=" in part and ":" not in part.partition("=")[0]:
            out[-1] += f",{part}"
        else:
            out.append(part)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class ReleasedForecast:
    """What a plan will cost, from a short timed pilot, and what it can show.

    ``detectable_auc`` is the true AUC that one attack is told from guessing at with 80 % power, ``upper_if_half`` the
    upper end if it observes one half; both allow for all attacks as if none were alike, so a run shows no less.
    """

    seconds: float
    n_in: int
    n_out: int
    n_reference: int
    detectable_auc: float
    upper_if_half: float


def what_it_can_show(n_in: int, n_out: int, above: float, below: float) -> dict[str, float]:
    """The detectable AUC and the upper end at one half; intervals reach so many standard errors down and up.

    Raises
    ------
    DesignError
        A side has too few records for an interval.
    """
    records.check_enough(n_in, n_out)
    return {
        "detectable_auc": power.detectable_auc_of_records(n_in, n_out, alpha=float(stats.norm.sf(above))),
        "upper_if_half": records.upper_if_half(n_in, n_out, level=math.erf(below / math.sqrt(2))),
    }


def farthest_reach(plan: ReleasedPlan) -> tuple[float, float]:
    """How many standard errors the intervals of the plan reach to either side at most: as if no attacks were alike."""
    reach = float(stats.norm.isf((1 - plan.level) / len(plan.attacks)))
    return reach, reach


def forecast_released(tables: Tables, plan: ReleasedPlan, *, workers: int = 1) -> ReleasedForecast:
    """Time every attack on a few rows and on twice as many, and carry its growth on to the whole.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    game = plan.game(tables)
    n_in, n_out = game.records(True), game.records(False)
    shown = what_it_can_show(n_in, n_out, *farthest_reach(plan))
    with threadpool_limits(1):
        seconds = 2 * sum(_seconds(game, attack) for attack in plan.made_attacks())  # the planted leak costs as much
    return ReleasedForecast(seconds / max(workers, 1), n_in, n_out, game.n_reference, **shown)


def _seconds(game: ReleasedGame, attack: ReleasedAttack) -> float:
    """Seconds that attack will take on the whole game; 0 where it refuses."""
    rng = game.rng("pilot")
    try:
        game.sample(PILOT // 4, rng).scores(attack, "pilot")  # loads what is loaded once
        small, large = (_timed(game.sample(rows, rng), attack) for rows in (PILOT, 2 * PILOT))
    except DesignError:
        return 0.0
    sizes = [len(game.release), len(game.targets), game.n_reference]
    times_as_many = max(sum(max(size / (2 * PILOT), 1) * size for size in sizes) / max(sum(sizes), 1), 1.0)
    growth = min(max(math.log2(max(large, 1e-6) / max(small, 1e-6)), 1.0), 2.0)
    return large * float(np.power(times_as_many, growth))


def _timed(game: ReleasedGame, attack: ReleasedAttack) -> float:
    start = time.perf_counter()
    game.scores(attack, "pilot")
    return time.perf_counter() - start
