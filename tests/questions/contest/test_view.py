"""The view of a contest: the numbers of its result under their own heads, on page, on paper and in files alike."""

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any
from xml.etree import ElementTree as Tree

import pytest

from riskkit import wording
from riskkit.audit import report_facts
from riskkit.core import Estimate
from riskkit.figures import blocks
from riskkit.figures.canvas import label
from riskkit.jobs.store import Audit, Store
from riskkit.questions.contest import words
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.present import naming, view
from riskkit.questions.contest.result import ContestResult
from riskkit.report import plots
from riskkit.report.build import read
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.show import in_words
from riskkit.show.blocks import CountMatrix, Frontier, Numbers, estimates, flat, frontiers, printed_blocks
from riskkit.show.model import Class, RunFinding
from riskkit.show.names import Names
from riskkit.table.read.csv_text import read_csv
from tests.pages.runs import finished
from tests.pages.screens import csv as people
from tests.questions.outputs import check_paper_and_files, read_rows, reported, same

PLAN = ContestPlan(
    anonymisers=("stat", "pram:p=0.5", "pram:p=0.95"),
    attackers=("distance", "two-sided", "dpi"),
    source="people",
    guesses=30,
    rules="final",
    classifiers=("tree",),
    secret="ward",  # noqa: S106  a column
    preliminary=(("uploaded", 0.5),),
    declared=(("uploaded", "k=5,methods=Quokka"),),
)
NAMES = Names.all_told(report_facts.titles())
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """A copy of the people as the release, beside three settings."""
    made = Store(tmp_path_factory.mktemp("home")).create("Played")
    for slot, seed in (("real", 0), ("synthetic", 0), ("holdout", 1)):
        made.put(slot, read_csv(people(150, seed), name=f"{slot}.csv"))
    finished(made, PLAN)
    return made


def result(audit: Audit) -> ContestResult:
    (run,) = audit.runs()
    return ContestResult.from_plain(run.result)


def finding(audit: Audit, kind: Class = Class.RESTRICTED) -> RunFinding:
    (run,) = audit.runs()
    (own,) = read(report_facts.played_run(run, audit), report_facts.read_given(audit), kind=kind)
    return own


def block(own: RunFinding, key: str) -> Any:
    (known,) = (each for each in flat(own.view) if each.key == key)
    return known


def cells(table: Numbers) -> dict[tuple[str, str], Any]:
    """Every cell by the name of its row and the key of its column."""
    heads = [column.key for column in table.columns[1:]]
    every = {(str(row[0]), head): cell for row in table.rows for head, cell in zip(heads, row[1:], strict=True)}
    assert len(every) == sum(len(row) - 1 for row in table.rows), "every cell has a place of its own"
    return every


def test_every_count_of_the_matrix_is_that_of_its_attacker_on_its_release(audit: Audit) -> None:
    kept, own = result(audit), finding(audit)
    matrix = block(own, "matrix")
    assert (matrix.guess, matrix.most) == (kept.guessing.expected, kept.guessing.guesses)
    assert matrix.columns == tuple(words.attacker(name, NAMES) for name in kept.attackers)
    assert len(matrix.rows) == len(kept.standings) == 4
    for row, standing in zip(matrix.rows, kept.standings, strict=True):
        hits = kept.hits(standing.name)
        assert row.who == words.release(standing, NAMES)
        assert [same(count) for count in row.counts] == [same(hits[name]) for name in kept.attackers]
        assert same(row.best) == same(standing.worst)
        assert row.by == words.attacker(standing.best, NAMES)
        assert row.is_own is (standing.name == "uploaded")


def test_every_cell_of_every_table_stands_under_its_own_head_in_its_own_row(audit: Audit) -> None:
    kept, own = result(audit), finding(audit)
    places = {place.name: place for place in kept.ranking.places}
    standings, hits = cells(block(own, "standings")), cells(block(own, "hits"))
    useful, learnt, elsewhere = (cells(block(own, key)) for key in ("usefulness", "learnt", "elsewhere"))
    for standing in kept.standings:
        name, place = words.release(standing, NAMES), places.get(standing.name)
        expected = {
            "place": "–" if place is None else str(place.place),
            "best": words.attacker(standing.best, NAMES),
            "hits": standing.worst,
            "chance": f"{standing.chance:.2g}",
            "points": standing.score,
            "rounds": "500, 0" if standing.name == "uploaded" else "",
        }
        for column, cell in expected.items():
            shown = standings[name, column]
            assert (same(shown) if isinstance(shown, Estimate) else shown) == (
                same(cell) if isinstance(cell, Estimate) else cell
            )
        assert standings[name, "part"].startswith("yes" if standing.takes_part else "no: ")
        for attacker, count in kept.hits(standing.name).items():
            assert same(hits[name, attacker]) == same(count)
        for measure, value in standing.usefulness.items():
            known = kept.useful(standing.name).get(measure)
            shown = useful[name, measure]
            assert (same(shown) if known else shown) == (same(known) if known else f"{value:.3f}")
            if measure.split(" ")[0] in ("accuracy", "ceiling"):
                assert same(learnt[name, measure]) == same(shown)
        for measure, value in standing.elsewhere.items():
            assert elsewhere[name, measure] == f"{value:.3f}"
    for measure, value in kept.others.sample.items():
        assert useful["Other people", measure] == elsewhere["The sample itself", measure] == f"{value:.3f}"
    paid = cells(block(own, "paid"))
    for pay in kept.ranking.attackers:
        attacker = words.attacker(pay.attacker, NAMES)
        assert (paid[attacker, "winner"], paid[attacker, "top"]) == (f"{pay.winner:.0f}", f"{pay.top:.0f}")


