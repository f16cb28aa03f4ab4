"""Audits made by hand: runs as they are kept, with random numbers, so that no test has to play a game."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from riskkit.core import Estimate, Scores
from riskkit.errors import Gravity, Problem, ScoreError, TooFewTrainings
from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import UNKNOWN, Cover, Provenance
from riskkit.questions.records.certificate import Three
from riskkit.questions.records.remedy import Remedy, RemedyPoint, Search
from riskkit.report import build
from riskkit.show.model import Class, File, Findings, Given, Played
from riskkit.stats import records as released_records
from riskkit.stats import summary
from riskkit.stats.permutation import joint_aucs
from tests.report.audited.contests import contest as contest
from tests.report.audited.contests import households as households
from tests.report.audited.contests import number

MADE = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ROWS = 300
"""Rows of the release."""
STAT = Provenance("stat")
"""The release was made by the method that membership runs of these audits are about."""
COLUMNS = (("age", "numeric", "known"), ("ward", "categorical", "known"), ("illness", "categorical", "secret"))
TITLES = {
    "stat": "Mean and covariance", "bayesnet": "Bayesian network", "mvl": "MVL", "neighbour": "Nearest neighbours",
    "dcr": "Closest row", "classifier": "Classifier", "forest": "Random forest", "linear": "Least squares",
    "pram": "PRAM", "uploaded": "Your release", "selective": "Selective", "constant_mode": "Most frequent",
}  # fmt: skip


def scored(rng: np.random.Generator, shift: float, trainings: int = 20, each: int = 3, attack: str = "mvl") -> Scores:
    """Scores of one game: those with the record lie higher by ``shift``."""
    training = np.repeat(np.arange(trainings), each)
    is_in = training % 2 == 0
    value = rng.normal(size=len(training)) + shift * is_in
    return Scores(value, is_in, training, np.zeros(len(training), dtype=np.int64), attack)


def membership(
    rng: np.random.Generator,
    *,
    shifts: Sequence[float] = (1.0,),
    trainings: int = 20,
    is_found: bool = True,
    run: str = "a" * 32,
    attack: str = "mvl",
    generator: str = "stat",
    rows: Sequence[int] | None = None,
    control: bool = True,
    n_syn: int = ROWS,
    worlds: str = "fixed",
) -> Played:
    """A membership run on one method: one record a shift."""
    estimates, scores, planted = [], [], []
    for index, shift in enumerate(shifts):
        row = str(rows[index] if rows else 10 + index)
        labels = {
            "generator": generator,
            "target": "selective",
            "position": str(index),
            "record": row,
            "attack": attack,
        }
        own = scored(rng, shift, trainings, attack=attack)
        for make in (summary.accuracy, summary.auc, summary.advantage):
            try:
                estimates.append(make(own).label(**labels).as_dict())
            except (ScoreError, TooFewTrainings):
                continue
        arrays = {"value": own.value.tolist(), "is_in": own.is_in.tolist(), "training": own.training.tolist()}
        scores.append({**labels, **arrays})
        auc = summary.auc(scored(rng, 3.0 if is_found else -3.0)).label(**labels)
        planted.append({**labels, "best_auc": 0.98, "auc": auc.as_dict(), "found": is_found, "notes": []})
    plan = {
        "generators": [generator], "targets": ["selective"], "attacks": [attack], "trainings": trainings, "seed": 1,
        "k": len(shifts), "n_syn": n_syn, "worlds": worlds,
    }  # fmt: skip
    result = {
        "estimates": estimates, "settings": plan, "notes": ["a note of the engine"],
        "control": planted if control else [], "scores": scores, "seconds": 40.0,
    }  # fmt: skip
    return Played("membership", run, "finished", plan, result, "riskkit membership --real secret.csv", 1)


def together(*runs: Played) -> Played:
    """Membership runs on several methods as one run about all of them; leaks are planted once for all."""
    results = [run.result for run in runs if run.result is not None]
    plan = {**runs[0].plan, "generators": [name for run in runs for name in run.plan["generators"]]}
    joined = {name: [entry for result in results for entry in result[name]] for name in ("estimates", "scores")}
    return Played("membership", runs[0].id, "finished", plan, {**results[0], **joined, "settings": plan})


LEFT_OUT = dict.fromkeys(("n_reference", "dropped_both", "dropped_real", "dropped_holdout", "dropped_to_even"), 0)
"""Rows of a run on a released file that are left out, or belong to neither side."""


def released(
    rng: np.random.Generator,
    *,
    shift: float = 0.0,
    planted: float = 1.5,
    differ: bool = False,
    n: int = 300,
    run: str = "b" * 32,
    attacks: Sequence[str] = ("dcr", "classifier"),
) -> Played:
    """A run of attacks on the released file."""
    estimates, scores, control, asked = [], [], [], []
    is_in = np.arange(2 * n) < n
    for attack in attacks:
        value = rng.normal(size=2 * n) + shift * is_in
        lifted = rng.normal(size=2 * n) + planted * is_in
        index = np.arange(2 * n)
        own, lift = (Scores(each, is_in, index, index * 0, attack) for each in (value, lifted))
        asked.append(own)
        estimates.append(released_records.auc(own, level=0.95).label(attack=attack).as_dict())
        of_control = released_records.auc(lift, level=0.95).label(attack=attack)
        control.append({"attack": attack, "auc": of_control.as_dict(), "planted": "half of them", "why": ""})
        arrays = {"value": value.tolist(), "is_in": is_in.tolist(), "record": index.tolist(), "row": index.tolist()}
        scores.append({"attack": attack, **arrays})
    panel = {
        "near": {}, "rows": {"real": n, "synthetic": ROWS}, "nearer_to_real": None,
        "asked": {"synthetic": ROWS, "of_each": n, "back": n}, "dcr": None, "nndr": None,
    }  # fmt: skip
    joint = joint_aucs(asked, np.random.default_rng(1))
    each = [
        {"attack": attack, "auc": auc.label(attack=attack).as_dict(), "p": p, "beyond": None}
        for attack, auc, p in zip(attacks, joint.aucs, joint.p, strict=True)
    ]
    if differ:
        nothing = Estimate("auc", 0.45, 0.4, 0.5, 0.9, "by hand", 2 * n).as_dict()
        each = [{**entry, "beyond": nothing} for entry in each]
    plan = {"attacks": list(attacks), "level": 0.95, "seed": 1}
    result = {
        "estimates": estimates, "settings": {**plan, **LEFT_OUT, "n_in": n, "n_out": n}, "notes": [],
        "control": control, "power": None, "base_rates": [], "named": {"asked": 0, "listed": 0, "fewest": 0},
        "scores": scores, "panel": panel,
        "blind": {"auc": None, "p": None, "permutations": 0, "apart": differ, "why": ""},
        "together": {"permutations": joint.permutations, "each": each}, "seconds": 3.0,
    }  # fmt: skip
    return Played("released", run, "finished", plan, result, "riskkit released --real secret.csv", 1)


def attributes(
    *,
    residual: float = 0.0,
    half: float = 0.05,
    planted: float = 0.5,
    secret: str = COLUMNS[2][0],
    without: float | None = None,
    known: str = "all other columns",
    columns: Sequence[str] = ("age", "ward"),
    run: str = "c" * 32,
    exposed: int = 3,
) -> Played:
    """A run about one secret, with a sweep of one row."""
    about = {"secret": secret, "known": known, "model": "forest"}
    accuracy = {**about, "metric": "accuracy"}
    estimates = [
        number("accuracy", 0.3, 0.04, **accuracy, trained_on="baseline_tested", tested_on="control"),
        number("accuracy", 0.45, 0.04, **accuracy, trained_on="release", tested_on="control"),
        number("accuracy", 0.47, 0.04, **accuracy, trained_on="release", tested_on="members"),
        number("delta", 0.15, 0.04, **accuracy, trained_on="release", tested_on="control"),
        number("residual", residual, 0.04, **accuracy, trained_on="release"),
        number("exposed", exposed, 0.04, **accuracy, trained_on="release"),
        number("exposed_by_chance", 1.0, 0.04, **accuracy, trained_on="release"),
        number("exposed_beyond_chance", exposed - 1.0, 0.04, **accuracy, trained_on="release"),
    ]
    compared = {
        **about,
        "residual": number("residual", residual, half),
        "without": None if without is None else number("residual", without, half),
        "planted": number("residual", planted, 0.05),
        "columns": list(columns), "kind": "category", "share": "accuracy", "right": "",
    }  # fmt: skip
    cell = {
        **about, "set": known, "kind": "category", "delta": estimates[3], "residual": estimates[4], "corrected": None,
        "shown": False, "refusal": "", "columns": list(columns),
    }  # fmt: skip
    guessed = {name: [True, False] for name in ("right", "baseline_right", "never_in_right")}
    rows = {**about, "row": [4, 5], "confidence": [0.99, 0.95], "exposed": [True, False], **guessed}
    spared = dict.fromkeys(("spared", "shared", "shared_holdout", "dropped_to_even"), 0)
    plan = {
        "secrets": [secret], "known": ["others"], "model": "forest", "seed": 1, "generator": "", "level": 0.95,
        "baseline": "tested",
    }  # fmt: skip
    result = {
        "estimates": estimates, "notes": ["n"],
        "settings": {
            **plan, "n_members": 120, "n_control": 80, "looks": 1, "n_release": 200, "planted": None, **spared,
        },
        "compared": [compared], "refused": [], "sweep": [cell], "randomised": [], "records": [rows],
        "seconds": 5.0,
    }  # fmt: skip
    return Played("attributes", run, "finished", plan, result, "riskkit attributes --real secret.csv", 1)


def asked(*runs: Played) -> Played:
    """Attribute runs on one secret each as one run about all of them."""
    results = [run.result for run in runs if run.result is not None]
    lists = ("estimates", "compared", "refused", "sweep", "records")
    joined = {name: [entry for result in results for entry in result[name]] for name in lists}
    settings = {**results[0]["settings"], "looks": len(runs)}
    return Played("attributes", runs[0].id, "finished", runs[0].plan, {**results[0], **joined, "settings": settings})


def explanations(*, gain: float = 0.0, half: float = 0.05, planted: bool = True, run: str = "9" * 32) -> Played:
    """A run of one attacker on the explanations of a model with two inputs."""
    about = {"attacker": "linear", "rows": "100", "defence": "none"}
    estimates = [
        number("success_rate", 0.5, 0.05, **about, feature="overall"),
        number("success_rate", 0.4, 0.05, **{**about, "attacker": "constant_mode"}, feature="overall"),
    ]
    gains = {
        feature: [number("gain", gain, half), number("gain", gain + 0.01, half)]
        for feature in ("overall", "age", "ward")
    }
    plan = {
        "model": "forest",
        "attackers": ["linear"],
        "target": "illness",
        "seed": 1,
        "level": 0.95,
        "explainer": "permutation",
    }
    result = {
        "estimates": estimates, "notes": [],
        "settings": {**plan, "n_train": 200, "n_pool": 100, "n_victims": 50, "sizes": [100], "looks": 6},
        "attackers": [{"attacker": "linear", "holds": "auxiliary", "planted": planted, "gains": gains}],
        "features": [{"feature": "age", "association": None}, {"feature": "ward", "association": None}],
        "defences": [], "reference": None, "library": None, "seconds": 6.0,
    }  # fmt: skip
    return Played("explanations", run, "finished", plan, result, "riskkit explanations --real secret.csv", 1)


SIDES = 100
"""Trainings a side of a game on many records, so many that an AUC's own variance is what decides."""


