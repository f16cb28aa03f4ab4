"""A mended release in an audit of its own, beside the old one: the same real table, limits, answers and questions."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np

from riskkit import registry, wording
from riskkit.audit.report_facts import build_given
from riskkit.core import Table
from riskkit.errors import DesignError, RiskkitError
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.provenance import UNKNOWN
from riskkit.language import counted, say
from riskkit.mend.coarsening import RARE, CoarsenedColumn, Coarsening, coarsen_column
from riskkit.mend.release import SEED_BITS, Mended, Mending, mend, take, to_csv
from riskkit.plans import Plan
from riskkit.questions import question
from riskkit.questions.runs import plan_of
from riskkit.seeds import stream
from riskkit.show.model import Given, Played
from riskkit.table import write
from riskkit.table.evidence.column_names import name_columns
from riskkit.table.load import LEAST_ROWS, Tables
from riskkit.table.text import TextTable


@dataclass(frozen=True, slots=True)
class Again:
    """What of the old audit is asked again: the runs that were started, and a sentence on each question that is not."""

    runs: tuple[Run, ...]
    left: tuple[str, ...]


# --------------------------------------------------------------------------------------------------------------
# What to do, and what it would change


def suggestions(give_aways: Sequence[GiveAway]) -> tuple[bool, bool, tuple[str, ...]]:
    """Whether rows are better shuffled, and copied ones removed; columns of identifiers and texts, better dropped."""
    seen = [each for each in give_aways if each.state in (State.SHOWN, State.OPEN) and not each.is_swapped]
    order = any(give_away.code == "row_order" for give_away in seen)
    copies = any(give_away.code == "copies" and give_away.state is State.SHOWN for give_away in seen)
    return (
        order,
        copies,
        tuple(str(give_away.figures["column"]) for give_away in seen if give_away.code in ("identifiers", "texts")),
    )


def try_mend(audit: Audit, tables: Tables, mending: Mending, *, seed: int | None = None) -> Mended:
    """The mended release of that audit; nothing is kept.

    Raises
    ------
    DesignError, ParameterError
        There is no release, or it cannot be changed so.
    """
    return mend(_release(audit, tables)[0], tables, mending, seed=seed)


def _release(audit: Audit, tables: Tables) -> tuple[TextTable, Table]:
    """The release as text, its columns called as in the real table, and as a table."""
    real, text = audit.text("real"), audit.text("synthetic")
    if text is None or tables.synthetic is None:
        raise DesignError.phrase("No release is loaded; load it on the Data page.")
    refuse_several(tables)
    if real is not None:
        text = name_columns({"real": real, "synthetic": text}, audit.choices)["synthetic"]
    return text, tables.synthetic


def refuse_several(tables: Tables) -> None:
    """Refuse to mend several releases at once.

    Raises
    ------
    DesignError
        More than one is loaded.
    """
    if tables.releases > 1:
        raise DesignError.phrase(
            "{releases:,} releases are loaded, and one is changed at a time. Change each in an audit of its "
            "own, then load the changed ones together.",
            releases=tables.releases,
        )


def effects(audit: Audit, tables: Tables, coarsen: Sequence[Coarsening]) -> tuple[str, ...]:
    """What each of these would do to its column, a sentence each; no file is made.

    Raises
    ------
    DesignError, ParameterError
        There is no release, or a column cannot be made coarser so.
    """
    text, release = _release(audit, tables)
    return tuple(effect(coarsen_column(text, release, coarsening)[1]) for coarsening in coarsen)


def effect(done: CoarsenedColumn) -> str:
    """What a coarsening does to its column, in a sentence."""
    values = counted(done.before, "{n:,} value becomes", "{n:,} different values become")
    share = wording.percent(done.changed / max(done.rows, 1))
    what = say("{values} {after:,}; {share} of the cells change", values=values, after=done.after, share=share)
    if done.moved is not None and done.changed:
        what = say("{what}, by {moved} in the middle", what=what, moved=f"{done.moved:.4g}")
    rows = counted(done.fewest, "{n:,} row", "{n:,} rows")
    if done.coarsening.how == RARE and not done.changed:
        return say("Nothing changes: the rarest value stands in {rows}.", rows=rows)
    return say("{what}. The rarest value left stands in {rows}.", what=what, rows=rows)


# --------------------------------------------------------------------------------------------------------------
# The new audit


def mend_audit(audit: Audit, mending: Mending, *, seed: int | None = None) -> Audit:
    """A new audit of the mended release, with the same real table, holdout, limits, columns and provenance.

    Where rows are removed, or a column in use is dropped or made coarser, no method that is known made the release as
    it is then, so its provenance is unknown.

    Raises
    ------
    InputError, DesignError
        The files cannot be read, or the release cannot be changed so.
    """
    tables = audit.tables()
    done = try_mend(audit, tables, mending, seed=seed)
    made = audit.clone(say("{name}, changed", name=audit.name))
    made.load("synthetic", done.content, name=_file_name(audit, "synthetic", _name(mending)))
    if done.removed or {column.name for column in tables.schema.modelled} & set(mending.columns):
        made.set_provenance(UNKNOWN)
    made.change(mended={"of": audit.id, "drop": list(mending.drop), "left_out": []})
    return made


def without_people(audit: Audit, rows: Sequence[int], *, seed: int | None = None) -> Audit:
    """A new audit of a release that the same method makes anew from the real table without these rows.

    The rows leave the real table of the new audit too: these people were not in. Everything else is as
    :func:`mend_audit` has it.

    Parameters
    ----------
    rows
        Row numbers of the real table, from 0.
    seed
        What the new release follows from; drawn fresh where it is not given.

    Raises
    ------
    DesignError, ParameterError
        Nobody said which method made the release, it cannot be run here, or such a row is not there.
    """
    tables, text = audit.tables(), audit.text("real")
    if text is None or tables.synthetic is None:
        raise DesignError.phrase("No release is loaded; load it on the Data page.")
    refuse_several(tables)
    if not audit.provenance.is_known:
        raise DesignError.phrase("To leave people out the release is made anew. Say first which method made it.")
    out = _check(rows, len(tables.real))
    generator = registry.parse("generators", audit.provenance.method)
    registry.check_ready(generator)
    kept = np.delete(np.arange(len(tables.real)), out)
    root = secrets.randbits(SEED_BITS) if seed is None else seed
    fitted = generator.fit(tables.real.rows(kept), stream(root, "mend", "fit"))
    release = fitted.sample(len(tables.synthetic), stream(root, "mend", "sample"))
    made = audit.clone(say("{name}, fewer people", name=audit.name))
    made.load("real", to_csv(take(text, kept)), name=_file_name(audit, "real", "fewer"))
    made.load("synthetic", write.to_csv(release), name=_file_name(audit, "synthetic", "fewer"))
    made.change(mended={"of": audit.id, "drop": [], "left_out": out})
    return made


def _check(rows: Sequence[int], total: int) -> list[int]:
    out = sorted(set(map(int, rows)))
    if not out:
        raise DesignError.phrase("Nobody is left out. Name at least one row of the real table.")
    if out[0] < 0 or out[-1] >= total:
        raise DesignError.phrase("The real table has the rows 0 to {last:,}; name rows among them.", last=total - 1)
    if total - len(out) < LEAST_ROWS:
        raise DesignError.phrase("An audit needs at least {least} people. Leave fewer out.", least=LEAST_ROWS)
    return out


def _name(mending: Mending) -> str:
    """What was done, as part of the name of a file, so that two repairs have two names."""
    if mending.columns:
        return "mended"
    return "without_copies" if mending.copies else "shuffled"


def _file_name(audit: Audit, slot: str, what: str) -> str:
    """The name of the new file: that of the old one, and what was done to it."""
    return f"{PurePath(str(audit.files[slot]['name'])).name.partition('.')[0]}_{what}.csv"


# --------------------------------------------------------------------------------------------------------------
# The same questions again


def ask_again(audit: Audit, made: Audit, *, workers: int = 1) -> Again:
    """Start in the new audit what the old one has answered about its release; what stands on a method is left where
    that method did not make the new release.

    Raises
    ------
    InputError, DesignError
        The files of the old audit cannot be read.
    """
    before = build_given(audit.name, audit.tables(), (), audit.provenance, give_aways=(), kept={})
    after = replace(before, provenance=made.provenance)
    started, left = [], []
    revision = audit.revision
    plans = []
    for run in audit.runs():
        with suppress(RiskkitError):  # of another version, or of a plug-in that is no longer here
            if run.state == "finished" and run.revision == revision and _is_about(plan_of(run), before):
                plans.append(plan_of(run))
    for plan in reversed(plans):
        title = question(plan.question).title
        if not _is_about(plan, after):
            left.append(say("{question} asks about a method, and no method made this file.", question=title))
        elif made.mending.get("left_out") and plan.names_rows:
            left.append(say("{question} names rows by their numbers, which have moved.", question=title))
        elif (narrower := plan.without(tuple(made.mending.get("drop", ())))) is None:
            left.append(say("{question} asks about columns that are gone.", question=title))
        else:
            started.append(made.start(narrower, workers=workers))
    return Again(tuple(started), tuple(dict.fromkeys(left)))


def _is_about(plan: Plan, facts: Given) -> bool:
    """Whether what is asked says anything of that release."""
    return question(plan.question).is_about(Played(plan.question, "", "finished", plan.as_dict(), None), facts)


# --------------------------------------------------------------------------------------------------------------
# What was made of an audit before


def find_mended(audits: Iterable[Audit], audit: Audit) -> list[Audit]:
    """Of these audits those whose release was made from that of ``audit``; a damaged one hides no other."""
    matching = []
    for candidate in audits:
        with suppress(RiskkitError):
            if candidate.mending.get("of") == audit.id:
                matching.append(candidate)
    return matching
