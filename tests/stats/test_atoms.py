"""What drawn rows make of a law, and whether the error they state is the error they have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.stats.atoms import Atoms
from riskkit.stats.optimal import Optimal, optimal
from tests.stats.test_optimal import law

INSIDE = np.array([0.004, 0.02, 0.1, 0.3, 0.576])
OUTSIDE = np.array([0.0015, 0.021, 0.097, 0.304, 0.5765])
PROOF_IN, PROOF_OUT = np.append(INSIDE * 0.999, [0.001, 0.0]), np.append(OUTSIDE * 0.9992, [0.0, 0.0008])
N, DRAWN = 300, 20_000


def from_inside(inside: Floats, outside: Floats, rng: np.random.Generator) -> Atoms:
    """The law as rows of the first fit found it; rows that only the other has are told of by the most common row."""
    rows = rng.multinomial(DRAWN, inside).astype(float)
    seen = rows > 0
    with np.errstate(divide="ignore"):
        value = (np.log(inside) - np.log(outside))[seen]
    aside = np.zeros(len(inside))
    common = int(inside.argmax())
    aside[common] = outside[inside == 0].sum() / inside[common]
    return Atoms.of(value, rows[seen], np.ones(seen.sum()), np.exp(-value), aside[seen])


def from_both(inside: Floats, outside: Floats, rng: np.random.Generator) -> Atoms:
    """The law as rows of both fits found it."""
    rows = (rng.multinomial(DRAWN // 2, inside) + rng.multinomial(DRAWN // 2, outside)).astype(float)
    seen = rows > 0
    with np.errstate(divide="ignore"):
        value = (np.log(inside) - np.log(outside))[seen]
    return Atoms.of(value, rows[seen], 2 / (1 + np.exp(-value)), 2 / (1 + np.exp(value)), np.zeros(seen.sum()))


Draw = Callable[[Floats, Floats, np.random.Generator], Atoms]
LAWS = [(INSIDE, OUTSIDE), (PROOF_IN, PROOF_OUT)]


def off(draw: Draw, inside: Floats, outside: Floats, times: int) -> Floats:
    """(times, 4) by how many of its standard errors each number was off: AUC, advantage, TPR at .05, proof."""
    truth = numbers(optimal(law(inside, outside), N, points=512))
    found = []
    for seed in range(times):
        atoms = draw(inside, outside, np.random.default_rng(seed))
        best = optimal(atoms, N, points=512)
        errors = [
            atoms.error_of_auc(best, N), atoms.error_of_advantage(best, N),
            atoms.error_of_tpr(best, 0.05, N), atoms.error_of_proof(best, N),
        ]  # fmt: skip
        found.append((numbers(best) - truth) / np.maximum(errors, 1e-9))
    return np.array(found)


def numbers(best: Optimal) -> Floats:
    return np.array([best.auc, best.advantage, float(best.tpr_at(0.05)), best.proof_in])


@pytest.mark.parametrize("draw", [from_inside, from_both])
@pytest.mark.parametrize("chances", LAWS)
def test_the_stated_error_is_the_error(draw: Draw, chances: tuple[Floats, Floats]) -> None:
    """200 samples: the stated error covers as often as it says, and is not twice too wide."""
    z = off(draw, *chances, 200)
    columns = slice(0, 4 if chances[0] is PROOF_IN else 3)
    covered = (np.abs(z) <= 1.96).mean(axis=0)[columns]
    assert np.all(covered >= 0.89), covered
    assert np.all(z.std(axis=0)[columns] >= 0.6), z.std(axis=0)


def test_half_the_error_would_be_seen() -> None:
    z = 2 * off(from_inside, INSIDE, OUTSIDE, 200)
    assert np.all((np.abs(z) <= 1.96).mean(axis=0)[:3] < 0.89)


def test_weights_of_a_fit_sum_to_one() -> None:
    atoms = from_inside(PROOF_IN, PROOF_OUT, np.random.default_rng(0))
    assert atoms.rows @ atoms.inside == pytest.approx(1.0)
    assert atoms.rows @ (atoms.outside + atoms.aside) == pytest.approx(1.0)
    assert atoms.only_in == pytest.approx(0.001, abs=0.0008)
    assert atoms.only_out == pytest.approx(0.0008, rel=0.05)


def test_characteristic_is_the_sum_of_turns() -> None:
    atoms = law(INSIDE, OUTSIDE)
    t = 0.37 * np.arange(70)
    wanted = [(chances[:, None] * np.exp(1j * np.outer(atoms.value, t))).sum(axis=0) for chances in (INSIDE, OUTSIDE)]
    np.testing.assert_allclose(atoms.characteristic(0.37, 70), wanted, atol=1e-12)
