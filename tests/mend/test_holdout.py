"""A real table in two: whose rows go where, what the command writes, and what it refuses."""

import json
from pathlib import Path

import pytest

from riskkit.cli import main
from riskkit.errors import DesignError, ParameterError
from riskkit.mend.holdout import part, part_children
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import TextTable

HEAD = "id,age,note"
ROWS = [f'p{index // 3},{20 + index},"a, {index}"' for index in range(60)]
"""Twenty people of three rows each; a comma in every last cell."""


def text(rows: list[str] = ROWS) -> str:
    return "\n".join([HEAD, *rows]) + "\n"


def table(rows: list[str] = ROWS) -> TextTable:
    return read_csv(text(rows).encode(), name="real.csv")


def lines(content: bytes) -> list[str]:
    head, *rows = content.decode().splitlines()
    assert head == HEAD
    return rows


def test_every_row_goes_to_one_side_in_its_old_order_and_texts_stay() -> None:
    parts = part(table(), 0.25, seed=1)
    kept, out = lines(parts.kept), lines(parts.holdout)
    assert (len(kept), len(out)) == parts.rows == parts.people == (45, 15)
    assert sorted([*kept, *out]) == sorted(ROWS)
    for side in (kept, out):
        assert [row for row in ROWS if row in side] == side


def test_all_rows_of_a_person_stay_together() -> None:
    parts = part(table(), 0.2, seed=3, person="id")
    sides = [{row.partition(",")[0] for row in lines(side)} for side in (parts.kept, parts.holdout)]
    assert not sides[0] & sides[1]
    assert (parts.people, parts.rows) == ((16, 4), (48, 12))
    assert [len(side) for side in sides] == [16, 4]
    alone = part(table(), 0.2, seed=3)  # rows by themselves tear people apart
    torn = [{row.partition(",")[0] for row in lines(side)} for side in (alone.kept, alone.holdout)]
    assert torn[0] & torn[1]


def test_rows_that_name_nobody_are_people_of_their_own() -> None:
    rows = [f",{index},x" for index in range(10)]
    assert part(table(rows), 0.3, seed=1, person="id").people == (7, 3)


def test_the_seed_gives_the_same_people_and_another_seed_others() -> None:
    first, again, other = (part(table(), seed=seed).holdout for seed in (1, 1, 2))
    assert first == again != other


def test_what_cannot_be_parted_is_said() -> None:
    real = table()
    for share in (0, 1, -0.1, 2):
        with pytest.raises(ParameterError, match="between 0 and 1"):
            part(real, share, seed=1)
    with pytest.raises(ParameterError, match="no column 'who'"):
        part(real, seed=1, person="who")
    with pytest.raises(ParameterError, match="whole number"):
        part(real, seed=-1)
    with pytest.raises(DesignError, match="1 people cannot be parted"):
        part(table(["p1,1,x", "p1,2,y"]), seed=1, person="id")


def test_the_command_writes_two_files_and_says_what_comes_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = tmp_path / "real.csv"
    real.write_text(text(), encoding="utf-8")
    assert main(["holdout", "--real", str(real), "--share", "0.2", "--person", "id"]) == 0
    output = capsys.readouterr().out
    assert "48 rows of 16 people" in output
    assert "riskkit audit --real" in output
    kept, out = (tmp_path / f"real_{name}.csv" for name in ("kept", "holdout"))
    assert sorted([*lines(kept.read_bytes()), *lines(out.read_bytes())]) == sorted(ROWS)
    assert main(["holdout", "--real", str(real), "--json", "--holdout", str(tmp_path / "h.csv")]) == 0
    assert json.loads(capsys.readouterr().out)["holdout"] == {"file": str(tmp_path / "h.csv"), "rows": 12, "people": 12}
    assert main(["holdout", "--real", str(real), "--kept", str(real)]) == 2
    assert real.read_text(encoding="utf-8") == text()


# --- a second table -------------------------------------------------------------------------------------------------


def test_a_second_table_is_parted_by_the_same_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By hand: every visit stands with its patient, keys spelled in two ways; one that nobody has stays."""
    first = tmp_path / "patients.csv"
    first.write_text("patient,age\n" + "".join(f"{index},{20 + index}\n" for index in range(1, 41)))
    visits = tmp_path / "visits.csv"
    lines_of = [f"{key}{'.0' * (key % 2)},{day}" for key in range(1, 41) for day in range(key % 4)] + ["99,7"]
    visits.write_text("\n".join(["patient,day", *lines_of]) + "\n")
    words = ["holdout", "--real", str(first), "--person", "patient", "--children", str(visits), "--share", "0.25"]
    assert main(words) == 0
    assert "--children-real" in capsys.readouterr().out
    sides = {}
    for name in ("kept", "holdout"):
        people, rows = (
            (tmp_path / f"{table}_{name}.csv").read_text().splitlines()[1:] for table in ("patients", "visits")
        )
        sides[name] = {line.split(",")[0] for line in people}, rows
    out, rows = sides["holdout"]
    assert len(out) == 10
    assert rows == [line for line in lines_of if line.split(",")[0].removesuffix(".0") in out]
    assert sides["kept"][1] == [line for line in lines_of if line not in rows]
    assert sides["kept"][1][-1] == "99,7"
    assert main(words[:3] + words[5:]) == 2
    assert "--person" in capsys.readouterr().err


def test_a_second_table_without_the_key_is_refused() -> None:
    with pytest.raises(ParameterError, match="says whose row it is"):
        part_children(read_csv(b"who,day\na,1\nb,2\n", name="v.csv"), table(), part(table(), seed=1).is_out, "id")
