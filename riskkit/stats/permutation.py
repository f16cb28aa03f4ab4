"""Labels dealt anew to the same records: what statistics come to where the labels mean nothing.

An attack on a fixed release never sees who was in. Where the release tells nothing and both sides were drawn alike,
every way of dealing the labels to the records is as likely as the true one, whatever the attacks and however they hang
together. Rows of one record keep one label.

Several attacks on one release hang together, so allowing for each as if it stood alone (Bonferroni) gives power away.
The largest of their studentised AUCs, over labels dealt anew, takes as much as they deserve and no more
(:func:`joint_aucs`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskkit.base import distributions as stats
from riskkit.base import stages
from riskkit.base.distributions import ranks
from riskkit.core import Bools, Estimate, Floats, Ints, Scores
from riskkit.errors import ScoreError
from riskkit.stats import records

PERMUTATIONS = 4_999
"""Times the labels are dealt anew: a p-value of .05 then has a standard error of .003."""
ENOUGH = 200
"""Deals that reach the true value, after which its p-value is known well enough."""
CELLS = 2_000_000
"""Labels held at once."""
LINES = 200_000
"""Scores that are put in order at once: what is made of them stays in the processor's cache."""
WORDS = 1_000_000
"""Random words that labels are dealt by at once: in between, a signal to stop is heard."""


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Which rows are one record, and who was in.

    ``of_row`` (n,) the number of each row's record, 0 to ``len - 1``; ``is_in`` and ``rows`` (n_records,) its truth and
    how many rows it has.
    """

    of_row: Ints
    is_in: Bools
    rows: Ints

    @classmethod
    def group(cls, is_in: Bools, record: Ints) -> Records:
        """Of rows with these truths (n,) and names of records (n,)."""
        _, first, of_row, rows = np.unique(record, return_index=True, return_inverse=True, return_counts=True)
        return cls(of_row.astype(np.int64), is_in[first], rows.astype(np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    def permute(self, times: int, rng: np.random.Generator) -> Iterator[Bools]:
        """Labels dealt anew, ``times`` in all, in blocks of (block, n_records)."""
        step = max(1, CELLS // max(len(self), 1))
        for start in range(0, times, step):
            block = np.tile(self.is_in, (min(step, times - start), 1))
            yield rng.permuted(block, axis=1, out=block)

    def sums(self, values: Ints, times: int, rng: np.random.Generator) -> Ints:
        """(times, m) the sums of ``values`` (n_records, m) over those who are in, by labels dealt anew so often.

        The smaller side is drawn. The result follows from the generator alone, which is of no use afterwards.
        """
        from riskkit.stats import _kernels

        is_in_drawn = 2 * int(self.is_in.sum()) <= len(self)
        chosen = int(self.is_in.sum()) if is_in_drawn else int((~self.is_in).sum())
        most = max(int(np.abs(values).max(initial=0)), len(self))
        kind = np.int32 if most < 2**31 else np.int64  # half as much to fetch, here and there in memory
        own, order = values.astype(kind), np.arange(len(self), dtype=kind)
        out = np.empty((times, values.shape[1]), dtype=np.int64)
        halves, done = np.empty(0, dtype="<u4"), 0
        while done < times:
            stages.part(done, times)
            words = rng.bit_generator.random_raw(min(max(WORDS, chosen), chosen * (times - done)))
            halves = np.concatenate([halves, words.astype("<u8", copy=False).view("<u4")])
            deals, used = _kernels.permuted_sums(halves, order, chosen, own, out[done:])
            halves, done = halves[used:], done + deals
        return out if is_in_drawn else values.sum(axis=0) - out


def aucs(values: Floats, is_in: Bools, record: Ints, times: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The AUC of each column of scores by the true labels, and by labels dealt anew.

    Parameters
    ----------
    values : (n, attacks)
        Scores; higher means "in", ties count one half.
    is_in, record : (n,)
        The truth of each row, and which record it is.
    times
        How often the labels are dealt anew.

    Returns
    -------
    true, dealt : (attacks,), (times, attacks)
        Both by the same sums of whole numbers, so that equal AUCs are equal to the last bit.

    Raises
    ------
    ScoreError
        All rows have the same truth.
    """
    records = Records.group(is_in, record)
    if records.is_in.all() or not records.is_in.any():
        raise ScoreError("All records have the same truth, so nothing can be told apart.")
    doubled = np.rint(2 * np.column_stack([ranks(column) for column in values.T]))
    sums = np.empty((len(records), values.shape[1] + 1), dtype=np.int64)
    for index, own in enumerate(doubled.T):
        sums[:, index] = np.bincount(records.of_row, own, len(records))
    sums[:, -1] = records.rows
    true = sums[records.is_in].sum(axis=0)[None]
    return _aucs_of_sums(true, len(values))[0], _aucs_of_sums(records.sums(sums, times, rng), len(values))


