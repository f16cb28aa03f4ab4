"""MVL against numbers counted by hand."""

import numpy as np
import pytest

from riskkit.attacks.mvl import LAMBDAS, FittedMvl, Moments, Mvl, TunedMvl
from riskkit.core import Brief, Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import onehot
from tests.tables import mixed

LINE = Schema((Column("x", Kind.NUMERIC, low=0.0, high=10.0, mean=5.0, sd=2.0),))
RNG = np.random.default_rng(0)


def line(*values: float) -> Table:
    return Table(LINE, np.empty((len(values), 0)), np.array(values)[:, None])


def test_moments_of_three_numbers() -> None:
    moments = Moments.measure(line(1.0, 2.0, 6.0), "raw")
    assert moments.mean.tolist() == [3.0]
    assert moments.covariance[0, 0] == pytest.approx(14 / 3)


def test_moments_are_those_of_numpy_on_a_mixed_table() -> None:
    table = mixed(80)
    moments = Moments.measure(table, "minmax")
    matrix = onehot(table, scale="minmax", drop_first=False)
    np.testing.assert_allclose(moments.covariance, np.cov(matrix.T, bias=True), atol=1e-12)


@pytest.mark.parametrize(("lam", "expected"), [(0.0, 1.0), (1.0, 5 / 3), (0.5, 4 / 3)])
def test_the_score_counted_by_hand(lam: float, expected: float) -> None:
    """D = {1, 3}, target 5. In: mean 3, variance 8/3; out: mean 2, variance 1. Release {1, 5}: mean 3, variance 4.

    Mean: |3 - 2| - |3 - 3| = 1. Covariance: |4 - 1| - |4 - 8/3| = 5/3.
    """
    brief = Brief(line(5.0), data=line(1.0, 3.0))
    assert Mvl(lam=lam).fit(brief, RNG).score(line(1.0, 5.0)) == pytest.approx([expected])


def test_a_release_with_the_moments_of_a_world_is_named_as_that_world() -> None:
    table = mixed(80)
    brief = Brief(table.rows([0]), data=table.without(0))
    fitted = Mvl(scale="standard").fit(brief, RNG)
    assert fitted.score(table)[0] > 0
    assert fitted.score(table.without(0))[0] < 0


def test_syn_compares_with_the_average_of_own_releases() -> None:
    shadows_in = (line(4.0, 6.0), line(5.0, 7.0))
    shadows_out = (line(0.0, 2.0), line(1.0, 3.0))
    attack = Mvl(variant="syn", lam=0.0, own=2)
    assert attack.shadows == 2
    brief = Brief(line(9.0), data=line(1.0, 3.0), shadows_in=shadows_in, shadows_out=shadows_out)
    assert attack.fit(brief, RNG).score(line(4.0, 4.0)).tolist() == [abs(4 - 1.5) - abs(4 - 5.5)]


def test_corrected_takes_off_what_the_method_does_to_every_release() -> None:
    """D = {1, 3}, target 5: means 2 and 3. The method adds 10 to everything, so every release looks "in" to ``orig``.

    Own releases have means 12.5 and 13.5: their bias is 10.5 on both sides, whatever it is off by. A release of
    mean 13.4 is then at 2.9: nearer to 3 by 0.8.
    """
    brief = Brief(
        line(5.0),
        data=line(1.0, 3.0),
        shadows_in=(line(13.0, 14.0), line(12.0, 15.0)),
        shadows_out=(line(12.0, 13.0), line(11.0, 14.0)),
    )
    attack = Mvl(variant="corrected", lam=0.0, own=2)
    assert attack.shadows == 2
    fitted = attack.fit(brief, RNG)
    np.testing.assert_allclose(fitted.score(line(13.0, 13.8)), [0.8])
    np.testing.assert_allclose(fitted.score(line(12.0, 13.2)), [-0.8])
    plain = Mvl(lam=0.0).fit(brief, RNG)
    assert plain.score(line(13.0, 13.8))[0] > 0
    assert plain.score(line(12.0, 13.2))[0] > 0


