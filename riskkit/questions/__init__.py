"""The questions an audit can ask. The folder is the list: a question is a folder here with ``QUESTION`` in its
``question.py``.

Worker, store, report, command line and pages know questions only through :func:`questions`. No question imports
another.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskkit.errors import DesignError

if TYPE_CHECKING:  # the list of commands is read without loading an engine
    from riskkit.plans import Plan
    from riskkit.show.model import Given, Played, RunFinding
    from riskkit.show.names import Names
    from riskkit.show.paired import Pairing
    from riskkit.table.load import Tables


def always(run: Played, given: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """A run of this question is about the release whoever made it."""
    return True


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
        The scale of :data:`riskkit.judging.limits.SCALES` on which it is judged and a limit is set.
    plan
        What is asked; its ``question`` is the name of this one.
    play
        Called with the tables (:class:`~riskkit.table.load.Tables`), the plan, and ``workers``, ``progress`` and
        ``cancelled``; returns the result as it is kept, plain values for JSON.
    read
        What one finished run found: called with the run, the names that its reader may see, and what is known of the
        audit. One finding about this release, others about methods that did not make it.
    is_about
        Whether a run, once it has finished, says anything of this release.
    needs_audit
        Whether ``play`` is also called with the ``audit``, for files that lie beside the tables.
    private
        Parts of a result that no command prints: scores of single people.
    measures
        What people call the estimates of its results that have a name of their own there.
    references
        What guessing reaches, or what shows nothing, where that is one number for everybody.
    pair
        What two finished runs, on two releases of one real table, say of the same people; None where it says nothing.
    """

    title: str
    meaning: str
    place: int
    scale: str
    plan: type[Plan]
    play: Callable[..., dict[str, Any]]
    read: Callable[[Played, Names, Given], tuple[RunFinding, ...]]
    is_about: Callable[[Played, Given], bool] = always
    needs_audit: bool = False
    private: frozenset[str] = frozenset({"scores"})
    measures: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, float] = field(default_factory=dict)
    pair: Pairing | None = None

    @property
    def name(self) -> str:
        """Its name on the command line, in configurations and in the store."""
        return self.plan.question

    def played(self, audit: Any, plan: Any, **how: Any) -> dict[str, Any]:
        """What is kept of a run of that plan on the tables of an audit."""
        more = {"audit": audit} if self.needs_audit else {}
        tables: Tables = audit.tables()
        return self.play(tables, plan, **more, **how)


def folders() -> Mapping[str, Path]:
    """The folder of each question by its name, sorted; none is imported."""
    there = [folder for path in __path__ for folder in Path(path).iterdir() if (folder / "question.py").is_file()]
    return {folder.name: folder for folder in sorted(there)}


@cache
def questions() -> Mapping[str, Question]:
    """All questions by name, in the order of a report."""
    every = [importlib.import_module(f"{__name__}.{name}.question").QUESTION for name in folders()]
    return {question.name: question for question in sorted(every, key=lambda question: (question.place, question.name))}


def question(name: str) -> Question:
    """The question of that name.

    Raises
    ------
    DesignError
        This version does not know it.
    """
    if name not in questions():
        raise DesignError(f"This version of riskkit knows no question {name!r}; it knows {', '.join(questions())}.")
    return questions()[name]
