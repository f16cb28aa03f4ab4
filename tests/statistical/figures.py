"""The figures of docs/statistics.md, measured: ``python -m tests.statistical.figures`` prints them as tables.

Seeds are fixed, so that the same code prints the same figures. It takes some minutes on one core.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from riskkit.questions.membership.bounds import listed_people
from riskkit.seeds import stream
from riskkit.stats.epsilon import epsilon_any_cut, epsilon_lower, epsilon_split
from riskkit.stats.inference import detectable_residual
from riskkit.stats.intervals import critical, newcombe5
from riskkit.stats.power import detectable_auc, detectable_gain
from riskkit.stats.records import level_of_each
from riskkit.stats.roc import placements, tpr_interval
from riskkit.stats.summary import advantage_interval, auc_interval
from tests.report.test_bounds import null_audit
from tests.statistical.shapes import SHAPES, told_or_hidden
from tests.statistical.simulate import Binormal, covered, mean_width, missed
from tests.statistical.test_power_reached import gain_shows, ratio_shows
from tests.statistical.test_share_named import FIVE, RESPONSE, SURE_RESPONSE, THREE, AtZero, Tied
from tests.stats import make

Rows = Iterator[Sequence[str]]
AUCS = (0.5, 0.6, 0.75, 0.85, 0.92, 0.97, 0.99)
TIMES = 2000


def auc_ends() -> Rows:
    """One-sided misses of the AUC's interval at 95 %: mean over true AUCs of .5 to .99, and the worst of them."""
    yield (
        "scores",
        "trainings an arm",
        "lower end: mean (worst)",
        "upper end: mean (worst)",
        "Newcombe's upper",
        "width",
    )
    for shape in SHAPES:
        for arm in (10, 25, 50, 250):
            misses, printed, widths = [], [], []
            for auc in AUCS:
                arms = shape.play(TIMES, arm, auc)
                interval, value = auc_interval(*arms, 0.95), placements(*arms).auc
                plain = (value, *newcombe5(value, arm, arm, critical(0.95)))
                misses.append(missed(interval, auc))
                printed.append(missed(plain, auc)[1])
                widths.append(mean_width(interval) / mean_width(plain))
            lower, upper = np.array(misses).T / TIMES
            yield (
                shape.name,
                str(arm),
                _both(lower),
                _both(upper),
                _both(np.array(printed) / TIMES),
                f"{max(widths):.2f}",
            )


def clustered_ends() -> Rows:
    """The same for normal scores where trainings are asked several times: worst of AUC .5 to .95 and ICC 0 to .9."""
    yield "trainings an arm", "generations", "lower end: mean (worst)", "upper end: mean (worst)"
    for arm in (5, 10, 25, 30, 50):
        for generations in (2, 20):
            misses = []
            for auc in (0.5, 0.8, 0.95):
                for icc in (0.0, 0.3, 0.9):
                    game = Binormal(arm, generations, icc, auc)
                    misses.append(missed(auc_interval(*game.play(600), 0.95), auc))
            lower, upper = np.array(misses).T / 600
            yield str(arm), str(generations), _both(lower), _both(upper)


def shares_named() -> Rows:
    """TPR at a share of false alarms: coverage, the mean of the value less the truth, and the mean width."""
    yield "scores", "trainings an arm", "false alarms", "truth", "covered", "bias", "width"
    games: list[tuple[str, Binormal | Tied | AtZero, float]] = []
    for arm, fpr in ((30, 0.1), (100, 0.1), (300, 0.01)):
        games += [(f"normal, AUC {auc:g}", Binormal(arm, auc=auc), fpr) for auc in (0.5, 0.8, 0.95)]
        laws = {"two values": RESPONSE, "two, far apart": SURE_RESPONSE, "three": THREE, "five": FIVE}
        games += [(name, Tied(law[0], law[1], arm), fpr) for name, law in laws.items()]
        games += [("corner at the share", AtZero(0.588, fpr, arm), fpr)]
    games += [("normal, AUC 0.8, 20 releases each, ICC .3", Binormal(50, 20, 0.3, 0.8), 0.1)]
    games += [("five, 5 releases each, .3 alike", Tied(FIVE[0], FIVE[1], 50, 5, 0.3), 0.1)]
    for name, game, fpr in games:
        truth, interval = game.tpr(fpr), tpr_interval(*game.play(1000), fpr, 0.95)
        held = covered(interval, truth) / 1000
        bias = float(interval[0].mean()) - truth
        yield (
            name,
            str(game.trainings),
            f"{fpr:g}",
            f"{truth:.3f}",
            _percent(held),
            f"{bias:+.3f}",
            f"{mean_width(interval):.3f}",
        )


def advantages() -> Rows:
    """Coverage of the advantage's interval: the least over AUC .5 to .99 and ICC 0 to .9."""
    yield "trainings an arm", "generations", "covered: least"
    for arm in (5, 10, 50):
        for generations in (1, 20):
            games = [Binormal(arm, generations, icc, auc) for icc in (0.0, 0.3, 0.9) for auc in (0.5, 0.8, 0.95)]
            least = min(covered(advantage_interval(*game.play(1000), 0.95), game.advantage) for game in games)
            yield str(arm), str(generations), _percent(least / 1000)


