"""The sample comes finished: its runs are those that would be played here, and nothing else passes for them."""

import json
import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from riskkit.audit import sample
from riskkit.audit.comparison import exposed_rows, titles_of
from riskkit.audit.repair import mend_audit
from riskkit.audit.report_facts import build_findings, read_given
from riskkit.errors import StoreError
from riskkit.jobs import store as stores
from riskkit.jobs.files import dump
from riskkit.jobs.machine import environment
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.judging.give_aways import State
from riskkit.mend.release import Mending
from riskkit.phrases import phrase_hook, with_phrases
from riskkit.questions import question
from riskkit.show.model import Class
from riskkit.table.kinds.choice import ColumnChoice

FINISHED = sample.sample_folder() / "finished"
AGAIN = "Play the sample again: make sample"
"""What is due where a test of this file fails."""
QUICK = ("attributes", "membership")
"""Questions that are played anew in seconds."""
CLOSE = 1e-9
"""Relative: another processor may add the same numbers up in another order, and nothing else may differ."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    return Store.default()


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions for which a worker's process would have been started; each run is cancelled instead."""
    started: list[str] = []

    def spawn(run: Run) -> None:
        started.append(run.question)
        run.cancel()

    monkeypatch.setattr(Run, "spawn", spawn)
    return started


def test_the_sample_is_finished_without_playing(store: Store, spawned: list[str]) -> None:
    audit = sample.sample_audit(store)
    assert spawned == [], AGAIN
    runs = {run.question: run for run in audit.runs()}
    assert list(runs) == [plan.question for plan in reversed(sample.PLANS)]
    for name, run in runs.items():
        assert run.state == "finished"
        content = json.loads((FINISHED / f"{name}.json").read_bytes(), object_hook=phrase_hook)
        assert run.result == {**content["result"], "seconds": content["seconds"]}
        assert run.settings()["made by"] == content["asked"]["environment"]
        (line,) = run.log()
        assert content["asked"]["environment"] in line
        assert line.endswith("not on this computer.")


def test_what_comes_finished_has_a_place_in_the_report_of_today(store: Store, spawned: list[str]) -> None:
    """Its results have the form that this version reads, and are about the files as they are."""
    audit = sample.sample_audit(store)
    facts = read_given(audit)
    assert all(played.is_current and played.state == "finished" for played in facts.runs)
    findings = build_findings(facts, {}, kind=Class.RESTRICTED, made=datetime(2026, 1, 1, tzinfo=UTC))
    (records,) = [answer.finding for answer in findings.answers if answer.question == "records"]
    assert records is not None
    assert sorted(exposed_rows(findings)) == sorted(int(risk.reference.split()[1]) for risk in records.at_risk)
    assert len(records.at_risk) == 10
    shareable = build_findings(facts, {}, kind=Class.SHAREABLE, made=datetime(2026, 1, 1, tzinfo=UTC))
    assert exposed_rows(shareable) == ()
    asked = {plan.question for plan in sample.PLANS}
    assert asked == {answer.question for answer in findings.answers if answer.shown is not None}, AGAIN
    elsewhere = {sample.HOUSEHOLDS.question}
    assert asked | elsewhere == {answer.question for answer in findings.answers}, "every question is answered"
    of_models = {answer.question for answer in findings.answers if answer.what_ifs and answer.finding is None}
    assert of_models == {"explanations"}, "which no release is made by"


def test_the_town_is_asked_about_its_households(store: Store, spawned: list[str]) -> None:
    """The question that the cohort cannot be asked: its table does not say who lives together."""
    audit = sample.homes(store)
    assert spawned == [], AGAIN
    (run,) = audit.runs()
    assert (run.question, run.state) == (sample.HOUSEHOLDS.question, "finished")
    facts = read_given(audit)
    findings = build_findings(facts, {}, kind=Class.RESTRICTED, made=datetime(2026, 1, 1, tzinfo=UTC))
    (shown,) = [answer for answer in findings.answers if answer.shown is not None]
    assert shown.question == run.question
    assert {path.name for path in (FINISHED / "homes").glob("*.*")} == {f"{run.question}.json"}


def test_the_folder_holds_the_runs_of_the_sample_and_no_others() -> None:
    for folder in (FINISHED, FINISHED / "leaky"):
        assert {path.name for path in folder.glob("*.*")} == {f"{plan.question}.json" for plan in sample.PLANS}


def test_the_demo_is_two_finished_audits_without_playing(store: Store, spawned: list[str]) -> None:
    """A leaky release, and its repair beside it."""
    audit = sample.demo(store)
    assert spawned == [], AGAIN
    assert {each.name for each in store.audits()} == {sample.DEMO, sample.NAME}
    assert {run.question for run in audit.runs() if run.state == "finished"} == {each.question for each in sample.PLANS}
    assert {each.code for each in read_given(audit).give_aways if each.state is State.SHOWN} == {"row_order", "copies"}


@pytest.mark.usefixtures("spawned")
def test_a_repair_without_copies_has_the_leaks_of_the_method_named_and_a_shuffled_one_has_not(
    store: Store, call: Callable[..., str]
) -> None:
    audit = sample.demo(store)
    named, printed, moment = [], [], datetime.now(UTC)
    for mending in (Mending(copies=True), Mending(shuffle=True)):
        made = mend_audit(audit, mending)
        changed = build_findings(read_given(made), {}, kind=Class.RESTRICTED, made=moment)
        named.append(titles_of(changed, changed.uncured))
        printed.append("leaks of the method were shown by: Membership" in call(["compare", audit.id, made.id]))
    assert named == [("Membership", "Records"), ()]
    assert printed == [True, False], "the command says so too"
    (copies_removed,) = [each for each in store.audits() if each.mending and not each.provenance.is_known]
    again = mend_audit(copies_removed, Mending(shuffle=True))
    assert read_given(again).uncured == ("membership", "records"), "nor does a change of the changed file"
    audit.delete()
    assert read_given(again).uncured == (), "of an audit that is gone nothing is known"


