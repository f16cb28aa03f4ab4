"""The Contest page in every state it can be in, with contests that were really played."""

import json
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.dashboard.frame import state
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import own
from riskkit.questions.contest.entries import HandedIn
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.opponents import SUITE
from tests.pages.runs import finished, started
from tests.pages.screens import (
    csv,
    field,
    healthy,
    keys,
    loaded,
    opened,
    press,
    refusals,
    shown,
    unmarked,
    verdicts,
)

PAGE = "pages/6_contest.py"
ROWS = 300
STAT, IDENTITY = "Mean and covariance (OMTH17)", "The table itself (calibration)"
key = partial(field, "contest")
PLAN = ContestPlan(
    anonymisers=("identity", "stat"), attackers=("distance", "two-sided"), source="people", guesses=30, rules="none"
)


@pytest.fixture
def audit() -> Audit:
    """A copy of the members as the release, with a holdout; nothing played yet."""
    return loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0), holdout=csv(ROWS, 1))


def page(audit: Audit) -> AppTest:
    return healthy(opened(audit, PAGE))


def test_the_form_starts_with_the_people_and_the_release_among_them(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = page(audit)
    assert "Example: of 100 people named" in shown(screen)
    assert "guessing finds 50.0" in shown(screen), "100 of 600 people, half of whom were in"
    assert "How long it takes is not known yet" in shown(screen)
    plan = started(screen, audit, "contest", monkeypatch)
    assert (plan.source, plan.attackers, plan.rounds) == ("people", SUITE, 1)
    assert plan.anonymisers[:2] == ("stat", "evasion")
    assert plan.anonymisers[2:5] == ("pram:p=0.5", "pram:p=0.7", "pram")
    assert {name.partition(":")[0] for name in plan.anonymisers[5:]} == {"kanonymity", "noise"}
    assert (plan.classifiers, plan.secret, plan.control) == (("tree",), "ward", True)


def test_a_made_population_has_sizes_rounds_and_rules(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "source")).set_value("stat").run()
    assert screen.number_input(key=key(audit, "stat", "population")).value == 10 * ROWS
    screen.number_input(key=key(audit, "stat", "sample")).set_value(200)
    screen.number_input(key=key(audit, "guesses")).set_value(40)
    screen.selectbox(key=key(audit, "rounds")).set_value(5)
    screen.selectbox(key=key(audit, "rules")).set_value("final")
    screen.multiselect(key=key(audit, "released")).set_value(["contest", "dpi"])
    screen.multiselect(key=key(audit, "swept")).set_value([])
    screen.selectbox(key=key(audit, "swept", "new")).set_value("rounding").run()
    screen.number_input(key=key(audit, "swept", "new", "rounding", "base")).set_value(20.0)
    screen.selectbox(key=key(audit, "swept", "new", "rounding", "then")).set_value("noise").run()
    press(screen, key(audit, "swept", "add"))
    plan = started(healthy(screen), audit, "contest", monkeypatch)
    assert (plan.source, plan.population, plan.sample, plan.guesses) == ("stat", 3000, 200, 40)
    assert (plan.rounds, plan.rules, plan.attackers) == (5, "final", ("distance", "dpi"))
    assert plan.anonymisers == ("stat", "evasion", "rounding:base=20.0|noise")


def test_a_chain_is_made_in_the_form(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.selectbox(key=f"{key(audit, 'generators', 'evasion')}.then").set_value("rounding").run()
    plan = started(healthy(screen), audit, "contest", monkeypatch)
    assert plan.anonymisers[1] == "evasion|rounding"


@pytest.mark.usefixtures("timed")
def test_it_is_timed_before_it_runs(audit: Audit) -> None:
    screen = page(audit)
    screen.multiselect(key=key(audit, "generators")).set_value(["stat"])
    screen.multiselect(key=key(audit, "released")).set_value(["contest"])
    screen.multiselect(key=key(audit, "swept")).set_value([]).run()
    assert "This takes **" in shown(healthy(screen))
    assert "3 releases (the planted control is one of them), each shown to 1 attacker" in shown(screen)


def test_without_a_holdout_the_release_cannot_take_part_and_the_page_says_so() -> None:
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0))
    screen = page(audit)
    assert "only beside people outside the data" in shown(screen)
    assert screen.selectbox(key=key(audit, "source")).value == "stat"


