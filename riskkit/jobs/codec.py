"""Results of units of work as bytes and back, to the last bit, without running anything that the bytes name.

A value becomes a JSON header followed by the bytes of its arrays. What may be kept: None, truth values, numbers, texts,
lists, tuples, dictionaries, phrases, numpy arrays and scalars without objects, random generators where they stand, and
the dataclasses, named tuples and enumerations of riskkit. Schemas are written once and named by their hash after that:
every table of a run has the same.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np

from riskkit import registry
from riskkit.core import Schema
from riskkit.phrases import Phrase
from riskkit.seeds import resume

KINDS = "biufcSUMmV"
"""Kinds of numpy numbers, texts and times whose bytes say all."""
MOVED: Mapping[str, str] = {
    "riskkit.questions.contest.played:PlayedRelease": "riskkit.questions.contest.result:PlayedRelease",
    "riskkit.questions.contest.played:Useful": "riskkit.questions.contest.result:Useful",
    "riskkit.questions.blind:BlindGuess": "riskkit.questions.compared:BlindGuess",
    "riskkit.questions.explanations.units:PlayedUnit": "riskkit.questions.explanations.result:PlayedUnit",
    "riskkit.questions.keys.coarser:Coarser": "riskkit.questions.keys.classes:Coarser",
    "riskkit.questions.keys.replicated:AttributeShares": "riskkit.questions.keys.replication:AttributeShares",
    "riskkit.questions.keys.replicated:IdentityShares": "riskkit.questions.keys.replication:IdentityShares",
    "riskkit.stats.joint:Joint": "riskkit.stats.permutation:Joint",
    "riskkit.questions.attributes.for_whom:Right": "riskkit.questions.attributes.outcome:Right",
}
"""Types that stand elsewhere than when results of them were first kept: the name they are kept under, where they are.

