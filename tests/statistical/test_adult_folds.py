"""What a model of the real data reaches about people it has not seen is what anybody measures who deals rows into five.

Adult with four known columns: of 5,000 people most are equal to somebody in all of them. The yardstick looks rows up by
itself, over folds that scikit-learn deals.
"""

from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold

from riskkit.core import Bools, Schema, Table
from riskkit.games.attribute import CONTROL, MAJORITY, MEMBERS, REAL, WITHOUT, AttributeArms, AttributeQuestion, play
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.registry import parse
from riskkit.table.load import Tables
from tests.tables import adult, needs_adult

pytestmark = needs_adult

KNOWN, SECRET = ("age", "sex", "education-num", "hours-per-week"), "income"
PEOPLE = 5000


@cache
def tables() -> tuple[Table, Table, Table]:
    """Members, control and other people, with the five columns alone."""
    whole = adult(45_222)
    columns = tuple(whole.schema.column(name) for name in (*KNOWN, SECRET))
    schema = Schema(columns)
    codes = [[column.name for column in whole.schema.categorical].index(column.name) for column in schema.categorical]
    numbers = [[column.name for column in whole.schema.numeric].index(column.name) for column in schema.numeric]
    few = Table(schema, whole.codes[:, codes], whole.numbers[:, numbers])
    order = np.random.default_rng(4).permutation(len(few))
    members, control, others = (few.rows(order[part * PEOPLE :][:PEOPLE]) for part in range(3))
    return members, control, others


@cache
def plain() -> tuple[np.ndarray, np.ndarray]:
    """(n, 4) what is known of the members, and (n,) their income."""
    members = tables()[0]
    place = [column.name for column in members.schema.categorical].index(SECRET)
    return np.column_stack([np.delete(members.codes, place, axis=1), members.numbers]), members.codes[:, place]


def looked_up() -> Bools:
    """(n,) whom the most frequent income of those who agree in all four columns tells, else that of all; five folds."""
    known, secret = plain()
    right = np.zeros(len(secret), dtype=bool)
    for train, test in KFold(5, shuffle=True, random_state=1).split(known):
        common = Counter(secret[train].tolist()).most_common(1)[0][0]
        votes: dict[tuple[float, ...], Counter[int]] = defaultdict(Counter)
        for row in train:
            votes[tuple(known[row])][int(secret[row])] += 1
        for row in test:
            votes_of_row = votes.get(tuple(known[row]))
            # of two as frequent ones the first, as the model says them
            guess = (
                common if votes_of_row is None else min(votes_of_row, key=lambda level: (-votes_of_row[level], level))
            )
            right[row] = guess == secret[row]
    return right


def of_a_forest() -> Bools:
    """(n,) whom scikit-learn's forest tells, five folds."""
    known, secret = plain()
    right = np.zeros(len(secret), dtype=bool)
    for train, test in KFold(5, shuffle=True, random_state=1).split(known):
        grown = RandomForestClassifier(100, random_state=1).fit(known[train], secret[train])
        right[test] = grown.predict(known[test]) == secret[test]
    return right


def answers(model: str) -> AttributeArms:
    members, control, others = tables()
    question = AttributeQuestion(SECRET, KNOWN, parse("inference", model))
    return play(others, members, control, question, np.random.default_rng(0), out_of_fold=True)


def check_five_folds(arms: AttributeArms, yardstick: Bools) -> None:
    """Within three standard errors of the difference on the same people, of which the folds are one more chance."""
    right = arms.arm(REAL, MEMBERS).right
    error = np.sqrt(2 * np.mean((right - yardstick) ** 2) / PEOPLE)
    assert abs(right.mean() - yardstick.mean()) < 3 * error
    assert error < 0.01
    assert right.mean() > arms.arm(MAJORITY, MEMBERS).right.mean()


def test_a_look_up_is_right_as_often_as_in_five_folds() -> None:
    check_five_folds(answers("cap"), looked_up())


@pytest.mark.slow
def test_a_forest_is_right_as_often_as_in_five_folds() -> None:
    check_five_folds(answers("forest:leaf=1"), of_a_forest())


@pytest.mark.slow
def test_the_audit_says_the_same() -> None:
    members, control, others = tables()
    files = Tables(members, others, control, members.schema, (), ())
    estimates = run_attributes(files, AttributePlan((SECRET,), (KNOWN,), model="cap")).as_dict()["estimates"]
    reached = {
        (e["trained_on"], e["tested_on"]): e["value"]
        for e in estimates
        if e["name"] == "accuracy" and e["model"] == "cap"
    }
    assert reached[REAL, MEMBERS] == pytest.approx(looked_up().mean(), abs=0.01)
    assert reached[REAL, MEMBERS] == pytest.approx(reached[REAL, CONTROL], abs=0.02)
    assert WITHOUT not in {e.get("trained_on") for e in estimates}
