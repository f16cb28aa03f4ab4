"""The command that finds the least change: its lines, its JSON, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from riskkit.cli import main
from riskkit.jobs.store import Store
from riskkit.questions.promises import certificate
from riskkit.questions.records.remedy import Remedy
from tests.pages.screens import csv


@pytest.fixture
def real(tmp_path: Path) -> str:
    path = tmp_path / "real.csv"
    path.write_bytes(csv(60, 0))
    return str(path)


def asked(real: str, *words: str) -> list[str]:
    return ["remedy", "--real", real, "--draws", "2", "--n-syn", "40", "--quiet", *words]


@pytest.mark.second
def test_lines_name_the_least_change_and_its_cost(real: str, call: Callable[..., str]) -> None:
    printed = call(asked(real, "--generator", "mst:delta=0.01", "--limit", "0.6"))
    assert "everybody's optimal-attack bound is below 0.6" in printed
    assert "Usefulness (Pairs of columns)" in printed
    assert printed.count("(least change)") == 1


@pytest.mark.second
def test_json_holds_every_value_tried_and_the_one_chosen(real: str, call: Callable[..., str]) -> None:
    words = asked(real, "--generator", "mst:delta=0.01", "--limit", "0.6", "--measure", "histogram", "--json")
    search = json.loads(call(words))
    assert (search["setting"], search["measure"], search["people"], search["now"]) == ("epsilon", "histogram", 60, 1.0)
    chosen = search["chosen"]["value"]
    assert chosen == max(point["value"] for point in search["points"] if point["highest"][2] < 0.6)
    columns = len(csv(60, 0).decode().splitlines()[0].split(","))
    bounds = [
        certificate(f"mst:epsilon={chosen},delta=0.01", "add-one", 60, degree) for degree in range(1, columns + 1)
    ]
    assert np.isclose(search["chosen"]["highest"][0], bounds).any()


@pytest.mark.second
def test_what_is_found_for_an_audit_is_kept_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], call: Callable[..., str]
) -> None:
    """The same numbers as from the file; searched again it is kept once, and with another file it is gone."""
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    store = Store.default()
    audit = store.create("A")
    audit.load("real", csv(60, 0), name="real.csv")
    words = ["--generator", "mst:delta=0.01", "--limit", "0.6", "--measure", "histogram", "--draws", "2"]
    for _ in range(2):
        assert main(["remedy", "--audit", audit.id[:8], "--n-syn", "40", "--quiet", *words]) == 0
    printed = capsys.readouterr().out
    assert f"Kept with audit {audit.id[:8]}" in printed
    (kept,) = store.open(audit.id).remedies
    remedy = Remedy.from_plain(kept)
    (tmp_path / "real.csv").write_bytes(csv(60, 0))
    from_file = json.loads(call(asked(str(tmp_path / "real.csv"), *words, "--json")))
    assert {name: from_file[name] for name in remedy.as_dict()} == json.loads(json.dumps(remedy.as_dict()))
    audit.load("real", csv(61, 1), name="real.csv")
    assert audit.remedies == ()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--generator", "stat", "--limit", "0.7"), "has no optimal-attack bound"),
        (("--generator", "mst", "--limit", "1.2"), "The limit is 1.2; it must be above 0.5 and below 1."),
        (("--generator", "mst", "--limit", "0.7", "--setting", "bins"), "that protects people; choose"),
        (("--generator", "mst", "--limit", "0.7", "--draws", "1"), "--draws is 1; it must be at least 2."),
    ],
)
def test_what_it_refuses(real: str, words: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked(real, *words)) != 0
    assert complaint in capsys.readouterr().err


def test_it_wants_a_file_or_an_audit(real: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--generator", "mst", "--limit", "0.7"]
    assert main(["remedy", *words]) != 0
    assert "with --real, or an audit with --audit" in capsys.readouterr().err
    assert main(asked(real, *words, "--audit", "abc")) != 0
    assert "with --real, or an audit with --audit" in capsys.readouterr().err
