"""Plays the stored studies of the literature on Adult and writes what they find beside what was published.

Run it alone: ``python benchmarks/studies.py [study[:part] ...]``. Writes ``results/studies.md`` from the results
that it keeps in ``results/studies.json``; studies that are not named keep their results. ``--page`` writes the
page alone. Needs the shared data folder.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy import stats

from riskkit.audit.studies import Study, names, run_study, study
from riskkit.core import Table
from riskkit.errors import RiskkitError
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.table.load import read_table

ROOT = Path(__file__).resolve().parents[1]
ADULT = ROOT.parent / "shared" / "data" / "adult" / "adult_train.csv.gz"
KEPT = ROOT / "benchmarks" / "results" / "studies.json"
PAGE = ROOT / "benchmarks" / "results" / "studies.md"
PLAYED = ("achilles", "figure3", "one-record", "releases", "table3", "table5", "table6", "toy", "yearly")
"""The studies that are played where none is named; the others take hours."""
REMARKS = {
    "achilles": (
        "No attack of the same knowledge beats the likelihood ratio, so a better learner could add 0.08 of AUC on "
        "average to the forest on counts. The published attention network would take 35 seconds to learn one record; "
        "the forest takes 0.9, the line 0.1. It is not among the attacks."
    ),
    "toy": (
        "From the same rows, correlations with the answer are .955, .024, .455 and .081 (printed .95, .02, .44 and "
        ".08), and all twenty Shapley values lie within .091 of those printed: five parameters are fitted to five "
        "rounded rows. The source's average for (linear, tree) is .10, not 0.00. Its three zeros by made-up rows come "
        "only if values are rounded to one decimal, with one candidate and no reach. Success is an error below .1 in "
        "the numbers' own units."
    ),
    "figure3": (
        "The selective target is the only row with its native country. Of releases of the Bayesian network made with "
        "it, 70 % [57 %, 81 %] show that country, of those without it 0 % [0 %, 6 %]; the neighbour attack averages "
        "over 15 columns and does not see it. Rounding and clipping move moments by more than one record does: then "
        "MVL on the real tables answers always the same, and MVL on own releases still recognises adaptive targets. "
        "In raw units one column, fnlwgt, decides who is near; releases made with the adaptive target lie farther "
        "from it, so the rule is always wrong there and right if turned round."
    ),
    "figure3-ctgan": (
        "Releases of 20 epochs exclude the published 0.962; the package's 300 epochs were not run. Releases of one "
        "training resemble one another, so five trainings support any figure from 0.43 to 1.00. Twelve trainings of 4 "
        "epochs exclude only attacks that are nearly always right; they show neither a leak nor safety."
    ),
    "table5": (
        "From 25 targets on the scores of MVL separate every release (AUC 1.00), but its cut of 0 does not, because "
        "all scores lie on one side of it. An attacker who sets the cut on own releases would be right from 25 on."
    ),
    "one-record": (
        "In the traditional game all tables share nearly one risk; its spread is noise of an attacker who learns anew "
        "from 100 own releases a side. With 400 the standard deviation falls from 0.046 to 0.019 (p = 0.06). In its "
        "own table it stays (0.093, 0.088, 0.091 with 100, 400 and 1,600): that spread is the table's, as the source "
        "says."
    ),
    "table3": (
        "Epsilon 1 allows at most 0.7311 right answers. The source chose λ on the trials that it counts. Chosen so "
        "from all of [0, 0.01], the best here is 0.55, 0.48 and 0.45 (random, selective, adaptive); answers that know "
        "nothing reach 0.59 to 0.60 once in twenty times."
    ),
    "table6": (
        "The forest recognises the selective target by one figure, the number of countries that occur: from that "
        "column alone its AUC is 0.87 [0.74, 0.93], from all others 0.42 [0.29, 0.56]. With one number a category "
        "another row stands out most (16,249), and forest, line and nearest neighbours are at chance, as published: "
        "0.52 [0.39, 0.64], 0.58 [0.45, 0.71], 0.52 [0.38, 0.65]. How the source encodes is not known to us."
    ),
}
"""What was measured to explain a deviation from the source."""
SHOWN_COUNTS, MOST_COUNTS = (10, 30), 5
"""Counts of releases that the page shows beyond the first few."""
HEAD = """# Games of the literature, run again

Each study is a stored plan in `studies/`. `riskkit study NAME --real adult.csv` and the page Membership run it; the
same seed gives the same numbers. Every result, also AUC, advantage and epsilon: `benchmarks/results/studies.json`.

- Cells: share of right answers (chance 0.50) with its 95 % interval, which counts trainings. N: trainings.
- *Published*: the source's figure, with the interval that the trainings behind it give (5; in table 6: 10). Many
  releases of five trainings are five trials, not hundreds.
