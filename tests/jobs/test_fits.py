"""What an attack has learnt is kept: a run that goes on fits nothing twice, and its bytes are those of one in peace."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.attacks.neighbour import FittedNeighbour, Neighbour
from riskkit.core import Brief, FittedAttack, Floats, Table
from riskkit.errors import Cancelled, DesignError
from riskkit.jobs.leases import claim
from riskkit.jobs.ledger import Ledger, LedgerPage
from riskkit.jobs.pool import Clock, Pool, Progress, keeping
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.parameters import parameter
from riskkit.questions.membership import plan as plans
from riskkit.questions.membership.partial import partial
from riskkit.questions.membership.play import run_membership
from riskkit.questions.runs import work
from riskkit.seeds import stream
from tests.faults.workers import PLAN, again, asked, made, undisturbed
from tests.oracles import stand_beside
from tests.tables import mixed


@dataclass(frozen=True)
class Noted(Neighbour):
    """Writes a line into a file whenever it is fitted, in whatever process."""

    name: ClassVar[str] = "noted"
    trail: str = parameter("", label="File", help="Where every fit is noted.")

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedNeighbour:
        with Path(self.trail).open("a", encoding="utf-8") as file:
            file.write(f"{self.name}:own={self.own}\n")
        return super().fit(brief, rng)


class Unkept:
    """An attack that has learnt something which no store can hold."""

    def __init__(self, inner: FittedNeighbour) -> None:
        self.inner, self.seen = inner, {1, 2}

    def score(self, release: Table) -> Floats:
        return self.inner.score(release)


@dataclass(frozen=True)
class Loose(Noted):
    """The same; what it learns cannot be kept."""

    name: ClassVar[str] = "loose"

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:  # type: ignore[override]
        return Unkept(super().fit(brief, rng))


@pytest.fixture(autouse=True)
def _beside(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = {"attacks": {"noted": Noted, "loose": Loose}}
    stand_beside(monkeypatch, {"generators": {}, "targets": {}, **extra})


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    """The file with every fit."""
    path = tmp_path / "trail"
    path.touch()
    return path


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return made(tmp_path / "home")


def plan_of(trail: Path, *attacks: str) -> plans.MembershipPlan:
    """A plan with these attacks; all that are fitted write into that file."""
    return replace(PLAN, attacks=tuple(f"{attack},trail={trail}" for attack in attacks), trainings=40, control=False)


def fits(trail: Path) -> list[str]:
    """Every fit since it was looked last."""
    lines = sorted(trail.read_text(encoding="utf-8").splitlines())
    trail.write_text("", encoding="utf-8")
    return lines


def stopped(audit: Audit, plan: plans.MembershipPlan, workers: int, after: Callable[[Progress], bool]) -> Run:
    """A run of that plan, cancelled when it has come so far."""
    run = asked(audit, plan, workers=workers)
    lease = claim(run.path)
    assert lease is not None
    reports: list[Progress] = []
    with keeping(Ledger(lease)), pytest.raises(Cancelled):
        run_membership(
            audit.tables().real,
            plan,
            workers=workers,
            progress=reports.append,
            cancelled=lambda: bool(reports) and after(reports[-1]),
        )
    lease.end("cancelled", "Stopped as asked; what is done is kept.", reports[-1])
    return run


def all_fitted(now: Progress) -> bool:
    """Whether the first counted training is done."""
    return now.stage.startswith("Counted trainings") and now.done > 2 * 3 + 2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_goes_on_fits_no_attack_again(audit: Audit, tmp_path: Path, trail: Path, workers: int) -> None:
    plan = plan_of(trail, "noted:own=3", "noted:own=2")
    run = stopped(audit, plan, workers, all_fitted)
    assert fits(trail) == ["noted:own=2", "noted:own=3"]
    again(run)
    assert work(run.path), run.progress
    assert fits(trail) == []
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)
    assert fits(trail) == ["noted:own=2", "noted:own=3"]


def test_of_two_fits_the_one_that_is_done_is_not_done_again(audit: Audit, tmp_path: Path, trail: Path) -> None:
    plan = plan_of(trail, "noted:own=3", "noted:own=2")
    run = stopped(audit, plan, 1, lambda now: now.done > 2 * 3)
    assert fits(trail) == ["noted:own=3"]
    again(run)
    assert work(run.path), run.progress
    assert fits(trail) == ["noted:own=2"]
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


def test_fits_that_were_lost_are_seen_to_be_made_again(
    audit: Audit, trail: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault planted: were fits not kept, the tests above would see them again."""
    keep = LedgerPage.keep

    def forgets(page: LedgerPage, results: dict[int, Any]) -> Any:
        return results if page.stage.startswith("Attacks learn") else keep(page, results)

    monkeypatch.setattr(LedgerPage, "keep", forgets)
    run = stopped(audit, plan_of(trail, "noted:own=3", "noted:own=2"), 1, all_fitted)
    fits(trail)
    again(run)
    assert work(run.path)
    assert fits(trail) == ["noted:own=2", "noted:own=3"]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.second)])
