"""What a file gives away, in words: every state of each, with its figures and without a promise.

What was counted stands in tests/audit/test_give_aways.py, what it does to a verdict in
tests/report/audited/test_give_away_verdicts.py.
"""

import pytest

from riskkit.core import Estimate
from riskkit.judging.give_aways import GiveAway, State, count_all, repair, sentence, short
from riskkit.stats.copies import copy_rate

ORDER = {"share": 0.974, "z": 31.0, "kind": "row by row"}
COPIES = {"rows": 90, "k_in": 87, "n_in": 290, "k_out": 2, "n_out": 200, "alone": 88, "has_holdout": True}
EXCESS = Estimate("copied", 0.29, 0.22, 0.36, 0.983, "m", 490)
CARRIED = {"column": "id", "shared": 40, "of": 300, "expected": 0.2, "linked": 0, "here": 0.0, "elsewhere": 0.0}
LINKED = {**CARRIED, "linked": 300, "here": 0.61, "elsewhere": 0.32}

WRITTEN = {"column": "note", "letters": 30, "k_in": 30, "n_in": 100, "k_out": 1, "n_out": 100, "has_holdout": True}
VALUES = {"k_in": 300, "n_in": 500, "k_out": 20, "n_out": 500, "left_out": 2}
AUC = Estimate("auc", 0.7, 0.6, 0.8, 0.9875, "m", 1000)
PEOPLE_ORDER = {**ORDER, "is_by_place": True}
BOTH = {"rows": 300, "most": 24, "of_holdout": 290, "most_of_holdout": 30, "is_many": True}
EVERY = [
    GiveAway("row_order", State.SHOWN, ORDER),
    GiveAway("row_order", State.OPEN, ORDER),
    GiveAway("row_order", State.NOT_SHOWN, {**ORDER, "share": 0.501, "z": 0.2}),
    GiveAway("row_order", State.TOO_SMALL),
    GiveAway("copies", State.SHOWN, COPIES, EXCESS),
    GiveAway("copies", State.NOT_SHOWN, COPIES, EXCESS),
    GiveAway("copies", State.NOT_SHOWN, {**COPIES, "rows": 0, "alone": 0}, EXCESS),
    GiveAway("copies", State.NOT_SHOWN, {**COPIES, "alone": 0, "k_in": 0, "n_in": 0}),
    GiveAway("copies", State.OPEN, {**COPIES, "n_out": 3}),
    GiveAway("copies", State.OPEN, {**COPIES, "k_out": 0, "n_out": 0, "has_holdout": False}),
    GiveAway("copies", State.NOT_SHOWN, {**COPIES, "rows": 0, "alone": 0, "n_out": 0, "has_holdout": False}),
    GiveAway("identifiers", State.SHOWN, CARRIED),
    GiveAway("identifiers", State.SHOWN, LINKED),
    GiveAway("identifiers", State.NOT_SHOWN, CARRIED),
    GiveAway("texts", State.SHOWN, WRITTEN, EXCESS),
    GiveAway("texts", State.NOT_SHOWN, WRITTEN, EXCESS),
    GiveAway("texts", State.NOT_SHOWN, {**WRITTEN, "k_in": 0}, EXCESS),
    GiveAway("texts", State.OPEN, {**WRITTEN, "n_out": 3}),
    GiveAway("texts", State.OPEN, {**WRITTEN, "has_holdout": False}),
    GiveAway("child_order", State.SHOWN, PEOPLE_ORDER),
    GiveAway("child_order", State.SHOWN, {**PEOPLE_ORDER, "is_by_place": False}),
    GiveAway("child_order", State.OPEN, {**PEOPLE_ORDER, "kind": "common order"}),
    GiveAway("child_order", State.NOT_SHOWN, {**PEOPLE_ORDER, "kind": "none"}),
    GiveAway("child_order", State.NOT_SHOWN, {**PEOPLE_ORDER, "kind": "sorted"}),
    GiveAway("child_order", State.TOO_SMALL),
    GiveAway("child_row_order", State.SHOWN, ORDER),
    GiveAway("child_row_order", State.OPEN, {**ORDER, "kind": "common order"}),
    GiveAway("child_row_order", State.NOT_SHOWN, {**ORDER, "kind": "none"}),
    GiveAway("child_row_order", State.NOT_SHOWN, {**ORDER, "kind": "sorted"}),
    GiveAway("child_row_order", State.TOO_SMALL),
    GiveAway("values", State.SHOWN, VALUES, AUC),
    GiveAway("values", State.NOT_SHOWN, VALUES, AUC),
    GiveAway("values", State.NOT_SHOWN, VALUES),
    GiveAway("values", State.NOT_SHOWN, {**VALUES, "k_in": 0}),
    GiveAway("values", State.TOO_SMALL, VALUES),
    GiveAway("recoded_copies", State.SHOWN, COPIES, EXCESS),
    GiveAway("recoded_copies", State.NOT_SHOWN, {**COPIES, "rows": 0, "alone": 0}, EXCESS),
    GiveAway("recoded_copies", State.OPEN, {**COPIES, "has_holdout": False}),
    GiveAway("near_values", State.SHOWN, VALUES, AUC),
    GiveAway("near_copies", State.SHOWN, COPIES, EXCESS),
    GiveAway("gaps", State.OPEN, {"auc": AUC}),
    GiveAway("identifiers", State.SHOWN, {**CARRIED, "other": "case"}),
    GiveAway("identifiers", State.NOT_SHOWN, {**CARRIED, "shared": 0, "is_alike": False}),
    GiveAway("near_copies", State.SHOWN, BOTH),
    GiveAway("crowd", State.OPEN, {"share": 0.5}),
    *(GiveAway(code, State.SHOWN, VALUES, AUC).of_other_people() for code in ("values", "near_values")),
    GiveAway("near_copies", State.SHOWN, COPIES, EXCESS).of_other_people(),
]


