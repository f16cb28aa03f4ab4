"""Who may import whom, and what no file may do: the house plan as code, over the syntax tree of every file.

Every rule is shown to bite on a planted snippet at the end.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

NOUNS = {"core", "errors", "phrases", "stages"}
PLUGIN = NOUNS | {"compilation", "distributions", "estimators", "extras", "parameters", "table", "threads"}
ENGINE = PLUGIN | {
    "places",
    "plain",
    "process",
    "own",
    "seeds",
    "targets",
    "generators",
    "attacks",
    "released",
    "inference",
    "explain",
    "explained",
    "inverters",
    "defences",
    "utility",
    "games",
    "stats",
    "judging",
    "wording",
    "language",
    "registry",
    "plans",
    "version",
    "show",
    "jobs",
    "mend",
}
SURFACE = {
    "core", "errors", "language", "places", "plain", "process", "wording", "facade", "registry", "plans", "show",
    "jobs", "questions", "audit", "judging", "report", "figures", "dashboard", "mend",
}  # fmt: skip
MAY_IMPORT: dict[str, set[str]] = {
    "phrases": set(),
    "errors": {"phrases"},
    "extras": {"errors", "phrases"},
    "catalogue": set(),
    "base": set(),
    "compilation": set(),
    "threads": set(),
    "distributions": set(),
    "estimators": set(),
    "language": {"catalogue", "phrases"},
    "places": set(),
    "process": {"terminal"},
    "seeds": set(),
    "version": set(),
    "stages": set(),
    "terminal": set(),
    "core": {"errors"},
    "own": {"errors"},
    "plain": NOUNS | {"own"},
    "parameters": {"errors", "phrases"},
    "registry": NOUNS | {"own", "parameters"},
    "plans": NOUNS | {"parameters", "registry"},
    "table": NOUNS
    | {"compilation", "extras", "process", "threads"},  # reads files of statistics programs, in a process of its own
    "stats": NOUNS | {"compilation", "distributions"},
    "targets": PLUGIN,
    "generators": PLUGIN | {"places"},
    "attacks": PLUGIN,
    "released": PLUGIN,
    "inference": PLUGIN,
    "explain": PLUGIN | {"seeds"},  # lends numpy's global stream to the shap library
    "explained": PLUGIN | {"explain"},
    "inverters": PLUGIN | {"explain"},
    "defences": PLUGIN | {"explain"},
    "utility": PLUGIN,
    "profiles": {"language", "show"},
    "games": PLUGIN | {"seeds", "explain"},
    "mend": NOUNS | {"seeds", "table"},
    "wording": NOUNS | {"language", "stats"},
    "judging": NOUNS | {"language", "wording", "stats"},
    "show": NOUNS | {"language", "plain", "wording", "stats", "judging"},
    "jobs": PLUGIN
    | {
        "language",
        "own",
        "places",
        "plans",
        "process",
        "registry",
        "seeds",
        "version",
        "judging",
    },
    "questions": ENGINE,
    "report": NOUNS | {"language", "plain", "wording", "stats", "judging", "show", "questions"},
    "audit": ENGINE | {"questions", "report"},
    "cli": NOUNS | {"language", "process", "version", "commands"},
    "program": {"cli", "commands", "process", "terminal"},
    "riskkit_bench": ENGINE | {"questions", "audit", "commands"},
    "figures": NOUNS | {"language", "wording", "show", "questions", "report", "audit"},
    "session": ENGINE | {"questions", "report", "audit", "figures"},
    "commands": ENGINE | {"questions", "report", "audit", "session", "terminal"},
    "facade": ENGINE | {"questions", "report", "audit", "cli", "session"},
    "dashboard": SURFACE,
    "pages": SURFACE,
    "app": SURFACE,
}
"""Unit -> the other units it may import. Its own folder is always open to it, save for the plug-in folders."""

PLUGIN_ROOMS = {
    "targets", "generators", "attacks", "released", "inference", "explained", "inverters", "defences", "utility",
    "profiles",
}  # fmt: skip
SCREEN = {"dashboard", "pages", "app"}
HEAVY = {"torch", "ctgan", "shap"}
TRAININGS = {
    f"riskkit.generators.engines.{name}"
    for name in ("stack", "mixture", "diffusion", "ctgan_training", "tvae_training")
}
"""Parts of neural methods: they import torch at the top, and others import them inside functions alone."""
TABLES = {"numpy", "pandas", "scipy", "sklearn", "pyarrow", "numba"}
LISTS = {
    "riskkit/__init__.py", "riskkit/registry.py", "riskkit/commands/__init__.py", "riskkit/questions/__init__.py",
    "riskkit/commands/check_plugin.py",
}  # fmt: skip
"""Where a list says what there is, mostly a folder, or the user names a class: these import what is named."""
LOADERS = {"joblib.load", "torch.load", "yaml.load", "pandas.read_pickle", "pd.read_pickle"}
PICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal"} | LOADERS
NETWORK = {
    "requests", "httpx", "aiohttp", "urllib3", "urllib.request", "socket", "socketserver", "http.client", "http.server",
    "ftplib", "smtplib", "telnetlib", "xmlrpc", "websockets",
}  # fmt: skip
NOWHERE = {
    "pickle": PICKLES,
    "network": NETWORK,
    "streamlit components": {"streamlit.components"},
    "streamlit cache": {"streamlit.cache_data", "streamlit.cache_resource"},
}
"""Imports that no file may have, by what is wrong with them."""
RANDOM_TYPES = {"Generator", "BitGenerator", "SeedSequence"}
CACHES = {"cache_data", "cache_resource"}
CACHE_HOME = "riskkit/dashboard/frame/state.py"
STYLES = "riskkit/dashboard/frame/styles.py"
SEEDS = "riskkit/seeds.py"
STEWARDS = "riskkit/generators/engines/python_host.py"
MIXTURE = "riskkit/generators/engines/mixture.py"  # draws as rdt does, from a state that it seeds by what it encodes
ADAPTER = "riskkit_bench/recipes/_adapter.py"
"""They load what the steward named, or a recipe, and seed the global states it may draw from; they draw nothing."""
SEEDED = (SEEDS, STEWARDS, ADAPTER, MIXTURE)
PAGE_LINES = 150
HALLS = {"riskkit", "riskkit.base", "riskkit.dashboard", "riskkit.table"}
"""Folders whose own files stand beside rooms: each is a room by itself."""
FACADE = {"riskkit", "facade"}
"""It hands on names of many rooms, and loads each when somebody asks for it."""


def unit_of(path: str) -> str:
    """The unit of the house plan that a file belongs to."""
    parts = Path(path).parts
    if parts[0] != "riskkit":
        return parts[0].removesuffix(".py")
    name = parts[1].removesuffix(".py")
    if name == "base" and parts[2] != "__init__.py":  # each of its modules is a unit: few may import all of them
        return parts[2].removesuffix(".py")
    return {"__init__": "facade", "__main__": "program"}.get(name, name)


def unit_of_module(module: str, names: list[str]) -> set[str]:
    """The units that ``import module`` or ``from module import names`` reaches."""
    parts = module.split(".")
    if parts[0] in ("pages", "app", "tests", "benchmarks", "sample_data", "riskkit_bench"):
        return {parts[0]}
    if parts[0] != "riskkit":
        return set()
    if parts[1:] == ["base"]:
        return set(names)
    if parts[1:2] == ["base"]:
        return {parts[2]}
    if len(parts) > 1:
        return {{"__main__": "program"}.get(parts[1], parts[1])}
    return {name if name in MAY_IMPORT else "facade" for name in names} or {"facade"}


@lru_cache(1)
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All that a file is made of; several rules go through it."""
    return tuple(ast.walk(tree))


