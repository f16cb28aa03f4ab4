"""What attribute inference finds where it is known what leaks; writes ``results/attributes.md``.

Run it alone: ``python benchmarks/attributes_known.py``; some minutes of one processor. Needs the shared data folder:
Adult's 45,222 complete rows, of which 10,000 are members, 10,000 were not in and 10,000 are a fresh release; and the
Online Shoppers table with releases by several tools.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.core import Estimate
from riskkit.questions.attributes import findings as attributes_gains
from riskkit.questions.attributes.plan import POPULATION, AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.questions.attributes.units import findings
from riskkit.table.load import Tables
from tests.statistical.test_adult_attributes import KNOWN, PUBLISHED, tables
from tests.statistical.test_shoppers import files

PAGE = Path(__file__).resolve().parent / "results" / "attributes.md"
SECRETS = ("income", "marital-status", "relationship")
RELEASES = {
    "fresh": "other people of the same population",
    "copy": "the members themselves",
    "independent": "the members' columns, each shuffled by itself",
}
SHOPPERS = (
    "2021_flip10", "2021_flip20", "2021_flip30", "2024_synthcity-bayesian_network", "2021_synthpop", "2023_ctgan",
    "2021x_mostly_temp01",
)  # fmt: skip
MEASURES = {"accuracy": "right", "auc": "AUC", "balanced_accuracy": "balanced accuracy", "macro_f1": "macro F1"}
HEAD = """# What can be inferred: secrets whose leak is known

A random forest learns a secret column from the release and guesses it of members and of people who were not in. Beside
it stand the same forest trained on the real rows, and the most frequent level of the people tested. Δ is what the
release adds to that constant guess, the leakage ratio how much that is of what the real rows add, the residual what is
owed to having been in: (members - others) / (1 - others). 95 % intervals over people. Made by
`benchmarks/attributes_known.py`.
"""
ADULT = """
## Adult, three secrets and three releases

10,000 members, 10,000 people who were not in. Known: {known},
less the secret. A *fresh* release is made of other people and tells nothing of a member, a *copy* tells all,
*independent* columns tell nothing of anybody.

| secret | release | right, not in | right, members | constant | real rows | Δ | leakage ratio | residual |
|---|---|---|---|---|---|---|---|---|
"""
RATIO = """
The leakage ratio is near 1 for the copy and for the fresh release alike: by itself it does not tell a fact about the
population from a leak about people. The residual does.
"""
RARE = """
## Online Shoppers, a rare secret

Who bought ({share} of the people tested did), from three known columns: {known}. Seven
releases of one table. Hardly anybody is likelier than not to have bought, so the share of right guesses shows little;
the AUC shows what the release teaches. A constant guess has half of the pairs in order (AUC) and one level in two right
(balanced accuracy).

| release | measure | constant | release | real rows | Δ | leakage ratio | read by itself |
|---|---|---|---|---|---|---|---|
"""
BEST = """
## The best of several models

`--model best`: for the people of each fifth of members and others the model guesses that tells the two sides apart best
in the fifths before; the first only chooses (`--best-at members`). Beside it the forest, and the model that guesses
released rows best in cross-validation (`--best-at population`). The month of a visit (`Month`) from all other columns;
{rows:,} people a side, residual with its 95 % interval.

