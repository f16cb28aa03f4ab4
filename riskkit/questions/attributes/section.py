"""What the release lets anybody infer, for the report of the audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from riskkit.core import Estimate
from riskkit.judging.measured import Measured
from riskkit.language import joined, say
from riskkit.questions.attributes import exposure_words, findings, view
from riskkit.questions.attributes import gain_words as attributes_gains
from riskkit.questions.attributes import outcome as decided
from riskkit.questions.attributes import words as attributes_words
from riskkit.questions.attributes.findings import SecretAnswer
from riskkit.questions.attributes.for_whom import called
from riskkit.questions.attributes.result import AttributesResult, Counts
from riskkit.show import for_whom
from riskkit.show.finding import finding
from riskkit.show.model import AtRisk, Given, Part, Played, RunFinding
from riskkit.show.names import Names


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = AttributesResult.of(run.result)
    read_answers = findings.read(result)
    known = {answer.known: names.known(answer.known, answer.columns) for answer in read_answers.answers}
    parts = tuple(_part(answer, result, names, known) for answer in read_answers.answers)
    measured = _measured(read_answers.answers, result, names, known)
    place = findings.foremost(read_answers.answers)
    each = view.labelled(read_answers.answers, names)
    everything = [e for answer in read_answers.answers for e in names.countable(answer.estimates)]
    everything += [e for e in result.estimates if "secret" not in e.labels]
    return (
        finding(
            run,
            names,
            sentence=parts[place].sentence if parts else say("No secret could be asked about."),
            game=_game(read_answers.answers, result, names, known),
            measured=measured,
            estimates=tuple(map(each, everything)),
            limits=tuple(map(say, attributes_words.LIMITS)),
            plain=_plain(read_answers.answers[place], names, known) if parts else "",
            extra=(
                *_readings(read_answers.answers, names, known),
                *exposure_words.of_reports(read_answers.answers, names),
            ),
            at_risk=_at_risk(read_answers.answers, names),
            parts=parts,
            for_whom=_for_whom(run, result, names, read_answers.answers, known),
        ),
    )


def _for_whom(
    run: Played, result: AttributesResult, names: Names, answers: Sequence[SecretAnswer], known: Mapping[str, str]
) -> for_whom.ShownForWhom | None:
    """Groups of people by the strongest guess, which is named as the reader may see it."""
    kept = "" if result.for_whom is None else result.for_whom.attack
    secret, known_set = next(
        ((answer.secret, answer.known) for answer in answers if called(answer.secret, answer.known) == kept), ("", "")
    )
    about = say("{column} from {known}", column=names.column(secret), known=known[known_set]) if secret else ""
    return for_whom.read(run.result, names, about=about)


def _part(answer: SecretAnswer, result: AttributesResult, names: Names, known: Mapping[str, str]) -> Part:
    """One secret and known set, judged by itself."""
    secret = names.column(answer.secret)
    title = say("{column} from {known}", column=secret, known=known[answer.known])
    measured = decided.measured(
        [_shown(answer, names, known, result.people)],
        [title],
        looks=answer.looks,
        people=result.people,
        silent=(),
        has_holdout=result.has_holdout,
    )
    sentence = findings.sentence(answer, secret=secret, known=known[answer.known])
    return Part(title, sentence, replace(measured, unit=result.unit))


def _plain(answer: SecretAnswer, names: Names, known: Mapping[str, str]) -> str:
    """The answer on one line."""
    return findings.plain(answer, secret=names.column(answer.secret), known=known[answer.known])


def _measured(
    answers: Sequence[SecretAnswer], result: AttributesResult, names: Names, known: Mapping[str, str]
) -> Measured:
    """All of them together."""
    who = [
        say("{column} from {known}", column=names.column(answer.secret), known=known[answer.known])
        for answer in answers
    ]
    measured = decided.measured(
        [_shown(answer, names, known, result.people) for answer in answers],
        who,
        looks=result.counts.looks,
        people=result.people,
        silent=_silent(result, names),
        has_holdout=result.has_holdout,
    )
    return replace(measured, unit=result.unit)


def _shown(answer: SecretAnswer, names: Names, known: Mapping[str, str], people: int) -> decided.Sides:
    """The numbers the verdict stands on, labelled as the reader may see them and with the people as their N."""
    labels = {"secret": names.column(answer.secret), "known": known[answer.known]}
    sides = (answer.compared.residual, answer.compared.without, answer.compared.planted)
    return decided.Sides(*(None if side is None else replace(side, labels=labels, n=people) for side in sides))


def _silent(result: AttributesResult, names: Names) -> list[str]:
    """What was asked and could not be answered: it stands among no verdicts."""
    refused = ((each.about.secret, names.known(each.about.known, each.columns)) for each in result.refused)
    return list(
        dict.fromkeys(
            say("{column} from {known}", column=names.column(secret), known=known) for secret, known in refused
        )
    )


def _game(
    answers: Sequence[SecretAnswer], result: AttributesResult, names: Names, known: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    called = partial(names.called, room="inference")
    return (
        (
            say("The question"),
            say(
                "What can a stranger who knows some columns of a person infer about that person, and is that because "
                "the person was in?"
            ),
        ),
        (say("The worlds"), say("one release, as it is; people who were in beside people who were not (the holdout)")),
        (
            say("The attacker knows"),
            say("the released file, and {known} of a person", known="; ".join(dict.fromkeys(known.values()))),
        ),
        (say("The hypothesis"), say("people who were in are no easier to guess than people who were not (residual 0)")),
        (say("Secrets"), joined(dict.fromkeys(names.column(answer.secret) for answer in answers))),
        (say("Baseline of the gains"), attributes_words.OVER[result.plan.baseline]),
        (say("Models"), joined(dict.fromkeys(findings.models(answer, called) for answer in answers))),
        (
            say("Counted are"),
            _counted(result.counts),
        ),
    )


def _counted(counts: Counts) -> str:
    """How many of either side."""
    sides = {"n_members": counts.n_members, "n_control": counts.n_control}
    if counts.several is not None:
        return say(
            "{n_members:,} members and {n_control:,} others, each with all of their rows (up to {most:,})",
            **sides,
            most=counts.several.most_rows,
        )
    return say("{n_members:,} members and {n_control:,} others", **sides)


def _readings(answers: Sequence[SecretAnswer], names: Names, known: Mapping[str, str]) -> Iterator[str]:
    """How guesses from the release read beside guesses from the real data; no verdict stands on it."""
    for answer in answers:
        if reading := attributes_gains.reading(answer):
            column = names.column(answer.secret)
            yield say("{column} from {known}: {told}", column=column, known=known[answer.known], told=reading)


def _at_risk(answers: Sequence[SecretAnswer], names: Names) -> tuple[AtRisk, ...]:
    """Who is exposed, by row; a list of people is for those who may see rows, for luck names some of them too."""
    if not names.tells:
        return ()
    listed = [
        AtRisk(
            say("record {row}", row=record.row),
            say("{column} guessed", column=names.column(answer.secret)),
            _sure(record.confidence),
        )
        for answer in answers
        for record in answer.exposed
    ]
    return tuple(sorted(listed, key=lambda record: -record.estimate.value))


def _sure(confidence: float) -> Estimate:
    """How sure the model was of its guess: a number of the model, not an estimate with an error."""
    return Estimate("confidence", confidence, confidence, confidence, 1.0, "the model's own probability", 1)
