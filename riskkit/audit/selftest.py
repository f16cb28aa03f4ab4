"""The self-test: leaks of known size are planted, and what the installed engine makes of them is set beside the truth.

Every check makes its own table from one seed, so that it needs no file and gives the same bytes on every machine of one
kind. What it plants is known by a closed form or by counting, never by the engine itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from riskkit import registry
from riskkit.audit.give_aways import look
from riskkit.audit.report_facts import build_given, versions
from riskkit.audit.selftest_files import (
    SEED,
    another_code,
    as_csv,
    holdout_of_real_people,
    load_tables,
    mix,
    people,
    unread_column,
)
from riskkit.audit.selftest_result import SelfTest, SelftestCheck
from riskkit.base.threads import single_thread
from riskkit.core import Brief, Estimate, FittedAttack, Floats, Generator, Knowledge, Scores, Table
from riskkit.judging.give_aways import State
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Verdict
from riskkit.language import again, phrase, say
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import as_scores
from riskkit.questions.records.certificate import Terms, certify
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.report.build import read
from riskkit.seeds import stream
from riskkit.show.model import Class, Played
from riskkit.stats import epsilon, summary
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv

# What the self-test plants: tables, releases and games whose leak is known by a closed form or by counting.

SURE = 4.0
"""Standard errors that a measured number may lie off the truth: a sound installation fails one check in 16,000."""


@dataclass(frozen=True, slots=True)
class PlantedCheck:
    """A check to be run: its name, what it plants, and what measures it."""

    name: str
    plain: str
    measure: Callable[[], tuple[str, str, bool]]


# --------------------------------------------------------------------------------------------------------------
# The file by itself


def _copies() -> tuple[str, str, bool]:
    real, others, holdout = (people(800, name) for name in ("real", "others", "holdout"))
    seen = look(load_tables(real, mix(real, others, 0.3, "copies"), holdout))
    copies = next(give_away for give_away in seen if give_away.code == "copies")
    excess = copies.estimate
    passed = excess is not None and copies.state is State.SHOWN and excess.low <= 0.3 <= excess.high
    return say("shown; 0.30 of the people"), f"{copies.state}; {excess}", passed


def _order() -> tuple[str, str, bool]:
    real, holdout = people(800, "real"), people(800, "holdout")
    rng = stream(SEED, "selftest", "order")
    release = {**people(800, "others"), "age": real["age"], "ward": real["ward"]}
    shuffled = {name: [values[row] for row in rng.permutation(800)] for name, values in release.items()}
    states = []
    for table in (release, shuffled):
        seen = look(load_tables(real, table, holdout))
        states.append(next(give_away.state for give_away in seen if give_away.code == "row_order"))
    passed = states == [State.SHOWN, State.NOT_SHOWN]
    return say("in order: shown; shuffled: not shown"), ", ".join(states), passed


def _null() -> tuple[str, str, bool]:
    tables = load_tables(people(800, "real"), people(800, "others"), people(800, "holdout"))
    plan = ReleasedPlan(attacks=("dcr", "domias", "classifier"), seed=SEED)
    result = run_released(tables, plan)
    verdict = _word(plan, result.plain(), tables)
    return say("undecided: no leak"), verdict, verdict == Verdict.UNDECIDED


def _check_moved_rows() -> tuple[str, str, bool]:
    """Every row released with its height moved by 0.4: no row is a copy, and every member is nearest to its own."""
    real, holdout = people(800, "real"), people(800, "holdout")
    release = {**real, "height": [f"{float(value) + 0.4:.1f}" for value in real["height"]]}
    order = stream(SEED, "selftest", "moved").permutation(800)
    release = {name: [values[row] for row in order] for name, values in release.items()}
    tables = load_tables(real, release, holdout)
    plan = ReleasedPlan(attacks=("dcr", "domias", "classifier"), seed=SEED)
    verdict = _word(plan, run_released(tables, plan).plain(), tables)
    return say("leak shown"), verdict, verdict == Verdict.LEAK


def _word(plan: Any, kept: dict[str, Any], tables: Tables) -> str:
    """The verdict that pages and reports would show."""
    played = Played(plan.question, "", "finished", plan.as_dict(), kept)
    (finding,) = read(played, build_given("", tables, (), give_aways=()), kind=Class.RESTRICTED)
    return str(judge(finding.measured, None).verdict)


def _secrets() -> tuple[str, str, bool]:
    real, others, holdout = (people(800, name) for name in ("real", "others", "holdout"))
    plan = AttributePlan(secrets=("illness",), model="forest", seed=SEED)
    residuals = []
    for release in (real, others):
        result = run_attributes(load_tables(real, release, holdout), plan)
        residuals.append(
            next(e for e in result.estimates if e.name == "residual" and e.labels["trained_on"] == "release")
        )
    copied, fresh = residuals
    passed = copied.low > 0.5 and fresh.low <= 0 <= fresh.high
    return say("copied: above 0.50; other people: 0 within"), f"{copied}; {fresh}", passed


# --------------------------------------------------------------------------------------------------------------
# Games with a known end


@dataclass(frozen=True)
class Marked:
    """The best attack there can be on a noisy count: how many rows are marked, in the upper half of their number."""

    name: ClassVar[str] = "marked"
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    rows: int

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:  # noqa: ARG002  nothing to learn
        """Knows how many rows there are with the target."""
        return FittedMarked(self.rows)


@dataclass(frozen=True, slots=True)
class FittedMarked:
    """Ready to read any release of one number."""

    rows: int

    def score(self, release: Table) -> Floats:
        """(1,) the rows above the middle of the number's domain, less half a row less than there are."""
        column = release.schema.numeric[0]
        marked = float((release.numbers[:, 0] > (column.low + column.high) / 2).sum())
        return np.array([marked - (self.rows - 0.5)])


