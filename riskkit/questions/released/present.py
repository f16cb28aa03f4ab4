"""What the attacks on a released file say, for the report of the audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from riskkit import wording
from riskkit.core import Estimate, Scores
from riskkit.errors import DesignError
from riskkit.games.copies import Nearer, Panel, Share
from riskkit.language import Readings, counted, kept, phrase, say
from riskkit.questions.released import findings, plan
from riskkit.questions.released import result as people
from riskkit.questions.released.result import GUESS, Attacked, BaseRate, ReleasedResult, Scored, ends
from riskkit.show import for_whom
from riskkit.show.blocks import (
    Axis,
    Column,
    Distribution,
    Group,
    RocCurve,
    RocLine,
    Sentence,
    map_estimates,
    tabulate,
)
from riskkit.show.model import Bar, Block, Chart, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.show.pairs import Paired, Same
from riskkit.show.run_finding import finding, game_in_words
from riskkit.stats import records
from riskkit.stats.same import aucs_difference, places

# What a page, a report and a notebook show of attacks on a released file, block by block.

BINS = 40
EDGE = 0.005
"""The share of scores on either side that the outermost bars hold, however far out they lie."""
DISTANCES = Readings(
    dcr=phrase("Distance to the nearest released row (SDs)"),
    nndr=phrase("Nearest over second nearest distance (no unit)"),
)


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
    return tuple(map_estimates(block, names.estimate) for block in (*every, _panel(result, names)))


def who(attack: str, names: Names) -> str:
    """What people call an attack."""
    return names.called(attack, "released")


def _beside(result: ReleasedResult, names: Names) -> Iterator[Block]:
    """What the verdict rests on, and where distances would have missed it."""
    parts = []
    own = result.blind
    if own is not None and own.auc is not None:
        parts.append(plan.blind(own.auc, own.chance, apart=own.apart, blocked=result.is_blocked))
    if result.auc is not None:
        parts += [
            say("The strongest is {attack}.", attack=who(result.strongest, names)),
            findings.verdict_basis(result),
        ]
    if parts:
        yield Sentence("beside", " ".join(filter(None, parts)), findings.GLOSSARY["auc"], is_small=True)
    if missed := disagreement(result):
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
    named = (attack.named_share("0.1"), attack.named_share("0.01"))
    yield RocCurve(
        "roc",
        say("{who}: AUC {auc}, chance 0.50", who=called, auc=auc) if auc else say("{who}: no AUC", who=called),
        Axis(say("False alarms (share of people outside the data)")),
        Axis(say("Named (share of members)")),
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
    for is_in, side in ((True, say("member")), (False, say("other"))):
        own = np.clip(value[attack.scores.is_in == is_in], edges[0], edges[-1])
        shares = np.histogram(own, edges)[0] / max(len(own), 1)
        sides.append((say("{name}, {own:,} rows", name=side, own=len(own)), is_in, tuple(shares.tolist())))
    yield Distribution(
        "scores",
        _score_sentence(attack, names),
        Axis(say("Score (no unit; higher means in)"), (float(edges[0]), float(edges[-1]))),
        Axis(say("Share of members, or of others")),
        tuple(edges.tolist()),
        tuple(sides),
    )


def _score_sentence(attack: Attacked, names: Names) -> str:
    called, auc = who(attack.attack, names), attack.auc
    if auc is None or auc.low <= GUESS:
        return say("{who}: members score like others", who=called)
    return say("{who}: members score higher in {auc} of pairs", who=called, auc=wording.share(auc))


def _numbers(result: ReleasedResult, names: Names) -> Group:
    """All estimates in one table."""
    explained = findings.GLOSSARY
    table = tabulate(
        "estimates",
        say("All estimates with intervals"),
        result.attacks,
        {
            Column("attack", say("Attack"), width=3): lambda attack: who(attack.attack, names),
            Column("auc", say("AUC (chance 0.50)"), explained["auc"]): lambda attack: attack.auc,
            Column("ten", say("TPR at 10 % FPR"), explained["tpr_at_fpr"]): lambda attack: attack.named_share("0.1"),
            Column("one", say("TPR at 1 % FPR"), explained["tpr_at_fpr"]): lambda attack: attack.named_share("0.01"),
            Column("control", say("AUC on the planted leak"), explained["control"]): lambda attack: attack.control,
            Column("records", say("Records"), explained["record"], width=0.8): lambda attack: (
                attack.auc.n if attack.auc else 0
            ),
        },
    )
    level = next((attack.auc.level for attack in result.attacks if attack.auc), result.plan.level)
    caption = say(
        "Value [low, high] at {level:.4g} %, counting records. AUCs are as the verdict above takes them, for all "
        "attacks together; shares are for one test each.",
        level=100 * level,
    )
    return Group("numbers", say("All numbers"), (table,), is_folded=True, caption=caption)


def base_rates(attack: Attacked, rates: Sequence[BaseRate], names: Names) -> Iterator[Group]:
    """What an accusation is worth, for attackers who suspected more or less beforehand; none where nothing is known."""
    own = [rate for rate in rates if rate.attack == attack.attack]
    if not own:
        return

    def after(rate: BaseRate) -> str:
        worth = rate.posterior
        return "{} [{}, {}]".format(*map(wording.percent, (worth.value, worth.low, worth.high)))

    sentence = say(
        "{attack}, at a cut that accuses 10 % of the people outside the data. How much an accusation is worth "
        "depends on how likely the attacker thought it before that the person is in the data:",
        attack=who(attack.attack, names),
    )
    columns = {
        Column("before", say("Likely in before the release")): lambda rate: wording.percent(rate.prior),
        Column("after", say("Likely in when the attack says so")): after,
    }
    table = tabulate("base_rates", say("What a positive answer means at three base rates"), own, columns)
    title = say("What it means when the attack says “in”")
    yield Group("base_rates", title, (Sentence("worth", sentence), table), is_folded=True)


def control(result: ReleasedResult, names: Names, bar: float) -> tuple[Group, bool]:
    """Which attacks found the leak that was planted for them, and whether any did.

    ``bar`` is the limit, or guessing where none is set; a view knows none, so this is no block of it.
    """
    planted = [(attack, attack.control) for attack in result.attacks if attack.control is not None]
    lines = [
        (auc.low > bar, plan.control(who(attack.attack, names), auc, attack.planted, bar)) for attack, auc in planted
    ]
    lines += [(False, attack.silent) for attack in result.attacks if attack.silent]
    about = say(
        "Into this release was planted, for each attack, what it is there to see: slightly changed copies of "
        "people outside the data, or their values. An attack that misses them has no power on this data, and its "
        "silence says nothing."
    )
    finders = sum(auc.low > bar for _, auc in planted)
    title = say(
        "Planted leak: {finders} of {attacks} found it",
        finders=finders,
        attacks=counted(len(planted), "{n:,} attack", "{n:,} attacks"),
    )
    if result.looks > len(planted):
        title = say("{control}, {n:,} had no plant", control=title, n=result.looks - len(planted))
    each = [
        Sentence(f"control {place}", f"{'●' if is_found else '◌'} {text}")
        for place, (is_found, text) in enumerate(lines)
    ]
    return Group("control", title, (Sentence("planted", about), *each), is_folded=True), bool(finders)


def panel_lines(result: ReleasedResult, names: Names) -> tuple[Sentence, ...]:
    """Near copies and distances in words: what describes and does not judge."""
    panel = result.panel
    describes = say(
        "This describes, it does not judge. A release that copies nobody can expose everybody, and a table of few "
        "values is full of equal rows that mean nothing."
    )
    near = (Sentence("near", near_copies(panel), about=say("Near copies")),) if names.tells else ()
    return (
        Sentence("describes", describes),
        *near,
        Sentence("nearer", nearer(panel), about=say("Nearer to whom")),
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
        caption=rows_asked(panel),
    )


def _distances(name: str, spread: Mapping[str, Any]) -> Distribution:
    """Distances of the real and the holdout rows to the release, drawn over each other."""
    sides = []
    for side, called in (("real", say("real table")), ("holdout", say("holdout"))):
        if side in spread:
            counts = np.array(spread[side]["counts"], dtype=np.float64)
            title = say("{name}, {n:,} rows compared", name=called, n=spread[side]["n"])
            sides.append((title, side == "real", tuple((counts / max(counts.sum(), 1)).tolist())))
    return Distribution(
        name,
        middle(spread, name),
        Axis(DISTANCES[name]),
        Axis(say("Share of the rows")),
        tuple(map(float, spread["edges"])),
        tuple(sides),
        findings.GLOSSARY[name],
    )


# What describes a released file without judging it: near copies and distances.


def disagreement(result: ReleasedResult) -> str:
    """Where distances show nothing and an attack does; empty where they agree."""
    nearer = result.panel.nearer_to_real
    if nearer is None or result.auc is None or not result.is_shown or nearer.low > GUESS:
        return ""
    return say(
        "Distances look fine, yet an attacker reaches an AUC of {auc}. Of the released rows "
        "{share} lie nearer to a real row than to a holdout row (50 % where nobody was copied): a check of "
        "distances alone would have let this release pass.",
        auc=result.auc,
        share=_share(nearer),
    )


def near_copies(panel: Panel) -> str:
    """Rows within the table's own spacing, beside those of the holdout."""
    if "real" not in panel.near:
        return say("Too few rows to know the table's own spacing.")
    line = say(
        "{count} released rows are no copies, yet lie nearer to a real row than that row's "
        "nearest neighbour in the real table does.",
        count=_count(panel.near["real"]),
    )
    if "holdout" in panel.near:
        line += say(
            " Of as many holdout rows, by their own spacing, the same holds for {count}.",
            count=_count(panel.near["holdout"]),
        )
    return line


