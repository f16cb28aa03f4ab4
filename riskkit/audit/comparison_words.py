"""What a comparison of two releases says, in words: every surface shows these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskkit import wording
from riskkit.audit.comparison import NOT_COMPARED, ONLY_ONE, ComparedAudits, ComparedQuestion
from riskkit.judging.give_aways import State
from riskkit.language import Readings, again, counted, joined, phrase, say
from riskkit.show.model import GiveAwayLine
from riskkit.show.pairs import HIGHER, LOWER, NOT_SHOWN, SOME_HIGHER, Paired
from riskkit.stats.same import Moved

CHANGES: Mapping[str, tuple[str, str]] = Readings(
    {
        LOWER: ("↓", phrase("Lower")),
        HIGHER: ("↑", phrase("Higher")),
        SOME_HIGHER: ("⇅", phrase("Higher in part")),
        NOT_SHOWN: ("→", phrase("No difference shown")),
        NOT_COMPARED: ("·", phrase("No difference shown")),
        ONLY_ONE: ("·", phrase("Asked of one alone")),
    }
)
"""Arrow and word of each change; of every measure, lower means that less is given away."""
EACH = phrase("Where nothing differs, about one question in twenty seems to differ by chance alone.")
OTHER_HOLDOUT = phrase(
    "The two audits have different holdouts, so no person outside the data is in both: only intervals that lie "
    "apart are distinguished."
)


def sentence(compared: ComparedAudits) -> str:
    """What it comes to: in how many questions the second release shows less, more, or no difference."""
    alike = compared.count(NOT_SHOWN) + compared.count(NOT_COMPARED)
    parts = [
        say("less in {n}", n=compared.count(LOWER)) if compared.count(LOWER) else "",
        say("more in {n}", n=compared.count(HIGHER)) if compared.count(HIGHER) else "",
        say("more in part in {n}", n=compared.count(SOME_HIGHER)) if compared.count(SOME_HIGHER) else "",
        say("no difference in {n}", n=alike) if alike else "",
    ]
    changes = joined(filter(None, parts))
    if not changes:
        return say("No question was asked of both releases yet.")
    many = counted(
        compared.count(LOWER) + compared.count(HIGHER) + compared.count(SOME_HIGHER) + alike,
        "Of the {n} question that both were asked",
        "Of the {n} questions that both were asked",
    )
    return say("{many}, release B shows {told}.", many=many, told=changes)


def by_themselves(compared: ComparedAudits) -> str:
    """Which of the two files exposes people before any test is run, and by what; empty where neither does."""
    shown: list[list[str]] = [[], []]
    for pair_of_lines in compared.give_aways:
        for names, line in zip(shown, pair_of_lines, strict=True):
            if line is not None and line.state is State.SHOWN:
                names.append(GIVE_AWAYS[line.code][:1].lower() + GIVE_AWAYS[line.code][1:])
    before, after = (wording.and_joined(dict.fromkeys(names)) if names else "" for names in shown)
    if before and after:
        return say("Both files expose people by themselves. A: {before}. B: {after}.", before=before, after=after)
    side = compared.after if before else compared.before
    if (before or after) and any(line.state is State.OPEN for line in side.give_aways):
        if before:
            return say("File A exposes people by itself ({what}). File B may expose people, too.", what=before)
        return say("File B exposes people by itself ({what}). File A may expose people, too.", what=after)
    if before:
        return say("File A exposes people by itself ({what}). In file B nothing was found.", what=before)
    if after:
        return say("File B exposes people by itself ({what}). In file A nothing was found.", what=after)
    return ""


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
    if line.barred is not None:
        which = "A" if line.barred is line.before else "B"
        return say("Release {which} cannot be called lower. {why}", which=which, why=line.barred.unseen)
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
    """One difference on the same people."""
    value, low, high = paired.estimate.value, paired.estimate.low, paired.estimate.high
    if low > 0:
        change = say("Higher by {amount}", amount=amount(value, low, high))
    elif high < 0:
        change = say("Lower by {amount}", amount=amount(-value, -high, -low))
    else:
        change = say("No difference shown: {amount}", amount=amount(value, low, high))
    how = say("{of}, {who}", of=paired.of, who=paired.who)
    looks = say("; corrected for {looks:,}", looks=paired.looks) if paired.looks > 1 else ""
    return say("{change} ({how}{looks}).", change=change, how=how, looks=looks)


def amount(value: float, low: float, high: float) -> str:
    """``0.12 [0.08, 0.16]``, with a sign where it may be of either, and with a digit more where an end would read 0."""
    small = any(0 < abs(end) < 0.005 for end in (value, low, high)) and (low > 0 or high < 0)
    digits = f"{'+' if low <= 0 <= high else ''}.{3 if small else 2}f"
    return f"{value:{digits}} [{low:{digits}}, {high:{digits}}]"


def picture_in_words(lines: Sequence[ComparedQuestion]) -> str:
    """What a picture of these questions shows, in a line."""
    return "; ".join(
        say("{title}: {change}", title=line.title, change=CHANGES[line.change][1].lower()) for line in lines
    )


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
    values=phrase("Values of one person alone"),
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


def numbers(line: ComparedQuestion) -> tuple[str, str]:
    """The number that either verdict stands on, with its interval."""
    first, second = (
        "–" if side.estimate is None else wording.number(side.estimate) for side in (line.before, line.after)
    )
    return first, second


def notes(compared: ComparedAudits) -> tuple[str, ...]:
    """What must be said beside a comparison."""
    sentences = [again(EACH)] if any(line.change != ONLY_ONE for line in compared.questions) else []
    if compared.left_out:
        people = counted(compared.left_out, "{n:,} person is", "{n:,} people are")
        sentences.append(say("{people} in one real table alone; differences are of everybody else.", people=people))
    if not compared.has_same_holdout:
        sentences.append(again(OTHER_HOLDOUT))
    if compared.before.limits != compared.after.limits:
        sentences.append(say("The two audits have different limits, and each verdict is by its own."))
    return tuple(sentences)
