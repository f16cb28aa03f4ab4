"""The exposure of every single record, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.language import phrase
from riskkit.questions import Question
from riskkit.questions.parts import TRAININGS
from riskkit.questions.records import present
from riskkit.questions.records.certificate import is_certified
from riskkit.questions.records.plan import SUBSETS, RecordsPlan, usual_way
from riskkit.questions.records.play import forecast, run_records
from riskkit.questions.records.refusals import is_bounded
from riskkit.questions.records.result import RecordsResult
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import example

DESIGNS: Mapping[Effort, Mapping[str, Any]] = {
    Effort.QUICK: {"records": "top:5+random:5", "inside": 40, "outside": 40, "shadows": 20, "again": 0},
    Effort.STANDARD: {"records": "top:50+random:50", "inside": 200, "outside": 200, "shadows": 100, "again": 10},
    Effort.THOROUGH: {"records": "all", "inside": 500, "outside": 500, "shadows": 100, "again": 20},
}
"""Who is asked about, and how often the method is trained."""


MOST = 2_000
"""People who are asked about then, at most."""


def standard(situation: Situation) -> RecordsPlan | None:
    """The model-seeded game for those who stand out and for some at random, where the method is known.

    Where a training takes long a few of them serve everybody, on random parts of the people: of one release, also where
    there are several, since with and without each person it would train tens of thousands of times.
    With certificates where the method has them, or with the bound of its noise, which is known for single rows alone.
    """
    if not situation.made_by:
        return None
    generator, persons = registry.parse("generators", situation.made_by), situation.tables.persons
    has_several = persons is not None and persons.has_several_rows
    people = len(situation.tables.real) if persons is None else len(np.unique(persons.real))
    if usual_way(situation.made_by) == SUBSETS:
        return RecordsPlan(
            generator=situation.made_by,
            n_syn=situation.rows,
            by=SUBSETS,
            second_table=situation.trains_both,
            trainings=TRAININGS[situation.effort],
            records="all" if people <= MOST else f"random:{MOST}",
        )
    certified = is_certified(generator) or (is_bounded(generator) and not has_several)
    return RecordsPlan(
        generator=situation.made_by,
        n_syn=situation.rows,
        certificate=certified,
        second_table=situation.trains_both,
        **situation.released,
        **DESIGNS[situation.effort],
    )


QUESTION = Question(
    title=phrase("Records"),
    meaning=phrase(
        "For each of many records: can an attacker who knows all others tell from a release whether it is in the data?"
    ),
    place=20,
    scale="auc",
    remedy=phrase(
        "Make the release again: without exposed people, or from columns made coarser by which they stand out."
    ),
    plan=RecordsPlan,
    main="generator",
    files={
        "synthetic": "table of the release; only its columns and domain are used",
        "holdout": "table of people outside the data, for the traditional game",
    },
    has_second_table=True,
    run=run_records,
    result=RecordsResult,
    forecast=forecast,
    read=present.read,
    view=present.view,
    is_about=present.is_about,
    standard=standard,
    pair=present.pair_runs,
    counts_people=True,
    reads_files=False,
    wants=phrase("the method that made the release, to train it again"),
    example=example(
        phrase("Example: person 17 is recognised in 86 % of cases, persons 4 and 8 are not."),
        phrase("AUC (guessing 0.50)"),
        {
            phrase("person 17"): (0.86, 0.78, 0.92),
            phrase("person 4"): (0.56, 0.46, 0.66),
            phrase("person 8"): (0.49, 0.39, 0.59),
        },
        guess=0.5,
    ),
)
