"""Plug-ins from outside: packages that name them as entry points, and classes that a program registers.

A package says in its ``pyproject.toml``::

    [project.entry-points."riskkit.attacks"]
    mine = "my_package.attacks:Mine"

A program or a notebook says ``riskkit.register("attacks", Mine)``. What is registered is sent to helper processes with
the work, since they know nothing of the notebook that it was written in.
"""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from riskkit.errors import PluginError

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""What a plug-in may be called: colons, commas and bars part what is written of plug-ins."""
METHODS: Mapping[str, str] = {"targets": "choose", "released": "score", "utility": "measure", "profiles": "sections"}
"""What a plug-in of a room does, where that is not ``fit``."""
_REGISTERED: dict[str, dict[str, type[Any]]] = {}
_HINTS: dict[type[Any], dict[str, Any]] = {}
"""Types of the fields of classes that came from another process, where their names may mean nothing."""

Parcel = Mapping[str, Mapping[str, tuple[type[Any], dict[str, Any]]]]
"""Registered classes by room and name, each with the types of its fields: what travels to a helper process."""


def check_plugin(room: str, plugin: Any, where: str) -> type[Any]:
    """The plug-in; ``where`` is what the sentence calls it where it is none.

    Raises
    ------
    PluginError
        It is no frozen dataclass, or lacks a name, a title, a card or what plug-ins of its room do.
    """
    made = vars(plugin).get("__dataclass_params__") if isinstance(plugin, type) else None
    if made is None or not made.frozen:
        raise PluginError(f"{where}: a plug-in must be a frozen dataclass; write @dataclass(frozen=True) above it.")
    for name in ("name", "title", "card"):
        if not isinstance(getattr(plugin, name, None), str) or not getattr(plugin, name).strip():
            raise PluginError(f"{where}: the plug-in has no {name}; add {name}: ClassVar[str] = ... to the class.")
    if not NAME.fullmatch(plugin.name):
        raise PluginError(f"{where}: the name {plugin.name!r} may hold letters, digits, _ and - alone.")
    method = METHODS.get(room, "fit")
    if not callable(getattr(plugin, method, None)):
        raise PluginError(f"{where}: a plug-in of {room} needs a method {method}.")
    return typing.cast("type[Any]", plugin)


def installed_plugins(room: str) -> Iterator[tuple[type[Any], str]]:
    """The plug-ins of a room that installed packages name, each with where it comes from, in the order of names.

    Raises
    ------
    PluginError
        One does not load, or is none; the sentence names its package.
    """
    for loaded, where in loaded_points(room):
        for plugin in variants(loaded) or (None,) if isinstance(loaded, ModuleType) else (loaded,):
            yield check_plugin(room, plugin, where), where


def variants(module: ModuleType) -> tuple[Any, ...]:
    """What a module has as ``PLUGIN``: nothing, one class, or several in a tuple."""
    plugin = getattr(module, "PLUGIN", ())
    return plugin if isinstance(plugin, tuple) else (plugin,)


def package_names(group: str) -> Mapping[str, str]:
    """The package behind each name that installed packages have in ``riskkit.<group>``; none of them is imported."""
    return {point.name: _package(point) for point in _points(group)}


def _points(group: str) -> list[EntryPoint]:
    return sorted(
        _entry_points(*map(_folder_stamp, sys.path)).select(group=f"riskkit.{group}"), key=lambda p: (p.name, p.value)
    )


@lru_cache(maxsize=1)
def _entry_points(*folders: tuple[str, int]) -> Any:  # noqa: ARG001  what is installed there is read
    """All entry points, read again only when a folder of packages has changed: every page asks for them."""
    return entry_points()


def _folder_stamp(folder: str) -> tuple[str, int]:
    """A folder and when something was last put in or taken out."""
    try:
        return folder, Path(folder or ".").stat().st_mtime_ns
    except OSError:
        return folder, 0


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "a package"


def loaded_points(group: str) -> Iterator[tuple[Any, str]]:
    """What installed packages name in ``riskkit.<group>``, each with where it comes from, in the order of names.

    Raises
    ------
    PluginError
        One does not load; the sentence names its package.
    """
    for point in _points(group):
        package = _package(point)
        where = f"{point.value} of {package}"
        try:
            loaded = point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PluginError(f"{where} does not load: {type(error).__name__}. Mend or uninstall {package}.") from error
        yield loaded, where


def registered_plugins(room: str) -> Mapping[str, type[Any]]:
    """The plug-ins of a room that were registered in this process, by name."""
    return _REGISTERED.get(room, {})


def keep(room: str, plugin: type[Any]) -> None:
    """Register a plug-in that was checked; one of the same name is replaced."""
    _REGISTERED.setdefault(room, {})[plugin.name] = plugin


def parcel() -> Parcel:
    """Everything that was registered here, to be handed to a helper process."""
    return {
        room: {name: (plugin, hints(plugin)) for name, plugin in known.items()} for room, known in _REGISTERED.items()
    }


def adopt(parcel: Parcel) -> bool:
    """Register what another process had registered; whether anything was new."""
    news = [
        (room, plugin, types)
        for room, known in parcel.items()
        for name, (plugin, types) in known.items()
        if registered_plugins(room).get(name) is not plugin
    ]
    for room, plugin, types in news:
        _HINTS[plugin] = types
        keep(room, plugin)
    return bool(news)


def hints(plugin: type[Any]) -> dict[str, Any]:
    """The types of a class's fields; every page asks for them hundreds of times, and they never change."""
    if plugin not in _HINTS:
        _HINTS[plugin] = typing.get_type_hints(plugin)
    return _HINTS[plugin]
