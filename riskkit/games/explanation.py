"""The explanation game: what do published Shapley values give away of the rows they explain?

A service answers with a model and explains each answer. An attacker who holds other people's rows with their
explanations (attack 1), or nothing but what the service says of rows it made up (attack 2), guesses the inputs behind
the explanations of victims. Beside it stand guesses that look at no explanation, of which the constant one is the
hardest to beat. The game deals, plays and grades; it computes no statistic.

Two steps, the first the dear one: :func:`expose` trains and explains under one model seed; :func:`attack` and
:func:`guess` are cheap, and need only the :class:`Evidence`, which is a few matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.core import Bools, Floats, Table
from riskkit.errors import DesignError
from riskkit.explain import library, local
from riskkit.explain.features import Encoder
from riskkit.explain.models import LinearModel
from riskkit.explain.publishing import Fidelity, FittedDefence, Inverted, Inverter, KnownRows, fidelity
from riskkit.explain.service import Service
from riskkit.games.explanation_deal import ExplanationDeal, Offer, answers, serve

CALIBRATED_ON = 200
"""Training rows whose explanations give a defence its scale."""
MOST_COALITIONS = 14
"""Features up to which exact values are found by enumeration, where nothing better is known."""
MANY_ORDERS = 200
"""Orders that stand for exact values where they cannot be had."""
TOLERANCE = 0.05
"""How far a number may be off and still count as recovered, as a share of its column's range, unless said otherwise."""
ZERO = 1e-9
"""Published values below that share of the largest of their column are 0 but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the service published under one model seed, and the truth about the victims.

    Attributes
    ----------
    auxiliary
        Other people's rows with their published explanations, in random order: an attacker with fewer has the first.
    made_up
        Rows the attacker made up, with their published explanations: uniform in [0, 1] where a column is one number,
        valid rows of uniformly drawn levels where levels are features.
    phi : (victims, d, outputs)
        The published explanations of the victims.
    victims, inputs : (victims, ...)
        The truth, as rows and encoded.
    references : (r, d)
        What the service compares with.
    right : (tested,)
        Whether the model answers rightly on the auxiliary rows, for a category; empty for a number.
    """

    encoder: Encoder
    auxiliary: KnownRows
    made_up: KnownRows
    phi: Floats
    victims: Table
    inputs: Floats
    references: Floats
    right: Bools
    seed: int
    model_seed: int

    @property
    def columns(self) -> tuple[str, ...]:
        """(c,) the names of the columns that are recovered."""
        return tuple(span.column.name for span in self.encoder.spans)


@dataclass(frozen=True, slots=True, eq=False)
class GradedAnswers:
    """The graded answers of one attacker or baseline under one model seed.

    ``error`` (victims, c) is the distance from the encoded truth, 0 to 1 of the column's range, the mean over its
    features where it has several. ``right`` (victims, c) is 1 where the decoded value is the true category, or a number
    within the tolerance. Both are NaN where the true number is missing. ``accepted`` (victims, c): the attacker stands
    by it. ``estimates`` (victims, d) are the answers, encoded.
    """

    columns: tuple[str, ...]
    error: Floats
    right: Floats
    accepted: Bools
    estimates: Floats


def expose(
    deal: ExplanationDeal, offer: Offer, model_seed: int, *, auxiliary: int = 1600, made_up: int = 1600
) -> Evidence:
    """Train the model under that seed, and explain the attacker's rows, made-up rows and the victims.

    Raises
    ------
    DesignError
        What :func:`riskkit.games.explanation_deal.serve` raises.
    """
    with single_thread():
        service, pool = serve(deal, offer, model_seed)
        publish = _publisher(service, deal, offer, model_seed)
        known = pool.rows(np.arange(min(auxiliary, len(pool))))
        inputs, truth = service.encoder.encode(known), service.encoder.encode(deal.victims)
        invented = _random_rows(service.encoder, made_up, deal.rng(model_seed, "made up"))
        explained = []
        for rows, whose in ((inputs, "auxiliary"), (invented, "invented"), (truth, "victims")):
            explained.append(publish(rows, whose))
        return Evidence(
            service.encoder,
            KnownRows(inputs, explained[0]),
            KnownRows(invented, explained[1]),
            explained[2],
            deal.victims,
            truth,
            service.references,
            _answers_rightly(service, known, inputs, offer),
            deal.seed,
            model_seed,
        )


