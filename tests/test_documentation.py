"""What README and docs say of commands, JSON and codes is what there is."""

import argparse
import ast
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from riskkit.cli import main
from riskkit.commands import abouts
from riskkit.commands import command as module_of
from riskkit.judging.measurement import SOURCES
from riskkit.judging.reasons import REASONS
from riskkit.report import texts
from tests.test_cli_verdicts import FILES, rows

ROOT = Path(__file__).resolve().parents[1]
ADDED = ROOT / "docs" / "adding.md"
"""Its commands ask for what its recipes add; :mod:`tests.test_adding` adds it and runs them."""
PAGES = (
    ROOT / "README.md",
    ROOT / "sample_data" / "README.md",
    ROOT / "docs" / "leaks" / "README.md",
    *sorted({*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "methods").glob("*.md")} - {ADDED}),
)
REPORT = ROOT / "docs" / "report.md"
RUN = re.compile(r"^(?:\$ )?(?:\w+=\S+ )*(?:\S*python\S* -m )?riskkit +([a-z-].*)")


# --------------------------------------------------------------------------------------------------------------
# Command lines


def blocks(text: str) -> list[str]:
    """What stands between fences."""
    return re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def command_lines(text: str) -> list[list[str]]:
    """The words of every command line that stands in a block, without what calls Python."""
    lines = "\n".join(blocks(text)).replace("\\\n", " ").splitlines()
    return [shlex.split(command[1]) for line in lines if (command := RUN.search(line.strip().split(" && ")[-1]))]


def mentions(text: str) -> list[list[str]]:
    """The words of every command that a sentence names between backticks, whole or in part."""
    prose = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = [re.sub(r"\s+", " ", span) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose)]
    commands = [re.match(r"(?:python\S* -m )?riskkit +([a-z].*)", span) for span in spans]
    return [shlex.split(command[1]) for command in commands if command is not None]


@cache
def parser(command: str) -> argparse.ArgumentParser:
    """The parser of a command, which ends with an error where the command line would end with exit code 2."""
    made = argparse.ArgumentParser(prog=command, exit_on_error=False)
    module_of(command).add_options(made)
    return made


def options(made: argparse.ArgumentParser) -> set[str]:
    """Every option of a parser and of those below it."""
    every = set(made._option_string_actions)
    below = [action for action in made._actions if isinstance(action, argparse._SubParsersAction)]
    return every.union(*(options(child) for action in below for child in action.choices.values()))


def wrong(words: list[str], *, is_whole: bool) -> str:
    """What is wrong with a command line; empty where nothing is."""
    name, *rest = words
    if name not in abouts():
        return f"no command {name}"
    made = parser(name)
    unknown = {word.partition("=")[0] for word in rest if word.startswith("--")} - options(made)
    if unknown or not is_whole:
        return ", ".join(sorted(unknown))
    try:
        made.parse_args(rest)
    except (argparse.ArgumentError, SystemExit) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_line_that_is_written_down_can_be_given(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert {" ".join(words): wrong(words, is_whole=True) for words in command_lines(text)} == dict.fromkeys(
        map(" ".join, command_lines(text)), ""
    )
    assert [(words, wrong(words, is_whole=False)) for words in mentions(text) if wrong(words, is_whole=False)] == []


def test_command_lines_are_found_where_they_are() -> None:
    commands, report = (path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "commands.md", REPORT))
    asked = {words[0] for words in command_lines(commands)}
    assert asked >= {"check", "membership", "released", "records", "attributes", "study", "audits", "audit"}
    assert ["audits", "resume"] in mentions(commands)
    assert ["audit"] in mentions(report)
    assert len(command_lines(report)) == 5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("```\npython -m riskkit released --real a --synthetic b --rule-out 0.6\n```", "--rule-out"),
        ("```\npython -m riskkit released \\\n    --real a \\\n    --limit\n```", "argument"),
        ("```sh\n$ python -m riskkit released --synthetic b\n```", "2"),
        ("```\nx && .venv\\Scripts\\python -m riskkit release\n```", "no command release"),
        ("Say `riskkit released --rule-out\n0.6` and go.", "--rule-out"),
    ],
)
def test_a_command_line_that_cannot_be_given_is_seen(text: str, says: str) -> None:
    (complaint,) = [wrong(words, is_whole=True) for words in command_lines(text)] + [
        wrong(words, is_whole=False) for words in mentions(text)
    ]
    assert says in complaint


