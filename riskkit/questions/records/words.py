"""What an audit of many records says in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from riskkit import registry, wording
from riskkit.core import Estimate
from riskkit.errors import RiskkitError
from riskkit.language import again, counted, kept, phrase, say
from riskkit.questions.records.certificate import Telling
from riskkit.questions.records.plan import RecordsPlan, usual_way
from riskkit.questions.records.remedy import SHARING, Remedy, RemedyPoint
from riskkit.questions.records.result import Person, RecordsFinding
from riskkit.show import glossary
from riskkit.show.names import FEW, FEWEST, Names
from riskkit.show.remedy import Lowered, TriedValue

# A search for the least change as page, report and command show it: its names, and what its reader may see.

SHARED_BY = kept("People who share a value")
"""What the setting :data:`riskkit.questions.records.remedy.SHARING` is called."""
METHOD = "highest certificate; upper end for all people (Bonferroni)"
OWN = "riskkit."
"""Where plug-ins stand that riskkit brings: what they call themselves may be told to everybody."""


def way(plan: RecordsPlan) -> str:
    """How everybody was asked about, and why so; without the reason where the method is not there to say."""
    if plan.is_by_subsets:
        how = say("on random parts of the people")
    else:
        how = say("with and without the group") if plan.together else say("with and without each person")
    try:
        is_usual = plan.by == usual_way(plan.generator)
    except RiskkitError:
        return how
    if not is_usual:
        return say("{how}, as was chosen or as other settings need it", how=how)
    if plan.is_by_subsets:
        return say("{how}, as a training of this method takes long", how=how)
    return say("{how}, as a training of this method is quick", how=how)


def setting_title(generator: str, setting: str, names: Names | None = None) -> str:
    """The name of a setting, as forms have it; of a method of somebody's own, for who may not know it, only one."""
    if setting == SHARING:
        return say(SHARED_BY)
    try:
        made = type(registry.parse("generators", generator))
        if _is_told(made, names):
            return next((field.label for field in registry.settings(made) if field.name == setting), setting)
    except RiskkitError:  # a method of somebody's own that is not here
        pass
    return setting if names is None or names.tells else say("a setting of its own")


def measure_title(measure: str, names: Names | None = None) -> str:
    """The name of a measure of usefulness; of somebody's own, for whoever may not know it, only that it is one."""
    plugin = registry.plugins("utility").get(measure)
    if plugin is not None and _is_told(plugin, names):
        return str(plugin.title)
    return measure if names is None or names.tells else say("a measure of somebody's own")


def remedy_in_words(remedy: Remedy, names: Names | None = None) -> Lowered:
    """The search in the words that this reader may see; without names, of one who may see everything."""
    search = remedy.search
    tried = {point.value: _tried_value(remedy, point, names) for point in remedy.points}
    return Lowered(
        method=search.generator if names is None else names.called(search.generator, "generators"),
        setting=setting_title(search.generator, search.setting, names),
        measure=measure_title(search.measure, names),
        limit=search.limit,
        people=remedy.people,
        tried=tuple(tried.values()),
        now=None if remedy.now is None else tried.get(remedy.now),
        chosen=None if remedy.chosen is None else tried[remedy.chosen.value],
        best=tried[remedy.best.value],
        rises=remedy.rises,
    )


def _tried_value(remedy: Remedy, point: RemedyPoint, names: Names | None) -> TriedValue:
    value, low, high = point.highest
    highest = Estimate("certificate", value, low, high, remedy.search.level, METHOD, remedy.people)
    return TriedValue(point.value, highest, _above(point.above, remedy.people, names), point.useful)


def _above(above: int, people: int, names: Names | None) -> int | str:
    """How many lie above the limit; neither few of them, nor all but few, are counted out to every reader."""
    if names is None or not (names.withholds(above) or names.withholds(people - above)):
        return above
    return again(FEW) if names.withholds(above) else say("more than {people:,}", people=max(people - FEWEST, 0))


def _is_told(plugin: type, names: Names | None) -> bool:
    return names is None or names.tells or plugin.__module__.startswith(OWN)


TELLS = 0.02
"""The part of the risk from which a column is said to expose somebody."""
GLOSSARY: Mapping[str, str] = glossary.glossary_of("records")
"""The plain meaning of every number."""

LIMITS = (
    phrase("It speaks of this table and this method with these settings. A table that changes gives other numbers."),
    phrase(
        "It speaks of one attack, a linear model of the counts for sets of columns. Another attack may reach more, "
        "up to the best attack."
    ),
    phrase("The attacker knows every other row of the table. Whoever knows less will usually reach less."),
    phrase(
        "The best attack is about one release of the stated number of rows. More releases of the same table tell more."
    ),
)
"""What a result does not show."""


def limits(releases: int) -> tuple[str, ...]:
    """The same of so many releases."""
    if releases == 1:
        return again(LIMITS)
    last = say(
        "The best attack is about {releases:,} releases of the stated number of rows each. Further releases of the "
        "same table tell more.",
        releases=releases,
    )
    return (*again(LIMITS)[:-1], last)


def of_parts(plan: RecordsPlan, people: str, listed: str, limit: float | None) -> str:
    """Of how many people an attacker can tell that they were in the training data, and how large a part that was."""
    values = {"people": people, "listed": listed, "share": wording.percent(plan.share)}
    if limit is None:
        return say(
            "For {listed} of {people}, an attacker can tell from a release whether they were in the training data, "
            "better than by guessing. Each training had {share} of the people.",
            **values,
        )
    return say(
        "For {listed} of {people}, an attacker can tell from a release whether they were in the training data, with an "
        "AUC above {limit:g}. Each training had {share} of the people.",
        limit=limit,
        **values,
    )


