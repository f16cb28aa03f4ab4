"""Where the runs of a whole audit are kept that a command plays, or hands to the queue."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from riskkit.base import process
from riskkit.commands import _playing
from riskkit.commands._keeping import audit_of
from riskkit.commands._options import Files
from riskkit.errors import Cancelled, DesignError, StoreError
from riskkit.jobs.store import Audit
from riskkit.jobs.worker import let_go
from riskkit.judging.measured import Limit
from riskkit.judging.provenance import Provenance
from riskkit.plans import Plan
from riskkit.questions.limits import keep
from riskkit.questions.standard import StewardAnswers

WAY_ON = "the same command goes on where it was"
PASSING = "the tables only until all has ended (--keep NAME, --no-keep)."


@dataclass(frozen=True, slots=True)
class Keeping:
    """What the command line says of keeping, the files, and what is kept beside them."""

    options: argparse.Namespace
    files: Files
    made_by: Provenance
    limits: Mapping[str, Limit]

    @contextmanager
    def place(self, plans: Sequence[Plan]) -> Iterator[Audit | None]:
        """The audit that keeps these runs while they are played and reported; None where nothing is kept.

        When the block is left the tables of one without a name go, unless a run of it can go on.

        Raises
        ------
        StoreError
            There is no place for one that somebody asked for by name.
        """
        if self.options.no_keep:
            with _playing.nowhere():
                yield None
            return
        audit = self._audit()
        if audit is None:
            yield None
            return
        self._tell(audit)
        try:
            with process.last_step(partial(process.tell, _playing.stopped_sentence(WAY_ON))):
                yield audit
        except (Cancelled, KeyboardInterrupt) as stopped:
            _playing.end(stopped, WAY_ON)
        finally:
            for plan in plans[:1]:
                let_go(audit.run_of(plan).path)

    def queue(self, plans: Sequence[Plan]) -> int:
        """Leave the runs to workers; the report is made when they have ended."""
        if self.options.no_keep:
            raise DesignError("Runs that wait in the queue have to be kept until they are played; leave out --no-keep.")
        audit = self._found(self.options.keep or f"{self._called}, queued")
        for plan in plans:
            audit.run_of(plan).queue(plan, self.options.workers, audit.revision)
        print(f"{len(plans)} runs wait in {audit.path.parents[1]}, with the tables.")
        print("python -m riskkit worker plays what waits (--dask ADDRESS: on a Dask cluster).")
        print(f"python -m riskkit report {audit.id} --out {self.options.out} then writes the report.")
        return 0

    def _audit(self) -> Audit | None:
        """The audit; None where there is no place for one and nobody asked for it."""
        try:
            return self._found(self.options.keep)
        except StoreError as error:
            if self.options.keep:
                raise
            print(f"riskkit: These runs are not kept, and do not go on after a kill. {error}", file=sys.stderr)
            return None

    def _found(self, name: str) -> Audit:
        return audit_of(name or self._called, self.files, self._beside, is_passing=not name)

    def _beside(self, audit: Audit) -> None:
        if self.limits:
            keep(audit, {**audit.limits, **self.limits})
        if self.made_by.method:
            audit.made_by(self.made_by)
        if self.options.row:
            audit.answer(StewardAnswers(self.options.row))

    @property
    def _called(self) -> str:
        """What the audit is called where nobody gives it a name."""
        return f"audit of {self.files.texts['real'].name}"

    def _tell(self, audit: Audit) -> None:
        long = "with the tables." if self.options.keep else PASSING
        if not self.options.quiet:
            print(f"riskkit: Kept as {audit.id[:8]} in {audit.path.parents[1]}, {long}", file=sys.stderr)
