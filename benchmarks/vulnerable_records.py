"""How well the attacks find Adult's most vulnerable records: worlds of 1,000 rows with and without each of them.

Run it alone: ``python benchmarks/vulnerable_records.py [records] [trainings]``. The real table is the ten records of
Achilles' score and rows of Adult drawn beside them; each record is attacked by itself, in fixed worlds, every attack on
the same releases. Printed for each generator and attack: the AUC for every record, in how many its interval lies above
.5, the mean, and how often it is above that of groundhog-naive.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.core import Table
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.targets.vulnerable import Vulnerable
from tests.tables import adult

ROWS, OWN = 1_000, 50
FIRST = f"groundhog:own={OWN}"
ATTACKS = (
    FIRST,
    f"groundhog:model=logistic,own={OWN}",
    f"groundhog:features=ensemble,own={OWN}",
    f"queries:own={OWN}",
    f"queries:numbers=outward,own={OWN}",
    f"queries:model=forest,own={OWN}",
)
GENERATORS = {"bayesnet": (*ATTACKS, "likelihood"), "synthpop": ATTACKS}


def world(records: int) -> Table:
    """The most vulnerable records of Adult, and beside them rows drawn from the others."""
    everyone, rng = adult(45_222), np.random.default_rng(0)
    top = Vulnerable().choose(everyone, records, rng).index
    others = np.setdiff1d(np.arange(len(everyone)), top)
    return everyone.rows(np.concatenate([top, rng.choice(others, ROWS - records, replace=False)]))


def main(records: int, trainings: int) -> None:
    """Print the table."""
    table = world(records)
    listed = "listed:rows=" + "+".join(map(str, range(records)))
    print(f"{records} records, {trainings} counted trainings each (half with), {2 * OWN} own, 1 release a training\n")
    for generator, attacks in GENERATORS.items():
        plan = MembershipPlan(
            (generator,), (listed,), attacks, trainings=trainings, generations=1, n_syn=ROWS, control=False
        )
        start = time.process_time()
        result = run_membership(table, plan)
        seconds = time.process_time() - start
        aucs = {
            attack: [e for e in result.estimates if e.name == "auc" and e.labels["attack"] == attack]
            for attack in plan.attacks
        }
        print(f"{generator}: {plan.total_trainings():,} trainings, {seconds:.0f} s of processor time")
        naive = [estimate.value for estimate in aucs[plan.attacks[0]]]
        for attack, estimates in aucs.items():
            values = [estimate.value for estimate in estimates]
            above = sum(estimate.low > 0.5 for estimate in estimates)
            beats = sum(value > first for value, first in zip(values, naive, strict=True))
            shown = " ".join(f"{value:.2f}" for value in values)
            print(f"  {attack:40} {shown}  mean {np.mean(values):.3f}  above .5: {above}  above naive: {beats}")
        print(flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10, int(sys.argv[2]) if len(sys.argv) > 2 else 200)
