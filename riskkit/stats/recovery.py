"""What recovering inputs from explanations achieves, as estimates over victims and, where there are several, models.

Two things are drawn anew: the victims, and the model seeds (the explained model, its reference rows, the attacker's
rows and its training). Every seed is played on the same victims, so the two are **crossed**, and the variance of a mean
is that of seeds and that of victims together:

    (MS_seeds + MS_victims - MS_rest) / (seeds * victims),

with Satterthwaite's degrees of freedom; it takes five seeds. With one seed it is that of the victims, and the
estimate is about this one model. Errors and shares lie between 0 and 1, so their interval is that of a share of as
large a variance (Korn and Graubard's), which stays honest at 0 and 1; a difference has Tango's score interval in the
same way. N counts victims; the label ``seeds`` counts models.

Beside recovery stand what guessing a mean would reach (:func:`reference_lift`) and how explanations hang together with
inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Bools, Codes, Estimate, Floats, Ints
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.stats.arms import Arm
from riskkit.stats.contrasts import tango
from riskkit.stats.intervals import clopper_pearson, critical
from riskkit.stats.roc import placements

Measure = Literal["mae", "success_rate"]
FEWEST_VICTIMS = 5
"""Victims that an interval needs, and so a number."""
FEWEST_SEEDS = 5
"""Model seeds an interval over them needs. With two or three it holds the truth 87 to 93 times in a hundred."""
OVERALL = "overall"

_MOST_WORTH = 1e12
"""No mean counts for that of more yes-or-no answers: the ends of its interval would be lost in rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Recovered:
    """Graded answers of one attacker or baseline, the same victims under every model seed.

    Attributes
    ----------
    columns : (c,)
        Names of the recovered columns.
    error : (seeds, victims, c)
        Absolute error as a share of the column's range, 0 to 1; NaN where the truth is missing.
    right : (seeds, victims, c)
        1 where the decoded value is the true category, or a number within the tolerance; 0 elsewhere; NaN as above.
    accepted : (seeds, victims, c)
        Whether the attacker stood by its answer.

    Raises
    ------
    ScoreError
        The arrays do not fit each other, or there are fewer than five victims.
    TooFewTrainings
        There are more seeds than one but fewer than five.
    """

    columns: tuple[str, ...]
    error: Floats
    right: Floats
    accepted: Bools

    def __post_init__(self) -> None:
        shape = self.error.shape
        if not (len(shape) == 3 and shape == self.right.shape == self.accepted.shape and shape[2] == len(self.columns)):
            raise ScoreError("Recovered values need an error, a grade and an answer for each seed, victim and column.")
        _check_victims(shape[1])
        if 1 < shape[0] < FEWEST_SEEDS:
            raise TooFewTrainings.phrase(
                "There are {seeds} model seeds; an interval over models needs at least {fewest}. Use more, or "
                "one alone, which is then about that one model.",
                seeds=shape[0],
                fewest=FEWEST_SEEDS,
            )

    @property
    def seeds(self) -> int:
        """How many models were attacked."""
        return len(self.error)

    def measure(self, measure: Measure, column: str = OVERALL) -> Floats:
        """(seeds, victims) that measure of one column, or the mean over each victim's columns; no missing truths.

        Raises
        ------
        ScoreError
            There is no such column, or fewer than five victims have a value of it.
        """
        cells = self.error if measure == "mae" else self.right
        if column != OVERALL:
            if column not in self.columns:
                raise ScoreError(f"No column named {column!r} was recovered.")
            position = self.columns.index(column)
            cells = cells[:, :, [position]]
        there = ~np.isnan(cells).all(axis=(0, 2))
        if there.sum() < FEWEST_VICTIMS:
            raise ScoreError.phrase(
                "Only {victims} victims have a value of {column!r}; ask about more victims.",
                victims=there.sum(),
                column=column,
            )
        means: Floats = np.nanmean(cells[:, there], axis=2)
        return means


class Graded(Protocol):
    """The graded answers of one attacker under one model seed: arrays (victims, c) in the order of ``columns``."""

    @property
    def columns(self) -> tuple[str, ...]:
        """(c,) names of the recovered columns."""

    @property
    def error(self) -> Floats:
        """(victims, c)."""

    @property
    def right(self) -> Floats:
        """(victims, c)."""

    @property
    def accepted(self) -> Bools:
        """(victims, c)."""


def _check_victims(victims: int) -> None:
    """Refuse victims that are too few for an interval."""
    if victims < FEWEST_VICTIMS:
        raise ScoreError.phrase(
            "There are {victims} victims; an interval needs at least {fewest}. Ask about more victims.",
            victims=victims,
            fewest=FEWEST_VICTIMS,
        )


