"""What private methods promise, beside what is seen: in words, in numbers, and in red where they contradict."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from riskkit import own, registry
from riskkit.core import Column, Estimate, Kind, Schema, Table
from riskkit.generators.mst import FittedMst, Mst
from riskkit.questions.promises import Claim, PlayedTables, certificate, claim, promise_block, strongest_attack
from riskkit.questions.records import present
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.report.appendix import question
from riskkit.seeds import stream
from riskkit.show.in_words import picture_in_words
from riskkit.show.model import Class, Played
from riskkit.show.names import Names
from riskkit.stats.privacy import auc_cap, epsilon_of_auc
from riskkit.table.load import Tables
from tests.report.audited import made
from tests.statistical.simulate import most
from tests.stats import make

GAME = PlayedTables("add-one", 1000, 15)


def auc(low: float, value: float, high: float) -> Estimate:
    return Estimate("auc", value, low, high, 0.95, "by hand", 100)


# --- what is promised -----------------------------------------------------------------------------------------------


def test_claims_are_read_from_the_methods() -> None:
    assert claim("mst:epsilon=2,delta=0.001") == Claim(2.0, "add-one", delta=0.001)
    assert claim("privbayes:epsilon=2") == Claim(2.0, "replace-one")
    assert claim("bayesnet") == Claim()


def test_the_best_auc_of_mst_is_that_of_its_noise() -> None:
    """What epsilon alone allows is .731, with delta .736; a mu of .4548, as if picks were normal noise, says .6261.

    Picks say a little more than that, the more the fewer they are; counts without picks say .6036.
    """
    spelled = "mst:epsilon=1,delta=0.01"
    by_columns = [certificate(spelled, "add-one", 1000, columns) for columns in (2, 3, 4, 15, 40)]
    assert by_columns == pytest.approx([0.6036, 0.6270, 0.6267, 0.6262, 0.6261], abs=6e-5)
    assert auc_cap(1.0, 0.01) == pytest.approx(0.7364, abs=5e-5)
    assert certificate("bayesnet", "add-one", 1000, 15) is None


def test_noise_of_privbayes_allows_less_than_its_epsilon() -> None:
    cap = {(r, d): certificate("privbayes", r, 1000, d) for r in ("add-one", "replace-one") for d in (3, 15)}
    assert cap["add-one", 15] == pytest.approx(0.526, abs=1e-3)
    assert cap["replace-one", 15] == pytest.approx(0.534, abs=1e-3)
    assert all(allowed is not None and allowed < auc_cap(1.0) for allowed in cap.values())


@pytest.mark.parametrize("delta", [0.0, 0.01])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_epsilon_of_an_auc_is_the_way_back(epsilon: float, delta: float) -> None:
    assert epsilon_of_auc(auc_cap(epsilon, delta), delta) == pytest.approx(epsilon, abs=1e-6)
    assert epsilon_of_auc(0.5, delta) == 0.0


# --- beside what is seen --------------------------------------------------------------------------------------------


def test_an_auc_of_point_85_refutes_an_epsilon_of_one() -> None:
    """An AUC of .845 takes an epsilon of ln(.845 / .155) = 1.70."""
    block = promise_block("privbayes", "PrivBayes", replace(GAME, relation="replace-one"), auc(0.845, 0.9, 0.95))
    assert block is not None
    assert block.is_contradicted
    assert block.shown == pytest.approx(1.696, abs=1e-3)
    assert block.verdict == (
        "PrivBayes promises ε = 1 and shows at least 1.70: as it is run here, it does not keep its promise."
    )
    assert dict(block.terms)["Allowed by the promise"] == "No attack has an AUC above 0.731 (0.5 is guessing)."


def test_a_promise_is_not_held_against_other_pairs_of_tables_but_its_noise_is() -> None:
    """PrivBayes promises for a replaced row; left out, its noise allows .526, and .6 is more."""
    kept, broken = (
        promise_block("privbayes", "PrivBayes", GAME, seen) for seen in (auc(0.4, 0.5, 0.6), auc(0.6, 0.65, 0.7))
    )
    assert kept is not None
    assert broken is not None
    assert (kept.allowed, kept.is_contradicted, broken.is_contradicted) == (None, False, True)
    assert "about other pairs of tables" in dict(kept.terms)["Allowed by the promise"]
    assert "PrivBayes allows an AUC of 0.53 at most" in broken.verdict
    assert kept.verdict.endswith("That does not prove the promise.")


def test_delta_is_part_of_the_promise() -> None:
    block = promise_block("mst:epsilon=1,delta=0.01", "MST", GAME, auc(0.45, 0.5, 0.55))
    assert block is not None
    terms = dict(block.terms)
    assert terms["Promised"] == (
        "ε = 1, δ = 0.01: one person more or less changes the chance of any outcome by a factor of 2.72 at most, "
        "except with a chance of 0.01."
    )
    assert terms["Allowed by the noise that is added"].startswith(
        "No attack has an AUC above 0.626, however many releases"
    )
    assert terms["Seen"] == "The strongest attack has an AUC of 0.50 [0.45, 0.55]. No ε above 0 is shown."


def test_nothing_is_said_of_methods_that_promise_nothing_or_are_not_here() -> None:
    assert promise_block("bayesnet", "BN", GAME, auc(0.9, 0.9, 0.9)) is None
    assert promise_block("no_such_method", "?", GAME, None) is None
    too_few = promise_block("mst", "MST", GAME, None)
    assert too_few is not None
    assert not too_few.is_contradicted
    assert dict(too_few.terms)["Seen"] == "There are too few trainings for a number."


@pytest.mark.second
def test_a_kept_promise_is_seldom_contradicted() -> None:
    """Normal scores at the very mu of a method; four attacks, 200 audits, at most 5 % of them and sampling error."""
    mu = math.sqrt(2) * 0.32168  # an AUC of .62617, as MST with epsilon 1 and delta .01 allows on 40 columns

    def is_contradicted(audit: int) -> bool:
        scores = [
            make.scores(inside + mu, outside)
            for inside, outside in (stream(2, "promise", audit, index).standard_normal((2, 60)) for index in range(4))
        ]
        block = promise_block("mst:epsilon=1,delta=0.01", "MST", replace(GAME, columns=40), scores)
        assert block is not None
        return block.is_contradicted

    assert sum(map(is_contradicted, range(200))) <= most(200, 0.05)


def test_a_broken_promise_is_seen_from_scores() -> None:
    inside, outside = stream(3, "promise").standard_normal((2, 200))
    strongest, bound = strongest_attack([make.scores(inside, outside), make.scores(inside + 3, outside)], 0.01, 0.95)
    assert strongest is not None
    assert strongest.low > 0.9
    assert bound > 1.0


# --- on paper -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "style"), [(0.0, "note"), (4.0, "contradiction")])
def test_the_report_says_what_is_promised_and_seen(shift: float, style: str) -> None:
    run = made.membership(np.random.default_rng(1), shifts=(shift,), trainings=100, generator="mst")
    findings = made.findings(made.audit(run))
    blocks = [block for answer in findings.answers for block in question(answer)]
    verdicts = [block for block in blocks if block["kind"] == "p" and "promise" in block["text"]]
    assert [block["style"] for block in verdicts] == [style]
    assert any(block["kind"] == "terms" and "Promised" in dict(block["pairs"]) for block in blocks)


# --- drawn ----------------------------------------------------------------------------------------------------------


def test_bounds_and_the_strongest_attack_stand_on_one_axis() -> None:
    """MST at epsilon 1 and delta .01: .736 by the promise, .626 by the noise, and the attack with its interval."""
    block = promise_block("mst:epsilon=1,delta=0.01", "MST", GAME, auc(0.51, 0.55, 0.59))
    assert block is not None
    picture = block.chart()
    assert picture is not None
    assert [picture.label(bar) for bar in picture.bars] == ["0.736", "0.626", "0.55 [0.51, 0.59]"]
    assert picture.sentence == "No attack may have more than 0.626; the strongest seen has 0.55 [0.51, 0.59]"
    assert "Allowed by the promise: 0.736." in picture_in_words(picture)
    above = promise_block("mst:epsilon=1,delta=0.01", "MST", GAME, auc(0.66, 0.7, 0.74))
    assert above is not None
    assert "cannot be" in above.chart().sentence  # type: ignore[union-attr]


def test_one_bar_alone_is_not_drawn() -> None:
    """Without a number, and where the promise is about other pairs of tables, the noise alone is left."""
    block = promise_block("mst", "MST", replace(GAME, relation="replace-one"), None)
    assert block is not None
    assert block.chart() is None


# --- a domain taken from the data -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class FromTheData(Mst):
    """Planted: MST with all its noise, on the levels that the rows happen to have; as 4 of 6 programs did it.

    Annamalai, Ganev and De Cristofaro 2024, https://arxiv.org/abs/2405.10994.
    """

    name: ClassVar[str] = "mst_from_the_data"

    def fit(self, table: Table, rng: np.random.Generator) -> FittedMst:
        """Forget the levels that nobody has, fit, and give the releases their old codes back."""
        held = [np.unique(column) for column in table.codes.T]
        small = Schema(
            tuple(
                replace(column, levels=tuple(column.levels[level] for level in levels))
                for column, levels in zip(table.schema.columns, held, strict=True)
            )
        )
        codes = np.stack([np.searchsorted(levels, column) for levels, column in zip(held, table.codes.T, strict=True)])
        fitted = super().fit(Table(small, codes.T.astype(np.int32), table.numbers), rng)
        return Recoded(fitted, table.schema, held)  # type: ignore[return-value]


@dataclass(frozen=True)
class Recoded:
    """Releases of a fit to fewer levels, in the levels of the whole domain."""

    fitted: FittedMst
    schema: Schema
    held: list[np.ndarray]

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows."""
        release = self.fitted.sample(n, rng)
        codes = np.stack([levels[column] for levels, column in zip(self.held, release.codes.T, strict=True)], axis=1)
        return Table(self.schema, codes.astype(np.int32), release.numbers)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(own, "_REGISTERED", {})
    registry.register("generators", FromTheData)
    yield
    registry.plugins.cache_clear()


def town() -> Table:
    """60 people in three columns; the first is the only one with the last level of each."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (60, 3))
    codes[0] = 3
    columns = tuple(Column(f"c{j}", Kind.CATEGORICAL, levels=tuple("abcd")) for j in range(3))
    return Table(Schema(columns), codes.astype(np.int32), np.empty((60, 0)))


@pytest.mark.second
@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(("method", "is_broken"), [("mst", False), ("mst_from_the_data", True)])
def test_the_audit_finds_a_domain_that_is_taken_from_the_data(method: str, is_broken: bool) -> None:
    table = town()
    plan = RecordsPlan(
        generator=f"{method}:epsilon=1,delta=0.01",
        records="ids:0",
        inside=100,
        outside=100,
        shadows=60,
        again=0,
        n_syn=100,
    )
    result = run_records(Tables(table, None, None, table.schema, (), ()), plan).plain()
    run = Played("records", "1" * 32, "finished", plan.as_dict(), result)
    facts = made.audit(run)
    (finding,) = present.read(run, Names.of(facts, Class.RESTRICTED), facts)
    (block,) = finding.promises
    assert block.is_contradicted is is_broken