# --- played anew ------------------------------------------------------------------------------------------------------


def differences(first: Any, second: Any, where: str = "") -> Iterator[str]:
    """The places at which two JSON values are not the same; numbers may be apart by what adding up makes of them."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        for name in first:
            yield from differences(first[name], second[name], f"{where}.{name}")
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, (mine, yours) in enumerate(zip(first, second, strict=True)):
            yield from differences(mine, yours, f"{where}[{index}]")
    elif isinstance(first, float) and isinstance(second, float):
        if not (
            math.isclose(first, second, rel_tol=CLOSE, abs_tol=1e-12) or (math.isnan(first) and math.isnan(second))
        ):
            yield where
    elif type(first) is not type(second) or first != second:
        yield where


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(plan, id=plan.question, marks=pytest.mark.second if plan.question in QUICK else pytest.mark.slow)
        for plan in sample.PLANS
    ],
)
def test_played_anew_it_gives_the_same_numbers(plan: Any, store: Store) -> None:
    audit = sample.load_sample(store)
    result = json.loads(dump(with_phrases(question(plan.question).work_out(audit, plan, workers=1))))
    kept = json.loads((FINISHED / f"{plan.question}.json").read_bytes())["result"]
    assert list(differences(kept, result)) == [], AGAIN


@pytest.mark.parametrize(
    ("other", "where"),
    [
        ({"a": [1.0, 2], "b": "x"}, ""),
        ({"a": [1.0, 2, 3]}, ".a"),
        ({"a": [1.0 + 1e-8, 2]}, ".a[0]"),
        ({"a": [1.0, 3]}, ".a[1]"),
        ({"a": [1.0, 2.0]}, ".a[1]"),
        ({"a": [1, 2]}, ".a[0]"),
        ({"a": None}, ".a"),
    ],
)
def test_another_number_is_seen(other: Any, where: str) -> None:
    assert list(differences({"a": [1.0, 2]}, other)) == [where]


def test_the_last_bit_of_a_sum_is_no_other_number() -> None:
    assert list(differences({"a": 0.1 + 0.2}, {"a": 0.3})) == []


# --- what does not count ----------------------------------------------------------------------------------------------


def changed(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """The kept attributes run with that change."""
    file = folder / "attributes.json"
    content = json.loads(file.read_bytes())
    change(content)
    file.write_bytes(dump(content))


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a number": lambda kept: kept["result"]["estimates"][0].update(value=0.5),
    "its hash": lambda kept: kept.update(result_sha="0" * 64),
    "the result of another run with its hash": lambda kept: kept.update(
        {name: json.loads((FINISHED / "linkability.json").read_bytes())[name] for name in ("result", "result_sha")}
    ),
    "the run": lambda kept: kept.update(id="0" * 32),
    "a setting": lambda kept: kept["asked"]["plan"].update(seed=1),
    "the data": lambda kept: kept["asked"].update(revision="0" * 64),
    "who made it": lambda kept: kept["asked"].pop("environment"),
    "the result": lambda kept: kept.pop("result"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_altered_is_played(what: str, store: Store, spawned: list[str], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FINISHED, tmp_path / "finished"))
    changed(folder, CHANGES[what])
    sample.sample_audit(store, folder=folder)
    assert spawned == ["attributes"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff"], ids=repr)
def test_what_is_no_run_is_played(content: bytes, store: Store, spawned: list[str], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FINISHED, tmp_path / "finished"))
    (folder / "attributes.json").write_bytes(content)
    sample.sample_audit(store, folder=folder)
    assert spawned == ["attributes"]


def test_another_plan_other_columns_and_another_version_are_played(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit, plan = sample.load_sample(store), sample.ATTRIBUTES
    assert not sample.put(audit, replace(plan, seed=1), FINISHED)
    audit.choose({"diagnosis": ColumnChoice(kind=None, role=None, missing_tokens=("none",))})
    assert not sample.put(audit, plan, FINISHED)
    audit.choose({})
    with monkeypatch.context() as patched:
        patched.setattr(stores, "__version__", "99.0.0")
        assert not sample.put(audit, plan, FINISHED)
    assert audit.runs() == []
    assert sample.put(audit, plan, FINISHED), "as it was, it counts"


def test_a_run_that_was_started_here_stays_what_it_is(store: Store, spawned: list[str]) -> None:
    audit: Audit = sample.load_sample(store)
    begun = audit.start(sample.ATTRIBUTES)
    assert spawned == ["attributes"]
    assert not sample.put(audit, sample.ATTRIBUTES, FINISHED)
    assert begun.state == "cancelled"
    assert begun.request["environment"] == environment()


def test_a_result_that_was_altered_in_the_store_is_played_again(store: Store, spawned: list[str]) -> None:
    """The hashes of a store hold for a run that came finished as for any other."""
    audit = sample.sample_audit(store)
    run = audit.run_of(sample.ATTRIBUTES)
    with store.base.write() as connection:
        connection.exec_driver_sql("UPDATE runs SET result = X'7B7D' WHERE id = ?", (run.id,))
    with pytest.raises(StoreError, match="was altered"):
        _ = run.result
    audit.start(sample.ATTRIBUTES)
    assert spawned == ["attributes"]