A type is kept under the ``module:name`` it had first. One that is moved or renamed gets a line here, so that what was
kept reads as before, and the bytes of what is kept stay.
"""
STREAMS = "PCG64"
"""What every stream of riskkit draws by."""
LARGE = 16 << 10
"""Bytes from which on a payload is compressed; small ones would gain nothing."""
Share = Callable[[Schema], str]
"""Keeps a schema that several values share, and returns its name."""
Find = Callable[[str], Schema]
"""The schema of that name."""


class NotKept(TypeError):
    """A value of a kind that cannot be written so that it can be read again."""


def encode(value: Any, share: Share | None = None) -> bytes:
    """The value as bytes.

    Raises
    ------
    NotKept
        It holds something else than the kinds above.
    """
    writer = _Writer(share)
    header = json.dumps(writer.node(value), separators=(",", ":")).encode("ascii")
    plain = b"".join([struct.pack("<Q", len(header)), header, *writer.arrays])
    return b"z" + zlib.compress(plain, 1) if len(plain) > LARGE else b"p" + plain


def decode(encoded: bytes, find: Find | None = None) -> Any:
    """The value that :func:`encode` was given. ``encoded`` must be what it returned: check a hash before."""
    plain = zlib.decompress(encoded[1:]) if encoded[:1] == b"z" else encoded[1:]
    (length,) = struct.unpack_from("<Q", plain)
    return _Reader(plain, 8 + length, find).value(json.loads(plain[8 : 8 + length]))


class _Writer:
    def __init__(self, share: Share | None) -> None:
        self.share, self.arrays = share, list[bytes]()

    def node(self, value: Any) -> Any:
        """The JSON that stands for the value; its arrays are put aside."""
        if isinstance(value, Enum):
            return ["e", _name(type(value)), value.name]
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is Phrase:  # its English words: a result has the same bytes in every language
            return ["w", list(value.forms), self.node(value.values)]
        if type(value) is float:
            return ["f", struct.pack("<d", value).hex()]
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            _check(value.dtype)
            return ["s", value.dtype.str, value.tobytes().hex()]
        if type(value) in (list, tuple):
            return ["l" if type(value) is list else "t", *map(self.node, value)]
        if type(value) is dict:
            return ["m", *([self.node(key), self.node(each)] for key, each in value.items())]
        if self.share is not None and type(value) is Schema:
            return ["p", self.share(value)]
        if type(value) is np.random.Generator and value.bit_generator.state["bit_generator"] == STREAMS:
            return ["g", self.node(dict(value.bit_generator.state))]
        if (names := _made_from(value)) is not None:
            return ["d", _name(type(value)), *([name, self.node(getattr(value, name))] for name in names)]
        raise NotKept(f"A result holds a {type(value).__name__}, which cannot be kept.")

    def _array(self, array: np.ndarray[Any, Any]) -> Any:
        _check(array.dtype)
        order: Literal["C", "F"] = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        self.arrays.append(array.tobytes(order=order))
        return ["a", array.dtype.str, list(array.shape), order]


class _Reader:
    def __init__(self, plain: bytes, position: int, find: Find | None) -> None:
        self.plain, self.at, self.find = plain, position, find

    def value(self, node: Any) -> Any:
        """The value that this JSON stands for; arrays are read in the order they were written."""
        if not isinstance(node, list):
            return node
        tag, *rest = node
        if tag == "l":
            return [self.value(each) for each in rest]
        if tag == "t":
            return tuple(self.value(each) for each in rest)
        if tag == "m":
            return {self.value(key): self.value(each) for key, each in rest}
        return getattr(self, f"_{tag}")(*rest)

    def _f(self, bits: str) -> float:
        value: float = struct.unpack("<d", bytes.fromhex(bits))[0]
        return value

    def _s(self, dtype: str, bits: str) -> np.generic:
        scalar: np.generic = np.frombuffer(bytes.fromhex(bits), dtype=dtype)[0]
        return scalar

    def _a(self, dtype: str, shape: list[int], order: str) -> np.ndarray[Any, Any]:
        kind = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        flat = np.frombuffer(self.plain, dtype=kind, count=count, offset=self.at)
        self.at += count * kind.itemsize
        return flat.copy().reshape(shape, order="F" if order == "F" else "C")

    def _e(self, name: str, member: str) -> Enum:
        enum: Enum = registry.ours(MOVED.get(name, name))[member]
        return enum

    def _d(self, name: str, *kept: list[Any]) -> Any:
        return registry.ours(MOVED.get(name, name))(**{field: self.value(each) for field, each in kept})

    def _g(self, state: Any) -> np.random.Generator:
        return resume(self.value(state))

    def _w(self, forms: list[str], values: Any) -> Phrase:
        return Phrase(forms, self.value(values))

    def _p(self, name: str) -> Schema:
        assert self.find is not None
        return self.find(name)


def _check(dtype: np.dtype[Any]) -> None:
    if dtype.hasobject or dtype.kind not in KINDS or dtype.names is not None:
        raise NotKept(f"A result holds an array of {dtype}, which cannot be kept.")


@cache
def _init_fields(kind: type[Any]) -> tuple[str, ...]:
    """The fields that a value of that type is made from, in order."""
    return tuple(spec.name for spec in fields(kind) if spec.init)


@cache
def _derive(kind: type[Any]) -> frozenset[str]:
    """What its fields say already: figures that are worked out when they are first wanted, and those of a schema."""
    late = {name for each in kind.__mro__ for name, value in vars(each).items() if type(value) is cached_property}
    return frozenset(late | ({spec.name for spec in fields(kind)} if kind is Schema else set()))


def _check_whole(value: Any) -> None:
    """Refuse what would come back poorer: a value that holds more than what it is made from."""
    kind: Any = type(value)
    held = {spec.name for spec in fields(kind)} | getattr(value, "__dict__", {}).keys()
    if held.difference(_init_fields(kind), _derive(kind)):
        raise NotKept(f"A result holds a {kind.__name__} with more in it than it is made from, which cannot be kept.")


def _made_from(value: Any) -> tuple[str, ...] | None:
    """The fields that a value is made from; None of what is neither a dataclass nor a named tuple."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    if not is_dataclass(value) or isinstance(value, type):
        return None
    _check_whole(value)
    return _init_fields(type(value))


def _name(kind: type[Any]) -> str:
    """The name that a type of riskkit is kept under, by which it is found again."""
    if not kind.__module__.startswith("riskkit.") or kind is not getattr(
        sys.modules[kind.__module__], kind.__qualname__, None
    ):
        raise NotKept(f"A result holds a {kind.__name__}, which is no type of riskkit.")
    place = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, now in MOVED.items() if now == place), place)


def sha(*parts: bytes | memoryview) -> bytes:
    """The SHA-256 of these bytes, each with its length, so that none runs into the next."""
    made = hashlib.sha256()
    for each in parts:
        made.update(struct.pack("<Q", len(each)))
        made.update(each)
    return made.digest()


def seal(run: str, *parts: bytes | memoryview) -> bytes:
    """The hash that is kept beside these bytes of the run of that id: beside those of another run it is wrong.

    The id is the hash of plan, data and version. What a run was asked for is sealed by itself, its result together with
    what it was asked for.
    """
    return sha(b"run", run.encode(), *parts)
