"""What attacks on a released file find where columns of few whole numbers are categories, and where they are numbers.

``python benchmarks/few_numbers.py [seed ...] [--data NAME ...]``. The releases of online shoppers with their holdout,
and releases made here of parts of Adult, of the American survey (NIST), of the British census and of hospital
encounters (diabetes130): training rows with a tenth and with three tenths of all values replaced, a Bayesian network
and a copula of the training rows, and as chance the network of other people. Columns about which
:func:`~riskkit.table.kinds.numbers.code_problems` asks are numbers in one reading of the files. In the other those that
are codes are categories, or those whose order means something; all else is the same, people included. :data:`ROWS`
people a side, all attacks of the default suite. A line for each release and reading: the AUC of all attacks together
(``ensemble``), the largest of single attacks, and the mean difference of all attacks, categories minus numbers, with
95 % of :data:`AGAIN` bootstraps over people. Where membership leaks a gain is a difference above nought; of chance
there is nothing to gain. Needs the shared data folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.released_known import DATA, RELEASES, SHOPPERS, unpacked
from riskkit import ReleasedPlan, registry
from riskkit.core import Bools, Floats, Ints, Kind
from riskkit.errors import DesignError
from riskkit.seeds import stream
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.numbers import FEW_CODES
from riskkit.table.load import Tables, read_tables
from riskkit.table.write import to_csv
from tests.tables import adult_frame

ROWS, AGAIN = 400, 400
ORDERED = {
    "Administrative",
    "Informational",
    "education-num",
    "educational-num",
    "EDU",
    "NPF",
    "NOC",
    "PINCP_DECILE",
    "Age",
    "time_in_hospital",
    "num_procedures",
    "number_outpatient",
    "number_emergency",
    "number_inpatient",
    "number_diagnoses",
}
"""Columns whose order means something; those of the others that are asked about are codes."""
PLAN = ReleasedPlan(max_rows=ROWS)


def flipped(frame: pd.DataFrame, share: float, rng: np.random.Generator) -> pd.DataFrame:
    """The rows with that share of all values taken from other rows."""
    rows = len(frame)
    out = {}
    for name in frame.columns:
        values = frame[name].to_numpy()
        out[name] = np.where(rng.random(rows) < share, values[rng.integers(0, rows, rows)], values)
    return pd.DataFrame(out)


def made(frame: pd.DataFrame, seed: int, folder: Path) -> Iterator[tuple[str, Path, Path, Path]]:
    """Releases of some of the rows: their name, real table, release and holdout."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(frame))
    third = ROWS
    parts = [frame.iloc[order[part * third : (part + 1) * third]] for part in range(3)]
    paths = [folder / f"{name}.csv" for name in ("real", "holdout", "others")]
    for part, path in zip(parts, paths, strict=True):
        part.to_csv(path, index=False)
    real, holdout, _ = paths
    release = folder / "release.csv"
    for share in (0.1, 0.3):
        flipped(parts[0], share, rng).to_csv(release, index=False)
        yield f"{share:.0%} replaced", real, release, holdout
    for name, source in (("bayesnet", 0), ("copula", 0), ("bayesnet", 2)):
        table = read_tables(paths[source], None, None).real
        model = registry.parse("generators", name).fit(table, stream(seed, "fit", name, str(source)))
        release.write_bytes(to_csv(model.sample(len(table), stream(seed, "sample", name, str(source)))))
        yield f"{name} of {'others' if source else 'the training rows'}", real, release, holdout


def few(path: Path, seed: int, folder: Path) -> Path:
    """Some rows of a file, drawn at random: all of them are asked about, however the columns are read."""
    out = folder / f"few {path.name}"
    pd.read_csv(path, dtype=str, keep_default_na=False).sample(ROWS, random_state=seed).to_csv(out, index=False)
    return out


def adult() -> pd.DataFrame:
    """Adult's complete rows."""
    return adult_frame()


def survey() -> pd.DataFrame:
    """The American survey of one state."""
    return pd.read_csv(DATA / "nist_acs" / "ma2019.csv", dtype=str, keep_default_na=False)


def census() -> pd.DataFrame:
    """The British census, without the number of the person."""
    return pd.read_csv(DATA / "uk_census2011" / "random_10000.csv").drop(columns="Person ID")


def encounters() -> pd.DataFrame:
    """The hospital encounters, without the numbers of encounter and patient."""
    frame = pd.read_csv(DATA / "diabetes130" / "diabetic_data.csv.gz", dtype=str, keep_default_na=False)
    return frame.drop(columns=["encounter_id", "patient_nbr"])


FRAMES: Mapping[str, Callable[[], pd.DataFrame]] = {
    "Adult": adult,
    "survey": survey,
    "census": census,
    "encounters": encounters,
}
"""The tables of which releases are made here."""
EVERY = ("shoppers", *FRAMES)


