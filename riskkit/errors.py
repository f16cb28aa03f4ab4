"""What can go wrong, as values a person can act on.

::

    RiskkitError
    ├── InputError              a file that cannot be used as it is
    │   ├── FileError           no table at all, empty, too large
    │   │   └── SheetError      a workbook of several sheets, none of them chosen
    │   ├── EncodingError       bytes that are not the text they were said to be
    │   ├── LayoutError         header, delimiter, quotes, number of fields
    │   └── SchemaError         columns, kinds and values that do not fit together
    ├── DesignError             a question that cannot be answered as asked
    │   ├── WorkersGone         those that work for it were stopped from outside; it can go on
    │   ├── ProgramFailed       a program of somebody else did not start, ended early, or left no release
    │   ├── ParameterError      a setting outside its range, or of no such name
    │   │   └── MissingLibrary  a choice that needs a library that is not installed
    │   ├── TooFewTrainings     not enough independent trainings for an interval
    │   └── ScoreError          scores that decide nothing: constant labels, not a number
    ├── PluginError             a file in a plug-in folder that does not load
    ├── StoreError              the place where audits are kept cannot be used as it is
    │   ├── DiskFull            no room is left on its disk
    │   └── LeaseLost           another worker has taken the run over
    └── Cancelled               the user stopped it

Every message is a sentence for the person who loaded the file: which file, which column, which line,
what is wrong, what to do. None of them ever holds the value of a cell.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from riskkit.phrases import Value, as_plain, from_plain, phrase


def nearest(name: object, known: Iterable[object]) -> str:
    """`` (did you mean 'attacks'?)`` for a name that is not known, where one is like it; else nothing."""
    like = get_close_matches(str(name), list(map(str, known)), 1)
    return phrase(" (did you mean {like!r}?)", like=like[0]) if like else ""


class Gravity(StrEnum):
    """How much of the user's attention a problem needs."""

    ERROR = "error"
    """The file cannot be used until this is mended."""
    QUESTION = "question"
    """riskkit went on with a default that the user should confirm or change."""
    WARNING = "warning"
    """Nothing was changed, but results may mean something else than expected."""
    REPAIR = "repair"
    """riskkit changed how the file is read, and says so in every report."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing about a file that the user should know.

    ``line`` counts from 1 as a text editor does, the header included. ``count`` is how many cells,
    rows or columns are concerned. ``code`` is a stable short name for tests and translations.
    Nothing in it may be the value of a cell.
    """

    gravity: Gravity
    code: str
    what: str
    do: str
    file: str = ""
    column: str = ""
    line: int = 0
    count: int = 0

    def sentence(self) -> str:
        """The problem as the user reads it, as a phrase: where, what, what to do."""
        where: tuple[str, ...] = (self.file,) if self.file else ()
        where += (phrase("column {column!r}", column=self.column),) if self.column else ()
        where += (phrase("line {line:,}", line=self.line),) if self.line else ()
        if where and self.do:
            return phrase("{where}: {what} {do}", where=where, what=self.what, do=self.do)
        if where:
            return phrase("{where}: {what}", where=where, what=self.what)
        return phrase("{what} {do}", what=self.what, do=self.do) if self.do else self.what

    def as_dict(self) -> dict[str, Any]:
        """The problem as plain values, for JSON."""
        return {**asdict(self), "gravity": str(self.gravity), "sentence": str(self.sentence())}

    def plain(self) -> dict[str, Any]:
        """The same, and of what it is made, so that it can be said in another language when it is read again."""
        return {**self.as_dict(), "phrases": {"what": as_plain(self.what), "do": as_plain(self.do)}}

    @classmethod
    def from_plain(cls, stored: Mapping[str, Any]) -> Problem:
        """The problem that :meth:`plain` or :meth:`as_dict` wrote; of the latter in English alone."""
        own = {key: value for key, value in stored.items() if key not in ("sentence", "phrases")}
        own |= {
            key: made for key, plain in stored.get("phrases", {}).items() if (made := from_plain(plain)) == own.get(key)
        }
        return cls(**{**own, "gravity": Gravity(own["gravity"])})


class RiskkitError(Exception):
    """Anything riskkit raises on purpose. Its text may be shown to the user as it stands."""

    @classmethod
    def phrase(cls, english: str, /, **values: Value) -> Self:
        """The error with that text, which other languages can say too, and the values where it names them."""
        return cls(phrase(english, **values))


