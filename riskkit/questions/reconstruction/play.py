"""Putting secrets together: three attackers on the crowd, and on that with the planted leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from riskkit import registry
from riskkit.base.threads import single_thread
from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.games import reconstruction
from riskkit.games.reconstruction import ATTACKERS, Reconstruction
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
from riskkit.questions.compared import ComparedResult, Crowds, Look, LookMarks, result_of, shorten_names
from riskkit.questions.reconstruction.plan import ReconstructionPlan
from riskkit.seeds import stream
from riskkit.table.load import Tables

WHOLE = "-whole"
"""Ends the code of an attacker where a person counts only if every secret is right."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReconstructionResult(ComparedResult):
    """A finished plan: what is put together of people."""

    plan: ReconstructionPlan


def run_reconstruction(tables: Tables, plan: ReconstructionPlan, **steering: Unpack[Steering]) -> ReconstructionResult:
    """The result of that plan.

    Raises
    ------
    DesignError
        A file is missing or has no row, a column that is named is not in use, or there are too few of them.
    """
    secrets, known = plan.columns(tables.schema)
    with single_thread():
        if plan.randomised_secret:
            tables = dealt_anew(tables, secrets, plan)
        crowds = Crowds.mix(tables, plan)
        games = {what: Reconstruction(crowd, known, secrets, plan.groups) for what, crowd in crowds.by.items()}
        pool = Pool.open(len(games), **steering)
        hits = pool.map(phrase("Putting secrets together"), _marks, games, list(games))
        marks = dict(zip(games, map(look_marks, hits), strict=True))
        return result_of(ReconstructionResult, "reconstructed", plan, tables, crowds, looks(secrets), marks)


def _marks(games: Mapping[str, Reconstruction], units: Sequence[str]) -> list[reconstruction.ReconstructionHits]:
    return [games[what].marks() for what in units]


def looks(secrets: Sequence[str]) -> list[Look]:
    """All secrets of a person by each attacker, by weight and whole; then each secret by itself, by each attacker."""
    every = str(shorten_names(secrets))
    out = [Look(every, tuple(secrets), attacker, attacker) for attacker in ATTACKERS]
    out += [Look(every, tuple(secrets), WHOLE, attacker + WHOLE) for attacker in ATTACKERS]
    return out + [Look(name, (name,), (name,), attacker) for name in secrets for attacker in ATTACKERS]


def look_marks(marks: reconstruction.ReconstructionHits) -> LookMarks:
    """What the attackers reach, look by look as :func:`looks` names them."""
    n = len(ATTACKERS)
    score = [marks.score[column].mean(axis=1) for column in range(n)] + [
        marks.all_right[column].astype(float) for column in range(n)
    ]
    named = [marks.all_right[column] for column in range(n)] * 2
    most = [marks.most.mean(axis=1)] * n + [np.ones(len(marks.most))] * n
    for place in range(marks.most.shape[1]):
        for secret in range(n):
            score.append(marks.score[secret, :, place])
            named.append(marks.score[secret, :, place] > 0)
            most.append(marks.most[:, place])
    return LookMarks(np.array(named), np.array(score), np.array(most))


def dealt_anew(tables: Tables, secrets: Sequence[str], plan: ReconstructionPlan) -> Tables:
    """The secrets of all people dealt among them, those of a person together, and a release of the method of those in.

    Raises
    ------
    DesignError
        A file is missing.
    """
    if tables.synthetic is None or tables.holdout is None:
        raise DesignError.phrase(
            "Secrets are shuffled among members and people outside the data; load release and holdout."
        )
    everybody = tables.real.plus(tables.holdout)
    rng = stream(plan.seed, "reconstruction", "dealt anew")
    content = np.argsort(everybody.keys(), kind="stable")  # an order that no file's order is part of
    giver = np.empty(len(everybody), dtype=np.int64)
    giver[content] = content[rng.permutation(len(content))]
    codes, numbers, schema = everybody.codes.copy(), everybody.numbers.copy(), everybody.schema
    for place, column in enumerate(schema.categorical):
        if column.name in secrets:
            codes[:, place] = everybody.codes[giver, place]
    for place, column in enumerate(schema.numeric):
        if column.name in secrets:
            numbers[:, place] = everybody.numbers[giver, place]
    mixed, n = Table(schema, codes, numbers), len(tables.real)
    real = mixed.rows(np.arange(n))
    fitted = registry.parse("generators", plan.generator).fit(real, rng)
    release = fitted.sample(len(tables.synthetic), rng)
    return replace(tables, real=real, synthetic=release, holdout=mixed.rows(np.arange(n, len(mixed))))
