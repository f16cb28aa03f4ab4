"""Studies: games of the literature as stored plans, to be played again on the same table and set beside the source.

A study is one file in the project's ``studies`` folder: a plan, the parts in which it varies, and the figures that were
published. It is a plan of the membership game, or with ``question = "records"`` one of the game for many records, whose
parts may be several draws of a table; or with ``question = "explanations"`` a few printed rows. Adding a study is
adding a file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.audit import studies_records, studies_toy
from riskkit.audit.studies_records import RecordRow, ReleasesRow
from riskkit.audit.studies_toy import ToyPlan, ToyRow
from riskkit.base import places
from riskkit.core import Estimate, Table
from riskkit.errors import DesignError, ParameterError, nearest
from riskkit.jobs.pool import Progress
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import Outcome
from riskkit.questions.records.plan import RecordsPlan
from riskkit.stats.intervals import clopper_pearson

FOLDER = places.project() / "studies"
"""Where the project keeps its studies."""
StudyPlan = MembershipPlan | RecordsPlan | ToyPlan
"""What a part of a study can play."""
KINDS: Mapping[str, type[StudyPlan]] = {kind.question: kind for kind in (MembershipPlan, RecordsPlan, ToyPlan)}
"""What a study can play, by the question it asks."""
ABOUT = {"generator": "generators", "target": "targets", "attack": "attacks"}
"""What a published figure may be about, and the room of plug-ins that it names."""


@dataclass(frozen=True, slots=True)
class StudyPart:
    """One plan of a study, and the accuracies that were published for it, each with what it is about.

    ``hindsight``: the source chose a setting on the very releases that it counts, among values up to this one. An
    attack that chooses a setting is then also shown as it would be, had it chosen so; None where no source did.
    """

    name: str
    plan: StudyPlan
    published: tuple[Mapping[str, Any], ...] = ()
    hindsight: float | None = None

    @property
    def trainings(self) -> int:
        """How many trainings it takes."""
        if isinstance(self.plan, RecordsPlan):
            return studies_records.trainings(self.plan)
        return self.plan.total_trainings()


@dataclass(frozen=True, slots=True)
class Study:
    """A study as it is stored.

    ``table`` says in words on which table the source played it, ``claim`` what the source concludes, ``trainings`` how
    many independent trainings stood behind each of its figures, and ``cost`` what playing it takes, where that is much.
    ``rows``: it is played on the first so many rows of a table; 0 takes all. ``limit`` is what people are counted above
    where the table was released several times.
    """

    name: str
    title: str
    source: str
    table: str
    claim: str
    trainings: int
    parts: tuple[StudyPart, ...]
    cost: str = ""
    question: str = MembershipPlan.question
    rows: int = 0
    limit: float | None = None

    @property
    def has_rows(self) -> bool:
        """Whether the file holds the rows that it is played on, so that it needs no table."""
        return self.question == ToyPlan.question

    def part(self, name: str) -> StudyPart:
        """The part of that name; raises :class:`DesignError` where there is none."""
        for part in self.parts:
            if part.name == name:
                return part
        known = ", ".join(repr(part.name) for part in self.parts)
        raise DesignError.phrase(
            "Study {study!r} has no part {name!r}; its parts are {known}.", study=self.name, name=name, known=known
        )

    def support(self, accuracy: float) -> Estimate:
        """The interval that the source's trainings give to that figure of it."""
        return interval_of_accuracy(accuracy, self.trainings)


@dataclass(frozen=True, slots=True)
class Settled:
    """How an attack came by a setting: ``value`` of ``among`` that were tried, on releases of its own or in hindsight.

    ``in_hindsight`` is chosen on the very releases that are counted, which makes the accuracy too high.
    """

    setting: str
    value: float
    among: int
    in_hindsight: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class StudyRow:
    """What one attack did in one game of a study, beside the figure of the source.

    ``published`` is None where the source gives no figure; ``supported`` is its 95 % interval, had every one of the
    source's trainings been independent and of one release: more releases of a training add nothing to it. ``settled``
    is None where the attack chose no setting.
    """

    part: str
    finding: Outcome
    published: float | None = None
    supported: Estimate | None = None
    settled: Settled | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All that the attack gave."""
        return tuple(self.finding.estimates.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said beside it."""
        return self.finding.notes

    @property
    def accuracy(self) -> Estimate | None:
        """The accuracy with its interval, None where there are too few trainings."""
        return self.finding.estimates.get("accuracy")

    @property
    def auc(self) -> Estimate | None:
        """The AUC with its interval, None where there is none."""
        return self.finding.estimates.get("auc")

    @property
    def is_supported(self) -> bool:
        """Whether the source's trainings could tell its figure from chance."""
        return self.supported is not None and not self.supported.low <= 0.5 <= self.supported.high

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "part": self.part,
            **self.finding.labels,
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            **({"settled": asdict(self.settled)} if self.settled else {}),
            "published": self.published,
            "published_interval": None if self.supported is None else self.supported.as_dict(),
            "published_told_from_chance": self.is_supported,
        }


def names(folder: Path = FOLDER, *, question: str = "") -> tuple[str, ...]:
    """The names of all studies, or of those that ask one question, sorted."""
    stems = sorted(path.stem for path in folder.glob("*.toml"))
    return tuple(name for name in stems if question in ("", _question(folder / f"{name}.toml")))


def _question(path: Path) -> str:
    """The question that a study's file names; the usual one where it cannot be read, so that a menu shows its error."""
    try:
        return str(tomllib.loads(path.read_text(encoding="utf-8")).get("question", MembershipPlan.question))
    except tomllib.TOMLDecodeError:
        return MembershipPlan.question


