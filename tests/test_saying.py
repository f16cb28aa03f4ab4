"""What commands say beside their result: how far they are, what option was meant, and one shape of JSON."""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from riskkit.base import stages, terminal
from riskkit.cli import main
from riskkit.commands import _progress
from riskkit.commands._report import CODES
from riskkit.jobs.pool import Progress
from riskkit.judging.measurement import Verdict
from riskkit.questions import questions
from riskkit.session.verdicts import SCHEMA, SHAPE
from tests.test_cli_report import rows
from tests.test_terminal import Screen

ROOT = Path(__file__).resolve().parents[1]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    words = []
    for seed, name in enumerate(("real", "synthetic", "holdout")):
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,d,place", *rows(seed, 80)]) + "\n", encoding="utf-8")
        words += [f"--{name}", str(tmp_path / f"{name}.csv")]
    return words


class Clock:
    """Ten units of 4 seconds each."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def spoken(monkeypatch: pytest.MonkeyPatch, capsys: Capture, **options: bool) -> str:
    """What is said of a run of ten units in two stages, after a step of 12 seconds and before another one."""
    clock = Clock()
    monkeypatch.setattr(_progress, "time", clock)
    asked = argparse.Namespace(**{"quiet": False, "verbose": False, **options})
    with _progress.saying(asked):
        stages.say("reading")
        clock.now += 12.0
        stages.say("reading", 1, 3)
        tell = _progress.bar("units", asked)
        for done in range(1, 11):
            clock.now += 4.0
            tell(Progress("first" if done < 6 else "second", done, 10, 4.0 * (10 - done)))
        clock.now += 11.0
        stages.say("writing")
    heard = capsys.readouterr()
    assert heard.out == ""
    return heard.err


def test_without_a_terminal_a_line_comes_every_ten_seconds(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    lines = spoken(monkeypatch, capsys).splitlines()
    assert lines == [
        "reading: 1 of 3",
        "first: 3 of 10 units, 28 s left",
        "second: 6 of 10 units, 16 s left",
        "second: 9 of 10 units, 4 s left",
        "writing",
    ]


@pytest.mark.second
def test_a_line_comes_also_while_one_unit_takes_long(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(_progress, "EVERY", 0.1)
    tell = _progress.bar("units", argparse.Namespace(quiet=False, verbose=False))
    heard = ""
    for progress, wanted in (
        (None, "nothing is finished yet; "),
        (Progress("first", 1, 2, 5.0), "first: 1 of 2 units"),
    ):
        if progress is not None:
            tell(progress)
        end = time.monotonic() + 30
        while heard.count(wanted) < 2 and time.monotonic() < end:
            time.sleep(0.05)
            heard += capsys.readouterr().err
        assert heard.count(wanted) >= 2, heard
        assert "s since the last news" in heard
    tell(Progress("first", 2, 2, 0.0))
    capsys.readouterr()
    time.sleep(0.5)
    assert capsys.readouterr().err == "", "it is over"


def test_quiet_says_nothing_and_verbose_every_stage(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    assert spoken(monkeypatch, capsys, quiet=True) == ""
    lines = [line.partition(" units")[0] for line in spoken(monkeypatch, capsys, verbose=True).splitlines()]
    assert lines[:4] == ["reading", "reading: 1 of 3", "first: 1 of 10", "first: 4 of 10"]
    assert lines[-1] == "writing"


@contextmanager
def on_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """Standard error is a terminal, in whose last line this program says what it does."""
    shown = Screen()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", shown)
        patched.setattr(terminal, "TICK", 3600.0)
        patched.setattr(terminal, "SOON", 0.0)
        terminal.begin()
        yield shown
        terminal.end()
        assert sys.stderr is shown


def lines_of(screen: Screen) -> list[str]:
    """Every line that stood there for a while, without its clock."""
    return [re.sub(r" · \d+:\d\d$", "", line) for line in screen.getvalue().split(terminal.AWAY) if line]


def test_a_terminal_is_told_every_stage_and_every_unit_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = argparse.Namespace(quiet=False, verbose=False)
    with on_screen(monkeypatch) as screen, _progress.saying(asked):
        stages.say("reading")
        list(stages.parts("columns", "ab"))
        tell = _progress.bar("units", asked)
        tell(Progress("first", 1, 2, 4.0))
        tell(Progress("first", 2, 2, 0.0))
        stages.say("writing")
        sys.stderr.write("riskkit: A sentence.\n")
        stages.say("verdict")
    assert lines_of(screen) == [
        "Starting",
        "reading",
        "columns: 0 of 2",
        "columns: 1 of 2",
        "first: 1 of 2 units, 4 s left",
        "first: 2 of 2 units, 0 s left",
        "writing (2 of 2 units)",
        "riskkit: A sentence.\n",
        "verdict (2 of 2 units)",
    ]
    assert screen.getvalue().endswith(terminal.AWAY), "nothing of it is left behind"


@pytest.mark.parametrize("option", ["quiet", "verbose"])
def test_a_line_that_changes_is_none_of_quiet_and_verbose(monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    with (
        on_screen(monkeypatch) as screen,
        _progress.saying(argparse.Namespace(**{"quiet": False, "verbose": False, option: True})),
    ):
        stages.say("reading")
        _progress.bar("units", argparse.Namespace(quiet=option == "quiet"))(Progress("first", 1, 2, 4.0))
    assert terminal.AWAY not in screen.getvalue().partition("Starting")[2].partition(terminal.AWAY)[2]


def test_a_command_that_says_nothing_of_itself_shows_what_takes_long_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with on_screen(monkeypatch) as screen, _progress.saying(argparse.Namespace()):
        stages.say("reading")
    assert lines_of(screen) == ["Starting", "reading"]
    with _progress.saying(argparse.Namespace()):
        stages.say("reading")
    assert capsys.readouterr().err == ""


def test_standard_output_holds_the_result_alone(files: list[str], capsys: Capture) -> None:
    words = ["records", *files[:2], "--generator", "histogram", "--records", "ids:3", "--in", "5", "--out", "5"]
    words += ["--shadows", "2", "--again", "0", "--n-syn", "60", "--json"]
    assert main(words) == 0
    heard = capsys.readouterr()
    assert "This takes" in heard.err
    json.loads(heard.out)
    assert main([*words, "--quiet"]) == 0
    quiet = capsys.readouterr()
    assert (quiet.out, quiet.err) == (heard.out, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("released", "--real", "a", "--synthetic", "b", "--atacks", "dcr"), "--atacks (did you mean '--attacks'?)"),
        (("membership", "--real", "a", "--trainnings=3"), "--trainnings (did you mean '--trainings'?)"),
        (("released", "--real", "a", "--synthetic", "b", "--attacks", "dcrr"), "(did you mean 'dcr'?)"),
    ],
)
def test_what_there_is_not_is_named_with_the_nearest_right_one(
    words: tuple[str, ...], says: str, capsys: Capture
) -> None:
    try:
        code = main(words)
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 2
    assert says in re.sub(r"\s+", " ", capsys.readouterr().err)


@pytest.mark.parametrize(
    "words",
    [
        ("released", "--attacks", "dcr"),
        ("attributes", "--model", "tree", "--secret", "place"),
        ("membership", "--generator", "histogram", "--attack", "neighbour", "--trainings", "12", "--n-syn", "60"),
        ("records", "--generator", "histogram", "--forecast"),
    ],
    ids=lambda words: words[0],
)
def test_every_question_has_one_shape_of_json(
    words: tuple[str, ...], files: list[str], call: Callable[..., str]
) -> None:
    document = json.loads(call([words[0], *files, *words[1:], "--json"]))
    assert set(SHAPE) <= set(document)
    assert document["schema"] == SCHEMA
    assert [set(note) for note in document["notes"]] == [{"code", "text"}] * len(document["notes"])
    assert all(note["code"] and note["text"] for note in document["notes"])
    assert [file["slot"] for file in document["files"]] == ["real", "synthetic", "holdout"]
    assert {"riskkit", "Python", "numpy"} <= set(document["versions"])
    assert document["verdict"] in ("", "undecided", "leak shown", "within the limit", "above the limit")
    own = [verdict["word"] for verdict in document.get("verdicts", ()) if not verdict["what_if"]]
    assert document["verdict"] in (own or [""])


def test_check_has_that_shape_too(files: list[str], call: Callable[..., str]) -> None:
    assert set(SHAPE) <= set(json.loads(call(["check", files[1], files[3], "--json"])))


SMALL = {
    "membership": ("--generator", "histogram", "--attack", "neighbour", "--trainings", "12", "--n-syn", "60"),
    "released": ("--attacks", "dcr"),
    "records": ("--generator", "histogram", "--records", "ids:3", "--n-syn", "60"),
    "attributes": ("--model", "tree", "--secret", "place"),
    "explanations": ("--target", "place", "--attacker", "linear", "--auxiliary", "30", "--victims", "10"),
    "households": ("--household", "place", "--anonymisers", "identity", "--attackers", "distance", "--asked", "2"),
    "contest": ("--anonymisers", "identity", "--attackers", "distance", "--source", "people", "--guesses", "20"),
    "one-run": ("--generator", "histogram", "--rows", "40"),
    "singling-out": ("--size", "2"),
    "linkability": ("--splits", "1"),
    "reconstruction": ("--secrets", "place,d"),
    "keys": ("--keys", "place,d"),
}
"""A small plan of each question, in options."""


@pytest.mark.second
@pytest.mark.parametrize("name", sorted(questions()))
def test_every_question_foretells_what_it_takes_and_plays_nothing(
    name: str, files: list[str], call: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    words = [name, *(f"--{questions()[name].plan.real}" if word == "--real" else word for word in files), *SMALL[name]]
    document = json.loads(call([*words, "--forecast", "--json"]))
    assert document["forecast"]["seconds"] >= 0
    assert len(document["forecast"]) > 1, "not only how long, also what"
    assert (document["verdict"], document["estimates"]) == ("", [])
    assert call([*words, "--forecast"]).startswith("This takes ")
    assert not (tmp_path / "home").exists()


def test_a_limit_of_a_question_that_is_not_asked_is_refused(files: list[str], tmp_path: Path, capsys: Capture) -> None:
    words = ["audit", *files, "--out", str(tmp_path / "out"), "--limit", "membership=0.6"]
    assert main(words) == 2
    assert "A limit is set for membership, but the audit asks released, attributes." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_every_exit_code_of_a_verdict_stands_in_the_table() -> None:
    page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    rows_of = dict(re.findall(r"^\| (\d) \| `audit`, `report` \| (.*) \|$", page, re.MULTILINE))
    assert {str(code) for code in CODES.values()} == set(rows_of)
    assert "within its limit" in rows_of[str(CODES[Verdict.WITHIN])]
    assert "above a limit, or a leak is shown" in rows_of[str(CODES[Verdict.ABOVE])]
    assert "undecided" in rows_of[str(CODES[Verdict.UNDECIDED])]
