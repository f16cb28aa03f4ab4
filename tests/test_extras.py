"""The core audits without torch, ctgan, shap and streamlit; what needs one of them says what to install."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from riskkit import registry
from riskkit.base import extras
from riskkit.cli import main
from riskkit.errors import MissingLibrary
from riskkit.explain import library
from riskkit.questions.membership import play as membership
from riskkit.seeds import stream
from tests.tables import mixed
from tests.test_cli_verdicts import ASK, FILES, files, words

__all__ = ["files"]

ROOT = Path(__file__).resolve().parents[1]
BLOCKED = (
    "torch", "ctgan", "rdt", "shap", "streamlit", "plotly", "starlette", "uvicorn", "distributed", "psycopg",
    "pyreadstat", "riskkit_bench",
)  # fmt: skip
"""What an installation of the core alone does not bring."""
WITHOUT = """
import io, json, sys
from contextlib import redirect_stdout
from importlib.machinery import PathFinder

blocked = json.loads(sys.argv[1])


class Without:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None if name.partition(".")[0] in blocked else PathFinder.find_spec(name, path, target)


sys.meta_path[:] = [Without if finder is PathFinder else finder for finder in sys.meta_path]
from riskkit.cli import main

for words in json.loads(sys.argv[2]):
    with redirect_stdout(io.StringIO()):
        code = main(words)
    print(words[0], code)
assert not set(blocked) & {name.partition(".")[0] for name in sys.modules}
"""
"""Python as it is where these modules are not installed, and the command line in it."""


def test_every_question_is_played_by_the_core_alone(files: dict[str, str], tmp_path: Path) -> None:
    """A Bayesian network among them; and an audit of what is asked without a configuration, with its report."""
    audit = ["audit", "--workers", "1", *FILES_OF_AUDIT.format(**files).split(), "--out", str(tmp_path / "report")]
    lines = [*(words(question, files) for question in ASK), audit]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps(BLOCKED), json.dumps(lines)],
        cwd=ROOT,
        env={**os.environ, "RISKKIT_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    codes = dict(line.split() for line in done.stdout.splitlines())
    assert codes.pop("audit") in ("3", "4"), done.stderr
    assert codes == dict.fromkeys(ASK, "0"), done.stderr
    assert (tmp_path / "report" / "report.pdf").read_bytes().startswith(b"%PDF")


FILES_OF_AUDIT = "--real {real} --synthetic {fresh} --holdout {holdout}"
GAME = f"membership {FILES} --target random --targets-each 1 --attack mvl --trainings 20 --n-syn 400"
NEEDS = {
    f"{GAME} --generator ctgan": ("deep", "CTGAN needs PyTorch"),
    f"{GAME} --generator tvae": ("deep", "TVAE needs PyTorch"),
    f"{GAME} --generator tabddpm": ("deep", "TabDDPM needs PyTorch"),
    f"{GAME} --generator bayesnet --generator ctgan": ("deep", "CTGAN needs PyTorch"),
    f"records {FILES} --generator ctgan --records ids:3": ("deep", "CTGAN needs PyTorch"),
    f"attributes {FILES} --secret place --generator tvae --randomised-secret 20": ("deep", "TVAE needs PyTorch"),
    f"contest {ASK['contest'].replace('stat', 'stat,ctgan')}": ("deep", "CTGAN needs PyTorch"),
    f"explanations {ASK['explanations']} --model network": ("deep", "A neural network needs PyTorch"),
    f"explanations {ASK['explanations']} --explainer shap": ("explain", "This explainer needs the shap library"),
    "app": ("app", "The dashboard needs Streamlit"),
    "bench plan.toml": ("bench", "The command bench needs riskkit-bench"),
    "generators list": ("bench", "A method of another package needs riskkit-bench"),
    f"{GAME} --generator external:recipe=arfpy": (
        "bench",
        "A method of another package needs riskkit-bench",
    ),
}
"""Command lines that need more than the core: the extra, and how the sentence begins."""


@pytest.mark.parametrize("line", NEEDS)
def test_what_is_missing_is_named_with_what_to_install(
    line: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in BLOCKED:
        monkeypatch.setitem(sys.modules, name, None)
    extra, begins = NEEDS[line]
    assert main(line.format(**files).split()) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error == f"riskkit: {begins}, which is not installed: pip install 'riskkit[{extra}]'"


def test_nothing_is_played_before_it_is_said(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the games on the generator that is here."""
    asked: list[object] = []
    monkeypatch.setattr(membership, "Pool", lambda *arguments: asked.append(arguments))
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(f"{GAME} --generator bayesnet --generator ctgan".format(**files).split()) == 2
    assert asked == []


def test_the_one_that_is_missing_is_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = registry.parse("generators", "ctgan")
    registry.check_ready(plugin)  # with all of them here there is nothing to say
    monkeypatch.setitem(sys.modules, "ctgan", None)
    with pytest.raises(MissingLibrary, match="CTGAN needs the ctgan package"):
        registry.check_ready(plugin)
    monkeypatch.setitem(extras.TITLES, "deep", {"no_such_module_anywhere": "nothing"})
    with pytest.raises(MissingLibrary, match="CTGAN needs nothing, which is not installed"):
        registry.check_ready(plugin)


@pytest.mark.parametrize(
    ("room", "name"), [*(("generators", name) for name in ("ctgan", "tvae", "tabddpm")), ("explained", "network")]
)
def test_who_asks_a_plug_in_without_the_engine_is_told_too(
    room: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    rng, learned = stream(1, "extras"), ((np.zeros((40, 2)), np.zeros(40)) if room == "explained" else (mixed(40),))
    with pytest.raises(MissingLibrary, match=r"needs PyTorch, which is not installed: pip install 'riskkit\[deep\]'"):
        registry.make(room, name).fit(*learned, rng)


def test_who_asks_the_library_itself_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(MissingLibrary, match="needs the shap library"):
        library.explain("shap-linear", None, np.zeros((1, 1)), np.zeros((1, 1)), [0], stream(1, "extras"))


def test_the_extras_are_those_of_the_package() -> None:
    """What is checked for is what ``pip install 'riskkit[...]'`` brings beside what is there anyway."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def packages(lines: list[str]) -> set[str]:
        return {re.split("[=<>]", line)[0].replace("-", "_") for line in lines}

    anyway = packages(project["dependencies"])
    brought = {extra: packages(project["optional-dependencies"][extra]) - anyway for extra in extras.TITLES}
    assert brought == {extra: set(titles) for extra, titles in extras.TITLES.items()}
