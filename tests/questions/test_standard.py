"""What an audit with one button asks: only what applies, of the columns that were said, and more with more effort."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from riskkit import registry
from riskkit.audit.report_facts import build_given
from riskkit.core import Role
from riskkit.errors import DesignError, ParameterError
from riskkit.plans import Plan
from riskkit.questions import questions
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.questions.standard import (
    PERSON,
    SEVERAL,
    Effort,
    Situation,
    StewardAnswers,
    effort_of,
    likely_secrets,
    plans_for,
    sensitive,
    soonest_first,
)
from riskkit.report.build import read
from riskkit.show.model import Class, Played
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables, load
from riskkit.table.people.persons import Persons
from riskkit.table.read.csv_text import read_csv
from sample_data import two_tables
from tests.table.test_children import of_files


def people(youngest: int) -> str:
    """Sixty people, some of them alike, with a column whose name says that it is sensitive."""
    rows = (
        f"{youngest + person * 7 % 29},{'fm'[person % 2]},{'abc'[person % 3]},{'xyz'[person % 5 % 3]}"
        for person in range(60)
    )
    return "\n".join(["age,sex,job,diagnosis", *rows])


FILE = ["released", "attributes", "singling-out", "linkability"]
"""What is asked of the file alone, in the order of a report."""
REAL, OTHERS = people(20), people(60)


def loaded(real: str, release: str | None, holdout: str | None, **choices: ColumnChoice) -> Tables:
    """These texts as files that were loaded."""
    files = (None if text is None else read_csv(text.encode(), name="people.csv") for text in (real, release, holdout))
    first, *others = files
    assert first is not None
    return load(first, *others, choices=choices)


def tables(*, release: bool = True, holdout: bool = True, **choices: ColumnChoice) -> Tables:
    return loaded(REAL, REAL if release else None, OTHERS if holdout else None, **choices)


def asked(
    effort: Effort = Effort.QUICK, made_by: str = "", answers: StewardAnswers | None = None, **there: bool
) -> list[Plan]:
    return list(plans_for(Situation(tables(**there), effort, made_by, answers or StewardAnswers())))


@pytest.mark.parametrize(
    ("holdout", "made_by", "applies"),
    [
        (False, "", ["released"]),  # which says what can be said, and how to make a holdout
        (True, "", FILE),
        (False, "stat", ["membership", "records"]),
        (True, "stat", ["membership", "released", "records", *FILE[1:]]),
    ],
)
def test_only_what_applies_is_asked_in_the_order_of_a_report(holdout: bool, made_by: str, applies: list[str]) -> None:
    for effort in Effort:
        assert [plan.question for plan in asked(effort, made_by, holdout=holdout)] == applies


def test_nothing_can_be_asked_of_no_release() -> None:
    with pytest.raises(DesignError, match="No release is loaded"):
        asked(release=False)


def test_explanations_and_contests_are_never_asked_by_themselves() -> None:
    by_themselves = {plan.question for plan in asked(Effort.THOROUGH, "stat")}
    assert set(questions()) - by_themselves >= {"explanations", "contest"}


@pytest.mark.parametrize("effort", Effort)
def test_the_method_that_made_the_release_is_asked_about_with_as_many_rows(effort: Effort) -> None:
    membership, _, records, *_ = asked(effort, "bayesnet:degree=2")
    assert isinstance(membership, MembershipPlan)
    assert isinstance(records, RecordsPlan)
    assert (membership.generators, membership.n_syn) == (("bayesnet:degree=2",), 60)
    assert membership.targets == ("selective", "random")
    assert (records.generator, records.n_syn, records.certificate) == ("bayesnet:degree=2", 60, True)
    assert not next(plan for plan in asked(effort, "copula") if isinstance(plan, RecordsPlan)).certificate


@pytest.mark.parametrize("method", ["mst", "aim_tree", "private_gsd", "privbayes"])
def test_records_of_a_method_of_noise_are_answered_with_its_bound(method: str) -> None:
    (plan,) = (plan for plan in asked(Effort.QUICK, method) if isinstance(plan, RecordsPlan))
    assert plan.certificate
    two_rows = replace(tables(), persons=Persons("name", np.repeat(np.arange(30), 2)))
    plans = plans_for(Situation(two_rows, Effort.QUICK, made_by=method))
    (plan,) = (plan for plan in plans if isinstance(plan, RecordsPlan))
    assert not plan.certificate, "it is known for one row more or less"


def test_more_effort_plays_more() -> None:
    quick, standard, thorough = ({plan.question: plan for plan in asked(effort, "stat")} for effort in Effort)
    assert quick.keys() == standard.keys() == thorough.keys()
    for name, setting in {"membership": "trainings", "records": "inside", **dict.fromkeys(FILE, "max_rows")}.items():
        least, usual, most = (getattr(plans[name], setting) for plans in (quick, standard, thorough))
        assert least < usual < most, name


def test_a_quick_audit_grows_fewer_trees() -> None:
    trees = [
        registry.parse("inference", plan.model).trees
        for effort in Effort
        for plan in asked(effort)
        if isinstance(plan, AttributePlan)
    ]
    assert trees[0] == trees[1] / 2 == trees[2] / 2


def test_secrets_are_those_that_were_said_else_of_the_role_else_of_the_name_else_all() -> None:
    def secrets(situation: Situation) -> tuple[str, ...]:
        (plan,) = (plan for plan in plans_for(situation) if isinstance(plan, AttributePlan))
        return plan.secrets

    quick, plain = Effort.QUICK, tables()
    assert secrets(Situation(plain, quick, answers=StewardAnswers(secrets=("job", "sex")))) == ("job", "sex")
    assert secrets(Situation(tables(sex=ColumnChoice(role=Role.SECRET)), quick)) == ("sex",)
    assert secrets(Situation(plain, quick)) == likely_secrets(plain.schema) == ("diagnosis",)
    unnamed = loaded(*(text.replace("diagnosis", "colour") for text in (REAL, REAL, OTHERS)))
    assert secrets(Situation(unnamed, quick)) == ("all",)


def test_what_an_attacker_knows_is_what_was_said() -> None:
    (plan,) = (p for p in asked(answers=StewardAnswers(known=("age", "sex"))) if isinstance(p, AttributePlan))
    assert plan.known == (("age", "sex"),)
    (plan,) = (p for p in asked() if isinstance(p, AttributePlan))
    assert plan.known == ("others",)


@pytest.mark.parametrize(
    ("name", "is_sensitive"),
    [
        ("diagnosis", True), ("HomeIncome", True), ("annual income (USD)", True), ("ICD10", True),
        ("salary_2024", True),
        ("gehalt", True), ("年収", True), ("病名", True), ("age", False), ("district", False), ("raced", False),
        ("debtor", False), ("x1", False), ("", False),
    ],
)  # fmt: skip
def test_names_that_say_something_sensitive_are_known_by_whole_words(name: str, is_sensitive: bool) -> None:
    assert bool(sensitive([name])) is is_sensitive


def test_answers_are_kept_as_they_were_said_and_lose_columns_that_are_gone() -> None:
    answers = StewardAnswers(SEVERAL, ("job",), ("age", "gone"))
    assert StewardAnswers.from_dict(answers.as_dict()) == answers
    assert answers.within(tables().schema) == StewardAnswers(SEVERAL, ("job",), ("age",))
    assert StewardAnswers.from_dict({}) == StewardAnswers()
    with pytest.raises(DesignError, match="cannot stand for 'household'; say person or several"):
        StewardAnswers("household")


def test_an_effort_that_is_not_there_is_refused_with_the_nearest() -> None:
    assert effort_of("thorough") is Effort.THOROUGH
    with pytest.raises(DesignError, match=r"no effort 'quik' \(did you mean 'quick'\?\)"):
        effort_of("quik")


def test_what_needs_the_files_alone_is_played_first() -> None:
    order = [plan.question for plan in soonest_first(asked(made_by="stat"))]
    assert order == [*FILE, "membership", "records"]


def test_a_method_that_is_not_there_is_refused() -> None:
    with pytest.raises((DesignError, ParameterError), match="no 'bayesnt'"):
        asked(made_by="bayesnt")


# --- people with several rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "codes"), [("", []), (PERSON, []), (SEVERAL, ["rows_not_people"])])
def test_where_people_have_several_rows_every_question_says_that_rows_were_counted(row: str, codes: list[str]) -> None:
    facts = build_given("", tables(), (), give_aways=(), row=row)
    findings = read(_played(), facts, kind=Class.RESTRICTED)
    assert [reason.code for reason in findings[0].measured.reasons if reason.code == "rows_not_people"] == codes


def _played() -> Played:
    """A finished run of the released file, of which only the verdict's reasons are looked at here."""
    plan = ReleasedPlan(attacks=("dcr",))
    return Played("released", "r", "finished", plan.as_dict(), run_released(tables(), plan).plain())


