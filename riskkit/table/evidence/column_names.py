"""Which column of a file is which of the real one: by its name, by what the steward says, and by its values.

Names that differ in case, in spaces or in the signs between their words are one name, where no other column could be
meant. What else a column is called the steward says; a column that is plainly the same by its values is proposed.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Floats
from riskkit.errors import Gravity, InputError, Problem, SchemaError
from riskkit.phrases import Value, counted_phrase, phrase
from riskkit.table.forms import fold_name, tidy
from riskkit.table.kinds.choice import ColumnChoice, weight_columns
from riskkit.table.kinds.labels import labels_of, with_labels
from riskkit.table.kinds.recoding import is_whole
from riskkit.table.text import TextTable

NOTHING: Mapping[str, ColumnChoice] = {}
_BETWEEN = re.compile(r"(?<=\d)[\s_.\-]+(?=\d)")
_SIGNS = re.compile(r"[\s_.\-]+")
_COLUMNS = 30
"""Columns of each file that are compared by their values, at most."""
_ROWS = 20_000
"""Rows by which two columns are compared, evenly spaced over the file."""
_ALIKE, _MARGIN, _NAME = 0.8, 0.1, 0.2
"""How alike the values of one column are, how much more than those of any other, and what a like name adds to it."""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """The columns of the real file that another one lacks, and its own that the real one has not.

    ``likely`` has, by name of a real column, the one of the other file that it likely is.
    """

    lacking: tuple[str, ...]
    extra: tuple[str, ...]
    likely: Mapping[str, str]


def name_columns(files: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice] = NOTHING) -> dict[str, TextTable]:
    """The files with every column called as in the real one; what was renamed is said with the problems of each.

    Raises
    ------
    SchemaError
        A column that the steward says is another one is not in the file, or would be two.
    """
    real = files["real"]
    return {
        slot: file if file is real else _name_file(real, file, _steward_names(slot, choices))
        for slot, file in files.items()
    }


def unmatched_columns(
    real: TextTable, other: TextTable, slot: str, choices: Mapping[str, ColumnChoice] = NOTHING
) -> Unmatched:
    """What is left of both files once columns are called alike, but for what the steward says the other has not."""
    absent = {name for name, own in _steward_names(slot, choices).items() if not own} | set(weight_columns(choices))
    there = set(other.columns)
    lacking = tuple(name for name in real.columns if name not in there and name not in absent)
    here = set(real.columns)
    extra = tuple(name for name in other.columns if name not in here)
    return Unmatched(lacking, extra, _likely(real, other, lacking, extra) if lacking and extra else {})


def _steward_names(slot: str, choices: Mapping[str, ColumnChoice]) -> dict[str, str]:
    """What the steward says that real columns are called in the file of that slot; empty where it has none."""
    return {name: dict(choice.called)[slot] for name, choice in choices.items() if slot in dict(choice.called)}


def _name_file(real: TextTable, file: TextTable, by_steward: Mapping[str, str]) -> TextTable:
    """One file with its columns called as in the real one."""
    by_hand = _by_hand(real, file, by_steward)
    by_name = _by_name(
        [name for name in real.columns if name not in file.columns and name not in by_steward],
        [name for name in file.columns if name not in real.columns and name not in by_hand],
        (real.columns, file.columns),
    )
    problems = [
        *_renaming_problems(real, file, by_name, "names_matched"),
        *_renaming_problems(real, file, by_hand, "names_said"),
    ]
    return _with_names(file, {**by_name, **by_hand}, problems)


def with_key(key: str, real: TextTable, file: TextTable) -> TextTable:
    """The file with its column of the key called as in the ``real`` one, where its name differs in form alone."""
    if key in file.columns:
        return file
    names = _by_name([key], file.columns, ((key,), file.columns))
    return _with_names(file, names, _renaming_problems(real, file, names, "names_matched"))


def _with_names(file: TextTable, names: Mapping[str, str], problems: Iterable[Problem]) -> TextTable:
    """The file with these of its columns called otherwise, and what is said of it."""
    if not names:
        return file
    new = [names.get(name, name) for name in file.columns]
    labels = {names.get(name, name): own for name, own in labels_of(file).items()}
    data = file.data.rename_columns(new).replace_schema_metadata(file.data.schema.metadata)
    return with_labels(replace(file, data=data, problems=(*file.problems, *problems)), labels)


def _by_hand(real: TextTable, file: TextTable, by_steward: Mapping[str, str]) -> dict[str, str]:
    """The columns of a file that the steward names, each with the real name; refused where that cannot be."""
    out: dict[str, str] = {}
    for name, own in ((name, tidy(own)) for name, own in by_steward.items()):
        if not own or name not in real.columns or (own not in file.columns and name in file.columns):
            continue  # nothing is asked of it, or it is called so already
        if own not in file.columns:
            what = phrase("You say that {own!r} is this column, and the file has no such column.", own=own)
            raise SchemaError.of("no_such_name", what, _correct(), file=file.name, column=name)
        if own in out or (name in file.columns and name != own and name not in map(tidy, by_steward.values())):
            what = phrase("You say that {own!r} is this column, and another column is it too.", own=own)
            raise SchemaError.of("named_twice", what, _correct(), file=file.name, column=name)
        out[own] = name
    return {own: name for own, name in out.items() if own != name}


def _correct() -> str:
    return phrase("Correct which column is which on the page Data, or in the file of --columns.")


def _by_name(
    lacking: Sequence[str], extra: Sequence[str], every: tuple[Sequence[str], Sequence[str]]
) -> dict[str, str]:
    """Own names with the real ones that are the same but for their form; none that could be two columns."""
    out: dict[str, str] = {}
    for form in (fold_name, _words):
        times = [Counter(map(form, names)) for names in every]
        own = {form(name): name for name in extra if name not in out}
        for name in lacking:
            key = form(name)
            if key and key in own and name not in out.values() and all(count[key] == 1 for count in times):
                out[own[key]] = name
    return out


def _words(name: str) -> str:
    """The letters and digits of a name; a sign between two digits stays one, for 1.1 is not 11."""
    return _SIGNS.sub("", _BETWEEN.sub("~", fold_name(name)))


def _renaming_problems(real: TextTable, file: TextTable, names: Mapping[str, str], code: str) -> list[Problem]:
    """What is said of columns that are called otherwise than in the real file."""
    if not names:
        return []
    cells = _among_cells([*names, *names.values()], (real, file))
    examples = _some(
        [f"{own!r} = {name!r}" for own, name in names.items() if own not in cells and name not in cells], len(names)
    )
    what = counted_phrase(
        len(names),
        "{n:,} column has a name that is written in another way than in {file} ({names}); it was read as that column.",
        "{n:,} columns have names that are written in another way than in {file} ({names}); they were read as those "
        "columns.",
        file=real.name,
        names=examples,
    )
    if code == "names_said":
        what = counted_phrase(
            len(names),
            "{n:,} column is called otherwise than in {file}, as the steward says ({names}).",
            "{n:,} columns are called otherwise than in {file}, as the steward says ({names}).",
            file=real.name,
            names=examples,
        )
    return [Problem(Gravity.REPAIR, code, what, "", file.name, count=len(names))]


def align(texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice] = NOTHING) -> list[Problem]:
    """See that the other files have the columns of the real one; their order does not matter.

    A release may have fewer columns than the real file, if it has no other ones or the steward says that it lacks them:
    somebody left them out of it.

    Raises
    ------
    SchemaError
        A column of the real file is missing in another; names what both sides lack, where they have a name in common.
    """
    problems: list[Problem] = []
    real = texts["real"]
    for slot, other in texts.items():
        left = unmatched_columns(real, other, slot, choices)
        gone = [name for name in real.columns if name not in other.columns and name not in weight_columns(choices)]
        is_fewer = slot != "holdout" and len(gone) < len(real.columns)
        if left.lacking and (left.extra or not is_fewer):
            raise _missing(real, other, slot, left)
        if gone and not is_fewer:
            raise _missing(real, other, slot, replace(left, lacking=tuple(gone)))
        if gone:
            problems.append(_fewer(real, other, gone))
        for name in left.extra:
            what = phrase("The column is not in the real file; it was left out.")
            do = phrase("Drop it from the release, or add it to the real file: what it reveals is not audited.")
            problems.append(Problem(Gravity.QUESTION, "extra_column", what, do, other.name, name))
    return problems


def _fewer(real: TextTable, release: TextTable, lacking: list[str]) -> Problem:
    """What is said of a release without some of the columns: nothing is asked about them."""
    names = _names(lacking, _among_cells(lacking, (real, release)))
    what = counted_phrase(
        len(lacking),
        "It has fewer columns than {file}: {n:,} is not in it ({names}). It was left out of every question.",
        "It has fewer columns than {file}: {n:,} are not in it ({names}). They were left out of every question.",
        file=real.name,
        names=names,
    )
    do = counted_phrase(
        len(lacking),
        "Will it be published too? Then load a file that has it.",
        "Will they be published too? Then load a file that has them.",
    )
    return Problem(Gravity.QUESTION, "fewer_columns", what, do, release.name, count=len(lacking))


def _missing(real: TextTable, other: TextTable, slot: str, left: Unmatched) -> InputError:
    """The error for columns that one side lacks; proposes which of the others they are."""
    lacking, extra = list(left.lacking), list(left.extra)
    if len(lacking) == len(real.columns):
        # one of the first lines may be a record, so none of what stands there may be told
        what = phrase(
            "No column has a name that a column of {file} has; the first line of one file may be a record.",
            file=real.name,
        )
        do = phrase(
            "Say what the first line holds, give both files the same line of names, or say on the page Data which "
            "column is which."
        )
        return SchemaError.of("no_common_names", what, do, file=other.name, line=1, count=len(lacking))
    cells = _among_cells([*lacking, *extra], (real, other))
    likely = {name: own for name, own in left.likely.items() if name not in cells and own not in cells}
    what = counted_phrase(
        len(lacking),
        "{n:,} column of {file} is missing here ({names}).",
        "{n:,} columns of {file} are missing here ({names}).",
        file=real.name,
        names=_names(lacking, cells),
    )
    do = phrase("Load files with the same columns.")
    if extra:
        what = counted_phrase(
            len(lacking),
            "{n:,} column of {file} is missing here ({names}), and {more:,} here are not in {file} ({others}).",
            "{n:,} columns of {file} are missing here ({names}), and {more:,} here are not in {file} ({others}).",
            file=real.name,
            names=_names(lacking, cells),
            more=len(extra),
            others=_names(extra, cells),
        )
        do = phrase(
            "Say which column is which, on the page Data or in the file of --columns: {form}. The name of a column "
            'that this file does not have is "".',
            form=_form(likely, slot),
        )
    if likely:
        what = phrase(
            "{what} By its values, {own!r} seems to be {name!r}.",
            what=what,
            own=next(iter(likely.values())),
            name=next(iter(likely)),
        )
    column = next((name for name in lacking if name not in cells), "")
    return SchemaError.of("missing_column", what, do, file=other.name, column=column, count=len(lacking))


def _form(likely: Mapping[str, str], slot: str) -> str:
    """What the file of --columns says of it, for the columns that are likely the same, or for any."""
    form = {name: {"called": {slot: own}} for name, own in list(likely.items())[:5]}
    return json.dumps(form or {"COLUMN": {"called": {slot: "ITS NAME THERE"}}}, ensure_ascii=False)


def _among_cells(names: list[str], texts: tuple[TextTable, ...]) -> set[str]:
    """The names that stand among the cells too: where a line of names is spoilt, they may be cells themselves."""
    wanted = pa.array(names, pa.string())
    columns = (text.column(name) for text in texts for name in text.columns)
    return {cell for column in columns for cell in pc.unique(column.filter(pc.is_in(column, wanted))).to_pylist()}


def _names(names: list[str], cells: set[str], most: int = 5) -> Value:
    """Some of the names, and how many more there are; none that may be a cell."""
    return _some([repr(name) for name in names if name not in cells], len(names), most)


def _some(names: Iterable[str], every: int, most: int = 5) -> Value:
    """Some of these, and how many more there are."""
    some = tuple(names)[:most]
    more = every - len(some)
    if not some:
        return phrase("{more:,} more", more=more)
    return phrase("{names} and {more:,} more", names=some, more=more) if more else some


# --------------------------------------------------------------------------------------------------------------
# Columns that are the same by their values


def _likely(real: TextTable, other: TextTable, lacking: Sequence[str], extra: Sequence[str]) -> dict[str, str]:
    """The real columns that one column of the other file, and no second one, is plainly like."""
    here = {name: _values(real, name) for name in lacking[:_COLUMNS]}
    there = {name: _values(other, name) for name in extra[:_COLUMNS]}
    pairs = {(name, own): _alike(here[name], there[own]) for name in here for own in there}
    near = {
        pair: value + _NAME * difflib.SequenceMatcher(None, _words(pair[0]), _words(pair[1])).ratio()
        for pair, value in pairs.items()
    }
    out = {}
    for (name, own), value in pairs.items():
        beside = [near[pair] for pair in pairs if pair != (name, own) and (pair[0] == name or pair[1] == own)]
        if value >= _ALIKE and near[name, own] >= max(beside, default=0.0) + _MARGIN:
            out[name] = own
    return out


def _values(table: TextTable, name: str) -> Floats | dict[str, float]:
    """The known numbers of a column, ascending; of one that holds other texts the share of each of them."""
    step = max(table.rows // _ROWS, 1)
    numbers = table.plain(name)
    if numbers is not None:
        return np.sort(numbers[::step][~np.isnan(numbers[::step])])
    cells = table.column(name).take(pa.array(range(0, table.rows, step), pa.int64())).to_pylist()
    return {text: count / len(cells) for text, count in Counter(map(fold_name, cells)).items()}


def _alike(first: Floats | dict[str, float], second: Floats | dict[str, float]) -> float:
    """How alike two columns are: 1 less the largest gap of their numbers, or the mass that their texts share."""
    if isinstance(first, dict) or isinstance(second, dict):
        if not (isinstance(first, dict) and isinstance(second, dict)):
            return 0.0
        return sum(min(share, second.get(text, 0.0)) for text, share in first.items())
    if not len(first) or not len(second) or is_whole(first) != is_whole(second):
        return 0.0
    points = np.concatenate((first, second))
    gaps = [np.searchsorted(own, points, side="right") / len(own) for own in (first, second)]
    return 1.0 - float(np.abs(gaps[0] - gaps[1]).max())
