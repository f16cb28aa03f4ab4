"""What to ask of a service that explains its answers: a frozen plan."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from riskkit import plans, registry
from riskkit.core import Column, Role, Schema
from riskkit.errors import DesignError
from riskkit.explain import local
from riskkit.explain.features import LAYOUTS
from riskkit.explain.service import Explainer
from riskkit.games.explanation import TOLERANCE
from riskkit.games.explanation_deal import ExplanationDeal, Offer, deal
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Called, Plan
from riskkit.stats.recovery import FEWEST_SEEDS, FEWEST_VICTIMS
from riskkit.table.load import Tables

NONE, CONTROL = "none", "control"
"""The offer that is judged, without a defence, and the leak that is planted for its attackers."""
PLANTED = "linear"
"""The model whose explanations give everything away."""
BY_HEART = "tree:depth=30"
"""The model that keeps single rows, and so gives away who was in its training."""
MOST_AUXILIARY = 1600
"""Rows the attacker holds unless said otherwise, where there are so many."""
SHARE = 4
"""One in so many rows is a victim, at most."""
OPTIMISERS = ("rmsprop", "adam", "momentum", "sgd")
RATES = {"papers": "papers", "equal": "given", "tuned": "tuned"}
"""Where learning rates come from when optimisers are compared, and how the attacker spells it."""
EXPLAINER_WORDS: dict[Explainer, str] = {
    "auto": "Exact where it can be had, else sampled orders",
    "exact": "Exact, by every set of inputs",
    "linear": "Exact, for a linear model",
    "trees": "Exact, for trees",
    "permutation": "Sampled orders, as in the papers",
    "shap": "The shap library, its explainer for this model",
    "shap-tree": "The shap library, TreeExplainer",
    "shap-linear": "The shap library, LinearExplainer",
    "shap-permutation": "The shap library, PermutationExplainer",
    "shap-kernel": "The shap library, KernelExplainer",
    "gradients": "No Shapley values: the slope of the answer (gradients)",
    "integrated-gradients": "No Shapley values: integrated gradients",
    "lime": "No Shapley values: a line through answers nearby (LIME)",
    "counterfactuals": "No Shapley values: the nearest row with another answer (counterfactuals)",
}
"""How the published values are found."""
CHANGES = ("references", "permutations")
"""Settings of the service that are tried like a defence, as ``references=50``."""
SYNTHETIC = "trained-on=synthetic"
"""A defence too: the model learns from the release."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One offer of the service under one model seed: one unit of work."""

    offer: str
    model_seed: int


def _defence(text: str) -> str:
    """The defence as it is spelled."""
    if text.strip() == SYNTHETIC:
        return SYNTHETIC
    name, equals, count = (part.strip() for part in text.partition("="))
    if equals and name in CHANGES:
        if not re.fullmatch(r"[1-9]\d{0,5}", count):
            raise DesignError.phrase(
                "{text!r} is no setting of the service: write, say, {name}=50.", text=text, name=name
            )
        return f"{name}={count}"
    return registry.spell(registry.parse("defences", text))


def _check_seeds(seeds: int) -> int:
    """Refuses models that are too few for an interval over models, but not one."""
    if 1 < seeds < FEWEST_SEEDS:
        raise DesignError.phrase(
            "{seeds} model seeds were asked for; an interval over models takes at least {least}. Ask for "
            "more, or for 1, which is then about that one model.",
            seeds=seeds,
            least=FEWEST_SEEDS,
        )
    return seeds


