"""A plan is read as it is written or refused, and each of its orders is seen to hold and to be broken."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from riskkit.errors import DesignError
from riskkit_bench.orders import check
from riskkit_bench.plan import BenchPlan, add_method, read_plan
from riskkit_bench.results import CERTIFICATE, FILE, GAME, RELEASE, BenchCell, PersonAuc, Results
from tests.bench.made import plan

TABLE = {"name": "t", "title": "T", "real": "t.csv", "rows": 10}
WHOLE = {"title": "A bench", "data": ".", "table": [TABLE]}


def test_what_a_plan_says_comes_back() -> None:
    made = BenchPlan.read({**WHOLE, "method": [{"use": "identity", "people": 0}], "falling": []})
    assert BenchPlan.read(made.as_dict()) == made
    assert (made.table[0].rows, made.method[0].people, made.game.trainings) == (10, 0, 60)


@pytest.mark.parametrize(
    ("part", "on", "played"),
    [
        ({}, "tu", "tu"),
        ({"games": ["t"]}, "tu", "t"),
        ({"games": ["t"], "tables": ["u"]}, "u", ""),
        ({"people": 0, "games": ["t"]}, "tu", ""),
        ({"tables": ["t"]}, "t", "t"),
    ],
)
def test_a_game_is_played_on_the_tables_that_have_one(part: dict[str, object], on: str, played: str) -> None:
    tables = [{**TABLE, "name": name} for name in "tu"]
    made = BenchPlan.read({**WHOLE, "table": tables, "method": [{"use": "identity", **part}]})
    (method,) = made.method
    assert [name for name in "tu" if method.is_on(name)] == list(on)
    assert [name for name in "tu" if made.has_game(method, name)] == list(played)


def test_a_plan_of_nobody_has_the_games_of_methods_that_say_so_alone() -> None:
    methods = [{"use": "identity"}, {"use": "bootstrap", "people": 2}]
    made = BenchPlan.read({**WHOLE, "game": {"people": 0}, "method": methods})
    assert [made.has_game(part, "t") for part in made.method] == [False, True]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"metod": []}, "the plan has no setting 'metod' (did you mean 'method'?)"),
        ({"table": [{"name": "t"}]}, "table in the plan does not say its 'title'."),
        ({"table": [{**TABLE, "rows": "many"}]}, "rows in table in the plan must be a whole number."),
        ({"table": [{**TABLE, "rows": True}]}, "rows in table in the plan must be a whole number."),
        ({"game": {"attacks": "mvl"}}, "attacks in game in the plan must be a list."),
        ({"game": 3}, "game in the plan takes names with values"),
        ({"release": [{"table": "other", "name": "r", "file": "r.csv"}]}, "no table 'other'; its tables are t."),
        ({"table": [TABLE, TABLE]}, "Tables of a bench need names of their own; t is there twice."),
        ({"game": {"trainings": 8}}, "intervals need at least 10"),
        ({"sure": 0.9}, "sure no lower"),
        ({"method": [{"use": "identity", "games": ["u"]}]}, "no table 'u'; its tables are t."),
        ({"method": [{"use": "identty"}]}, "did you mean 'identity'?"),
        ({"game": {"attacks": ["mlv"]}}, "There is no 'mlv' in attacks"),
    ],
)
def test_a_plan_that_no_bench_can_play_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(DesignError) as refusal:
        BenchPlan.read({**WHOLE, **change})
    assert sentence in str(refusal.value)


def test_a_file_that_is_no_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match=r"plan\.toml cannot be read"):
        read_plan(tmp_path / "plan.toml")
    (tmp_path / "plan.toml").write_text("title = \n", encoding="utf-8")
    with pytest.raises(DesignError, match=r"plan\.toml is no TOML"):
        read_plan(tmp_path / "plan.toml")


def test_a_method_is_written_at_the_end_of_the_plan_once(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    before = of.path.read_text(encoding="utf-8")
    for spelled in ("bayesnet:degree=2", "bayesnet:degree=2", "identity"):
        add_method(of.path, spelled)
    assert [part.use for part in read_plan(of.path).plan.method] == ["identity", "bayesnet:degree=2"]
    assert of.path.read_text(encoding="utf-8").startswith(before)
    with pytest.raises(DesignError, match="did you mean 'identity'"):
        add_method(of.path, "identty")


def test_all_stands_for_every_attack_of_the_room() -> None:
    made = BenchPlan.read(WHOLE)
    assert {"mvl", "neighbour", "queries"} <= set(made.attacks("attacks"))
    assert {"dcr", "ensemble"} <= set(made.attacks("released"))
    assert "two-tables" not in made.attacks("released")


NUMBER = count()
PLAN = BenchPlan.read(
    {
        "title": "Orders",
        "data": ".",
        "table": [{"name": "t", "title": "T", "real": "t.csv", "rows": 10}],
        "falling": [{"table": "t", "names": ["a", "b"]}],
    }
)


def cell(method: str, kind: str, low: float, high: float, attack: str = "dcr", **more: object) -> BenchCell:
    middle = (low + high) / 2
    ends = (middle, low, high)
    return BenchCell(f"{next(NUMBER)}", "t", method, kind, attack, auc=ends, sure=ends, **more)  # type: ignore[arg-type]


GOOD = {
    "a": cell("a", RELEASE, 0.8, 0.9),
    "b": cell("b", RELEASE, 0.6, 0.7),
    "blind": cell("independent", FILE, 0.45, 0.55),
    "bound": cell("bayesnet", CERTIFICATE, 0.9, 0.9, "certificate", people=(PersonAuc(3, (0.9, 0.9, 0.9)),)),
    "game": cell("bayesnet", GAME, 0.7, 0.95, "mvl", people=(PersonAuc(3, (0.92, 0.89, 0.95)),)),
    "noise": cell("mst:epsilon=1.0", CERTIFICATE, 0.6, 0.6, "certificate"),
    "less": cell("mst:epsilon=0.1", CERTIFICATE, 0.52, 0.52, "certificate"),
    "mst": cell("mst:epsilon=1.0", GAME, 0.45, 0.62, "mvl", people=(PersonAuc(3, (0.5, 0.4, 0.7)),)),
    "small": cell("mst:epsilon=0.1", GAME, 0.40, 0.60, "mvl", people=(PersonAuc(3, (0.5, 0.4, 0.7)),)),
}


def held(**changed: BenchCell) -> list[bool]:
    cells = {**GOOD, **changed}
    return [order.holds for order in check(Results(PLAN, "", {}, tuple(cells.values())))]


def test_good_results_keep_every_order() -> None:
    orders = check(Results(PLAN, "", {}, tuple(GOOD.values())))
    assert [order.holds for order in orders] == [True] * 4
    assert [order.compared for order in orders] == [1, 1, 3, 2]
    assert orders[0].text.startswith("t: a 0.85 > b 0.65")


def test_an_order_may_be_of_one_attack() -> None:
    """Another one, which sees as much in both, does not count then."""
    falling = replace(PLAN.falling[0], attack="dcr")
    cells = (*GOOD.values(), cell("b", RELEASE, 0.85, 0.95, "values"))
    by_strongest, by_one = (
        check(Results(plan, "", {}, cells))[0] for plan in (PLAN, replace(PLAN, falling=(falling,)))
    )
    assert (by_strongest.holds, by_one.holds) == (False, True)
    assert "by dcr" in by_one.text


@pytest.mark.parametrize(
    ("name", "change", "place"),
    [
        ("b", {"auc": (0.86, 0.6, 0.7)}, 0),
        ("b", {"auc": (0.7, 0.6, 0.81)}, 0),
        ("blind", {"sure": (0.56, 0.51, 0.6)}, 1),
        ("blind", {"sure": (0.44, 0.4, 0.49)}, 1),
        ("game", {"people": (PersonAuc(3, (0.95, 0.91, 0.97)),)}, 2),
        ("mst", {"people": (PersonAuc(3, (0.7, 0.61, 0.75)),)}, 2),
        ("small", {"sure": (0.65, 0.63, 0.7)}, 3),
        ("less", {"sure": (0.61, 0.61, 0.61), "auc": (0.61, 0.61, 0.61)}, 3),
    ],
)
def test_a_breach_of_each_is_seen(name: str, change: dict[str, object], place: int) -> None:
    orders = held(**{name: replace(GOOD[name], **change)})  # type: ignore[arg-type]
    assert orders[place] is False
    assert orders.count(False) == 1


def test_a_person_without_a_bound_is_not_compared() -> None:
    other = replace(GOOD["game"], people=(PersonAuc(4, (1.0, 0.99, 1.0)),))
    assert all(held(game=other))


def test_orders_of_nothing_are_not_said() -> None:
    assert check(Results(PLAN, "", {}, (GOOD["a"],))) == []