def record(
    row: int, value: float, half: float = 0.05, *, fresh: tuple[float, float] | None = None, **more: Any
) -> dict[str, Any]:
    """One record of such a game: ``value`` with the half width of its interval, after ``fresh`` games that of those."""
    shown, reach = fresh or (value, half)
    three = [shown, shown - reach, shown + reach]
    return {
        "row": row, "stage": "fresh" if fresh else "first", "auc": three, "n": 2 * SIDES, "outlierness": 0.1,
        "copies": 0, "drawn": False, "advantage": three, "tpr": None, "epsilon": [0.1, 2.0], "curve": [0.2, 1.0],
        "first": [value, (half / 1.96) ** 2], "fresh": [shown, (reach / 1.96) ** 2] if fresh else None,
        "first_auc": [value, value - half, value + half] if fresh else None, "traditional": None, "certificate": None,
        **more,
    }  # fmt: skip


def certificate(value: float, high: float) -> dict[str, Any]:
    """What the best attack there can be reaches on a record."""
    three = [value, value, high]
    return {
        "auc": three, "advantage": three, "tpr": three, "proof": [0.0, 0.0, 0.0], "method": "best attack",
        "curve": [0.0, 1.0], "telling": [],
    }  # fmt: skip


def lower_limit(value: float, chance: float, half: float = 0.05) -> float:
    """The limit above which a record of this AUC would lie by chance so seldom, worked out from the two laws.

    The variance at the limit is Newcombe's, as much larger as the record's own is than Newcombe's at its AUC;
    the chance is that of the normal or of the beta law, whichever is larger.
    """

    def newcombe(a: float, n: float) -> float:
        return a * (1 - a) * (1 + (n - 1) * ((1 - a) / (2 - a) + a / (1 + a))) / n**2

    own = min((half / 1.96) ** 2, value * (1 - value) / SIDES)
    n = SIDES / max(own / newcombe(value, SIDES), 1)

    def beyond(limit: float) -> float:
        variance = newcombe(limit, n)
        worth = limit * (1 - limit) / variance - 1
        beta = stats.beta.sf(value, limit * worth, (1 - limit) * worth)
        return max(float(beta), float(stats.norm.sf((value - limit) / np.sqrt(variance)))) - chance

    return float(brentq(beyond, 0.01, value))


