"""What a contest of release methods says, for the report of the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measurement import Control, Measured
from riskkit.language import again, counted, joined, phrase, say
from riskkit.questions.contest import words
from riskkit.questions.contest.points import LEARNT, LESSON, UPLOADED, About, Pay, Place, ranking_sentence
from riskkit.questions.contest.points import Spot as Placed
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.contest.words import as_sentence, attacker, measure, release
from riskkit.questions.opponents import evasion, method_names, sample_control, strongest_part
from riskkit.show import run_finding
from riskkit.show.blocks import (
    Cell,
    Column,
    Columns,
    CountMatrix,
    CountRow,
    Frontier,
    Group,
    Numbers,
    Sentence,
    Spot,
    map_estimates,
    tabulate,
)
from riskkit.show.model import Bar, Block, Chart, Given, Part, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.run_finding import finding

# The tables of a contest: who takes part and its points, hits, and usefulness; each column declared once.


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
        _sits(spots, who, guesses),
        about.title,
        say("Usefulness: {title} (best: 1)", title=about.title),
        say("Hits of the best attacker, of {guesses:,}", guesses=guesses),
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
        " ".join((*_unseen(spots), about.plain, _unbeaten(spots), words.GLOSSARY["frontier"])),
        result.others.sample.get(measure),
    )


def _unseen(spots: Sequence[Placed]) -> Iterator[str]:
    """What these attackers do not see in a release that may expose people by it."""
    if any(spot.is_uploaded for spot in spots):
        yield say("No attacker here uses the order of the rows: the page Audit looks at it.")


def _unbeaten(spots: Sequence[Placed]) -> str:
    return say(
        "{unbeaten} of {methods} not beaten by another in both protection and usefulness.",
        unbeaten=sum(not spot.beaten for spot in spots),
        methods=counted(len(spots), "{n:,} method", "{n:,} methods"),
    )


def _sits(spots: Sequence[Placed], who: Callable[[str], str], guesses: int) -> str:
    """Where the releases that were handed in sit; without any, how many of the others are beaten."""
    own = [spot for spot in spots if spot.is_uploaded]
    if own:
        return ". ".join(_sits_here(spot, who, guesses) for spot in own)
    return say(
        "{beaten} of {releases} are beaten by another that is no less useful",
        beaten=sum(bool(spot.beaten) for spot in spots),
        releases=counted(len(spots), "{n:,} release", "{n:,} releases"),
    )


def _sits_here(own: Placed, who: Callable[[str], str], guesses: int) -> str:
    """Where a release sits, and what protects better; else what attackers find in it."""
    sits = say("{release} sits here", release=as_sentence(wording.both_ends(who(own.name), NAME)))
    if not own.beaten:
        hits = {"hits": own.worst.value, "guesses": guesses}
        return say("{sits}: {hits:.0f} of {guesses:,} named are members", sits=sits, **hits)
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

    def place(own: Standing) -> str:
        return str(places[own.name].place) if own.name in places else "–"

    def part(own: Standing) -> str:
        return say("yes") if own.takes_part else say("no: {measures}", measures=words.reason(result, own))

    guessed = say("Bound on the chance that guessing attackers find as many.")
    columns: dict[Column, Callable[[Standing], Cell]] = {
        _anonymiser(): lambda own: release(own, names),
        Column("place", say("Place"), width=0.7): place,
        Column("best", say("Best attacker"), width=1.6): lambda own: attacker(own.best, names),
        Column("hits", say("Its hits"), words.GLOSSARY["best"], written=wording.count): lambda own: own.worst,
        Column("chance", say("By guessing, at most"), guessed, width=1): lambda own: f"{own.chance:.2g}",
        Column("points", say("Points"), words.GLOSSARY["points"], written=wording.points): lambda own: own.score,
    }
    if result.ranking.has_preliminary:
        columns[Column("rounds", say("Preliminary and main round"))] = lambda own: _rounds(places.get(own.name))
    columns[Column("part", say("Useful enough"), width=NAMED)] = part
    return tabulate("standings", say("Points and who may take part"), _by_place(result, places), columns)


def _by_place(result: ContestResult, places: Mapping[str, Place]) -> list[Standing]:
    """From the winner on, those that may not take part last, in the order of the plan."""
    order, last = {name: place.place for name, place in places.items()}, len(places) + 1
    return sorted(result.standings, key=lambda standing: order.get(standing.name, last))


def _rounds(place: Place | None) -> str:
    if place is None or place.preliminary is None:
        return ""
    return f"{place.preliminary:.0f}, {place.main:.0f}"


def payments(result: ContestResult, names: Names) -> Numbers:
    """What attackers are paid."""
    columns: Columns[Pay] = {
        Column("attacker", say("Attacker"), width=NAMED): lambda pay: attacker(pay.attacker, names),
        Column("winner", say("Points against the winner")): lambda pay: f"{pay.winner:.0f}",
        Column("top", say("Against the best three")): lambda pay: f"{pay.top:.0f}",
    }
    return tabulate("paid", say("Points of attackers"), result.ranking.attackers, columns)


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
    return Numbers("hits", title, columns, tuple(rows), words.GLOSSARY["hits"])


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
    return Numbers("learnt", title, (_anonymiser(), *_measure_columns(models, names)), rows)


def usefulness(result: ContestResult, measures: Mapping[str, About], names: Names) -> Numbers:
    """Every measure of each release against its sample; how close other people come stands below them."""
    rows: list[tuple[Cell, ...]] = [
        (release(standing, names), *(_useful(result, standing, name) for name in measures))
        for standing in result.standings
    ]
    rows.append((say("Other people"), *(words.reference(result, name) for name in measures)))
    title = say("Usefulness of each release")
    columns = (_anonymiser(), *_measure_columns(measures, names))
    return Numbers("usefulness", title, columns, tuple(rows), words.GLOSSARY["other_people"])


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
    return Numbers("elsewhere", title, columns, tuple(rows), words.GLOSSARY["elsewhere"])


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


# What a page, a report and a notebook show of a contest, block by block.


def view(result: ContestResult, names: Names) -> tuple[Block, ...]:
    """Everything, in the order of the page; nothing where nothing could be played."""
    if not result.standings:
        return ()
    measures = words.measures(result, names)
    every: tuple[Block, ...] = (
        *uploads(result, names),
        *_frontiers(result, measures, names),
        matrix(result, names),
        *_planted_control(result, names),
        *_release_by_release(result, names),
        lesson(result, names),
        _standings(result, measures, names),
        *_declared_group(result, names),
        *_learnt(result, measures, names),
        _numbers(result, measures, names),
    )
    return tuple(map_estimates(block, names.estimate) for block in every)


def naming(result: ContestResult, names: Names) -> Callable[[str], str]:
    """What people call each of its releases, by name."""
    uploaded = _is_from_elsewhere(result)
    return lambda name: words.release_title(name, names, is_uploaded=uploaded.get(name, False))


def _is_from_elsewhere(result: ContestResult) -> dict[str, bool]:
    """Of each release by name whether it was handed in."""
    return {standing.name: standing.is_uploaded for standing in result.standings}


def uploads(result: ContestResult, names: Names) -> Iterator[Sentence]:
    """Where each release that was handed in sits."""
    for place, kept in enumerate(result.uploads):
        if sentence := words.sentence(kept, _is_from_elsewhere(result), names):
            yield Sentence(f"upload {place}", sentence)


def _planted_control(result: ContestResult, names: Names) -> Iterator[Sentence]:
    """Whether the attackers found the sample itself."""
    if result.controls:
        mark = "✓" if all(look.is_found for look in result.controls) else "○"
        planted = words.planted_sentence(result, lambda name: words.attacker(name, names))
        yield Sentence("planted", f"{mark} {planted}", words.GLOSSARY["control"], is_small=True)


def methods(result: ContestResult, names: Names) -> tuple[Sentence, ...]:
    """What was found of each release, in the order of the plan; empty texts where it may not be told."""
    uploaded = _is_from_elsewhere(result)
    return tuple(
        Sentence(f"method {place}", words.sentence(kept, uploaded, names), is_small=True)
        for place, kept in enumerate(result.sentences)
    )


def _release_by_release(result: ContestResult, names: Names) -> Iterator[Group]:
    sentences = tuple(sentence for sentence in methods(result, names) if sentence.text)
    if sentences:
        yield Group("methods", say("Release by release"), sentences, is_folded=True)


def lesson(result: ContestResult, names: Names) -> Sentence:
    """The lesson of 2020: as this contest teaches it again, else in general."""
    own = words.sentence(result.lesson, _is_from_elsewhere(result), names)
    return Sentence("lesson", own or again(LESSON), is_small=not own)


def _frontiers(result: ContestResult, measures: Mapping[str, About], names: Names) -> Iterator[Group]:
    """Usefulness against protection, by the first measure; by all others for files."""
    drawn = [frontier(result, name, measures[name], names) for name in result.pictures]
    if drawn:
        first, *others = drawn
        by_others = Group("frontiers_by_others", "", tuple(others), on_paper=False)
        yield Group("frontiers", say("Privacy against usefulness"), (first, *([by_others] if others else [])))


def _standings(result: ContestResult, measures: Mapping[str, About], names: Names) -> Group:
    """Who may take part and why not, points, and what attackers are paid."""
    rules = result.plan.rules
    asked = [
        f"{about.title} {words.threshold(name, rules)}"
        for name, about in measures.items()
        if words.threshold(name, rules)
    ]
    caption = say(
        "Thresholds of usefulness: {asked}. {points}",
        asked="; ".join(asked) or say("none"),
        points=words.GLOSSARY["points"],
    )
    winner = Sentence("winner", ranking_sentence(result.ranking, naming(result, names)))
    paid = [payments(result, names)] if result.ranking.places else []
    title = say("Who may take part, and points")
    return Group("standings", title, (winner, standings(result, names), *paid), caption=caption)


def _declared_group(result: ContestResult, names: Names) -> Iterator[Group]:
    """What is declared of each release and counted, which paper has on the page of the question.

    Counts of single people are for those who may see rows alone.
    """
    lines = words.lines(result, naming(result, names)) if names.tells else ()
    if lines:
        sentences = tuple(Sentence(f"declared {place}", words.as_sentence(line)) for place, line in enumerate(lines))
        title = say("What is declared, and k and δ-presence as they are counted")
        yield Group("declared", title, sentences, is_folded=True, on_paper=False)


def _learnt(result: ContestResult, measures: Mapping[str, About], names: Names) -> Iterator[Group]:
    """What models get right that learnt from each release."""
    table = learnt(result, measures, names)
    if table is not None:
        caption = say(
            "{learnt} Tested on {tested:,} people.", learnt=words.GLOSSARY["learnt"], tested=result.others.rows
        )
        yield Group("learnt", say("What can be learnt from each release"), (table,), caption=caption)


def _numbers(result: ContestResult, measures: Mapping[str, About], names: Names) -> Group:
    """Every number of hits and of usefulness, each table with what must be known to read it."""
    first = result.estimates[0]
    units = say("{n:,} guesses", n=first.n) if first.method.startswith("exact") else say("{n:,} rounds", n=first.n)
    blocks: list[Block] = [
        hits(result, names),
        Sentence(
            "hits_read",
            say(
                "Hits [low, high]; {level:.4g} % intervals over {units}. {hits}",
                level=100 * first.level,
                units=units,
                hits=words.GLOSSARY["hits"],
            ),
            is_small=True,
        ),
        usefulness(result, measures, names),
    ]
    if not all(result.useful(standing.name).keys() >= standing.usefulness.keys() for standing in result.standings):
        blocks.append(Sentence("usefulness_read", words.GLOSSARY["usefulness"], is_small=True))
    blocks += [
        elsewhere(result, measures, names),
        Sentence("elsewhere_read", words.GLOSSARY["elsewhere"], is_small=True),
        Group(
            "measures",
            "",
            tuple(
                Sentence(f"measure {place}", about.plain, about=about.title)
                for place, about in enumerate(measures.values())
            ),
        ),
    ]
    return Group("numbers", say("All numbers"), tuple(blocks), is_folded=True)


# What the judge takes of a contest: the hits on one anonymiser, and the planted control.


def claim(standing: Standing, result: ContestResult, called: Callable[[str], str] = str) -> Measured:
    """What the judge takes of one anonymiser: hits as a share of the rows named. ``called`` names an attacker."""
    worst = share(standing.worst, result.guessing.guesses)
    return Measured(
        scale="hits",
        guess=result.guessing.share,
        strongest=worst,
        widest=worst,
        who=called(standing.best),
        looks=standing.looks,
        control=sample_control({look.attacker: look.is_found for look in result.controls}, result.hits(standing.name)),
        unit="named row",
        reasons=evasion(standing.evaded, called),
    )


def share(hits: Estimate, guesses: int) -> Estimate:
    """Hits as a share of the rows named."""
    return replace(hits, value=hits.value / guesses, low=hits.low / guesses, high=hits.high / guesses)


LIMITS = (
    phrase("Methods are compared by the attackers that took part. A stronger attacker may reverse the order."),
    phrase("Hits are counted among the rows each attacker is surest of; others may be exposed more or less."),
    phrase("Usefulness is measured by general agreement of tables; what your users need may be something else."),
)
"""What a contest does not show."""
PEOPLE = "people"
"""The population a release can take part in."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release where it took part, else about methods."""
    assert run.result is not None
    result = ContestResult.from_plain(run.result)
    own = _release_place(run, result, facts)
    parts = tuple(
        _part(standing, result, names, of_release=place == own) for place, standing in enumerate(result.standings)
    )
    measured = (parts[strongest_part(parts) if own is None else own].measured) if parts else _nothing()
    plain, brief = ("", "") if own is None else _plain(result, parts[own], names, facts)
    return (
        finding(
            run,
            names,
            sentence=_sentence(result, parts, own, names),
            plain=plain,
            brief=brief,
            game=_game(result, names),
            measured=measured,
            estimates=tuple(map(names.estimate, result.estimates)),
            limits=again(LIMITS),
            chart=_chart(result, parts),
            extra=(*_ranking(result, names), *_declared_lines(result, names)),
            what_if=""
            if own is not None
            else run_finding.if_made_by(method_names((each.name for each in result.standings), names)),
            parts=parts,
        ),
    )


