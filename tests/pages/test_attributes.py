"""The Attributes page in every state it can be in, with results that were really played."""

import json
import re
from dataclasses import replace
from functools import partial

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.core import Role
from riskkit.dashboard.frame import state
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.words import BEST_TITLE
from tests.pages.runs import faked, finished, started
from tests.pages.screens import csv, field, healthy, loaded, opened, press, refusals, shown, unmarked
from tests.speaking import speak

PAGE = "pages/4_attributes.py"
PLAN = AttributePlan(secrets=("job",), model="tree", groups=("ward",))
SWEEP = AttributePlan(
    secrets=("job",), known=("others", ("ward", "age")), model="tree", sweep=True, sweep_model="linear"
)
ROWS = 240
key = partial(field, "attributes")
SLOTS = ("real", "synthetic", "holdout")
LEVEL = "Quokka"
"""A job that stands in every table."""


@pytest.fixture
def audit() -> Audit:
    """A release that gives nobody away, with a holdout; nothing run yet."""
    return loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 2), holdout=csv(ROWS, 1))


@pytest.fixture
def leaky() -> Audit:
    """The members themselves as the release."""
    return loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0), holdout=csv(ROWS, 1))


def page(audit: Audit) -> AppTest:
    return healthy(opened(audit, PAGE))


def about_score(audit: Audit) -> AppTest:
    """The page where the user has said what the secret is."""
    screen = page(audit)
    screen.multiselect(key=key(audit, "secrets")).set_value(["score"])
    return healthy(screen.run())


# --------------------------------------------------------------------------------------------------------------
# Before


