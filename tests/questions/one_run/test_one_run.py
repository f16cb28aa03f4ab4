"""One training from plan to finding: what is shown of methods whose answer is known, and what is refused."""

import math
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import riskkit as rk
from riskkit import own, registry
from riskkit.core import Table
from riskkit.errors import DesignError, ParameterError
from riskkit.generators.external import ALLOWED
from riskkit.generators.mst import FittedMst, Mst
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Limit
from riskkit.questions.one_run.plan import MODEL, OneRunPlan
from riskkit.questions.one_run.play import forecast, run_one_run
from riskkit.questions.one_run.question import read
from riskkit.report.appendix import question
from riskkit.report.build import at_limit
from riskkit.seeds import stream
from riskkit.show.model import Class, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.stats.one_run import one_run_epsilon
from riskkit.table.load import Tables
from tests.report.audited import made
from tests.tables import from_frame

PROGRAM = Path(__file__).resolve().parents[2] / "generators" / "own_program.py"


@cache
def people(rows: int = 400, levels: int = 30) -> Tables:
    """Different people in eight even columns, that say nothing of each other."""
    drawn = stream(1, "people").integers(levels, size=(2 * rows, 8))
    table = from_frame(pd.DataFrame(drawn, columns=list("abcdefgh")).astype(str))
    real, holdout = table.rows(slice(rows)), table.rows(slice(rows, None))
    return Tables(real, None, holdout, table.schema, (), ())


def kept(tables: Tables, **settings: Any) -> Played:
    """A finished run of that plan."""
    plan = OneRunPlan(**settings)
    return Played("one-run", "1" * 32, "finished", plan.as_dict(), run_one_run(tables, plan).plain(), plan.command("r"))


def finding_of(run: Played, *others: Played, **of: Any) -> RunFinding:
    """What the run found, beside other runs of the audit."""
    facts: Given = made.audit(run, *others, **of)
    (finding,) = read(run, Names.of(facts, Class.RESTRICTED), facts)
    return finding


@pytest.mark.parametrize("generator", ["identity", "independent"])
def test_the_chance_of_the_bound_is_that_of_the_right_guesses_at_any_epsilon(generator: str) -> None:
    run = kept(people(), generator=generator, rows=100)
    measured = finding_of(run).measured
    assert run.result is not None
    assert measured.strongest is not None
    if measured.strongest.value > 0:
        assert measured.p(0.0) == pytest.approx(run.result["p"])
        assert measured.p(measured.strongest.value - 1e-6) == pytest.approx(0.05, abs=1e-4)
    else:
        assert measured.p(0.0) == 1.0 and run.result["p"] > 0.05  # noqa: PT018  both or neither


def test_of_the_table_itself_every_guess_is_right_and_the_ceiling_is_shown() -> None:
    run = kept(people(), generator="identity", rows=100, guesses_in=20, guesses_out=20)
    (bound,) = finding_of(run).estimates
    assert run.result is not None
    assert run.result["guesses"] == [{"in": 20, "out": 20, "right": 40}]
    assert bound.value == bound.high == one_run_epsilon(100, 40, 40)
    assert bound.value == pytest.approx(math.log(0.05 ** (1 / 40) / (1 - 0.05 ** (1 / 40))), abs=1e-9)
    assert run.result["settings"]["audited"] == 100
    assert bound.n == 100
    finding = finding_of(run)
    assert finding.sentence == (
        "Guesses of which canaries were in one training of identity show that its ε is at least 2.55; had every "
        "guess been right, they would show 2.55."
    )
    assert finding.extra == (
        "Of 100 canaries 20 were guessed in and 20 out: 40 of 40 guesses were right (100 %; by chance 50 %).",
    )
    judged = judge(finding.measured, None)
    assert (str(judged.verdict), judged.code) == ("leak shown", "above_guessing")
    assert judged.why == "ε is at least 2.55 (ceiling 2.55); of a method that says nothing of anybody it is 0."
    assert judge(finding.measured, Limit(1.0, "board")).why == (
        "ε is at least 2.55 (ceiling 2.55), above the limit (1.00)."
    )
    assert finding.what_if == "If it had been made by identity"
    assert finding.plain == (
        "An attacker said of 40 test rows (canaries) whether they were in the training: 40 answers were right "
        "(guessing: 20)."
    )
    for limit, rows in ((None, []), (Limit(1.0, "board"), [("the fewest that show an ε above the limit", 35.0)])):
        chart = at_limit(finding, limit).chart
        assert chart is not None
        assert [(bar.who, bar.estimate.value) for bar in chart.bars] == [
            ("right answers", 40.0),
            *rows,
        ]
        assert (chart.luck, sum(chart.ends) / 2) == ((14.0, 26.0), 20.0), "guesses by chance in the middle of the axis"
        assert chart.role(chart.bars[0]) == "above"


