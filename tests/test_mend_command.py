"""``riskkit mend``: the file it writes, the audit it makes, and what it refuses."""

import json
from pathlib import Path

import pytest

from riskkit.cli import main
from riskkit.jobs.store import Audit, Store
from tests.audit.test_repair import RELEASED, answered, table


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A real file and a release of it, as options."""
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    (tmp_path / "real.csv").write_bytes(table(1))
    (tmp_path / "release.csv").write_bytes(table(2))
    return ["--real", str(tmp_path / "real.csv"), "--synthetic", str(tmp_path / "release.csv")]


def test_a_mended_file_is_written(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mended.csv"
    how = ["--shuffle", "--drop", "id", "--coarsen", "age=width:10", "--coarsen", "job=rare:5", "--out", str(out)]
    assert main(["mend", *files, *how]) == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "age,job,sick"
    assert len(lines) == 121
    assert {line.partition(",")[0] for line in lines[1:]} == {"25", "35", "45", "55", "65", "75"}
    printed = capsys.readouterr().out
    assert "120 rows, 3 columns" in printed
    assert "job: Nothing changes" in printed


def test_copied_rows_are_removed(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = (tmp_path / "real.csv").read_bytes().splitlines()
    (tmp_path / "release.csv").write_bytes(b"\n".join([*table(2).splitlines(), *real[1:15]]))
    out = tmp_path / "mended.csv"
    assert main(["mend", *files, "--remove-copies", "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["removed"], document["rows"]) == (134 - document["rows"], len(out.read_text().splitlines()) - 1)
    assert document["removed"] >= 14
    assert not {line.decode() for line in real[1:15]} & set(out.read_text().splitlines())
    assert main(["mend", *files, "--remove-copies", "--out", str(out)]) == 0
    assert f"Copied rows removed: {document['removed']}." in capsys.readouterr().out


def test_the_seed_gives_the_same_file(files: list[str], tmp_path: Path) -> None:
    written = []
    for name, seed in (("a", ["--seed", "1"]), ("b", ["--seed", "1"]), ("c", [])):
        assert main(["mend", *files, "--shuffle", *seed, "--out", str(tmp_path / name)]) == 0
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1] != written[2]


def test_an_audit_is_mended_into_one_beside_it(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Audit, "start", lambda self, plan, **_: self.run_of(plan))
    audit = Store.default().create("March")
    for slot, path in zip(("real", "synthetic"), files[1::2], strict=True):
        audit.load(slot, Path(path).read_bytes(), name=Path(path).name)
    answered(audit, RELEASED)
    capsys.readouterr()
    how = ["--audit", audit.id[:8], "--shuffle", "--out", str(tmp_path / "m.csv"), "--json"]
    assert main(["mend", *how]) == 0
    document = json.loads(capsys.readouterr().out)
    made = Store.default().open(document["audit"])
    assert made.mending["of"] == document["of"] == audit.id
    assert len(document["runs"]) == 1
    assert (tmp_path / "m.csv").read_bytes() == made.source("synthetic")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (["--shuffle"], "--out"),
        (["--out", "x.csv"], "Nothing is to be changed"),
        (["--shuffle", "--audit", "abc", "--out", "x.csv"], "or an audit with --audit"),
        (["--leave-out", "3", "--out", "x.csv"], "--audit"),
        (["--coarsen", "age=5", "--out", "x.csv"], "is written"),
        (["--drop", "ward", "--out", "x.csv"], "'ward'"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(
    files: list[str],
    how: list[str],
    why: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["mend", *files, *how])
    except SystemExit as end:
        code = int(str(end.code))
    error = capsys.readouterr().err
    assert code == 2
    assert why in error
    assert "Traceback" not in error
    assert not (tmp_path / "x.csv").exists()
