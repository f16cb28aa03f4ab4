"""What a contest comes to: who may take part, points, the frontier of privacy against usefulness, and the sentences.

Sentences on a result are kept with it, so they are English in every language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riskkit import registry, wording
from riskkit.core import Estimate, Table
from riskkit.language import joined, say
from riskkit.phrases import counted_phrase, phrase
from riskkit.plain import entry
from riskkit.stats.hits import Draw, best_of_guessing, best_of_random_law
from riskkit.table.features import Encoded, Inference, Secret
from riskkit.table.usefulness import ComparedTables, Measure

# Everything that a contest measures of a release's usefulness, by name, each with what it means in plain words.
#
# The measures are the files of ``riskkit/utility``; beside them stand the accuracies of models that learnt from a
# release.

LEARNT = ("accuracy", "ceiling")
"""What is learnt from the release and what from the real rows, in the names of :func:`learnt_from`."""


@dataclass(frozen=True, slots=True)
class About:
    """What a number of usefulness is called and what it means."""

    title: str
    plain: str


def measures() -> Mapping[str, type[Measure]]:
    """Every measure by the name it has in results, in the order they are shown."""
    there = registry.plugins("utility").items()
    return dict(sorted(there, key=lambda item: (item[1].place, item[0])))


def frontiers() -> tuple[str, ...]:
    """The measures that a frontier is drawn for, the one that is drawn first at first."""
    drawn = (measure for measure in measures().values() if measure.frontier)
    return tuple(measure.name for measure in sorted(drawn, key=lambda measure: (measure.frontier, measure.name)))


def thresholds(rules: str) -> Mapping[str, tuple[float, bool]]:
    """What these rules ask of usefulness: by measure a value, and whether it must be reached or not be passed."""
    return {
        name: (measure.thresholds[rules], measure.more_is_better)
        for name, measure in measures().items()
        if rules in measure.thresholds
    }


def learnt_from(part: str, model: str) -> str:
    """The name in results of the accuracy of a model that learnt from that part of :data:`LEARNT`."""
    return f"{part} {model}"


def about(name: str, secret: str) -> About:
    """What any number of usefulness is called and means, the accuracies of models that tell ``secret`` among them.

    Raises
    ------
    KeyError
        There is no such number.
    """
    part, _, model = name.partition(" ")
    if part not in LEARNT:
        measure = measures()[name]
        return About(phrase(measure.title), phrase(measure.card))
    if part == "accuracy":
        return About(
            phrase("{model} learnt from the release", model=model),
            phrase(
                "The share of other people of whom a model ({model}) that learnt from the release tells {secret} "
                "rightly.",
                model=model,
                secret=secret,
            ),
        )
    return About(
        phrase("{model} learnt from the real rows", model=model),
        phrase(
            "The same of a model that learnt from the real rows ({model}): what a release can reach at best.",
            model=model,
        ),
    )


def usefulness(compared: ComparedTables, *, of_others: bool = False) -> dict[str, float]:
    """Every number of these tables, by measure; one that has nothing to ask of them is left out.

    With ``of_others`` the rows compared with are people whom the release was not made from, and measures that tell
    nothing of them are left out. The numbers describe this one release and have no interval of their own.

    Raises
    ------
    DesignError
        The tables have different schemas, no row or no column in use, or a question cannot be asked of them.
    """
    asked = {name: plugin for name, plugin in measures().items() if plugin.of_others or not of_others}
    values = {}
    for name, plugin in asked.items():
        values[name] = plugin().measure(compared)
    return {name: value for name, value in values.items() if value is not None}


def accuracy(model: Inference, release: Table, test: Table, secret: str, rng: np.random.Generator) -> float:
    """The share of test rows of which a model that learnt from the release tells the secret category rightly.

    Any model of the room ``inference`` can be chosen; it is given all other columns.

    Raises
    ------
    DesignError
        The secret is not a column in use, or there is no row to learn from.
    """
    known = [column.name for column in release.schema.modelled if column.name != secret]
    learnt, asked = Encoded(release).ask(secret, known), Encoded(test).ask(secret, known)
    guesses = model.fit(learnt.known, learnt.secret, rng).guess(asked.known).value
    return float(np.mean(guesses == Secret.take(test, secret).rows(asked.at).truth))


RULES = ("official", "paper", "final", "none")
"""Who may take part, by the thresholds that measures of usefulness name (:mod:`riskkit.questions.contest.points`).

