"""Whole households, as an audit asks about them and as page, report and command line say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from riskkit.core import Estimate
from riskkit.judging.measurement import Control, Measured
from riskkit.language import again, counted, joined, phrase, say
from riskkit.questions import Question, is_about_none
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.households.play import forecast, role_column, run_households
from riskkit.questions.households.result import CHANCE, HouseholdsResult, Standing
from riskkit.questions.opponents import evasion, method_names, sample_control, strongest_part
from riskkit.show import run_finding
from riskkit.show.model import Bar, Chart, Given, Part, Played, RunFinding, example
from riskkit.show.names import Names
from riskkit.show.run_finding import finding
from riskkit.table.load import Tables
from riskkit.wording import number

# What a question about households comes to: how surely whole families were told in or out, and the sentences.

ABOUT = phrase(
    "The score is (1 + TPR - FPR) / 2, where surer answers weigh more: 1 is always right and sure, 0.50 is "
    "guessing. The best is the attacker with the highest score; its interval is corrected for testing all "
    "attackers."
)
AXIS = phrase("score for households (sure answers count more)")
LIMITS = (
    phrase("The result is about the attackers that took part. A stronger attacker may find more."),
    phrase("The result is about households as large as those asked about; smaller households are harder to tell."),
    phrase("Of each method one release was attacked; another by the same method may tell more or less."),
    phrase(
        "How sure an attacker is follows from the rank of a household's mean score; half of all households are taken "
        "to be in."
    ),
)
"""What such a result does not show."""
NOTHING = Measured("score", CHANCE, None, None, "", 0, Control.none(""), unit="household")
"""What the judge takes where no release could be made."""


def finding_in_words(result: HouseholdsResult, most: Part) -> str:
    """What was found of the method that shows most. Its score is no share of households: sure answers count more."""
    score = most.measured.strongest
    if score is None or score.low <= CHANCE:
        return say("No attacker is shown to recognise households better than by guessing.")
    leaks = sum(standing.worst.low > CHANCE for standing in result.standings)
    return counted(
        len(result.standings),
        "If {method} makes the release, an attacker recognises which of {households} are in the data: a score of "
        "{score} (guessing {guess}, always right 1.00).",
        "With {leaks} of {n:,} methods tried, an attacker recognises which of {households} are in the data, most "
        "surely with {method}: a score of {score} (guessing {guess}, always right 1.00).",
        leaks=leaks,
        score=f"{score.value:.2f}",
        households=counted(result.households.asked, "{n:,} household", "{n:,} households"),
        guess=f"{CHANCE:.2f}",
        method=most.title,
    )


def change_in_words(parts: tuple[Part, ...], most: Part) -> str:
    """Which method to try instead: the one whose attackers reach least; empty where none does better."""
    scores = {part.title: part.measured.strongest for part in parts if part.measured.strongest is not None}
    least = min(scores, key=lambda title: scores[title].value)
    if least == most.title:
        return ""
    about = {"method": least, "score": number(scores[least])}
    if scores[least].low > CHANCE:
        return say("Attackers score least if {method} makes the release, but still above guessing: {score}.", **about)
    return say(
        "With {method} it is undecided: {score}. Run Contest to see how useful its table is.",
        **about,
    )


def planted_sentence(result: HouseholdsResult, called: Callable[[str], str] = str) -> str:
    """What the attackers made of the sample itself, in a sentence. ``called`` names an attacker."""
    hits = joined(
        f"{called(look.attacker)} {look.score}"
        f"{'' if look.is_found else say(' (did not find it: its silence says nothing)')}"
        for look in result.controls
    )
    return say("Planted control, the sample itself as a release: {told}. Guessing scores 0.50.", told=hits)


def sentence(
    standing: Standing, result: HouseholdsResult, called: Callable[[str, str], str] = lambda _, name: name
) -> str:
    """What was found of one anonymiser. ``called`` names a plug-in of a room."""
    hits = say(
        "{anonymiser}: {attacker} scores {score} on {asked:,} households (guessing 0.50)",
        anonymiser=called("generators", standing.name),
        attacker=called("released", standing.best),
        score=str(standing.worst),
        asked=result.households.asked,
    )
    if standing.worst.low > CHANCE:
        verdict = say("{told}, more than guessing explains.", told=hits)
    else:
        verdict = say(
            "{told}; that is not shown to be more than guessing. A stronger attacker may find more.", told=hits
        )
    misled = evaded_attackers(result.scores(standing.name))
    if not misled:
        return verdict
    evasive = counted(
        len(misled),
        "{attackers} does worse than guessing: the release keeps away from what such an attacker relies on, which "
        "is evasion and no protection.",
        "{attackers} do worse than guessing: the release keeps away from what such an attacker relies on, which "
        "is evasion and no protection.",
        attackers=joined(called("released", name) for name in misled),
    )
    return say("{said} {evasion}", said=verdict, evasion=evasive)


def evaded_attackers(scores: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Attackers that do worse than guessing explains: the release was made to mislead them."""
    return tuple(name for name, score in scores.items() if score.high < CHANCE)


