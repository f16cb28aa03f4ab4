"""Contests end to end: the same bytes for any number of workers, user attackers, uploads, bundle, what is refused."""

import csv
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import hypergeom

from riskkit.core import Table
from riskkit.errors import Cancelled, DesignError, FileError, ParameterError
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Verdict
from riskkit.questions import question
from riskkit.questions.contest.entries import read_guesses, write_bundle
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.present import view
from riskkit.questions.contest.result import ContestResult, Useful
from riskkit.questions.contest.run import forecast_contest, run_contest
from riskkit.questions.contest.words import could_show
from riskkit.questions.opponents import SUITE, expand_sweep
from riskkit.report.blocks import to_text
from riskkit.report.views import printed_blocks
from riskkit.show.names import Names
from riskkit.table.load import Tables
from tests.games.test_contest import Same, wide
from tests.judged import judged, judgement_of

PLAN = ContestPlan(
    anonymisers=("identity", "stat"),
    attackers=("distance", "dcr-diff"),
    source="base",
    population=600,
    sample=100,
    guesses=30,
    scale="standard",
)


def files(real: Table, synthetic: Table | None = None, holdout: Table | None = None) -> Tables:
    return Tables(real, synthetic, holdout, real.schema, (), ())


BASE = files(wide(600))


def hits(result: ContestResult) -> dict[tuple[str, str], float]:
    return {(e.labels["anonymiser"], e.labels["attacker"]): e.value for e in result.estimates if e.name == "hits"}


def lines(result: ContestResult) -> list[str]:
    """What a terminal shows of it."""
    return [*to_text(printed_blocks(view(result, Names.all_told({})), 2, on_paper=False))]


def words(kept: dict[str, Any], plan: ContestPlan, limit: float | None = None) -> list[str]:
    """The verdict on each anonymiser by itself."""
    ((finding, judgement),) = judged(kept, plan, limit)
    return [str(judge(part.measured, judgement.limit).verdict) for part in finding.parts]


def test_a_copy_is_found_in_full_and_every_number_has_its_interval_and_labels() -> None:
    result = run_contest(BASE, PLAN)
    counts = hits(result)
    assert counts["identity", "distance"] == 30
    assert set(counts) == {(a, b) for a in PLAN.anonymisers for b in PLAN.attackers}
    plain = result.as_dict()
    assert plain["chance"]["expected"] == 5
    copy, drawn = plain["anonymisers"]
    assert words(plain, PLAN) == ["leak shown", "undecided"]
    assert words(plain, PLAN, 0.8) == ["above the limit", "within the limit"]
    assert (copy["safety"]["value"], copy["points"]) == (0.0, 0.0)
    assert copy["usefulness"]["histogram"] == 1.0
    assert drawn["safety"]["low"] <= drawn["safety"]["value"] <= drawn["safety"]["high"]
    assert all(e["low"] <= e["value"] <= e["high"] and e["n"] == 30 for e in plain["estimates"])
    assert json.loads(json.dumps(plain))["settings"]["question"] == "contest"


def test_another_seed_gives_other_numbers() -> None:
    first, two = (run_contest(BASE, replace(PLAN, seed=seed)).as_dict()["estimates"] for seed in (1, 2))
    assert first != two


def test_adding_an_anonymiser_or_an_attacker_moves_nobody_elses_numbers() -> None:
    alone = hits(run_contest(BASE, replace(PLAN, anonymisers=("stat",), attackers=("dcr-diff",))))
    assert alone["stat", "dcr-diff"] == hits(run_contest(BASE, PLAN))["stat", "dcr-diff"]


def test_hide_and_seek_names_as_many_as_were_in() -> None:
    result = run_contest(BASE, replace(PLAN, mode="hide-and-seek"))
    assert hits(result)["identity", "distance"] == 100
    guessing = result.guessing
    assert (guessing.population, guessing.members, guessing.guesses) == (200, 100, 100)
    assert "accuracy 1.000" in result.as_dict()["sentences"][0]