def records(
    each: Sequence[Mapping[str, Any]],
    *,
    generator: str = "bayesnet",
    n_syn: int = ROWS,
    run: str = "e" * 32,
    total: int = 1000,
    **plan: Any,
) -> Played:
    """A game on many records of one method."""
    settings = {
        "generator": generator, "records": "all", "seed": 1, "level": 0.95, "n_syn": n_syn, "inside": SIDES,
        "outside": SIDES, "fpr": 0.1, "screen": 0, "screen_limit": 0.8, "people": 0, **plan,
    }  # fmt: skip
    count = Estimate("records_above", 3, 1, 7, 0.95, "m", 400, {"limit": "0.8", "generator": generator})
    result = {
        "estimates": [count.as_dict()], "settings": settings, "notes": [], "total": total, "records": list(each),
        "sides": {"first": [SIDES, SIDES], "fresh": [SIDES, SIDES]}, "fpr_grid": [0.1, 1.0],
        "certificate_grid": [0.0, 1.0], "seconds": 400.0,
    }  # fmt: skip
    return Played("records", run, "finished", settings, result, "riskkit records --real secret.csv", 1)


def search(
    highest: Sequence[float],
    above: Sequence[int],
    *,
    limit: float = 0.7,
    generator: str = "bayesnet",
    setting: str = "smoothing",
    people: int = 300,
    useful: bool = True,
) -> Mapping[str, Any]:
    """A search for the least change: the highest certificate and the people above the limit at 0, 1, 2 ... of it."""
    points = tuple(
        RemedyPoint(
            float(index),
            Three(auc, auc, min(auc + 0.01, 1.0)),
            count,
            Estimate("useful", 0.9 - index / 40, 0.88 - index / 40, 0.92 - index / 40, 0.95, "m", 5)
            if useful
            else None,
        )
        for index, (auc, count) in enumerate(zip(highest, above, strict=True))
    )
    first = next(
        (index for index in range(len(points)) if all(point.highest.high < limit for point in points[index:])), None
    )
    rises = tuple(
        (first.value, other.value)
        for first, other in pairwise(points)
        if other.highest.low > first.highest.high + 0.001
    )
    asked = Search(generator, setting, limit)
    return Remedy(asked, people, 0.0, points, None if first is None else points[first], rises).plain()


