"""The neural methods: where their chance comes from, what they may release, and that nobody pays for them unasked.

Trainings here are an epoch or two long; what the networks learn is looked at in the slow test.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Column, Generator, Kind, Schema, Table
from riskkit.errors import DesignError, ParameterError
from riskkit.generators.ctgan import Ctgan
from riskkit.generators.engines.deep import from_frame, to_frame
from riskkit.generators.tabddpm import TabDdpm
from riskkit.generators.tvae import Tvae
from tests.tables import mixed, numeric

ROOT = Path(__file__).resolve().parents[2]
ALL: list[Generator] = [Ctgan(epochs=1), Tvae(epochs=1), TabDdpm(training_steps=5, noise_steps=25)]


def released(generator: Generator, table: Table, n: int = 60, training: int = 0, release: int = 1) -> Table:
    """One release of one training."""
    return generator.fit(table, np.random.default_rng(training)).sample(n, np.random.default_rng(release))


def same(table: Table, other: Table) -> bool:
    """Whether two releases are the same bytes."""
    return table.codes.tobytes() == other.codes.tobytes() and table.numbers.tobytes() == other.numbers.tobytes()


def test_listing_and_making_plug_ins_imports_neither_torch_nor_ctgan() -> None:
    code = (
        "import sys, riskkit; from riskkit import registry; registry.plugins('generators');"
        "[registry.make('generators', name) for name in ('ctgan', 'tvae', 'tabddpm')];"
        "sys.exit(', '.join({'torch', 'ctgan', 'rdt'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
def test_a_network_says_how_well_it_knows_each_row_and_nothing_of_a_level_it_never_saw(generator: Generator) -> None:
    table = mixed(80, 1)
    seen = table.rows(table.codes[:, 0] != 0)
    fitted: Any = generator.fit(seen, np.random.default_rng(0))
    known = fitted.familiarity(table, np.random.default_rng(1))
    assert known.shape == (80,)
    assert (np.isneginf(known) == (table.codes[:, 0] == 0)).all()
    assert (known == fitted.familiarity(table, np.random.default_rng(1))).all()
    assert len(np.unique(known)) > 20


@pytest.mark.parametrize(
    ("generator", "least"),
    [(TabDdpm(training_steps=1_500, batch_size=40), 0.75), (Tvae(epochs=1_500, batch_size=40), 0.65)],
    ids=["tabddpm", "tvae"],
)
def test_a_network_that_learnt_few_rows_by_heart_knows_them_from_others(generator: Generator, least: float) -> None:
    """The planted leak: forty rows, seen a thousand times each."""
    columns = tuple(numeric(f"x{index}", np.array([-3.0, 3.0]), decimals=2) for index in range(6))
    rows = np.round(np.random.default_rng(3).standard_normal((80, 6)), 2)
    learnt, others = (Table(Schema(columns), np.empty((40, 0), dtype=np.int64), part) for part in np.split(rows, 2))
    fitted: Any = generator.fit(learnt, np.random.default_rng(0))
    known, strange = (fitted.familiarity(table, np.random.default_rng(1)) for table in (learnt, others))
    assert (known[:, None] > strange).mean() > least


@pytest.mark.parametrize("name", ["ctgan", "tvae"])
def test_the_card_names_the_licence(name: str) -> None:
    assert "BUSL-1.1" in registry.plugins("generators")[name].card


def test_a_batch_must_hold_whole_packs() -> None:
    with pytest.raises(ParameterError, match="ctgan: batch_size is 25; it may be 10, 20"):
        Ctgan(batch_size=25)
    assert Tvae(batch_size=25).batch_size == 25


@pytest.mark.parametrize("rows", [50, 499, 500, 999, 1_000, 1_001, 1_499, 30_000])
def test_one_row_more_or_less_is_no_other_amount_of_training(rows: int) -> None:
    """The package alone would make 100 steps for 999 rows and 200 for 1,000: the planted fault at the end."""
    generator, batch = Ctgan(epochs=100), 500

    def steps(n: int) -> int:
        return generator.rounds(n) * max(n // batch, 1)

    assert abs(steps(rows) - 100 * max(rows / batch, 1)) <= max(rows // batch, 1) / 2
    assert abs(steps(rows) - steps(rows - 1)) <= max(1, rows // batch)
    assert 100 * (999 // batch) * 2 == 100 * (1_000 // batch)


@pytest.mark.parametrize("rows", [50, 500, 999, 1_000, 1_001, 30_162])
def test_no_row_is_a_batch_of_its_own(rows: int) -> None:
    batch = Tvae(batch_size=500).batch(rows)
    last = rows % batch or batch
    assert last > 0.9 * batch
    assert rows < 250 or 250 <= batch <= 750 or batch == rows


@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
def test_a_training_leaves_torch_as_it_was_and_does_not_listen_to_it(generator: Generator) -> None:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        torch.manual_seed(0)
        before = torch.get_rng_state()
        first = released(generator, mixed(60))
        assert torch.equal(torch.get_rng_state(), before)
        assert torch.get_num_threads() == 2
        torch.manual_seed(1)
        np.random.seed(1)
        assert same(first, released(generator, mixed(60)))
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
def test_the_training_draws_from_its_generator_too(generator: Generator) -> None:
    """Trainings that differ in their seed alone differ, though they are sampled with one seed."""
    assert not same(released(generator, mixed(60), training=0), released(generator, mixed(60), training=1))


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process may be started by joblib, whose children would be slow and many."""
    import joblib.externals.loky

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(joblib.externals.loky, "get_reusable_executor", refuse)
    monkeypatch.setattr("joblib.executor.get_memmapping_executor", refuse)
    monkeypatch.setattr("joblib._parallel_backends.get_memmapping_executor", refuse)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
