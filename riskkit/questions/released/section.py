"""What the attacks on a released file say, for the report of the audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.questions.released import findings as said
from riskkit.questions.released import no_holdout, people
from riskkit.questions.released import panel as released_panel
from riskkit.questions.released.findings import Attacked, Finding
from riskkit.show.finding import finding
from riskkit.show.model import Bar, Chart, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.reasons import apart
from riskkit.show.unit import PERSON

KNOWS = say("the released file, and the rows asked about; some attacks also other people of the population")


def read(run: Played, names: Names, given: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = run.result
    found = said.read(result)
    measured = said.measured(found, lambda name: names.called(name, "released"), names.plugin, given.distances)
    return (
        finding(
            run,
            names,
            sentence=said.sentence(found),
            game=_game(run, result, names),
            measured=apart(measured, given, names),
            estimates=tuple(names.estimate(e) for attacked in found.attacks for e in attacked.estimates),
            limits=said.LIMITS,
            extra=(
                *people.lines(result, names.count),
                *_panel(found.panel, names),
                *(() if found.has_holdout else no_holdout.path()),
            ),
            chart=_chart(found, names),
            at_risk=people.at_risk(result, names, lambda name: names.called(name, "released")),
        ),
    )


def _game(run: Played, result: Mapping[str, Any], names: Names) -> tuple[tuple[str, str], ...]:
    settings = result.get("settings", {})
    return (
        (say("The question"), say("Was this person in the real table, told from the released file alone?")),
        (say("The worlds"), say("one release, as it is; people who were in beside people who were not (the holdout)")),
        (say("The attacker knows"), KNOWS),
        (say("The hypothesis"), say("no attack tells the two apart better than guessing (AUC 0.50)")),
        (say("Attacks"), say(", ").join(names.called(str(text), "released") for text in run.plan.get("attacks", ()))),
        (
            say("Counted are"),
            _counted(settings),
        ),
        *_second(settings),
    )


def _second(settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What there is of a second table, and who looks at it; nothing where there is none."""
    rows = settings.get("second_table")
    if not rows:
        return ()
    told = say(
        "{real:,} rows of the people who were in, {synthetic:,} of the release and {holdout:,} of the holdout, joined "
        "to people by a key; looked at by themselves (children alone), together with the first table (mixed), and not "
        "at all (parent alone)",
        real=rows["real"],
        synthetic=rows.get("synthetic", 0),
        holdout=rows.get("holdout", 0),
    )
    return ((say("The second table"), told),)


def _counted(settings: Mapping[str, Any]) -> str:
    """How many of what either side has."""
    n_in, n_out = settings.get("n_in", 0), settings.get("n_out", 0)
    if settings.get("unit") == PERSON:
        return say(
            "{n_in:,} people who were in and {n_out:,} who were not, each with all of their rows (up to {most:,}; a "
            "person's score is the {of_person} of their rows)",
            n_in=n_in,
            n_out=n_out,
            most=settings["most_rows"],
            of_person=settings["of_person"],
        )
    return say("{n_in:,} records that were in and {n_out:,} that were not", n_in=n_in, n_out=n_out)


def _panel(panel: Mapping[str, Any], names: Names) -> tuple[str, ...]:
    """Copies and the order of rows; small counts are withheld from those who may not see rows."""
    real = panel["copies"]["real"]["rows"]
    told = [
        say(
            "{count} of {of:,} rows of the real table stand in the release as they are.",
            count=names.count(real["count"]),
            of=real["of"],
        )
    ]
    if names.tells:
        told.append(released_panel.near(panel))
    return (
        *told,
        released_panel.nearer(panel),
        released_panel.row_order(panel),
        say("Distances describe; no verdict stands on them."),
    )


def _chart(found: Finding, names: Names) -> Chart | None:
    drawn = sorted((one for one in found.attacks if one.auc is not None), key=lambda one: -_of(one).low)
    if not drawn:
        return None
    above = sum(_of(one).low > 0.5 for one in drawn)
    told = say(
        "{above} of {intervals} wholly above guessing",
        above=above or say("None"),
        intervals=counted(len(drawn), "{n:,} interval", "{n:,} intervals"),
    )
    bars = [Bar(names.called(one.attack, "released"), names.estimate(_of(one))) for one in drawn]
    planted = [
        Bar(
            say("{called} on the planted leak", called=names.called(one.attack, "released")),
            names.estimate(one.control),
            "control",
        )
        for one in drawn
        if one.control is not None
    ]
    return Chart(told, say("AUC (0.50 is guessing)"), (*bars, *planted[:3]), 0.5, (0.4, 1.0))


def _of(one: Attacked) -> Estimate:
    assert one.auc is not None
    return one.auc
