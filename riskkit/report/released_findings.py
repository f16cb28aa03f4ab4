"""A finished attack on a released file, read back from what was kept, and the sentences a page shows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit.core import Estimate, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.language import counted, say
from riskkit.report import words
from riskkit.stats.roc import Roc, roc
from riskkit.stats.verdict import Verdict

GLOSSARY: Mapping[str, str] = {
    "auc": say(
        "Shown one person who was in and one who was not, how often the attacker scores the right one higher. 0.50 is "
        "guessing, 1.00 is always."
    ),
    "tpr_at_fpr": say(
        "The share of the people who were in that the attacker names, while it may accuse this share of those who were "
        "not."
    ),
    "record": say(
        "One person asked about; equal rows are one record. Intervals count records: the release stays as it is."
    ),
    "control": say("The same attack on a release into which slightly changed copies of known people were planted."),
    "dcr": say(
        "How far the nearest released row lies, in standard deviations (SDs) of the columns; a category that differs "
        "counts as 1."
    ),
    "nndr": say(
        "The distance to the nearest released row over that to the second nearest. Small: one row stands out near."
    ),
}
"""The plain meaning of every number of these results."""

LIMITS = (
    say("It speaks of this one file. Another release of the same method may give away more or less."),
    say("It speaks of the attacks that were played. A stronger attacker may succeed where these did not."),
    say("It averages over people: a few may be exposed where the average is not."),
    say(
        "It holds only where the holdout was drawn like the real table; the blind baseline can only show that it was "
        "not."
    ),
)
"""What such a result does not show."""

WITHOUT_HOLDOUT = say(
    "No holdout is loaded. What lies in the file can be described: exact copies, near copies, distances and the order "
    "of the rows. Attacks need people who were not in, to tell what they would reach without any leak."
)
"""What can be done before a holdout is there."""

PRIVATE = ("scores",)
"""What is kept for the pages and is no part of a result that is passed on."""


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """What one attack did. ``control`` is its AUC on the planted leak; both AUCs may be missing."""

    attack: str
    estimates: tuple[Estimate, ...]
    control: Estimate | None
    found_planted: bool
    scores: Scores | None

    @property
    def auc(self) -> Estimate | None:
        """Its AUC at the level of the plan."""
        return next((estimate for estimate in self.estimates if estimate.name == "auc"), None)

    def named_at(self, fpr: str) -> Estimate | None:
        """The share it names at that share of false alarms."""
        same = (e for e in self.estimates if e.name == "tpr_at_fpr" and e.labels.get("fpr") == fpr)
        return next(same, None)

    def curve(self) -> Roc | None:
        """The ROC curve; None where there are too few records or no scores."""
        try:
            return None if self.scores is None else roc(self.scores)
        except (ScoreError, TooFewTrainings):
            return None


@dataclass(frozen=True, slots=True)
class Together:
    """An attack's AUC and p-value that allow for all attacks together.

    ``beyond`` is what is left of the AUC where the sides are told apart without the release; None where they are not.
    """

    attack: str
    auc: Estimate
    p: float
    beyond: Estimate | None

    @property
    def counted(self) -> Estimate:
        """The AUC that a verdict may count as a leak."""
        return self.auc if self.beyond is None or self.auc.low < self.beyond.low else self.beyond


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A whole result. ``auc`` and ``p`` are the strongest attack's, and allow for ``looks`` attacks.

    ``together`` holds them for every attack that has a number. ``apart``: the sides are told apart without the release;
    ``blocked``: they are, and no attack is shown to tell them apart better.
    """

    attacks: tuple[Attacked, ...]
    verdict: Verdict
    strongest: str
    auc: Estimate | None
    p: float | None
    permutations: int
    looks: int
    together: tuple[Together, ...]
    why: str
    apart: bool
    blocked: bool
    blind: str
    panel: Mapping[str, Any]

    @property
    def has_attacks(self) -> bool:
        """Whether any attack has a number; without a holdout none has."""
        return self.auc is not None

    @property
    def is_leak(self) -> bool:
        """Whether a leak is shown."""
        return self.verdict is Verdict.LEAK


def read(result: Mapping[str, Any]) -> Finding:
    """A kept result, with the scores of every attack where they were kept beside it."""
    estimates = [_estimate(given) for given in result["estimates"]]
    scores = {str(given["attack"]): _scores(given) for given in result.get("scores", ())}
    controls = {str(given["attack"]): given for given in result.get("control") or ()}
    said, blind = result["verdict"], result.get("blind") or {}
    together = tuple(_together(given) for given in said["each"])
    names = list(dict.fromkeys([*(e.labels["attack"] for e in estimates), *scores]))
    return Finding(
        attacks=tuple(_attacked(name, estimates, controls.get(name), scores.get(name)) for name in names),
        verdict=Verdict(said["word"]),
        strongest=str(said["attack"] or ""),
        auc=next((one.auc for one in together if one.attack == said["attack"]), None),
        p=said["p"],
        permutations=int(said["permutations"]),
        looks=int(said["looks"]),
        together=together,
        why=str(said["why"]),
        apart=bool(blind.get("apart", False)),
        blocked=bool(blind.get("blocked", False)),
        blind=str(blind.get("sentence", "")),
        panel=result["panel"],
    )