def test_corrected_references_differ_by_the_record_alone_however_noisy_the_own_releases() -> None:
    table, rng = mixed(80), np.random.default_rng(1)
    own = [table.rows(rng.integers(80, size=40)) for _ in range(4)]
    brief = Brief(table.rows([0]), data=table.without(0), shadows_in=own[:2], shadows_out=own[2:])
    fitted, plain, noisy = (
        attack.fit(brief, RNG) for attack in (Mvl(variant="corrected", own=2), Mvl(), Mvl(variant="syn", own=2))
    )
    assert isinstance(fitted, FittedMvl)
    assert isinstance(plain, FittedMvl)
    assert isinstance(noisy, FittedMvl)
    for name in ("mean", "covariance"):
        left, right = (getattr(attack.world_in, name) - getattr(attack.world_out, name) for attack in (fitted, plain))
        np.testing.assert_allclose(left, right, atol=1e-9)
    assert np.abs(noisy.world_in.mean - noisy.world_out.mean - plain.world_in.mean + plain.world_out.mean).max() > 0.1


def test_lambda_is_chosen_on_releases_that_are_not_the_references() -> None:
    """Only the covariance tells these worlds apart, and only the second half of the own releases may choose."""
    wide, narrow = line(0.0, 10.0), line(5.0, 5.0)
    attack = Mvl(variant="syn", tune=True, own=2)
    assert attack.shadows == 4
    brief = Brief(
        line(9.0),
        data=line(1.0, 3.0),
        shadows_in=(wide, wide, line(0.0, 10.2), line(0.0, 10.2)),
        shadows_out=(narrow, narrow, line(5.1, 5.1), line(5.1, 5.1)),
    )
    fitted = attack.fit(brief, RNG)
    assert fitted.lam in LAMBDAS
    assert fitted.score(line(1.0, 9.0))[0] > 0
    assert fitted.score(line(4.9, 5.3))[0] < 0


def test_tuning_prefers_the_lambda_that_is_right() -> None:
    """The mean points the wrong way, the covariance the right way: a small λ must not be chosen."""
    brief = Brief(
        line(9.0),
        data=line(4.0, 5.0, 6.0),
        shadows_in=(line(0.0, 4.0, 8.0), line(0.0, 4.5, 8.0)),
        shadows_out=(line(5.8, 6.0, 6.2), line(5.9, 6.1, 6.3)),
    )
    tuned = Mvl(tune=True, own=2).fit(brief, RNG)
    assert tuned.lam > 0.05
    assert [tuned.score(table)[0] > 0 for table in brief.shadows_in] == [True, True]
    assert [tuned.score(table)[0] > 0 for table in brief.shadows_out] == [False, False]


def test_every_lambda_that_was_tried_scores_as_if_it_had_been_asked_for() -> None:
    table, rng = mixed(80), np.random.default_rng(2)
    own = [table.rows(rng.integers(80, size=40)) for _ in range(8)]
    brief = Brief(table.rows([0, 1]), data=table.rows(np.arange(2, 80)), shadows_in=own[:4], shadows_out=own[4:])
    tuned = Mvl(tune=True, own=4).fit(brief, RNG)
    assert isinstance(tuned, TunedMvl)
    asked = [Mvl(lam=float(lam)).fit(brief, RNG) for lam in tuned.choice.values]
    release = table.rows(np.arange(40))
    np.testing.assert_array_equal(tuned.score_each(release), [attack.score(release) for attack in asked])
    np.testing.assert_array_equal(tuned.score_each(release)[tuned.choice.at], tuned.score(release))
    np.testing.assert_array_equal(tuned.choice.own, [[attack.score(shadow)[0] for shadow in own] for attack in asked])
    assert tuned.choice.own_in.tolist() == [True] * 4 + [False] * 4
    right = ((tuned.choice.own > 0) == tuned.choice.own_in).sum(axis=1)
    assert right[tuned.choice.at] == right.max()


def test_every_target_of_a_group_gets_the_score_of_the_group() -> None:
    brief = Brief(line(5.0, 7.0), data=line(1.0, 3.0))
    scores = Mvl().fit(brief, RNG).score(line(1.0, 5.0))
    assert scores.shape == (2,)
    assert scores[0] == scores[1]


def test_a_brief_without_what_the_attack_needs_is_refused() -> None:
    with pytest.raises(DesignError, match="real table"):
        Mvl().fit(Brief(line(5.0)), RNG)
    with pytest.raises(DesignError, match="10 own releases"):
        Mvl(variant="syn").fit(Brief(line(5.0), data=line(1.0, 3.0)), RNG)