def imports(tree: ast.AST) -> Iterator[tuple[ast.stmt, str, list[str]]]:
    """Every import of a file, wherever it stands: the statement, the module, the names taken from it."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name, []
        elif isinstance(node, ast.ImportFrom):
            yield node, "." * node.level + (node.module or ""), [alias.name for alias in node.names]


def at_module_level(tree: ast.Module) -> set[ast.stmt]:
    """The statements that run when the file is imported."""
    statements: set[ast.stmt] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            if isinstance(child, ast.stmt):
                statements.add(child)
            waiting.append(child)
    return statements


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of a name or an attribute chain, an empty text for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def reaches(module: str, names: list[str], banned: set[str]) -> set[str]:
    """Which of the banned modules an import brings in, by any of its spellings."""
    spelled = {module, *(f"{module}.{name}" for name in names)}
    return {ban for ban in banned for text in spelled if text == ban or text.startswith(f"{ban}.")}


def import_breaches(tree: ast.Module, path: str) -> Iterator[str]:
    """Imports that the table, or a rule about other people's packages, does not allow."""
    unit, early = unit_of(path), at_module_level(tree)
    for node, module, names in imports(tree):
        if module.startswith("."):
            yield "relative import"
            continue
        for other in unit_of_module(module, names) - {unit}:
            if other not in MAY_IMPORT.get(unit, {other}):
                yield f"{unit} imports {other}"
        yield from sibling_breaches(unit, path, module, names)
        yield from question_breaches(unit, path, module, names)
        if unit not in SCREEN and reaches(module, names, {"streamlit"}):
            yield "streamlit outside the dashboard"
        if unit in ("pages", "app") and reaches(module, names, TABLES):
            yield "numbers or tables in a page"
        is_training = path.removesuffix(".py").replace("/", ".") in TRAININGS
        if node in early and not is_training and reaches(module, names, HEAVY | TRAININGS):
            yield "torch, ctgan or shap at the top of a file"
        if path not in SEEDED and makes_randomness(module, names):
            yield "random generator outside seeds"
        yield from (what for what, banned in NOWHERE.items() if reaches(module, names, banned))


