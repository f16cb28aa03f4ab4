"""What single attackers on explanations say, worked out by hand or by another library."""

from typing import Any

import numpy as np
import pytest

from riskkit.errors import DesignError
from riskkit.explain.publishing import KnownRows
from riskkit.inverters.network import (
    MOMENTUM,
    OPTIMISERS,
    PAPERS,
    Course,
    Weights,
    descend,
    gradient,
    sigmoid_and_slope,
)
from riskkit.registry import parse

RNG = np.random.default_rng


def made_up(values: list[float]) -> KnownRows:
    """One feature whose explanation is its value."""
    x = np.array(values)[:, None]
    return KnownRows(x, x[:, :, None])


def test_nearest_takes_the_mean_of_its_candidates() -> None:
    fitted = parse("inverters", "nearest:candidates=2").fit(made_up([0.0, 0.3, 0.5, 0.9, 1.0]), RNG(0))
    inverted = fitted.invert(np.array([0.42, 0.05, 0.97])[:, None, None])
    np.testing.assert_allclose(inverted.estimates[:, 0], [0.4, 0.15, 0.95])
    assert inverted.accepted.all()


def test_the_last_bits_of_explanations_choose_nobody_among_rows_that_are_as_near() -> None:
    """Planted before: of rows explained alike, those of another processor voted, and the error moved by a hundredth."""
    rng = RNG(3)
    held = KnownRows(rng.random((400, 1)), rng.choice([0.1, 0.2, 0.7], (400, 1, 1)))
    asked = rng.choice([0.1, 0.2, 0.4], (50, 1, 1))
    rule = parse("inverters", "nearest:candidates=31")
    plain = rule.fit(held, rng).invert(asked)
    elsewhere = KnownRows(held.inputs, held.phi * (1 + 1e-15 * rng.normal(size=held.phi.shape)))
    np.testing.assert_allclose(rule.fit(elsewhere, rng).invert(asked).estimates, plain.estimates, rtol=1e-12)
    alike = np.flatnonzero(held.phi[:, 0, 0] == 0.1)[:31]
    first = int(np.flatnonzero(asked[:, 0, 0] == 0.1)[0])
    assert plain.estimates[first, 0] == pytest.approx(held.inputs[alike, 0].mean())


def test_nearest_declines_where_candidates_differ_by_more_than_half() -> None:
    held = KnownRows(np.array([[0.0], [0.625], [0.25], [0.75]]), np.array([0.0, 0.0, 1.0, 1.0])[:, None, None])
    fitted = parse("inverters", "nearest:candidates=2").fit(held, RNG(0))
    inverted = fitted.invert(np.array([0.0, 1.0])[:, None, None])
    np.testing.assert_allclose(inverted.estimates[:, 0], [0.3125, 0.5])
    assert inverted.accepted[:, 0].tolist() == [False, True]
    stricter = parse("inverters", "nearest:candidates=2,spread=0.4").fit(held, RNG(0))
    assert not stricter.invert(np.array([0.0, 1.0])[:, None, None]).accepted.any()


def test_rows_within_reach_join_the_least_number_of_candidates_by_hand() -> None:
    """Line 15 of Algorithm 2: fewer than m_c candidates OR nearer than xi."""
    fitted = parse("inverters", "nearest:candidates=1,reach=0.2").fit(made_up([0.0, 0.1, 0.4, 1.0]), RNG(0))
    inverted = fitted.invert(np.array([0.04, 0.25, 0.7])[:, None, None])
    # Of .04 both .0 and .1 are within reach; of .25 both .1 and .4; of .7 nobody is, so the nearest one alone, and of
    # .4 and 1, which are as near, the first.
    np.testing.assert_allclose(inverted.estimates[:, 0], [0.05, 0.25, 0.4])
    assert inverted.accepted.all()
    more = parse("inverters", "nearest:candidates=3,reach=0.05").fit(made_up([0.0, 0.1, 0.4, 1.0]), RNG(0))
    inverted = more.invert(np.array([0.04, 0.8])[:, None, None])
    np.testing.assert_allclose(inverted.estimates[:, 0], [0.5 / 3, 0.5])  # three of them however far
    assert inverted.accepted[:, 0].tolist() == [True, False]  # .0, .1 and .4 agree; .1, .4 and 1 do not


