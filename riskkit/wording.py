"""Numbers in words, the same on every surface: a value with its interval, a share, a count of things, a time."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from numbers import Real
from typing import Any

from riskkit.core import GUESSED, Estimate, decimal, digits, interval
from riskkit.errors import Problem, RiskkitError, message_of
from riskkit.language import Readings, again, counted, forms, joined, phrase, say
from riskkit.stats.epsilon import BOUNDS, ONE_RUN

UNITS: Mapping[str, tuple[str, str]] = {
    "training": forms("{n:,} training", "{n:,} trainings"),
    "release": forms("{n:,} release", "{n:,} releases"),
    "attack": forms("{n:,} attack", "{n:,} attacks"),
    "inference": forms("{n:,} inference", "{n:,} inferences"),
    "model": forms("{n:,} model", "{n:,} models"),
    "record": forms("{n:,} record", "{n:,} records"),
    "victim": forms("{n:,} victim", "{n:,} victims"),
    "named row": forms("{n:,} named row", "{n:,} named rows"),
    "household": forms("{n:,} household", "{n:,} households"),
    "person": forms("{n:,} person", "{n:,} people"),
    "step": forms("{n:,} step", "{n:,} steps"),
    "audit row": forms("{n:,} canary", "{n:,} canaries"),
    "unit": forms("{n:,} unit", "{n:,} units"),
}
"""What runs are counted in."""
UNCOUNTED: Mapping[str, str] = Readings(
    {
        "training": phrase("trainings"),
        "release": phrase("releases"),
        "attack": phrase("attacks"),
        "inference": phrase("inferences"),
        "model": phrase("models"),
        "record": phrase("records"),
        "victim": phrase("victims"),
        "named row": phrase("named rows"),
        "household": phrase("households"),
        "person": phrase("people"),
        "step": phrase("steps"),
        "audit row": phrase("canaries"),
        "unit": phrase("units"),
    }
)
"""The same without a number."""
PROMISED = "epsilon_promised"
"""What a method promises stands beside bounds as if it were an estimate; it has no interval."""
WHOLE = ("records_above",)
"""Counts of people, told in whole people."""
SHOWN_AS_NOTHING = 0.005
"""A bound below it would read 0.00."""


COUNTED = "counted"
"""The method of an estimate that is counted or worked out of a whole table: it has no interval."""
EXACT_BOUND = "bound"
"""The method of an estimate that is a bound, worked out and not measured."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠", "|", "%")
"""What a text in a spreadsheet may not start with: it takes the rest for a formula or a command."""


