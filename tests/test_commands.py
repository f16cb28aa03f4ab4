"""Every file of ``riskkit/commands`` is a command: listed, explained, and able to run."""

from __future__ import annotations

import argparse

import pytest

from riskkit.cli import main
from riskkit.commands import commands

EVERY = commands()
FOR_PEOPLE = [name for name, command in EVERY.items() if command.ABOUT]


def test_the_list_of_commands_is_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    listed = [line.split()[0] for line in said.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == FOR_PEOPLE
    assert all(EVERY[name].ABOUT[:20] in said for name in FOR_PEOPLE)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_a_command_has_options_that_are_explained_and_can_be_run(name: str) -> None:
    parser = argparse.ArgumentParser()
    EVERY[name].add_options(parser)
    assert callable(EVERY[name].run)
    if name in FOR_PEOPLE:
        assert [action.dest for action in parser._actions if not action.help] == []


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_help_of_a_command_is_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert f"riskkit {name}" in capsys.readouterr().out
