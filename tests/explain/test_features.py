"""Rows as features and back."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from riskkit.core import MISSING, Column, Floats, Kind, Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.explain.features import Encoder, Layout
from tests.tables import adult_frame, from_frame, mixed, needs_adult, numeric

BOTH = pytest.mark.parametrize("layout", ["label", "one-hot"])
ALL = ("ward", "age", "smoker", "score")
SCHEMA = Schema(
    (
        Column("town", Kind.CATEGORICAL, levels=("a", "b", "c", MISSING), has_missing=True),
        numeric("pay", np.array([-10.0, 0.0, 30.0, np.nan]), decimals=0),
        Column("sex", Kind.CATEGORICAL, levels=("f", "m")),
        Column("one", Kind.CATEGORICAL, levels=("only",)),
        numeric("flat", np.array([4.0])),
    )
)
ROWS = Table(
    SCHEMA,
    np.array([[0, 1, 0], [2, 0, 0], [3, 0, 0]]),
    np.array([[-10.0, 4.0], [20.0, 4.0], [np.nan, 4.0]]),
)
NAMES = ("town", "pay", "sex", "one", "flat")


def test_one_feature_a_column_by_hand() -> None:
    encoder = Encoder.fit(ROWS, NAMES)
    np.testing.assert_allclose(
        encoder.encode(ROWS), [[0, 0, 1, 0, 0], [2 / 3, 0.75, 0, 0, 0], [1, 0.375, 0, 0, 0]], atol=1e-12
    )  # the missing pay is the median of -10 and 20
    assert encoder.names == NAMES


def test_one_feature_a_level_by_hand() -> None:
    encoder = Encoder.fit(ROWS, NAMES, "one-hot")
    np.testing.assert_allclose(
        encoder.encode(ROWS),
        [
            [1, 0, 0, 0, 0, 0, 0, 1, 1, 0],
            [0, 0, 1, 0, 0.75, 0, 1, 0, 1, 0],
            [0, 0, 0, 1, 0.375, 1, 1, 0, 1, 0],
        ],
        atol=1e-12,
    )
    assert encoder.names == (
        *("town=a", "town=b", "town=c", "town=missing", "pay", "pay is missing", "sex=f", "sex=m", "one=only", "flat"),
    )
    assert [span.width for span in encoder.spans] == [4, 2, 2, 1, 1]
    phi = np.arange(20.0).reshape(1, 10, 2)
    assert encoder.by_column(phi)[0, :, 0].tolist() == [0 + 2 + 4 + 6, 8 + 10, 12 + 14, 16, 18]


@BOTH
def test_there_and_back(layout: Layout) -> None:
    table = mixed(500)
    encoder = Encoder.fit(table, ALL, layout)
    x = encoder.encode(table)
    assert x.min() >= 0.0
    assert x.max() <= 1.0
    back = encoder.decode(x)
    np.testing.assert_array_equal(back.codes, table.codes)
    missing = np.isnan(table.numbers)
    assert missing.any()
    if layout == "one-hot":
        np.testing.assert_allclose(back.numbers, table.numbers)
    else:
        np.testing.assert_allclose(back.numbers[~missing], table.numbers[~missing])
        median = np.round(np.nanmedian(table.numbers[:, 1]), 1)
        assert np.abs(back.numbers[missing] - median).max() <= 0.1 + 1e-9


@BOTH
@given(data=st.data())
def test_any_matrix_decodes_to_valid_rows(layout: Layout, data: st.DataObject) -> None:
    encoder = Encoder.fit(ROWS, NAMES, layout)
    noise = cast("Floats", data.draw(hnp.arrays(np.float64, (3, encoder.width), elements=st.floats(-1e6, 1e6))))
    rows = encoder.decode(noise)  # a Table refuses codes outside its levels
    pay = rows.numbers[:, 0]
    assert ((np.isnan(pay)) | ((pay >= -10) & (pay <= 30) & (pay == np.round(pay)))).all()
    assert (rows.numbers[:, 1] == 4.0).all()


@BOTH
def test_noise_less_than_half_a_step_is_undone(layout: Layout) -> None:
    table = mixed(200, missing=False)
    encoder = Encoder.fit(table, ("ward", "smoker"), layout)
    noise = np.random.default_rng(0).uniform(-0.16, 0.16, (200, encoder.width))  # wards are a third apart
    np.testing.assert_array_equal(encoder.decode(encoder.encode(table) + noise).codes, table.codes)


@BOTH
def test_the_domain_is_that_of_the_schema_not_of_the_rows(layout: Layout) -> None:
    table = mixed(300)
    whole, part = Encoder.fit(table, ALL, layout), Encoder.fit(table.rows(np.arange(5)), ALL, layout)
    known = np.flatnonzero(~np.isnan(table.numbers).any(axis=1))
    np.testing.assert_array_equal(whole.encode(table.rows(known)), part.encode(table.rows(known)))


def test_columns_come_in_file_order_and_the_others_are_not_looked_at() -> None:
    table = mixed()
    encoder = Encoder.fit(table, ("score", "ward"))
    assert encoder.names == ("ward", "score")
    changed = Table(table.schema, table.codes * np.array([1, 0]), table.numbers)
    np.testing.assert_array_equal(encoder.encode(table), encoder.encode(changed))
    assert [column.name for column in encoder.decode(encoder.encode(table)).schema.columns] == ["ward", "score"]


def test_a_number_that_no_training_row_has_is_filled_with_the_mean_of_the_schema() -> None:
    lost = Table(SCHEMA, ROWS.codes, np.full((3, 2), np.nan))
    fill = Encoder.fit(lost, NAMES).fill
    np.testing.assert_allclose(fill, [20 / 3, 4.0])


@pytest.mark.parametrize(
    ("columns", "layout", "sentence"),
    [
        ((), "label", r"^A model needs at least one feature\. Choose a column beside the target\.$"),
        (("town",), "wide", r"^There is no layout 'wide'; choose one of label, one-hot\.$"),
        (("nowhere",), "label", r"^There is no column named 'nowhere'\."),
        (("gone",), "label", r"^Column 'gone' is not in use, so no model can learn from it\."),
    ],
)
def test_what_cannot_be_encoded_is_refused_with_a_sentence(
    columns: tuple[str, ...], layout: str, sentence: str
) -> None:
    gone = Column("gone", Kind.CATEGORICAL, Role.IGNORED, levels=("a",))
    table = Table(Schema((*SCHEMA.columns, gone)), ROWS.codes, ROWS.numbers)
    with pytest.raises(DesignError, match=sentence):
        Encoder.fit(table, columns, cast("Layout", layout))


def test_rows_of_another_schema_are_refused_with_a_sentence() -> None:
    encoder = Encoder.fit(mixed(), ALL)
    with pytest.raises(DesignError, match=r"another schema than those the model learnt from\. Load them together\.$"):
        encoder.encode(mixed(seed=5))


@needs_adult
@pytest.mark.parametrize(("education_is_a_category", "width"), [(False, 104), (True, 119)])
def test_the_width_of_adult(education_is_a_category: bool, width: int) -> None:
    """119 features need the complete rows and education-num as a category; as the number it is, there are 104."""
    frame = adult_frame()
    if education_is_a_category:
        frame = frame.assign(**{"education-num": frame["education-num"].astype(str)})
    table = from_frame(frame)
    columns = [name for name in frame.columns if name != "income"]
    assert Encoder.fit(table, columns, "one-hot").width == width
    assert Encoder.fit(table, columns).width == 14
