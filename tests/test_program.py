"""The exit code of ``riskkit audit`` is a verdict: nothing that an audit plays can choose it.

Everything here is a real program in a process of its own, as a pipeline starts it. A steward's Python objects and
plug-ins of theirs raise, exit and die; no code they choose may be read as "no leak" (0) or as "leak" (3).
"""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from riskkit.audit import output_files
from riskkit.cli import main
from riskkit.commands import _watch as program
from tests.test_cli_report import CONFIG, MADE, WRITTEN, rows

ROOT = Path(__file__).resolve().parents[1]
CANARY = "quokka-canary"
OBJECTS = f'''
import os, signal, sys, threading
import numpy as np

class Works:
    def fit(self, data): self.data = data
    def sample(self, n): return self.data.iloc[np.random.randint(len(self.data), size=n)]

class Ends(BaseException): pass

class ExitsMade(Works):
    def __init__(self): sys.exit(0)

class ExitsInFit(Works):
    def fit(self, data): sys.exit(0)

class ExitsInFitAsALeak(Works):
    def fit(self, data): raise SystemExit(3)

class ExitsInSample(Works):
    def sample(self, n): sys.exit("{CANARY}")

class ExitsWhenLookedAt(Works):
    def __getattr__(self, name): sys.exit(0)

class ExitsAsAProperty(Works):
    @property
    def sample(self): sys.exit(0)

class ExitsWhenWritten(Works):
    class Cell:
        def __str__(self): sys.exit(0)
        __repr__ = __str__
    def sample(self, n): return super().sample(n).astype(object).map(lambda value: self.Cell())

class ExitsWhenSeeded(Works):
    def set_random_state(self, seed): sys.exit(0)

class Mostly(Works):
    def _set_random_state(self, state, workers): pass

class EndsOtherwise(Works):
    def fit(self, data): raise Ends("{CANARY}")

class Dies(Works):
    def sample(self, n): os._exit(0)

class DiesAsALeak(Works):
    def fit(self, data): os._exit(3)

class IsKilled(Works):
    def sample(self, n): os.kill(os.getpid(), 9)

class DiesWithAChild(Works):
    def fit(self, data):
        if os.fork() == 0:
            signal.pause()  # holds every pipe of its parent open
        os._exit(0)

class Interrupts(Works):
    def fit(self, data): raise KeyboardInterrupt("{CANARY}")
'''
"""A module of a steward's, with one object for every way to end."""
UNGUARDED = "import sys\n\ndef main(): return {code}\n\nsys.exit(main())\n"
DEADLY = "import os\nos._exit(0)\n"
ATTACK = """
import atexit, os, signal, sys
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from riskkit.core import Knowledge

@dataclass(frozen=True)
class Fitted:
    k: int
    def score(self, release):
        {score}
        return np.zeros(self.k)

@dataclass(frozen=True)
class Planted:
    name: ClassVar[str] = "planted"
    title: ClassVar[str] = "Planted"
    card: ClassVar[str] = "Planted."
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    shadows: ClassVar[int] = 0
    control: ClassVar[str] = "bootstrap"
    def fit(self, brief, rng):
        {fit}
        return Fitted(len(brief.targets))

{module}
PLUGIN = Planted
"""
ANONYMISER = """
import sys
from dataclasses import dataclass
from typing import ClassVar
from riskkit.generators.engines.anonymise import FAMILY

@dataclass(frozen=True)
class Planted:
    name: ClassVar[str] = "planted"
    title: ClassVar[str] = "Planted"
    card: ClassVar[str] = "Planted."
    family: ClassVar[str] = FAMILY
    def fit(self, table, rng): sys.exit(0)

PLUGIN = Planted
"""
ROOMS = """
import os
import riskkit.{room}
riskkit.{room}.__path__.append({folder!r})
"""
"""Run by Python at its start, in every process: a folder with one more plug-in."""
MEMBERSHIP = """
[membership]
generators = ["{generator}"]
attacks = ["{attack}"]
trainings = 4
generations = 1
n_syn = 40
"""


@dataclass(frozen=True)
class Ended:
    """How an audit ended: its exit code, what it said, and the files it wrote."""

    code: int
    out: str
    err: str
    files: frozenset[str]


