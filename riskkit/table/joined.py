"""Two tables of the same people together: the first, and the rows of the second that belong to its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from riskkit.errors import SchemaError
from riskkit.phrases import phrase
from riskkit.table.children import Children, Join, check_files, join_problems, joined
from riskkit.table.load import GRAVEST_FIRST, FileFacts, Tables, check_columns, decided, load
from riskkit.table.naming import Unmatched, named, unmatched, with_key
from riskkit.table.persons import unit_column
from riskkit.table.stacked import further
from riskkit.table.text import TextTable
from riskkit.table.verdict import ColumnChoice

NOT_OF_CHILDREN = frozenset(
    {
        "person_in_both",
        "person_unnamed",
        "repeated_people",
        "duplicate_rows",
        "duplicate_holdout",
        "holdout_overlap",
        "holdout_swapped",
        "people_in_both",
        "verbatim_copies",
        "same_order",
        "swapped",
        "sizes_differ",
        "group_id",
        "sampling_weights",
    }
)
"""What is said of rows that are people: of the key it is said once, of the first table; rows of a person may repeat."""


NOTHING: Mapping[str, ColumnChoice] = {}
"""Nothing was decided."""
PREFIX = "children_"
"""Before the slot of a file of the second table."""
OF_CHILDREN = "children:"
"""Before the name of a column of the second table, where something is decided about it."""


def tables_of(texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice], *, is_strict: bool = True) -> Tables:
    """The tables of files that were read, by slot, with what was decided about their columns.

    A slot that begins with :data:`PREFIX` holds a second table; see :func:`with_children`. What was decided about a
    column that there is not is refused where that ``is_strict``, and means nothing else.

    Raises
    ------
    InputError
        They do not fit together, or something was decided about a column that there is not.
    """
    children = {slot.removeprefix(PREFIX): text for slot, text in texts.items() if slot.startswith(PREFIX)}
    parents = {slot: text for slot, text in texts.items() if not slot.startswith(PREFIX)}
    first, second = parted(choices, parents["real"].columns)
    if is_strict and not children:
        return decided(parents, choices)
    if is_strict:
        check_columns(children["real"] if "real" in children else next(iter(children.values())), second)
        return with_children(decided(parents, first), parents, children, first, second)
    tables = load(
        parents["real"], parents.get("synthetic"), parents.get("holdout"), choices=first, releases=further(parents)
    )
    return with_children(tables, parents, children, first, second)


def parted(
    choices: Mapping[str, ColumnChoice], first: Sequence[str]
) -> tuple[dict[str, ColumnChoice], dict[str, ColumnChoice]]:
    """What was decided about columns of the first table, and by their own names about those of the second.

    A name that begins with :data:`OF_CHILDREN` is of the second table, unless the ``first`` has a column of that name.
    """
    second = {name for name in choices if name.startswith(OF_CHILDREN) and name not in first}
    return (
        {name: choice for name, choice in choices.items() if name not in second},
        {name.removeprefix(OF_CHILDREN): choices[name] for name in choices if name in second},
    )


@dataclass(frozen=True, slots=True)
class Misnamed:
    """A file that has columns of other names than the real one of its table.

    ``slot`` is that of its table, ``before`` stands before its columns where something is decided about them.
    """

    slot: str
    file: str
    before: str
    left: Unmatched


def misnamed(texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]) -> list[Misnamed]:
    """The files that lack columns of the real one and have others; those of the second table last."""
    out = []
    decided_of = parted(choices, texts["real"].columns if "real" in texts else ())
    for before, own in zip(("", OF_CHILDREN), decided_of, strict=True):
        files = {
            slot.removeprefix(PREFIX): text for slot, text in texts.items() if slot.startswith(PREFIX) == bool(before)
        }
        for slot, text in files.items() if "real" in files else ():
            current, pair = own, {"real": files["real"], slot: text}
            try:
                pair = named(pair, current)
            except SchemaError:  # another file is in the slot since it was said: it is asked again
                current = {name: replace(choice, called=()) for name, choice in own.items()}
                pair = named(pair, current)
            left = unmatched(pair["real"], pair[slot], slot, current)
            if left.lacking and left.extra:
                out.append(Misnamed(slot, text.name, before, left))
    return out


def with_children(
    tables: Tables,
    parents: Mapping[str, TextTable],
    children: Mapping[str, TextTable],
    choices: Mapping[str, ColumnChoice],
    second: Mapping[str, ColumnChoice] = NOTHING,
) -> Tables:
    """The tables with a second one beside them, typed under one schema of its own and joined by the column of the unit.

    Parameters
    ----------
    parents, children
        The files of the first and of the second table, by slot; without a second table nothing changes.
    choices
        What was decided about columns of the first table; the one of role *person* or *household* is the key of both.
    second
        What was decided about columns of the second one, but for the key.

    Raises
    ------
    SchemaError
        They cannot be joined, the second tables do not fit together, or another column than the key names the unit.
    """
    if not children:
        return tables
    if tables.stack is not None:
        raise SchemaError.of(
            "children_of_releases",
            phrase("A second table is read beside one release, and {files:,} are loaded.", files=tables.releases),
            phrase("Load one release with its second table, or leave the second table out."),
            file=next(iter(children.values())).name,
        )
    key = unit_column(choices)
    parents = named(parents, choices)
    if "real" in children and "real" in parents:
        children = named({**children, "real": with_key(key, parents["real"], children["real"])}, second)
    check_files(key, parents, children)
    for column, choice in second.items():
        if column != key and choice.role is not None and choice.role.names_unit:
            raise SchemaError.of(
                "unit_of_children",
                phrase("The column cannot name the person or the household: the key of both tables does."),
                phrase("Give it another role, or join the tables by it."),
                file=children["real"].name,
                column=column,
            )
    own = load(
        children["real"],
        children.get("synthetic"),
        children.get("holdout"),
        choices={**second, key: ColumnChoice(role=choices[key].role)},
        least_rows=1,
    )
    joins = joined(key, parents, children)
    every = {"real": own.real, "synthetic": own.synthetic, "holdout": own.holdout}
    typed = {slot: table.rows(joins[slot].kept) for slot, table in every.items() if table is not None}
    problems = [problem for problem in own.problems if problem.code not in NOT_OF_CHILDREN and problem.column != key]
    problems += join_problems(key, parents, children, joins)
    names = {slot: text.name for slot, text in children.items()}
    return replace(
        tables,
        problems=tuple(sorted([*tables.problems, *problems], key=lambda problem: GRAVEST_FIRST.index(problem.gravity))),
        files=(*tables.files, *(_as_child(file) for file in own.files)),
        children=Children(
            key, own.schema, typed, joins, names, identifiers=_identifiers(own, key, joins), apart=own.apart
        ),
    )


def _as_child(file: FileFacts) -> FileFacts:
    """The facts of a file of the second table, under a slot of its own."""
    return replace(file, slot=f"{PREFIX}{file.slot}")


def _identifiers(own: Tables, key: str, joins: Mapping[str, Join]) -> dict[str, dict[str, list[str]]]:
    """The identifiers of rows that belong to somebody, but for the key, which the first table has too."""
    return {
        column: {slot: list(compress(texts, joins[slot].kept)) for slot, texts in by_slot.items()}
        for column, by_slot in own.identifiers.items()
        if column != key
    }