def test_the_loaded_release_takes_part_beside_settings_that_were_dealt_the_same_people() -> None:
    table = wide(500)
    real, holdout = table.rows(np.arange(200)), table.rows(np.arange(200, 500))
    plan = replace(PLAN, source="people", anonymisers=("stat",))
    result = run_contest(files(real, real, holdout), plan)
    assert hits(result)["uploaded", "distance"] == 30
    plain = result.as_dict()
    assert [anonymiser["uploaded"] for anonymiser in plain["anonymisers"]] == [True, False]
    assert plain["uploads"][0].startswith("Your release sits here")
    ((finding, judgement),) = judged(plain, plan, 0.5)
    assert (finding.what_if, judgement.verdict) == ("", Verdict.ABOVE), "it is about this release, which takes part"
    ((finding, judgement),) = judged(run_contest(BASE, PLAN).as_dict(), PLAN, 0.5)
    assert finding.what_if, "of a contest without it nothing is known of this release"
    with pytest.raises(DesignError, match="load a holdout"):
        run_contest(files(real, real), plan)
    with pytest.raises(DesignError, match="several rounds"):
        run_contest(files(real, real, holdout), replace(plan, rounds=5))


def test_a_release_made_elsewhere_is_played_against_the_sample_its_name_was_dealt() -> None:
    bundle = run_contest(BASE, replace(PLAN, anonymisers=("stat",)), keep=True).bundle
    assert bundle is not None
    dealt = bundle.played[0].is_in
    population = PLAN.people(BASE)
    handed_in = population.table.rows(np.flatnonzero(dealt))
    assert (
        hits(run_contest(BASE, replace(PLAN, anonymisers=()), releases={"stat": handed_in}))["stat", "distance"] == 30
    )
    assert hits(run_contest(BASE, replace(PLAN, anonymisers=()), releases={"team": handed_in}))["team", "distance"] < 15


def owned(attacker: str, anonymiser: str, rows: Iterable[int]) -> ContestPlan:
    """The plan with the rows that an attacker of one's own names."""
    return replace(PLAN, own=((attacker, anonymiser, tuple(int(row) for row in rows)),))


def test_the_ranking_is_kept_and_a_preliminary_round_counts_one_to_nine() -> None:
    plan = replace(PLAN, rules="none", preliminary=(("stat", 0.5), ("identity", 0.0)))
    kept = run_contest(BASE, plan).as_dict()
    assert ContestPlan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    assert "--preliminary stat 0.5 --preliminary identity 0" in plan.command("b.csv")
    points = {place["name"]: place["points"] for place in kept["ranking"]["places"]}
    main = {anonymiser["anonymiser"]: anonymiser["safety"]["value"] for anonymiser in kept["anonymisers"]}
    assert points["identity"] == 100, "0.1 * 1000 + 0.9 * 0"
    assert points["stat"] == pytest.approx(50 + 9 * main["stat"])
    assert {anonymiser["anonymiser"]: anonymiser["points"] for anonymiser in kept["anonymisers"]} == pytest.approx(
        points
    )
    again = ContestResult.from_plain(json.loads(json.dumps(kept)))
    assert {each.name: each.score.value for each in again.standings} == pytest.approx(points), "the page's as well"
    strict = run_contest(BASE, replace(PLAN, rules="final")).as_dict()
    assert list(strict["ranking"]["out"]) == ["stat"]
    (line,) = [line for line in lines(run_contest(BASE, replace(PLAN, rules="final"))) if " is required" in line]
    assert re.search(r"stat +no: .*; Worst histogram 0\.\d{3}, at most 0.03 is required", line)


def test_what_is_declared_is_carried_into_the_result_and_counted() -> None:
    plan = replace(
        PLAN, attackers=("distance",), declared=(("identity", "k=5,epsilon=0.8,delta=1e-6,methods=none, yet"),)
    )
    assert ContestPlan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    assert "--declare identity 'k=5,epsilon=0.8,delta=1e-6,methods=none, yet'" in plan.command("b.csv")
    result = run_contest(BASE, plan)
    copy = result.as_dict()["anonymisers"][0]["anonymity"]
    assert (copy["k"], copy["held"], copy["held_in"]) == (1, 100, 100), "the sample itself, whose rows all differ"
    (line,) = [line for line in lines(result) if "It declares:" in line]
    assert "identity: the k counted is 1" in line
    assert "none, yet, k = 5, ε = 0.8, δ = 1e-06" in line


def test_a_sample_by_condition_is_played_among_those_who_meet_it() -> None:
    plan = replace(PLAN, attackers=("distance", "dcr-diff"), condition="extra>=0")
    result = run_contest(BASE, plan)
    meets = int((plan.people(BASE).table.numbers[:, -1] >= 0).sum())
    plain = result.as_dict()
    assert plain["chance"]["population"] == meets < 400
    assert plain["chance"]["expected"] == pytest.approx(30 * 100 / meets)
    assert hits(result)["identity", "distance"] == 30
    assert plain["other_people"]["rows"] == meets - 100, "other people who could have been in"
    assert "Only who meets extra>=0 could be in" in plain["notes"][0]
    assert "--condition 'extra>=0'" in plan.command("b.csv")
    with pytest.raises(DesignError, match="condition"):
        replace(plan, source="people")


