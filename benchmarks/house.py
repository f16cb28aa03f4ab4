"""How large the house is and how far it is from a page or a command to a number: files, lines, and calls.

Run it: ``python benchmarks/house.py``; writes ``benchmarks/results/house.md`` in about two minutes of processor time.
With ``durations`` it writes nothing anew but how long the tests take, from ``benchmarks/durations.toml``.
Calls are counted as they are made: small runs of every question are played by the command and shown by the page, and
each time an estimate is made, the functions of riskkit stand on the stack that led there. A turn back is a call of a
function in a room above that of its caller, by the table of rooms in ``docs/architecture.md``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from streamlit.testing.v1 import AppTest

from riskkit.cli import main as command
from riskkit.core import Estimate
from riskkit.jobs.store import Audit, Store
from riskkit.questions import questions
from riskkit.questions.runs import work
from tests.faults.workers import asked
from tests.jobs.test_every_question import PLANS
from tests.pages import screens
from tests.pages.screens import csv, opened

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "house.md"
MEASURED = ROOT / "benchmarks" / "durations.toml"
"""What was measured by hand; nothing here plays the tests."""
Call = tuple[str, str]
"""A file of riskkit, and the function in it."""
PAGES = {
    "membership": "pages/2_membership.py",
    "released": "pages/2_membership.py",
    "records": "pages/3_records.py",
    "attributes": "pages/4_attributes.py",
    "explanations": "pages/5_explanations.py",
    "contest": "pages/6_contest.py",
}
DRAWN = "riskkit/dashboard/pages/question_page.py"
"""The page of every question that has none of its own."""
MOST, TURNS = 20, 3
"""The goal: so many calls from a command or a page to an estimate, and so many turns back."""
HEAD = f"""# The house, counted

Made by `benchmarks/house.py`.

## From a command and from a page to an estimate

Calls of riskkit's own functions that stand on the stack where the first estimate is made (loops within one left out),
and how many of them go back up, from a room to one that stands above it in the table of rooms of
`docs/architecture.md`. The goal is {MOST} calls and {TURNS} turns back at most.

"""


PLACES = """
## Places to touch

| what is added | places | held by |
|---|---|---|
| a question and page | 1 folder in `riskkit/questions` | `tests/test_adding.py`, `tests/jobs/test_every_question.py` |
| a setting of a plan | 1 line | `tests/test_plans.py`: command line, JSON, configuration, form |
| the words of a setting that several plans share | 1 place | `tests/test_plans.py` |
| a value of a result | 1 field; JSON and back follow | `tests/jobs/test_every_question.py`, `tests/test_plain.py` |
| an estimate on page, paper, JSON and CSV, of any question | 1: the result's `estimates` | `tests/pages/test_every_question.py`, `tests/report/audited/test_same_numbers.py` |
| a column of a table on page, PDF, HTML, JSON and CSV, of a question with a view | 1: its `Column` in `present.py` | `tests/dashboard/test_blocks.py`, `tests/pages/test_every_question.py` |
| a measure of usefulness | 1 file | `tests/contracts/test_utility.py` |
| an attack | 1 file | `tests/contracts/test_attacks.py`, `tests/contracts/test_released.py` |
| a generator, a rule for targets, a page, a language | 1 file | `tests/test_adding.py`, the contracts |

New texts are listed for translators by `make texts`, and that list is the one file a recipe edits:
[the recipes' diffs](recipes/README.md).
"""  # noqa: E501


DURATIONS = """
## How long the tests take

Minutes and seconds on two cores, kept by hand in `benchmarks/durations.toml`. The goal is 8 minutes for the first stage
(`make test`) and 13 for both (`.ci/run`).

"""


LINES = "\n## Files and lines\n\n"


def floors() -> list[str]:
    """The rooms from the ground up, as the page of the house names them."""
    rows = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## Rooms")[1].split("\n## ")[0]
    named = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in rows.splitlines() if line.startswith("| `")]
    return [room for names in named for room in names]


def stacks(act: Callable[[], object]) -> list[list[Call]]:
    """The functions of riskkit on the stack of every estimate that is made while this is done, outermost first."""
    estimates: list[list[Call]] = []
    check = Estimate.__post_init__

    def seen(estimate: Estimate) -> None:
        estimates.append(list(_calls(sys._getframe(1)))[::-1])
        check(estimate)

    Estimate.__post_init__ = seen  # type: ignore[assignment,method-assign]
    try:
        act()
    finally:
        Estimate.__post_init__ = check  # type: ignore[method-assign]
    return estimates


def _calls(frame: FrameType | None) -> Iterator[Call]:
    while frame is not None:
        path = os.path.relpath(frame.f_code.co_filename, ROOT)
        if path.startswith(("riskkit/", "pages/", "app.py")) and not frame.f_code.co_name.endswith(
            ("comp>", "genexpr>")
        ):
            yield path, frame.f_code.co_name
        frame = frame.f_back


def turns(calls: list[Call]) -> int:
    """How many calls go from a room to one above it."""
    order = {room: floor for floor, room in enumerate(floors())}
    rooms = [order.get(_room(path), len(order)) for path, _ in calls]
    return sum(after > before for before, after in pairwise(rooms))


def _room(path: str) -> str:
    parts = Path(path).with_suffix("").parts
    return parts[1] if parts[0] == "riskkit" else parts[0]


def lines_of(files: list[Path]) -> int:
    """Lines of these files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def sizes() -> str:
    """Files and lines of each question, of each folder, and of those of a question's screens."""
    text = "| folder | files | lines |\n|---|---|---|\n"
    package = ROOT / "riskkit"
    folders = [package / "questions" / folder.name for folder in sorted((package / "questions").iterdir())]
    folders = [folder for folder in folders if (folder / "question.py").is_file()]
    for folder in folders:
        text += _row(f"riskkit/questions/{folder.name}", sorted(folder.rglob("*.py")))
    text += _row("riskkit/questions, what they share", sorted((package / "questions").glob("*.py")))
    for folder in sorted(path for path in package.iterdir() if path.is_dir() and path.name != "questions"):
        if files := sorted(folder.rglob("*.py")):
            text += _row(f"riskkit/{folder.name}", files)
    text += _row("riskkit, files of its own", sorted(package.glob("*.py")))
    return text + _row("pages and app", [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))])


