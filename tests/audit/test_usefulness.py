"""What a release keeps: all of a copy, little of columns that were shuffled apart, and what other people have."""

from dataclasses import replace

import numpy as np

from riskkit.audit.sample import FILES, sample_folder
from riskkit.audit.usefulness import draw_usefulness, measure_usefulness
from riskkit.core import Table
from riskkit.table.load import Tables, read_tables


def sample() -> Tables:
    return read_tables(*(sample_folder() / FILES[slot] for slot in ("real", "synthetic", "holdout")))


def test_a_copy_keeps_everything_and_columns_shuffled_apart_keep_no_pair_and_no_model() -> None:
    tables, rng = sample(), np.random.default_rng(1)
    real = tables.real
    apart = Table(real.schema, rng.permuted(real.codes, axis=0), rng.permuted(real.numbers, axis=0))
    whole = measure_usefulness(replace(tables, synthetic=real))
    torn = measure_usefulness(replace(tables, synthetic=apart))
    own = measure_usefulness(tables)
    for name in ("histogram", "pairs", "trees"):
        copy, others = whole[name]
        assert copy is not None
        assert others is not None
        assert copy > others - 0.02, "half of the rows of a copy are nearer than other people"
    assert abs(float(torn["histogram"][0] or 0) - float(whole["histogram"][0] or 0)) < 0.01
    for name in ("pairs", "trees"):
        assert float(torn[name][0] or 0) < float(whole[name][0] or 0) - 0.03, name
    pictures = [draw_usefulness(kept) for kept in (own, torn)]
    assert [picture.sentence for picture in pictures if picture is not None] == [
        "On average, the release is as much like the real table as a table of other people is",
        "The release is less like the real table than a table of other people is: A decision tree",
    ]
    assert float(torn["trees"][0] or 0) < 0.2 < 0.4 < float(own["trees"][0] or 0)


def test_without_a_holdout_only_the_release_is_measured_and_without_a_release_nothing() -> None:
    tables = sample()
    alone = measure_usefulness(replace(tables, holdout=None))
    picture = draw_usefulness(alone)
    assert picture is not None
    assert picture.rows == ("Each column", "Pairs of columns"), "nobody is left to try a tree on"
    assert len(picture.series) == 1
    assert draw_usefulness(measure_usefulness(replace(tables, synthetic=None))) is None


def test_of_a_holdout_of_one_person_no_tree_is_asked() -> None:
    """One cannot both teach a tree and try it; what is seen of the file is told all the same."""
    tables = sample()
    assert tables.holdout is not None
    alone = measure_usefulness(replace(tables, holdout=tables.holdout.rows(np.arange(1))))
    assert alone == measure_usefulness(replace(tables, holdout=None))
    two = measure_usefulness(replace(tables, holdout=tables.holdout.rows(np.arange(2))))
    assert len(two["histogram"]) == 2
