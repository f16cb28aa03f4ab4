"""What a holdout has to be: people who are not in the real table, written in the same way.

Every question that sets members beside others takes the holdout for people who were not in. Where it holds real people,
or writes its values on another grid, the two sides differ for a reason that is no leak, or hide one that is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Column, Floats, Ints, Kind, Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.equal import records
from riskkit.table.evidence.overlap import LEAST, share_in_common
from riskkit.table.text import TextTable

BEYOND = 3.5
"""Standard deviations beyond chance from which rows of both tables are taken for the same people."""
FEW = 0.02
"""Share of the holdout up to which people of both tables are left out and nothing else follows."""
REST = 50
"""People who must be left on either side."""
SURE, VISIBLE = 5.0, 0.05
"""Two shares of real table and holdout differ where they lie so many standard deviations and so much apart."""
MULTIPLES = (5.0, 10.0, 100.0, 1000.0)
"""Whole numbers are often rounded to multiples of these."""
FINEST = 4
"""Decimals that are told apart, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedPeople:
    """Which rows of the real table (n_real,) and of the holdout (n_holdout,) stand in both with all their values."""

    real: Bools
    holdout: Bools


def compare_with_holdout(
    tables: Mapping[str, Table], texts: Mapping[str, TextTable], *, is_by_name: bool
) -> tuple[SharedPeople | None, list[Problem]]:
    """Who stands in real table and holdout, and what is to be said of a holdout.

    Where a column names the person of a row (``is_by_name``), that column says who stands in both.

    Raises
    ------
    SchemaError
        The holdout is the real table.
    """
    if "holdout" not in tables or not len(tables["holdout"]):
        return None, []
    in_both = None if is_by_name else shared_people(tables["real"], tables["holdout"])
    problems = grid_problems(tables, texts)
    if in_both is not None:
        refuse_the_real_table(tables["real"], tables["holdout"], texts)
        problems.insert(0, shared_problem(in_both, texts["holdout"].name))
    if "synthetic" in tables:
        problems += swapped_problem(tables, texts, in_both is not None)
    return in_both, problems


def refuse_the_real_table(real: Table, holdout: Table, texts: Mapping[str, TextTable]) -> None:
    """Refuse a holdout that is the real table, in whatever order: the columns in use and all others hold the same.

    Raises
    ------
    SchemaError
        It is.
    """
    if len(real) != len(holdout):
        return
    own, others = records(real, holdout)
    rest = [column.name for column in real.schema.columns if not column.is_modelled]
    alike = all(
        sorted(texts["real"].column(name).to_pylist()) == sorted(texts["holdout"].column(name).to_pylist())
        for name in rest
    )
    if alike and (np.sort(own) == np.sort(others)).all():
        raise SchemaError.of(
            "holdout_is_real",
            phrase("The holdout is the real table: it holds the same rows."),
            phrase(
                "Load people outside the real table, or no holdout. A holdout is made with “riskkit holdout”, "
                "before the release is made."
            ),
            file=texts["holdout"].name,
            count=len(holdout),
        )


def shared_people(real: Table, holdout: Table) -> SharedPeople | None:
    """The rows that stand in both tables; None where there are no more of them than chance explains.

    Rows dealt at random into two tables fall into both as often as their number says: of two equal rows every second
    pair is parted. People who were loaded twice are parted always.
    """
    own, others = records(real, holdout)
    many = int(max(own.max(initial=-1), others.max(initial=-1))) + 1
    in_real, in_holdout = (np.bincount(rows, minlength=many) for rows in (own, others))
    seen = int(np.minimum(in_real, in_holdout).sum())
    expected, spread = _by_chance(in_real + in_holdout, len(own) / max(len(own) + len(others), 1))
    if seen - expected <= BEYOND * spread:
        return None
    both = (in_real > 0) & (in_holdout > 0)
    return SharedPeople(both[own], both[others])


def _by_chance(times: Ints, share: float) -> tuple[float, float]:
    """Mean and standard deviation of how many rows can be paired across tables dealt at random.

    ``times`` (n_records,) says in how many rows each record stands, ``share`` how large a part the first table is of
    all. A record of k rows falls into the first table j times by the binomial law; min(j, k - j) pairs come of it.
    """
    mean = variance = 0.0
    sizes, counts = np.unique(times[times > 1], return_counts=True)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        j = np.arange(size + 1)
        ways = [math.lgamma(size + 1) - math.lgamma(i + 1) - math.lgamma(size - i + 1) for i in j.tolist()]
        law = np.exp(np.array(ways) + j * math.log(share) + (size - j) * math.log1p(-share))
        pairs = np.minimum(j, size - j)
        first = float(law @ pairs)
        mean += count * first
        variance += count * (float(law @ pairs**2) - first**2)
    return mean, math.sqrt(max(variance, 0.0))


