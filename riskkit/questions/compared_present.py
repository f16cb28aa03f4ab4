"""What is said and shown of members beside people who were not in, of whatever rules named them.

:func:`read` makes the finding of a run and :func:`view` its blocks, from the words that are a question's own;
:mod:`riskkit.questions.compared` counts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from riskkit import language
from riskkit.core import Estimate
from riskkit.games.mixture import EXCHANGED
from riskkit.judging.measurement import ENDS, Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import counted, say
from riskkit.questions.compared import ComparedResult, Judged, Planted, ShownLook, again
from riskkit.show import for_whom
from riskkit.show.blocks import Column, Columns, Group, Numbers, tabulate
from riskkit.show.model import AtRisk, Block, Chart, Played, RunFinding, sides
from riskkit.show.names import Names
from riskkit.show.run_finding import finding, game_in_words
from riskkit.stats.multiplicity import p_of_interval
from riskkit.wording import share_in_tenths, tenths

NO_HOWS: Mapping[str, str] = {}
"""A question with one method for every look."""
LETTERS = 60
"""Of what stands over a picture, at most; the table has what is longer."""


@dataclass(frozen=True, slots=True, eq=False)
class LookRow:
    """One look as it was kept, as the reader may see it: share of members, of others, and the one less the other."""

    known: str
    members: Estimate
    others: Estimate
    residual: Estimate
    how: str = ""

    @property
    def values(self) -> Mapping[str, str]:
        """Both shares in words, without their intervals."""
        return {"members": tenths(self.members.value), "others": tenths(self.others.value)}

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All three."""
        return self.members, self.others, self.residual


@dataclass(frozen=True, slots=True)
class ComparedWords:
    """What a question of this kind says in words of its own, with the numbers of its strongest look in their places.

    ``shown`` says that more members than others are named, ``not_shown`` that this is not shown, and ``nothing`` that
    it could not be measured; ``plain`` says both shares in one breath, and ``done`` what is done to those people.
    ``axis`` is that of its picture, and ``limits`` what such a result does not show.
    """

    question: str
    knows: str
    hypothesis: str
    nothing: str
    shown: str
    not_shown: str
    plain: str
    done: str
    axis: str
    limits: tuple[str, ...]

    def sentence(self, every: Sequence[LookRow], **values: object) -> str:
        """What was found, in one sentence."""
        if not every:
            return say(self.nothing)
        best = every[0]
        text = self.shown if best.residual.low > 0 else self.not_shown
        shares = {"members": share_in_tenths(best.members), "others": share_in_tenths(best.others)}
        return say(text, known=best.known, **shares, **values)

    def in_one_breath(self, every: Sequence[LookRow], measured: Measured, **values: object) -> tuple[str, str]:
        """The same by the number that the judge takes, which stands beside it, and briefly; nothing without one."""
        if not every or measured.strongest is None:
            return "", ""
        shares = every[0].values
        brief = say("{done}: members {members}, others {others}.", done=language.again(self.done), **shares)
        return say(self.plain, **{"known": every[0].known, **shares, **values}), brief


def read(
    run: Played,
    names: Names,
    result: ComparedResult,
    words: ComparedWords,
    *,
    worlds: str = "",
    hows: Mapping[str, str] = NO_HOWS,
    what_if: str = "",
    **values: object,
) -> tuple[RunFinding, ...]:
    """The finding of a finished run.

    Parameters
    ----------
    worlds
        What is fixed and what is random, where that is not the release as it is.
    hows
        The words of the codes of methods.
    what_if
        What would have to be otherwise for it to be about this release.
    values
        What the words name beside the numbers of a look.
    """
    every = answers(result, names, hows)
    counts = result.counts
    counted_are = say(
        "{n_members:,} members and {n_holdout:,} others, by {looks}",
        n_members=counts.n_members,
        n_holdout=counts.n_holdout,
        looks=counted(counts.looks, "{n:,} test", "{n:,} tests"),
    )
    strongest, measured = result.judged.get("strongest"), measure(result, names, hows)
    exposed = _exposed_members(result, names, every)
    plain, brief = words.in_one_breath(every, measured, **values)
    is_shown = measured.strongest is not None and measured.strongest.low > measured.guess
    rest = result.estimates[3 * len(every) :]
    return (
        finding(
            run,
            names,
            sentence=words.sentence(every, **values),
            game=game_in_words(
                say(words.question),
                compared=worlds,
                knows=say(words.knows, **values),
                hypothesis=say(words.hypothesis),
                counts=counted_are,
            ),
            measured=measured,
            plain=plain,
            brief=brief,
            estimates=(*(each for answer in every for each in answer.estimates), *map(names.estimate, rest)),
            limits=language.again(words.limits),
            for_whom=for_whom.read(
                run.result, names, about="" if strongest is None else _look_title(strongest, names, hows)
            ),
            at_risk=exposed,
            named=_named_people(result, is_shown=is_shown) if exposed else "",
            what_if=what_if,
        ),
    )


def answers(result: ComparedResult, names: Names, hows: Mapping[str, str] = NO_HOWS) -> tuple[LookRow, ...]:
    """What is shown of a result, the strongest first; ``hows`` are the words of the codes of methods."""
    out: list[LookRow] = []
    seen: Counter[str] = Counter()
    for number, look in enumerate(result.shown):
        known = _look_title(look, names, hows)
        seen[known] += 1
        if seen[known] > 1:  # several sets of as many columns, of which a reader may be told no more
            known = f"{known} ({seen[known]})"
        shares = result.estimates[3 * number : 3 * number + 3]
        members, others, residual = (names.estimate(share).label(known=known) for share in shares)
        out.append(LookRow(known, members, others, residual, look.how))
    return tuple(out)


