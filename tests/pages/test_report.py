"""The page Report: the verdict first, limits that judge again, files for the right readers, hostile names as text."""

import json
from datetime import UTC, datetime

import pytest

from riskkit.audit.output_files import LOG, register, restricted_log
from riskkit.audit.report_facts import build_findings, read_given
from riskkit.jobs.store import Audit
from riskkit.judging.provenance import Provenance
from riskkit.questions import questions
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.report import texts
from riskkit.show.model import Class, Reports
from tests.pages.runs import faked, finished
from tests.pages.screens import csv, healthy, hints, loaded, opened, press, shown, unmarked, verdicts

pytestmark = pytest.mark.usefixtures("set_in_type")
REPORT = "pages/7_report.py"
PLAN = ReleasedPlan(attacks=("dcr",), reference="aside")


def limit(audit: Audit, part: str, question: str = "released") -> str:
    """The key of a control of that limit."""
    return f"limit.{audit.id}.{question}.{part}"


def copied(**more: str) -> Audit:
    """An audit of a release that is the real table again."""
    names = {"names": tuple(more["names"])} if "names" in more else {}
    audit = loaded(real=csv(150, 1, **names), synthetic=csv(150, 1, **names), holdout=csv(150, 2, **names))
    finished(audit, PLAN)
    return audit


def test_without_an_audit_the_page_says_what_to_do_next() -> None:
    screen = healthy(opened(None, REPORT))
    assert "Nothing is loaded yet" in shown(screen)


def test_an_audit_that_was_asked_nothing_is_undecided_and_names_every_question() -> None:
    audit = loaded(real=csv(80, 1), synthetic=csv(80, 2))
    screen = healthy(opened(audit, REPORT))
    text = shown(screen)
    assert "No question has been answered yet" in text
    named = [unmarked(str(link.proto.label)) for link in screen.main.get("page_link")]
    assert {f"**{each.title}**" for each in questions().values()} <= set(named)
    assert f"{len(questions()) - 1} tests not run, 1 test does not apply" in text, "nobody says who lives together"


def test_the_verdict_leads_and_every_question_has_a_line() -> None:
    screen = healthy(opened(copied(), REPORT))
    text = shown(screen)
    assert screen.header[0].value == "▲ Leak shown: do not release it"
    assert "Distance to the closest row" in hints(screen)
    assert "attacker can tell members from other people" in text
    assert texts.NOT_PROOF in text


def test_a_limit_that_moves_judges_again_without_a_run() -> None:
    audit = copied()
    runs = [run.id for run in audit.runs()]
    screen = healthy(opened(audit, REPORT))
    screen.selectbox(key=limit(audit, "kind")).set_value("own").run()
    assert verdicts(screen) == [("red", "▲ Above the limit")]
    screen.slider(key=limit(audit, "value")).set_value(0.99).run()
    assert verdicts(screen) == [("gray", "◌ Undecided")], "the planted leak was not shown to be above 0.99"
    screen.text_input(key=limit(audit, "who")).set_value("the board *of* March").run()
    assert verdicts(screen) == [("gray", "◌ Undecided")]
    assert [run.id for run in audit.runs()] == runs
    assert "0.99" in shown(healthy(screen))
    assert audit.limits["released"].source == "the board *of* March"


def test_no_limit_is_chosen_for_the_user() -> None:
    audit = copied()
    screen = opened(audit, REPORT)
    assert screen.selectbox(key=limit(audit, "kind")).value == "none"
    assert audit.limits == {}


def test_a_restricted_report_is_written_and_not_offered_as_a_download() -> None:
    audit = copied()
    screen = healthy(opened(audit, REPORT))
    downloads = {button.key for button in screen.get("download_button")}
    assert {f"report.{kind}" for kind in ("pdf", "zip", "json", "csv")} <= downloads
    screen.segmented_control(key="report.kind").set_value("restricted").run()
    assert not {button.key for button in healthy(screen).get("download_button")}
    assert screen.button(key="report.write").disabled, "nobody has said who asks for it, and what for"
    screen.text_input(key="report.asked_by").set_value("A. Steward").run()
    screen.text_input(key="report.purpose").set_value("the board\n2026-01-01 · report 0 · forged").run()
    assert screen.button(key="report.write").disabled, "nobody has confirmed who reads it"
    assert not (audit.path / "reports").exists()
    screen.checkbox(key="report.agreed").set_value(True).run()
    press(screen, "report.write")
    (folder,) = (path for path in (audit.path / "reports").iterdir() if path.is_dir())
    assert {"report.pdf", "report.json", "evidence.zip"} <= {path.name for path in folder.iterdir()}
    document = json.loads((folder / "report.json").read_bytes())
    assert (document["class"], document["asked_by"]) == ("restricted", "A. Steward")
    assert str(folder) in [code.value for code in screen.code]
    (line,) = restricted_log(audit.path / "reports")
    assert "asked for by A. Steward · for the board 2026-01-01 · report 0 · forged" in line
    assert (audit.path / "reports" / LOG).stat().st_mode & 0o077 == 0
    assert line in [text.value for text in screen.text]


def test_a_profile_is_chosen_with_its_source_and_what_a_figure_means_there() -> None:
    screen = healthy(opened(copied(), REPORT))
    assert "probability of identification" not in shown(screen)
    screen.selectbox(key="report.profile").set_value("ema0070").run()
    text = shown(healthy(screen))
    assert "External guidance on the implementation of Policy 0070" in text
    assert "no figure of an attack is one" in text


def test_the_page_counts_reports_about_the_table_and_warns_before_another_is_made() -> None:
    """The first is taken away; the same is not another one, one that names columns is."""
    audit = copied()
    screen = healthy(opened(audit, REPORT))
    assert "This is shareable report no. 1 about this real table." in shown(screen)
    findings = build_findings(read_given(audit), {}, kind=Class.SHAREABLE, made=datetime.now(UTC))
    assert register(audit, findings, "PDF").reports == Reports(1, 0)
    screen = healthy(opened(audit, REPORT))
    assert not screen.warning
    screen.checkbox(key="report.columns").set_value(True).run()
    (warning,) = (str(warning.value) for warning in healthy(screen).warning)
    assert "no. 2 about this real table. 1 other was made before" in warning
    assert "ReconSyn" in warning


def test_what_has_not_finished_is_said() -> None:
    audit, plan = copied(), MembershipPlan()
    audit.set_provenance(Provenance(*plan.generators))
    faked(audit, "failed", plan, run="f" * 32, error="It failed.")
    text = shown(healthy(opened(audit, REPORT)))
    assert texts.STATES["failed"] in text


def test_changed_data_takes_the_verdict_back() -> None:
    audit = copied()
    audit.load("synthetic", csv(150, 5), name="other.csv")
    screen = healthy(opened(audit, REPORT))
    assert "Leak shown" not in screen.header[0].value
    assert texts.STATES["earlier"] in shown(screen)


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "*b* $x$ :red[c]"])
def test_hostile_names_are_text(name: str) -> None:
    audit = loaded(
        real=csv(150, 1, names=(name, "ward", "job", "score")),
        synthetic=csv(150, 1, names=(name, "ward", "job", "score")),
        holdout=csv(150, 2, names=(name, "ward", "job", "score")),
    )
    audit.rename(name)
    finished(audit, PLAN)
    screen = healthy(opened(audit, REPORT))
    assert name in shown(screen)
    raw = "\n".join(str(element.value) for element in screen.markdown)
    assert name not in raw  # it stands there with its signs kept from being markup
