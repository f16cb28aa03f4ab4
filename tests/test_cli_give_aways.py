"""``riskkit audit`` of files that give people away by themselves, or that write the same values in two ways."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.cli import main

N = 400
HEAD = "a,b,c,d,place"
CONFIG = '[limits]\nreleased = 0.65\n[released]\nattacks = ["dcr", "nn-kde"]\nreference = "aside"\n'
"""A question that a release of other people answers with "within the limit"."""
Audit = Callable[..., tuple[int, str, dict[str, Any]]]


def rows(seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    numbers, words = rng.normal(50, 12, (N, 4)), rng.choice(["north", "south", "east"], N)
    return [f"{','.join(f'{value:.2f}' for value in line)},{word}" for line, word in zip(numbers, words, strict=True)]


REAL, HOLDOUT, FRESH = rows(1), rows(2), rows(3)
IDS = [f"P{number:08d}" for number in np.random.default_rng(4).choice(10**8, 3 * N, replace=False)]


def shuffled(lines: Sequence[str]) -> list[str]:
    return [lines[row] for row in np.random.default_rng(5).permutation(len(lines))]


def first(line: str) -> float:
    return float(line.partition(",")[0])


def in_order_of(lines: Sequence[str], pattern: Sequence[str]) -> list[str]:
    """These lines, the i-th smallest of their first column where the pattern has its i-th smallest."""
    ranks = np.argsort(np.argsort([first(line) for line in pattern]))
    by_first = sorted(lines, key=first)
    return [by_first[rank] for rank in ranks]


def beside(lines: Sequence[str], column: Sequence[str]) -> list[str]:
    """These lines with one more column before them."""
    return [f"{value},{line}" for value, line in zip(column, lines, strict=True)]


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Audit:
    """Exit code, what was printed, and the JSON of the report of an audit of these lines."""

    def run(
        real: Sequence[str],
        release: Sequence[str],
        holdout: Sequence[str],
        head: str = HEAD,
        columns: Mapping[str, Any] | None = None,
    ) -> tuple[int, str, dict[str, Any]]:
        words = ["audit", "--workers", "1", "--out", str(tmp_path / "out"), "--config", str(tmp_path / "audit.toml")]
        (tmp_path / "audit.toml").write_text(CONFIG, encoding="utf-8")
        for slot, lines in {"real": real, "synthetic": release, "holdout": holdout}.items():
            (tmp_path / f"{slot}.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
            words += [f"--{slot}", str(tmp_path / f"{slot}.csv")]
        if columns is not None:
            (tmp_path / "columns.json").write_text(json.dumps(columns), encoding="utf-8")
            words += ["--columns", str(tmp_path / "columns.json")]
        code = main(words)
        return code, capsys.readouterr().out, json.loads((tmp_path / "out" / "report.json").read_bytes())

    return run


def question(report: dict[str, Any]) -> dict[str, Any]:
    judged: dict[str, Any] = next(question for question in report["questions"] if question["question"] == "released")[
        "judgement"
    ]
    return judged


def states(report: dict[str, Any]) -> dict[str, str]:
    return {give_away["code"]: give_away["state"] for give_away in report["give_aways"]}


def test_a_release_that_gives_nobody_away_ends_with_its_questions(audit: Audit) -> None:
    code, printed, report = audit(REAL, FRESH, HOLDOUT)
    assert code == 0
    assert printed.startswith("Question")
    assert states(report) == dict.fromkeys(("row_order", "copies", "values"), "not shown")
    assert (report["overall"]["word"], report["overall"]["code"]) == ("within the limit", "questions")


REPAIRS = {
    "row_order": "Shuffle the rows of the release.",
    "copies": "Take copied rows out, or use another method.",
    "identifiers": "Make new identifiers, write times less exactly, or drop the column.",
}


@pytest.mark.parametrize(
    ("give_away", "lines", "head", "word", "says"),
    [
        ("row_order", (REAL, in_order_of(FRESH, REAL), HOLDOUT), HEAD, "undecided", "who is who"),
        ("copies", (REAL, shuffled(REAL[:240] + FRESH[240:]), HOLDOUT), HEAD, "above the limit", "copies people"),
        (
            "identifiers",
            (beside(REAL, IDS[:N]), beside(FRESH, shuffled(IDS[:N])), beside(HOLDOUT, IDS[N : 2 * N])),
            f"id,{HEAD}",
            "undecided",
            "400 are those of real people",
        ),
    ],
    ids=["the order of the real table", "60 % copied rows", "identifiers of real people"],
)
def test_a_give_away_decides_whatever_the_questions_say(
    audit: Audit, give_away: str, lines: tuple[list[str], ...], head: str, word: str, says: str
) -> None:
    code, printed, report = audit(*lines, head)
    assert code == 3
    assert question(report)["word"] == word
    shown = [entry for entry in report["give_aways"] if entry["state"] == "shown"]
    assert [entry["code"] for entry in shown] == [give_away, *(["values"] if give_away == "copies" else [])]
    line = printed.split("\n", 1)[0]
    assert line == f"THE FILE EXPOSES PEOPLE. {shown[0]['sentence']} {REPAIRS[give_away]}"
    assert says in line
    assert shown[0]["repair"] == REPAIRS[give_away]
    overall = report["overall"]
    repairs = " ".join(entry["repair"] for entry in shown)
    assert (overall["word"], overall["code"], overall["settle"]) == ("leak shown", "give_away", repairs)


def test_what_is_repaired_is_no_give_away_any_more(audit: Audit) -> None:
    lines = (beside(REAL, IDS[:N]), beside(FRESH, IDS[2 * N :]), beside(HOLDOUT, IDS[N : 2 * N]))
    code, _, report = audit(*lines, f"id,{HEAD}")
    assert code == 0
    assert states(report)["identifiers"] == "not shown"
    assert audit(REAL, shuffled(in_order_of(FRESH, REAL)), HOLDOUT)[0] == 0


def test_files_sorted_alike_stay_undecided_and_say_how_to_repair_it(audit: Audit) -> None:
    code, printed, report = audit(*(sorted(lines, key=first) for lines in (REAL, FRESH, HOLDOUT)))
    assert code == 4
    assert (question(report)["word"], question(report)["code"]) == ("undecided", "gives_away")
    assert states(report)["row_order"] == "open"
    assert printed.startswith("Both files are in a similar order")
    assert printed.split("\n", 1)[0].endswith(REPAIRS["row_order"])
    assert (report["overall"]["word"], report["overall"]["code"]) == ("undecided", "give_away_open")


def test_what_is_shown_stands_before_what_is_open(audit: Audit) -> None:
    real, release = sorted(REAL, key=first), sorted(REAL[:240] + FRESH[240:], key=first)
    code, printed, report = audit(real, release, HOLDOUT)
    assert code == 3
    assert states(report) == {"row_order": "open", "copies": "shown", "values": "shown"}
    copied, values, order = [line for line in printed.split("\n") if line.strip()][:3]
    assert copied.startswith("THE FILE EXPOSES PEOPLE. 240 rows")
    assert "Of the values that one real person alone has" in values
    assert order.strip().startswith("Both files are in a similar order")


def drawn(seed: int, values: Sequence[str]) -> list[str]:
    return [str(value) for value in np.random.default_rng(seed).choice(values, N)]


OURS, THEIRS = ("male", "female"), ("h", "k")
"""How the real table and the release write one column; what else does not meet stands in ``tests/table``."""


def test_a_release_in_another_spelling_is_never_within_a_limit(audit: Audit) -> None:
    lines = (beside(REAL, drawn(16, OURS)), beside(FRESH, drawn(17, THEIRS)), beside(HOLDOUT, drawn(18, OURS)))
    code, _, report = audit(*lines, f"x,{HEAD}")
    assert code == 4
    assert report["values_apart"] == ["column 1"]
    assert (question(report)["word"], question(report)["code"]) == ("undecided", "values_apart")
    assert "column 1 hardly meet" in question(report)["why"]


def test_copies_in_another_spelling_are_no_small_thing(audit: Audit) -> None:
    """Nothing sees them as copies of whole rows; the attacks see the other columns."""
    values = drawn(6, OURS)
    copies = beside(REAL, [THEIRS[OURS.index(value)] for value in values])
    code, _, report = audit(beside(REAL, values), shuffled(copies), beside(HOLDOUT, drawn(8, OURS)), f"x,{HEAD}")
    assert states(report)["copies"] == "not shown"
    assert report["values_apart"] == ["column 1"]
    assert code == 3


def test_values_that_really_differ_stand_in_the_way_no_more(audit: Audit) -> None:
    lines = (beside(REAL, drawn(16, OURS)), beside(FRESH, drawn(17, THEIRS)), beside(HOLDOUT, drawn(18, OURS)))
    code, _, report = audit(*lines, f"x,{HEAD}", {"x": {"differs": True}})
    assert code == 0
    assert report["values_apart"] == []
    assert [problem["code"] for problem in report["preparation"] if problem["column"]].count("values_differ") == 1
