"""Everybody's risk from a few trainings on random parts of the people: docs/records.md, 1,000 people.

    python benchmarks/records_subsets.py [[census/]GENERATOR=TRAININGS[@SHARE] ...] [--game] [--page]

The people are those of Adult, or of a census. Each method is trained so often, each time on a random part of them (one
half, or the share); every attack scores everybody. Methods of other packages are named ``external:recipe=NAME``; their
environments must have been made, and what they take is not among the seconds. What was found is kept in
``benchmarks/results/records_subsets.json``, one entry a method and number of trainings, with the processor time of the
trainings and that of everything else. Where the method has certificates, those of the people in eight of the trainings
are worked out *in these very tables*: an attack that does not know who else was in has no larger advantage than their
mean over tables, but for chance. A method that adds noise has one bound for everybody instead. For people drawn at
random the game by seeds is played in these tables too, with and without each, for an attacker who knows all others.
``--game`` adds that alone, without certificates of everybody. ``--page`` prints what was found as Markdown.
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
from riskkit.questions.records.refusals import is_bounded  # noqa: E402
from riskkit.questions.records.result import Person, read  # noqa: E402
from riskkit.questions.records.subsets import game  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from riskkit.stats.subsets import FPRS  # noqa: E402
from riskkit.table.load import Tables  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "records_subsets.json"
USUAL = ("histogram=64", "bayesnet=32", "bayesnet=64", "bayesnet=256", "synthpop=64", "tvae=64", "ctgan:epochs=300=64")
CERTIFIED = 8
"""Trainings in whose tables certificates are worked out."""
PLAYED, PLAYED_LONG, TABLES, SIDES = 60, 12, 4, 100
"""People of the game by seeds, and fewer where a method is fitted anew for every release; in so many of the tables,
with so many counted trainings a side. The attacker has half as many of its own."""
LIMITS = (None, 0.6, 0.8)


def parse(word: str) -> tuple[Tables, RecordsPlan]:
    """The people and the plan of one word of the command line."""
    method, _, numbers = word.rpartition("=")
    trainings, _, share = numbers.partition("@")
    where, _, generator = method.rpartition("/")
    played = drawn_from(census(), CENSUS_PEOPLE) if where == "census" else tables()
    return played, RecordsPlan(generator=generator, by="subsets", trainings=int(trainings), share=float(share or 0.5))


def measure(word: str, *, is_game: bool) -> dict[str, Any]:
    """Who is listed, what each attack reaches, what it took, and what is known beside it."""
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
            if "attack" in each.labels and each.labels.get("fpr", "0.01") in map("{:g}".format, FPRS)
        },
    }
    method, listed = registry.parse("generators", generator), {person.row for person in views[None].listed}
    if is_certified(method) and not is_game:
        kept["agreement"] = agreement(played, plan, result.records, listed)
    if is_certified(method) or is_bounded(method):
        kept["game"] = by_seeds(played, plan, result.records, listed)
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
            advantage.setdefault(row, []).append(best.numbers[1].value)
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


def by_seeds(played: Tables, plan: RecordsPlan, people: tuple[Person, ...], listed: set[int]) -> dict[str, Any]:
    """The numbers of some people beside the game by seeds in the tables that were trained on, and its certificates.

    Where a method has one bound for everybody, it is counted whose lower end lies above it.
    """
    run = game(played.real, crowd_of(played), plan, np.arange(len(played.real)))
    has_own = is_certified(registry.parse("generators", plan.generator))
    drawn = stream(1, "benchmark", "played").permutation(len(run.is_in))[: PLAYED if has_own else PLAYED_LONG]
    started, bound = _processor(), None
    own: dict[int, list[tuple[float, float, float]]] = {}
    for training in range(TABLES):
        rows, world = np.flatnonzero(run.is_in[:, training]), run.world(training)
        asked = ",".join(map(str, np.flatnonzero(np.isin(rows, drawn))))
        shape: dict[str, Any] = {
            "inside": SIDES,
            "outside": SIDES,
            "shadows": SIDES // 2,
            "again": 0,
            "n_syn": plan.rows_each,
        }
        seeds = RecordsPlan(plan.generator, f"ids:{asked}", by="seeds", certificate=True, **shape)
        for person in run_records(Tables(world, None, None, world.schema, (), ()), seeds).records:
            best = (person.best.auc.value, person.best.advantage.value) if person.best else (np.nan, np.nan)
            own.setdefault(int(rows[person.row]), []).append((person.auc.value if person.auc else 0.5, *best))
            bound = person.bound
    both = [person for person in people if person.row in own and person.auc and person.advantage]
    shown = np.array([person.auc.value for person in both if person.auc])
    reached, best, most = np.array([np.mean(own[person.row], axis=0) for person in both]).T
    is_listed = np.array([person.row in listed for person in both])
    low = np.array([person.advantage.low for person in both if person.advantage])
    return {
        "people": len(both),
        "tables": TABLES,
        "sides": SIDES,
        "seconds": _processor() - started,
        "mean": [float(shown.mean()), float(reached.mean()), float(best.mean()) if has_own else bound],
        "rank_correlation": _of_ranks(shown, reached),
        "certificates with the game, with the persons": [_of_ranks(best, reached), _of_ranks(best, shown)],
        "above and listed": {
            f"{limit:g}": [int((reached > limit).sum()), int(is_listed[reached > limit].sum())]
            for limit in (0.55, 0.6, 0.7, 0.8)
        },
        "exposed and listed": [int((best > 0.8).sum()), int(is_listed[best > 0.8].sum())],
        "lower end above": int((low > most).sum())
        if has_own
        else sum(person.auc.low > (bound or 1.0) for person in people if person.auc),
    }


def _of_ranks(first: np.ndarray, second: np.ndarray) -> float | None:
    """The rank correlation; None where there is nothing to rank."""
    if np.isnan(first + second).any() or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])


def main(words: list[str]) -> None:
    """Play what is named, or what is usual; print the page."""
    external.allow()
    if "--page" not in words:
        for word in [word for word in words if word != "--game"] or USUAL:
            measured = measure(word, is_game="--game" in words)
            every = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            before = every.get(word, {}) if "--game" in words else {}
            every[word] = {**measured, **before}
            if "game" in measured:
                every[word]["game"] = measured["game"]
            RESULTS.write_text(json.dumps(every, indent=1) + "\n")
            print(word, measured.get("game"), flush=True)
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
