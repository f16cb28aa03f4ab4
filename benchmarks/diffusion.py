"""TabDDPM: processor time of riskkit's training beside that of synthcity, and whether releases differ.

``python benchmarks/diffusion.py PYTHON [trainings] [steps]``, where ``PYTHON`` is that of an environment with
synthcity: ``riskkit generators add synthcity-ddpm`` makes one, ``RISKKIT_HOME/generators/synthcity/bin/python``. Both
train on 400 rows of Adult (its numbers, and its columns of at most ten levels: of more the package makes numbers), in
turns, on one thread, with evenly growing noise of 200 steps and batches of 100 rows.

Printed are processor seconds of a training and of a release; then, of so many trainings of each from seeds of their
own, the AUC of a forest that says which of the two made a row (half of the trainings are learnt from, the others asked
about; the interval draws these anew), and how many numbers lie at an end of their range. The package shows its network
logarithms of levels. Of riskkit both are asked: logarithms, and what it has itself.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.deep_training import told_apart
from riskkit.core import Column, Kind, Schema, Table
from riskkit.generators.engines.deep import from_frame, to_frame
from riskkit.generators.tabddpm import TabDdpm
from riskkit.registry import spell
from tests.tables import adult

ROWS, BATCH, NOISE = 400, 100, 200
PACKAGE = """
import json, sys, time, warnings
warnings.filterwarnings("ignore")
real, sys.stdout = sys.stdout, sys.stderr
import pandas as pd, torch
from synthcity.plugins.core.dataloader import GenericDataLoader
from synthcity.plugins.generic.plugin_ddpm import plugin
torch.set_num_threads(1)
for line in sys.stdin:
    how = json.loads(line)
    table = pd.read_csv(how["file"]).astype(dict.fromkeys(how["discrete"], str))
    model = plugin(n_iter=how["epochs"], batch_size=how["batch"], num_timesteps=how["noise"], scheduler="linear",
                   device=torch.device("cpu"), random_state=how["seed"])
    start = time.process_time()
    model.fit(GenericDataLoader(table))
    between = time.process_time()
    made = model.generate(count=len(table), random_state=how["seed"] + 1).dataframe()
    spent = [between - start, time.process_time() - between]
    print(json.dumps({"spent": spent, "made": made.to_csv(index=False)}), file=real, flush=True)
"""


def narrow(table: Table) -> Table:
    """Its numbers and its columns of at most ten levels."""
    kept = [place for place, column in enumerate(table.schema.categorical) if len(column.levels) <= 10]
    columns: tuple[Column, ...] = tuple(
        column
        for column in table.schema.columns
        if column.kind is Kind.NUMERIC or column in [table.schema.categorical[place] for place in kept]
    )
    return Table(Schema(columns), table.codes[:, kept], table.numbers)


class Package:
    """The package, in a program that stays up."""

    def __init__(self, python: str, table: Table, folder: Path) -> None:
        self.table, (self.frame, self.discrete) = table, to_frame(table)
        self.file = folder / "train.csv"
        self.frame.to_csv(self.file, index=False)
        self.program = subprocess.Popen(
            [python, "-c", PACKAGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def released(self, seed: int, steps: int) -> tuple[Table, list[float]]:
        """A release, and the processor seconds of the training and of it."""
        how = {"file": str(self.file), "discrete": self.discrete, "seed": seed, "batch": BATCH, "noise": NOISE}
        stdin: Any = self.program.stdin
        stdout: IO[str] = self.program.stdout  # type: ignore[assignment]
        print(json.dumps(how | {"epochs": steps * BATCH // ROWS}), file=stdin, flush=True)
        answer = json.loads(stdout.readline())
        made = pd.read_csv(io.StringIO(answer["made"]))[list(self.frame)]
        return from_frame(made, self.table.schema), answer["spent"]


def own(method: TabDdpm, table: Table, seed: int) -> tuple[Table, list[float]]:
    """The same of riskkit."""
    rng = np.random.default_rng(seed)
    start = time.process_time()
    fitted = method.fit(table, rng)
    between = time.process_time()
    made = fitted.sample(len(table), rng)
    return made, [between - start, time.process_time() - between]


def at_ends(tables: list[Table]) -> str:
    """Of each numeric column how many values lie at an end of its range."""
    columns = tables[0].schema.numeric
    values = np.concatenate([table.numbers for table in tables])
    ends = [np.isin(values[:, place], (column.low, column.high)).mean() for place, column in enumerate(columns)]
    return ", ".join(f"{column.name} {share:.0%}" for column, share in zip(columns, ends, strict=True))


def main() -> None:
    """Print the figures."""
    python, count, steps = sys.argv[1], *(int(word) for word in (sys.argv[2:] + ["64", "2000"][len(sys.argv) - 2 :]))
    table = narrow(adult(ROWS))
    print(f"{ROWS} rows of Adult, {len(table.schema.columns)} columns, {steps:,} steps; seconds of a processor")
    with tempfile.TemporaryDirectory() as folder:
        package = Package(python, table, Path(folder))
        methods = [
            TabDdpm(training_steps=steps, batch_size=BATCH, noise_steps=NOISE, levels=levels)
            for levels in ("logarithms", "ones")
        ]
        makers = {
            "synthcity": lambda seed: package.released(seed, steps),
            **{spell(method): lambda seed, method=method: own(method, table, 5_000 + seed) for method in methods},
        }
        made: dict[str, list[Table]] = {name: [] for name in makers}
        spent: dict[str, list[list[float]]] = {name: [] for name in makers}
        for seed in range(count):
            for name, maker in makers.items():
                release, seconds = maker(seed)
                made[name].append(release)
                spent[name].append(seconds)
        package.program.stdin.close()  # type: ignore[union-attr]
        package.program.wait()
    print(f"numbers at an end of their range, in the table: {at_ends([table])}")
    first = np.median(spent["synthcity"], axis=0)
    for name, releases in made.items():
        fit, sample = np.median(spent[name], axis=0)
        print(
            f"{name}: training {fit:.2f} s ({first[0] / fit:.2f} x), release {sample:.2f} s ({first[1] / sample:.2f} x)"
        )
        print(f"  at an end: {at_ends(releases)}")
        if name != "synthcity":
            print(f"  told from synthcity's by a forest: {told_apart(made['synthcity'], releases)}")


if __name__ == "__main__":
    main()