def test_the_form_starts_at_the_defaults_of_a_plan(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    assert "Example: an attacker guesses" in shown(screen)
    assert screen.multiselect(key=key(audit, "secrets")).value == [], "nobody can guess which column is a secret"
    assert "Choose at least one secret" in " ".join(str(box.value) for box in screen.info)
    assert refusals(screen) == [], "a question is no error"
    assert screen.button(key=key(audit, "run")).disabled
    menu = screen.selectbox(key=key(audit, "model"))
    assert menu.options == [
        *(plugin.title for plugin in registry.plugins("inference").values()),
        BEST_TITLE,
    ]
    screen.multiselect(key=key(audit, "secrets")).set_value(["score"]).run()
    plan = started(screen, audit, "attributes", monkeypatch)
    assert plan == AttributePlan(secrets=("score",))


def test_the_form_asks_what_the_run_that_is_shown_asked(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    before = AttributePlan(
        secrets=("job",),
        known=("others", ("ward", "age"), "greedy:2"),
        model="tree:leaf=7",
        groups=("ward",),
        sweep=True,
        sweep_model="linear",
        tolerance=0.1,
        absolute=2.5,
        confidence=0.8,
        no_match="nothing",
        baseline="released",
        generator="bayesnet:bins=5",
        randomised=10,
        targets=20,
        max_rows=400,
        seed=2,
        level=0.9,
    )
    other = replace(before, secrets=("ward",), known=("others",), groups=(), absolute=None)
    faked(audit, "cancelled", other, run="b" * 32, done=1, total=9)
    run = faked(audit, "cancelled", before, run="a" * 32, done=1, total=9)
    screen = healthy(opened(audit, PAGE, run=run.id))
    asked: list[AttributePlan] = []

    def start(_: Audit, plan: AttributePlan, **__: object) -> Run:
        asked.append(plan)
        return run

    monkeypatch.setattr(Audit, "start", start)
    press(screen, key(audit, "run"))
    assert asked == [before]
    screen.query_params["run"] = "b" * 32
    press(healthy(screen.run()), key(audit, "run"))
    assert asked == [before, other]


def test_before_a_first_run_the_secrets_are_those_of_the_page_audit() -> None:
    """What it guesses by the names, then what was named there, in a page that was open before too."""
    audit = loaded(
        **{slot: csv(ROWS, seed, names=("age", "ward", "diagnosis", "score")) for seed, slot in enumerate(SLOTS)}
    )
    screen = page(audit)
    assert screen.multiselect(key=key(audit, "secrets")).value == ["diagnosis"]
    assert not screen.button(key=key(audit, "run")).disabled
    audit.answer(replace(audit.answers, secrets=("ward", "score")))
    assert healthy(screen.run()).multiselect(key=key(audit, "secrets")).value == ["ward", "score"]


def test_a_column_whose_role_is_secret_is_asked_about(audit: Audit) -> None:
    audit.choose({"job": ColumnChoice(role=Role.SECRET)})
    screen = page(audit)
    assert screen.multiselect(key=key(audit, "secrets")).value == ["job"]


@pytest.mark.usefixtures("timed")
def test_before_it_runs_it_says_what_it_could_show_and_how_long_it_takes(audit: Audit) -> None:
    score = about_score(audit)
    could_show = r"240 members' records and 240 of others: 8 of 10 audits detect a residual of \d\.\d\d or more"
    assert re.search(could_show, shown(score))
    assert "This takes **about" in shown(score)


def test_until_it_is_timed_it_says_what_half_of_the_people_guessed_would_show(audit: Audit) -> None:
    score = about_score(audit)
    assert "How long it takes is not known yet" in shown(score)
    assert "if half of the people are guessed rightly anyway" in shown(score)


def test_the_best_model_can_be_left_to_the_people(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    score = about_score(audit)
    score.selectbox(key=key(audit, "model")).set_value("best").run()
    assert "nobody has a say in the choice of their own model" in shown(healthy(score))
    assert started(score, audit, "attributes", monkeypatch).model == "best"


def test_a_generator_that_is_named_is_run_again_and_its_cost_stands_first(audit: Audit) -> None:
    screen = page(audit)
    assert "Without a generator no secrets are drawn anew" in shown(screen)
    screen.multiselect(key=key(audit, "secrets")).set_value(["job", "score"])
    screen.selectbox(key=key(audit, "generator")).set_value("bayesnet").run()
    assert "40 trainings of bayesnet, 20 for each secret and known set" in unmarked(shown(healthy(screen)))


def test_secrets_drawn_anew_have_a_sentence_and_a_table(leaky: Audit) -> None:
    finished(leaky, AttributePlan(secrets=("job",), model="tree:leaf=1", generator="identity", randomised=5))
    screen = page(leaky)
    assert "what leaks is a person's own row" in shown(screen)
    assert "In 5 new trainings of identity, 24 people had their “job” drawn at random" in shown(screen)
    table = next(frame.value for frame in screen.dataframe if "n" in frame.value)
    assert list(table["what"]) == ["Random secrets guessed rightly", "By chance", "Gain over chance"]
    assert set(table["n"]) == {5}


def test_without_a_generator_the_result_says_what_is_missing(leaky: Audit) -> None:
    finished(leaky, PLAN)
    assert "Secrets drawn anew: not asked" in [fold.label for fold in page(leaky).expander]


def test_a_tolerance_is_asked_for_where_a_number_is_guessed(audit: Audit) -> None:
    score = about_score(audit)
    assert "or within this distance (in the unit of score)" in [box.label for box in score.number_input]
    score.multiselect(key=key(audit, "secrets")).set_value(["job"]).run()
    assert not [box for box in score.number_input if "distance" in box.label]


def test_a_sweep_says_what_it_costs_before_it_is_chosen(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    score = about_score(audit)
    score.button_group(key=key(audit, "known")).set_value(["others", "greedy"]).run()
    assert "4 columns × 2 known sets: 8 questions in all" in shown(score)
    assert not score.toggle(key=key(audit, "sweep")).value
    score.toggle(key=key(audit, "sweep")).set_value(True).run()
    assert started(healthy(score), audit, "attributes", monkeypatch).sweep


@pytest.mark.parametrize(
    ("widget", "value", "sentence"),
    [("secrets", [], "Choose at least one secret"), ("columns", [], "Choose at least one column that is known")],
)
def test_a_form_that_makes_no_plan_is_a_sentence_and_nothing_can_be_run(
    audit: Audit, widget: str, value: list[str], sentence: str
) -> None:
    score = about_score(audit)
    if widget == "columns":
        score.button_group(key=key(audit, "known")).set_value(["chosen"]).run()
    score.multiselect(key=key(audit, widget)).set_value(value).run()
    assert sentence in shown(healthy(score))
    assert score.button(key=key(audit, "run")).disabled


def test_nothing_known_is_a_sentence(audit: Audit) -> None:
    score = about_score(audit)
    score.button_group(key=key(audit, "known")).set_value([]).run()
    assert "What is known (known): choose at least one" in shown(healthy(score))
    assert score.button(key=key(audit, "run")).disabled


# --------------------------------------------------------------------------------------------------------------
# After


def test_members_as_the_release_are_a_leak_shown(leaky: Audit) -> None:
    finished(leaky, PLAN)
    screen = page(leaky)
    assert "▲ Leak shown" in shown(screen)
    first = unmarked(screen.header[0].value)
    assert first == "Knowing all other columns, an attacker guesses “job” right more often for members than for others."
    assert "the release makes “job” easier to guess of people in the data" in shown(screen)
    assert "about the very people in the data" in shown(screen)
    assert "*job*" not in shown(screen), "no stray asterisks around a column"
    assert state.mark("attributes", leaky) == state.DONE


def test_a_fresh_release_is_no_leak_shown(audit: Audit) -> None:
    finished(audit, PLAN)
    assert "◌ Undecided" in shown(page(audit))
    assert "▲ Leak shown" not in shown(page(audit))


def test_in_japanese_too_only_the_first_sentence_stands_large(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(audit, PLAN)
    speak(monkeypatch, "ja")
    screen = page(audit)
    first = unmarked(screen.header[0].value)
    assert first.count("。") == 1
    assert "他のすべての列を知っている" in shown(screen), "the whole of it is in a fold"


def test_what_stands_in_the_way_of_a_verdict_is_said_once() -> None:
    after = {b"baker": b"clerk", b"clerk": b"Quokka", b"Quokka": b"baker"}
    avoided = re.sub(b"|".join(after), lambda job: after[job[0]], csv(ROWS, 0))  # each member has another job
    audit = loaded(real=csv(ROWS, 0), synthetic=avoided, holdout=csv(ROWS, 1))
    finished(audit, PLAN)
    text = shown(page(audit))
    assert text.count("“job” is harder to guess of people in the data than of others (residual") == 1
    assert text.count("the release avoids real rows") == 1


def test_a_result_has_its_pictures_and_tables(leaky: Audit) -> None:
    finished(leaky, PLAN)
    screen = page(leaky)
    assert len(screen.get("plotly_chart")) == 2, "the bars, and for whom risk is highest"
    numbers, _, measures, gains, contrasts, others, matches = (frame.value for frame in screen.dataframe)
    about = ["Members", "Others: people outside the data (control)", "Baseline: one guess for everybody"]
    assert list(numbers["about"])[:3] == about
    assert {"Members beyond others (residual)", "The same of a leak planted as a control"} <= set(numbers["about"])
    assert all("[" in cell for cell in numbers["number"])
    assert set(others["measure"]) > {"Residual risk of being in the data"}, "whatever stands in no other table"
    assert measures["measure"][0] == "Guessed rightly"
    assert all("[" in cell for side in ("baseline", "control", "members", "ceiling") for cell in measures[side][:1])
    assert list(gains["measure"]) == ["Guessed rightly", "Balanced accuracy", "Macro F1", "AUC"]
    people, chance = "most frequent (or median) of the people tested", "chance"
    assert list(gains["over"]) == [people, chance, people, chance]
    assert all("[" in cell for column in ("release", "real") for cell in gains[column])
    luck = "not read: guesses drawn at random gain too"
    assert list(gains["risk"]) == ["no ratio", "no ratio", luck, "no ratio"], "random columns tell nothing of the job"
    assert "other baseline" in measures
    assert {"Residual risk of being in the data", "Members minus control"} <= set(contrasts["what"])
    assert list(matches["measure"]) == ["Have a matching row", "CAP", "DCAP", "Matching rows all agree", "TCAP"]
    assert matches["members"][0].startswith("1.00"), "every member is in the release"
    assert matches["apart"][2].startswith("0."), "DCAP of members over that of people who were not in"
    assert "By this measure alone" in shown(screen)
    assert "(gain of a model of the real data over the baseline): Guessed rightly" in shown(screen).replace("**", ""), (
        "random columns tell nothing of the job"
    )


def telling(seed: int) -> bytes:
    """A table whose ward tells the job of most."""
    job_of = dict(zip("EWSX", ("baker", "baker", "clerk", "Quokka"), strict=True))
    head, *rows = csv(ROWS, seed).decode().splitlines()
    cells = [row.split(",") for row in rows]
    lines = [f"{a},{ward},{job_of[ward] if index % 5 else job},{s}" for index, (a, ward, job, s) in enumerate(cells)]
    return "\n".join([head, *lines, ""]).encode()


def test_where_the_columns_tell_something_the_ratio_is_read_beside_the_verdict() -> None:
    audit = loaded(real=telling(0), synthetic=telling(2), holdout=telling(1))
    finished(audit, AttributePlan(("job",), (("ward",),), model="tree", baseline="released"))
    screen = page(audit)
    gains = screen.dataframe[3].value
    rows, chance = "most frequent (or median) of the released rows", "chance"
    assert list(gains["over"]) == [rows, chance, rows, chance]
    luck = "not read: guesses drawn at random gain too"
    assert list(gains["risk"]) == ["more than half", "more than half", luck, "more than half"]
    text = shown(screen)
    (numbers,) = (frame.value for frame in screen.dataframe if "number" in frame.value)
    assert "The same as a share of what the real data would add" in set(numbers["about"])
    assert "of what the real data would add" in text
    assert "the verdict rests on members compared with people outside the data" in text


def test_another_measure_can_be_looked_at(leaky: Audit) -> None:
    finished(leaky, PLAN)
    screen = page(leaky)
    before = screen.get("plotly_chart")[0].proto.spec
    screen.selectbox(key="attributes.measure").set_value("log_loss").run()
    after = healthy(screen).get("plotly_chart")[0].proto.spec
    assert after != before
    assert "Log loss" in after


def test_row_numbers_of_exposed_people_are_shown_only_when_asked_for(leaky: Audit) -> None:
    run = finished(leaky, PLAN)
    (record,) = run.result["records"]
    rows = [row for row, named in zip(record["row"], record["exposed"], strict=True) if named]
    assert rows
    screen = page(leaky)
    assert any(fold.label.startswith("Guessed with confidence, beyond chance: ") for fold in screen.expander)
    assert f"model that never saw the person: {len(rows):,} [" in shown(screen)
    assert len(screen.dataframe) == 7
    screen.toggle(key="attributes.reveal").set_value(True).run()
    assert list(healthy(screen).dataframe[7].value["row"]) == rows


def test_what_is_downloaded_has_nothing_of_a_single_person(leaky: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the kept result does have row numbers, so leaving the filter out is seen."""
    kept = json.dumps(finished(leaky, PLAN).result)
    files: list[str] = []
    monkeypatch.setattr(st, "download_button", lambda _, data, **__: files.append(data()))
    page(leaky)
    (passed_on,) = files
    for private in ('"row":', '"exposed": [', '"never_in_right"', '"records"'):
        assert private in kept
        assert private not in passed_on
    assert '"estimates"' in passed_on


def test_no_value_of_a_row_is_on_the_page(leaky: Audit) -> None:
    finished(leaky, PLAN)
    screen = page(leaky)
    screen.toggle(key="attributes.reveal").set_value(True).run()
    assert LEVEL in csv(ROWS, 0).decode()
    assert LEVEL not in shown(screen)
    assert not any(LEVEL in str(frame.value) for frame in screen.dataframe)


def test_a_sweep_has_a_heatmap_with_a_switch_and_a_table(leaky: Audit) -> None:
    finished(leaky, SWEEP)
    screen = page(leaky)
    before = screen.get("plotly_chart")[-1].proto.spec
    assert "beyond the baseline" in shown(screen)
    screen.button_group(key="attributes.what").set_value("residual").run()
    assert healthy(screen).get("plotly_chart")[-1].proto.spec != before
    table = next(frame.value for frame in screen.dataframe if "residual" in frame.value)
    assert len(table) == 4 * 2
    assert set(table["secret"]) == {"age", "ward", "job", "score"}


def test_of_several_secrets_one_is_looked_at(leaky: Audit) -> None:
    finished(leaky, AttributePlan(secrets=("job", "score"), model="tree"))
    screen = page(leaky)
    assert shown(screen).count("Decision tree") >= 2
    before = screen.get("plotly_chart")[0].proto.spec
    screen.selectbox(key="attributes.answer").set_value(1).run()
    after = healthy(screen).get("plotly_chart")[0].proto.spec
    assert after != before
    assert "people guessed within" in after


def test_without_a_holdout_it_says_what_can_be_said_and_what_cannot() -> None:
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0))
    finished(audit, PLAN)
    screen = page(audit)
    assert "No holdout is loaded" in shown(screen)
    assert "◌ Undecided" in shown(screen)
    assert "▲" not in shown(screen).replace("▲:", "")
    assert len(screen.get("plotly_chart")) == 1, "the bars"
    assert "and none of others: the residual cannot be measured" in shown(screen)


def test_a_secret_that_cannot_be_asked_is_in_the_notes() -> None:
    """Planted: a release without a single score."""
    empty = re.sub(rb",[\d.]+\n", b",\n", csv(ROWS, 2))
    audit = loaded(real=csv(ROWS, 0), synthetic=empty, holdout=csv(ROWS, 1))
    finished(audit, AttributePlan(secrets=("score",), model="tree"))
    screen = page(audit)
    assert "was not asked" in shown(screen)
    assert not screen.get("plotly_chart")


def test_a_column_named_like_markup_is_read_letter_by_letter() -> None:
    names = ("age", "ward", "[job](http://x)", "score")
    audit = loaded(
        **{slot: csv(ROWS, seed, names=names) for slot, seed in (("real", 0), ("synthetic", 2), ("holdout", 1))}
    )
    finished(audit, AttributePlan(secrets=(names[2],), model="tree"))
    screen = page(audit)
    text = "\n".join(str(element.value) for element in [*screen.markdown, *screen.header, *screen.caption])
    assert "(http" in text
    assert not re.search(r"(?<!\\)\]\(http", text), "every bracket that could make a link is escaped"
