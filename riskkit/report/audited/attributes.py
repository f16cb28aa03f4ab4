"""What the release lets anybody infer, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from riskkit.core import Estimate
from riskkit.language import say
from riskkit.report import attributes as decided
from riskkit.report import attributes_findings as said
from riskkit.report import attributes_words, words
from riskkit.report.attributes_findings import Answer, Cell
from riskkit.report.audited.model import AtRisk, Bar, Chart, Control, Given, Grid, Measured, Played, RunFinding
from riskkit.report.audited.names import Names

ENDS = ("value", "low", "high", "level")


def read(run: Played, names: Names, given: Given) -> RunFinding:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    found = said.read(result)
    known = {str(one["known"]): names.known(str(one["known"]), one["columns"]) for one in result["verdicts"]}
    residuals = [_residual(one, names, known) for one in result["verdicts"]]
    at = _strongest(residuals)
    return RunFinding(
        id=run.id,
        question=run.question,
        sentence=_sentence(found.answers, at, names, known),
        game=_game(found.answers, result, names, known),
        measured=_measured(result, residuals, at, names, known),
        estimates=tuple(_named(e, names, known) for answer in found.answers for e in names.countable(answer.estimates)),
        limits=attributes_words.LIMITS,
        settings=names.settings(run.plan),
        command=names.told(run.command),
        seconds=float(result.get("seconds", 0.0)),
        workers=run.workers,
        notes=tuple(filter(None, (names.told(str(note)) for note in result.get("notes", ())))),
        extra=_exposed(found.answers, names),
        chart=_chart(found.answers, at, names),
        grid=_grid(found.sweep, names),
        at_risk=_at_risk(found.answers, names),
    )


def _named(estimate: Estimate, names: Names, known: Mapping[str, str]) -> Estimate:
    shown = names.estimate(estimate)
    text = estimate.labels.get("known")
    return shown if text is None or names.tells else shown.labelled(known=known.get(text, names.known(text)))


def _residual(given: Mapping[str, Any], names: Names, known: Mapping[str, str]) -> Estimate | None:
    """The residual the verdict stands on, at the level that allows for the looks."""
    ends = given["residual"]
    if ends is None:
        return None
    value, low, high, level = (float(ends[end]) for end in ENDS)
    labels = {"secret": names.column(str(given["secret"])), "known": known[str(given["known"])]}
    return Estimate("residual", value, low, high, level, "score interval, by record", 0, labels)


def _strongest(residuals: Sequence[Estimate | None]) -> int:
    lows = [-math.inf if one is None else one.low for one in residuals]
    return lows.index(max(lows)) if lows else -1


def _measured(
    result: Mapping[str, Any], residuals: Sequence[Estimate | None], at: int, names: Names, known: Mapping[str, str]
) -> Measured:
    there = [_counted(one, result) for one in residuals if one is not None]
    verdicts = result["verdicts"]
    whys = [str(one["why"]) for one in verdicts]
    about = verdicts[at] if there else None
    silent = _silent(result, names)
    return Measured(
        scale="residual",
        guess=0.0,
        strongest=max(there, key=lambda one: one.low, default=None),
        widest=max(there, key=lambda one: one.high, default=None),
        who=""
        if about is None
        else say("{column} from {known}", column=names.column(str(about["secret"])), known=known[str(about["known"])]),
        looks=int(result["settings"].get("looks", len(verdicts))),
        control=_control(verdicts, _people(result)),
        unit="record",
        is_complete=len(there) == len(residuals) and bool(residuals) and not silent,
        silent=", ".join(silent),
        blocked=decided.DIFFER if at >= 0 and whys[at] == decided.DIFFER else "" if there else decided.NO_HOLDOUT,
        no_absence=decided.HARDER if decided.HARDER in whys else "",
    )


def _silent(result: Mapping[str, Any], names: Names) -> list[str]:
    """What was asked and could not be answered: it stands among no verdicts."""
    refused = (
        (str(one["secret"]), names.known(str(one["known"]), one["columns"])) for one in result.get("refused", ())
    )
    return list(dict.fromkeys(f"{names.column(secret)} from {known}" for secret, known in refused))


def _counted(residual: Estimate, result: Mapping[str, Any]) -> Estimate:
    """With the people of both sides as its N."""
    return replace(residual, n=_people(result))


def _people(result: Mapping[str, Any]) -> int:
    """The people of both sides."""
    settings = result["settings"]
    return int(settings.get("n_members", 0)) + int(settings.get("n_control", 0))


def _control(verdicts: Sequence[Mapping[str, Any]], n: int) -> Control:
    planted = [one["planted"] for one in verdicts]
    if not planted or None in planted:
        return Control(False, -math.inf, decided.NO_CONTROL)
    least = min(planted, key=lambda ends: float(ends["low"]))
    value, low, high, level = (float(least[end]) for end in ENDS)
    weakest = Estimate("residual", value, low, high, level, "score interval, by record", n)
    return Control(
        True,
        low,
        say("A leak planted to see whether it would be found has a residual of {weakest}.", weakest=weakest),
        weakest,
    )


def _sentence(answers: Sequence[Answer], at: int, names: Names, known: Mapping[str, str]) -> str:
    if not answers:
        return say("No secret could be asked about.")
    answer = answers[max(at, 0)]
    delta, baseline = answer.contrast("delta"), answer.bar("baseline", answer.measure)
    release = answer.bar("control", answer.measure) or answer.bar("members", answer.measure)
    told = say("Knowing {known}", known=known[answer.known])
    if delta is None or baseline is None or release is None:
        return say(
            "{told}, what the release adds for {column} could not be measured.",
            told=told,
            column=names.column(answer.secret),
        )
    told += say(
        ", the release takes the guess of {column} from {before} to {after} right (difference {delta})",
        column=names.column(answer.secret),
        before=words.percent(baseline.value),
        after=words.percent(release.value),
        delta=delta,
    )
    residual = answer.contrast("residual")
    if residual is None:
        return say("{told}; whether people who were in are easier to guess takes a holdout.", told=told)
    if residual.low > 0:
        return say(
            "{told}; people who were in are easier to guess than people who were not (residual {residual}).",
            told=told,
            residual=residual,
        )
    return say("{told}; people who were in are not shown to be easier to guess than people who were not.", told=told)


def _game(
    answers: Sequence[Answer], result: Mapping[str, Any], names: Names, known: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    settings = result["settings"]
    return (
        (
            say("The question"),
            say("What can a stranger infer of a person who knows some columns, and is it because they were in?"),
        ),
        (say("The worlds"), say("one release, as it is; people who were in beside people who were not (the holdout)")),
        (
            say("The attacker knows"),
            say("the released file, and of a person {known}", known="; ".join(dict.fromkeys(known.values()))),
        ),
        (say("The hypothesis"), say("people who were in are no easier to guess than people who were not (residual 0)")),
        (say("Secrets"), ", ".join(dict.fromkeys(names.column(answer.secret) for answer in answers))),
        (say("Models"), ", ".join(dict.fromkeys(names.called(answer.model, "inference") for answer in answers))),
        (
            say("Counted are"),
            say(
                "{n_members:,} members and {n_control:,} others",
                n_members=settings.get("n_members", 0),
                n_control=settings.get("n_control", 0),
            ),
        ),
    )


def _exposed(answers: Sequence[Answer], names: Names) -> tuple[str, ...]:
    """How many members the release lets guess and nothing else would, beside what luck names."""
    out = []
    for answer in answers:
        found, chance = answer.contrast("exposed"), answer.contrast("exposed_by_chance")
        if found is not None and chance is not None:
            out.append(
                say(
                    "{column}: {count} people are guessed rightly and surely from "
                    "the release and would not be otherwise; among as many who were not in, {by_chance}.",
                    column=names.column(answer.secret),
                    count=names.count(found.value),
                    by_chance=names.count(chance.value),
                )
            )
    return tuple(out)


def _chart(answers: Sequence[Answer], at: int, names: Names) -> Chart | None:
    if not answers:
        return None
    answer = answers[max(at, 0)]
    bars = tuple(
        Bar(attributes_words.SAID[side], names.estimate(estimate), side)
        for side, estimate in answer.bars(answer.measure)
    )
    told = say("{column}: guessed rightly by whom", column=names.column(answer.secret))
    return Chart(told, say("share guessed rightly"), bars, None) if bars else None


def _grid(sweep: Sequence[Cell], names: Names) -> Grid | None:
    """The heatmap of the sweep: what the release adds for each secret and known set."""
    if not sweep:
        return None
    rows = tuple(dict.fromkeys(cell.secret for cell in sweep))
    sets = tuple(dict.fromkeys(cell.known for cell in sweep))
    at = {(cell.secret, cell.known): cell for cell in sweep}
    cells = tuple(tuple(_delta(at.get((row, one)), names) for one in sets) for row in rows)
    marked = tuple(tuple(bool((row, one) in at and at[row, one].is_shown) for one in sets) for row in rows)
    shown = tuple(
        names.known(one) if names.tells else say("known set {place}", place=place) for place, one in enumerate(sets, 1)
    )
    told = say(
        "What the release adds to guessing each of {columns} columns; ▲ where a leak about members is shown",
        columns=len(rows),
    )
    return Grid(told, tuple(names.column(row) for row in rows), shown, cells, marked)


def _delta(cell: Cell | None, names: Names) -> Estimate | None:
    return None if cell is None or cell.delta is None else names.estimate(cell.delta)


def _at_risk(answers: Sequence[Answer], names: Names) -> tuple[AtRisk, ...]:
    """Who is exposed, by row; a list of people is for those who may see rows, for luck names some of them too."""
    if not names.tells:
        return ()
    listed = [
        AtRisk(
            say("record {row}", row=one.row),
            say("{column} guessed", column=names.column(answer.secret)),
            _sure(one.confidence),
        )
        for answer in answers
        for one in answer.exposed
    ]
    return tuple(sorted(listed, key=lambda one: -one.estimate.value))


def _sure(confidence: float) -> Estimate:
    """How sure the model was of its guess: a number of the model, not an estimate with an error."""
    return Estimate("confidence", confidence, confidence, confidence, 1.0, "the model's own probability", 1)