def nearer(panel: Panel) -> str:
    """Which side the released rows lie nearer to."""
    share = panel.nearer_to_real
    if share is None:
        return say("Whether released rows lie nearer to real people than to others cannot be said without a holdout.")
    start = say("{share} of the released rows lie nearer to a real row than to a holdout row", share=_share(share))
    return say(
        "{told} (50 % where nobody was copied; counted as {n:,.0f} rows, because rows with the same nearest "
        "row count as one).",
        told=start,
        n=share.n,
    )


def middle(spread: Mapping[str, Any], what: str) -> str:
    """The middle of a distribution of distances, beside that of the holdout."""
    name = {
        "dcr": say("Half of the real rows have a released row within"),
        "nndr": say("The median ratio of the real rows is"),
    }
    text = f"{name[what]} {spread['real']['quantiles']['0.5']:.2f}"
    return text + (
        say(", of the holdout {n0_5:.2f}", n0_5=spread["holdout"]["quantiles"]["0.5"]) if "holdout" in spread else ""
    )


def rows_asked(panel: Panel) -> str:
    """On how many rows the distances stand."""
    asked, rows = panel.asked, panel.rows
    start = say(
        "Distances of {synthetic:,} of {synthetic2:,} released rows to {of_each:,} real rows",
        synthetic=asked["synthetic"],
        synthetic2=rows["synthetic"],
        of_each=asked["of_each"],
    )
    if "holdout" in rows:
        start += say(" and as many holdout rows")
    return say(
        "{told}, and of {back:,} rows of each table to the release; where not all rows are used, they are "
        "drawn at random.",
        told=start,
        back=asked["back"],
    )