def makes_randomness(module: str, names: list[str]) -> bool:
    """Whether an import brings in a maker of random numbers; numpy's types alone are not one."""
    types_only = bool(names) and set(names) <= RANDOM_TYPES
    return bool(reaches(module, names, {"random", "numpy.random"})) and not types_only


def sibling_breaches(unit: str, path: str, module: str, names: list[str]) -> Iterator[str]:
    """Plug-ins of one folder that import one another; only ``engines`` and files with an underscore are shared."""
    if unit not in PLUGIN_ROOMS:
        return
    own = {Path(path).stem, "__init__"}
    files = module.split(".")[2:3] or (names if module == f"riskkit.{unit}" else [])
    for name in files if module.startswith(f"riskkit.{unit}") else []:
        if not name.startswith("_") and name not in {*own, "engines"}:
            yield f"{unit} plug-in imports its neighbour"


def question_breaches(unit: str, path: str, module: str, names: list[str]) -> Iterator[str]:
    """Questions that import one another, and the list of questions where it knows one by name."""
    if unit != "questions":
        return
    folder = "riskkit.questions"
    own = path.split("/")[2] if path.count("/") > 2 else ""
    parts = module.split(".")
    for name in parts[2:3] or names if module == folder or module.startswith(f"{folder}.") else []:
        if name != own and (ROOT / "riskkit" / "questions" / name).is_dir():
            yield "a question by name" if not own else "question imports another"


def use_breaches(tree: ast.Module, path: str) -> Iterator[str]:
    """Attributes and calls that no file may use, or only one."""
    allowed_caches: set[ast.expr] = set()
    for node in nodes(tree):
        if isinstance(node, ast.Call):
            yield from call_breaches(node, path)
            scopes = {word.arg: word.value for word in node.keywords}
            scope = scopes.get("scope")
            if path == CACHE_HOME and "persist" not in scopes and isinstance(scope, ast.Constant):
                allowed_caches |= {node.func} if scope.value == "session" else set()
    for node in nodes(tree):
        if not isinstance(node, ast.Attribute):
            continue
        if node.attr in CACHES and node not in allowed_caches:
            yield "streamlit cache"
        is_random = dotted(node.value) in ("np.random", "numpy.random") and node.attr not in RANDOM_TYPES
        if path not in SEEDED and is_random:
            yield "random generator outside seeds"


def call_breaches(node: ast.Call, path: str) -> Iterator[str]:
    """What a single call may not be."""
    name = dotted(node.func)
    last = name.rpartition(".")[2] or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
    words = {word.arg: word.value for word in node.keywords}
    if name in ("eval", "exec", "compile") or (last == "eval" and (node.args or node.keywords)):
        yield "eval"
    if last == "query" and not name.removesuffix(".query").endswith("tree"):
        yield "query"  # text that came with the data would run as code; the query of a spatial tree is another thing
    if (name in ("st.html", "streamlit.html") and path != STYLES) or "unsafe_allow_html" in words:
        yield "raw HTML"
    if "unsafe_allow_javascript" in words and path != STYLES:
        yield "script"
    if name in LOADERS:
        yield "pickle"
    if name in ("np.load", "numpy.load") and "allow_pickle" in words:
        yield "pickle"
    if (name == "__import__" or last == "import_module") and path not in LISTS:
        yield "import by name"
    if last == "resolve_name" and path != STEWARDS:
        yield "import by name"


