"""Who is who in the explanation game: rows the model learns from, rows the attacker may have, references and victims.

The groups have no row of the real table in common. The victims are the same under every model seed; what the attacker
has and what the service compares with is drawn anew for each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from riskkit.core import Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.explain.features import Encoder, Layout
from riskkit.explain.models import ExplainedModel
from riskkit.explain.publishing import Defence
from riskkit.explain.service import Explainer, Service
from riskkit.games.attribute import KINDS
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.features import Secret

Source = Literal["real", "synthetic"]
FEWEST_TRAINED = 20
FEWEST_VICTIMS = 5
TRAIN_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Offer:
    """What the service offers: a model of the target column, and how it explains its answers.

    ``trained_on`` is the real or the synthetic table. ``references`` is how many rows the answers are compared with,
    ``permutations`` how many orders are sampled where the explainer samples. ``outputs`` are the explained classes, in
    code order. ``defence`` is what is done to the values before they are published.
    """

    target: str
    model: ExplainedModel
    layout: Layout = "label"
    trained_on: Source = "real"
    explainer: Explainer = "auto"
    references: int = 1
    permutations: int = 50
    outputs: tuple[int, ...] = (0,)
    defence: Defence | None = None

    def __post_init__(self) -> None:
        if self.references < 1:
            raise DesignError.phrase(
                "A service compares with at least 1 reference row; got {references}.", references=self.references
            )


@dataclass(frozen=True, slots=True, eq=False)
class ExplanationDeal:
    """The rows of one game. ``pool`` is where the attacker's rows and the references are drawn from."""

    train: Table
    synthetic: Table | None
    pool: Table
    victims: Table
    seed: int

    def source(self, offer: Offer) -> Table:
        """The rows the model learns from.

        Raises
        ------
        DesignError
            The synthetic table was asked for and there is none.
        """
        if offer.trained_on == "real":
            return self.train
        if self.synthetic is None:
            raise DesignError.phrase("The model cannot learn from a synthetic table: none is loaded.")
        return self.synthetic

    def rng(self, model_seed: int, *what: str | int) -> np.random.Generator:
        """The stream for that purpose under that model seed."""
        return stream(self.seed, "explanations", model_seed, *what)

    def members(self) -> tuple[Table, Table]:
        """As many rows that the model learns from as there are victims, and the victims; records that stand once.

        Whoever has a twin may be in by the twin; of the others it is by chance alone who is a victim.
        """
        both = self.train.plus(self.victims)
        _, first, count = np.unique(both.plus(self.pool).keys(), return_index=True, return_counts=True)
        alone = np.sort(first[count == 1])
        inside, outside = (alone[alone < len(self.train)], alone[(alone >= len(self.train)) & (alone < len(both))])
        return both.rows(inside[: len(outside)]), both.rows(outside)

    def by_heart(self, target: str) -> ExplanationDeal:
        """The same rows with answers that are drawn evenly, which only a model that keeps single rows can tell."""
        schema, rng = self.train.schema, self.rng(0, "by heart")

        def draw(table: Table) -> Table:
            codes = table.codes.copy()
            codes[:, schema.places[target]] = rng.integers(len(schema.column(target).levels), size=len(codes))
            return Table(schema, codes, table.numbers)

        return replace(self, train=draw(self.train), victims=draw(self.victims))


def deal(
    real: Table, synthetic: Table | None, target: str, *, victims: int = 500, auxiliary: int = 1600, seed: int = 0
) -> ExplanationDeal:
    """Split the real table at random, whatever the order of its file.

    Parameters
    ----------
    real, synthetic
        The synthetic table is only for a model that is trained on it.
    target
        What the model answers. Rows in which it is a missing number are left out.
    victims
        At most so many, all of them different records.
    auxiliary
        The largest number of rows the attacker is to have; the pool is made larger than that where there are rows.

    Raises
    ------
    DesignError
        There are too few rows, or no such column.
    """
    asked = _rows_with_target(real, target)
    order = np.argsort(asked.keys(), kind="stable")
    asked = asked.rows(order[stream(seed, "explanations", "rows").permutation(len(order))])
    chosen = np.sort(np.unique(asked.keys(), return_index=True)[1])[:victims]
    rest = np.setdiff1d(np.arange(len(asked)), chosen)
    n_train = min(int(TRAIN_SHARE * len(asked)), len(rest) - auxiliary - auxiliary // 2)
    n_train = max(n_train, len(rest) // 2)
    if n_train < FEWEST_TRAINED or len(chosen) < FEWEST_VICTIMS:
        raise DesignError.phrase(
            "The table has {rows} rows that can be used; a model, its attacker and {victims} victims need "
            "more. Ask about fewer victims or load more rows.",
            rows=len(asked),
            victims=victims,
        )
    made = None if synthetic is None else _rows_with_target(synthetic, target)
    return ExplanationDeal(asked.rows(rest[:n_train]), made, asked.rows(rest[n_train:]), asked.rows(chosen), seed)


def serve(deal: ExplanationDeal, offer: Offer, model_seed: int) -> tuple[Service, Table]:
    """Train the model under that seed; the service, and the rows of the pool that its attacker may have.

    Raises
    ------
    DesignError
        The model cannot learn this target, or there are not enough rows to compare with.
    """
    train = deal.source(offer)
    features = [column.name for column in train.schema.modelled if column.name != offer.target]
    # Always by the real rows: what stands for a missing number must not differ between the two services.
    encoder = Encoder.fit(deal.train, features, offer.layout)
    order = deal.rng(model_seed, "pool").permutation(len(deal.pool))
    if offer.references >= len(order):
        raise DesignError.phrase(
            "There are {there} rows to compare with, fewer than the {references} asked for.",
            there=len(order),
            references=offer.references,
        )
    references = encoder.encode(deal.pool.rows(order[: offer.references]))
    y, levels = answers(train, offer)
    model = offer.model.fit(encoder.encode(train), y, deal.rng(model_seed, "training"), levels)
    service = Service(
        encoder,
        model,
        references,
        explainer=offer.explainer,
        permutations=offer.permutations,
        outputs=offer.outputs,
    )
    return service, deal.pool.rows(order[offer.references :])


def answers(table: Table, offer: Offer) -> tuple[Ints | Floats, int]:
    """(n,) the true answers as classes or numbers, and how many classes there are (0 for a number).

    Raises
    ------
    DesignError
        The model cannot learn answers of this kind.
    """
    secret = Secret.take(table, offer.target)
    if secret.kind not in offer.model.predicts:
        raise DesignError.phrase(
            "{title} cannot learn a {kind}, and {target!r} is one; choose another model.",
            title=phrase(offer.model.title),
            kind=KINDS.get(secret.kind, secret.kind),
            target=offer.target,
        )
    if secret.kind == "number":
        return secret.values, 0
    return secret.codes.astype(np.int64), secret.n_levels


def _rows_with_target(table: Table, target: str) -> Table:
    """The rows whose target is there."""
    present = Secret.take(table, target).present
    return table if present.all() else table.rows(present)