@dataclass(frozen=True)
class Desk:
    """A folder with the tables of an audit and the steward's modules."""

    folder: Path

    def command(self, *more: str, release: str = "fresh") -> list[str]:
        words = ["audit", "--real", "real.csv", "--synthetic", f"{release}.csv", "--holdout", "holdout.csv"]
        words += ["--workers", "1", "--config", "audit.toml", "--out", "out", "--allow-external", "--made", MADE]
        return [sys.executable, "-m", "riskkit", *words, *more]

    def env(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.folder), str(ROOT), os.environ.get("PYTHONPATH", "")])
        return {**os.environ, "PYTHONPATH": path, "RISKKIT_HOME": str(self.folder / "home")}

    def audit(self, config: str, *more: str, release: str = "fresh") -> Ended:
        (self.folder / "audit.toml").write_text(config, encoding="utf-8")
        done = subprocess.run(
            self.command(*more, release=release), cwd=self.folder, env=self.env(), capture_output=True, text=True
        )
        assert "Traceback" not in done.stderr
        assert CANARY not in done.stderr + done.stdout
        return Ended(done.returncode, done.stdout, done.stderr, self.files())

    def files(self) -> frozenset[str]:
        out = self.folder / "out"
        return frozenset(path.name for path in out.iterdir()) if out.exists() else frozenset()

    def asked(self, python: str, *more: str) -> Ended:
        """An audit of that Python object."""
        return self.audit(
            MEMBERSHIP.format(generator=f"external:python={python}", attack="neighbour:own=1"),
            "--external-python",
            python,
            *more,
        )

    def plant(self, room: str, text: str) -> None:
        """Put a plug-in in that room, for this audit alone."""
        folder = self.folder / "plugins"
        folder.mkdir()
        (folder / "planted.py").write_text(text, encoding="utf-8")
        (self.folder / "sitecustomize.py").write_text(ROOMS.format(room=room, folder=str(folder)), encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    for name, seed in (("real", 1), ("holdout", 2), ("fresh", 3), ("copied", 1)):
        lines = rows(seed)
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,d,place", *lines]) + "\n", encoding="utf-8")
    (tmp_path / "own.py").write_text(OBJECTS, encoding="utf-8")
    for name, code in (("unguarded", 0), ("unguarded3", 3)):
        (tmp_path / f"{name}.py").write_text(UNGUARDED.format(code=code), encoding="utf-8")
    (tmp_path / "deadly.py").write_text(DEADLY, encoding="utf-8")
    return Desk(tmp_path)


# --- a steward's Python object --------------------------------------------------------------------------------------


def sentences(ended: Ended) -> list[str]:
    """The sentences on the terminal, without the lines that say between them how far a long step is."""
    return [line for line in ended.err.splitlines() if line.startswith("riskkit: ")]


def undecided(ended: Ended, sentence: str) -> None:
    """A question that could not be asked: a sentence, a report that says undecided, and exit code 4."""
    assert ended.code == 4, ended.err
    first, complaint = sentences(ended)[:2]
    assert first.startswith("riskkit: Kept as ")
    assert complaint.startswith("riskkit: membership could not be asked. ")
    assert sentence in ended.err
    assert "UNDECIDED" in ended.out
    assert ended.files >= WRITTEN - {"estimates.csv"}


@pytest.mark.parametrize(
    ("python", "sentence"),
    [
        ("unguarded:main", "unguarded:main cannot be loaded: SystemExit. Its module ends the program when it is"),
        ("own:ExitsInFitAsALeak", "own:ExitsInFitAsALeak stopped in fit with SystemExit."),
        ("own:Dies", "The process of the Python object own:Dies ended with exit status 0 in sample."),
        ("own:Mostly", "own:Mostly stopped in _set_random_state with TypeError. It is called with one whole number"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("unguarded3:main", "unguarded3:main cannot be loaded: SystemExit."),
                ("deadly:Thing", "The process of the Python object deadly:Thing ended with exit status 0 in loading."),
                ("own:ExitsMade", "own:ExitsMade stopped in making with SystemExit."),
                ("own:ExitsInFit", "own:ExitsInFit stopped in fit with SystemExit."),
                ("own:ExitsInSample", "own:ExitsInSample stopped in sample with SystemExit."),
                ("own:ExitsWhenLookedAt", "own:ExitsWhenLookedAt stopped in set_random_state with SystemExit."),
                ("own:ExitsAsAProperty", "own:ExitsAsAProperty stopped in making with SystemExit."),
                ("own:ExitsWhenWritten", "own:ExitsWhenWritten stopped in writing the rows of sample with SystemExit."),
                ("own:ExitsWhenSeeded", "own:ExitsWhenSeeded stopped in set_random_state with SystemExit."),
                ("own:EndsOtherwise", "own:EndsOtherwise stopped in fit with Ends."),
                ("own:Interrupts", "own:Interrupts stopped in fit with KeyboardInterrupt."),
                ("own:DiesAsALeak", "own:DiesAsALeak ended with exit status 3 in fit."),
                ("own:IsKilled", "own:IsKilled was ended by the signal SIGKILL in sample."),
                ("own:DiesWithAChild", "own:DiesWithAChild ended with exit status 0 in fit."),
            )
        ),
    ],
)
def test_an_object_that_ends_is_a_sentence(desk: Desk, python: str, sentence: str) -> None:
    undecided(desk.asked(python), sentence)


