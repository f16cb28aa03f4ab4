"""What drawn rows make of a law, and whether the error they state is the error they have."""

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.stats.atoms import FEW, Atoms
from riskkit.stats.optimal import Optimal, optimal
from tests.stats.test_optimal import law

INSIDE = np.array([0.004, 0.02, 0.1, 0.3, 0.576])
OUTSIDE = np.array([0.0015, 0.021, 0.097, 0.304, 0.5765])
PROOF_IN, PROOF_OUT = np.append(INSIDE * 0.999, [0.001, 0.0]), np.append(OUTSIDE * 0.9992, [0.0, 0.0008])
N, DRAWN, TIMES = 300, 20_000, 80


def drawn(inside: Floats, outside: Floats, near: Floats, rng: np.random.Generator) -> Atoms:
    """The law as rows found it that were drawn from the first fit, the second and ``near``, in quarters and a half."""
    chances = (inside + outside + 2 * near) / 4
    rows = rng.choice(len(chances), p=chances, size=DRAWN)
    with np.errstate(divide="ignore"):
        value = np.log(inside) - np.log(outside)
    return Atoms.weigh(value[rows], (np.where(inside > 0, inside, outside) / chances)[rows])


def even(chances: Floats) -> Floats:
    """All rows alike."""
    return np.full(len(chances), 1 / len(chances))


LAWS = [(INSIDE, OUTSIDE), (PROOF_IN, PROOF_OUT)]


def off(inside: Floats, outside: Floats, near: Floats, times: int) -> Floats:
    """(times, 4) by how many of its standard errors each number was off: AUC, advantage, TPR at .05, proof."""
    truth = numbers(optimal(law(inside, outside), N, points=4096))
    z = []
    for seed in range(times):
        atoms = drawn(inside, outside, near, np.random.default_rng(seed))
        best = optimal(atoms, N, points=4096, fewer=True)
        z.append((numbers(best) - truth) / np.maximum(atoms.errors(best, 0.05), 1e-9))
    return np.array(z)


def numbers(best: Optimal) -> Floats:
    return np.array([best.auc, best.advantage, float(best.tpr_at(0.05)), best.proof_in])


def spread(deviation: Floats, times: int) -> bool:
    """Whether standard deviations are in [.9, 1.1], but for what chance does to so many draws once in 1,000."""
    low, high = np.sqrt(stats.chi2.ppf([5e-4, 1 - 5e-4], times) / times)
    return bool(np.all((0.9 * low <= deviation) & (deviation <= 1.1 * high)))


@pytest.mark.parametrize("is_near", [True, False])
@pytest.mark.parametrize("chances", LAWS)
def test_the_stated_error_is_the_error(is_near: bool, chances: tuple[Floats, Floats]) -> None:
    """80 samples, drawn near the rare rows or by the fits alone."""
    z = off(*chances, even(chances[0]) if is_near else chances[0], TIMES)[:, : 4 if chances[0] is PROOF_IN else 3]
    assert spread(z.std(axis=0), TIMES), z.std(axis=0)
    assert np.all(np.abs(z.mean(axis=0)) <= 0.1 + 3.3 / np.sqrt(TIMES)), z.mean(axis=0)


def test_half_the_error_would_be_seen() -> None:
    z = 2 * off(INSIDE, OUTSIDE, even(INSIDE), TIMES)[:, :3]
    assert not spread(z.std(axis=0), TIMES)


def test_what_is_known_makes_the_error_smaller() -> None:
    """The chances of either fit sum to 1; counts of rows as they were drawn do not know that of the second."""
    truth = numbers(optimal(law(INSIDE, OUTSIDE), N, points=1024))[0]
    value, known, unknown = np.log(INSIDE) - np.log(OUTSIDE), [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        known.append(optimal(drawn(INSIDE, OUTSIDE, INSIDE, rng), N, points=1024).auc - truth)
        share = rng.multinomial(DRAWN, INSIDE) / DRAWN
        moved = value + np.log(share @ np.exp(-value))
        unknown.append(optimal(Atoms(moved, share, np.zeros(5), 1), N, points=1024).auc - truth)
    assert np.std(known) < 0.6 * np.std(unknown)


def test_two_kinds_of_rows_leave_nothing_to_chance() -> None:
    """What both say, and that chances sum to 1, is all there is to know."""
    inside, outside = np.array([0.02, 0.98]), np.array([0.01, 0.99])
    atoms = drawn(inside, outside, even(inside), np.random.default_rng(0))
    best = optimal(atoms, N, fewer=True)
    np.testing.assert_allclose(atoms.chance, inside[::-1], atol=1e-11)
    np.testing.assert_allclose(atoms.errors(best, 0.05), 0.0, atol=1e-7)


def test_chances_of_a_fit_sum_to_one() -> None:
    atoms = drawn(PROOF_IN, PROOF_OUT, even(PROOF_IN), np.random.default_rng(0))
    np.testing.assert_allclose(atoms.sides @ atoms.chance, 1.0, atol=1e-12)
    assert atoms.only_in == pytest.approx(0.001, rel=0.1)
    assert atoms.only_out == pytest.approx(0.0008, rel=0.1)


def test_rows_that_were_not_drawn_are_allowed_for() -> None:
    """Of proofs that one row in a million is none was drawn; the error says that there may be some."""
    value, weight = np.log([1.1, 0.9])[np.arange(1_000) % 2], np.ones(1_000)
    seen, unseen = Atoms.weigh(value, weight), Atoms.weigh(value, weight, 4.0)
    for atoms, least in ((seen, 0.0), (unseen, N * 4 / 1_000)):
        best = optimal(atoms, N, fewer=True)
        assert best.proof_in == 0.0
        assert atoms.error_of_proof(best) == pytest.approx(least)
    enough = np.append(value, np.full(FEW, np.inf)), np.append(weight, np.ones(FEW))
    assert np.count_nonzero(Atoms.weigh(*enough, 4.0).value == np.inf) == 1
    assert np.count_nonzero(Atoms.weigh(*enough, 4.0).value == -np.inf) == 1


def test_characteristic_is_the_sum_of_turns() -> None:
    atoms = law(INSIDE, OUTSIDE)
    t = 0.37 * np.arange(70)
    for tilt in (-0.5, 0.0):
        wanted = INSIDE @ np.exp(np.outer(atoms.value, tilt + 1j * t))
        np.testing.assert_allclose(atoms.characteristic(tilt, 0.37, 70), wanted, atol=1e-12)