def algorithm_2(phi: Any, inputs: Any, asked: float, least: int, reach: float, spread: float) -> tuple[float, bool]:
    """One victim and feature, line by line as the source prints it."""
    candidates: list[float] = []
    for row in sorted(range(len(phi)), key=lambda index: abs(asked - phi[index])):
        if len(candidates) < least or abs(asked - phi[row]) < reach:
            candidates.append(inputs[row])
    return sum(candidates) / len(candidates), max(candidates) - min(candidates) <= spread


@pytest.mark.parametrize(("least", "reach"), [(1, 0.0), (5, 0.0), (5, 0.1), (31, 0.05), (200, 0.1), (1, 10.0)])
def test_nearest_is_algorithm_2_line_by_line(least: int, reach: float) -> None:
    rng = RNG(8)
    slope = np.array([1.0, -2.0, 0.5, 0.1])
    x, victims = rng.random((100, 4)), rng.random((20, 4))
    text = f"nearest:candidates={least},reach={reach},spread=0.4"
    inverted = (
        parse("inverters", text).fit(KnownRows(x, (x * slope)[:, :, None]), rng).invert((victims * slope)[:, :, None])
    )
    for row, victim in enumerate(victims * slope):
        for feature, asked in enumerate(victim):
            mean, stands = algorithm_2(x[:, feature] * slope[feature], x[:, feature], asked, least, reach, 0.4)
            assert inverted.estimates[row, feature] == pytest.approx(mean, abs=1e-12)
            assert inverted.accepted[row, feature] == stands


def test_the_reach_is_in_the_units_of_the_published_values_by_hand() -> None:
    """Values that go from 0 to 1 evenly, slopes 1, -2, .5 and .1, at least 5 candidates, a reach of .1.

    Of slope .1 every row is within .1, so everybody is guessed at .5: an error of 1/4. Of slope b the candidates lie
    within .1/b, and only near the two ends is their mean off: by (w - x) / 2 on the way of w = .1/b, that is w^2 / 4 at
    each end: .0025, .000625 and .01, twice. One row more on one side than on the other moves a mean by 1/4000.
    """
    slope = np.array([1.0, -2.0, 0.5, 0.1])
    grid = (np.arange(2000) + 0.5)[:, None] / 2000 * np.ones(4)
    fitted = parse("inverters", "nearest:candidates=5,reach=0.1").fit(
        KnownRows(grid, (grid * slope)[:, :, None]), RNG(0)
    )
    inverted = fitted.invert((grid * slope)[:, :, None])
    errors = np.abs(inverted.estimates - grid).mean(axis=0)
    np.testing.assert_allclose(errors, [0.005, 0.00125, 0.02, 0.25], atol=1 / 4000)
    assert errors.mean() == pytest.approx(0.0690625, abs=1 / 4000)


def test_nearest_looks_at_all_published_outputs() -> None:
    x = np.array([[0.0], [1.0]])
    phi = np.array([[[0.0, 0.0]], [[0.0, 1.0]]])
    fitted = parse("inverters", "nearest:candidates=1").fit(KnownRows(x, phi), RNG(0))
    assert fitted.invert(phi).estimates[:, 0].tolist() == [0.0, 1.0]


def test_nearest_refuses_values_that_were_added_up() -> None:
    with pytest.raises(DesignError, match=r"added up by column"):
        parse("inverters", "nearest").fit(KnownRows(np.zeros((3, 4)), np.zeros((3, 2, 1))), RNG(0))


def test_least_squares_undoes_every_linear_explanation_exactly() -> None:
    rng = RNG(1)
    x, asked, slope, mean = rng.random((40, 6)), rng.random((30, 6)), rng.normal(size=6), rng.random(6)
    fitted = parse("inverters", "linear").fit(KnownRows(x, ((x - mean) * slope)[:, :, None]), rng)
    np.testing.assert_allclose(fitted.invert(((asked - mean) * slope)[:, :, None]).estimates, asked, atol=1e-13)


