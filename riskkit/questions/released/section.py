"""What the attacks on a released file say, for the report of the audit."""

from __future__ import annotations

from riskkit.language import kept, say
from riskkit.questions.released import findings, no_holdout, people, view
from riskkit.questions.released.result import ReleasedResult
from riskkit.show import for_whom
from riskkit.show.finding import finding
from riskkit.show.model import Given, Played, RunFinding
from riskkit.show.names import Names

KNOWS = kept("the released file, and the rows asked about; some attacks also other people of the population")


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = ReleasedResult.of(run.result)
    measured = findings.measured(result, lambda name: names.called(name, "released"), names.plugin, facts.distances)
    aucs = {reached.attack: reached.auc for reached in result.together.each}
    return (
        finding(
            run,
            names,
            sentence=findings.sentence(result),
            game=_game(result, names),
            measured=measured,
            estimates=tuple(map(names.estimate, result.estimates)),
            limits=tuple(map(say, findings.LIMITS)),
            extra=(
                *(line.text for line in view.panel_lines(result, names)),
                *people.lines(result.named, names.count),
                *(() if result.has_holdout else no_holdout.path()),
            ),
            for_whom=for_whom.read(run.result, names),
            at_risk=people.at_risk(result.records, aucs, names, lambda name: names.called(name, "released")),
        ),
    )


def _game(result: ReleasedResult, names: Names) -> tuple[tuple[str, str], ...]:
    return (
        (say("The question"), say("Was this person in the real table, told from the released file alone?")),
        (say("The worlds"), say("one release, as it is; people who were in beside people who were not (the holdout)")),
        (say("The attacker knows"), say(KNOWS)),
        (say("The hypothesis"), say("no attack tells the two apart better than guessing (AUC 0.50)")),
        (say("Attacks"), say(", ").join(names.called(text, "released") for text in result.plan.attacks)),
        (
            say("Counted are"),
            _counted(result),
        ),
        *_second(result),
    )


def _second(result: ReleasedResult) -> tuple[tuple[str, str], ...]:
    """What there is of a second table, and who looks at it; nothing where there is none."""
    rows = result.counts.second
    if not rows:
        return ()
    looked = say(
        "{real:,} rows of the people who were in, {synthetic:,} of the release and {holdout:,} of the holdout, joined "
        "to people by a key; looked at by themselves (children alone), together with the first table (mixed), and not "
        "at all (parent alone)",
        real=rows["real"],
        synthetic=rows.get("synthetic", 0),
        holdout=rows.get("holdout", 0),
    )
    return ((say("The second table"), looked),)


def _counted(result: ReleasedResult) -> str:
    """How many of what either side has."""
    sides, several = result.counts.sides, result.counts.several
    n_in, n_out = (0, 0) if sides is None else (sides.n_in, sides.n_out)
    if several is not None:
        return say(
            "{n_in:,} people who were in and {n_out:,} who were not, each with all of their rows (up to {most:,}; a "
            "person's score is the {of_person} of their rows)",
            n_in=n_in,
            n_out=n_out,
            most=several.most_rows,
            of_person=result.plan.of_person,
        )
    return say("{n_in:,} records that were in and {n_out:,} that were not", n_in=n_in, n_out=n_out)
