"""The questions an audit can ask. The folder is the list: a question is a folder here with ``QUESTION`` in its
``question.py``. A package of somebody else names its questions as entry points (``riskkit.questions``).

Worker, store, report, command line and pages know questions only through :func:`questions`. No question imports
another.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from riskkit import own
from riskkit.errors import DesignError, PluginError, RiskkitError
from riskkit.language import Readings
from riskkit.phrases import phrase

if TYPE_CHECKING:  # the list of commands is read without loading an engine
    from riskkit.plans import Plan
    from riskkit.questions.forecasts import Forecast
    from riskkit.questions.result import Typed
    from riskkit.questions.standard import Situation
    from riskkit.show.model import Block, Chart, Given, Played, RunFinding
    from riskkit.show.names import Names
    from riskkit.show.pairs import Pairing
    from riskkit.table.load import Tables


POINTS = "questions"
"""What stands behind ``riskkit.`` in the entry points of packages that bring questions."""


REMEDY = phrase("Make the release again by a method that promises an ε, or make columns coarser.")
"""What to change in a release whose question does not say it."""


def always(run: Played, facts: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """A run of this question is about the release whoever made it."""
    return True


def is_about_none(run: Played, facts: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """A run of this question is about no release: what it attacks is made for it, or is no file."""
    return False


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that an audit can ask.

    Parameters
    ----------
    title, meaning
        What people call it, and what it asks in a sentence.
    place
        Where it stands among the others in a report and in lists; the lowest comes first.
    scale
        The scale of :data:`riskkit.judging.measurement.SCALES` on which it is judged and a limit is set; that of
        descriptions where it is not judged.
    plan
        What is asked; its ``question`` is the name of this one.
    run
        Called with the tables (:class:`~riskkit.table.load.Tables`), the plan, and ``workers``, ``progress`` and
        ``cancelled``; returns the typed result, of which ``plain()`` is kept.
    result
        The type of its results, which reads what is kept.
    read
        What one finished run found: called with the run, the names that its reader may see, and what is known of the
        audit. One finding about this release, others about methods that did not make it.
    is_about
        Whether a run, once it has finished, says anything of this release.
    standard
        What an audit with one button asks, by what is known of the release; None where the question does not apply.
    main
        The setting of the plan that may stand without its name behind the tables, in Python; empty where there is none.
    forecast
        Called with the tables, the plan and ``workers``; returns the :class:`~riskkit.questions.forecasts.Forecast` of
        what it would take and could show.
    needs_audit
        Whether ``run`` is also called with the ``audit`` of a run, for files that lie beside the tables.
    more
        What follows from a typed result and is no part of it: further entries of an answer as plain values.
    files
        What the files are to this question, by the names of their options, where it is not what they usually are.
    has_second_table
        Whether it can read a second table, with several rows a person.
    by_tables
        The settings that follow from the tables where nobody names one.
    measures
        What people call the estimates of its results that have a name of their own there.
    references
        What guessing reaches, or what shows nothing, where that is one number for everybody.
    pair
        What two finished runs, on two releases of one real table, say of the same people; None where it says nothing.
    view
        What is shown of a typed result, block by block, with the names that its reader may see: a page draws it, a
        report prints it, files hold its tables. A reader that splits a run by who made the release may set the view of
        each finding itself. None where a page of its own draws everything by hand.
    counts_people
        Whether people are counted where a column names the person of a row. A question that counts rows refuses tables
        in which somebody has several, before anything is played.
    reads_files
        Whether its numbers stand on values of the release beside those of people. What was noticed of the files stands
        in the way of its verdict; of a question that trains the method anew on the real table alone only what the file
        gives away does: a file that does is not what the method is known to make.
    reads
        The columns that a run of that plan (as it is kept) looks at; None for every column in use. ``reads_texts`` says
        whether it looks at columns of free text.
    wants
        What it takes beside real table and release, in words.
    lacks
        What is still to be said before a plan can be asked of the tables; empty where nothing is. The page says it in
        place of an error, and runs nothing.
    example
        What an answer may look like, of made-up numbers; its page shows it before the first run.
    remedy
        What to change in a release that leaks so.
    asks, icon
        The title of its page as a question, else ``title`` stands there; and the page's sign among Material icons.
    """

    title: str
    meaning: str
    place: int
    scale: str
    plan: type[Plan]
    run: Callable[..., Typed]
    result: type[Typed]
    read: Callable[[Played, Names, Given], tuple[RunFinding, ...]]
    is_about: Callable[[Played, Given], bool] = always
    standard: Callable[[Situation], Plan | None] = lambda _: None
    main: str = ""
    forecast: Callable[..., Forecast] | None = None
    needs_audit: bool = False
    more: Callable[[Any], Mapping[str, Any]] = lambda _: {}
    files: Mapping[str, str] = field(default_factory=dict)
    has_second_table: bool = False
    by_tables: Callable[[Tables], Mapping[str, Any]] = lambda _: {}
    measures: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, float] = field(default_factory=dict)
    pair: Pairing | None = None
    example: Chart | None = None
    wants: str = ""
    lacks: Callable[[Tables, Any], str] = lambda *_: ""
    view: Callable[[Any, Names], tuple[Block, ...]] | None = None
    counts_people: bool = False
    reads_files: bool = True
    reads: Callable[[Mapping[str, Any]], Iterable[str] | None] = lambda _: None
    reads_texts: Callable[[Mapping[str, Any]], bool] = lambda _: False
    remedy: str = REMEDY
    asks: str = ""
    icon: str = "help_center"

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", Readings(self.measures))
        for work in () if self.counts_people else ("run", "forecast"):
            if (counts_rows := getattr(self, work)) is not None:
                object.__setattr__(self, work, self._refuse_people(counts_rows))

    def _refuse_people(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, refused where a row is no person."""

        @wraps(work)
        def asked(tables: Tables, *arguments: Any, **how: Any) -> Any:
            self.admit(tables)
            return work(tables, *arguments, **how)

        return asked

    @property
    def is_judged(self) -> bool:
        """Whether it has a limit and a verdict; else it describes, and is no part of the verdict on a release."""
        from riskkit.judging.measurement import DESCRIPTION  # with it comes the engine, and lists of commands load none

        return self.scale != DESCRIPTION

    def applies(self, tables: Tables) -> bool:
        """Whether the tables have what it is about; True where that cannot be read."""
        with suppress(RiskkitError):
            return not self.lacks(tables, self.plan())
        return True

    def admit(self, tables: Tables) -> None:
        """Refuse tables of whose people this question would count every row as somebody.

        Raises
        ------
        DesignError
            A column names the person, somebody has several rows, and this question counts rows.
        """
        people = tables.persons
        if people is not None and people.has_several_rows and not self.counts_people:
            title, counting = (
                phrase(self.title),
                tuple(name for name, known in questions().items() if known.counts_people),
            )
            if people.unit == "household":
                raise DesignError.phrase(
                    "{title} counts rows, and households have several rows here (by the column {column!r}), so no "
                    "interval would hold for households. Load a table with one row of each household, or ask a "
                    "question that counts households: {questions}.",
                    title=title,
                    column=people.column,
                    questions=counting,
                )
            raise DesignError.phrase(
                "{title} counts rows, and people have several rows here (by the column {column!r}), so no interval "
                "would hold for people. Load a table with one row of each person, or ask a question that counts "
                "people: {questions}.",
                title=title,
                column=people.column,
                questions=counting,
            )

    @property
    def name(self) -> str:
        """Its name on the command line, in configurations and in the store."""
        return self.plan.question

    def as_dict(self, result: Any) -> dict[str, Any]:
        """A result as plain values, with what follows from it."""
        return {**result.as_dict(), **self.more(result)}

    def work_out(self, audit: Any, plan: Any, **how: Any) -> dict[str, Any]:
        """What is kept of a run of that plan on the tables of an audit."""
        more = {"audit": audit} if self.needs_audit else {}
        tables: Tables = audit.tables()
        return self.run(tables, plan, **more, **how).plain()


def folders() -> Mapping[str, Path]:
    """The folder of each question by its name, sorted; none is imported. ``one_two`` is that of ``one-two``.

    Python's own folder of translated files is not entered: it may be closed to all but the user who ran riskkit first.
    """
    named = [folder for path in __path__ for folder in Path(path).iterdir() if not folder.name.startswith("__")]
    there = [folder for folder in named if (folder / "question.py").is_file()]
    return {folder.name.replace("_", "-"): folder for folder in sorted(there)}


def names() -> frozenset[str]:
    """The names of all questions, of those from outside as their entry points have them; none is imported."""
    return frozenset([*folders(), *own.package_names(POINTS)])


@cache
def questions() -> Mapping[str, Question]:
    """All questions by name, in the order of a report.

    Raises
    ------
    PluginError
        One of an installed package does not load, is none, or has the name of another.
    """
    every = [importlib.import_module(f"{__name__}.{folder.name}.question").QUESTION for folder in folders().values()]
    for loaded, where in own.loaded_points(POINTS):
        added = getattr(loaded, "QUESTION", None) if isinstance(loaded, ModuleType) else loaded
        if not isinstance(added, Question):
            raise PluginError(f"{where}: a question must be a riskkit.questions.Question.")
        if added.name in {question.name for question in every}:
            raise PluginError(f"{where}: the name {added.name!r} is taken by another question.")
        every.append(added)
    return {question.name: question for question in sorted(every, key=lambda question: (question.place, question.name))}


def question(name: str) -> Question:
    """The question of that name.

    Raises
    ------
    DesignError
        This version does not know it.
    """
    if name not in questions():
        raise DesignError.phrase(
            "This version of riskkit knows no question {name!r}; it knows {questions}.",
            name=name,
            questions=tuple(questions()),
        )
    return questions()[name]
