"""Files together: aligned by name, typed under one schema, compared, joined with a second table of the people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path

from riskkit.base import stages
from riskkit.core import Floats, Role, Schema, Table
from riskkit.errors import Gravity, InputError, Problem, SchemaError, nearest
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.encode import width_problems
from riskkit.table.evidence.column_names import NOTHING, Unmatched, align, name_columns, unmatched_columns, with_key
from riskkit.table.evidence.compare import compare_tables, compare_texts, identifiers, order_problems, refuse_few_rows
from riskkit.table.evidence.other_people import SharedPeople, compare_with_holdout
from riskkit.table.evidence.overlap import (
    ColumnOverlap,
    apart_in_any,
    leave_out,
    overlap_problems,
    unread_problems,
)
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.judge import free_texts
from riskkit.table.kinds.labels import apply_labels
from riskkit.table.kinds.matching import match_values
from riskkit.table.kinds.missing_codes import asked_tokens
from riskkit.table.kinds.numbers import code_problems
from riskkit.table.kinds.recoding import likely, line
from riskkit.table.kinds.schema import apply_schema, infer
from riskkit.table.large import is_large
from riskkit.table.people.persons import Persons, people_problems, person_problems, persons_of, unit_column, weights_of
from riskkit.table.people.second_table import Children, check_files, join_problems, join_slots
from riskkit.table.read.files import NO_ENCODINGS, read_path, read_together
from riskkit.table.stack import FIRST, Stack, check, further, identical, slots_of, stack_files
from riskkit.table.text import Limits, TextTable

LEAST_ROWS = 50
"""An audit needs as many rows."""
GRAVEST_FIRST = list(Gravity)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What was loaded into a slot: ``rows`` and ``columns`` are counts, ``size`` is bytes.

    ``format`` is what kind of file it is; of one that is no text, ``encoding`` and ``delimiter`` are empty.
    """

    slot: str
    name: str
    sha256: str
    rows: int
    columns: int
    size: int
    encoding: str
    delimiter: str
    format: str = "CSV"


@dataclass(frozen=True, slots=True)
class Tables:
    """The typed tables under their one schema, and everything the user should know of them, gravest first.

    ``apart`` are the columns whose real and released values hardly meet. ``identifiers`` are the texts of columns that
    identify people, by column and slot, times among them as seconds: of these alone attacks see the column.
    ``free_texts`` are those of columns that are kept as text, likewise, a missing one empty: only attacks on the
    released file read them. ``made_by`` is how the release was made, as the registry spells the method; empty where
    nobody said. ``persons`` says whose row each row is, where a column names the person. ``children`` is a second table
    of the same people, see :func:`riskkit.table.load.with_children`.
    Where the table was released several times and all files are loaded, ``synthetic`` holds the rows of all, ``stack``
    says which are of which file, and ``one_fit`` whether all come from one fit; see :mod:`riskkit.table.stack`.
    ``in_both`` are the rows of people who stand in real table and holdout, None where chance explains them.
    ``weights`` (real rows,) say how many people of the population a row stands for, None where no column has that role.
    """

    real: Table
    synthetic: Table | None
    holdout: Table | None
    schema: Schema
    problems: tuple[Problem, ...]
    files: tuple[FileFacts, ...]
    apart: tuple[ColumnOverlap, ...] = ()
    identifiers: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict, repr=False)
    free_texts: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict, repr=False)
    made_by: str = ""
    persons: Persons | None = None
    children: Children | None = None
    stack: Stack | None = None
    one_fit: bool = False
    in_both: SharedPeople | None = None
    weights: Floats | None = field(default=None, repr=False)

    @property
    def is_large(self) -> bool:
        """Whether memory counts for more than time: two things at once need the room of both."""
        return is_large(self.real.codes.nbytes + self.real.numbers.nbytes)

    def with_problems(self, further: Sequence[Problem]) -> Tables:
        """The same tables with more to know of them."""
        every = sorted((*self.problems, *further), key=lambda problem: GRAVEST_FIRST.index(problem.gravity))
        return replace(self, problems=tuple(every)) if further else self

    @property
    def unit(self) -> str:
        """What a column names whose rows are counted as one: ``person``, ``household``, or empty where none does."""
        return "" if self.persons is None else str(self.persons.unit)

    @property
    def releases(self) -> int:
        """How many files of releases are loaded, or 1."""
        return 1 if self.stack is None else len(self.stack)

    @property
    def release_rows(self) -> int:
        """Rows of one release, the largest where files differ; 0 where none is loaded."""
        if self.stack is not None:
            return self.stack.each
        return 0 if self.synthetic is None else len(self.synthetic)

    def each_release(self) -> tuple[Tables, ...]:
        """The same tables with one release each, file by file; none where no release is loaded."""
        if self.stack is None or self.synthetic is None:
            return () if self.synthetic is None else (self,)
        return tuple(
            replace(
                self,
                synthetic=own,
                identifiers=_texts_of_file(self.identifiers, place),
                free_texts=_texts_of_file(self.free_texts, place),
                stack=None,
            )
            for own, place in zip(self.stack.tables(self.synthetic), self.stack.places, strict=True)
        )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{file.slot} {file.rows} rows" for file in self.files)
        made = f", made by {self.made_by}" if self.made_by else ""
        return f"Tables({sizes}; {len(self.schema.modelled)} columns in use, {len(self.problems)} remarks{made})"

    def likely(self, column: str) -> tuple[tuple[str, str], ...]:
        """The released values of a column that no real row has, each with the real one it probably stands for."""
        if self.synthetic is None:
            return ()
        return likely(self.schema.column(column), self.real, self.synthetic)

    def line(self, column: str) -> tuple[float, float] | None:
        """Scale and offset that probably bring its released numbers to the real ones; None where no line does."""
        return None if self.synthetic is None else line(self.schema.column(column), self.real, self.synthetic)

    @property
    def missing_codes(self) -> dict[str, tuple[str, ...]]:
        """By column, the numbers that files write where others leave blanks, as missing tokens."""
        return asked_tokens(self.problems, (self.real, self.synthetic, self.holdout))