@dataclass(frozen=True, slots=True)
class ExplanationPlan(Plan):
    """An audit of what the Shapley values of a model's answers give away of the rows that are explained.

    Parameters
    ----------
    target
        What the model answers. Not named: the column whose role is secret, else the last one in use.
    model, attackers, defences
        As :func:`riskkit.registry.parse` reads them. A defence may also be a setting of the service:
        ``references=50``, ``permutations=5`` or ``trained-on=synthetic``. Each is played beside the offer without one.
    auxiliary
        Rows the attacker holds; the largest number is judged, the others show how much it takes. Not named: 1,600, or
        as many as there are. An attacker without data sends as many made-up rows.
    trained_on, layout, explainer, references, permutations, classes
        The service. ``permutation`` samples, as the papers do; ``auto`` takes exact values where they can be had;
        ``shap`` takes the shap library's own explainer, as it is, so that its very values are audited;
        ``gradients``, ``integrated-gradients``, ``lime`` and ``counterfactuals`` are no Shapley values.
        ``classes`` is how many are explained, in the order of their codes.
    optimisers
        Also compare the four optimisers of the attacking network, at these rates: ``papers``, ``equal`` or ``tuned``.
    victims, model_seeds
        Different people whose explanations are inverted, at most, and never more than a quarter of the rows; models
        trained anew: 1, or at least 5.
    tolerance
        How far a number may be off and count as recovered, as a share of its column's range.
    groups
        Columns by which it is compared how much is recovered of victims.
    members
        Also whether an explanation tells that its person was in the training.

    Raises
    ------
    ParameterError, DesignError
        A plug-in that does not exist, a setting out of range.
    """

    question: ClassVar[str] = "explanations"
    unit: ClassVar[str] = "model"

    target: str = parameter(
        "",
        label="Column the model predicts",
        help="If none is named: the column marked as secret, else the last column in use.",
        option=Option(metavar="COLUMN"),
    )
    model: str = parameter(
        "linear",
        label="Model that is explained",
        help="The explained model.",
        room="explained",
        option=Option(is_stated=True),
    )
    attackers: tuple[str, ...] = parameter(
        ("linear", "forest", "nearest"),
        label="Attackers",
        help="Attacks that turn explanations back into inputs.",
        room="inverters",
        is_needed=True,
        option=Option(flag="attacker", is_stated=True),
    )
    auxiliary: tuple[int, ...] = parameter(
        (),
        label="Rows the attacker holds",
        low=1,
        tidy=lambda sizes: tuple(sorted(sizes)),
        option=Option(metavar="ROWS"),
        help="Or the made-up rows it sends. Of several numbers the largest is judged; the others show how many rows an "
        "attack needs.",
    )
    trained_on: str = parameter(
        "real",
        label="Table the model learns from",
        help="The real table or the release.",
        choices={"real": "The real table", "synthetic": "The release"},
    )
    layout: str = parameter(
        "label",
        label="Layout",
        help="How categories become features.",
        choices=dict(zip(LAYOUTS, ("A number for each category", "A column for each category (one-hot)"), strict=True)),
    )
    explainer: str = parameter(
        "permutation",
        label="Explanations are made by",
        choices=EXPLAINER_WORDS,
        help="permutation samples orders as the papers do; auto computes exact values where that is possible; shap "
        "publishes the shap library's own (its explainer for the model; shap-tree, -linear, -permutation, -kernel "
        "name one). gradients, integrated-gradients, lime and counterfactuals are other kinds of explanation.",
    )
    references: int = parameter(1, label="Reference rows", help="Rows that answers are compared with.", low=1)
    permutations: int = parameter(
        50, label="Orders of the features", help="How many orders of the features are sampled.", low=1
    )
    classes: int = parameter(
        1, label="Classes explained", help="How many classes are explained, in the order of their codes.", low=1
    )
    defences: tuple[str, ...] = parameter(
        (),
        label="Defences to try",
        help="The service is also attacked under each of these defences.",
        tidy=lambda texts: tuple(map(_defence, texts)),
        option=Option(flag="defence", metavar="NAME[:...]|references=N|permutations=N|trained-on=synthetic"),
    )
    optimisers: tuple[str, ...] = parameter(
        (),
        label="Compare optimisers of the attacking network",
        help="The learning rates of the papers differ between optimisers, so compare them at equal or tuned rates too.",
        choices=dict(zip(RATES, ("The papers' rates", "Equal rates (0.001)", "Tuned rates"), strict=True)),
    )
    victims: int = parameter(
        200, label="Victims, at most", help="People whose explanations are inverted.", low=FEWEST_VICTIMS
    )
    model_seeds: int = parameter(
        5,
        label="Models trained anew",
        help="With 1 the result is about that one model; else at least 5.",
        low=1,
        tidy=_check_seeds,
    )
    tolerance: float = parameter(
        TOLERANCE,
        label="Tolerance",
        help="How far a recovered number may be off, as a share of the range.",
        low=0,
        below=1,
    )
    seed: int = plans.seed()
    level: float = plans.level()
    groups: tuple[str, ...] = plans.groups()
    members: bool = parameter(
        False,
        label="Ask who was in the training",
        help="Also compare the explanations of people the model learnt from with those of the victims.",
    )

    def target_of(self, schema: Schema) -> str:
        """The column the model answers.

        Raises
        ------
        DesignError
            It does not exist or is not in use, or nothing beside it is.
        """
        in_use = [column.name for column in schema.modelled]
        secret = [column.name for column in schema.modelled if column.role is Role.SECRET]
        chosen = self.target or (secret + in_use[-1:])[0] if in_use else self.target
        schema.column(chosen)
        if chosen not in in_use:
            raise DesignError.phrase(
                "Column {chosen!r} is not in use, so no model can answer it. Give it another role on the Data page.",
                chosen=chosen,
            )
        if len(in_use) < 2:
            raise DesignError.phrase(
                "A model needs at least one feature. Put another column into use on the Data page."
            )
        return chosen

    @property
    def is_shapley(self) -> bool:
        """Whether Shapley values are published, and not another kind of explanation."""
        return self.explainer not in local.EXPLAINERS

    @property
    def by_library(self) -> bool:
        """Whether the shap library's own values are published."""
        return self.explainer.startswith("shap")

    def offer(self, target: str) -> Offer:
        """The service that is judged."""
        return Offer(
            target,
            registry.parse("explained", self.model),
            layout="one-hot" if self.layout == "one-hot" else "label",
            trained_on="synthetic" if self.trained_on == "synthetic" else "real",
            explainer=cast("Explainer", self.explainer),
            references=self.references,
            permutations=self.permutations,
            outputs=tuple(range(self.classes)),
        )

    def offers(self, target: str) -> dict[str, Offer]:
        """Every service that is attacked: the one that is judged, the planted leak, and one for each defence."""
        plain = self.offer(target)
        open_book = replace(plain, model=registry.parse("explained", PLANTED), explainer="auto", references=1)
        return {
            NONE: plain,
            CONTROL: replace(open_book, outputs=(0,)),
            **{text: _with_defence(plain, text) for text in self.defences},
        }

    def by_heart(self, planted: Offer) -> Offer:
        """The planted leak with a tree that keeps single rows, explained as the service does, or exactly."""
        own = {"explainer": self.explainer, "references": self.references}
        tree = replace(planted, model=registry.parse("explained", BY_HEART))
        return replace(tree, **own) if self.explainer in ("counterfactuals", "lime") else tree  # type: ignore[arg-type]

    def units(self, target: str) -> tuple[Unit, ...]:
        """Every offer under every model seed; the planted leak under one."""
        seeds = {offer: 1 if offer == CONTROL else self.model_seeds for offer in self.offers(target)}
        return tuple(Unit(offer, seed) for offer, count in seeds.items() for seed in range(count))

    def deal(self, tables: Tables) -> ExplanationDeal:
        """Who is who.

        Raises
        ------
        DesignError
            There are too few rows, a model is to learn from a synthetic table that is not loaded, or the explainer says
            nothing of the model's answers.
        """
        target = self.target_of(tables.schema)
        self._check_explainer(tables.schema.column(target))
        self._check_members(tables.schema.column(target))
        dealt = deal(
            tables.real,
            tables.synthetic,
            target,
            victims=self.victims_of(len(tables.real)),
            auxiliary=max(self.auxiliary, default=MOST_AUXILIARY),
            seed=self.seed,
        )
        for offer in self.offers(target).values():
            dealt.source(offer)
        self.sizes(dealt)
        return dealt

    def _check_explainer(self, target: Column) -> None:
        """Refuse an explainer that says nothing of the answers of the model."""
        if self.explainer in local.SLOPES and not getattr(registry.parse("explained", self.model), "has_slope", True):
            raise DesignError(local.NO_SLOPE)
        if self.explainer == "counterfactuals" and target.is_numeric:
            raise DesignError(local.NO_CLASS)

    def _check_members(self, target: Column) -> None:
        """Refuse to ask who was in a training whose answers are numbers, or of a release that was made of everybody."""
        if not self.members:
            return
        if target.is_numeric:
            raise DesignError.phrase(
                "Who was in the training is asked of answers that are right or wrong, and {target!r} is a number. "
                "Leave that out, or choose a category.",
                target=target.name,
            )
        if self.trained_on == "synthetic" or SYNTHETIC in self.defences:
            raise DesignError.phrase(
                "Who was in the training cannot be asked of a model of the release: the release was made of all rows, "
                "those of the victims too. Leave that out, or train on the real table."
            )

    def victims_of(self, rows: int) -> int:
        """How many victims such a table has room for, since others must be learnt from."""
        return max(min(self.victims, rows // SHARE), FEWEST_VICTIMS)

    def sizes(self, dealt: ExplanationDeal) -> tuple[int, ...]:
        """How many rows the attackers hold, the largest last.

        Raises
        ------
        DesignError
            There are not so many.
        """
        most = max(offer.references for offer in self.offers("").values())
        there = len(dealt.pool) - most
        if there < 1:
            raise DesignError.phrase(
                "There are {there} rows for the attacker and to compare with, and {most} are to be "
                "compared with; ask for fewer reference rows.",
                there=len(dealt.pool),
                most=most,
            )
        if not self.auxiliary:
            return (min(MOST_AUXILIARY, there),)
        if self.auxiliary[-1] > there:
            raise DesignError.phrase(
                "The attacker is to hold {size:,} rows; beside the model's rows, the victims and the "
                "references there are {there:,}. Ask for fewer.",
                size=self.auxiliary[-1],
                there=there,
            )
        return self.auxiliary

    def comparisons(self) -> dict[str, str]:
        """The attackers that compare optimisers, by the rates they have."""
        spelled = {
            f"network:optimiser={name},rates={RATES[rates]}": rates for rates in self.optimisers for name in OPTIMISERS
        }
        return {registry.spell(registry.parse("inverters", text)): rates for text, rates in spelled.items()}

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        return phrase(
            "explanations of {model} for {target} by {attackers}",
            model=called("explained", self.model),
            target=self.target or phrase("the last column"),
            attackers=tuple(called("inverters", attacker) for attacker in self.attackers),
        )


def _with_defence(plain: Offer, text: str) -> Offer:
    """The offer with that defence."""
    if text == SYNTHETIC:
        return replace(plain, trained_on="synthetic")
    name, equals, count = text.partition("=")
    if equals and name == "references":
        return replace(plain, references=int(count))
    if equals and name == "permutations":
        return replace(plain, permutations=int(count), explainer="permutation")
    return replace(plain, defence=registry.parse("defences", text))
