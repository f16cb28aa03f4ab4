"""The best of several models for a secret: one of those named, chosen by other people, put together as one guess."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Column, Kind, Schema, Table
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE, WITHOUT, AttributeArms, AttributeQuestion, play
from riskkit.questions.attributes.outcome import parts_of_people, play_best, put_together
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.seeds import stream
from riskkit.table.load import Tables

MODELS = "copy", "linear"
"""Beside the one that looks rows up, which finds none here."""
PLAN = AttributePlan(("job",), model="best", sweep_model="cap", seed=4)


def people(n: int, seed: int) -> Table:
    """A place that tells half of the job, a number that tells nothing but who it is."""
    rng = np.random.default_rng(seed)
    job = rng.integers(0, 4, n)
    place = np.where(rng.random(n) < 0.5, job, rng.integers(0, 4, n))
    levels = tuple("abcd")
    schema = Schema(
        (
            Column("place", Kind.CATEGORICAL, levels=levels),
            Column("weight", Kind.NUMERIC, low=0.0, high=1.0, mean=0.5, sd=0.3, decimals=6),
            Column("job", Kind.CATEGORICAL, levels=levels),
        )
    )
    return Table(schema, np.column_stack([place, job]), rng.random((n, 1)))


def tables(copied: float = 0.0, n: int = 300) -> Tables:
    """A release that holds that share of the members, the number a little off, and else other people."""
    real, holdout, others = people(n, 1), people(n, 2), people(n, 3)
    kept = int(copied * n)
    near = Table(real.schema, real.codes[:kept], np.clip(real.numbers[:kept] + 3e-6, 0, 1))
    release = near.plus(others.rows(np.arange(n - kept))) if kept else others
    return Tables(real, release, holdout, real.schema, (), ())


@pytest.fixture(autouse=True)
def _two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = registry.plugins("inference")
    monkeypatch.setattr(registry, "plugins", lambda _: {name: rooms[name] for name in ("cap", *MODELS)})


def answer(tables: Tables, plan: AttributePlan = PLAN) -> dict[str, Any]:
    result = run_attributes(tables, plan).as_dict()
    (compared,) = result["compared"]
    return {**compared, "notes": result["notes"], "estimates": result["estimates"]}


def test_what_remembers_is_chosen_where_rows_are_copied_although_it_guesses_worse() -> None:
    """The line of the population guesses released rows better; the copy finds the members."""
    files = tables(copied=0.7)
    by_members, by_release = answer(files), answer(files, replace(PLAN, best_at="population"))
    assert (by_members["model"], by_members["chosen"]) == ("copy", {"copy": 4})
    assert (by_release["model"], by_release["chosen"]) == ("linear", {})
    assert by_members["residual"]["low"] > by_release["residual"]["high"]
    assert by_members["planted"]["value"] > by_release["planted"]["value"]
    assert any("cross-validation" in note for note in by_release["notes"])


def test_where_all_choose_one_model_it_says_of_everybody_what_that_model_says_by_name() -> None:
    """What compares members with others is about four fifths of the people; those who only choose are left out."""
    chosen, named = answer(tables(copied=0.7)), answer(tables(copied=0.7), replace(PLAN, model="copy"))
    apart = ("residual", "difference", "attributable", "exposed", "exposed_by_chance", "exposed_beyond_chance")
    of_a_side = [
        [
            estimate
            for estimate in each["estimates"]
            if estimate["name"] not in apart and not estimate["name"].endswith("_apart")
        ]
        for each in (chosen, named)
    ]
    assert of_a_side[0] == of_a_side[1]
    assert (chosen["residual"]["n"], named["residual"]["n"]) == (480, 600)
    assert any("only chose the model" in note for note in chosen["notes"])


def test_without_a_holdout_the_release_chooses() -> None:
    kept = answer(replace(tables(), holdout=None))
    assert (kept["model"], kept["residual"], kept["chosen"]) == ("linear", None, {})
    assert any("cross-validation on the release alone" in note for note in kept["notes"])


def answers_of(tables: Tables, name: str) -> AttributeArms:
    deal = PLAN.deal(tables)
    question = AttributeQuestion("job", ("place", "weight"), registry.make("inference", name))
    return play(deal.release, deal.members, deal.control, question, stream(1, "t"), out_of_fold=True)


def test_people_of_a_part_are_guessed_by_its_model_and_nobody_by_two() -> None:
    copy, line = (answers_of(tables(), name) for name in MODELS)
    part = parts_of_people(copy, stream(1, "parts"))
    both = put_together([copy, line, copy, line, line], part)
    for trained_on in (RELEASE, WITHOUT):
        for side in (MEMBERS, CONTROL):
            of_copy, of_line, joined = (answers.arm(trained_on, side) for answers in (copy, line, both))
            is_copy = np.isin(part[side], [0, 2])
            assert (joined.guess == np.where(is_copy, of_copy.guess, of_line.guess)).all()
            assert joined.probability is not None
            assert of_line.probability is not None
            assert (joined.probability[~is_copy] == of_line.probability[~is_copy]).all()
            assert (joined.truth == of_copy.truth).all()


def test_copies_of_a_record_share_a_part_and_sides_are_dealt_alike() -> None:
    real, holdout = people(100, 1), people(100, 2)
    twice = holdout.plus(real.rows(np.arange(40)))
    tables = Tables(real.plus(real.rows(np.arange(30))), people(100, 3), twice, real.schema, (), ())
    answers = answers_of(tables, "copy")
    part = parts_of_people(answers, stream(1, "parts"))
    where: dict[int, int] = {}
    for side in (MEMBERS, CONTROL):
        for record, own in zip(answers.arm(RELEASE, side).cluster, part[side], strict=True):
            assert where.setdefault(int(record), int(own)) == own
    counts = [np.bincount(part[side], minlength=5) for side in (MEMBERS, CONTROL)]
    assert all(abs(side - side.mean()).max() < 12 for side in counts)
    assert len(set(where.values())) == 5


def test_every_part_has_a_model_and_the_one_chosen_most_often_gives_its_name() -> None:
    models = [registry.make("inference", name) for name in MODELS]
    best = play_best(PLAN.deal(tables()), "job", ("place", "weight"), models, PLAN, ("t",), in_detail=False)
    assert sum(best.times.values()) == len(best.chosen) - 1 == 4
    assert best.times[best.model.name] == max(best.times.values())


def test_rows_in_another_order_are_the_same_people() -> None:
    files = tables(copied=0.3)
    order = np.random.default_rng(5).permutation(len(files.real))
    turned = replace(files, real=files.real.rows(order))
    assert answer(files)["residual"] == answer(turned)["residual"]