def _texts_of_file(
    texts: Mapping[str, Mapping[str, Sequence[str]]], place: slice
) -> dict[str, dict[str, Sequence[str]]]:
    """Texts by column and slot, those of the release of one file alone."""
    return {
        column: {slot: own[place] if slot == FIRST else own for slot, own in by_slot.items()}
        for column, by_slot in texts.items()
    }


def load(
    real: TextTable,
    synthetic: TextTable | None = None,
    holdout: TextTable | None = None,
    *,
    choices: Mapping[str, ColumnChoice] | None = None,
    least_rows: int = LEAST_ROWS,
    releases: Sequence[TextTable] = (),
) -> Tables:
    """Type the files under one joint schema and compare them.

    ``releases`` are further files of the same table, released again; see :mod:`riskkit.table.stack`.

    Raises
    ------
    SchemaError
        A column is missing on one side, a chosen kind cannot hold, there are too few rows, or no column is left.
    """
    every = [] if synthetic is None else [synthetic, *releases]
    slots = {"real": real, **dict(zip(slots_of(len(every)), every, strict=True)), "holdout": holdout}
    files = name_columns({slot: text for slot, text in slots.items() if text is not None}, choices or {})
    synthetic, holdout, every = files.get(FIRST), files.get("holdout"), [files[slot] for slot in slots_of(len(every))]
    if synthetic is None or not releases:
        return _load(real, synthetic, holdout, (), choices, least_rows)
    try:
        return _load(real, synthetic, holdout, every, choices, least_rows)
    except InputError:
        for release in every:  # the file by itself says which it is, and on which line
            _load(real, release, holdout, (), choices, least_rows)
        raise


