"""Everything that a contest measures of a release's usefulness, by name, each with what it means in plain words.

The measures are the files of ``riskkit/utility``; beside them stand the accuracies of models that learnt
from a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from riskkit import registry
from riskkit.core import Table
from riskkit.phrases import phrase
from riskkit.table.features import Encoded, Inference, Secret
from riskkit.table.usefulness import ComparedTables, Measure

LEARNT = ("accuracy", "ceiling")
"""What is learnt from the release and what from the real rows, in the names of :func:`learnt_from`."""


@dataclass(frozen=True, slots=True)
class About:
    """What a number of usefulness is called and what it means."""

    title: str
    plain: str


def measures() -> Mapping[str, type[Measure]]:
    """Every measure by the name it has in results, in the order they are shown."""
    there = registry.plugins("utility").items()
    return dict(sorted(there, key=lambda item: (item[1].place, item[0])))


def frontiers() -> tuple[str, ...]:
    """The measures that a frontier is drawn for, the one that is drawn first at first."""
    drawn = (measure for measure in measures().values() if measure.frontier)
    return tuple(measure.name for measure in sorted(drawn, key=lambda measure: (measure.frontier, measure.name)))


def thresholds(rules: str) -> Mapping[str, tuple[float, bool]]:
    """What these rules ask of usefulness: by measure a value, and whether it must be reached or not be passed."""
    return {
        name: (measure.thresholds[rules], measure.more_is_better)
        for name, measure in measures().items()
        if rules in measure.thresholds
    }


def learnt_from(part: str, model: str) -> str:
    """The name in results of the accuracy of a model that learnt from that part of :data:`LEARNT`."""
    return f"{part} {model}"


def about(name: str, secret: str) -> About:
    """What any number of usefulness is called and means, the accuracies of models that tell ``secret`` among them.

    Raises
    ------
    KeyError
        There is no such number.
    """
    part, _, model = name.partition(" ")
    if part not in LEARNT:
        measure = measures()[name]
        return About(phrase(measure.title), phrase(measure.card))
    if part == "accuracy":
        return About(
            phrase("{model} learnt from the release", model=model),
            phrase(
                "The share of other people of whom a model ({model}) that learnt from the release tells {secret} "
                "rightly.",
                model=model,
                secret=secret,
            ),
        )
    return About(
        phrase("{model} learnt from the real rows", model=model),
        phrase(
            "The same of a model that learnt from the real rows ({model}): what a release can reach at best.",
            model=model,
        ),
    )


def usefulness(compared: ComparedTables, *, of_others: bool = False) -> dict[str, float]:
    """Every number of these tables, by measure; one that has nothing to ask of them is left out.

    With ``of_others`` the rows compared with are people whom the release was not made from, and measures that tell
    nothing of them are left out. The numbers describe this one release and have no interval of their own.

    Raises
    ------
    DesignError
        The tables have different schemas, no row or no column in use, or a question cannot be asked of them.
    """
    asked = {name: plugin for name, plugin in measures().items() if plugin.of_others or not of_others}
    values = {}
    for name, plugin in asked.items():
        values[name] = plugin().of(compared)
    return {name: value for name, value in values.items() if value is not None}


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
    guesses = model.fit(learnt.known, learnt.secret, rng).guess(asked.known).value
    return float(np.mean(guesses == Secret.of(test, secret).rows(asked.at).truth))