def test_least_squares_cannot_recover_what_never_varied() -> None:
    rng = RNG(1)
    x, asked = rng.random((40, 3)), rng.random((30, 3))
    x[:, 1] = 0.25
    inverted = parse("inverters", "linear").fit(KnownRows(x, x[:, :, None] - 0.5), rng).invert(asked[:, :, None] - 0.5)
    np.testing.assert_allclose(inverted.estimates[:, [0, 2]], asked[:, [0, 2]], atol=1e-13)
    np.testing.assert_allclose(inverted.estimates[:, 1], 0.25)


def network_of(weights: Weights) -> Any:
    """The same network in torch, in double precision."""
    import torch

    layers = torch.nn.Sequential(
        torch.nn.Linear(*weights.first.shape),
        torch.nn.Sigmoid(),
        torch.nn.Linear(*weights.second.shape),
        torch.nn.Sigmoid(),
    ).double()
    with torch.no_grad():
        for layer, matrix, bias in (
            (layers[0], weights.first, weights.first_bias),
            (layers[2], weights.second, weights.second_bias),
        ):
            layer.weight.copy_(torch.from_numpy(matrix.T.astype(np.float64)))
            layer.bias.copy_(torch.from_numpy(bias.astype(np.float64)))
    return layers


def flat(layers: Any, grad: bool) -> Any:
    """Weights or slopes in the order of :class:`Weights`."""
    parts = [layers[0].weight, layers[0].bias, layers[2].weight, layers[2].bias]
    arrays = [(part.grad if grad else part.detach()).numpy() for part in parts]
    return np.concatenate([array.T.ravel() for array in arrays])


def test_the_gradient_is_that_of_torch() -> None:
    import torch

    rng = RNG(3)
    weights = Weights.draw(5, 8, 3, rng)
    x, y = rng.random((20, 5)).astype(np.float32), rng.random((20, 3)).astype(np.float32)
    slope = weights.like()
    gradient(weights, x, y, slope)
    layers = network_of(weights)
    torch.nn.L1Loss()(layers(torch.from_numpy(x.astype(float))), torch.from_numpy(y.astype(float))).backward()
    np.testing.assert_allclose(slope.flat, flat(layers, grad=True), atol=1e-7)
    np.testing.assert_allclose(weights(x), layers(torch.from_numpy(x.astype(float))).detach().numpy(), atol=1e-6)


def test_the_papers_rates_are_those_they_print() -> None:
    """SGD and momentum (of .9) at .01, the others at PyTorch's own."""
    import torch

    weight = [torch.nn.Parameter(torch.zeros(1))]
    own = {"rmsprop": torch.optim.RMSprop(weight), "adam": torch.optim.Adam(weight)}
    defaults = {name: made.defaults["lr"] for name, made in own.items()}
    assert {"sgd": 0.01, "momentum": 0.01, **defaults} == PAPERS
    assert MOMENTUM == 0.9


@pytest.mark.parametrize("name", OPTIMISERS)
def test_the_optimisers_are_those_of_torch(name: str) -> None:
    import torch

    rng = RNG(4)
    weights = Weights.draw(5, 8, 3, rng)
    layers = network_of(weights)
    rate = PAPERS[name]
    theirs = {
        "sgd": lambda p: torch.optim.SGD(p, lr=rate),
        "momentum": lambda p: torch.optim.SGD(p, lr=rate, momentum=0.9),
        "rmsprop": torch.optim.RMSprop,
        "adam": torch.optim.Adam,
    }[name](layers.parameters())
    assert theirs.param_groups[0]["lr"] == rate
    step = OPTIMISERS[name](rate, len(weights.flat))
    x, y = rng.random((20, 5)).astype(np.float32), rng.random((20, 3)).astype(np.float32)
    slope = weights.like()
    for _ in range(5):
        gradient(weights, x, y, slope)
        np.add(weights.flat, step(slope.flat), out=weights.flat)
        theirs.zero_grad()
        torch.nn.L1Loss()(layers(torch.from_numpy(x.astype(float))), torch.from_numpy(y.astype(float))).backward()
        theirs.step()
    np.testing.assert_allclose(weights.flat, flat(layers, grad=False), atol=2e-5)


