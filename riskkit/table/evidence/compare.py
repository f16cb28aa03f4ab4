"""What the files say of each other: copies, swaps, overlaps, the order of rows, what one side lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.base import stages
from riskkit.core import MISSING, Bools, Codes, Column, Floats, Ints, Kind, Role, Schema, Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import Value, counted_phrase, phrase
from riskkit.table.equal import count_repeated, count_shared, records
from riskkit.table.evidence.other_people import is_named_as_release
from riskkit.table.forms import plain, tidy
from riskkit.table.kinds.alike import identifier
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.judge import judge
from riskkit.table.text import TextTable

NAMES = {"real": phrase("real"), "synthetic": phrase("synthetic"), "holdout": phrase("holdout")}
"""What the file of a slot is called within a sentence."""
_MANY = 10_000
"""Rows of either file that are compared where the other is too short for an audit, at most."""
_NEARLY, _MOSTLY, _FEW = 0.9, 0.5, 20
"""The shares of times, and of texts that nobody reads, that must differ to be looked at, and how many there must be."""


def refuse_few_rows(texts: Mapping[str, TextTable], least: int) -> None:
    """Refuse tables of fewer rows than an audit needs.

    Raises
    ------
    SchemaError
        There is one.
    """
    for slot in ("real", "synthetic"):
        text = texts.get(slot)
        if text is not None and text.rows < least:
            needs: dict[str, Value] = {"least": least, "slot": NAMES[slot], "rows": text.rows}
            what = phrase("An audit needs at least {least:,} rows; the {slot} file has {rows:,}.", **needs)
            if copied := _count_copied(texts):
                what = counted_phrase(
                    copied,
                    "An audit needs at least {least:,} rows; the {slot} file has {rows:,}. {n:,} released row is a row "
                    "of the real file.",
                    "An audit needs at least {least:,} rows; the {slot} file has {rows:,}. {n:,} released rows are "
                    "rows of the real file.",
                    **needs,
                )
            raise SchemaError.of("too_few_rows", what, phrase("Load more rows."), file=text.name, count=text.rows)


def _count_copied(texts: Mapping[str, TextTable]) -> int:
    """How many released rows stand in the real file letter by letter, in the columns of both."""
    if "synthetic" not in texts:
        return 0
    real, release = texts["real"], texts["synthetic"]
    both = [name for name in real.columns if name in release.columns]
    people, rows = (
        list(zip(*(own.column(name).slice(0, _MANY).to_pylist() for name in both), strict=True))
        for own in (real, release)
    )
    known = set(people)
    return sum(row in known for row in rows)


def compare_texts(texts: Mapping[str, TextTable]) -> list[Problem]:
    """Files that are byte for byte the same."""
    problems = []
    slots = list(texts)
    for index, first in enumerate(slots):
        for second in slots[index + 1 :]:
            if texts[first].sha256 == texts[second].sha256:
                what = phrase(
                    "The {first} and the {second} file are identical (same SHA-256).",
                    first=NAMES[first],
                    second=NAMES[second],
                )
                do = phrase("Load the right file if one of them was chosen by mistake.")
                problems.append(Problem(Gravity.WARNING, "identical_files", what, do, texts[second].name))
    return problems


def compare_tables(tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    """What typed rows and columns of the files say of each other."""
    problems = [*_sizes(tables, texts), *_rows(tables, texts)]
    if "synthetic" in tables:
        for column in stages.parts(stages.last(), tables["real"].schema.modelled):
            problems += _column(column, tables, texts)
        problems += _shared_ids(tables["real"].schema, texts)
    return problems


def _sizes(tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    problems = []
    if "synthetic" in tables:
        real, synthetic = len(tables["real"]), len(tables["synthetic"])
        if not 0.2 <= synthetic / real <= 5:
            what = counted_phrase(
                synthetic,
                "It has {n:,} row, the real file {real:,}.",
                "It has {n:,} rows, the real file {real:,}.",
                real=real,
            )
            do = phrase("More released rows reveal more; say in the game how many rows will be released.")
            problems.append(
                Problem(Gravity.WARNING, "sizes_differ", what, do, texts["synthetic"].name, count=synthetic)
            )
    if len(tables["real"].schema.modelled) == 1:
        what = phrase("There is one column only; most attacks need several.")
        problems.append(Problem(Gravity.WARNING, "one_column", what, "", texts["real"].name, count=1))
    return problems


def _rows(tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    """Duplicates, copies and overlaps."""
    rows = dict(zip(tables, records(*tables.values()), strict=True))
    problems = []
    real = rows["real"]
    again = count_repeated(real)
    if again:
        what = counted_phrase(
            again, "{n:,} row is an exact duplicate of another row.", "{n:,} rows are exact duplicates of another row."
        )
        do = phrase("Who stands twice is protected as one only if both rows are his; check what a row stands for.")
        problems.append(Problem(Gravity.WARNING, "duplicate_rows", what, do, texts["real"].name, count=again))
    if "synthetic" in rows:
        problems += _copies(rows["synthetic"], real, texts)
        problems += _swapped_problems(tables, texts)
    if "holdout" in rows:
        again = count_repeated(rows["holdout"])
        if again:
            what = counted_phrase(
                again,
                "{n:,} of {rows:,} rows is an exact duplicate of another row.",
                "{n:,} of {rows:,} rows are exact duplicates of another row.",
                rows=len(rows["holdout"]),
            )
            do = phrase(
                "Equal rows count as one record wherever records are counted; check that nobody was loaded twice."
            )
            problems.append(Problem(Gravity.WARNING, "duplicate_holdout", what, do, texts["holdout"].name, count=again))
        both = count_shared(rows["holdout"], real)
        if both:
            what = counted_phrase(
                both,
                "{n:,} of {rows:,} rows is also in the real file.",
                "{n:,} of {rows:,} rows are also in the real file.",
                rows=len(rows["holdout"]),
            )
            do = phrase("The holdout must be people outside the real file; results that use it are blurred.")
            problems.append(Problem(Gravity.WARNING, "holdout_overlap", what, do, texts["holdout"].name, count=both))
    return problems


def _copies(synthetic: Ints, real: Ints, texts: Mapping[str, TextTable]) -> list[Problem]:
    """Released rows that are real rows, by their records."""
    copied = count_shared(synthetic, real)
    if not copied:
        return []
    people = count_shared(real, synthetic)
    what = counted_phrase(
        copied,
        "{n:,} of {rows:,} rows copies a real row exactly (real rows like it: {people:,}).",
        "{n:,} of {rows:,} rows copy {people:,} real rows exactly.",
        rows=len(synthetic),
        people=people,
    )
    do = phrase("Remove them: the page Audit says whether chance explains them.")
    return [Problem(Gravity.WARNING, "verbatim_copies", what, do, texts["synthetic"].name, count=copied)]


def _swapped_problems(tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    """A release in the slot of the real file: it has no value of its own, and the other file has."""
    if texts["real"].sha256 == texts["synthetic"].sha256:
        return []
    categories = tables["real"].schema.categorical
    only_real = sum(_unseen(category, tables, "real", "synthetic") for category in categories)
    only_synthetic = [_unseen(category, tables, "synthetic", "real") for category in categories]
    by_values = only_real == 0 and sum(only_synthetic) >= 3 and sum(map(bool, only_synthetic)) >= 2
    by_name = is_named_as_release(texts["real"].name) and not is_named_as_release(texts["synthetic"].name)
    if not (by_values or by_name):
        return []
    why = phrase("is named as a release") if by_name else phrase("lacks categories that the synthetic file has")
    what = phrase(
        "The file in the real slot {why}: the two may be swapped. The real slot has {real:,} rows, the synthetic slot "
        "{synthetic:,}.",
        why=why,
        real=len(tables["real"]),
        synthetic=len(tables["synthetic"]),
    )
    return [Problem(Gravity.QUESTION, "swapped", what, phrase("Swap them if so."), texts["real"].name)]


def _unseen(column: Column, tables: Mapping[str, Table], here: str, there: str) -> int:
    """How many levels of that category occur in one table and not in the other."""
    return len(np.setdiff1d(tables[here].column(column), tables[there].column(column)))


def _column(column: Column, tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    """One column of the synthetic table against that of the real one."""
    name, file = column.name, texts["synthetic"].name
    problems = []
    if column.kind is Kind.CATEGORICAL:
        lost, new = _unseen(column, tables, "real", "synthetic"), _unseen(column, tables, "synthetic", "real")
        if lost:
            what = counted_phrase(
                lost,
                "{n:,} category of the real file is not in the synthetic one.",
                "{n:,} categories of the real file are not in the synthetic one.",
            )
            problems.append(Problem(Gravity.WARNING, "lost_levels", what, "", file, name, count=lost))
        if new:
            what = counted_phrase(
                new,
                "{n:,} category of the synthetic file is not in the real one.",
                "{n:,} categories of the synthetic file are not in the real one.",
            )
            problems.append(Problem(Gravity.WARNING, "new_levels", what, "", file, name, count=new))
    real, synthetic = (tables[slot].column(column) for slot in ("real", "synthetic"))
    if _are_missing(column, synthetic).all() and not _are_missing(column, real).all():
        what = phrase("Every value is missing here and not in the real file; attacks cannot use the column.")
        problems.append(Problem(Gravity.WARNING, "all_missing_here", what, "", file, name, count=len(synthetic)))
    elif len(np.unique(synthetic)) == 1 < len(np.unique(real)):
        what = phrase("The column has one value only here, and several in the real file.")
        problems.append(Problem(Gravity.WARNING, "constant_here", what, "", file, name))
    return problems


def _are_missing(column: Column, values: npt.NDArray[Any]) -> Bools:
    """(n,) which values of a column are missing; of a category that is its last level."""
    missing = len(column.levels) - 1 if column.has_missing else -1
    out: Bools = np.isnan(values) if column.is_numeric else values == missing
    return out


def _shared_ids(schema: Schema, texts: Mapping[str, TextTable]) -> list[Problem]:
    """Identifiers of real records that stand in the release."""
    problems = []
    for column in schema.columns:
        if column.kind is not Kind.ID or column.name not in texts["synthetic"].columns:
            continue
        here, there = (map(identifier, texts[slot].column(column.name).to_pylist()) for slot in ("synthetic", "real"))
        real = set(filter(None, there))
        shared = sum(form in real for form in here)
        if shared:
            what = counted_phrase(
                shared,
                "{n:,} identifier of a real record stands in the release.",
                "{n:,} identifiers of real records stand in the release.",
            )
            do = phrase("Make new identifiers, or drop the column, unless they only number the rows.")
            problems.append(
                Problem(Gravity.WARNING, "shared_ids", what, do, texts["synthetic"].name, column.name, count=shared)
            )
    return problems


def identifiers(
    schema: Schema, texts: Mapping[str, TextTable], tables: Mapping[str, Table]
) -> dict[str, dict[str, list[str]]]:
    """The texts of every column that identifies people, by column and slot, spelled alike; left out of a release too.

    These are identifiers and, where most of them differ in the real table, short texts such as names, and times that
    nearly all differ: as seconds since 1970-01-01.
    """
    out: dict[str, dict[str, list[str]]] = {}
    known = {column.name for column in schema.columns}
    for column in (*schema.columns, *_left_out(texts, known)):
        files = {slot: text for slot, text in texts.items() if column.name in text.columns}
        is_time = column.kind is Kind.DATE and column.is_modelled and column.name in known
        if is_time and _nearly_differ(tables["real"].column(column)):
            out[column.name] = {slot: _seconds(tables[slot].column(column)) for slot in files}
        elif column.kind is Kind.ID or (column.kind is Kind.TEXT and column.role is not Role.TEXT):
            own = {slot: bare(text.column(column.name)).to_pylist() for slot, text in files.items()}
            if column.kind is Kind.ID or _nearly_differ(np.array(own["real"], dtype=object), _MOSTLY):
                out[column.name] = own
    return out


def _left_out(texts: Mapping[str, TextTable], known: Set[str]) -> Iterator[Column]:
    """Columns of the real file that the release has not: what stands in them may stand in others of the release."""
    for name in texts["real"].columns:
        if "synthetic" in texts and name not in known:
            with suppress(SchemaError):
                yield judge(name, {"real": texts["real"]}, ColumnChoice()).column


def _nearly_differ(values: npt.NDArray[Any], least: float = _NEARLY) -> bool:
    """Whether nearly all of the values that are there differ, as those of identifiers do."""
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values[values != MISSING]
    return len(known) >= _FEW and len(np.unique(known)) >= least * len(known)


def _seconds(days: npt.NDArray[np.float64]) -> list[str]:
    return ["" if np.isnan(day) else str(round(day * 86_400)) for day in days.tolist()]


def bare(identifiers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Identifiers without zeros before and decimals after them: another program may have taken them for numbers.

    Letters are those of a keyboard, and small where they are digits to the base of 16.
    """
    odd = pc.match_substring_regex(identifiers, r"[^\x20-\x7e]|^[=']|^ | $")
    if pc.any(odd).as_py():
        different = pc.unique(identifiers.filter(odd))
        common = pa.array([plain(tidy(text)) for text in different.to_pylist()], pa.string())
        identifiers = pc.if_else(
            odd, pc.take(common, pc.fill_null(pc.index_in(identifiers, value_set=different), 0)), identifiers
        )
    short = pc.replace_substring_regex(identifiers, r"^([0-9]+)\.0+$", r"\1")
    short = pc.replace_substring_regex(short, r"^0+([0-9]+)$", r"\1")
    return pc.if_else(pc.match_substring_regex(short, r"^[0-9A-Fa-f-]+$"), pc.utf8_lower(short), short)


