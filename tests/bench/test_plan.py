"""A plan is read as it is written, a wrong one refused with a sentence, and a method written into it once."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskkit.errors import DesignError
from riskkit_bench.plan import BenchPlan, add_method, read_plan
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