def test_from_500_rows_on_it_still_trains_in_this_process(generator: Generator) -> None:
    table = mixed(510, missing=False)
    assert len(released(generator, table)) == 60


def test_the_watch_on_processes_bites(one_process: None) -> None:
    """The planted fault: the package's own encoding, outside of our care."""
    from ctgan.data_transformer import DataTransformer

    frame, discrete = to_frame(mixed(510, missing=False))
    transformer = DataTransformer()
    transformer.fit(frame[discrete], discrete)
    with pytest.raises(AssertionError, match="a process was started"):
        transformer.transform(frame[discrete])


def test_a_frame_goes_in_and_comes_back() -> None:
    table = mixed(300)
    frame, discrete = to_frame(table)
    assert list(frame.columns) == ["code0", "code1", "gap1", "number0", "number1"]
    assert discrete == ["code0", "code1", "gap1"]
    assert not frame.isna().any(axis=None)
    assert same(from_frame(frame, table.schema), table)
    wild = frame.assign(number0=1e9, number1=frame["number1"] + 0.04)
    back = from_frame(wild, table.schema)
    assert set(back.numbers[:, 0]) == {table.schema.numeric[0].high}
    known = ~np.isnan(table.numbers[:, 1])
    np.testing.assert_array_equal(back.numbers[known, 1], table.numbers[known, 1])


@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
def test_only_levels_of_the_world_are_released(generator: Generator) -> None:
    """The last ward and the missing ones are in no row of this world, though the schema knows them."""
    table = mixed(400)
    world = table.rows(np.flatnonzero((table.codes[:, 0] < 3) & ~np.isnan(table.numbers[:, 1]))[:50])
    release = released(generator, world, n=200)
    assert set(release.codes[:, 0]) <= set(world.codes[:, 0]) == {0, 1, 2}
    assert not np.isnan(release.numbers).any()


def odd_tables() -> dict[str, Table]:
    """Tables that have no column of one sort, or a column that says nothing in this world."""
    rng = np.random.default_rng(0)
    age, ward = np.round(rng.normal(50, 10, 50)), rng.integers(0, 3, 50)
    levels = Column("ward", Kind.CATEGORICAL, levels=("a", "b", "c"))
    numbers_only = Table(Schema((numeric("age", age),)), np.empty((50, 0)), age[:, None])
    categories_only = Table(Schema((levels,)), ward[:, None], np.empty((50, 0)))
    gone = np.full(50, np.nan)
    empty = Column("lab", Kind.NUMERIC, low=0.0, high=9.0, mean=4.0, sd=1.0, has_missing=True)
    column_missing = Table(Schema((levels, empty)), ward[:, None], gone[:, None])
    return {"numbers only": numbers_only, "categories only": categories_only, "all missing": column_missing}


@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
@pytest.mark.parametrize("what", odd_tables())
def test_odd_tables_are_learnt(generator: Generator, what: str) -> None:
    table = odd_tables()[what]
    release = released(generator, table)
    assert (len(release), release.schema) == (60, table.schema)
    assert np.isnan(release.numbers).all() == (what == "all missing" or not release.numbers.size)


@pytest.mark.parametrize("generator", ALL, ids=lambda generator: generator.name)
def test_too_little_to_learn_from_is_refused(generator: Generator) -> None:
    with pytest.raises(DesignError, match="at least 10 rows to train on; the table has 9"):
        generator.fit(mixed(9), np.random.default_rng(0))
    with pytest.raises(DesignError, match="at least one column"):
        generator.fit(Table(Schema(()), np.empty((50, 0)), np.empty((50, 0))), np.random.default_rng(0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("generator", "short"), [(Ctgan(), Ctgan(epochs=1)), (Tvae(batch_size=100), Tvae(epochs=1))], ids=["ctgan", "tvae"]
)
def test_it_learns_the_shares_and_the_means(generator: Generator, short: Generator) -> None:
    """A training of one epoch, the planted fault, does not."""
    table = mixed(2_000)
    shares = np.bincount(table.codes[:, 0], minlength=5) / 2_000

    def distance(release: Table) -> float:
        return float(np.abs(np.bincount(release.codes[:, 0], minlength=5) / len(release) - shares).sum() / 2)

    learnt = released(generator, table, n=2_000)
    assert distance(learnt) < 0.15 < distance(released(short, table, n=2_000))
    assert abs(learnt.numbers[:, 0].mean() - table.numbers[:, 0].mean()) < 5.0