def test_a_copy_is_a_leak_and_stands_on_the_frontier_as_your_release(audit: Audit) -> None:
    run = finished(audit, PLAN)
    screen = page(audit)
    text = unmarked(shown(screen))
    assert "▲ Leak shown" in text
    assert "Your release sits here: a usefulness of 1.000, and the best attacker finds 30 [" in text
    assert (
        "Planted control, the sample itself as a release: hits among 30 named rows, Contest's nearest record 30 ["
        in text
    )
    asides = " ".join(unmarked(str(caption.help)) for caption in screen.caption)
    assert "Guessing finds 15.0 of 30 named rows (300 of 600 people are members)" in asides
    frontier, matrix = (json.loads(chart.proto.spec) for chart in screen.get("plotly_chart"))
    (cells,) = matrix["data"]
    assert [row[-1].startswith("▲ 30<br>[") for row in cells["text"]] == [True, True, False]
    assert any("your release" in str(trace.get("text")) for trace in frontier["data"])
    assert state.mark("contest", audit) == state.DONE
    assert "riskkit contest --base real.csv --synthetic synthetic.csv --holdout" in screen.code[0].value
    assert run.result["anonymisers"][0]["uploaded"]


def test_every_number_of_hits_and_points_has_its_interval(audit: Audit) -> None:
    finished(audit, PLAN)
    standings, paid, hits, useful, elsewhere = (frame.value for frame in page(audit).dataframe)
    assert list(standings["anonymiser"]) == [STAT, "your release", IDENTITY], "the winner first"
    assert list(standings["place"]) == ["1", "2", "2"], "two copies share the place"
    assert standings["points"][1].startswith("0 [0, ")
    titles = {registry.plugins("released")[name].title for name in ("contest", "two-sided")}
    assert set(paid["attacker"]) == titles, "no ids where the menu has titles"
    for column in ("hits", "points"):
        assert all("[" in cell for cell in standings[column])
    assert all("[" in cell for name in ("distance", "two-sided") for cell in hits[name])
    pairs, others = (table.set_index("anonymiser")["pairs"] for table in (useful, elsewhere))
    assert pairs["your release"] == "1.000"
    assert 0 < float(pairs["Other people"]) < 1, "how close other people come stands below it"
    assert pairs["Other people"] == others["The sample itself"]
    assert float(others["your release"]) < 1, "a copy of the sample is no copy of the holdout"


def test_rounds_give_usefulness_its_interval(audit: Audit) -> None:
    plan = replace(
        PLAN, source="base", population=300, sample=60, rounds=5, attackers=("distance",), anonymisers=("stat",)
    )
    finished(audit, plan)
    *_, useful, _ = (frame.value for frame in page(audit).dataframe)
    assert all("[" in cell for cell in useful.set_index("anonymiser").loc[STAT])


def test_what_misses_a_threshold_is_named(audit: Audit) -> None:
    finished(audit, replace(PLAN, rules="final"))
    screen = page(audit)
    standings = screen.dataframe[0].value
    assert list(standings["part"])[:2] == ["yes", "yes"]
    assert re.fullmatch(r"no: .*Worst histogram 0\.\d{3}, at most 0\.03 is required.*", standings["part"][2])
    assert standings["place"][2] == "–"
    assert f"Most points in this contest: {IDENTITY}, your release, 0 [0, " in unmarked(shown(screen))


