"""The attacks of other people's papers beside those of the house, on Adult; writes ``results/attacks.md``.

Run it alone: ``python benchmarks/attacks.py``; a quarter of an hour of one processor. Needs the shared data folder.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.core import Brief, Table
from riskkit.explain import local
from riskkit.games.attribute import AttributeQuestion
from riskkit.games.randomised_secret import RandomisedSecret
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.explanations.play import run_explanations
from riskkit.registry import parse
from riskkit.stats.composition import compose
from riskkit.table.load import Tables
from tests.tables import adult

PAGE = Path(__file__).resolve().parent / "results" / "attacks.md"
ROWS, TRAININGS = 1000, 6
KNOWN = (
    "age", "workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex",
    "hours-per-week", "native-country",
)  # fmt: skip
RELEASES = (("bootstrap", 1), ("bootstrap", 5), ("synthpop", 5), ("bayesnet:degree=2", 5))
HEAD = """# Attacks of other people's papers, measured beside the house's own

Made by `benchmarks/attacks.py` on Adult, {rows:,} rows of real people. 95 % intervals over trainings.

## Linear reconstruction of a secret that was drawn

`income` of 100 people is drawn anew before each of {trainings} trainings: nothing but their own row tells it. *Gain*:
the share guessed rightly less the exact chance. Known: ten columns. Published (arXiv 2301.10053): "highly accurate even
on arbitrary records" of ACS and FIRE, whose secrets are drawn evenly; its figures are not of Adult.

| release | rows released | linear reconstruction | seconds | three columns at a time | seconds | forest | seconds |
|---|---|---|---|---|---|---|---|
"""


def people(seed: int) -> Table:
    """Real people, drawn at random."""
    everyone = adult(45_222)
    return everyone.rows(np.random.default_rng(seed).permutation(len(everyone))[:ROWS])


def interval(values: list[float]) -> str:
    """The mean with its interval (t)."""
    half = stats.sem(values) * stats.t.ppf(0.975, len(values) - 1)
    return f"{np.mean(values):.3f} [{np.mean(values) - half:.3f}, {np.mean(values) + half:.3f}]"


def gains(model: str, method: str, times: int) -> tuple[str, float]:
    """What the model gains over the chance in each training, and the seconds of one with its training of the method."""
    question = AttributeQuestion("income", KNOWN, parse("inference", model))
    targets = np.sort(np.random.default_rng(2).permutation(ROWS)[: ROWS // 10])
    game = RandomisedSecret(people(1), parse("generators", method), question, targets, times * ROWS, 3)
    start = time.process_time()
    each = [float(game.trial(number).gain.mean()) for number in range(TRAININGS)]
    return interval(each), (time.process_time() - start) / TRAININGS


MARGINALS = """
## MAMA-MIA: is a person in the release?

{people} random people, {games} releases a side of {rows:,} rows with and without each; the attacker knows every other
row, and trains the method ten times. *Bound*: of private methods, from the noise they draw; no attack exceeds it
but by chance (the AUC of one person has a standard error of .09 here; on 1,000 small tables none was above).
Published (SNAKE 2023, arXiv 2410.05506, households of five or more among 10,000 rows, a weighted accuracy): MST .606,
.788, .763, .809 and PrivBayes .648, .709, .835, .938 at ε 1, 10, 100, 1,000. One person leaves less to find.

| method | mean AUC | highest of {people} | bound | seconds to learn |
|---|---|---|---|---|
"""
METHODS = (
    "mst:epsilon=1", "mst:epsilon=10", "mst:epsilon=1000", "privbayes:degree=1,epsilon=10",
    "privbayes:degree=1,epsilon=1000", "bayesnet:degree=1",
)  # fmt: skip
PEOPLE, GAMES = 10, 20
EXPLAINED = """
## Explanations other than Shapley values

Adult, 4,000 people; attackers recover the inputs of 200 from their explanations, five models each: shares of values
that are right, beside one constant guess for everybody. Least squares learns from 800 other people's rows and
explanations; the nearest is that of 800 made-up rows. `permutation` are Shapley values as in the papers; one reference
row, of counterfactuals 50. We know of no published figures of the others on Adult.

| model | explanation | constant guess | least squares | nearest explanation | seconds |
|---|---|---|---|---|---|
"""
PAIRS = (
    *(("logistic", explainer) for explainer in ("permutation", *local.EXPLAINERS)),
    *(("network:updates=1000", explainer) for explainer in ("permutation", *local.EXPLAINERS)),
)


def told_apart(method: str) -> str:
    """A line: how well releases with a person are told from those without."""
    generator, everyone = parse("generators", method), people(1)
    aucs, seconds = [], 0.0
    for number in range(PEOPLE):
        rng = np.random.default_rng([51, number])
        target, rest = everyone.rows([number]), everyone.without([number])
        start = time.process_time()
        attack = parse("attacks", "mama_mia").fit(Brief(target, data=rest, generator=generator), rng)
        seconds += time.process_time() - start
        scores = [
            [attack.score(generator.fit(world, rng).sample(ROWS, rng))[0] for _ in range(GAMES)]
            for world in (everyone, rest)
        ]
        aucs.append(float(roc_auc_score(np.repeat([1, 0], GAMES), np.concatenate(scores))))
    losses = getattr(generator, "losses", None)
    steps = losses("add-one", ROWS, len(everyone.schema.modelled)) if losses else ()
    bound = f"{compose(steps).auc:.3f}" if steps else ""
    return f"| {method} | {interval(aucs)} | {max(aucs):.2f} | {bound} | {seconds / PEOPLE:.1f} |\n"


def given_away(model: str, explainer: str) -> str:
    """A line: what attackers recover of the rows that are explained."""
    everyone = adult(45_222).rows(np.random.default_rng(2).permutation(45_222)[:4000])
    plan = ExplanationPlan(
        "income",
        model=model,
        explainer=explainer,
        attackers=("linear", "nearest"),
        auxiliary=(800,),
        references=50 if explainer == "counterfactuals" else 1,
    )
    start = time.process_time()
    result = run_explanations(Tables(everyone, None, None, everyone.schema, (), ()), plan)
    seconds = time.process_time() - start
    rates = [result.attacker_estimate("success_rate", name) for name in ("constant_mode", *plan.attackers)]
    shown = " | ".join("" if each is None else f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}]" for each in rates)
    return f"| {model} | {explainer} | {shown} | {seconds:.0f} |\n"


def main() -> None:
    """Measure and write the page."""
    lines = [HEAD.format(rows=ROWS, trainings=TRAININGS)]
    for method, times in RELEASES:
        cells = [
            gains(model, method, times) for model in ("linear-reconstruction", "linear-reconstruction:way=3", "forest")
        ]
        measured = " | ".join(f"{gain} | {seconds:.1f}" for gain, seconds in cells)
        lines.append(f"| {method} | {times * ROWS:,} | {measured} |\n")
        print(lines[-1], end="", flush=True)
    sections = (
        (MARGINALS.format(people=PEOPLE, games=GAMES, rows=ROWS), (told_apart(method) for method in METHODS)),
        (EXPLAINED, (given_away(*pair) for pair in PAIRS)),
    )
    for head, rows in sections:
        lines.append(head)
        for line in rows:
            lines.append(line)
            print(line, end="", flush=True)
    PAGE.write_text("".join(lines))


if __name__ == "__main__":
    main()
