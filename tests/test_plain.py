"""Results as plain values and back: every form a field can have, written by hand; what is missing is named."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from riskkit.core import Estimate, Ints
from riskkit.errors import StoreError
from riskkit.phrases import phrase
from riskkit.plain import entry, from_plain, people_entries, plain

SHARE = Estimate("share", 0.5, 0.4, 0.6, 0.95, "by hand", 10, {"secret": "job"})


@dataclass(frozen=True, slots=True)
class Place:
    """Stands beside the fields of another."""

    row: int
    column: str


@dataclass(frozen=True, slots=True)
class Half:
    """A count, and the half of it."""

    count: int
    half: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "half", self.count / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """One field of every form."""

    is_shown: bool = field(metadata=entry("shown"))
    share: Estimate | None
    place: Place | None = field(metadata=entry(is_spread=True))
    halves: tuple[Half, ...]
    each: Mapping[str, tuple[Estimate, ...]]
    text: str
    deals: int | None = field(default=None, metadata=entry(is_left_out=True))
    rows: Ints = field(default_factory=lambda: np.arange(0), metadata=entry(of_people=True))
    scratch: object = field(default=None, metadata=entry(is_kept=False))


FULL = Whole(
    True, SHARE, Place(3, "age"), (Half(5),), {"a": (SHARE,)}, phrase("{n} rows", n=2), 9, np.array([4, 1]), {}
)
FORM = {
    "shown": True,
    "share": SHARE.as_dict(),
    "row": 3,
    "column": "age",
    "halves": [{"count": 5, "half": 2.5}],
    "each": {"a": [SHARE.as_dict()]},
    "text": "2 rows",
    "deals": 9,
    "rows": [4, 1],
}


def test_every_form_is_written_as_by_hand_and_read_again() -> None:
    assert plain(FULL) == FORM
    back = from_plain(Whole, json.loads(json.dumps(plain(FULL))))
    assert plain(back) == FORM
    assert (back.share, back.place, back.halves, back.each) == (SHARE, Place(3, "age"), (Half(5),), {"a": (SHARE,)})
    assert back.rows.dtype == np.int64
    assert back.scratch is None, "what is not kept has its default"


def test_what_is_not_there_is_none_where_it_may_be() -> None:
    bare = Whole(False, None, None, (), {}, "")
    form = plain(bare)
    assert form == {"shown": False, "share": None, "halves": [], "each": {}, "text": "", "rows": []}
    back = from_plain(Whole, form)
    assert (back.place, back.deals, back.share) == (None, None, None)
    assert from_plain(Whole, {**form, "row": 3}).place is None, "half a place is none"


@pytest.mark.parametrize("name", ["shown", "share", "halves", "each", "text"])
def test_a_missing_entry_is_named(name: str) -> None:
    with pytest.raises(StoreError, match=f"it has no '{name}'"):
        from_plain(Whole, {key: value for key, value in FORM.items() if key != name})


def test_people_are_named_and_removed_without_harm() -> None:
    assert people_entries(Whole) == {"rows"}
    assert not len(from_plain(Whole, {key: value for key, value in FORM.items() if key != "rows"}).rows)


def test_what_another_wrote_beside_is_left_alone() -> None:
    assert plain(from_plain(Whole, {**FORM, "purged": True})) == FORM