def join(parts: Sequence[Graded]) -> Recovered:
    """The answers under one seed or several as one; the victims must be the same, in the same order.

    Raises
    ------
    ScoreError
        They are not, or there are too few.
    TooFewTrainings
        There are more seeds than one but fewer than five.
    """
    first = parts[0]
    for part in parts[1:]:
        alike = part.columns == first.columns and part.error.shape == first.error.shape
        if not (alike and np.array_equal(np.isnan(part.error), np.isnan(first.error))):
            raise ScoreError("Answers can be put together only for the same victims, in the same order, and columns.")
    return Recovered(
        first.columns,
        np.stack([part.error for part in parts]),
        np.stack([part.right for part in parts]),
        np.stack([part.accepted for part in parts]),
    )


def estimate(recovered: Recovered, measure: Measure, column: str = OVERALL, *, level: float = 0.95) -> Estimate:
    """Mean absolute error, or the share of values that are recovered, of one column or over all.

    Raises
    ------
    ScoreError
        There is no such column, or fewer than five victims have a value of it.
    """
    values = recovered.measure(measure, column)
    spread = crossed_spread(values)
    ends = mean_interval(spread, level)
    made = Estimate.around(measure, spread.mean, ends, level, _method(recovered), values.shape[1])
    return made.label(feature=column, seeds=str(recovered.seeds))


def victim_estimates(recovered: Recovered, measure: Measure, *, level: float = 0.95) -> tuple[Estimate, ...]:
    """That measure of every victim's own values, one estimate each, over models drawn anew.

    N counts models; where these agree to the last value, the interval is that of as many equal answers. The label
    ``victim`` is the position among the victims that have a value.

    Raises
    ------
    TooFewTrainings
        One model was attacked alone, and says nothing of others.
    """
    if recovered.seeds < FEWEST_SEEDS:
        raise TooFewTrainings.phrase(
            "What the explanations of a single person reveal over models needs at least {fewest} model "
            "seeds, not {seeds}.",
            fewest=FEWEST_SEEDS,
            seeds=recovered.seeds,
        )
    spread = crossed_spread(recovered.measure(measure).T[:, None, :])  # the models are what is drawn here
    method = "Korn-Graubard of a bounded mean, over model seeds"
    return tuple(
        Estimate.around(measure, value, ends, level, method, recovered.seeds).label(feature=OVERALL, victim=str(victim))
        for victim, (value, *ends) in enumerate(zip(spread.mean, *mean_interval(spread, level), strict=True))
    )


def gain(
    attack: Recovered, baseline: Recovered, measure: Measure, column: str = OVERALL, *, level: float = 0.95
) -> Estimate:
    """How much better the attack is than the baseline on the same victims; above 0 is better, also for the error.

    Raises
    ------
    ScoreError
        The two are not about the same victims, or what :func:`estimate` raises.
    """
    first, second = attack.measure(measure, column), baseline.measure(measure, column)
    if first.shape != second.shape:
        raise ScoreError("An attack can be compared with a baseline only on the same victims and model seeds.")
    gaps = second - first if measure == "mae" else first - second
    spread = crossed_spread(gaps)
    ahead, behind = (np.maximum(side, 0).mean(axis=(-2, -1)) for side in (gaps, -gaps))
    ends, method = gap_interval(ahead, behind, spread, level), _method(attack, "Tango score, paired")
    made = Estimate.around(f"{measure}_gain", spread.mean, ends, level, method, gaps.shape[1])
    return made.label(feature=column, seeds=str(attack.seeds))


def is_successful(attack: Recovered, *constants: Recovered, column: str = OVERALL, level: float = 0.95) -> bool:
    """Whether the attack beats every constant guess in both measures, each with its lower end above 0.

    This is the condition for speaking of an attack at all: a success rate of .5 may be what everybody gets who says the
    same of all. Constants are the column's median, best for the error, and its most frequent value, best for the rate.
    """
    beaten = (
        gain(attack, constant, name, column, level=level).low > 0
        for constant in constants
        for name in ("mae", "success_rate")
    )
    return all(beaten)


def acceptance(recovered: Recovered, *, level: float = 0.95) -> Estimate:
    """The share of answers the attacker stands by: what Luo and others print as "success rate". It is none."""
    values: Floats = recovered.accepted.mean(axis=2)
    spread = crossed_spread(values)
    ends = mean_interval(spread, level)
    made = Estimate.around("acceptance", spread.mean, ends, level, _method(recovered), values.shape[1])
    return made.label(feature=OVERALL, seeds=str(recovered.seeds))