def test_an_earlier_contest_counts_as_the_preliminary_round(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [box for box in page(audit).selectbox if box.key == key(audit, "preliminary")], "there is none yet"
    before = finished(audit, PLAN)
    screen = page(audit)
    screen.multiselect(key=key(audit, "generators")).set_value(["stat"])
    screen.multiselect(key=key(audit, "swept")).set_value([]).run()
    screen.selectbox(key=key(audit, "preliminary")).set_value(before.id).run()
    asked: list[ContestPlan] = []

    def start(_: Audit, plan: ContestPlan, **__: object) -> Run:
        asked.append(plan)
        return before

    monkeypatch.setattr(Audit, "start", start)
    press(healthy(screen), key(audit, "run"))
    share = {anonymiser["anonymiser"]: anonymiser["worst"]["value"] / 30 for anonymiser in before.result["anonymisers"]}
    assert dict(asked[0].preliminary) == {"stat": share["stat"], "uploaded": 1.0}


def test_a_sample_by_condition_is_asked_for_and_foreseen(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "source")).set_value("base").run()
    screen.number_input(key=key(audit, "base", "sample")).set_value(20)
    screen.number_input(key=key(audit, "guesses")).set_value(20)
    screen.selectbox(key=key(audit, "base", "condition")).set_value("job").run()
    screen.selectbox(key=key(audit, "base", "condition", "job")).set_value("clerk").run()
    assert "guessing finds" in shown(healthy(screen))
    assert started(screen, audit, "contest", monkeypatch).condition == "job=clerk"


def test_a_condition_on_a_number_has_an_end(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "source")).set_value("base").run()
    screen.number_input(key=key(audit, "base", "sample")).set_value(20)
    screen.number_input(key=key(audit, "guesses")).set_value(20)
    screen.selectbox(key=key(audit, "base", "condition")).set_value("age").run()
    screen.selectbox(key=key(audit, "base", "condition", "age", "sign")).set_value("<=")
    screen.number_input(key=key(audit, "base", "condition", "age")).set_value(50.0).run()
    assert started(healthy(screen), audit, "contest", monkeypatch).condition == "age<=50"


def test_a_declaration_is_written_in_the_form(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    for who, names in (("stat", {"k": 5.0, "epsilon": 0.8}), ("uploaded", {"methods": "by hand"})):
        screen.selectbox(key=key(audit, "declared", "who")).set_value(who).run()
        for name, value in names.items():
            field = screen.text_input if name == "methods" else screen.number_input
            field(key=key(audit, "declared", who, name)).set_value(value)
        press(screen.run(), key(audit, "declared", "add"))
    plan = started(healthy(screen), audit, "contest", monkeypatch)
    assert plan.declared == (("stat", "k=5,epsilon=0.8"), ("uploaded", "methods=by hand"))
    press(screen, key(audit, "declared", "drop", "stat"))
    assert key(audit, "declared", "drop", "stat") not in keys(healthy(screen))


def test_a_declaration_of_somebody_who_takes_no_part_is_a_sentence(audit: Audit) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "declared", "who")).set_value("stat").run()
    screen.number_input(key=key(audit, "declared", "stat", "k")).set_value(5.0)
    press(screen.run(), key(audit, "declared", "add"))
    screen.multiselect(key=key(audit, "generators")).set_value(["evasion"]).run()
    assert any("declar" in refusal for refusal in refusals(healthy(screen)))
    press(screen, key(audit, "declared", "drop", "stat"))
    assert not screen.button(key=key(audit, "run")).disabled


def test_what_is_declared_stands_beside_what_is_counted(audit: Audit) -> None:
    declared = (("uploaded", "k=5,epsilon=0.8,delta=1e-6,methods=a copy"),)
    finished(audit, replace(PLAN, attackers=("distance",), declared=declared))
    text = unmarked(shown(page(audit)))
    assert "the k counted is 1 over all columns" in text
    assert "It declares: a copy, k = 5, ε = 0.8, δ = 1e-06" in text
    assert "does not follow" in text


def test_both_rounds_are_shown(audit: Audit) -> None:
    finished(audit, replace(PLAN, attackers=("distance",), preliminary=(("uploaded", 0.5), ("stat", 0.2))))
    standings = page(audit).dataframe[0].value.set_index("anonymiser")
    assert standings["rounds"]["your release"] == "500, 0"
    assert standings["points"]["your release"].startswith("50 [")


