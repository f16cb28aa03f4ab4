"""Several releases of one table: their stack, what is said of each file, and files that do not fit together."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from riskkit.audit.give_aways import look
from riskkit.errors import InputError
from riskkit.judging.give_aways import State, sentence
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.table.load import Tables, read_tables
from riskkit.table.stack import FURTHER_SLOTS, Stack, disagreement

LETTERS = np.array(list("abcdefgh"))


def people(seed: int, n: int) -> np.ndarray:
    """(n, 3) texts: a letter, a number that leans on it, and one that does not."""
    rng = np.random.default_rng(seed)
    letter = rng.integers(8, size=n)
    leaning, free = (letter + rng.normal(size=n)).round(2), rng.normal(size=n).round(3)
    return np.column_stack([LETTERS[letter], leaning.astype(str), free.astype(str)])


def written(path: Path, rows: np.ndarray, head: str = "kind,x,y") -> Path:
    path.write_text("\n".join([head, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A real table, a holdout and three releases of 60, 80 and 100 rows."""
    made = {"real": people(1, 120), "holdout": people(2, 120)}
    made |= {f"r{release}": people(10 + release, 60 + 20 * release) for release in range(3)}
    return {name: written(tmp_path / f"{name}.csv", rows) for name, rows in made.items()}


def loaded(files: dict[str, Path], *releases: str) -> Tables:
    return read_tables(files["real"], [files[name] for name in releases], files["holdout"])


def test_the_stack_holds_the_rows_of_every_file_in_their_order(files: dict[str, Path]) -> None:
    tables = loaded(files, "r0", "r1", "r2")
    assert tables.synthetic is not None
    assert (len(tables.synthetic), tables.releases, tables.release_rows) == (240, 3, 100)
    assert tables.stack == Stack(("r0.csv", "r1.csv", "r2.csv"), (60, 80, 100))
    for name, own in zip(("r0", "r1", "r2"), tables.each_release(), strict=True):
        alone = [line.split(",") for line in files[name].read_text(encoding="utf-8").splitlines()[1:]]
        assert own.synthetic is not None
        assert own.synthetic.numbers.tolist() == [[float(x), float(y)] for _, x, y in alone]
        assert own.releases == 1


def test_every_file_has_its_own_name_and_hash(files: dict[str, Path]) -> None:
    facts = {file.slot: (file.name, file.rows) for file in loaded(files, "r0", "r1", "r2").files}
    assert facts["synthetic"] == ("r0.csv", 60)
    assert [facts[slot] for slot in FURTHER_SLOTS[:2]] == [("r1.csv", 80), ("r2.csv", 100)]
    assert len({file.sha256 for file in loaded(files, "r0", "r1", "r2").files}) == 5


def test_one_file_is_what_it_was(files: dict[str, Path]) -> None:
    before = read_tables(files["real"], files["r0"], files["holdout"])
    after = loaded(files, "r0")
    assert after.stack is None
    for field in dataclasses.fields(Tables):
        ours, theirs = getattr(before, field.name), getattr(after, field.name)
        if field.name in ("real", "synthetic", "holdout"):
            assert np.array_equal(ours.codes, theirs.codes)
            assert np.array_equal(ours.numbers, theirs.numbers)
        else:
            assert ours == theirs


def test_no_number_depends_on_the_order_of_the_files(files: dict[str, Path]) -> None:
    plan = ReleasedPlan(attacks=("dcr", "domias", "classifier"))
    first, second = (run_released(loaded(files, *order), plan) for order in (("r0", "r1", "r2"), ("r2", "r0", "r1")))
    assert first.estimates == second.estimates
    assert first.estimates != run_released(loaded(files, "r0", "r1"), plan).estimates


def test_a_stack_is_what_the_files_put_together_by_hand_are(files: dict[str, Path], tmp_path: Path) -> None:
    """One who joins the files with an editor, and hands in one, gets the same attacks."""
    rows = [line for name in ("r0", "r1") for line in files[name].read_text(encoding="utf-8").splitlines()[1:]]
    whole = tmp_path / "whole.csv"
    whole.write_text("\n".join(["kind,x,y", *rows]) + "\n", encoding="utf-8")
    plan = ReleasedPlan(attacks=("dcr", "mc"))
    by_hand = run_released(read_tables(files["real"], whole, files["holdout"]), plan)
    assert by_hand.estimates == run_released(loaded(files, "r0", "r1"), plan).estimates


