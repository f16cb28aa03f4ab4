"""What explanations of a model of Adult give away: attackers, optimisers, defences: ``results/explanations.md``.

Run it alone: ``python benchmarks/explanations.py [section ...] [--seeds 5]``; twenty minutes of one processor.
Needs the Adult table (``../shared/data/adult``): its 45,222 rows without a missing value; the model answers the income.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.core import Estimate
from riskkit.games import explanation as game
from riskkit.games.explanation import CONSTANTS, Evidence, GradedAnswers, expose
from riskkit.games.explanation_deal import ExplanationDeal, Offer, deal
from riskkit.registry import parse
from riskkit.stats import recovery
from riskkit.stats.recovery import (
    Recovered,
    acceptance,
    accepted_mae,
    crossed_spread,
    estimate,
    is_successful,
    join,
    mean_interval,
    reference_leak,
)
from tests.tables import adult

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "explanations.md"
SIZES = (100, 200, 400, 800, 1600)
STARTS = 5
"""Trainings of one attacking network where the start decides."""
MODELS = ("linear", "network", "forest", "boosting")
DEFENCES = (
    "rounding:decimals=3", "rounding:decimals=2", "rounding:decimals=1", "quantising:bins=20", "quantising:bins=5",
    "laplace:share=0.1", "laplace:share=0.5", "gaussian:share=0.1", "gaussian:share=0.5", "top-k:k=5", "top-k:k=3",
)  # fmt: skip
INTRO = """# What explanations of a model give away

Adult's 45,222 complete rows: {train:,} train the model of the income, {victims} different people are the victims, and
the attacker's rows and the reference rows are drawn from the others anew under each of {seeds} model seeds. The values
are sampled with 50 orders against one reference row (closed form for the linear model), of the first class. MAE is the
mean absolute error over all 14 columns in shares of their range; success rate (SR) the share of cells whose category is
named exactly, or whose number is hit within .05 of its range, after decoding to valid values. 95 % intervals over
victims and model seeds, crossed. An attack is called successful only where it beats both constant guesses, the median
in MAE and the most frequent value in SR, and each the other way, with the lower end of the difference above 0. Made by
`benchmarks/explanations.py`.
"""


def offer_of(model: str, **changes: object) -> Offer:
    """The papers' service: sampled values against one row."""
    explainer = "auto" if model == "linear" else "permutation"
    return replace(Offer("income", parse("explained", model), explainer=explainer), **changes)  # type: ignore[arg-type]


def attacked(dealt: ExplanationDeal, seen: Sequence[Evidence], text: str, size: int) -> Recovered:
    """One attacker or baseline under all model seeds."""

    def answers(evidence: Evidence) -> GradedAnswers:
        rng = dealt.rng(evidence.model_seed, "attack", text, size)
        if text in game.BASELINES:
            return game.guess(evidence, text, size, rng)
        return game.attack(evidence, parse("inverters", text), size, rng)

    return join([answers(evidence) for evidence in seen])


def figure(made: Estimate, digits: int = 3) -> str:
    """The value and its interval."""
    return f"{made.value:.{digits}f} [{made.low:.{digits}f}, {made.high:.{digits}f}]"


def both(recovered: Recovered) -> str:
    """MAE and success rate as two cells."""
    return f"{figure(estimate(recovered, 'mae'))} | {figure(estimate(recovered, 'success_rate'))}"


def baselines(dealt: ExplanationDeal, evidence: Sequence[Evidence]) -> Iterator[str]:
    """Guesses that look at no explanation."""
    for name in game.BASELINES:
        yield f"| {name} | {both(attacked(dealt, evidence, name, 1600))} |"


def attackers(dealt: ExplanationDeal, seen: dict[str, list[Evidence]]) -> Iterator[str]:
    """Who recovers what, by explained model, attacker and rows held."""
    for model in MODELS:
        evidence = seen[model]
        constants = [attacked(dealt, evidence, name, 1600) for name in CONSTANTS]
        plans = [("network", size) for size in SIZES] + [(name, 1600) for name in ("linear", "tree", "forest", "knn")]
        for name, size in [*plans, *(("nearest", size) for size in SIZES)]:
            recovered = attacked(dealt, evidence, name, size)
            word = "yes" if is_successful(recovered, *constants) else "no"
            yield f"| {model} | {name} | {size} | {both(recovered)} | {word} |"
            print(model, name, size, both(recovered), word, flush=True)


def accepted(dealt: ExplanationDeal, seen: dict[str, list[Evidence]]) -> Iterator[str]:
    """What the second attacker stands by."""
    for model in MODELS:
        evidence = seen[model]
        recovered = attacked(dealt, evidence, "nearest", 1600)
        yield f"| {model} | {figure(acceptance(recovered))} | {figure(accepted_mae(recovered))} |"


