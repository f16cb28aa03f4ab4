"""``riskkit generators``: methods that are not riskkit's own, and whether an audit can use them."""

from __future__ import annotations

import argparse
import json
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.base import places
from riskkit.base.process import close
from riskkit.commands._output import print_json
from riskkit.core import Role, Table
from riskkit.errors import DesignError, RiskkitError
from riskkit.generators import external
from riskkit.generators.engines import recipes, resident
from riskkit.generators.engines.recipes import Recipe
from riskkit.generators.external import External
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.seeds import stream
from riskkit.table.fold import TwoTables, with_second
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import PREFIX, read_table, tables_of
from riskkit.table.read.files import read_path
from riskkit.table.write import to_csv

# ``riskkit generators list | add | check``: methods of other packages, each in an environment of its own.

TRAININGS, ATTACK = 14, "neighbour:own=3"
"""Trainings of a check that are counted, half of them with the person who is looked for; the attack has six more."""


def show(options: argparse.Namespace) -> int:
    """Say what there is, what is made, and what cannot be had; returns the exit code."""
    known = recipes.installed_recipes()
    abouts = [_about(recipe) for recipe in known.values()]
    if options.json:
        print_json({"recipes": abouts, "home": str(places.home() / "generators")})
        return 0
    width = max(map(len, known))
    for about in abouts:
        state = "cannot be had" if about["absent"] else "made" if about["made"] else "not made"
        print(f"{about['name']:<{width}}  {state:<13}  {about['licence']:<10}  {about['title']}")
        if about["absent"]:
            print(f"{'':<{width}}  {about['absent']}")
    print("\nMake one: riskkit generators add NAME. Use it: --generator external:recipe=NAME --allow-external")
    return 0


def _about(recipe: Recipe) -> dict[str, Any]:
    return {
        "name": recipe.name,
        "title": recipe.title,
        "licence": recipe.licence,
        "made": recipe.is_made,
        "pins": list(recipe.pins),
        "needs": recipe.needs,
        "chance": recipe.chance,
        "absent": recipe.absent,
    }


def add(options: argparse.Namespace) -> int:
    """Make the environment of a recipe, once its licence was said and agreed to; returns the exit code."""
    recipe = recipes.recipe(options.name)
    if recipe.is_made and not options.again:
        print(f"The environment of {recipe.name} is there: {recipe.folder}")
        return 0
    print(f"{recipe.title}\nLicence: {recipe.licence}\nIt needs: {recipe.needs}\nIts chance: {recipe.chance}")
    print(f"Environment: {recipe.folder}, of {len(recipe.pins)} packages from the index that pip is set up for:")
    print("  " + " ".join(recipe.pins))
    if not (options.yes or _agrees()):
        print("Nothing was made.")
        return 1
    _make(recipe, options.interpreter)
    print(f"Made. Check it: riskkit generators check {recipe.name}")
    return 0


def _agrees() -> bool:
    if not sys.stdin.isatty():
        raise DesignError("Nobody is there to agree to its licence: read it above, and say --yes.")
    return input("Make it under that licence? [y/N] ").strip().lower() in ("y", "yes")


def _make(recipe: Recipe, interpreter: str) -> None:
    """A virtual environment with these pins and no others, complete or not there at all.

    Raises
    ------
    DesignError
        It could not be made; the programs that make it say why, on standard error.
    """
    folder = recipe.folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    close()
    shutil.rmtree(folder, ignore_errors=True)
    pip = [
        str(recipe.python),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-deps",
        *recipe.pins,
    ]
    for words in ([interpreter, "-m", "venv", str(folder)], pip):
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode == 0
        except OSError:
            done = False
        if not done:
            shutil.rmtree(folder, ignore_errors=True)
            raise DesignError(
                f"The environment of {recipe.name} could not be made; what stands above says why. Nothing is left of "
                "it. Its packages must be at hand in the index of pip, for the Python that --interpreter names."
            )
    made = {"recipe": recipe.name, "sha": recipe.sha, "pins": recipe.pins}
    (folder / recipes.MADE).write_text(json.dumps(made), encoding="utf-8")


