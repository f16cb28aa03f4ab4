"""The tables of a contest: who takes part and its points, hits, and usefulness; each column declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from riskkit import wording
from riskkit.language import counted, joined, say
from riskkit.questions.contest import words
from riskkit.questions.contest.points import LEARNT, About
from riskkit.questions.contest.points import Spot as Placed
from riskkit.questions.contest.ranking import Place
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.contest.words import as_sentence, attacker, measure, release
from riskkit.show.blocks import Cell, Column, CountMatrix, CountRow, Frontier, Numbers, Spot
from riskkit.show.names import Names

# The pictures of a contest: who finds how many in which release, and usefulness against protection.

NAME = 40
"""Letters of a name in a sentence over a picture."""


def matrix(result: ContestResult, names: Names) -> CountMatrix:
    """Hits of every attacker (across) against every release (down), with the most of each row behind it."""
    attackers = result.attackers
    caption = say(
        "{guessing} ▲: more than guessing explains; ▽: fewer, which is evasion and no protection. {best}",
        guessing=words.guessing(result),
        best=words.GLOSSARY["best"],
    )
    return CountMatrix(
        "matrix",
        _most_found(result, names),
        say("Rows named rightly"),
        say("Attacker"),
        tuple(words.attacker(name, names) for name in attackers),
        tuple(_row(result, standing, attackers, names) for standing in result.standings),
        result.guessing.expected,
        result.guessing.guesses,
        caption,
    )


def _row(result: ContestResult, standing: Standing, attackers: Sequence[str], names: Names) -> CountRow:
    hits = result.hits(standing.name)
    return CountRow(
        release(standing, names),
        tuple(hits.get(name) for name in attackers),
        standing.worst,
        words.attacker(standing.best, names),
        standing.is_uploaded,
    )


def _most_found(result: ContestResult, names: Names) -> str:
    chance = result.guessing
    leaks = [standing for standing in result.standings if standing.worst.low > chance.expected]
    if not leaks:
        return say(
            "No attacker is shown to find more than guessing ({expected:.1f} of {guesses:,})",
            expected=chance.expected,
            guesses=chance.guesses,
        )
    most = max(leaks, key=lambda standing: standing.worst.value)
    return say(
        "In {leaks} of {releases} the best attacker finds more than "
        "guessing ({expected:.1f}); most in {release}: {count}",
        leaks=len(leaks),
        releases=counted(len(result.standings), "{n:,} release", "{n:,} releases"),
        expected=chance.expected,
        release=wording.both_ends(release(most, names), NAME),
        count=wording.count(most.worst),
    )


def frontier(result: ContestResult, measure: str, about: About, names: Names) -> Frontier:
    """Every release by that measure of usefulness and the hits of its best attacker."""
    spots = result.pictures[measure]
    uploaded = {spot.name for spot in spots if spot.is_uploaded}

    def who(name: str) -> str:
        return words.release_title(name, names, is_uploaded=name in uploaded)

    guesses = result.guessing.guesses
    return Frontier(
        f"frontier {words.measure(measure, names)}",
        _sits(spots, who),
        about.title,
        say("Usefulness: {title} (1: as useful as the real rows)", title=about.title),
        say("Hits of the best attacker, of {guesses:,} (higher up: fewer)", guesses=guesses),
        tuple(
            Spot(
                who(spot.name),
                spot.usefulness,
                spot.useful,
                spot.worst,
                tuple(map(who, spot.beaten)),
                spot.is_uploaded,
            )
            for spot in spots
        ),
        result.guessing.expected,
        guesses,
        f"{about.plain} {_unbeaten(spots)} {words.GLOSSARY['frontier']}",
    )


def _unbeaten(spots: Sequence[Placed]) -> str:
    return say(
        "{unbeaten} of {methods} not beaten by another in both protection and usefulness.",
        unbeaten=sum(not spot.beaten for spot in spots),
        methods=counted(len(spots), "{n:,} method", "{n:,} methods"),
    )


def _sits(spots: Sequence[Placed], who: Callable[[str], str]) -> str:
    """Where the releases that were handed in sit; without any, how many of the others are beaten."""
    own = [spot for spot in spots if spot.is_uploaded]
    if own:
        return ". ".join(_sits_here(spot, who) for spot in own)
    return say(
        "{beaten} of {releases} are beaten by another that is no less useful",
        beaten=sum(bool(spot.beaten) for spot in spots),
        releases=counted(len(spots), "{n:,} release", "{n:,} releases"),
    )


def _sits_here(own: Placed, who: Callable[[str], str]) -> str:
    """Where a release sits, and what protects better."""
    sits = say("{release} sits here", release=as_sentence(wording.both_ends(who(own.name), NAME)))
    if not own.beaten:
        return say("{sits}; no setting that was tried protects better at the same usefulness", sits=sits)
    others = own.shown or own.beaten
    names = joined(wording.both_ends(who(name), NAME) for name in others[:2])
    more = say(" and {more} more", more=len(others) - 2) if len(others) > 2 else ""
    if own.shown:
        return say(
            "{sits}; these settings protect better at the same usefulness: {names}{more}",
            sits=sits,
            names=names,
            more=more,
        )
    return say(
        "{sits}; in these releases attackers find fewer at the same usefulness, which may be chance: {names}{more}",
        sits=sits,
        names=names,
        more=more,
    )


NAMED = 2.2
"""The width of a column of names on paper, and twice that of a column of numbers."""


def standings(result: ContestResult, names: Names) -> Numbers:
    """Every anonymiser from the winner on: its place, its best attacker, its points, and what it misses."""
    places = {place.name: place for place in result.ranking.places}
    has_rounds = result.ranking.has_preliminary
    columns = (
        _anonymiser(),
        Column("place", say("Place"), width=0.7),
        Column("best", say("Best attacker"), width=1.6),
        Column("hits", say("Its hits"), words.GLOSSARY["best"], written=wording.count),
        Column(
            "chance",
            say("By guessing, at most"),
            say("Bound on the chance that guessing attackers find as many."),
            width=1,
        ),
        Column("points", say("Points"), words.GLOSSARY["points"], written=wording.points),
        *((Column("rounds", say("Preliminary and main round")),) if has_rounds else ()),
        Column("part", say("Useful enough"), width=NAMED),
    )
    rows = tuple(
        _standing(result, standing, places.get(standing.name), names) for standing in _by_place(result, places)
    )
    title = say("Points and who may take part")
    return Numbers("standings", title, columns, rows, alt=title)


def _by_place(result: ContestResult, places: Mapping[str, Place]) -> list[Standing]:
    """From the winner on, those that may not take part last, in the order of the plan."""
    order, last = {name: place.place for name, place in places.items()}, len(places) + 1
    return sorted(result.standings, key=lambda standing: order.get(standing.name, last))


def _standing(result: ContestResult, standing: Standing, place: Place | None, names: Names) -> tuple[Cell, ...]:
    takes_part = say("yes") if standing.takes_part else say("no: {measures}", measures=words.reason(result, standing))
    return (
        release(standing, names),
        "–" if place is None else str(place.place),
        attacker(standing.best, names),
        standing.worst,
        f"{standing.chance:.2g}",
        standing.score,
        *((_rounds(place),) if result.ranking.has_preliminary else ()),
        takes_part,
    )


def _rounds(place: Place | None) -> str:
    if place is None or place.preliminary is None:
        return ""
    return f"{place.preliminary:.0f}, {place.main:.0f}"


def payments(result: ContestResult, names: Names) -> Numbers:
    """What attackers are paid."""
    columns = (
        Column("attacker", say("Attacker"), width=NAMED),
        Column("winner", say("Points against the winner")),
        Column("top", say("Against the best three")),
    )
    rows = tuple(
        (attacker(pay.attacker, names), f"{pay.winner:.0f}", f"{pay.top:.0f}") for pay in result.ranking.attackers
    )
    title = say("Points of attackers")
    return Numbers("paid", title, columns, rows, alt=title)


def hits(result: ContestResult, names: Names) -> Numbers:
    """The hits of every attacker against every release."""
    columns = (
        _anonymiser(),
        *(Column(names.plugin(name), attacker(name, names), written=wording.count) for name in result.attackers),
    )
    rows = []
    for standing in result.standings:
        own = result.hits(standing.name)
        rows.append((release(standing, names), *(own.get(name, say("was not run")) for name in result.attackers)))
    title = say("Hits with intervals")
    return Numbers("hits", title, columns, tuple(rows), words.GLOSSARY["hits"], title)


def learnt(result: ContestResult, measures: Mapping[str, About], names: Names) -> Numbers | None:
    """What models get right that learnt from each release, beside those that learnt from the real rows."""
    models = {name: about for name, about in measures.items() if name.split(" ")[0] in LEARNT}
    if not models:
        return None
    rows = tuple(
        (release(standing, names), *(_useful(result, standing, name) for name in models))
        for standing in result.standings
    )
    title = say("Accuracy of models learnt from each release")
    return Numbers("learnt", title, (_anonymiser(), *_measure_columns(models, names)), rows, alt=title)


def usefulness(result: ContestResult, measures: Mapping[str, About], names: Names) -> Numbers:
    """Every measure of each release against its sample; how close other people come stands below them."""
    rows: list[tuple[Cell, ...]] = [
        (release(standing, names), *(_useful(result, standing, name) for name in measures))
        for standing in result.standings
    ]
    rows.append((say("Other people"), *(words.reference(result, name) for name in measures)))
    title = say("Usefulness of each release")
    columns = (_anonymiser(), *_measure_columns(measures, names))
    return Numbers("usefulness", title, columns, tuple(rows), words.GLOSSARY["other_people"], title)


def elsewhere(result: ContestResult, measures: Mapping[str, About], names: Names) -> Numbers:
    """The same against people whom no release was made from; the real rows of the sample stand above the releases."""
    asked = {
        name: about
        for name, about in measures.items()
        if any(name in standing.elsewhere for standing in result.standings)
    }
    rows: list[tuple[Cell, ...]] = [
        (say("The sample itself"), *(words.reference(result, name) for name in asked)),
        *(
            (
                release(standing, names),
                *(
                    f"{standing.elsewhere[name]:.3f}" if name in standing.elsewhere else say("not known")
                    for name in asked
                ),
            )
            for standing in result.standings
        ),
    ]
    title = say("Usefulness for people outside the data")
    columns = (_anonymiser(), *_measure_columns(asked, names))
    return Numbers("elsewhere", title, columns, tuple(rows), words.GLOSSARY["elsewhere"], title)


def _anonymiser() -> Column:
    return Column("anonymiser", say("Anonymiser"), width=NAMED)


def _measure_columns(measures: Mapping[str, About], names: Names) -> tuple[Column, ...]:
    return tuple(Column(measure(name, names), about.title, about.plain) for name, about in measures.items())


def _useful(result: ContestResult, standing: Standing, name: str) -> Cell:
    """A measure with its interval where it has one, else as it is of this one release."""
    useful = result.useful(standing.name)
    if name in useful:
        return useful[name]
    return f"{standing.usefulness[name]:.3f}" if name in standing.usefulness else say("not known")