- Table: Adult, the 30,162 complete rows of the training part, all 15 columns, where a study says nothing else.
"""
ADULT_ROWS = "Adult, the 30,162 complete rows of the training part, all 15 columns"


def complete_rows(scratch: Path, rows: int = 0) -> Table:
    """Adult's training part without the rows that miss a value; the first so many of them, or all."""
    lines = gzip.decompress(ADULT.read_bytes()).decode("utf-8").splitlines()
    path = scratch / "adult.csv"
    complete = [line for line in lines if "?" not in line]
    path.write_text("\n".join(complete[: rows + 1] if rows else complete) + "\n", encoding="utf-8")
    return read_table(path)


def play(table: Table, named: str) -> None:
    """Play a study, or of ``study:part`` that part, and keep the results of each part."""
    name, _, only = named.partition(":")
    asked = study(name)
    for part in (asked.part(only),) if only else asked.parts:
        start = time.process_time()
        rows = [row.as_dict() for row in run_study(table, asked, part=part.name)]
        seconds = round(time.process_time() - start)
        print(f"{name}, {part.name}: {seconds} s of processor time", flush=True)
        kept = read()
        kept[name] = renewed(asked, kept.get(name, {}), part.name, {"rows": rows, "seconds": seconds})
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        write(kept)


def renewed(asked: Study, kept: dict[str, Any], part: str, played: dict[str, Any]) -> dict[str, Any]:
    """The results of a study with that part played anew; parts that it no longer has are dropped."""
    every = {**kept, part: played}
    return {each.name: every[each.name] for each in asked.parts if each.name in every}


def read() -> dict[str, Any]:
    """All results that are kept."""
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return kept


def write(kept: dict[str, Any]) -> None:
    """Keep the page of these results."""
    PAGE.write_text(page(kept), encoding="utf-8")


def page(kept: dict[str, Any]) -> str:
    """The page of all that is kept."""
    text = HEAD
    for name in names():
        try:
            text += section(study(name), kept.get(name))
        except RiskkitError as refusal:
            text += f"\n## {name}\n\n{refusal}\n"
    return text


def with_interval(estimates: list[dict[str, Any]], name: str) -> str:
    """A value with its interval."""
    for e in estimates:
        if e["name"] == name:
            return f"{e['value']:.2f} [{e['low']:.2f}, {e['high']:.2f}]"
    return "constant" if name == "auc" else "none"


def section(asked: Study, kept: dict[str, Any] | None) -> str:
    """One study as a table."""
    claimed = "Found" if asked.rows else "Published"  # a study of our own has no source
    table = asked.table.removeprefix(ADULT_ROWS).lstrip("; ")
    table = table[:1].upper() + table[1:]
    about = ". ".join(filter(None, (f"`{asked.name}`: {asked.source}", table)))
    lines = [f"\n## {asked.title}\n", f"{about}. **{claimed}:** {asked.claim}\n"]
    if not kept:
        return "\n".join([*lines, "Not run here yet.\n"])
    if asked.has_rows:
        lines += of_rows(kept, asked)
    elif asked.question == "records":
        lines += of_releases(asked, kept) if asked.rows else of_records(asked, kept)
    elif all(isinstance(part.plan, MembershipPlan) and part.plan.is_one_by_one for part in asked.parts):
        lines += over_records(asked, kept)
    else:
        lines += of_attacks(asked, kept)
    remark = f"\n{REMARKS[asked.name]}\n" if asked.name in REMARKS else ""
    return "\n".join(lines) + f"\n{remark}"


def of_attacks(asked: Study, kept: dict[str, Any]) -> list[str]:
    """A line for each target, a column for each attack: the right answers, beside those published."""
    rows = [row for part in asked.parts for row in kept.get(part.name, {"rows": []})["rows"]]
    attacks = list(dict.fromkeys(map(title, rows)))
    part_of = "" if len(asked.parts) == 1 else "| part "
    lines = [f"{part_of}| target | N | {' | '.join(attacks)} |", "|---" * (2 + bool(part_of) + len(attacks)) + "|"]
    for part, target in dict.fromkeys((row["part"], row["target"]) for row in rows):
        own = {title(row): row for row in rows if (row["part"], row["target"]) == (part, target)}
        n = max(e["n"] for row in own.values() for e in row["estimates"])
        head = f"| {part} " if part_of else ""
        lines.append(f"{head}| {target} | {n} | {' | '.join(cell(own.get(each)) for each in attacks)} |")
    return lines


def title(row: dict[str, Any]) -> str:
    """An attack, and where its λ was chosen."""
    name, _, rest = str(row["attack"]).partition(":")
    settings = ",".join(each for each in rest.split(",") if each and not each.startswith(("own=", "tune=")))
    chosen = row.get("settled")
    when = "" if not chosen else ", best λ in hindsight" if chosen["in_hindsight"] else ", λ chosen before"
    return f"{name}{':' if settings else ''}{settings}{when}"


def cell(row: dict[str, Any] | None) -> str:
    """The right answers of an attack with their interval, and those published."""
    if row is None:
        return ""
    ours, interval = with_interval(row["estimates"], "accuracy"), row["published_interval"]
    if not interval:
        return ours
    return f"{ours}; published {row['published']:g} [{interval['low']:.2f}, {interval['high']:.2f}]"