def _aucs_of_sums(total: Ints, n: int) -> Floats:
    """(deals, attacks) the AUCs where those who are in have these doubled ranks together, and last so many rows."""
    inside = total[:, -1:]
    wins = total[:, :-1] / 2 - inside * (inside + 1) / 2
    auc: Floats = wins / (inside * (n - inside))
    return auc


def p_of_relearnt(
    score: Callable[[Bools], Floats], is_in: Bools, record: Ints, times: int, rng: np.random.Generator
) -> tuple[float, int]:
    """The chance of so high an AUC of a learner that sees the labels, had they meant nothing: it learns every deal.

    No more deals are made than the answer needs: it stops where :data:`ENOUGH` of them reach the true AUC.

    Parameters
    ----------
    score
        From labels (block, n_records), records in the order of their names, to scores (block, n_records), none by a
        learner that has seen the record's own label.
    is_in, record : (n,)
        The truth of each row, and which record it is.

    Returns
    -------
    p, deals
        The chance, at least ``1 / (times + 1)``, and how often the labels were dealt anew.

    References
    ----------
    .. [1] Besag and Clifford 1991, Sequential Monte Carlo p-values, Biometrika 78:301-304.
    """
    records = Records.group(is_in, record)
    true = _areas(score(records.is_in[None]), records.is_in[None], records.rows)[0]
    reached = deals = 0
    for labels in records.permute(times, rng):
        stages.part(deals, times)
        above = np.flatnonzero(_areas(score(labels), labels, records.rows) >= true)
        if reached + len(above) >= ENOUGH:
            deals += int(above[ENOUGH - reached - 1]) + 1
            return ENOUGH / deals, deals
        reached, deals = reached + len(above), deals + len(labels)
    return (reached + 1) / (times + 1), times