def is_about(run: Played, facts: Given) -> bool:
    """Whether this release takes part: among the people who were in and those who were not.

    What is handed in beside it is another release, and in a population that was made it is one of other people.
    """
    is_there = any(file.slot == "synthetic" for file in facts.files)
    return is_there and run.plan.get("source") == PEOPLE


def _release_place(run: Played, result: ContestResult, facts: Given) -> int | None:
    """Where this release stands among what took part; None where it did not."""
    names = [standing.name for standing in result.standings]
    return names.index(UPLOADED) if is_about(run, facts) and UPLOADED in names else None


def _part(standing: Standing, result: ContestResult, names: Names, *, of_release: bool) -> Part:
    """One anonymiser, judged by itself."""
    title = names.called(standing.name, "generators")
    measured = claim(standing, result, lambda name: names.called(name, "released"))
    worst = names.estimate(share(standing.worst, result.guessing.guesses))
    return Part(title, title, replace(measured, strongest=worst, widest=worst), of_release)


def _nothing() -> Measured:
    """Nothing could be played."""
    return Measured("hits", 0.0, None, None, "", 0, Control.none(""), unit="named row")


def _sentence(result: ContestResult, parts: Sequence[Part], own: int | None, names: Names) -> str:
    if not parts:
        return say("No release could be made.")
    worst = [_hits(part) for part in parts]
    if own is None:
        least, standing = min(zip(worst, result.standings, strict=True), key=lambda pair: pair[0].value)
        return say(
            "Of {methods}, {who} let the best attacker find fewest members: {best} of the rows named.",
            methods=counted(len(worst), "{n:,} method", "{n:,} methods"),
            who=names.called(standing.name, "generators"),
            best=wording.share(least),
        )
    who = names.called(result.standings[own].best, "released")
    sentence = say(
        "Of the rows that {who} names in your release, {worst} are members.", who=who, worst=wording.share(worst[own])
    )
    chance = result.guessing
    if chance.best_of < 2:
        return sentence
    return f"{sentence} " + say(
        "Of {attackers} attackers who only guess the best finds about {mean:.0f}, by luck; the interval allows for "
        "that.",
        attackers=chance.best_of,
        mean=chance.best_mean,
    )


