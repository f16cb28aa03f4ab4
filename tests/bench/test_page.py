"""The page: the same bytes each time, nothing from elsewhere, no value of a table, and links that lead somewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from riskkit_bench.html import three
from riskkit_bench.orders import check
from riskkit_bench.page import html, lines
from riskkit_bench.plan import MethodPart, Saying
from riskkit_bench.results import Results, read
from tests.bench.made import plan, played


@cache
def small() -> tuple[Results, str]:
    """The results of a small bench, read again from their file, and its page."""
    folder = Path(mkdtemp())
    bench = plan(folder, "identity", "bayesnet")
    played(bench).save(folder / "plan.json")
    results = read(folder / "plan.json", bench)
    saying = Saying("A copy of the table tells <everything>.", ("made/identity/neighbour", "made/identity/gone"))
    results = replace(results, plan=replace(results.plan, saying=(saying,)))
    return results, html(results, check(results))


def test_equal_results_are_equal_bytes() -> None:
    results, page = small()
    assert html(results, check(results)) == page
    assert html(replace(results, cells=results.cells[:-1]), []) != page


def test_nothing_comes_from_elsewhere() -> None:
    page = small()[1]
    assert not re.findall(r"(?:src|href|action)=\"(?!#)", page)
    assert not re.findall(r"https?:|@import|url\(|fetch\(|<link|<iframe|<img", page)


def test_every_link_leads_to_a_cell_and_every_name_is_there_once() -> None:
    page = small()[1]
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names))
    links = re.findall(r'href="#([^"]+)"', page)
    assert len(links) > 3
    assert set(links) <= set(names)


def test_no_value_of_the_table_stands_on_it() -> None:
    page = small()[1]
    assert not re.findall(r"\b(?:east|north|south|west|smoker|ward)\b", page)


def test_sentences_stand_with_their_cells() -> None:
    results, page = small()
    cell = results.find("made/identity/neighbour")
    assert cell is not None
    assert "tells &lt;everything&gt;. <span" in page
    assert f">made/identity/neighbour</a> {three(cell.auc)}" in page
    assert "made/identity/gone: not there" in page
    assert "A small bench &lt;of tests&gt;" in page


def test_boards_name_people_by_their_rows() -> None:
    results, page = small()
    people = {person.row for cell in results.cells for person in cell.people}
    assert len(people) == 2
    assert all(f"<td>row {row:,}</td>" in page for row in people)


def test_numbers_are_written_short() -> None:
    assert [three(ends) for ends in ((0.714, 0.65, 0.761), (1.0, 0.9, 1.0), None)] == [
        ".71 [.65, .76]",
        "1 [.90, 1]",
        "",
    ]


def test_a_terminal_has_a_line_for_each_method() -> None:
    assert [part.strip() for part in next(lines(small()[0]))[:2]] == ["made", "identity"]
    assert len(list(lines(small()[0]))) == 2


def test_the_methods_stand_with_their_version_and_licence() -> None:
    results, page = small()
    own = MethodPart("external:command='mine {train} {n} {out}'", title="Mine <ours>", version="1.2", licence="GPL-3")
    wider = html(
        replace(results, plan=replace(results.plan, method=(*results.plan.method, own, MethodPart("ctgan")))), []
    )
    shown = re.search(r'<h2 id="methods">.*?</table>', wider, re.DOTALL)
    assert shown
    assert "<td>Mine &lt;ours&gt;</td><td>1.2</td><td>GPL-3</td><td>not said</td>" in shown[0]
    assert "BUSL-1.1" in shown[0]
    assert shown[0].count("Apache-2.0") == 2
    assert shown[0].count("<td>Everything.</td>") == 3
    assert "GPL-3" not in page
    again = html(replace(results, plan=replace(results.plan, method=(MethodPart("mst:epsilon=1.0"),))), [])
    assert "<td>mst</td><td>MST" in again, "as cells are called, whatever the plan spells out"


def test_how_many_people_a_game_asks_about_stands_beside_its_number() -> None:
    results, page = small()
    rows = re.findall(r"<tr><td>made</td><td class=\"name\">(?:identity|bayesnet)</td>.*?</tr>", page)
    heads = re.findall(r"<th[^>]*>.*?</th>", page.partition("Who leaks how much")[2].partition("</thead>")[0])
    place = [re.sub(r"<[^>]+>", "", head) for head in heads].index("People")
    shown = [re.sub(r"<[^>]+>", "", re.findall(r"<td.*?</td>", row)[place]) for row in rows]
    assert shown == ["2", "2"]
    assert "Other numbers of people" not in page, "all games have the size that the plan says"
    few = MethodPart("identity", people=1, trainings=16)
    none = MethodPart("bayesnet", people=0)
    other = html(replace(results, plan=replace(results.plan, method=(few, none))), [])
    assert "<p>Other numbers of people and of counted trainings each: 1 and 16 of <code>identity</code>.</p>" in other


def test_an_attack_that_is_worse_than_guessing_is_said_to_tell_by_its_opposite() -> None:
    results, page = small()
    assert "Worse than guessing" not in page
    cell = results.find("made/identity/neighbour")
    assert cell is not None
    low = replace(cell, auc=(0.06, 0.02, 0.14), sure=(0.06, 0.01, 0.22), why="Few.")
    for sure, says in ((0.22, True), (0.5, False)):
        other = replace(low, sure=(0.06, 0.01, sure))
        wider = html(replace(results, cells=tuple(other if each is cell else each for each in results.cells)), [])
        assert ("Worse than guessing: with its answers turned round .94 [.86, .98]. Few." in wider) is says
        assert ('<td data-v="0.06" class="turned">.06 [.02, .14]</td>' in wider) is says


def test_what_it_all_cost_is_said_by_kind() -> None:
    results, page = small()
    total = sum(cell.seconds for cell in results.cells)
    match = re.search(r"took ([\d,]+) seconds of a processor \(([^)]*)\)", page)
    assert match is not None
    assert match[1] == f"{total:,.0f}"
    assert "game of one person: " in match[2]
    assert "one released file: " in match[2]
