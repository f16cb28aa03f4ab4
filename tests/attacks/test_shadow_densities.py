"""LiRA and RMIA by hand, what sets them apart from the density they read, a null, and what noise does to either."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from riskkit.attacks.shadow_densities import WIDTHS, Lira, Rmia, beside, log_densities
from riskkit.core import Attack, Brief, Fitted, Floats, Generator, Table
from riskkit.errors import DesignError
from riskkit.generators.whole_rows import Bootstrap
from tests.generators.test_privbayes import categories
from tests.tables import mixed

OWN = 10
TARGET = categories([(0, 0)], (2, 2))
WITH, WITHOUT = (
    categories([(0, 0)] * near + [(0, 1)] * half + [(1, 1)] * (4 - near - half), (2, 2))
    for near, half in ((2, 1), (0, 2))
)


def test_the_density_by_hand() -> None:
    """Two rows are the target, one agrees in one of two columns, one in none."""
    thickness = log_densities(TARGET, WITH, (0.25, 1.0))
    np.testing.assert_allclose(
        np.exp(thickness[:, 0]), [(2 + np.exp(-2) + np.exp(-4)) / 4, (2 + np.exp(-0.5) + np.exp(-1)) / 4]
    )


def releases(sizes: list[tuple[int, int]]) -> list[Table]:
    return [
        categories([(0, 0)] * near + [(0, 1)] * half + [(1, 1)] * (9 - near - half), (2, 2)) for near, half in sizes
    ]


INSIDE, OUTSIDE = releases([(4, 1), (4, 2), (4, 1)]), releases([(0, 2), (3, 1), (1, 4)])
SEEN = releases([(near, half) for near in range(10) for half in range(10 - near)])


def test_both_laws_by_hand() -> None:
    """The score is the log ratio of two normal laws at the width where own releases lie farthest apart."""
    fitted = Lira(own=3, spread="own").fit(
        Brief(TARGET, shadows_in=INSIDE, shadows_out=OUTSIDE), np.random.default_rng(0)
    )
    sides = [np.stack([log_densities(TARGET, each, WIDTHS)[:, 0] for each in side]) for side in (INSIDE, OUTSIDE)]
    gaps = (sides[0].mean(axis=0) - sides[1].mean(axis=0)) / np.sqrt((sides[0].var(axis=0) + sides[1].var(axis=0)) / 2)
    width = int(gaps.argmax())
    assert fitted.width.tolist() == [width]
    laws = [stats.norm(side[:, width].mean(), side[:, width].std(ddof=1)) for side in sides]
    for each in SEEN:
        thickness = log_densities(TARGET, each, WIDTHS)[width]
        np.testing.assert_allclose(fitted.score(each), laws[0].logpdf(thickness) - laws[1].logpdf(thickness))


def test_with_one_spread_the_order_is_that_of_the_density_and_with_two_it_is_not() -> None:
    """So its AUC on one target is that of the score it reads, whatever the releases."""
    brief = Brief(TARGET, shadows_in=INSIDE, shadows_out=OUTSIDE)
    shared, own = (Lira(own=3, spread=spread).fit(brief, np.random.default_rng(0)) for spread in ("shared", "own"))
    density = np.array([log_densities(TARGET, each, WIDTHS)[shared.width[0], 0] for each in SEEN])
    rank = [stats.spearmanr(density, [fit.score(each)[0] for each in SEEN]).statistic for fit in (shared, own)]
    assert rank[0] == pytest.approx(1)
    assert rank[1] < 0.9


def test_the_share_by_hand() -> None:
    """One target and three others at two widths: what is common to a width is in all and says nothing."""
    ratio = np.array([[0.5, 0.1, 0.5, 0.9], [0.0, -1.0, -2.0, -3.0]])
    np.testing.assert_allclose(beside(ratio, np.array([0])), [2 / 3])
    np.testing.assert_allclose(beside(ratio + 7.0, np.array([1])), [1.0])


def test_it_needs_other_people() -> None:
    with pytest.raises(DesignError, match=r"give it exact knowledge\.$"):
        Rmia(own=3).fit(Brief(TARGET, shadows_in=INSIDE, shadows_out=OUTSIDE), np.random.default_rng(0))


@dataclass(frozen=True)
class Shaky:
    """Of a release a share that each training draws anew are rows of the table, the others one row far off."""

    name: ClassVar[str] = "shaky"
    title: ClassVar[str] = "Shaky"
    card: ClassVar[str] = ""

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        return _Shaky(table, float(rng.uniform(0.01, 1)))


class _Shaky:
    def __init__(self, table: Table, share: float) -> None:
        self.table, self.share = table, share

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        far = Table(
            self.table.schema,
            np.repeat(self.table.codes[:1], n, axis=0),
            np.repeat(self.table.numbers[:1], n, axis=0),
        )
        rows = self.table.rows(rng.integers(len(self.table), size=n))
        return rows.plus(far).rows(np.where(rng.random(n) < self.share, np.arange(n), n + np.arange(n)))


def aucs(attack: Attack, generator: Generator, seeds: range, *, is_null: bool = False, fits: int = 20) -> list[float]:
    """The AUC over releases with and without a person, of small tables; of a null both are without."""
    out = []
    for seed in seeds:
        rng = np.random.default_rng([51, seed])
        people = mixed(50, seed=seed)
        target, rest = people.rows([1]), people.without([1])
        worlds = [rest if is_null else people, rest]

        def releases(world: Table, count: int, rng: np.random.Generator = rng) -> list[Table]:
            return [generator.fit(world, rng).sample(200, rng) for _ in range(count)]

        brief = Brief(target, rest, shadows_in=releases(people, OWN), shadows_out=releases(rest, OWN))
        fitted = attack.fit(brief, rng)
        scores: list[Floats] = [np.array([fitted.score(each)[0] for each in releases(world, fits)]) for world in worlds]
        out.append(float(roc_auc_score(np.repeat([1, 0], fits), np.concatenate(scores))))
    return out


def test_noise_that_a_release_has_in_common_drowns_one_and_not_the_other() -> None:
    lira, rmia = (np.mean(aucs(attack(own=OWN), Shaky(), range(16))) for attack in (Lira, Rmia))
    assert rmia > lira + 0.03


@pytest.mark.parametrize("attack", [Lira(own=OWN), Lira(own=OWN, spread="own"), Rmia(own=OWN)], ids=str)
def test_of_200_nulls_none_is_found(attack: Attack) -> None:
    """Releases of the same table on both sides; the error of an AUC of .5 is that of Mann and Whitney."""
    reached = np.array(aucs(attack, Bootstrap(), range(200), is_null=True))
    error = np.sqrt((2 * 20 + 1) / (12 * 20 * 20))
    assert abs(reached.mean() - 0.5) < 3 * error / np.sqrt(200)
    assert np.mean(np.abs(reached - 0.5) > stats.norm.ppf(0.975) * error) < 0.1
