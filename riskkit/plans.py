"""What all plans share: a frozen dataclass whose fields are parameters, from which everything else follows.

The fields say what is checked, what is kept as JSON and read from a configuration, which options the command line has
and which command gives the same numbers. A new setting of a question is one line in its plan.
"""

from __future__ import annotations

import re
import shlex
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any, ClassVar, Self

from riskkit import registry
from riskkit.core import Role
from riskkit.errors import ParameterError, nearest
from riskkit.parameters import Option, check_value, parameter
from riskkit.phrases import phrase
from riskkit.registry import Setting

USUAL_LEVEL = 0.95
MOST_NAMED = 3
"""Plug-ins that are named in a few words, before the others are counted."""
Called = Callable[[str, str], str]
"""What to call a plug-in, of its room and how it is spelled."""
FURTHER = "release_"
"""How the slots of further releases of one table begin."""


def several(room: str, spelled: Sequence[str], called: Called) -> str:
    """Several plug-ins of a room in a few words: the first few, and how many more there are."""
    names = tuple(called(room, spelling) for spelling in spelled)
    if len(names) <= MOST_NAMED + 1:
        return phrase("{names}", names=names)
    return phrase("{names} and {more:,} more", names=names[:MOST_NAMED], more=len(names) - MOST_NAMED)


def generator(about: str, default: str = "bayesnet") -> Any:
    """The field of a plan that names one method; an empty ``default`` leaves it out until it is named."""
    return parameter(
        default,
        label="Method that makes the release",
        help=about,
        room="generators",
        tidy=None if default else spelled_or_none,
        option=Option(is_stated=bool(default)),
    )


def spelled_or_none(generator: str) -> str:
    """A method as the registry spells it; an empty one stays empty."""
    return registry.spelling("generators", generator) if generator else ""


def label(generator: str, among: Sequence[str] = ()) -> str:
    """What streams of chance call a method: as it is spelled, without what says where a program or object of it lies.

    Of the methods ``among`` a plan's that are then called alike, each but the first is told apart by its place.
    """
    own = registry.spell(registry.parse("generators", generator), files=False)
    alike = [each for each in among if registry.spell(registry.parse("generators", each), files=False) == own]
    place = alike.index(generator) if generator in alike else 0
    return f"{own} #{place + 1}" if place else own


def seed() -> Any:
    """The field of a plan that every random number follows from."""
    return parameter(
        1,
        label="Seed",
        help="The same seed gives the same numbers, whatever the number of processes.",
        low=0,
        option=Option(is_stated=True),
    )


def level(
    about: str = "How often an interval of this width shows the true value, if everything were done again.",
) -> Any:
    """The field of a plan that says how sure its intervals are."""
    return parameter(USUAL_LEVEL, label="Level of the intervals", help=about, low=0.5, below=1)


def releases() -> Any:
    """The field of a plan that says how many releases of one table an attacker sees."""
    return parameter(
        1,
        label="Releases that the attacker sees",
        help="All of them are of one table, and each has the rows of a release.",
        low=1,
        high=1_000,
    )


def share_fit() -> Any:
    """The field of a plan that says whether several releases come from one fit, or each from a fit of its own."""
    return parameter(
        False,
        label="All releases from one fit",
        help="The method was trained once and sampled again; otherwise it was trained anew for every release.",
    )


def groups(flag: str = "group") -> Any:
    """The field of a plan that says by which columns risk is compared between groups of people.

    Its option is ``--by`` where ``--group`` is a number of the question already.
    """
    return parameter(
        (),
        label="Groups to compare",
        help="Columns by which risk is compared between people; none: categories of few levels, and numbers in bands.",
        option=Option(flag=flag, metavar="COLUMN"),
        names_columns=True,
        may_shrink=True,
        words={(): "chosen for you"},
    )


def people_asked(
    most: int,
    about: str = "The release is never cut.",
    *,
    label: str = "People asked about, at most, on a side",
    low: int = 5,
) -> Any:
    """The field of a plan that says how many people each side has at most, where members stand beside others."""
    return parameter(most, label=label, help=about, low=low, option=Option(is_stated=True))


def released_rows() -> Any:
    """The field of a plan that says how many rows a release of its method has."""
    return parameter(
        1000,
        label="Rows of a release",
        help="A public constant: it says nothing about who is in the data.",
        low=1,
        option=Option(is_stated=True),
    )


def relation(
    label: str,
    about: str,
    *,
    add: str = "One person fewer (add-one)",
    replace: str = "Somebody else in their place (replace-one)",
) -> Any:
    """The field of a plan that says which two tables are told apart; ``add`` and ``replace`` say both in words."""
    return parameter("add-one", label=label, help=about, choices={"add-one": add, "replace-one": replace})


