"""Steps of seconds say what they do: counted over small tables, so that none falls silent again."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from riskkit.base import stages
from riskkit.base.stages import Stage
from riskkit.jobs import worker
from riskkit.jobs.pool import Progress
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.jobs.worker import Watch
from riskkit.judging.provenance import UNKNOWN
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.session.verdicts import verdicts
from riskkit.stats import permutation
from riskkit.stats.subgroups import subgroups
from riskkit.table.canonical import canonical
from riskkit.table.equal import number_records
from riskkit.table.load import Tables, read_tables
from riskkit.table.points import RowPoints
from tests.test_cli_report import rows

NAMES = ("real", "synthetic", "holdout")
COLUMNS = "a,b,c,d,place"
PLAN = ReleasedPlan(attacks=("dcr", "mc"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    for seed, name in enumerate(NAMES):
        (made / f"{name}.csv").write_text("\n".join([COLUMNS, *rows(seed, 80)]) + "\n", encoding="utf-8")
    return made


def read(folder: Path) -> tuple[Tables, list[Stage]]:
    """The tables, and what was said while they were read."""
    heard_stages: list[Stage] = []
    with stages.listener(heard_stages.append):
        tables = read_tables(*(folder / f"{name}.csv" for name in NAMES))
    return tables, heard_stages


def test_reading_says_every_file_and_counts_columns(folder: Path) -> None:
    tables, heard_stages = read(folder)
    words = [stage.words for stage in heard_stages]
    columns = len(COLUMNS.split(","))
    for name in NAMES:
        assert words.count(f"Reading {name}.csv") == 1
        own = [stage for stage in heard_stages if stage.words == f"Columns of {name}.csv"]
        used = len(tables.schema.categorical) + len(tables.schema.numeric)
        assert [(stage.done, stage.total) for stage in own] == [(place, used) for place in range(used)]
    for step in ("How the files write their values", "What the columns hold"):
        assert [stage.done for stage in heard_stages if stage.words == step] == list(range(columns)), step


def test_a_released_run_says_every_step_beside_its_units(folder: Path) -> None:
    tables, _ = read(folder)
    heard_stages: list[str] = []
    with stages.listener(lambda stage: heard_stages.append(stage.words)):
        result = run_released(tables, PLAN, progress=lambda now: heard_stages.append(now.stage))
        verdicts(None, UNKNOWN, tables, PLAN, result.plain())
    wanted = [
        "Rows of the tables in one order",
        "Distances between rows",
        "Rows within the spacing of a table",
        "Dealing people",
        "Planting a leak",
        "Attacks on the release",
        "Labels permuted",
        "What each attack reaches",
        "People whom the file names",
        "What the numbers mean",
        "For whom risk is highest",
        "Checking for copied rows",
        "Checking the order of rows",
        "Checking identifiers",
        "The verdict",
    ]
    assert [word for word in dict.fromkeys(heard_stages) if word in wanted] == wanted
    assert heard_stages.count("What each attack reaches") == len(PLAN.attacks)


def test_what_is_said_changes_no_number(folder: Path) -> None:
    tables, _ = read(folder)
    quiet = run_released(tables, PLAN).plain()
    with stages.listener(lambda _: None):
        assert run_released(tables, PLAN).plain() == quiet


PARTS: dict[str, Callable[[np.random.Generator], object]] = {
    "labels dealt anew": lambda rng: permutation.aucs(
        rng.normal(size=(40, 2)), np.arange(40) < 20, np.arange(40), 99, rng
    ),
    "rows in one order": lambda rng: canonical([RowPoints(rng.normal(size=(30, 2)), np.zeros((30, 0), np.int32), ())]),
    "equal rows": lambda rng: number_records([[rng.integers(0, 3, (30, 4)).astype(np.int32)]]),
    "groups": lambda rng: subgroups(rng.normal(size=40), {"by": np.arange(40) % 2}, rng, deals=30),
}
"""Steps that take long on large tables, on small ones."""


@pytest.mark.parametrize("step", PARTS)
def test_long_steps_say_which_of_their_parts_is_done(step: str) -> None:
    heard_stages: list[Stage] = []
    with stages.listener(heard_stages.append):
        stages.say("a step")
        PARTS[step](np.random.default_rng(1))
    assert len(heard_stages) > 1
    assert {stage.words for stage in heard_stages} == {"a step"}, "a tool does not know what it is used for"
    assert all(0 <= stage.done <= stage.total for stage in heard_stages[1:])


def test_everybody_who_listens_hears_it_and_nobody_else() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with stages.listener(lambda stage: outer.append(stage.words)):
        stages.say("one")
        with stages.listener(lambda stage: inner.append(stage.words)):
            stages.say("two")
        stages.say("three")
    stages.say("four")
    assert (outer, inner) == (["one", "two", "three"], ["two"])


def kept_in(folder: Path, home: Path) -> Audit:
    """An audit of these files in a store of its own."""
    audit = Store(home).create("said")
    for name in NAMES:
        audit.load(name, (folder / f"{name}.csv").read_bytes(), name=f"{name}.csv")
    return audit


def test_a_stage_is_shown_of_a_run_and_counts_no_unit(folder: Path, tmp_path: Path) -> None:
    audit = kept_in(folder, tmp_path)
    stages_of: list[str] = []

    def work(**_: object) -> object:
        for stage in (Stage("reading"), Stage("columns", 3, 5)):
            before = audit.run_of(PLAN).progress["stage"]
            stages.say(stage.words, stage.done, stage.total)
            stages_of.append(shown(audit.run_of(PLAN), before))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worker.play(audit, PLAN, work)  # type: ignore[type-var]
    assert stages_of == ["reading", "columns: 3 of 5"]


def shown(run: Run, before: str) -> str:
    """The stage that a page shows of the run, once it is another one than before."""
    end = time.monotonic() + 30
    while (now := run.progress["stage"]) == before and time.monotonic() < end:
        time.sleep(0.02)
    return str(now)


def watched(folder: Path, home: Path) -> tuple[Run, Watch]:
    """A run that this process has taken, and what watches over it."""
    audit = kept_in(folder, home)
    run = audit.run_of(PLAN)
    run.queue(PLAN, 1, audit.revision)
    lease = worker._lease(run, lambda: False, lambda _: None)
    assert lease is not None
    return run, Watch(lease, run.path)


def test_a_stage_says_nothing_of_how_long_no_unit_was_finished(folder: Path, tmp_path: Path) -> None:
    _, watch = watched(folder, tmp_path)
    heard = watch.heard
    watch.hear_stage(Stage("reading"))
    assert (watch.now, watch.heard) == (Progress("reading", 0, 0), heard)
    watch.hear(Progress("first", 3, 9, 4.0))
    heard = watch.heard
    watch.hear_stage(Stage("writing", 1, 2))
    assert (watch.now, watch.heard) == (Progress("writing: 1 of 2", 3, 9, 4.0), heard)


def test_what_is_new_is_written_at_once_and_not_with_the_next_beat(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LOOK", 0.01)
    run, watch = watched(folder, tmp_path)
    before = run.progress["stage"]
    with monkeypatch.context() as patched:
        patched.setattr(worker, "BEAT", 3600.0)
        with watch.beat():
            stages.say("reading")
            assert shown(run, before) == "reading"