def test_a_sigmoid_and_its_slope_hold_however_far_out() -> None:
    """Beside torch in double precision: the slope is that of the sigmoid times that of its mirror."""
    import torch

    far = np.linspace(-86, 86, 345, dtype=np.float32)
    value, slope = sigmoid_and_slope(far.copy())
    double = torch.from_numpy(far.astype(float))
    np.testing.assert_allclose(value, torch.sigmoid(double), rtol=1e-5)
    np.testing.assert_allclose(slope, torch.sigmoid(double) * torch.sigmoid(-double), rtol=1e-5)
    value, slope = sigmoid_and_slope(np.array([-np.inf, -1000, 1000, np.inf], dtype=np.float32))
    np.testing.assert_allclose(value, [0, 0, 1, 1], atol=1e-30)
    np.testing.assert_allclose(slope, 0, atol=1e-30)


@pytest.mark.parametrize("sure", [-20, 20])
def test_who_is_sure_and_wrong_learns_as_fast_as_in_torch(sure: float) -> None:
    import torch

    rng = RNG(6)
    weights = Weights.draw(4, 8, 3, rng)
    weights.second_bias[:] = sure
    x, y = rng.random((20, 4)).astype(np.float32), np.full((20, 3), 0.5 - np.sign(sure) / 2, dtype=np.float32)
    layers = network_of(weights)
    slope = weights.like()
    gradient(weights, x, y, slope)
    torch.nn.L1Loss()(layers(torch.from_numpy(x.astype(float))), torch.from_numpy(y.astype(float))).backward()
    theirs = flat(layers, grad=True)
    assert np.abs(theirs).max() > 1e-10
    np.testing.assert_allclose(slope.flat, theirs, rtol=1e-3, atol=1e-14)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_trained_network_is_that_of_torch(name: str) -> None:
    """Levels one-hot, of which most are rare: the outputs go far below 0 before they tell anything."""
    import torch

    rng = RNG(7)
    level = rng.choice(8, 256, p=np.array([0.6, 0.2, 0.1, 0.04, 0.02, 0.02, 0.01, 0.01]))
    y = np.eye(8, dtype=np.float32)[level]
    x = (y * RNG(8).normal(size=8) + RNG(9).normal(size=8)).astype(np.float32)
    epochs = 20 if name == "rmsprop" else 40  # later one of its steps hangs on the last bit of a sum
    course = Course(name, 5 * PAPERS[name], epochs, 64)
    ours = descend(x, y, 32, course, RNG(0))
    layers, rng = network_of(Weights.draw(8, 32, 8, RNG(0))), RNG(0)
    Weights.draw(8, 32, 8, rng)
    step = {
        "sgd": lambda p: torch.optim.SGD(p, lr=course.rate),
        "momentum": lambda p: torch.optim.SGD(p, lr=course.rate, momentum=0.9),
        "rmsprop": lambda p: torch.optim.RMSprop(p, lr=course.rate),
        "adam": lambda p: torch.optim.Adam(p, lr=course.rate),
    }[name](layers.parameters())
    for _ in range(course.epochs):
        order = rng.permutation(len(x))
        for rows in np.split(order, 4):
            step.zero_grad()
            answers = layers(torch.from_numpy(x[rows].astype(float)))
            torch.nn.L1Loss()(answers, torch.from_numpy(y[rows].astype(float))).backward()
            step.step()
    theirs = layers(torch.from_numpy(x.astype(float))).detach().numpy()
    assert name in ("sgd", "momentum") or theirs.min() < 0.002  # far out
    np.testing.assert_allclose(ours(x), theirs, atol=1e-4)


def test_a_tuned_rate_makes_the_slowest_optimiser_learn() -> None:
    rng = RNG(5)
    x, asked = rng.random((300, 3)), rng.random((200, 3))
    errors = []
    for rates in ("papers", "tuned"):
        inverter = parse("inverters", f"network:optimiser=sgd,rates={rates},epochs=60")
        inverted = inverter.fit(KnownRows(x, x[:, :, None]), RNG(0)).invert(asked[:, :, None])
        errors.append(np.abs(inverted.estimates - asked).mean())
    assert errors[1] < 0.6 * errors[0]


def test_a_rate_at_which_weights_run_away_still_ends() -> None:
    x = RNG(0).random((64, 2)).astype(np.float32)
    with np.errstate(all="ignore"):
        weights = descend(x, x, 8, Course("momentum", 1000.0, 20, 16), RNG(0))
    assert weights(x).shape == x.shape