def power_reached() -> Rows:
    """How often the verdict's interval lies above one half, where the AUC is what 8 of 10 audits are said to find."""
    yield (
        "trainings",
        "looks",
        "releases of each",
        "AUC said to be found",
        "reached",
        "one end at 5 %, one look: reached",
    )
    normal = SHAPES[0]
    for trainings, looks, trials in (
        (10, 1, 1),
        (14, 5, 1),
        (20, 1, 1),
        (20, 5, 1),
        (30, 40, 1),
        (50, 1, 1),
        (50, 4, 1),
        (100, 1, 1),
        (100, 20, 1),
        (500, 8, 1),
        (50, 8, 5),
    ):
        level, arm = level_of_each(0.95, looks), trainings // 2
        auc = detectable_auc(trainings, looks=looks, trials=trials)
        hopeful = detectable_auc(trainings, level=0.9)
        shares = []
        for truth in (auc, hopeful):
            arms = [
                type(side)(np.repeat(side.value, trials, -1), trials * side.sizes)
                for side in normal.play(TIMES, arm, truth)
            ]
            shares.append(float((auc_interval(arms[0], arms[1], level)[1] > 0.5).mean()))
        yield str(trainings), str(looks), str(trials), f"{auc:.3f}", *map(_percent, shares)


def residuals_shown() -> Rows:
    """How often the residual said to be shown in 8 of 10 audits has an interval above 0 (20,000 audits)."""
    yield "members", "control", "guessed anyway", "looks", "residual", "shown"
    for n_in, n_out in ((30, 30), (100, 100), (1000, 1000), (300, 100), (100, 1000)):
        for right in (0.2, 0.5, 0.8):
            for looks in (1, 10):
                tail = 0.025 / looks
                residual = detectable_residual(n_in, n_out, right, alpha=tail)
                if residual < 1:
                    shown = ratio_shows(n_in, n_out, (1 - right) * (1 - residual), 1 - right, tail)
                    yield str(n_in), str(n_out), f"{right:g}", str(looks), f"{residual:.3f}", _percent(shown)


def gains_shown() -> Rows:
    """The same of a gain over a guess on the same victims, half of whom differ."""
    yield "victims", "looks", "gain", "shown"
    for victims in (20, 50, 200, 1000):
        for looks in (1, 10):
            gain = detectable_gain(victims, alpha=0.025 / looks)
            yield str(victims), str(looks), f"{gain:.3f}", _percent(gain_shows(victims, gain, 0.025 / looks))


def widest_scores() -> Rows:
    """The AUC's ends where scores scatter as widely as there can be: told for sure, or hidden below everybody."""
    yield "trainings an arm", "lower: mean (worst)", "upper: mean (worst)"
    for arm in (10, 25, 50, 100, 500):
        aucs = (0.5, 0.6, 0.75, 0.85, 0.95)
        misses = [missed(auc_interval(*told_or_hidden(TIMES, arm, auc), 0.95), auc) for auc in aucs]
        yield str(arm), *(_both(np.array(part) / TIMES) for part in zip(*misses, strict=True))


def anybody_listed() -> Rows:
    """In how many audits of ten records in which nothing leaks somebody is listed."""
    yield "attacks", "methods", "share of their variance that attacks have in common", "somebody is listed"
    for attacks, methods, shared in ((1, 1, 0.0), (2, 1, 0.0), (2, 1, 0.5), (3, 2, 0.0)):
        audits = [listed_people(null_audit(10, attacks, methods, shared, audit)) for audit in range(600)]
        named = sum(any(any(group.is_listed) for group in audit) for audit in audits)
        yield str(attacks), str(methods), f"{shared:g}", _percent(named / 600)


def epsilons() -> Rows:
    """Lower bounds of randomised response: median, and how often they exceed the truth."""
    yield "epsilon", "trainings", *(f"{who}: median (above the truth)" for who in ("own cut", "any cut", "split"))
    for epsilon in (0.5, 1.0, 2.0, 3.0):
        right = math.exp(epsilon) / (1 + math.exp(epsilon))
        for n in (100, 1000, 10_000):
            rng = stream(1, "figures", f"{epsilon:g}", n)
            counts = rng.binomial(n // 2, [right, 1 - right], (400, 2)).tolist()
            scores = [make.answers(hits, n // 2, alarms, n // 2) for hits, alarms in counts]
            cells = []
            for bound in (epsilon_lower, epsilon_any_cut, epsilon_split):
                values = np.array([bound(_shuffled(scored, rng)).value for scored in scores])
                cells.append(f"{np.median(values):.2f} ({_percent(float((values > epsilon).mean()))})")
            yield f"{epsilon:g}", f"{n:,}", *cells


def _shuffled(scores, rng):
    """The same trials, those of either side in another order, so that halves are drawn and not ordered."""
    inside, outside = (rng.permutation(scores.value[scores.is_in == side]) for side in (True, False))
    return make.scores(inside, outside)


def _both(shares: np.ndarray) -> str:
    return f"{100 * shares.mean():.1f} % ({100 * shares.max():.1f} %)"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


TABLES: tuple[Callable[[], Rows], ...] = (
    auc_ends, widest_scores, clustered_ends, shares_named, advantages, power_reached, residuals_shown, gains_shown,
    anybody_listed, epsilons,
)  # fmt: skip


def main(names: Sequence[str]) -> None:
    """Print these tables, or all of them."""
    for table in TABLES:
        if names and table.__name__ not in names:
            continue
        rows = table()
        head = next(rows)
        lines = [f"\n### {table.__name__}\n\n{table.__doc__}\n", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
        sys.stdout.write("\n".join(lines) + "\n")
        for row in rows:
            sys.stdout.write(f"| {' | '.join(row)} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
