"""What one question of attribute inference costs: 30,000 rows x 15 columns, every other column known.

Run alone: ``python benchmarks/inference.py [MODEL ...]``. For each model and three secrets (two levels, 14 levels, a
number) it gives the seconds on one thread of training on the release and guessing for members and control, the same
with the ceiling, and what guesses are worth beside the baseline; for the forest, what a sweep of 15 secrets x 3 known
sets comes to.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.membership import made_table
from riskkit import registry
from riskkit.games.attribute import CONTROL, MAJORITY, RELEASE, AttributeArms, AttributeQuestion, play
from riskkit.table.features import Encoded

ROWS, CONTROLS = 30_000, 10_000
SECRETS = ("c0", "c6", "x0")
KNOWN_SETS = (14, 7, 3)


def tables() -> tuple[Encoded, Encoded, Encoded]:
    """Release, members and control: different people of one population."""
    everyone = made_table(2 * ROWS + CONTROLS)
    cuts = np.split(np.arange(len(everyone)), [ROWS, 2 * ROWS])
    release, members, control = (Encoded(everyone.rows(cut)) for cut in cuts)
    return release, members, control


def asked(model: str, secret: str, known: int, made: tuple[Encoded, Encoded, Encoded], ceiling: bool) -> AttributeArms:
    """One game; the first ``known`` other columns are known."""
    names = [column.name for column in made[0].table.schema.modelled if column.name != secret]
    question = AttributeQuestion(secret, tuple(names[:known]), registry.parse("inference", model))
    return play(*made, question, np.random.default_rng(1), ceiling=ceiling)


def worth(answers: AttributeArms) -> str:
    """Guesses on the control beside the baseline's: accuracy, or for a number the mean absolute error."""
    arms = answers.arm(RELEASE, CONTROL), answers.arm(MAJORITY, CONTROL)
    if answers.kind == "category":
        return " against ".join(f"{arm.right.mean():.3f}" for arm in arms)
    return " against ".join(f"{np.abs(arm.guess - arm.truth).mean():.1f} off" for arm in arms)


def main(models: list[str]) -> None:
    """Print the table."""
    made = tables()
    print(f"{'model':<10}{'secret':<8}{'release':>9}{'+ceiling':>10}{'peak MB':>9}  control, baseline")
    for model in models:
        for secret in SECRETS:
            seconds = []
            for ceiling in (False, True):
                start = time.process_time()
                answers = asked(model, secret, 14, made, ceiling)
                seconds.append(time.process_time() - start)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(
                f"{model:<10}{secret:<8}{seconds[0]:>8.1f}s{seconds[1]:>9.1f}s{peak:>9}  {worth(answers)}", flush=True
            )
    if "forest" in models:
        sweep(made)


def sweep(made: tuple[Encoded, Encoded, Encoded]) -> None:
    """Every column as secret, three known sets each, forest with ceiling."""
    secrets = [column.name for column in made[0].table.schema.modelled]
    start = time.process_time()
    for secret in secrets:
        for known in KNOWN_SETS:
            asked("forest", secret, known, made, ceiling=True)
    seconds = time.process_time() - start
    questions = len(secrets) * len(KNOWN_SETS)
    print(f"sweep of {questions}, forest with ceiling: {seconds:.0f} s of processor, {seconds / 2:.0f} on 2 cores")


if __name__ == "__main__":
    main(sys.argv[1:] or list(registry.plugins("inference")))