def spreadsheet(columns: Iterable[str], rows: Iterable[Sequence[Any]], *, between: str = ",", end: str = "\r\n") -> str:
    """A file for spreadsheets, with nothing in it that one takes for a formula. Numbers stay numbers, with their sign.

    Tables of people are written by :func:`riskkit.table.write.to_csv`, which leaves every text as it was.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=between, lineterminator=end)
    writer.writerow(guard(name) for name in columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def guard(text: str) -> str:
    """A text that every spreadsheet shows as it is: on one line, and with an apostrophe before what looks like more."""
    line = "".join(" " if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") else sign for sign in text)
    starts = text.startswith(FORMULA) or line.lstrip(" \u00a0\u3000\"'`,;\ufeff\u200b").startswith(FORMULA)
    return f"'{line}" if starts else line


def _cell(value: Any) -> str | Real:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, Real) else guard(str(value))


def choices(plan: type[Any], setting: str) -> Mapping[str, str]:
    """What people call the choices of a setting of a plan, by the codes that the command line has for them."""
    words = next(spec.metadata["words"] for spec in fields(plan) if spec.name == setting)
    return Readings(words)


def number(estimate: Estimate, *marks: float) -> str:
    """``0.78 [0.71, 0.84]``; of a bound on epsilon with its ceiling, because its high end bounds nothing.

    A bound that is worked out and not measured has no interval. ``marks`` are numbers that stand beside it, such as a
    limit: no end is rounded onto one of them, nor onto what guessing reaches.
    """
    if estimate.method == EXACT_BOUND:
        return f"{estimate.value:.3f}"
    if estimate.method == COUNTED:
        return f"{estimate.value:,.0f}" if estimate.value == int(estimate.value) else f"{estimate.value:.4g}"
    if estimate.name == PROMISED:
        return f"{estimate.value:.2f}"
    if estimate.name in WHOLE:
        return f"{estimate.value:,.0f} [{estimate.low:,.0f}, {estimate.high:,.0f}]"
    if estimate.name in BOUNDS:
        return describe_bound(estimate.name, estimate.value, estimate.high, estimate.n)
    return interval(estimate.value, estimate.low, estimate.high, *marks)


def level(value: float, beside: Estimate | None = None) -> str:
    """A limit as it was set, to four decimals; what guessing reaches to two, where no end ``beside`` it contradicts."""
    ends = () if beside is None else (beside.low, beside.high)
    agrees = [(round(end, 2) - round(value, 2)) * (end - value) > 0 for end in ends]
    is_short = round(value, 2) == value or (bool(agrees) and all(agrees))
    return f"{value:.2f}" if is_short else f"{value:.4f}".rstrip("0")


def below(high: float, limit: float) -> str:
    """The upper end of an interval that lies below a limit, with as many decimals as that takes."""
    return decimal(high, digits(high, high, (limit,))[1])


def count(estimate: Estimate) -> str:
    """``14 [8.1, 22.4]``, of something that is counted."""
    return f"{estimate.value:.4g} [{estimate.low:.1f}, {estimate.high:.1f}]"


def points(estimate: Estimate) -> str:
    """``860 [778, 919]``, of points in a competition."""
    return f"{estimate.value:.0f} [{estimate.low:.0f}, {estimate.high:.0f}]"


def describe_bound(name: str, value: float, ceiling: float, n: int) -> str:
    """A bound on epsilon of that name, in words; one from a single training counts audit rows."""
    return epsilon(value, ceiling, n, "audit row" if name in ONE_RUN else "training")


def epsilon(value: float, ceiling: float, trainings: int, unit: str = "training") -> str:
    """``0.52 (ceiling 1.20)``, or that nothing is shown; the most that so many trainings can show beside either.

    A bound of 0 is the absence of a result. Written as "0.00" it was taken for a proof of privacy.
    """
    if value < SHOWN_AS_NOTHING:
        return say(
            "not shown ({trainings} could show up to {ceiling:.2f})",
            trainings=plural(trainings, unit),
            ceiling=ceiling,
        )
    return say("{value:.2f} (ceiling {ceiling:.2f})", value=value, ceiling=ceiling)


def share(estimate: Estimate) -> str:
    """``86 % [79 %, 91 %]``; an end has more decimals where it would else be rounded onto guessing, or is >50 %."""
    (below, above), half = digits(estimate.low, estimate.high), percent(0.5)
    low = f">{half}" if estimate.low > 0.5 == round(estimate.low, below) else percent(estimate.low, below - 2)
    high = f"<{half}" if estimate.high < 0.5 == round(estimate.high, above) else percent(estimate.high, above - 2)
    return f"{percent(estimate.value)} [{low}, {high}]"


def percent(value: float, places: int = 0) -> str:
    """A share in whole per cent, or with some decimals; never ``0 %`` or ``100 %`` of what is not quite none or all."""
    if 0.995 <= value < 1:
        return say("over 99 %")
    if 0 < value < 0.005:
        return say("under 1 %")
    if places > 0:
        return say("{share} %", share=decimal(100 * value, places))
    return say("{share:.0f} %", share=0 if -0.005 < value < 0 else 100 * value)


def tenths(value: float) -> str:
    """A share in per cent to one decimal: of many people few are singled out, and these few count."""
    return say("{share:.1f} %", share=100 * value + 0.0)


def share_in_tenths(estimate: Estimate, *marks: float) -> str:
    """``1.3 % [0.9 %, 1.7 %]``; no end is rounded onto a mark."""
    low, high = (say("{share} %", share=end) for end in _ends_in_tenths(estimate, marks))
    return f"{tenths(estimate.value)} [{low}, {high}]"


def points_in_tenths(estimate: Estimate, *marks: float) -> str:
    """``1.3 points [0.9, 1.7]``, per cent of the difference of two shares."""
    low, high = _ends_in_tenths(estimate, marks)
    value = decimal(100 * estimate.value, 1)
    return say("{value} points [{low}, {high}]", value=value, low=low, high=high)


def _ends_in_tenths(estimate: Estimate, marks: Iterable[float]) -> tuple[str, str]:
    """Both ends times 100; one that no number of decimals tells from a mark as what it is, ``>0.0``."""
    known = (*GUESSED, *marks)
    below, above = digits(estimate.low, estimate.high, known, fewest=3)
    low, high = round(estimate.low, below), round(estimate.high, above)
    return (
        next((f">{100 * m:.1f}" for m in known if estimate.low > m == low), decimal(100 * estimate.low, below - 2)),
        next((f"<{100 * m:.1f}" for m in known if estimate.high < m == high), decimal(100 * estimate.high, above - 2)),
    )


def in_thousandths(estimate: Estimate) -> str:
    """``0.131 [0.110, 0.150]``, of a measure that moves little."""
    below, above = digits(estimate.low, estimate.high, fewest=3)
    return f"{decimal(estimate.value, 3)} [{decimal(estimate.low, below)}, {decimal(estimate.high, above)}]"


def day(stamp: str) -> str:
    """The day of a time that is kept (``2026-11-23T06:31…``), as the language writes it."""
    year, month, of_month = (int(part) for part in stamp[:10].split("-"))
    return say("{year}-{month:02d}-{day:02d}", year=year, month=month, day=of_month)


def moment(stamp: str) -> str:
    """The same with hours and minutes; what is kept is in UTC."""
    return say("{day}, {time} UTC", day=day(stamp), time=stamp[11:16])


def plural(count: int, word: str) -> str:
    """``1 training``, ``20 trainings``, for a word that is data: what runs count (:data:`UNITS`)."""
    if word in UNITS:
        return counted(count, *UNITS[word])
    return counted(count, "{n:,} {word}", "{n:,} {word}s", word=word)


def shorten(text: str, letters: int) -> str:
    """One line of at most that many letters."""
    line = " ".join(text.split())
    return line if len(line) <= letters else f"{line[: letters - 1]}…"


def both_ends(text: str, letters: int) -> str:
    """One line of at most that many letters which keeps both ends: of methods with settings the last tells them apart.

    ``PRAM (random… keep: 0.5``
    """
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    start = letters // 2
    return f"{line[:start].rstrip()}…{line[start + 1 - letters :]}"


def duration(seconds: float) -> str:
    """``about 12 seconds``, ``about 4 minutes``, ``about 2 h 10 min``."""
    if seconds < 1.5:
        return say("about a second")
    if seconds < 90:
        return say("about {seconds:.0f} seconds", seconds=seconds)
    if seconds < 90 * 60:
        return say("about {minutes:.0f} minutes", minutes=seconds / 60)
    return say("about {hours} h {minutes:02d} min", hours=int(seconds // 3600), minutes=int(seconds % 3600 // 60))


def place(problem: Problem) -> str:
    """File, column and line of a problem, as far as they are known."""
    column = say("column {column}", column=problem.column) if problem.column else ""
    line = say("line {line:,}", line=problem.line) if problem.line else ""
    return joined(part for part in (problem.file, column, line) if part)


def refusal(error: RiskkitError) -> str:
    """What an error says, in the language of this process where its text is a phrase."""
    return again(message_of(error))


def and_joined(parts: Iterable[str]) -> str:
    """Names or clauses one after the other, with an "and" before the last."""
    *names, last = parts
    return say("{names} and {last}", names=joined(names), last=last) if names else last
