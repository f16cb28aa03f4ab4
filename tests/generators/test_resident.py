"""A program that stays up: started once, asked again and again, and never able to say a value."""

import json
import pickle
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from riskkit import registry
from riskkit.errors import DesignError, ParameterError
from riskkit.generators import external
from riskkit.generators.engines import recipes, resident
from riskkit.generators.external import External, FittedModel
from riskkit.table.write import to_csv
from tests.generators.own_generator import HERE, command, inside, odd, refused, rng, sampled
from tests.generators.own_resident import CANARY
from tests.tables import mixed

pytestmark = pytest.mark.usefixtures("temp")
BOOTSTRAP = """
PINS = ""
def fit(table, columns, seed):
    assert not table.isna().any().any()
    return table
def sample(model, rows, seed):
    return model.sample(rows, replace=True)
"""
"""A recipe that draws rows of its table by numpy's global state."""


def program(how: str = "well") -> str:
    return shlex.join([sys.executable, str(HERE / "own_resident.py"), how])


@pytest.fixture(autouse=True)
def _ended() -> object:
    yield
    resident.end_all()


@pytest.mark.parametrize("table", [mixed(100), odd()], ids=["mixed", "odd"])
def test_rows_come_back_as_they_were_and_one_seed_gives_the_same(table) -> None:  # type: ignore[no-untyped-def]
    generator = External(program=program())
    first, again, other = (sampled(generator, table, 80, seed) for seed in (1, 1, 2))
    assert first.schema == table.schema
    assert inside(first, table)
    assert to_csv(first) == to_csv(again) != to_csv(other)
    assert registry.parse("generators", registry.spell(generator)) == generator
    assert generator.flag == "--allow-external"


def test_it_is_started_once_and_forgets_what_nobody_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "starts"
    monkeypatch.setenv("OWN_STARTS", str(note))
    generator = External(program=program())
    fits = [generator.fit(mixed(50), rng(seed)) for seed in range(3)]
    for fitted in fits:
        assert len(fitted.sample(20, rng())) == 20
    (running,) = (each for each in resident._HOLDERS.values() if each.is_there)
    assert len(note.read_text().split()) == 1
    del fits, fitted
    assert sorted(running.unused) == [0, 1, 2]
    generator.fit(mixed(50), rng())
    assert running.unused != [0, 1, 2]


def test_a_model_is_fitted_again_where_its_program_is_gone_or_it_has_travelled() -> None:
    fitted = External(program=program()).fit(mixed(80), rng())
    assert isinstance(fitted, FittedModel)
    before = to_csv(fitted.sample(50, rng(2)))
    (running,) = (each for each in resident._HOLDERS.values() if each.is_there)
    running.running.kill()
    running.running.wait()
    assert to_csv(fitted.sample(50, rng(2))) == before
    assert to_csv(pickle.loads(pickle.dumps(fitted)).sample(50, rng(2))) == before


@pytest.mark.parametrize("how", ["talks", "late"])
def test_what_is_no_answer_is_passed_over(how: str) -> None:
    assert len(sampled(External(program=program(how)), mixed(50))) == 50


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("ends", "ended with exit status 3 when sample was asked for. It must stay up"),
        ("breaks", "ended with exit status 1 when sample was asked for. Python named its reason: KeyError."),
        ("fails", "could not do what sample asks for. Python named its reason: ValueError."),
        ("fails_secretly", "could not do what sample asks for. What it printed is not kept"),
        ("silent", "answered without writing the release"),
        ("sleeps", "did not answer within its time limit"),
    ],
)
def test_every_fault_is_a_sentence_without_a_value_and_leaves_no_folder(how: str, sentence: str, temp: Path) -> None:
    refusal = refused(External(program=program(how), timeout=1 if how == "sleeps" else 60))
    assert sentence in refusal
    assert CANARY not in refusal
    resident.end_all()
    assert list(temp.iterdir()) == []


def test_after_a_fault_it_is_asked_again_or_started_again() -> None:
    for how in ("fails", "ends"):
        fitted = External(program=program(how)).fit(mixed(50), rng())
        for _ in range(2):
            with pytest.raises(DesignError):
                fitted.sample(10, rng())