def test_copies_and_order_are_said_of_the_very_file(files: dict[str, Path]) -> None:
    real = people(1, 120)
    copied = people(11, 120)
    copied[:100] = real[:100]  # in their places: they are copies, and in the order of the real table
    written(files["r1"], copied)
    every = look(loaded(files, "r0", "r1", "r2"))
    shown = {
        (give_away.code, give_away.figures.get("release", 0)) for give_away in every if give_away.state is State.SHOWN
    }
    assert {("copies", 0), ("copies", 2), ("row_order", 2), ("values", 2)} == shown
    assert sentence(every[0]).startswith("All 3 releases together: 100 rows")
    assert [give_away.figures["release"] for give_away in every if give_away.code == "row_order"] == [1, 2, 3]
    noticed = {(p.file, p.code) for p in loaded(files, "r0", "r1", "r2").problems}
    assert ("r1.csv", "verbatim_copies") in noticed
    assert not {("r0.csv", "verbatim_copies"), ("r2.csv", "verbatim_copies")} & noticed


def test_copies_that_no_file_shows_by_itself_are_shown_by_all(files: dict[str, Path]) -> None:
    """Five of 120 people in each file are too few to show; fifteen in all are not."""
    real = people(1, 120)[::-1]
    for release, name in enumerate(("r0", "r1", "r2")):
        rows = people(10 + release, 100)
        rows[3:8] = real[5 * release : 5 * release + 5]
        written(files[name], rows)
    give_aways = look(loaded(files, "r0", "r1", "r2"))
    states = {
        give_away.figures.get("release", 0): give_away.state for give_away in give_aways if give_away.code == "copies"
    }
    assert states.pop(0) is State.SHOWN
    assert set(states) == {1, 2, 3}
    assert set(states.values()) <= {State.NOT_SHOWN, State.OPEN}


def test_equal_files_are_said(files: dict[str, Path]) -> None:
    codes = {problem.code: problem for problem in loaded(files, "r0", "r1", "r0").problems}
    assert codes["identical_releases"].file == "r0.csv"
    assert "identical_files" not in codes


@pytest.mark.parametrize("head", ["kind,x", "kind,x,z"])
def test_files_of_other_columns_are_refused_by_name(files: dict[str, Path], head: str) -> None:
    written(files["r1"], people(3, 80)[:, : head.count(",") + 1], head)
    with pytest.raises(InputError, match=r"r1\.csv") as refused:
        loaded(files, "r0", "r1")
    assert refused.value.problem.file == "r1.csv"


def test_a_cell_that_spoils_a_file_is_named_with_its_file_and_line(files: dict[str, Path], tmp_path: Path) -> None:
    """Of the stack neither would be known."""
    from riskkit.core import Kind
    from riskkit.table.kinds.choice import ColumnChoice

    rows = people(3, 80)
    rows[41, 1] = "secret word"
    written(files["r1"], rows)
    with pytest.raises(InputError) as refused:
        read_tables(
            files["real"], [files["r0"], files["r1"]], files["holdout"], choices={"x": ColumnChoice(kind=Kind.NUMERIC)}
        )
    assert (refused.value.problem.file, refused.value.problem.line) == ("r1.csv", 43)
    assert "secret" not in str(refused.value)


def test_a_file_of_few_rows_is_refused(files: dict[str, Path]) -> None:
    written(files["r2"], people(3, 20))
    with pytest.raises(InputError, match="has 20"):
        loaded(files, "r0", "r2")


def test_values_that_one_file_alone_writes_otherwise_are_apart(files: dict[str, Path]) -> None:
    """Two of three files meet the real one; in the stack the third would be lost among them."""
    rows = people(12, 60)
    rows[:, 0] = np.char.add("kind ", rows[:, 0])
    written(files["r2"], rows)
    assert [overlap.column for overlap in loaded(files, "r0", "r1", "r2").apart] == ["kind"]


@pytest.mark.parametrize(
    ("releases", "files", "count"), [(3, 3, 0), (1, 1, 0), (5, 3, 1), (2, 3, 1), (3, 1, 1), (1, 0, 0)]
)
def test_numbers_that_disagree_are_said(releases: int, files: int, count: int) -> None:
    problems = disagreement(releases, files, "r0.csv")
    assert len(problems) == count
    if problems:
        assert f"released {releases} times, and {files} release" in problems[0].sentence()
