"""A small question, as somebody would add one: the share of members whose row the release repeats."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from riskkit import plans
from riskkit.core import Estimate
from riskkit.judging.measurement import Control, Measured
from riskkit.parameters import parameter
from riskkit.plain import entry
from riskkit.plans import Plan
from riskkit.questions import Question
from riskkit.questions.result import Typed
from riskkit.show.model import Bar, Chart, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.run_finding import finding
from riskkit.stats.intervals import clopper_pearson
from riskkit.table.load import Tables


@dataclass(frozen=True, slots=True)
class RepeatsPlan(Plan):
    """Which rows count as repeated."""

    question: ClassVar[str] = "repeats"
    unit: ClassVar[str] = "table"
    needs: ClassVar[frozenset[str]] = frozenset({"synthetic"})

    fewest: int = parameter(1, label="Times a row must be repeated", help="In the release.", low=1, high=100)
    level: float = plans.level("How often the interval of the share holds the true one.")

    @property
    def label(self) -> str:
        """The plan in a few words."""
        return f"repeated {self.fewest} times"


@dataclass(frozen=True, slots=True, repr=False)
class RepeatsResult(Typed):
    """What is kept of a run."""

    plan: RepeatsPlan
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()
    scores: tuple[float, ...] = field(default=(), metadata=entry(of_people=True))


def run_repeats(tables: Tables, plan: RepeatsPlan, **how: Any) -> RepeatsResult:
    """Count the members whose row the release holds."""
    assert tables.synthetic is not None
    rows, times = np.unique(tables.synthetic.keys(), return_counts=True)
    repeated = int(np.isin(tables.real.keys(), rows[times >= plan.fewest]).sum())
    n = len(tables.real)
    low, high = clopper_pearson(repeated, n, (1 - plan.level) / 2)
    share = Estimate("repeated", repeated / n, float(low), float(high), plan.level, "Clopper-Pearson", n)
    return RepeatsResult(plan, (share,), scores=(1.0,))


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """What the run found."""
    assert run.result is not None
    (share,) = RepeatsResult.from_plain(run.result).estimates
    return (
        finding(
            run,
            names,
            sentence=f"{share.value:.0%} of the members stand in the release as they are.",
            measured=Measured(
                "hits", 0.0, share, share, "rows that are repeated", 1, Control.none("Nothing was planted."), "record"
            ),
            estimates=(share,),
            limits=("It says nothing of rows that differ in one value.",),
            chart=Chart("Rows repeated", "share of members", (Bar("members", share),), 0.0),
        ),
    )


QUESTION = Question(
    title="Repeated rows",
    meaning="How many members stand in the release as they are?",
    place=70,
    scale="hits",
    plan=RepeatsPlan,
    run=run_repeats,
    result=RepeatsResult,
    read=read,
    measures={"repeated": "Members repeated"},
    references={"repeated": 0.0},
)