def person_score_field() -> Any:
    """The field of a plan that says how the scores of a person's rows become the score of the person."""
    return parameter(
        "mean",
        label="Score of a person with several rows",
        help="mean: of all their rows; best: of the one that exposes most; sum: of logarithms of likelihoods.",
        choices={
            "mean": "The mean of all their rows",
            "best": "The row that exposes most",
            "sum": "The sum of all their rows, for logarithms of likelihoods",
        },
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask, as its numbers depend on it. Numbers of processes are no part of one: they change no number.

    ``question`` is its name on pages and on the command line; ``unit`` is what its progress counts, in the singular.
    ``needs`` are the files beside the real one without which it cannot be asked; ``real`` is what the command line
    calls the real one.

    Raises
    ------
    ParameterError, DesignError
        A setting outside its range, a plug-in that does not exist, settings that do not go together.
    """

    question: ClassVar[str]
    unit: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()
    real: ClassVar[str] = "real"

    def __post_init__(self) -> None:
        kinds = registry.types(type(self))
        for spec in fields(self):
            label = phrase(str(spec.metadata.get("label", spec.name)))
            is_alike = label.lower().replace(" ", "_") == spec.name
            called = label if is_alike else phrase("{label} ({name})", label=label, name=spec.name)
            value = _tidy(called, getattr(self, spec.name), spec.metadata, kinds[spec.name])
            object.__setattr__(self, spec.name, value)
        self.check()

    def check(self) -> None:
        """Refuse settings that do not go together; what a single field can say is checked before."""

    @property
    def label(self) -> str:
        """The plan in a few words, its plug-ins as they are spelled; all that a plan has that names none."""
        return self.in_words(lambda _, spelled: spelled)

    def in_words(self, called: Called) -> str:  # noqa: ARG002  a plan that names no plug-in
        """The plan in a few words, as menus of runs show it: ``called`` says what people call a plug-in."""
        if type(self).label is Plan.label:
            raise NotImplementedError(f"{type(self).__name__} has neither label nor in_words.")
        return self.label

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {name: _plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The plan that :meth:`as_dict` wrote, or that a configuration says.

        Raises
        ------
        ParameterError, DesignError
            It has a setting that the question has not, or one out of range.
        """
        known = [spec.name for spec in fields(cls)]
        listed = ", ".join(setting.name for setting in registry.settings(cls) if not setting.option.by_hand)
        if not isinstance(stored, Mapping):
            raise ParameterError.phrase(
                "{question} takes names with values; its settings are {listed}.", question=cls.question, listed=listed
            )
        if unknown := [f"{str(name)!r}{nearest(str(name), known)}" for name in stored if name not in known]:
            raise ParameterError.phrase(
                "{question} has no setting {unknown}; its settings are {listed}.",
                question=cls.question,
                unknown=tuple(unknown),
                listed=listed,
            )
        return cls(**stored)

    @classmethod
    def as_kept(cls, values: Mapping[str, Any]) -> Self:
        """The plan as a result has it among its settings; unchecked, for a plug-in that it names may be gone."""
        plan = cls.__new__(cls)
        for spec in fields(cls):
            default = spec.default if spec.default_factory is MISSING else spec.default_factory()
            object.__setattr__(plan, spec.name, _as_tuple(values.get(spec.name, default)))
        return plan

    def without(self, columns: Sequence[str]) -> Self | None:
        """The same plan of a release that lacks these columns, with the groups that are left; None where nothing is."""
        lists = {spec.name: getattr(self, spec.name) for spec in fields(self) if spec.metadata.get("may_shrink")}
        left = {setting: tuple(name for name in names if name not in columns) for setting, names in lists.items()}
        return replace(self, **left) if left else self

    @property
    def names_rows(self) -> bool:
        """Whether it names rows of the real table by their numbers."""
        return False

    def changes(self) -> dict[str, Any]:
        """The settings that are not at their default."""
        return {
            setting.name: getattr(self, setting.name)
            for setting in registry.settings(type(self))
            if getattr(self, setting.name) != setting.default
        }

    def command(self, real: str, synthetic: str = "", holdout: str = "", **named: str) -> str:
        """The command line that gives the same numbers, with these names of files.

        Of ``named``, ``person`` or ``household`` is a column, and ``weight``. Others are those of second tables and of
        further releases, by slot.
        """
        files = {self.real: (real,), "synthetic": (synthetic,) * bool(synthetic), "holdout": (holdout,) * bool(holdout)}
        files |= {name: (name.upper(),) for name in self.needs if not files[name]}
        files["synthetic"] += tuple(file for slot, file in named.items() if slot.startswith(FURTHER))
        units = {role: named.pop(role, "") for role in (Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT)}
        by_setting = {name for name in units if getattr(self, name, "")}  # by a setting of that name: --household
        children = {slot: file for slot, file in named.items() if not slot.startswith(FURTHER)}
        parts = [f"riskkit {self.question}"]
        parts += [
            f"--{name} {' '.join(map(shlex.quote, some))}" for name, some in files.items() if some and self.takes(name)
        ]
        parts += [
            f"--{role} {shlex.quote(column)}" for role, column in units.items() if column and role not in by_setting
        ]
        if self.reads_children:
            parts += [f"--{slot.replace('_', '-')} {shlex.quote(file)}" for slot, file in children.items()]
        for setting in registry.settings(type(self)):
            if not setting.option.by_hand and self.is_said(setting):
                parts += as_options(setting, getattr(self, setting.name))
        return " ".join([*parts, *self.more(), *dict.fromkeys(self._flags())])

    @property
    def reads_children(self) -> bool:
        """Whether a second table, with several rows a person, is read; a setting of that name says so."""
        return bool(getattr(self, "second_table", False))

    def takes(self, file: str) -> bool:  # noqa: ARG002  a plan that does not take every file says so
        """Whether the command of this very plan names such a file, where there is one."""
        return True

    def is_said(self, setting: Setting) -> bool:
        """Whether a command says that setting."""
        return setting.option.is_stated or getattr(self, setting.name) != setting.default

    def more(self) -> list[str]:
        """What a command says of the settings that it deals with by hand."""
        return []

    def _flags(self) -> Iterator[str]:
        """Flags that allow a named plug-in to be run."""
        for setting in registry.settings(type(self)):
            value = getattr(self, setting.name)
            if setting.room == "generators" and value:
                for text in value if setting.is_list else (value,):
                    flag = getattr(registry.parse(setting.room, text), "flag", "")
                    if flag:
                        yield str(flag)


def flag(setting: Setting) -> str:
    """The option of a setting: ``--n-syn``, of a switch that is on by default ``--no-control``."""
    name = setting.option.flag or setting.name.replace("_", "-")
    return f"--no-{name}" if setting.type is bool and setting.default else f"--{name}"


def as_options(setting: Setting, value: Any) -> list[str]:
    """The options that say that value: none for a switch at its default, one for each entry of a list."""
    if setting.type is bool:
        return [flag(setting)] * (value != setting.default)
    texts = [setting.option.write(entry) for entry in (value if setting.is_list else (value,))]
    if setting.option.several:
        texts = [",".join(texts)]
    return [f"{flag(setting)} {shlex.quote(text)}" for text in texts]


def split_list(texts: Sequence[str]) -> tuple[str, ...]:
    """The plug-ins in ``stat,pram:p=0.7,law=empirical``: a part with an equals sign and no name belongs to the former.

    Commas within double quotes part nothing.
    """
    out: list[str] = []
    for text in texts:
        fresh = True
        for part in filter(None, (part.strip() for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', text))):
            if not fresh and "=" in part and ":" not in part.partition("=")[0] and "|" not in part.partition("=")[0]:
                out[-1] += f",{part}"
            else:
                out.append(part)
            fresh = False
    return tuple(out)


def _tidy(where: str, value: Any, declared: Mapping[str, Any], kind: Any) -> Any:
    """The value as it is kept, which is in its range; :class:`ParameterError` where it is not.

    A text where a list is meant is a list of one; entries of a list are kept once, in their order.
    """
    is_list = typing.get_origin(kind) is tuple
    room = declared.get("room")
    if is_list:
        value = (value,) if isinstance(value, str) or not isinstance(value, list | tuple) else _as_tuple(value)
    if room:
        value = tuple(_spell(room, entry) for entry in value) if is_list else _spell(room, value)
    if tidy := declared.get("tidy"):
        value = tidy(value)
    elif room:
        value = tuple(registry.spelling(room, text) for text in value) if is_list else registry.spelling(room, value)
    if not is_list:
        if value is not None:
            check_value(where, value, declared, kind)
        return value
    if declared.get("is_needed") and not value:
        raise ParameterError.phrase("{where}: choose at least one.", where=where)
    for entry in value:
        check_value(where, entry, declared, typing.get_args(kind)[0])
    return tuple(dict.fromkeys(value))


def _spell(room: str, plugin: Any) -> Any:
    """A plug-in that is given as an object or a class, as text."""
    return plugin if isinstance(plugin, str) else registry.spelling(room, plugin)


def _plain(value: Any) -> Any:
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(entry) for entry in value) if isinstance(value, tuple | list) else value
