"""Chains of anonymisers: written with bars, read back, and every step done on what the one before it left."""

import pickle
import shlex
from collections import Counter

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Table
from riskkit.dashboard.forms.plugin_forms import full_title
from riskkit.errors import DesignError, ParameterError
from riskkit.generators.engines.anonymise import Anonymised
from riskkit.questions.membership.plan import MembershipPlan
from tests.tables import mixed

CHAINS = [
    "rounding:base=20.0|kanonymity:k=3,numbers=True",
    "pram:p=0.8|noise:scale=0.2",
    "coding|sampling:share=0.7|swapping|microaggregation:k=3",
    "suppression:p=0.1|deletion:which=random|deletion",
]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def fitted(spelled: str, table: Table) -> Anonymised:
    fit: Anonymised = registry.parse("generators", spelled).fit(table, rng())
    return fit


def bytes_of(table: Table) -> bytes:
    return bytes(table.keys().tobytes())


@pytest.mark.parametrize("spelled", CHAINS)
def test_a_chain_is_spelled_and_read_back(spelled: str) -> None:
    chain = registry.parse("generators", spelled)
    assert registry.spell(chain) == spelled
    assert registry.parse("generators", registry.spell(chain)) == chain
    assert pickle.loads(pickle.dumps(chain)) == chain
    assert registry.spell(registry.parse("generators", spelled.replace("|", " | "))) == spelled


@pytest.mark.parametrize("spelled", CHAINS)
@pytest.mark.parametrize("n", [0, 90, 333])
def test_a_chain_keeps_the_contract_of_a_generator(spelled: str, n: int) -> None:
    table = mixed(200)
    before = bytes_of(table)
    fit = fitted(spelled, table)
    release = fit.sample(n, rng(1))
    assert len(release) == n
    assert release.schema == table.schema
    assert bytes_of(release) == bytes_of(fit.sample(n, rng(1)))
    assert bytes_of(release) == bytes_of(pickle.loads(pickle.dumps(fit)).sample(n, rng(1)))
    assert n == 0 or bytes_of(release) != bytes_of(fit.sample(n, rng(2)))
    assert bytes_of(table) == before
    for values, column in zip(release.numbers.T, table.schema.numeric, strict=True):
        known = values[~np.isnan(values)]
        assert ((known >= column.low) & (known <= column.high)).all()


def test_every_step_is_done_in_its_order() -> None:
    table = mixed(300, missing=False)

    def rarest(spelled: str) -> int:
        whole = fitted(spelled, table).whole(rng(1))
        return min(Counter(map(bytes, whole.keys())).values())

    keep = "kanonymity:k=3,numbers=True"
    assert rarest(f"rounding:base=20.0|{keep}") >= 3
    with pytest.raises(DesignError, match="would drop all 300 rows"):
        rarest(f"{keep}|rounding:base=20.0")  # planted: the other order
    assert rarest("rounding:base=20.0") < 3  # planted: the last step left out


def test_steps_after_a_drawn_one_see_what_it_drew() -> None:
    table = mixed(300, missing=False)
    whole = fitted("noise:scale=1.0|rounding:base=20.0", table).whole(rng(1))
    low, high = table.schema.numeric[0].low, table.schema.numeric[0].high
    inside = whole.numbers[(whole.numbers[:, 0] > low) & (whole.numbers[:, 0] < high), 0]
    assert not (inside % 20).any()
    other_way = fitted("rounding:base=20.0|noise:scale=1.0", table).whole(rng(1)).numbers[:, 0]
    assert (other_way % 20).any()  # planted: the other order


def test_fixed_steps_are_done_once_and_drawn_ones_anew() -> None:
    fit = fitted("rounding:base=20.0|kanonymity:k=3|noise", mixed(200))
    assert bytes_of(fit.table) == bytes_of(fitted("rounding:base=20.0|kanonymity:k=3", mixed(200)).table)
    assert bytes_of(fit.table) != bytes_of(mixed(200))
    assert bytes_of(fit.whole(rng(1))) != bytes_of(fit.whole(rng(2)))
    whole = fitted("rounding:base=20.0|coding", mixed(200))
    assert bytes_of(whole.whole(rng(1))) == bytes_of(whole.whole(rng(2))) == bytes_of(whole.table)


@pytest.mark.parametrize(
    ("spelled", "what"),
    [
        ("coding|stat", "stat cannot be a step of a chain"),
        ("bayesnet|coding", "bayesnet cannot be a step of a chain"),
        ("coding|", "There is no ''"),
        ("coding|magic", "There is no 'magic'"),
        ("coding|pram:p=2", "pram: p is 2.0; it must be at least 0.0 and at most"),
    ],
)
def test_what_cannot_be_chained_is_refused(spelled: str, what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        registry.parse("generators", spelled)


def test_only_generators_are_chained() -> None:
    with pytest.raises(ParameterError, match="There is no"):
        registry.parse("targets", "random|selective")


def test_people_read_each_step_with_its_settings() -> None:
    assert full_title("generators", "coding|noise:scale=0.2") == (
        "Top and bottom coding, then Additive noise on numbers · Size of the noise 0.2"
    )
    chain = registry.parse("generators", "coding|noise:scale=0.2")
    assert chain.title == "Top and bottom coding, then Additive noise on numbers"
    assert "Then: Adds Gaussian" in chain.card


def test_a_chain_in_a_plan_survives_the_shell() -> None:
    plan = MembershipPlan(generators=("coding | noise:scale=0.1", "stat"))
    assert plan.generators == ("coding|noise", "stat")
    words = shlex.split(plan.command("real.csv"), comments=False)
    assert words[words.index("--generator") + 1] == "coding|noise"
    assert "'coding|noise'" in plan.command("real.csv")  # a bare bar would be a pipe
    assert "--generator stat " in plan.command("real.csv")
