"""Everything that is measured of a release's usefulness, by name, each with what it means in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Table
from riskkit.table.encode import Scale
from riskkit.table.features import Encoded, Secret
from riskkit.table.guess import Inference
from riskkit.utility.covariance import correlation_agreement, correlation_errors, covariance_agreement
from riskkit.utility.marginals import (
    histogram_agreement,
    histogram_count_agreement,
    histogram_errors,
    pair_agreement,
)
from riskkit.utility.trees import Question, TreeAgreement, tree_agreement, worst


@dataclass(frozen=True, slots=True)
class Measure:
    """What a number of usefulness is called and what it means; ``high`` whether more is better."""

    title: str
    plain: str
    high: bool = True


MEASURES: Mapping[str, Measure] = {
    "histogram": Measure(
        "Histograms",
        "How well each column by itself is kept: 1 where every value has the same share of rows as in the real rows, "
        "however many rows there are.",
    ),
    "histogram_counts": Measure(
        "Histograms (contest)",
        "The same counted in rows, the formula of the contest and of its paper: a release of fewer or more rows than "
        "the real ones loses by it; half the rows with the same shares have 0.75.",
    ),
    "pairs": Measure(
        "Pairs of columns", "How well every two columns together are kept: 1 where every combination is as frequent."
    ),
    "correlation": Measure(
        "Correlations", "One less the mean error of the correlation of two columns: 1 where all correlations are kept."
    ),
    "covariance": Measure(
        "Covariances (contest)",
        "One over the error of the covariances in their worst row, the official formula: 0.4 means that they are off "
        "by 2.5 in all there. Numbers count in standard deviations, unless the plan asks for the table's own units.",
    ),
    "covariance_raw": Measure(
        "Covariances (contest, own units)",
        "The same official formula with numbers in the units of the table, where a number of large spread outweighs "
        "all else: two samples of the same people may miss the contest's threshold.",
    ),
    "covariance_paper": Measure(
        "Covariances (paper)", "One over the error of all covariances added up; never more than the contest's number."
    ),
    "trees": Measure(
        "Decision trees (contest)",
        "How alike a tree grown on the release answers people it has not seen and one grown on the real rows: the "
        "F-measure of the rarer answer, of the worst question asked.",
    ),
    "trees_paper": Measure(
        "Decision trees (paper)", "The share of people of whom both trees say the same, of the worst question asked."
    ),
    "histogram_worst": Measure(
        "Worst histogram", "The share of rows of the worst column that would have to change to mend it.", high=False
    ),
    "correlation_worst": Measure(
        "Worst correlation", "How far the correlation of the worst pair of columns is off.", high=False
    ),
}
"""Names as they stand in results. The first three lie between 0 and 1 for any table and suit a frontier."""
LEARNT = ("accuracy", "ceiling")
"""What is learnt from the release and what from the real rows, in the names of :func:`learnt_from`."""


def learnt_from(part: str, model: str) -> str:
    """The name in results of the accuracy of a model that learnt from that part of :data:`LEARNT`."""
    return f"{part} {model}"


def about(name: str, secret: str) -> Measure:
    """What any number of usefulness is called and means, the accuracies of models that tell ``secret`` among them.

    Raises
    ------
    KeyError
        There is no such number.
    """
    part, _, model = name.partition(" ")
    if part not in LEARNT:
        return MEASURES[name]
    if part == "accuracy":
        return Measure(
            f"{model} learnt from the release",
            f"The share of other people of whom a model ({model}) that learnt from the release tells {secret} rightly.",
        )
    return Measure(
        f"{model} learnt from the real rows",
        f"The same of a model that learnt from the real rows ({model}): what a release can reach at best.",
    )


def usefulness(
    release: Table, sample: Table, test: Table, questions: Sequence[Question], *, scale: Scale = "raw"
) -> dict[str, float]:
    """Every number of :data:`MEASURES` of a release against the real rows it was made from.

    Trees answer the ``test`` rows, which no release was made from; where nothing is asked of trees their numbers are
    left out. With other people in place of the sample it tells how well the release stands for them. The numbers
    describe this one release and have no interval of their own.

    Raises
    ------
    DesignError
        The tables have different schemas, no row or no column in use, or a question cannot be asked of them.
    """
    found: list[TreeAgreement] = [tree_agreement(release, sample, test, question) for question in questions]
    trees = {"trees": worst(found), "trees_paper": min(one.match for one in found)} if found else {}
    return {
        "histogram": histogram_agreement(release, sample),
        "histogram_counts": histogram_count_agreement(release, sample),
        "pairs": pair_agreement(release, sample),
        "correlation": correlation_agreement(release, sample),
        "covariance": covariance_agreement(release, sample, scale=scale),
        "covariance_raw": covariance_agreement(release, sample, scale="raw"),
        "covariance_paper": covariance_agreement(release, sample, form="paper", scale=scale),
        **trees,
        "histogram_worst": float(histogram_errors(release, sample).max()),
        "correlation_worst": float(correlation_errors(release, sample).max()),
    }


def accuracy(model: Inference, release: Table, test: Table, secret: str, rng: np.random.Generator) -> float:
    """The share of test rows of which a model that learnt from the release tells the secret category rightly.

    Any model of the room ``inference`` can be chosen; it is given all other columns.

    Raises
    ------
    DesignError
        The secret is not a column in use, or there is no row to learn from.
    """
    known = [column.name for column in release.schema.modelled if column.name != secret]
    learnt, asked = Encoded(release).ask(secret, known), Encoded(test).ask(secret, known)
    told = model.fit(learnt.known, learnt.secret, rng).guess(asked.known).value
    return float(np.mean(told == Secret.of(test, secret).rows(asked.at).truth))
