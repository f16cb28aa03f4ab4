"""Files of made-up people as stewards load them: copies in disguise, wrong holdouts, unread columns, and honest ones.

Each is a :class:`Pair` of CSV columns. Nobody in them lives; the same seed makes the same files.
"""

import hashlib
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from riskkit.core import Kind
from riskkit.table.kinds.choice import ColumnChoice

ROWS = 400
LEVELS = (3, 4, 5, 6, 4, 3, 7, 5, 4, 6, 3, 5)
Disguise = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True)
class Pair:
    """A real table, a release and perhaps a holdout; ``choices`` are what the steward has answered."""

    name: str
    real: pd.DataFrame
    release: pd.DataFrame
    holdout: pd.DataFrame | None
    choices: Mapping[str, ColumnChoice] = field(default_factory=dict)


def patients(seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Six columns of a hospital: whole numbers, decimals, words; costs hang on the rest."""
    rng = np.random.default_rng(seed)
    age, smoker = rng.integers(18, 91, rows), rng.random(rows) < 0.2
    bmi = np.round(rng.normal(28, 5, rows), 2)
    ward = rng.choice(["north", "south", "east", "west"], rows, p=[0.4, 0.3, 0.2, 0.1])
    cost = np.round(200 * age + 300 * bmi + 9000 * smoker + rng.gamma(2, 800, rows), 2)
    smokes = np.where(smoker, "yes", "no")
    days = rng.poisson(3 + smoker * 2, rows)
    return pd.DataFrame({"age": age, "smoker": smokes, "bmi": bmi, "ward": ward, "days": days, "cost": cost})


def survey(seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Answers to twelve questions that hang together a little; codes in the order of the answers."""
    rng = np.random.default_rng(seed)
    mood = rng.normal(size=rows)
    answers = {}
    for number, levels in enumerate(LEVELS, 1):
        raw = (mood * 0.5 + rng.normal(size=rows)) * levels / 5 + levels / 2.2
        answers[f"q{number}"] = np.clip(raw.astype(int), 0, levels - 1) + 1
    return pd.DataFrame(answers)


def shop(seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Visits of a shop: few categories, heaped and skewed numbers, gaps."""
    rng = np.random.default_rng(seed)
    spent = np.round(rng.lognormal(3, 1, rows), 2).astype(object)
    spent[rng.random(rows) < 0.1] = ""
    minutes = 5 * rng.poisson(4, rows)
    kind = rng.choice(["new", "known", "staff"], rows, p=[0.5, 0.4, 0.1])
    month = rng.integers(1, 13, rows)
    return pd.DataFrame(
        {"spent": spent, "minutes": minutes, "visitor": kind, "month": month, "pages": rng.geometric(0.1, rows)}
    )


POPULATIONS: Mapping[str, Callable[[int], pd.DataFrame]] = {"patients": patients, "survey": survey, "shop": shop}


def shuffled(table: pd.DataFrame, seed: int = 5) -> pd.DataFrame:
    """The rows in another order."""
    return table.sample(len(table), random_state=seed).reset_index(drop=True)


def copied(real: pd.DataFrame, others: pd.DataFrame, share: float) -> pd.DataFrame:
    """A release of which that share are real people and the rest other ones."""
    many = int(share * len(real))
    return shuffled(pd.concat([real[:many], others[many:]], ignore_index=True))


def _numbers(table: pd.DataFrame, change: Callable[[Any], Any]) -> pd.DataFrame:
    out = table.copy()
    for name in out.columns:
        numbers = pd.to_numeric(out[name], errors="coerce")
        if numbers.notna().sum() > len(out) / 2:
            out[name] = change(numbers).round(6)
    return out


def _codes(table: pd.DataFrame, order: Callable[[pd.Series], Any]) -> pd.DataFrame:
    """Every column of few values numbered anew."""
    out = table.copy()
    for name in out.columns:
        if out[name].nunique() <= 20:
            place = {value: number for number, value in enumerate(order(out[name]), 1)}
            out[name] = out[name].map(place)
    return out


DISGUISES: Mapping[str, Disguise] = {
    "as they are": lambda table: table,
    "numbered by frequency": lambda table: _codes(table, lambda column: column.value_counts().index),
    "numbered by first appearance": lambda table: _codes(table, pd.unique),
    "numbers mirrored": lambda table: _numbers(table, lambda values: values.max() + values.min() - values),
    "another unit": lambda table: _numbers(table, lambda values: values * 2.54 + 10),
    "z-scores": lambda table: _numbers(table, lambda values: (values - values.mean()) / values.std()),
    "capital letters": lambda table: table.map(lambda cell: cell.upper() if isinstance(cell, str) else cell),
    "names of columns": lambda table: table.rename(columns=lambda name: f" {name.upper()} "),
}


def answered(population: str, table: pd.DataFrame) -> dict[str, ColumnChoice]:
    """What a steward has said of the columns: that answers of the survey are codes."""
    return {name: ColumnChoice(kind=Kind.CATEGORICAL) for name in table.columns} if population == "survey" else {}


def _holdouts(real: pd.DataFrame, release: pd.DataFrame, holdout: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Holdouts that are none."""
    half = len(real) // 2
    first = next(name for name in real.columns if pd.api.types.is_numeric_dtype(real[name]))
    yield "half of it real people", shuffled(pd.concat([real[:half], holdout[half:]], ignore_index=True), 6)
    yield "the copied people", shuffled(pd.concat([real[:half], holdout[half:]], ignore_index=True), 7)
    yield "the release", release
    yield "moved a little", holdout.assign(**{first: holdout[first] + 0.00137})
    yield "with gaps", holdout.assign(**{first: [value if row % 3 else "" for row, value in enumerate(holdout[first])]})


def copies() -> Iterator[Pair]:
    """Releases of real people, in disguise or beside a holdout that hides them."""
    for population, make in POPULATIONS.items():
        real, others, holdout = make(1), make(3), make(2)
        whole = answered(population, real)
        for share in (1.0, 0.5):
            release = copied(real, others, share)
            for disguise, change in DISGUISES.items():
                yield Pair(f"{population}, {share:.0%}, {disguise}", real, change(release), holdout, whole)
            for wrong, table in _holdouts(real, release, holdout):
                yield Pair(f"{population}, {share:.0%}, holdout {wrong}", real, release, table, whole)
            yield Pair(f"{population}, {share:.0%}, holdout and real table swapped", holdout, release, real, whole)


def carried() -> Iterator[Pair]:
    """Other people in every column but one, which carries the real ones in a spelling of its own."""
    rng = np.random.default_rng(9)
    seconds = rng.integers(0, 300 * 86400, 3 * ROWS)
    moments = pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(seconds, unit="s")
    keys = [str(uuid.UUID(bytes=rng.bytes(16))) for _ in range(3 * ROWS)]
    mails = [f"Person.{number}@Example.org" for number in rng.permutation(90_000)[: 3 * ROWS]]
    names = [f"{rng.choice(list('ABCDEFGHKLM'))}{number}son, Ada" for number in rng.permutation(90_000)[: 3 * ROWS]]
    events = [
        {"visits": rng.integers(1, 365, 4).tolist(), "codes": [f"E{c}" for c in rng.integers(10, 99, 3)]} for _ in keys
    ]
    days = pd.to_datetime("1930-01-01") + pd.to_timedelta(rng.permutation(3 * ROWS) * 17, unit="D")
    spelled: Mapping[str, tuple[list[str], Callable[[Any], str]]] = {
        "times of another offset": (
            [moment.isoformat() for moment in moments],
            lambda text: pd.Timestamp(text).tz_convert("Europe/Paris").isoformat(),
        ),
        "keys without dashes": (keys, lambda text: text.replace("-", "").upper()),
        "keys hashed": (keys, lambda text: hashlib.sha256(text.encode()).hexdigest()[:16]),
        "addresses in small letters": (mails, str.lower),
        "addresses elsewhere": (mails, lambda text: text.replace("Example.org", "made-up.net")),
        "names behind a title": (names, "Dr. {}".format),
        "moments a month later": (
            [moment.strftime("%Y-%m-%d %H:%M:%S") for moment in moments],
            lambda text: str(pd.Timestamp(text) + pd.Timedelta(days=30)),
        ),
        "names turned round": (names, lambda text: " ".join(reversed(text.split(", ")))),
        "objects with sorted keys": (
            [json.dumps(event) for event in events],
            lambda text: json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")),
        ),
        "days written otherwise": (
            [day.strftime("%Y-%m-%d") for day in days],
            lambda text: pd.Timestamp(text).strftime("%d %B %Y"),
        ),
    }
    for what, (values, spell) in spelled.items():
        mine, theirs = values[:ROWS], values[ROWS : 2 * ROWS]
        release = patients(13).assign(extra=[spell(text) for text in mine])
        yield Pair(
            f"carried, {what}", patients(11).assign(extra=mine), shuffled(release), patients(12).assign(extra=theirs)
        )
    for population, make in POPULATIONS.items():
        real, holdout, rng = make(21), make(22), np.random.default_rng(23)
        release = pd.DataFrame({name: rng.choice(real[name].to_numpy(), len(real)) for name in real.columns})
        if population != "survey":  # where a hundred people have each answer, their values are nobody's
            yield Pair(f"carried, values of members of {population}", real, release, holdout)
            yield Pair(f"carried, values of members of {population}, swapped", holdout, release, real)
    real, others, holdout = patients(41), patients(43), patients(42)
    for how, cost in (("scaled", real.cost * 1.03), ("moved", real.cost + 250), ("rounded", real.cost.round())):
        yield Pair(f"carried, costs of members, {how}", real, shuffled(others.assign(cost=cost.round(2))), holdout)
    gone = [np.random.default_rng(seed).random(real.shape) < 0.25 for seed in (44, 45)]
    with_gaps = [survey(seed).iloc[:, :6].mask(gaps) for seed, gaps in ((41, gone[0]), (43, gone[0]), (42, gone[1]))]
    yield Pair("carried, gaps of members", *with_gaps)
    real, release = patients(31), patients(33)
    yield Pair("carried, a column that the real table has not", real, release.assign(note=names[:ROWS]), patients(32))


def honest() -> Iterator[Pair]:
    """Releases of other people, of a table each, with a holdout of still others: nobody leaks."""
    for population, make in POPULATIONS.items():
        whole = answered(population, make(1))
        for seed in range(100, 160, 3):
            yield Pair(f"{population}, honest {seed}", make(seed), make(seed + 1), make(seed + 2), whole)
