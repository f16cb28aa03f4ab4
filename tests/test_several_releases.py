"""A steward who published several files: the command line, what is kept, Python, and the command that is printed."""

import json
import shlex
from pathlib import Path

import pytest

import riskkit
from riskkit.cli import main
from riskkit.errors import DesignError
from riskkit.jobs.store import Audit, Store
from riskkit.judging.provenance import Provenance
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.standard import Effort, Situation, plans_for
from tests.session.people import people

Capture = pytest.CaptureFixture[str]
NAMES = ("real", "holdout", "a", "b", "c")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of an audit of three releases of 100, 110 and 120 rows."""
    folder = tmp_path_factory.mktemp("several")
    for seed, name in enumerate(NAMES):
        people(n=80 + 10 * seed, seed=seed).to_csv(folder / f"{name}.csv", index=False)
    return {name: str(folder / f"{name}.csv") for name in NAMES}


def words(files: dict[str, str], *releases: str) -> list[str]:
    names = [files[name] for name in releases]
    return ["--real", files["real"], "--holdout", files["holdout"], "--synthetic", *names]


def document_of(capsys: Capture, command: list[str]) -> dict[str, object]:
    assert main([*command, "--json", "--no-keep", "--quiet"]) == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_the_command_line_and_python_say_the_same(files: dict[str, str], capsys: Capture) -> None:
    document = document_of(capsys, ["released", *words(files, "a", "b", "c"), "--attacks", "dcr"])
    tables = riskkit.load(files["real"], holdout=files["holdout"], releases=[files[name] for name in "abc"])
    answer = riskkit.released(tables, "dcr").as_dict()
    assert document["estimates"] == answer["estimates"]
    listed: list[dict[str, object]] = document["files"]  # type: ignore[assignment]
    assert [file["slot"] for file in listed] == ["real", "synthetic", "holdout", "release_2", "release_3"]
    assert [file["rows"] for file in listed] == [80, 100, 90, 110, 120]


def test_files_may_be_named_one_by_one(files: dict[str, str], capsys: Capture) -> None:
    together = ["released", *words(files, "a", "b"), "--attacks", "dcr"]
    apart = ["released", *words(files, "a"), "--synthetic", files["b"], "--attacks", "dcr"]
    assert document_of(capsys, together) == document_of(capsys, apart)


def test_the_printed_command_is_one_that_the_command_line_reads(files: dict[str, str], capsys: Capture) -> None:
    plan = ReleasedPlan(attacks=("dcr",), seed=3)
    command = plan.command(files["real"], files["a"], files["holdout"], release_2=files["b"], release_3=files["c"])
    assert f"--synthetic {files['a']} {files['b']} {files['c']}" in command
    assert len(document_of(capsys, shlex.split(command)[1:])["files"]) == 5  # type: ignore[arg-type]


def test_games_play_as_many_releases_as_there_are_files(files: dict[str, str], capsys: Capture) -> None:
    game = ["--generator", "histogram", "--records", "ids:0", "--in", "5", "--out", "5", "--shadows", "3"]
    document = document_of(capsys, ["records", *words(files, "a", "b", "c"), *game, "--again", "0", "--n-syn", "20"])
    assert document["settings"]["releases"] == 3  # type: ignore[index]


@pytest.mark.parametrize("command", ["records", "membership"])
def test_another_number_of_releases_than_files_is_refused(files: dict[str, str], capsys: Capture, command: str) -> None:
    assert main([command, *words(files, "a", "b", "c"), "--releases", "2"]) == 2
    assert "--releases says 2 and --synthetic names 3 files" in capsys.readouterr().err


def test_a_whole_audit_of_several_releases_asks_for_as_many(files: dict[str, str]) -> None:
    tables = riskkit.load(
        files["real"], holdout=files["holdout"], releases=[files[name] for name in "abc"], made_by="histogram"
    )
    made_by = Provenance("histogram", tables.releases)
    plans = {
        p.question: p for p in plans_for(Situation(tables, Effort.QUICK, made_by.method, released=made_by.settings))
    }
    for question in ("membership", "records"):
        assert (plans[question].releases, plans[question].n_syn) == (3, 120)  # type: ignore[attr-defined]


def test_in_python_a_game_is_about_all_releases_unless_it_says_another_number(files: dict[str, str]) -> None:
    from riskkit.session.ask import plan_of

    released = {"releases": 3, "one_fit": False}
    assert plan_of("records", "histogram", {}, released).releases == 3  # type: ignore[attr-defined]
    assert plan_of("records", "histogram", {"releases": 1}, released).releases == 1  # type: ignore[attr-defined]
    assert plan_of("released", "dcr", {}, released) == ReleasedPlan(attacks=("dcr",))


def test_releases_and_a_release_together_are_refused(files: dict[str, str]) -> None:
    with pytest.raises(DesignError, match="leave synthetic out"):
        riskkit.load(files["real"], files["a"], releases=[files["b"]])
    with pytest.raises(DesignError, match="is a list"):
        riskkit.load(files["real"], releases=files["b"])


@pytest.fixture
def audit(files: dict[str, str], tmp_path: Path) -> Audit:
    made = Store(tmp_path).create("several")
    slots = {"real": "real", "synthetic": "a", "holdout": "holdout", "release_2": "b", "release_3": "c"}
    for slot, name in slots.items():
        made.load(slot, Path(files[name]).read_bytes(), name=f"{name}.csv")
    return made


def test_an_audit_keeps_them_all_and_says_how_many(audit: Audit) -> None:
    stack = audit.tables().stack
    assert stack is not None
    assert stack.names == ("a.csv", "b.csv", "c.csv")
    assert audit.provenance == Provenance("", 3)
    assert list(audit.paths)[-3:] == ["synthetic", "release_2", "release_3"]


@pytest.mark.parametrize(("slot", "left"), [("synthetic", "bc"), ("release_2", "ac"), ("release_3", "ab")])
def test_a_release_that_is_removed_leaves_no_gap(audit: Audit, slot: str, left: str) -> None:
    before = audit.revision
    audit.drop(slot)
    stack = audit.tables().stack
    assert stack is not None
    assert stack.names == tuple(f"{name}.csv" for name in left)
    assert audit.source("release_2") == (audit.path / "release_2.upload").read_bytes()
    assert not (audit.path / "release_3.parquet").exists()
    assert audit.revision != before


def test_a_holdout_that_is_removed_moves_nothing(audit: Audit) -> None:
    audit.drop("holdout")
    assert set(audit.files) == {"real", "synthetic", "release_2", "release_3"}


def test_one_release_is_mended_at_a_time(audit: Audit) -> None:
    from riskkit.audit.repair import mend_audit
    from riskkit.mend.release import Mending

    with pytest.raises(DesignError, match="3 releases are loaded, and one is changed at a time"):
        mend_audit(audit, Mending(shuffle=True))
