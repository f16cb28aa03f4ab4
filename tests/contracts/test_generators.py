"""What every file of riskkit/generators promises. A new generator is held to this without a line being added here."""

import pickle
import shlex
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Fitted, Likelihood, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import layout
from tests.contracts import rooms
from tests.tables import mixed, numeric

GENERATORS = sorted(registry.plugins("generators"))
VARIANTS = [each for each in rooms.spellings("generators", with_ends=True) if not each.endswith(("=True", "=False"))]
"""Each generator at its defaults, and once for every other choice and both ends of each of its parameters."""

QUICK = {"ctgan": {"epochs": 1}, "tvae": {"epochs": 1}, "tabddpm": {"training_steps": 5, "noise_steps": 50}}
"""The most that a parameter may be where a training would take minutes. What is promised holds of a short one too."""
WHOLE = {"identity", "leaky", "randomised_response", "subsample"}
"""Generators that refuse a release shorter than the rows it must hold."""
LONGEST = 201
"""Rows of the longest world here."""
PROGRAM = Path(__file__).resolve().parents[1] / "generators" / "own_program.py"
OWN = {
    "command": f"{shlex.join([sys.executable, str(PROGRAM), 'bootstrap'])} {{train}} {{n}} {{seed}} {{out}}",
    "python": "tests.generators.own_models:Bootstrap",
}
"""What the steward's own generator runs here. By itself it has nothing to run."""


def quick(spelled: str) -> str:
    """The generator that is spelled so, with something to run and no parameter above what :data:`QUICK` allows."""
    plugin = registry.parse("generators", spelled)
    if plugin.name == "external":
        return registry.spell(replace(plugin, command=OWN["command"], timeout=max(plugin.timeout, 60)))
    caps = {name: min(most, getattr(plugin, name)) for name, most in QUICK.get(plugin.name, {}).items()}
    return registry.spell(replace(plugin, **caps))


SLOW_TO_FIT = ("ctgan", "tvae", "tabddpm", "external")
"""Generators of which the first stage fits the defaults alone, or what is run alone; the second fits every variant."""
PLAIN = [quick(name) for name in GENERATORS] + [f"external:python={OWN['python']}"]


def case(spelled: str) -> Any:
    """A variant as the tests that fit take it."""
    is_second = spelled.partition(":")[0] in SLOW_TO_FIT and spelled not in PLAIN
    marks = [pytest.mark.second] if is_second else []
    return pytest.param(spelled, id=spelled.replace(OWN["command"], "..."), marks=marks)


TRAINED = [case(spelled) for spelled in dict.fromkeys([*map(quick, VARIANTS), *PLAIN])]


@pytest.fixture(autouse=True)
def _started_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steward's own generator is off unless riskkit was started for it."""
    monkeypatch.setenv("RISKKIT_ALLOW_EXTERNAL", "1")
    monkeypatch.setenv("RISKKIT_EXTERNAL_PYTHON", OWN["python"])


def allowed(spelled: str, n: int) -> int:
    """``n``, or as many rows as the generator's release must have."""
    return max(n, LONGEST) if spelled.partition(":")[0] in WHOLE else n


@dataclass(frozen=True, slots=True)
class Trained:
    """A fit, the first release of it, and what was left as it was while both were made."""

    fit: Fitted
    first: Table
    leaves_table: bool
    leaves_global_chance: bool


@cache
def trained(spelled: str) -> Trained:
    """One fit of that generator for all tests that only sample from it."""
    table = mixed(200)
    np.random.seed(0)
    before, chance = bytes_of(table), pickle.dumps(np.random.get_state())
    fit = fitted(spelled, table)
    first = fit.sample(allowed(spelled, 200), np.random.default_rng(1))
    return Trained(fit, first, bytes_of(table) == before, pickle.dumps(np.random.get_state()) == chance)


def kept(spelled: str) -> Fitted:
    """The fit alone."""
    return trained(spelled).fit


def fitted(spelled: str, table: Table, seed: int = 0) -> Fitted:
    """A fit of the generator that is spelled so."""
    fit: Fitted = registry.parse("generators", spelled).fit(table, np.random.default_rng(seed))
    return fit


def bytes_of(release: Table) -> tuple[bytes, ...]:
    """All that a release holds."""
    relaxed = b"" if release.relaxed is None else release.relaxed.tobytes()
    return release.codes.tobytes(), release.numbers.tobytes(), relaxed


def skip_where_all_rows_are_one(release: Table) -> None:
    """A release of one row over and over (every cell suppressed) has no order in which generations could differ."""
    if len(np.unique(release.keys())) == 1:
        pytest.skip("every row of its release is the same")


OF_NOBODY = {"independent", "laplace_count", "leaky", "randomised_response"}
"""Calibration methods whose releases of no rows are those of chance."""


@pytest.mark.parametrize("name", [name for name in GENERATORS if name != "external"])
def test_a_table_without_rows_is_refused_with_a_sentence(name: str) -> None:
    empty, rng = mixed(20).rows([]), np.random.default_rng(1)
    if name in OF_NOBODY:
        assert len(fitted(name, empty).sample(30, rng)) == 30
        return
    with pytest.raises(DesignError, match=r"at least (one row|two rows|10 rows).*\."):
        fitted(name, empty).sample(30, rng)


