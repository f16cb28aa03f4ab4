"""What a comparison of two releases says, in words: every surface shows these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskkit import wording
from riskkit.audit.comparison import NOT_COMPARED, ONLY_ONE, AuditSide, ComparedAudits, ComparedQuestion
from riskkit.core import Estimate
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import Verdict
from riskkit.language import Readings, again, counted, joined, phrase, say
from riskkit.report.lines import line as line_of
from riskkit.show.model import GiveAwayLine
from riskkit.show.pairs import HIGHER, LOWER, NOT_SHOWN, SOME_HIGHER, Paired
from riskkit.stats.same import Moved

CHANGES: Mapping[str, tuple[str, str]] = Readings(
    {
        LOWER: ("↓", phrase("Lower")),
        HIGHER: ("↑", phrase("Higher")),
        SOME_HIGHER: ("⇅", phrase("Higher in part")),
        NOT_SHOWN: ("·", phrase("No difference shown")),
        NOT_COMPARED: ("·", phrase("No difference shown")),
        ONLY_ONE: ("·", phrase("Asked of one alone")),
    }
)
"""Arrow and word of each change; of every measure, lower means that less is given away."""
EACH = phrase("By chance alone, about one in twenty seems to differ.")
OTHER_HOLDOUT = phrase(
    "The two audits have different holdouts, so no person outside the data is in both: only intervals that lie "
    "apart are distinguished."
)


def summary(compared: ComparedAudits) -> tuple[str, ...]:
    """Whether the second release is better and whether it is safe; then by what, and what still leaks, in sentences.

    Better or worse is said of what the files show by themselves: of many tests, one in twenty differs by chance.
    """
    states = compared.by_file()
    nothing = (None, State.NOT_SHOWN)  # where it was not looked for, neither file is the better one
    gone = [code for code, pair in states.items() if pair[0] is State.SHOWN and pair[1] in nothing]
    new = [code for code, pair in states.items() if pair[1] is State.SHOWN and pair[0] in nothing]
    still = [code for code, pair in states.items() if pair[1] is State.SHOWN and pair[0] not in nothing]
    open_ones = [code for code, pair in states.items() if pair[1] is State.OPEN]
    leaks = [line.title for line in compared.questions if line.after.shows_leak]
    verdicts = (line.after.judgement.verdict for line in compared.questions if line.after.judgement is not None)
    tests, asked = sum(verdict is not Verdict.DESCRIBED for verdict in verdicts), sentence(compared)
    is_worse = bool(new or compared.count(HIGHER, SOME_HIGHER))
    if gone and is_worse:
        first = say("B is better in one way and worse in another.")
    elif new:
        first = say("B is worse.")
    elif gone and (still or leaks or compared.uncured):
        first = say("B is better, not safe.")
    elif gone and open_ones:
        first = say("B is better; whether it is safe is open.")
    elif gone:
        many = counted(
            tests, "B is better: {n:,} test found no leak in it.", "B is better: {n:,} tests found no leak in it."
        )
        first = many if tests else say("B is better. No test of it has finished yet.")
    else:
        first, asked = asked, ""
    parts = _of_files(gone, new, still, open_ones)
    if leaks:
        parts.append(say("Tests show a leak in B: {questions}.", questions=joined(leaks)))
    if compared.uncured:
        parts.append(method_leaks(compared.uncured))
    if compared.count(LOWER, HIGHER, SOME_HIGHER):
        asked = f"{asked} {again(EACH)}".strip()
    return tuple(filter(None, (first, *parts, asked)))


def _of_files(gone: Sequence[str], new: Sequence[str], still: Sequence[str], open_ones: Sequence[str]) -> list[str]:
    """What the second file exposes people by no longer, since the change, still, or perhaps."""
    names = [joined(map(inside, codes)) for codes in (gone, new, still, open_ones)]
    return [
        say("Its file no longer exposes people by: {what}.", what=names[0]) if gone else "",
        say("Its file now exposes people by: {what}.", what=names[1]) if new else "",
        say("Its file exposes people by: {what}.", what=names[2]) if still else "",
        say("Its file may expose people by: {what}.", what=names[3]) if open_ones else "",
    ]


def sentence(compared: ComparedAudits) -> str:
    """In how many questions the second release shows less, more, or no difference; one method has none by itself."""
    of_method = sum(line.is_of_method for line in compared.questions)
    alike = compared.count(NOT_SHOWN, NOT_COMPARED) - of_method
    parts = [
        say("less in {n}", n=compared.count(LOWER)) if compared.count(LOWER) else "",
        say("more in {n}", n=compared.count(HIGHER)) if compared.count(HIGHER) else "",
        say("more in part in {n}", n=compared.count(SOME_HIGHER)) if compared.count(SOME_HIGHER) else "",
        say("no difference in {n}", n=alike) if alike else "",
    ]
    changes = joined(filter(None, parts))
    if not changes and of_method:
        return say("Both were asked about their method alone, which is the same.")
    if not changes:
        return say("No question was asked of both releases yet.")
    many = counted(
        compared.count(LOWER, HIGHER, SOME_HIGHER) + alike,
        "Of the {n} question that both were asked",
        "Of the {n} questions that both were asked",
    )
    if of_method:
        many = say("{many} beside those about one method", many=many)
    return say("{many}, release B shows {told}.", many=many, told=changes)


def inside(code: str) -> str:
    """The name of a give-away within a sentence."""
    return GIVE_AWAYS[code][:1].lower() + GIVE_AWAYS[code][1:]


def method_leaks(titles: Sequence[str]) -> str:
    """What a repair of the file does not cure; empty where nothing was shown of its method."""
    if not titles:
        return ""
    return say(
        "Before this repair, leaks of the method were shown by: {questions}. The new file is not asked this, and "
        "changing a file does not cure its method.",
        questions=joined(titles),
    )


def line(line: ComparedQuestion) -> str:
    """A question in a sentence: the difference, on whom, and what it allows for."""
    if line.change == ONLY_ONE:
        which = "A" if line.before.estimate is not None else "B"
        return say("Only release {which} was asked.", which=which)
    if line.side_in_doubt is not None:
        which = "A" if line.side_in_doubt is line.before else "B"
        return say("Release {which} cannot be called lower. {why}", which=which, why=line.side_in_doubt.gap)
    if line.pairs:
        more = next((each for each in line.pairs[1:] if line.change == SOME_HIGHER and each.change == HIGHER), None)
        return " ".join(map(pair, line.pairs[:1] if more is None else (line.pairs[0], more)))
    if not line.is_alike:
        return say("The two were asked with different settings, so their numbers are not compared.")
    if line.change == NOT_COMPARED:
        return say("The two intervals overlap.")
    word = CHANGES[line.change][1].lower()
    return say("The two intervals lie apart: B is {word}.", word=word)


def pair(paired: Paired) -> str:
    """One difference on the same people; of a share of them also how many they are."""
    estimate, looks = paired.estimate, say("; corrected for {looks:,}", looks=paired.looks) if paired.looks > 1 else ""
    size = paired.turned().estimate if estimate.high < 0 else estimate
    if paired.is_of_hits and paired.change != NOT_SHOWN:
        many = {
            "n": estimate.n,
            "people": round(size.value * estimate.n),
            "points": wording.points_in_tenths(size),
            "who": paired.who,
            "looks": looks,
        }
        if estimate.high < 0:
            return say("Of the same {n:,} people {people:,} fewer are guessed right: {points} ({who}{looks}).", **many)
        return say("Of the same {n:,} people {people:,} more are guessed right: {points} ({who}{looks}).", **many)
    if estimate.low > 0:
        change = say("Higher by {amount}", amount=amount(size))
    elif estimate.high < 0:
        change = say("Lower by {amount}", amount=amount(size))
    else:
        change = say("No difference shown: {amount}", amount=amount(size))
    return say(
        "{change} ({how}{looks}).", change=change, how=say("{of}, {who}", of=paired.of, who=paired.who), looks=looks
    )


def amount(size: Estimate) -> str:
    """``0.12 [0.08, 0.16]``, with a sign where it may be of either, and with a digit more where an end would read 0."""
    value, low, high = size.value, size.low, size.high
    small = any(0 < abs(end) < 0.005 for end in (value, low, high)) and (low > 0 or high < 0)
    digits = f"{'+' if low <= 0 <= high else ''}.{3 if small else 2}f"
    return f"{value:{digits}} [{low:{digits}}, {high:{digits}}]"


def movers_in_words(counts: Moved, limit: float) -> str:
    """Who moved over the limit and under it."""
    return say(
        "Of {records} in both, {before:,} lay above {limit:.2f} and {after:,} do now: {under:,} moved under it and "
        "{over:,} over it, {shown_under:,} and {shown_over:,} of them by more than chance.",
        records=counted(counts.records, "{n:,} record", "{n:,} records"),
        before=counts.above_before,
        after=counts.above_after,
        limit=limit,
        under=counts.under,
        over=counts.over,
        shown_under=counts.under_shown,
        shown_over=counts.over_shown,
    )


def give_away(before: GiveAwayLine | None, after: GiveAwayLine | None) -> tuple[str, str]:
    """How a give-away stands in A and in B."""
    states = {
        State.SHOWN: say("exposes people"),
        State.OPEN: say("may expose people"),
        State.NOT_SHOWN: say("nothing found"),
        State.TOO_SMALL: say("too few rows"),
    }
    first, second = (say("not there") if side is None else states[side.state] for side in (before, after))
    return first, second


GIVE_AWAYS: Mapping[str, str] = Readings(
    row_order=phrase("Order of the rows"),
    copies=phrase("Copied rows"),
    recoded_copies=phrase("Copied rows with renumbered values"),
    near_copies=phrase("Rows nearly copied"),
    gaps=phrase("Rows that keep away from people"),
    crowd=phrase("Rows that crowd about one person"),
    values=phrase("Single values of one person alone"),
    near_values=phrase("Numbers of one person alone, moved, scaled or rounded"),
    child_order=phrase("Order of people in the second table"),
    child_row_order=phrase("Order of a person's rows in the second table"),
    child_rows=phrase("Copied rows of the second table"),
    child_bags=phrase("People copied with all rows of the second table"),
    identifiers=phrase("Identifiers"),
    texts=phrase("Texts of people"),
    unseen=phrase("All that could not be checked"),
)
"""What people call each give-away."""


def _is_of_hits(line: ComparedQuestion) -> bool:
    """Whether the change is that of how many of the same people are guessed right."""
    return line.change in (LOWER, HIGHER) and bool(line.pairs) and line.pairs[0].is_of_hits


def change(line: ComparedQuestion) -> str:
    """Arrow and word; by how much where neither release has a number of that measure beside it."""
    word = " ".join(CHANGES[line.change])
    if line.is_of_method:
        return say("Same method")
    if not _is_of_hits(line):
        return word
    first = line.pairs[0]
    size = first if first.estimate.value > 0 else first.turned()
    return say("{change}: {points}", change=word, points=wording.points_in_tenths(size.estimate))


def numbers(line: ComparedQuestion) -> tuple[str, str]:
    """The number that either verdict stands on, with its interval; shares where the difference is of these."""
    if _is_of_hits(line):
        return _guessed(line.before), _guessed(line.after)
    first, second = (
        "–" if side.answer is None or side.estimate is None else line_of(side.answer)[3]
        for side in (line.before, line.after)
    )
    return first, second


def _guessed(side: AuditSide) -> str:
    """The share of members who are guessed right in a release; empty where the question has no picture of it."""
    chart = None if side.answer is None or side.answer.finding is None else side.answer.finding.chart
    shares = [bar.estimate.value for bar in (() if chart is None else chart.bars) if bar.kind == "members"]
    return say("{share} of members", share=wording.tenths(shares[0])) if shares else ""


def notes(compared: ComparedAudits) -> tuple[str, ...]:
    """What must be said beside a comparison."""
    sentences = []
    if of_method := [line.title for line in compared.questions if line.is_of_method]:
        questions = wording.and_joined(of_method)
        sentences.append(say("{questions}: this measures the method, which is the same for both.", questions=questions))
    if compared.left_out:
        people = counted(compared.left_out, "{n:,} person is", "{n:,} people are")
        sentences.append(say("{people} in one real table alone; differences are of everybody else.", people=people))
    if not compared.has_same_holdout:
        sentences.append(again(OTHER_HOLDOUT))
    if compared.before.limits != compared.after.limits:
        sentences.append(say("The two audits have different limits, and each verdict is by its own."))
    return tuple(sentences)