@pytest.mark.parametrize("give_away", EVERY, ids=str)
def test_every_state_has_a_sentence_and_those_that_matter_a_repair(give_away: GiveAway) -> None:
    text = sentence(give_away)
    assert text.endswith(".")
    assert "{" not in text
    assert "safe" not in text
    assert bool(repair(give_away)) == (give_away.state in (State.SHOWN, State.OPEN))
    assert short(give_away)


TOLD = {
    0: (
        "The release is in the order of the real table: its rows are most like those at the same place in 97 % of "
        "comparisons (50 % where the order says nothing; z = 31.0). The order of the rows reveals who is who."
    ),
    4: (
        "90 rows of the real table stand in the release as they are: 30 % of the different people in the real table, "
        "1 % of the different people in the holdout (difference 29 % [22 %, 36 %]). The release copies people."
    ),
    6: "No row of the real table stands in the release as it is.",
    7: "90 rows of the real table stand in the release as they are; each of them is a row of the holdout too.",
    9: (
        "90 rows of the real table stand in the release as they are. Whether that is more than chance cannot be said "
        "without a holdout."
    ),
    11: (
        "Of 300 identifiers in id that were checked, 40 are those of real people; 0 would be expected if "
        "all had been newly made."
    ),
    12: (
        "The identifiers in id lead from released rows to real ones: such pairs agree in 61 % of their cells, other "
        "pairs in 32 %."
    ),
    19: (
        "In the second table person i of the release lies nearer to person i of the real table than to another in 97 % "
        "of comparisons (50 % where the order says nothing; z = 31.0), and more so than the people around would "
        "explain: the order reveals who is who."
    ),
    25: (
        "In the second table rows of a released person stand in the order of the rows of the most similar real person "
        "in 97 % of comparisons (50 % where the order says nothing; z = 31.0), and not in that of other people: the "
        "order was carried over, and helps to tell whose rows they are."
    ),
    41: (
        "Of 300 values or words in id that look like identifiers in case, 40 are those of real people; 0 would "
        "be expected if all had been newly made."
    ),
    42: ("The released identifiers in id look otherwise than those of real people, so the two could not be compared."),
    44: ("50 % of the released rows lie about one real person, less than half as far away as any other person is."),
}


@pytest.mark.parametrize(("index", "text"), TOLD.items())
def test_sentences_word_by_word(index: int, text: str) -> None:
    assert sentence(EVERY[index]) == text


def test_what_is_not_shown_is_not_called_chance() -> None:
    """No test shows that nobody was copied; it can only fail to show that somebody was."""
    for number in (5, 13):
        assert EVERY[number].state is State.NOT_SHOWN
        assert sentence(EVERY[number]).endswith("That is not shown to be more than chance.")


def test_no_end_of_nought_stands_beside_a_leak_that_is_shown() -> None:
    """Ten of 800 against none: Fisher's test shows it, and the limits of both shares meet at nought."""
    counts = {**COPIES, "rows": 10, "alone": 10, "k_in": 10, "n_in": 800, "k_out": 0, "n_out": 800}
    excess = copy_rate(10, 800, 0, 800, level=0.993)
    assert excess.low == 0
    words = sentence(GiveAway("near_copies", State.SHOWN, counts, excess))
    assert "1.2 % of the different people in the real table, 0.0 % of" in words
    assert "(difference 1.2 %, at most 2.9 %)" in words


def test_of_a_holdout_of_other_people_no_leak_is_said() -> None:
    for give_away in EVERY[-3:]:
        assert (give_away.state, give_away.is_swapped) == (State.OPEN, False)
        for count in (count_all, lambda people: "fewer than 1,000"):
            assert "holdout is of other people than the real table" in sentence(give_away, count)
            assert "The release" not in sentence(give_away, count).replace("from the release", "")
        assert repair(give_away).startswith("Load a holdout drawn from the same people")


def test_none_is_told_of_as_none() -> None:
    none = GiveAway("recoded_copies", State.NOT_SHOWN, {**COPIES, "rows": 0, "alone": 0}, EXCESS)
    assert sentence(none) == "Renumbered in the way that fits best, the release holds 0 of the real rows."


def test_one_row_is_told_of_as_one() -> None:
    single = GiveAway("copies", State.OPEN, {**COPIES, "rows": 1, "has_holdout": False})
    assert sentence(single).startswith("1 row of the real table stands in the release as it is.")
    assert sentence(single, lambda _: "fewer than 10").startswith("Fewer than 10 rows of the real table stand")


def test_counts_and_columns_are_written_as_the_reader_may_see_them() -> None:
    def count(value: float) -> str:
        return f"<{value:g}>"

    assert sentence(EVERY[4], count).startswith("<90> rows")
    carried = sentence(EVERY[11], count, lambda name: f"column of {len(name)} letters")
    assert "in column of 2 letters that were checked, <40> are" in carried
    assert "; <0.2> would be" in carried
    assert "id" not in sentence(EVERY[12], count, lambda _: "column 3").split()


def test_each_kind_has_its_own_words() -> None:
    kinds = {give_away.code: give_away for give_away in EVERY if give_away.state is State.SHOWN}
    assert set(kinds) == {
        "row_order",
        "copies",
        "recoded_copies",
        "near_copies",
        "values",
        "near_values",
        "identifiers",
        "texts",
        "child_order",
        "child_row_order",
    }
    assert len({short(kind) for kind in kinds.values()}) == len({repair(kind) for kind in kinds.values()}) == 10
    assert "Shuffle" in repair(kinds["row_order"])
