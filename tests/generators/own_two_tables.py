"""A steward's program of two tables: ``own_two_tables.py HOW TRAIN TRAIN_CHILDREN N SEED OUT OUT_CHILDREN``.

``ignores`` draws from what it was born with, ``copies`` gives people with their visits back, ``children`` gives the
visits of people back under patients that it makes up. Any other word spoils what ``copies`` would write. With dots in
the places of the second table it is what ``children`` makes of the first alone. It imports nothing of riskkit.
"""

import csv
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

Rows = list[list[str]]
CANARY = "quokka-canary"
WARDS, DISTRICTS = ("medical", "surgical"), ("North", "South", "Harbour")


def read(path: str) -> tuple[list[str], Rows]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return names, rows


def made_up(rng: random.Random, key: str) -> list[str]:
    """A patient who never was: key, age, district."""
    return [key, str(rng.randint(20, 80)), rng.choice(DISTRICTS)]


def visits(rng: random.Random, key: str) -> Rows:
    """Visits that never were: key, ward, cost."""
    return [[key, rng.choice(WARDS), str(rng.randint(1, 900))] for _ in range(rng.randint(1, 3))]


def repeated(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    patients[4][0] = patients[2][0]


def unnamed(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    patients[4][0] = ""


def orphan(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    below[3][0] = CANARY


def homeless(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    below[3][0] = ""


def fewer(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    gone = patients.pop()
    below[:] = [row for row in below if row[0] != gone[0]]


def turned(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    for row in (names, *patients, second, *below):
        row.reverse()


def other_name(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    second[0] = CANARY


def no_key(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    for row in (names, *patients):
        row.pop(0)


def level(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    below[3][1] = CANARY


def beyond(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    below[3][2] = "98765"


def empty(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    below.clear()


def nothing(names: list[str], patients: Rows, second: list[str], below: Rows) -> None:
    """The second table is not written at all."""
    second.clear()


SPOILT: dict[str, Callable[[list[str], Rows, list[str], Rows], None]] = {
    own.__name__: own
    for own in (
        repeated, unnamed, orphan, homeless, fewer, turned, other_name, no_key, level, beyond, empty, nothing,
    )
}  # fmt: skip


def main(how: str, train: str, train_children: str, n: str, seed: str, out: str, out_children: str) -> None:
    """Write ``n`` patients and their visits."""
    is_alone = train_children == "."
    if "OWN_KEPT" in os.environ:  # what it was given, for a test that counts
        kept = Path(os.environ["OWN_KEPT"]) / f"{os.getpid()}-{seed}"
        kept.mkdir(parents=True)
        shutil.copy(train, kept / "train.csv")
        shutil.copy(train_children, kept / "train_children.csv")
    rng = random.Random(int(seed))
    names, patients = read(train)
    second, below = ([], []) if is_alone else read(train_children)
    rng.shuffle(patients)
    own: dict[str, Rows] = {}
    for row in below:
        own.setdefault(row[0], []).append(row[1:])
    released, visited = [], []
    for number in range(int(n)):
        key = f"new-{number}"
        patient = patients[number % len(patients)]  # everybody, where there is room
        if how == "ignores":
            released.append(made_up(rng, key))
            visited += visits(rng, key)
            continue
        if is_alone:  # then no file has keys
            released.append(made_up(rng, key)[1:])
            continue
        released.append(made_up(rng, key) if how == "children" else [key, *patient[1:]])
        visited += [[key, *row] for row in own.get(patient[0], [])]
    SPOILT.get(how, lambda *_: None)(names, released, second, visited)
    for path, header, rows in ((out, names, released), (out_children, second, visited)):
        if header and path != ".":
            with Path(path).open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    main(*sys.argv[1:])
