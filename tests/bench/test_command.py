"""``python -m riskkit bench``: plays, keeps, merges, forecasts, and ends with 1 where an order does not hold."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from riskkit.cli import main
from riskkit_bench.plan import read_plan
from riskkit_bench.results import read
from tests.bench.made import plan, played


def test_it_plays_writes_the_page_and_plays_nothing_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(plan(tmp_path, "identity").path)
    assert main(["bench", path, "--page", str(tmp_path / "leaks.html"), "--quiet"]) == 0
    output = capsys.readouterr().out
    assert "identity" in output
    assert "6 cells, 4 with a number" in output
    kept, page = ((tmp_path / name).read_bytes() for name in ("plan.json", "leaks.html"))
    assert main(["bench", path, "--page", str(tmp_path / "leaks.html"), "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cells_sha256"] == json.loads(kept)["cells_sha256"]
    assert (tmp_path / "plan.json").read_bytes() == kept
    assert (tmp_path / "leaks.html").read_bytes() == page


def test_cells_that_are_played_again_are_equal_and_a_changed_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of = plan(tmp_path, "identity")
    results = played(of)
    results.save(tmp_path / "plan.json")
    assert main(["bench", str(of.path), "--quick", "--quiet"]) == 2, "the plan names none"
    assert "names no cells under quick" in capsys.readouterr().err
    places = ["made/identity/dcr", "made/identity/neighbour", "made/identity/pairs"]
    text = of.path.read_text(encoding="utf-8").replace('data = "."', f'data = "."\nquick = {json.dumps(places)}')
    of.path.write_text(text, encoding="utf-8")
    kept = (tmp_path / "plan.json").read_bytes()
    assert main(["bench", str(of.path), "--quick", "--quiet"]) == 0
    assert "3 of 3 cells have the same figures" in capsys.readouterr().out
    assert (tmp_path / "plan.json").read_bytes() == kept, "nothing is kept of it"

    changed = results.find(places[0])
    assert changed is not None
    results.with_cells([replace(changed, auc=(0.9, 0.8, 0.95))]).save(tmp_path / "plan.json")
    assert main(["bench", str(of.path), "--quick", "--quiet", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"played": 3, "equal": 2, "other": [places[0]]}
    results.only(cell.key for cell in results.cells if cell.place != places[1]).save(tmp_path / "plan.json")
    assert main(["bench", str(of.path), "--quick", "--quiet"]) == 2
    assert "has no cell made/identity/neighbour" in capsys.readouterr().err


def test_a_broken_order_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = plan(tmp_path, "identity", more='\n[[method]]\nuse = "identity"\n')
    text = of.path.read_text(encoding="utf-8").replace('data = "."', 'data = "."\nblind = ["identity"]')
    of.path.write_text(text, encoding="utf-8")
    assert main(["bench", str(of.path), "--quiet"]) == 1
    assert "DOES NOT HOLD: A method that ignores the table (identity)" in capsys.readouterr().out


def test_shards_are_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = plan(tmp_path, "identity")
    whole = played(of)
    for part in ("1/2", "2/2"):
        assert main(["bench", str(of.path), "--shard", part, "--quiet"]) == 0
    parts = [str(tmp_path / f"plan.{number}-of-2.json") for number in (1, 2)]
    assert main(["bench", str(of.path), "--merge", *parts, "--no-play", "--quiet"]) == 0
    capsys.readouterr()
    assert read(tmp_path / "plan.json", of).sha256 == whole.sha256


def test_a_forecast_plays_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = plan(tmp_path, "identity").path
    assert main(["bench", str(path), "--forecast", "--quiet", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["cells"], len(document["jobs"])) == (6, 4)
    assert document["seconds"] > 0
    assert not path.with_suffix(".json").exists()


def test_a_method_is_added_by_the_command(tmp_path: Path) -> None:
    path = plan(tmp_path, "identity").path
    assert main(["bench", str(path), "--add-method", "bootstrap", "--quiet"]) == 0
    assert {cell.method for cell in read(path.with_suffix(".json"), read_plan(path)).cells} == {"identity", "bootstrap"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--shard", "3/2"], "--shard is '3/2'; write it as 1/4"),
        (["--merge", "gone.json"], "gone.json is not there"),
        (["--data", "nowhere"], "made.csv"),
    ],
)
def test_wrong_options_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    assert main(["bench", str(plan(tmp_path, "identity").path), *options]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.second
def test_a_process_that_is_killed_leaves_what_it_has_done(tmp_path: Path) -> None:
    of = plan(tmp_path, "bayesnet", "identity")
    whole = played(of)
    command = [sys.executable, "-m", "riskkit", "bench", str(of.path), "--quiet"]
    process = subprocess.Popen(command, env=dict(os.environ))
    until = time.monotonic() + 120
    while process.poll() is None and not list(tmp_path.glob(".plan.json.units/*/*")) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert main(["bench", str(of.path), "--quiet"]) == 0
    assert read(tmp_path / "plan.json", of).sha256 == whole.sha256
    assert not list(tmp_path.glob(".plan.json.units/*"))
