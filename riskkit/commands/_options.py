"""The options of a plan, made of its fields, and the plan that options ask for."""

from __future__ import annotations

import argparse
import codecs
import typing
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from riskkit import registry
from riskkit.commands import _columns
from riskkit.errors import DesignError, ParameterError, Problem
from riskkit.generators import external
from riskkit.plans import Plan, flag
from riskkit.registry import Setting
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import PREFIX, Tables, tables_of
from riskkit.table.read.files import read_together
from riskkit.table.stack import FIRST, MOST, slots_of
from riskkit.table.text import Limits, TextTable

KINDS = "CSV, Parquet, Excel (FILE.xlsx#SHEET), SPSS, Stata or SAS, also in gzip or ZIP"
"""What a file of a table may be."""
FILES = {
    "real": "table of the confidential records",
    "synthetic": "table of the release",
    "holdout": "table of people outside the data",
}
"""The files of an audit, and what they are where a command says nothing else of them."""
REAL = f"{FILES['real']}: {KINDS}"
SLOTS = (*FILES, *(f"{PREFIX}{slot}" for slot in FILES), *slots_of(MOST)[1:])
"""The names of all files that a command may be given."""
WHOSE = {"real": "people in --real", "synthetic": "people in the release", "holdout": "people in --holdout"}
"""Whose rows the second table of a slot holds."""
LARGEST = 2_000
"""MB that a file may have at most; texts of one column are addressed with 31 bits."""

PLUGIN = "NAME[:FIELD=VALUE,...]"


def add_files(
    parser: argparse.ArgumentParser, plan: type[Plan], about: Mapping[str, str], *, or_audit: bool = False
) -> None:
    """The files that a plan is asked of, none of them needed where an audit may have them.

    ``about`` says of some what they are to this question.
    """
    for name, usual in FILES.items():
        called = plan.real if name == "real" else name
        needed = not or_audit and (name == "real" or name in plan.needs)
        if name == FIRST:
            add_releases(parser, about.get(called, usual), is_needed=needed)
        else:
            kinds = f": {KINDS}" if name == "real" else ""
            parser.add_argument(f"--{called}", type=Path, required=needed, help=about.get(called, usual) + kinds)
    own = {setting.name for setting in registry.settings(plan)}
    _columns.add_option(parser, takes_households="household" not in own)
    add_reading(parser)


def add_releases(parser: argparse.ArgumentParser, about: str, *, is_needed: bool) -> None:
    """The file of the release, or all files of a table that was released several times."""
    parser.add_argument(
        "--synthetic",
        type=Path,
        nargs="+",
        action="extend",
        required=is_needed,
        metavar="FILE",
        help=f"{about}; several files where the table was released several times",
    )


def add_children(parser: argparse.ArgumentParser) -> None:
    """The files of a second table, for the questions that read it."""
    for slot in FILES:
        parser.add_argument(
            f"--children-{slot}",
            type=Path,
            metavar="FILE",
            help=f"second table of the {WHOSE[slot]}, with several rows a person or household; joined by the column of "
            "--person or --household",
        )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How large a file may be, and how its letters are written."""
    parser.add_argument(
        "--encoding",
        action="append",
        default=[],
        metavar="[FILE=]NAME",
        help="how letters were turned into bytes: cp1252 for every file that does not show it by itself, "
        "release=cp1252 or holdout=utf-8 for one file; may be given several times (default: found over all files)",
    )
    usual = Limits().size // 1_000_000
    parser.add_argument(
        "--largest", type=int, default=usual, metavar="MB", help="how large a file may be (default: %(default)s MB)"
    )


def limits(options: argparse.Namespace) -> Limits:
    """How large a file may be; with its bytes its rows and cells may be more.

    Raises
    ------
    ParameterError
        Out of range.
    """
    if not 1 <= options.largest <= LARGEST:
        raise ParameterError(f"--largest is {options.largest:,} MB. It must be from 1 to {LARGEST:,}.")
    usual, size = Limits(), options.largest * 1_000_000
    times = max(size / usual.size, 1.0)
    return replace(usual, size=size, rows=int(usual.rows * times), cells=int(usual.cells * times))


def encodings(options: argparse.Namespace) -> dict[str, str]:
    """The encodings that ``--encoding`` says, by slot; under ``""`` that of every file that does not show its own.

    Raises
    ------
    ParameterError
        There is no such encoding, or no such file among those that the options name.
    """
    out: dict[str, str] = {}
    for text in options.encoding:
        file, _, name = text.rpartition("=")
        slot = FIRST if file == "release" else "real" if file in ("base", "population") else file.replace("-", "_")
        if slot and slot not in SLOTS:
            raise ParameterError(
                f"--encoding {text}: there is no file {file}. The files are {', '.join(SLOTS[:6])}, and release_2 and "
                "so on where the table was released several times."
            )
        try:
            codecs.lookup(name)
        except (LookupError, ValueError):
            raise ParameterError(f"--encoding {text}: there is no text encoding {name!r}.") from None
        out[slot] = name
    return out


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a command as they were read, by slot, and what was decided about their columns.

    ``problems`` is what a codebook says of them that they do not bear out.
    """

    texts: Mapping[str, TextTable]
    choices: Mapping[str, ColumnChoice]
    problems: tuple[Problem, ...] = ()

    def tables(self) -> Tables:
        """The typed tables in them.

        Raises
        ------
        InputError
            The files do not fit together.
        """
        return tables_of(self.texts, self.choices).with_problems(self.problems)