def accepted_mae(recovered: Recovered, *, level: float = 0.95) -> Estimate:
    """Mean absolute error of the answers the attacker stands by.

    Raises
    ------
    ScoreError
        It stands by none.
    """
    counted = recovered.accepted & ~np.isnan(recovered.error)
    errors = np.where(counted, recovered.error, 0.0)
    made = _share("accepted_mae", errors, counted.astype(np.float64), recovered.seeds, level, feature=OVERALL)
    if made is None:
        raise ScoreError.phrase("The attacker stands by no answer, so there is no error of those it stands by.")
    return made


def reference_leak(says: Bools, equal: Bools, *, level: float = 0.95) -> tuple[Estimate | None, Estimate | None]:
    """Precision and recall of "an explanation of 0 means: equal to the reference row".

    ``says`` and ``equal`` are (seeds, victims, columns): whether the published value is 0, and whether the victim's
    value is that of the reference. One of the two is None where there is nothing to take it of.
    """
    both = (says & equal).astype(np.float64)
    precision, recall = (
        _share(name, both, of.astype(np.float64), len(says), level)
        for name, of in (("precision", says), ("recall", equal))
    )
    return precision, recall


def _share(name: str, hits: Floats, of: Floats, seeds: int, level: float, **labels: str) -> Estimate | None:
    """``hits / of`` summed over columns (seeds, victims, c), by the pull of each victim and seed on the ratio."""
    top, bottom = hits.sum(axis=2), of.sum(axis=2)
    asked = bottom.any(axis=0)
    if asked.sum() < FEWEST_VICTIMS:
        return None
    top, bottom = top[:, asked], bottom[:, asked]
    value = top.sum() / bottom.sum()
    pulls = crossed_spread((top - value * bottom) / bottom.mean())
    spread = Spread(np.asarray(value), pulls.variance, pulls.freedom, pulls.victims)
    ends, method = mean_interval(spread, level), _words("Korn-Graubard of a ratio", seeds)
    return Estimate.around(name, value, ends, level, method, int(asked.sum())).label(**labels, seeds=str(seeds))


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """A mean over seeds and victims with its variance, and the degrees of freedom that variance has."""

    mean: Floats
    variance: Floats
    freedom: Floats
    victims: int

    def reach(self, level: float) -> Floats:
        """(...,) standard errors to either side."""
        errors: Floats = np.asarray(stats.t.ppf((1 + level) / 2, self.freedom))
        return errors


def crossed_spread(values: Floats) -> Spread:
    """The spread of the mean of values (..., seeds, victims), both of them drawn at random.

    References
    ----------
    .. [1] Satterthwaite 1946, Biometrics Bulletin 2:110-114.
    .. [2] Brennan 2001, Generalizability Theory, chapter 6.
    """
    s, v = values.shape[-2:]
    mean = values.mean(axis=(-2, -1))
    by_victim = s * values.mean(axis=-2).var(axis=-1, ddof=1)
    if s == 1:
        return Spread(mean, by_victim / v, np.full(mean.shape, v - 1.0), v)
    by_seed = v * values.mean(axis=-1).var(axis=-1, ddof=1)
    rest = values - values.mean(axis=-1, keepdims=True) - values.mean(axis=-2, keepdims=True) + mean[..., None, None]
    left = (rest**2).sum(axis=(-2, -1)) / ((s - 1) * (v - 1))
    both = by_seed + by_victim - left
    parts = by_seed**2 / (s - 1) + by_victim**2 / (v - 1) + left**2 / ((s - 1) * (v - 1))
    most = np.maximum(both, np.maximum(by_seed, by_victim) / 2)  # by chance the sum may come out near 0, or below
    freedom = np.where(parts > 0, most**2 / np.where(parts > 0, parts, 1.0), v - 1.0)
    return Spread(mean, most / (s * v), np.clip(freedom, s - 1.0, (s * v) - 1.0), v)