def _estimate(given: Mapping[str, Any]) -> Estimate:
    own = ("name", "value", "low", "high", "level", "method", "n")
    labels = {name: str(text) for name, text in given.items() if name not in own}
    return Estimate(**{name: given[name] for name in own}, labels=labels)


def _scores(given: Mapping[str, Any]) -> Scores:
    n = len(given["value"])
    return Scores(
        value=np.asarray(given["value"], dtype=np.float64),
        is_in=np.asarray(given["is_in"], dtype=np.bool_),
        training=np.asarray(given.get("record", range(n)), dtype=np.int64),
        target=np.zeros(n, dtype=np.int64),
        attack=str(given["attack"]),
    )


def _attacked(
    name: str, estimates: Sequence[Estimate], control: Mapping[str, Any] | None, scores: Scores | None
) -> Attacked:
    own = tuple(estimate for estimate in estimates if estimate.labels["attack"] == name)
    planted = None if control is None or control["auc"] is None else _estimate(control["auc"])
    return Attacked(name, own, planted, bool(control and control["found"]), scores)


def _together(given: Mapping[str, Any]) -> Together:
    beyond = None if given["beyond"] is None else _estimate(given["beyond"])
    return Together(str(given["attack"]), _estimate(given["auc"]), float(given["p"]), beyond)