def test_every_frontier_has_its_measure_and_who_beats_whom(audit: Audit) -> None:
    kept, own = result(audit), finding(audit)
    drawn = list(frontiers(own.view))
    assert [plot.key for plot in drawn] == [f"frontier {name}" for name in kept.pictures]
    assert [plot.measure for plot in drawn] == [words.measures(kept, NAMES)[measure].title for measure in kept.pictures]
    name_of = naming(kept, NAMES)
    for plot, spots in zip(drawn, kept.pictures.values(), strict=True):
        assert (plot.guess, plot.most) == (kept.guessing.expected, kept.guessing.guesses)
        for shown, spot in zip(plot.spots, spots, strict=True):
            assert (shown.who, shown.usefulness, same(shown.hits)) == (
                name_of(spot.name),
                spot.usefulness,
                same(spot.worst),
            )
            assert shown.beaten == tuple(map(name_of, spot.beaten))
            assert shown.is_uploaded is spot.is_uploaded


def test_no_number_of_the_finding_is_left_out(audit: Audit) -> None:
    own = finding(audit)
    shown = {same(each) for each in estimates(own.view)}
    assert {same(each) for each in own.estimates} <= shown


def test_words_say_every_count_with_guessing_and_what_its_sign_says(audit: Audit) -> None:
    own = finding(audit)
    matrix = block(own, "matrix")
    words = in_words.picture_in_words(matrix)
    assert words.endswith(f"Guessing finds {matrix.guess:.1f}.")
    for row in matrix.rows:
        (line,) = re.findall(rf"{re.escape(row.who)}: ((?:(?!the best).)*the best [^;]*?)\. ", words)
        parts = line.split("; ")
        assert len(parts) == len(matrix.heads)
        for head, count, part in zip(matrix.heads, (*row.counts, row.best), parts, strict=True):
            assert part.startswith(f"{head} {count.value:.4g}, between {count.low:.1f} and {count.high:.1f}")
            assert ("more than guessing explains" in part) is (count.low > matrix.guess)
            assert ("fewer than guessing explains" in part) is (count.high < matrix.guess)
    plot = next(frontiers(own.view))
    words = in_words.picture_in_words(plot)
    assert words.endswith(f"Guessing finds {plot.guess:.1f}.")
    for spot in plot.spots:
        assert f"{spot.who}: usefulness {spot.usefulness:.3f}; hits {spot.hits.value:.4g}, between" in words


def test_paper_and_files_have_what_the_page_has(audit: Audit) -> None:
    own, every = finding(audit), reported(audit, Class.RESTRICTED)
    check_paper_and_files([own], every)
    paper = " ".join(unescape(to_html(every).decode()).split())
    for each in printed_blocks(own.view):
        if isinstance(each, CountMatrix | Frontier):
            assert " ".join(each.sentence.split()) in paper


def drawn(picture: Any) -> Tree.Element:
    return Tree.fromstring(plots.svg(picture))  # noqa: S314  drawn just now


def test_the_page_draws_every_count_in_its_field_and_every_spot_beside_guessing(audit: Audit) -> None:
    own = finding(audit)
    matrix = block(own, "matrix")
    (field,) = blocks.figure(matrix).data
    assert [list(row) for row in field.z] == [
        [count.value for count in (*row.counts, row.best) if count] for row in matrix.rows
    ]
    for row, texts in zip(matrix.rows, field.text, strict=True):
        for count, text in zip((*row.counts, row.best), texts, strict=True):
            assert text.replace("<br>", " ").endswith(wording.count(count)[len(f"{count.value:.4g}") :])
    for plot in frontiers(own.view):
        figure = blocks.figure(plot)
        others = [] if plot.others is None else [(plot.others, 0.96)]
        assert [(line.x0, line.y0) for line in figure.layout.shapes] == [(0, plot.guess), *others]
        assert figure.layout.annotations[0].text == f"guessing {plot.guess:.1f}"
        spots = {spot.who: spot for spot in plot.spots}
        assert len(figure.data) == len(spots)
        for mark in figure.data[1:]:
            spot = next(each for who, each in spots.items() if label(who, 160) == mark.name)
            assert (mark.x[0], mark.y[0]) == (spot.usefulness, spot.hits.value)
            ends = (mark.y[0] - mark.error_y.arrayminus[0], mark.y[0] + mark.error_y.array[0])
            assert ends == pytest.approx((spot.hits.low, spot.hits.high))