Cells = Floats | Codes
_SHIFTS = (0.1, 0.23, 0.37, 0.5, 0.61, 0.83)
"""By how much of the table the release is moved, to see how often cells agree where rows are not the same."""
_SURE = 6.0
"""How many standard errors the agreement in place must lie above that elsewhere."""
_LEAST = 0.05
"""By how much the share of cells that agree must be larger in place than elsewhere."""
_MOST = 20_000
"""About how many rows are compared."""


def order_problems(tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    """What to say of sorted rows, and of a release in the order of the real file."""
    problems = [problem for slot, table in tables.items() for problem in _sorted_problems(table, texts[slot].name)]
    if "synthetic" in tables:
        problems += _same_order(tables["real"], tables["synthetic"], texts["synthetic"].name)
    return problems


def _sorted_problems(table: Table, file: str) -> list[Problem]:
    """Columns by which the rows are sorted, from the lowest to the highest or the other way round."""
    what = phrase("The rows are sorted by this column.")
    do = phrase("Shuffle the rows before the file is released: their order can tell who is who.")
    return [
        Problem(Gravity.WARNING, "sorted_rows", what, do, file, column.name, count=len(table))
        for column in (*table.schema.numeric, *table.schema.categorical)
        if _is_sorted(table.column(column))
    ]


def _is_sorted(values: Cells) -> bool:
    """Whether the numbers only rise or only fall, over more than two steps; a few rows spare most columns the rest."""
    for some in (values[:100], values):
        steps = np.diff(some)
        if not ((steps >= 0).all() or (steps <= 0).all()):
            return False
    return len(values) >= 20 and int((steps != 0).sum()) >= 3


def _same_order(real: Table, release: Table, file: str) -> list[Problem]:
    """Whether rows in the same place agree in clearly more cells than rows in different places."""
    n = min(len(real), len(release))
    if n < 20:
        return []
    rows = np.arange(0, n, max(n // _MOST, 1))
    here = _agreement(real, release, rows, n, 0)
    elsewhere = max((_agreement(real, release, rows, n, max(int(n * part), 1)) for part in _SHIFTS), key=np.mean)
    more = here - elsewhere
    gain, error = float(more.mean()), float(more.std() / np.sqrt(len(rows)))
    if gain < _LEAST or gain < _SURE * error:
        return []
    what = phrase("The rows stand in the order of the real file.")
    do = phrase("Shuffle them: their order tells who is who.")
    return [Problem(Gravity.WARNING, "same_order", what, do, file, count=n)]


def _agreement(real: Table, release: Table, rows: Ints, n: int, shift: int) -> Floats:
    """For each of these real rows the share of its cells that the release has too, ``shift`` rows further on."""
    same = np.zeros(len(rows))
    moved = (rows + shift) % n
    for mine, other in ((real.codes, release.codes), (real.numbers, release.numbers)):
        same += (mine[rows] == other[moved]).sum(axis=1)
    return same / len(real.schema.modelled)
