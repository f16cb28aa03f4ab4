"""What a page, a report and a notebook show of attacks on a released file, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.questions.released import findings, sentences
from riskkit.questions.released import panel as released_panel
from riskkit.questions.released.result import GUESS, Attacked, BaseRate, ReleasedResult, ends
from riskkit.show.blocks import Axis, Column, Distribution, Group, Numbers, RocCurve, RocLine, Sentence, mapped
from riskkit.show.model import Bar, Block, Chart
from riskkit.show.names import Names

BINS = 40
EDGE = 0.005
"""The share of scores on either side that the outermost bars hold, however far out they lie."""
DISTANCES = {
    "dcr": say("Distance to the nearest released row (SDs)"),
    "nndr": say("Nearest over second nearest distance (no unit)"),
}


def view(result: ReleasedResult, names: Names) -> tuple[Block, ...]:
    """Everything, in the order of the page; curve, scores and base rates are those of the strongest attack.

    Single scores and distances are drawn for those who may see rows alone.
    """
    strongest = next((attack for attack in result.attacks if attack.attack == result.strongest), None)
    every = [*_beside(result, names), *_success(result, names)]
    if strongest is not None:
        if names.tells and strongest.scores is not None:
            each: tuple[Block, ...] = (*roc(strongest, names), *scores(strongest, names))
            every.append(Group("curves", "", each, is_beside=True))
        every += [_numbers(result, names), *base_rates(strongest, result.base_rates, names)]
    return tuple(mapped(block, names.estimate) for block in (*every, _panel(result, names)))


def who(attack: str, names: Names) -> str:
    """What people call an attack."""
    return names.called(attack, "released")


def _beside(result: ReleasedResult, names: Names) -> Iterator[Block]:
    """What the verdict rests on, and where distances would have missed it."""
    parts = []
    own = result.blind
    if own is not None and own.auc is not None:
        parts.append(sentences.blind(own.auc, own.chance, apart=own.apart, blocked=result.is_blocked))
    if result.auc is not None:
        parts += [say("The strongest is {attack}.", attack=who(result.strongest, names)), findings.judged(result)]
    if parts:
        yield Sentence("beside", " ".join(filter(None, parts)), findings.GLOSSARY["auc"], is_small=True)
    if missed := released_panel.disagreement(result):
        yield Sentence("disagreement", missed)


def _success(result: ReleasedResult, names: Names) -> Iterator[Chart]:
    """The AUC of each attack, the strongest first, and that of the same attack on the planted leak."""
    known = [(attack, auc) for attack in result.attacks if (auc := attack.auc) is not None]
    if not known:
        return
    known.sort(key=lambda pair: ends(pair[1]), reverse=True)
    bars = tuple(Bar(who(attack.attack, names), auc, control=attack.control) for attack, auc in known)
    low = min([0.4, *(e.low for bar in bars for e in (bar.estimate, bar.control) if e is not None)])
    aucs = [auc for _, auc in known]
    yield Chart(_highest(aucs), say("AUC (0.50 is guessing)"), bars, GUESS, (low, 1.0), key="success")


def _highest(aucs: Sequence[Estimate]) -> str:
    above = sum(auc.low > GUESS for auc in aucs)
    if not above:
        return say("No attack's interval lies wholly above guessing (AUC 0.50)")
    return counted(
        above,
        "{n} of {intervals} lies wholly above guessing; the highest AUC is {highest}",
        "{n} of {intervals} lie wholly above guessing; the highest AUC is {highest}",
        intervals=counted(len(aucs), "{n:,} interval", "{n:,} intervals"),
        highest=max(aucs, key=lambda auc: auc.value),
    )


def roc(attack: Attacked, names: Names, *, is_log: bool = True) -> Iterator[RocCurve]:
    """Share named against share falsely accused of one attack; none where it has no curve."""
    curve, auc, called = attack.curve(), attack.auc, who(attack.attack, names)
    if curve is None or attack.scores is None:
        return
    named = (attack.named_at("0.1"), attack.named_at("0.01"))
    yield RocCurve(
        "roc",
        say("{who}: AUC {auc}, chance 0.50", who=called, auc=auc) if auc else say("{who}: no AUC", who=called),
        Axis(say("False alarms (share of people who were not in)")),
        Axis(say("Named (share of people who were in)")),
        (RocLine(say("this release"), tuple(curve.fpr.tolist()), tuple(curve.tpr.tolist())),),
        tuple(share for share in named if share is not None),
        1 / max(attack.scores.trainings(False), 1),
        is_log,
    )


def scores(attack: Attacked, names: Names) -> Iterator[Distribution]:
    """How the scores of either side are spread; the outermost bars hold what lies beyond them."""
    if attack.scores is None:
        return
    value = attack.scores.value
    low, high = (float(np.quantile(value, quantile)) for quantile in (EDGE, 1 - EDGE))
    edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    sides = []
    for is_in, side in ((True, say("was in")), (False, say("was not"))):
        own = np.clip(value[attack.scores.is_in == is_in], edges[0], edges[-1])
        shares = np.histogram(own, edges)[0] / max(len(own), 1)
        sides.append((say("{name}, {own:,} rows", name=side, own=len(own)), is_in, tuple(shares.tolist())))
    yield Distribution(
        "scores",
        _scored(attack, names),
        Axis(say("Score (no unit; higher means in)"), (float(edges[0]), float(edges[-1]))),
        Axis(say("Share of those who were in, or were not")),
        tuple(edges.tolist()),
        tuple(sides),
    )


def _scored(attack: Attacked, names: Names) -> str:
    called, auc = who(attack.attack, names), attack.auc
    if auc is None or auc.low <= GUESS:
        return say("{who}: those who were in score like those who were not", who=called)
    return say("{who}: those who were in score higher in {auc} of pairs", who=called, auc=wording.share(auc))


def _numbers(result: ReleasedResult, names: Names) -> Group:
    """All estimates in one table."""
    rows = tuple(
        (
            who(attack.attack, names),
            attack.auc,
            attack.named_at("0.1"),
            attack.named_at("0.01"),
            attack.control,
            attack.auc.n if attack.auc else 0,
        )
        for attack in result.attacks
    )
    columns = (
        Column("attack", say("Attack"), width=3),
        Column("auc", say("AUC (chance 0.50)"), findings.GLOSSARY["auc"]),
        Column("ten", say("Named at 10 % false alarms"), findings.GLOSSARY["tpr_at_fpr"]),
        Column("one", say("Named at 1 % false alarms"), findings.GLOSSARY["tpr_at_fpr"]),
        Column("control", say("AUC on the planted leak"), findings.GLOSSARY["control"]),
        Column("records", say("Records"), findings.GLOSSARY["record"], width=0.8),
    )
    level = next((attack.auc.level for attack in result.attacks if attack.auc), result.plan.level)
    caption = say(
        "Value [low, high] at {level:.4g} %, counting records. AUCs are as the verdict above takes them, for all "
        "attacks together; shares that are named are for one look each.",
        level=100 * level,
    )
    title = say("All estimates with intervals")
    return Group(
        "numbers",
        say("All numbers"),
        (Numbers("estimates", title, columns, rows, alt=title),),
        is_folded=True,
        caption=caption,
    )


def base_rates(attack: Attacked, rates: Sequence[BaseRate], names: Names) -> Iterator[Group]:
    """What an accusation is worth, for attackers who suspected more or less beforehand; none where nothing is known."""
    rows = tuple(
        (
            wording.percent(rate.prior),
            "{} [{}, {}]".format(
                *map(wording.percent, (rate.posterior.value, rate.posterior.low, rate.posterior.high))
            ),
        )
        for rate in rates
        if rate.attack == attack.attack
    )
    if not rows:
        return
    sentence = say(
        "{attack}, at a cut that accuses 10 % of the people who were not in. How much an accusation is "
        "worth depends on how likely the attacker thought it before that the person was in:",
        attack=who(attack.attack, names),
    )
    columns = (
        Column("before", say("Likely in before the release")),
        Column("after", say("Likely in when the attack says so")),
    )
    title = say("What a positive answer means at three base rates")
    yield Group(
        "base_rates",
        say("What it means when the attack says “in”"),
        (Sentence("worth", sentence), Numbers("base_rates", title, columns, rows, alt=title)),
        is_folded=True,
    )


def control(result: ReleasedResult, names: Names, bar: float) -> tuple[Group, bool]:
    """Which attacks found the leak that was planted for them, and whether any did.

    ``bar`` is the limit, or guessing where none is set; a view knows none, so this is no block of it.
    """
    planted = [(attack, attack.control) for attack in result.attacks if attack.control is not None]
    lines = [
        (auc.low > bar, sentences.control(who(attack.attack, names), auc, attack.planted, bar))
        for attack, auc in planted
    ]
    lines += [(False, attack.silent) for attack in result.attacks if attack.silent]
    about = say(
        "Into this release was planted, for each attack, what it is there to see: slightly changed copies of people "
        "who were not in, or their values. An attack that misses them has no power on this data, and its silence "
        "says nothing."
    )
    finders = sum(auc.low > bar for _, auc in planted)
    title = say(
        "Planted leak: {finders} of {attacks} found it",
        finders=finders,
        attacks=counted(len(planted), "{n:,} attack", "{n:,} attacks"),
    )
    each = [
        Sentence(f"control {place}", f"{'●' if is_found else '◌'} {text}")
        for place, (is_found, text) in enumerate(lines)
    ]
    return Group("control", title, (Sentence("planted", about), *each), is_folded=True), bool(finders)


def panel_lines(result: ReleasedResult, names: Names) -> tuple[Sentence, ...]:
    """Copies, near copies, distances and the order of rows in words: what describes and does not judge."""
    panel = result.panel
    describes = say(
        "This describes, it does not judge. A release that copies nobody can give everybody away, and a table "
        "of few values is full of equal rows that mean nothing."
    )
    near = (Sentence("near", released_panel.near(panel), about=say("Near copies")),) if names.tells else ()
    return (
        Sentence("describes", describes),
        Sentence("copies", _copies(result, names), about=say("Copies")),
        *near,
        Sentence("nearer", released_panel.nearer(panel), about=say("Nearer to whom")),
        Sentence("order", released_panel.row_order(panel), about=say("Order of rows")),
    )


def _panel(result: ReleasedResult, names: Names) -> Group:
    """The same, with the distances drawn for those who may see rows."""
    panel = result.panel
    spreads = ((name, known) for name in DISTANCES if (known := getattr(panel, name)) and names.tells)
    drawn = tuple(_distances(name, known) for name, known in spreads)
    return Group(
        "panel",
        say("How the released rows lie beside the real ones"),
        (*panel_lines(result, names), *((Group("distances", "", drawn, is_beside=True),) if drawn else ())),
        caption=released_panel.asked(panel),
    )


def _copies(result: ReleasedResult, names: Names) -> str:
    """Equal rows; those who may not see rows are told no small count, and nothing that it could be had from."""
    if names.tells:
        return released_panel.copies(result.panel)
    rows = result.panel.copies["real"].rows
    return say(
        "{count} of {of:,} rows of the real table stand in the release as they are.",
        count=names.count(rows.count),
        of=rows.of,
    )


def _distances(name: str, spread: Mapping[str, Any]) -> Distribution:
    """Distances of the real and the holdout rows to the release, drawn over each other."""
    sides = []
    for side, called in (("real", say("real table")), ("holdout", say("holdout"))):
        if side in spread:
            counts = np.array(spread[side]["counts"], dtype=np.float64)
            title = say("{name}, {n:,} rows", name=called, n=spread[side]["n"])
            sides.append((title, side == "real", tuple((counts / max(counts.sum(), 1)).tolist())))
    return Distribution(
        name,
        released_panel.middle(spread, name),
        Axis(DISTANCES[name]),
        Axis(say("Share of the rows")),
        tuple(map(float, spread["edges"])),
        tuple(sides),
        findings.GLOSSARY[name],
    )