def row_order(state: State = State.SHOWN) -> GiveAway:
    """The order of rows."""
    return GiveAway("row_order", state, {"share": 0.97, "z": 31.0, "kind": "row by row"})


def child_order(state: State = State.SHOWN) -> GiveAway:
    """The order of people in a second table."""
    return GiveAway("child_order", state, {"share": 0.97, "z": 31.0, "kind": "row by row", "is_by_place": True})


def copies(state: State = State.SHOWN, rows: int = 90) -> GiveAway:
    """Rows of the real table in the release, beside a holdout."""
    figures = {"rows": rows, "k_in": rows, "n_in": 290, "k_out": 1, "n_out": 190, "alone": rows, "has_holdout": True}
    return GiveAway("copies", state, figures, Estimate("copied", 0.3, 0.24, 0.36, 0.983, "m", 480))


def identifiers(state: State = State.SHOWN, column: str = "ward") -> GiveAway:
    """Identifiers of real people in the release."""
    figures = {"column": column, "shared": 40, "of": 300, "expected": 0.2, "linked": 0, "here": 0.0, "elsewhere": 0.0}
    return GiveAway("identifiers", state, figures)


UNFINISHED = ("failed", "cancelled", "interrupted", "paused", "running", "queued")


def unfinished(question: str, state: str, generator: str = "stat", done: int = 20, total: int = 60) -> Played:
    """A run that has not finished, about that method where its question is about one."""
    plan = {"generators": [generator], "generator": generator, "worlds": "fixed", "people": 0, "seed": 1}
    return Played(
        question,
        "7" * 32,
        state,
        plan,
        None,
        error="It did.",
        unit="training",
        done=done,
        total=total,
        seconds_left=240.0,
    )


def doubt(code: str, column: str = "", count: int = 0) -> dict[str, Any]:
    """What reading noticed of the files, as reports keep it."""
    return Problem(Gravity.QUESTION, code, "Noticed.", "Answer it.", "release.csv", column, count=count).as_dict()