def check(options: argparse.Namespace) -> int:
    """Train a recipe and play a game with it, on sample data; returns 0 where all of it went well, else 1."""
    recipe = recipes.recipe(options.name)
    external.allow()  # whoever types a command may run it
    plugin = External(recipe=recipe.name, timeout=options.timeout, memory=options.memory)
    plugin.check_ready()
    table = sample(options.rows)
    _, has_no_network = plugin.runs_as()
    meter = Meter()
    try:
        repeats = _repeats(plugin, options.rows, options.rows)
        plan = MembershipPlan(
            generators=(registry.spell(plugin),),
            targets=("selective",),
            attacks=(ATTACK,),
            trainings=TRAININGS,
            generations=1,
            n_syn=options.rows,
            control=False,
            seed=1,
        )
        result = run_membership(table, plan)
    except RiskkitError as error:
        resident.end_all()
        raise DesignError(f"{error} {_took(meter.read())}") from None
    resident.end_all()
    cost, trainings = meter.read(), plan.total_trainings() + 2
    (auc,) = (estimate for estimate in result.estimates if estimate.name == "auc")
    report = {
        "recipe": recipe.name,
        "rows": options.rows,
        "trainings": trainings,
        "processor_seconds_per_training": round(cost.cpu / trainings, 2),
        "seconds_per_training": round(cost.seconds / trainings, 2),
        "memory_mb": round(cost.memory),
        "network": not has_no_network,
        "repeats": repeats,
        "auc": auc.as_dict(),
    }
    if options.json:
        print_json(report)
        return 0
    again = "gives the same bytes again" if repeats else "gives other bytes: no audit of it can be repeated to the same"
    print(f"{recipe.title}: {trainings} trainings on {options.rows:,} rows and {len(table.schema.modelled)} columns.")
    print(_took(cost) + f" That is {cost.cpu / trainings:.2f} s of a processor a training.")
    print("It had no network." if has_no_network else "This system does not let riskkit keep it from the network.")
    print(f"The same seed {again}.")
    print(f"A game of {auc.n} trainings: AUC {auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}] by {ATTACK}.")
    return 0


def _repeats(plugin: External, rows: int, n: int) -> bool:
    """Whether two trainings of one seed release the same bytes."""
    table = sample(rows)
    first, again = (
        to_csv(plugin.fit(table, stream(1, "check", "fit")).sample(n, stream(1, "check", "release"))) for _ in range(2)
    )
    return first == again


def _took(cost: Cost) -> str:
    return f"It took {cost}, its start among them."


