"""What an audit of many records says in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.report import words
from riskkit.report.records_findings import Finding, Person, Told
from riskkit.stats.verdict import Verdict

GLOSSARY: Mapping[str, str] = {
    "auc": (
        "Shown one release of this very table and one of the same table without the person, how often the attacker "
        "picks the right one. 0.50 is guessing, 1.00 is always."
    ),
    "certificate": (
        "What the best attack there can be would achieve, computed from the method itself. No attacker who knows as "
        "much does better, so the true risk of the person is not above it."
    ),
    "traditional": (
        "The same attack where the other people in the table are drawn anew each time. It averages over tables that "
        "were never released, so it can miss a person whom this very table exposes."
    ),
    "outlierness": (
        "How far the person is from the five most similar others: 0 has twins, 1 has nobody alike (the score of "
        "Meeus and others 2023)."
    ),
    "listed": (
        "Above the limit after allowing for having looked at everybody: at most one in twenty of those listed is "
        "expected there by chance (Benjamini and Hochberg)."
    ),
    "fresh": (
        "Who is chosen for a high number has been lucky too. Those were played again on fresh trainings, and the fresh "
        "number stands here."
    ),
    "proof": (
        "The chance that a release shows a combination of values that nobody else in the table has. A release made "
        "without the person never shows it."
    ),
    "advantage": "How much more often the attacker says “in” of releases made with the person than without.",
    "epsilon": words.GLOSSARY["epsilon_lower"],
}
"""The plain meaning of every number."""

LIMITS = (
    "It speaks of this table and this method with these settings. A table that changes gives other numbers.",
    "It speaks of one attack, a line in the counts of column sets. Another may reach more, up to the best attack.",
    "The attacker knows every other row of the table. Whoever knows less will usually reach less.",
    "The best attack is about one release of the stated number of rows. More releases of the same table tell more.",
)
"""What a result does not show."""


NOT_PLANTED = (
    ": no leak is planted in this game to see whether it would be found, so only the best attack there can be, "
    "computed for everybody, could show that"
)
"""Why nobody's safety is shown where there are no certificates."""


def headline(found: Finding) -> str:
    """How many people are exposed, with the interval, and how many an average over tables would have missed."""
    counted = found.estimate("records_above", found.limit)
    if counted is None:
        return f"Nobody's risk could be estimated among {words.plural(len(found.people), 'record')}."
    few = len(found.people) < found.total and "+" not in str(found.settings.get("records", ""))
    among = f"the {len(found.people):,} people looked at" if few else f"{found.total:,} people"
    verb = ("is" if round(counted.value) == 1 else "are") if counted.low >= 1 else "may be"
    count = f"{counted.value:,.0f} [{counted.low:,.0f}, {counted.high:,.0f}]"
    told = f"{count} of {among} {verb} exposed above {found.limit:g}"
    missed = sum(person.is_missed(found.limit) for person in found.people)
    if not found.has_traditional or not round(counted.value):
        return f"{told}."
    if len(found.people) == found.total:
        return f"{told}; averaging over tables would have missed {missed:,} of them."
    high = sum(person.is_above(found.limit) for person in found.people)
    return f"{told}; of the {high:,} seen above it, averaging over tables would have missed {missed:,}."


def rest(found: Finding) -> str:
    """Who is listed, and how many more the best attack could expose."""
    listed = len(found.listed)
    told = (
        f"{words.plural(listed, 'record')} {'is' if listed == 1 else 'are'} listed: above {found.limit:g} after "
        f"allowing for having looked at {len(found.people):,}."
        if listed
        else f"Nobody is listed as above {found.limit:g} once it is allowed for having looked at {len(found.people):,}."
    )
    if found.has_best:
        more = sum(person.could_be(found.limit) for person in found.people)
        told += f" The best attack there can be lies above {found.limit:g} for {more:,} who are not listed."
    if found.verdict is Verdict.NO_LEAK:
        told += f" The best attack there can be reaches {found.ceiling:.2f} on the most exposed of them."
    elif found.verdict is Verdict.UNDECIDED:
        told += f" That nobody is listed is no proof that nobody is exposed{'' if found.has_best else NOT_PLANTED}."
    return told


def bracket(person: Person) -> str:
    """Between what an attack has shown of a person and what no attack can exceed."""
    if person.auc is None:
        return f"Record {person.row}: the attack's scores never differed, so it shows nothing of this person."
    shown = max(person.auc.low, 0.5)
    own = (
        f"An attack that was played picks the release with record {person.row} in {words.percent(person.auc.value)} "
        f"[{words.percent(person.auc.low)}, {words.percent(person.auc.high)}] of pairs (chance 50 %)"
    )
    if person.best is None:
        return f"{own}; what the best attack would reach is not known for this method."
    top = person.best.auc
    if top.high < shown:
        return f"{own}; the best attack reaches {top.value:.2f}, so that interval lies above the truth by chance."
    reach = f"{own}; the best attack there can be does so in {words.percent(top.value)}"
    return f"{reach}. So the risk lies between {shown:.2f} and {top.high:.2f}."


def telling(told: Told) -> str:
    """The sentence of one set of columns that exposes a person."""
    columns = _joined([f"“{name}”" for name in told.columns])
    if told.is_proof:
        return (
            f"{columns}: nobody else has this person's {'value' if len(told.columns) == 1 else 'combination'}. A "
            f"release shows it with a chance of {words.percent(told.seen)}, and never without this person."
        )
    if told.above == 1:
        return f"{columns}: nobody else has this person's {_joined([f'“{name}”' for name in told.columns[:-1]])}."
    alike = told.both - 1
    others = f"{alike:,} other {'person has' if alike == 1 else 'people have'}"
    if len(told.columns) == 1:
        return f"{columns}: only {others} this person's value."
    return (
        f"{columns}: of {told.above:,} people with this person's "
        f"{_joined([f'“{name}”' for name in told.columns[:-1]])}, only {others} its “{told.columns[-1]}” too."
    )


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
