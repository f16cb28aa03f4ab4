"""The cells of a bench: what each is, what it is named by, and the file that keeps them.

A cell is named by the hash of all that its numbers follow from: the tables, the method, the attack, the sizes, the seed
and the levels. It does not hang on which other cells there are, so a new method or attack leaves them as they are. The
version that made a cell stands beside it and is no part of its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from riskkit.audit.output_files import write
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit_bench.plan import BenchPlan, Stored

GAME, FILE, RELEASE, CERTIFICATE, USE = "game", "file", "release", "certificate", "use"
"""The kinds of cells: an attack in the game, on a released file, on a published release; a bound; a measure of use."""
PARTS, TOGETHER = "parts", "combination"
"""Everybody from trainings on parts of the people; what stands there in the place of an attack: all together."""
INSIDE, SECRET = "inside", "secret"
"""The same by one who has the trained methods, too; and what is guessed of secrets that were drawn anew."""
FORM = 1
"""The form of the file of results."""
COSTS = ("seconds", "made_with")
"""What may differ between two plays of one cell."""
Three = tuple[float, float, float]
"""A value with the ends of its interval."""


@dataclass(frozen=True, slots=True)
class PersonAuc:
    """What an attack reached against one person: the place in the file, and the AUC at the level ``sure``."""

    row: int
    auc: Three


@dataclass(frozen=True, slots=True)
class BenchCell:
    """One attack on one method or release of one table; or what is no attack: a certificate, a measure of use.

    ``auc`` is at the level of the plan, ``sure`` the same at the level for the whole table, ``tpr`` the share named at
    1 % false alarms; None where there are too few trainings, which ``why`` says. Of a refused attack all are None.
    ``n`` counts trainings of a game and records of a file; ``trainings`` all that were made, shadow trainings too.
    ``control`` is the AUC on the leak that was planted in a file. ``exposed`` are how many people are listed above
    guessing, and of how many, where everybody was asked about; ``people`` are then the most exposed of them. ``use`` is
    what a release has by a measure, and what as many other people have, None where that is not known. ``gain`` is the
    share of drawn secrets that were guessed rightly, less the exact share that chance guesses. ``seconds`` are of a
    processor, the cell's share of what was played together.
    """

    key: str
    table: str
    method: str
    kind: str
    attack: str
    why: str = ""
    auc: Three | None = None
    sure: Three | None = None
    tpr: Three | None = None
    n: int = 0
    trainings: int = 0
    people: tuple[PersonAuc, ...] = ()
    control: float | None = None
    use: tuple[float, float | None] | None = None
    exposed: tuple[int, int] | None = None
    gain: Three | None = None
    seconds: float = 0.0
    made_with: str = ""

    @property
    def place(self) -> str:
        """How sentences name it: ``table/method/attack``."""
        return f"{self.table}/{self.method}/{self.attack}"

    @property
    def has_number(self) -> bool:
        """Whether it is more than a sentence why there is none."""
        return any(each is not None for each in (self.auc, self.use, self.exposed, self.gain))

    @property
    def order(self) -> tuple[str, ...]:
        """Where it stands among others."""
        return self.table, self.method, self.kind, self.attack

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> BenchCell:
        """The cell that was written."""
        known = {spec.name for spec in fields(cls)}
        values = {name: value for name, value in stored.items() if name in known}
        values["people"] = tuple(PersonAuc(person["row"], tuple(person["auc"])) for person in stored.get("people", ()))
        for name in ("auc", "sure", "tpr", "use", "exposed", "gain"):
            values[name] = None if stored.get(name) is None else tuple(stored[name])
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what says nothing is left out."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "", (), 0)}


def key_of(**parts: Any) -> str:
    """The name of a cell that follows from these parts."""
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """All cells that were played of a plan, in their order, with the tables that they are of."""

    plan: BenchPlan
    plan_sha256: str
    tables: Mapping[str, Any] = field(default_factory=dict)
    cells: tuple[BenchCell, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash of all that a play again gives again: the cells without what they cost."""
        plain = [{name: value for name, value in cell.as_dict().items() if name not in COSTS} for cell in self.cells]
        return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()

    def with_cells(self, cells: Iterable[BenchCell]) -> Results:
        """These cells beside those that are there; one of the same name takes its place."""
        both = {cell.key: cell for cell in (*self.cells, *cells)}
        ordered = tuple(sorted(both.values(), key=lambda cell: (*cell.order, cell.key)))
        return Results(self.plan, self.plan_sha256, self.tables, ordered)

    def only(self, keys: Iterable[str]) -> Results:
        """The cells of these names alone: what the plan as it is now asks for."""
        wanted = set(keys)
        kept = tuple(cell for cell in self.cells if cell.key in wanted)
        return Results(self.plan, self.plan_sha256, self.tables, kept)

    def find(self, place: str) -> BenchCell | None:
        """The cell that a sentence names so; None where there is none."""
        return next((cell for cell in self.cells if cell.place == place), None)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        versions = list(dict.fromkeys(cell.made_with for cell in self.cells))
        cells = [{**cell.as_dict(), "made_with": versions.index(cell.made_with)} for cell in self.cells]
        return {
            "bench": FORM,
            "plan": self.plan.as_dict(),
            "plan_sha256": self.plan_sha256,
            "tables": dict(self.tables),
            "cells_sha256": self.sha256,
            "made_with": versions,
            "cells": cells,
        }

    def save(self, path: Path) -> None:
        """Write them, whole or not at all."""
        write({path.name: dump(self.as_dict())}, path.parent)


def dump(value: Any) -> bytes:
    """Sorted JSON, a cell a line, so that a new cell is a new line of a difference."""
    cells = value.pop("cells")
    head = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1).removesuffix("\n}")
    lines = ",\n  ".join(json.dumps(cell, ensure_ascii=False, sort_keys=True) for cell in cells)
    return f'{head},\n "cells": [\n  {lines}\n ]\n}}\n'.encode()


def read(path: Path, of: Stored) -> Results:
    """The results in that file, none where there is no file yet, under the plan as it is now.

    Raises
    ------
    DesignError
        The file holds no results, or they are not as they were written.
    """
    begun = Results(of.plan, of.sha256)
    if not path.exists():
        return begun
    try:
        stored = json.loads(path.read_bytes())
        versions = stored["made_with"]
        cells = tuple(BenchCell.read({**cell, "made_with": versions[cell["made_with"]]}) for cell in stored["cells"])
        kept, form = stored["cells_sha256"], stored["bench"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DesignError(
            phrase("{file} cannot be read as the results of a bench. Name another file, or delete it.", file=path.name)
        ) from error
    results = Results(of.plan, of.sha256, stored.get("tables", {}), cells)
    if form != FORM or results.sha256 != kept:
        raise DesignError(
            phrase(
                "The cells in {file} are not as they were written: their hash is another. Take the file from where it "
                "was kept, or delete it and play again.",
                file=path.name,
            )
        )
    return results