# --------------------------------------------------------------------------------------------------------------
# Codes and fields


def table(text: str, head: str) -> Iterator[list[str]]:
    """The cells of every line under that head of a table."""
    lines = text.splitlines()
    for line in lines[lines.index(head) + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def names(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def given_codes() -> set[str]:
    """Every code that a judgement can have, as the source has it."""
    codes = {*REASONS, *(f"run_{state}" for state in texts.SETTLES)}
    for path in ("judging/judge.py", "report/build.py"):
        for node in ast.walk(ast.parse((ROOT / "riskkit" / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                nth = {"_undecided_judgement": 1, "Judgement": 4}.get(node.func.id)
                arguments = (
                    [*node.args[nth : nth + 1], *(word.value for word in node.keywords if word.arg == "code")]
                    if nth
                    else []
                )
                codes |= {
                    argument.value
                    for argument in arguments
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                }
    return codes


def test_every_code_is_explained_and_no_other() -> None:
    text = REPORT.read_text(encoding="utf-8")
    explained = [code for cells in table(text, "| code | verdict | what it means |") for code in names(cells[0])]
    assert len(explained) == len(set(explained))
    assert set(explained) == given_codes()
    assert {"above_limit", "within_limit", "interval_holds_limit", "questions", "values_apart"} < given_codes()


def test_every_published_limit_is_named() -> None:
    text = REPORT.read_text(encoding="utf-8")
    assert [source.key for source in SOURCES if f"`{source.key}`" not in text] == []


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The JSON of a report with a finding, a what-if, and give-aways."""
    folder = tmp_path_factory.mktemp("audit")
    made = {"real": rows(1), "holdout": rows(2), "fresh": rows(3)}
    for name, lines in made.items():
        (folder / f"{name}.csv").write_text("\n".join(["a,b,c,place", *lines]) + "\n", encoding="utf-8")
    config = '[released]\nattacks = ["dcr"]\n[membership]\ntrainings = 10\nattacks = ["mvl"]\nk = 1\nn_syn = 100\n'
    (folder / "audit.toml").write_text(f'{config}targets = ["random"]\ngenerators = ["histogram"]\n', encoding="utf-8")
    files = FILES.format(**{name: str(folder / f"{name}.csv") for name in made}).split()
    words = ["audit", *files, "--config", str(folder / "audit.toml"), "--out", str(folder), "--limit", "released=0.6"]
    assert main(words) == 4
    report: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
    return report


def test_every_field_of_the_json_is_explained_and_no_other(reported: dict[str, Any]) -> None:
    lines = table(REPORT.read_text(encoding="utf-8").partition("## report.json")[2], "| field | meaning |")
    explained = {head: {name.removesuffix("[]") for name in names(meaning)} for head, meaning in lines}
    top = {name.removesuffix("[]") for head in explained for name in names(head)}
    parts_of_findings = {
        "measured",
        "control",
        "at_risk",
        "grid",
        "frontier",
        "tables",
        "promises",
        "for_whom",
        "lowered",
    }
    assert top - parts_of_findings == set(reported)
    released, played = (
        next(question for question in reported["questions"] if question["question"] == name)
        for name in ("released", "membership")
    )
    (what_if,) = played["what_ifs"]
    assert set(what_if) == {"judgement", "finding"} < explained["`questions[]`"]
    assert set(what_if["finding"]) == set(released["finding"]) == explained["a finding"]
    estimate = released["finding"]["measured"]["strongest"]
    labels = {"attack"}
    risk = what_if["finding"]["at_risk"][0]
    parts: Mapping[str, set[str]] = {
        "a judgement": set(released["judgement"]),
        "`give_aways[]`": set(reported["give_aways"][0]),
        "`limits`": set(reported["limits"]["released"]),
        "`questions[]`": set(released),
        "`measured`": set(released["finding"]["measured"]),
        "`control`": set(released["finding"]["measured"]["control"]),
        "an estimate": set(estimate) - labels,
        "`at_risk[]`": set(risk) - explained["an estimate"] - labels - {"generator", "target", "record", "position"},
        "`files[]`, `columns[]`": {*reported["files"][0], *reported["columns"][0]},
    }
    assert {head: keys - explained[head] for head, keys in parts.items() if keys - explained[head]} == {}