def test_its_folder_is_private_and_holds_no_table_between_requests(temp: Path) -> None:
    fitted = External(program=program()).fit(mixed(50), rng())
    (folder,) = temp.iterdir()
    assert folder.stat().st_mode & 0o77 == 0
    assert list(folder.iterdir()) == []
    fitted.sample(10, rng())
    assert list(folder.iterdir()) == []
    resident.end_all()
    assert list(temp.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"program": "  "}, "it must name a program"),
        ({"program": "mine 'x"}, "it must close every quote"),
        ({"program": "mine", "command": "mine {train} {n} {out}"}, "may have one of command, python, program"),
        ({"recipe": "nonsense"}, "external: recipe is 'nonsense'; it may be 'arfpy'"),
        ({"recipe": "mbi"}, "The method mbi cannot be used here."),
    ],
)
def test_settings_that_cannot_work_are_refused_when_they_are_made(settings: dict[str, str], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        External(**settings)


def test_it_is_refused_where_programs_are_not_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(external.ALLOWED)
    assert "riskkit was not started for that. Start it with --allow-external" in refused(External(program=program()))


def test_a_command_can_have_the_schema(tmp_path: Path) -> None:
    copy = tmp_path / "schema.json"
    script = tmp_path / "keeps.py"
    script.write_text("import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])")
    words = f"{shlex.join([sys.executable, str(script)])} {{schema}} {shlex.quote(str(copy))} {{train}} {{n}} {{out}}"
    refused(External(command=words))  # it writes no release
    columns = json.loads(copy.read_text())["columns"]
    assert columns == json.loads(resident.schema_bytes(mixed(100).schema))["columns"]
    assert "schema" not in command()


# --- recipes --------------------------------------------------------------------------------------------------------


def test_an_environment_of_other_pins_is_not_that_of_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    recipe = recipes.recipe("arfpy")
    assert "is not made here. Make it with riskkit generators add arfpy" in refused(External(recipe="arfpy"))
    recipe.python.parent.mkdir(parents=True)
    recipe.python.touch()
    (recipe.folder / recipes.MADE).write_text(json.dumps({"sha": "other"}))
    assert not recipe.is_made
    (recipe.folder / recipes.MADE).write_text(json.dumps({"sha": recipe.sha}))
    assert recipes.recipe("arfpy").is_made
    (choices,) = (s.choices for s in registry.settings(External) if s.name == "recipe")
    assert choices == ("", "arfpy")


@pytest.mark.second
@pytest.mark.parametrize("table", [mixed(100), odd()], ids=["mixed", "odd"])
def test_the_adapter_hands_over_numbers_and_texts_and_brings_back_the_table(table, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    recipe = tmp_path / "recipe.py"
    recipe.write_text(BOOTSTRAP)
    words = [sys.executable, "-P", str(recipes.ADAPTER), str(recipe)]
    release = sampled(External(program=shlex.join(words)), table, 80)
    assert inside(release, table)
    assert len(np.unique(release.keys())) > 10
    once = External(command=f"{shlex.join(words)} {{train}} {{n}} {{seed}} {{out}} {{schema}}")
    assert inside(sampled(once, table, 40), table)


@pytest.mark.second
def test_the_adapter_keeps_numbers_within_the_domain(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.py"
    recipe.write_text(
        "import numpy as np\nPINS = ''\n"
        "def fit(table, columns, seed): return table\n"
        "def sample(model, rows, seed):\n"
        "    out = model.sample(rows, replace=True)\n"
        "    return out.assign(age=out['age'] * np.linspace(-3, 3, rows) + 0.4)\n"
    )
    words = shlex.join([sys.executable, "-P", str(recipes.ADAPTER), str(recipe)])
    release = sampled(External(program=words), mixed(100), 80)
    age = release.schema.column("age")
    index = [column.name for column in release.schema.numeric].index("age")
    assert release.numbers[:, index].min() == age.low
    assert release.numbers[:, index].max() == age.high


def test_the_adapter_seeds_a_torch_that_the_method_has_yet_to_load() -> None:
    """Else the first training of each process would start from networks that no seed gives again."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'riskkit[deep]'")
    script = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('adapter', {str(recipes.ADAPTER)!r})\n"
        "adapter = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(adapter)\n"
        "assert 'torch' not in sys.modules\n"
        "adapter.seeded(3)\n"
        "import torch\n"
        "first = torch.rand(4)\n"
        "adapter.seeded(3)\n"
        "assert torch.equal(first, torch.rand(4))\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)


def test_nothing_of_a_row_is_in_the_description_of_the_schema() -> None:
    table = odd()
    assert resident.schema_bytes(table.schema) == resident.schema_bytes(table.rows(np.arange(3)).schema)
