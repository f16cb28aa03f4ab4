"""A plug-in, and a plan, is a frozen dataclass: its fields are its parameters, its form and its command line."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.errors import ParameterError, nearest
from riskkit.phrases import Phrase, phrase


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line writes a field of a plan, where that does not follow from its name and type.

    Parameters
    ----------
    flag
        ``--trainings`` without its dashes; the field's name with hyphens where there is none. Of a list it names one
        entry and may be given several times; a switch that is on unless said otherwise is ``no-`` before its name.
    metavar
        What stands for the value in the help.
    read, write
        From the text of one value, of a list of one entry, to the value, and back.
    several
        From all texts of a list to its entries, where one text may hold several.
    is_stated
        Whether a command always says it, also at its default.
    by_hand
        Whether the command deals with it in a way of its own: no option is made of it.
    """

    flag: str = ""
    metavar: str = ""
    read: Callable[[str], Any] | None = None
    write: Callable[[Any], str] = str
    several: Callable[[Sequence[str]], Sequence[Any]] | None = None
    is_stated: bool = False
    by_hand: bool = False


def parameter(
    default: Any,
    *,
    label: str,
    help: str,  # noqa: A002  the word the form shows
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Mapping[Any, str] | Sequence[Any] | Callable[[], Mapping[Any, str] | Sequence[Any]] | None = None,
    unit: str = "",
    room: str = "",
    is_needed: bool = False,
    tidy: Callable[[Any], Any] | None = None,
    option: Option | None = None,
    names_columns: bool = False,
    names_files: bool = False,
    may_shrink: bool = False,
    words: Mapping[Any, str] | None = None,
) -> Any:
    """A field of a plug-in or a plan that forms, the command line and the range check all read.

    Parameters
    ----------
    default, label, help, unit
        The value where none is given, and the words of the form.
    low, high, above, below
        The range: the first two belong to it, the others do not. Of a list it is the range of each entry.
    choices
        Makes it a menu; a function makes one of what there is now, and the plug-in itself refuses, when it is used,
        what is not in it any more. A mapping says in words what each is: forms and reports show the words, the
        command line and files keep the codes.
    room
        Of a plan: the plug-ins that it names, as :func:`riskkit.registry.parse` reads them; kept as they are spelled.
    is_needed
        Whether a list has at least one entry.
    tidy
        Of a plan: makes the value that is kept of the one that was given; raises where it is none.
    option
        Of a plan: how the command line writes it.
    names_columns
        Of a plan: one column or a list of them, which a form offers.
    names_files
        Of a plug-in: says where something of the steward's own lies, which no random number may follow from.
    may_shrink
        Of a plan: a list of columns that says the same without those which a release lacks.
    words
        What values are called that have a name of their own beside all others; those of ``choices`` without it. A
        number or an empty list that is the default and has one, as 0 that takes what suits, is an empty field with that
        name in it.
    """
    metadata = {
        "label": label,
        "help": help,
        "low": low,
        "high": high,
        "above": above,
        "below": below,
        "choices": tuple(choices) if isinstance(choices, Mapping) else choices,
        "words": dict(choices) if isinstance(choices, Mapping) else dict(words or {}),
        "unit": unit,
        "room": room,
        "is_needed": is_needed,
        "tidy": tidy,
        "option": option or Option(),
        "names_columns": names_columns,
        "names_files": names_files,
        "may_shrink": may_shrink,
    }
    return field(default=default, metadata=metadata)


def check_parameters(plugin: Any) -> None:
    """Refuse a plug-in whose fields are outside the range they declare. Call it in ``__post_init__``.

    Raises
    ------
    ParameterError
        Names the plug-in, the field, the value it got and what it may be.
    """
    for spec in fields(plugin):
        check_value(f"{plugin.name}: {spec.name}", getattr(plugin, spec.name), spec.metadata, spec.type)


class CheckedPlugin:
    """A plug-in, as a frozen dataclass, that is refused where a field is outside the range it declares."""

    def __post_init__(self) -> None:
        check_parameters(self)


def check_value(where: str, value: Any, declared: Mapping[str, Any], kind: Any) -> None:
    """Refuse a value outside what the metadata of :func:`parameter` declares; ``kind`` is its type or that type's name.

    Raises
    ------
    ParameterError
        Says ``where``, the value and what it may be.
    """
    if kind in ("bool", bool) and not isinstance(value, bool):
        raise ParameterError.phrase("{where} is {value}; it must be true or false.", where=where, value=repr(value))
    choices = declared.get("choices")
    if choices is not None and not callable(choices) and value not in choices:
        raise ParameterError.phrase(
            "{where} is {value}{near}; it may be {choices}.",
            where=where,
            value=repr(value),
            near=nearest(value, choices),
            choices=tuple(map(repr, choices)),
        )
    bounds = [(name, end, holds) for name, holds in _BOUNDS if (end := declared.get(name)) is not None]
    if not bounds:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ParameterError.phrase("{where} is {value}; it must be a number.", where=where, value=repr(value))
    if kind in ("int", int) and not isinstance(value, int):
        raise ParameterError.phrase("{where} is {value}; it must be a whole number.", where=where, value=repr(value))
    if not all(holds(value, end) for _, end, holds in bounds):
        ends = [_end(name, end) for name, end, _ in bounds]
        asked = phrase("{one} and {other}", one=ends[0], other=ends[1]) if len(ends) > 1 else ends[0]
        raise ParameterError.phrase("{where} is {value:,}; it must be {asked}.", where=where, value=value, asked=asked)


_BOUNDS: tuple[tuple[str, Callable[[float, float], bool]], ...] = (
    ("low", operator.ge),
    ("above", operator.gt),
    ("high", operator.le),
    ("below", operator.lt),
)
"""The ends of a range, and what holds of a value in it."""


def _end(name: str, end: float) -> Phrase:
    """How an end of a range is named."""
    return {
        "low": phrase("at least {end:,}", end=end),
        "above": phrase("above {end:,}", end=end),
        "high": phrase("at most {end:,}", end=end),
        "below": phrase("below {end:,}", end=end),
    }[name]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """How an attack chose one of its settings: by trying values on releases of its own, which are never counted.

    ``setting`` is the field, ``values`` (n_values,) what was tried, ``at`` the place of the value that was taken.
    ``own`` (n_values, n_own) are the scores of the own releases under each value, each from a training of its own;
    ``own_in`` (n_own,) says which of them were made with the target.
    """

    setting: str
    values: npt.NDArray[np.float64]
    at: int
    own: npt.NDArray[np.float64]
    own_in: npt.NDArray[np.bool_]
