"""The view of membership games: the numbers of a finding, method by method, and no row for whom may see none."""

import re

import pytest

from riskkit.audit import report_facts
from riskkit.core import Estimate
from riskkit.jobs.store import Audit, Store
from riskkit.judging.provenance import Provenance
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import MembershipResult, allowing
from riskkit.questions.membership.view import view
from riskkit.report.build import read
from riskkit.show.blocks import Group, Numbers, RocCurve, Sentence, Swarm, estimates, flat
from riskkit.show.model import Chart, Class, RunFinding
from riskkit.show.names import Names
from riskkit.table.read.csv_text import read_csv
from tests.pages.membership import people
from tests.pages.runs import finished
from tests.questions.outputs import check_paper_and_files, reported, same

PLAN = MembershipPlan(("stat:post=none", "histogram"), trainings=60, generations=2, n_syn=120)


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Two methods that were played, of which the second made the release."""
    made = Store(tmp_path_factory.mktemp("home")).create("Played")
    made.put("real", read_csv(people(0), name="real.csv"))
    made.put("synthetic", read_csv(people(1), name="release.csv"))
    made.set_provenance(Provenance("histogram"))
    finished(made, PLAN)
    return made


def findings(audit: Audit, kind: Class = Class.RESTRICTED) -> tuple[RunFinding, ...]:
    (run,) = audit.runs()
    return read(report_facts.played_run(run, audit), report_facts.read_given(audit), kind=kind)


def result(audit: Audit) -> MembershipResult:
    (run,) = audit.runs()
    return MembershipResult.from_plain(run.result)


def methods(finding: RunFinding, key: str) -> set[str]:
    """Of which methods the estimates of that block are."""
    blocks = [block for block in flat(finding.view) if block.key == key]
    assert blocks
    return {e.labels["generator"] for e in estimates(blocks)}


@pytest.mark.parametrize("kind", list(Class))
def test_every_method_has_a_view_of_its_own_numbers(audit: Audit, kind: Class) -> None:
    """The one that made the release comes first; other methods are in none of its pictures and tables."""
    own, other = findings(audit, kind)
    assert not own.what_if
    assert "Mean and covariance" in other.what_if
    for finding, generator in ((own, "histogram"), (other, "stat:post=none")):
        for key in ("success", "aucs", "estimates", "epsilon"):
            assert {name.partition(":")[0] for name in methods(finding, key)} == {generator.partition(":")[0]}


def test_the_table_holds_every_estimate_of_the_finding_and_no_other(audit: Audit) -> None:
    names = Names.all_told(report_facts.titles())
    for finding in findings(audit):
        (table,) = (block for block in flat(finding.view) if block.key == "estimates")
        assert sorted(map(same, estimates([table]))) == sorted(map(same, finding.estimates))
        assert isinstance(table, Numbers)
        assert len({row[0] for row in table.rows}) == len(table.rows)
        for row in table.rows:
            known = [
                (column, cell) for column, cell in zip(table.columns, row, strict=True) if isinstance(cell, Estimate)
            ]
            assert all(cell.name == column.key for column, cell in known), "each stands under its own head"
            about = {(cell.labels["attack"], cell.labels["record"]) for _, cell in known}
            ((attack, _),) = about
            assert names.called(attack, "attacks") in str(row[0])


def test_pictures_hold_the_numbers_of_the_result_at_the_level_of_the_verdict(audit: Audit) -> None:
    for finding in findings(audit):
        assert finding.measured.strongest is not None
        judged = allowing(result(audit).outcomes, finding.measured.strongest.level)
        kept = {same(outcome.estimates["auc"]) for outcome in judged}
        shown = [block for block in finding.view if isinstance(block, Chart)]
        assert {block.key for block in shown} == {"success", "aucs"}
        assert {same(e) for e in estimates(shown)} <= kept
        assert finding.chart is next(block for block in shown if block.key == "aucs")
        lows = [bar.estimate.low for bar in finding.chart.bars]
        assert lows == sorted(lows, reverse=True)


def test_curve_and_scores_are_those_of_the_strongest_game(audit: Audit) -> None:
    own, _ = findings(audit)
    strongest = own.measured.strongest
    assert strongest is not None
    every = [o for o in result(audit).outcomes if o.labels["generator"] == "histogram"]
    (outcome,) = (o for o in every if o.labels.items() <= strongest.labels.items())
    (curve,) = (block for block in flat(own.view) if isinstance(block, RocCurve))
    drawn = outcome.curve()
    assert drawn is not None
    assert (tuple(drawn.fpr.tolist()), tuple(drawn.tpr.tolist())) in [(line.fpr, line.tpr) for line in curve.lines]
    (swarm,) = (block for block in flat(own.view) if isinstance(block, Swarm))
    assert sorted(value for arm in swarm.arms for value in arm.values) == sorted(outcome.scores.value.tolist())
    for arm in swarm.arms:
        assert set(arm.trainings) == set(outcome.scores.training[outcome.scores.is_in == arm.is_in].tolist())


def test_the_planted_leaks_are_told_once(audit: Audit) -> None:
    own, other = findings(audit)
    lines = [block for block in own.view if isinstance(block, Sentence) and block.key.startswith("control")]
    assert len(lines) == len({leak.labels["attack"] for leak in result(audit).control})
    assert all(line.text.startswith(("✓ Planted leak", "○ Planted leak")) for line in lines)
    assert not [block for block in other.view if block.key.startswith("control")]


def test_a_missed_leak_has_another_sign(audit: Audit) -> None:
    """The fault planted: one attack made nothing of what was planted for it."""
    (run,) = audit.runs()
    kept = run.result
    control = [{**kept["control"][0], "found": False, "auc": {**kept["control"][0]["auc"], "low": 0.1}}]
    names = Names.all_told({})
    shown = view(MembershipResult.from_plain({**kept, "control": control}), names)
    (line,) = (block for block in shown if block.key.startswith("control"))
    assert isinstance(line, Sentence)
    assert line.text.startswith("○ Planted leak not found")


def test_single_rows_are_for_those_who_may_see_them(audit: Audit) -> None:
    for shown, keys in ((Class.RESTRICTED, {"curves"}), (Class.SHAREABLE, set())):
        groups = {block.key for each in findings(audit, shown) for block in each.view if isinstance(block, Group)}
        assert groups & {"curves", "named"} == keys
    for finding in findings(audit, Class.SHAREABLE):
        texts = [
            text for block in flat(finding.view) if isinstance(block, Numbers) for row in block.texts() for text in row
        ]
        texts += [block.text for block in flat(finding.view) if isinstance(block, Sentence)]
        texts += [bar.who for block in finding.view if isinstance(block, Chart) for bar in block.bars]
        assert not [text for text in texts if re.search(r"record \d", str(text), re.IGNORECASE)]
        labels = {e.labels["record"] for e in estimates(finding.view) if "record" in e.labels}
        assert all(record.startswith("R-") for record in labels)


def test_page_paper_and_files_have_the_same_numbers(audit: Audit) -> None:
    check_paper_and_files(findings(audit), reported(audit, Class.RESTRICTED))


def test_a_run_without_a_number_shows_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = Store(tmp_path_factory.mktemp("few")).create("Few")
    made.put("real", read_csv(people(0), name="real.csv"))
    finished(made, MembershipPlan(trainings=8, generations=2, n_syn=120))
    (finding,) = findings(made)
    assert finding.view == ()
    assert finding.chart is None
