"""The table of leaks of the repository: whole, in the orders that must hold, with a page that is made of it."""

import json
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from riskkit import registry
from riskkit_bench.orders import CheckedOrder, check
from riskkit_bench.page import html
from riskkit_bench.plan import Stored, read_plan
from riskkit_bench.results import CERTIFICATE, FILE, GAME, PARTS, RELEASE, SECRET, USE, Results, read

LEAKS = Path(__file__).resolve().parents[2] / "docs" / "leaks"


@cache
def first() -> tuple[Stored, Results]:
    of = read_plan(LEAKS / "first.toml")
    return of, read(LEAKS / "first.json", of)


@cache
def orders() -> list[CheckedOrder]:
    return check(first()[1])


def test_the_results_are_those_of_the_plan() -> None:
    bench, results = first()
    asked = {(release.table, release.name) for release in bench.plan.release}
    assert {(cell.table, cell.method) for cell in results.cells if cell.kind == RELEASE} == asked
    assert {cell.table for cell in results.cells} == {part.name for part in bench.plan.table}
    assert all(cell.has_number or cell.why for cell in results.cells), "what has no number says why"
    assert all(cell.made_with for cell in results.cells)


def test_the_file_is_what_its_schema_says() -> None:
    schema = json.loads((LEAKS / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    results = json.loads((LEAKS / "first.json").read_bytes())
    validator.validate(results)
    results["cells"][0] |= {"auc": [0.5, 0.4]}
    assert not validator.is_valid(results)


def test_cells_that_anybody_can_play_again_are_of_every_kind() -> None:
    bench, results = first()
    cells = [results.find(place) for place in bench.plan.quick]
    assert len(cells) == 10
    assert {cell.kind for cell in cells if cell is not None} == {
        GAME,
        FILE,
        RELEASE,
        CERTIFICATE,
        USE,
        PARTS,
        SECRET,
    }


def test_every_order_holds() -> None:
    assert len(orders()) == 4, "each kind of order has something to compare"
    assert [order.text for order in orders() if not order.holds] == []
    assert min(order.compared for order in orders()) >= 2


def test_of_everybody_nobody_is_exposed_by_a_method_that_ignores_the_table() -> None:
    """And of a histogram, which copies cells of all columns, more than of a Bayesian network; 24 methods are asked."""
    bench, results = first()
    exposed = {(c.table, c.method): c.exposed[0] for c in results.cells if c.kind == PARTS and c.exposed is not None}
    tables = [part.name for part in bench.plan.table]
    asked = {registry.spell(registry.parse("generators", use)) for use in bench.plan.parts.methods}
    assert len(asked) >= 24
    assert set(exposed) == {(table, method) for table in tables for method in asked}
    assert all(cell.auc and cell.sure and cell.n == 32 for cell in results.cells if cell.exposed is not None)
    assert sum(exposed[table, "independent"] for table in tables) <= 2
    assert sum(exposed[table, "histogram"] for table in tables) > sum(exposed[table, "bayesnet"] for table in tables)


def test_the_three_mechanisms_of_known_noise_stand_in_their_order() -> None:
    """flip10 > flip20 > flip30 for an attack by nearness, from the cells themselves."""
    cells = [cell for cell in first()[1].cells if (cell.kind, cell.attack) == (RELEASE, "nndr")]
    best = [max(cell.auc[0] for cell in cells if cell.auc and cell.method == f"flip{part}") for part in (10, 20, 30)]
    assert best[0] > best[1] > best[2] > 0.5


def test_attacks_find_what_there_is_to_find() -> None:
    """A copy of the table is known by every attack, and a bound is reached where it can be."""
    results = first()[1]
    copy = [cell.auc[0] for cell in results.cells if cell.method == "identity" and cell.kind == GAME and cell.auc]
    assert len(copy) >= 4
    assert min(copy) > 0.9
    (bound,) = [c for c in results.cells if (c.table, c.method, c.kind) == ("adult", "histogram", CERTIFICATE)]
    (played,) = [c for c in results.cells if (c.table, c.method, c.attack) == ("adult", "histogram", "likelihood")]
    assert bound.auc is not None
    assert played.auc is not None
    assert played.auc[1] <= bound.auc[0] <= played.auc[2], "the likelihood attack is the best there can be"


def test_sentences_rest_on_cells_with_numbers() -> None:
    bench, results = first()
    assert len(bench.plan.saying) == 12
    for saying in bench.plan.saying:
        assert saying.cells, saying.text
        for place in saying.cells:
            cell = results.find(place)
            assert cell is not None, place
            assert cell.has_number, place


def test_the_page_is_made_of_them() -> None:
    results = first()[1]
    assert html(results, orders()) == (LEAKS / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["first", "larger"])
def test_stored_plans_can_be_read(name: str) -> None:
    assert read_plan(LEAKS / f"{name}.toml").plan.method