def attack(
    evidence: Evidence, inverter: Inverter, size: int, rng: np.random.Generator, *, tolerance: float = TOLERANCE
) -> GradedAnswers:
    """Let the attacker learn from the first ``size`` rows that it may hold, and grade what it says of the victims.

    Parameters
    ----------
    rng
        Where the attacker's chance comes from; :meth:`ExplanationDeal.rng` names one for each purpose.
    tolerance
        How far a number may be off and be right, as a share of its column's range.

    Raises
    ------
    DesignError
        The attacker cannot use such explanations, or there are not so many rows that it could hold.
    """
    held = evidence.auxiliary if inverter.holds == "auxiliary" else evidence.made_up
    _check_size(held, size)
    with single_thread():
        inverted = inverter.fit(held.first(size), rng).invert(evidence.phi)
    return grade(evidence, inverted, tolerance)


def grade(evidence: Evidence, inverted: Inverted, tolerance: float) -> GradedAnswers:
    """Compare answers with the truth, cell by cell."""
    encoder = evidence.encoder
    starts = [span.start for span in encoder.spans]
    widths = np.array([span.width for span in encoder.spans])
    error = np.add.reduceat(np.abs(inverted.estimates - evidence.inputs), starts, axis=1) / widths
    accepted = np.logical_and.reduceat(inverted.accepted, starts, axis=1)
    # Decoded and encoded again, truth and answer have the same columns in the same order.
    answer, truth = encoder.decode(inverted.estimates), encoder.decode(evidence.inputs)
    right = np.empty(error.shape)
    for index, span in enumerate(encoder.spans):
        if not span.column.is_numeric:
            right[:, index] = answer.codes[:, span.source] == truth.codes[:, span.source]
            continue
        reach = tolerance * (span.column.high - span.column.low) * (1 + 1e-12)
        right[:, index] = np.abs(answer.numbers[:, span.source] - truth.numbers[:, span.source]) <= reach
        missing = np.isnan(evidence.victims.column(span.column))
        right[missing, index], error[missing, index] = np.nan, np.nan
    return GradedAnswers(evidence.columns, error, right, accepted, inverted.estimates)


def guess(
    evidence: Evidence, baseline: str, size: int, rng: np.random.Generator, *, tolerance: float = TOLERANCE
) -> GradedAnswers:
    """Grade guesses that look at no explanation; ``size`` auxiliary rows say what people are like.

    ``constant_median`` and ``constant_mode`` say the same of everybody: the median of every feature, or the most
    frequent level and the number with most people within the tolerance. ``empirical`` draws every column from the
    auxiliary rows (RG-E), ``uniform`` from the whole range (RG-U), ``normal`` around its middle (RG-N).

    Raises
    ------
    DesignError
        There is no such baseline, or there are not so many auxiliary rows.
    """
    if baseline not in BASELINES:
        raise DesignError(f"There is no baseline {baseline!r}; choose one of {', '.join(BASELINES)}.")
    _check_size(evidence.auxiliary, size)
    known = evidence.auxiliary.first(size).inputs
    guessed = BASELINES[baseline](evidence, known, rng, tolerance)
    estimates = np.broadcast_to(guessed, evidence.inputs.shape).astype(np.float64)
    return grade(evidence, Inverted(estimates, np.ones(estimates.shape, dtype=bool)), tolerance)


def equals_reference(evidence: Evidence) -> tuple[Bools, Bools]:
    """(victims, c) whether the published value of a column is 0, and whether the victim equals the reference there.

    With one reference row a feature that is equal to it adds exactly nothing: the 0 is a sentence about the person. It
    is none where a column's values are 0 for all auxiliary rows, since the model then does not look at it.

    Raises
    ------
    DesignError
        The service compares with more than one row, so no row is there to be equal to.
    """
    if len(evidence.references) > 1:
        raise DesignError("The service compares with several reference rows; equality with one of them cannot be read.")
    starts = [span.start for span in evidence.encoder.spans]
    usual = np.maximum.reduceat(np.abs(evidence.auxiliary.phi).max(axis=(0, 2)), starts)
    size = np.maximum.reduceat(np.abs(evidence.phi).max(axis=2), starts, axis=1)
    equal = np.logical_and.reduceat(evidence.inputs == evidence.references[0], starts, axis=1)
    return (size <= ZERO * usual) & (usual > 0), equal


