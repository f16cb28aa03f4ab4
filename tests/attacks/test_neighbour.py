"""The neighbour attack against numbers counted by hand."""

import numpy as np
import pytest

from riskkit.attacks.neighbour import Neighbour
from riskkit.core import Brief, Column, Kind, Schema, Table
from riskkit.errors import DesignError

LINE = Schema((Column("x", Kind.NUMERIC, low=0.0, high=10.0),))
RNG = np.random.default_rng(0)


def line(*values: float) -> Table:
    return Table(LINE, np.empty((len(values), 0)), np.array(values)[:, None])


def test_the_cut_and_the_score_counted_by_hand() -> None:
    """Target 10. Two nearest of {9, 8, 0}: (.1 + .2) / 2 = .15; of {6, 5, 0}: (.4 + .5) / 2 = .45; the cut is .30."""
    attack = Neighbour(m=2, own=1)
    brief = Brief(line(10.0), data=line(1.0), shadows_in=(line(9, 8, 0),), shadows_out=(line(6, 5, 0),))
    fitted = attack.fit(brief, RNG)
    assert fitted.cut == pytest.approx([0.30])
    assert fitted.score(line(10, 7, 0)) == pytest.approx([0.30 - 0.15])
    assert fitted.score(line(5, 4, 0)) == pytest.approx([0.30 - 0.55])


def test_distances_in_the_tables_own_units_counted_by_hand() -> None:
    """From (10, a): (7, a) is 3 away, (10, b) the root of 2, (7, b) the root of 11, whatever the domain."""
    schema = Schema((Column("x", Kind.NUMERIC, low=0.0, high=10.0), Column("y", Kind.CATEGORICAL, levels=("a", "b"))))
    target = Table(schema, np.array([[0]]), np.array([[10.0]]))
    release = Table(schema, np.array([[0], [1], [1]]), np.array([[7.0], [10.0], [7.0]]))
    near = Table(schema, np.array([[0], [0]]), np.array([[10.0], [10.0]]))
    fitted = Neighbour(m=2, metric="raw", own=1).fit(Brief(target, shadows_in=(near,), shadows_out=(release,)), RNG)
    assert fitted.cut == pytest.approx([(3 + np.sqrt(2)) / 4])
    assert fitted.spacing(release) == pytest.approx([(3 + np.sqrt(2)) / 2])


def test_own_releases_are_averaged() -> None:
    attack = Neighbour(m=1, own=2)
    brief = Brief(line(10.0), shadows_in=(line(10, 0), line(8, 0)), shadows_out=(line(6, 0), line(4, 0)))
    assert attack.fit(brief, RNG).cut == pytest.approx([(0.1 + 0.5) / 2])


def test_each_target_has_its_own_cut() -> None:
    brief = Brief(line(10.0, 0.0), shadows_in=(line(9, 1),), shadows_out=(line(5, 4),))
    fitted = Neighbour(m=1, own=1).fit(brief, RNG)
    assert fitted.cut == pytest.approx([(0.1 + 0.5) / 2, (0.1 + 0.4) / 2])
    assert fitted.score(line(9, 9)) == pytest.approx([0.30 - 0.1, 0.25 - 0.9])


def test_only_the_own_releases_it_asked_for_are_read() -> None:
    """Attacks share one pool; a larger pool, made for another attack, may not change this one's numbers."""
    pool_in, pool_out = (line(9, 8),) * 2 + (line(0, 0),), (line(5, 4),) * 2 + (line(10, 10),)
    small = Neighbour(m=1, own=2).fit(Brief(line(10.0), shadows_in=pool_in[:2], shadows_out=pool_out[:2]), RNG)
    large = Neighbour(m=1, own=2).fit(Brief(line(10.0), shadows_in=pool_in, shadows_out=pool_out), RNG)
    assert small.cut == pytest.approx(large.cut)


def test_fewer_rows_than_neighbours_are_refused() -> None:
    brief = Brief(line(10.0), shadows_in=(line(9, 8),), shadows_out=(line(5, 4),))
    with pytest.raises(DesignError, match="3 nearest rows, the release has 2"):
        Neighbour(m=3, own=1).fit(brief, RNG)