def shared_problem(both: SharedPeople, name: str) -> Problem:
    """What is said of people who stand in both: they are left out; of many, nothing can be within a limit."""
    count, rows = int(both.holdout.sum()), len(both.holdout)
    is_few = count <= FEW * rows and min((~both.holdout).sum(), (~both.real).sum()) >= REST
    what = counted_phrase(
        count,
        "{n:,} of {rows:,} rows is a real person's; it is left out of both sides of every comparison.",
        "{n:,} of {rows:,} rows are those of real people; they are left out of both sides of every comparison.",
        rows=rows,
    )
    do = phrase("Load a holdout of people outside the real table.")
    return Problem(Gravity.WARNING if is_few else Gravity.QUESTION, "people_in_both", what, do, name, count=count)


# --------------------------------------------------------------------------------------------------------------
# Written alike


def grid_problems(tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    """A question about each column that real table and holdout write on another grid, or with other gaps."""
    real, holdout, name = tables["real"], tables["holdout"], texts["holdout"].name
    out = []
    for column in real.schema.modelled:
        what = _apart(column, real, holdout)
        if what:
            do = phrase(
                "Write the column alike in both files, load another holdout, or leave the column out. Until then "
                "equal values say nothing about membership."
            )
            out.append(Problem(Gravity.QUESTION, "grids_differ", what, do, name, column.name))
    return out


def _apart(column: Column, real: Table, holdout: Table) -> str:
    """How real table and holdout write a column otherwise, as a phrase; empty where they write it alike."""
    if share_in_common(column, real, holdout) < LEAST:
        return phrase("Values of the holdout hardly occur in the real file.")
    own, others = real.column(column), holdout.column(column)
    if not column.is_numeric:
        gone = len(column.levels) - 1 if column.has_missing else -1
        return _gaps(own == gone, others == gone)
    for first, second, words in _round_masks(column, own, others):
        if _differ(first, second):
            return words
    return _gaps(np.isnan(own), np.isnan(others))


def _gaps(own: Bools, others: Bools) -> str:
    if not _differ(own, others):
        return ""
    return phrase(
        "{there:.0%} of the values are missing in the holdout, {here:.0%} in the real file.",
        there=float(others.mean()),
        here=float(own.mean()),
    )


def _round_masks(column: Column, own: Floats, others: Floats) -> Iterator[tuple[Bools, Bools, str]]:
    """Which numbers of either table are as round as that, by steps of roundness, each with what it means."""
    own, others = own[~np.isnan(own)], others[~np.isnan(others)]
    steps = range(1 if column.kind is Kind.DATE else FINEST + 1)
    for decimals in steps:
        yield (
            np.round(own, decimals) == own,
            np.round(others, decimals) == others,
            phrase("The holdout and the real file round these numbers differently (decimals)."),
        )
    for step in () if column.kind is Kind.DATE else MULTIPLES:
        yield (
            own % step == 0,
            others % step == 0,
            phrase("The holdout and the real file round these numbers differently (multiples of {n:.0f}).", n=step),
        )


def _differ(own: Bools, others: Bools) -> bool:
    """Whether the two shares differ visibly and beyond chance."""
    if not len(own) or not len(others):
        return False
    first, second = float(own.mean()), float(others.mean())
    share = (own.sum() + others.sum()) / (len(own) + len(others))
    spread = math.sqrt(share * (1 - share) * (1 / len(own) + 1 / len(others)))
    return abs(first - second) > max(VISIBLE, SURE * spread)


# --------------------------------------------------------------------------------------------------------------
# Swapped


def swapped_problem(tables: Mapping[str, Table], texts: Mapping[str, TextTable], overlap: bool) -> list[Problem]:
    """A question where holdout and release seem to stand in each other's place.

    By their names, because the holdout holds real people (``overlap``) and the release holds none, or because both are
    one file.
    """
    release, holdout = texts["synthetic"], texts["holdout"]
    by_name = (is_named_as_release(holdout.name) and not is_named_as_release(release.name)) or (
        is_named_as_holdout(release.name) and not is_named_as_holdout(holdout.name)
    )
    do = phrase("Swap them if so; else give the files other names.")
    if release.sha256 == holdout.sha256:
        what = phrase("The holdout and the release are the same file, so nobody can be compared with members.")
        do = phrase("Load people outside the real table as the holdout.")
    elif by_name:
        what = phrase("The holdout and the release may be swapped: their names say so.")
    elif overlap and shared_people(tables["real"], tables["synthetic"]) is None:
        what = phrase(
            "The holdout and the release may be swapped: the holdout holds real people, and the release does not."
        )
    else:
        return []
    return [Problem(Gravity.QUESTION, "holdout_swapped", what, do, holdout.name)]


def is_named_as_release(name: str) -> bool:
    """Whether a file is named as a release."""
    return any(word in name.casefold() for word in ("synth", "release", "generated", "合成", "fake"))


def is_named_as_holdout(name: str) -> bool:
    """Whether a file is named as a holdout."""
    return any(word in name.casefold() for word in ("holdout", "hold_out", "hold-out", "control"))
