"""Errors as sentences and as values."""

import copy
import json
import pickle

import pytest

from riskkit import errors
from riskkit.errors import FileError, Gravity, InputError, LayoutError, Problem, RiskkitError, SchemaError

PARTS = {"gravity": Gravity.ERROR, "code": "few_fields", "what": "A field is missing.", "do": "Add it."}


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ({}, "A field is missing. Add it."),
        ({"file": "real.csv"}, "real.csv: A field is missing. Add it."),
        ({"column": "age"}, "column 'age': A field is missing. Add it."),
        ({"line": 7}, "line 7: A field is missing. Add it."),
        ({"file": "real.csv", "column": "age"}, "real.csv, column 'age': A field is missing. Add it."),
        ({"column": "age", "line": 7}, "column 'age', line 7: A field is missing. Add it."),
        (
            {"file": "real.csv", "column": "age", "line": 12345},
            "real.csv, column 'age', line 12,345: A field is missing. Add it.",
        ),
        ({"file": "real.csv", "do": ""}, "real.csv: A field is missing."),
        ({"do": ""}, "A field is missing."),
    ],
)
def test_a_problem_says_where_what_and_what_to_do(where: dict[str, object], sentence: str) -> None:
    assert Problem(**{**PARTS, **where}).sentence() == sentence


def test_a_problem_as_plain_values() -> None:
    problem = Problem(**PARTS, file="real.csv", line=3, count=2)
    assert problem.as_dict() == {
        "gravity": "error",
        "code": "few_fields",
        "what": "A field is missing.",
        "do": "Add it.",
        "file": "real.csv",
        "column": "",
        "line": 3,
        "count": 2,
        "sentence": "real.csv, line 3: A field is missing. Add it.",
    }
    assert type(problem.as_dict()["gravity"]) is str
    assert json.loads(json.dumps(problem.as_dict())) == problem.as_dict()


@pytest.mark.parametrize("kind", [InputError, *InputError.__subclasses__()])
def test_an_input_error_is_of_its_kind_and_travels_whole(kind: type[InputError]) -> None:
    error = kind.of("few_fields", "A field is missing.", "Add it.", file="real.csv", column="age", line=7, count=2)
    for again in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert again.problem == Problem(**PARTS, file="real.csv", column="age", line=7, count=2)
        assert str(again) == "real.csv, column 'age', line 7: A field is missing. Add it."


def test_the_tree_is_the_one_that_is_drawn() -> None:
    """Depth by depth, from the box characters of the module's docstring."""
    drawn: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        name = line.lstrip(" │├└─").split(" ")[0]
        if not name.isidentifier() or not hasattr(errors, name):
            continue
        depth = (len(line) - len(line.lstrip(" │├└─"))) // 4 - 1
        above[depth:] = [name]
        drawn[name] = above[depth - 1] if depth else "Exception"
    real = {
        name: thing.__bases__[0].__name__
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and issubclass(thing, Exception)
    }
    assert drawn == real


@pytest.mark.parametrize("kind", [FileError, LayoutError, SchemaError])
def test_one_except_catches_whatever_riskkit_raises_on_purpose(kind: type[InputError]) -> None:
    with pytest.raises(RiskkitError):
        raise kind.of("code", "What.", "Do.")
