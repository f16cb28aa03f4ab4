"""The nouns: what they hold, what they refuse, and what they can be asked."""

import math
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.core import Column, Estimate, Kind, Role, Schema, Scores, Table, Targets
from riskkit.errors import DesignError, ParameterError, ScoreError
from riskkit.parameters import check_parameters, parameter
from riskkit.registry import settings
from riskkit.table.encode import onehot
from tests.tables import mixed

PAIR = Schema((Column("sex", Kind.CATEGORICAL, levels=("f", "m")), Column("age", Kind.NUMERIC, low=0, high=99)))


def pair(codes: list[int], numbers: list[float]) -> Table:
    return Table(PAIR, np.array(codes).reshape(-1, 1), np.array(numbers, dtype=float).reshape(-1, 1))


# --- schema ---------------------------------------------------------------------------------------------------------


def test_only_columns_that_can_be_modelled_and_are_in_use_are_held() -> None:
    kept = Column("age", Kind.NUMERIC), Column("sex", Kind.CATEGORICAL), Column("born", Kind.DATE, Role.SECRET)
    left = (
        Column("id", Kind.ID),
        Column("note", Kind.TEXT),
        Column("site", Kind.CONSTANT),
        Column("zip", Kind.CATEGORICAL, Role.IGNORED),
        Column("number", Kind.NUMERIC, Role.ID),
    )
    schema = Schema((left[0], kept[0], left[1], kept[1], left[2], left[3], kept[2], left[4]))
    assert schema.modelled == kept
    assert schema.numeric == (kept[0], kept[2])
    assert schema.categorical == (kept[1],)


def test_a_column_is_found_by_name_and_replaced_in_place() -> None:
    changed = PAIR.with_column(replace(PAIR.column("sex"), role=Role.IGNORED))
    assert [column.name for column in changed.columns] == ["sex", "age"]
    assert changed.categorical == ()
    assert changed.numeric == PAIR.numeric
    with pytest.raises(DesignError, match=r"no column named 'height'.*Data page"):
        PAIR.column("height")


def test_schemas_are_equal_and_hash_by_their_columns() -> None:
    assert Schema(PAIR.columns) == PAIR
    assert hash(Schema(PAIR.columns)) == hash(PAIR)
    assert Schema(PAIR.columns[::-1]) != PAIR
    assert pickle.loads(pickle.dumps(PAIR)) == PAIR


# --- table ----------------------------------------------------------------------------------------------------------


