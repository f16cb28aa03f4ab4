"""Make the sample files: a hospital cohort that never was, three releases of it, and a town of households.

::

    python -m sample_data.make [FOLDER]

Everything is drawn from named streams of one seed, so the same files come out each time, byte for byte. The README
beside this script describes them.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from riskkit import registry
from riskkit.core import Bools, Floats, Ints, Table
from riskkit.seeds import stream
from riskkit.table.load import read_table, read_tables
from riskkit.table.write import to_csv

HERE = Path(__file__).resolve().parent
SEED = 2026
ROWS = {"real": 2000, "holdout": 1000}
RELEASE_ROWS = 2000
RELEASES = {"release_stat.csv": "stat:post=round+clip", "release_bayesnet.csv": "bayesnet"}

DISTRICTS = ("Centre", "Harbour", "Île-Nord", "Mühlfeld", "桜町")
INSURANCE = ("statutory", "private", "none")
SMOKER = ("never", "former", "current")
DIAGNOSES = ("cardiac", "respiratory", "cancer", "injury", "digestive", "metabolic", "infection", "mental")
WARDS = ("medical", "surgical", "intensive", "day care")

WARD_GIVEN_DIAGNOSIS = np.array([
    [0.62, 0.16, 0.18, 0.04],  # cardiac
    [0.76, 0.04, 0.14, 0.06],  # respiratory
    [0.38, 0.34, 0.06, 0.22],  # cancer
    [0.08, 0.66, 0.10, 0.16],  # injury
    [0.42, 0.40, 0.04, 0.14],  # digestive
    [0.80, 0.05, 0.05, 0.10],  # metabolic
    [0.78, 0.06, 0.13, 0.03],  # infection
    [0.88, 0.00, 0.01, 0.11],  # mental
])  # fmt: skip
STAY_GIVEN_WARD = np.array([6.0, 5.0, 11.0, 0.6])

PLANTED: Mapping[int, Mapping[str, str]] = {
    411: {
        "age": "19", "diagnosis": "porphyria", "ward": "intensive", "systolic": "228", "bmi": "54.6",
        "length_of_stay": "71", "readmitted": "yes",
    },
    907: {"age": "96", "diagnosis": "tularaemia", "ward": "intensive", "bmi": "13.1", "length_of_stay": "58"},
    1288: {
        "age": "18", "insurance": "none", "smoker": "current", "diagnosis": "cancer", "ward": "intensive",
        "readmitted": "yes",
    },
    1733: {"ward": "day care", "systolic": "68", "bmi": "51.9", "length_of_stay": "66"},
}  # fmt: skip
"""Row of the real table, counted from 0, and what was overwritten in it."""

LEAKY, LEAKED = "release_leaky.csv", 14
"""The release of the demo, and how many people it copies: those who stayed longest, the only porphyria among them."""

HOMES, HOMES_FILE = 300, "homes.csv"
"""Households of a made-up town, and the file with all people in them: the cohort knows nobody's household."""

Columns = dict[str, list[str]]


def cohort(n: int, rng: np.random.Generator) -> Columns:
    """``n`` admissions of one year as text columns, by one law; no two numbers are independent of everything."""
    age = _age(n, rng)
    female = rng.random(n) < 0.52
    district = rng.choice(len(DISTRICTS), n, p=[0.34, 0.22, 0.12, 0.26, 0.06])
    insurance = _chosen(_insurance(age, district), rng)
    smoker = _chosen(_smoker(age, female), rng)
    diagnosis = _chosen(_diagnosis(age, female, smoker), rng)
    ward = _chosen(WARD_GIVEN_DIAGNOSIS[diagnosis], rng)
    systolic = np.round(106 + 0.42 * age + 9 * (diagnosis == 0) - 12 * (ward == 2) + 14 * rng.standard_normal(n))
    bmi = np.round(25.4 + 4.8 * (diagnosis == 5) - 1.8 * (diagnosis == 2) + 4.1 * rng.standard_normal(n), 1)
    stay = _stay(age, diagnosis, ward, rng)
    odds = np.exp(-2.6 + 0.016 * (age - 50) + 0.05 * stay + 0.6 * (diagnosis == 0) + 0.5 * (insurance == 2))
    readmitted = rng.random(n) < odds / (1 + odds)
    return {
        "admission_date": _date(diagnosis, rng),
        "age": _whole(age),
        "sex": _words(("male", "female"), female),
        "district": _words(DISTRICTS, district),
        "insurance": _words(INSURANCE, insurance),
        "smoker": _emptied(_words(SMOKER, smoker), rng.random(n) < 0.03),
        "diagnosis": _words(DIAGNOSES, diagnosis),
        "ward": _words(WARDS, ward),
        "systolic": _emptied(_whole(np.clip(systolic, 78, 204)), rng.random(n) < 0.015),
        "bmi": _emptied(
            [f"{value:.1f}" for value in np.clip(bmi, 15.0, 46.0)], rng.random(n) < 0.04 + 0.25 * (ward == 2)
        ),
        "length_of_stay": _whole(stay),
        "readmitted": _words(("no", "yes"), readmitted),
    }