``official`` are those of the PWS Cup 2020, ``final`` those of its final round; ``paper`` holds the formulas of the
paper about it to the same thresholds. Both count histograms in rows. ``none`` asks nothing.
"""

UPLOADED = "uploaded"
"""The name of the release that was loaded beside the real table."""


def qualifies(usefulness: Mapping[str, float], rules: str) -> tuple[bool, tuple[str, ...]]:
    """Whether a release is useful enough to take part, and the measures it misses; those not measured ask nothing."""
    missed = tuple(
        name
        for name, (threshold, at_least) in thresholds(rules).items()
        if name in usefulness and (usefulness[name] < threshold if at_least else usefulness[name] > threshold)
    )
    return not missed, missed


def anonymiser_points(main: float, pre: float | None = None) -> float:
    """Points of an anonymiser by the largest rate of hits in the main round, and in the preliminary one.

    ``1000 (0.1 (1 - pre) + 0.9 (1 - main))``, rates in [0, 1]; without a preliminary round the main one counts alone.
    """
    return 1000 * (1 - main) if pre is None else 1000 * (0.1 * (1 - pre) + 0.9 * (1 - main))


def attacker_points(rates: Mapping[str, float], largest: Mapping[str, float], top: int = 3) -> float:
    """Points of an attacker: 1000 times its mean rate of hits against the ``top`` anonymisers.

    Parameters
    ----------
    rates
        Its rate against each anonymiser, in [0, 1].
    largest
        The largest rate of any attacker against each; the anonymisers with the smallest of these are at the top. One
        of them against which it has no rate counts as none found.
    """
    best = sorted(largest, key=lambda name: (largest[name], name))[:top]
    return 1000 * sum(rates.get(name, 0.0) for name in best) / len(best) if best else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """One release method on the frontier: how useful it is, the hits of the attacker that did best, and who beats it.

    ``useful`` is a mean over rounds with its interval, which is None where one round was played. Those that ``beaten``
    names are as useful or more and let an attacker find as few or fewer, one of the two strictly; ``shown`` are those
    of them whose interval of hits lies wholly below its own.
    """

    name: str
    usefulness: float
    useful: Estimate | None
    worst: Estimate
    is_uploaded: bool = field(default=False, metadata=entry("uploaded"))
    beaten: tuple[str, ...] = field(default=(), metadata=entry("dominated_by"))
    shown: tuple[str, ...] = field(default=(), metadata=entry("shown_better"))


def frontier(spots: Sequence[Spot]) -> tuple[Spot, ...]:
    """Every method with those that beat it, in the order given; those that none beats are the frontier."""
    out = []
    for spot in spots:
        better = [other for other in spots if _beats(other, spot)]
        shown = tuple(other.name for other in better if other.worst.high < spot.worst.low)
        out.append(replace(spot, beaten=tuple(other.name for other in better), shown=shown))
    return tuple(out)


def _beats(other: Spot, spot: Spot) -> bool:
    no_worse = other.usefulness >= spot.usefulness and other.worst.value <= spot.worst.value
    return no_worse and (other.usefulness > spot.usefulness or other.worst.value < spot.worst.value)


def uploaded_sentences(spots: Sequence[Spot]) -> tuple[str, ...]:
    """Where each release that was handed in sits, and what protects better at the same usefulness."""
    return tuple(_sits(spot) for spot in spots if spot.is_uploaded)


def _sits(own: Spot) -> str:
    name = phrase("Your release") if own.name == UPLOADED else phrase("Your release {name}", name=own.name)
    sits = phrase(
        "{name} sits here: a usefulness of {usefulness:.3f}, and the best attacker finds {count} members.",
        name=name,
        usefulness=own.usefulness,
        count=wording.count(own.worst),
    )
    if own.shown:
        return phrase(
            "{sits} These settings protect better at the same usefulness: {others}.",
            sits=sits,
            others=own.shown,
        )
    if own.beaten:
        return phrase(
            "{sits} In these fewer were found at the same usefulness, which chance may explain: {others}.",
            sits=sits,
            others=own.beaten,
        )
    return phrase("{sits} No other setting here is as useful and protects better.", sits=sits)


@dataclass(frozen=True, slots=True)
class Row:
    """One anonymiser: the hits of each attacker, and those of the best with an interval that allows for all looks.

    ``chance`` bounds the probability that the best of as many guessing attackers finds as many in one round. For the
    ranking: the measures that it ``misses``, and the share of named rows that the best attacker found in the
    ``preliminary`` round; None without one.
    """

    anonymiser: str
    hits: Mapping[str, Estimate]
    best: str
    worst: Estimate
    chance: float
    misses: tuple[str, ...] = ()
    preliminary: float | None = None


def row(anonymiser: str, hits: Mapping[str, Estimate], worst: Mapping[str, Estimate], draw: Draw) -> Row:
    """The row of the matrix. ``worst`` are the same hits at the level that allows for all attackers."""
    best = max(hits, key=lambda name: (hits[name].value, name))
    chance = best_of_guessing(int(np.ceil(hits[best].value)), draw, len(hits))
    return Row(anonymiser, hits, best, worst[best].label(anonymiser=anonymiser), chance)


def is_found(control: Estimate, draw: Draw) -> bool:
    """Whether an attacker found the planted control: the sample itself, released as it is."""
    return control.low > draw.expectation


def evaded_attackers(row: Row, draw: Draw) -> tuple[str, ...]:
    """Attackers that find fewer than guessing explains: the release was made to mislead them."""
    return tuple(name for name, hits in row.hits.items() if hits.high < draw.expectation)


def sentence(row: Row, draw: Draw, mode: str = "contest") -> str:
    """What was found of one anonymiser: beside the best attacker stands what guessing attackers reach."""
    mean, most = best_of_random_law(draw, len(row.hits))
    hits = phrase(
        "{anonymiser}: {attacker} finds {count} of {guesses:,} named rows",
        anonymiser=row.anonymiser,
        attacker=row.best,
        count=wording.count(row.worst),
        guesses=draw.guesses,
    )
    if mode == "hide-and-seek":
        accuracy = float(row.worst.value / draw.guesses)
        hits = phrase("{told} (accuracy {accuracy:.3f})", told=hits, accuracy=accuracy)
    beside = phrase("guessing finds {expected:.1f}", expected=float(draw.expectation))
    if len(row.hits) > 1:
        beside = phrase(
            "{beside}, the best of {attackers} who guess {mean:.1f}, seldom over {most}",
            beside=beside,
            attackers=len(row.hits),
            mean=float(mean),
            most=int(most),
        )
    if row.worst.low > draw.expectation:
        verdict = phrase("{told}, more than guessing explains ({beside}).", told=hits, beside=beside)
    else:
        verdict = phrase(
            "{told}; that is not shown to be more than guessing ({beside}). A stronger attacker may find more.",
            told=hits,
            beside=beside,
        )
    misled = evaded_attackers(row, draw)
    return phrase("{said} {evasion}", said=verdict, evasion=_evasion(misled)) if misled else verdict


def _evasion(misled: tuple[str, ...]) -> str:
    """What it means that these attackers find fewer than guessing would."""
    return counted_phrase(
        len(misled),
        "{attackers} finds fewer than guessing would: the release keeps away from what such an attacker relies "
        "on, which is evasion and no protection.",
        "{attackers} find fewer than guessing would: the release keeps away from what such an attacker relies on, "
        "which is evasion and no protection.",
        attackers=misled,
    )


LESSON = phrase(
    "If the attack on the nearest record finds few, that says little about a release: perturbing exact matches drives "
    "this attack below guessing, while other attacks still break the release."
)
"""What the contest of 2020 taught."""


def lesson(rows: Sequence[Row], draw: Draw) -> str:
    """The lesson of 2020 as this contest teaches it once more; empty where it does not.

    That is where an attacker finds fewer than guessing would in a release that another one breaks.
    """
    for row in rows:
        misled = evaded_attackers(row, draw)
        if misled and row.worst.low > draw.expectation:
            blind = min(misled, key=lambda name: row.hits[name].value)
            return phrase(
                "The lesson of 2020, seen again: against {anonymiser} {blind} finds {few} of {guesses:,}, fewer than "
                "the {expected:.1f} of guessing, and {best} finds {count} all the same. Who had asked the first alone "
                "would have called it protection.",
                anonymiser=row.anonymiser,
                blind=blind,
                few=wording.count(row.hits[blind]),
                guesses=draw.guesses,
                expected=float(draw.expectation),
                best=row.best,
                count=wording.count(row.worst),
            )
    return ""


# Who wins a contest: the order of anonymisers, who may not take part and why, and what each attacker is paid.


TOP = 3
"""The best anonymisers that an attacker is paid for."""
ROUNDED = 6
"""Decimals of points beyond which two are equal: what lies there is left of adding up."""


@dataclass(frozen=True, slots=True)
class Place:
    """An anonymiser that takes part. ``place`` counts from 1, and equal points share it.

    ``points`` are of both rounds, 1 : 9, ``main`` of the main round alone, ``preliminary`` of the other (None without
    one). ``low`` and ``high`` are those of ``points``, by the interval of hits in the main round.
    """

    name: str
    place: int
    points: float
    low: float
    high: float
    main: float
    preliminary: float | None


@dataclass(frozen=True, slots=True)
class Pay:
    """An attacker's points: against the winner alone, and against the best three (all, where there are fewer)."""

    attacker: str
    winner: float
    top: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """``places`` from the winner on; ``out`` says of who may not take part which measures it misses."""

    places: tuple[Place, ...]
    out: Mapping[str, tuple[str, ...]]
    attackers: tuple[Pay, ...]

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has most points; several where these are equal, nobody where nobody may take part."""
        return tuple(place.name for place in self.places if place.place == 1)

    @property
    def rivals(self) -> tuple[str, ...]:
        """Those whose interval of points reaches the first's: chance may have settled who of them won."""
        return tuple(place.name for place in self.places[1:] if place.high >= self.places[0].low)

    @property
    def has_preliminary(self) -> bool:
        """Whether a preliminary round counts for anybody."""
        return any(place.preliminary is not None for place in self.places)