def test_attackers_of_ones_own_are_scored_beside_the_others() -> None:
    bundle = run_contest(BASE, PLAN, keep=True).bundle
    assert bundle is not None
    rows = np.flatnonzero(bundle.played[1].is_in)[:30]
    assert hits(run_contest(BASE, owned("me", "stat", rows)))["stat", "me"] == 30
    with pytest.raises(DesignError, match="takes no part"):
        owned("me", "nobody", rows)
    with pytest.raises(DesignError, match="beyond the population"):
        run_contest(BASE, owned("me", "stat", range(580, 610)))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1\n2\nx9secret\n", "line 3: This is not the number of a row"),
        ("1\n2\n600\n", "line 3"),
        ("1\n2\n-3\n", "line 3"),
        ("1\n2\n2\n", "2 different rows on 3 lines; 3 are wanted"),
        ("1\n2\n", "2 different rows on 2 lines"),
        ("", "0 different rows"),
    ],
)
def test_bad_row_numbers_get_a_sentence_that_shows_none_of_them(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "guesses.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=says) as refused:
        read_guesses(path, 600, 3)
    assert "secret" not in str(refused.value)
    path.write_text("row\n5\n\n7\n0\n", encoding="utf-8")
    assert read_guesses(path, 600, 3).tolist() == [5, 7, 0]
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read as text"):
        read_guesses(path, 600, 3)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_bundle_holds_a_whole_contest(tmp_path: Path) -> None:
    result = run_contest(BASE, PLAN, keep=True)
    assert result.bundle is not None
    write_bundle(result.bundle, tmp_path / "class")
    folder = tmp_path / "class"
    assert len(rows_of(folder / "population.csv")) == 600
    assert [row["anonymiser"] for row in rows_of(folder / "samples.csv")] == ["identity"] * 100 + ["stat"] * 100
    named, scores = rows_of(folder / "guesses.csv"), rows_of(folder / "scores.csv")
    for score in scores:
        key = score["anonymiser"], score["attacker"]
        own = [int(row["hit"]) for row in named if (row["anonymiser"], row["attacker"]) == key]
        assert len(own) == 30
        assert sum(own) == int(score["hits"]) == hits(result)[key]
        assert len(rows_of(folder / "releases" / score["release"])) == 100
    assert {row["measure"] for row in rows_of(folder / "usefulness.csv")} >= {"histogram", "trees"}
    assert "WHO WAS IN" in (folder / "README.txt").read_text(encoding="utf-8")
    assert not (folder / "asked.csv").exists()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FileError, match="cannot be written"):
        write_bundle(result.bundle, tmp_path / "file")


def test_no_name_in_the_bundle_is_a_formula(tmp_path: Path) -> None:
    bundle = run_contest(BASE, replace(PLAN, anonymisers=("stat",)), keep=True).bundle
    assert bundle is not None
    (played,) = bundle.played
    for number, name in enumerate(("=1+1", "|calc", "%x", "＝1", " @x", "\0=1")):
        named = {name: next(iter(played.named.values()))}
        hostile = replace(played, anonymiser=name, named=named, hits={name: 1}, useful=Useful({name: -1.0}, {}, 0))
        write_bundle(replace(bundle, played=(hostile,)), tmp_path / str(number))
        for file in ("samples.csv", "guesses.csv", "scores.csv", "usefulness.csv"):
            rows = rows_of(tmp_path / str(number) / file)
            assert {row["anonymiser"] for row in rows} == {f"'{name}".replace("\0", " ")}
            assert {row[of][:1] for row in rows for of in ("attacker", "measure") if of in row} <= {"'"}
        assert {row["value"] for row in rows} == {"-1.0"}, "numbers keep their sign"


def test_the_bundle_of_hide_and_seek_says_whom_to_label(tmp_path: Path) -> None:
    result = run_contest(BASE, replace(PLAN, mode="hide-and-seek", anonymisers=("stat",)), keep=True)
    assert result.bundle is not None
    write_bundle(result.bundle, tmp_path)
    asked = {int(row["row"]) for row in rows_of(tmp_path / "asked.csv")}
    inside = {int(row["row"]) for row in rows_of(tmp_path / "samples.csv")}
    assert (len(asked), len(asked & inside)) == (200, 100)