| release | forest | best for the population | best for members | chosen, of four |
|---|---|---|---|---|
"""
REFUSED = """
Where there is no ratio, the real rows themselves teach nothing by that measure, and a ratio could be anything.
"""
ROWS = 2_000
"""People a side by whom the best model is chosen and counted."""
WHO = ("Month", "VisitorType", "Weekend")


def figure(estimate: Estimate | None, digits: int = 3) -> str:
    """The value and its interval; a dash where there is none."""
    if estimate is None:
        return "-"
    return f"{estimate.value:.{digits}f} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def pick(estimates: Sequence[Estimate], name: str, **labels: str) -> Estimate | None:
    """The estimate of that name and those labels, if there is one."""
    return next((e for e in estimates if e.name == name and labels.items() <= e.labels.items()), None)


def adult() -> Iterator[str]:
    """Nine questions of Adult, a line each."""
    made = {name: encoded.table for name, encoded in tables().items()}
    for release in RELEASES:
        files = Tables(made["members"], made[release], made["control"], made["members"].schema, (), ())
        every = run_attributes(files, AttributePlan(SECRETS, (KNOWN,))).estimates
        for secret in SECRETS:
            own = [e for e in every if e.labels.get("secret") == secret]
            right = {"metric": "accuracy"}
            cells = [
                pick(own, "accuracy", trained_on="release", tested_on="control"),
                pick(own, "accuracy", trained_on="release", tested_on="members"),
                pick(own, "accuracy", trained_on="baseline_tested", tested_on="control"),
                pick(own, "accuracy", trained_on="real", tested_on="control"),
                pick(own, "delta", trained_on="release", tested_on="control", **right),
                pick(own, "leakage_ratio", **right),
                pick(own, "residual", trained_on="release"),
            ]
            print(secret, release, PUBLISHED[secret, release], *map(figure, cells), flush=True)
            yield f"| {secret} | {release} | {' | '.join(map(figure, cells))} |"


def shoppers() -> Iterator[str]:
    """Every measure of every release, a line each."""
    for release in SHOPPERS:
        tables = files(release)
        result = run_attributes(tables, AttributePlan(("Revenue",), (WHO,)))
        readings = {reading["metric"]: reading for reading in attributes_gains.readings(result.as_dict())}
        for measure, title in MEASURES.items():
            arms = [
                pick(result.estimates, measure, trained_on=arm, tested_on="control")
                for arm in ("baseline_tested", "release", "real")
            ]
            gain = pick(result.estimates, "delta", trained_on="release", tested_on="control", metric=measure)
            ratio = pick(result.estimates, "leakage_ratio", metric=measure)
            read = readings.get(measure, {}).get("risk") or "-"
            cells = " | ".join(map(figure, (*arms, gain, ratio)))
            print(release, measure, cells, read, flush=True)
            yield f"| {release} | {title} | {cells} | {read} |"


def best() -> Iterator[str]:
    """The residual by the forest, by the best model for the population, by the best for members; a line a release."""
    for release in SHOPPERS:
        tables, cells = files(release), []
        for plan in (
            AttributePlan(("Month",), model="forest", max_rows=ROWS),
            AttributePlan(("Month",), model="best", best_at="population", max_rows=ROWS),
            AttributePlan(("Month",), model="best", max_rows=ROWS),
        ):
            (unit,) = plan.units(tables.schema)
            (finding,) = findings(plan.deal(tables), [replace(unit, detailed=False)], plan, 1)
            assert finding.compared is not None
            cells.append(
                figure(finding.compared.residual) + (f" ({finding.model})" if plan.best_at == POPULATION else "")
            )
        chosen = ", ".join(f"{name} {times}" for name, times in finding.chosen.items())
        print(release, cells, chosen, flush=True)
        yield f"| {release} | {' | '.join(cells)} | {chosen} |"


def share() -> str:
    """How many of the people tested bought."""
    table = files(SHOPPERS[0]).holdout
    assert table is not None
    index = [column.name for column in table.schema.categorical].index("Revenue")
    counts = sorted((table.codes[:, index] == level).mean() for level in range(2))
    return f"{counts[0]:.1%}"


def main() -> None:
    """Play everything and write the page."""
    start = time.process_time()
    names = ", ".join(f"`{name}`" for name in KNOWN)
    page = HEAD + ADULT.format(known=names) + "\n".join(adult()) + "\n" + RATIO
    page += RARE.format(share=share(), known=", ".join(f"`{name}`" for name in WHO)) + "\n".join(shoppers()) + "\n"
    page += REFUSED + BEST.format(rows=ROWS) + "\n".join(best()) + "\n"
    page += f"\nIt took {time.process_time() - start:.0f} seconds of processor time.\n"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
