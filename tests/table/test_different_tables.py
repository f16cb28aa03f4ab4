"""Tables that really differ: nothing in them may be taken for another spelling of something else."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from riskkit.table.kinds import spellings
from tests.table.files import AGE, N, cycle, loaded

pytestmark = pytest.mark.second

REPAIRS = {
    "booleans_matched", "numbers_matched", "dates_matched", "letter_forms_unified", "spellings_unified",
    "leading_zeros_restored", "values_read_as",
}  # fmt: skip
"""What is said where two texts were made one."""
PAIRS = 200
DOMAINS: Sequence[Sequence[str]] = (
    ("0", "1"), ("0", "1", "2", "3"), ("1", "2"), ("-1", "1"), ("yes", "maybe"), ("m", "f"), ("N", "S", "E", "W"),
    ("A", "a"), ("A", "B", "AB", "0"), ("ss", "\u00df"), ("01067", "1067"), ("1067", "10115"), ("1E5", "2E7"),
    ("x", "X", "y"), ("I", "II", "III"), ("1st", "2nd"), ("H2O", "H\u2082O"), ("m2", "m\u00b2"), ("1.2.3", "1.2.4"),
    ("12:30", "13:45"), ("0x1F", "0x20"), ("male", "female", "other"), ("low", "high"), ("t1", "t2"), ("+", "-"),
    ("O+", "O-"), ("S", "M", "L"), ("1/2", "2/3"), ("2020", "2021"), ("20-39", "40-59"), ("C", "C++", "C#"),
    ("no", "never"), ("on", "under"), ("da", "dort"), ("N/A yet", "done"), ("1", "0", "yes", "no"),
)  # fmt: skip
"""Levels that mean different things, in one file or across two."""


def merged(real: Mapping[str, Sequence[str]], release: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns in which two texts were made one."""
    tables = loaded({"age": AGE, **real}, {"age": AGE, **release})
    repaired = {problem.column for problem in tables.problems if problem.code in REPAIRS}
    levels = {column.name: set(column.levels) for column in tables.schema.categorical}
    return [
        name
        for name in real
        if name in repaired or levels.get(name, {*real[name], *release[name]}) != {*real[name], *release[name]}
    ]


def test_levels_that_mean_different_things_are_never_made_one() -> None:
    """Every domain beside every other, and beside itself."""
    pairs = {
        f"{a} {b}": (cycle(*first), cycle(*second))
        for a, first in enumerate(DOMAINS)
        for b, second in enumerate(DOMAINS)
    }
    real, release = ({name: files[side] for name, files in pairs.items()} for side in (0, 1))
    assert merged(real, release) == []


def test_tables_that_really_differ_keep_all_their_levels() -> None:
    rng = np.random.default_rng(23)
    for _ in range(PAIRS):
        real, release = drawn(rng), drawn(rng)
        assert merged(real, release) == [], (real, release)


def drawn(rng: np.random.Generator) -> dict[str, list[str]]:
    """A table of three columns, each of a domain of its own."""
    return {f"x{index}": rng.choice(DOMAINS[int(rng.integers(len(DOMAINS)))], N).tolist() for index in range(3)}


def test_a_rule_that_asks_nobody_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: capitals are made one wherever that can be done."""
    monkeypatch.setattr(spellings, "_meet", lambda texts, aliases, groups: True)
    assert merged({"x": cycle("m", "f")}, {"x": cycle("S", "M", "L")}) == ["x"]