def _better(result: ContestResult, names: Names, facts: Given) -> str:
    """Which methods are shown to protect better than this release, by the first measure of usefulness.

    The method that made this release is no other: it is not counted.
    """
    spots = next(iter(result.pictures.values()), ())
    own = next((spot for spot in spots if spot.name == UPLOADED), None)
    if own is None:
        return ""
    if own.shown:
        better = joined(map(naming(result, names), own.shown))
        return say("Clearly better protection at the same usefulness: {methods}.", methods=better)
    others = sum(not spot.is_uploaded and not facts.provenance.covers(spot.name) for spot in spots)
    if not others:
        return ""
    return counted(
        others,
        "The {n:,} other method tried does not clearly protect better at the same usefulness.",
        "None of the {n:,} other methods tried clearly protects better at the same usefulness.",
    )


def _plain(result: ContestResult, own: Part, names: Names, facts: Given) -> tuple[str, str]:
    """What protects better, and what the best attacker finds in this release, in people; and that alone, in a list.

    Of a leak first what shows it.
    """
    chance = result.guessing
    about = {
        "guesses": chance.guesses,
        "hits": f"{chance.guesses * _hits(own).value:.0f}",
        "expected": f"{chance.expected:.0f}",
    }
    sentence = counted(
        chance.best_of,
        "Of {guesses:,} people whom an attacker names, {hits} are members; guessing finds {expected}.",
        "Of {guesses:,} people whom the best of {n:,} attackers names, {hits} are members; guessing finds {expected}.",
        **about,
    )
    texts = filter(None, (_better(result, names, facts), sentence))
    brief = say("{hits} of {guesses:,} named are members (guessing: {expected}).", **about)
    return " ".join(reversed(list(texts)) if _hits(own).low > result.guessing.share else texts), brief