@dataclass(frozen=True, slots=True, eq=False)
class MembersAndOthers:
    """Scores of people who were in the training and of people who were not, (people,) each, by what they rest on.

    ``answer`` is whether the published answer is right, ``explanation`` how much the explanation amounts to, less where
    the answer is wrong.
    """

    answer: tuple[Floats, Floats]
    explanation: tuple[Floats, Floats]


def members_and_others(deal: ExplanationDeal, offer: Offer, model_seed: int) -> MembersAndOthers:
    """How sure the service is of people it learnt from and of others, by its answer alone and by its explanation.

    The attacker knows the row and its true answer. A model is surer of rows that it learnt from: its answers are right,
    its reasons add up to more, and the nearest row with another answer is farther off. So the score is 1 and the sum of
    the absolute numbers of the explanation, with a minus where the answer is wrong.

    References
    ----------
    .. [1] Shokri, Strobel and Zick 2021, On the privacy risks of model explanations, AIES, arXiv 1907.00164.
    .. [2] Pawelczyk, Lakkaraju and Neel 2023, On the privacy risks of algorithmic recourse, AISTATS, arXiv 2211.05427.

    Raises
    ------
    DesignError
        What :func:`riskkit.games.explanation_deal.serve` raises.
    """
    with single_thread():
        service, _ = serve(deal, offer, model_seed)
        publish = _publisher(service, deal, offer, model_seed)
        sides = []
        for rows, whose in zip(deal.members(), ("members", "others"), strict=True):
            x = service.encoder.encode(rows)
            is_right = _answers_rightly(service, rows, x, offer)
            sides.append((is_right.astype(np.float64), np.abs(publish(x, whose)).sum(axis=(1, 2))))
    answer = [right for right, _ in sides]
    explanation = [np.where(right > 0, 1 + size, -1 - size) for right, size in sides]
    return MembersAndOthers((answer[0], answer[1]), (explanation[0], explanation[1]))


def readers(deal: ExplanationDeal, offer: Offer, model_seed: int, evidence: Evidence, rows: int = 100) -> Fidelity:
    """What honest readers of the first victims' explanations still have of the exact ones of the first output.

    Exact are the values of the same model trained on the real rows, against the references of the offer, before any
    defence. Where they can be had neither in closed form nor by going through all coalitions, 200 orders walked both
    ways stand for them.
    """
    with single_thread():
        service, _ = serve(deal, replace(offer, trained_on="real", defence=None), model_seed)
        exact = exactly(service, offer.outputs[0])
        values = exact.explain_features(evidence.inputs[:rows], deal.rng(model_seed, "exact")).phi
    return fidelity(values[:, :, 0], evidence.phi[:rows, :, 0])


def exactly(service: Service, output: int) -> Service:
    """The same service with our own exact values of one output, on the scale it publishes.

    What are no Shapley values are taken as they are.
    """
    explained = replace(service, outputs=(output,))
    if service.method in ("trees", "exact", *local.EXPLAINERS):
        return explained
    if service.method == "shap-tree":
        return replace(explained, explainer="trees")
    if isinstance(service.model, LinearModel):
        return replace(explained, explainer="linear")
    if len(service.references) == 1 and service.encoder.width <= MOST_COALITIONS:
        return replace(explained, explainer="exact")
    return replace(explained, explainer="permutation", permutations=MANY_ORDERS, antithetic=True)


def _check_size(held: KnownRows, size: int) -> None:
    """Refuse a size that would silently be a smaller one."""
    if not 0 < size <= len(held):
        raise DesignError.phrase(
            "An attacker with {size} rows was asked for; there are {there} that it could hold.",
            size=size,
            there=len(held),
        )


def _publisher(
    service: Service, deal: ExplanationDeal, offer: Offer, model_seed: int
) -> Callable[[Floats, str], Floats]:
    """From encoded rows to what is published of them; chance is drawn anew for each purpose."""
    fitted: FittedDefence | None = None
    if offer.defence is not None:
        own = service.encoder.encode(deal.train.rows(np.arange(min(CALIBRATED_ON, len(deal.train)))))
        fitted = offer.defence.fit(service.explain_features(own, deal.rng(model_seed, "explained", "own")).phi)

    def publish(x: Floats, whose: str) -> Floats:
        phi = service.explain_features(x, deal.rng(model_seed, "explained", whose)).phi
        return phi if fitted is None else fitted.apply(phi, deal.rng(model_seed, "defended", whose))

    return publish