def _areas(scores: Floats, labels: Bools, rows: Ints) -> Floats:
    """(block,) the AUC over rows of each line of records; ties fall by the records' order, for all labels alike."""
    from riskkit.stats import _kernels

    out = np.empty(len(scores))
    step = max(1, LINES // scores.shape[1])
    for start in range(0, len(scores), step):
        lines = slice(start, start + step)
        _kernels.areas(_order(scores[lines]), labels[lines], rows, out[lines])
    return out


def _order(scores: Floats) -> Ints:
    """(block, n) each line's places by its scores, ties in the order of places; many times quicker where none tie."""
    from riskkit.stats import _kernels

    order = np.argsort(scores, axis=1)
    tied = _kernels.lines_with_ties(scores, order)
    order[tied] = np.argsort(scores[tied], axis=1, kind="stable")
    return order


BEYOND = 50
"""Deals of the labels that are to lie beyond the critical value, so that its own error is small."""
MOST = 99_999
"""No more deals than that, however high the level."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """What several attacks reach.

    ``aucs``: each attack's, in the order given. The lower ends of all of them hold together at the level asked for, and
    so do the upper ends; both at once hold at ``level`` of the estimates. ``p``: for each attack the chance that *any*
    of them points to "in" so clearly where the labels mean nothing; a lower end lies above one half just where it is no
    more than 1 less the level asked for. ``permutations``: how often the labels were dealt anew. ``reach``: how many
    standard errors the intervals reach down and up.
    """

    aucs: tuple[Estimate, ...]
    p: tuple[float, ...]
    permutations: int
    reach: tuple[float, float]


def joint_aucs(scores: Sequence[Scores], rng: np.random.Generator, *, level: float = 0.95) -> Joint:
    """The AUC of each of several attacks on the same records.

    Parameters
    ----------
    scores
        One for each attack; the same records in the same order, and scores that no attack made from the labels.
    level : float in (0, 1)
        The chance that no lower end lies above its AUC, and that no upper end lies below.

    Raises
    ------
    ScoreError
        None is given, they are not of the same records, or one has the same score throughout.
    TooFewTrainings
        A side has fewer than five records.

    Notes
    -----
    One-sided single-step maxT: each AUC's distance from one half in its standard deviation over the deals; the
    reach of the intervals is the quantile of the largest over all attacks, upwards for the lower ends and downwards for
    the upper ends. Exact for one half; elsewhere Newcombe's interval with that reach.

    References
    ----------
    .. [1] Westfall and Young 1993, Resampling-based multiple testing.
    """
    if not scores:
        raise ScoreError("No attack has scores, so there is nothing to estimate.")
    first = scores[0]
    for other in scores[1:]:
        if not (np.array_equal(first.is_in, other.is_in) and np.array_equal(first.training, other.training)):
            raise ScoreError("Attacks are judged together on the same records, and these were asked about others.")
    alpha = 1 - level
    times = min(max(PERMUTATIONS, math.ceil(BEYOND / alpha) - 1), MOST)
    values = np.column_stack([each.value for each in scores])
    true, dealt = aucs(values, first.is_in, first.training, times, rng)
    spread = np.vstack([true, dealt]).std(axis=0)
    scale = np.where(spread > 0, spread, np.inf)
    observed, null = (true - 0.5) / scale, (dealt - 0.5) / scale
    highest, lowest = np.sort(null.max(axis=1))[::-1], np.sort(-null.min(axis=1))[::-1]
    p = (np.searchsorted(-highest, -observed, side="right") + 1) / (times + 1)
    last = math.floor(alpha * (times + 1) + 1e-9) - 1
    above, below = (_reach(largest, last, alpha, len(scores)) for largest in (highest, lowest))
    shown = p <= alpha if last >= 0 else np.zeros(len(p), dtype=bool)
    shown_aucs = [_auc(each, above, below, bool(is_shown)) for each, is_shown in zip(scores, shown, strict=True)]
    named = tuple(_name_method(auc, level, len(scores)) for auc in shown_aucs)
    return Joint(named, tuple(map(float, p)), times, (above, below))


def ends_by_test(auc: Estimate, high: float, shown: bool) -> Estimate:
    """The AUC with its lower end on the side of one half where a test saw it, and with that upper end."""
    low = max(auc.low, math.nextafter(0.5, 1.0)) if shown else min(auc.low, 0.5)
    return replace(auc, low=low, high=max(high, low))


def _reach(largest: Floats, last: int, alpha: float, attacks: int) -> float:
    """Standard errors to that side: the quantile of the largest; Bonferroni's where so few deals do not show it."""
    reach = float(largest[last]) if last >= 0 else float(stats.norm.isf(alpha / attacks))
    return max(reach, 0.01)


def _auc(scores: Scores, above: float, below: float, shown: bool) -> Estimate:
    """The AUC with these reaches; its lower end lies above one half just where the test says so."""
    down, up = (records.auc(scores, level=math.erf(reach / math.sqrt(2))) for reach in (above, below))
    return ends_by_test(down, up.high, shown)


def _name_method(auc: Estimate, level: float, attacks: int) -> Estimate:
    """The estimate with its level, and the method named after what it holds for."""
    method = f"{auc.method}, each end at {100 * level:g} % for {attacks} attacks together (maxT)"
    return replace(auc, level=2 * level - 1, method=method)
