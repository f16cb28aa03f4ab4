"""The steward's own generator as tests run it: its forms, what it releases, and how it is refused."""

import pickle
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from riskkit.core import MISSING, Column, Kind, Schema, Table
from riskkit.errors import RiskkitError
from riskkit.generators.external import External
from tests.generators.own_program import CANARY, DIGITS
from tests.tables import mixed, numeric

HERE = Path(__file__).resolve().parent
MODELS = "tests.generators.own_models"


def command(how: str = "bootstrap", python: str = sys.executable) -> str:
    return f"{shlex.quote(python)} {shlex.quote(str(HERE / 'own_program.py'))} {how} {{train}} {{n}} {{seed}} {{out}}"


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def sampled(generator: External, table: Table, n: int = 50, seed: int = 1) -> Table:
    return generator.fit(table, rng(seed)).sample(n, rng(seed))


def refused(generator: External, table: Table | None = None, n: int = 50) -> str:
    with pytest.raises(RiskkitError) as refusal:
        sampled(generator, mixed(100) if table is None else table, n)
    refusal_text = str(refusal.value)
    assert CANARY not in refusal_text
    assert DIGITS not in refusal_text
    assert CANARY not in repr(refusal.value.__cause__)
    assert str(pickle.loads(pickle.dumps(refusal.value))) == refusal_text  # it travels from a worker
    return refusal_text


def odd() -> Table:
    """Names and values that a shell, a CSV or a careless program would trip over."""
    levels = ("a,b", 'c"d', "北海道", "x y", "Total", MISSING)
    n = 60
    codes = np.arange(n) % 6
    codes[codes == 4] = 0
    codes[7] = 4  # one Total
    number = np.round(np.linspace(-3, 4, n), 2)
    number[5] = np.nan
    day = 19_000.0 + np.arange(n)
    columns = (
        Column("a b", Kind.CATEGORICAL, levels=levels, has_missing=True),
        numeric('le,ng"th', number, 2),
        Column("年齢", Kind.CATEGORICAL, levels=("01", "02")),
        Column("seen", Kind.DATE, low=19_000.0, high=19_000.0 + n, date_format="%d/%m/%Y"),
    )
    return Table(Schema(columns), np.column_stack([codes, np.arange(n) % 2]), np.column_stack([number, day]))


def inside(release: Table, table: Table) -> bool:
    """Whether every row of the release is a row of the table."""
    return bool(np.isin(release.keys(), table.keys()).all())


FORMS = [
    External(command=command()),
    *(External(python=f"{MODELS}:{name}") for name in ("Bootstrap", "Plain", "factory", "instance", "FixedLikeSdv")),
]