def test_a_table_cannot_be_written_to() -> None:
    table = mixed(5)
    with pytest.raises(ValueError, match="read-only"):
        table.codes[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        table.numbers[0, 0] = 1.0
    with pytest.raises(FrozenInstanceError):
        table.codes = table.codes  # type: ignore[misc]


def test_locking_leaves_the_callers_own_array_writeable() -> None:
    mine = np.zeros((2, 1), dtype=np.int32)
    Table(PAIR, mine, np.zeros((2, 1)))
    mine[0, 0] = 1
    assert mine[0, 0] == 1


def test_arrays_have_the_types_that_are_promised() -> None:
    table = Table(PAIR, np.zeros((2, 1), dtype=np.int64), np.zeros((2, 1), dtype=np.float32))
    assert table.codes.dtype == np.dtype(np.int32)
    assert table.numbers.dtype == np.dtype(np.float64)


@pytest.mark.parametrize(
    ("codes", "numbers"),
    [
        (np.zeros((3, 2)), np.zeros((3, 1))),
        (np.zeros((3, 1)), np.zeros((3, 0))),
        (np.zeros((3, 1)), np.zeros((2, 1))),
        (np.zeros(3), np.zeros((3, 1))),
        (np.zeros((3, 1)), np.zeros(3)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(codes: Any, numbers: Any) -> None:
    with pytest.raises(DesignError, match=r"1 categorical and 1 numeric .* shape"):
        Table(PAIR, codes, numbers)


def test_codes_outside_the_levels_are_refused_without_saying_the_value() -> None:
    with pytest.raises(DesignError, match="'sex' has a code beyond its 2 levels"):
        pair([0, 2], [1, 2])
    with pytest.raises(DesignError, match="negative"):
        pair([0, -1], [1, 2])


def test_a_relaxed_form_has_as_many_rows() -> None:
    table = mixed(4)
    form = onehot(table)
    assert not replace(table, relaxed=form).relaxed.flags.writeable  # type: ignore[union-attr]
    with pytest.raises(DesignError, match="as many rows"):
        replace(table, relaxed=form[:3])


@pytest.mark.parametrize("index", [[2, 0, 2], slice(1, 4), np.array([False, True, False, True, True]), [-1], []])
def test_rows_are_those_that_numpy_would_take(index: Any) -> None:
    table = mixed(5)
    table = replace(table, relaxed=onehot(table))
    taken = index if len(index if not isinstance(index, slice) else "x") else np.empty(0, dtype=int)
    chosen = table.rows(index)
    np.testing.assert_array_equal(chosen.codes, table.codes[taken])
    np.testing.assert_array_equal(chosen.numbers, table.numbers[taken])
    np.testing.assert_array_equal(chosen.relaxed, table.relaxed[taken])  # type: ignore[index, arg-type]
    assert len(chosen) == len(table.codes[taken])


def test_without_leaves_out_one_row_and_plus_puts_it_back_at_the_end() -> None:
    table = pair([0, 1, 0], [1, 2, 3])
    rest = table.without(1)
    assert rest.numbers.ravel().tolist() == [1, 3]
    back = rest.plus(table.rows([1]))
    assert back.numbers.ravel().tolist() == [1, 3, 2]
    assert back.codes.ravel().tolist() == [0, 0, 1]
    assert sorted(back.keys().tolist()) == sorted(table.keys().tolist())
    with pytest.raises(IndexError):
        table.without(3)


def test_plus_drops_the_relaxed_form_and_refuses_another_schema() -> None:
    table = mixed(4)
    assert replace(table, relaxed=onehot(table)).plus(table).relaxed is None
    with pytest.raises(DesignError, match="one schema"):
        table.plus(pair([0], [1]))


def test_keys_are_equal_when_and_only_when_the_records_are() -> None:
    table = pair([0, 0, 1, 0, 0, 0], [0.0, -0.0, 0.0, 1.0, math.nan, -math.nan])
    assert np.signbit(table.numbers[1, 0])
    _, group = np.unique(table.keys(), return_inverse=True)
    assert group[0] == group[1]  # -0.0 is 0.0
    assert group[4] == group[5]  # missing is missing, whatever its bits
    assert len(set(group)) == 4
    assert np.signbit(table.numbers[1, 0])  # and the table is as it was


def test_keys_of_mixed_rows_agree_with_a_comparison_cell_by_cell() -> None:
    table = mixed(60).plus(mixed(60).rows([5, 7, 5]))
    rows = [
        (*codes, *(None if math.isnan(x) else x for x in numbers))
        for codes, numbers in zip(table.codes.tolist(), table.numbers.tolist(), strict=True)
    ]
    same = np.array([[a == b for b in rows] for a in rows])
    keys = table.keys()
    np.testing.assert_array_equal(keys[:, None] == keys[None, :], same)
    assert len(mixed(3).rows([]).keys()) == 0


def test_a_table_travels_to_another_process_and_stays_locked() -> None:
    table = mixed(6)
    again = pickle.loads(pickle.dumps(table))
    assert again.schema == table.schema
    np.testing.assert_array_equal(again.keys(), table.keys())


def test_targets_name_their_rows_and_one_of_them_can_be_taken() -> None:
    table = mixed(20)
    targets = Targets(np.array([4, 9, -1]), table.rows([4, 9, 9]))
    ninth = targets.single(1)
    assert (len(targets), len(ninth), ninth.index.tolist()) == (3, 1, [9])
    np.testing.assert_array_equal(ninth.table.keys(), table.keys()[[9]])
    assert not targets.index.flags.writeable
    with pytest.raises(DesignError, match="one row number"):
        Targets(np.array([4]), table.rows([4, 9]))


# --- scores ---------------------------------------------------------------------------------------------------------


def scores(**changed: Any) -> Scores:
    arrays = {"value": [0.1, 0.2, 0.3, 0.4], "is_in": [1, 1, 0, 0], "training": [0, 0, 1, 2], "target": [0] * 4}
    return Scores(**{name: np.array(values) for name, values in {**arrays, **changed}.items()}, attack="mvl")


def test_scores_count_trainings_and_not_trials() -> None:
    played = scores()
    assert (len(played), played.trainings(True), played.trainings(False)) == (4, 1, 2)
    assert not played.value.flags.writeable


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_scores_that_are_not_finite_are_counted_and_refused(bad: float) -> None:
    with pytest.raises(ScoreError, match=r"2 of 4 scores of attack 'mvl'"):
        scores(value=[bad, 0.0, bad, 1.0])


@pytest.mark.parametrize("name", ["value", "is_in", "training", "target"])
def test_scores_of_different_lengths_are_refused(name: str) -> None:
    with pytest.raises(ScoreError, match="for each trial"):
        scores(**{name: [1]})
    with pytest.raises(ScoreError, match="for each trial"):
        scores(**{name: [[1], [1], [0], [0]]})


def test_one_training_cannot_be_of_both_worlds() -> None:
    with pytest.raises(ScoreError, match="both with and without"):
        scores(training=[0, 1, 1, 2])


# --- estimate -------------------------------------------------------------------------------------------------------

AUC = Estimate("auc", 0.7, 0.6, 0.8, 0.95, "newcombe", 20)


@pytest.mark.parametrize("name", ["value", "low", "high", "level"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_an_estimate_is_finite(name: str, bad: float) -> None:
    with pytest.raises(DesignError, match="auc is not a finite number"):
        replace(AUC, **{name: bad})


@pytest.mark.parametrize("changed", [{"value": 0.59}, {"value": 0.81}, {"low": 0.9, "high": 0.5}])
def test_an_interval_holds_its_value(changed: dict[str, float]) -> None:
    with pytest.raises(DesignError, match="does not hold its value"):
        replace(AUC, **changed)


def test_an_interval_may_end_at_its_value() -> None:
    assert replace(AUC, value=0.6).value == 0.6
    assert replace(AUC, value=0.8).value == 0.8


def test_labels_are_added_and_the_estimate_left_as_it_was() -> None:
    named = AUC.label(attack="mvl", target="random").label(target="selective")
    assert dict(named.labels) == {"attack": "mvl", "target": "selective"}
    assert AUC.labels == {}
    assert named.as_dict() == {
        "name": "auc",
        "value": 0.7,
        "low": 0.6,
        "high": 0.8,
        "level": 0.95,
        "method": "newcombe",
        "n": 20,
        "attack": "mvl",
        "target": "selective",
    }


def test_no_label_takes_the_place_of_a_number() -> None:
    assert AUC.label(value="0.5", n="many", record="7").as_dict() == {**AUC.as_dict(), "record": "7"}


def test_an_estimate_is_shown_with_its_interval() -> None:
    assert str(AUC) == "0.70 [0.60, 0.80]"


# --- parameters -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """A stand-in with a field of each kind."""

    name: ClassVar[str] = "machine"
    count: int = parameter(3, label="Count", help="How many.", low=1, high=9)
    share: float = parameter(0.5, label="Share", help="How much.", low=0.0, high=1.0)
    least: float = parameter(0.0, label="Least", help="No upper end.", low=-2.0)
    way: str = parameter("left", label="Way", help="Where to.", choices=("left", "right"))
    fast: bool = parameter(False, label="Fast", help="In a hurry.")

    def __post_init__(self) -> None:
        check_parameters(self)


@pytest.mark.parametrize(
    "good", [{"count": 1}, {"count": 9}, {"share": 0}, {"share": 1.0}, {"least": 1e9}, {"way": "right"}, {"fast": True}]
)
def test_values_inside_their_range_ends_included_are_taken(good: dict[str, Any]) -> None:
    ((name, value),) = good.items()
    assert getattr(Machine(**good), name) == value


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"count": 0}, "machine: count is 0; it must be at least 1 and at most 9."),
        ({"count": 10}, "machine: count is 10; it must be at least 1 and at most 9."),
        ({"count": True}, "machine: count is True; it must be a number."),
        ({"count": 2.5}, "machine: count is 2.5; it must be a whole number."),
        ({"count": "3"}, "machine: count is '3'; it must be a number."),
        ({"count": None}, "machine: count is None; it must be a number."),
        ({"share": math.nan}, "machine: share is nan; it must be a number."),
        ({"share": -0.01}, "machine: share is -0.01; it must be at least 0.0 and at most 1.0."),
        ({"least": math.inf}, "machine: least is inf; it must be a number."),
        ({"way": "up"}, "machine: way is 'up'; it may be 'left', 'right'."),
        ({"fast": "false"}, "machine: fast is 'false'; it must be true or false."),
        ({"fast": 1}, "machine: fast is 1; it must be true or false."),
    ],
)
def test_other_values_are_refused_with_a_sentence(bad: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError) as refused:
        Machine(**bad)
    assert str(refused.value) == sentence


def test_a_form_reads_what_the_field_declares() -> None:
    count, share, least, way, fast = settings(Machine)
    assert (count.name, count.type, count.default, count.label, count.help) == ("count", int, 3, "Count", "How many.")
    assert (count.low, count.high, share.type, least.high) == (1, 9, float, None)
    assert (way.choices, fast.choices, fast.type) == (("left", "right"), None, bool)