def durations() -> str:
    """How long both stages took, as it was written down when it was measured."""
    text = "| measured | first stage | second stage | together | processor seconds |\n|---|---|---|---|---|\n"
    for measured in tomllib.loads(MEASURED.read_text(encoding="utf-8"))["measured"]:
        first, second = (measured.get(stage, "") for stage in ("first", "second"))
        together = measured.get("together") or (_clock(_seconds(first) + _seconds(second)) if first and second else "")
        processor = f"{measured['processor']:,}" if "processor" in measured else ""
        text += f"| {measured['of']} | {first or '-'} | {second or '-'} | {together or '-'} | {processor or '-'} |\n"
    return text


def _seconds(clock: str) -> int:
    minutes, seconds = clock.split(":")
    return 60 * int(minutes) + int(seconds)


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


def _row(name: str, files: list[Path]) -> str:
    return f"| `{name}` | {len(files)} | {lines_of(files):,} |\n"


def of_page(audit: Audit, name: str) -> list[Call]:
    """The way from the page of a question to the first estimate of its kept result."""
    run = asked(audit, PLANS[name])
    assert work(run.path), run.progress
    file = PAGES.get(name, DRAWN)
    if file == DRAWN:
        every = stacks(lambda: AppTest.from_function(_page, args=(audit.id, name), default_timeout=900).run())
    else:
        every = stacks(lambda: opened(audit, file, question=name, run=run.id))
    return _first(every, lambda calls: ("riskkit/plain.py", "from_plain") in calls and calls[0][0] == file)


def _page(audit: str, name: str) -> None:
    """The page that is made of a question's plan, as the dashboard calls it."""
    import streamlit as st

    from riskkit.dashboard.pages import question_page

    st.query_params["audit"] = audit
    question_page.page(name)


def of_command(folder: Path, name: str) -> list[Call]:
    """The way from its command to the first estimate."""
    files = {"SYNTHETIC": folder / "synthetic.csv", "HOLDOUT": folder / "holdout.csv"}
    words = shlex.split(PLANS[name].command(str(folder / "real.csv")))[1:]
    if name in ("contest", "released"):
        words += ["--holdout", "HOLDOUT"]
    words = [str(files.get(word, word)) for word in words]
    own = f"riskkit/questions/{name.replace('-', '_')}/"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        every = stacks(lambda: command([*words, "--no-keep", "--quiet"]))
    return _first(every, lambda calls: any(path.startswith(own) for path, _ in calls))


def _first(every: list[list[Call]], is_own: Callable[[list[Call]], bool]) -> list[Call]:
    return next((calls for calls in every if calls and is_own(calls)), [])


def _cells(calls: list[Call]) -> str:
    return f"{len(calls)} | {turns(calls)}" if calls else "- | -"


def write_durations() -> None:
    """Write the durations anew, and leave what was counted as it is."""
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(DURATIONS)[0], page.split(LINES)[1]
    PAGE.write_text(f"{before}{DURATIONS}{durations()}{LINES}{after}", encoding="utf-8")


def main() -> None:
    """Count, and write the page."""
    screens.LIMIT = 900  # a page may be slow beside other work
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o700)
        os.environ["RISKKIT_HOME"] = place
        (folder / "audits").mkdir()
        audit = Store(folder).create("House")
        for seed, slot in enumerate(("real", "synthetic", "holdout")):
            audit.load(slot, csv(240, seed), name=f"{slot}.csv")
            (folder / f"{slot}.csv").write_bytes(csv(240, seed))
        text = HEAD + "| question | command: calls | turns back | page: calls | turns back |\n|---|---|---|---|---|\n"
        longest: list[Call] = []
        for name in questions():
            ways = of_command(folder, name), of_page(audit, name)
            longest = max(longest, *ways, key=len)
            text += f"| {name} | {_cells(ways[0])} | {_cells(ways[1])} |\n"
            print(name, *map(len, ways), flush=True)
    text += "\nThe longest of them, call by call:\n\n"
    text += "".join(f"{number}. `{path}`: `{function}`\n" for number, (path, function) in enumerate(longest, start=1))
    PAGE.write_text(f"{text}{PLACES}{DURATIONS}{durations()}{LINES}{sizes()}", encoding="utf-8")


if __name__ == "__main__":
    write_durations() if sys.argv[1:] == ["durations"] else main()
