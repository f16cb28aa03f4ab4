"""The steward's own generator: a program on this computer, or a Python object."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow.compute as pc

from riskkit.base.estimators import integer_seed
from riskkit.core import Ints, Schema, Table
from riskkit.errors import DesignError, Gravity, ParameterError, Problem, SchemaError
from riskkit.generators.engines import fence, programs, python_object, recipes, resident
from riskkit.generators.engines.outside_release import Fault, faults, keyed_faults, output_file, read_keyed, release
from riskkit.generators.engines.programs import Hear
from riskkit.generators.engines.resident import schema_bytes
from riskkit.parameters import check_parameters, parameter
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.evidence.compare import bare
from riskkit.table.fold import TwoTables
from riskkit.table.people.second_table import Join
from riskkit.table.text import TextTable
from riskkit.table.write import to_csv

# Two tables for a program, with keys dealt anew, and back: both files and their join are checked.

LEAVES = {"out": "release.csv", "out_children": "release_children.csv"}
"""The names of the files that a program of two tables writes, by placeholder."""
BOTH_WRITTEN = {
    "out": "The first table that the program wrote",
    "out_children": "The second table that the program wrote",
}
"""What sentences call them."""


def split_files(table: TwoTables) -> dict[str, bytes]:
    """The files of the people and of their rows, by placeholder.

    The people are numbered from 1 in the order of the table, their rows stand person by person: a key says nothing
    but whose a row is.
    """
    numbers = np.arange(1, len(table) + 1).astype(str)
    first, second = (json.loads(schema_bytes(schema)) for schema in (table.first_schema, table.second.schema))
    return {
        "train": to_csv(table.first, {table.key: numbers.tolist()}),
        "train_children": to_csv(table.second, {table.key: numbers[table.owner].tolist()}),
        "schema": json.dumps({**first, "key": table.key, "children": second}, ensure_ascii=False).encode(),
    }


def release_of_both(left: Mapping[str, Path], shape: TwoTables, n: int, *, nearest: bool) -> Table:
    """What the program left, as a game looks at people with a second table.

    Parameters
    ----------
    left
        The paths by placeholder.
    shape
        A table like the one that was learnt, of any people or none.

    Raises
    ------
    DesignError, InputError
        A file is missing, does not fit its schema, or the keys join nothing; never says a value.
    """
    first, second = _both(left)
    parents, above = read_keyed(first, shape.first_schema, n, name=BOTH_WRITTEN["out"], nearest=nearest, key=shape.key)
    children, below = read_keyed(
        second, shape.second.schema, None, name=BOTH_WRITTEN["out_children"], nearest=nearest, key=shape.key
    )
    for problem in _key_problems(shape.key, above, below):
        raise SchemaError(problem)
    return shape.view(parents, children, Join.match(shape.key, above, below))


def _both(left: Mapping[str, Path]) -> tuple[Path, Path]:
    """The two files, where the program has left them."""
    first, second = (output_file(left[name], BOTH_WRITTEN[name], f"{{{name}}}") for name in LEAVES)
    return first, second


def _key_problems(key: str, above: TextTable, below: TextTable) -> Iterator[Problem]:
    """What is wrong with the keys: rows without one, one of two people, rows that belong to nobody."""
    join = Join.match(key, above, below)
    numbers, first = np.unique(join.group, return_index=True)
    unnamed = np.flatnonzero(pc.equal(bare(above.column(key)), "").to_numpy())
    again = np.setdiff1d(np.arange(len(join.group)), first)
    do = phrase("Give every row of the first table a key of its own.")
    if len(unnamed):
        what = counted_phrase(len(unnamed), "{n:,} row has no key.", "{n:,} rows have no key.")
        yield _problem("no_key", what, do, key, above, unnamed)
    if len(numbers) < len(join.group):
        what = counted_phrase(
            len(again), "{n:,} row has the key of another row.", "{n:,} rows have the key of another row."
        )
        yield _problem("repeated_keys", what, do, key, above, again)
    if join.orphans:
        what = counted_phrase(
            join.orphans,
            "{n:,} row has a key that no row of the first table has.",
            "{n:,} rows have keys that no row of the first table has.",
        )
        do = phrase("Write rows of the people in the first table alone, each with the key of its person.")
        yield _problem("orphans", what, do, key, below, np.flatnonzero(~join.kept))


def _problem(code: str, what: str, do: str, key: str, text: TextTable, rows: Ints) -> Problem:
    """The problem of these rows of a file, named by the line of the first."""
    return Problem(Gravity.ERROR, code, what, do, text.name, key, text.line(int(rows[0])), len(rows))


ALLOWED, OFFERED = "RISKKIT_ALLOW_EXTERNAL", "RISKKIT_EXTERNAL_PYTHON"
"""What tells this process and those it starts that programs may be run, and which Python objects may be used."""
PROGRAMS, OBJECTS = "--allow-external", "--external-python"
"""The options that allow the one and the other. An object is used only where its name stands there."""
OBJECT = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def allow() -> None:
    """Let this process, and those it starts from now on, run the steward's own programs."""
    os.environ[ALLOWED] = "1"


