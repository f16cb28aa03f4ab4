"""Audits made by hand: runs as they are kept, with random numbers, so that no test has to play a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from riskkit.core import Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.report.audited.build import findings
from riskkit.report.audited.model import Class, File, Findings, Given, Limit, Played
from riskkit.stats import records, summary
from riskkit.stats.joint import joint_aucs

MADE = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
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
    rng: np.random.Generator, *, shifts: Sequence[float] = (1.0,), trainings: int = 20, found: bool = True,
    run: str = "a" * 32, attack: str = "mvl", generator: str = "stat", rows: Sequence[int] | None = None,
    control: bool = True,
) -> Played:  # fmt: skip
    """A membership run: one record a shift."""
    estimates, scores, planted = [], [], []
    for at, shift in enumerate(shifts):
        row = str(rows[at] if rows else 10 + at)
        labels = {"generator": generator, "target": "selective", "position": str(at), "record": row, "attack": attack}
        own = scored(rng, shift, trainings, attack=attack)
        for make in (summary.accuracy, summary.auc, summary.advantage):
            try:
                estimates.append(make(own).labelled(**labels).as_dict())
            except (ScoreError, TooFewTrainings):
                continue
        arrays = {"value": own.value.tolist(), "is_in": own.is_in.tolist(), "training": own.training.tolist()}
        scores.append({**labels, **arrays})
        auc = summary.auc(scored(rng, 3.0 if found else -3.0)).labelled(**labels)
        planted.append({**labels, "best_auc": 0.98, "auc": auc.as_dict(), "found": found, "notes": []})
    plan = {
        "generators": [generator], "targets": ["selective"], "attacks": [attack], "trainings": trainings, "seed": 1,
        "k": len(shifts),
    }  # fmt: skip
    result = {
        "estimates": estimates, "settings": plan, "notes": ["a note of the engine"],
        "control": planted if control else [], "scores": scores, "seconds": 40.0,
    }  # fmt: skip
    return Played("membership", run, "finished", plan, result, "python -m riskkit membership --real secret.csv", 1)


def released(
    rng: np.random.Generator, *, shift: float = 0.0, planted: float = 1.5, blocked: bool = False, n: int = 300,
    run: str = "b" * 32, attacks: Sequence[str] = ("dcr", "classifier"),
) -> Played:  # fmt: skip
    """A run of attacks on the released file."""
    estimates, scores, control, asked = [], [], [], []
    is_in = np.arange(2 * n) < n
    for attack in attacks:
        value = rng.normal(size=2 * n) + shift * is_in
        lifted = rng.normal(size=2 * n) + planted * is_in
        index = np.arange(2 * n)
        own, lift = (Scores(each, is_in, index, index * 0, attack) for each in (value, lifted))
        asked.append(own)
        estimates.append(records.auc(own, level=0.95).labelled(attack=attack).as_dict())
        of_control = records.auc(lift, level=0.95).labelled(attack=attack)
        control.append({"attack": attack, "auc": of_control.as_dict(), "found": True, "planted": "", "sentence": ""})
        arrays = {"value": value.tolist(), "is_in": is_in.tolist(), "record": index.tolist(), "row": index.tolist()}
        scores.append({"attack": attack, **arrays})
    counts = {"rows": {"count": 3, "of": n, "share": 3 / n}, "released": {"count": 3, "of": n, "share": 3 / n}}
    panel = {"copies": {"real": counts}, "near": {}, "rows": {"real": n}, "asked": {}}
    joint = joint_aucs(asked, np.random.default_rng(1))
    each = [
        {"attack": attack, "auc": auc.labelled(attack=attack).as_dict(), "p": p, "beyond": None}
        for attack, auc, p in zip(attacks, joint.aucs, joint.p, strict=True)
    ]
    verdict = {
        "word": "undecided", "attack": attacks[0], "auc": None, "p": joint.p[0], "permutations": joint.permutations,
        "looks": len(attacks), "limit": 0.5, "why": "x", "each": each,
    }  # fmt: skip
    plan = {"attacks": list(attacks), "level": 0.95, "limit": 0.5, "rule_out": 0.55, "seed": 1}
    result = {
        "estimates": estimates, "settings": {**plan, "n_in": n, "n_out": n}, "notes": [], "control": control,
        "scores": scores, "verdict": verdict, "panel": panel, "seconds": 3.0,
        "blind": {"apart": blocked, "blocked": blocked, "sentence": ""},
    }  # fmt: skip
    return Played("released", run, "finished", plan, result, "python -m riskkit released --real secret.csv", 1)


def _ends(value: float, half: float) -> dict[str, float]:
    return {"value": value, "low": value - half, "high": value + half, "level": 0.95}


def attributes(
    *, residual: float = 0.0, half: float = 0.05, planted: float = 0.5, secret: str = COLUMNS[2][0], why: str = "",
    known: str = "all other columns", columns: Sequence[str] = ("age", "ward"), run: str = "c" * 32, exposed: int = 3,
) -> Played:  # fmt: skip
    """A run about one secret, with a sweep of one row."""
    about = {"secret": secret, "known": known, "model": "forest"}

    def number(name: str, value: float, **labels: str) -> dict[str, Any]:
        method = {"method": "score, by record", "n": 200}
        return {"name": name, **_ends(value, 0.04), **method, **about, "metric": "accuracy", **labels}

    estimates = [
        number("accuracy", 0.3, trained_on="baseline_majority", tested_on="control"),
        number("accuracy", 0.45, trained_on="release", tested_on="control"),
        number("accuracy", 0.47, trained_on="release", tested_on="members"),
        number("delta", 0.15, trained_on="release", tested_on="control"),
        number("residual", residual, trained_on="release"),
        number("exposed", exposed, trained_on="release"),
        number("exposed_by_chance", 1.0, trained_on="release"),
    ]
    verdict = {
        **about, "word": "undecided", "residual": _ends(residual, half), "planted": _ends(planted, 0.05), "looks": 1,
        "limit": 0.1, "why": why, "columns": list(columns), "kind": "category", "share": "accuracy",
    }  # fmt: skip
    cell = {
        **about, "set": known, "kind": "category", "delta": estimates[3], "residual": estimates[4], "corrected": None,
        "shown": False, "refusal": "", "columns": list(columns),
    }  # fmt: skip
    rows = {**about, "row": [4, 5], "confidence": [0.99, 0.95], "exposed": [True, False]}
    plan = {"secrets": [secret], "known": ["others"], "model": "forest", "seed": 1, "generator": "", "level": 0.95}
    result = {
        "estimates": estimates, "settings": {**plan, "n_members": 120, "n_control": 80, "looks": 1}, "notes": ["n"],
        "verdicts": [verdict], "verdict": verdict, "sentences": [f"About *{secret}*."], "sweep": [cell], "groups": [],
        "randomised": [], "records": [rows], "seconds": 5.0,
    }  # fmt: skip
    return Played("attributes", run, "finished", plan, result, "python -m riskkit attributes --real secret.csv", 1)


def contest(*, run: str = "d" * 32, uploaded: bool = True, low: float = 30.0, name: str = "pram:p=0.7") -> Played:
    """A contest of two methods; guessing finds a quarter."""

    def hits(who: str, value: float) -> dict[str, Any]:
        ends = {"name": "hits", "value": value, "low": value - 8, "high": value + 8, "level": 0.975}
        return {**ends, "method": "exact", "n": 100, "anonymiser": who, "attacker": "classifier"}

    names = [("uploaded" if uploaded else "stat", low + 8), (name, 90.0)]
    rows = [
        {
            "anonymiser": who, "uploaded": who == "uploaded", "best_attacker": "classifier", "worst": hits(who, value),
            "looks": 2, "verdict": "undecided", "usefulness": {"pairs": 0.8},
        }
        for who, value in names
    ]  # fmt: skip
    placed: list[dict[str, Any]] = [
        {
            "name": who, "usefulness": 0.8 + 0.05 * at, "useful": None, "worst": hits(who, value),
            "uploaded": who == "uploaded", "dominated_by": [], "shown_better": [],
        }
        for at, (who, value) in enumerate(names)
    ]  # fmt: skip
    chance = {"guesses": 100, "expected": 25.0, "members": 250, "population": 1000}
    result = {
        "estimates": [hits(who, value) for who, value in names], "settings": {}, "notes": [], "chance": chance,
        "anonymisers": rows, "attackers": [{"attacker": "classifier", "points": 1.0}], "frontiers": {"pairs": placed},
        "seconds": 9.0,
    }  # fmt: skip
    plan = {"anonymisers": [name], "attackers": ["classifier"], "seed": 1}
    return Played("contest", run, "finished", plan, result, "python -m riskkit contest --base secret.csv", 1)


def given(*runs: Played, **changed: Any) -> Given:
    """An audit with these runs."""
    facts: dict[str, Any] = {
        "audit": "Ward study", "columns": COLUMNS, "preparation": (), "titles": TITLES, "key": b"k" * 32,
        "files": (File("real", "real.csv", "1" * 64, 300, 3), File("synthetic", "release.csv", "2" * 64, 300, 3)),
        "knows": {"mvl": "exact"}, "versions": {"riskkit": "0", "Python": "3"},
    }  # fmt: skip
    return Given(**{**facts, "runs": runs, **changed})


def found(
    audit: Given, limits: Mapping[str, Limit] | None = None, kind: Class = Class.SHAREABLE, **cover: Any
) -> Findings:
    """Its findings."""
    return findings(audit, limits or {}, kind=kind, made=MADE, version="0", **cover)


def random(seed: int) -> Given:
    """An audit with random runs and random results."""
    rng = np.random.default_rng(seed)
    runs: list[Played] = []
    if rng.random() < 0.8:
        shifts = tuple(rng.normal(0.5, 1.0, int(rng.integers(1, 5))))
        trainings = int(rng.choice([6, 12, 30]))
        runs.append(membership(rng, shifts=shifts, trainings=trainings, found=bool(rng.random() < 0.7)))
    if rng.random() < 0.7:
        shift, blocked = float(rng.choice([0.0, 0.2, 1.0])), bool(rng.random() < 0.2)
        runs.append(released(rng, shift=shift, blocked=blocked, n=int(rng.choice([40, 300]))))
    if rng.random() < 0.7:
        runs.append(attributes(residual=float(rng.normal(0, 0.1)), half=float(rng.uniform(0.02, 0.2))))
    if rng.random() < 0.5:
        runs.append(contest(uploaded=bool(rng.random() < 0.5), low=float(rng.uniform(10, 60))))
    if rng.random() < 0.4:
        state = str(rng.choice(["failed", "cancelled", "running", "paused"]))
        done = int(rng.integers(1, 9))
        runs.append(
            Played(
                "explanations", "f" * 32, state, {"seed": 1}, None, error="It did.", unit="model", done=done, total=9
            )
        )
    return given(*runs)