def _look_title(look: ShownLook | Judged, names: Names, hows: Mapping[str, str]) -> str:
    """The columns of a look, as the reader may see them, and its method."""
    known = names.known(again(look.known, look.columns), look.columns)
    return say("{known} ({how})", known=known, how=say(hows[look.how])) if look.how in hows else known


def measure(result: ComparedResult, names: Names, hows: Mapping[str, str] = NO_HOWS) -> Measured:
    """What the judge takes: the look with the highest lower end and that with the highest upper end."""
    judged = {
        which: names.estimate(look.residual).label(known=_look_title(look, names, hows))
        for which, look in result.judged.items()
    }
    strongest = judged.get("strongest")
    reasons: tuple[Reason, ...] = ()
    blind = result.blind
    if strongest is not None and blind.apart and blind.auc is not None:
        strongest = _beyond(strongest, blind.auc, result.judged["strongest"].span)
        reasons = (Reason("sides_differ_too" if strongest.low > 0 else "sides_differ"),)
    return Measured(
        scale="excess",
        guess=0.0,
        strongest=strongest,
        widest=judged.get("widest"),
        who="" if strongest is None else strongest.labels["known"],
        looks=result.counts.looks,
        control=_control(result.control),
        unit="record",
        lowest=judged.get("lowest"),
        reasons=reasons,
        chance=None if strongest is None else partial(_chance, () if reasons else result.shown, strongest),
    )


def _chance(tested: Sequence[ShownLook], strongest: Estimate, bar: float) -> float:
    """The chance that any look names so many more members, were none above the bar: as tested, where the bar is 0.

    The intervals of all looks hold together.
    """
    if bar == 0 and tested:
        return min(look.p for look in tested)
    return p_of_interval(strongest, bar, ends=ENDS["excess"])


def _beyond(strongest: Estimate, blind: Estimate, span: float) -> Estimate:
    """What is left of it where the sides are told apart without the release.

    A rule that names people has an AUC of one half and half the difference of its two shares; of that counts what goes
    beyond the AUC without the release. Where a person counts up to ``span`` times as much as others, so does that.
    """
    less = [span * max(2 * end - 1, 0.0) for end in (blind.value, blind.high)]
    return replace(
        strongest,
        value=strongest.value - less[0],
        low=strongest.low - less[1],
        method=f"{strongest.method}, less what is told apart without the release",
    )


def _control(control: Planted) -> Control:
    planted = control.residual
    if planted is None:
        return Control.none(say("No leak could be planted to see whether it would be found."))
    sentence = say(
        "Of {people:,} people outside the data, {copies:,} were planted in this very release, with {changed} of "
        "their values changed; the difference is then {planted}.",
        people=control.people or 0,
        copies=control.copies,
        changed=tenths(EXCHANGED),
        planted=planted,
    )
    return Control(True, planted.low, sentence, planted)


def table(every: Sequence[LookRow]) -> Numbers:
    """A line for each test that is shown."""
    columns: Columns[LookRow] = {
        Column("known", say("Test"), width=2.6): lambda look: look.known,
        Column("members", say("Members"), written=share_in_tenths): lambda look: look.members,
        Column("others", say("Others"), written=share_in_tenths): lambda look: look.others,
        Column("difference", say("Difference"), written=share_in_tenths): lambda look: look.residual,
    }
    return tabulate("test_by_test", say("Members and others, test by test"), every, columns)


def chart(every: Sequence[LookRow], words: ComparedWords) -> Chart | None:
    """Members, others and their difference of the look that the sentence is about; none where none was measured."""
    if not every:
        return None
    best = every[0]
    is_shown = best.residual.low > 0
    return Chart(
        say("More members than others, beyond chance") if is_shown else say("Chance can explain the difference"),
        say(words.axis),
        language.again(sides(best.known if len(best.known) <= LETTERS else "", *best.estimates)),
        None,
        as_shares=True,
    )


def view(
    result: ComparedResult, names: Names, words: ComparedWords, caption: str = "", hows: Mapping[str, str] = NO_HOWS
) -> tuple[Block, ...]:
    """What is shown of the looks, block by block: the picture, and a table with ``caption`` under it."""
    every = answers(result, names, hows)
    drawn = chart(every, words)
    if drawn is None:
        return ()
    return drawn, Group("tests", say("Test by test"), (table(every),), is_folded=True, caption=caption)


def _named_people(result: ComparedResult, *, is_shown: bool) -> str:
    """How many members and others the strongest look names, and whether that is beyond chance."""
    counts, strongest = result.counts, result.shown[0]
    figures = say(
        "{members:,} of {n_members:,} members and {others:,} of {n_holdout:,} others by the strongest test",
        members=strongest.members,
        n_members=counts.n_members,
        others=strongest.holdout,
        n_holdout=counts.n_holdout,
    )
    if is_shown:
        return figures
    tests = counted(counts.looks, "{n:,} test", "{n:,} tests")
    return say("{figures}: too few to tell from chance, with {tests} tried", figures=figures, tests=tests)


def _exposed_members(result: ComparedResult, names: Names, every: Sequence[LookRow]) -> tuple[AtRisk, ...]:
    """Members by row and the first look that names each, for those who may see rows; luck names some of them too."""
    if not names.tells:
        return ()
    first: dict[int, LookRow] = {}
    for named, answer in zip(result.records, every, strict=False):
        for row in named.row.tolist():
            first.setdefault(row, answer)
    return tuple(AtRisk(say("record {row}", row=row), look.known, look.residual) for row, look in first.items())
