"""Every file of the corpus gets the answer that is required of it, and no sentence tells a cell."""

import re

import pytest

from riskkit.errors import InputError, Problem
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_file
from riskkit.table.text import Limits
from tests.table.corpus import B4, CORPUS, Case
from tests.table.files import CANARY, codes

LIMITS = Limits(size=20_000_000)


def answered(case: Case, limits: Limits = LIMITS) -> Tables:
    """The tables of a case."""
    texts = [
        None if source is None else read_file(source, name=case.names.get(slot, f"{slot}.csv"), limits=limits)
        for slot, source in (("real", case.real), ("synthetic", case.synthetic), ("holdout", case.holdout))
    ]
    assert texts[0] is not None
    return load(texts[0], texts[1], texts[2], least_rows=case.least_rows)


def quiet(problems: list[Problem]) -> None:
    """No sentence holds the cell that must not be told."""
    assert not any(CANARY in problem.sentence() for problem in problems)


@pytest.mark.parametrize("name", CORPUS)
def test_every_file_gets_its_answer(name: str) -> None:
    case = CORPUS[name]
    limits = Limits(size=1_000_000) if case.refused == "too_large" else LIMITS
    if case.refused:
        with pytest.raises(InputError) as caught:
            answered(case, limits)
        problem = caught.value.problem
        assert problem.code == case.refused
        assert problem.file or problem.column
        assert problem.do
        if case.line:
            assert problem.line == case.line
        if case.column:
            assert problem.column == case.column
        quiet([problem])
        return
    tables = answered(case)
    quiet(list(tables.problems))
    noticed = codes(tables.problems)
    assert set(case.told) <= set(noticed)
    if case.shape is not None:
        assert (tables.files[-1].rows if case.holdout is None else tables.files[0].rows) == case.shape[0]
        assert tables.files[0].columns == case.shape[1]
    for column, kind in case.kinds.items():
        assert tables.schema.column(column).kind is kind
    if case.copies:
        (copies,) = [problem.count for problem in tables.problems if problem.code == "verbatim_copies"]
        assert copies == case.copies


def test_the_corpus_holds_every_case_and_many_more() -> None:
    numbers = {int(re.sub(r"\D", "", name)) for name in B4}
    assert numbers == set(range(1, 107))
    assert len(CORPUS) - len(B4) >= 200
