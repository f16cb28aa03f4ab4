"""What ``import riskkit`` gives."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import riskkit

ROOT = Path(__file__).resolve().parents[1]
SHARED = {name for name in riskkit.__all__ if (ROOT / "riskkit" / name).is_dir()}
"""Names of the facade that a package has too."""


def test_the_list_is_sorted_short_and_without_repeats() -> None:
    assert riskkit.__all__ == sorted(set(riskkit.__all__))
    assert len(riskkit.__all__) <= 46


def test_the_list_is_complete() -> None:
    """Every name that type checkers see is on it and comes from the module they see it in; so does every other."""
    tree = ast.parse(Path(riskkit.__file__).read_text(encoding="utf-8"))
    (seen,) = (node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.name: str(node.module) for node in seen.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(imported) == set(riskkit.__all__)
    assert {name: f"riskkit.{module}" for name, module in vars(riskkit)["_MODULES"].items()} == imported
    for name, module in imported.items():
        thing = getattr(importlib.import_module(module), name)
        assert getattr(riskkit, name) is thing or getattr(riskkit, name) is sys.modules[f"riskkit.{name}"]


@pytest.mark.second
@pytest.mark.parametrize("name", sorted(SHARED))
def test_a_name_that_a_package_has_too_asks_the_question_before_and_after_that_is_imported(name: str) -> None:
    """``import riskkit.released`` puts the package in the place of the question; both have to work."""
    script = f"""
import importlib, riskkit
def asked():
    try:
        riskkit.{name}("nowhere.csv")
    except riskkit.RiskkitError as error:
        return type(error).__name__
print(asked()); importlib.import_module("riskkit.{name}"); print(asked())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["FileError", "FileError"]


@pytest.mark.parametrize("name", ["nothing", "DesignErrors", "np"])
def test_a_name_that_is_not_there_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
        getattr(riskkit, name)
    assert set(riskkit.__all__) <= set(dir(riskkit))


@pytest.fixture(scope="module")
def tables() -> riskkit.Tables:
    return riskkit.sample()


FRAME = pd.DataFrame({"age": range(20, 60), "job": ["a", "b"] * 20})
MISSPELLED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "name": (lambda _: riskkit.memberhip, "membership"),  # type: ignore[attr-defined]
    "question": (lambda tables: riskkit.ask("one-rn", tables), "one-run"),
    "setting": (lambda tables: riskkit.membership(tables, "bayesnet", trainngs=40), "trainings"),
    "choice of a setting": (lambda tables: riskkit.membership(tables, "bayesnet", knowledge="exakt"), "exact"),
    "method": (lambda tables: riskkit.load(tables, made_by="ctgann"), "ctgan"),
    "setting of a method": (lambda tables: riskkit.load(tables, made_by="bayesnet:degre=1"), "degree"),
    "attack": (lambda tables: riskkit.released(tables, "dcrr"), "dcr"),
    "attack on arrays": (lambda _: riskkit.score_arrays("domia", *np.zeros((3, 4, 2))), "domias"),
    "room": (lambda _: riskkit.plugins("atacks"), "attacks"),
    "effort": (lambda tables: riskkit.audit(tables, effort="quik"), "quick"),
    "what a row is": (lambda tables: riskkit.audit(tables, row="persn"), "person"),
    "question of a limit": (lambda tables: riskkit.audit(tables, limits={"relesed": 0.6}), "released"),
    "published limit": (lambda tables: riskkit.singling_out(tables, limit="ema-0.9"), "ema-0.09"),
    "part of a limit": (lambda tables: riskkit.released(tables, limit={"valu": 0.6}), "value"),
    "secret": (lambda tables: riskkit.audit(tables, secrets="diagnosiss"), "diagnosis"),
    "column of attributes": (lambda tables: riskkit.attributes(tables, "diagnosiss"), "diagnosis"),
    "column of keys": (lambda tables: riskkit.keys(tables, ["agee"]), "age"),
    "column of a half": (lambda tables: riskkit.linkability(tables, ["agee"]), "age"),
    "household": (lambda tables: riskkit.households(tables, "stat", household="distrct"), "district"),
    "decided column": (lambda _: riskkit.load(FRAME, columns={"agee": {}}), "age"),
    "decision": (lambda _: riskkit.load(FRAME, columns={"age": {"kinds": "numeric"}}), "kind"),
    "kind": (lambda _: riskkit.load(FRAME, columns={"age": {"kind": "numerc"}}), "numeric"),
    "role": (lambda _: riskkit.load(FRAME, columns={"age": {"role": "secrt"}}), "secret"),
    "column of the person": (lambda _: riskkit.load(FRAME, person="agee"), "age"),
    "second table": (lambda _: riskkit.load(FRAME, person="age", children={"rael": FRAME}), "real"),
    "file of an encoding": (lambda _: riskkit.load(FRAME, encodings={"holdot": "utf-8"}), "holdout"),
}


@pytest.mark.parametrize("wrong", MISSPELLED)
def test_what_is_misspelled_gets_the_nearest(wrong: str, tables: riskkit.Tables) -> None:
    call, near = MISSPELLED[wrong]
    with pytest.raises((AttributeError, riskkit.RiskkitError), match=rf"\(did you mean '{near}'\?\)"):
        call(tables)


def test_what_is_like_nothing_gets_no_guess(tables: riskkit.Tables) -> None:
    with pytest.raises(riskkit.DesignError, match="There is no effort 'zzz'; say quick"):
        riskkit.audit(tables, effort="zzz")


def test_the_sample_is_the_tables_that_readme_loads() -> None:
    tables = riskkit.sample()
    assert [(file.slot, file.rows) for file in tables.files] == [("real", 2000), ("synthetic", 2000), ("holdout", 1000)]
    assert tables.made_by == "bayesnet"


def test_importing_it_imports_no_library() -> None:
    """What is used of it comes with what it needs, and no sooner."""
    script = "import sys, riskkit; print('numpy' in sys.modules); riskkit.Table; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("name", riskkit.__all__)
def test_every_name_is_there_and_says_what_it_is(name: str) -> None:
    thing = getattr(riskkit, name)
    text = inspect.getdoc(thing) or ""
    assert len(text) > 20
    assert not text.startswith(f"{name}(")  # the signature a dataclass without a docstring gets


def test_the_version_is_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.?\w+)?", riskkit.__version__)


def test_what_the_readme_calls_is_there() -> None:
    called = set(re.findall(r"riskkit\.([a-z_]+)\(", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert called
    assert called <= set(riskkit.__all__)


def test_the_readme_reads_a_table_as_it_says() -> None:
    table = riskkit.read_table(ROOT / "sample_data" / "real.csv")
    assert isinstance(table, riskkit.Table)
    assert len(table) > 0