def breaches(source: str, path: str) -> set[str]:
    """The rules that a file of this text at this place breaks; empty where it keeps them all."""
    tree = ast.parse(source)
    rules = {*import_breaches(tree, path), *use_breaches(tree, path)}
    if unit_of(path) == "pages" and len(source.splitlines()) > PAGE_LINES:
        rules.add("page too long")
    return rules


def project_files() -> list[str]:
    """Every file the rules are about, relative to the project's root."""
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py")]
    files += [file for package in ("riskkit", "riskkit_bench") for file in (ROOT / package).rglob("*.py")]
    files += (ROOT / "sample_data").glob("*.py")
    return sorted(file.relative_to(ROOT).as_posix() for file in files if file.exists())


def test_every_file_keeps_the_rules() -> None:
    """All files in one test: as one each they would take longer to be handed out than to be read."""
    broken = {path: breaches((ROOT / path).read_text(encoding="utf-8"), path) for path in project_files()}
    assert {path: rules for path, rules in broken.items() if rules} == {}


def folder_of(module: str) -> str:
    """The folder that a module stands in; where it stands beside folders, the module itself."""
    parent = module.rpartition(".")[0]
    is_folder = ROOT.joinpath(*module.split(".")).is_dir()
    return module if is_folder or parent in HALLS or not parent else parent


def unit_of_dotted(module: str) -> str:
    """The unit of the house plan that a module belongs to."""
    return unit_of(f"{module.replace('.', '/')}{'/__init__' * ROOT.joinpath(*module.split('.')).is_dir()}.py")


@cache
def modules_reached(source: str) -> frozenset[str]:
    """The modules of ours that a file imports, or imports something from."""
    reached = set()
    for _, module, names in imports(ast.parse(source)):
        if module.partition(".")[0] not in ("riskkit", "riskkit_bench"):
            continue
        for name in names or [""]:
            inner = ROOT.joinpath(*module.split("."), name)
            is_module = bool(name) and (inner.is_dir() or inner.with_suffix(".py").exists())
            reached.add(f"{module}.{name}" if is_module else module)
    return frozenset(reached)


def circle(files: Mapping[str, str], room: Callable[[str], str]) -> list[str]:
    """A circle of rooms that import one another among these files, by their texts; empty where there is none."""
    graph: dict[str, set[str]] = {}
    for path, source in files.items():
        own = room(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        graph.setdefault(own, set()).update({room(module) for module in modules_reached(source)} - FACADE - {own})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@cache
def package_texts() -> dict[str, str]:
    """The text of every file of the package and of the pages."""
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in project_files()}


@pytest.mark.parametrize("room", [unit_of_dotted, folder_of])
def test_no_rooms_import_one_another_in_a_circle(room: Callable[[str], str]) -> None:
    assert circle(package_texts(), room) == []


@pytest.mark.parametrize(
    ("path", "source", "room"),
    [
        ("riskkit/jobs/planted.py", "from riskkit.questions import question", unit_of_dotted),
        ("riskkit/figures/planted.py", "import riskkit.session.answer", unit_of_dotted),
        ("riskkit/dashboard/frame/planted.py", "def f():\n    from riskkit.dashboard.pages import data", folder_of),
    ],
)
def test_a_planted_circle_of_rooms_is_seen(path: str, source: str, room: Callable[[str], str]) -> None:
    assert circle({**package_texts(), path: source}, room)


def test_every_unit_is_in_the_table() -> None:
    units = {unit_of(path) for path in project_files()} - {"sample_data"}
    assert units <= set(MAY_IMPORT), "A new folder needs its row in MAY_IMPORT and in the house plan"