def test_another_usefulness_can_be_looked_at(audit: Audit) -> None:
    finished(audit, PLAN)
    screen = page(audit)
    before = screen.get("plotly_chart")[0].proto.spec
    screen.selectbox(key="contest.measure").set_value("correlation").run()
    assert healthy(screen).get("plotly_chart")[0].proto.spec != before


def test_what_refused_is_in_the_notes(audit: Audit) -> None:
    refused = "kanonymity:columns=all,numbers=True,k=50"
    finished(audit, replace(PLAN, anonymisers=("stat", refused), attackers=("distance",)))
    assert "was not run" in unmarked(shown(page(audit)))


def test_a_release_that_misleads_the_nearest_record_is_called_evasion() -> None:
    """Planted: the release is made of people who were not in, so whoever looks for near rows names them."""
    head, *rows = csv(ROWS, 1).splitlines(keepends=True)
    audit = loaded(real=csv(ROWS, 0), synthetic=b"".join([head, *rows[::-1]]), holdout=csv(ROWS, 1))
    finished(audit, replace(PLAN, anonymisers=("identity",), attackers=("distance",)))
    screen = page(audit)
    assert verdicts(screen) == [("gray", "◌ Undecided"), ("gray", "▲ Leak shown")], "the release, and the table itself"
    assert "Contest's nearest record found fewer members than guessing would: the release avoids" in shown(screen)
    assert "If the attack on the nearest record finds few, that says little about a release" in shown(screen), (
        "nobody broke it: in general"
    )
    (cells,) = json.loads(screen.get("plotly_chart")[1].proto.spec)["data"]
    assert [row[0].split("<br>")[0] for row in cells["text"]] == ["▽ 0", "▲ 30"]


def downloads(screen: AppTest) -> list[str]:
    """What the download buttons on the page say."""
    return [str(getattr(button, "label", "")) for button in screen.get("download_button")]


def dense() -> bytes:
    """Eight categories of four levels: most rows that differ from a person in one cell are another person."""
    rng = np.random.default_rng(0)
    rows = np.array(list("ABCD"))[rng.choice(4, (12_000, 8), p=[0.55, 0.2, 0.15, 0.1])]
    return "\n".join([",".join(f"c{index}" for index in range(8)), *(",".join(row) for row in rows.tolist())]).encode()


def test_the_lesson_of_2020_is_reproduced_and_said() -> None:
    """A release that perturbs exact matches: the distance attack finds fewer than guessing, another one breaks it."""
    audit = loaded(real=dense())
    plan = ContestPlan(
        anonymisers=("evasion",),
        attackers=("distance", "dpi"),
        source="base",
        population=4_000,
        sample=400,
        guesses=100,
        rules="none",
    )
    finished(audit, plan)
    text = unmarked(page(audit).info[0].value)
    assert re.search(r"against Exact matches perturbed Contest's nearest record finds [0-9] \[", text), (
        "fewer than 10 of 100"
    )
    assert "fewer than the 10.0 of guessing" in text
    assert re.search(r"Released rows among the nearest finds [0-9]{2,3} \[[0-9.]+, [0-9.]+\] all the same", text)


def test_models_that_learnt_from_each_release_stand_beside_those_that_learnt_from_the_real_rows(audit: Audit) -> None:
    learnt = {"classifiers": ("tree",), "secret": "ward"}
    finished(audit, replace(PLAN, attackers=("distance",), **learnt))  # type: ignore[arg-type]
    screen = page(audit)
    table = screen.dataframe[2].value
    assert list(table["anonymiser"]) == ["your release", IDENTITY, STAT]
    assert all("[" in cell for name in ("accuracy tree", "ceiling tree") for cell in table[name])
    screen.selectbox(key="contest.measure").set_value("accuracy tree").run()
    assert "tells ward rightly" in shown(healthy(screen))


def test_without_a_control_no_absence_is_stated(audit: Audit) -> None:
    finished(audit, replace(PLAN, anonymisers=("stat",), control=False))
    audit.limit_to({"contest": own(0.99)})
    text = shown(page(audit))
    assert "● Within the limit" not in text
    assert text.count("No control was planted") == 2, (
        "beside the verdict, and why that of the other method is undecided"
    )
    assert "Planted control" not in text


