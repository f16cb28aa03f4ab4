"""From the runs of an audit to its findings: every question read, judged, and put in order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from riskkit.language import counted, say
from riskkit.report import words
from riskkit.report.audited import attributes, contest, explanations, membership, other, records, released, texts
from riskkit.report.audited.judge import decisive, overall
from riskkit.report.audited.model import Answer, Class, Findings, Given, Judgement, Limit, Played, RunFinding
from riskkit.report.audited.names import Names
from riskkit.stats.verdict import Verdict

READERS: Mapping[str, Callable[[Played, Names, Given], RunFinding]] = {
    "membership": membership.read,
    "released": released.read,
    "attributes": attributes.read,
    "explanations": explanations.read,
    "contest": contest.read,
    "records": records.read,
}
"""How the runs of each question are read; :mod:`other` reads the rest."""
COUNTED = ("finished",)
UNFINISHED = ("running", "queued", "paused", "interrupted", "failed", "cancelled", "purged")
"""States of runs that say nothing, the most telling first."""
STOPPED = ("paused", "interrupted", "failed", "cancelled")
"""States of runs that ended before their end."""


def findings(
    given: Given,
    limits: Mapping[str, Limit],
    *,
    kind: Class,
    made: datetime,
    version: str,
    title: str = "",
    by: str = "",
    tells_columns: bool = False,
) -> Findings:
    """The findings of an audit.

    Parameters
    ----------
    limits
        By question, on the scale of :data:`riskkit.report.audited.limits.ON`. None for a question: only a leak above
        guessing can be shown.
    made
        When, with its zone. The same audit, limits and time give the same bytes of every output.
    title, by
        What stands on the cover, and who answers for it; both are the user's own words.
    tells_columns
        Name the columns in a shareable report too: their names stand in the released file anyway.
    """
    names = Names.of(given, kind, tells_columns=tells_columns)
    basis = _basis(given, kind, tells_columns=tells_columns)
    answers = _answers(given, limits, names)
    return Findings(
        basis=basis,
        id=_hash([basis, _plain(limits)]),
        title=title or texts.TITLE,
        made=made.isoformat(timespec="seconds"),
        by=by,
        kind=kind,
        tells_columns=names.tells_columns,
        audit=names.told(given.audit),
        files=tuple(replace(file, name=names.told(file.name)) for file in given.files),
        schema=tuple((names.column(name), kind_, role) for name, kind_, role in given.columns),
        preparation=tuple(_problem(problem, names) for problem in given.preparation),
        answers=answers,
        overall=overall(answers),
        limits=dict(limits),
        version=version,
        versions=dict(given.versions),
    )


def rejudged(found: Findings, limits: Mapping[str, Limit]) -> Findings:
    """The same findings under other limits; nothing is run or read again."""
    answers = tuple(_judged(answer, limits) for answer in found.answers)
    return replace(found, answers=answers, overall=overall(answers), limits=dict(limits), id=_id(found, limits))


def _answers(given: Given, limits: Mapping[str, Limit], names: Names) -> tuple[Answer, ...]:
    asked = dict.fromkeys([*texts.QUESTIONS, *(run.question for run in given.runs)])
    return tuple(_judged(_answer(question, given, names), limits) for question in asked)


def _answer(question: str, given: Given, names: Names) -> Answer:
    title, asks = texts.QUESTIONS.get(question, (question, ""))
    runs = [run for run in given.runs if run.question == question]
    read = READERS.get(question, other.read)
    current = [run for run in runs if run.is_current]
    done = [read(run, names, given) for run in current if _is_whole(run)]
    stopped = sum(run.state in STOPPED for run in current)
    if not done:
        foremost = _foremost(current)
        state = _state(foremost) if foremost is not None else "earlier" if runs else ""
        return Answer(question, title, asks, state, judgement=_unfinished(foremost, names), stopped=stopped)
    return Answer(question, title, asks, "finished", done[0], tuple(done[1:]), stopped=stopped)


def _is_whole(run: Played) -> bool:
    """Whether it has finished, and what verdicts are made from was not removed for its age since."""
    return run.state in COUNTED and run.result is not None and not run.result.get("purged")


def _state(run: Played) -> str:
    return "purged" if run.state in COUNTED else run.state


def _foremost(runs: Sequence[Played]) -> Played | None:
    """Of runs that say nothing the most telling one."""
    there = [run for run in runs if _state(run) in UNFINISHED]
    return min(there, key=lambda run: UNFINISHED.index(_state(run)), default=None)


def _judged(answer: Answer, limits: Mapping[str, Limit]) -> Answer:
    """The answer with the run its verdict stands on first; without one it stays as undecided as it is."""
    if answer.finding is None:
        return answer
    every = (answer.finding, *answer.others)
    if answer.question == "contest":
        about = [one for one in every if contest.is_about_the_release(one)]
        if not about:
            return replace(answer, judgement=None)
        every = (*about, *(one for one in every if one not in about))
        chosen, judgement = decisive(about, None)
    else:
        chosen, judgement = decisive(every, limits.get(answer.question))
    others = tuple(one for one in every if one is not chosen)
    return replace(answer, finding=chosen, others=others, judgement=_beside(judgement, len(others), answer.stopped))


def _unfinished(run: Played | None, names: Names) -> Judgement | None:
    """What a question comes to that was asked but has no finished run: nothing is decided, and what would."""
    if run is None:
        return None
    state = _state(run)
    why = texts.STATES[state]
    if run.error and state in STOPPED:
        why += f" {names.told(run.error) or texts.REASON_WITHHELD}"
    settle = texts.SETTLES[state]
    if state != "purged" and 0 < run.done < run.total:
        left = f" ({words.duration(run.seconds_left)})" if run.seconds_left is not None else ""
        settle += say(
            " {undone:,} of {all} are left{left}.",
            undone=run.total - run.done,
            all=words.plural(run.total, run.unit),
            left=left,
        )
    return Judgement(Verdict.UNDECIDED, None, why, settle)


def _beside(judgement: Judgement, others: int, stopped: int) -> Judgement:
    """The judgement, saying what other runs there were: whoever asks often finds something by luck."""
    why = judgement.why
    if others:
        why += counted(
            others,
            " Beside it stands {n:,} other run of this question, which the interval does not allow for.",
            " Beside it stand {n:,} other runs of this question, which the interval does not allow for.",
        )
    if stopped:
        why += counted(
            stopped,
            " {n:,} run of this question did not finish and is not counted.",
            " {n:,} runs of this question did not finish and are not counted.",
        )
    return replace(judgement, why=why)


def _problem(problem: Mapping[str, object], names: Names) -> dict[str, object]:
    """One line of the data preparation; of a shareable report what it was about, not which column or file."""
    column = str(problem.get("column", ""))
    kept: dict[str, object] = {
        "gravity": str(problem.get("gravity", "")),
        "code": str(problem.get("code", "")),
        "column": names.column(column) if column else "",
        "count": int(str(problem.get("count", 0) or 0)),
    }
    if names.tells:
        kept |= {name: str(problem.get(name, "")) for name in ("what", "do", "file")}
    elif 0 < int(str(kept["count"])) < 10:
        kept["count"] = say("fewer than 10")
    return kept


def _basis(given: Given, kind: Class, *, tells_columns: bool) -> str:
    """The hash of what was found, before any limit."""
    runs = sorted(run.id for run in given.runs)
    return _hash([runs, [file.sha256 for file in given.files], str(kind), tells_columns])


def _id(found: Findings, limits: Mapping[str, Limit]) -> str:
    return _hash([found.basis, _plain(limits)])


def _plain(limits: Mapping[str, Limit]) -> dict[str, object]:
    return {name: limit.as_dict() for name, limit in limits.items()}


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
