"""Known columns as matrices and secrets as codes or numbers."""

import numpy as np
import pytest

from riskkit.core import Column, Kind, Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import onehot
from riskkit.table.features import Encoded, Secret
from tests.tables import mixed, numeric

TABLE = mixed()
KNOWN = ("ward", "age", "score")


def test_columns_come_in_file_order_whatever_was_asked() -> None:
    encoded = Encoded(TABLE)
    forward, back = encoded.features(KNOWN), encoded.features(KNOWN[::-1])
    assert [column.name for column in back.table.schema.columns] == ["ward", "age", "score"]
    assert forward.ordinal().tobytes() == back.ordinal().tobytes()
    assert forward.categorical == (True, False, False)
    assert forward.sizes == (5, 0, 0)


def test_ordinal_is_codes_and_standard_deviations_with_gaps() -> None:
    matrix = Encoded(TABLE).features(KNOWN).ordinal()
    age = TABLE.schema.column("age")
    np.testing.assert_array_equal(matrix[:, 0], TABLE.codes[:, 0])
    np.testing.assert_allclose(matrix[:, 1], (TABLE.numbers[:, 0] - age.mean) / age.sd, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.isnan(matrix[:, 2]), np.isnan(TABLE.numbers[:, 1]))
    assert matrix.dtype == np.float32


def test_one_hot_of_all_columns_is_that_of_the_table() -> None:
    names = [column.name for column in TABLE.schema.modelled]
    wide = Encoded(TABLE).features(names).onehot()
    np.testing.assert_allclose(wide, onehot(TABLE, scale="standard", drop_first=False), rtol=1e-5, atol=1e-6)
    assert not np.isnan(wide).any()


def test_the_same_record_has_the_same_place_in_every_table() -> None:
    """Scales of the rows at hand would move it; the frozen schema's do not."""
    part = TABLE.rows(np.arange(20))
    for view in ("ordinal", "onehot"):
        whole = getattr(Encoded(TABLE).features(KNOWN), view)()[:20]
        np.testing.assert_array_equal(getattr(Encoded(part).features(KNOWN), view)(), whole)


def test_keys_tell_apart_what_single_precision_cannot() -> None:
    values = np.array([1e9, 1e9 + 1, 0.0, -1e9])
    table = Table(Schema((numeric("x", values),)), np.empty((4, 0)), values[:, None])
    assert len(np.unique(Encoded(table).features(["x"]).keys())) == 4


def test_a_secret_is_codes_or_numbers() -> None:
    ward, score = Secret.take(TABLE, "ward"), Secret.take(TABLE, "score")
    assert (ward.kind, ward.n_levels, len(ward)) == ("category", 5, 300)
    assert ward.present.all()
    assert (score.kind, score.n_levels, len(score)) == ("number", 0, 300)
    assert 0 < (~score.present).sum() < 60
    np.testing.assert_array_equal(score.rows([4, 2]).truth, TABLE.numbers[[4, 2], 1])


def test_rows_without_the_number_are_not_asked_about() -> None:
    asked = Encoded(TABLE).ask("score", ("ward", "age"))
    there = np.flatnonzero(~np.isnan(TABLE.numbers[:, 1]))
    np.testing.assert_array_equal(np.sort(asked.at), there)
    np.testing.assert_array_equal(asked.secret.values, TABLE.numbers[asked.at, 1])
    np.testing.assert_array_equal(asked.known.ordinal()[:, 0], TABLE.codes[asked.at, 0])


def test_asked_rows_come_in_the_order_of_their_records() -> None:
    order = np.random.default_rng(0).permutation(300)
    plain, turned = (Encoded(table).ask("score", ("ward", "age")) for table in (TABLE, TABLE.rows(order)))
    assert plain.known.ordinal().tobytes() == turned.known.ordinal().tobytes()
    assert plain.secret.values.tobytes() == turned.secret.values.tobytes()


def test_a_release_from_before_discretisation_is_seen_by_its_nearest_rows() -> None:
    relaxed = Table(TABLE.schema, TABLE.codes, TABLE.numbers, onehot(TABLE) + 0.3)
    for view in ("ordinal", "onehot"):
        seen = getattr(Encoded(relaxed).features(KNOWN), view)()
        np.testing.assert_array_equal(seen, getattr(Encoded(TABLE).features(KNOWN), view)())


@pytest.mark.parametrize("role", [Role.IGNORED, Role.ID])
def test_a_column_that_is_not_in_use_is_refused(role: Role) -> None:
    columns = (Column("a", Kind.CATEGORICAL, levels=("x", "y")), Column("b", Kind.CATEGORICAL, role, levels=("x", "y")))
    encoded = Encoded(Table(Schema(columns), np.zeros((2, 1)), np.empty((2, 0))))
    for ask in (lambda: encoded.features(["b"]), lambda: encoded.ask("b", ["a"])):
        with pytest.raises(DesignError, match=r"'b' is not in use.*Data page\.$"):
            ask()
    with pytest.raises(DesignError, match="no column named 'c'"):
        encoded.features(["c"])
