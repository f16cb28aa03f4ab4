"""For whom risk is highest: counted by hand, against loops that share no code, and how often it is wrong."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import mannwhitneyu

from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats import subgroups as looks
from riskkit.stats.campaign import Many
from riskkit.stats.roc import placements
from riskkit.stats.subgroups import Means, SharedMeans, Subgroup, Subgroups, gaps, subgroups, subgroups_of_trainings

Numbers = npt.NDArray[np.float64]
SHARES = ("share", "share of copies", "share that is rare", "share from other heights")
TRAINED = ("trainings alone", "trainings", "trainings most")


def by_name(groups: Subgroups) -> dict[tuple[str, int], Subgroup]:
    return {(subgroup.by, subgroup.code): subgroup for subgroup in groups.each}


def nasty(seed: int, n: int = 300) -> tuple[Numbers, npt.NDArray[np.bool_], dict[str, npt.NDArray[np.int64]]]:
    """Scores with many ties, sides of different size, groups of any size, numbered with gaps."""
    rng = stream(seed, "nasty")
    group = {
        "two": rng.integers(0, 2, n) * 7,
        "many": rng.choice(9, n, p=[0.3, 0.2, 0.2, 0.1, 0.06, 0.05, 0.04, 0.03, 0.02]),
    }
    is_in = rng.random(n) < np.where(group["two"] == 0, 0.6, 0.4)
    return np.round(rng.normal(size=n) + is_in * (group["many"] == 1), 1), is_in, group


def test_a_mean_is_set_beside_the_other_groups_and_not_beside_everybody() -> None:
    score = np.concatenate([np.tile([1.0, 3.0], 10), np.tile([5.0, 7.0], 5), np.tile([0.0, 2.0], 20), np.full(9, 50.0)])
    group = np.repeat([0, 1, 2, 3], [20, 10, 40, 9])
    groups = subgroups(score, {"by": group}, stream(1, "hand"))
    own = by_name(groups)
    assert groups.small == {"by": 1}, "nine people are no group, and count on nobody's side"
    assert groups.each[0].code == 1
    assert {code: subgroup.inside.value for (_, code), subgroup in own.items()} == pytest.approx(
        {0: 2.0, 1: 6.0, 2: 1.0}
    )
    assert own["by", 1].excess.value == pytest.approx(6 - (20 * 2 + 40 * 1) / 60)
    assert own["by", 0].excess.value == pytest.approx(2 - (10 * 6 + 40 * 1) / 50)
    assert [own["by", code].inside.n for code in (0, 1, 2)] == [20, 10, 40]


@pytest.mark.parametrize("seed", range(20))
def test_aucs_within_groups_are_those_of_mann_and_whitney(seed: int) -> None:
    score, is_in, group = nasty(seed)
    groups = subgroups(score, group, stream(seed, "deals"), is_in=is_in, deals=19)
    own = by_name(groups)
    for by, codes in group.items():
        kept, left = {}, 0
        for code in np.unique(codes):
            inside, outside = score[(codes == code) & is_in], score[(codes == code) & ~is_in]
            if min(len(inside), len(outside)) < 10:
                left += 1
                continue
            statistic = mannwhitneyu(inside, outside).statistic
            kept[int(code)] = statistic / len(inside) / len(outside), len(inside), len(outside)
        assert {code for name, code in own if name == by} == set(kept)
        assert groups.small.get(by, 0) == left
        for code, (auc, n_in, n_out) in kept.items():
            rest = [(a, m * n / (m + n)) for other, (a, m, n) in kept.items() if other != code]
            others = sum(a * w for a, w in rest) / sum(w for _, w in rest)
            assert own[by, code].inside.value == pytest.approx(auc)
            assert own[by, code].excess.value == pytest.approx(auc - others)
            assert own[by, code].inside.n == n_in + n_out


@pytest.mark.parametrize("seed", range(5))
def test_standard_errors_are_those_of_welch_and_of_delong(seed: int) -> None:
    score, is_in, group = nasty(seed)
    codes = group["two"]
    halves = [score[codes == code] for code in (0, 7)]
    excess = by_name(subgroups(score, {"two": codes}, stream(seed, "deals"), deals=39))["two", 0].excess
    welch = np.sqrt(sum(half.var(ddof=1) / len(half) for half in halves))
    reach = (excess.high - excess.value) / welch
    spread = 0.0
    for code in (0, 7):
        inside, outside = score[(codes == code) & is_in], score[(codes == code) & ~is_in]
        above = (inside[:, None] > outside) + 0.5 * (inside[:, None] == outside)
        spread += above.mean(axis=1).var(ddof=1) / len(inside) + above.mean(axis=0).var(ddof=1) / len(outside)
    aucs = by_name(subgroups(score, {"two": codes}, stream(seed, "deals"), is_in=is_in, deals=39))["two", 0].excess
    assert 1.5 < reach < 3.5
    assert 1.5 < (aucs.high - aucs.value) / np.sqrt(spread) < 3.5
    assert excess.value - excess.low == pytest.approx(excess.high - excess.value)


def test_an_interval_leaves_zero_out_just_where_p_is_small() -> None:
    for seed in range(15):
        score, is_in, group = nasty(seed)
        for side in (None, is_in):
            for subgroup in subgroups(score, group, stream(seed, "deals"), is_in=side, deals=99).each:
                assert (subgroup.excess.low > 0 or subgroup.excess.high < 0) == (
                    subgroup.p < 0.05
                ) or subgroup.p == pytest.approx(0.05)


def test_equal_scores_tell_nobody_apart_and_a_column_of_one_group_is_not_looked_at() -> None:
    groups = subgroups(np.ones(60), {"a": np.arange(60) % 3, "b": np.zeros(60)}, stream(1, "equal"))
    assert groups.columns == ("a",)
    assert all(subgroup.p == 1 and subgroup.excess.value == 0 for subgroup in groups.each)
    none = subgroups(np.ones(60), {"b": np.zeros(60)}, stream(1, "equal"))
    assert (none.each, none.columns, none.deals) == ((), (), 0)


def test_lists_of_other_lengths_and_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(ScoreError, match="differ in length"):
        subgroups([1.0, 2.0], {"a": [0]}, stream(1, "bad"))
    with pytest.raises(ScoreError, match="not finite"):
        subgroups([1.0, np.nan], {"a": [0, 1]}, stream(1, "bad"))


def columns(rng: np.random.Generator, n: int) -> dict[str, npt.NDArray[np.int64]]:
    """Columns as people have them: some go together, some have rare values."""
    age = rng.integers(0, 4, n)
    region = rng.choice(6, n, p=[0.5, 0.2, 0.12, 0.08, 0.06, 0.04])
    return {
        "sex": rng.integers(0, 2, n),
        "age": age,
        "region": region,
        "job": np.where(rng.random(n) < 0.7, age, region),
    }


def made(what: str, seed: int, n: int = 400) -> Subgroups:
    """Groups of people among whom nobody is at higher risk, or the people of region 2 are."""
    rng = stream(seed, what)
    group, is_in = columns(rng, n), rng.random(n) < 0.5
    noise = rng.normal(size=n)
    if what == "skewed":
        return subgroups(0.5 + 0.4 * rng.beta(0.3, 3, n), group, rng, deals=99)
    if what == "spread":
        return subgroups(noise * (1 + group["region"]), group, rng, deals=99)
    if what == "planted mean":
        return subgroups(noise + 0.9 * (group["region"] == 2), group, rng, deals=99)
    if what == "one leak for all":
        return subgroups(np.round(noise + 0.5 * is_in, 1), group, rng, is_in=is_in, deals=99)
    if what == "shifted":  # a group scores high on both sides, which is no leak
        return subgroups(noise + 0.5 * is_in + 1.5 * group["age"], group, rng, is_in=is_in, deals=99)
    if what.startswith("share"):
        return shares(what, group, is_in, rng)
    if what.startswith("trainings"):
        return trained(what, group, rng)
    assert what == "planted leak"
    return subgroups(noise + 2.5 * (is_in & (group["region"] == 2)), group, rng, is_in=is_in, deals=99)


def shares(
    what: str, group: dict[str, npt.NDArray[np.int64]], is_in: npt.NDArray[np.bool_], rng: np.random.Generator
) -> Subgroups:
    """People who are found or not, more often where they were in, and by as much in all groups but a planted one."""
    weight = rng.choice([1, 1, 1, 5, 20], len(is_in)) if "copies" in what else np.ones(len(is_in))
    likely = {
        "share": 0.1 + 0.2 * is_in,
        "share of copies": 0.1 + 0.2 * is_in,
        "share of copies apart": 0.1 + 0.2 * is_in,
        "share that is rare": np.full(len(is_in), 0.03),
        "share from other heights": np.array([0.02, 0.1, 0.3, 0.5])[group["age"]] + 0.1 * is_in,
        "share planted": 0.1 + 0.05 * is_in + 0.6 * (is_in & (group["region"] == 2)),
    }[what]
    if what == "share of copies apart":  # every person for themselves
        each = np.repeat(np.arange(len(is_in)), weight)
        hit = (rng.random(len(is_in)) < likely)[each]
        apart = {by: own[each] for by, own in group.items()}
        return gaps(hit, np.ones(len(each)), apart, rng, is_in=is_in[each], deals=99)
    return gaps(rng.random(len(is_in)) < likely, weight, group, rng, is_in=is_in, deals=99)


def trained(
    what: str, group: dict[str, npt.NDArray[np.int64]], rng: np.random.Generator, trainings: int = 60
) -> Subgroups:
    """AUCs from trainings that people share: chance in a training moves all people of a region alike."""
    region, alike = group["region"], {"trainings alone": 0.0, "trainings": 0.3, "trainings most": 0.8}.get(what, 0.3)
    sides = [
        np.sqrt(alike) * rng.normal(size=(6, trainings))[region]
        + np.sqrt(1 - alike) * rng.normal(size=(len(region), trainings))
        for _ in range(2)
    ]
    risk = 0.5 + 0.3 * rng.normal(size=len(region)) + 0.8 * ((region == 2) & (what == "trainings planted"))
    placed = placements(*Many(sides[0] + risk[:, None], sides[1]).arms)
    if what == "trainings ignored":
        return subgroups(placed.auc, group, rng, deals=99)
    return subgroups_of_trainings(placed.auc, (placed.inside, placed.outside), group, rng, deals=99)


def wrong(what: str, times: int) -> float:
    return float(np.mean([any(subgroup.p <= 0.05 for subgroup in made(what, seed).each) for seed in range(times)]))


@pytest.mark.second
@pytest.mark.parametrize(("times", "most"), [(100, 11), pytest.param(200, 18, marks=pytest.mark.slow)])
@pytest.mark.parametrize("what", ["skewed", "spread", "one leak for all", "shifted", *SHARES, *TRAINED])
def test_where_nobody_is_at_higher_risk_a_group_is_shown_in_one_of_twenty(what: str, times: int, most: int) -> None:
    assert wrong(what, times) * times <= most + 0.5  # the chance of more is under 1 % at 5 %


@pytest.mark.second
@pytest.mark.parametrize("what", ["planted mean", "planted leak", "share planted", "trainings planted"])
def test_a_planted_group_is_found_first(what: str) -> None:
    first = [made(what, seed).each[0] for seed in range(40)]
    assert sum((subgroup.by, subgroup.code) == ("region", 2) and subgroup.p <= 0.05 for subgroup in first) >= 32


@pytest.mark.second
def test_planted_fault_each_group_looked_at_alone_would_show_one_in_most_audits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looks, "_furthest", lambda z: float(abs(z[0])))
    assert wrong("skewed", 40) > 0.3


@pytest.mark.second
def test_planted_fault_differences_without_their_errors_would_show_the_group_that_varies_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looks.SubgroupNumbers, "z", property(lambda numbers: numbers.excess))
    assert wrong("spread", 60) > 0.15


@pytest.mark.second
def test_planted_fault_without_the_error_of_shared_trainings_luck_of_a_release_is_a_group_at_risk() -> None:
    assert wrong("trainings ignored", 30) > 0.3


@pytest.mark.second
def test_planted_fault_copies_dealt_one_by_one_show_groups_that_are_none() -> None:
    """People of one record are found together: were each taken for a record of its own, luck would pass for a leak."""
    assert wrong("share of copies apart", 30) > 0.3


def test_differences_of_shares_are_weighted_by_people_and_counted_by_hand() -> None:
    is_in = np.repeat([True, False], 60)
    group = np.tile(np.repeat([0, 1], 30), 2)
    score, weight = np.zeros(120), np.ones(120)
    score[:6], weight[0] = 1.0, 31.0  # of 60 people of the first group who were in, 36 are found; 31 of one record
    score[60:66] = 1.0  # of 30 who were not in, 6
    score[90:93] = 1.0  # and 3 of 30 of the other group
    own = by_name(gaps(score, weight, {"by": group}, stream(1, "hand"), is_in=is_in))
    assert own["by", 0].inside.value == pytest.approx(36 / 60 - 6 / 30)
    assert own["by", 1].inside.value == pytest.approx(0 - 3 / 30)
    assert own["by", 0].excess.value == pytest.approx(0.4 + 0.1)
    assert (own["by", 0].inside.n, own["by", 1].inside.n) == (90, 60)


def test_the_error_of_trainings_is_that_of_means_over_people_training_by_training() -> None:
    """Against a loop that shares no code: the spread over trainings of what a group's mean would be by each alone."""
    rng = stream(3, "trainings")
    group = rng.integers(0, 3, 90)
    sides = [rng.normal(size=(90, 40)) + rng.normal(size=(3, 40))[group] for _ in range(2)]
    value = rng.normal(size=90)
    numbers = SharedMeans(value, sides).measure(looks.SubgroupLooks.group({"by": group}, None)[0], np.arange(90))
    people = Means(value).measure(looks.SubgroupLooks.group({"by": group}, None)[0], np.arange(90))
    for code in range(3):
        own = group == code
        spread = 0.0
        for side in sides:
            by_training = side[own].mean(axis=0)
            spread += by_training.var(ddof=1) / 40 - sum(row.var(ddof=1) / 40 for row in side[own]) / own.sum() ** 2
        assert numbers.variance[code] - people.variance[code] == pytest.approx(spread)
        rest = 0.0
        for side in sides:
            apart = side[own].mean(axis=0) - side[~own].mean(axis=0)
            rest += apart.var(ddof=1) / 40
            rest -= sum(row.var(ddof=1) / 40 for row in side[own]) / own.sum() ** 2
            rest -= sum(row.var(ddof=1) / 40 for row in side[~own]) / (~own).sum() ** 2
        assert numbers.of_excess[code] - people.of_excess[code] == pytest.approx(rest)
