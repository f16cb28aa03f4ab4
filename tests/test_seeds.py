"""Streams: named and not counted, each its own."""

import itertools

import numpy as np
import pytest

from riskkit.seeds import lend_global_stream, stream

SEPARATOR = "\x1f"


def first(*labels: str | int, root: int = 1) -> int:
    """The first 63 bits of a stream."""
    return int(stream(root, *labels).integers(2**63))


def test_the_same_name_gives_the_same_numbers_whatever_was_drawn_between() -> None:
    before = stream(7, "membership", "stat", 17).random(50)
    stream(7, "another").random(1000)
    np.testing.assert_array_equal(stream(7, "membership", "stat", 17).random(50), before)


def test_numbers_of_the_first_release_still_hold() -> None:
    """A change of the naming would move every result that was ever reported."""
    assert first("membership", "stat", "training", 17) == 3165455061880209647


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((1,), ("1",)),
        (("a", "b"), ("b", "a")),
        (("a", "b"), ("ab",)),
        (("a",), ("a", "")),
        ((), ("",)),
        ((1, 2), (12,)),
        ((-1,), (1,)),
        (("a", "b"), (f"a{SEPARATOR}str:b",)),
        (("a", 1), (f"a{SEPARATOR}int:1",)),
        ((f"a{SEPARATOR}", "b"), ("a", f"{SEPARATOR}b")),
        (("a", "", "b"), (f"a{SEPARATOR}{SEPARATOR}str:b",)),
        ((f"a{SEPARATOR}", "b"), (f"a{SEPARATOR}{SEPARATOR}str:b",)),
    ],
)
def test_names_that_look_alike_are_different(left: tuple[str | int, ...], right: tuple[str | int, ...]) -> None:
    assert first(*left) != first(*right)


def test_no_text_of_a_label_forges_another_name() -> None:
    """Every tuple of up to three labels over the pieces that names are written with."""
    pieces: list[str | int] = [1, "", "a", SEPARATOR, "str:", "int:1", f"{SEPARATOR}str:", f"a{SEPARATOR}int:1"]
    names = [name for n in range(4) for name in itertools.product(pieces, repeat=n)]
    assert len({first(*name) for name in names}) == len(set(names)) == 585


@pytest.mark.parametrize("roots", [(0, 1), (1, 2**32), (1, 2**32 + 1), (5, 2**64 + 5)])
def test_another_seed_gives_other_numbers(roots: tuple[int, int]) -> None:
    assert first("a", root=roots[0]) != first("a", root=roots[1])


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="non-negative"):
        stream(-1, "a")


def test_ten_thousand_names_give_ten_thousand_streams() -> None:
    names = itertools.product(("stat", "histogram"), ("trial", "shadow"), range(2500))
    assert len({first(*name) for name in names}) == 10_000


def correlations(streams: list[np.random.Generator], n: int) -> np.ndarray:
    """Every pair's correlation over ``n`` draws, in standard errors."""
    matrix = np.corrcoef([rng.standard_normal(n) for rng in streams])
    return np.abs(matrix[np.triu_indices(len(streams), 1)]) * np.sqrt(n)


def test_neighbouring_names_are_not_correlated() -> None:
    """780 pairs: beyond 4.9 standard errors with a probability below one in a thousand."""
    assert correlations([stream(1, "trial", number) for number in range(40)], 2000).max() < 4.9


def test_two_streams_of_one_name_would_be_seen() -> None:
    streams = [stream(1, "trial", number) for number in (*range(39), 0)]
    assert correlations(streams, 2000).max() > 40


def test_the_global_stream_is_lent_from_a_seed_and_put_back() -> None:
    np.random.seed(3)
    expected = np.random.random(2)
    np.random.seed(3)
    first = np.random.random()
    with lend_global_stream(5):
        inside = np.random.random()
    assert [first, np.random.random()] == expected.tolist()
    np.random.seed(5)
    assert inside == np.random.random()
