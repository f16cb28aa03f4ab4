"""Every file of ``riskkit/commands`` is a command: listed, explained, and able to run."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from riskkit.cli import main
from riskkit.commands import abouts, command
from riskkit.questions import questions

ABOUT = abouts()
EVERY = {name: command(name) for name in ABOUT}
FOR_PEOPLE = [name for name, about in ABOUT.items() if about]
HEAVY = {
    "ctgan", "joblib", "numba", "numpy", "pandas", "plotly", "pyarrow", "rdt", "scipy", "shap", "sklearn", "sqlalchemy",
    "streamlit", "threadpoolctl", "torch", "typst",
}  # fmt: skip
"""Libraries that no command needs to say what it is."""


def test_the_list_of_commands_is_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    listed = [line.split()[0] for line in printed.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == FOR_PEOPLE
    assert all(ABOUT[name][:20] in printed for name in FOR_PEOPLE)


def test_what_a_file_says_of_its_command_is_what_it_holds_when_imported() -> None:
    written = {name: vars(module)["ABOUT"] for name, module in EVERY.items() if isinstance(module, ModuleType)}
    assert written == {name: ABOUT[name] for name in written}
    assert len(written) > 15
    assert set(ABOUT) - set(written) <= set(questions()), "what has no file of its own is a question's generic command"


def imported_by(*words: str) -> set[str]:
    """The modules outside Python's own that ``python -m riskkit`` imports for these words, each by its full name."""
    command_line = [sys.executable, "-X", "importtime", "-m", "riskkit", *words]
    done = subprocess.run(command_line, capture_output=True, text=True)
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    names = {line.rpartition("|")[2].strip() for line in lines}
    assert "riskkit.cli" in names
    return {name for name in names if name.partition(".")[0] not in sys.stdlib_module_names}


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["app", "--help"]], ids=" ".join)
def test_what_needs_no_engine_loads_none(words: list[str]) -> None:
    """They end at once, for nothing is imported but a handful of our own small files.

    The dashboard is among them: its server loads the engine, and the command that becomes it would load it twice.
    """
    imported = imported_by(*words)
    assert {name.partition(".")[0] for name in imported} & HEAVY == set()
    ours = {name.removeprefix("riskkit.").removeprefix("base.") for name in imported if name.startswith("riskkit.")}
    assert {name.partition(".")[0] for name in ours} <= {
        "__main__",
        "base",
        "catalogue",
        "cli",
        "commands",
        "errors",
        "extras",
        "language",
        "own",
        "phrases",
        "places",
        "process",
        "questions",
        "stages",
        "terminal",
        "version",
    }


def test_a_command_that_needs_the_engine_is_seen_to_load_it() -> None:
    assert {"numpy", "scipy"} <= imported_by("membership", "--help") & HEAVY


@pytest.mark.parametrize("name", sorted(EVERY))
def test_a_command_has_options_that_are_explained_and_can_be_run(name: str) -> None:
    parser = argparse.ArgumentParser()
    EVERY[name].add_options(parser)
    assert callable(EVERY[name].run)
    if name in FOR_PEOPLE:
        assert [action.dest for action in parser._actions if not action.help] == []


def option_lines(help_text: str) -> dict[str, str]:
    """What a help says of each option that takes a value and may be left out, by its name."""
    usage, _, listed = help_text.partition("\noptions:\n")
    needed = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", usage))
    listed_options = re.findall(r"^  (--[\w-]+) (?=\S)(.*(?:\n    .*)*)", listed, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in listed_options if not re.search(rf"{name}\b", needed)}


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_help_says_what_each_option_is_where_it_is_left_out(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    printed = capsys.readouterr().out
    assert f"riskkit {name}" in printed
    described = option_lines(printed)
    assert not [option for option, text in described.items() if "(default: " not in text]
    if name == "membership":
        assert {"--trainings", "--generator", "--workers", "--keep", "--limit"} <= set(described)
        assert "(default: 1)" in described["--workers"]


@pytest.mark.skipif(sys.platform == "win32", reason="no process can replace another there")
@pytest.mark.parametrize(
    ("words", "more"), [([], []), (["--no-token"], ["--no-token"]), (["--idle", "30"], ["--idle", "30.0"])]
)
def test_the_dashboard_goes_without_its_token_and_locks_later_only_where_that_is_asked(
    words: list[str], more: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execve", lambda _, command, __: started.append(command))
    monkeypatch.setattr(os, "chdir", lambda _: None)
    monkeypatch.setenv("RISKKIT_OPEN", "")
    main(["app", "--port", "8600", *words])
    assert started == [[sys.executable, "-m", "riskkit.dashboard", "--server.port", "8600", *more]]


@pytest.mark.second
def test_a_dashboard_whose_audits_cannot_be_reached_says_so_and_ends(tmp_path: Path) -> None:
    environment = {**os.environ, "RISKKIT_HOME": str(tmp_path), "RISKKIT_STORE": "nowhere"}
    command_line = [sys.executable, "-m", "riskkit", "app", "--port", "1"]
    done = subprocess.run(command_line, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("riskkit: RISKKIT_STORE is no address of a database")
    assert "Traceback" not in done.stderr
