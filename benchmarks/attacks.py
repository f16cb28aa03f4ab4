"""The attacks of other people's papers beside those of the house, on Adult; writes ``results/attacks.md``.

Run it alone: ``python benchmarks/attacks.py``; half an hour of one processor. Needs the shared data folder. With
numbers of sections (``2 5``) it measures these anew and leaves the others as they stand.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.core import Brief, Floats, Table
from riskkit.explain import local
from riskkit.explain.publishing import KnownRows
from riskkit.games import explanation, one_run
from riskkit.games.attribute import AttributeQuestion
from riskkit.games.explanation_deal import ExplanationDeal, Offer, deal
from riskkit.games.randomised_secret import RandomisedSecret
from riskkit.games.worlds import MADE, made_rows
from riskkit.questions.explanations.plan import BY_HEART, ExplanationPlan
from riskkit.questions.explanations.play import run_explanations
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.registry import parse
from riskkit.stats import recovery
from riskkit.stats.composition import compose
from riskkit.table.load import Tables
from tests.tables import adult, mixed

PAGE = Path(__file__).resolve().parent / "results" / "attacks.md"
ROWS, TRAININGS = 1000, 6
KNOWN = (
    "age",
    "workclass",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "hours-per-week",
    "native-country",
)
RELEASES = (("bootstrap", 1), ("bootstrap", 5), ("synthpop", 5), ("bayesnet:degree=2", 5))
TITLE = (
    "# Attacks of other people's papers, measured beside the house's own\n\nMade by `benchmarks/attacks.py` on Adult.\n"
)
SECRET = """
## Linear reconstruction of a secret that was drawn

`income` of 100 of {rows:,} people is drawn anew before each of {trainings} trainings: nothing but their own row tells
it. *Gain*: the share guessed rightly less the exact chance. Known: ten columns. 95 % intervals over trainings.
Published (arXiv 2301.10053): "highly accurate even on arbitrary records" of ACS and FIRE, whose secrets are drawn
evenly; its figures are not of Adult.

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
## Is a person in the release? MAMA-MIA, LiRA and RMIA

{people} random people, {games} releases a side of {rows:,} rows with and without each; the attacker knows every other
row, and makes {own} releases a side of its own, of MAMA-MIA ten trainings. Mean AUC, 95 % intervals over people, and
seconds to learn, of MAMA-MIA with its trainings, of the others without. *Bound*:
of private methods, from the noise they draw; no attack exceeds it but by chance (the AUC of one person has a standard
error of .09 here). LiRA with one spread orders releases as the density around the person does; it and RMIA stand or
fall with that score. Published of MAMA-MIA (SNAKE 2023, arXiv 2410.05506, households of five or more among 10,000 rows,
a weighted accuracy): MST .606, .788, .763, .809 and PrivBayes .648, .709, .835, .938 at ε 1, 10, 100, 1,000. One person
leaves less to find. Published figures of LiRA (arXiv 2112.03570) and RMIA (arXiv 2312.03262) are of classifiers.