def test_of_a_method_that_says_nothing_nothing_is_shown_and_nothing_ruled_out() -> None:
    run = kept(people(), generator="independent", rows=100)
    finding = finding_of(run)
    judged = judge(finding.measured, Limit(1.0, "board"))
    assert (str(judged.verdict), judged.code) == ("undecided", "one_training")
    assert "can show a leak, and can never rule one out" in judged.why
    assert "Had every guess been right, it would have shown that ε is at least" in judged.why
    assert "show no ε above 0; had every guess been right" in finding.sentence
    assert "3 numbers of guesses were tried; the bound allows for all of them." in finding.extra
    assert finding.plain.endswith("a leak is not ruled out.")
    assert finding.chart is not None
    assert finding.chart.role(finding.chart.bars[0]) == ""
    assert "the same auditor shows that ε is at least" in finding.measured.control.sentence


def test_guesses_of_chance_are_seldom_taken_for_a_leak() -> None:
    """Of 60 audits of a method that looks at no row; 5 % may, and four standard errors."""
    tables = people(120)
    shown = [
        run_one_run(tables, OneRunPlan(generator="independent", rows=60, seed=seed, n_syn=60)).estimates[0].value > 0
        for seed in range(60)
    ]
    assert sum(shown) <= 9


def test_the_model_is_asked_where_the_auditor_sees_it() -> None:
    run = kept(people(), generator="bootstrap", rows=100, sees=MODEL, beside="", guesses_in=20)
    (bound,) = finding_of(run).estimates
    assert bound.value == bound.high
    assert "attack" not in bound.labels
    with pytest.raises(DesignError, match="cannot say how probable a row is"):
        kept(people(), generator="identity", rows=100, sees=MODEL)


def test_the_model_is_read_beside_the_method_that_everybody_has() -> None:
    run = kept(people(), generator="bootstrap", rows=100, sees=MODEL, guesses_in=20)
    (bound,) = finding_of(run).estimates
    assert bound.value == bound.high


