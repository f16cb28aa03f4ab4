"""The one guard for all questions: what was noticed of the files, and what nobody looked at, bars "within the limit".

Three things stand in the way of saying that there is no leak, whatever the numbers of a question are: a doubt about the
files that the steward has not answered, something that the release gives away by itself, and a column that no question
has read. They hold for every question about the files, and for the audit as a whole; no question has a guard of its
own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from riskkit.core import Kind, Role
from riskkit.errors import Gravity
from riskkit.judging.give_aways import State
from riskkit.judging.reasons import REASONS, Reason
from riskkit.language import joined
from riskkit.questions import questions
from riskkit.show.model import Given, Played
from riskkit.show.names import Names

MODELLED = (str(Kind.NUMERIC), str(Kind.CATEGORICAL), str(Kind.DATE))
"""Kinds of columns that questions read."""
IN_USE = (str(Role.KNOWN), str(Role.SECRET))


def doubts(facts: Given, names: Names, runs: Iterable[Played]) -> tuple[Reason, ...]:
    """What stands in the way of "within the limit", the gravest first: give-aways, doubts about files, unread columns.

    ``runs`` are those that have finished on the files as they are; a column is read where one of them reads it.
    """
    gives_away = any(give_away.state in (State.SHOWN, State.OPEN) for give_away in facts.give_aways)
    columns = unread(facts, runs)
    return (
        *((Reason("gives_away"),) if gives_away else ()),
        *_noticed(facts, names),
        *((Reason("not_read", {"columns": joined(map(names.column, columns))}),) if columns else ()),
    )


def _noticed(facts: Given, names: Names) -> tuple[Reason, ...]:
    """What reading noticed: problems whose code is a reason, one reason a code with all of its columns."""
    columns: dict[str, dict[str, None]] = {}
    count: Counter[str] = Counter()
    for problem in facts.preparation:
        code = str(problem["code"])
        if code in REASONS and problem["gravity"] == str(Gravity.QUESTION):
            columns.setdefault(code, {})[names.column(str(problem.get("column", "")))] = None
            count[code] += int(problem.get("count", 0) or 0)
    return tuple(
        Reason(code, {"columns": joined(filter(None, own)), "count": names.count(count[code]), "each": tuple(own)})
        for code, own in columns.items()
    )


def unread(facts: Given, runs: Iterable[Played]) -> tuple[str, ...]:
    """The columns of the first table that questions can read and that none of these runs has read, in file order.

    A column that no question can read is a doubt about the files: :mod:`riskkit.table.evidence.meeting` notices it.
    """
    if not facts.files:
        return ()
    modelled = [name for name, kind, role in facts.columns if kind in MODELLED and role in IN_USE]
    texts = [name for name, kind, role in facts.columns if (kind, role) == (str(Kind.TEXT), str(Role.TEXT))]
    seen: set[str] = set()
    for run in runs:
        known = questions().get(run.question)
        if known is None or not run.plan:  # a question or a plug-in that is no longer here: nobody knows what it read
            continue
        columns = known.reads(run.plan)
        seen.update(modelled if columns is None else columns)
        seen.update(texts if known.reads_texts(run.plan) else ())
    return tuple(name for name, _, _ in facts.columns if name in {*modelled, *texts} - seen)
