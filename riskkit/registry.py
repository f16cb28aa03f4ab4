"""The folder is the list: plug-ins are found by walking ``riskkit/<room>``; those of others stand beside them.

A plug-in is one file with one frozen dataclass and ``PLUGIN = ThatClass``; a file of several variants of one thing
has ``PLUGIN = First, Second``. Files that begin with an underscore are shared internals of the room. A plug-in that
does not import is an error that names its file.
:mod:`riskkit.own` finds those of other packages and keeps those that a program registers.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import typing
from collections.abc import Mapping
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, fields
from functools import cache
from types import ModuleType
from typing import Any

from riskkit import own
from riskkit.errors import ParameterError, PluginError, nearest
from riskkit.parameters import Option
from riskkit.phrases import phrase

ROOMS = (
    "generators", "targets", "attacks", "released", "inference", "explained", "inverters", "defences", "utility",
    "profiles",
)  # fmt: skip
BAR = "|"
"""What stands between the steps of a chain of anonymisers."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]', re.DOTALL)
"""A text in quotes, or one letter outside them."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One parameter of a plug-in or a plan, as forms, help texts and the command line need it.

    ``low`` and ``high`` belong to its range, ``above`` and ``below`` do not. ``words`` say in English what a choice is,
    by its code. ``room`` is that of the plug-ins it names; ``option`` is how the command line writes it.
    """

    name: str
    type: type
    default: Any
    label: str
    help: str
    low: float | None
    high: float | None
    above: float | None
    below: float | None
    choices: tuple[Any, ...] | None
    words: Mapping[Any, str]
    unit: str
    room: str
    option: Option
    names_columns: bool
    names_files: bool

    @property
    def is_list(self) -> bool:
        """Whether it has several values."""
        return typing.get_origin(self.type) is tuple