def across(folder: Path, *, holdout: bool = True, **choices: ColumnChoice) -> Tables:
    """The made cohort of patients with their visits, without a leak."""
    two_tables.write(folder, "none", 60, 3)
    return of_files(folder, choices, holdout=holdout)


def attributes_of(tables: Tables, answers: StewardAnswers | None = None) -> list[AttributePlan]:
    plans = plans_for(Situation(tables, Effort.QUICK, "", answers or StewardAnswers()))
    return [plan for plan in plans if isinstance(plan, AttributePlan)]


def test_people_with_a_second_table_are_asked_about_across_both(tmp_path: Path) -> None:
    tables = across(tmp_path)
    (plan,) = attributes_of(tables)
    assert plan.second_table
    assert plan.secrets == ("most_frequent(diagnosis)",), "of both tables the one column whose name is sensitive"
    assert [unit.secret for unit in plan.units(plan.summarise(tables).schema)] == list(plan.secrets)
    (plan,) = attributes_of(tables, StewardAnswers(secrets=("bmi",), known=("age", "sex")))
    assert plan.secrets == ("bmi", "most_frequent(diagnosis)")
    assert plan.known == (("age", "sex"),)
    assert attributes_of(across(tmp_path, holdout=False)) == []


def test_a_secret_of_the_second_table_is_asked_about_by_a_summary_of_its_kind(tmp_path: Path) -> None:
    secret = ColumnChoice(role=Role.SECRET)
    for column, summary in (("cost", "mean(cost)"), ("day", "last(day)"), ("ward", "most_frequent(ward)")):
        tables = across(tmp_path, **{f"children:{column}": secret})
        (plan,) = attributes_of(tables)
        assert plan.secrets == (summary,)
        assert plan.secrets[0] in {column.name for column in plan.summarise(tables).schema.columns}


def test_where_nothing_looks_sensitive_every_column_of_both_tables_is_asked_about(tmp_path: Path) -> None:
    tables = across(tmp_path, **{"children:diagnosis": ColumnChoice(role=Role.IGNORED)})
    (plan,) = attributes_of(tables)
    assert plan.secrets == ("age", "sex", "district", "bmi", "last(day)", "most_frequent(ward)", "mean(cost)")
