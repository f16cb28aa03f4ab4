"""Make a cohort of two tables, patients and their visits, with a leak planted where you say.

::

    python -m sample_data.two_tables FOLDER [none|parent|children|both|across] [PEOPLE] [SEED]

Writes ``patients_real.csv``, ``visits_real.csv`` and the same of ``release`` and ``holdout``. Real people, holdout and
those of the release are drawn from one population, so nothing leaks but what is planted: ``parent`` puts the patients
of some members into the release with visits of a person who was never in, ``children`` the visits of some members under
other patients, ``both`` the two together, and ``across`` the visits of some members under patients who have nothing of
them but the district: who reads patients alone sees no member, who reads both learns where members live. Copies are
slightly changed, and keys are made anew in every file.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.seeds import stream

LEAKS = ("none", "parent", "children", "both", "across")
"""Where a leak may live."""
COPIED = 0.3
"""The share of released people in whom something of a member stands."""
PATIENTS = ("patient", "age", "sex", "district", "bmi")
DISTRICT = 2
"""The place of the district among the columns of patients, without the key."""
VISITS = ("patient", "day", "diagnosis", "ward", "cost")
DIAGNOSES = ("cardiac", "respiratory", "cancer", "injury", "digestive", "metabolic", "infection", "mental")
WARDS = ("medical", "surgical", "intensive", "day care")
DISTRICTS = ("Centre", "Harbour", "North", "Hill", "Meadow")
DAYS = 730

Columns = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cohort:
    """Patients (n, 4) and visits (m, 4) as numbers, categories by place; ``owner`` (m,) is each visit's patient."""

    patients: Columns
    visits: Columns
    owner: npt.NDArray[np.int64]

    def visits_of(self, patient: int) -> Columns:
        """The visits of one patient, by day."""
        own: Columns = self.visits[self.owner == patient]
        return own


def drawn(people: int, rng: np.random.Generator) -> Cohort:
    """So many people of the population, each with visits: about five, up to twenty, some with none."""
    age = np.clip(np.round(rng.normal(52, 18, people)), 18, 99)
    sex, district = rng.integers(0, 2, people), rng.choice(len(DISTRICTS), people, p=[0.35, 0.25, 0.2, 0.15, 0.05])
    bmi = np.round(np.clip(rng.normal(25 + 0.03 * (age - 50), 4, people), 14, 50), 1)
    times = np.minimum(rng.negative_binomial(2, 2 / (2 + 2 + age / 17)), 20)
    owner = np.repeat(np.arange(people), times)
    usual = rng.integers(0, len(DIAGNOSES), people)  # most people come back with what they had
    anew = rng.random(len(owner)) < 0.4
    diagnosis = np.where(anew, rng.integers(0, len(DIAGNOSES), len(owner)), usual[owner])
    ward = np.where(rng.random(len(owner)) < 0.7, diagnosis % len(WARDS), rng.integers(0, len(WARDS), len(owner)))
    cost = np.round(np.exp(rng.normal(6 + 0.4 * ward + 0.005 * age[owner], 0.6)))
    day = np.sort(rng.integers(0, DAYS, len(owner)) + owner * DAYS) - owner * DAYS
    return Cohort(np.column_stack([age, sex, district, bmi]), np.column_stack([day, diagnosis, ward, cost]), owner)


def released(real: Cohort, fresh: Cohort, leak: str, rng: np.random.Generator) -> Cohort:
    """A release that is ``fresh`` people but for what is planted of the real ones.

    Parameters
    ----------
    leak
        Where it lives, one of :data:`LEAKS`.
    """
    if leak == "none":
        return fresh
    people = len(fresh.patients)
    copied = int(COPIED * min(len(real.patients), people))
    members, places = rng.permutation(len(real.patients))[:copied], rng.permutation(people)[:copied]
    patients = fresh.patients.copy()
    if leak in ("parent", "both"):
        noise = np.column_stack([rng.integers(-1, 2, copied), np.zeros((copied, 2)), rng.normal(0, 0.2, copied)])
        patients[places] = np.round(real.patients[members] + noise, 1)
    if leak == "across":
        patients[places, DISTRICT] = real.patients[members, DISTRICT]
    if leak == "parent":
        return replace(fresh, patients=patients)
    of = dict(zip(places.tolist(), members.tolist(), strict=True))
    every = [
        _changed(real.visits_of(of[place]), rng) if place in of else fresh.visits_of(place) for place in range(people)
    ]
    return Cohort(patients, np.vstack(every), np.repeat(np.arange(people), list(map(len, every))))


def _changed(visits: Columns, rng: np.random.Generator) -> Columns:
    """The visits a few days later and a few per cent dearer."""
    out = visits.copy()
    out[:, 0] = np.clip(out[:, 0] + rng.integers(-3, 4, len(out)), 0, DAYS - 1)
    out[:, 3] = np.round(out[:, 3] * np.exp(rng.normal(0, 0.03, len(out))))
    return out


def cohorts(leak: str, people: int, seed: int) -> dict[str, Cohort]:
    """Real people, a release of as many, and as many who were not in."""
    real, fresh, holdout = (drawn(people, stream(seed, "two tables", slot)) for slot in ("real", "release", "holdout"))
    return {
        "real": real,
        "release": released(real, fresh, leak, stream(seed, "two tables", "planted")),
        "holdout": holdout,
    }


def rows(cohort: Cohort, name: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The lines of both files, the header first; keys begin with the name."""
    patients = [
        (f"{name}-{number}", int(age), "FM"[int(sex)], DISTRICTS[int(district)], f"{bmi:.1f}")
        for number, (age, sex, district, bmi) in enumerate(cohort.patients.tolist())
    ]
    first = np.datetime64("2023-01-01")
    visits = [
        (f"{name}-{owner}", first + int(day), DIAGNOSES[int(diagnosis)], WARDS[int(ward)], int(cost))
        for owner, (day, diagnosis, ward, cost) in zip(cohort.owner.tolist(), cohort.visits.tolist(), strict=True)
    ]
    return [PATIENTS, *patients], [VISITS, *visits]


def write(folder: Path, leak: str = "both", people: int = 1_000, seed: int = 2026) -> None:
    """Write the six files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, cohort in cohorts(leak, people, seed).items():
        for table, lines in zip(("patients", "visits"), rows(cohort, name), strict=True):
            with (folder / f"{table}_{name}.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(lines)


if __name__ == "__main__":
    arguments = [*sys.argv[1:], *("both", "1000", "2026")[len(sys.argv) - 2 :]]
    write(Path(arguments[0]), arguments[1], int(arguments[2]), int(arguments[3]))
