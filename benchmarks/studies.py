"""Plays the stored studies of the literature on Adult and writes what they find beside what was published.

Run it alone: ``python benchmarks/studies.py [study[:part] ...]``. Writes ``docs/studies.md`` from the results that it
keeps in ``benchmarks/results/studies.json``; studies that are not named keep their results. ``--page`` writes the
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
from riskkit.questions.membership import words
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.table.load import read_table

ROOT = Path(__file__).resolve().parents[1]
ADULT = ROOT.parent / "shared" / "data" / "adult" / "adult_train.csv.gz"
KEPT = ROOT / "benchmarks" / "results" / "studies.json"
PAGE = ROOT / "docs" / "studies.md"
PLAYED = ("achilles", "figure3", "one-record", "releases", "table3", "table5", "table6", "toy", "yearly")
"""The studies that are played where none is named; the others take hours."""
REMARKS = {
    "achilles": (
        "**Measured beside it, and why there is no set-attention network among the attacks:** on the Bayesian network "
        "no attack of the same knowledge beats the likelihood ratio, so the 0.08 of AUC by which it is ahead of the "
        "forest on counts, on average over the ten records, is all that any other learner could add; on nine of the "
        "ten it is at most 0.11, on one 0.41. A network of the published shape (the 100 nearest rows, an embedding and "
        "an attention of 10, 500 epochs), timed over 10 epochs, would take 35 seconds of processor time to learn one "
        "record from 200 own releases, the forest 0.9 and the line 0.1 seconds; all 300 trainings of a record with "
        "every attack above take two. It would cost many times all else together, and no learner here may become "
        "the bottleneck."
    ),
    "toy": (
        "**Beside it, from the same rows:** the correlations with the answer are .955, .024, .455 and .081 (printed "
        ".95, .02, .44 and .08), and all ten rows are in them. The twenty Shapley values lie within .091 of those "
        "printed: the model has five parameters and five training rows, so the rounding of its rows moves its slopes. "
        "**What the source contradicts itself in:** the average of its success rates of (linear, tree) is .10 and not "
        "0.00; its averages of columns, .33 and .37, need the .20 of (tree, tree) in the first input and not in the "
        "second, where counting again puts it too. **What had to be found out:** three errors of 0.00 by made-up rows "
        "cannot come of numbers that are not rounded; rounded to one decimal as the table is, one candidate and no "
        "reach give them in about half of all draws, and success is an error *below* .1 in the numbers' own units. "
        "A linear model and attacker need fewer inputs than rows, which four and five just are. The text writes X_rand "
        "where its figures vary X_aux, and its conclusion names a support vector machine that is in no table."
    ),
    "figure3": (
        "**Measured beside it:** the selective target is the only row with the native country Holand-Netherlands, and "
        "the Bayesian network does give it away: of 120 releases of as many trainings, 70 % [57 %, 81 %] of the 60 "
        "made with the row show that country and none [0 %, 6 %] of the 60 made without (63 % is what drawing as many "
        "rows at random leaves). The neighbour attack does not see it with 10 nearest rows or with 1: the country is "
        "one of 15 columns in its distance. In 40 releases of either side, each of a training of its own, the 10 "
        "nearest rows lie at 0.1650 (SD 0.0072 over releases) with the row and at 0.1659 (SD 0.0081) without, a tenth "
        "of an SD, which is an AUC of about 0.53 and takes some 2,300 trainings to be told from chance; the nearest "
        "one lies at 0.130 (SD 0.020) and 0.129 (SD 0.022). So its chance result is the attack's, not the record's, "
        "and five trainings could show it on either side of chance. Rounded and "
        "clipped, the statistics-based method bends moments by more than one record does, so MVL on the real tables "
        "gives a constant answer; MVL on the attacker's own releases (`variant=syn`), which bend alike, tells adaptive "
        "targets in every release."
        " **In raw units** (`metric=raw`, the distance of the source) fnlwgt decides who is near. Of the "
        "statistics-based method, rounded or not, the releases made with the adaptive target lie farther from it "
        'than those made without, every one: the rule "nearer means in" is then always wrong, and turned round '
        "always right."
    ),
    "figure3-ctgan": (
        "**Measured beside it:** with 20 epochs the neighbour attack is not told from chance: with the target its "
        "score is 0.2 SD higher than without, which 50 trainings cannot tell from nothing, while 0.96 is excluded "
        "for releases of 20 epochs. The releases of one training resemble one another, so a hundred of them are far "
        "from a hundred trials: of the variance of the score over these releases 0.68 belongs to the training (of "
        "the score of MVL 0.97). With five trainings in all, 96 right answers of 100 can stand on five throws of a "
        "coin, which is what the interval beside it says. A release of this plan, of 20 epochs, is also less close "
        "to the table than one of the 300 epochs of the package: that such a release leaks more is not ruled out "
        "here. With 4 epochs one of nine AUCs lies above chance, by a hair: that of the neighbour attack at the "
        "adaptive target, whose right answers do not. Of nine intervals of 95 % one may miss by luck, so nothing is "
        "told from chance here; and 12 trainings are far too few to call that safe, for with 6 a side an attack that "
        "is right in three of four releases looks like this. What they exclude are attacks that are nearly always "
        "right, above 0.80 (random), 0.75 (selective) and 0.87 (adaptive) for the neighbour attack and 0.94, 0.87 "
        "and 0.76 for MVL on own releases, of releases of 4 epochs alone. The neighbour attack leans the right way "
        "at all three (0.5, 0.9 and 1.3 SD of the trainings' means), most at the adaptive target. Of the variance of "
        "its score 0.20 to 0.34 belongs to the training, of that of MVL 0.96 or more. That only CTGAN is told by MVL "
        "on own releases could be neither seen nor refuted; for random, adaptive and all of MVL our notes have no "
        "figure."
    ),
    "table5": (
        "**Measured beside it:** from 25 targets on, the *scores* of MVL tell every release apart (AUC 1.00), while "
        "its *answers* stay at one half until there are 100: its cut of 0 lies where the releases' own bias has moved "
        "all scores to one side. An attacker who placed the cut on releases of its own would be right from 25 on."
    ),
    "one-record": (
        "**Measured beside it:** in the traditional game the other people are drawn anew in every training, so all "
        "tables have nearly one and the same risk there, and what it moves between tables is attacker noise: the "
        "attacker learns anew each time, from 100 own releases a side. With 400 of them (40 s in all) the standard "
        "deviation without the error of each falls from 0.046 to 0.019 (chi-square 23 on 14 degrees of freedom, p = "
        "0.06), the risk from 0.64 to 0.75, 0.70 on average; with 1,600 it is 0.020. In its table the standard "
        "deviation stays: 0.093, 0.088 and 0.091. So that spread is the table's, as the source says, and more own "
        "releases raise the risk itself, in its table from 0.68 on average to 0.75 and 0.76."
    ),
    "table3": (
        "**Measured beside it:** the last column of the source's table is its best accuracy, for which λ was chosen in "
        "[0, 0.01] on the very trials that it counts; our notes have that figure for the selective target alone, and "
        "not the values of λ that it tried. Chosen on 50 own releases, which are never counted, λ does not help. "
        "Chosen in hindsight from all of [0, 0.01], which here is 11, 11 and 6 different sets of answers (random, "
        "selective, adaptive), the best accuracy is 0.55, 0.48 and 0.45. Chosen so among answers that know nothing "
        "(the truth shuffled 2,000 times) it is 0.51 to 0.52 on average and 0.59 to 0.60 once in twenty times: nothing "
        "is found here even in hindsight. The published 0.686 would be above that, were its releases independent; "
        "with five trainings it is not told from chance."
    ),
    "table6": (
        "**Measured beside it:** of random and adaptive targets nothing is told here either, as in the source. Of the "
        "selective target much is: 52 of 60 right answers of the forest, where 10 releases at 0.43 leave [0.14, 0.76]. "
        "It is one figure, the number of countries that occur, because this target alone has its country: on the "
        "three figures of that column alone the forest has an AUC of 0.87 [0.74, 0.93], on all others 0.42 [0.29, "
        "0.56]. Which row stands out most depends on how categories become numbers. With one number a category it is "
        "row 16,249, a capital gain of 99,999 and Canada; with that row as the target the forest is right "
        "in 0.52 [0.39, 0.64], the straight line in 0.58 [0.45, 0.71] and nearest neighbours in 0.52 [0.38, 0.65], as "
        "published. How the source encodes is not in our notes, so this may be the whole difference."
    ),
}
"""What was measured to explain a deviation from the source."""
SHOWN_COUNTS, MOST_COUNTS = (10, 30), 5
"""Counts of releases that the page shows beyond the first few."""
HEAD = """# Games of the literature, played again

