"""What guesses of a secret achieve, as estimates: how good they are, how much better than the baseline, and how much of
it is owed to having been in.

The records are what is drawn anew: every interval counts **records**, and copies of one record count as one. What the
attacker trained on is held fixed, so the estimates are about this release. Nothing is ever cut off at 0: a leak of
none would else look like a small one.

Three kin stand below: how members fare beside people who were not in, guesses of secrets that were drawn at random
before each training (N counts **trainings** there), and a way of guessing that is chosen on other people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.stats.arms import FEWEST_TRAININGS, Arm
from riskkit.stats.contrasts import (
    difference_of_correlated,
    mean_of_levels,
    ratio_of_independent,
    tango,
)
from riskkit.stats.guesses import CategoryGuesses, Clusters, Guesses, NumberGuesses, check_enough, check_same_records
from riskkit.stats.intervals import (
    auc_limits,
    clopper_pearson_high,
    clopper_pearson_low,
    critical,
    design_effect,
    korn_graubard,
    shape_effect,
    square_and_add,
    sum_variance,
)
from riskkit.stats.measures import GuessFigure, GuessMeasure, Parts, covariance, effective, measure_named
from riskkit.stats.power import POWER

Ends = tuple[float, float]
Share = tuple[Floats, tuple[Floats, Floats]]
"""A share and the ends of its interval."""

_ROUNDING = 1e-24
"""A variance below this one is that of rounding."""


def accuracy(guesses: CategoryGuesses, *, level: float = 0.95) -> Estimate:
    """The share of records whose secret is guessed rightly. Interval: Korn and Graubard's.

    Raises :class:`ScoreError` where there are fewer than five different records.
    """
    return estimate(guesses, "accuracy", level=level)


def within(guesses: NumberGuesses, *, level: float = 0.95) -> Estimate:
    """The share of records whose number is guessed within the tolerance. Interval: Korn and Graubard's.

    Raises :class:`ScoreError` where there are fewer than five different records.
    """
    return estimate(guesses, "within", level=level)


def estimate(guesses: Guesses, metric: str, *, level: float = 0.95) -> Estimate:
    """One measure of guesses, with its interval over records.

    For a category: ``accuracy``; ``balanced_accuracy``, the mean share right over the levels that some record truly
    has; ``macro_f1``, the mean F1 over the levels that some record has or is said to have; ``auc``, the mean over the
    levels some record truly has of one against the rest; ``log_loss``, natural logarithms, no probability below
    :data:`riskkit.stats.measures.LEAST_PROBABILITY`. For a number: ``within`` the tolerance; ``r2``; ``mae``.

    Raises
    ------
    ParameterError
        Guesses of this kind have no such measure.
    ScoreError
        Fewer than five different records, or nothing the measure could be taken of.
    """
    measure = measure_named(metric, guesses)
    check_enough(guesses.clusters)
    measured = measure.of(guesses)
    ends = _interval(measure, measured, guesses, level)
    return Estimate.around(metric, measured.value, ends, level, f"{measure.method}, by record", len(guesses.clusters))


def delta(model: Guesses, baseline: Guesses, *, metric: str = "", level: float = 0.95) -> Estimate:
    """How much better the model guesses than the baseline, on the same records.

    Above 0 is better than the baseline, also where the measure is an error (``log_loss``, ``mae``). The baseline must
    come from what the attacker has, never from the answers. ``metric`` is the share of right guesses unless named.
    Interval: Tango's score interval for shares; t for ``log_loss``; for the others MOVER of the two intervals and
    their correlation.

    Raises
    ------
    ScoreError
        The guesses are not about the same records, or there are fewer than five, or the two never differ in a measure
        that has no bounds.
    """
    check_same_records(model, baseline)
    check_enough(model.clusters)
    name = metric or _share_name(model)
    measure = measure_named(name, model)
    if name in ("accuracy", "within"):
        value, ends = _shares_apart(model, baseline, level)
        method = "Tango score, paired, by record"
    elif name == "balanced_accuracy":
        value, ends = _levels_apart(model, baseline, level)
        method = "Tango score and MOVER, paired, by record"
    else:
        value, ends = _measures_apart(measure, model, baseline, level)
        method = "t, paired, by record" if name == "log_loss" else f"{measure.method}, MOVER, paired, by record"
    return Estimate.around("delta", value, ends, level, method, len(model.clusters)).label(metric=name)


def residual(members: Guesses, control: Guesses, *, level: float = 0.95) -> Estimate:
    """Of what is not guessed about people who were not in, the share that is guessed because one was in.

    ``(right among members - right among control) / (1 - right among control)``, right being within the tolerance for a
    number. 0: people in the data are no easier to guess than others; 1: all that could leak does; below 0: they are
    harder. Interval: MOVER-R of the two of :func:`shares_of`; copies shared by the two sides are taken for different
    records.

    Raises
    ------
    ScoreError
        A side has fewer than five different records, or all of the control is guessed rightly.
    """
    check_enough(members.clusters)
    check_enough(control.clusters)
    if control.right.all():
        raise ScoreError.phrase(
            "Everyone in the control is guessed rightly, so nothing is left that having been in could add. "
            "Choose a secret or known columns that leave something to guess."
        )
    wrong, low, high = _share_ratio(~members.right, members, ~control.right, control, level)
    return _with_both_counts("residual", (1 - wrong, 1 - high, 1 - low), members, control, level)


def attributable(members: Guesses, control: Guesses, *, level: float = 0.95) -> Estimate:
    """Of the right guesses about members, the share that would not have been right had they not been in.

    ``(right among members - right among control) / right among members``. Below 0 where members are harder to guess.
    Interval: MOVER-R of the two of :func:`shares_of`.

    Raises
    ------
    ScoreError
        A side has fewer than five different records, or no guess about a member is right.
    """
    check_enough(members.clusters)
    check_enough(control.clusters)
    if not members.right.any():
        raise ScoreError.phrase("No guess about a member is right, so there is nothing to owe to having been in.")
    expected, low, high = _share_ratio(control.right, control, members.right, members, level)
    return _with_both_counts("attributable", (1 - expected, 1 - high, 1 - low), members, control, level)


def shares_of(*sides: tuple[Bools, Clusters], level: float, least: float = 1.0) -> list[Share]:
    """The share of records that are hits on each side of a comparison, with Korn and Graubard's interval.

    Of sides of two sizes Wilson's would not do: where hits are few its ends are each wrong up to three times as often
    as they may be, and the comparison inherits that at the end by which a leak is shown.

    Copies of a record are hits together: how much so is seen on all sides at once. Where hits are rare, the handful on
    one side leaves it to luck, and its interval is too short as often as that handful happens to have no copies. No
    side has a design effect below ``least``.

    Raises :class:`ScoreError` where a side has fewer than five different records.
    """
    arms = []
    for hits, clusters in sides:
        check_enough(clusters)
        arms.append(clusters.arm(hits))
    copied = sum(arm.trainings for arm in arms if arm.is_clustered) or None
    alike = _alike(arms)
    shares = []
    for (hits, _), arm in zip(sides, arms, strict=True):
        share = np.asarray(hits.mean())
        effect = max(1 + alike * (arm.worst_design_effect - 1), least)
        shares.append((share, korn_graubard(share, arm.n / effect, level, copied)))
    return shares


def _alike(arms: Sequence[Arm]) -> float:
    """How much copies agree, 0 as different records do, 1 wholly: the design effect between its ends, of all arms.

    Where nothing varies nothing is known of it, and 1 is assumed.
    """
    more = most = 0.0
    for arm in arms:
        alone, clustered = (float(of) * arm.n**2 for of in sum_variance(arm, arm.value))
        more += clustered - alone
        most += alone * (arm.worst_design_effect - 1)
    return min(max(more / most, 0.0), 1.0) if most > 0 else 1.0


def _share_name(guesses: Guesses) -> str:
    """What the share of right guesses is called."""
    return "accuracy" if guesses.kind == "category" else "within"


def _interval(measure: GuessMeasure, measured: GuessFigure, guesses: Guesses, level: float) -> Ends:
    """Interval of one measure."""
    if measure.name in ("accuracy", "within"):
        return _share(guesses, level)
    if measured.parts is not None:
        return _mean_over_levels(measure, measured.parts, guesses.clusters, level)
    if measure.span is None:
        return _error(measure, measured, guesses, level)
    return bounded_mean(measured, measure.span, guesses.clusters, level)


def _share(guesses: Guesses, level: float) -> Ends:
    """Interval of the share of right guesses."""
    worth = effective(guesses.clusters, guesses.right.astype(np.float64))
    low, high = korn_graubard(guesses.right.mean(), worth, level, guesses.clusters.estimated_from)
    return float(low), float(high)


def bounded_mean(measured: GuessFigure, span: float, clusters: Clusters, level: float) -> Ends:
    """Interval of the mean of values between 0 and ``span``: that of a share of as large a variance."""
    share = measured.value / span
    variance = float(covariance(clusters, measured.pull)[0, 0]) / span**2
    varies = variance > _ROUNDING
    worth = share * (1 - share) / variance if varies else effective(clusters, np.zeros(len(measured.pull)))
    low, high = korn_graubard(share, worth, level, len(clusters))
    return float(low) * span, float(high) * span


def _error(measure: GuessMeasure, measured: GuessFigure, guesses: Guesses, level: float) -> Ends:
    """Interval of a mean error on the scale of its logarithm; of R2 by way of what it leaves unexplained."""
    error = measured.value if measure.better < 0 else 1 - measured.value
    if error == 0:
        raise ScoreError.phrase(
            "All {n} guesses are exactly right, so nobody can say how far off others may be. Use 'within' instead.",
            n=len(guesses),
        )
    reach = critical(level, len(guesses.clusters)) * np.sqrt(covariance(guesses.clusters, measured.pull)[0, 0]) / error
    low, high = float(error * np.exp(-reach)), float(error * np.exp(reach))
    return (low, high) if measure.better < 0 else (1 - high, 1 - low)


def _mean_over_levels(measure: GuessMeasure, parts: Parts, clusters: Clusters, level: float) -> Ends:
    """Interval of a mean over levels: one of each, put together as far as the levels move as one."""
    spread = covariance(clusters, *parts.pull)
    alone, most = float(np.trace(spread)), float(len(parts.share))
    together = float(np.clip(spread.sum() / alone, 1.0, most)) if alone > 0 else most
    of_levels = _aucs if measure.name == "auc" else _shares_of_levels
    low, high = (parts.shown(end) for end in of_levels(parts, np.diag(spread), clusters, level))
    ends = mean_of_levels(parts.shown(parts.share), low, high, together)
    return max(ends[0], 0.0), min(ends[1], 1.0)


def _shares_of_levels(parts: Parts, variance: Floats, clusters: Clusters, level: float) -> tuple[Floats, Floats]:
    """(L,) interval of the share of each level."""
    varies = variance > 0
    worst = clusters.arm(parts.pull).worst_design_effect
    worth = parts.share * (1 - parts.share) / np.where(varies, variance, 1.0)
    worth = np.where(varies, worth, parts.records.sum(axis=1) / worst)
    return korn_graubard(parts.share, worth, level, clusters.estimated_from)


def _aucs(parts: Parts, variance: Floats, clusters: Clusters, level: float) -> tuple[Floats, Floats]:
    """(L,) interval of the AUC of each level."""
    n, own = parts.records.shape[1], parts.records.sum(axis=1)
    alone = (parts.pull**2).sum(axis=1) / n**2
    worst = clusters.arm(parts.pull).worst_design_effect
    scatter = design_effect(alone, variance, worst) * shape_effect(parts.share, alone, own, n - own)
    low, high = auc_limits(parts.share, own / scatter, (n - own) / scatter, level, clusters.estimated_from)
    constant = (alone == 0) & (parts.share == 0.5)  # scores that are all the same have this AUC in any records
    return np.where(constant, 0.5, low), np.where(constant, 0.5, high)


def _shares_apart(model: Guesses, baseline: Guesses, level: float) -> tuple[float, Ends]:
    """Difference of the shares of right guesses on the same records, with its interval."""
    clusters = model.clusters
    ahead, behind = (float((a & ~b).mean()) for a, b in ((model.right, baseline.right), (baseline.right, model.right)))
    worth = effective(clusters, model.right.astype(np.float64) - baseline.right)
    low, high = tango(ahead, behind, worth, critical(level, clusters.estimated_from))
    return ahead - behind, (float(low), float(high))


def _levels_apart(model: Guesses, baseline: Guesses, level: float) -> tuple[float, Ends]:
    """Mean over true levels of the difference of the shares of right guesses, with its interval."""
    of_level = model.truth == np.unique(model.truth)[:, None]
    differences = [_shares_apart(model.rows(own), baseline.rows(own), level) for own in of_level]
    gaps, lows, highs = (np.array(part) for part in zip(*((gap, *ends) for gap, ends in differences), strict=True))
    return float(gaps.mean()), mean_of_levels(gaps, lows, highs, 1.0)


def _measures_apart(measure: GuessMeasure, model: Guesses, baseline: Guesses, level: float) -> tuple[float, Ends]:
    """Difference of another measure on the same records, oriented so that more is better, with its interval."""
    if measure.span is None and np.array_equal(model.guess, baseline.guess):
        raise ScoreError.phrase(
            "The two guess alike in every record, so nobody can say how far apart they may be. Compare other "
            "guesses, or use 'within'."
        )
    first, second = measure.of(model), measure.of(baseline)
    spread = covariance(model.clusters, first.pull, second.pull)
    if measure.name == "log_loss":
        reach = critical(level, len(model.clusters))
        half = reach * float(np.sqrt(max(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1], 0.0)))
        low, high = first.value - second.value - half, first.value - second.value + half
    else:
        ends = [_interval(measure, measured, side, level) for measured, side in ((first, model), (second, baseline))]
        low, high = difference_of_correlated(first.value, ends[0], second.value, ends[1], correlation(spread))
    value = first.value - second.value
    least = least_half_width(measure, first.pull - second.pull, model.clusters, level)
    low, high = min(low, value - least), max(high, value + least)
    return (value, (low, high)) if measure.better > 0 else (-value, (-high, -low))


def correlation(spread: Floats) -> float:
    """The correlation in a (2, 2) covariance; 0 where one of the two does not vary."""
    scale = float(np.sqrt(spread[0, 0] * spread[1, 1]))
    return float(np.clip(spread[0, 1] / scale, -1.0, 1.0)) if scale > 0 else 0.0


def least_half_width(measure: GuessMeasure, pull: Floats, clusters: Clusters, level: float) -> float:
    """The least half width of a difference with these pulls: what as many records leave without one difference seen.

    An error that could be large in a record, as log loss can, is held to it only where no record differs at all.
    """
    if measure.span is None or (measure.span > 1 and pull.any()):
        return 0.0
    square = critical(level, clusters.estimated_from) ** 2
    worth = len(pull) / clusters.arm(pull).worst_design_effect
    return measure.span * square / (worth + square)


def _share_ratio(
    top: Bools, of_top: Guesses, bottom: Bools, of_bottom: Guesses, level: float
) -> tuple[float, float, float]:
    """A share of one side's records over one of the other's, with its interval."""
    above, below = shares_of((top, of_top.clusters), (bottom, of_bottom.clusters), level=level)
    low, high = ratio_of_independent(*above, *below)
    return float(above[0] / below[0]), float(low), float(high)


def _with_both_counts(
    name: str, sides: tuple[float, float, float], members: Guesses, control: Guesses, level: float
) -> Estimate:
    """The estimate, with the records of both sides as its N."""
    n = len(members.clusters) + len(control.clusters)
    estimate = Estimate.around(name, sides[0], sides[1:], level, "MOVER-R of Korn-Graubard, by record", n)
    return estimate.label(metric=_share_name(members))


def difference(members: Guesses, control: Guesses, *, level: float = 0.95) -> Estimate:
    """Share of right guesses among members minus that among people who were not in.

    Interval: square-and-add (Newcombe 1998) of Korn and Graubard's two; copies shared by the two sides are taken for
    different records.

    Raises
    ------
    ScoreError
        A side has fewer than five different records.
    """
    inside, outside = shares_of((members.right, members.clusters), (control.right, control.clusters), level=level)
    gap, ends = inside[0] - outside[0], square_and_add(*inside, *outside)
    n = len(members.clusters) + len(control.clusters)
    estimate = Estimate.around("difference", gap, ends, level, "Korn-Graubard, square-and-add, by record", n)
    return estimate.label(metric=_share_name(members))


def detectable_residual(n_in: int, n_out: int, right: float, *, alpha: float = 0.025) -> float:
    """The smallest residual that so many records on either side show with the chance :data:`POWER`.

    It shows where its interval (MOVER-R of exact ones of both shares) lies above 0. ``right`` is the share of the
    control that is guessed rightly; the more is guessed anyway, the less is left to show anything by. ``alpha`` is the
    error of the lower end: half of what the level leaves, divided by the number of looks. At most 1, which says that
    nothing is.

    Raises
    ------
    ParameterError
        A side is empty, or a share is not within 0 and 1.
    """
    if min(n_in, n_out) < 1 or not 0 <= right <= 1:
        raise ParameterError("Each side needs at least one record, and a share lies within 0 and 1.")
    if right == 1:
        return 1.0
    miss, wrong = float(stats.norm.ppf(POWER)), 1 - right

    def beyond(residual: float) -> float:
        """By how much the shares lie further apart than they must: the ends that face each other, and a miss."""
        fewer = wrong * (1 - residual)
        upper = float(clopper_pearson_high(fewer * n_in, n_in, alpha))
        lower = float(clopper_pearson_low(wrong * n_out, n_out, alpha))
        needed = math.hypot(upper - fewer, wrong - lower)
        return wrong - fewer - needed - miss * math.sqrt(fewer * (1 - fewer) / n_in + wrong * right / n_out)

    from scipy.optimize import brentq  # it takes long to load

    return float(brentq(beyond, 0.0, 1.0, xtol=1e-12)) if beyond(1.0) > 0 else 1.0


RANDOMISED = ("randomised_success", "randomised_chance", "randomised_gain")


def randomised_estimates(
    success: Floats, chance: Floats, training: Ints, *, is_category: bool, level: float = 0.95
) -> tuple[Estimate, ...]:
    """How well drawn secrets are guessed, how well they would be by chance, and the gain, last: 0 without a leak.

    Of a number only the gain: errors that are 0 in every training tell nothing of their scatter. Intervals are t by
    training for the gain, and Korn and Graubard's of a share of as large a variance for the others.

    Parameters
    ----------
    success, chance : (n,)
        Of each guess. Of a category shares: 0 or 1, and the exact probability to be right by chance. Of a number the
        error with a minus before it, in standard deviations, and what it is on average over all draws.
    training : (n,)
        Which training each guess comes from; those of one training are not independent.

    Raises
    ------
    TooFewTrainings
        There are fewer than five trainings.
    ScoreError
        The gain is the same in all trainings though it need not be, so nothing is known of how far it scatters.
    """
    clusters = Clusters(training, len(success))
    if len(clusters) < FEWEST_TRAININGS:
        raise TooFewTrainings.phrase(
            "There are {trainings} trainings with secrets drawn anew; an interval needs at least {fewest}.",
            trainings=len(clusters),
            fewest=FEWEST_TRAININGS,
        )
    least = float((chance * (1 - chance)).mean()) / len(chance) if is_category else 0.0
    gain = _gain(success - chance, least, clusters, level)
    if not is_category:
        return (gain,)
    shares = zip(RANDOMISED, (success, chance), strict=False)
    return (*(_drawn_share(name, values, clusters, level) for name, values in shares), gain)


def _drawn_share(name: str, values: Floats, clusters: Clusters, level: float) -> Estimate:
    """The mean of values within 0 and 1."""
    value, method = float(values.mean()), "Korn-Graubard of a bounded mean, by training"
    ends = bounded_mean(GuessFigure(value, values - values.mean()), 1.0, clusters, level)
    return Estimate.around(name, value, ends, level, method, len(clusters))


def _gain(values: Floats, least: float, clusters: Clusters, level: float) -> Estimate:
    """The mean of gains; its variance is taken for no less than that of independent guesses without a leak."""
    spread = max(float(covariance(clusters, values - values.mean())[0, 0]), least)
    if spread <= 0:
        raise ScoreError.phrase("All trainings give the same gain, so nobody can say how far it scatters.")
    reach = critical(level, len(clusters)) * np.sqrt(spread)
    value = float(values.mean())
    return Estimate.around(
        RANDOMISED[-1], value, (value - reach, value + reach), level, "t, by training", len(clusters)
    )


FIRST = 0
"""The part that chooses and is not counted."""


def choose_by_earlier(
    members: Sequence[Guesses],
    control: Sequence[Guesses],
    part_of_members: Ints,
    part_of_control: Ints,
    *,
    level: float = 0.95,
) -> tuple[int, ...]:
    """For the people of each part, which way shows most surely for the people of earlier parts who was in.

    The surest is the one whose residual (:func:`riskkit.stats.inference.residual`) has the highest lower end; of equal
    ones the first. One that has no residual there is passed over, and the first is taken where none has. The first
    part, which is not counted, has the choice of all others.

    Parameters
    ----------
    members, control
        Guesses of each way, of the same people in the same order.
    part_of_members, part_of_control : (n_members,), (n_control,)
        The part of each person, from 0. Copies of a record must share one.
    level : float
        Coverage of the interval whose lower end is compared.

    Raises
    ------
    ScoreError
        There is nothing to choose from.
    """
    if not members or len(members) != len(control):
        raise ScoreError("There is no way to guess that could be chosen for members and for others.")
    parts = 1 + int(max(part_of_members.max(initial=0), part_of_control.max(initial=0)))

    chosen = []
    for part in range(parts):
        inside, outside = (
            of_side < part if part > FIRST else of_side > FIRST for of_side in (part_of_members, part_of_control)
        )
        pairs = zip(members, control, strict=True)
        chosen.append(int(np.argmax([_surely(own.rows(inside), other.rows(outside), level) for own, other in pairs])))
    return tuple(chosen)


def _surely(inside: Guesses, outside: Guesses, level: float) -> float:
    """The lower end of the residual."""
    try:
        return residual(inside, outside, level=level).low
    except ScoreError:
        return -np.inf