def ranking(rows: Sequence[Row], guesses: int) -> Ranking:
    """The order of those that miss nothing, by points; by name where these are equal."""
    places: list[Place] = []
    part = [row for row in rows if not row.misses]
    for own in sorted(part, key=lambda own: (-_points(own, own.worst.value, guesses), own.anonymiser)):
        points = _points(own, own.worst.value, guesses)
        tied = bool(places) and places[-1].points == points
        places.append(
            Place(
                own.anonymiser,
                places[-1].place if tied else len(places) + 1,
                points,
                _points(own, own.worst.high, guesses),
                _points(own, own.worst.low, guesses),
                anonymiser_points(own.worst.value / guesses),
                None if own.preliminary is None else anonymiser_points(own.preliminary),
            )
        )
    order = {place.name: 1 - place.points / 1000 for place in places}
    winners = {place.name: order[place.name] for place in places if place.place == 1}
    paid = []
    for attacker in dict.fromkeys(name for own in rows for name in own.hits):
        rates = {own.anonymiser: own.hits[attacker].value / guesses for own in part if attacker in own.hits}
        paid.append(Pay(attacker, attacker_points(rates, winners, len(winners)), attacker_points(rates, order, TOP)))
    out = {row.anonymiser: row.misses for row in rows if row.misses}
    return Ranking(tuple(places), out, tuple(sorted(paid, key=lambda pay: (-pay.top, pay.attacker))))


def _points(row: Row, hits: float, guesses: int) -> float:
    return round(anonymiser_points(hits / guesses, row.preliminary), ROUNDED)


def ranking_sentence(order: Ranking, called: Callable[[str], str] = str) -> str:
    """Who wins, and whether the order may be chance. ``called`` names an anonymiser."""
    if not order.places:
        return say("Nobody wins: no release is useful enough to take part.")
    first = order.places[0]
    winner = say(
        "Most points in this contest: {winners}, {points:.0f} [{low:.0f}, {high:.0f}].",
        winners=joined(map(called, order.winners)),
        points=first.points,
        low=first.low,
        high=first.high,
    )
    if len(order.places) == 1:
        return say("{told} No other release may take part.", told=winner)
    if order.rivals:
        rivals = joined(map(called, order.rivals))
        return say(
            "{told} With other samples another may have most: {rivals}.",
            told=winner,
            rivals=rivals,
        )
    return say("{told} The intervals of all others lie below.", told=winner)
