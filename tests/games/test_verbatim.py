"""Long texts that stand in a release word for word, counted by hand; and the give-away that is made of them."""

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from riskkit.audit.give_aways import look
from riskkit.core import Role
from riskkit.games.own_values import Verbatim, verbatim
from riskkit.judging.give_aways import GiveAway, State, repair, sentence, short
from riskkit.table.kinds.choice import ColumnChoice
from tests.released.test_free_text import WORDS, notes
from tests.table.files import loaded

A, B, C, D = (f"this is a text of more than thirty letters, number {index}" for index in range(4))


def test_texts_are_counted_as_by_hand() -> None:
    """Of the real texts A is copied with other spaces; B is in the holdout too; the form stands in two rows; "short" is
    short; C is not released. Of the holdout D is released."""
    form = "please describe in your own words how you feel today"
    own = {
        "real": [A, B, C, form, form, "short", ""],
        "holdout": [B, D, "another text that nobody but this person has written"],
        "synthetic": [f" {A.replace(' ', '  ')}", B, form, "short", D, ""],
    }
    assert verbatim({"note": own}) == (Verbatim("note", k_in=1, n_in=2, k_out=1, n_out=2, has_holdout=True),)


def test_a_text_within_a_longer_one_is_not_word_for_word() -> None:
    (column,) = verbatim({"note": {"real": [A], "synthetic": [f"{A} and more"]}})
    assert (column.k_in, column.n_in, column.has_holdout) == (0, 1, False)


def seen(copied: int, *, holdout: bool = True, people: int = 80) -> GiveAway:
    """The give-away of a release that repeats so many of the real texts."""
    rng = np.random.default_rng(4)
    real, others, new = (notes(people, rng) for _ in range(3))

    def file(texts: Sequence[str]) -> Mapping[str, Sequence[object]]:
        return {"age": rng.integers(20, 90, people).tolist(), "note": texts}

    release, beside = file([*real[:copied], *new[copied:]]), file(others) if holdout else None
    tables = loaded(file(real), release, beside, note=ColumnChoice(role=Role.TEXT))
    give_aways = look(tables)
    (entry,) = (entry for entry in give_aways if entry.code == "texts")
    return entry


def test_texts_of_members_alone_give_people_away() -> None:
    shown = seen(20)
    assert shown.state is State.SHOWN
    assert (shown.figures["k_in"], shown.figures["n_in"], shown.figures["k_out"]) == (20, 80, 0)
    text = sentence(shown)
    assert text.startswith("Of the free text in note, 20 texts of 30 letters or more that one real person alone wrote")
    assert "25 % of such texts in the real table, 0 % in the holdout" in text
    assert text.endswith("The release repeats what people wrote.")
    assert repair(shown) == "Take these texts out of the release, or drop the column."
    assert short(shown)


def test_a_text_or_two_are_not_shown_to_be_more_than_chance() -> None:
    """Of 80 and 80 people 2 members: Fisher's exact test gives 1/4."""
    few = seen(2)
    assert few.state is State.NOT_SHOWN
    assert sentence(few).endswith("That is not shown to be more than chance.")


def test_new_texts_are_none() -> None:
    none = seen(0)
    assert none.state is State.NOT_SHOWN
    assert sentence(none).startswith(
        "No text of 30 letters or more that one real person alone wrote stands in the release"
    )


def test_without_a_holdout_the_question_stays_open() -> None:
    open_one = seen(5, holdout=False)
    assert open_one.state is State.OPEN
    assert sentence(open_one).endswith("cannot be said without a holdout.")


def test_no_sentence_holds_a_text_and_small_counts_may_be_withheld() -> None:
    shown = seen(20)
    assert set(sentence(shown).split()).isdisjoint(WORDS)
    withheld = sentence(shown, lambda _: "fewer than 10", lambda _: "column 2")
    assert "column 2, fewer than 10 texts" in withheld
    assert "%" not in withheld


def objects(people: int, rng: np.random.Generator) -> list[dict[str, object]]:
    """A list of visits, codes and an arm of each person."""
    return [
        {
            "visits": [int(day) for day in rng.integers(1, 365, 4)],
            "codes": [f"E{code}" for code in rng.integers(10, 99, 3)],
            "arm": {"name": str(rng.choice(["a", "b"])), "dose": float(rng.integers(1, 9)), "stop": None},
        }
        for _ in range(people)
    ]


OBJECTS: dict[str, Callable[[dict[str, object]], str]] = {
    "keys in order": lambda own: json.dumps(own, sort_keys=True, separators=(",", ":")),
    "indented": lambda own: json.dumps(dict(reversed(own.items())), indent=2),
    "as Python writes it": repr,
    "keys and values": lambda own: " | ".join(
        f"{key}: {value}".replace(", 'stop': None", "") for key, value in reversed(own.items())
    ),
}  # fmt: skip


@pytest.mark.parametrize("written", OBJECTS)
@pytest.mark.parametrize("copied", [80, 0])
def test_objects_of_members_give_people_away_however_they_are_written(written: str, copied: int) -> None:
    """All 80 real people's objects in the release, and those of new people."""
    rng = np.random.default_rng(5)
    real, others, new = (objects(80, rng) for _ in range(3))
    age = [20 + 7 * row % 61 for row in range(80)]
    release = [OBJECTS[written](own) for own in (real if copied else new)[::-1]]
    files = ([json.dumps(own) for own in real], release, [json.dumps(own) for own in others])
    looked_at = look(loaded(*({"age": age, "events": texts} for texts in files)))
    (entry,) = (entry for entry in looked_at if entry.code == "texts")
    assert entry.state is (State.SHOWN if copied else State.NOT_SHOWN)
    assert (entry.figures["k_in"], entry.figures["n_in"], entry.figures["k_out"]) == (copied, 80, 0)


def test_objects_are_categories_that_meet_whatever_their_spaces() -> None:
    """Of two arms: written with spaces in one file and without in the other, every row is a copy."""
    age = [20 + 7 * row % 61 for row in range(80)]
    arms = [{"arm": "ab"[row % 2], "dose": row % 3} for row in range(80)]
    real, release = [json.dumps(arm) for arm in arms], [OBJECTS["keys in order"](arm) for arm in arms]
    tables = loaded({"age": age, "arm": real}, {"age": age, "arm": release})
    assert tables.synthetic is not None
    assert (tables.real.keys() == tables.synthetic.keys()).all()
    assert "objects_matched" in [problem.code for problem in tables.problems]


def test_small_objects_count_as_well_as_long_texts() -> None:
    """Three numbers: 13 letters, and no two people have the same."""
    rng = np.random.default_rng(6)
    every = [json.dumps({"v": [int(day) for day in rng.integers(100, 999, 3)]}) for _ in range(240)]
    real, others, new = every[:80], every[80:160], every[160:]
    released = [own.replace(" ", "") for own in real[:40] + new[:40]]
    (column,) = verbatim({"events": {"real": real, "holdout": others, "synthetic": released}})
    assert (column.letters, column.k_in, column.n_in, column.k_out, column.n_out) == (8, 40, 80, 0, 80)
