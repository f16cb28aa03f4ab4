"""A steward's program for the tests: ``own_program.py HOW TRAIN N SEED OUT`` draws rows of TRAIN, or goes wrong.

It imports nothing of riskkit, as a steward's program would not.
"""

import csv
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

Rows = list[list[str]]
CANARY = "quokka-canary"
DIGITS = "987654.5"
"""A number that is in no table of the tests."""


def unknown_level(names: list[str], rows: Rows) -> None:
    rows[3][0] = CANARY


def beyond(names: list[str], rows: Rows) -> None:
    rows[3][names.index("age")] = DIGITS


def words(names: list[str], rows: Rows) -> None:
    rows[3][names.index("age")] = CANARY


def fine(names: list[str], rows: Rows) -> None:
    rows[3][names.index("age")] = "50.25"


def endless_number(names: list[str], rows: Rows) -> None:
    rows[3][names.index("age")] = "1e999"


def no_value(names: list[str], rows: Rows) -> None:
    rows[3][names.index("age")] = ""


def no_date(names: list[str], rows: Rows) -> None:
    rows[3][names.index("seen")] = CANARY


def last_total(names: list[str], rows: Rows) -> None:
    for row in rows:
        row[0] = "x y"
    rows[-1][0] = "Total"


def fewer(names: list[str], rows: Rows) -> None:
    rows.pop()


def more(names: list[str], rows: Rows) -> None:
    rows.append(rows[0])


def no_rows(names: list[str], rows: Rows) -> None:
    rows.clear()


def without_column(names: list[str], rows: Rows) -> None:
    for row in (names, *rows):
        row.pop(1)


def extra_column(names: list[str], rows: Rows) -> None:
    names.append(CANARY)
    for row in rows:
        row.append("1")


def no_names(names: list[str], rows: Rows) -> None:
    names[:] = [CANARY] * len(names)


def ragged(names: list[str], rows: Rows) -> None:
    rows[3].append(CANARY)


def turned(names: list[str], rows: Rows) -> None:
    for row in (names, *rows):
        row.reverse()


def index(names: list[str], rows: Rows) -> None:
    names.insert(0, "")
    for number, row in enumerate(rows):
        row.insert(0, str(number))


SPOILT: dict[str, Callable[[list[str], Rows], None]] = {
    own.__name__: own
    for own in (
        unknown_level,
        beyond,
        words,
        fine,
        endless_number,
        no_value,
        no_date,
        last_total,
        fewer,
        more,
        no_rows,
        without_column,
        extra_column,
        no_names,
        ragged,
        turned,
        index,
    )
}


def nothing(out: Path) -> None:
    """Writes no file."""


def folder(out: Path) -> None:
    out.mkdir()


def link(out: Path) -> None:
    out.symlink_to(out.with_name("train.csv"))


def pipe(out: Path) -> None:
    os.mkfifo(out)


def picture(out: Path) -> None:
    out.write_bytes(b"\x89PNG\r\n\x1a\n" + CANARY.encode() * 9)


def page(out: Path) -> None:
    out.write_text(f"<!DOCTYPE html><html><body>{CANARY}</body></html>", encoding="utf-8")


def latin(out: Path) -> None:
    out.write_bytes(f"ward,age\n{CANARY}\xe9,1\n".encode("latin-1"))


def empty(out: Path) -> None:
    out.touch()


def fail(out: Path) -> None:
    sys.stderr.write(f"Traceback\n{CANARY}: of a cell\n")
    sys.exit(3)


def crash(out: Path) -> None:
    raise KeyError(CANARY)


def killed(out: Path) -> None:
    os.kill(os.getpid(), 9)


def chatter(out: Path) -> None:
    while True:
        sys.stdout.write(CANARY * 1000)
        sys.stderr.write(CANARY * 1000)


def family(out: Path) -> None:
    """A child of a child that sleeps and tells its number beside the note that OWN_NOTE names."""
    note = os.environ["OWN_NOTE"]
    sleeper = f"import os,pathlib,time; pathlib.Path({note!r}).write_text(str(os.getpid())); time.sleep(300)"
    child = f"import subprocess,sys; subprocess.run([sys.executable, '-c', {sleeper!r}])"
    subprocess.Popen([sys.executable, "-c", child])
    while not Path(note).exists() or not Path(note).read_text():
        time.sleep(0.02)
    if os.environ.get("OWN_WAITS") == "1":
        time.sleep(300)


WRONG: dict[str, Callable[[Path], None]] = {
    own.__name__: own
    for own in (nothing, folder, link, pipe, picture, page, latin, empty, fail, crash, killed, chatter, family)
}


def main(how: str, train: str, n: str, seed: str, out: str) -> None:
    """Draw ``n`` rows of ``train`` with that seed, spoil them as told, write them to ``out``."""
    if "OWN_FOLDER" in os.environ:
        Path(os.environ["OWN_FOLDER"]).write_text(str(Path.cwd()), encoding="utf-8")
    with Path(train).open(encoding="utf-8", newline="") as file:
        names, *table = csv.reader(file)
    rows = [list(row) for row in random.Random(int(seed)).choices(table, k=int(n))]
    if how in WRONG:
        WRONG[how](Path(out))
        if how != "family":
            return
    SPOILT.get(how, lambda names, rows: None)(names, rows)
    with Path(out).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])


if __name__ == "__main__":
    main(*sys.argv[1:])