@dataclass(frozen=True)
class ExactMatch:
    """Says "in" where the release holds the target's very record."""

    name: ClassVar[str] = "exact_match"
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:  # noqa: ARG002  nothing to learn
        """Remember the target."""
        return FittedExactMatch(brief.targets)


@dataclass(frozen=True, slots=True)
class FittedExactMatch:
    """The records to look for."""

    targets: Table

    def score(self, release: Table) -> Floats:
        """(n_targets,) +1 where the record occurs in the release, -1 where it does not."""
        return np.where(np.isin(self.targets.keys(), release.keys()), 1.0, -1.0)


def _game(generator: str, attack: Any, trainings: int, rows: int, n_syn: int) -> Scores:
    """The scores of one attack of ours in a game of the engine, on a table of one number whose first row stands out."""
    numbers = [str(value) for value in stream(SEED, "selftest", "numbers").integers(0, 100, rows - 1)]
    table = load(read_csv(as_csv({"x": ["100", *numbers], "y": ["a", "b"] * (rows // 2)}), name="real.csv")).real
    plan = MembershipPlan(
        generators=(generator,),
        targets=("listed:rows=0",),
        trainings=trainings,
        generations=1,
        n_syn=n_syn,
        control=False,
        seed=SEED,
    )
    cell = plan.cells()[0]
    game = plan.game(plan.people(table), cell, plan.choose(table, cell.target))
    fitted = attack.fit(game.brief(attack.knowledge, {True: [], False: []}, 0), game.rng("attack"))
    played = game.trials([(number, bool(side)) for number, side in enumerate(game.coin())], [fitted])
    return as_scores(played, game, replace(plan, attacks=plan.attacks[:1]))[0]


def _standard_error(auc: float, n: int) -> float:
    """Hanley and McNeil's, for ``n`` trainings a side."""
    spread = (n - 1) * (auc / (2 - auc) + 2 * auc**2 / (1 + auc) - 2 * auc**2)
    return math.sqrt((auc * (1 - auc) + spread) / n**2)


def _bootstrap() -> tuple[str, str, bool]:
    rows, trainings = 200, 1000
    truth = 1 - 0.5 * (1 - 1 / rows) ** rows
    auc = summary.auc(_game("bootstrap", ExactMatch(), trainings, rows, rows))
    passed = abs(auc.value - truth) <= SURE * _standard_error(truth, trainings // 2)
    return f"AUC {truth:.3f}", f"AUC {auc}", passed


FLOOR = 0.75
"""What a bound on an epsilon of 1 reaches at least with so many trainings; a bound of 0 would show nothing."""


def _known_epsilon() -> tuple[str, str, bool]:
    """A count with geometric noise of epsilon 1: AUC e / (1 + e), and no honest bound lies above 1."""
    trainings = 2000
    truth = math.e / (1 + math.e)
    scores = _game("laplace_count:epsilon=1", Marked(200), trainings, 200, 400)
    auc, bound = summary.auc(scores), epsilon.epsilon_lower(scores)
    near = abs(auc.value - truth) <= SURE * _standard_error(truth, trainings // 2)
    honest = FLOOR <= bound.value <= 1.0
    return f"AUC {truth:.3f}, {FLOOR:.2f} ≤ ε ≤ 1", f"AUC {auc}, ε ≥ {bound.value:.2f}", near and honest


def _ignores() -> tuple[str, str, bool]:
    trainings = 1000
    scores = _game("bootstrap", _Deaf(), trainings, 200, 200)
    auc = summary.auc(scores)
    return "AUC 0.500", f"AUC {auc}", abs(auc.value - 0.5) <= SURE * _standard_error(0.5, trainings // 2)


@dataclass(frozen=True)
class _Deaf:
    """Sees nothing but the first row of the release, which says nothing of the target."""

    name: ClassVar[str] = "deaf"
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:  # noqa: ARG002  nothing to learn
        return _FittedDeaf()


@dataclass(frozen=True, slots=True)
class _FittedDeaf:
    def score(self, release: Table) -> Floats:
        others = release.numbers[release.numbers[:, 0] < 100, 0]
        return np.array([others[0] if len(others) else 0.0])


# --------------------------------------------------------------------------------------------------------------
# The certificate


def _rare_chain() -> tuple[str, str, bool]:
    """Of 600 people four come from one country, three of these from one city, one of these has one illness."""
    n, n_syn, draws = 600, 600, 4000
    rng = stream(SEED, "selftest", "chain")
    country = rng.integers(0, 6, n)
    city = country * 3 + rng.integers(0, 3, n)
    illness = city * 2 + rng.integers(0, 2, n)
    country[:4], city[:3], illness[:1] = 90, 91, 92
    columns = {"country": country, "city": city, "illness": illness, "noise": rng.integers(0, 4, n)}
    texts = {name: [f"{name[0]}{value}" for value in values] for name, values in columns.items()}
    table = load(read_csv(as_csv(texts), name="real.csv")).real
    generator: Generator = registry.parse("generators", "bayesnet:degree=1")
    terms = Terms(n_syn, 0.01, ())
    (certificate,) = certify(table, generator, [1], terms, SEED)
    fit = generator.fit(table, stream(SEED, "selftest", "in"))
    without = generator.fit(table.without(1), stream(SEED, "selftest", "out"))
    auc = _optimum(fit, without, n_syn, draws, stream(SEED, "selftest", "draws"))
    off = abs(certificate.auc.value - auc.value)
    reach = (auc.high - auc.low) / 2 * SURE / 2 + 0.003
    return f"AUC {auc}", f"AUC {certificate.auc}", off <= reach


def _optimum(inside: Any, outside: Any, n_syn: int, draws: int, rng: np.random.Generator) -> Estimate:
    """The AUC of the likelihood ratio of whole releases, by drawing them."""
    values = []
    for fit in (inside, outside):
        rows = fit.sample(n_syn * draws, rng)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = inside.log_prob(rows) - outside.log_prob(rows)
        values.append(np.nan_to_num(ratio, posinf=1e6, neginf=-1e6).reshape(draws, n_syn).sum(axis=1))
    value = np.concatenate(values)
    index = np.arange(2 * draws)
    return summary.auc(Scores(value, index < draws, index, index * 0, "likelihood ratio"))


CHECKS: Sequence[PlantedCheck] = (
    PlantedCheck("copies", phrase("30 % of the people are copied into the release"), _copies),
    PlantedCheck("order", phrase("the release stands in the order of the real table"), _order),
    PlantedCheck(
        "wrong holdout", phrase("half of the holdout are people whom the release copies"), holdout_of_real_people
    ),
    PlantedCheck("another code", phrase("every person is released, in other words and mirrored numbers"), another_code),
    PlantedCheck("unread column", phrase("names of real people stand in a column that no attack reads"), unread_column),
    PlantedCheck("null", phrase("the release holds nothing of anybody"), _null),
    PlantedCheck("moved", phrase("every person is released with one number changed"), _check_moved_rows),
    PlantedCheck("secrets", phrase("a secret is guessed from copies, and from other people"), _secrets),
    PlantedCheck("bootstrap", phrase("rows are drawn again from the table"), _bootstrap),
    PlantedCheck("epsilon", phrase("a count with noise of ε = 1"), _known_epsilon),
    PlantedCheck("chance", phrase("an attack that sees nothing"), _ignores),
    PlantedCheck("rare chain", phrase("the best attack on a person of rare values"), _rare_chain),
)
"""Every check, the quick ones first."""


def selftest(progress: Callable[[int, int, str], None] = lambda *_: None) -> SelfTest:
    """Run every check; ``progress`` is told how many are done of how many, and which comes next."""
    done = []
    with single_thread():
        for index, planted in enumerate(again(CHECKS)):
            progress(index, len(CHECKS), planted.plain)
            start = time.perf_counter()
            expected, measured, passed = planted.measure()
            seconds = time.perf_counter() - start
            done.append(SelftestCheck(planted.name, planted.plain, expected, measured, passed, seconds))
    progress(len(CHECKS), len(CHECKS), "")
    return SelfTest(tuple(done), versions())
