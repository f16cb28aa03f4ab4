"""What R's synthpop counts by keys: replicated uniques, and DiSCO for a secret; of members, with others beside them.

Raab, Nowok and Dibben (2024), *Practical privacy metrics for synthetic data*. Their shares are of members alone. Part
of each is true of the population and would be so of anybody; how much, people who were not in say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.show.model import Played
from riskkit.stats.copies import FEWEST, copy_rate
from riskkit.stats.intervals import clopper_pearson


@dataclass(frozen=True, slots=True, eq=False)
class KeyedRows:
    """Rows of the real table, the release and perhaps of others: (n,) their classes by the keys, in one numbering."""

    real: Ints
    release: Ints
    others: Ints | None


@dataclass(frozen=True, slots=True)
class IdentityShares:
    """Shares of identity disclosure, as synthpop names them: of real rows, of released rows, and of real rows twice.

    ``uio``: alone in the real table. ``uis``: alone in the release. ``uiois``: alone in the real table, and in the
    release at all. ``repu``: alone in both, the replicated uniques.
    """

    uio: float
    uis: float
    uiois: float
    repu: float


@dataclass(frozen=True, slots=True)
class AttributeShares:
    """Shares of attribute disclosure of a secret, as synthpop names them, of real rows but for ``dsyn``.

    ``dorig``, ``dsyn``: all rows of that key have one value of the secret, in the real table, in the release. ``its``
    (iS): the key stands in the release. ``dis``: and all released rows of it have one value. ``disco``: which is right.
    ``disdio``: and all real rows of it have one value too.
    """

    dorig: float
    dsyn: float
    its: float
    dis: float
    disco: float
    disdio: float


def identity(rows: KeyedRows) -> IdentityShares:
    """The shares of identity disclosure."""
    real, release = _counts(rows.real, rows), _counts(rows.release, rows)
    alone = real[rows.real] == 1
    return IdentityShares(
        uio=_share(alone),
        uis=_share(release[rows.release] == 1),
        uiois=_share(alone & (release[rows.real] > 0)),
        repu=_share(alone & (release[rows.real] == 1)),
    )


def attribute(rows: KeyedRows, real_secret: Ints, released_secret: Ints) -> AttributeShares:
    """The shares of attribute disclosure; (n,) the secret of each row, as levels in one numbering."""
    own, made = _single_secret(rows.real, real_secret, rows), _single_secret(rows.release, released_secret, rows)
    dis = made[rows.real] >= 0
    disco = made[rows.real] == real_secret
    return AttributeShares(
        dorig=_share(own[rows.real] >= 0),
        dsyn=_share(made[rows.release] >= 0),
        its=_share(_counts(rows.release, rows)[rows.real] > 0),
        dis=_share(dis),
        disco=_share(disco),
        disdio=_share(disco & (own[rows.real] >= 0)),
    )


def beside_others(rows: KeyedRows, is_both: tuple[Bools, Bools], level: float) -> tuple[Estimate, ...]:
    """Of people who are alone by the keys among members and others together, how many stand once in the release.

    Whether somebody is alone among all of them does not depend on who was in; so where the release says nothing of
    membership, members and others among them are found equally often. ``is_both`` marks who stands in both tables.
    """
    assert rows.others is not None
    people = np.concatenate([rows.real[~is_both[0]], rows.others[~is_both[1]]])
    is_in = np.arange(len(people)) < int((~is_both[0]).sum())
    alone = np.bincount(people, minlength=_width(rows))[people] == 1
    once = _counts(rows.release, rows)[people] == 1
    return _apart("replicated", once[alone & is_in], once[alone & ~is_in], level)


def disclosure_beside_others(
    rows: KeyedRows, secrets: tuple[Ints, Ints, Ints], is_both: tuple[Bools, Bools], level: float
) -> tuple[Estimate, ...]:
    """DiSCO of members beside that of others; ``secrets`` are those of real, released and other rows."""
    assert rows.others is not None
    made = _single_secret(rows.release, secrets[1], rows)
    members, others = made[rows.real] == secrets[0], made[rows.others] == secrets[2]
    return _apart("disco", members[~is_both[0]], others[~is_both[1]], level)


def _apart(name: str, members: Bools, others: Bools, level: float) -> tuple[Estimate, ...]:
    """Both shares with their intervals, and the difference; nothing where a side has too few."""
    if min(len(members), len(others)) < FEWEST:
        return ()
    hits = int(members.sum()), int(others.sum())
    sides = (("", members, hits[0]), ("_others", others, hits[1]))
    shares = []
    for side, people, right in sides:
        low, high = clopper_pearson(right, len(people), (1 - level) / 2)
        shares.append(
            Estimate(
                f"{name}{side}", right / len(people), float(low), float(high), level, "Clopper-Pearson", len(people)
            )
        )
    apart = copy_rate(hits[0], len(members), hits[1], len(others), level=level)
    return (*shares, Estimate(f"{name}_excess", apart.value, apart.low, apart.high, level, apart.method, apart.n))


def _width(rows: KeyedRows) -> int:
    parts = [rows.real, rows.release] + ([] if rows.others is None else [rows.others])
    return 1 + max(int(part.max(initial=-1)) for part in parts)


def _counts(classes: Ints, rows: KeyedRows) -> Ints:
    """(classes,) how many of these rows each class has."""
    return np.bincount(classes, minlength=_width(rows)).astype(np.int64)


def _single_secret(classes: Ints, secret: Ints, rows: KeyedRows) -> Ints:
    """(classes,) the one secret that all of these rows of a class have; -1 where there are none, or several."""
    width = _width(rows)
    low = np.full(width, np.iinfo(np.int64).max)
    high = np.full(width, -1)
    np.minimum.at(low, classes, secret)
    np.maximum.at(high, classes, secret)
    return np.where(low == high, high, -1).astype(np.int64)


def _share(rows: Bools) -> float:
    return float(rows.mean()) if len(rows) else 0.0


# Are minimal uniques the people whom attacks find? What runs of other questions on the same tables kept of rows.
#
# Read as they are kept, by the names of their entries: ``row`` and ``auc`` of *records*, ``row`` of *singling-out*.


@dataclass(frozen=True, slots=True)
class AttackAgreement:
    """What attacks found of rows that are minimal uniques, and of all other rows they looked at.

    ``question`` is that of the attack. ``uniques`` and ``others`` are how many rows either side has; the figures are
    their mean AUCs (*records*), or the shares of them that are named (*singling-out*). ``agreement`` is the rank
    correlation of SUDA scores and AUCs, None where nothing is ranked.
    """

    question: str
    uniques: int
    others: int
    of_uniques: float
    of_others: float
    agreement: float | None = None


def compare_attacks(scores: Floats, runs: Iterable[Played]) -> tuple[AttackAgreement, ...]:
    """The same by every finished run on these tables; ``scores`` (rows,) are above 0 of minimal uniques."""
    readers = {"records": _records, "singling-out": _singling_out}
    done = (run for run in runs if run.is_current and run.state == "finished" and run.result is not None)
    read = (readers[run.question](scores, run.result or {}) for run in done if run.question in readers)
    return tuple(figures for figures in read if figures is not None)


def _records(scores: Floats, result: Mapping[str, Any]) -> AttackAgreement | None:
    """How surely the game told each of the people it asked about."""
    people = [own for own in result.get("records", ()) if own["auc"] and not own.get("group")]
    auc = np.array([float(own["auc"][0]) for own in people])
    rows = np.array([int(own["row"]) for own in people], dtype=np.int64)
    if (rows >= len(scores)).any():
        return None
    return _compare("records", auc, scores[rows] > 0, _rank_correlation(scores[rows], auc)) if people else None


def _singling_out(scores: Floats, result: Mapping[str, Any]) -> AttackAgreement | None:
    """Whom any look that is shown names."""
    rows: Ints = np.array([row for look in result.get("records", ()) for row in look.get("row", ())], dtype=np.int64)
    if "records" not in result or (rows >= len(scores)).any():
        return None
    is_named = np.zeros(len(scores))
    is_named[rows] = 1.0
    return _compare("singling-out", is_named, scores > 0, None)


def _compare(question: str, value: Floats, is_unique: Bools, agreement: float | None) -> AttackAgreement | None:
    if is_unique.all() or not is_unique.any():
        return None
    means = float(value[is_unique].mean()), float(value[~is_unique].mean())
    return AttackAgreement(question, int(is_unique.sum()), int((~is_unique).sum()), *means, agreement)


def _rank_correlation(first: Floats, second: Floats) -> float | None:
    """Spearman's; None where either has one value alone."""
    ranks = [stats.rankdata(values) for values in (first, second)]
    if any(np.ptp(own) == 0 for own in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
