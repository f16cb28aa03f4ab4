"""The same targets attacked in games on the methods of two releases: AUC on the one less that on the other."""

from __future__ import annotations

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.questions.membership.result import MembershipResult, Outcome
from riskkit.show.model import Played
from riskkit.show.names import Names
from riskkit.show.paired import Paired, Same
from riskkit.stats.records import level_of_each
from riskkit.stats.same import aucs_difference

MADE_UP = "made up"


def paired(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every attack on every target that both runs have, those that told most in the first first."""
    assert before.result is not None
    assert after.result is not None
    level = float(before.plan.get("level", 0.95))
    ours, others = (
        [each for each in MembershipResult.of(result).outcomes if each.labels["generator"] == method]
        for result, method in zip((before.result, after.result), same.methods, strict=True)
    )
    theirs = {_key(outcome, outcome.labels["record"]): outcome for outcome in others}
    both = [
        (outcome, theirs[key])
        for outcome in ours
        if (record := _moved(outcome.labels["record"], same)) and (key := _key(outcome, record)) in theirs
    ]
    each = level_of_each(level, max(len(both), 1))
    out = []
    for first, second in both:
        try:
            difference = aucs_difference(first.scores, second.scores, level=each)
        except DesignError:  # too few trainings
            continue
        who = say(
            "{attack} on record {record}",
            attack=names.called(first.labels["attack"], "attacks"),
            record=names.record(first.labels["record"]),
        )
        auc = first.estimates["auc"].value if "auc" in first.estimates else 0.0
        is_paired = "paired" in difference.method
        out.append((auc, Paired(who, say("AUC on the same target"), difference, len(both), is_paired)))
    return tuple(difference for _, difference in sorted(out, key=lambda pair: -pair[0]))


def _key(outcome: Outcome, record: str) -> tuple[str, ...]:
    """Which attack on which record. Records that were made up are none of the same people."""
    return record, outcome.labels["attack"]


def _moved(record: str, same: Same) -> str:
    """The record as the second table numbers it; empty where it is not in it, or was made up."""
    if record == MADE_UP:
        return ""
    rows = [None if part == MADE_UP else same.row(int(part)) for part in record.split("+")]
    return "" if None in rows else "+".join(map(str, rows))
