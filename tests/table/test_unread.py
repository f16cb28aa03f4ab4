"""Columns that no question can read bar "within the limit" until they are dropped, read, or left out with a reason."""

from collections.abc import Sequence

import pytest

from riskkit.core import Kind, Role
from riskkit.errors import Gravity
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables
from tests.table import files
from tests.table.files import AGE, N, cycle

JOBS = cycle("baker", "clerk", "nurse")
NAMES = [f"Ada {row:03} Smith" for row in range(N)]
CODES = [f"K-{row:04}" for row in range(N)]
DAYS = [f"{1 + row % 28}. {('Jan', 'Feb', 'Mar')[row % 3]} {1900 + row}" for row in range(N)]


def loaded(own: Sequence[object], released: Sequence[object] | None = None, **choices: ColumnChoice) -> Tables:
    def file(values: Sequence[object]) -> dict[str, Sequence[object]]:
        return {"age": AGE, "job": JOBS, "x": values}

    return files.loaded(file(own), file(own if released is None else released), **choices)


def asked(tables: Tables) -> list[str]:
    return [problem.column for problem in tables.problems if problem.code == "unread_column"]


@pytest.mark.parametrize("texts", [NAMES, DAYS], ids=["names", "days that are not read as dates"])
def test_a_column_that_nobody_can_read_is_asked_about(texts: Sequence[str]) -> None:
    tables = loaded(texts)
    assert not tables.schema.column("x").is_modelled
    assert asked(tables) == ["x"]


@pytest.mark.parametrize("texts", [CODES, [f"n{row}@b.org" for row in range(N)], range(1000, 1000 + N)])
def test_codes_are_read_by_the_look_at_identifiers(texts: Sequence[object]) -> None:
    assert asked(loaded(texts, x=ColumnChoice(kind=Kind.ID))) == []


KEYED = [f"{row * 2_654_435_761 % 2**32:08x}" for row in range(1, N + 1)]


@pytest.mark.parametrize(
    ("released", "is_asked"),
    [
        (KEYED, True),
        ([f"{code}-7" for code in CODES], True),
        ([code[:4] for code in KEYED], True),
        (range(1, N + 1), False),
        (CODES[::-1], False),
        ([code.replace("-", "").lower() for code in CODES], False),
    ],
    ids=[
        "another make",
        "a digit more",
        "cut short",
        "numbers of rows",
        "the same make",
        "the same make without signs",
    ],
)
def test_identifiers_of_another_make_may_be_made_from_those_of_people(
    released: Sequence[object], is_asked: bool
) -> None:
    own = ColumnChoice(kind=Kind.ID)
    assert asked(loaded(CODES, released, x=own)) == (["x"] if is_asked else [])


@pytest.mark.parametrize(
    ("texts", "is_asked"),
    [
        ([f"2025-01-{1 + row % 28:02}/2025-0{2 + row % 8}-{1 + row % 9:02}" for row in range(N)], True),
        ([f"POINT ({row / 7:.4f} -{row / 3:.3f})" for row in range(N)], True),
        ([f'{{"hb": {row / 7:.2f}, "k": {row}}}' for row in range(N)], True),
        ([f"{NAMES[row]} has fallen {row} times on the way to the {JOBS[row]}" for row in range(N)], True),
        ([f"{'abcdefghij'[row % 10] * (1 + row // 10)} has fallen {row} times" for row in range(N)], False),
        ([""] * N, False),
    ],
    ids=["two dates", "points", "objects", "a form filled in", "texts", "nothing"],
)
def test_texts_that_differ_in_their_numbers_alone_are_asked_about(texts: Sequence[str], is_asked: bool) -> None:
    """Moved or blurred numbers leave no word and no letter by which a text is known again."""
    tables = loaded(texts, x=ColumnChoice(role=Role.TEXT))
    assert asked(tables) == (["x"] if is_asked else [])


def test_identifiers_that_the_real_table_has_not_are_asked_about() -> None:
    assert asked(loaded([""] * N, KEYED, x=ColumnChoice(kind=Kind.ID))) == ["x"]


def test_what_is_in_use_kept_as_text_or_the_same_in_every_row_is_not_asked_about() -> None:
    assert asked(loaded(AGE)) == []
    assert asked(loaded([name * (row + 1) for row, name in enumerate(JOBS)], x=ColumnChoice(role=Role.TEXT))) == []
    assert asked(loaded(["same"] * N)) == []


def test_a_column_of_the_release_alone_is_asked_about_unless_it_says_nothing() -> None:
    base = {"age": AGE, "job": JOBS}
    assert asked(files.loaded(base, {**base, "more": NAMES})) == ["more"]
    assert asked(files.loaded(base, {**base, "more": ["synthetic"] * N})) == []


def test_ignored_needs_a_reason() -> None:
    ignored = ColumnChoice(role=Role.IGNORED)
    assert asked(loaded(JOBS, x=ignored)) == ["x"]
    assert asked(loaded(JOBS, x=ColumnChoice(role=Role.IGNORED, reason="  "))) == ["x"]
    tables = loaded(JOBS, x=ColumnChoice(role=Role.IGNORED, reason="Drawn by a machine."))
    assert asked(tables) == []
    (remark,) = [problem for problem in tables.problems if problem.code == "left_unread"]
    assert remark.gravity is Gravity.WARNING
    assert "Drawn by a machine." in remark.what


def test_a_reason_is_kept() -> None:
    choice = ColumnChoice(role=Role.IGNORED, reason="Drawn by a machine.")
    assert ColumnChoice.from_dict(choice.as_dict()) == choice
    assert "reason" not in ColumnChoice().as_dict()
