"""Each order is seen to hold, and one planted breach of each is seen."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from riskkit_bench.orders import check
from riskkit_bench.plan import BenchPlan
from riskkit_bench.results import CERTIFICATE, FILE, GAME, RELEASE, BenchCell, PersonAuc, Results

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