def optimisers(dealt: ExplanationDeal, evidence: Sequence[Evidence]) -> Iterator[str]:
    """The four optimisers at the papers' rates, at equal rates and at tuned ones."""
    for rates in ("papers", "given,rate=0.001", "given,rate=0.01", "tuned"):
        for name in ("rmsprop", "adam", "momentum", "sgd"):
            recovered = attacked(dealt, evidence, f"network:optimiser={name},rates={rates}", 1600)
            yield f"| {rates.replace('given,rate=', '')} | {name} | {both(recovered)} |"
            print(rates, name, both(recovered), flush=True)


def leaks(seen: dict[str, list[Evidence]]) -> Iterator[str]:
    """What a value of 0 says against one reference row."""
    for model in MODELS:
        evidence = seen[model]
        says, equal = (np.stack(part) for part in zip(*map(game.equals_reference, evidence), strict=True))
        precision, recall = reference_leak(says, equal)
        assert precision is not None
        assert recall is not None
        yield f"| {model} | {equal.mean():.3f} | {figure(precision)} | {figure(recall)} |"


def of_columns(dealt: ExplanationDeal, evidence: Sequence[Evidence]) -> Iterator[str]:
    """Each column: its association with the target, and the two attackers beside the constant guess."""
    everyone = dealt.train.plus(dealt.pool).plus(dealt.victims)
    schema = everyone.schema
    target = everyone.codes[:, [column.name for column in schema.categorical].index("income")]
    recovered = [attacked(dealt, evidence, name, 1600) for name in ("constant_median", "network", "nearest")]
    for column in recovered[0].columns:
        kind = schema.column(column)
        if kind.is_numeric:
            values = everyone.numbers[:, [each.name for each in schema.numeric].index(column)]
            tied = recovery.correlation_ratio(values, target)
        else:
            codes = everyone.codes[:, [each.name for each in schema.categorical].index(column)]
            tied = recovery.cramers_v(codes, target)
        cells = " | ".join(figure(estimate(each, "mae", column)) for each in recovered)
        yield f"| {column} | {'eta²' if kind.is_numeric else 'V'} {figure(tied)} | {cells} |"


def defences(dealt: ExplanationDeal, plain: Offer) -> Iterator[str]:
    """What a defence takes from the attackers, and from the reader."""
    offers = {"none": plain} | {text: replace(plain, defence=parse("defences", text)) for text in DEFENCES}
    offers |= {f"{v} orders": replace(plain, permutations=v) for v in (1, 5)}
    offers |= {f"{r} references": replace(plain, references=r) for r in (5,)}
    for name, offer in offers.items():
        evidence = expose(dealt, offer, 0)
        read = game.readers(dealt, offer, 0, evidence)
        halves = [mean_interval(crossed_spread(each[None]), 0.95) for each in ((read.rank + 1) / 2, read.top)]
        ends = [[float(low), float(high)] for low, high in halves]
        rank = f"{read.rank.mean():.2f} [{2 * ends[0][0] - 1:.2f}, {2 * ends[0][1] - 1:.2f}]"
        top = f"{read.top.mean():.2f} [{ends[1][0]:.2f}, {ends[1][1]:.2f}]"
        cells = " | ".join(both(attacked(dealt, [evidence], text, 1600)) for text in ("forest", "nearest"))
        yield f"| {name} | {cells} | {rank} | {top} |"
        print(name, cells, rank, top, flush=True)


def one_hot(dealt: ExplanationDeal) -> Iterator[str]:
    """The source's encoding: a feature for every level, and the error per feature beside the one per column."""
    for model in ("network", "forest", "boosting", "svm", "linear"):
        evidence = expose(dealt, offer_of(model, layout="one-hot"), 0, made_up=max(SIZES))
        tried = [(name, size) for name in ("network", "nearest") for size in SIZES] + [("linear", 1600)]
        for name, size in [*tried, *((constant, 1600) for constant in CONSTANTS), ("empirical", 1600)]:
            yield f"| {model} | {name} | {size} | {per_feature(dealt, evidence, name, size)} |"
            print(model, name, size, flush=True)


def encodings(dealt: ExplanationDeal) -> Iterator[str]:
    """The four optimisers at one rate, by encoding, where the explained model is linear, from several starts."""
    for layout in ("label", "one-hot"):
        evidence = expose(dealt, offer_of("linear", layout=layout), 0, made_up=1)
        tried = [f"network:optimiser={name},rates=given,rate=0.01" for name in ("rmsprop", "adam", "momentum", "sgd")]
        for name in [*tried, "network:optimiser=adam", *CONSTANTS]:
            setting = name.replace("network:optimiser=", "").replace(",rates=given,rate=", ", ")
            setting = "adam, 0.001" if setting == "adam" else setting
            yield f"| {layout} | {setting} | {per_feature(dealt, evidence, name, 1600, STARTS)} |"
            print(layout, setting, flush=True)


