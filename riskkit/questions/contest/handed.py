"""What people hand in to the contests of one audit, and the bundles that were made there.

::

    <audit>/contest/handed.json         releases by name, and rows named by attackers of one's own
                    <sha256>.csv        a release as it was given
                    bundle_<hash>.zip   a whole contest (see riskkit.questions.contest.files)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from riskkit.core import Schema, Table
from riskkit.errors import DesignError, SchemaError
from riskkit.games import contest
from riskkit.phrases import phrase
from riskkit.questions.contest import files as contest_files
from riskkit.questions.contest.plan import PEOPLE, ContestPlan, refuse_name
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.opponents import CONTROL, label
from riskkit.table.kinds.schema import typed
from riskkit.table.load import Tables
from riskkit.table.read.files import read_apart, read_file, read_path
from riskkit.table.read.text import TextTable
from riskkit.table.write import to_csv


class _Folder(Protocol):
    @property
    def path(self) -> Path: ...


@dataclass(frozen=True, slots=True)
class HandedIn:
    """The folder of these files."""

    folder: Path

    @classmethod
    def of(cls, audit: _Folder) -> HandedIn:
        """That of an audit."""
        return cls(audit.path / "contest")

    def _all(self) -> dict[str, Any]:
        content: dict[str, Any] = {"releases": {}, "own": []}
        if self._list.is_file():
            content = json.loads(self._list.read_text(encoding="utf-8"))
        return content

    @property
    def _list(self) -> Path:
        return self.folder / "handed.json"

    def _change(self, **changed: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        scratch = self._list.with_suffix(".part")
        scratch.write_text(json.dumps({**self._all(), **changed}, ensure_ascii=False), encoding="utf-8")
        scratch.replace(self._list)

    @property
    def releases(self) -> dict[str, dict[str, Any]]:
        """Of every release: file, sha256 and number of rows, by the name it takes part under."""
        kept: dict[str, dict[str, Any]] = self._all()["releases"]
        return kept

    @property
    def own(self) -> tuple[dict[str, Any], ...]:
        """Attacker, anonymiser, the rows named and the deal they are of, in the order they came."""
        return tuple(self._all()["own"])

    def fitting(self, deal: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, tuple[int, ...]], ...]]:
        """What was handed in for that deal, as the fields ``given`` and ``own`` of a plan."""
        releases = tuple((name, str(facts["sha256"])) for name, facts in self.releases.items() if facts["deal"] == deal)
        own = (answer for answer in self.own if answer["deal"] == deal)
        return releases, tuple((answer["attacker"], answer["anonymiser"], tuple(answer["rows"])) for answer in own)

    def take_release(
        self, name: str, source: bytes, file: str, schema: Schema, deal: str, *, is_strange: bool = False
    ) -> None:
        """Keep a release under that name, in place of one of the same name.

        Parameters
        ----------
        deal
            Which deal it was made of (see :func:`dealing`); of another one it says nothing.
        is_strange
            Whether it is read in a process of its own under limits, as a server reads what it is handed.

        Raises
        ------
        InputError
            It cannot be used as it is, or holds what the audit's files do not.
        DesignError
            The name is taken or cannot be.
        """
        refuse_name(name)
        if name in (CONTROL, UPLOADED):
            raise DesignError(phrase("The name {name} is taken by riskkit; give the release another one.", name=name))
        sha256, rows = _under(schema, read_apart(source, name=file) if is_strange else read_file(source, name=file))
        self._change(
            releases={**self.releases, name: {"file": file, "sha256": sha256, "rows": len(rows), "deal": deal}}
        )
        (self.folder / f"{sha256}.csv").write_bytes(source)

    def release(self, name: str, sha256: str, schema: Schema) -> Table:
        """The rows of a release.

        Raises
        ------
        DesignError
            It is not here any more.
        """
        path = self.folder / f"{sha256}.csv"
        if not sha256.isalnum() or not path.is_file():
            raise DesignError(phrase("The release {name} is not kept here any more; hand it in again.", name=name))
        digest, table = read_release(path.read_bytes(), f"{name}.csv", schema)
        if digest != sha256:
            raise DesignError(
                phrase(
                    "The file of the release {name} was changed since it was handed in; hand it in again.", name=name
                )
            )
        return table

    def take_rows(self, attacker: str, anonymiser: str, rows: Sequence[int], deal: str) -> None:
        """Keep the rows that an attacker names for an anonymiser, in place of those it named before.

        Raises
        ------
        DesignError
            The name cannot be.
        """
        refuse_name(attacker)
        answer = {"attacker": attacker, "anonymiser": anonymiser, "rows": [int(row) for row in rows], "deal": deal}
        self._change(own=[*self._others(attacker, anonymiser), answer])

    def _others(self, attacker: str, anonymiser: str) -> list[dict[str, Any]]:
        return [answer for answer in self.own if (answer["attacker"], answer["anonymiser"]) != (attacker, anonymiser)]

    def drop_rows(self, attacker: str, anonymiser: str) -> None:
        """Forget what an attacker named for an anonymiser."""
        self._change(own=self._others(attacker, anonymiser))

    def drop_release(self, name: str) -> None:
        """Forget a release, and its file where no other name has it too."""
        kept = {other: facts for other, facts in self.releases.items() if other != name}
        gone = {facts["sha256"] for facts in self.releases.values()} - {facts["sha256"] for facts in kept.values()}
        self._change(releases=kept)
        for sha256 in gone:
            (self.folder / f"{sha256}.csv").unlink(missing_ok=True)

    def bundle(self, plan: ContestPlan, revision: str) -> Path:
        """Where the bundle of that plan on that data lies, once it was played."""
        return self.folder / f"bundle_{_mark(plan.as_dict(), revision)}.zip"

    def keep_bundle(self, result: ContestResult, revision: str) -> None:
        """Write everything of a contest as one ZIP file."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if result.bundle is not None:
            contest_files.zip_bundle(result.bundle, self.bundle(result.plan, revision))


