"""Free texts in the game on a released file: whose they are, in what order, and what of them is planted."""

import math
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Column, Kind, Schema, Table
from riskkit.games.released_deal import deal
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.released.texts import texts
from riskkit.seeds import stream
from riskkit.stats.permutation import joint_aucs
from riskkit.table.canonical import canonical
from riskkit.table.load import Tables
from riskkit.table.points import RowPoints, points_of
from tests.released.test_free_text import BOTH, notes

N = 120
SIDES = ("synthetic", "real", "holdout")


def table(n: int, rng: np.random.Generator) -> Table:
    """People of whom nothing but a ward is known: nearly all are alike."""
    schema = Schema((Column("ward", Kind.CATEGORICAL, levels=("north", "south")),))
    return Table(schema, rng.integers(0, 2, (n, 1)).astype(np.int32), np.empty((n, 0)))


def game(free: dict[str, list[str]], seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    release, real, holdout = (table(len(free[side]), rng) for side in SIDES)
    return deal(real, release, holdout, free_texts=(free,), max_rows=10_000, seed=seed)


def written(points: RowPoints) -> list[str]:
    assert points.texts is not None
    return list(points.texts[:, 0])


def free_texts(seed: int, *, copied: bool = False) -> dict[str, list[str]]:
    rng = np.random.default_rng([seed, 9])
    real, holdout, release = (notes(N, rng) for _ in range(3))
    return {"real": real, "holdout": holdout, "synthetic": real[::-1] if copied else release}


def test_people_whose_texts_differ_are_different_people() -> None:
    dealt = game(free_texts(1))
    assert (dealt.records(True), dealt.records(False)) == (N, N)
    assert dealt.left_out.real == 0


def test_equal_rows_with_equal_texts_are_one_person() -> None:
    free = free_texts(2)
    free["holdout"][:40] = free["real"][:40]
    rng = np.random.default_rng(0)
    alike = table(N, rng)
    same = Table(alike.schema, alike.codes * 0, alike.numbers)
    dealt = deal(same, same, same, free_texts=(free,), max_rows=10_000, seed=1)
    assert (dealt.left_out.real, dealt.left_out.holdout) == (40, 40)
    assert (dealt.records(True), dealt.records(False)) == (N - 40, N - 40)


def test_each_text_stays_with_its_row_and_the_order_knows_no_side() -> None:
    free = free_texts(3)
    rng = np.random.default_rng(0)
    alike = table(N, rng)
    same = Table(alike.schema, alike.codes * 0, alike.numbers)
    there = deal(same, same, same, free_texts=(free,), max_rows=10_000, seed=1)
    swapped = {"real": free["holdout"], "holdout": free["real"], "synthetic": free["synthetic"]}
    back = deal(same, same, same, free_texts=(swapped,), max_rows=10_000, seed=1)
    for dealt, own_texts in ((there, free), (back, swapped)):
        own = [own_texts["real" if side else "holdout"][row] for side, row in zip(dealt.is_in, dealt.row, strict=True)]
        assert written(dealt.targets) == own
    assert written(there.targets) == written(back.targets)
    assert (there.is_in == ~back.is_in).all()
    turned = {**free, "synthetic": free["synthetic"][::-1]}
    other = deal(same, same, same, free_texts=(turned,), max_rows=10_000, seed=1)
    assert written(other.release) == written(there.release)


def test_a_planted_copy_is_a_copy_of_its_text_but_for_some_words() -> None:
    dealt = game(free_texts(4))
    planted = dealt.plant()
    known = set(dealt.release.texts[:, 0])
    new = [text.split() for text in planted.release.texts[:, 0] if text not in known]
    assert planted.copies == math.floor(N * 0.2)  # at most a fifth of the release is replaced
    assert len(new) == planted.copies
    people = [text.split() for text in dealt.targets.texts[~dealt.is_in, 0]]
    kept = [max(np.mean([a == b for a, b in zip(copy, own, strict=True)]) for own in people) for copy in new]
    assert 0.9 < np.mean(kept) < 1.0  # of 24 x 12 words one in twenty is another: .95, give or take .02


@BOTH
def test_copied_texts_are_found_and_so_is_the_planted_leak(attack: Any) -> None:
    rng = np.random.default_rng(5)
    release, real, holdout = (table(N, rng) for _ in SIDES)
    tables = Tables(real, release, holdout, real.schema, (), (), free_texts={"note": free_texts(5, copied=True)})
    result = run_released(tables, ReleasedPlan(attacks=(attack.name,), seed=1))
    (auc,) = (estimate for estimate in result.estimates if estimate.name == "auc")
    assert auc.low > 0.95
    (planted,) = result.control
    assert planted.auc is not None
    assert planted.auc.low > 0.5
    assert not [note for note in result.notes if "free text" in note]


def test_an_audit_that_reads_no_text_says_so() -> None:
    rng = np.random.default_rng(6)
    release, real, holdout = (table(N, rng) for _ in SIDES)
    tables = Tables(real, release, holdout, real.schema, (), (), free_texts={"note": free_texts(6)})
    notes_of = {
        attack: " ".join(run_released(tables, ReleasedPlan(attacks=(attack,), seed=1)).notes)
        for attack in ("dcr", "levenshtein", "nearest-text:rows=50")
    }
    assert "reads the free text in 'note'" in notes_of["dcr"]
    assert "free text" not in notes_of["levenshtein"]
    assert "compares with 50 of the 120 released rows" in notes_of["nearest-text:rows=50"]


def test_lines_of_the_game_hold_words_and_free_texts() -> None:
    """Codes in canonical order have other numbers; their words are those of the file."""
    schema = Schema((Column("ward", Kind.CATEGORICAL, levels=("south", "north", "east")),))
    codes = np.array([[1, 1, 0], [2, 1, 1]], np.int32)
    both = [Table(schema, own[:, None], np.empty((3, 0))) for own in codes]
    parts, undo = canonical(points_of(both))
    assert [texts(part.rows(back)) for part, back in zip(parts, undo, strict=True)] == [
        ["north", "north", "south"],
        ["east", "north", "north"],
    ]
    line = texts(game(free_texts(7)).release)[0]
    assert line.partition(",")[0] in ("north", "south")
    assert len(line.partition(",")[2].split()) == 12


@pytest.mark.slow
@pytest.mark.parametrize("spelled", ["nearest-text", "rare-phrases:words=2"])
def test_at_most_one_in_twenty_releases_of_other_texts_is_called_a_leak(spelled: str) -> None:
    """Twenty words of sixty: pairs of words are shared by chance, so that scores vary."""
    times, calls = 200, 0
    for index in range(times):
        rng = stream(index, "test", "texts")
        dealt = game({side: notes(60, rng, 20) for side in SIDES}, index)
        joint = joint_aucs([dealt.scores(registry.parse("released", spelled))], dealt.rng("labels"), level=0.95)
        calls += min(joint.p) <= 0.05
    assert 1 <= calls <= 10 + 3 * math.sqrt(200 * 0.05 * 0.95)