@pytest.mark.slow
@pytest.mark.parametrize("python", ["own:ExitsInFit", "own:Dies", "unguarded:main"])
def test_it_is_the_same_sentence_where_several_processes_work(desk: Desk, python: str) -> None:
    """Which of them is heard first does not matter."""
    first = desk.asked(python, "--workers", "2")
    assert sentences(first)[1:] == sentences(desk.asked(python))[1:]
    undecided(first, python)


@pytest.mark.slow
def test_an_object_that_works_leaves_the_verdict_alone(desk: Desk) -> None:
    ended = desk.asked("own:Works")
    assert ended.code == 4, ended.err
    (kept,) = sentences(ended)
    assert kept.startswith("riskkit: Kept as ")
    assert re.search(r"^Membership .*If it had been made by Your own generator .*: undecided", ended.out, re.MULTILINE)
    assert ended.files >= WRITTEN - {"estimates.csv"}


# --- plug-ins, which run in the audit's own process -----------------------------------------------------------------


def planted(desk: Desk, *more: str, module: str = "", fit: str = "", score: str = "", release: str = "fresh") -> Ended:
    """An audit that asks an attack of the steward's own, which does that."""
    text = ATTACK.format(module=module, fit=fit or "pass", score=score or "pass")
    desk.plant("attacks", text)
    config = MEMBERSHIP.format(generator="bootstrap", attack="planted")
    return desk.audit(f"{CONFIG}{config}" if release == "copied" else config, *more, release=release)


def refused(ended: Ended, sentence: str) -> None:
    """No verdict: a sentence, no file, exit code 2."""
    assert ended.code == 2, ended.err
    assert sentence in ended.err
    assert ended.err.startswith("riskkit: ")
    assert ended.files == frozenset()


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ({"module": "os._exit(0)"}, "The process of the audit ended with exit status 0 before it had a verdict."),
        pytest.param({"module": "sys.exit(0)"}, "planted.py does not load: SystemExit.", marks=pytest.mark.slow),
        pytest.param(
            {"score": "os._exit(0)"}, "The process of the audit ended with exit status 0", marks=pytest.mark.slow
        ),
        pytest.param(
            {"score": "os._exit(3)"}, "The process of the audit ended with exit status 3", marks=pytest.mark.slow
        ),
        pytest.param(
            {"score": "os.kill(os.getpid(), signal.SIGKILL)"},
            "The process of the audit was ended by the signal SIGKILL",
            marks=pytest.mark.slow,
        ),
    ],
    ids=str,
)
def test_a_plug_in_that_ends_the_audit_leaves_no_verdict(desk: Desk, what: dict[str, str], sentence: str) -> None:
    refused(planted(desk, **what), sentence)


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ({"score": "sys.exit(0)"}, "an unexpected SystemExit (planted.py:"),
        pytest.param({"fit": "sys.exit(3)"}, "an unexpected SystemExit (planted.py:", marks=pytest.mark.slow),
        pytest.param({"score": "raise GeneratorExit"}, "an unexpected GeneratorExit (", marks=pytest.mark.slow),
        pytest.param(
            {"score": f"raise ValueError('{CANARY}')"}, "an unexpected ValueError (planted.py:", marks=pytest.mark.slow
        ),
    ],
    ids=str,
)
def test_a_plug_in_that_raises_ends_its_question_alone(
    desk: Desk, what: dict[str, str], sentence: str, workers: str
) -> None:
    undecided(planted(desk, "--workers", workers, **what), sentence)


@pytest.mark.slow
def test_a_plug_in_that_ends_every_worker_process_is_a_sentence(desk: Desk) -> None:
    undecided(planted(desk, "--workers", "2", score="os._exit(0)"), "because a plug-in ends its process")


@pytest.mark.slow
def test_an_anonymiser_that_exits_is_a_sentence(desk: Desk) -> None:
    desk.plant("generators", ANONYMISER)
    config = MEMBERSHIP.format(generator="rounding:base=10|planted", attack="neighbour:own=1")
    undecided(desk.audit(config), "an unexpected SystemExit (planted.py:")


