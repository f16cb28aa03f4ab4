"""What a game that was not played would cost: known answers, what the page says, whose seconds stored plans take."""

import re
from pathlib import Path

import pytest

from riskkit import registry
from riskkit.generators.external import External
from riskkit_bench.page import html
from riskkit_bench.plan import BenchPlan, read_plan
from riskkit_bench.results import FILE, GAME, BenchCell, Results
from riskkit_bench.unplayed import long, missing_seconds, sentence, smallest_game

DOCS = Path(__file__).resolve().parents[2] / "docs"
TABLES = {name: {"title": name, "rows": 10, "columns": 2, "sha256": "0" * 64, "files": []} for name in "tuv"}
PLAN = {
    "title": "Games that are not there",
    "data": ".",
    "table": [{"name": name, "title": name, "real": "t.csv", "rows": 10} for name in "tuv"],
    "game": {"people": 10, "trainings": 60, "attacks": ["mvl"]},
    "method": [
        {"use": "identity", "people": 4, "trainings": 24, "seconds": 0.5, "games": ["t"]},
        {"use": "bootstrap", "people": 2, "trainings": 100, "seconds": 0.1},
        {"use": "histogram", "people": 0, "seconds": 3.0},
        {"use": "independent", "people": 0},
    ],
}


def cell(table: str, method: str, kind: str, attack: str = "mvl", seconds: float = 0.0) -> BenchCell:
    ends = (0.5, 0.4, 0.6)
    return BenchCell(
        f"{table}{method}{kind}{attack}", table, method, kind, attack, auc=ends, sure=ends, seconds=seconds
    )


def results(*cells: BenchCell) -> Results:
    files = [cell(table, method, FILE, "dcr") for table in "tu" for method in ("identity", "histogram", "independent")]
    return Results(BenchPlan.read(PLAN), "", TABLES, (*files, *cells))


def test_it_is_the_smallest_game_of_the_plan_with_the_attackers_own_trainings() -> None:
    assert smallest_game(BenchPlan.read(PLAN)) == 4 * 24
    shadowed = BenchPlan.read({**PLAN, "game": {"attacks": ["groundhog"]}})
    assert smallest_game(shadowed) == 2 * (100 + 2 * registry.parse("attacks", "groundhog").shadows)
    assert smallest_game(BenchPlan.read({**PLAN, "method": []})) == 10 * 60


def test_its_seconds_are_those_of_the_plan_times_what_played_games_of_that_table_took() -> None:
    """On t trainings took twice and four times what the plan says, three times in the middle; on u there is no game."""
    made = results(
        cell("t", "identity", GAME, "mvl", 60.0),
        cell("t", "identity", GAME, "neighbour", 36.0),  # 96 s for 96 trainings of .5 s: twice
        cell("t", "bootstrap", GAME, "mvl", 80.0),  # 80 s for 200 trainings of .1 s: four times
    )
    assert missing_seconds(made) == {
        ("t", "histogram"): pytest.approx(96 * 3.0 * 3),
        ("t", "independent"): None,
        ("u", "histogram"): pytest.approx(96 * 3.0),
        ("u", "identity"): pytest.approx(96 * 0.5),
        ("u", "independent"): None,
    }


def test_the_page_says_it_in_the_place_of_the_game() -> None:
    page = html(results(cell("t", "identity", GAME, "mvl", 48.0)), [])
    rows = page.partition('<table id="overview">')[2].partition("</table>")[0].split("<tr>")[3:]
    shown = {}
    for row in rows:
        name, *games = re.findall(r"<td[^>]*>(.*?)</td>", row)[:3]
        shown[re.sub("<[^>]+>", "", name).rpartition(" ")[2]] = [re.findall(r'title="(.*?)">–', game) for game in games]
    assert {name: games for name, games in shown.items() if name != "bootstrap"} == {
        "identity": [[], ["not played: about 1 minute of a processor"]],
        "histogram": [["not played: about 5 minutes of a processor"]] * 2,
        "independent": [["no game"]] * 2,
    }
    assert "5 games were not played" in page
    assert "96 trainings each" in page
    assert "about 10 minutes of a processor" in page


def test_nothing_is_said_where_nothing_is_known() -> None:
    played = results(*(cell(table, method, GAME) for table in "tu" for method in ("identity", "histogram")))
    assert sentence(played) == ""


def test_it_has_no_more_digits_than_an_estimate() -> None:
    times = [long(seconds) for seconds in (3, 89, 1_260, 3_570, 3_600, 6_000, 34_000, 34_300, 400_000)]
    assert times == [
        "1 minute",
        "1 minute",
        "21 minutes",
        "60 minutes",
        "1.0 hours",
        "1.7 hours",
        "9.4 hours",
        "10 hours",
        "111 hours",
    ]


@pytest.mark.parametrize("name", ["first", "larger"])
def test_the_stored_plans_take_the_seconds_that_a_check_saw(name: str) -> None:
    """Of every recipe those of the table of recipes; of riskkit's own those that have no game."""
    table = (DOCS / "generators.md").read_text(encoding="utf-8")
    staying = re.findall(r"^\| \[(.+?)\](?:[^|]*\|){3} ([\d.]+) s", table, re.MULTILINE)
    saw = {recipe: float(seconds) for recipe, seconds in staying}
    checked = 0
    for part in read_plan(DOCS / "leaks" / f"{name}.toml").plan.method:
        made = registry.parse("generators", part.use)
        if isinstance(made, External):
            assert part.seconds == saw[made.recipe], part.use
            checked += 1
        else:
            assert (part.seconds > 0) == (part.use in ("ctgan", "tvae", "tabddpm")), part.use
    assert checked >= 4