@cache
def plugins(room: str) -> Mapping[str, type[Any]]:
    """All plug-ins of a room by name, sorted.

    Raises
    ------
    PluginError
        A file does not import, has no ``PLUGIN``, or two files share a name.
    """
    if room not in ROOMS:
        raise PluginError(
            f"There is no room {room!r} of plug-ins{nearest(room, ROOMS)}; the rooms are {', '.join(ROOMS)}."
        )
    package = importlib.import_module(f"riskkit.{room}")
    kinds: dict[str, type[Any]] = {}
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("_") or info.ispkg:  # what plug-ins share
            continue
        where = f"riskkit/{room}/{info.name}.py"
        try:
            variants = _variants(importlib.import_module(f"{package.__name__}.{info.name}"), room, where)
        except (PluginError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise PluginError(f"{where} does not load: {type(error).__name__}.") from error
        for plugin in variants:
            if plugin.name in kinds:
                raise PluginError(f"{where}: the name {plugin.name!r} is taken by another file of the room.")
            kinds[plugin.name] = plugin
    for plugin, where in own.installed_plugins(room):
        if plugin.name in kinds:
            raise PluginError(f"{where}: the name {plugin.name!r} is taken by another plug-in of {room}.")
        kinds[plugin.name] = plugin
    return dict(sorted({**kinds, **own.registered_plugins(room)}.items()))


def register(room: str, plugin: type[Any] | None = None) -> Any:
    """Make a class of yours a plug-in of a room: by its name it can be used wherever plug-ins of the room can.

    ``register("attacks", Mine)``, or ``@register("attacks")`` above the class. It is known to this process and to the
    helper processes it starts; a package makes its plug-ins known to all by entry points (:mod:`riskkit.own`). A class
    of the same qualified name that was registered before is replaced, as it is where a cell of a notebook is run again.

    Raises
    ------
    PluginError
        There is no such room, the class is no plug-in, or its name is taken.
    """
    if plugin is None:
        return lambda made: register(room, made)
    known = plugins(room)
    where = f"{getattr(plugin, '__module__', '')}.{getattr(plugin, '__qualname__', plugin)}"
    checked = own.check_plugin(room, plugin, where)
    taken = known.get(checked.name)
    if taken is not None and taken is not checked and not _is_again(room, taken, checked):
        raise PluginError(f"{where}: the name {checked.name!r} is taken by another plug-in of {room}.")
    if taken is not checked:
        own.keep(room, checked)
        plugins.cache_clear()
    return checked


def _is_again(room: str, taken: type[Any], plugin: type[Any]) -> bool:
    """Whether a class that was registered was defined again."""
    same = (taken.__module__, taken.__qualname__) == (plugin.__module__, plugin.__qualname__)
    return same and own.registered_plugins(room).get(taken.name) is taken


def adopt(parcel: own.Parcel) -> None:
    """Register here what another process had registered there."""
    if own.adopt(parcel):
        plugins.cache_clear()


def spelling(room: str, plugin: Any) -> str:
    """The plug-in as plans keep it: of a text what it means, of an object or a class, which is registered, its name.

    Raises
    ------
    ParameterError, PluginError
        There is no such plug-in, or an object cannot be written as text and read back.
    """
    if isinstance(plugin, str):
        return spell(parse(room, plugin))
    made = plugin() if isinstance(plugin, type) else plugin
    if not chain_parts(made):
        register(room, type(made))
    text = spell(made)
    if parse(room, text) != made:
        raise ParameterError.phrase(
            "{type} cannot be written as {text!r} and read back; give it fields of the types bool, int, "
            "float, str or tuples of these, each with a default.",
            type=type(made).__name__,
            text=text,
        )
    return text


def _variants(module: ModuleType, room: str, where: str) -> tuple[type[Any], ...]:
    """The plug-in of a file that was imported, or its variants; :class:`PluginError` where one is none."""
    variants = own.variants(module)
    if not variants:
        raise PluginError(f"{where} has no PLUGIN = TheClass at its end.")
    return tuple(own.check_plugin(room, plugin, where) for plugin in variants)


def types(plugin: type[Any]) -> dict[str, Any]:
    """The types of a class's fields, by name; nobody may change what is returned."""
    return own.hints(plugin)


def settings(plugin: type[Any]) -> tuple[Setting, ...]:
    """The parameters of a plug-in class, in the order of its fields."""
    hints = own.hints(plugin)
    return tuple(
        Setting(
            name=spec.name,
            type=hints[spec.name],
            default=None if spec.default is NO_DEFAULT else spec.default,
            label=spec.metadata.get("label", spec.name),
            help=spec.metadata.get("help", ""),
            low=spec.metadata.get("low"),
            high=spec.metadata.get("high"),
            above=spec.metadata.get("above"),
            below=spec.metadata.get("below"),
            choices=None if (offered := _choices(spec.metadata.get("choices"))) is None else tuple(offered),
            words=offered if isinstance(offered, Mapping) else spec.metadata.get("words", {}),
            unit=spec.metadata.get("unit", ""),
            room=spec.metadata.get("room", ""),
            option=spec.metadata.get("option", Option()),
            names_columns=spec.metadata.get("names_columns", False),
            names_files=spec.metadata.get("names_files", False),
        )
        for spec in fields(plugin)
    )


def _choices(choices: Any) -> Any:
    """What may be chosen, a mapping where it has words; asked for where it depends on how riskkit was started."""
    return choices() if callable(choices) else choices


def make(room: str, name: str, **parameters: Any) -> Any:
    """The plug-in of that name with these parameters.

    Raises
    ------
    ParameterError
        No such plug-in or parameter, or a value outside its range; says what there is.
    """
    kinds = plugins(room)
    if name not in kinds:
        raise ParameterError.phrase(
            "There is no {name!r} in {room}{near}; choose one of {there}.",
            name=name,
            room=room,
            near=nearest(name, kinds),
            there=tuple(kinds),
        )
    known = [setting.name for setting in settings(kinds[name])]
    for parameter in parameters:
        if parameter not in known:
            has = phrase("its parameters are {known}", known=tuple(known)) if known else phrase("it has no parameters")
            raise ParameterError.phrase(
                "{name} has no parameter {parameter!r}{near}; {has}.",
                name=name,
                parameter=parameter,
                near=nearest(parameter, known),
                has=has,
            )
    return kinds[name](**parameters)


def chain_parts(plugin: Any) -> tuple[Any, ...]:
    """The anonymisers of a chain, in order; of anything else nothing, whatever its settings are called."""
    made = getattr(plugin, "steps", ())
    return made if isinstance(made, tuple) and all(hasattr(step, "name") for step in made) else ()


def check_ready(plugin: Any) -> None:
    """Let a plug-in, or every step of a chain, refuse what it cannot do here, before hours of work and not after.

    Raises
    ------
    ParameterError
        It has not what it needs: a library, or the leave to run programs.
    """
    for step in chain_parts(plugin) or (plugin,):
        getattr(step, "check_ready", lambda: None)()


def parse(room: str, text: str) -> Any:
    """The plug-in, or in generators the chain of anonymisers, that is written so.

    A plug-in is ``name`` or ``name:field=value,field=value`` (lists as ``1+2+3``); a chain is anonymisers with bars
    between them, ``rounding:base=10|noise``. A value that holds a comma, a bar or a quote, or has spaces at its ends,
    stands in double quotes, in which a quote and a backslash have a backslash before them:
    ``external:command="mine {train} {n} {out} \\"a,b\\"",timeout=60``.

    Raises
    ------
    ParameterError
        The text cannot be read, or what it says does not exist, is out of range or cannot be chained.
    """
    parts = steps(text) if room == "generators" else (text,)
    if len(parts) == 1:
        return _parse_one(room, text)
    made = tuple(_parse_one(room, part.strip()) for part in parts)
    return importlib.import_module(f"riskkit.{room}.engines.anonymise").Chain(made)


def steps(text: str) -> tuple[str, ...]:
    """The steps of a spelled chain, each spelled; the text alone where it is no chain."""
    return tuple(_split(text, BAR))


def _split(text: str, separator: str) -> list[str]:
    """The text between separators that are in no quotes."""
    if '"' not in text:
        return text.split(separator)
    tokens = _TOKEN.findall(text)
    if sum(map(len, tokens)) < len(text):
        raise ParameterError.phrase("{text!r}: a double quote is opened and never closed.", text=text)
    parts = [""]
    for token in tokens:
        if token == separator:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _parse_one(room: str, text: str) -> Any:
    """The plug-in written as ``name`` or ``name:field=value,field=value`` (lists as ``1+2+3``).

    Raises
    ------
    ParameterError
        The text cannot be read, or what it says does not exist or is out of range.
    """
    name, _, rest = (part.strip() for part in text.partition(":"))
    parameters: dict[str, Any] = {}
    plugin = plugins(room).get(name)
    types = {setting.name: setting.type for setting in settings(plugin)} if plugin else {}
    for part in filter(None, _split(rest, ",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise ParameterError.phrase("{text!r}: write parameters as name:field=value,field=value.", text=text)
        if key.strip() in parameters:
            raise ParameterError.phrase("{text!r}: {key} is given twice; give it once.", text=text, key=key.strip())
        parameters[key.strip()] = _as_type(types.get(key.strip(), str), _unquote(value.strip()), text)
    return make(room, name, **parameters)


def spell(plugin: Any, *, files: bool = True) -> str:
    """The text that :func:`parse` reads back: the name and every parameter that is not at its default.

    Without ``files`` it lacks what names files: it is then what the plug-in is called wherever they lie.
    """
    if steps_of_chain := chain_parts(plugin):
        return BAR.join(spell(step, files=files) for step in steps_of_chain)
    parts = []
    for setting in settings(type(plugin)):
        value = getattr(plugin, setting.name)
        if value != setting.default and (files or not setting.names_files):
            written = "+".join(map(str, value)) if isinstance(value, tuple) else str(value)
            parts.append(f"{setting.name}={_quote(written)}")
    return str(plugin.name) + (f":{','.join(parts)}" if parts else "")


def _quote(value: str) -> str:
    """The value as it is, in quotes where it could be taken for more than one value or would lose its ends."""
    if value == value.strip() and not set(value) & {",", BAR, '"'}:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquote(value: str) -> str:
    """What :func:`_quote` was given."""
    if len(value) > 1 and value[0] == value[-1] == '"' and _TOKEN.fullmatch(value):
        return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
    return value


def _as_type(kind: Any, value: str, text: str) -> Any:
    """``value`` as the type of the field; a sentence where it is not one."""
    try:
        if kind is bool:
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
        if kind in (int, float):
            return kind(value)
        if typing.get_origin(kind) is tuple:
            return tuple(typing.get_args(kind)[0](part) for part in value.split("+") if part)
        return value
    except (KeyError, ValueError) as error:
        wanted = getattr(kind, "__name__", str(kind))
        raise ParameterError.phrase(
            "{text!r}: {value!r} is not a value of type {wanted}.", text=text, value=value, wanted=wanted
        ) from error


def ours(name: str) -> Any:
    """The type at ``module:name`` of riskkit, for results that were kept and are read again.

    Raises
    ------
    PluginError
        It is not riskkit's, or no longer there.
    """
    module, _, qualname = name.partition(":")
    try:
        resolved = getattr(importlib.import_module(module), qualname) if module.startswith("riskkit.") else None
    except (ImportError, AttributeError):
        resolved = None
    if not isinstance(resolved, type) or resolved.__module__ != module:
        raise PluginError(f"A kept result is of the type {name!r}, which this version of riskkit does not have.")
    return resolved
