"""What anonymisers declare of their releases, and what is counted beside it, in sentences."""

from __future__ import annotations

from collections.abc import Callable

from riskkit.games.anonymity import Anonymity
from riskkit.language import say
from riskkit.questions.contest.declared import Declaration
from riskkit.questions.contest.result import ContestResult
from riskkit.stats.composition import delta_of


def lines(result: ContestResult, called: Callable[[str], str] = str) -> tuple[str, ...]:
    """Of each anonymiser what it declares, what is counted, and whether its delta follows from its k.

    ``called`` names an anonymiser. Its own words are among them: not for who may not see names.
    """
    declared = {name: Declaration.of(text) for name, text in result.plan.declared}
    guessing, out = result.guessing, []
    for standing in result.standings:
        if standing.anonymity is None:
            continue
        sentences = [_counted(called(standing.name), standing.anonymity)]
        if standing.name in declared:
            sentences.append(_declared(declared[standing.name]))
            sentences.append(_follows(declared[standing.name], guessing.members / guessing.population))
        out.append(" ".join(filter(None, sentences)))
    return tuple(out)


def _counted(who: str, counted: Anonymity) -> str:
    return say(
        "{who}: the k counted is {k} over all columns and {categories} over the categories. People of the population "
        "who have an equal row in it: {held:,}, of whom {inside:,} were in. Of the people who share a released "
        "combination of categories, {low:.0%} to {high:.0%} were in (empirical δ-presence).",
        who=who,
        k=counted.k,
        categories=counted.k_categories,
        held=counted.held,
        inside=counted.held_in,
        low=counted.low,
        high=counted.high,
    )


def _declared(declaration: Declaration) -> str:
    presence = None if declaration.presence is None else "({:g}, {:g})".format(*declaration.presence)
    values = {
        "k": declaration.k,
        "Pk": declaration.pk,
        "δ-presence": presence,
        "ε": declaration.epsilon,
        "δ": declaration.delta,
    }
    parts = [
        f"{name} = {value if isinstance(value, str) else format(value, 'g')}"
        for name, value in values.items()
        if value is not None
    ]
    if declaration.methods:
        parts.insert(0, declaration.methods)
    return say("It declares: {told}.", told=", ".join(parts))


def _follows(declaration: Declaration, rate: float) -> str:
    """What k, sampling and epsilon prove of delta, beside what is declared."""
    if declaration.k is None or not declaration.epsilon or not 0 < rate < 1:
        return ""
    bound = delta_of(int(declaration.k), rate, declaration.epsilon)
    comparison = say(
        "By Li and others k = {k:g}, a sample of {rate:.3g} of the population and ε = {epsilon:g} prove "
        "δ = {bound:.2g}, where the groups were made without looking at the rows",
        k=declaration.k,
        rate=rate,
        epsilon=declaration.epsilon,
        bound=bound,
    )
    if declaration.delta is None:
        return say("{told}.", told=comparison)
    if declaration.delta < bound:
        return say("{told}: the declared δ = {delta:g} does not follow.", told=comparison, delta=declaration.delta)
    return say("{told}: the declared δ = {delta:g} follows.", told=comparison, delta=declaration.delta)