def test_the_inside_of_a_network_is_compared_with_the_same_method_alone() -> None:
    """The method to compare with that everybody has says something else: it is left out, and that is said."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'riskkit[deep]'")
    method = "tabddpm:training_steps=5,noise_steps=25"
    alone, beside = (
        kept(people(), generator=method, rows=100, sees=MODEL, guesses_in=20, beside=other).result
        for other in ("bayesnet", "tabddpm:training_steps=6,noise_steps=25")
    )
    assert alone is not None
    assert beside is not None
    said_apart = ["A network has no probability of a row" in str(each["notes"]) for each in (alone, beside)]
    assert said_apart == [True, False]


def test_made_rows_and_stand_ins_are_audited_too() -> None:
    run = kept(people(), generator="identity", rows=50, made=True, guesses_out=15)
    finding = finding_of(run)
    assert finding.estimates[0].value == finding.estimates[0].high
    assert "50 canaries were made up for this audit" in finding.notes[0]
    assert "do not publish what was made of it" in finding.extra[-1]
    assert run.result is not None
    assert {score["row"] for score in run.result["scores"]} == {-1}
    replaced = finding_of(kept(people(), generator="identity", rows=50, relation="replace-one", guesses_in=15))
    assert replaced.estimates[0].value == replaced.estimates[0].high
    assert dict(replaced.game)["What is compared"].endswith("with probability ½, else another row in its place")


def test_more_rows_than_there_are_is_said() -> None:
    run = kept(people(120), generator="independent", rows=1000)
    (note,) = finding_of(run).notes
    assert note == (
        "1,000 canaries were asked for and 60 were used: at most half of the records that stand once in the real table."
    )


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(DesignError, match="30 guesses cannot be made on 20 canaries"):
        OneRunPlan(rows=20, guesses_in=30)
    with pytest.raises(ParameterError, match="no '' in generators"):
        OneRunPlan(generator="")
    with pytest.raises(DesignError, match="70 guesses cannot be made: there are 60 canaries"):
        kept(people(120), generator="independent", rows=100, guesses_in=70)
    alone = Tables(people().real, None, None, people().schema, (), ())
    with pytest.raises(DesignError, match="The attack domias compares with people outside the data"):
        kept(alone, generator="independent", rows=100, attack="domias")
    assert kept(people(), generator="independent", rows=100, attack="domias").result is not None


def test_one_run_takes_one_training(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = []
    monkeypatch.setattr(own, "_REGISTERED", {})

    @dataclass(frozen=True)
    class Counted(Mst):
        name: ClassVar[str] = "counted"

        def fit(self, table: Table, rng: np.random.Generator) -> FittedMst:
            fits.append(len(table))
            return super().fit(table, rng)

    registry.register("generators", Counted)
    try:
        run = kept(people(), generator="counted", rows=100)
    finally:
        registry.plugins.cache_clear()
    assert run.result is not None
    assert fits == [run.result["settings"]["trained"]]


def test_the_same_seed_gives_the_same_whoever_works() -> None:
    plan = OneRunPlan(generator="bootstrap", rows=60)
    first, two = (run_one_run(people(120), plan, workers=workers).plain() for workers in (1, 2))
    assert first == two
    assert first != run_one_run(people(120), OneRunPlan(generator="bootstrap", rows=60, seed=2)).plain()


def test_a_forecast_trains_on_few_rows_and_says_the_ceiling() -> None:
    foreseen = forecast(people(), OneRunPlan(generator="mst", rows=100))
    assert foreseen.numbers["audited"] == 100
    assert foreseen.numbers["ceiling"] == run_one_run(people(), OneRunPlan(generator="mst", rows=100)).estimates[0].high
    assert foreseen.seconds >= 0
    hopeless = forecast(people(), OneRunPlan(generator="mst:delta=0.1", rows=100))
    assert hopeless.numbers["ceiling"] == 0.0


# --- promised and seen ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TooQuiet(Mst):
    """Planted: MST that promises its epsilon and adds next to no noise."""

    name: ClassVar[str] = "too_quiet"

    def fit(self, table: Table, rng: np.random.Generator) -> FittedMst:
        """With the noise of an epsilon of 10,000."""
        return Mst(epsilon=1e4).fit(table, rng)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(own, "_REGISTERED", {})
    registry.register("generators", TooQuiet)
    yield
    registry.plugins.cache_clear()


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(("method", "is_broken"), [("mst", False), ("too_quiet", True)])
def test_a_promise_that_one_training_breaks_stands_in_red(method: str, is_broken: bool) -> None:
    run = kept(people(800), generator=method, rows=400, sees=MODEL, beside="mst:epsilon=1000000")
    (block,) = finding_of(run).promises
    assert block.is_contradicted is is_broken
    assert block.auc is None
    terms = dict(block.terms)
    assert terms["Seen"] == ""
    assert terms["Seen in one training"].startswith("Right guesses in one training show")
    assert block.as_dict()["epsilon_by_one_run"] == block.by_one_run
    if is_broken:
        assert block.by_one_run is not None
        assert block.by_one_run > 2
        assert f"promises ε = 1 and shows at least {block.by_one_run:.2f}" in block.verdict
    answers = made.findings(made.audit(run)).answers
    styles = [
        b.get("style") for answer in answers for b in question(answer) if b["kind"] == "p" and "promise" in b["text"]
    ]
    assert ("contradiction" in styles) is is_broken


def test_games_and_one_training_stand_in_one_block_and_share_the_error() -> None:
    once = kept(people(), generator="mst", rows=100)
    games = made.membership(np.random.default_rng(1), shifts=(4.0,), trainings=100, generator="mst")
    (block,) = finding_of(once, games).promises
    terms = dict(block.terms)
    assert terms["Seen"].startswith("The strongest attack has an AUC of")
    assert terms["Seen in one training"] == "Right guesses in one training show no ε above 0."
    assert block.is_contradicted
    answers = made.findings(made.audit(games, once)).answers
    (of_games,) = next(answer for answer in answers if answer.question == "membership").findings[0].promises
    assert (of_games.shown, of_games.by_one_run) == (block.shown, block.by_one_run)
    of_both = next(answer.what_ifs[0].judgement for answer in answers if answer.question == "one-run")
    assert (of_both.code, of_both.settle) == ("games_show", "Membership has decided it: this method leaks.")
    other = kept(people(), generator="mst:epsilon=2", rows=100)
    assert dict(finding_of(other, games).promises[0].terms)["Seen"] == ""


def test_a_bound_at_a_larger_delta_says_nothing_of_the_promise() -> None:
    run = kept(people(), generator="mst", rows=100, delta=0.001)
    (block,) = finding_of(run).promises
    assert block.by_one_run is None


# --- from outside ---------------------------------------------------------------------------------------------------


@pytest.mark.second
def test_a_program_of_ones_own_is_audited_by_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOWED, "1")
    command = f"{shlex.join([sys.executable, str(PROGRAM), 'bootstrap'])} {{train}} {{n}} {{seed}} {{out}}"
    plan = OneRunPlan(generator=registry.spell(registry.make("generators", "external", command=command)), rows=100)
    assert "--allow-external" in plan.command("real.csv")
    bound = run_one_run(people(), plan).estimates[0]
    assert bound.value > 1


def test_python_asks_it() -> None:
    frame = pd.DataFrame({"a": stream(1, "a").normal(size=200).round(3), "b": np.arange(200) % 7})
    answer = rk.ask("one-run", rk.load(frame), "identity", rows=50)
    assert answer.estimates[0].name == "epsilon_one_run"
    assert answer.estimates[0].value > 1
    assert rk.one_run(rk.load(frame), "identity", rows=50).as_dict() == answer.as_dict()
    assert "scores" not in answer.as_dict()