def claim(standing: Standing, result: HouseholdsResult, called: Callable[[str], str] = str) -> Measured:
    """What the judge takes of one anonymiser. ``called`` names an attacker."""
    scores = result.scores(standing.name)
    return Measured(
        scale="score",
        guess=CHANCE,
        strongest=standing.worst,
        widest=standing.worst,
        who=called(standing.best),
        looks=standing.looks,
        control=sample_control({look.attacker: look.is_found for look in result.controls}, scores),
        unit="household",
        reasons=evasion(evaded_attackers(scores), called),
        made=result.households.asked,
    )


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of every question
    """The finding of a finished run: about methods, for their releases are made of a sample of the real table."""
    assert run.result is not None
    result = HouseholdsResult.from_plain(run.result)
    parts = tuple(_part(standing, result, names) for standing in result.standings)
    most = parts[strongest_part(parts)] if parts else None
    return (
        finding(
            run,
            names,
            sentence=say("No release could be made.") if most is None else finding_in_words(result, most),
            change="" if most is None else change_in_words(parts, most),
            game=_game(result, names),
            measured=NOTHING if most is None else most.measured,
            estimates=tuple(map(names.estimate, result.estimates)),
            limits=again(LIMITS),
            chart=_chart(parts),
            extra=_lines(result, names),
            what_if=run_finding.if_made_by(method_names((each.name for each in result.standings), names)),
            parts=parts,
        ),
    )


def _attacker(names: Names, name: str) -> str:
    return names.called(name, "released")


def _part(standing: Standing, result: HouseholdsResult, names: Names) -> Part:
    """One anonymiser, judged by itself."""
    title, worst = names.called(standing.name, "generators"), names.estimate(standing.worst)
    measured = claim(standing, result, lambda name: _attacker(names, name))
    return Part(title, title, replace(measured, strongest=worst, widest=worst))


def _lines(result: HouseholdsResult, names: Names) -> tuple[str, ...]:
    """A sentence on each anonymiser, the one that gives away most first; the planted control; what a score is."""
    every = sorted(result.standings, key=lambda standing: -standing.worst.value)
    lines = [sentence(standing, result, lambda room, name: names.called(name, room)) for standing in every]
    if result.controls:
        lines.append(planted_sentence(result, lambda name: _attacker(names, name)))
    return (*lines, again(ABOUT)) if lines else ()


def _game(result: HouseholdsResult, names: Names) -> tuple[tuple[str, str], ...]:
    asked = result.households
    return run_finding.game_in_words(
        say("How surely can an attacker say whether a whole household is in the data?"),
        compared=say(
            "one sample of the real table, with whole households in or out; every method makes its release of it"
        ),
        knows=say("the release, and all people of the households asked about"),
        hypothesis=say("no attacker tells households better than guessing does (0.50)"),
        more={
            say("Methods"): method_names((each.name for each in result.standings), names),
            say("Attackers"): joined(_attacker(names, name) for name in result.plan.attackers),
        },
        counts=say(
            "{households} of {people}, of which {inside:,} are in the sample",
            households=counted(asked.asked, "{n:,} household", "{n:,} households"),
            people=counted(asked.rows, "{n:,} person", "{n:,} people"),
            inside=asked.inside,
        ),
    )


def _chart(parts: tuple[Part, ...]) -> Chart | None:
    """The best attacker on each method, the method that gives away most first."""
    bars = [Bar(part.title, part.measured.strongest) for part in parts if part.measured.strongest is not None]
    if not bars:
        return None
    bars.sort(key=lambda bar: -bar.estimate.value)
    return Chart(say("Households recognised by the best attacker on each method"), again(AXIS), tuple(bars), CHANCE)


def lack_column(tables: Tables, plan: HouseholdsPlan) -> str:
    """What to say where neither the plan nor a role says which column names the households."""
    if plan.household or role_column(tables):
        return ""
    return say(
        "No column is known to say who lives together. If one does, choose it in the settings; else skip this page."
    )


QUESTION = Question(
    title=phrase("Whole households"),
    meaning=phrase("Can an attacker tell whether a whole household is in the data?"),
    asks=phrase("Can whole households be recognised?"),
    icon="home",
    place=65,
    scale="score",
    remedy=phrase("Make the release again without these households, or by a method that promises an ε."),
    plan=HouseholdsPlan,
    main="anonymisers",
    run=run_households,
    result=HouseholdsResult,
    forecast=forecast,
    read=read,
    is_about=is_about_none,
    measures={"snake": phrase("Households recognised rightly and surely")},
    references={"snake": 0.5},
    counts_people=True,
    reads_files=False,
    wants=phrase("a column that names the household of each row"),
    lacks=lack_column,
    example=example(
        phrase("Example: an attacker is right about 81 of 100 households if method A makes the release, 52 if B does."),
        AXIS,
        {phrase("method A"): (0.81, 0.74, 0.87), phrase("method B"): (0.52, 0.44, 0.6)},
        guess=0.5,
    ),
)