@pytest.mark.parametrize("spelled", TRAINED)
@pytest.mark.parametrize("n", [64, 200, 333])
def test_a_release_has_n_rows_inside_the_frozen_domain(spelled: str, n: int) -> None:
    stays_inside(spelled, kept(spelled), mixed(200), n)


@pytest.mark.parametrize(
    "spelled", [case(spelled) for spelled in PLAIN if spelled.partition(":")[0] not in SLOW_TO_FIT]
)
def test_numbers_of_more_values_than_an_integer_counts_are_numbers_like_others(spelled: str) -> None:
    """Amounts as a program writes them: fifteen decimals, up to millions."""
    table = with_amounts(mixed(200))
    stays_inside(spelled, fitted(spelled, table), table, 200)


def with_amounts(table: Table) -> Table:
    """The table with a log-normal number in the place of its second."""
    values = np.round(np.random.default_rng(5).lognormal(2.0, 4.0, len(table)), 15)
    second = table.schema.numeric[1]
    columns = [numeric(second.name, values, 15) if column is second else column for column in table.schema.columns]
    return Table(Schema(tuple(columns)), table.codes, np.column_stack([table.numbers[:, 0], values]))


def stays_inside(spelled: str, fit: Fitted, table: Table, n: int) -> None:
    """A release has ``n`` rows, or as many as it must have, of values that the schema knows."""
    n = allowed(spelled, n)
    release = fit.sample(n, np.random.default_rng(1))
    assert len(release) == n
    assert release.schema == table.schema
    for block in layout(table.schema):
        column = block.column
        if not column.is_numeric:
            continue
        values = release.numbers[:, block.source]
        known = values[~np.isnan(values)]
        assert column.has_missing or len(known) == n
        assert np.all((known >= column.low) & (known <= column.high))
        np.testing.assert_array_equal(known, np.round(known, column.decimals))


@pytest.mark.parametrize("spelled", TRAINED)
def test_the_length_of_the_table_does_not_show_in_the_length_of_the_release(spelled: str) -> None:
    table, n = mixed(200), allowed(spelled, 150)
    for fit in (kept(spelled), fitted(spelled, table.without(3)), fitted(spelled, table.plus(table.rows([3])))):
        assert len(fit.sample(n, np.random.default_rng(1))) == n


@pytest.mark.parametrize("spelled", TRAINED)
def test_one_seed_gives_the_same_bytes_and_another_gives_others(spelled: str) -> None:
    n, release = allowed(spelled, 200), trained(spelled).first
    again = fitted(spelled, mixed(200))
    assert bytes_of(release) == bytes_of(again.sample(n, np.random.default_rng(1)))
    skip_where_all_rows_are_one(release)
    assert bytes_of(release) != bytes_of(again.sample(n, np.random.default_rng(2)))


@pytest.mark.parametrize("spelled", TRAINED)
def test_generations_of_one_training_differ_and_leave_it_as_it_was(spelled: str) -> None:
    fit, rng, n = kept(spelled), np.random.default_rng(1), allowed(spelled, 200)
    first, second = fit.sample(n, rng), fit.sample(n, rng)
    assert bytes_of(fit.sample(n, np.random.default_rng(1))) == bytes_of(first)
    skip_where_all_rows_are_one(first)
    assert bytes_of(first) != bytes_of(second)


@pytest.mark.parametrize("spelled", TRAINED)
def test_the_table_is_not_touched(spelled: str) -> None:
    assert trained(spelled).leaves_table


@pytest.mark.parametrize("spelled", TRAINED)
def test_only_the_generator_it_is_given_is_drawn_from(spelled: str) -> None:
    assert trained(spelled).leaves_global_chance


@pytest.mark.parametrize("spelled", TRAINED)
def test_it_travels_to_another_process_and_releases_the_same(spelled: str) -> None:
    plugin = registry.parse("generators", spelled)
    assert pickle.loads(pickle.dumps(plugin)) == plugin
    fit, n = kept(spelled), allowed(spelled, 99)
    again = pickle.loads(pickle.dumps(fit))
    assert bytes_of(again.sample(n, np.random.default_rng(1))) == bytes_of(fit.sample(n, np.random.default_rng(1)))


@pytest.mark.parametrize("spelled", TRAINED)
def test_a_likelihood_is_a_probability_of_the_rows_it_releases(spelled: str) -> None:
    table, fit = mixed(200), kept(spelled)
    assert isinstance(fit, Likelihood) == rooms.has_likelihood(spelled.partition(":")[0])
    if not isinstance(fit, Likelihood):
        pytest.skip("it does not claim to know its likelihood")
    own = fit.log_prob(fit.sample(500, np.random.default_rng(1)))
    assert own.shape == (500,)
    assert np.isfinite(own).all()
    assert own.max() <= 0.0
    assert np.isfinite(fit.log_prob(table)).all()  # no row of its own table is impossible to it