def group(finding: RecordsFinding) -> str:
    """Whether the group of rows is exposed above the limit; without one, whether it is shown to be above guessing."""
    rows, limit = finding.result.group, finding.limit
    if finding.listed:
        return (
            say("The group of {rows:,} rows is listed: above {limit:g}.", rows=rows, limit=limit)
            if finding.is_set
            else say("The group of {rows:,} rows is shown to be exposed above guessing.", rows=rows)
        )
    return (
        say("The group of {rows:,} rows is not listed as above {limit:g}.", rows=rows, limit=limit)
        if finding.is_set
        else say("The group of {rows:,} rows is not shown to be exposed above guessing.", rows=rows)
    )


def person_in_sentence(person: Person) -> str:
    """The record by its row, or the person by the first of their rows, inside a sentence."""
    if person.is_group:
        return say("the group of {rows:,} rows named by row {row}", rows=person.rows, row=person.row)
    return say("person {row}", row=person.row) if person.rows else say("record {record}", record=person.row)


def person_title(person: Person) -> str:
    """The same as a title; of a person with several rows with how many they are."""
    if person.is_group:
        return say("Group of {rows:,} rows, named by row {row}", rows=person.rows, row=person.row)
    if not person.rows:
        return say("Record {row}", row=person.row)
    return counted(person.rows, "Person {row} ({n:,} row)", "Person {row} ({n:,} rows)", row=person.row)


def bracket(person: Person) -> str:
    """Between what an attack has shown of a person and what no attack can exceed."""
    if person.auc is None:
        return say(
            "{who}: the attack's scores never differed, so it shows nothing of this person.", who=person_title(person)
        )
    shown = max(person.auc.low, 0.5)
    own = say(
        "An attack picks the release with {who} in {value} [{low}, {high}] of pairs (chance 50 %)",
        who=person_in_sentence(person),
        value=wording.percent(person.auc.value),
        low=wording.percent(person.auc.low),
        high=wording.percent(person.auc.high),
    )
    if person.bound is not None:
        return say(
            "{own}; the noise that the method adds lets no attack reach more than {bound:.3f}.",
            own=own,
            bound=person.bound,
        )
    if person.best is None:
        return say("{own}; what the best attack would reach is not known for this method.", own=own)
    top = person.best.auc
    if top.high < shown:
        return say(
            "{own}; the best attack reaches {value:.2f}, so that interval lies above the truth by chance.",
            own=own,
            value=top.value,
        )
    return say("{own}; the best possible attack does so in {value}.", own=own, value=wording.percent(top.value))


def best_attack(person: Person) -> str:
    """What the best attack reaches, with its interval where that can be seen; in its place what no attack exceeds.

    Empty where neither is known.
    """
    if person.best is None:
        return "" if person.bound is None else say("bound: at most {bound:.3f}", bound=person.bound)
    value, low, high = (f"{end:.2f}" for end in person.best.auc)
    return value if low == high else str(person.best.auc)


def tells(person: Person) -> list[Telling]:
    """The columns that expose the person most; none where no column does by itself."""
    return [] if person.best is None else [tell for tell in person.best.telling[:1] if tell.part > TELLS]


def shared_columns(people: Iterable[Person]) -> list[tuple[str, int]]:
    """The columns by which at least two of these people stand out most, and how many do, the most frequent first."""
    columns = Counter(
        name for person in people for name in dict.fromkeys(name for tell in tells(person) for name in tell.columns)
    )
    return [(name, times) for name, times in columns.most_common() if times > 1]


def telling(tell: Telling) -> str:
    """The sentence of one set of columns that exposes a person."""
    columns = wording.and_joined([in_quotes(name) for name in tell.columns])
    first = wording.and_joined([in_quotes(name) for name in tell.columns[:-1] or tell.columns])
    if tell.is_proof:
        return counted(
            len(tell.columns),
            "{columns}: nobody else has this person's value. A release shows it with a chance of {seen}, and never "
            "without this person.",
            "{columns}: nobody else has this person's combination. A release shows it with a chance of {seen}, and "
            "never without this person.",
            columns=columns,
            seen=wording.percent(tell.seen),
        )
    if tell.own:
        if len(tell.columns) == 1:
            return say(
                "{columns}: {own:,} of the {both:,} rows with one value are this person's.",
                columns=columns,
                own=tell.own,
                both=tell.both,
            )
        return say(
            "{columns}: of {above:,} rows with one value of {joined}, {both:,} have the same “{last}”; {own:,} of "
            "these are this person's.",
            columns=columns,
            above=tell.above,
            joined=first,
            both=tell.both,
            last=tell.columns[-1],
            own=tell.own,
        )
    if tell.above == 1:
        return say("{columns}: nobody else has this person's {joined}.", columns=columns, joined=first)
    others = counted(tell.both - 1, "{n:,} other person has", "{n:,} other people have")
    if len(tell.columns) == 1:
        return say("{columns}: only {others} this person's value.", columns=columns, others=others)
    return say(
        "{columns}: of {above:,} people with this person's {joined}, only {others} the same “{last}”.",
        columns=columns,
        above=tell.above,
        joined=first,
        others=others,
        last=tell.columns[-1],
    )


def in_quotes(name: str) -> str:
    """The name of a column inside a sentence."""
    return say("“{name}”", name=name)