class InputError(RiskkitError):
    """A file that cannot be used as it is; carries the :class:`Problem` that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sentence())
        self.problem = problem

    def __reduce__(self) -> tuple[type[InputError], tuple[Any, ...]]:
        return type(self), (self.problem,)

    @classmethod
    def of(
        cls, code: str, what: str, do: str, *, file: str = "", column: str = "", line: int = 0, count: int = 0
    ) -> InputError:
        """Build the error from the parts of its problem."""
        return cls(Problem(Gravity.ERROR, code, what, do, file, column, line, count))


class FileError(InputError):
    """No table at all, empty, or over a limit."""


class SheetError(FileError):
    """A workbook of several sheets of which none was chosen; ``sheets`` are their names."""

    def __init__(self, problem: Problem, sheets: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.sheets = sheets

    def __reduce__(self) -> tuple[type[InputError], tuple[Any, ...]]:
        return type(self), (self.problem, self.sheets)

    @classmethod
    def among(cls, sheets: Sequence[str], code: str, what: str, *, file: str) -> SheetError:
        """Build the error; its sentence names the sheets."""
        names: Value = tuple(map(repr, sheets[:20]))
        if len(sheets) > 20:
            names = phrase("{names} and more", names=names)
        do = phrase(
            "Choose one of {names}: in the box of the page, or behind the file as {file}#SHEET.", names=names, file=file
        )
        return cls(Problem(Gravity.ERROR, code, what, do, file, count=len(sheets)), tuple(sheets))


class EncodingError(InputError):
    """Bytes that are not the text they were said to be."""


class LayoutError(InputError):
    """Header, delimiter, quotes or number of fields."""


class SchemaError(InputError):
    """Columns, kinds and values that do not fit together."""


class DesignError(RiskkitError):
    """A question that cannot be answered as asked."""


class WorkersGone(DesignError):
    """Those that work for a run were stopped from outside; the run can go on when they are there again."""


class ProgramFailed(DesignError):
    """A program of somebody else did not start, ended early, or left no release."""


class ParameterError(DesignError):
    """A setting outside its range, or of no such name."""


class MissingLibrary(ParameterError):
    """A choice that needs a library that is not installed; says what to install."""


class TooFewTrainings(DesignError):
    """Not enough independent trainings for an interval, so no number is given."""


class ScoreError(DesignError):
    """Scores that decide nothing: one label only, or not a number."""


class PluginError(RiskkitError):
    """A file in a plug-in folder that does not load; names the file."""


class StoreError(RiskkitError):
    """The place where audits are kept cannot be used as it is: damaged, of another version, out of reach."""


class DiskFull(StoreError):
    """No room is left on the disk where audits are kept."""


class LeaseLost(StoreError):
    """Another worker has taken the run over, so this one may not write to it any more."""


class Cancelled(RiskkitError):
    """The user stopped it."""


def message_of(error: RiskkitError) -> str:
    """What an error says: a phrase where its raiser gave one."""
    return error.args[0] if error.args and isinstance(error.args[0], str) else str(error)


_PLACE = "raised_at"


def describe_error(error: BaseException) -> str:
    """What is said of an error that is not ours: its kind and its place in the code. Its text may hold a cell."""
    where = vars(error).get(_PLACE) or place(error, 1)
    return phrase("an unexpected {kind} ({where})", kind=type(error).__name__, where=where)


def sentence_of(error: BaseException) -> str:
    """Why something ended, in a sentence without a cell: that of an error of ours, or what is said of any other."""
    if isinstance(error, RiskkitError):
        return message_of(error)
    return phrase("It stopped on {error}.", error=describe_error(error))


def keep_place(error: BaseException) -> None:
    """Write on the error where it was raised: it loses its traceback on the way from one process to another."""
    vars(error)[_PLACE] = place(error, 1)


def place(error: BaseException, lines: int) -> str:
    """The innermost lines of code that an error passed through, innermost first, without any text of them."""
    passed = [f"{Path(frame.f_code.co_filename).name}:{line}" for frame, line in traceback.walk_tb(error.__traceback__)]
    return " < ".join(reversed(passed[-lines:]))


def describe_exit(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return phrase("ended with exit status {status}", status=status)
    try:
        return phrase("was ended by the signal {name}", name=signal.Signals(-status).name)
    except ValueError:
        return phrase("was ended by signal {number}", number=-status)
