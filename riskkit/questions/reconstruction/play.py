"""Putting secrets together: the plan, and three attackers on the crowd and on that with the planted leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Unpack

import numpy as np

from riskkit import plans, registry
from riskkit.base.threads import single_thread
from riskkit.core import Schema, Table
from riskkit.errors import DesignError
from riskkit.games import reconstruction
from riskkit.games.reconstruction import ATTACKERS, Reconstruction
from riskkit.jobs.pool import Pool, Steering
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Called, Plan
from riskkit.questions.compared import LIST, ComparedResult, Crowds, Look, LookMarks, result_of, shorten_names
from riskkit.questions.refusals import not_in_use
from riskkit.questions.standard import likely_secrets
from riskkit.seeds import stream
from riskkit.table.load import Tables

FEWEST_SECRETS = 2


@dataclass(frozen=True, slots=True)
class ReconstructionPlan(Plan):
    """Several secret columns of a person at once, from known ones and the release.

    Parameters
    ----------
    secrets
        What is put together, two columns at least; none named: those whose role is secret, else those whose name says
        that they are sensitive.
    known
        What is known of a person; none named: every other column in use.
    groups
        A number is put together as one of so many groups of about as many released rows each.
    randomised_secret, generator
        Instead of the release: the secrets of all people are dealt anew among them, the method is trained with those
        who are in, and its release is asked. Nothing that is true of the population tells such a secret, so whatever
        is put together more often of members comes from their own rows.
    """

    question: ClassVar[str] = "reconstruction"
    unit: ClassVar[str] = "step"
    needs: ClassVar[frozenset[str]] = frozenset({"synthetic", "holdout"})

    secrets: tuple[str, ...] = parameter(
        (),
        label="Secret columns",
        names_columns=True,
        help="What is rebuilt, two columns at least; where none is named those whose role is secret or that look so.",
        option=LIST,
        words={(): "those that are secret or look so"},
    )
    known: tuple[str, ...] = parameter(
        (),
        label="Known columns",
        names_columns=True,
        help="What is known of a person; where none is named every other column in use.",
        option=LIST,
        words={(): "every other column in use"},
    )
    groups: int = parameter(
        10,
        label="Groups of a number",
        help="A number is rebuilt as one of so many groups of about as many released rows each.",
        low=2,
        high=50,
        option=Option(is_stated=True),
    )
    randomised_secret: bool = parameter(
        False,
        label="Secrets shuffled",
        help="Shuffle the secrets of all people, train the method and ask about its release instead of yours.",
    )
    generator: str = plans.generator("What made the release, if it can be run again; only for shuffled secrets.", "")
    max_rows: int = plans.people_asked(2_000)
    seed: int = plans.seed()
    level: float = plans.level("How often all intervals show the true value, though several attackers are tested.")
    by: tuple[str, ...] = plans.groups(flag="by")

    def check(self) -> None:
        """Refuse secrets dealt anew without a method, a single secret, and a column that is known and secret."""
        if self.randomised_secret and not self.generator:
            raise DesignError.phrase(
                "Shuffled secrets need a generator that can be run again; name the one that made the release."
            )
        if len(self.secrets) == 1:
            raise DesignError.phrase(
                "{name!r} is a single column; name two or more, or ask the question attributes about it.",
                name=self.secrets[0],
            )
        if both := [name for name in self.secrets if name in self.known]:
            raise DesignError.phrase("Column {name!r} is both known and secret; make it one of the two.", name=both[0])

    def columns(self, schema: Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The secret columns and the known ones, in file order.

        Raises
        ------
        DesignError
            A column is not in use, there are fewer than two secrets, or nothing is left that is known.
        """
        used = [column.name for column in schema.modelled]
        for name in (*self.secrets, *self.known):
            schema.column(name)
            if name not in used:
                raise DesignError(not_in_use(name))
        named = self.secrets or tuple(name for name in likely_secrets(schema) if name not in self.known)
        secrets = tuple(name for name in used if name in named)
        if len(secrets) < FEWEST_SECRETS:
            raise DesignError.phrase(
                "At least {least} secret columns are rebuilt together, and there are {there}. Name them, or give "
                "them the role secret on the Data page.",
                there=len(secrets),
                least=FEWEST_SECRETS,
            )
        known = tuple(name for name in used if name not in secrets and (not self.known or name in self.known))
        if not known:
            raise DesignError.phrase(
                "There is no known column from which secrets could be rebuilt; name at least one column."
            )
        return secrets, known

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        what = ", ".join(self.secrets) if self.secrets else phrase("columns that look secret")
        if not self.randomised_secret:
            return what
        return phrase("{what}, shuffled by {generator}", what=what, generator=called("generators", self.generator))


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