def _hits(part: Part) -> Estimate:
    """Hits of the best attacker as a share of the rows named, at the level that allows for all attackers."""
    assert part.measured.strongest is not None
    return part.measured.strongest


def _game(result: ContestResult, names: Names) -> tuple[tuple[str, str], ...]:
    chance = result.guessing
    return run_finding.game_in_words(
        say("Which way of making a release protects best at the same usefulness?"),
        compared=say("a sample of a population for each method; the attacker does not know who is in it"),
        knows=say("the whole population, and the release"),
        hypothesis=say(
            "no attacker names more members than guessing does ({expected})", expected=wording.percent(chance.share)
        ),
        more={
            say("Methods"): joined(names.called(standing.name, "generators") for standing in result.standings),
            say("Attackers"): joined(names.called(pay.attacker, "released") for pay in result.ranking.attackers),
        },
        counts=say(
            "{guesses:,} named rows of {population:,}, of whom {members:,} are members",
            guesses=chance.guesses,
            population=chance.population,
            members=chance.members,
        ),
    )


def _ranking(result: ContestResult, names: Names) -> Iterator[str]:
    """Who may not take part and why, and the points of both rounds and of attackers."""
    order, who = result.ranking, naming(result, names)
    for standing in result.standings:
        if standing.misses:
            why = words.reason(result, standing)
            yield words.as_sentence(say("{who} may not take part: {why}.", who=who(standing.name), why=why))
    if order.has_preliminary:
        points = "; ".join(
            say(
                "{who} {preliminary:.0f} and {main:.0f}, together {points:.0f}",
                who=who(place.name),
                preliminary=place.preliminary,
                main=place.main,
                points=place.points,
            )
            for place in order.places
            if place.preliminary is not None
        )
        yield say("Points of the preliminary and the main round, 1 : 9: {told}.", told=points)
    if order.places:
        points = "; ".join(
            say(
                "{who} {winner:.0f} and {top:.0f}",
                who=words.attacker(pay.attacker, names),
                winner=pay.winner,
                top=pay.top,
            )
            for pay in order.attackers
        )
        yield say("Points of attackers, against the winner and against the best three: {told}.", told=points)


def _declared_lines(result: ContestResult, names: Names) -> Iterator[str]:
    """What is declared of each release and counted; counts of single people are for the restricted report alone."""
    if names.tells:
        yield from map(words.as_sentence, words.lines(result, naming(result, names)))


def _chart(result: ContestResult, parts: Sequence[Part]) -> Chart | None:
    if not parts:
        return None
    return Chart(
        say("Members found by the best attacker on each method"),
        say("share of named rows that are in the sample"),
        tuple(Bar(part.title, _hits(part)) for part in parts),
        result.guessing.share,
    )