def _count(share: Share) -> str:
    return say("{count:,} of {of:,} ({share})", count=share.count, of=share.of, share=wording.percent(share.share))


def _share(nearer: Nearer) -> str:
    return f"{wording.percent(nearer.value)} [{wording.percent(nearer.low)}, {wording.percent(nearer.high)}]"


# Two releases attacked on the same people: each attack's AUC on the one less that on the other.

OUT = 10**9
"""Added to the row number of one who was not in, so that no two people have one number."""


def pair_runs(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every attack that both runs have, the one that told most of either release first."""
    assert before.result is not None
    assert after.result is not None
    first, second = ReleasedResult.from_plain(before.result), ReleasedResult.from_plain(after.result)
    theirs = {scored.attack: scored for scored in second.scores}
    both = [(scored, theirs[scored.attack]) for scored in first.scores if scored.attack in theirs]
    each = records.level_of_each(first.plan.level, max(len(both), 1))
    out = []
    for pair in both:
        try:
            old, new = _same_people(*pair, same)
            difference = aucs_difference(old, new, level=each)
            auc = max(records.auc(side).value for side in (old, new))
        except DesignError:  # too few of the same people, or scores that decide nothing
            continue
        who = names.called(pair[0].attack, "released")
        out.append((auc, Paired(who, say("AUC on the same people"), difference, len(both))))
    return tuple(compared for _, compared in sorted(out, key=lambda pair: -pair[0]))


def _same_people(before: Scored, after: Scored, same: Same) -> tuple[Scores, Scores]:
    """The scores of the people whom both runs asked about, in one order."""
    mine = [
        _number(same.row(int(row)) if is_in else int(row), is_in, place)
        for place, (row, is_in) in enumerate(zip(before.row, before.is_in, strict=True))
    ]
    other = [_number(int(row), is_in, 0) for row, is_in in zip(after.row, after.is_in, strict=True)]
    left, right = places(mine, other)
    who, is_in = before.record[left], before.is_in[left]
    sides = [
        Scores(scored.value[rows], is_in, who, who * 0, scored.attack)
        for scored, rows in ((before, left), (after, right))
    ]
    return sides[0], sides[1]


def _number(row: int | None, is_in: bool, place: int) -> int:
    """One number a person; of somebody who is not in the other table one that nobody has there."""
    if row is None:
        return -1 - place
    return row + (0 if is_in else OUT)


# What can be said of a release where nobody is known who was not in, how to learn the rest, and what stays unknown.

COMMAND = "riskkit holdout --real real.csv --share 0.2"
"""The command that leaves people out."""


def path() -> tuple[str, ...]:
    """Sentences, one a step."""
    return (
        say(
            "No holdout is there. What can be said without one: whether rows of the real table stand in the release as "
            "they are, how near the release comes to them, and whether it keeps their order."
        ),
        say(
            "To measure a leak, leave people out and release again. First: {command} writes two files, the rows to "
            "keep and the rows left out. Where people have several rows, name with --person the column that says "
            "whose row it is.",
            command=COMMAND,
        ),
        say("Second: make the release again, from the kept rows alone, by the same method with the same settings."),
        say(
            "Third: ask again with the kept rows as the real table, the new release, and the rows left out as the "
            "holdout."
        ),
        say(
            "The answer is about the new release: publish that one, and it holds. For a release made of everybody "
            "it is an estimate of what the method reveals, from four fifths of the people."
        ),
        say(
            "Rows that are taken out of the real table after the release was made are no holdout: these people "
            "are in the data, and a leak about them would look like none."
        ),
        say(
            "A table of other people of the same population, such as an earlier survey, can be loaded as the "
            "holdout too. riskkit tests whether the two tables can be distinguished without the release; where "
            "they can, only what an attack tells beyond that counts. What stays unknown: a difference between the "
            "two that this test is too weak to see passes for a leak, or hides one."
        ),
        say(
            "Until then it stays unknown whether anybody's membership shows, whose, and what else an attacker "
            "learns of members."
        ),
    )


KNOWS = kept("the released file, and the rows asked about; some attacks also other people of the population")


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = ReleasedResult.from_plain(run.result)
    measured = findings.measure(result, lambda name: names.called(name, "released"), names.plugin, facts.distances)
    aucs = {reached.attack: reached.auc for reached in result.together.each}
    attacks = say(", ").join(names.called(text, "released") for text in result.plan.attacks)
    game = game_in_words(
        say("Can an attacker tell from the released file alone whether a person is in the real table?"),
        knows=say(KNOWS),
        hypothesis=say("no attack tells the two apart better than guessing (AUC 0.50)"),
        more={say("Attacks"): attacks},
        counts=_side_counts(result),
    )
    return (
        finding(
            run,
            names,
            sentence=findings.sentence(result),
            **findings.plain(result),
            game=(*game, *_second(result)),
            measured=measured,
            estimates=tuple(map(names.estimate, result.estimates)),
            limits=tuple(map(say, findings.LIMITS)),
            extra=(
                *(line.text for line in panel_lines(result, names)),
                *people.lines(result.named, names.count),
                *(() if result.has_holdout else path()),
            ),
            for_whom=for_whom.read(run.result, names),
            at_risk=people.list_people(result.records, aucs, names, lambda name: names.called(name, "released")),
        ),
    )


def _second(result: ReleasedResult) -> tuple[tuple[str, str], ...]:
    """What there is of a second table, and who looks at it; nothing where there is none."""
    rows = result.counts.second
    if not rows:
        return ()
    looked = say(
        "{real:,} rows of members, {synthetic:,} of the release and {holdout:,} of the holdout, joined to people "
        "by a key; tested by themselves (children alone), together with the first table (mixed), and not at all "
        "(parent alone)",
        real=rows["real"],
        synthetic=rows.get("synthetic", 0),
        holdout=rows.get("holdout", 0),
    )
    return ((say("The second table"), looked),)


def _side_counts(result: ReleasedResult) -> str:
    """How many of what either side has."""
    sides, several = result.counts.sides, result.counts.several
    n_in, n_out = (0, 0) if sides is None else (sides.n_in, sides.n_out)
    if several is not None:
        return say(
            "{n_in:,} members and {n_out:,} others, each with all of their rows (up to {most:,}; a person's score "
            "is the {of_person} of their rows)",
            n_in=n_in,
            n_out=n_out,
            most=several.most_rows,
            of_person=result.plan.of_person,
        )
    return say("{n_in:,} members' records and {n_out:,} of others", n_in=n_in, n_out=n_out)