def study(name: str, folder: Path = FOLDER) -> Study:
    """The study of that name.

    Raises
    ------
    DesignError
        There is none, or its file says what no study says.
    ParameterError
        It names a plug-in that this version does not have.
    """
    if name not in names(folder):
        raise DesignError.phrase(
            "There is no study {name!r}{near}; choose one of {names}.",
            name=name,
            near=nearest(name, names(folder)),
            names=tuple(names(folder)),
        )
    path = folder / f"{name}.toml"
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        shared, parts = content.pop("plan"), content.pop("part")
        kind = KINDS[content.get("question", MembershipPlan.question)]
        return Study(name=name, parts=tuple(_part(kind, shared, part) for part in parts), **content)
    except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise DesignError.phrase(
            "studies/{file} cannot be read as a study: {error}.", file=path.name, error=str(error)
        ) from error


def _part(kind: type[StudyPlan], shared: Mapping[str, Any], stored: Mapping[str, Any]) -> StudyPart:
    """A part: what it says itself goes before what all parts share."""
    own = {key: value for key, value in stored.items() if key not in ("name", "published", "hindsight")}
    if unknown := (set(own) | set(shared)) - {spec.name for spec in fields(kind)}:
        raise DesignError.phrase(
            "Part {name!r} of a study sets {unknown}, which no plan has.",
            name=stored["name"],
            unknown=tuple(sorted(unknown)),
        )
    published = tuple(_figure(figure) for figure in stored.get("published", ()))
    return StudyPart(stored["name"], kind.from_dict({**shared, **own}), published, stored.get("hindsight"))


def _figure(stored: Mapping[str, Any]) -> dict[str, Any]:
    """A published figure, its plug-ins spelled as a plan spells them."""
    if wrong := set(stored) - {*ABOUT, "accuracy", "hindsight"}:
        raise DesignError.phrase(
            "A published figure is about {wrong}; it may be about {about}.",
            wrong=tuple(sorted(wrong)),
            about=tuple(ABOUT),
        )
    spelled = {key: registry.spell(registry.parse(room, stored[key])) for key, room in ABOUT.items() if key in stored}
    return {**spelled, "hindsight": bool(stored.get("hindsight", False)), "accuracy": stored["accuracy"]}


def run_study(
    table: Table | None,
    asked: Study,
    holdout: Table | None = None,
    *,
    part: str = "",
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
) -> tuple[StudyRow | RecordRow | ReleasesRow | ToyRow, ...]:
    """Play a study, or one part of it, on that table; None where the study has rows of its own.

    Raises
    ------
    DesignError
        It has no such part, or cannot be played on this table.
    """
    parts = (asked.part(part),) if part else asked.parts
    if table is None:
        return tuple(studies_toy.play(own.name, own.plan) for own in parts if isinstance(own.plan, ToyPlan))
    if asked.rows > len(table):
        raise DesignError.phrase(
            "Study {study!r} needs {needed:,} rows; the table has {rows:,}.",
            study=asked.name,
            needed=asked.rows,
            rows=len(table),
        )
    table = table.rows(np.arange(asked.rows)) if asked.rows else table
    rows: list[StudyRow | RecordRow | ReleasesRow | ToyRow] = []
    for own in parts:
        if isinstance(own.plan, RecordsPlan):
            rows += studies_records.play(
                table, own.name, own.plan, holdout, workers=workers, progress=progress, limit=asked.limit
            )
            continue
        if isinstance(own.plan, ToyPlan):
            rows.append(studies_toy.play(own.name, own.plan))
            continue
        result = run_membership(table, own.plan, holdout, workers=workers, progress=progress)
        rows += [row for finding in result.findings for row in _rows(asked, own, finding)]
    return tuple(rows)


def _rows(asked: Study, part: StudyPart, finding: Outcome) -> list[StudyRow]:
    """The finding beside the figure that was published for it, and where the source chose in hindsight that too."""
    sweep = finding.sweep
    if sweep is None:
        return [_row(asked, part, finding, None)]
    own = Settled(sweep.setting, sweep.values[sweep.at], len(sweep.values))
    rows = [_row(asked, part, finding, own)]
    if part.hindsight is not None and (best := sweep.in_hindsight(part.hindsight)):
        value, accuracy = best
        among = sum(tried <= part.hindsight for tried in sweep.values)
        seen = replace(finding, estimates={"accuracy": accuracy.label(**finding.labels)}, notes=(), sweep=None)
        rows.append(_row(asked, part, seen, Settled(sweep.setting, value, among, in_hindsight=True)))
    return rows


def _row(asked: Study, part: StudyPart, finding: Outcome, settled: Settled | None) -> StudyRow:
    """The finding beside the figure that was published for it."""
    in_hindsight = settled is not None and settled.in_hindsight
    for figure in part.published:
        about = {name: text for name, text in figure.items() if name in ABOUT}
        if figure["hindsight"] == in_hindsight and all(finding.labels[name] == text for name, text in about.items()):
            value = float(figure["accuracy"])
            return StudyRow(part.name, finding, value, asked.support(value), settled)
    return StudyRow(part.name, finding, settled=settled)


def interval_of_accuracy(accuracy: float, trainings: int, level: float = 0.95) -> Estimate:
    """The interval of an accuracy that rests on so many independent trainings, however many releases they made.

    Raises
    ------
    ParameterError
        The accuracy is no share, or there is no training.
    """
    if not 0 <= accuracy <= 1 or trainings < 1:
        raise ParameterError.phrase(
            "An accuracy of {accuracy} on {trainings} trainings has no interval.",
            accuracy=accuracy,
            trainings=trainings,
        )
    ends = clopper_pearson(accuracy * trainings, trainings, (1 - level) / 2)
    return Estimate.around("published", accuracy, ends, level, "Clopper-Pearson", trainings)
