"""Recipes of methods of other packages: each says what it is, has its page, and fits a table that it is not used to."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest

from riskkit.errors import ParameterError
from riskkit.generators.engines import recipes, resident
from riskkit.generators.engines.recipes import Recipe
from riskkit.generators.external import External
from riskkit.table.write import to_csv
from tests.generators.own_generator import odd, sampled

DOCS = Path(__file__).resolve().parents[2] / "docs"
EVERY = list(recipes.recipes().values())
THERE = [recipe for recipe in EVERY if not recipe.absent]
UNREPEATABLE = {"dpmm-mst", "smartnoise-aim", "smartnoise-mst"}
"""Their noise takes no seed."""


def names(some: list[Recipe]) -> list[str]:
    return [recipe.name for recipe in some]


def test_a_recipe_that_is_not_there_is_refused_and_pins_nothing() -> None:
    for recipe in (recipe for recipe in EVERY if recipe.absent):
        assert recipe.title
        assert recipe.licence
        assert not recipe.pins
        with pytest.raises(ParameterError, match="cannot be used here"):
            recipes.recipe(recipe.name)


@pytest.mark.parametrize("recipe", THERE, ids=names(THERE))
def test_a_recipe_says_what_it_is_made_of_and_can_be_fitted(recipe: Recipe) -> None:
    assert recipe.title
    assert recipe.licence
    assert recipe.needs
    assert recipe.chance
    assert all(re.fullmatch(r"[\w.-]+==[\w.+]+", pin) for pin in recipe.pins), "every package in one version"
    packages = [pin.partition("==")[0].lower().replace("_", "-") for pin in recipe.pins]
    assert len(packages) == len(set(packages)) > 5
    text = recipe.file.read_text(encoding="utf-8")
    assert "riskkit" not in text
    functions = [line for line in ast.parse(text).body if isinstance(line, ast.FunctionDef)]
    taken = {function.name: [argument.arg for argument in function.args.args] for function in functions}
    assert taken["fit"] == ["table", "columns", "seed"]
    assert taken["sample"] == ["model", "rows", "seed"]


@pytest.mark.parametrize("recipe", THERE, ids=names(THERE))
def test_a_recipe_has_a_page_with_its_version_and_licence(recipe: Recipe) -> None:
    page = (DOCS / "methods" / f"{recipe.name}.md").read_text(encoding="utf-8")
    version = re.search(r"\d+(\.\d+)+", recipe.title)
    assert version is not None
    assert version[0] in page
    assert recipe.licence in page
    assert f"(methods/{recipe.name}.md)" in (DOCS / "generators.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("recipe", THERE, ids=names(THERE))
def test_the_table_of_recipes_says_what_their_pages_say(recipe: Recipe) -> None:
    page = (DOCS / "methods" / f"{recipe.name}.md").read_text(encoding="utf-8")
    (row,) = re.findall(
        rf"^\| \[{recipe.name}\].*$", (DOCS / "generators.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    (staying,) = re.findall(r"22 trainings on 500 rows and 12 columns: ([\d.]+ s) of a processor each", page)
    (by_command,) = re.findall(r"stays up, ([\d.]+ s) by command", page)
    (game,) = re.findall(r"A game of 14 trainings: AUC (\.\d+ \[\.\d+, \.\d+\])", page)
    memory = re.findall(r"([\d,]+) MB", page[page.index("22 trainings") :])
    assert cells[2:4] == [by_command, staying]
    assert cells[5].partition(" MB")[0] in memory
    assert cells[6] == ("yes" if "gave the same bytes" in page else "no")
    assert cells[7] == game


def test_recipes_of_one_environment_have_the_same_pins() -> None:
    pins: dict[str, set[tuple[str, ...]]] = {}
    for recipe in THERE:
        pins.setdefault(recipe.folder.name, set()).add(recipe.pins)
    assert {name for name, made in pins.items() if len(made) > 1} == set()


def loaded(name: str) -> ModuleType:
    """The file of a recipe as a module; its package is wanted only when it fits."""
    spec = importlib.util.spec_from_file_location(name, recipes.recipe(name).file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_noisy_tables_of_smartnoise_take_the_domain_alike() -> None:
    """A recipe is one file that runs alone, so it stands in both; who compares the two compares nothing else."""
    declared = [
        ast.dump(line)
        for name in ("smartnoise-aim", "smartnoise-mst")
        for line in ast.parse(recipes.recipe(name).file.read_text(encoding="utf-8")).body
        if isinstance(line, ast.FunctionDef) and line.name == "declared"
    ]
    assert len(declared) == 2
    assert declared[0] == declared[1]


def test_aim_spends_its_budget_alone_and_deals_it_out_as_its_package_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of rounds says how the budget is dealt out: with another one it is another method."""
    created: list[tuple[str, dict[str, float]]] = []

    class Synthesizer:
        @classmethod
        def create(cls, name: str, **settings: float) -> Synthesizer:
            created.append((name, settings))
            return cls()

        def fit(self, table: pd.DataFrame, transformer: object, preprocessor_eps: float) -> None:
            assert preprocessor_eps == 0, "nothing is spent on bounds: they are declared"

    monkeypatch.setitem(sys.modules, "snsynth", SimpleNamespace(Synthesizer=Synthesizer))
    recipe = loaded("smartnoise-aim")
    monkeypatch.setattr(recipe, "declared", lambda columns: columns)
    recipe.fit(pd.DataFrame({"age": [1] * 100, "bmi": [2] * 100, "ward": ["a"] * 100}), [], 1)
    assert created == [("aim", {"epsilon": 1.0, "delta": pytest.approx(0.001)})]


def test_mostlyai_draws_another_level_in_place_of_a_rare_one() -> None:
    """It would write ``_RARE_``, which no table has, and a release with it is refused."""

    class Model:
        random_state = 0

        def sample(self, n_samples: int, rare_category_replacement_method: str = "CONSTANT") -> list[str]:
            return ["_RARE_" if rare_category_replacement_method == "CONSTANT" else "often"] * n_samples

    assert loaded("mostlyai-engine").sample(Model(), 3, 2**40 + 5) == ["often"] * 3


@pytest.mark.slow
@pytest.mark.usefixtures("temp")
@pytest.mark.parametrize("recipe", THERE, ids=names(THERE))
def test_a_recipe_fits_odd_names_rare_levels_and_gaps(recipe: Recipe) -> None:
    """Where its environment is made: ``RISKKIT_HOME=... pytest -m slow``."""
    if not recipe.is_made:
        pytest.skip(f"the environment of {recipe.name} is not made here")
    try:
        table = odd()
        first, again = (sampled(External(recipe=recipe.name, timeout=1800), table, 50, 1) for _ in range(2))
    finally:
        resident.end_all()
    assert first.schema == table.schema
    assert len(first) == 50
    if recipe.name not in UNREPEATABLE:
        assert to_csv(first) == to_csv(again)