def mean_interval(spread: Spread, level: float) -> tuple[Floats, Floats]:
    """Interval of a mean of values between 0 and 1, never narrower than one victim more could make it wrong.

    Korn and Graubard's, widened to what the mean would be with one more victim, whose value may be anything: however
    alike the values are, no more is known. As all of them near 0 (or 1), it widens to the interval of as many equal
    answers. So it follows the spread down to nothing without a jump.
    """
    mean, tail = np.clip(spread.mean, 0.0, 1.0), (1 - level) / 2
    worth = _worth(mean * (1 - mean), spread) * (critical(level) / spread.reach(level)) ** 2
    low, high = clopper_pearson(mean * worth, worth, tail)
    unseen = 1 - tail ** ((_reach_of_equals(spread, level) / critical(level)) ** 2 / spread.victims)
    down = mean * (1 - _open(1 - mean, unseen, spread.victims))
    up = mean + (1 - mean) * _open(mean, unseen, spread.victims)
    return np.minimum(np.minimum(low, down), spread.mean), np.maximum(np.maximum(high, up), spread.mean)


def gap_interval(ahead: Floats, behind: Floats, spread: Spread, level: float) -> tuple[Floats, Floats]:
    """Interval of a mean of differences between -1 and 1, of which ``ahead`` is the mean of the positive parts.

    Tango's, widened to one victim more as :func:`mean_interval` is; near no difference at all to that of as many ties.
    """
    mean, square = spread.mean, _reach_of_equals(spread, level) ** 2
    low, high = tango(ahead, behind, _worth(ahead + behind - (ahead - behind) ** 2, spread), spread.reach(level))
    room = _open(ahead + behind, square / (spread.victims + square), spread.victims)
    down, up = mean - (1 + mean) * room, mean + (1 - mean) * room
    return np.minimum(np.minimum(low, down), mean), np.maximum(np.maximum(high, up), mean)


def _reach_of_equals(spread: Spread, level: float) -> float:
    """Standard errors to either side where all values are equal but for rounding, whose freedom tells nothing."""
    return float(stats.t.ppf((1 + level) / 2, spread.victims - 1))


def _worth(alone: Floats, spread: Spread) -> Floats:
    """How many yes-or-no answers, each of variance ``alone``, tell as much as the mean does."""
    some = np.where(alone > 0, alone, 1.0)
    worth: Floats = np.maximum(some / np.maximum(np.where(alone > 0, spread.variance, 0.0), some / _MOST_WORTH), 1.0)
    return worth


def _open(size: Floats, unseen: float, victims: int) -> Floats:
    """The share of people that the victims say nothing of.

    One in ``victims + 1`` where their values (of mean ``size``) add up to 1 or more; as they fall to nothing, what
    ``unseen`` says of as many equal answers.
    """
    none = np.maximum(1 - victims * size, 0.0)
    share: Floats = none * unseen + (1 - none) / (victims + 1)
    return share


def _method(recovered: Recovered, how: str = "Korn-Graubard of a bounded mean") -> str:
    return _words(how, recovered.seeds)


def _words(how: str, seeds: int) -> str:
    over = "victims, one model" if seeds == 1 else "victims and model seeds, crossed"
    return f"{how}, over {over}"


def membership(inside: Floats, outside: Floats, *, level: float = 0.95) -> Estimate:
    """How well scores tell people who were in the training from people who were not: the mean AUC over models.

    Both sides, (seeds, n) and (seeds, m), and the models are drawn at random. The share of people on the other side
    that lie on the right side of a person has the AUC as its mean, on either side; the variance is that of both means
    together (DeLong et al. 1988), in each of which the models count, so once too often.

    Raises
    ------
    ScoreError
        There are too few people on a side.
    """
    seeds, fewest = len(inside), min(inside.shape[1], outside.shape[1])
    _check_victims(fewest)
    placed = placements(*(Arm(side, np.ones(side.shape[1], dtype=np.int64)) for side in (inside, outside)))
    sides = [crossed_spread(side) for side in (placed.inside, placed.outside)]
    freedom = np.minimum(*(side.freedom for side in sides))
    spread = Spread(placed.auc.mean(), np.asarray(sum(side.variance for side in sides)), freedom, fewest)
    method = _words("Korn-Graubard of an AUC (DeLong)", seeds).replace("victims", "people")
    made = Estimate.around("membership_auc", spread.mean, mean_interval(spread, level), level, method, fewest)
    return made.label(seeds=str(seeds))