def files(options: argparse.Namespace, real: str = "real") -> Files:
    """The files that the options name; ``real`` is what the option of the real one is called.

    Raises
    ------
    InputError
        A file cannot be used as it is.
    """
    book = _columns.codebook(options)
    named = {"real": real, "holdout": "holdout"} | {f"{PREFIX}{slot}": f"{PREFIX}{slot}" for slot in FILES}
    released = getattr(options, FIRST, None) or []
    releases = [released] if isinstance(released, Path) else released
    if len(releases) > MOST:
        raise DesignError(f"--synthetic names {len(releases):,} files; at most {MOST} are read.")
    paths = {"real": getattr(options, real, None), **dict(zip(slots_of(len(releases)), releases, strict=True))}
    paths |= {slot: getattr(options, name, None) for slot, name in named.items()}
    there = {slot: path for slot, path in paths.items() if path is not None}
    texts = read_together(there, limits=limits(options), encodings=encodings(options))
    return Files(texts, *_columns.choices(options, book, texts))


def tables(options: argparse.Namespace, real: str = "real") -> Tables:
    """The tables in the files that the options name.

    Raises
    ------
    InputError
        A file cannot be used as it is, or the files do not fit together.
    """
    return files(options, real).tables()


def add_settings(parser: argparse.ArgumentParser, plan: type[Plan]) -> None:
    """An option for each field of the plan."""
    for setting in registry.settings(plan):
        if not setting.option.by_hand:
            _add(parser, setting)


def add_ways(parser: argparse.ArgumentParser) -> None:
    """How a question is played and answered, none of which changes a number."""
    parser.add_argument("--workers", type=int, default=1, help="processes that work side by side; change no number")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    add_saying(parser)
    add_externals(parser)


def add_externals(parser: argparse.ArgumentParser) -> None:
    """What allows a plan to run what is not riskkit's."""
    parser.add_argument(
        external.PROGRAMS, dest="allow_external", action="store_true", help="let a method be a program of your own"
    )
    parser.add_argument(
        external.OBJECTS,
        dest="external_python",
        action="append",
        default=[],
        metavar="PACKAGE.MODULE:NAME",
        help="let a method be this Python object with fit and sample; may be given several times",
    )


def allow_externals(options: argparse.Namespace) -> None:
    """Allow what the options allow, in this process and those it starts.

    Raises
    ------
    ParameterError
        A Python object is not written as ``package.module:Name``.
    """
    if getattr(options, "allow_external", False):
        external.allow()
    if getattr(options, "external_python", ()):
        external.name_objects(options.external_python)


def add_saying(parser: argparse.ArgumentParser) -> None:
    """How much is said on standard error while it works."""
    saying = parser.add_mutually_exclusive_group()
    saying.add_argument("--quiet", action="store_true", help="say nothing while it works, but why it cannot be done")
    saying.add_argument("--verbose", action="store_true", help="also a line at every new stage of the work")


def _add(parser: argparse.ArgumentParser, setting: Setting) -> None:
    option, about = setting.option, f"{setting.label}. {setting.help}".strip()
    named: dict[str, Any] = {"dest": setting.name}
    if setting.type is bool:
        action = "store_false" if setting.default else "store_true"
        parser.add_argument(flag(setting), action=action, help=_escape(about), **named)
        return
    metavar = option.metavar or "|".join(map(str, setting.choices or ())) or PLUGIN * bool(setting.room)
    named |= {"metavar": metavar} if metavar else {}
    entries = setting.default if setting.is_list else (setting.default,)
    usual = ", ".join(option.write(entry) for entry in entries if entry not in ("", None))
    words = _escape(f"{about} (default: {usual or 'none'})")
    kind = str if option.read or option.several else _entry_type(setting)
    if setting.is_list:
        several = f"{words}; may be given several times"
        parser.add_argument(flag(setting), action="append", type=kind, help=several, **named)
    else:
        parser.add_argument(flag(setting), type=kind, help=words, **named)


def _entry_type(setting: Setting) -> type:
    """The type of the value, of a list of one entry; of a value that may be missing, of one that is there."""
    parts = typing.get_args(setting.type) or (setting.type,)
    kinds = [part if isinstance(part, type) else type(part) for part in parts]  # of a Literal its texts
    return next(kind for kind in kinds if kind is not type(None))


def _escape(text: str) -> str:
    """The text as argparse wants it, to which a percent sign is a place for a value."""
    return text.replace("%", "%%")


def plan_of(options: argparse.Namespace, plan: type[Plan], **by_hand: Any) -> Any:
    """The plan that the options ask for; ``by_hand`` are settings that no option stands for.

    Of several files of releases as many releases are played, unless an option says another number.

    Raises
    ------
    ParameterError, DesignError
        A setting out of range, or another number of releases than files.
    """
    allow_externals(options)
    values = dict(by_hand)
    refuse_other_number(options)
    for setting in registry.settings(plan):
        texts, option = getattr(options, setting.name, None), setting.option
        if setting.name == "releases" and texts is None and files_of(options) > 1:
            values["releases"] = files_of(options)
        if option.by_hand or texts is None:
            continue
        if option.several:
            texts = tuple(option.several(texts))
        elif option.read:
            texts = tuple(map(option.read, texts)) if setting.is_list else option.read(texts)
        values[setting.name] = texts
    return plan(**values)


def files_of(options: argparse.Namespace) -> int:
    """How many files of releases the options name."""
    return len(getattr(options, FIRST, None) or ())


def refuse_other_number(options: argparse.Namespace, releases: int | None = None) -> None:
    """Refuse a number of releases that is not that of several files.

    Raises
    ------
    DesignError
        It is another one.
    """
    files, releases = files_of(options), getattr(options, "releases", None) if releases is None else releases
    if files > 1 and releases is not None and releases != files:
        raise DesignError(
            f"--releases says {releases:,} and --synthetic names {files:,} files. Name the file of every release of "
            "this table, or leave --releases out."
        )
