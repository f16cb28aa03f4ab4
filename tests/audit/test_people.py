"""Whose an audit is: by every public way of a store, an audit and a run, and how much one person may run."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from riskkit.errors import DesignError
from riskkit.jobs import journal, people
from riskkit.jobs.database import metadata, runs
from riskkit.jobs.leases import claim, waiting
from riskkit.jobs.people import GONE, Account, acting_as
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.judging.provenance import Cover, Provenance
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.standard import Effort, StewardAnswers
from riskkit.table.read.files import read_file
from tests.pages.runs import faked
from tests.pages.screens import csv

ANN, BOB = Account("a" * 64, "ann@example.org"), Account("b" * 64, "bob@example.org")
ROOT = Account("c" * 64, "root@example.org", is_admin=True)
PLAN = ReleasedPlan(attacks=("dcr",))
OPEN = {
    "path",
    "id",
    "spawn",
    "launch",
}
"""Of a run and an audit: what is known to whoever knows the id, and what starts a process that finds nothing to do."""
GIVEN: dict[str, tuple[Any, ...]] = {
    "start": (PLAN,), "queue": (PLAN,), "run_of": (PLAN,), "run": ("e" * 32,), "clone": ("x",), "rename": ("x",),
    "source": ("real",), "load": ("real", csv()), "text": ("real",), "drop": ("real",), "head": ("real",),
    "choose": ({},), "decisions": (b"{}", "book.json"), "limit_to": ({},), "set_provenance": (Provenance("identity"),),
    "answer": (StewardAnswers(),), "cover_with": (Cover(),), "spend": (Effort.QUICK,),
    "put": ("real", read_file(csv(), name="x.csv")),
}  # fmt: skip


def nobody() -> Account:
    raise DesignError("Nobody has logged in.")


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(Run, "spawn", lambda _: None)
    monkeypatch.setattr("riskkit.jobs.files.read_apart", _read_here)
    monkeypatch.setattr(people, "_FINDERS", [nobody])
    base = Store.default().base
    for person in (ANN, BOB, ROOT):
        people.meet(base, person)


def _read_here(*arguments: Any, **how: Any) -> Any:
    from tests.pages.conftest import read_here

    return read_here(*arguments, **how)


@dataclass
class Anns:
    audit: Audit
    run: Run


@pytest.fixture
def anns() -> Anns:
    with acting_as(ANN):
        audit = Store.default().create("Ann's")
        audit.load("real", csv(), name="a.csv")
        return Anns(audit, faked(audit, "interrupted", PLAN))


def everything() -> dict[str, list[dict[str, Any]]]:
    """All rows of the store."""
    with Store.default().base.read() as connection:
        return {
            table.name: [dict(row) for row in connection.execute(sa.select(table)).mappings()]
            for table in metadata.sorted_tables
        }


def ways(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_") and name not in OPEN]


def taken(thing: Any, name: str) -> Any:
    """What a public attribute or method gives; of a method, called with something that fits."""
    attribute = getattr(thing, name)
    if not callable(attribute):
        return attribute
    wanted = inspect.signature(attribute).parameters.values()
    arguments = list(GIVEN.get(name, ()))
    named = {
        parameter.name: "x"
        for parameter in wanted
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty
    }
    missing = [
        parameter
        for parameter in wanted
        if parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    return attribute(*arguments, *("x" for _ in missing[len(arguments) :]), **named)


def test_no_way_of_an_audit_or_a_run_works_for_another_person(anns: Anns) -> None:
    """Another person, an administrator, nobody: every public attribute and method of both, and nothing is changed."""
    before = everything()
    tried = 0
    for thing in (Audit(anns.audit.path), Run(anns.run.path)):
        for name in ways(type(thing)):
            for person in (BOB, ROOT, None):
                with refused(name):
                    as_(person, lambda thing=thing, name=name: taken(thing, name))  # type: ignore[misc]
                tried += 1
    assert tried > 120
    assert everything() == before
    assert sorted(anns.audit.path.iterdir()) == files(anns)


def files(anns: Anns) -> list[Path]:
    return sorted(anns.audit.path / name for name in ("real.parquet", "real.upload"))


@contextmanager
def refused(what: str = "") -> Iterator[None]:
    try:
        yield
    except DesignError as error:
        if str(error) not in (GONE, "Nobody has logged in."):
            raise
    else:
        raise AssertionError(f"{what} was done")


def as_(person: Account | None, act: Callable[[], Any]) -> Any:
    if person is None:
        return act()
    with acting_as(person):
        return act()


def test_her_own_is_hers_by_the_same_ways(anns: Anns) -> None:
    """The matrix above would hold of a store that refuses everybody."""
    with acting_as(ANN):
        assert Store.default().open(anns.audit.id).name == "Ann's"
        assert [audit.id for audit in Store.default().audits()] == [anns.audit.id]
        assert anns.audit.run(anns.run.id) == anns.run
        assert anns.run.state == "interrupted"
        assert anns.audit.tables().real.rows is not None
        anns.run.cancel()
        anns.run.resume()
        anns.audit.delete()


def test_another_persons_audit_is_not_listed_and_not_told_from_one_that_never_was(anns: Anns) -> None:
    with acting_as(BOB):
        store = Store.default()
        assert store.audits() == []
        with pytest.raises(DesignError) as there:
            store.open(anns.audit.id)
        with pytest.raises(DesignError) as never:
            store.open("0" * 32)
    assert str(there.value) == str(never.value) == GONE


def test_what_is_shared_is_open_but_not_his_to_delete_or_share(anns: Anns) -> None:
    with acting_as(BOB), refused():
        anns.audit.share(BOB.name)
    with acting_as(ANN):
        anns.audit.share(f" {BOB.name} ")
        assert anns.audit.guests == [BOB.name]
        assert anns.audit.owner == ANN.name
    with acting_as(BOB):
        assert Store.default().open(anns.audit.id).name == "Ann's"
        assert not anns.audit.is_mine
        for act in (anns.audit.delete, lambda: anns.audit.share(ROOT.name)):
            with pytest.raises(DesignError, match="Only its owner may delete it or share it"):
                act()
    with acting_as(ANN):
        anns.audit.stop_sharing(BOB.name)
    with acting_as(BOB), refused():
        Store.default().open(anns.audit.id)
    acts = [(entry.who, entry.act) for entry in journal.entries(Store.default().base)]
    assert acts == [(ANN.name, "shared"), (ANN.name, "no longer shared")]


def test_sharing_names_one_person_who_is_known_here(anns: Anns) -> None:
    people.meet(Store.default().base, Account("d" * 64, BOB.name))
    with acting_as(ANN):
        with pytest.raises(DesignError, match="Nobody of that name"):
            anns.audit.share("stranger@example.org")
        with pytest.raises(DesignError, match="Several people of that name"):
            anns.audit.share(BOB.name)


def test_an_administrator_deletes_what_others_left_and_others_do_not(anns: Anns) -> None:
    store = Store.default()
    with acting_as(BOB):
        for act in (
            store.everybody,
            lambda: store.remove(anns.audit.id),
            lambda: store.purge(0.0),
        ):
            with pytest.raises(DesignError, match="only an administrator"):
                act()
        with pytest.raises(DesignError, match="only an administrator"):
            store.keep_for(7)
        assert store.receipts() == []
    with acting_as(ROOT):
        (left,) = store.everybody()
        assert (left.id, left.owner) == (anns.audit.id, ANN.name)
        receipt = store.remove(anns.audit.id)
        assert receipt.audits == (anns.audit.id,)
        assert len(store.receipts()) == 1
        store.keep_for(7)
    assert [(e.who, e.act) for e in journal.entries(store.base)] == [(ROOT.name, "cancelled"), (ROOT.name, "deleted")]
    assert not anns.audit.path.exists()


def test_the_eighth_run_of_a_person_is_refused_and_two_are_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.jobs.leases.AT_ONCE", 9)
    store = Store.default()
    with acting_as(ANN):
        audit = store.create("many")
        audit.load("real", csv(), name="a.csv")
        many = [audit.start(ReleasedPlan(attacks=("dcr",), seed=seed)) for seed in range(7)]
        with pytest.raises(DesignError, match="You have 7 runs going on or waiting"):
            audit.start(ReleasedPlan(attacks=("dcr",), seed=7))
        audit.start(ReleasedPlan(attacks=("dcr",), seed=0))  # the same again is no more
    with acting_as(BOB):
        other = store.create("one")
        other.load("real", csv(), name="b.csv")
        bobs = other.start(PLAN)
    with acting_as(people.SERVER):
        begun = [claim(run.path) for run in many[:3]]
        assert [lease is not None for lease in begun] == [True, True, False]
        assert waiting(store.home) == bobs.path, "hers wait, and nobody behind them"
        assert claim(bobs.path) is not None
        assert begun[0] is not None
        begun[0].end("failed", "over")
        assert waiting(store.home) == many[2].path
    with acting_as(ANN):
        many[6].cancel()
        audit.start(ReleasedPlan(attacks=("dcr",), seed=7))


def test_one_person_alone_has_no_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "_FINDERS", [])
    monkeypatch.setattr("riskkit.jobs.leases.AT_ONCE", 9)
    audit = Store.default().create("many")
    audit.load("real", csv(), name="a.csv")
    many = [audit.start(ReleasedPlan(attacks=("dcr",), seed=seed)) for seed in range(9)]
    assert all(claim(run.path) for run in many)
    with audit.base.read() as connection:
        assert set(connection.scalars(sa.select(runs.c.person))) == {""}
    assert journal.who() != ""
