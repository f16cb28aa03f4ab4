"""Results as plain values for JSON, and back: a frozen dataclass says its form once, by its fields and their types.

A field is written under its own name, or under that of :func:`entry`. Kept results are read by the type that wrote
them; what a plan or a schema says is checked where it is made, not here.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from riskkit import own
from riskkit.core import Estimate
from riskkit.errors import StoreError

T = TypeVar("T")
ESTIMATE = ("name", "value", "low", "high", "level", "method", "n")
"""The fields of an estimate; in a kept one its labels stand beside them."""


def entry(
    key: str = "",
    *,
    is_spread: bool = False,
    is_left_out: bool = False,
    is_kept: bool = True,
    of_people: bool = False,
) -> Mapping[str, Any]:
    """The metadata of a field whose form is another than its name and its value.

    Parameters
    ----------
    key
        Its name in JSON.
    is_spread
        Its own fields stand beside the others; where it may be None, it is where one of them is missing.
    is_left_out
        It is not written where it is None.
    is_kept
        It is written at all; else it has a default.
    of_people
        It is about single people, and no part of a result that is passed on.
    """
    forms = {"is_spread": is_spread, "is_left_out": is_left_out, "is_kept": is_kept, "of_people": of_people}
    return {"key": key, **forms}


def plain(value: Any, *without: str) -> Any:
    """The value as JSON has it: dataclasses as objects, tuples and arrays as lists; fields in ``without`` left out."""
    if isinstance(value, Estimate):
        return value.as_dict()
    if is_dataclass(value) and not isinstance(value, type):
        out: dict[str, Any] = {}
        for spec in _entries(type(value)):
            if spec.name in without:
                continue
            part = getattr(value, spec.name)
            if spec.is_spread:
                out |= plain(part) or {}
            elif part is not None or not spec.is_left_out:
                out[spec.key] = plain(part)
        return out
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Enum):
        return value.value
    return value  # a phrase as it stands: what keeps results keeps its words and figures, JSON has its English


def from_plain(kind: type[T], values: Mapping[str, Any], **beside: Any) -> T:
    """The value of that type of which :func:`plain` made ``values``; fields of ``beside`` are given, not read.

    Raises
    ------
    StoreError
        Something is missing that has no default: another version wrote it.
    """
    entries = [spec for spec in _entries(kind) if spec.is_made_from and spec.name not in beside]
    named = {spec.key for spec in _entries(kind) if not spec.is_spread}
    parts = dict(beside)
    for spec in entries:
        if spec.is_spread:
            parts[spec.name] = spec.read({key: part for key, part in values.items() if key not in named})
        elif spec.key in values:
            parts[spec.name] = spec.read(values[spec.key])
        elif spec.is_needed and not spec.is_left_out:
            raise StoreError.phrase(
                "This result was kept by another version of riskkit: it has no {entry!r}. Start the run again.",
                entry=spec.key,
            )
        elif spec.is_needed:
            parts[spec.name] = None
    return kind(**parts)


def people_entries(kind: type[Any]) -> frozenset[str]:
    """The entries that are about single people."""
    return frozenset(spec.key for spec in _entries(kind) if spec.of_people)


def estimate(values: Mapping[str, Any], *beside: str) -> Estimate:
    """The estimate that :meth:`riskkit.core.Estimate.as_dict` wrote; what else stands there is named in ``beside``."""
    labels = {name: str(text) for name, text in values.items() if name not in (*ESTIMATE, *beside)}
    return Estimate(**{name: values[name] for name in ESTIMATE}, labels=labels)


# --------------------------------------------------------------------------------------------------------------
# Fields and their types


@dataclass(frozen=True, slots=True)
class _Entry:
    """How a field is written and read; it is needed where it has no default."""

    name: str
    key: str
    kind: Any
    is_spread: bool
    is_left_out: bool
    of_people: bool
    is_made_from: bool
    is_needed: bool

    def read(self, part: Any) -> Any:
        """The value of the field that has this plain form."""
        return (_spread_reader if self.is_spread else _reader)(self.kind)(part)


def _entries(kind: Any) -> tuple[_Entry, ...]:
    return _entries_of(kind)


@cache
def _entries_of(kind: Any) -> tuple[_Entry, ...]:
    hints = own.hints(kind)
    return tuple(_entry(spec, hints[spec.name]) for spec in fields(kind) if spec.metadata.get("is_kept", True))


def _entry(spec: Field[Any], kind: Any) -> _Entry:
    form = spec.metadata
    return _Entry(
        spec.name,
        form.get("key") or spec.name,
        kind,
        bool(form.get("is_spread")),
        bool(form.get("is_left_out")),
        bool(form.get("of_people")),
        spec.init,
        spec.default is MISSING and spec.default_factory is MISSING,
    )


@cache
def _spread_reader(kind: Any) -> Callable[[Any], Any]:
    """What makes a part of the values among which its own stand; None where it may be and one of them is missing."""
    read, inner = _reader(kind), [part for part in typing.get_args(kind) if is_dataclass(part)]
    if type(None) not in typing.get_args(kind) or not inner:
        return read
    needed = {spec.key for spec in _entries(inner[0]) if spec.is_needed and not spec.is_left_out and spec.is_made_from}
    return lambda values: read(values) if needed <= values.keys() else None


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """What makes a value of that type of its plain form."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        (part,) = (_reader(each) for each in inner if each is not type(None))
        return lambda value: None if value is None else part(value)
    if origin is tuple:
        if inner[-1] is Ellipsis:
            each = _reader(inner[0])
            return lambda value: tuple(map(each, value))
        parts = tuple(map(_reader, inner))
        return lambda value: tuple(read(part) for read, part in zip(parts, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        each = _reader(inner[1])
        return lambda value: {key: each(part) for key, part in value.items()}
    if origin is np.ndarray or origin is npt.NDArray:  # since numpy 2.5 that is a type of its own
        (dtype,) = typing.get_args(inner[-1]) or inner
        return lambda value: np.asarray(value, dtype=dtype)
    if kind is Estimate:
        return estimate
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        hints = own.hints(kind)
        named = [_reader(hints[name]) for name in kind._fields]
        return lambda value: kind(*(read(part) for read, part in zip(named, value, strict=True)))
    if isinstance(kind, type) and is_dataclass(kind):
        return lambda value: from_plain(kind, value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return lambda value: value
