"""The command for many records: text, JSON and a file that no spreadsheet takes for formulas."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.cli import main
from riskkit.commands.records import write_csv
from riskkit.core import Fitted, Table
from riskkit.generators.histogram import Histogram
from riskkit.questions.records import play as records_forecast
from riskkit.questions.records.result import Bound, Person
from riskkit.table.write import to_csv
from tests.oracles import stand_beside
from tests.tables import mixed

FEW = ["--in", "20", "--out", "20", "--shadows", "5", "--again", "2", "--n-syn", "60"]

ROOMS = ("attacks", "targets", "released", "inference", "explained", "inverters", "defences")
EMPTY: dict[str, dict[str, Any]] = {room: {} for room in ROOMS}


@pytest.fixture
def real(tmp_path: Path) -> str:
    path = tmp_path / "real.csv"
    path.write_bytes(to_csv(mixed(60)))
    return str(path)


def test_it_says_who_is_exposed_and_writes_a_line_for_each(real: str, tmp_path: Path, call: Callable[..., str]) -> None:
    out = tmp_path / "records.csv"
    command = ["records", "--real", real, "--records", "top:6", "--certificate", "--csv", str(out), *FEW]
    printed = call([*command, "--limit", "0.8"])
    assert "\nUNDECIDED. Of 6 records tested, 0 are listed above 0.8; 2 [0, 5] of 6 people lie above it.\n" in printed
    assert re.search(r"^Risk above +People of 6 .*^0\.80 +2 \[0, 5\] ", printed, re.MULTILINE | re.DOTALL), printed
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 6
    for row in rows:
        assert float(row["auc_low"]) <= float(row["auc"]) <= float(row["auc_high"])
        assert float(row["auc_low"]) <= float(row["certificate_high"]) + 1e-9
        bound, reads = float(row["epsilon_lower"]), row["epsilon_reads"]
        assert reads.startswith("not shown (" if bound < 0.005 else f"{bound:.2f} (ceiling")
    assert {row["stage"] for row in rows} == {"first", "fresh"}


def test_json_holds_every_estimate_with_the_row_it_is_about(real: str, call: Callable[..., str]) -> None:
    document = json.loads(call(["records", "--real", real, "--records", "ids:3,11", "--json", *FEW]))
    assert {"verdicts", "estimates", "settings", "files", "notes", "sides", "records"} <= set(document)
    about = {(e["name"], e["record"], e["stage"]) for e in document["estimates"] if e.get("record")}
    assert {("auc", "3", "first"), ("advantage", "11", "first"), ("auc", "3", "fresh")} <= about
    assert document["settings"]["records"] == "ids:3,11"


def test_a_drawn_part_speaks_for_the_whole_table(real: str, call: Callable[..., str]) -> None:
    printed = call(["records", "--real", real, "--records", "top:2+random:3", "--limit", "0.8", *FEW])
    assert re.search(r"^Risk above +People of 60 .*^0\.80 +\d", printed, re.MULTILINE | re.DOTALL)
    assert re.search(r"Of 5 records tested, \d are listed above 0\.8; \d+ \[\d+, \d+\] of 60 people", printed)


def test_what_it_takes_is_said_first_and_alone_where_only_that_is_asked(
    real: str, capsys: pytest.CaptureFixture[str], call: Callable[..., str]
) -> None:
    command = ["records", "--real", real, "--records", "ids:3,11", *FEW]  # 5 + 20 + 20 for all; 5 + 20 twice for each
    assert main(command) == 0
    outputs = capsys.readouterr()
    assert "This takes about a second with 1 worker: 2 records, 145 trainings in all" in outputs.err
    assert "with 80 % power" in outputs.err
    assert re.search(
        r"(Of 2 records tested, at least \d are exposed|None of 2 records tested is shown to be exposed)\.",
        outputs.out,
    )
    assert "records tested" not in call([*command, "--forecast"])
    forecast = json.loads(call([*command, "--forecast", "--json"]))["forecast"]
    assert (forecast["records"], forecast["trainings"]) == (2, 145)


def test_the_pilot_makes_no_more_trainings_than_it_must(real: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that takes minutes a training is trained for a pilot at most five times, and never for a first look."""
    made: list[int] = []

    @dataclass(frozen=True)
    class Slow:
        name: ClassVar[str] = "slow"

        def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
            made.append(len(table))
            rng.random()
            return Histogram().fit(table, rng)

    stand_beside(monkeypatch, {"generators": {"slow": Slow}, **EMPTY})
    monkeypatch.setattr(records_forecast, "LONG", 0.0)
    command = ["records", "--real", real, "--records", "ids:3,11", "--generator", "slow", "--forecast", *FEW]
    assert main(command) == 0
    assert sorted(made) == [59, 59, 60, 60, 60]


def test_of_a_method_that_trains_long_it_names_the_way_that_serves_everybody(
    real: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @dataclass(frozen=True)
    class Long:
        name: ClassVar[str] = "long"
        heavy: ClassVar[bool] = True

        def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
            rng.random()
            return Histogram().fit(table, rng)

    stand_beside(monkeypatch, {"generators": {"long": Long}, **EMPTY})
    command = ["records", "--real", real, "--records", "ids:3,11", "--forecast"]
    for method, is_named in (("long", True), ("histogram", False)):
        assert main([*command, "--generator", method, *FEW]) == 0
        instead = "64 trainings on random parts of the people serve everybody: --by subsets."
        assert (instead in capsys.readouterr().out) is is_named


@pytest.mark.parametrize("text", ["=cmd", "|calc", "%x", "＝cmd", "\0=cmd", " @cmd"])
def test_a_text_that_looks_like_a_formula_is_written_as_text(text: str, tmp_path: Path) -> None:
    nothing = dict.fromkeys(("auc", "advantage", "tpr", "traditional", "first_auc", "best", "curve", "first", "fresh"))
    record = Person(
        row=1,
        rows=None,
        outlierness=0.1,
        copies=0,
        is_drawn=False,
        stage=text,
        n=4,
        epsilon=Bound(0.0, 1.0),
        **nothing,
    )
    write_csv(tmp_path / "out.csv", [record])
    assert f"'{text}".replace("\0", " ") in (tmp_path / "out.csv").read_text(encoding="utf-8")
