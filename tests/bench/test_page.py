"""The page: the same bytes each time, nothing from elsewhere, no value of a table, and links that lead somewhere."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from riskkit_bench.chart import NAME, SCALE, intervals
from riskkit_bench.html import heat, three, value
from riskkit_bench.orders import check
from riskkit_bench.overview import MEASURED
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
    places = ("made/identity/neighbour", "made/identity/gone")
    saying = Saying("A copy of the table tells <everything>: {made/identity/neighbour}, {made/identity/gone}.", places)
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
    assert cell.auc is not None
    assert f"tells &lt;everything&gt;: {value(cell.auc[0])}, –.<details" in page, "the number that the cell has"
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
    assert [heat(auc) for auc in (0.4, 0.5, 0.75, 1.0)] == ["0.00", "0.00", "0.50", "1.00"]


def test_a_terminal_has_a_line_for_each_method() -> None:
    assert [part.strip() for part in next(lines(small()[0]))[:2]] == ["made", "identity"]
    assert len(list(lines(small()[0]))) == 2


def test_a_method_stands_with_its_version_and_licence_above_its_cells() -> None:
    results, page = small()
    mine = MethodPart("external:command='mine {train} {n} {out}'", title="Mine <ours>", version="1.2", licence="GPL-3")
    wider = html(replace(results, plan=replace(results.plan, method=(*results.plan.method, mine))), [])
    folds = {fold.partition("<summary>")[2].partition(" <")[0]: fold for fold in wider.split('<details id="m')[1:]}
    assert set(folds) == {"The table itself (calibration)", "Bayesian network", "Mine &lt;ours&gt;"}
    assert "<dd>1.2</dd><dt>Licence</dt><dd>GPL-3</dd>" in folds["Mine &lt;ours&gt;"]
    assert "<dd>riskkit</dd><dt>Licence</dt><dd>Apache-2.0</dd>" in folds["Bayesian network"]
    assert "<dt>Game</dt><dd>2 people, 10 counted trainings each</dd>" in folds["Bayesian network"]
    assert "GPL-3" not in page
    shown = [len(re.findall("<tr id=", folds[name])) for name in ("Bayesian network", "Mine &lt;ours&gt;")]
    assert shown == [sum(cell.method == "bayesnet" for cell in results.cells), 0]
    few = MethodPart("identity", people=1, trainings=16)
    other = html(replace(results, plan=replace(results.plan, method=(few, MethodPart("bayesnet", people=0)))), [])
    assert re.findall(r"<dt>Game</dt><dd>(.*?)</dd>", other) == ["1 people, 16 counted trainings each"]


def test_the_first_table_has_the_strongest_attack_of_each_kind_in_its_place() -> None:
    results, page = small()
    rows = re.findall(r"<tr>(.*?)</tr>", page.partition('<table id="overview">')[2].partition("</table>")[0])
    heads = [re.sub("<[^>]+>", "", head) for head in re.findall(r"<th[^>]*>(.*?)</th>", rows[1])]
    assert heads == ["Method", "made", "Bound", "made", *MEASURED.values(), "People", "Cost"]
    shown = {}
    for row in rows[2:]:
        places = re.findall(r"<td[^>]*>(.*?)</td>", row)
        shown[re.sub("<[^>]+>", "", places[0]).rpartition(" ")[2]] = places
    assert list(shown) == ["identity", "bayesnet"], "the one that leaks most stands first"
    for method, places in shown.items():
        for kind, place in (("game", 1), ("file", 3)):
            (cell,) = [c for c in results.cells if (c.method, c.kind) == (method, kind)]
            assert cell.auc is not None
            assert f'title="{cell.attack} {three(cell.auc)}' in places[place]
            assert f'href="#c{cell.key[:12]}"' in places[place]
            assert re.sub("<[^>]+>", "", places[place]) == value(cell.auc[0])
        assert places[-2] == "2"
        for place, name in enumerate(MEASURED, 4):
            (measured,) = [c for c in results.cells if (c.method, c.attack) == (method, name)]
            shown_use = "–" if measured.use is None else value(measured.use[0])
            assert re.sub("<[^>]+>", "", places[place]) == shown_use
    (bound,) = [c for c in results.cells if (c.method, c.kind) == ("bayesnet", "certificate")]
    assert bound.auc is not None
    assert [shown[method][2] for method in shown] == ["", f"≤ {value(bound.auc[0])}"]


def test_a_method_has_a_picture_of_its_strongest_attacks_with_their_ends() -> None:
    results, page = small()
    picture = intervals(results, "bayesnet")
    assert picture in page
    drawn = re.findall(r"<title>made, ([^:]+): (\w+) ([^<]+)</title><line x1=\"([\d.]+)\" .*? x2=\"([\d.]+)\"", picture)
    assert [who for who, *_ in drawn] == ["trains the method", "one file"]
    for (_, attack, ends, low, high), kind in zip(drawn, ("game", "file"), strict=True):
        (cell,) = [c for c in results.cells if (c.method, c.kind) == ("bayesnet", kind)]
        assert cell.auc is not None
        assert (attack, ends) == (cell.attack, three(cell.auc))
        assert [float(low), float(high)] == [round(NAME + SCALE * end, 1) for end in cell.auc[1:]]
    assert intervals(results, "no such method") == ""


def test_a_game_that_was_not_played_is_a_dash_that_says_what_it_would_cost() -> None:
    results = small()[0]
    method = replace(results.plan.method[0], seconds=60.0)
    cells = tuple(cell for cell in results.cells if (cell.method, cell.kind) != ("identity", "game"))
    page = html(replace(results, cells=cells, plan=replace(results.plan, method=(method,))), [])
    assert re.search(r'title="not played: about [\d.]+ (?:minutes?|hours) of a processor">–<', page)


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