def test_a_fit_that_cannot_be_kept_is_made_again_alone(audit: Audit, tmp_path: Path, trail: Path, workers: int) -> None:
    plan = plan_of(trail, "noted:own=3", "loose:own=2", "noted:own=2")
    run = stopped(audit, plan, workers, lambda now: now.stage.startswith("Counted") and now.done > 2 * 3 + 3 + 12)
    assert fits(trail) == ["loose:own=2", "noted:own=2", "noted:own=3"]
    assert sum("worked out again when the run goes on" in line for line in run.log()) == 1
    again(run)
    assert work(run.path), run.progress
    assert fits(trail) == ["loose:own=2"]
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


def test_what_a_stopped_run_shows_needs_no_fit(audit: Audit, trail: Path) -> None:
    """Of an attack that cannot be kept too: what it made of a counted training is kept with that."""
    plan = replace(plan_of(trail, "noted:own=3", "loose:own=2"), generators=("histogram", "bootstrap"))
    second = plan.units_a_game() + 2 * 3 + 2
    run = stopped(audit, plan, 1, lambda now: now.done >= second + 20)
    assert len(fits(trail)) == 4
    shown = partial(audit, run)
    assert fits(trail) == []
    done = {game["generator"]: game["trainings"] for game in shown["partial"]}
    assert done["histogram"] == plan.trainings
    assert 20 <= done["bootstrap"] < plan.trainings
    whole = run_membership(audit.tables().real, plan)
    for part, full in zip(shown["scores"], whole.findings, strict=True):
        assert part["value"] == full.scores.value[: len(part["value"])].tolist()


def test_attacks_learn_in_this_process_however_many_workers_there_are(
    audit: Audit, trail: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: list[int] = []
    fit = Noted.fit

    def counted(*arguments: Any) -> FittedNeighbour:
        here.append(1)
        return fit(*arguments)

    monkeypatch.setattr(Noted, "fit", counted)
    run_membership(audit.tables().real, plan_of(trail, "noted:own=3", "noted:own=2"), workers=2)
    assert (len(fits(trail)), len(here)) == (2, 2)


def test_of_several_that_raise_the_first_in_order_is_raised(tmp_path: Path) -> None:
    """Whichever of two processes comes up with its error first, the sentence in the result is the same."""
    pool = Pool(2, Clock(2, lambda _: None), lambda: False)
    with pytest.raises(DesignError, match="Unit 0"):
        list(pool.map("Both raise", both_raise, tmp_path / "second", range(2)))
    assert (tmp_path / "second").exists()


def both_raise(second: Path, units: Sequence[int]) -> list[int]:
    """Unit 0 raises once unit 1 is about to."""
    (unit,) = units
    if unit == 1:
        second.touch()
    while not second.exists():
        time.sleep(0.01)
    raise DesignError(f"Unit {unit} cannot be worked out.")


def test_every_attack_learns_by_a_stream_of_its_own(trail: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named by the attack as the plan spells it, so that no other attack moves its numbers."""
    plan = plan_of(trail, "noted:own=3", "noted:own=2")
    stood: list[Any] = []
    fit = Noted.fit

    def seen(attack: Noted, brief: Brief, rng: np.random.Generator) -> FittedNeighbour:
        stood.append(rng.bit_generator.state)
        return fit(attack, brief, rng)

    monkeypatch.setattr(Noted, "fit", seen)
    run_membership(mixed(120), plan)
    (cell,) = plan.cells()
    labels = (cell.generator, cell.target, str(cell.position))
    wanted = [stream(plan.seed, "membership", *labels, "attack", spelled) for spelled in plan.attacks]
    assert stood == [rng.bit_generator.state for rng in wanted]