def test_paper_draws_every_count_in_its_field_and_every_spot_beside_guessing(audit: Audit) -> None:
    own = finding(audit)
    matrix = block(own, "matrix")
    texts = [str(text.text) for text in drawn(matrix).iter(f"{SVG}text")]
    expected = [
        text
        for row in matrix.rows
        for count in (*row.counts, row.best)
        for text in (f"{matrix.sign(count)} {count.value:.4g}".strip(), wording.count(count).partition(" ")[2])
    ]
    assert [text for text in texts if text in set(expected)] == expected
    assert f"guessing {matrix.guess:.1f}" in texts[-1]
    for plot in frontiers(own.view):
        root = drawn(plot)
        (guess,) = (line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray") == "2 3")
        lines = [line for line in root.iter(f"{SVG}line") if line.get("stroke-width") == "1.6"]
        upright = {
            (line.get("x1"), line.get("y1"), line.get("y2")) for line in lines if line.get("x1") == line.get("x2")
        }
        hits = sorted({plot.guess, *(end for spot in plot.spots for end in (spot.hits.low, spot.hits.high))})
        heights = {float(str(guess.get("y1"))), *(float(str(y)) for _, *ends in upright for y in ends)}
        places = sorted(heights, reverse=True)
        low, high = hits[0], hits[-1]
        shares = [(each - low) / (high - low) for each in hits]
        assert [(y - places[0]) / (places[-1] - places[0]) for y in places] == pytest.approx(shares, abs=0.002)
        assert float(str(guess.get("y1"))) == pytest.approx(
            places[0] + (plot.guess - low) / (high - low) * (places[-1] - places[0]), abs=0.2
        )


def test_files_have_every_frontier_by_name_with_its_shares(audit: Audit) -> None:
    every, own = reported(audit, Class.RESTRICTED), finding(audit)
    rows = read_rows(to_csv(every)["frontier.csv"])
    spots = [(plot, spot) for plot in frontiers(own.view) for spot in plot.spots]
    assert len(rows) == len(spots) > 4 * 4
    for row, (plot, spot) in zip(rows, spots, strict=True):
        assert (row["anonymiser"], row["useful_measure"]) == (spot.who, plot.measure)
        assert float(row["usefulness"]) == spot.usefulness
        shares = (float(row[end]) for end in ("value", "low", "high"))
        assert tuple(shares) == tuple(end / 30 for end in (spot.hits.value, spot.hits.low, spot.hits.high))
        assert (row["uploaded"], row["beaten"]) == (str(spot.is_uploaded).lower(), str(bool(spot.beaten)).lower())
    (answer,) = (each for each in json.loads(to_json(every))["questions"] if each["question"] == "contest")
    first = next(frontiers(own.view))
    assert [each["method"] for each in answer["finding"]["frontier"]] == [spot.who for spot in first.spots]
    assert [each["hits"]["value"] for each in answer["finding"]["frontier"]] == [
        first.share(spot).value for spot in first.spots
    ]


def test_sentences_call_releases_and_attackers_as_the_tables_do(audit: Audit) -> None:
    kept, own = result(audit), finding(audit)
    for place, standing in enumerate(kept.standings):
        text = block(own, f"method {place}").text
        assert text.startswith(
            f"{words.as_sentence(words.release(standing, NAMES))}: {words.attacker(standing.best, NAMES)} finds "
            f"{wording.count(standing.worst)} of 30 named rows"
        )
    assert block(own, "upload 0").text.startswith("Your release sits here: a usefulness of 1.000")
    planted = block(own, "planted")
    assert "Contest's nearest record 30 [" in planted.text
    assert own.extra[0] == block(own, "upload 0").text


def test_what_single_people_wrote_and_are_counted_by_is_for_those_who_may_see_rows(audit: Audit) -> None:
    restricted, shareable = (finding(audit, kind) for kind in (Class.RESTRICTED, Class.SHAREABLE))
    assert "Quokka" in " ".join(restricted.extra)
    assert any(each.key == "declared" for each in restricted.view)
    assert not any(each.key == "declared" for each in shareable.view)
    assert "Quokka" not in repr(shareable)
    assert "ward" not in repr(shareable.view), "the column that models learn is a name of the real table"
    assert [same(each) for each in estimates(shareable.view)] == [same(each) for each in estimates(restricted.view)]


def test_nothing_is_shown_where_nothing_could_be_played(audit: Audit) -> None:
    assert view(replace(result(audit), standings=()), NAMES) == ()