def _random_rows(encoder: Encoder, n: int, rng: np.random.Generator) -> Floats:
    """(n, d) rows that nobody has."""
    x = rng.random((n, encoder.width))
    if encoder.layout == "label":
        return x
    for span in encoder.spans:
        if not span.column.is_numeric:
            x[:, span.slice] = np.eye(span.width)[rng.integers(span.width, size=n)]
        elif span.width > 1:
            x[:, span.start + 1] = x[:, span.start + 1] < 0.5
    return x


def _answers_rightly(service: Service, rows: Table, inputs: Floats, offer: Offer) -> Bools:
    """(n,) whether the model names the true class of rows it did not learn from."""
    y, levels = answers(rows, offer)
    return service.model.predict(inputs).argmax(axis=1) == y if levels else np.zeros(0, dtype=bool)


def _median(evidence: Evidence, known: Floats, rng: np.random.Generator, tolerance: float) -> Floats:  # noqa: ARG001
    return np.median(known, axis=0)


def _mode(evidence: Evidence, known: Floats, rng: np.random.Generator, tolerance: float) -> Floats:  # noqa: ARG001
    out = np.zeros(known.shape[1])
    for span in evidence.encoder.spans:
        part = known[:, span.slice]
        if span.column.is_numeric:
            out[span.start] = _most_within(part[:, 0], tolerance)
        else:
            rows, often = np.unique(part, axis=0, return_counts=True)
            out[span.slice] = rows[often.argmax()]
    return out


def _most_within(values: Floats, tolerance: float) -> float:
    """The middle of the values that a window of twice the tolerance holds most of."""
    ordered = np.sort(values)
    end = np.searchsorted(ordered, ordered + 2 * tolerance, "right")
    first = int((end - np.arange(len(ordered))).argmax())
    return float((ordered[first] + ordered[end[first] - 1]) / 2)


def _empirical(evidence: Evidence, known: Floats, rng: np.random.Generator, tolerance: float) -> Floats:  # noqa: ARG001
    out = np.empty(evidence.inputs.shape)
    for span in evidence.encoder.spans:
        out[:, span.slice] = known[rng.integers(len(known), size=len(out)), span.slice]
    return out


def _uniform(evidence: Evidence, known: Floats, rng: np.random.Generator, tolerance: float) -> Floats:  # noqa: ARG001
    return rng.random(evidence.inputs.shape)


def _normal(evidence: Evidence, known: Floats, rng: np.random.Generator, tolerance: float) -> Floats:  # noqa: ARG001
    return np.clip(rng.normal(0.5, 0.25, evidence.inputs.shape), 0.0, 1.0)


BASELINES: dict[str, Callable[[Evidence, Floats, np.random.Generator, float], Floats]] = {
    "constant_median": _median,
    "constant_mode": _mode,
    "empirical": _empirical,
    "uniform": _uniform,
    "normal": _normal,
}
"""Guesses that look at no explanation, by name."""
CONSTANTS = ("constant_median", "constant_mode")
"""Those an attack must beat to be called successful."""


# The values of the shap library beside ours, where it is the library whose values a service publishes.

ROWS = 20
"""Victims whose values are found both ways."""


@dataclass(frozen=True, slots=True)
class LibraryDistance:
    """How far the library's values of some victims lie from ours, over all their features and one output.

    ``largest`` and ``mean`` are of the absolute differences, ``usual`` is the mean absolute value of ours. ``ours``
    says how ours were found.
    """

    explainer: str
    version: str
    ours: str
    rows: int
    largest: float
    mean: float
    usual: float


def beside(
    deal: ExplanationDeal, offer: Offer, model_seed: int, evidence: Evidence, rows: int = ROWS
) -> LibraryDistance | None:
    """The first victims' values by the library and by us, before any defence; None where the values are ours anyway."""
    with single_thread():
        service, _ = serve(deal, offer, model_seed)
        if service.method not in library.CLASSES:
            return None
        x, output = evidence.inputs[:rows], offer.outputs[0]
        exact = exactly(service, output)
        theirs = service.explain_features(x, deal.rng(model_seed, "explained", "victims")).phi[:, :, 0]
        ours = exact.explain_features(x, deal.rng(model_seed, "exact")).phi[:, :, 0]
    gaps = np.abs(theirs - ours)
    return LibraryDistance(
        library.CLASSES[service.method],
        library.version(),
        exact.method,
        len(x),
        float(gaps.max()),
        float(gaps.mean()),
        float(np.abs(ours).mean()),
    )
