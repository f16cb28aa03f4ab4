"""A report is itself a release: shareable ones about one real table are counted, and repeated ones warn."""

import json
from pathlib import Path

import numpy as np
import pytest

from riskkit.audit.output_files import register, with_number
from riskkit.audit.report_facts import build_findings, read_given
from riskkit.cli import main
from riskkit.jobs import journal, people
from riskkit.jobs.store import Audit, Store
from riskkit.judging.measurement import Limit
from riskkit.report.document import blocks
from riskkit.report.labels import sentences, warning
from riskkit.report.to_html import to_html
from riskkit.show.model import Class, Findings, Reports
from tests.report.audited import made


def table(seed: int, rows: int = 60) -> bytes:
    rng = np.random.default_rng(seed)
    return ("age,ward\n" + "\n".join(f"{a},{w}" for a, w in rng.integers(1, 80, (rows, 2)))).encode()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("RISKKIT_HOME", str(home))
    return Store(home)


def audit(store: Store, name: str = "Wards", real: int = 1, release: int = 2) -> Audit:
    new = store.create(name)
    new.load("real", table(real), name="real.csv")
    new.load("synthetic", table(release), name="release.csv")
    return new


def findings(of: Audit, limit: float | None = None, kind: Class = Class.SHAREABLE, *, names: bool = False) -> Findings:
    limits = {} if limit is None else {"released": Limit(limit, "board")}
    return build_findings(read_given(of), limits, kind=kind, made=made.MADE, tells_columns=names)


def test_the_same_report_is_counted_once_and_every_other_one_more(store: Store) -> None:
    counted = audit(store)
    first = register(counted, findings(counted), "PDF")
    assert first.reports == Reports(1, 0)
    assert register(counted, findings(counted), "HTML").reports == Reports(1, 0)
    assert register(counted, findings(counted, 0.6), "PDF").reports == Reports(2, 1)
    assert register(counted, findings(counted, names=True), "PDF").reports == Reports(3, 2)
    assert register(counted, findings(counted), "JSON").reports == Reports(1, 0), "the first stays the first"


def test_it_counts_over_audits_and_after_they_are_gone_and_no_other_table(store: Store) -> None:
    first, same, other = audit(store), audit(store, "Again", release=3), audit(store, "Other", real=9)
    register(first, findings(first), "PDF")
    first.delete()
    assert register(same, findings(same), "PDF").reports == Reports(2, 1)
    assert register(other, findings(other), "PDF").reports == Reports(1, 0)


def test_restricted_reports_and_what_is_only_looked_at_are_not_counted(store: Store) -> None:
    counted = audit(store)
    assert register(counted, findings(counted, kind=Class.RESTRICTED), "report").reports is None
    assert with_number(counted, findings(counted)).reports == Reports(1, 0)
    assert with_number(counted, findings(counted, 0.6)).reports == Reports(1, 0), "nothing was taken away yet"
    register(counted, findings(counted), "PDF")
    assert with_number(counted, findings(counted, 0.6)).reports == Reports(2, 1)


def test_reports_of_other_owners_are_not_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody else has about the same table is theirs, and even the number would tell of it."""
    monkeypatch.setattr(people, "_FINDERS", [])
    people.tell_apart(lambda: people.SERVER)
    for number, name in enumerate(("ada", "bo", "ada"), start=1):
        with people.acting_as(people.Account(name, name)):
            own = audit(store, f"{name} {number}", release=number + 3)
            assert register(own, findings(own), "PDF").reports == Reports(2 if number == 3 else 1, number == 3)


def test_page_one_and_every_file_say_the_number_and_warn_of_others(store: Store) -> None:
    counted = audit(store)
    first = register(counted, findings(counted), "PDF")
    again = register(counted, findings(counted, 0.6), "PDF")
    assert "no. 1 about this real table" in sentences(first)[0]
    assert not warning(first)
    cover = [str(block.get("text")) for block in blocks(again)]
    (sentence,) = (text for text in cover if "no. 2 about this real table" in text)
    assert "1 other was made before, with other settings or of another release" in sentence
    assert sentence in to_html(again).decode().replace("&#x27;", "'")
    assert sentences(findings(counted))[0].startswith("It is not counted")


def test_the_count_is_in_the_journal_whose_chain_holds(store: Store) -> None:
    counted = audit(store)
    register(counted, findings(counted), "PDF")
    (entry,) = journal.entries(store.base, "exported")
    assert entry.about["table"] == counted.files["real"]["sha256"]
    assert entry.about["report"] == findings(counted).id
    assert journal.verify(store.base)[0] == []


def test_the_command_counts_and_warns(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counted = audit(store)
    words = ["report", counted.id, "--profile", "wp216", "--out"]
    assert main([*words, str(tmp_path / "a")]) == 4
    assert "no. 1 about this real table" in capsys.readouterr().out
    assert main([*words, str(tmp_path / "b"), "--name-columns"]) == 4
    assert "no. 2 about this real table. 1 other was made before" in capsys.readouterr().out
    document = json.loads((tmp_path / "b" / "report.json").read_text(encoding="utf-8"))
    assert document["reports"] == {"number": 2, "before": 1}
    assert document["profile"]["name"] == "wp216"
    assert main([*words[:3], "wp217", "--out", str(tmp_path / "c")]) == 2
    assert "did you mean 'wp216'?" in capsys.readouterr().err