| method | MAMA-MIA | LiRA | RMIA | `neighbour` | `queries` | highest of all | bound |
|---|---|---|---|---|---|---|---|
"""
ASKED = ("mama_mia", "lira", "rmia", "neighbour", "queries")
METHODS = (
    "bootstrap",
    "synthpop",
    "bayesnet:degree=2",
    "mst:epsilon=1",
    "mst:epsilon=10",
    "mst:epsilon=1000",
    "aim_tree:epsilon=10",
    "aim_tree:epsilon=1000",
    "privbayes:degree=1,epsilon=10",
    "privbayes:degree=1,epsilon=1000",
    "bayesnet:degree=1",
    "private_gsd:epsilon=10",
    "private_gsd:epsilon=1000",
)
PEOPLE, GAMES, OWN = 10, 20, 25
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


def fit(name: str, target: Table, rest: Table, method: str, rng: np.random.Generator) -> Callable[[Table], float]:
    """What an attack says of a release, which it has learnt from releases of its own."""
    attack, generator = parse("attacks", name), parse("generators", method)
    own = [draw(world, method, attack.shadows, len(rest), rng) for world in (rest.plus(target), rest)]
    fitted = attack.fit(Brief(target, rest, shadows_in=own[0], shadows_out=own[1], generator=generator), rng)
    return lambda release: float(fitted.score(release)[0])


def draw(world: Table, method: str, times: int, rows: int, rng: np.random.Generator) -> list[Table]:
    """So many releases, each of a training of its own."""
    generator = parse("generators", method)
    return [generator.fit(world, rng).sample(rows, rng) for _ in range(times)]


def auc(inside: Floats | list[float], outside: Floats | list[float]) -> float:
    """Of scores of both sides."""
    return float(roc_auc_score(np.repeat([1, 0], [len(inside), len(outside)]), np.concatenate([inside, outside])))


def bound_of(method: str, rows: int, columns: int) -> float:
    """The best AUC that the noise of a private method allows; 1 where it promises nothing."""
    losses = getattr(parse("generators", method), "losses", None)
    steps = losses("add-one", rows, columns) if losses else ()
    return compose(steps).auc if steps else 1.0


def told_apart(method: str) -> str:
    """A line: how well releases with a person are told from those without."""
    everyone = people(1)
    aucs: dict[str, list[float]] = {name: [] for name in ASKED}
    seconds = dict.fromkeys(ASKED, 0.0)
    for number in range(PEOPLE):
        rng = np.random.default_rng([51, number])
        target, rest = everyone.rows([number]), everyone.without([number])
        generator = parse("generators", method)
        own = [draw(world, method, OWN, ROWS, rng) for world in (everyone, rest)]
        sides = [draw(world, method, GAMES, ROWS, rng) for world in (everyone, rest)]
        brief = Brief(target, rest, shadows_in=own[0], shadows_out=own[1], generator=generator)
        for name in ASKED:
            start = time.process_time()
            attack = parse("attacks", name if name == "mama_mia" else f"{name}:own={OWN}").fit(brief, rng)
            seconds[name] += time.process_time() - start
            aucs[name].append(auc(*([attack.score(release)[0] for release in side] for side in sides)))
    bound = bound_of(method, ROWS, len(everyone.schema.modelled))
    shown = " | ".join(f"{interval(aucs[name])} ({seconds[name] / PEOPLE:.1f} s)" for name in ASKED)
    highest = max(map(max, aucs.values()))
    return f"| {method} | {shown} | {highest:.2f} | {f'{bound:.3f}' if bound < 1 else ''} |\n"


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


NETWORKS = """
## Inside a network

{audits} audits each of 1,000 people, for 500 of whom a coin decides: AUC of in against out by the released file (`dcr`)
and by the inside of the trained network, and the share of members named with 10 % false alarms; 95 % intervals over
audits. The winner of MIDST 2025 named .46 at 10 % on the diffusion models of that contest, which we do not have.

| method | the release | inside | named at 10 % | seconds a training |
|---|---|---|---|---|
"""
AUDITS = 3
INSIDE = ("tabddpm", "tabddpm:training_steps=10000", "tvae", "ctgan")


def inside(method: str) -> str:
    """A line: what a trained network says of who was in, beside its release."""
    released, known, named, seconds = [], [], [], 0.0
    for number in range(AUDITS):
        game = one_run.deal(people(number), most=500, made=False, relation="add-one", n_syn=ROWS, seed=number)
        start = time.process_time()
        fitted = game.train(parse("generators", method))
        seconds += time.process_time() - start
        by_file = game.by_release(game.release(parse("generators", method), fitted), parse("released", "dcr"), None)
        scores = game.by_model(fitted, None)
        released.append(auc(by_file[game.is_in], by_file[~game.is_in]))
        known.append(auc(scores[game.is_in], scores[~game.is_in]))
        named.append(float((scores[game.is_in] > np.quantile(scores[~game.is_in], 0.9)).mean()))
    return f"| {method} | {' | '.join(map(interval, (released, known, named)))} | {seconds / AUDITS:.0f} |\n"


WORST = """
## The worst table