Each study is a stored plan in `studies/`, which `riskkit study NAME --real adult.csv` and the Membership page
play again; the same seed gives the same numbers. Right answers (chance 0.50) and AUC (chance 0.50) with their 95 %
intervals, which count trainings. N is their number: every release comes from a training of its own, but for those of
CTGAN, of which each training makes five.

*Published* is the accuracy of the source. *With its trainings* is the 95 % interval which that figure has when it rests
on the independent trainings the source made, and says whether they could tell it from chance: many releases of five
trainings are five trials, not hundreds. Made by `benchmarks/studies.py`.
"""


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
    lines = [f"\n## {asked.title}\n", f"`{asked.name}`: {asked.source}. {asked.table}. **{claimed}:** {asked.claim}\n"]
    if asked.cost:
        lines.append(f"{asked.cost}\n")
    if not kept:
        return "\n".join([*lines, "Not played here yet.\n"])
    seconds = sum(kept[part.name]["seconds"] for part in asked.parts if part.name in kept)
    lines.append(f"{seconds:,} s of processor time.\n")
    remark = f"\n{REMARKS[asked.name]}\n" if asked.name in REMARKS else ""
    if asked.has_rows:
        return "\n".join([*lines, *of_rows(kept, asked)]) + f"\n{remark}"
    if asked.question == "records":
        of_question = of_releases if asked.rows else of_records
        return "\n".join([*lines, *of_question(asked, kept)]) + f"\n{remark}"
    lines.append("| part | target | attack | right answers | AUC | N | published | with its trainings |")
    lines.append("|---|---|---|---|---|---|---|---|")
    for part in asked.parts:
        rows = kept.get(part.name, {"rows": []})["rows"]
        named = isinstance(part.plan, MembershipPlan) and part.plan.is_one_by_one
        lines += [line(row, named=named) for row in rows]
    lines += [sentence for part in asked.parts if (sentence := over_records(kept.get(part.name, {"rows": []})["rows"]))]
    return "\n".join(lines) + f"\n{remark}"


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
    lines = ["| part | record | AUC in this table | traditional AUC | N |", "|---|---|---|---|---|"]
    for row in rows:
        both = [f"{e['value']:.2f} [{e['low']:.2f}, {e['high']:.2f}]" for e in row["estimates"]]
        lines.append(f"| {row['part']} | {row['record']} | {' | '.join(both)} | {row['estimates'][0]['n']} |")
    for side, kind in enumerate(("in its table", "in the traditional game")):
        lines.append(f"\n{spread([row['estimates'][side] for row in rows], kind)}")
    return lines


def of_releases(asked: Study, kept: dict[str, Any]) -> list[str]:
    """A line for each count of releases: the median person, and how many stand above the limit of the study."""
    above = "" if asked.limit is None else f" | above {asked.limit:g}"
    lines = [
        f"| after release | best attack, median{above} | attack that was played, median{above} |",
        "|---" * (3 if asked.limit is None else 5) + "|",
    ]
    for part in asked.parts:
        for row in kept.get(part.name, {"rows": []})["rows"]:
            if row["releases"] not in SHOWN_COUNTS and row["releases"] > MOST_COUNTS:
                continue
            cells = [str(row["releases"])]
            for name, estimate in (("best", "certificate"), ("played", "auc")):
                median = next((e for e in row["estimates"] if e["name"] == estimate), None)
                cells.append("none" if median is None else f"{median['value']:.3f} of {row['people'][name]} people")
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
        f"{runs}: chi-square {square:.0f} on {len(value) - 1} degrees of freedom against one risk for all "
        f"(p {'below 0.0001' if p < 1e-4 else f'= {p:.2g}'}); without the error of each, a standard deviation of "
        f"{left:.3f}."
    )


def over_records(rows: list[dict[str, Any]]) -> str:
    """Of several records attacked one by one: how many each attack finds, and how often it is ahead of the last."""
    aucs: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        auc = [e for e in row["estimates"] if e["name"] == "auc"]
        if auc:
            aucs.setdefault(row["attack"], {})[row["record"]] = auc[0]
    if max(map(len, aucs.values()), default=0) < 2:
        return ""
    base = next((attack for attack in aucs if attack.startswith("groundhog")), "")
    sentences = []
    for attack, own in aucs.items():
        mean = sum(e["value"] for e in own.values()) / len(own)
        text = f"{attack}: AUC wholly above 0.50 for {sum(e['low'] > 0.5 for e in own.values())} of {len(own)}"
        if base and attack != base:
            ahead = sum(e["value"] > aucs[base][record]["value"] for record, e in own.items() if record in aucs[base])
            text += f", higher than {base} for {ahead}"
        sentences.append(f"{text}, mean {mean:.2f}")
    return f"\n{rows[0]['part']}, over the records: {'; '.join(sentences)}."


def line(row: dict[str, Any], *, named: bool = False) -> str:
    """One finding; ``named`` says which record."""
    interval, support = row["published_interval"], ""
    if interval:
        word = "yes" if row["published_told_from_chance"] else "no"
        support = f"{word}: {interval['n']} give [{interval['low']:.2f}, {interval['high']:.2f}]"
    target = f"{row['target']}, record {row['record']}" if named else row["target"]
    settled = row.get("settled")
    chosen = f" ({words.setting_choice(**settled)})" if settled else ""
    auc = "" if settled and settled["in_hindsight"] else with_interval(row["estimates"], "auc")
    cells = (
        row["part"], target, f"{row['attack']}{chosen}", with_interval(row["estimates"], "accuracy"), auc,
        str(row["estimates"][0]["n"] if row["estimates"] else 0),
        "" if row["published"] is None else f"{row['published']:g}", support,
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


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