def test_the_house_plan_names_every_unit_and_folder() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/.]+)`", page))
    units = set(MAY_IMPORT) - {"facade", "version", "wording", "extras", "places"}
    assert not units - named, "units that the house plan does not name"
    folders = {name for name in named if name.startswith("riskkit/")}
    assert all((ROOT / name).exists() for name in folders), folders


PLANTED = [
    ("riskkit/core.py", "import riskkit.table.read", "core imports table"),
    ("riskkit/core.py", "from riskkit.base import threads", "core imports threads"),
    ("riskkit/stats/roc.py", "from riskkit.base.process import stop", "stats imports process"),
    ("riskkit/base/threads.py", "import riskkit.base.process", "threads imports process"),
    ("riskkit/table/read/csv_text.py", "from riskkit.stats import roc", "table imports stats"),
    ("riskkit/stats/roc.py", "def f():\n    from riskkit.table import encode", "stats imports table"),
    ("riskkit/stats/roc.py", "from riskkit import games", "stats imports games"),
    ("riskkit/attacks/mvl.py", "from riskkit.attacks.neighbour import N", "attacks plug-in imports its neighbour"),
    ("riskkit/inference/learned.py", "from riskkit.inference import cap", "inference plug-in imports its neighbour"),
    ("riskkit/inverters/nearest.py", "import riskkit.inverters.network", "inverters plug-in imports its neighbour"),
    ("riskkit/questions/records/play.py", "from riskkit.questions.released.plan import X", "question imports another"),
    ("riskkit/questions/records/play.py", "from riskkit.questions import released", "question imports another"),
    ("riskkit/questions/__init__.py", "from riskkit.questions.released.plan import X", "a question by name"),
    ("riskkit/generators/stat.py", "from riskkit.core import Table\nfrom .histogram import x", "relative import"),
    ("riskkit/questions/membership/play.py", "from riskkit.dashboard import state", "questions imports dashboard"),
    ("riskkit/cli.py", "import riskkit.dashboard.pages", "cli imports dashboard"),
    ("riskkit/__init__.py", "from riskkit.dashboard import state", "facade imports dashboard"),
    ("pages/2_membership.py", "from riskkit.games.membership import play", "pages imports games"),
    ("riskkit/core.py", "from tests.tables import mixed", "core imports tests"),
    ("riskkit/stats/roc.py", "import streamlit as st", "streamlit outside the dashboard"),
    ("riskkit/cli.py", "def f():\n    from streamlit.web import bootstrap", "streamlit outside the dashboard"),
    ("riskkit/dashboard/frame/chart_tools.py", "import streamlit.components.v1 as c", "streamlit components"),
    ("pages/1_data.py", "import numpy as np", "numbers or tables in a page"),
    ("pages/1_data.py", "def f():\n    from pandas import read_csv", "numbers or tables in a page"),
    ("app.py", "import pandas", "numbers or tables in a page"),
    ("pages/1_data.py", "x = 1\n" * 151, "page too long"),
    ("riskkit/generators/ctgan.py", "import torch.nn as nn", "torch, ctgan or shap at the top of a file"),
    ("riskkit/generators/ctgan.py", "try:\n    from ctgan import CTGAN\nexcept E:\n    pass",
     "torch, ctgan or shap at the top of a file"),
    ("riskkit/explain/values.py", "class A:\n    import shap", "torch, ctgan or shap at the top of a file"),
    ("riskkit/generators/tvae.py", "from riskkit.generators.engines.tvae_training import TvaeModel",
     "torch, ctgan or shap at the top of a file"),
    ("riskkit/games/deal.py", "import numpy as np\nr = np.random.default_rng(1)", "random generator outside seeds"),
    ("riskkit/games/deal.py", "import numpy as np\nnp.random.seed(1)", "random generator outside seeds"),
    ("riskkit/games/deal.py", "from numpy.random import default_rng", "random generator outside seeds"),
    ("riskkit/games/deal.py", "from numpy import random", "random generator outside seeds"),
    ("riskkit/games/deal.py", "import random", "random generator outside seeds"),
    ("sample_data/make.py", "from random import Random", "random generator outside seeds"),
    ("riskkit/dashboard/frame/chart_tools.py", "import streamlit as st\n@st.cache_data(scope='session')\ndef f(): ...",
     "streamlit cache"),
    (CACHE_HOME, "import streamlit as st\n@st.cache_data\ndef f(): ...", "streamlit cache"),
    (CACHE_HOME, "import streamlit as st\n@st.cache_resource()\ndef f(): ...", "streamlit cache"),
    (CACHE_HOME, "import streamlit as st\n@st.cache_data(scope='session', persist='disk')\ndef f(): ...",
     "streamlit cache"),
    (CACHE_HOME, "import streamlit as st\n@st.cache_data(scope='global')\ndef f(): ...", "streamlit cache"),
    ("pages/1_data.py", "from streamlit import cache_data", "streamlit cache"),
    ("pages/1_data.py", "import streamlit as st\nst.markdown(x, unsafe_allow_html=True)", "raw HTML"),
    ("pages/1_data.py", "import streamlit as st\nst.html(x)", "raw HTML"),
    (STYLES, "import streamlit as st\nst.markdown(x, unsafe_allow_html=True)", "raw HTML"),
    ("pages/1_data.py", "st.write(x, unsafe_allow_javascript=True)", "script"),
    ("riskkit/table/read/csv_text.py", "eval(text)", "eval"),
    ("riskkit/table/read/csv_text.py", "exec(text)", "eval"),
    ("riskkit/table/read/csv_text.py", "frame.eval('a + b')", "eval"),
    ("riskkit/attacks/queries.py", "frame[rows].query(text)", "query"),
    ("riskkit/jobs/store.py", "import pickle", "pickle"),
    ("riskkit/jobs/store.py", "import joblib\njoblib.load(p)", "pickle"),
    ("riskkit/jobs/store.py", "from joblib import load", "pickle"),
    ("riskkit/jobs/store.py", "import numpy as np\nnp.load(p, allow_pickle=True)", "pickle"),
    ("riskkit/jobs/store.py", "def f():\n    import torch\n    torch.load(p)", "pickle"),
    ("riskkit/jobs/worker.py", "import requests", "network"),
    ("riskkit/jobs/worker.py", "from urllib import request", "network"),
    ("riskkit/jobs/worker.py", "def f():\n    import socket", "network"),
    ("riskkit/jobs/worker.py", "import importlib\nimportlib.import_module('riskkit.dashboard')", "import by name"),
    ("riskkit/generators/external.py", "import pkgutil\npkgutil.resolve_name(text)", "import by name"),
    ("riskkit/generators/external.py", "import random", "random generator outside seeds"),
    ("riskkit/generators/engines/python_object.py", "import pkgutil\npkgutil.resolve_name(text)", "import by name"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "source", "rule"), PLANTED, ids=[f"{path}-{rule}" for path, _, rule in PLANTED])
def test_planted_breach_is_seen(path: str, source: str, rule: str) -> None:
    assert breaches(source, path) == {rule}


KEPT = [
    ("riskkit/core.py", "from riskkit.errors import DesignError"),
    ("riskkit/attacks/mvl.py",
     "import numpy as np\nfrom riskkit.attacks._cut import cut\ndef f(rng: np.random.Generator): ..."),
    ("riskkit/games/membership.py", "from riskkit.seeds import stream\nfrom riskkit.games.worlds import deal"),
    ("riskkit/stats/roc.py", "from numpy.random import Generator\nfrom riskkit.stats.intervals import t"),
    ("riskkit/questions/membership/play.py", "from riskkit import registry\nfrom riskkit.games import membership"),
    ("riskkit/__init__.py", "from riskkit.table.read import read_table\nfrom riskkit.core import Table"),
    ("pages/1_data.py",
     "import streamlit as st\nimport riskkit\nfrom riskkit import Estimate\nfrom riskkit.dashboard import state"),
    ("riskkit/generators/ctgan.py", "def fit():\n    import torch\n    from ctgan import CTGAN\n    model.eval()"),
    (CACHE_HOME, "import streamlit as st\n@st.cache_data(scope='session')\ndef f(): ..."),
    (STYLES, "import streamlit as st\nst.html(sheet)"),
    ("riskkit/seeds.py", "import numpy as np\nnp.random.default_rng(1)"),
    ("riskkit/attacks/neighbour.py", "self.tree.query(points)\nkd_tree.query(points)"),
    ("riskkit/jobs/store.py", "import numpy as np\nfrom urllib.parse import quote\nnp.load(p)"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "source"), KEPT, ids=[path for path, _ in KEPT])
def test_honest_file_is_left_alone(path: str, source: str) -> None:
    assert breaches(source, path) == set()