def per_feature(dealt: ExplanationDeal, evidence: Evidence, text: str, size: int, starts: int = 1) -> str:
    """MAE over features, MAE over columns and success rate of one attacker or guess, as cells.

    A network is trained from several starts; a last cell then has the success rate of each.
    """
    answers = []
    for start in range(1 if text in game.BASELINES else starts):
        rng = dealt.rng(start, "attack", text, size)
        if text in game.BASELINES:
            answers.append(game.guess(evidence, text, size, rng))
        else:
            answers.append(game.attack(evidence, parse("inverters", text), size, rng))
    spread = crossed_spread(np.stack([np.abs(each.estimates - evidence.inputs).mean(axis=1) for each in answers]))
    low, high = mean_interval(spread, 0.95)
    cells = f"{float(spread.mean):.3f} [{float(low):.3f}, {float(high):.3f}] | {both(join(answers))}"
    each = " ".join(f"{np.nanmean(graded.right):.2f}" for graded in answers)
    return f"{cells} | {each}" if starts > 1 else cells


SECTIONS = {
    "baselines": (
        "Guesses that look at no explanation",
        "They know 1,600 auxiliary rows.",
        "| guess | MAE | SR |",
        lambda dealt, seen: baselines(dealt, seen["forest"]),
    ),
    "attackers": (
        "Attackers",
        "",
        "| explained model | attacker | rows it holds | MAE | SR | successful |",
        attackers,
    ),
    "draws": (
        "Other people, other models",
        (
            "Success rates with 1,600 rows where all rows are drawn anew, one model seed each: after decoding, and "
            "with numbers graded as they are said. A single run moves by more than .02 from draw to draw."
        ),
        "| draw | network by network | as said | boosting by network | as said | boosting by nearest | as said |",
        lambda dealt, seen: draws(),  # noqa: ARG005  it deals anew
    ),
    "accepted": (
        "What the attacker without data stands by",
        "The share of answers accepted is what Luo and others call success rate; it says nothing of being right.",
        "| explained model | share accepted | MAE of those |",
        accepted,
    ),
    "optimisers": (
        "Optimisers of the attacking network",
        (
            "Explained: the neural network; 1,600 rows, 600 epochs. At the papers' rates RMSprop, momentum (.9) and "
            "SGD have .01, Adam has .001. Tuned: the best of six rates from .0001 to 10 on a fifth of the attacker's "
            "rows."
        ),
        "| rate | optimiser | MAE | SR |",
        lambda dealt, seen: optimisers(dealt, seen["network"]),
    ),
    "one-hot": (
        "One feature for every level, as in the source",
        (
            "The source encodes categories one-hot and averages the error over all features, most of which are 0 for "
            "everybody; a column of 41 levels then counts 41 times, and saying 0 throughout errs little. Here are both "
            "averages: over the {width} features, the source's, and over the 14 columns, ours. One model and 200 "
            "victims (intervals over them), the source's five sizes. The attacking network is that of the source "
            "(Adam, .001, 600 epochs). The source has 119 features of its 14 inputs. The complete rows of both parts "
            "of Adult have {width}, and 119 where the years of education are a category too."
        ),
        "| explained model | attacker or guess | rows it holds | MAE per feature | MAE per column | SR |",
        lambda dealt, seen: one_hot(fewer()),  # noqa: ARG005  it deals anew
    ),
    "encodings": (
        "Which optimiser is best depends on the encoding",
        (
            "Explained: linear regression, one model, 200 victims, 1,600 rows, 600 epochs, every network from 5 starts "
            "(intervals over victims and starts). The source gives neither loss nor epochs; the loss here is the mean "
            "absolute error, as in the code of Luo and others. At the rates of the source, .01 and .001, RMSprop "
            "comes before Adam, momentum and SGD in both encodings; at one rate for all, .01, RMSprop and Adam are not "
            "told apart. One-hot RMSprop hangs on its start and on the arithmetic: its first steps are ten times the "
            "rate and send outputs beyond 20 on either side, and the slope s (1 - s) of PyTorch in single precision is "
            "0 above 17. There a network stands still and says the same of everybody: written in PyTorch, eight starts "
            "of this network had an SR of .46, .83, .45, .47, .85, .42, .46 and .67, and with squared errors three had "
            ".88, .46 and .44. With slopes that hold however far out, as here, all five starts learned, and of eight "
            "others six, of which two learn with the slope of PyTorch."
        ),
        "| encoding | optimiser, rate | MAE per feature | MAE per column | SR | SR of each start |",
        lambda dealt, seen: encodings(fewer()),  # noqa: ARG005  it deals anew
    ),
    "leaks": (
        "A value of 0 against a single reference row",
        'How often a victim\'s cell equals the reference, and what the sentence "0 means equal" is worth.',
        "| explained model | cells equal | precision | recall |",
        lambda _, seen: leaks(seen),
    ),
    "columns": (
        "Columns",
        (
            "Explained: the neural network. Association with the income over all rows, and MAE of the constant "
            "median, of the attacking network with 1,600 rows and of the attacker without data."
        ),
        "| column | association | constant median | network | nearest |",
        lambda dealt, seen: of_columns(dealt, seen["network"]),
    ),
    "defences": (
        "Defences",
        (
            "Explained: the forest, one model (intervals over victims). The attackers are the forest with 1,600 "
            "auxiliary rows and the one without data. For the reader: Spearman's correlation with the exact values and "
            "the share of the three weightiest features that are still shown as such, over 100 victims. Exact values "
            "are those against the same references."
        ),
        "| defence | forest MAE | forest SR | nearest MAE | nearest SR | rank correlation | top three |",
        lambda dealt, _: defences(dealt, offer_of("forest")),
    ),
}
"""The sections of the page, in order: title, text, head of the table, what makes its rows."""


