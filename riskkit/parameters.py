"""A plug-in is a frozen dataclass: its fields are its parameters and its form."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.errors import ParameterError


def parameter(
    default: Any,
    *,
    label: str,
    help: str,  # noqa: A002  the word the form shows
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[Any] | Callable[[], Sequence[Any]] | None = None,
    unit: str = "",
) -> Any:
    """A field of a plug-in that forms, the command line and the range check all read.

    ``low`` and ``high`` are inclusive. ``choices`` makes it a menu; a function makes one of what there is now, and
    the plug-in itself refuses, when it is used, what is not in it any more.
    """
    metadata = {"label": label, "help": help, "low": low, "high": high, "choices": choices, "unit": unit}
    return field(default=default, metadata=metadata)


def check_parameters(plugin: Any) -> None:
    """Refuse a plug-in whose fields are outside the range they declare. Call it in ``__post_init__``.

    Raises
    ------
    ParameterError
        Names the plug-in, the field, the value it got and what it may be.
    """
    for spec in fields(plugin):
        value, meta = getattr(plugin, spec.name), spec.metadata
        where = f"{plugin.name}: {spec.name}"
        if spec.type in ("bool", bool) and not isinstance(value, bool):
            raise ParameterError(f"{where} is {value!r}; it must be true or false.")
        choices, low, high = meta.get("choices"), meta.get("low"), meta.get("high")
        if choices is not None and not callable(choices) and value not in choices:
            raise ParameterError(f"{where} is {value!r}; it may be {', '.join(map(repr, choices))}.")
        if low is not None or high is not None:
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise ParameterError(f"{where} is {value!r}; it must be a number.")
            if spec.type in ("int", int) and not isinstance(value, int):
                raise ParameterError(f"{where} is {value!r}; it must be a whole number.")
            if low is not None and value < low:
                raise ParameterError(f"{where} is {value}; it must be at least {low}.")
            if high is not None and value > high:
                raise ParameterError(f"{where} is {value}; it must be at most {high}.")


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
