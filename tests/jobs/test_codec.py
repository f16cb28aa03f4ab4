"""Results of units survive as bytes: to the last bit, of the types they had, and nothing else can be smuggled in."""

import json
import math
import struct
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from riskkit import registry
from riskkit.attacks.neighbour import Neighbour
from riskkit.core import Estimate, Kind, Schema, Scores, Table
from riskkit.errors import PluginError
from riskkit.generators.bayesnet import BayesNet
from riskkit.jobs import codec
from riskkit.jobs.codec import LARGE, NotKept, decode, encode, sha
from riskkit.phrases import Phrase, counted_phrase, phrase
from riskkit.questions.records.certificate import Three
from riskkit.table.text import TextTable
from tests.tables import mixed

NAMES = Path(__file__).with_name("kept_types.txt")
"""The names that types were kept under, by the small plans of every question; a name is never taken out."""

KINDS = st.sampled_from(["<f8", "<f4", "<i8", "<i4", "|b1", "|u1", "<c16", "<U5", "|S4", ">f8", "<m8[s]"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | KINDS.flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0)))
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=12,
)


def same(first: Any, second: Any) -> bool:
    """Equal in type and in every bit."""
    if type(first) is not type(second):
        return False
    if isinstance(first, np.ndarray):
        return (first.dtype, first.shape, first.tobytes()) == (second.dtype, second.shape, second.tobytes())
    if isinstance(first, float):
        return struct.pack("<d", first) == struct.pack("<d", second)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[key], second[key]) for key in first)
    return bool(first == second)


@given(VALUES)
@settings(max_examples=60)
def test_a_value_comes_back_to_the_bit(value: Any) -> None:
    assert same(decode(encode(value)), value)
    assert encode(value) == encode(decode(encode(value)))


@pytest.mark.parametrize("value", [math.nan, -math.nan, math.inf, -0.0, 5e-324, np.float64(-0.0), np.str_("é")])
def test_odd_numbers_keep_their_bits(value: Any) -> None:
    back = decode(encode(value))
    assert type(back) is type(value)
    assert np.asarray(back).tobytes() == np.asarray(value).tobytes()


def test_the_order_of_an_array_in_memory_is_kept_because_sums_depend_on_it() -> None:
    made = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    back = decode(encode(made))
    assert back.flags.f_contiguous
    assert not back.flags.c_contiguous


def test_the_nouns_come_back() -> None:
    table = mixed(50)
    scores = Scores(np.arange(4.0), np.array([True, True, False, False]), np.arange(4), np.zeros(4), "mvl")
    made = {"table": table, "scores": scores, "estimate": Estimate("auc", 0.5, 0.4, 0.6, 0.95, "m", 9, {"a": "b"})}
    back = decode(encode([made, Kind.DATE]))
    assert back[1] is Kind.DATE
    assert back[0]["table"].schema == table.schema
    assert same(back[0]["table"].numbers, table.numbers)
    assert same(back[0]["table"].codes, table.codes)
    assert same(back[0]["scores"].value, scores.value)
    assert back[0]["estimate"] == made["estimate"]


def test_a_schema_is_named_where_it_is_shared() -> None:
    table, shared = mixed(50), dict[str, Schema]()

    def share(schema: Schema) -> str:
        shared["one"] = schema
        return "one"

    kept = encode([table, table], share)
    assert len(kept) < len(encode([table, table])) / 2
    back: list[Table] = decode(kept, shared.__getitem__)
    assert back[0].schema is back[1].schema is table.schema


def test_large_results_are_compressed() -> None:
    assert len(encode(np.zeros(LARGE))) < LARGE


@dataclass(frozen=True)
class NotOurs:
    value: int = 1


@pytest.mark.parametrize(
    "value", [np.array([object()]), object(), {1, 2}, NotOurs(), lambda: 1, np.zeros(2, [("a", "<i4")]), [b"bytes"]]
)
def test_what_cannot_be_read_again_is_not_written(value: Any) -> None:
    with pytest.raises(NotKept):
        encode(value)


@pytest.mark.parametrize("name", ["os:system", "riskkit.jobs.codec:json", "riskkit.core:Gone", "builtins:eval", "x"])
def test_bytes_cannot_name_anything_but_a_type_of_ours(name: str) -> None:
    header = json.dumps(["d", name]).encode()
    with pytest.raises(PluginError):
        decode(b"p" + struct.pack("<Q", len(header)) + header)


def test_a_random_generator_comes_back_where_it_stood() -> None:
    rng = np.random.default_rng(3)
    rng.integers(10, size=3, dtype=np.int32)  # half a word is left over
    back = decode(encode(rng))
    assert back.bit_generator.state == rng.bit_generator.state
    assert back.random(5).tobytes() == rng.random(5).tobytes()
    with pytest.raises(NotKept):
        encode(np.random.Generator(np.random.MT19937(3)))


def test_a_named_tuple_of_ours_comes_back() -> None:
    (back,) = decode(encode((Three(0.8, 0.7, 0.9),)))
    assert (type(back), back) == (Three, Three(0.8, 0.7, 0.9))


def test_what_holds_more_than_it_is_made_from_is_not_written_poorer() -> None:
    """Were it, it would come back without what it has learnt."""
    more = Neighbour()
    object.__setattr__(more, "learnt", 3)
    for value in (more, TextTable("a.csv", pa.table({}))):
        with pytest.raises(NotKept, match="more in it than it is made from"):
            encode(value)
    fitted = BayesNet().fit(mixed(50), np.random.default_rng(1))
    before = encode(fitted)
    fitted.sample(5, np.random.default_rng(2))
    assert vars(fitted).keys() - {spec.name for spec in fields(fitted)}, "figures were put aside"
    assert encode(fitted) == before, "they are worked out again from the rest"


def test_a_hash_tells_where_one_part_ends() -> None:
    assert sha(b"ab", b"c") != sha(b"a", b"bc")


def test_a_phrase_keeps_its_words_and_figures() -> None:
    text = phrase("{who}: {rows}", who=("a", "b"), rows=counted_phrase(1200, "{n:,} row", "{n:,} rows"))
    (back,) = decode(encode([text]))
    assert (back, back.forms, back.values) == (text, text.forms, text.values)
    assert (type(back.values["rows"]), back.values["rows"].values) == (Phrase, {"n": 1200})
    assert encode([text]) == encode([back])


def test_a_type_that_moved_reads_and_is_kept_under_the_name_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    now = encode(Kind.DATE)
    monkeypatch.setattr(codec, "MOVED", {"riskkit.nouns:Sort": "riskkit.core:Kind"})
    kept = encode(Kind.DATE)
    assert b"riskkit.nouns:Sort" in kept
    assert decode(kept) is decode(now) is Kind.DATE
    monkeypatch.setattr(codec, "MOVED", {})
    with pytest.raises(PluginError):
        decode(kept)


@pytest.mark.parametrize("name", NAMES.read_text(encoding="utf-8").split())
def test_a_type_that_was_kept_is_found(name: str) -> None:
    """Where it fails, a type was moved or renamed: say in ``codec.MOVED`` where it stands now."""
    place = codec.MOVED.get(name, name)
    assert registry.ours(place).__qualname__ == place.partition(":")[2]
    assert codec._name(registry.ours(place)) == name