def test_every_attacker_of_the_suite_finds_the_sample_itself() -> None:
    controls = run_contest(BASE, replace(PLAN, anonymisers=("stat",), attackers=SUITE)).as_dict()["controls"]
    assert [control["attacker"] for control in controls if control["found"]] == list(SUITE)


def test_whom_the_control_shows_to_be_blind_shows_no_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: an attacker that says the same of everybody, in a contest where nothing leaks."""
    strict = replace(PLAN, anonymisers=("stat",), attackers=("distance",), guesses=100)
    seeing = run_contest(BASE, strict).as_dict()
    assert words(seeing, strict, 0.58) == ["within the limit"]
    assert words(seeing, strict) == ["undecided"], "without a limit no absence is shown"
    monkeypatch.setattr(ContestPlan, "made_attackers", property(lambda _: {"distance": Same()}))
    blind = run_contest(BASE, strict).as_dict()
    assert not blind["controls"][0]["found"]
    judgement = judgement_of(blind, strict, 0.58)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "control_missed")


def test_the_control_moves_no_number_of_the_others() -> None:
    with_it, without = run_contest(BASE, PLAN).as_dict(), run_contest(BASE, replace(PLAN, control=False)).as_dict()
    assert with_it["estimates"] == without["estimates"]
    assert without["controls"] == []
    assert words(without, PLAN, 0.8) == ["above the limit", "undecided"]
    assert words(with_it, PLAN, 0.8) == ["above the limit", "within the limit"]


def test_usefulness_is_measured_on_the_holdout_where_there_is_one() -> None:
    plan = replace(PLAN, anonymisers=("identity",), attackers=("distance",))
    both = wide(690)
    with_it = run_contest(files(both.rows(np.arange(600)), None, both.rows(np.arange(600, 690))), plan).as_dict()
    assert with_it["other_people"]["rows"] == 90
    assert run_contest(BASE, plan).as_dict()["other_people"]["rows"] == 500, "people of the population who were not in"
    copy = with_it["anonymisers"][0]
    assert copy["usefulness"]["histogram"] == 1 > copy["elsewhere"]["histogram"]
    assert copy["elsewhere"]["pairs"] == pytest.approx(with_it["other_people"]["sample"]["pairs"], abs=0.05)
    assert set(copy["usefulness"]) == set(with_it["measures"])
    assert "histogram_counts" not in copy["elsewhere"], "it would count how many other people there are"


def test_what_refuses_leaves_the_others_alone() -> None:
    plan = replace(PLAN, anonymisers=("stat", "kanonymity:columns=all,numbers=True,k=50"))
    result = run_contest(BASE, plan)
    assert {name for name, _ in hits(result)} == {"stat"}
    assert any("was not run" in note for note in result.notes)


def test_progress_counts_releases_and_a_cancelled_run_stops() -> None:
    reports: list[tuple[int, int]] = []
    run_contest(BASE, PLAN, progress=lambda progress: reports.append((progress.done, progress.total)))
    assert reports == sorted(set(reports)), "it goes forward only"
    assert (reports[0], reports[-1]) == ((0, 3), (3, 3)), "the planted control is one of them"
    with pytest.raises(Cancelled):
        run_contest(BASE, PLAN, cancelled=lambda: True)


def test_a_plan_reads_back_and_is_a_question_of_the_store() -> None:
    plan = ContestPlan(anonymisers=("pram:p={0.5/0.9},law=empirical", "rounding:base=20|noise"), seed=4)
    assert plan.anonymisers == ("pram:p=0.5,law=empirical", "pram:law=empirical", "rounding:base=20.0|noise")
    assert plan.attackers == SUITE
    assert ContestPlan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    assert question("contest").plan is ContestPlan
    assert ContestPlan(attackers=("contest", "distance")).attackers == ("distance",)
    assert "nn-kde" in ContestPlan(attackers=("all",)).attackers
    theirs = ContestPlan(attackers=("distance:units=raw,direction=release", "contest:direction=release,units=raw"))
    assert theirs.attackers == ("distance:direction=release,units=raw",), "ours and theirs by name"
    assert theirs.made_attackers["distance:direction=release,units=raw"].units == "raw"  # type: ignore[attr-defined]


def test_sweeps_are_read_as_they_are_written() -> None:
    assert expand_sweep("a:x={1/2}|b:y={3/4}") == ["a:x=1|b:y=3", "a:x=1|b:y=4", "a:x=2|b:y=3", "a:x=2|b:y=4"]
    assert expand_sweep("external:command=x {train} {out}") == ["external:command=x {train} {out}"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"source": "magic"}, "no 'magic' in generators"),
        ({"sample": 600}, "leaves nobody out"),
        ({"rounds": 3}, "give no interval"),
        ({"classifiers": ("tree",)}, "name it as the secret"),
        ({"given": (("control", "0"),)}, "a name of its own"),
        ({"given": (("a", "0"), ("a", "1"))}, "a name of its own"),
        ({"given": (("=cmd()", "0"),)}, "A name has"),
        ({"given": (("../a", "0"),)}, "A name has"),
        ({"given": (("a", "0"),), "rounds": 5}, "several rounds"),
        ({"own": (("me", "stat", (1, 2)),)}, "30 are wanted"),
        ({"own": (("distance", "stat", tuple(range(30))),)}, "give yours another name"),
        ({"preliminary": (("nobody", 0.1),)}, "takes no part"),
        ({"preliminary": (("stat", 0.1), ("stat", 0.2))}, "or twice"),
        ({"preliminary": (("stat", 1.5),)}, "from 0 to 1"),
        ({"declared": (("nobody", "k=5"),)}, "takes no part"),
        ({"declared": (("stat", "k=x"),)}, "declared k"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises((DesignError, ParameterError), match=says):
        replace(PLAN, **changed)


def test_nothing_that_takes_part_gets_a_sentence() -> None:
    with pytest.raises(DesignError, match="Nothing takes part"):
        run_contest(BASE, replace(PLAN, anonymisers=()))


def test_classifiers_learn_from_release_and_sample() -> None:
    asked = {"classifiers": ("tree",), "secret": "smoker"}
    plan = replace(PLAN, anonymisers=("identity",), attackers=("distance",), **asked)  # type: ignore[arg-type]
    result = run_contest(BASE, plan)
    usefulness = result.standings[0].usefulness
    learnt = result.useful("identity")["accuracy tree"]
    assert (learnt.n, learnt.value) == (500, usefulness["accuracy tree"])
    assert learnt.low < learnt.value < learnt.high
    assert "accuracy tree" in result.as_dict()["frontiers"]
    assert result.as_dict()["measures"]["ceiling tree"]["title"] == "tree learnt from the real rows"
    assert usefulness["accuracy tree"] == pytest.approx(
        usefulness["ceiling tree"], abs=0.03
    )  # the same rows in another order
    assert usefulness["accuracy tree"] > 0.5


def test_releases_of_all_rounds_are_counted_and_the_loaded_one_among_them() -> None:
    forecast = forecast_contest(BASE, replace(PLAN, attackers=("distance",), rounds=5))
    assert forecast.numbers == {"releases": 11, "attackers": 1}, "the planted control is one of them"
    assert forecast.seconds > 0
    table = wide(300)
    people = files(table.rows(np.arange(150)), table.rows(np.arange(150)), table.rows(np.arange(150, 300)))
    assert forecast_contest(people, replace(PLAN, source="people", anonymisers=("stat",))).numbers["releases"] == 3


def test_what_the_run_would_refuse_is_refused_here() -> None:
    with pytest.raises(DesignError, match="load a holdout"):
        forecast_contest(BASE, replace(PLAN, source="people"))


@pytest.mark.parametrize("attackers", [1, 6])
@pytest.mark.parametrize(("population", "members", "guesses"), [(100_000, 10_000, 100), (600, 300, 30)])
def test_the_fewest_hits_that_show_a_leak_are_those_of_the_hypergeometric_test(
    population: int, members: int, guesses: int, attackers: int
) -> None:
    law = hypergeom(population, members, guesses)
    least = next(k for k in range(guesses + 1) if law.sf(k - 1) < 0.05 / 2 / attackers)
    sentence = could_show(population, members, guesses, attackers, 0.95)
    assert f"shown if the best attacker has {least} hits or more" in sentence
    assert f"finds {guesses * members / population:.1f}" in sentence


def test_where_no_number_of_hits_can_show_anything_it_says_so() -> None:
    assert "No number of hits could show a leak" in could_show(10, 9, 3, 1, 0.95)
