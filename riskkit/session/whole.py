"""A whole audit in Python: every question that applies to the tables, one verdict, one report."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskkit import registry
from riskkit.audit.output_files import PACK, outputs, write
from riskkit.audit.report_facts import build_findings, build_given
from riskkit.audit.selftest_result import last
from riskkit.base import places
from riskkit.errors import DesignError
from riskkit.jobs.pool import NamedUnits, Progress, keeping
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import Cover
from riskkit.language import counting
from riskkit.plans import Plan
from riskkit.questions import limits as of_limits
from riskkit.questions.standard import Effort, Situation, StewardAnswers, effort_of, plans_for
from riskkit.report.lines import verdict
from riskkit.report.pack import read_back
from riskkit.session.play import play
from riskkit.session.tables import load, provenance_of
from riskkit.session.verdicts import lines, warnings
from riskkit.show.model import Answer as ReportedAnswer
from riskkit.show.model import Class, Findings, Given
from riskkit.show.profile import PLAIN, ROOM
from riskkit.table.load import Tables

if TYPE_CHECKING:
    import pandas as pd


_ALONE = {".pdf": "report.pdf", ".html": "report.html", ".json": "report.json", ".zip": PACK}
"""The file of a report that a path stands for by its ending."""
_COLUMNS = ("question", "verdict", "attack", "value", "low", "high", "level", "n", "guess", "limit", "sentence")


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """Every question that was asked of tables, and the verdict over all.

    What is printed is what a shareable report says: no cell of a table, no row number, no score.
    """

    tables: Tables
    plans: tuple[Plan, ...]
    given: Given
    limits: Mapping[str, Limit]

    @property
    def verdict(self) -> str:
        """The word of the judge over all questions about this release."""
        return str(self._build_findings.overall.verdict)

    @cached_property
    def _build_findings(self) -> Findings:
        return self._findings()

    def _findings(self, **cover: Any) -> Findings:
        made = datetime.now(UTC).replace(microsecond=0)
        return build_findings(self.given, self.limits, kind=Class.SHAREABLE, made=made, **cover)

    def report(
        self,
        folder: str | Path,
        *,
        title: str = "",
        by: str = "",
        cover: Cover | None = None,
        name_columns: bool = False,
        profile: str = PLAIN,
    ) -> Path:
        """Write the shareable report into a folder: PDF, HTML, JSON, CSV and the evidence pack. Returns its path.

        A path that ends as one of these files does, as ``audit.html``, is that one file alone. Every file is read again
        from the disk before this returns.

        Parameters
        ----------
        folder
            Where it is written to; what is there already under these names is replaced.
        title, by
            What stands on the cover, and who answers for it.
        cover
            All that page one says in your words: these two, who releases what, for what, and to whom.
        name_columns
            Whether the columns are named in it.
        profile
            How the findings are laid out: a file of ``riskkit/profiles``, or one that was registered.

        Raises
        ------
        DesignError
            The folder cannot be written to, or what was written cannot be read again.
        ParameterError
            There is no such profile.
        """
        place = Path(folder)
        layout = registry.parse(ROOM, profile)
        words = Cover(title, by) if cover is None else cover
        findings = self._findings(cover=words, tells_columns=name_columns, profile=layout)
        files = outputs(findings, selftest=last(places.home()))
        if not place.suffix:
            write(files, place)
            read_back(place, files, findings)
            return place
        if place.suffix not in _ALONE:
            raise DesignError(
                f"A report is a folder, or a file that ends in {', '.join(_ALONE)}; {place.name} is none."
            )
        alone = {place.name: files[_ALONE[place.suffix]]}
        write(alone, place.parent)
        read_back(place.parent, alone, findings)
        return place

    def to_frame(self) -> pd.DataFrame:
        """What every question comes to as a frame of pandas, a row each: the finding that its verdict stands on.

        ``value`` with its interval ``low`` to ``high`` is the strongest attack; ``sentence`` says it in words. A
        question that was not answered has its verdict and no number.
        """
        import pandas as pd

        with counting(self.tables.unit):
            return pd.DataFrame([_row(answer) for answer in self._build_findings.answers], columns=list(_COLUMNS))

    def __repr__(self) -> str:
        with counting(self.tables.unit):
            return "\n".join(["audit", *warnings(self._build_findings.give_aways), *lines(self._build_findings)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def audit(
    tables: Any,
    synthetic: Any = None,
    holdout: Any = None,
    *,
    made_by: Any = None,
    columns: Any = None,
    effort: str = Effort.QUICK,
    limits: Mapping[str, Any] | None = None,
    secrets: Sequence[str] | str = (),
    known: Sequence[str] | str = (),
    row: str = "",
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Audit:
    """Ask every question that applies to the tables, and come to one verdict.

    Give-aways are always looked for. The released file and what it lets a stranger infer are asked about where there is
    a holdout; without one the answer is undecided, and says how to make one. Membership and records are asked where
    :func:`riskkit.load` was told what made the release: about another method they would be a what-if. Explanations and
    contests are never part.

    Parameters
    ----------
    tables, synthetic, holdout
        What :func:`riskkit.load` gives; or the real table, the release and people who were not in, as paths or data
        frames.
    made_by, columns
        The method that made the release, and what is decided about columns; see :func:`riskkit.load`.
    effort
        ``quick`` shows large leaks within minutes; ``standard`` and ``thorough`` play more trainings for narrower
        intervals. None of them is a promise: what is too wide to decide is undecided.
    limits
        By question, the most leak that is tolerable; see :func:`riskkit.ask`.
    secrets, known
        The columns that an attacker would want, and those that an attacker would have. Nothing said: the columns whose
        role or name says that they are sensitive, else every column in turn; and every other column.
    row
        What a row stands for: ``person``, or ``several`` where people have several rows. Those are counted as rows, so
        nothing is said to be within a limit.

    Raises
    ------
    DesignError
        There is no such effort or limit, a limit is set for a question that is not asked, or no release is loaded.
    """
    bounds = {question: of_limits.read(question, value) for question, value in (limits or {}).items()}
    loaded = load(tables, synthetic, holdout, made_by=made_by, columns=columns)
    answers = StewardAnswers(row, _as_names(secrets), _as_names(known))
    plans = plans_for(Situation(loaded, effort_of(effort), loaded.made_by, answers, provenance_of(loaded).settings))
    if idle := [question for question in bounds if question not in {plan.question for plan in plans}]:
        raise DesignError(f"A limit is set for {', '.join(idle)}, which these tables do not let ask; leave it out.")
    names = {file.slot: f"{file.slot}.csv" for file in loaded.files}
    names |= {str(loaded.persons.unit): loaded.persons.column} if loaded.persons else {}
    with keeping(NamedUnits()):
        runs = tuple(play(loaded, plan, names, workers, progress) for plan in plans)
    return Audit(loaded, plans, build_given("", loaded, runs, provenance_of(loaded), row=row), bounds)


def _row(answer: ReportedAnswer) -> dict[str, Any]:
    """A question as a row of a frame."""
    measured = None if answer.shown is None else answer.shown.measured
    judged = answer.judgement
    row: dict[str, Any] = {
        "question": answer.question,
        "verdict": verdict(answer)[1].lower(),
        "limit": None if judged is None or judged.limit is None else judged.limit.value,
        "sentence": "" if answer.shown is None else answer.shown.sentence,
    }
    if measured is not None and measured.strongest is not None:
        row |= {name: getattr(measured.strongest, name) for name in ("value", "low", "high", "level", "n")}
        row |= {"attack": measured.who, "guess": measured.guess}
    return row


def _as_names(names: Sequence[str] | str) -> tuple[str, ...]:
    """The names; a text is one, not letters."""
    return (names,) if isinstance(names, str) else tuple(names)