@pytest.mark.slow
def test_a_leak_stays_a_leak_whatever_is_left_to_run_at_the_end(desk: Desk) -> None:
    ended = planted(desk, module="atexit.register(os._exit, 0)", release="copied")
    assert ended.code == 3, ended.err
    (kept,) = sentences(ended)
    assert kept.startswith("riskkit: Kept as ")
    assert "Traceback" not in ended.err
    assert "LEAK SHOWN" in ended.out
    assert ended.files >= WRITTEN


# --- the codes themselves -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "more", "code"),
    [("fresh", ("--limit", "released=0.65"), 0), ("copied", (), 3), ("fresh", (), 4), ("nowhere", (), 2)],
)
def test_a_program_ends_with_the_code_of_its_verdict(
    desk: Desk, release: str, more: tuple[str, ...], code: int
) -> None:
    ended = desk.audit(CONFIG, *more, release=release)
    assert ended.code == code, ended.err
    assert (ended.files >= WRITTEN) is (code != 2)


@pytest.mark.parametrize(
    ("words", "code"), [(["audit", "--help"], 0), (["audit", "--nonsense"], 2), (["--version"], 0)]
)
def test_the_parser_ends_as_it_always_does(words: list[str], code: int) -> None:
    done = subprocess.run([sys.executable, "-m", "riskkit", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == code
    assert "riskkit" in (done.stdout if code == 0 else done.stderr)
    assert "verdict" not in done.stderr


def test_modules_of_the_working_folder_are_not_found_where_they_were_not_before(desk: Desk) -> None:
    """A program on the path of the shell does not look into the folder it is called from; nor does its second half."""
    (desk.folder / "riskkit.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from riskkit.__main__ import main; sys.exit(main())"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-P", "-c", start, "report", "no such audit", "--out", "out"]
    done = subprocess.run(command, cwd=desk.folder, env=env, capture_output=True, text=True)
    assert (done.returncode, "No audit begins with 'no such audit'" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(("left", "code"), [("130.", 130), ("0.", 0), ("0", 2), ("", 2), (None, 2)])
def test_the_code_is_what_was_left_whole(monkeypatch: pytest.MonkeyPatch, left: str | None, code: int) -> None:
    """Whatever the process ended with, which is 0 here."""
    write = "" if left is None else f"open(sys.argv[1], 'w').write({left!r})"
    monkeypatch.setattr(program, "WORK", f"import sys; {write}")
    assert program.watch(main, ["audit"]) == code


def test_where_no_process_can_be_started_there_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", str(ROOT / "no such python"))
    assert program.watch(main, ["audit"]) == 2
    assert capsys.readouterr().err == "riskkit: No process can be started for the audit (No such file or directory).\n"


@pytest.mark.usefixtures("listening")
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_an_audit_that_is_stopped_is_none_and_leaves_no_process(desk: Desk, number: int, code: int) -> None:
    slow = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(300)"
    desk.plant("attacks", ATTACK.format(module="", fit=slow, score="pass"))
    (desk.folder / "audit.toml").write_text(
        MEMBERSHIP.format(generator="bootstrap", attack="planted"), encoding="utf-8"
    )
    note = desk.folder / "pid"
    with subprocess.Popen(desk.command(), cwd=desk.folder, env=desk.env(), stderr=subprocess.PIPE) as process:
        while not (note.exists() and note.read_text()):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(number)
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == code, complaint.decode()
    lasts = {signal.SIGINT: "riskkit: stopped.", signal.SIGKILL: "riskkit: Kept as "}
    last = lasts.get(signal.Signals(number), ("riskkit: Kept as ", "riskkit: Stopped; "))
    assert complaint.decode().strip().rpartition("\n")[2].startswith(last), complaint
    assert gone(int(note.read_text()))
    assert desk.files() == frozenset()


def gone(number: int) -> bool:
    """Whether that process ends within seconds."""
    for _ in range(200):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


# --- a report that is not there as it was written -------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["all", "report.json", "report.pdf", "verdicts.csv", "evidence.zip"])
def test_without_its_report_no_verdict_is_given(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lost: str
) -> None:
    """A disk that takes every byte and keeps none."""
    monkeypatch.chdir(desk.folder)
    (desk.folder / "audit.toml").write_text(CONFIG, encoding="utf-8")
    write = output_files.write

    def forgetful(files: dict[str, bytes], folder: Path) -> None:
        write(files, folder)
        for name in files if lost == "all" else (lost,):
            (folder / name).write_bytes(b"")

    monkeypatch.setattr("riskkit.commands._report.write", forgetful)
    assert main(desk.command("--limit", "released=0.65")[3:]) == 2
    outputs = capsys.readouterr()
    assert "cannot be relied on: it is not what was written" in outputs.err
    assert "NO LEAK" not in outputs.out