ABOUT = "use generators that are not riskkit's: try one of your own, add and check those of other packages"
"""The command in a line."""
SETTINGS = ("timeout", "memory", "outside")
"""Settings of a generator of one's own that a trial takes too."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command, one group for each thing that can be done."""
    does = parser.add_subparsers(required=True, metavar="WHAT", help="what to do")
    own = does.add_parser("try", help="run it once on sample data, and say what is wrong with its release")
    own.set_defaults(action=run_trial)
    own.add_argument(
        "command",
        nargs="?",
        default="",
        metavar="COMMAND",
        help="your program in quotes, with {train}, {n}, {seed} and {out} in the places of file, number of rows, seed "
        "and file to write; one of two tables has {train_children} and {out_children} too",
    )
    own.add_argument("--python", default="", metavar="PACKAGE.MODULE:NAME", help="instead: a Python object of yours")
    own.add_argument("--rows", type=int, default=500, metavar="N", help="rows of the sample data, and of the release")
    own.add_argument("--seed", type=int, default=1, help="of the numbers that it draws, where it takes a seed")
    for setting in registry.settings(External):
        if setting.name in SETTINGS:
            own.add_argument(
                f"--{setting.name}",
                type=setting.type,
                default=setting.default,
                choices=setting.choices,
                help=f"{setting.label}. {setting.help}",
            )
    own.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    # Methods of other packages
    own = does.add_parser("list", help="methods of other packages, which of them are here, and which cannot be had")
    own.set_defaults(action=show)
    own.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    own = does.add_parser("add", help="make the environment of such a method, once you agree to its licence")
    own.set_defaults(action=add)
    own.add_argument("name", metavar="NAME", help="as generators list names it")
    own.add_argument("--yes", action="store_true", help="agree to the licence beforehand")
    own.add_argument("--again", action="store_true", help="make it anew where it is there")
    own.add_argument("--interpreter", default=sys.executable, metavar="PYTHON", help="the Python that it is made with")
    own = does.add_parser("check", help="train such a method on sample data and run one game with it")
    own.set_defaults(action=check)
    own.add_argument("name", metavar="NAME", help="as generators list names it")
    own.add_argument("--rows", type=int, default=500, metavar="N", help="rows of the sample data, and of a release")
    own.add_argument("--timeout", type=int, default=600, metavar="SECONDS", help="the longest that one training takes")
    own.add_argument("--memory", type=int, default=16, metavar="GB", help="address space that it may take; 0: no limit")
    own.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit code."""
    action: Callable[[argparse.Namespace], int] = options.action
    return action(options)


# --------------------------------------------------------------------------------------------------------------
# ``riskkit generators try``: one run of a generator of one's own on sample data, and what an audit makes of it


LEAST, MOST = 20, 2_000
"""Rows below which a method that learns has too few to learn from; people of the made-up cohort of two tables."""
KEY = "patient"
"""The column that joins its tables."""
COUNTED = ("no_key", "repeated_keys", "orphans")
"""Problems whose sentence says how many rows have them."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took: seconds on the clock, seconds of a processor, and the largest process's memory in MB.

    A program begins as a copy of riskkit: with ``is_less`` it took less than that, and how much less is not known.
    """

    seconds: float
    cpu: float
    memory: float
    is_less: bool

    def __str__(self) -> str:
        memory = f"{'less than ' if self.is_less else ''}{self.memory:,.0f} MB of memory"
        return f"{self.seconds:.1f} s, {self.cpu:.1f} s of a processor, {memory}"


class Meter:
    """Measures programs from where it is made to where it is read."""

    def __init__(self) -> None:
        self._began, self._cpu = time.monotonic(), _resources()[0]

    def read(self) -> Cost:
        """What was taken since; of memory the most that any program of this process ever took."""
        cpu, memory, own = _resources()
        return Cost(time.monotonic() - self._began, cpu - self._cpu, memory, memory <= own)


def _resources() -> tuple[float, float, float]:
    """Seconds of a processor and MB of memory of the programs that were started here and have ended; MB of this one."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0, 0.0, 0.0
    used, own = (resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    unit = 1 << (20 if sys.platform == "darwin" else 10)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / unit, own.ru_maxrss / unit


def sample(rows: int) -> Table:
    """The first rows of the made-up cohort that comes with riskkit: numbers, categories, a date, missing values.

    Raises
    ------
    DesignError
        There are not so many rows, or they are too few to learn from.
    """
    table = read_table(places.project() / "sample_data" / "real.csv")
    _check_rows(rows, len(table))
    return table.rows(np.arange(rows))


def sample_of_two(rows: int) -> Table:
    """So many patients of the made-up cohort of two tables, with their visits: about five, some with none.

    Raises
    ------
    DesignError
        They are too few to learn from, or too many to wait for.
    """
    _check_rows(rows, MOST)
    with tempfile.TemporaryDirectory(prefix="riskkit-") as name:
        runpy.run_path(str(places.project() / "sample_data" / "two_tables.py"))["write"](Path(name), "none", MOST, 1)
        files = {"real": "patients_real.csv", f"{PREFIX}real": "visits_real.csv"}
        texts = {slot: read_path(Path(name) / file) for slot, file in files.items()}
    return with_second(tables_of(texts, {KEY: ColumnChoice(role=Role.PERSON)})).real.rows(np.arange(rows))


def _check_rows(rows: int, most: int) -> None:
    if not LEAST <= rows <= most:
        raise DesignError(f"--rows is {rows:,}; it must be at least {LEAST} and at most {most:,}.")


def run_trial(options: argparse.Namespace) -> int:
    """Run it once; returns 0 where an audit could use the release as it is, else 1."""
    plugin = External(
        command=options.command,
        python=options.python,
        timeout=options.timeout,
        memory=options.memory,
        outside=options.outside,
    )
    if not (plugin.command or plugin.python):
        raise DesignError("Write the command of your generator in quotes, or name a Python object with --python.")
    external.allow()  # whoever types a command may run it
    if plugin.python:
        external.name_objects([plugin.python])
    table = sample_of_two(options.rows) if plugin.takes_two_tables else sample(options.rows)
    _tell(f"Sample data: {_description(table)} None of your records goes in.")
    heard, meter = _Heard(), Meter()
    try:
        faults = external.trial(plugin, table, len(table), stream(options.seed, "trial"), heard)
    except RiskkitError as error:
        _tell(heard.end() + f"It took {meter.read()}.")
        raise DesignError(str(error)) from None
    cost = meter.read()
    _tell(heard.end() + f"It took {cost}. Each release of a game costs as much.")
    mended = replace(plugin, outside="nearest")
    is_usable = all(fault.is_mended for fault in faults) if plugin.outside == "nearest" else not faults
    can_be_mended = not is_usable and all(fault.is_mended for fault in faults)
    usable = plugin if is_usable else mended if can_be_mended else None
    report: dict[str, Any] = {
        "usable": is_usable,
        "mended_by": "outside=nearest" if can_be_mended else None,
        "faults": [{**fault.problem.as_dict(), "mended": fault.is_mended} for fault in faults],
        "generator": None if usable is None else registry.spell(usable),
        "rows": len(table),
        "seconds": round(cost.seconds, 2),
        "processor_seconds": round(cost.cpu, 2),
        "memory_mb": round(cost.memory),
    }
    if isinstance(table, TwoTables):
        report["children"] = len(table.second)
    if options.json:
        print_json(report)
    else:
        print("\n".join(_lines(report, plugin, usable)))
    return 0 if is_usable else 1


def _description(table: Table) -> str:
    """What the program is handed, in a sentence."""
    if not isinstance(table, TwoTables):
        columns = len(table.schema.modelled)
        return f"{len(table):,} rows and {columns} columns of a made-up hospital cohort, with missing values."
    return (
        f"{len(table):,} patients and {len(table.second):,} visits of a made-up hospital cohort, joined by {KEY!r}; "
        f"{int((table.sizes == 0).sum()):,} patients have no visit."
    )


def _lines(report: dict[str, Any], plugin: External, usable: External | None) -> list[str]:
    """What was seen, for people."""
    lines = []
    for fault in report["faults"]:
        is_counted = fault["line"] and fault["count"] > 1 and fault["code"] not in COUNTED
        cells = f" (So are {fault['count']:,} cells of the column.)" if is_counted else ""
        where = f"column {fault['column']!r}, line {fault['line']:,}: " if fault["line"] else ""
        where = f"{fault['file']}, {where}" if plugin.takes_two_tables else where
        lines.append(f"- {where + fault['what'] if report['usable'] else fault['sentence']}{cells}")
    if usable is None:
        return ["An audit would refuse this release:", *lines]
    if not lines:
        first = "An audit can use this release: it has the columns, levels and ranges of the table."
    elif report["usable"]:
        first = "An audit can use this release, with the nearest number taken of these:"
    else:
        first = "An audit would refuse this release, but an option mends it. Try again with --outside nearest."
    asked = " --second-table" * plugin.takes_two_tables
    return [first, *lines, f"As a method: {shlex.quote(report['generator'])} {plugin.flag}{asked}"]


class _Heard:
    """Shows on standard error what the program prints, with a line above and below."""

    def __init__(self) -> None:
        self._is_anything = False

    def __call__(self, chunk: bytes) -> None:
        if not self._is_anything:
            self._is_anything = True
            _tell("It printed:")
        sys.stderr.write(chunk.decode(errors="replace"))
        sys.stderr.flush()

    def end(self) -> str:
        """What stands before the next line."""
        return "\n" if self._is_anything else ""


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
