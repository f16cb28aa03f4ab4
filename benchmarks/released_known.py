"""What every attack on a released file finds where it is known what leaks: releases of online shoppers, and of Adult.

Run it alone: ``python benchmarks/released_known.py [release ...]``. Writes the tables of ``results/released.md`` where
every release was asked about, and prints their lines in any case. Needs the shared data folder. At most ``ROWS`` rows a
side are asked about.
"""

from __future__ import annotations

import gzip
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.pages import put_between
from riskkit import ReleasedPlan
from riskkit.core import Estimate
from riskkit.judging.measurement import Judgement
from riskkit.questions.released.play import run_released
from riskkit.table.load import Tables, read_tables
from tests.judged import judged

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "benchmarks" / "results" / "released.md"
ROWS = 2_000
LIMIT = 0.55
"""The limit that is judged by: an AUC that somebody might call tolerable, no norm."""
PLAN = ReleasedPlan(attacks=("all",), max_rows=ROWS)
SHOPPERS = ("train.csv", "holdout.csv")
HOUSING = ("mem.csv", "non_mem.csv")
ADULT = ("train_reconstructed.csv.gz", "control.csv")
RELEASES = {
    "flip10": ("shoppers", "2021_flip10.csv.gz", SHOPPERS, "training rows, 10 % of values replaced"),
    "flip20": ("shoppers", "2021_flip20.csv.gz", SHOPPERS, "training rows, 20 % of values replaced"),
    "flip30": ("shoppers", "2021_flip30.csv.gz", SHOPPERS, "training rows, 30 % of values replaced"),
    "network": ("shoppers", "2024_synthcity-bayesian_network.csv.gz", SHOPPERS, "Bayesian network, no exact copy"),
    "synthpop": ("shoppers", "2021_synthpop.csv.gz", SHOPPERS, "sequential trees"),
    "ctgan": ("shoppers", "2023_ctgan.csv.gz", SHOPPERS, "CTGAN"),
    "trap": ("shoppers", "2021x_mostly_temp01.csv.gz", SHOPPERS, "few typical rows: copies, but of everybody"),
    "adult": ("anonymeter_adult", "synth_ctgan.csv.gz", ADULT, "Adult, CTGAN"),
    "housing": ("synthmia_housing", "synth.csv", HOUSING, "Californian housing, 200 rows; method not stated"),
}


@dataclass(frozen=True)
class Audited:
    """What is kept of one release, and the judgement on it."""

    result: dict[str, Any]
    judgement: Judgement
    strongest: Estimate | None


def audit(name: str) -> Audited:
    """Every attack on one of the releases."""
    tables = tables_of(name)
    result = run_released(tables, PLAN, workers=1).plain()
    ((finding, judgement),) = judged(result, PLAN, LIMIT, tables)
    return Audited(result, judgement, finding.measured.strongest)


def tables_of(name: str) -> Tables:
    """Real table, release and holdout."""
    folder, release, (real, holdout), _ = RELEASES[name]
    with TemporaryDirectory() as scratch:
        return read_tables(*(unpacked(DATA / folder / file, Path(scratch)) for file in (real, release, holdout)))


def unpacked(path: Path, scratch: Path) -> Path:
    """The file, or where it is packed its content in the scratch folder."""
    if path.suffix != ".gz":
        return path
    out = scratch / path.stem
    out.write_bytes(gzip.decompress(path.read_bytes()))
    return out


def main() -> None:
    """Audit the releases that are named, or all of them, and write the page."""
    if not DATA.is_dir():
        print("The shared data folder is not on this machine.")
        return
    names = sys.argv[1:] or list(RELEASES)
    mark = "<!-- releases -->\n"
    audits = {}
    for name in names:
        start = time.perf_counter()
        audits[name] = audit(name)
        print(f"{name}: {audits[name].judgement.verdict}, {time.perf_counter() - start:.0f} s", flush=True)
    text = _releases(audits) + "\n" + _attacks(audits)
    print(text)
    if names == list(RELEASES):
        put_between(PAGE, mark, text)


def _releases(audits: dict[str, Audited]) -> str:
    lines = ["| release | what it is | verdict | strongest | told apart without the release |", "|---|---|---|---|---|"]
    for name, audited in audits.items():
        auc = audited.strongest
        strongest = "none" if auc is None else f"{auc.labels['attack']} {_interval(auc.as_dict())}"
        blind = _interval(audited.result["blind"]["auc"])
        lines.append(f"| {name} | {RELEASES[name][3]} | {audited.judgement.verdict} | {strongest} | {blind} |")
    return "\n".join(lines) + "\n"


def _attacks(audits: dict[str, Audited]) -> str:
    attacks = [control["attack"] for control in next(iter(audits.values())).result["control"]]
    lines = [f"| attack | {' | '.join(audits)} |", "|---|" + "---|" * len(audits)]
    for attack in attacks:
        cells = [_cell(audited.result, attack) for audited in audits.values()]
        lines.append(f"| {attack} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(result: dict[str, Any], attack: str) -> str:
    aucs = [e for e in result["estimates"] if e["name"] == "auc" and e["attack"] == attack]
    own = [control["auc"] for control in result["control"] if control["attack"] == attack]
    planted = any(auc is not None and auc["low"] > LIMIT for auc in own)
    if not aucs:
        return "none"
    return f"**{_interval(aucs[0])}**" if planted else _interval(aucs[0])


def _interval(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}]"


if __name__ == "__main__":
    main()