def town(homes: int, rng: np.random.Generator) -> Columns:
    """All people of so many households: who lives together shares district and insurance, and mostly what it smokes."""
    sizes = 1 + rng.choice(8, homes, p=[0.14, 0.2, 0.12, 0.12, 0.16, 0.12, 0.08, 0.06])
    home = np.repeat(np.arange(homes), sizes)
    n = len(home)
    place = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)  # the first two of a household are its adults
    eldest = rng.integers(24, 82, homes)[home]
    age = np.where(place == 0, eldest, np.where(place == 1, eldest + rng.integers(-6, 7, n), rng.integers(0, 24, n)))
    district = rng.choice(len(DISTRICTS), homes, p=[0.34, 0.22, 0.12, 0.26, 0.06])[home]
    insurance = _chosen(_insurance(eldest.astype(float), district), rng)[np.cumsum(sizes) - sizes][home]
    smoker = _chosen(_smoker(np.maximum(age, 18).astype(float), rng.random(n) < 0.52), rng)
    rooms = np.clip(sizes + rng.integers(-1, 3, homes), 1, 9)[home]
    order = rng.permutation(n)
    columns = {
        "household": [str(number) for number in (1 + rng.permutation(homes))[home]],
        "age": [str(years) for years in np.maximum(age, 0)],
        "sex": _words(("male", "female"), rng.random(n) < 0.51),
        "district": _words(DISTRICTS, district),
        "insurance": _words(INSURANCE, insurance),
        "smoker": _words(SMOKER, np.where(age < 15, 0, smoker)),
        "rooms": [str(number) for number in rooms],
    }
    return {name: [values[row] for row in order] for name, values in columns.items()}


def _age(n: int, rng: np.random.Generator) -> Floats:
    """Two humps: the accidents of the young, the illnesses of the old. Years, 18 to 95."""
    old = rng.random(n) < 0.68
    years: Floats = np.round(np.where(old, 68, 35) + np.where(old, 13, 10) * rng.standard_normal(n))
    return np.clip(years, 18, 95)


def _insurance(age: Floats, district: Ints) -> Floats:
    """(n, 3) weights: the harbour is rich, the uninsured are young."""
    private = 0.10 + 0.14 * (district == 1) + 0.04 * (age > 60)
    none = 0.05 * (age < 40) + 0.01
    return np.column_stack([1 - private - none, private, none])


def _smoker(age: Floats, female: Bools) -> Floats:
    """(n, 3) weights: men of sixty have given up, the young have not yet."""
    former = 0.10 + 0.004 * (age - 18) + 0.08 * ~female
    current = 0.30 - 0.0028 * (age - 18) + 0.06 * ~female
    return np.column_stack([1 - former - current, former, current])


def _diagnosis(age: Floats, female: Bools, smoker: Ints) -> Floats:
    """(n, 8) weights by age, sex and smoking."""
    late = (age - 18) / 77
    return np.column_stack([
        0.04 + 0.30 * late**2 + 0.05 * (smoker == 2),
        0.06 + 0.08 * late + 0.16 * (smoker == 2) + 0.06 * (smoker == 1),
        0.02 + 0.20 * late + 0.06 * (smoker > 0),
        0.26 - 0.18 * late + 0.05 * ~female,
        np.full(len(age), 0.14),
        0.06 + 0.06 * late,
        np.full(len(age), 0.10),
        0.16 - 0.14 * late,
    ])  # fmt: skip