def shareable(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result without the scores of single records."""
    return {name: value for name, value in result.items() if name not in PRIVATE}


# --------------------------------------------------------------------------------------------------------------
# Sentences


def sentence(found: Finding) -> str:
    """What was found, in one sentence."""
    if found.auc is None:
        return say("Whether people can be told to have been in is open; what lies in the file can be described.")
    told = words.share(found.auc)
    beside = say("(chance 50 %; {n:,} records)", n=found.auc.n)
    if found.is_leak:
        return say(
            "From the released file alone, an attacker who sees one person who was in and one who was not picks the "
            "right one in {told} of cases {beside}.",
            told=told,
            beside=beside,
        )
    if found.verdict is Verdict.NO_LEAK:
        return say(
            "No attack on the released file shows a leak; {closest} {told} of pairs {beside}.",
            closest=_closest(found),
            told=told,
            beside=beside,
        )
    return say(
        "The attacks on the released file leave it open; {closest} {told} of pairs {beside}.",
        closest=_closest(found),
        told=told,
        beside=beside,
    )


def _closest(found: Finding) -> str:
    return (
        say("the only one is right about")
        if found.looks == 1
        else say("the strongest of {looks} is right about", looks=found.looks)
    )


def judged(found: Finding) -> str:
    """At which level the interval of the verdict stands, and how likely so strong an attack is where nothing leaks."""
    if found.auc is None or found.p is None:
        return ""
    level = 50 * (1 + found.auc.level)
    if found.looks == 1:
        return say(
            "Each end holds at {level:.4g} %. Where nothing is given away an attack looks so strong in {p} of cases "
            "(people exchanged {permutations:,} times).",
            level=level,
            p=chance(found.p),
            permutations=found.permutations,
        )
    return say(
        "Each end holds at {level:.4g} % for {looks} attacks together, so that the strongest is not called a leak for "
        "being the luckiest. Where nothing is given away one of them looks so strong in {p} of cases (people exchanged "
        "{permutations:,} times).",
        level=level,
        looks=found.looks,
        p=chance(found.p),
        permutations=found.permutations,
    )


def chance(p: float) -> str:
    """A p-value in per cent, with two digits that count."""
    return f"{100 * p:.2g} %"


def disagreement(found: Finding) -> str:
    """Where distances show nothing and an attack does; empty where they agree."""
    nearer = found.panel.get("nearer_to_real")
    if not nearer or found.auc is None or not found.is_leak or nearer["low"] > 0.5:
        return ""
    return say(
        "Distances look fine, yet an attacker reaches an AUC of {auc}. Of the released rows "
        "{share} lie nearer to a real row than to a holdout row (50 % where nobody was copied): a check of "
        "distances alone would have let this release pass.",
        auc=found.auc,
        share=_share(nearer),
    )


def copies(panel: Mapping[str, Any]) -> str:
    """Equal rows, beside those of the holdout."""
    real = panel["copies"]["real"]
    told = say(
        "{count} rows of the real table stand in the release as they are; {count2} released rows equal one of them.",
        count=_count(real["rows"]),
        count2=_count(real["released"]),
    )
    if "holdout" in panel["copies"]:
        rows = panel["copies"]["holdout"]["rows"]
        told += say(" Of the holdout, whom nobody can have copied, it is {count} rows.", count=_count(rows))
    return told


def near(panel: Mapping[str, Any]) -> str:
    """Rows within the table's own spacing, beside those of the holdout."""
    if "real" not in panel["near"]:
        return say("Too few rows to know the table's own spacing.")
    told = say(
        "{count} released rows are no copies, yet lie nearer to a real row than that row's "
        "nearest neighbour in the real table does.",
        count=_count(panel["near"]["real"]),
    )
    if "holdout" in panel["near"]:
        told += say(
            " Of as many holdout rows, by their own spacing, it is {count}.", count=_count(panel["near"]["holdout"])
        )
    return told


def nearer(panel: Mapping[str, Any]) -> str:
    """Which side the released rows lie nearer to."""
    found = panel.get("nearer_to_real")
    if not found:
        return say("Whether released rows lie nearer to real people than to others cannot be told without a holdout.")
    told = say("{share} of the released rows lie nearer to a real row than to a holdout row", share=_share(found))
    return say(
        "{told} (50 % where nobody was copied; counted as {n:,.0f} rows, those with one nearest row as one).",
        told=told,
        n=found["n"],
    )


def row_order(panel: Mapping[str, Any]) -> str:
    """What the order of rows gives away."""
    found = panel.get("row_order")
    if not found:
        return say("The files are too short to compare the order of their rows.")
    share = say(
        "in {share} of comparisons (50 % where the order says nothing; z = {z:.1f})",
        share=words.percent(found["share"]),
        z=found["z"],
    )
    if found["kind"] == "row by row":
        return say(
            "Row i of the release lies nearer to row i of the real table than to another one {share}, and more so "
            "than the lines around it would explain: the order of the rows gives away who is who. Shuffle the release.",
            share=share,
        )
    if found["kind"] == "common order":
        return say(
            "Both files are in a like order: row i of the release lies nearer to row i of the real table {share}, but "
            "the lines around it are about as near. Files sorted by the same column look so; whether rows also kept "
            "their place cannot be told. Shuffle the release before it goes out.",
            share=share,
        )
    return say("The order of the rows shows nothing: row i is nearer to row i {share}.", share=share)


def middle(spread: Mapping[str, Any], what: str) -> str:
    """The middle of a distribution of distances, beside that of the holdout."""
    name = {
        "dcr": say("Half of the real rows have a released row within"),
        "nndr": say("The middle ratio of the real rows is"),
    }
    told = f"{name[what]} {spread['real']['quantiles']['0.5']:.2f}"
    return told + (
        say(", of the holdout {n0_5:.2f}", n0_5=spread["holdout"]["quantiles"]["0.5"]) if "holdout" in spread else ""
    )


def asked(panel: Mapping[str, Any]) -> str:
    """On how many rows the distances stand."""
    found, rows = panel["asked"], panel["rows"]
    told = say(
        "Distances of {synthetic:,} of {synthetic2:,} released rows to {of_each:,} real rows",
        synthetic=found["synthetic"],
        synthetic2=rows["synthetic"],
        of_each=found["of_each"],
    )
    if "holdout" in rows:
        told += say(" and as many holdout rows")
    return say(
        "{told}, and of {back:,} rows of each table to the release; where it is not all, drawn at random.",
        told=told,
        back=found["back"],
    )


def shows(power: Mapping[str, float], attacks: int, n_in: int, n_out: int) -> str:
    """What so many records can show, before anything is run."""
    return say(
        "{n_in:,} records that were in and {n_out:,} that were not: each of {attacks} shows "
        "itself in 8 of 10 audits if its true AUC is {detectable_auc:.2f} or more (guessing is 0.50). Where "
        "an attack is no better than guessing, an AUC above {upper_if_half:.2f} can be ruled out.",
        n_in=n_in,
        n_out=n_out,
        attacks=counted(attacks, "{n:,} attack", "{n:,} attacks"),
        detectable_auc=power["detectable_auc"],
        upper_if_half=power["upper_if_half"],
    )


def _count(given: Mapping[str, Any]) -> str:
    return say(
        "{count:,} of {of:,} ({share})", count=given["count"], of=given["of"], share=words.percent(given["share"])
    )


def _share(given: Mapping[str, Any]) -> str:
    return f"{words.percent(given['value'])} [{words.percent(given['low'])}, {words.percent(given['high'])}]"
