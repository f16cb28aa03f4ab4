"""Several secrets at once: marginals against enumeration, weights by hand, and releases of known answer."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from riskkit.errors import DesignError
from riskkit.games.mixture import mix
from riskkit.games.reconstruction import ATTACKERS, Hidden, Reconstruction, marginals, tree
from tests.statistical.test_criteria import people, together


def game(release: bytes, *, seed: int = 1, n: int = 150) -> tuple[Reconstruction, Any]:
    rng = np.random.default_rng(seed)
    real, others = people(rng, n), people(rng, n)
    tables = together(real, release or real, others)
    crowd = mix(tables.real, tables.synthetic, tables.holdout, max_rows=n, seed=seed)  # type: ignore[arg-type]
    return Reconstruction(crowd, ("town", "age"), ("job", "pay"), 5), crowd


def test_marginals_on_a_tree_are_those_of_adding_up_every_combination() -> None:
    rng = np.random.default_rng(3)
    sizes, edges = (2, 3, 2, 4), [(1, 0), (1, 3), (3, 2)]
    own = [rng.normal(size=(5, size)) for size in sizes]
    tables = [rng.normal(size=(5, sizes[a], sizes[b])) for a, b in edges]
    logs = marginals(own, edges, tables)
    for person in range(5):
        slow = [np.zeros(size) for size in sizes]
        for levels in itertools.product(*map(range, sizes)):
            log = sum(own[node][person, level] for node, level in enumerate(levels))
            log += sum(t[person, levels[a], levels[b]] for (a, b), t in zip(edges, tables, strict=True))
            for node, level in enumerate(levels):
                slow[node][level] += np.exp(log)
        for node in range(4):
            assert np.exp(logs[node][person]) == pytest.approx(slow[node] / slow[node].sum())


def test_the_tree_joins_what_tells_most() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(3, size=500)
    second = np.where(rng.random(500) < 0.9, first, rng.integers(3, size=500))
    third = np.where(rng.random(500) < 0.9, second, rng.integers(3, size=500))
    wide = rng.integers(60, size=500)
    hidden = [Hidden(each, each, levels) for each, levels in ((third, 3), (wide, 60), (first, 3), (second, 3))]
    assert {frozenset(edge) for edge in tree(hidden)} == {frozenset((0, 3)), frozenset((2, 3))}


def test_a_guess_counts_by_how_rare_the_value_is_and_the_usual_guess_gains_one_levels_worth() -> None:
    codes = np.repeat([0, 1, 2, 3], [600, 300, 100, 0])
    hidden = Hidden(codes, codes, 4)
    weight = hidden.weights(codes)
    assert weight[:3] == pytest.approx([1000 / 600 / 3, 1000 / 300 / 3, 1000 / 100 / 3])
    assert np.where(codes == 0, weight[codes], 0).mean() == pytest.approx(1 / 3)
    assert weight[codes].mean() == pytest.approx(1)
    rare = np.repeat([0, 1], [995, 5])
    assert Hidden(rare, rare, 2).weights(rare)[1] / Hidden(rare, rare, 2).weights(rare)[0] == pytest.approx(49.75)


def test_the_people_themselves_as_a_release_give_everything_away_where_they_are_alone() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"key": rng.normal(size=160), "one": rng.integers(4, size=160), "two": rng.choice(list("abc"), 160)}
    )
    frame["one"] = frame["one"].map("wxyz".__getitem__)
    real, others = frame[:80].to_csv(index=False).encode(), frame[80:].to_csv(index=False).encode()
    tables = together(real, real, others)
    crowd = mix(tables.real, tables.real, tables.holdout, max_rows=80, seed=1)  # type: ignore[arg-type]
    marks = Reconstruction(crowd, ("key",), ("one", "two"), 5).marks()
    inside = crowd.is_in[crowd.asked]
    nearest = ATTACKERS.index("nearest")
    assert marks.all_right[nearest][inside].all()
    assert marks.score[nearest][inside].mean() == pytest.approx(1, abs=0.15)  # weights are 1 on average over both sides
    assert marks.all_right[nearest][~inside].mean() < 0.3


def test_joining_helps_where_secrets_hang_together_and_the_known_column_does_not_say() -> None:
    """The forest of one column cannot know which of two halves a person is of; joined, secrets agree more often."""
    rng = np.random.default_rng(2)
    n = 600
    hidden = rng.integers(2, size=n)
    key = hidden + rng.normal(0, 0.8, n)
    columns = {"key": key.round(2)}
    for name in "abcd":
        columns[name] = np.where(rng.random(n) < 0.95, hidden, 1 - hidden)
    frame = pd.DataFrame(columns).astype(dict.fromkeys("abcd", str))
    frame[list("abcd")] = frame[list("abcd")].replace({"0": "no", "1": "yes"})
    parts = [frame[number : number + 200].to_csv(index=False).encode() for number in (0, 200, 400)]
    tables = together(*parts)
    crowd = mix(tables.real, tables.synthetic, tables.holdout, max_rows=200, seed=1)  # type: ignore[arg-type]
    marks = Reconstruction(crowd, ("key",), tuple("abcd"), 5).marks()
    alone, joined = (marks.all_right[ATTACKERS.index(name)].mean() for name in ("alone", "joined"))
    assert joined > alone + 0.1


def test_the_order_of_rows_and_who_was_in_change_nothing() -> None:
    rng = np.random.default_rng(1)
    release = people(rng, 120)
    head, *rows = release.splitlines()
    turned = b"\n".join([head, *reversed(rows)])
    first, other = (game(each)[0].marks() for each in (release, turned))
    assert (first.score == other.score).all()
    assert (first.all_right == other.all_right).all()


def test_a_secret_without_a_released_value_is_refused() -> None:
    table, _ = game(b"")
    empty = table.crowd.release
    numbers = empty.numbers.copy()
    numbers[:] = np.nan
    with pytest.raises(DesignError, match="No released row has a value"):
        Hidden.hide(table.crowd.people, type(empty)(empty.schema, empty.codes, numbers), "pay", 5)
