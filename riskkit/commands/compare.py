"""``riskkit compare``: two releases of one real table, question by question."""

from __future__ import annotations

import argparse
from typing import Any

from riskkit.audit import comparison_words as words
from riskkit.audit.comparison import AuditSide, ComparedAudits, ComparedQuestion, compare
from riskkit.commands._audit import audit_named
from riskkit.commands._output import print_json
from riskkit.judging.measurement import title
from riskkit.show.model import Class
from riskkit.show.pairs import Paired

ABOUT = "two releases of one real table, question by question, on the same people"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "before", metavar="A", help="the first letters of an audit that is kept here; see riskkit audits"
    )
    parser.add_argument("after", metavar="B", help="the same of another audit of the same real table")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(options: argparse.Namespace) -> int:
    """Compare them; returns the exit code."""
    before, after = map(audit_named, (options.before, options.after))
    comparison = compare(before, after, kind=Class.SHAREABLE)
    if options.json:
        print_json(_as_dict(comparison))
        return 0
    print(f"A  {before.name}  {before.id[:8]}\nB  {after.name}  {after.id[:8]}\n")
    print("\n".join(words.summary(comparison)) + "\n")
    for code, first, second in _give_aways(comparison):
        print(f"{words.GIVE_AWAYS[code]}: A {first}, B {second}")
    for line in comparison.questions:
        print("\n".join(_lines(line)))
    print("\n" + "\n".join(words.notes(comparison)))
    return 0


def _lines(line: ComparedQuestion) -> list[str]:
    """A question as text."""
    arrow, word = words.CHANGES[line.change]
    first, second = words.numbers(line)
    out = [f"\n{arrow} {line.title}: {word}", f"  A {_side(line.before, first)}", f"  B {_side(line.after, second)}"]
    out.append(f"  {words.line(line)}")
    out += [
        f"  {words.movers_in_words(pair.moved, line.limit)}"
        for pair in line.pairs
        if pair.moved and line.limit is not None
    ]
    return out


def _side(side: AuditSide, number: str) -> str:
    return f"{number}  {title(side.judgement.verdict)}".strip() if side.judgement is not None else number


def _give_aways(comparison: ComparedAudits) -> list[tuple[str, str, str]]:
    """Each give-away by its code, and how it stands in either file."""
    return [
        ((ours or theirs).code, *words.give_away(ours, theirs))  # type: ignore[union-attr]  # one of them is there
        for ours, theirs in comparison.give_aways
    ]


def _as_dict(comparison: ComparedAudits) -> dict[str, Any]:
    """Plain values for JSON."""
    return {
        "settings": {"question": "compare"},
        "sentence": " ".join(words.summary(comparison)),
        "give_aways": [{"code": code, "a": a, "b": b} for code, a, b in _give_aways(comparison)],
        "questions": [_line(line) for line in comparison.questions],
        "left_out": comparison.left_out,
        "notes": list(words.notes(comparison)),
        "uncured": words.method_leaks(comparison.uncured),
    }


def _line(line: ComparedQuestion) -> dict[str, Any]:
    return {
        "question": line.question,
        "change": line.change,
        "sentence": words.line(line),
        "a": _number(line.before),
        "b": _number(line.after),
        "limit": line.limit,
        "paired": [_pair(pair) for pair in line.pairs],
    }


def _number(side: AuditSide) -> dict[str, Any] | None:
    if side.estimate is None:
        return None
    judged = {} if side.judgement is None else {"verdict": side.judgement.as_dict()}
    return {**side.estimate.as_dict(), "guess": side.guess, **judged}


def _pair(paired: Paired) -> dict[str, Any]:
    moved = None if paired.moved is None else {name: getattr(paired.moved, name) for name in paired.moved.__slots__}
    facts = {
        "who": paired.who,
        "of": paired.of,
        "change": paired.change,
        "looks": paired.looks,
        "is_paired": paired.is_paired,
    }
    return {**facts, "difference": paired.estimate.as_dict(), "moved": moved}
