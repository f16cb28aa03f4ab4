"""The attack that is played, by one who sees the first releases alone."""

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.questions.records import play
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import half_above, sentences
from riskkit.questions.records.result import read
from riskkit.questions.records.units import Campaign
from riskkit.table.load import Tables

SCHEMA = Schema(tuple(Column(name, Kind.CATEGORICAL, levels=tuple("abcdefgh")) for name in ("one", "two", "three")))


def table(rows: int = 60) -> Tables:
    rng = np.random.default_rng(5)
    codes = rng.integers(8, size=(rows, 3))
    codes[:, 1] = (codes[:, 0] + rng.integers(2, size=rows)) % 8
    return Tables(Table(SCHEMA, codes, np.empty((rows, 0))), None, None, SCHEMA, (), ())


def played(releases: int, trainings: int = 10, **more: object) -> Campaign:
    plan = RecordsPlan(
        "bayesnet",
        "random:15",
        inside=trainings,
        outside=trainings,
        shadows=trainings,
        again=0,
        n_syn=30,
        releases=releases,
        **more,  # type: ignore[arg-type]
    )
    return play.play_table(table(), plan)


def test_of_one_release_nothing_is_kept() -> None:
    result = played(1)
    assert result.after == ()
    assert all("after" not in row for row in result.result().plain()["records"])
    assert read(result.result()).played_growth == ()


def test_every_count_of_releases_is_looked_at_and_the_last_is_the_first_look() -> None:
    result = played(3)
    assert [[after.releases for after in series] for series in result.after] == [[1, 2, 3]] * 15
    assert [series[-1].auc for series in result.after] == result.stages["first"].intervals["auc"][0].tolist()
    grown = read(result.result()).played_growth
    assert [after.releases for after in grown] == [1, 2, 3]
    assert grown[-1].median == pytest.approx(float(np.median(result.stages["first"].intervals["auc"][0])))


def test_half_of_the_people_are_counted_by_the_attack_that_was_played() -> None:
    finding = read(played(3).result(), 0.6).played_growth
    text = sentences(finding, is_set=True, is_played=True)
    assert text.startswith("By the attack that was run: After ")
    by_hand = [sum(series[index].auc > 0.6 for series in played(3).after) for index in range(3)]
    assert [after.above for after in finding] == by_hand
    reached = [index + 1 for index, above in enumerate(by_hand) if 2 * above >= 15]
    assert half_above(finding) == ((reached[0], reached[0] - 1) if reached else None)


@pytest.mark.second
def test_who_sees_the_first_release_reaches_what_the_game_of_one_release_does() -> None:
    """Means over 15 people, of 300 trainings a side: the games have other releases, and the same law."""
    after, alone = played(3, 300, certificate=True), played(1, 300)
    by_count = np.array([[after.auc for after in series] for series in after.after])
    assert abs(by_count[:, 0].mean() - alone.stages["first"].intervals["auc"][0].mean()) < 0.015
    assert (np.diff(by_count.mean(axis=0)) > 0.02).all()
    best = {certificate.record: [each.auc for each in certificate.after] for certificate in after.certificates}
    room = np.array([best[row] for row in after.rows.tolist()]) - by_count
    assert room.min() > -0.09  # four standard errors of an AUC of 300 trainings a side
    assert room.mean() > 0
