"""Columns that agree once they are renumbered: planted ones, honest ones by simulation, and the steward's answer."""

from collections.abc import Callable

import numpy as np
import pytest

from riskkit.core import Floats, Kind
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables
from tests.table.files import loaded

SHARES = [0.4, 0.25, 0.15, 0.12, 0.08]
ROWS = 600


def answers(rng: np.random.Generator, shares: list[float] = SHARES) -> list[str]:
    return [str(1 + code) for code in rng.choice(len(shares), ROWS, p=shares)]


def incomes(rng: np.random.Generator) -> Floats:
    drawn: Floats = np.round(np.exp(rng.normal(10, 0.5, ROWS))).astype(np.float64)
    return drawn


def texts(numbers: Floats) -> list[str]:
    return [f"{number:g}" for number in numbers]


def codes(real: list[str], release: list[str], choice: ColumnChoice | None = None) -> dict[str, str]:
    tables = of(real, release, choice)
    return {column.column: column.code for column in tables.apart}


def of(real: list[str], release: list[str], choice: ColumnChoice | None = None) -> Tables:
    other = [str(20 + row % 60) for row in range(ROWS)]
    return loaded(
        {"age": other, "x": real}, {"age": other[9:] + other[:9], "x": release}, **{"x": choice} if choice else {}
    )


def renumbered(values: list[str], order: str = "35142") -> list[str]:
    return [order[int(value) - 1] for value in values]


@pytest.mark.parametrize("choice", [None, ColumnChoice(kind=Kind.CATEGORICAL)], ids=["numbers", "categories"])
def test_codes_in_another_order_are_asked_about(choice: ColumnChoice | None) -> None:
    rng = np.random.default_rng(1)
    real = answers(rng)
    assert codes(real, renumbered(real), choice) == {"x": "codes_apart"}
    assert codes(real, renumbered(answers(rng)), choice) == {"x": "codes_apart"}
    assert codes(real, answers(rng), choice) == {}


@pytest.mark.parametrize(
    "line", [lambda x: 60_000 - x, lambda x: x + 9_000, lambda x: x * 1.5, lambda x: 50_000 - x / 2]
)
def test_numbers_on_a_line_are_asked_about(line: Callable[[Floats], Floats]) -> None:
    rng = np.random.default_rng(2)
    real, other = incomes(rng), incomes(rng)
    assert codes(texts(real), texts(line(real))) == {"x": "line_apart"}
    assert codes(texts(real), texts(line(other))) == {"x": "line_apart"}
    assert codes(texts(real), texts(other)) == {}


def test_other_people_and_methods_that_miss_the_shares_somewhat_are_not_bothered() -> None:
    """At a chance of one in a million none of these 80 is asked about; shares a tenth off are no other order."""
    rng = np.random.default_rng(3)
    off = [0.36, 0.29, 0.13, 0.14, 0.08]
    for _ in range(20):
        real = answers(rng)
        assert codes(real, answers(rng)) == codes(real, answers(rng, off)) == {}
        assert codes(texts(incomes(rng)), texts(incomes(rng))) == {}
        assert codes(texts(incomes(rng)), texts(incomes(rng) * 1.03)) == {}


def test_other_shares_are_no_other_order() -> None:
    """Clearly apart as they are written, and in every order as well."""
    rng = np.random.default_rng(4)
    assert codes(answers(rng), answers(rng, [0.1, 0.2, 0.2, 0.2, 0.3])) == {}


def test_the_meaning_is_proposed_where_shares_tell_it_and_answers_the_question() -> None:
    rng = np.random.default_rng(5)
    real = answers(rng, [0.5, 0.3, 0.15, 0.05])
    release = renumbered(real, "3142")
    tables = of(real, release)
    assert dict(tables.likely("x")) == {"3": "1", "1": "2", "4": "3", "2": "4"}
    answered = of(real, release, ColumnChoice(read_as=tables.likely("x")))
    assert answered.synthetic is not None
    assert (answered.apart, "values_read_as" in {problem.code for problem in answered.problems}) == ((), True)
    assert np.sort(answered.real.numbers[:, 1]).tolist() == np.sort(answered.synthetic.numbers[:, 1]).tolist()


def test_no_meaning_is_proposed_where_shares_lie_near_to_each_other() -> None:
    rng = np.random.default_rng(6)
    real = answers(rng, [0.5, 0.24, 0.23, 0.03])
    tables = of(real, renumbered(real, "4321"))
    assert [column.code for column in tables.apart] == ["codes_apart"]
    assert tables.likely("x") == ()


def test_values_that_differ_in_truth_are_asked_about_no_more() -> None:
    real = answers(np.random.default_rng(7))
    assert codes(real, renumbered(real), ColumnChoice(differs=True)) == {}


def test_a_method_that_blurs_a_frequent_number_is_not_bothered() -> None:
    """Nine of ten real numbers are 0, and the released ones lie around it: no line makes these of those."""
    rng = np.random.default_rng(8)
    spent = np.where(rng.random(ROWS) < 0.9, 0, np.round(np.exp(rng.normal(8, 1, ROWS))))
    around = np.where(
        rng.random(ROWS) < 0.9, np.round(rng.normal(3, 20, ROWS)), np.round(np.exp(rng.normal(8, 1, ROWS)))
    )
    assert codes(texts(spent), texts(around)) == {}