def name_objects(objects: Sequence[str]) -> None:
    """Let them use these Python objects, and those that were named before.

    Raises
    ------
    ParameterError
        One is not written as ``package.module:Name``.
    """
    named = [External(python=where).python for where in objects]
    os.environ[OFFERED] = ",".join(dict.fromkeys((*_objects(), *named)))


def offer(objects: Sequence[str]) -> None:
    """Let them use these Python objects and no others, after a look at whether each can be loaded.

    Raises
    ------
    ParameterError, DesignError
        One is not written as ``package.module:Name``, or cannot be loaded.
    """
    for where in objects:
        python_object.load(External(python=where).python, fence.FenceLimits())
    resident.end_all()  # a server is about to take the place of this process
    os.environ[OFFERED] = ",".join(objects)


def _objects() -> tuple[str, ...]:
    """The Python objects that were named when riskkit was started."""
    return tuple(filter(None, os.environ.get(OFFERED, "").split(",")))


@dataclass(frozen=True)
class External:
    """Runs a program of the steward's own, or fits a Python object of theirs, and checks what comes back.

    ``command`` is a command line, split into words as a shell would but never given to one. In each word ``{train}``
    is replaced by the path of a CSV of the world to learn (values spelled as in the user's file, modelled columns
    only), ``{out}`` by the path of the CSV it must write (UTF-8, commas, a line of names: the same columns in any
    order, exactly ``{n}`` rows), ``{seed}`` by a whole number below 2**31, ``{schema}`` by the path of a JSON of
    columns, kinds and domains. It runs without input in a new, private and empty folder that is removed afterwards;
    after ``timeout`` seconds it is killed with all processes of its group.

    Of two tables the words ``{train_children}`` and ``{out_children}`` are the paths of the second one, read and
    written, and both files have the column of the key; see :mod:`riskkit.generators.external`.

    A program learns and releases in one call. So a fit only keeps the table, and **every release is a training of its
    own**: with several generations a training, each costs a whole run of the program, and the releases that count as
    one training are less alike than a shared model's. Statistics that count trainings stay valid, and are cautious:
    independent releases are grouped that need not be. What a model shared by several releases would give away is not
    measured; for that, name a Python object. Without ``{seed}`` the program's chance is its own, and no audit of it
    can be repeated to the same numbers.

    ``program`` is the command line of a program that stays up: it is started once in each working process and answers
    requests to fit and to sample, one JSON object a line (:mod:`riskkit.generators.engines.resident`). One fit is one
    training, and several releases come from it. ``recipe`` is such a program that comes with riskkit-bench, for a
    method of another package, once its environment is made. ``timeout`` is that of each request.

    ``python`` is ``package.module:Name``: a class or function that makes a model without arguments, or a model that is
    copied for each training. A model has ``fit(DataFrame)`` and ``sample(n)``, which returns a DataFrame. One fit is
    one training here. It lives in a process of its own, which the working process starts and ends: what the object
    raises, ``SystemExit`` too, and the end of its process are sentences. There the global states of Python's, numpy's
    and torch's chance are seeded before each call, and ``set_random_state`` (ctgan) or ``_set_random_state`` (SDV) is
    called where there is one. Unless ``OMP_NUM_THREADS`` and its kin are set it calculates on one thread. A model that
    keeps other random states, or lets threads race, repeats as well as it does on its own. It has no time limit.

    Both run behind a fence (:mod:`riskkit.generators.engines.fence`): with a limit on memory, on processes and on the
    size of a file, without network where the system allows that, without riskkit's own settings, and in a process that
    ends all they started when they end, take too long, or riskkit is gone. They may read what the user may read.

    Neither is used unless riskkit was started for it: see :func:`allow` and :func:`offer`.
    """

    name: ClassVar[str] = "external"
    title: ClassVar[str] = "Your own generator"
    heavy: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Runs a program of yours, or fits a Python object of yours with fit and sample, and checks that what comes "
        "back has the columns, levels and ranges of the loaded tables. A program is started anew for every release, so "
        "each release costs a training. Random numbers are seeded from the audit's seed, but results are only as "
        "repeatable as your generator. Its command is kept with the audit, so put no password in it. The licence is "
        "your generator's own."
    )

    command: str = parameter(
        "",
        label="Command",
        help="A program and its arguments, with {train} for the CSV to learn from, {n} for the rows to write, {seed} "
        "for a whole number and {out} for the CSV to write. Use full paths: it runs in an empty folder. A program of "
        "two tables has {train_children} and {out_children} as well.",
        names_files=True,
    )
    python: str = parameter(
        "",
        label="Python object",
        help="A class, function or object with fit and sample, in place of a command. It is named with "
        "--external-python package.module:Name when riskkit is started.",
        choices=lambda: ("", *_objects()),
        names_files=True,
    )
    program: str = parameter(
        "",
        label="Program that stays up",
        help="A program and its arguments that is started once and answers requests, in place of a command: a method "
        "that takes long to start is then started once. See docs/generators.md.",
        names_files=True,
    )
    recipe: str = parameter(
        "",
        label="Method of another package",
        help="A recipe whose environment was made with riskkit generators add NAME, in place of a command.",
        choices=lambda: {
            "": "none",
            **{recipe.name: recipe.title for recipe in recipes.recipes().values() if recipe.is_made},
        },
    )
    timeout: int = parameter(
        600,
        label="Time limit of a program",
        help="Seconds after which one run of the program, or one request, is stopped. A Python object has no limit.",
        low=1,
        high=86_400,
        unit="seconds",
    )
    memory: int = parameter(
        16,
        label="Memory limit",
        help="Gigabytes of address space that each of its processes may take; 0 sets no limit, as a program that uses "
        "a graphics card needs.",
        low=0,
        high=10_000,
        unit="GB",
    )
    outside: str = parameter(
        "refuse",
        label="Numbers outside the domain",
        help="Whether a number beyond the range of the loaded tables, or with more decimals, ends the audit or is "
        "replaced by the nearest one.",
        choices={"refuse": "End the audit", "nearest": "Replace them by the nearest valid number"},
    )

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.command:
            programs.words_of(self.command)
        if self.python and not (isinstance(self.python, str) and OBJECT.fullmatch(self.python)):
            raise ParameterError.phrase(
                "external: python is {python}; it must be written as package.module:Name.", python=repr(self.python)
            )
        if self.program:
            programs.split(self.program)
        known = recipes.installed_recipes() if self.recipe else {}
        if self.recipe and self.recipe not in tuple(known):
            raise ParameterError.phrase(
                "{where} is {value}; it may be {choices}.",
                where="external: recipe",
                value=repr(self.recipe),
                choices=tuple(repr(name) for name, setting in known.items() if not setting.absent),
            )
        if self.recipe:
            recipes.recipe(self.recipe)
        if sum(map(bool, (self.command, self.python, self.program, self.recipe))) > 1:
            raise ParameterError.phrase(
                "external: it may have one of command, python, program and recipe, and has more of them."
            )

    @staticmethod
    def is_offered() -> bool:
        """Whether riskkit was started with anything of it allowed, so that menus should list it."""
        return os.environ.get(ALLOWED) == "1" or bool(_objects())

    @property
    def runs_anew(self) -> bool:
        """Whether a program is started for every release: a forecast then starts as many at once as a run will."""
        return bool(self.command)

    @property
    def takes_two_tables(self) -> bool:
        """Whether it is trained on two tables, and releases two."""
        return programs.takes_second(self.command)

    @property
    def flag(self) -> str:
        """What the command line must hold to play a plan with it."""
        return f"{OBJECTS} {shlex.quote(self.python)}" if self.python else PROGRAMS

    @staticmethod
    def runs_as() -> tuple[str, bool]:
        """The account in whose name it runs, and whether it is kept from the network: for whoever is to choose it."""
        return fence.user(), fence.has_no_network()

    @property
    def limits(self) -> fence.FenceLimits:
        """What its processes may take; what lives from training to training has no limit of a processor's time."""
        cpu = self.timeout * (os.cpu_count() or 1) if self.command else 0
        return fence.FenceLimits(memory=self.memory << 30, cpu=cpu)

    def check_ready(self) -> None:
        """Raise :class:`ParameterError` where it is not said what to run, or riskkit was not started for it."""
        if not (self.command or self.python or self.program or self.recipe):
            raise ParameterError.phrase(
                "Your own generator: write its command, or choose a Python object, a program that stays up or a recipe."
            )
        if self.recipe and not recipes.recipe(self.recipe).is_made:
            raise ParameterError.phrase(
                "The environment of the recipe {recipe} is not made here. Make it with riskkit "
                "generators add {recipe}.",
                recipe=self.recipe,
            )
        if self.python in _objects() if self.python else os.environ.get(ALLOWED) == "1":
            return
        if self.python:
            raise ParameterError.phrase(
                "The Python object {python} is not used, because riskkit was not started for that. Start it with "
                "{way}; {programs} is for programs alone.",
                python=self.python,
                way=self.flag,
                programs=PROGRAMS,
            )
        raise ParameterError.phrase(
            "Your own generator is not run, because riskkit was not started for that. Start it with {way}.",
            way=PROGRAMS,
        )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedProgram | FittedModel:
        """Keep the table for the program, or fit the Python object to it.

        Raises
        ------
        ParameterError
            Nothing is named to run, or riskkit was not started for it.
        DesignError
            The Python object does not load or does not fit, or a program of two tables is handed one.
        """
        self.check_ready()
        if self.command:
            return FittedProgram.fit(self, table)
        return FittedModel(self, table.schema, self._model(table, rng))

    def _model(
        self, table: Table, rng: np.random.Generator, hear: Hear | None = None
    ) -> python_object.PythonModel | resident.ResidentModel:
        """The Python object, or the program that stays up, fitted to the table."""
        if self.python:
            limits = replace(self.limits, is_heard=hear is not None)
            return python_object.PythonModel.fit(self.python, table, _seed(rng), limits)
        words = recipes.recipe(self.recipe).words() if self.recipe else programs.split(self.program)
        return resident.ResidentModel.fit(words, table, integer_seed(rng), self.timeout, self.limits, hear)


