"""Which cookies of a request count, where it brings several of one name.

A browser keeps cookies of one name apart by path and domain and sends them all; other programs of the same computer, or
a server beside this one, may have set some. Whoever reads a request as a mapping sees the last alone, so a wrong one
would shadow the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, cookie_parser
from starlette.types import Scope

MOST = 16
"""So many choices are tried: of right cookies there is one, or that of an earlier login beside it."""


def choose(
    scope: Scope, is_right: Callable[[str, str], bool | None], opens: Callable[[HTTPConnection], bool]
) -> HTTPConnection:
    """The request with one cookie of each name: those that open the door, whatever lies beside them.

    Parameters
    ----------
    is_right
        Whether a cookie of that name may have that value; None where nobody here knows.
    opens
        Whether a request comes in. Where no choice does, the request stays as it is.
    """
    asked = HTTPConnection(scope)
    brought: dict[str, list[str]] = {}
    for header in asked.headers.getlist("cookie"):
        for chunk in header.split(";"):
            for name in cookie_parser(chunk):
                brought.setdefault(name, []).append(chunk.strip())
    if all(len(chunks) == 1 for chunks in brought.values()):
        return asked
    candidates = [_right(name, chunks, is_right) for name, chunks in brought.items()]
    return next(filter(opens, islice(_requests(scope, candidates), MOST)), asked)


def _right(name: str, chunks: list[str], is_right: Callable[[str, str], bool | None]) -> list[str]:
    """The cookies of that name that may be right; the last where none is or nobody knows. The last come first."""
    right = [chunk for chunk in dict.fromkeys(reversed(chunks)) if is_right(name, cookie_parser(chunk)[name])]
    return right or chunks[-1:]


def _requests(scope: Scope, candidates: list[list[str]]) -> Iterator[HTTPConnection]:
    """The request with every choice of cookies."""
    rest = [(name, value) for name, value in scope["headers"] if name.lower() != b"cookie"]
    for chosen in product(*candidates):
        headers = Headers(raw=[*rest, (b"cookie", "; ".join(chosen).encode("latin-1"))])
        yield HTTPConnection({**scope, "headers": headers.raw})