@lru_cache(maxsize=1)
def fewer() -> ExplanationDeal:
    """The same table with 200 victims."""
    return deal(adult(45_222), None, "income", victims=200, seed=0)


def width() -> int:
    """How many features the rows have one-hot."""
    columns = [column for column in fewer().train.schema.modelled if column.name != "income"]
    return sum(1 if column.is_numeric else len(column.levels) for column in columns)


def draws() -> Iterator[str]:
    """The same cells for other people and other models: one line a draw of all rows, one model seed each."""
    for seed in range(1, 6):
        dealt = deal(adult(45_222), None, "income", seed=seed)
        cells = []
        for model, name in (("network", "network"), ("boosting", "network"), ("boosting", "nearest")):
            seen = expose(dealt, offer_of(model), 0)
            answers = game.attack(seen, parse("inverters", name), 1600, dealt.rng(0, "attack", name, 1600))
            cells.append(f"{np.nanmean(answers.right):.3f} | {before_decoding(seen, answers):.3f}")
        yield f"| {seed} | {' | '.join(cells)} |"
        print(seed, cells, flush=True)


def before_decoding(seen: Evidence, answers: GradedAnswers) -> float:
    """The success rate where numbers are graded as they are said, not as the nearest valid value."""
    right = answers.right.copy()
    for index, span in enumerate(seen.encoder.spans):
        if span.column.is_numeric:
            right[:, index] = np.abs(answers.estimates[:, span.start] - seen.inputs[:, span.start]) <= game.TOLERANCE
    return float(np.nanmean(right))


class Seen(dict[str, list[Evidence]]):
    """What every model's service publishes under each model seed, made when it is first asked for."""

    def __init__(self, dealt: ExplanationDeal, seeds: int) -> None:
        self.dealt, self.seeds = dealt, seeds

    def __missing__(self, model: str) -> list[Evidence]:
        start = time.process_time()
        self[model] = [expose(self.dealt, offer_of(model), seed) for seed in range(self.seeds)]
        right = np.mean([evidence.right.mean() for evidence in self[model]])
        spent = (time.process_time() - start) / self.seeds
        print(f"{model}: accuracy {right:.3f}, {spent:.1f} processor seconds a seed", flush=True)
        return self[model]


def main(seeds: int, only: list[str]) -> None:
    """Measure and write the page; sections that are not asked for stay as they are."""
    dealt = deal(adult(45_222), None, "income", seed=0)
    seen = Seen(dealt, seeds)
    old = PAGE.read_text(encoding="utf-8").split("\n## ") if PAGE.exists() else []
    kept = {text.partition("\n")[0]: f"\n## {text}" for text in old[1:]}
    page = INTRO.format(train=len(dealt.train), victims=len(dealt.victims), seeds=seeds)
    for name, (title, text, head, rows) in SECTIONS.items():
        if name in only or not only:
            about = text.replace("{width}", str(width())) if "{width}" in text else text
            lines = [f"\n## {title}\n", *([f"{about}\n"] if about else []), head, "|" + "---|" * (head.count("|") - 1)]
            kept[title] = "\n".join([*lines, *rows(dealt, seen)]) + "\n"
        page += kept.get(title, "").rstrip("\n") + "\n" if title in kept else ""
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"which of {', '.join(SECTIONS)}; all of them unless named")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    main(options.seeds, options.sections)