def test_no_leak_is_shown_above_so_many_hits(audit: Audit) -> None:
    finished(audit, replace(PLAN, anonymisers=("stat",), attackers=("distance",), guesses=150))
    audit.limit_to({"contest": own(0.95)})
    assert verdicts(page(audit)) == [("red", "▲ Above the limit"), ("gray", "● Within the limit")], (
        "the copy, the method"
    )


def test_a_release_is_dealt_its_sample_handed_in_and_played(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "source")).set_value("base").run()
    screen.number_input(key=key(audit, "base", "sample")).set_value(60).run()
    screen.text_input(key=key(audit, "handed", "name")).set_value("team 1").run()
    press(screen, key(audit, "handed", "deal"))
    assert "Download the sample of team 1 (60 rows)" in unmarked(str(downloads(screen)))
    (box,) = screen.file_uploader
    box.set_value(("ours.csv", csv(60, 0), "text/csv")).run()
    assert "team 1 · ours.csv, 60 rows" in unmarked(shown(healthy(screen))).replace("**", "")
    screen.number_input(key=key(audit, "guesses")).set_value(20).run()
    screen.selectbox(key=key(audit, "handed", "against")).set_value("team 1")
    screen.text_input(key=key(audit, "handed", "attacker")).set_value("me").run()
    box = next(uploader for uploader in screen.file_uploader if "20 of them" in uploader.label)
    box.set_value(("rows.txt", b"row\n" + b"\n".join(b"%d" % row for row in range(20)), "text/plain")).run()
    assert "me names 20 rows for team 1" in unmarked(shown(healthy(screen))).replace("**", "")
    plan = started(screen, audit, "contest", monkeypatch)
    assert [name for name, _ in plan.given] == ["team 1"]
    assert plan.own == (("me", "team 1", tuple(range(20))),)


@pytest.mark.parametrize(
    ("release", "says"),
    [
        (csv(60, 0).replace(b"Quokka", b"secretcanary"), "only values that the loaded files hold"),
        (b"age\n" + b"40\n" * 60, "no such column"),
        (b"", "empty"),
    ],
)
def test_a_release_that_cannot_be_used_gets_a_sentence_without_its_values(
    audit: Audit, release: bytes, says: str
) -> None:
    screen = page(audit)
    screen.text_input(key=key(audit, "handed", "name")).set_value("team").run()
    (box,) = screen.file_uploader
    box.set_value(("ours.csv", release, "text/csv")).run()
    (refused,) = refusals(healthy(screen))
    assert says in refused
    assert "secretcanary" not in shown(screen)


def test_row_numbers_that_cannot_be_get_a_sentence(audit: Audit) -> None:
    screen = page(audit)
    screen.text_input(key=key(audit, "handed", "attacker")).set_value("me").run()
    (box,) = screen.file_uploader
    box.set_value(("rows.txt", b"1\n2\n999999\n", "text/plain")).run()
    assert "rows are numbered from 0 to 599" in refusals(healthy(screen))[0]


def test_what_was_handed_in_can_be_taken_out_and_fits_no_other_deal(audit: Audit) -> None:
    handed, tables = HandedIn.read(audit), audit.tables()
    handed.take_release("team", csv(60, 0), "t.csv", tables.schema, "another deal")
    screen = page(audit)
    assert "of another draw" in shown(screen)
    press(screen, key(audit, "handed", "drop", "team"))
    assert "of another draw" not in shown(healthy(screen))
    assert handed.releases == {}


def test_the_bundle_can_be_taken_away(audit: Audit) -> None:
    finished(audit, replace(PLAN, bundle=True))
    screen = page(audit)
    assert "Download the bundle (ZIP)" in downloads(screen)
    assert "the bundle holds real rows" in shown(screen)
    HandedIn.read(audit).bundle(replace(PLAN, bundle=True), audit.revision).unlink()
    assert "not kept here any more" in shown(page(audit))
