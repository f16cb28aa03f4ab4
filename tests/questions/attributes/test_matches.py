"""CAP, DCAP and TCAP through a whole audit: counted by hand, at the null, on a copy, and their faults."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import ParameterError
from riskkit.games.attribute import play
from riskkit.questions.attributes import sides as attribute_matches
from riskkit.questions.attributes import words
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.stats.matches import Matches
from tests.questions.attributes.test_attributes import TREE, apart, copied, files, named, people, result

PLAN = AttributePlan(("job",), (("place",),), model=TREE)
SURE = replace(PLAN, known=(("place", "weight"),))
"""Known columns in which no two people are alike."""
HANDS = Schema(tuple(Column(name, Kind.CATEGORICAL, levels=tuple("abcdefgh")) for name in ("key", "other", "secret")))


def table(*rows: str) -> Table:
    """One row a word: key, other and secret as letters."""
    codes = np.array([["abcdefgh".index(letter) for letter in row] for row in rows], dtype=np.int32)
    return Table(HANDS, codes, np.empty((len(rows), 0)))


RELEASE = table("aaa", "aba", "aab", "bba", "caa", "cba", "daa", "dbb", "dab", "dbb")
"""By key a: secrets a, a, b; b: a; c: a, a; d: a, b, b, b. In all 6 of 10 are a."""
REAL = table("aaa", "abb", "bca", "bdb", "cea", "dfb", "ega", "fhb")
HOLDOUT = table("ada", "aea", "baa", "cgb", "dha", "eeb")


def by_hand(no_match: str) -> dict[str, Any]:
    plan = AttributePlan(("secret",), (("key",),), model="tree:leaf=1", no_match=no_match)
    return result(files(REAL, RELEASE, HOLDOUT), plan)


MEMBERS = [2 / 3, 1 / 3, 1, 0, 1, 3 / 4]
"""The share of their level among matching rows; keys e and f match nothing."""


@pytest.mark.parametrize(("no_match", "others"), [("prior", [0.6, 0.4]), ("nothing", [0.0, 0.0])])
def test_eight_members_by_hand(no_match: str, others: list[float]) -> None:
    kept = by_hand(no_match)
    prior = [0.6, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6, 0.4]
    members = {"trained_on": "release", "tested_on": "members"}
    assert named(kept, "matched", **members)["value"] == pytest.approx(6 / 8)
    assert named(kept, "agreed", **members)["value"] == pytest.approx(3 / 8)  # keys b, b and c
    assert named(kept, "cap", **members)["value"] == pytest.approx(np.mean(MEMBERS + others))
    assert named(kept, "dcap", **members)["value"] == pytest.approx(np.mean(MEMBERS + others) - np.mean(prior))
    assert any(words.NO_MATCH[no_match] in note for note in kept["notes"])
    assert named(kept, "cap", **members)["model"] == ("cap" if no_match == "prior" else "cap:no_match=nothing")


def test_members_are_beside_the_control() -> None:
    kept = by_hand("prior")
    control = [2 / 3, 2 / 3, 1, 0, 1 / 4, 0.4]
    gain = np.mean(control) - np.mean([0.6, 0.6, 0.6, 0.4, 0.6, 0.4])
    assert named(kept, "dcap", tested_on="control")["value"] == pytest.approx(gain)
    inside = np.mean([*MEMBERS, 0.6, 0.4]) - 0.5
    assert named(kept, "dcap_apart")["value"] == pytest.approx(inside - gain)
    assert any("so there is no TCAP" in note or "different records" in note for note in kept["notes"])


def independent(n: int = 2000) -> Any:
    """A release of the same marginals in which no column tells of another."""
    tables = apart(n)
    released = people(n, 900)
    codes = released.codes.copy()
    codes[:, 0] = np.random.default_rng(4).permutation(codes[:, 0])
    return replace(tables, synthetic=Table(released.schema, codes, released.numbers))


def check_an_independent_release_has_no_dcap() -> None:
    kept = result(independent(), PLAN)
    for side in ("members", "control"):
        dcap = named(kept, "dcap", tested_on=side)
        assert dcap["low"] <= 0.005
        assert abs(dcap["value"]) < 0.01
    assert abs(named(kept, "dcap_apart")["value"]) < 0.02


def test_an_independent_release_has_no_dcap() -> None:
    check_an_independent_release_has_no_dcap()


def test_a_dcap_without_its_baseline_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = attribute_matches._side_matches

    def without(answers: Any, side: str) -> Matches:
        matches = whole(answers, side)
        return replace(matches, prior=np.zeros_like(matches.prior))

    monkeypatch.setattr(attribute_matches, "_side_matches", without)
    with pytest.raises(AssertionError):
        check_an_independent_release_has_no_dcap()


def check_a_copy_tells_of_members_alone() -> None:
    kept = result(copied(600), SURE)
    inside, outside = (named(kept, "dcap", tested_on=side) for side in ("members", "control"))
    assert inside["low"] > 0.6
    assert outside["high"] < 0.01
    assert named(kept, "tcap", tested_on="members")["value"] == 1.0
    assert named(kept, "dcap_apart")["low"] > 0.6
    assert named(kept, "matched", tested_on="control")["value"] == 0.0


def test_a_copy_tells_of_members_alone() -> None:
    check_a_copy_tells_of_members_alone()


def test_looking_up_in_the_wrong_table_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play
    monkeypatch.setattr(
        attribute_matches,
        "play",
        lambda release, inside, outside, *more, **how: whole(outside, inside, outside, *more, **how),
    )
    with pytest.raises(AssertionError):
        check_a_copy_tells_of_members_alone()


def test_a_fact_about_the_population_shows_in_dcap_and_not_in_the_difference() -> None:
    played = run_attributes(apart(3000), PLAN)
    of = played.as_dict()
    assert named(of, "dcap", tested_on="control")["low"] > 0.1
    assert named(of, "dcap_apart")["low"] < 0 < named(of, "dcap_apart")["high"]
    assert "a fact about the population" in words.match_sentence(played.estimates)


def test_a_number_is_not_looked_up_and_known_numbers_are_taken_as_they_stand() -> None:
    kept = result(apart(300), replace(PLAN, secrets=("pay",)))
    assert not [entry for entry in kept["estimates"] if entry["name"] in words.NAMES]
    fine = result(apart(300), SURE)
    assert words.EXACT in fine["notes"]
    assert words.EXACT not in result(apart(300), PLAN)["notes"]


def test_without_a_holdout_members_stand_alone() -> None:
    played = run_attributes(replace(copied(300), holdout=None), SURE)
    assert "dcap_apart" not in {estimate.name for estimate in played.estimates}
    assert "cannot be said without people outside the data" in words.match_sentence(played.estimates)


def test_another_handling_is_refused() -> None:
    with pytest.raises(ParameterError, match="no_match"):
        AttributePlan(no_match="guess")