def _stay(age: Floats, diagnosis: Ints, ward: Ints, rng: np.random.Generator) -> Floats:
    """Whole days, 0 to 54: long in intensive care and mental illness, longer with age."""
    mean = STAY_GIVEN_WARD[ward] * (1 + 1.1 * (diagnosis == 7)) * (0.7 + 0.006 * age)
    days: Floats = np.minimum(np.floor(rng.gamma(1.8, mean / 1.8)), 54)
    return days


def _date(diagnosis: Ints, rng: np.random.Generator) -> list[str]:
    """Days of 2024; infections and airways fill the winter."""
    n = len(diagnosis)
    winter = np.isin(diagnosis, (1, 6)) & (rng.random(n) < 0.55)
    day = np.where(winter, np.round(28 * rng.standard_normal(n)) % 366, rng.integers(366, size=n))
    return [str(np.datetime64("2024-01-01") + int(offset)) for offset in day]


def _chosen(weights: Floats, rng: np.random.Generator) -> Ints:
    """(n,) one category a row, drawn by the weights of that row."""
    steps = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    passed: Ints = (rng.random((len(weights), 1)) > steps[:, :-1]).sum(axis=1)
    return passed


def _words(levels: Sequence[str], code: Ints | Bools) -> list[str]:
    return [levels[int(level)] for level in code]


def _whole(values: Floats) -> list[str]:
    return [str(int(value)) for value in values]


def _emptied(texts: list[str], where: Bools) -> list[str]:
    """The texts with nothing where a value was not taken down."""
    return ["" if lost else text for text, lost in zip(texts, where, strict=True)]


def people() -> dict[str, Columns]:
    """The real and the holdout cohort: one law, different people; the outliers are planted in the real one."""
    made = {name: cohort(n, stream(SEED, "sample data", name)) for name, n in ROWS.items()}
    for row, values in PLANTED.items():
        for column, value in values.items():
            made["real"][column][row] = value
    return made


def release(real: Table, written: str) -> Table:
    """What the generator, fitted once to the real table, gives out."""
    fitted = registry.parse("generators", written).fit(real, stream(SEED, "sample data", written, "training"))
    out: Table = fitted.sample(RELEASE_ROWS, stream(SEED, "sample data", written, "release"))
    return out


def leaky(real: Table, made: Table) -> Table:
    """The same release as a careless program hands it out: in the order of the real table, and fourteen people copied.

    Each released row stands in the place of the real row that it is most like, all of them together.
    """
    parts = [np.where(np.isnan(table.numbers), 0.0, table.numbers) for table in (real, made)]
    scale = parts[0].std(axis=0)
    apart = cdist(parts[0] / scale, parts[1] / scale, "cityblock")
    for ours, theirs in zip(real.codes.T, made.codes.T, strict=True):
        apart += ours[:, None] != theirs[None, :]
    order = linear_sum_assignment(apart)[1]
    codes, numbers = made.codes[order], made.numbers[order]
    stay = [column.name for column in real.schema.numeric].index("length_of_stay")
    longest = np.argsort(-real.numbers[:, stay], kind="stable")[:LEAKED]
    codes[longest], numbers[longest] = real.codes[longest], real.numbers[longest]
    return Table(made.schema, codes, numbers)


def make(folder: Path) -> None:
    """Write the six files into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {f"{name}.csv": columns for name, columns in people().items()}
    for name, columns in {**written, HOMES_FILE: town(HOMES, stream(SEED, "sample data", "homes"))}.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
    real = read_table(folder / "real.csv")
    for name, method in RELEASES.items():
        (folder / name).write_bytes(to_csv(release(real, method)))
    if "release_bayesnet.csv" in RELEASES:
        made = read_tables(folder / "real.csv", folder / "release_bayesnet.csv")
        assert made.synthetic is not None
        (folder / LEAKY).write_bytes(to_csv(leaky(made.real, made.synthetic)))


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
