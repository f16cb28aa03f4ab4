"""Everybody's risk from a few trainings on random parts of the people: docs/records.md, 1,000 people.

    python benchmarks/records_subsets.py [[census/]GENERATOR=TRAININGS[@SHARE] ...] [--page]

The people are those of Adult, or of a census. Each method is trained so often, each time on a random part of them (one
half, or the share); every attack scores everybody. Methods of other packages are named ``external:recipe=NAME``; their
environments must have been made, and what they take is not among the seconds. What was found is kept in
``benchmarks/results/records_subsets.json``, one entry a method and number of trainings, with the processor time of the
trainings and that of everything else. Where the method has certificates, those of the people in eight of the trainings
are worked out *in these very tables*: an attack that does not know who else was in has no larger advantage than their
mean over tables, but for chance. ``--page`` prints what was found as Markdown.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.records_studies import CENSUS_PEOPLE, census, drawn_from, tables  # noqa: E402
from riskkit import registry  # noqa: E402
from riskkit.base.distributions import rankdata  # noqa: E402
from riskkit.base.threads import single_thread  # noqa: E402
from riskkit.generators import external  # noqa: E402
from riskkit.questions.records.certificate import Terms, certify, is_certified  # noqa: E402
from riskkit.questions.records.people import crowd_of  # noqa: E402
from riskkit.questions.records.plan import RecordsPlan  # noqa: E402
from riskkit.questions.records.play import run_records  # noqa: E402
from riskkit.questions.records.result import Person, read  # noqa: E402
from riskkit.questions.records.subsets import game  # noqa: E402
from riskkit.table.load import Tables  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "records_subsets.json"
USUAL = ("histogram=64", "bayesnet=32", "bayesnet=64", "bayesnet=256", "synthpop=64", "tvae=64", "ctgan:epochs=300=64")
CERTIFIED = 8
"""Trainings in whose tables certificates are worked out."""
LIMITS = (None, 0.6, 0.8)


def parse(word: str) -> tuple[Tables, RecordsPlan]:
    """The people and the plan of one word of the command line."""
    method, _, numbers = word.rpartition("=")
    trainings, _, share = numbers.partition("@")
    where, _, generator = method.rpartition("/")
    played = drawn_from(census(), CENSUS_PEOPLE) if where == "census" else tables()
    return played, RecordsPlan(generator=generator, by="subsets", trainings=int(trainings), share=float(share or 0.5))


def measure(word: str) -> dict[str, Any]:
    """Who is listed, what each attack reaches, and what it took."""
    played, plan = parse(word)
    generator = plan.generator
    run = game(played.real, crowd_of(played), plan, np.arange(len(played.real)))
    with single_thread():
        run.releases([0])  # compiles
        started = _processor()
        run.releases([1])
        each = _processor() - started
        started = _processor()
        result = run_records(played, plan)
        took = _processor() - started
        score = _scoring(run)
    views = {limit: read(result, limit) for limit in LIMITS}
    kept: dict[str, Any] = {
        "seconds": took,
        "training": each,
        "scoring": score,
        "listed": {str(limit): len(view.listed) for limit, view in views.items()},
        "above": {
            each.labels["limit"]: [each.value, each.low, each.high]
            for each in result.overall
            if each.name == "records_above"
        },
        "attacks": {
            f"{each.labels['attack']} {each.name} {each.labels.get('fpr', '')}".strip(): [
                each.value,
                each.low,
                each.high,
            ]
            for each in result.overall
            if "attack" in each.labels and each.name != "records_above"
        },
    }
    if is_certified(registry.parse("generators", generator)):
        kept["agreement"] = agreement(played, plan, result.records, {p.row for p in views[None].listed})
    return kept


def _processor() -> float:
    """Processor time so far, with that of other programs that have ended."""
    return sum(os.times()[:4])


def _scoring(run: Any) -> float:
    """Processor time of all attacks on one release, of everybody."""
    release = run.releases([0])[0]
    run.scores(release, 0)
    started = time.process_time()
    run.scores(release, 0)
    return time.process_time() - started


def agreement(played: Tables, plan: RecordsPlan, people: tuple[Person, ...], listed: set[int]) -> dict[str, Any]:
    """The persons' numbers beside certificates in the tables that were trained on."""
    run = game(played.real, crowd_of(played), plan, np.arange(len(played.real)))
    generator, terms = registry.parse("generators", plan.generator), Terms(plan.rows_each, plan.fpr, (), drawn=2_000)
    auc: dict[int, list[float]] = {}
    advantage: dict[int, list[float]] = {}
    for training in range(CERTIFIED):
        rows = np.flatnonzero(run.is_in[:, training])
        for row, best in zip(
            rows.tolist(), certify(run.world(training), generator, range(len(rows)), terms, 1), strict=True
        ):
            auc.setdefault(row, []).append(best.auc.value)
            advantage.setdefault(row, []).append(best.estimates[1].value)
    both = [person for person in people if person.row in auc and person.auc and person.advantage]
    best_auc = np.array([np.mean(auc[person.row]) for person in both])
    most = np.array([np.mean(advantage[person.row]) for person in both])
    shown = np.array([person.auc.value for person in both if person.auc])
    low = np.array([person.advantage.low for person in both if person.advantage])
    exposed = best_auc > 0.8
    return {
        "people": len(both),
        "rank_correlation": float(np.corrcoef(rankdata(shown), rankdata(best_auc))[0, 1]),
        "mean": [float(shown.mean()), float(best_auc.mean())],
        "lower end above": int((low > most).sum()),
        "exposed": int(exposed.sum()),
        "exposed and listed above guessing": int(
            sum(person.row in listed for person, is_in in zip(both, exposed, strict=True) if is_in)
        ),
    }


def main(words: list[str]) -> None:
    """Play what is named, or what is usual; print the page."""
    external.allow()
    if "--page" not in words:
        for word in words or USUAL:
            measured = measure(word)
            every = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            every[word] = measured
            RESULTS.write_text(json.dumps(every, indent=1) + "\n")
            print(word, round(every[word]["seconds"]), flush=True)
    print("\n".join(page(json.loads(RESULTS.read_text()))))


def page(every: dict[str, Any]) -> list[str]:
    """What was found, as tables."""
    heads = ("method", "trainings", "processor time", "of that trainings", "listed", "above .6", "above .8")
    lines = [f"| {' | '.join((*heads, 'mean AUC', 'named at 1 %'))} |", "| --- " * 9 + "|"]
    for word, kept in every.items():
        generator, _, numbers = word.rpartition("=")
        trainings = int(numbers.partition("@")[0])
        auc, named = (_three(kept["attacks"][f"combination {name}"]) for name in ("mean_auc", "tpr_at_fpr 0.01"))
        listed = kept["listed"]
        lines.append(
            f"| `{generator}` | {numbers} | {kept['seconds']:,.0f} s | {kept['training'] * trainings:,.0f} s "
            f"| {listed['None']} | {listed['0.6']} | {listed['0.8']} | {auc} | {named} |"
        )
    return lines


def _three(of: list[float]) -> str:
    value, low, high = of
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    main(sys.argv[1:])
