"""What README and guides print is what riskkit prints: lines of Python, and commands with their verdicts."""

import re
import shlex
from pathlib import Path

import pytest

import riskkit
from riskkit.cli import main

ROOT = Path(__file__).resolve().parents[2]


def block(start: str) -> str:
    """The block of README that begins so."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (body,) = (each for each in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if start in each)
    return str(body)


def test_its_python_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = block("import riskkit as rk")
    printed = " ".join(line.removeprefix("# ") for line in code.splitlines() if line.startswith("#"))
    *before, call = (line for line in code.splitlines() if line and not line.startswith("#"))
    names = {"rk": riskkit}
    exec("\n".join(before[1:]), names)  # noqa: S102  what README tells to type
    assert printed in str(eval(call, names))  # noqa: S307


@pytest.mark.slow
def test_its_command_prints_the_verdict_that_it_shows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    command, shown = block("riskkit audit").split("\n\n", 1)
    words = shlex.split(command.replace("\\\n", " ").partition("riskkit ")[2])
    assert main([*words[:-1], str(tmp_path / "report")]) == 3
    printed = [re.split(r" {2,}", line) for line in capsys.readouterr().out.splitlines()]
    for line in shown.splitlines():
        if line and not line.startswith("▲ LEAK"):
            question, word, value, limit = re.split(r" {2,}", line)
            assert [row[:2] + row[3:] for row in printed if row[0] == question] == [[question, word, value, limit]]
    assert any(row[0].startswith(shown.splitlines()[-1]) for row in printed)


GUIDES = ("released", "records", "criteria", "inference", "explanations")


def outputs(guide: str) -> list[tuple[str, str]]:
    """The commands of a guide under which their output stands, with it."""
    text = (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(riskkit .*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(command, output) for command, gap, output in (block.partition("\n\n") for block in blocks) if gap]


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_shows_what_its_command_prints(
    guide: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert outputs(guide)
    for command, output in outputs(guide):
        assert main([*shlex.split(command.replace("\\\n", " "))[1:], "--no-keep"]) == 0
        assert " ".join(output.split()) in " ".join(capsys.readouterr().out.split())
