"""Small files of patients and visits for tests, and the program of two tables that is run on them."""

import csv
import shlex
import sys
from pathlib import Path

import numpy as np

import riskkit as rk
from riskkit.table.load import Tables

PROGRAM = Path(__file__).resolve().parent / "generators" / "own_two_tables.py"
WARDS, DISTRICTS = ("medical", "surgical"), ("North", "South", "Harbour")


def command(how: str, *, is_alone: bool = False) -> str:
    """The command line of the program that does that, with both tables or with the first one alone."""
    words = "{train} . {n} {seed} {out} ." if is_alone else "{train} {train_children} {n} {seed} {out} {out_children}"
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(PROGRAM))} {how} {words}"


def write(folder: Path, slot: str, people: int, rng: np.random.Generator) -> None:
    """Patients of one side with one to three visits each; the ends of every range are there."""
    patients, visits = [], []
    for number in range(people):
        key = f"{slot}-{700 + number}"
        age = (20, 80)[number] if number < 2 else int(rng.integers(20, 81))
        patients.append([key, age, DISTRICTS[rng.integers(3)]])
        costs = [1, 900] if number == 0 else rng.integers(1, 901, rng.integers(1, 4)).tolist()
        visits += [[key, WARDS[rng.integers(2)], cost] for cost in costs]
    order = rng.permutation(len(visits))
    for name, header, rows in (
        ("patients", ["patient", "age", "district"], patients),
        ("visits", ["patient", "ward", "cost"], [visits[place] for place in order]),
    ):
        with (folder / f"{name}_{slot}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])


def tables(folder: Path, people: int = 60, others: int = 0, seed: int = 1) -> Tables:
    """The real people, and as many others as are asked for as the holdout."""
    rng = np.random.default_rng(seed)
    slots = {"real": people, "holdout": others}
    for slot, many in slots.items():
        if many:
            write(folder, slot, many, rng)
    there = [slot for slot, many in slots.items() if many]
    return rk.load(
        **{slot: folder / f"patients_{slot}.csv" for slot in there},
        person="patient",
        children={slot: folder / f"visits_{slot}.csv" for slot in there},
    )


def lines(path: Path) -> list[list[str]]:
    """The lines of a CSV, the header first."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
