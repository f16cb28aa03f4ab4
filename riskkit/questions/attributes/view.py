"""What a page, a report and a notebook show of guessed secrets, block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import Readings, counted, kept, say
from riskkit.questions.attributes import findings, words
from riskkit.questions.attributes.findings import AttributesFinding, GroupGains, SecretAnswer, SweepCell
from riskkit.questions.attributes.result import AttributesResult
from riskkit.questions.attributes.tables import key_of, tables
from riskkit.show.blocks import Column, Grid, Group, Numbers, Sentence, mapped
from riskkit.show.model import Bar, Block, Chart
from riskkit.show.names import Names
from riskkit.wording import shortened

NAME = 40
"""Letters of a name in a sentence over a picture."""
UNBOUNDED = ("log_loss", "mae", "r2")
"""Measures that are no share."""
AXES: Mapping[str, str] = Readings(
    {
        "accuracy": kept("Share of people guessed rightly"),
        "within": kept("Share of people guessed within the tolerance"),
        "log_loss": kept("Log loss (natural logarithm; less is better for the attacker)"),
        "r2": kept("R² (share of the spread explained)"),
    }
)
GAINED: Mapping[str, str] = {
    "delta": say("the release lifts the guess above the baseline"),
    "residual": say("being in makes it easier to guess"),
}
"""What a gain of the sweep says."""
SIGNS: Mapping[str, str] = {
    "delta": say("the whole interval lies above 0"),
    "residual": say("a leak about members is shown"),
}
"""What a sign in a field of the sweep says."""


def view(result: AttributesResult, names: Names) -> tuple[Block, ...]:
    """Everything, in the order of the page, about the secret that the sentence is about."""
    every = findings.read(result)
    return shown(every, names, findings.foremost(every.answers))


def shown(every: AttributesFinding, names: Names, place: int) -> tuple[Block, ...]:
    """The answer at that place, the sweep, and the numbers of all other answers, for files."""
    answers = every.answers
    if not answers:
        blocks = [*_sweep(every.sweep, names)]
    else:
        drawn = [(*_pictures(answer, number, names),) for number, answer in enumerate(answers, 1)]
        listed = [(*tables(answer, number, names),) for number, answer in enumerate(answers, 1)]
        blocks = [*drawn[place], *_sweep(every.sweep, names), *listed[place]]
        others = [(*drawn[other], *listed[other]) for other in range(len(answers)) if other != place]
        if others:
            title = say("The other secrets and known sets")
            blocks.append(Group("others", title, tuple(chain(*others)), is_folded=True, on_paper=False))
    each = labelled(answers, names)
    return tuple(mapped(block, each) for block in blocks)


def labelled(answers: Sequence[SecretAnswer], names: Names) -> Callable[[Estimate], Estimate]:
    """Each number with labels that the reader may see; a known set that was asked about says how many columns it is."""
    known = {answer.known: names.known(answer.known, answer.columns) for answer in answers}

    def each(estimate: Estimate) -> Estimate:
        text = estimate.labels.get("known")
        named = names.estimate(estimate)
        return named if text is None or names.tells else named.labelled(known=known.get(text, names.known(text)))

    return each


# --------------------------------------------------------------------------------------------------------------
# Pictures


def _pictures(answer: SecretAnswer, number: int, names: Names) -> Iterator[Block]:
    """The four bars of the share of right guesses; groups of people, whose names are for those who may see rows."""
    if answer.measures:
        yield bars(answer, answer.measure, names, key_of("bars", number))
    if names.tells:
        for place, groups in enumerate(answer.groups, 1):
            yield from _groups(groups, key_of(f"groups {place}", number))


def bars(answer: SecretAnswer, measure: str, names: Names, key: str = "bars") -> Chart:
    """Baseline, control, members and ceiling of one measure with their intervals, from top to bottom."""
    rows = answer.bars(measure)
    ends = [0.0, *(end for _, each in rows for end in (each.low, each.high))]
    return Chart(
        _lifted(answer, measure, names),
        _axis(answer, measure, names),
        tuple(Bar(words.SAID[side], estimate, side) for side, estimate in rows),
        None,
        (min(ends), 1.05 * max(0.1, *ends) if measure in UNBOUNDED else 1.0),
        key=key,
        caption=words.GLOSSARY[measure],
        as_bars=True,
    )


def _axis(answer: SecretAnswer, measure: str, names: Names) -> str:
    if measure == "mae":
        secret = shortened(names.column(answer.secret), NAME)
        return say("Mean error in the unit of {label} (less is better for the attacker)", label=secret)
    return AXES.get(measure) or say("{measure} (no unit)", measure=words.TITLES[measure])


def _lifted(answer: SecretAnswer, measure: str, names: Names) -> str:
    """Whether the release lifts the guess, and whether people in it are easier to guess: by what the verdict stands on.

    Nothing of the latter where they are easier to guess without the release too.
    """
    known = dict(answer.bars(measure))
    secret = shortened(names.column(answer.secret), NAME)
    if measure != answer.measure or not {"members", "baseline"} <= set(known):
        return say("{measure} of {secret}, with its intervals", measure=words.TITLES[measure], secret=secret)
    gain, about = answer.contrast("delta"), {"secret": secret, "baseline": known["baseline"].value}
    lifted = say("The release does not clearly lift the guess of {secret} above {baseline:.2f}", **about)
    if gain is not None and gain.low > 0:
        lifted = say("The release lifts the guess of {secret} above {baseline:.2f}", **about)
    if answer.compared.residual is None or answer.compared.is_easier_anyway:
        return lifted
    if answer.is_shown:
        return say("{lifted}; people in it are easier to guess than others", lifted=lifted)
    return say("{lifted}; people in it are not seen to be easier to guess than others", lifted=lifted)


def _groups(groups: GroupGains, key: str) -> Iterator[Block]:
    """The comparison in each group; under the worst one, the interval that allows for having looked at them all."""
    refused = counted(
        groups.refused,
        "{n:,} group by {column} is too small for a number.",
        "{n:,} groups by {column} are too small for a number.",
        column=groups.column,
    )
    drawn = tuple(_group_bars(groups))
    if drawn:
        lows, highs = [bar.estimate.low for bar in drawn], [bar.estimate.high for bar in drawn]
        ends = min(0.0, math.floor(10 * min(lows)) / 10), max(0.1, math.ceil(10 * max(highs)) / 10)
        axis = say("{measure} (no unit)", measure=words.CONTRASTS[groups.name])
        caption = refused if groups.refused else ""
        yield Chart(_of_groups(groups), axis, drawn, 0.0, ends, key=key, caption=caption)
    elif groups.refused:
        yield Sentence(key, refused)


def _group_bars(groups: GroupGains) -> Iterator[Bar]:
    worst = groups.worst
    for estimate in sorted(groups.each, key=lambda each: -each.value):
        name = estimate.labels["group"]
        if worst is None or worst.labels["group"] != name:
            yield Bar(name, estimate)
        else:
            sign = say(" · highest lower end ▲") if worst.low > 0 else say(" · highest lower end")
            yield Bar(f"{name}{sign}", estimate)
            yield Bar(say("{name}, allowing for all groups", name=name), worst)


def _of_groups(groups: GroupGains) -> str:
    measure, column = words.CONTRASTS[groups.name], shortened(groups.column, NAME)
    what = say("{measure} by {column}", measure=measure, column=column)
    looked = counted(len(groups.each), "{n:,} group", "{n:,} groups")
    if groups.worst is None:
        return say("{what}: no group has a number", what=what)
    if groups.worst.low <= 0:
        return say("{what}: no group lies above 0, allowing for {looked}", what=what, looked=looked)
    return say(
        "{what}: {name} has the highest lower end and lies above 0, allowing for {looked}: {number}",
        what=what,
        name=shortened(groups.worst.labels["group"], NAME),
        looked=looked,
        number=wording.number(groups.worst),
    )


# --------------------------------------------------------------------------------------------------------------
# The sweep


def _sweep(cells: Sequence[SweepCell], names: Names) -> Iterator[Block]:
    """Every secret with every known set: a map of each gain that has a number, and a table."""
    if not cells:
        return
    there = [what for what in GAINED if any(getattr(cell, what) for cell in cells)]
    maps: list[Block] = [grid(cells, what, names) for what in there]
    if maps:
        maps.append(Group("sweep_table", say("The sweep as a table"), (_swept(cells, names),), is_folded=True))
    else:
        maps.append(Sentence("sweep", say("No field of the sweep has a number; the notes say why.")))
    yield Group("sweep", say("Every column in turn"), tuple(maps))


def _sets(cells: Sequence[SweepCell], names: Names) -> dict[str, str]:
    """What each known set of the sweep is called; by their places for those who may not see columns."""
    sets = dict.fromkeys(cell.known for cell in cells)
    return {
        known: names.known(known) if names.tells else say("known set {place}", place=place)
        for place, known in enumerate(sets, 1)
    }


def grid(cells: Sequence[SweepCell], what: str, names: Names) -> Grid:
    """``delta`` or ``residual`` of every secret (down) and known set (across)."""
    secrets, sets = tuple(dict.fromkeys(cell.secret for cell in cells)), _sets(cells, names)
    cell_of = {(cell.secret, cell.known): cell for cell in cells}
    fields = [[cell_of.get((secret, known)) for known in sets] for secret in secrets]
    return Grid(
        what,
        _most_gained(cells, what, names),
        words.CONTRASTS[what],
        say("Known to the attacker"),
        tuple(map(names.column, secrets)),
        tuple(_sets(cells, names).values()),
        tuple(tuple(None if cell is None else getattr(cell, what) for cell in row) for row in fields),
        tuple(tuple(cell is not None and cell.marked(what) for cell in row) for row in fields),
        SIGNS[what],
        tuple(tuple(cell is not None and cell.is_shown for cell in row) for row in fields),
        tuple(tuple(_field(cell, names) for cell in row) for row in fields),
        f"{words.GLOSSARY[what]} {words.MARKED[what]}",
    )


def _field(cell: SweepCell | None, names: Names) -> str:
    """What is known in that field and why it has no number where it has none: free texts, which may name columns."""
    if cell is None:
        return say("not asked")
    columns = shortened(names.known(cell.columns), 2 * NAME)
    return names.told("; ".join(filter(None, (say("known: {columns}", columns=columns), cell.refusal))))


def _most_gained(cells: Sequence[SweepCell], what: str, names: Names) -> str:
    there = [(cell, getattr(cell, what)) for cell in cells if getattr(cell, what) is not None]
    cell, most = max(there, key=lambda pair: pair[1].value)
    return say(
        "In {above} of {fields} {named}; most for {secret}: {number}",
        above=sum(cell.marked(what) for cell, _ in there),
        fields=counted(len(there), "{n:,} field", "{n:,} fields"),
        named=GAINED[what],
        secret=shortened(names.column(cell.secret), NAME),
        number=wording.number(most),
    )


def _swept(cells: Sequence[SweepCell], names: Names) -> Numbers:
    gains = tuple(Column(what, words.CONTRASTS[what], words.GLOSSARY[what]) for what in GAINED)
    known = _sets(cells, names)
    return Numbers(
        "sweep",
        say("Every field of the sweep with its intervals"),
        (Column("secret", say("Secret")), Column("known", say("Known"), width=2), *gains),
        tuple(
            (
                names.column(cell.secret),
                names.known(cell.columns) if names.tells else known[cell.known],
                cell.delta,
                cell.residual,
            )
            for cell in cells
        ),
        alt=say("Every field of the sweep with its intervals"),
    )