@dataclass(frozen=True, slots=True, eq=False)
class FittedModel:
    """A fitted model of the steward's own, in a process that holds it."""

    plugin: External
    schema: Schema
    model: python_object.PythonModel | resident.ResidentModel

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows of the model; refused where they do not fit the schema.

        Raises
        ------
        DesignError, InputError
            The model failed, or returned something else than ``n`` rows under the schema; never says a value.
        """
        name = f"The sample of {self.plugin.python}" if self.plugin.python else WRITTEN
        source = self.model.sample(n, _seed(rng) if self.plugin.python else integer_seed(rng))
        return release(source, self.schema, n, name=name, nearest=self.plugin.outside == "nearest")


def _seed(rng: np.random.Generator) -> int:
    """A seed for the states that an object draws from."""
    return int(rng.integers(2**32))


def trial(plugin: External, table: Table, n: int, rng: np.random.Generator, hear: Hear) -> tuple[Fault, ...]:
    """Everything that is wrong with one release of ``n`` rows, learned from a table that nobody has to protect.

    ``hear`` is handed what a program prints; a Python object prints to standard error.

    Raises
    ------
    DesignError, ParameterError
        It cannot be run, or fails, before there is a release.
    """
    plugin.check_ready()
    if plugin.command:
        return FittedProgram.fit(plugin, table).faults(n, rng, hear)
    try:
        model = plugin._model(table, rng, hear)
        return faults(model.sample(n, integer_seed(rng)), table.schema, n, name=WRITTEN)
    finally:
        resident.end_all()


WRITTEN = "What the program wrote"
"""What sentences call a release."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedProgram:
    """The world that the program will be run on, as the bytes of its files by placeholder.

    ``shape`` is a table of nobody like the one that was learnt.
    """

    plugin: External
    shape: Table
    handed: Mapping[str, bytes]

    @classmethod
    def fit(cls, plugin: External, table: Table) -> FittedProgram:
        """For that program, of one table or of two.

        Raises
        ------
        DesignError
            It takes two tables, and the people have no second one with them.
        """
        if not plugin.takes_two_tables:
            handed = {"train": to_csv(table), "schema": resident.schema_bytes(table.schema)}
        elif isinstance(table, TwoTables):
            handed = split_files(table)
        else:
            raise DesignError.phrase(
                "Your own generator is trained on two tables, and is handed one. Membership and Records train it "
                "on both where they ask across both tables (--second-table), and no other question does."
            )
        if "{schema}" not in plugin.command:
            del handed["schema"]
        return cls(plugin, table.rows([]), handed)

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """One run of the program: a training and its release of ``n`` rows.

        Raises
        ------
        DesignError, InputError
            The program failed, or wrote something else than ``n`` rows under the schema; never says a value.
        """
        nearest = self.plugin.outside == "nearest"
        with self.outputs(n, rng) as left:
            if isinstance(self.shape, TwoTables):
                return release_of_both(left, self.shape, n, nearest=nearest)
            return release(output_file(left["out"], WRITTEN), self.shape.schema, n, name=WRITTEN, nearest=nearest)

    def faults(self, n: int, rng: np.random.Generator, hear: Hear) -> tuple[Fault, ...]:
        """Everything that is wrong with what one run of the program writes; ``hear`` is handed what it prints.

        Raises
        ------
        DesignError
            The program failed, or left no file.
        """
        with self.outputs(n, rng, hear) as left:
            if isinstance(self.shape, TwoTables):
                first, second = _both(left)
                of_first, above = keyed_faults(
                    first, self.shape.first_schema, n, name=BOTH_WRITTEN["out"], key=self.shape.key
                )
                of_second, below = keyed_faults(
                    second, self.shape.second.schema, None, name=BOTH_WRITTEN["out_children"], key=self.shape.key
                )
                if above is None or below is None:
                    return (*of_first, *of_second)
                return (*of_first, *of_second, *map(Fault, _key_problems(self.shape.key, above, below)))
            return faults(output_file(left["out"], WRITTEN), self.shape.schema, n, name=WRITTEN)

    @contextmanager
    def outputs(self, n: int, rng: np.random.Generator, hear: Hear | None = None) -> Iterator[Mapping[str, Path]]:
        """The paths of what one run of the program leaves, by placeholder, as long as the block lasts.

        Raises
        ------
        DesignError
            The program failed.
        """
        self.plugin.check_ready()
        values = {"n": str(n), "seed": str(integer_seed(rng))}
        leaves = LEAVES if isinstance(self.shape, TwoTables) else {"out": "release.csv"}
        plugin = self.plugin
        with programs.ran(plugin.command, self.handed, leaves, values, plugin.timeout, plugin.limits, hear) as left:
            yield left


PLUGIN = External