def releases(seed: int, folder: Path, chosen: Sequence[str]) -> Iterator[tuple[str, str, Path, Path, Path]]:
    """Every release of these data: the name of its data and its own, real table, release and holdout."""
    for name in ("flip10", "flip30", "network", "synthpop", "ctgan", "trap") if "shoppers" in chosen else ():
        real, holdout = (few(DATA / "shoppers" / file, seed, folder) for file in SHOPPERS)
        yield "shoppers", name, real, unpacked(DATA / "shoppers" / RELEASES[name][1], folder), holdout
    for data in (each for each in FRAMES if each in chosen):
        for release in made(FRAMES[data](), seed, folder):
            yield data, *release


def asked_about(tables: Tables) -> list[str]:
    """Columns of few whole numbers, which are asked about."""
    out = []
    for place, column in enumerate(tables.real.schema.numeric):
        values = tables.real.numbers[:, place]
        different = len(np.unique(values[~np.isnan(values)]))
        if column.kind is Kind.NUMERIC and not column.decimals and 2 < different <= FEW_CODES:
            out.append(column.name)
    return out


@dataclass(frozen=True)
class Scored:
    """The scores of every attack that could be played, by its name, and who each person is."""

    values: dict[str, Floats]
    is_in: Bools
    row: Ints

    def of(self, people: Sequence[tuple[bool, int]]) -> tuple[dict[str, Floats], Bools]:
        """The scores of these people, in this order."""
        place = {person: row for row, person in enumerate(zip(self.is_in.tolist(), self.row.tolist(), strict=True))}
        order = [place[person] for person in people]
        return {name: values[order] for name, values in self.values.items()}, self.is_in[order]

    def people(self) -> set[tuple[bool, int]]:
        """Whether each was in, and the row of their file."""
        return set(zip(self.is_in.tolist(), self.row.tolist(), strict=True))


def scores(tables: Tables, seed: int) -> Scored:
    """What every attack says of everybody."""
    game = replace(PLAN, seed=seed).game(tables)
    out = {}
    for name in PLAN.attacks:
        try:
            played = game.scores(registry.parse("released", name), "attack", name)
        except DesignError:
            continue
        assert np.array_equal(played.is_in, game.is_in)
        out[name] = played.value
    return Scored(out, game.is_in, game.row)


def auc(value: Floats, is_in: Bools) -> float:
    """The chance that somebody who was in scores above somebody who was not."""
    order = pd.Series(value).rank().to_numpy()
    inside = int(is_in.sum())
    return float((order[is_in].sum() - inside * (inside + 1) / 2) / (inside * (len(value) - inside)))


def compared(numbers: dict[str, Floats], categories: dict[str, Floats], is_in: Bools, seed: int) -> Sequence[float]:
    """The mean difference of the AUC over attacks, categories minus numbers, and its bootstrap interval over people."""
    names = sorted(numbers.keys() & categories.keys())
    inside, outside, rng = np.flatnonzero(is_in), np.flatnonzero(~is_in), np.random.default_rng(seed)

    def difference(rows: Ints) -> float:
        each = [auc(categories[name][rows], is_in[rows]) - auc(numbers[name][rows], is_in[rows]) for name in names]
        return float(np.mean(each))

    drawn = [
        difference(np.concatenate([rng.choice(inside, len(inside)), rng.choice(outside, len(outside))]))
        for _ in range(AGAIN)
    ]
    return difference(np.arange(len(is_in))), *np.quantile(drawn, (0.025, 0.975)).tolist()


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int, metavar="seed", help="1 where none is named")
    parser.add_argument("--data", nargs="*", choices=EVERY, default=EVERY)
    options = parser.parse_args(words)
    head = (
        "data",
        "release",
        "columns",
        "read so",
        "ensemble: numbers",
        "categories",
        "largest: numbers",
        "categories",
        "mean difference",
    )
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    for seed in options.seeds or [1]:
        with TemporaryDirectory() as scratch:
            for data, name, *files in releases(seed, Path(scratch), options.data):
                line(data, name, files, seed)


def line(data: str, name: str, files: Sequence[Path], seed: int) -> None:
    """Print the lines of a release: all such columns as categories, and codes alone."""
    tables = read_tables(*files)
    every = asked_about(tables)
    numbers = scores(tables, seed)
    codes = [column for column in every if column not in ORDERED]
    ordered = [column for column in every if column in ORDERED]
    for what, columns in (("codes", codes), ("ordered", ordered)):
        if not columns:
            continue
        choices = {column: ColumnChoice(kind=Kind.CATEGORICAL) for column in columns}
        other = scores(read_tables(*files, choices), seed)
        people = sorted(numbers.people() & other.people())
        (before, is_in), (after, _) = numbers.of(people), other.of(people)
        value, low, high = compared(before, after, is_in, seed)
        both = [auc(of["ensemble"], is_in) for of in (before, after)]
        largest = [max(auc(own, is_in) for own in of.values()) for of in (before, after)]
        figures = " | ".join(f"{figure:.3f}" for figure in (*both, *largest))
        difference = f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
        print(f"| {data} | {name} | {len(columns)} | {what} | {figures} | {difference} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
