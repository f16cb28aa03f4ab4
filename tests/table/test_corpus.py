"""Every file of the corpus gets the answer that is required of it, and no sentence tells a cell."""

import re

import pytest

from riskkit.errors import EncodingError, FileError, Gravity, InputError, LayoutError, Problem, SchemaError
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_file
from riskkit.table.text import Limits
from tests.table.corpus import B4, CORPUS, Case
from tests.table.files import CANARY, codes

LIMITS = Limits(size=20_000_000)
REFUSALS: dict[type[InputError], str] = {
    FileError: "empty_file blank_file only_nul not_csv broken_archive too_large too_many_columns cell_too_long "
    "line_too_long",
    LayoutError: "no_rows joined_files nul_byte extra_field too_many_fields too_few_fields open_quote duplicate_names "
    "similar_names header_line_break",
    EncodingError: "truncated",
    SchemaError: "too_few_rows missing_column no_common_names encoding_differs infinite",
}
"""The kind of refusal of each code."""
GRAVITIES = {
    Gravity.QUESTION: "free_text encoding_guess unclear_dates blank_name total_line extra_column number_units "
    "people_in_both preamble sampling_weights fewer_columns not_a_date no_header ambiguous_dates sentinel "
    "missing_token group_id second_header id_column swapped number_commas backslash_quotes",
    Gravity.WARNING: "new_levels lost_levels near_unique_numbers all_missing_here duplicate_rows constant_here "
    "excel_dates one_column identical_files sorted_rows stray_quote sizes_differ nested_values shared_ids",
}
"""What is asked about and what is warned of, by code; all else that is told is a repair."""


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
        assert case.refused in REFUSALS[type(caught.value)].split()
        assert problem.gravity is Gravity.ERROR
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
    for code in case.told:
        assert noticed.count(code) == 1
        graver = [gravity for gravity, those in GRAVITIES.items() if code in those.split()]
        assert tables.problems[noticed.index(code)].gravity is (graver[0] if graver else Gravity.REPAIR)
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