def read_release(source: bytes | Path, file: str, schema: Schema) -> tuple[str, Table]:
    """The hash of a release made elsewhere, and its rows under the schema that its sample was dealt under.

    The schema stays as it is: one that grew with the release would deal other people to it.

    Raises
    ------
    InputError
        It cannot be read, lacks a column, or holds a value that the audit's files do not.
    """
    return _under(schema, read_path(source) if isinstance(source, Path) else read_file(source, name=file))


def _under(schema: Schema, text: TextTable) -> tuple[str, Table]:
    try:
        return text.sha256, typed(schema, text)
    except SchemaError as error:
        if error.problem.code != "outside_schema":
            raise
        problem = error.problem
        raise SchemaError.of(
            problem.code,
            problem.what,
            phrase(
                "A release made elsewhere may hold only values that the loaded files hold: exchange or "
                "leave out others."
            ),
            file=problem.file,
            column=problem.column,
            line=problem.line,
        ) from error


def dealing(plan: ContestPlan, revision: str) -> str:
    """A mark of all that decides who is dealt to whom: what was handed in for one deal fits no other."""
    settled = (plan.source, plan.population, plan.sample, plan.draws, plan.mode, plan.seed, plan.condition)
    return _mark(*settled, revision)


def _mark(*settled: Any) -> str:
    return hashlib.sha256(json.dumps(settled, sort_keys=True).encode()).hexdigest()[:32]


def dealt(tables: Tables, plan: ContestPlan, name: str) -> bytes:
    """The sample that a plan deals to that name in its first round, as CSV: what a release of it is made from.

    Raises
    ------
    DesignError
        The population cannot be made.
    """
    refuse_name(name)
    if plan.source == PEOPLE:
        return to_csv(tables.real)
    population = plan.people(tables)
    is_in = contest.sampled(population, plan.sample, plan.seed, label(name, plan.anonymisers), 0)
    return to_csv(population.table.rows(np.flatnonzero(is_in)))