def _load(
    real: TextTable,
    synthetic: TextTable | None,
    holdout: TextTable | None,
    releases: Sequence[TextTable],
    choices: Mapping[str, ColumnChoice] | None,
    least_rows: int,
) -> Tables:
    """The tables of these files; of several ``releases`` their stack."""
    files = {"real": real, FIRST: synthetic, "holdout": holdout}
    texts, decisions = {slot: text for slot, text in files.items() if text is not None}, choices or {}
    stack = None
    for few in [{**texts, FIRST: release} for release in releases] or [texts]:
        refuse_few_rows(few, least_rows)
    if releases:
        problems = [*check(real, releases, decisions), *identical(texts, releases)]
        if holdout is not None:
            problems += align({"real": real, "holdout": holdout}, decisions)
        texts[FIRST], stack = stack_files(releases)
    else:
        stages.say(phrase("Comparing the files"))
        problems = [*align(texts, decisions), *compare_texts(texts)]
    texts, labels = apply_labels(texts, decisions)
    texts, repairs = match_values(texts, decisions)
    inference = infer(texts, decisions)
    if not inference.schema.modelled:
        raise SchemaError.of(
            "no_columns",
            phrase("No column is left to compare: all are identifiers, free text or constant."),
            phrase("Load a file with columns that describe people."),
            file=real.name,
        )
    tables = {slot: apply_schema(inference.schema, text) for slot, text in texts.items()}
    own = [problem for slot, text in texts.items() for problem in _noticed(slot, text)]
    stages.say(phrase("Comparing the tables"))
    compared = _compare_files(tables, texts, stack)
    person = unit_column(decisions)
    persons = persons_of(person, texts, Role(str((decisions)[person].role))) if person in real.columns else None
    in_both, about_holdout = compare_with_holdout(tables, texts, is_by_name=persons is not None)
    if in_both is not None:  # it says the same, and what was done
        compared = [problem for problem in compared if problem.code != "holdout_overlap"]
    reported = [*about_holdout, *own, *problems, *labels, *repairs, *inference.problems, *compared]
    groups = {problem.column for problem in reported if problem.code in ("group_id", "sampling_weights")}
    reported += (
        people_problems(tables["real"], real, groups) if persons is None else person_problems(persons, real.name)
    )
    reported += code_problems(tables["real"], {name for name, choice in (decisions).items() if choice.kind}, real.name)
    reported += width_problems(inference.schema, max(map(len, tables.values())), real.name)
    columns: tuple[ColumnOverlap, ...] = ()
    stages.say(phrase("Comparing values of columns"))
    if synthetic is not None:
        parts = [tables[FIRST]] if stack is None else stack.tables(tables[FIRST])
        columns = (*apart_in_any(tables["real"], parts), *leave_out(inference.schema, texts, decisions))
        reported += unread_problems(inference.schema, texts, decisions)
        reported += overlap_problems(columns, decisions, texts[FIRST].name)
        columns = tuple(own for own in columns if not decisions.get(own.column, ColumnChoice()).differs)
    return Tables(
        real=tables["real"],
        synthetic=tables.get("synthetic"),
        holdout=tables.get("holdout"),
        schema=inference.schema,
        problems=tuple(sorted(reported, key=lambda problem: GRAVEST_FIRST.index(problem.gravity))),
        files=tuple(_facts(slot, text) for slot, text in _each_file(texts, releases).items()),
        apart=columns,
        identifiers=identifiers(inference.schema, texts, tables),
        persons=persons,
        free_texts=free_texts(inference.schema, texts),
        stack=stack,
        in_both=in_both,
        weights=weights_of(real, decisions),
    )


def _noticed(slot: str, text: TextTable) -> list[Problem]:
    """What was noticed in a file by itself. What stands in it beside the table matters where others get the file."""
    if slot != FIRST:
        return [problem for problem in text.problems if problem.code != "unread_parts"]
    codes = {"preamble": "unread_parts"}
    return [replace(problem, code=codes.get(problem.code, problem.code)) for problem in text.problems]


def _each_file(texts: Mapping[str, TextTable], releases: Sequence[TextTable]) -> dict[str, TextTable]:
    """Every file under its slot, those of several releases behind the others."""
    if not releases:
        return dict(texts)
    return {**texts, **dict(zip(slots_of(len(releases)), releases, strict=True))}


def _compare_files(tables: Mapping[str, Table], texts: Mapping[str, TextTable], stack: Stack | None) -> list[Problem]:
    """What the files say of each other; of several releases each beside the others, under its own name."""
    if stack is None:
        of_tables = compare_tables(tables, texts)
        stages.say(phrase("The order of rows"))
        return [*of_tables, *order_problems(tables, texts)]
    problems: dict[Problem, None] = {}
    for name, place, part in zip(stack.names, stack.places, stack.tables(tables[FIRST]), strict=True):
        rows = texts[FIRST].data.slice(place.start, place.stop - place.start)
        text = replace(texts[FIRST], name=name, data=rows)
        own, beside = {**tables, FIRST: part}, {**texts, FIRST: text}
        problems |= dict.fromkeys([*compare_tables(own, beside), *order_problems(own, beside)])
    return list(problems)


def _facts(slot: str, text: TextTable) -> FileFacts:
    return FileFacts(
        slot=slot,
        name=text.name,
        sha256=text.sha256,
        rows=text.rows,
        columns=len(text.columns),
        size=text.size,
        encoding=text.encoding,
        delimiter=text.delimiter,
        format=text.format,
    )


