"""Other versions of libraries give the same numbers to the digits that are printed; only the lock promises bytes.

``make oldest`` and ``make newest`` play this too, against what the locked versions came to (``sample_data/finished``).
"""

import ast
import json
import re
from typing import Any

import pytest

import riskkit
from riskkit.audit import sample
from riskkit.plans import Plan
from tests import versions

PLANS = (sample.SINGLING_OUT, sample.LINKABILITY, sample.ATTRIBUTES, sample.RELEASED)
"""What of the sample is asked without training a method."""
PRINTED = 0.005
"""Half of the last digit that is printed: numbers that are nearer print alike, or one apart where they lie astride."""


REMOVED = """
asynchat asyncore distutils imp smtpd aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib
ossaudiodev pipes sndhdr spwd sunau telnetlib uu xdrlib ast.Num ast.Str ast.Bytes ast.NameConstant ast.Ellipsis
asyncio.AbstractChildWatcher asyncio.ThreadedChildWatcher asyncio.get_child_watcher configparser.SafeConfigParser
importlib.find_loader importlib.abc.ResourceReader importlib.abc.Traversable importlib.abc.Finder pkgutil.find_loader
pkgutil.get_loader pkgutil.ImpImporter pty.master_open pty.slave_open sqlite3.version ssl.wrap_socket
ssl.match_hostname ssl.RAND_pseudo_bytes typing.io typing.re unittest.makeSuite unittest.findTestCases
unittest.getTestCaseNames urllib.request.URLopener urllib.request.FancyURLopener webbrowser.MacOSX locale.resetlocale
"""
"""Modules and names that Python 3.12, 3.13 or 3.14 no longer has."""


@pytest.fixture(scope="module")
def tables() -> riskkit.Tables:
    folder = sample.sample_folder()
    return riskkit.load(*(folder / name for name in sample.FILES.values()))


def of_the_lock(question: str) -> list[dict[str, Any]]:
    """The estimates that come with the sample."""
    kept = json.loads((sample.sample_folder() / "finished" / f"{question}.json").read_bytes())
    estimates: list[dict[str, Any]] = kept["result"]["estimates"]
    return estimates


@pytest.mark.second
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.question)
def test_numbers_agree_to_the_digits_that_are_printed(plan: Plan, tables: riskkit.Tables) -> None:
    now = [estimate.as_dict() for estimate in riskkit.ask(plan.question, tables, plan).estimates]
    kept = of_the_lock(plan.question)
    assert [labels(each) for each in now] == [labels(each) for each in kept]
    assert [(each, was) for each, was in zip(now, kept, strict=True) if not print_alike(each, was)] == []


def labels(estimate: dict[str, Any]) -> dict[str, Any]:
    """All of an estimate but its numbers."""
    return {name: value for name, value in estimate.items() if not isinstance(value, float)}


def print_alike(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether value and interval are printed with the same digits."""
    return all(abs(first[name] - second[name]) < PRINTED for name in ("value", "low", "high"))


def test_the_source_uses_nothing_that_newer_pythons_removed() -> None:
    """Of 3.12, 3.13 and 3.14, which were not run: modules, and names of modules, that are gone there."""
    uses = dict[str, set[str]]()
    for folder in ("riskkit", "riskkit_bench", "pages"):
        for path in (versions.ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if removed(text):
                uses[str(path)] = removed(text)
    assert uses == {}
    assert removed("import imp\nfrom ast import Num\nimport ast\nast.Str\n") == {"imp", "ast.Num", "ast.Str"}


def removed(text: str) -> set[str]:
    """What a source text uses of :data:`REMOVED`."""
    used = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            used |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            used |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used.add(f"{node.value.id}.{node.attr}")
    return used & set(REMOVED.split())


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    lines = versions.listed("oldest")
    assert "numpy==2.0.2" in lines
    assert all("==" in line for line in lines)
    assert not [line for line in versions.listed("newest") if re.match("torch|ctgan|rdt", line)]
    assert any(line.startswith("pandas>=2") for line in versions.listed("newest")), "3 too, for nothing holds it back"
    with pytest.raises(ValueError, match="no lower bound"):
        versions.oldest("numpy<3")