def reference_lift(says: Bools, equal: Bools, *, level: float = 0.95) -> Estimate | None:
    """How much oftener a cell whose value is 0 equals the reference than the same column does among the other victims.

    ``says`` and ``equal`` are (seeds, victims, columns). 0 where a value of 0 says nothing; None where fewer than five
    victims have such a value.
    """
    others: Floats = (equal.sum(axis=1, keepdims=True) - equal) / (equal.shape[1] - 1)
    gap = np.where(says, equal - others, 0.0)
    top, bottom = gap.sum(axis=2), says.sum(axis=2).astype(np.float64)
    asked = bottom.any(axis=0)
    if asked.sum() < FEWEST_VICTIMS:
        return None
    top, bottom, of = top[:, asked], bottom[:, asked], bottom.sum()
    value = top.sum() / of
    pulls = crossed_spread((top - value * bottom) / bottom.mean())
    spread = Spread(np.asarray(value), pulls.variance, pulls.freedom, pulls.victims)
    ahead, behind = (np.asarray(np.maximum(side, 0).sum() / of) for side in (gap, -gap))
    ends, method = gap_interval(ahead, behind, spread, level), _words("Tango score of a ratio", len(says))
    return Estimate.around("lift", value, ends, level, method, int(asked.sum())).label(seeds=str(len(says)))


METHOD = "Korn-Graubard of a bounded figure, by row"
FEWEST_ROWS = 5


def correlation_ratio(values: Floats, groups: Codes | Ints, *, level: float = 0.95) -> Estimate:
    """The share of the variance of a number that lies between groups (eta squared), 0 to 1.

    ``values`` and ``groups`` are (n,); rows whose number is missing are left out.

    Raises
    ------
    ScoreError
        Fewer than five rows have a number, or all have the same.
    """
    there = ~np.isnan(values)
    _check(there.sum())
    y, group = values[there] - values[there].mean(), np.unique(groups[there], return_inverse=True)[1]
    total = y.var()
    if not total > 0:
        raise ScoreError.phrase("All rows have the same number, so there is no variance to explain.")
    mean = (np.bincount(group, y) / np.bincount(group))[group]
    between = (mean**2).mean()
    value = between / total
    pull = (2 * mean * y - mean**2 - between - value * (y**2 - total)) / total
    return _estimate("correlation_ratio", value, pull, level)


def cramers_v(codes: Codes | Ints, groups: Codes | Ints, *, level: float = 0.95) -> Estimate:
    """Association of two categories, 0 (independent) to 1 (one decides the other); not corrected for its bias.

    Levels that no row has do not count.

    Raises
    ------
    ScoreError
        There are fewer than five rows, or one of the two has one level only.
    """
    _check(len(codes))
    first, second = (np.unique(part, return_inverse=True)[1] for part in (codes, groups))
    rows, columns = first.max() + 1, second.max() + 1
    if min(rows, columns) < 2:
        raise ScoreError.phrase("A category has one level only, so there is no association to speak of.")
    cells = np.bincount(first * columns + second, minlength=rows * columns).reshape(rows, columns) / len(codes)
    p, q = cells.sum(axis=1), cells.sum(axis=0)
    ratio = cells / np.outer(p, q)
    square = (cells * ratio).sum() - 1
    by_row, by_column = (cells * ratio).sum(axis=1) / p, (cells * ratio).sum(axis=0) / q
    pull = 2 * ratio[first, second] - by_row[first] - by_column[second]
    most = min(rows, columns) - 1
    squared = _estimate("squared", square / most, (pull - pull.mean()) / most, level)
    value, *ends = (np.sqrt(max(end, 0.0)) for end in (squared.value, squared.low, squared.high))
    return Estimate.around("cramers_v", value, ends, level, METHOD, len(codes))


def squared_correlation(values: Floats, others: Floats, *, level: float = 0.95) -> Estimate:
    """The share of the variance of a number (n,) that a straight line through another (n,) explains, 0 to 1.

    Raises
    ------
    ScoreError
        Fewer than five rows have both, or one of the two does not vary.
    """
    there = ~np.isnan(values) & ~np.isnan(others)
    _check(there.sum())
    x, y = values[there] - values[there].mean(), others[there] - others[there].mean()
    if not (x.any() and y.any()):
        raise ScoreError.phrase("One of the two numbers is the same in all rows, so there is no correlation.")
    x, y = x / x.std(), y / y.std()
    r = (x * y).mean()
    return _estimate("squared_correlation", r**2, 2 * r * (x * y - r * (x**2 + y**2) / 2), level)


def _check(n: int) -> None:
    if n < FEWEST_ROWS:
        raise ScoreError.phrase(
            "Only {rows} rows have both values; an interval needs at least {fewest}.", rows=n, fewest=FEWEST_ROWS
        )


def _estimate(name: str, value: float, pull: Floats, level: float) -> Estimate:
    """The figure with its interval."""
    n = len(pull)
    spread = Spread(np.asarray(value), np.asarray((pull**2).mean() / (n - 1)), np.asarray(n - 1.0), n)
    return Estimate.around(name, value, mean_interval(spread, level), level, METHOD, n)