def read_tables(
    real: Path | str,
    synthetic: Path | str | Sequence[Path | str] | None = None,
    holdout: Path | str | None = None,
    choices: Mapping[str, ColumnChoice] | None = None,
    *,
    limits: Limits | None = None,
    encodings: Mapping[str, str] = NO_ENCODINGS,
) -> Tables:
    """The tables in these files, of several releases all files as ``synthetic``; see :func:`load`.

    ``encodings`` are those that a person says, by slot; see :func:`riskkit.table.read.files.read_together`.

    A file is a CSV, a Parquet file, an Excel workbook (a sheet of it is named behind it: ``people.xlsx#Sheet 1``), a
    file of SPSS, Stata or SAS, or one of these in a gzip or ZIP archive.

    Raises
    ------
    InputError
        A file cannot be used as it is, or the files do not fit together.
    """
    several = [synthetic] if isinstance(synthetic, str | Path) or synthetic is None else list(synthetic)
    paths = {"real": real, **dict(zip(slots_of(len(several)), several, strict=True)), "holdout": holdout}
    there = {slot: Path(path) for slot, path in paths.items() if path is not None}
    return apply_choices(read_together(there, limits=limits, encodings=encodings), choices or {})


def apply_choices(texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]) -> Tables:
    """The tables of files that were read, by slot, with what was decided about their columns; see :func:`load`.

    Raises
    ------
    InputError
        They do not fit together, or something was decided about a column that there is not.
    """
    check_columns(texts["real"], choices)
    return _load_slots(texts, choices)


def _load_slots(texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]) -> Tables:
    real, synthetic, holdout = (texts.get(slot) for slot in ("real", FIRST, "holdout"))
    assert real is not None
    return load(real, synthetic, holdout, choices=choices, releases=further(texts))


def check_columns(first: TextTable, choices: Mapping[str, ColumnChoice]) -> None:
    """Refuse decisions about columns that the file has not.

    Raises
    ------
    SchemaError
        There is one.
    """
    unknown = [column for column in choices if column not in first.columns]
    if unknown:
        raise SchemaError.of(
            "no_such_column",
            counted_phrase(
                len(unknown),
                "{n:,} column that something was decided about is not in the file.",
                "{n:,} columns that something was decided about are not in the file.",
            ),
            phrase("Correct their names where you decided it{near}.", near=nearest(unknown[0], first.columns)),
            file=first.name,
            column=unknown[0],
            count=len(unknown),
        )


def read_table(path: Path | str, *, limits: Limits | None = None) -> Table:
    """The table in one file, typed by itself; see :func:`read_tables`.

    Raises
    ------
    InputError
        The file cannot be used as it is.
    """
    return load(read_path(Path(path), limits=limits), least_rows=1).real


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
    first, second = split_choices(choices, parents["real"].columns)
    if is_strict and children:
        check_columns(children.get("real") or next(iter(children.values())), second)
    if is_strict:
        check_columns(parents["real"], first if children else choices)
    return with_children(_load_slots(parents, first), parents, children, first, second)


def split_choices(
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


def misnamed_files(texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]) -> list[Misnamed]:
    """The files that lack columns of the real one and have others; those of the second table last."""
    out = []
    decided_of = split_choices(choices, texts["real"].columns if "real" in texts else ())
    for before, own in zip(("", OF_CHILDREN), decided_of, strict=True):
        files = {
            slot.removeprefix(PREFIX): text for slot, text in texts.items() if slot.startswith(PREFIX) == bool(before)
        }
        for slot, text in files.items() if "real" in files else ():
            current, pair = own, {"real": files["real"], slot: text}
            try:
                pair = name_columns(pair, current)
            except SchemaError:  # another file is in the slot since it was said: it is asked again
                current = {name: replace(choice, called=()) for name, choice in own.items()}
                pair = name_columns(pair, current)
            left = unmatched_columns(pair["real"], pair[slot], slot, current)
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
    parents = name_columns(parents, choices)
    if "real" in children and "real" in parents:
        children = name_columns({**children, "real": with_key(key, parents["real"], children["real"])}, second)
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
    joins = join_slots(key, parents, children)
    every = {"real": own.real, "synthetic": own.synthetic, "holdout": own.holdout}
    typed = {slot: table.rows(joins[slot].kept) for slot, table in every.items() if table is not None}
    problems = [problem for problem in own.problems if problem.code not in NOT_OF_CHILDREN and problem.column != key]
    problems += join_problems(key, parents, children, joins)
    names = {slot: text.name for slot, text in children.items()}
    identified = {  # but for the key, which the first table has too
        column: {slot: list(compress(texts, joins[slot].kept)) for slot, texts in by_slot.items()}
        for column, by_slot in own.identifiers.items()
        if column != key
    }
    return replace(
        tables.with_problems(problems),
        files=(*tables.files, *(replace(file, slot=f"{PREFIX}{file.slot}") for file in own.files)),
        children=Children(key, own.schema, typed, joins, names, identifiers=identified, apart=own.apart),
    )
