"""The questions in Python, all called alike; the list of questions says which there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from riskkit import registry
from riskkit.errors import DesignError, ParameterError, nearest
from riskkit.jobs.pool import Progress
from riskkit.plans import Plan
from riskkit.questions import limits, questions
from riskkit.session.answer import Answer
from riskkit.session.tables import load, provenance_of


def ask(
    question: str,
    tables: Any,
    plan: Any = None,
    *,
    limit: Any = None,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    **settings: Any,
) -> Answer:
    """Ask one question of tables.

    Parameters
    ----------
    question
        Its name: membership, one-run, released, singling-out, linkability, reconstruction, records, attributes,
        explanations, contest, households, keys, or another that is installed.
    tables
        What :func:`riskkit.load` gives; or the real table alone, as a path or a data frame.
    plan
        A plan of the question; or the setting that it is mostly about (of membership and records the generator).
    limit
        The most leak that is tolerable: a number, the key of a published limit, or a table of value, source and date.
        Without one a leak can be shown, never its absence.
    workers
        Processes that work side by side; they change the time, never a number.
    progress
        Told how far it is, with a :class:`riskkit.jobs.pool.Progress`.
    settings
        Settings of the plan, in place of what the plan says. A generator, an attack or another plug-in may be a name, a
        text as ``"mvl:lam=0.25"``, an object or a class of yours. One value may stand where several are meant, and
        its name then in the singular.

    Raises
    ------
    DesignError, ParameterError
        There is no such question, setting or plug-in, or the question cannot be asked of these tables.
    InputError
        A file or a frame cannot be used as it is.
    """
    known = questions()
    if question not in known:
        raise DesignError(f"There is no question {question!r}{nearest(question, known)}; ask {', '.join(known)}.")
    bound = None if limit is None else limits.read(question, limit)
    loaded = load(tables)
    usual = {**provenance_of(loaded).settings, **known[question].by_tables(loaded)}
    asked = plan_of(question, plan, settings, usual)
    missing = [name for name in sorted(asked.needs) if getattr(loaded, name) is None]
    if missing:
        raise DesignError(
            f"The question {question} needs a table beside the real one: load {' and '.join(missing)} too."
        )
    result = known[question].run(loaded, asked, workers=workers, progress=progress)
    return Answer(loaded, asked, result, result.plain(), bound)


def plan_of(question: str, asked: Any, settings: Mapping[str, Any], usual: Mapping[str, Any] | None = None) -> Plan:
    """The plan that a plan, a main setting and settings by name come to.

    ``usual`` are settings that follow from the tables; they hold where neither a plan nor anybody says otherwise.

    Raises
    ------
    DesignError, ParameterError
        The plan is one of another question, a setting is given twice, does not exist or is out of range.
    """
    kind, main = questions()[question].plan, questions()[question].main
    known = {setting.name: setting for setting in registry.settings(kind)}
    named = {
        f"{name}s" if name not in known and f"{name}s" in known and known[f"{name}s"].is_list else name: value
        for name, value in settings.items()
    }
    if len(named) < len(settings):
        raise ParameterError("A setting is given twice, in the singular and the plural; give it once.")
    if isinstance(asked, Plan):
        if not isinstance(asked, kind):
            raise DesignError(f"This is a plan of {asked.question}; the question {question} needs a {kind.__name__}.")
        named = {**asked.as_dict(), **named}
    elif asked is not None:
        if not main:
            raise ParameterError(f"Of the question {question} no setting stands without its name: {', '.join(known)}.")
        if main in named:
            raise ParameterError(f"The setting {main} is given twice, with its name and without; give it once.")
        named = {main: asked, **named}
    if not isinstance(asked, Plan):
        open_ones = known.keys() - ({"one_fit"} if "releases" in named else set())
        named = {**{name: value for name, value in (usual or {}).items() if name in open_ones}, **named}
    try:
        return kind.from_dict(named)
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        raise ParameterError(
            f"A setting of {question} is of a kind that it cannot have; see help(riskkit.{kind.__name__})."
        ) from error


def membership(tables: Any, generator: Any = None, /, **settings: Any) -> Answer:
    """Can someone tell that a chosen person was in? The membership game: the method is trained with and without them.

    ``generator`` is the method, or a :class:`riskkit.MembershipPlan`, whose fields are the settings. The verdict is
    about this release where the method is the one that :func:`riskkit.load` was told made it. For all other parameters
    see :func:`riskkit.ask`.
    """
    return ask("membership", tables, generator, **settings)


def records(tables: Any, generator: Any = None, /, **settings: Any) -> Answer:
    """Whom does this release expose? The model-seeded game for many records, all of them on the same releases.

    ``generator`` is the method, or a :class:`riskkit.RecordsPlan`, whose fields are the settings; ``records=[3, 17]``
    asks about rows by their number, from 0. For all other parameters see :func:`riskkit.ask`.
    """
    return ask("records", tables, generator, **settings)


def released(tables: Any, attacks: Any = None, /, **settings: Any) -> Answer:
    """Does the released file alone tell who was in? Needs a release, and a holdout to measure anything.

    ``attacks`` are the attacks, or a :class:`riskkit.ReleasedPlan`, whose fields are the settings. For all other
    parameters see :func:`riskkit.ask`.
    """
    return ask("released", tables, attacks, **settings)


def one_run(tables: Any, generator: Any = None, /, **settings: Any) -> Answer:
    """What does one single training show? Rows are put in or left out by coins, and the coins are guessed.

    ``generator`` is the method that is trained once, or a :class:`riskkit.OneRunPlan`, whose fields are the settings.
    For all other parameters see :func:`riskkit.ask`.
    """
    return ask("one-run", tables, generator, **settings)


def singling_out(tables: Any, size: Any = None, /, **settings: Any) -> Answer:
    """Are people who were in alone by a few known columns, and does the release say so? Needs release and holdout.

    ``size`` is how many columns are known together at most, or a :class:`riskkit.SinglingOutPlan`, whose fields are the
    settings. For all other parameters see :func:`riskkit.ask`.
    """
    return ask("singling-out", tables, size, **settings)


def linkability(tables: Any, half: Any = None, /, **settings: Any) -> Answer:
    """Does the release tell which halves of records belong to one person? Needs release and holdout.

    ``half`` are the columns of one of the two files, or a :class:`riskkit.LinkabilityPlan`, whose fields are the
    settings. For all other parameters see :func:`riskkit.ask`.
    """
    return ask("linkability", tables, half, **settings)


def keys(tables: Any, keys: Any = None, /, **settings: Any) -> Answer:
    """How rare are combinations of known columns, in the table and in its population? Needs the real table alone.

    ``keys`` are the columns that somebody may know, or a :class:`riskkit.KeysPlan`, whose fields are the settings; a
    column of sampling weights is named where tables are loaded. It describes, and judges nothing. For all other
    parameters see :func:`riskkit.ask`.
    """
    return ask("keys", tables, keys, **settings)


def reconstruction(tables: Any, secrets: Any = None, /, **settings: Any) -> Answer:
    """How much of several secret columns of a person can be put together at once? Needs release and holdout.

    ``secrets`` are the columns that are put together, two at least, or a :class:`riskkit.ReconstructionPlan`, whose
    fields are the settings. For all other parameters see :func:`riskkit.ask`.
    """
    return ask("reconstruction", tables, secrets, **settings)


def attributes(tables: Any, secrets: Any = None, /, **settings: Any) -> Answer:
    """What does the release let a stranger infer about a person? Needs a release, and a holdout to say of whom more.

    ``secrets`` are the columns that are guessed, or a :class:`riskkit.AttributePlan`, whose fields are the settings.
    For all other parameters see :func:`riskkit.ask`.
    """
    return ask("attributes", tables, secrets, **settings)


def explanations(tables: Any, target: Any = None, /, **settings: Any) -> Answer:
    """What do explanations of a model's answers give away of the people who are explained?

    ``target`` is the column that the model predicts, or a :class:`riskkit.ExplanationPlan`, whose fields are the
    settings. For all other parameters see :func:`riskkit.ask`.
    """
    return ask("explanations", tables, target, **settings)


def contest(tables: Any, anonymisers: Any = None, /, **settings: Any) -> Answer:
    """Anonymisers against attackers, privacy against usefulness.

    ``anonymisers`` are the methods, or a :class:`riskkit.ContestPlan`, whose fields are the settings. For all other
    parameters see :func:`riskkit.ask`.
    """
    return ask("contest", tables, anonymisers, **settings)


def households(tables: Any, anonymisers: Any = None, /, **settings: Any) -> Answer:
    """How surely can whole households be told in or out? ``household="home"`` names the column that says who they are.

    ``anonymisers`` are the methods, or a :class:`riskkit.HouseholdsPlan`, whose fields are the settings. For all other
    parameters see :func:`riskkit.ask`.
    """
    return ask("households", tables, anonymisers, **settings)
