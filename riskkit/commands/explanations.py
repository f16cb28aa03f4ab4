"""The command that asks what explanations give away."""

from __future__ import annotations

import argparse

from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.core import Estimate
from riskkit.games.explanation import BASELINES, CONSTANTS
from riskkit.questions.explanations.plan import NONE, ExplanationPlan
from riskkit.questions.explanations.play import defence_title, plugin_title
from riskkit.questions.explanations.present import beside
from riskkit.questions.explanations.result import ExplanationsResult
from riskkit.show import for_whom
from riskkit.stats.recovery import OVERALL

REFERENCE = "a value of 0 means: equals the reference row"
ALONE = {
    "rank_correlation": "what readers keep of the exact values",
    "top_three": "what readers keep of the exact values",
    "acceptance": "answers the attacker does not decline",
    "accepted_mae": "answers the attacker does not decline",
}
"""What estimates are about that are neither rates nor errors of everybody."""

ABOUT = "what explanations of a model's answers reveal"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    _options.add_files(
        parser,
        ExplanationPlan,
        synthetic="table of the release, for a model that is trained on it",
        holdout="table of more people; only its values are used, to know their range",
    )
    _options.add_settings(parser, ExplanationPlan)
    _verdict.add_options(parser, ExplanationPlan.question)
    add_playing(parser)
    _options.add_ways(parser)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    asked = _verdict.verdict_options(options, ExplanationPlan.question)
    plan: ExplanationPlan = _options.plan_of(options, ExplanationPlan)
    files = _options.files(options)
    tables = files.tables()
    result: ExplanationsResult | None = Asking(options, plan, files, tables, asked).result()
    if result is None:
        return 0
    verdicts = _verdict.verdicts_of_run(asked, tables, plan, result.plain())
    return say(options, result.as_dict(), tables, [*_lines(result), *for_whom.lines(result.for_whom)], verdicts)


def _lines(result: ExplanationsResult) -> list[str]:
    """Whose values they are, the single reference row, then the numbers; guesses but the constant ones overall only."""
    out = [] if result.library is None else [beside(result.library)]
    out += [] if result.reference is None else [result.reference.sentence]
    head = f"{'attacker or guess':<34} {'rows':>6} {'defence':<28} {'input':<20} {'SR (right)':<22} MAE (mean error)"
    out.append(f"\n{head}  [{result.plan.level:.0%}]")
    errors = {_cells(e): e for e in result.estimates if e.name == "mae"}
    for e in result.estimates:
        who, rows, defence, feature = _cells(e)
        if e.name == "success_rate" and (feature == OVERALL or who not in set(BASELINES) - set(CONSTANTS)):
            line = f"{_who(who):<34} {rows:>6} {_defence(defence):<28} {feature[:20]:<20}"
            out.append(f"{line} {_number(e):<22} {_number(errors[_cells(e)])}")
    kept = [e for e in result.estimates if e.name in ALONE]
    alone = result.reference
    kept += [] if alone is None else [e for e in (alone.precision, alone.recall, alone.lift) if e is not None]
    out.append("")
    for e in kept:
        who, _, defence, _ = _cells(e)
        about = " ".join(filter(None, [_who(who) if who else "", _defence(defence)]))
        out.append(f"{f'{ALONE.get(e.name, REFERENCE)}, {e.name}':<64} {about:<40} {_number(e)}")
    return out


def _cells(e: Estimate) -> tuple[str, str, str, str]:
    labels = e.labels
    return labels.get("attacker", ""), labels.get("rows", ""), labels.get("defence", NONE), labels.get("feature", "")


def _who(name: str) -> str:
    return f"guess: {name.replace('_', ' ')}" if name in BASELINES else plugin_title("inverters", name)[:34]


def _defence(defence: str) -> str:
    return "" if defence == NONE else defence_title(defence)[:28]


def _number(e: Estimate) -> str:
    return f"{e.value:.3f} [{e.low:.3f}, {e.high:.3f}]"
