"""How many people the release exposes beyond chance, in words: for the page, which may see rows, and for the report."""

from __future__ import annotations

from collections.abc import Sequence

from riskkit.core import Estimate
from riskkit.language import say
from riskkit.questions.attributes.findings import SecretAnswer
from riskkit.show.names import Names


def title(answer: SecretAnswer) -> str:
    """How many people are exposed beyond chance, with the interval; empty where there is no number."""
    counts = _counts(answer)
    return "" if counts is None else say("People exposed beyond chance: {beyond}", beyond=_people(counts[2]))


def rule(answer: SecretAnswer) -> str:
    """What the rule is, whom it names, and what is left of that when luck is taken off."""
    counts = _counts(answer)
    if counts is None:
        return ""
    named, by_chance, beyond = map(_people, counts)
    whole = say(
        "A person is named who is guessed rightly and with confidence from the release, but neither by the most "
        "frequent value in it nor by a model that never saw the person: {named} of the people who were in. Of as many "
        "people who were not in, the same rule names {by_chance} by luck. What is left are people exposed because "
        "they were in: {beyond}.",
        named=named,
        by_chance=by_chance,
        beyond=beyond,
    )
    if counts[2].low > 0:
        meaning = say("At least {low:,.0f} people are. The rule cannot tell which of those named.", low=counts[2].low)
    else:
        meaning = say("Nobody is shown to be: whoever is named may be named by luck.")
    looks = ""
    if answer.looks > 1:
        looks = say("This interval is for one look, and {looks} were taken.", looks=answer.looks)
    return " ".join(filter(None, (whole, meaning, looks)))


def of_reports(answers: Sequence[SecretAnswer], names: Names) -> tuple[str, ...]:
    """A sentence for each secret; where a count is of few people, none from which it could be had again."""
    out = []
    for answer in answers:
        counts = _counts(answer)
        if counts is None:
            continue
        named, by_chance, beyond = counts
        out.append(
            say(
                "{column}: people guessed rightly and with confidence only because of the release: {count}; among "
                "as many people who were not in: {by_chance}.",
                column=names.column(answer.secret),
                count=names.count(named.value),
                by_chance=names.count(by_chance.value),
            )
        )
        if beyond in tuple(names.countable(counts)):
            out.append(
                say(
                    "{column}: people exposed beyond chance: {beyond}.",
                    column=names.column(answer.secret),
                    beyond=_people(beyond),
                )
            )
    return tuple(out)


def _counts(answer: SecretAnswer) -> tuple[Estimate, Estimate, Estimate] | None:
    """Those named, those named by chance, and the one less the other."""
    named, by_chance, beyond = map(answer.contrast, ("exposed", "exposed_by_chance", "exposed_beyond_chance"))
    return None if named is None or by_chance is None or beyond is None else (named, by_chance, beyond)


def _people(count: Estimate) -> str:
    """A count with its interval; below 0 where luck named more of those who were not in."""
    return f"{count.value:,.0f} [{count.low:,.0f}, {count.high:,.0f}]"