One selective person among 100 rows, releases of 1,000, {trainings} trainings (replace-one), attack `neighbour`: AUC
among these very people, and among rows that are made. 95 % intervals over trainings. Longer games, and ε:
[one-run](../../docs/one_run.md#the-worst-table).

| method | this table | equal | line | canaries | seconds |
|---|---|---|---|---|---|
"""
PLAYED = 200
WORST_METHODS = ("stat", "bayesnet", "mst:epsilon=10", "privbayes:epsilon=10")


def game(method: str, trainings: int, rows: int, worlds: str = "equal", seed: int = 1) -> MembershipPlan:
    """One selective person against one attack, in the world of a table or of one that is made."""
    settings = {"worlds": worlds, "relation": "replace-one", "control": False, "seed": seed}
    target, attack = ("selective",), ("neighbour",)
    return MembershipPlan((method,), target, attack, trainings=trainings, generations=1, n_syn=rows, **settings)


def worst(method: str) -> str:
    """A line: the same method on a harmless table and on made ones."""
    table, cells, start = people(1).rows(np.arange(100)), [], time.process_time()
    for worlds in ("fixed", *MADE):
        plan = game(method, PLAYED, ROWS, worlds)
        made = next(e for e in run_membership(table, plan).estimates if e.name == "auc")
        cells.append(f"{made.value:.2f} [{made.low:.2f}, {made.high:.2f}]")
    return f"| {method} | {' | '.join(cells)} | {time.process_time() - start:.0f} |\n"


MEMBERS = """
## Who was in the training, from explanations

8,000 people: nearly 1,500 whom the model learnt from and as many whom it did not, five models; AUC by the published
answer alone, by the size of the explanation alone (as Shokri and others and Pawelczyk and others do, arXiv 1907.00164
and 2211.05427), and by both. 95 % intervals over people and models. A model that keeps single rows tells it by its
answers; Shapley values add to that, since they say how sure it is, and counterfactuals do not.

| model | explanation | answer | size | both | seconds |
|---|---|---|---|---|---|
"""
KEPT = tuple(
    (model, explainer)
    for model in ("logistic", "network:updates=3000", "forest", "forest:depth=30", BY_HEART)
    for explainer in ("permutation", "counterfactuals")
)


def in_training(model: str, explainer: str) -> str:
    """A line: how well the explained people who were in the training are told."""
    everyone = adult(45_222).rows(np.random.default_rng(2).permutation(45_222)[:8000])
    plan = ExplanationPlan(
        "income",
        model=model,
        explainer=explainer,
        references=50 if explainer == "counterfactuals" else 1,
        victims=1500,
    )
    dealt, start = plan.deal(Tables(everyone, None, None, everyone.schema, (), ())), time.process_time()
    parts = [explanation.members_and_others(dealt, plan.offer("income"), seed) for seed in range(5)]
    sides = [np.stack([part.answer[side] for part in parts]) for side in range(2)]
    both = [np.stack([part.explanation[side] for part in parts]) for side in range(2)]
    shown = [recovery.membership(*pair) for pair in (sides, [np.abs(side) for side in both], both)]
    cells = " | ".join(f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}]" for each in shown)
    return f"| {model} | {explainer} | {cells} | {time.process_time() - start:.0f} |\n"


CHECKS = """
## Nulls, planted leaks, bounds

*Called*: of {nulls} games without a leak those with p ≤ .05 at one end; 10 are expected, and luck makes 20 or more once
in 370 times. *Planted*: what the attack makes of a leak that is there.

| attack | null | called | planted leak | found | seconds |
|---|---|---|---|---|---|
"""
NULLS = 200


def p_of(inside: Floats | list[float], outside: Floats | list[float]) -> float:
    """How often scores lie so high by luck (Mann and Whitney)."""
    return float(stats.mannwhitneyu(inside, outside, alternative="greater").pvalue)


def null_of_release(name: str, method: str) -> Iterator[float]:
    """Releases of one small table on both sides; the attacker has learnt from real ones."""
    for seed in range(NULLS):
        rng = np.random.default_rng([52, seed])
        everyone = mixed(50, seed=seed)
        rest = everyone.without([1])
        score = fit(name, everyone.rows([1]), rest, method, rng)
        yield p_of(*([score(release) for release in draw(rest, method, 15, 50, rng)] for _ in range(2)))


def null_of_secret() -> Iterator[float]:
    """Secrets drawn anew, and a release that no row has a part in."""
    question = AttributeQuestion("income", KNOWN, parse("inference", "linear-reconstruction"))
    game = RandomisedSecret(people(1), parse("generators", "independent"), question, np.arange(100), ROWS, 3)
    for number in range(NULLS):
        gain = game.trial(number).gain
        yield float(stats.ttest_1samp(gain, 0, alternative="greater").pvalue) if gain.std() else 1.0


def null_of_network(method: str) -> Iterator[float]:
    """Two sides of 40 people whom a network never met."""
    for seed in range(NULLS):
        rng, everyone = np.random.default_rng([53, seed]), people(seed)
        fitted = parse("generators", method).fit(everyone.rows(np.arange(100)), rng)
        known = one_run.know(fitted, everyone.rows(np.arange(100, 180)), rng)
        yield p_of(known[:40], known[40:])


def planted_in_network(method: str) -> str:
    """A network that was trained far too long on 100 people."""
    rng, everyone = np.random.default_rng(54), people(1)
    fitted = parse("generators", method).fit(everyone.rows(np.arange(100)), rng)
    known = one_run.know(fitted, everyone.rows(np.arange(200)), rng)
    return f"AUC {auc(known[:100], known[100:]):.2f}"


def null_of_worst() -> Iterator[float]:
    """A table of equal rows, and a method that ignores it."""
    for seed in range(NULLS):
        plan = game("independent", 40, 50, seed=seed)
        (finding,) = run_membership(mixed(40, seed=seed), plan).findings
        yield p_of(*(finding.scores.value[side] for side in (finding.scores.is_in, ~finding.scores.is_in)))


def planted_in_worst() -> str:
    """A method that puts out drawn rows."""
    plan = game("bootstrap", 100, 100)
    return f"AUC {next(e for e in run_membership(mixed(40), plan).estimates if e.name == 'auc').value:.2f}"


def small_deal(seed: int) -> ExplanationDeal:
    """A few made people whose ``smoker`` is explained."""
    return deal(mixed(360, seed=seed), None, "smoker", victims=60, auxiliary=60, seed=seed)


class Strangers(ExplanationDeal):
    """A deal whose members are people that the model has not learnt from either."""

    def members(self) -> tuple[Table, Table]:
        """As many of the pool as there are victims, and the victims."""
        return self.pool.rows(np.arange(len(self.victims))), self.victims


TREE = Offer("smoker", parse("explained", BY_HEART))


def null_of_members() -> Iterator[float]:
    """Explanations of two sides that the model never met."""
    for seed in range(NULLS):
        dealt = small_deal(seed)
        strangers = Strangers(dealt.train, None, dealt.pool, dealt.victims, seed)
        yield p_of(*explanation.members_and_others(strangers, TREE, 0).explanation)


def planted_members() -> str:
    """A tree that has learnt drawn answers by heart."""
    return f"AUC {auc(*explanation.members_and_others(small_deal(1).by_heart('smoker'), TREE, 0).explanation):.2f}"


def null_of_inputs() -> Iterator[float]:
    """Noise in place of explanations, inverted by least squares; beside one guess for everybody."""
    for seed in range(NULLS):
        rng = np.random.default_rng([55, seed])
        evidence = explanation.expose(small_deal(seed), TREE, 0, auxiliary=60, made_up=60)
        held = KnownRows(evidence.auxiliary.inputs, rng.normal(size=evidence.auxiliary.phi.shape))
        evidence = replace(evidence, auxiliary=held, phi=rng.normal(size=evidence.phi.shape))
        attacked = explanation.attack(evidence, parse("inverters", "linear"), 60, rng)
        constant = explanation.guess(evidence, "constant_mode", 60, rng)
        gain = np.nanmean(attacked.right - constant.right, axis=1)
        yield float(stats.ttest_1samp(gain, 0, alternative="greater").pvalue)


def planted_inputs() -> str:
    """A linear model, whose explanations give everything away."""
    evidence = explanation.expose(small_deal(1), Offer("smoker", parse("explained", "linear")), 0, auxiliary=60)
    attacked = explanation.attack(evidence, parse("inverters", "linear"), 60, np.random.default_rng(1))
    return f"{np.nanmean(attacked.right):.0%} of values right".replace("%", " %")


def planted_release(name: str) -> str:
    """Drawn rows of a small table."""
    reached = []
    for seed in range(10):
        rng, everyone = np.random.default_rng([56, seed]), mixed(50, seed=seed)
        rest = everyone.without([1])
        score = fit(name, everyone.rows([1]), rest, "bootstrap", rng)
        sides = [draw(world, "bootstrap", 20, 50, rng) for world in (everyone, rest)]
        reached.append(auc(*([score(release) for release in side] for side in sides)))
    return f"AUC {interval(reached)}"


def planted_secret() -> str:
    """Drawn rows, five times as many as there are."""
    return f"gain {gains('linear-reconstruction', 'bootstrap', 5)[0]}"


CHECKED: tuple[tuple[str, str, Callable[[], Iterator[float]], str, Callable[[], str]], ...] = (
    (
        "MAMA-MIA",
        "MST, ε 10",
        lambda: null_of_release("mama_mia", "mst:epsilon=10"),
        "drawn rows",
        lambda: planted_release("mama_mia"),
    ),
    ("LiRA", "drawn rows", lambda: null_of_release("lira", "bootstrap"), "drawn rows", lambda: planted_release("lira")),
    ("RMIA", "drawn rows", lambda: null_of_release("rmia", "bootstrap"), "drawn rows", lambda: planted_release("rmia")),
    ("linear reconstruction", "`independent`", null_of_secret, "drawn rows", planted_secret),
    (
        "inside TabDDPM",
        "people never met",
        lambda: null_of_network("tabddpm:training_steps=100"),
        "100 rows, 10,000 steps",
        lambda: planted_in_network("tabddpm:training_steps=10000"),
    ),
    (
        "inside TVAE",
        "people never met",
        lambda: null_of_network("tvae:epochs=20"),
        "100 rows, 3,000 epochs",
        lambda: planted_in_network("tvae:epochs=3000"),
    ),
    (
        "inside CTGAN",
        "people never met",
        lambda: null_of_network("ctgan:epochs=5"),
        "100 rows, 3,000 epochs",
        lambda: planted_in_network("ctgan:epochs=3000"),
    ),
    ("the worst table", "`independent`", null_of_worst, "drawn rows", planted_in_worst),
    ("inputs from explanations", "noise published", null_of_inputs, "a linear model", planted_inputs),
    ("members from explanations", "people never met", null_of_members, "a tree, by heart", planted_members),
)


def check(name: str, null: str, p_values: Callable[[], Iterator[float]], leak: str, planted: Callable[[], str]) -> str:
    """A line: how often nothing is called something, and what is made of a planted leak."""
    start = time.process_time()
    called = sum(p <= 0.05 for p in p_values())
    line = f"| {name} | {null} | {called} of {NULLS} | {leak} | {planted()} |"
    return f"{line} {time.process_time() - start:.0f} |\n"


SMALL = 500
BOUNDS = """
## Never above the bound

{tables:,} small tables each, 20 releases a side, ten trainings of MAMA-MIA on each:

| method | table | mean AUC | bound | above it by five standard errors |
|---|---|---|---|---|
"""
BOUNDED = tuple(
    (method.format(epsilon), table)
    for method in ("mst:epsilon={}", "private_gsd:rows=100,epsilon={}")
    for table in ("equal", "as drawn")
    for epsilon in (1, 10)
)


def over_bound(method: str, table: str) -> str:
    """A line: whether the attack is ever above the bound of the method's noise."""
    reached, error = [], float(np.sqrt((2 * 20 + 1) / (12 * 20 * 20)))
    for seed in range(SMALL):
        rng = np.random.default_rng([57, seed])
        drawn = mixed(int(rng.integers(20, 80)), seed=seed)
        target, rest = drawn.rows([0]), drawn.without([0])
        if table == "equal":
            rest = made_rows(drawn, target, "equal")
        everyone = rest.plus(target)
        score = fit("mama_mia", target, rest, method, rng)
        sides = [draw(world, method, 20, len(everyone), rng) for world in (everyone, rest)]
        reached.append(auc(*([score(release) for release in side] for side in sides)))
    bound = bound_of(method, 50, len(mixed(9).schema.modelled))
    above = sum(each > bound + 5 * error for each in reached)
    return f"| {method} | {table} | {interval(reached)} | {bound:.3f} | {above} of {SMALL:,} |\n"


def reconstruct(method: str, times: int) -> str:
    """A line: what is gained over the chance by each model."""
    models = ("linear-reconstruction", "linear-reconstruction:way=3", "forest")
    cells = [gains(model, method, times) for model in models]
    return f"| {method} | {times * ROWS:,} | {' | '.join(f'{gain} | {seconds:.1f}' for gain, seconds in cells)} |\n"


SECTIONS: tuple[tuple[str, Callable[[], Iterator[str]]], ...] = (
    (SECRET.format(rows=ROWS, trainings=TRAININGS), lambda: (reconstruct(*each) for each in RELEASES)),
    (MARGINALS.format(people=PEOPLE, games=GAMES, rows=ROWS, own=OWN), lambda: map(told_apart, METHODS)),
    (NETWORKS.format(audits=AUDITS), lambda: map(inside, INSIDE)),
    (WORST.format(trainings=PLAYED), lambda: map(worst, WORST_METHODS)),
    (EXPLAINED, lambda: (given_away(*pair) for pair in PAIRS)),
    (MEMBERS, lambda: (in_training(*pair) for pair in KEPT)),
    (CHECKS.format(nulls=NULLS), lambda: (check(*each) for each in CHECKED)),
    (BOUNDS.format(tables=SMALL), lambda: (over_bound(*each) for each in BOUNDED)),
)


SHORT = """
## In short

Seconds of a processor to learn, without the releases that the attacker makes of its own; of *inside* those of a
training.

| attack | published | here | seconds |
|---|---|---|---|
"""
CELLS = (
    ("MAMA-MIA, MST ε 1,000", "weighted accuracy .809 of households", "## Is a person", "mst:epsilon=1000", 2),
    ("LiRA, drawn rows", "of classifiers alone", "## Is a person", "bootstrap", 3),
    ("RMIA, drawn rows", "of classifiers alone", "## Is a person", "bootstrap", 4),
    ("linear reconstruction, drawn rows (gain)", "other tables", "## Linear", "bootstrap", 3),
    ("inside TabDDPM, 10,000 steps, named at 10 %", "MIDST .46, other models", "## Inside", "tabddpm:training", 4),
    ("inside TVAE (AUC)", "none known to us", "## Inside", "tvae", 3),
    ("inside CTGAN (AUC)", "none known to us", "## Inside", "ctgan", 3),
    ("worst table, MST ε 10, equal rows (AUC)", "named, not played", "## The worst", "mst", 3),
    ("inputs from integrated gradients", "none known to us", "## Explanations", "logistic | integrated", 4),
    ("inputs from counterfactuals", "none known to us", "## Explanations", "logistic | counter", 4),
    ("inputs from LIME", "none known to us", "## Explanations", "logistic | lime", 4),
    ("inputs from gradients", "none known to us", "## Explanations", "logistic | grad", 4),
    ("members from counterfactuals, a deep tree (AUC)", "other models", "## Who was", "tree:depth=30 | counter", 5),
    ("members from Shapley values, a deep tree (AUC)", "other models", "## Who was", "tree:depth=30 | perm", 5),
)
"""The attack, what its source prints, and where its figure stands on the page: section, row and column."""


def in_short(sections: dict[str, str]) -> str:
    """The table of all attacks, from the sections of the page."""
    lines = []
    for attack, published, section, row, column in CELLS:
        text = next((text for head, text in sections.items() if head.startswith(section)), "")
        line = next((line for line in text.splitlines() if line.startswith(f"| {row}")), "")
        cells = [cell.strip() for cell in line.split("|")]
        if line:
            value, _, own = cells[column].partition(" (")
            lines.append(f"| {attack} | {published} | {value} | {own.rstrip(' s)') or seconds_of(section, cells)} |\n")
    return SHORT + "".join(lines)


def seconds_of(section: str, cells: list[str]) -> str:
    """Where a line of that section has its seconds."""
    return cells[4] if section == "## Linear" else cells[-2]


def main(words: list[str]) -> None:
    """Measure and write the page, or these of its sections."""
    for number in map(int, words) if words else range(1, len(SECTIONS) + 1):
        head, lines = SECTIONS[number - 1]
        rows = []
        for line in lines():
            rows.append(line)
            print(line, end="", flush=True)
        before = re.split(r"(?=\n## )", PAGE.read_text()) if PAGE.exists() else []
        sections = {part.splitlines()[1]: part for part in before if part.startswith("\n## ")}
        sections[head.splitlines()[1]] = head + "".join(rows)
        ordered = [sections[name] for each, _ in SECTIONS if (name := each.splitlines()[1]) in sections]
        PAGE.write_text(TITLE + in_short(sections) + "".join(ordered))


if __name__ == "__main__":
    main(sys.argv[1:])