def of_rows(kept: dict[str, Any], asked: Study) -> list[str]:
    """Two lines for each attacker: its errors and its success rates, beside those that are printed."""
    lines = [
        "| model, attacker | | printed | of the nearest draw | draws that print the same |",
        "|---|---|---|---|---|",
    ]
    for part in asked.parts:
        for row in kept.get(part.name, {"rows": []})["rows"]:
            for name, title in (("mae", "MAE"), ("rate", "SR")):
                printed, near = (" ".join(f"{v:.2f}" for v in row[whose][name]) for whose in ("printed", "nearest"))
                share = f"{row['share_of_draws_as_printed'][name]:.1%} of {row['draws']:,}"
                lines.append(f"| {part.name} | {title} | {printed} | {near} | {share} |")
    return lines


def of_records(asked: Study, kept: dict[str, Any]) -> list[str]:
    """A line for each table: the record's risk in it, and as the traditional game has it; then how far both run."""
    rows = [row for part in asked.parts for row in kept.get(part.name, {"rows": []})["rows"]]
    lines = ["| table | AUC in this table | traditional AUC |", "|---|---|---|"]
    for row in rows:
        both = [f"{e['value']:.2f} [{e['low']:.2f}, {e['high']:.2f}]" for e in row["estimates"]]
        lines.append(f"| {row['part'].removeprefix('Table ')} | {' | '.join(both)} |")
    for side, kind in enumerate(("in its table", "in the traditional game")):
        lines.append(f"\n{spread([row['estimates'][side] for row in rows], kind)}")
    return lines


def of_releases(asked: Study, kept: dict[str, Any]) -> list[str]:
    """A line for each count of releases: the median person, and how many stand above the limit of the study."""
    above = "" if asked.limit is None else f" | above {asked.limit:g}"
    rows = [row for part in asked.parts for row in kept.get(part.name, {"rows": []})["rows"]]
    best, run = (", ".join(sorted({str(row["people"][name]) for row in rows})) for name in ("best", "played"))
    lines = [
        f"| releases | best attack, median of {best}{above} | attack that was run, median of {run}{above} |",
        "|---" * (3 if asked.limit is None else 5) + "|",
    ]
    for row in rows:
        if row["releases"] not in SHOWN_COUNTS and row["releases"] > MOST_COUNTS:
            continue
        cells = [str(row["releases"])]
        for name, estimate in (("best", "certificate"), ("played", "auc")):
            median = next((e for e in row["estimates"] if e["name"] == estimate), None)
            cells.append("none" if median is None else f"{median['value']:.3f}")
            if asked.limit is not None:
                cells.append(str(row["above"].get(name, "")))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def spread(estimates: list[dict[str, Any]], kind: str) -> str:
    """How far the values of several tables run, and whether by more than their errors."""
    value = np.array([e["value"] for e in estimates])
    runs = f"The risk {kind} runs from {value.min():.2f} to {value.max():.2f}"
    if len(value) < 2:
        return f"{runs}."
    variance = np.array([((e["high"] - e["low"]) / (2 * 1.96)) ** 2 for e in estimates])
    square = float(((value - np.average(value, weights=1 / variance)) ** 2 / variance).sum())
    p = float(stats.chi2.sf(square, len(value) - 1))
    left = float(np.sqrt(max(value.var(ddof=1) - variance.mean(), 0.0)))
    return (
        f"{runs}; standard deviation without the error of each {left:.3f}; one risk for all: chi-square {square:.0f}, "
        f"{len(value) - 1} degrees of freedom, p {'below 0.0001' if p < 1e-4 else f'= {p:.2g}'}."
    )


def over_records(asked: Study, kept: dict[str, Any]) -> list[str]:
    """Of several records attacked one by one: how many each attack finds, and how often it is ahead of groundhog."""
    lines = [
        "| part | attack | mean AUC | records with an AUC wholly above 0.50 | higher than groundhog |",
        "|---|---|---|---|---|",
    ]
    for part in asked.parts:
        aucs: dict[str, dict[str, dict[str, Any]]] = {}
        for row in kept.get(part.name, {"rows": []})["rows"]:
            for e in row["estimates"]:
                if e["name"] == "auc":
                    aucs.setdefault(title(row), {})[row["record"]] = e
        for attack, own in aucs.items():
            mean, shown = sum(e["value"] for e in own.values()) / len(own), sum(e["low"] > 0.5 for e in own.values())
            ahead = sum(e["value"] > aucs["groundhog"][record]["value"] for record, e in own.items())
            beside = "" if attack == "groundhog" else f"{ahead} of {len(own)}"
            lines.append(f"| {part.name} | {attack} | {mean:.2f} | {shown} of {len(own)} | {beside} |")
    return lines


def main() -> None:
    """Play what is named, or with ``--page`` nothing, and write the page from all that is kept."""
    if sys.argv[1:] == ["--page"]:
        write(read())
        return
    with TemporaryDirectory() as scratch:
        table = complete_rows(Path(scratch))
        for name in sys.argv[1:] or PLAYED:
            rows = study(name.partition(":")[0]).rows
            play(complete_rows(Path(scratch), rows) if rows else table, name)


if __name__ == "__main__":
    main()
