"""People and their rows: what is one record, what one person, and that nothing changes where each row is a person."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Column, Floats, Ints, Kind, Schema, Table
from riskkit.games import released_deal
from riskkit.games.attribute import MEMBERS, REAL, WITHOUT, AttributeQuestion, play
from riskkit.games.attribute_deal import deal as attribute_deal
from riskkit.games.bags import OfPerson, Whose, in_order, people_of, records_of, rows_of, score_of_people
from riskkit.games.copies import panel
from riskkit.games.give_aways import count_copies
from riskkit.games.released import ComparisonGroup, ReleasedGame
from riskkit.plain import plain
from riskkit.table.people.persons import Persons
from riskkit.table.points import RowPoints
from tests.points import Nearness
from tests.tables import mixed

ROW = np.array([4, 2, 4, 2, 0, 4, 2, 3])
WHO = np.array([1, 1, 0, 0, 5, 3, 9, 3])
"""Person 0 and 1 have rows 2 and 4 each, 3 has 3 and 4, 5 has 0, 9 has 2."""


def test_people_of_equal_rows_are_one_record_and_records_are_in_the_order_of_their_content() -> None:
    # bags by content: (0,) (2,) (2, 4) (3, 4)
    assert records_of(ROW, WHO).tolist() == [2, 2, 2, 2, 0, 3, 1, 3]
    assert people_of(records_of(ROW, WHO), WHO, 5).tolist() == [1, 1, 2, 1, 0]


@pytest.mark.parametrize("seed", range(20))
def test_where_each_row_is_a_person_a_record_is_a_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    row = np.unique(rng.integers(0, 9, 30), return_inverse=True)[1]
    assert records_of(row, rng.permutation(30)).tolist() == row.tolist()


def test_records_depend_on_no_order_of_rows_and_no_name() -> None:
    order = np.random.default_rng(1).permutation(len(ROW))
    again = records_of(ROW[order], (WHO * 7 % 11)[order])
    assert again.tolist() == records_of(ROW, WHO)[order].tolist()


def test_the_rows_of_people_come_person_by_person() -> None:
    assert rows_of(np.array([2, 0, 2, 1, 0]), np.array([2, 0])).tolist() == [0, 2, 1, 4]
    assert rows_of(np.array([0, 0]), np.empty(0, dtype=np.int64)).tolist() == []
    assert in_order(np.array([7, 3, 7, 9, 3])).tolist() == [0, 1, 0, 2, 1]


@pytest.mark.parametrize(
    ("how", "scores"),
    [(OfPerson.MEAN, [2.0, -1.0, 3.0]), (OfPerson.BEST, [3.0, -1.0, 4.0]), (OfPerson.SUM, [4.0, -1.0, 9.0])],
)
def test_a_person_has_one_score_of_all_their_rows(how: OfPerson, scores: list[float]) -> None:
    value, owner = np.array([1.0, 3.0, -1.0, 4.0, 4.0, 1.0]), np.array([0, 0, 1, 2, 2, 2])
    assert score_of_people(value, owner, how).tolist() == scores


# --------------------------------------------------------------------------------------------------------------
# The game on a released file


@dataclass(frozen=True)
class FirstNumber(Nearness):
    """The first number of a row: it sees neither release nor reference."""

    name: ClassVar[str] = "column"

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        return np.nan_to_num(targets.numbers[:, 0])


def three(n: int) -> tuple[Table, Table, Table]:
    """Real, release and holdout: three parts of one table."""
    whole = mixed(3 * n, seed=4)
    real, release, holdout = (whole.rows(slice(index * n, (index + 1) * n)) for index in range(3))
    return real, release, holdout


def files() -> tuple[Table, Table, Table]:
    """The same; some rows stand in two of them, some twice in one."""
    real, release, holdout = three(120)
    return real.plus(real.rows([0, 0, 1])), release, holdout.plus(real.rows([5, 6])).plus(holdout.rows([0]))


def alone(real: Table, holdout: Table) -> Persons:
    """Each row a person, in no order."""
    name = np.random.default_rng(3).permutation(len(real) + len(holdout))
    return Persons("who", name[: len(real)], name[len(real) :])


def parts(game: ReleasedGame) -> list[Any]:
    own = [game.targets.numbers, game.targets.codes, game.owner, game.is_in, game.record, game.row, game.release.codes]
    return [
        *own,
        *(each.part for each in game.references),
        *(rows.codes for each in game.references for rows in each.rows),
    ]


@pytest.mark.parametrize("compared", list(ComparisonGroup))
@pytest.mark.parametrize("most", [40, 1_000])
def test_with_one_row_a_person_the_game_is_the_same(compared: ComparisonGroup, most: int) -> None:
    real, release, holdout = files()
    how = {"compared": compared, "max_rows": most, "seed": 3}
    plain = released_deal.deal(real, release, holdout, **how)  # type: ignore[arg-type]
    named = released_deal.deal(real, release, holdout, **how, persons=alone(real, holdout))  # type: ignore[arg-type]
    for first, other in ((plain, named), (plain.plant(), named.plant())):
        assert all(np.array_equal(a, b) for a, b in zip(parts(first), parts(other), strict=True))
        assert (first.copies, first.replaced) == (other.copies, other.replaced)
    assert [getattr(plain.left_out, name) for name in ("real", "holdout", "evened", "spared")] == [
        getattr(named.left_out, name) for name in ("real", "holdout", "evened", "spared")
    ]


def test_what_describes_and_gives_away_is_the_same_with_one_row_a_person() -> None:
    real, release, holdout = files()
    whose = alone(real, holdout)
    each = [plain(panel(real, release, holdout, np.random.default_rng(1), who)) for who in (None, whose)]
    assert each[0] == each[1]
    assert count_copies(real, release, holdout, np.random.default_rng(1)) == count_copies(
        real, release, holdout, np.random.default_rng(1), whose
    )


def test_the_deal_of_secrets_is_the_same_with_one_row_a_person() -> None:
    real, release, holdout = files()
    for most in (60, 1_000):
        plain = attribute_deal(real, release, holdout, max_rows=most, seed=3)
        named = attribute_deal(real, release, holdout, max_rows=most, seed=3, persons=alone(real, holdout))
        assert plain.apart is not None
        assert named.apart is not None
        assert plain.row.tolist() == named.row.tolist()
        assert plain.apart.members.tolist() == named.apart.members.tolist()
        assert plain.apart.control.tolist() == named.apart.control.tolist()
        assert [whose.record.tolist() for whose in plain.whose] == [whose.record.tolist() for whose in named.whose]
        assert plain.planted is not None
        assert named.planted is not None
        assert (plain.planted.release.keys == named.planted.release.keys).all()
        assert (plain.planted.inside.keys == named.planted.inside.keys).all()


def several(real: Table, holdout: Table, each: int = 3) -> Persons:
    """Rows side by side are one person's; the last person of the real table is the first of the holdout."""
    of_real = np.arange(len(real)) // each
    return Persons("who", of_real, of_real[-1] + np.arange(len(holdout)) // each)


def test_a_person_is_in_or_out_with_all_rows_and_whoever_is_in_both_is_neither() -> None:
    real, release, holdout = three(90)
    game = released_deal.deal(real, release, holdout, max_rows=1_000, seed=3, persons=several(real, holdout))
    assert (game.records(True), game.records(False)) == (29, 29)
    assert (game.left_out.real, game.left_out.holdout) == (3, 3)
    assert np.bincount(game.owner).tolist() == [3] * 58
    for person in range(58):
        table = real if game.is_in[person] else holdout
        rows = table.rows(slice(game.row[person], game.row[person] + 3))
        mine = np.sort(np.nan_to_num(game.targets.rows(game.owner == person).numbers), axis=0)
        assert mine.shape == np.nan_to_num(rows.numbers).shape
        assert len({int(part) for part in game.references[0].part[game.owner == person]}) == 1
    scores = game.scores(FirstNumber())
    assert len(scores) == 58
    assert scores.trainings(True) == 29


def test_a_planted_person_is_planted_with_all_rows_and_few_rows_are_replaced() -> None:
    real, release, holdout = three(240)
    few = release.rows(slice(0, 130))
    planted = released_deal.deal(real, few, holdout, max_rows=1_000, seed=3, persons=several(real, holdout, 12)).plant()
    assert (planted.copies, planted.replaced, planted.records(True)) == (2, 24, 4)  # a fifth of the rows is 26
    assert len(planted.release) == 130


def test_people_have_a_copy_where_one_of_their_rows_has() -> None:
    real, other, holdout = three(30)
    release = other.plus(real.rows([0, 1, 3, 4, 29])).plus(holdout.rows([0, 10]))
    copies = count_copies(real, release, holdout, np.random.default_rng(0), several(real, holdout))
    # real: rows 0 and 1 are one person's, 3 and 4 another's, 29 is of the one who is in both
    assert (copies.k_in, copies.n_in, copies.k_out, copies.n_out, copies.rows) == (2, 9, 1, 9, 5)


def test_no_person_is_learnt_from_for_themselves_when_secrets_are_guessed() -> None:
    real, release, holdout = three(90)
    dealt = attribute_deal(real, release, holdout, max_rows=45, seed=3, persons=several(real, holdout))
    for whose in dealt.whose:
        assert np.unique(whose.person, return_counts=True)[1].tolist() == [3] * 15
        assert len(np.unique(whose.record)) == 15
    assert isinstance(dealt.whose[0], Whose)


def keyed(people: int, first: int) -> tuple[Table, Ints]:
    """Three rows a person, who has a key of their own in all of them; the table and whose each row is."""
    whose = np.repeat(np.arange(people), 3)
    columns = (
        Column("key", Kind.CATEGORICAL, levels=tuple(map(str, range(90)))),
        Column("secret", Kind.CATEGORICAL, levels=("a", "b")),
    )
    number = Column("noise", Kind.NUMERIC, low=0, high=999, sd=1.0)
    codes = np.column_stack([first + whose, whose % 2]).astype(np.int32)
    return Table(Schema((*columns, number)), codes, np.arange(len(whose), dtype=float)[:, None]), whose


def test_a_persons_secret_is_guessed_by_no_model_that_was_taught_their_other_rows() -> None:
    (real, inside), (release, _), (holdout, outside) = keyed(30, 0), keyed(30, 30), keyed(30, 60)
    persons = Persons("who", inside, 30 + outside)
    dealt = attribute_deal(real, release, holdout, max_rows=1_000, seed=3, persons=persons)
    question = AttributeQuestion("secret", ("key",), registry.make("inference", "cap"))
    files = dealt.release, dealt.members, dealt.control
    rng = np.random.default_rng(1)
    matched = {}
    for name, whose in (("people", dealt.whose), ("rows", ())):
        answers = play(*files, question, rng, ceiling=False, out_of_fold=True, whose=whose)
        arms = [answers.arm(REAL, MEMBERS).matched, answers.arm(WITHOUT, MEMBERS).matched]
        matched[name] = [int(arm.sum()) for arm in arms if arm is not None]
    assert matched["people"] == [0, 0]
    assert min(matched["rows"]) > 60, "rows dealt one by one are guessed from the other rows of their person"