def audit(*runs: Played, apart: tuple[str, ...] = (), **changed: Any) -> Given:
    """An audit with these runs; the values of columns ``apart`` hardly meet."""
    facts: dict[str, Any] = {
        "audit": "Ward study", "columns": COLUMNS, "preparation": (), "titles": TITLES, "key": b"k" * 32,
        "files": (File("real", "real.csv", "1" * 64, 300, 3), File("synthetic", "release.csv", "2" * 64, ROWS, 3)),
        "knows": {"mvl": "exact"}, "versions": {"riskkit": "0", "Python": "3"},
    }  # fmt: skip
    noticed = tuple(doubt("values_apart", column) for column in apart)
    changed["preparation"] = (*changed.get("preparation", ()), *noticed)
    return Given(**{**facts, "runs": runs, **changed})


def findings(
    audit: Given,
    limits: Mapping[str, Limit] | None = None,
    kind: Class = Class.SHAREABLE,
    title: str = "",
    by: str = "",
    **how: Any,
) -> Findings:
    """Its findings."""
    words = {"cover": Cover(title, by), **how}
    return build.findings(audit, limits or {}, kind=kind, made=MADE, version="0", **words)


@cache
def random(seed: int) -> Given:
    """An audit with random runs and random results, give-aways, columns apart and somebody who says how it was made."""
    rng = np.random.default_rng(seed)
    runs: list[Played] = []
    if rng.random() < 0.8:
        shifts = tuple(rng.normal(0.5, 1.0, int(rng.integers(1, 5))))
        trainings, n_syn = int(rng.choice([6, 12, 30])), int(rng.choice([ROWS, ROWS, 200, 400]))
        settings = {"trainings": trainings, "is_found": bool(rng.random() < 0.7), "n_syn": n_syn}
        method = membership(rng, shifts=shifts, **settings)
        other = membership(rng, shifts=shifts[:1], generator="bayesnet", **settings)
        runs.append(together(method, other) if rng.random() < 0.4 else method)
    if rng.random() < 0.7:
        shift, differ = float(rng.choice([0.0, 0.2, 1.0])), bool(rng.random() < 0.2)
        runs.append(released(rng, shift=shift, differ=differ, n=int(rng.choice([40, 300]))))
    if rng.random() < 0.7:
        runs.append(attributes(residual=float(rng.normal(0, 0.1)), half=float(rng.uniform(0.02, 0.2))))
    if rng.random() < 0.5:
        runs.append(contest(uploaded=bool(rng.random() < 0.5), low=float(rng.uniform(10, 60))))
    if rng.random() < 0.4:
        each = [record(row, float(rng.uniform(0.4, 0.9))) for row in range(int(rng.integers(1, 9)))]
        runs.append(records(each, generator=str(rng.choice(["stat", "bayesnet"]))))
    if rng.random() < 0.4:
        runs.append(explanations(gain=float(rng.normal(0, 0.1))))
    if rng.random() < 0.3:
        question, state = str(rng.choice(["membership", "records", "released"])), str(rng.choice(UNFINISHED))
        about, done = str(rng.choice(["stat", "bayesnet"])), int(rng.integers(1, 9))
        runs.append(unfinished(question, state, about, done=done))
    give_aways = [make(State(str(rng.choice(list(State))))) for make in (row_order, identifiers) if rng.random() < 0.2]
    if rng.random() < 0.2:
        give_aways.append(copies(State(str(rng.choice([State.SHOWN, State.NOT_SHOWN])))))
    return audit(
        *runs,
        provenance=STAT if rng.random() < 0.6 else UNKNOWN,
        give_aways=tuple(give_aways),
        apart=("ward",) if rng.random() < 0.15 else (),
        remedies=tuple(random_searches(seed)),
    )


def random_searches(seed: int) -> Iterator[Mapping[str, Any]]:
    """Searches for the least change, some of which find none, some without usefulness; drawn apart from all else."""
    rng = np.random.default_rng([seed, 7])
    for setting in ("smoothing", "bins")[: int(rng.integers(1, 3))]:
        highest = np.sort(rng.uniform(0.52, 0.99, int(rng.integers(2, 15))))[::-1]
        if rng.random() < 0.3:
            rng.shuffle(highest)
        above = [int(rng.integers(1, 300)) if auc >= 0.69 else 0 for auc in highest]
        yield search(highest.tolist(), above, setting=setting, useful=bool(rng.random() < 0.8))
