"""Identifiers carried over: a planted one is caught, whatever it looks like; made anew they are nobody's concern."""

import base64
import hashlib
import ipaddress
import uuid
from collections.abc import Callable

import numpy as np
import pytest

from riskkit.audit.give_aways import look
from riskkit.core import Kind, Role
from riskkit.games import identifiers
from riskkit.games.identifiers import Carried, carried_identifiers
from riskkit.judging.give_aways import GiveAway, State, sentence
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables
from tests.table.files import loaded

N = 300
FIRST = [f"Given{index:02d}" for index in range(40)]
LAST = [f"Family{index:02d}" for index in range(40)]
Maker = Callable[[np.random.Generator], list[str]]


def _sparse(rng: np.random.Generator) -> list[str]:
    return [str(number) for number in rng.choice(900_000, N, replace=False) + 100_000]


def _dense(rng: np.random.Generator) -> list[str]:
    return [str(number) for number in rng.choice(600, N, replace=False) + 1_000]


def _hex(rng: np.random.Generator) -> list[str]:
    return [uuid.UUID(bytes=rng.bytes(16)).hex for _ in range(N)]


def _codes(rng: np.random.Generator) -> list[str]:
    return [f"P-{number:04d}" for number in rng.choice(2_000, N, replace=False)]


def _people(rng: np.random.Generator) -> list[str]:
    every = [f"{first} {last}" for first in FIRST for last in LAST]
    return [every[place] for place in rng.choice(len(every), N, replace=False)]


def _counted(_: np.random.Generator) -> list[str]:
    return [str(index + 1) for index in range(N)]


MAKERS: dict[str, Maker] = {
    "sparse numbers": _sparse, "dense numbers": _dense, "hexadecimal": _hex, "codes": _codes, "names": _people,
    "counted": _counted,
}  # fmt: skip


def carried(real: list[str], release: list[str], seed: int = 0, holdout: list[str] | None = None) -> Carried:
    """The column ``id`` of three files whose other columns are drawn apart from one another."""
    rng = np.random.default_rng((seed, 99))

    def columns(ids: list[str]) -> dict[str, list[str]]:
        age = [str(value) for value in rng.integers(20, 80, len(ids))]
        ward = [f"w{value}" for value in rng.integers(0, 6, len(ids))]
        return {"age": age, "ward": ward, "id": ids}

    return of(loaded(columns(real), columns(release), None if holdout is None else columns(holdout)))


def of(tables: Tables) -> Carried:
    (result,) = carried_identifiers(tables, np.random.default_rng(7))
    return result


@pytest.mark.parametrize("kind", MAKERS)
def test_identifiers_made_anew_are_not_told_to_be_carried_over(kind: str) -> None:
    make = MAKERS[kind]
    for seed in range(5):
        rng = np.random.default_rng((seed, 1))
        result = carried(make(rng), make(rng), seed)
        assert not result.is_shown, (seed, result)


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind != "counted"])
def test_identifiers_taken_from_real_people_are_seen(kind: str) -> None:
    """Half of them; of dense numbers, two of three of which are somebody's anyway, all."""
    make = MAKERS[kind]
    rng = np.random.default_rng(5)
    real, anew = make(rng), make(rng)
    release = real[::-1] if kind == "dense numbers" else real[: N // 2] + anew[: N // 2]
    result = carried(real, release)
    assert result.is_beyond_chance
    assert not result.is_link, "the rows have nothing to do with each other"
    assert result.shared >= N // 2
    assert result.shared > 1.3 * result.expected


def test_counted_rows_that_keep_their_place_are_linked_by_their_number() -> None:
    """Row i is row i with its age kept: the number leads from the one to the other."""
    rng = np.random.default_rng(3)
    age, ids = [str(value) for value in rng.integers(20, 80, N)], [str(index + 1) for index in range(N)]
    wards = [[f"w{value}" for value in rng.integers(0, 6, N)] for _ in range(2)]
    order = rng.permutation(N)
    real = {"age": age, "ward": wards[0], "id": ids}
    release = {"age": [age[row] for row in order], "ward": wards[1], "id": [ids[row] for row in order]}
    result = of(loaded(real, release))
    assert (result.is_beyond_chance, result.is_link) == (False, True)
    # of two columns the age agrees always, the ward in one pair of six: (1 + 1/6) / 2
    assert result.here == pytest.approx(7 / 12, abs=0.02)


def test_names_that_the_holdout_shares_as_often_are_chance() -> None:
    """Drawn from few names, whoever is asked about: without the holdout one letter off would seem to be the rule."""
    rng = np.random.default_rng(8)
    pool = [f"Name{chr(97 + index % 26)}{chr(97 + index // 26)}" for index in range(600)]
    real, release, holdout = ([pool[place] for place in rng.choice(600, N, replace=False)] for _ in range(3))
    assert not carried(real, release, holdout=holdout).is_shown


def test_the_fault_of_taking_every_shared_number_for_a_carried_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: no chance allowed for."""
    monkeypatch.setattr(identifiers, "_nearly", lambda asked, rng: [iter(["x"] * 1000)])
    rng = np.random.default_rng(1)
    assert carried(_dense(rng), _dense(rng)).is_shown


def test_the_fault_of_allowing_for_too_much_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: whatever stands in the real table counts as nearly the same."""
    monkeypatch.setattr(identifiers, "_steps", lambda asked, unit: iter(asked))
    real = _sparse(np.random.default_rng(2))
    assert not carried(real, real[: N // 2] + ["77"] * (N // 2)).is_beyond_chance


def test_a_release_without_identifiers_carries_nothing() -> None:
    rng = np.random.default_rng(4)
    real = {"age": [str(value) for value in rng.integers(20, 80, N)], "id": _sparse(rng)}
    assert carried_identifiers(loaded(real), np.random.default_rng(0)) == ()


# --------------------------------------------------------------------------------------------------------------
# Spelled otherwise, names, and times

SPELLED: dict[str, tuple[Maker, Callable[[str], str]]] = {
    "with dashes": (_hex, lambda own: str(uuid.UUID(own))),
    "in small letters": (_codes, str.lower),
    "without zeros": (_codes, lambda own: f"p{int(own[2:])}"),
    "as decimals": (_sparse, lambda own: f"{own}.0"),
    "with zeros": (_sparse, lambda own: own.zfill(9)),
    "last name first": (_people, lambda own: ", ".join(reversed(own.upper().split()))),
}  # fmt: skip


@pytest.mark.parametrize("kind", SPELLED)
def test_identifiers_of_real_people_are_seen_however_they_are_spelled(kind: str) -> None:
    """All of them, in another order of rows; made anew and so spelled they are chance."""
    make, spell = SPELLED[kind]
    rng = np.random.default_rng(6)
    real, anew, others = make(rng), make(rng), make(rng)
    seen = carried(real, [spell(own) for own in real[::-1]], holdout=others)
    assert (seen.shared, seen.of) == (N, N)
    assert seen.is_beyond_chance
    assert not carried(real, list(map(spell, anew)), holdout=others).is_shown


def _addresses(rng: np.random.Generator) -> list[str]:
    return [f"{FIRST[number % 40]}.{number}@example.org" for number in rng.choice(90_000, N, replace=False)]


def _telephones(rng: np.random.Generator) -> list[str]:
    return [f"+49 30 {number}" for number in rng.choice(9 * 10**6, N, replace=False) + 10**6]


def _accounts(rng: np.random.Generator) -> list[str]:
    return [f"DE{rng.integers(10, 99)}{number}" for number in rng.choice(9 * 10**17, N) + 10**17]


def _internet(rng: np.random.Generator) -> list[str]:
    return [".".join(map(str, rng.integers(1, 255, 4))) for _ in range(N)]


def _digest(name: str, length: int = 128) -> Callable[[str], str]:
    return lambda own: hashlib.new(name, own.encode()).hexdigest()[:length]


DISGUISED: dict[str, tuple[Maker, Callable[[str], str]]] = {
    "hashed": (_sparse, _digest("md5")),
    "hashed and cut short": (_hex, _digest("sha256", 12)),
    "to the base of 64": (_sparse, lambda own: base64.b64encode(own.encode()).decode()),
    "hexadecimal": (_sparse, lambda own: hex(int(own))),
    "moved": (_sparse, lambda own: str(int(own) + 1_234_567)),
    "turned round": (_sparse, lambda own: own[::-1]),
    "its second half first": (_hex, lambda own: own[6:] + own[:6]),
    "hashed in small letters": (_addresses, lambda own: hashlib.sha256(own.lower().encode()).hexdigest()),
    "behind a prefix": (_sparse, "P-{}".format),
    "behind a title": (_people, "Dr. {}".format),
    "one digit more": (_hex, lambda own: own + own[3]),
    "at another address": (_addresses, lambda own: own.replace("example.org", "made-up.net")),
    "with a tag": (_addresses, lambda own: own.replace("@", "+x@")),
    "telephone at home": (_telephones, lambda own: f"030/{own[7:10]} {own[10:]}"),
    "account behind stars": (_accounts, lambda own: f"{own[:4]} **** **** {own[-8:-4]} {own[-4:]}"),
    "internet address as a number": (_internet, lambda own: str(int(ipaddress.ip_address(own)))),
}


@pytest.mark.parametrize("kind", DISGUISED)
def test_identifiers_of_real_people_are_seen_in_disguise(kind: str) -> None:
    """Half of them; made anew and so disguised they are chance, whether there is a holdout or none."""
    make, disguise = DISGUISED[kind]
    rng = np.random.default_rng(6)
    real, anew, others = make(rng), make(rng), make(rng)
    seen = carried(real, list(map(disguise, [*real[: N // 2], *anew[N // 2 :]]))[::-1], holdout=others)
    assert seen.is_beyond_chance
    assert seen.is_disguised
    assert seen.shared >= N // 3
    for beside in (others, None):
        if not (beside is None and make is _people):  # names are chance beside a holdout alone
            assert not carried(real, list(map(disguise, anew)), holdout=beside).is_shown


def test_the_most_frequent_difference_of_short_numbers_is_chance() -> None:
    """Of some 100,000 differences one is met thrice as often as most, and the next nearly as often."""
    rng = np.random.default_rng(3)
    real, anew = ([str(number) for number in rng.choice(90_000, 700, replace=False) + 10_000] for _ in range(2))
    assert identifiers.most_frequent_shift(real, anew) == 0
    assert identifiers.most_frequent_shift(real, [str(int(own) - 77) for own in real[:100]] + anew[100:]) == 77


def test_a_disguise_is_said() -> None:
    rng = np.random.default_rng(6)
    real = _sparse(rng)
    rows = {"age": [str(value) for value in rng.integers(20, 80, N)]}
    noticed = look(loaded({**rows, "id": real}, {**rows, "id": [own[::-1] for own in real]}))
    (column,) = [entry for entry in noticed if entry.code == "identifiers"]
    assert column.state is State.SHOWN
    assert "hashed, in another order of letters, cut short" in sentence(column)


def _times(rng: np.random.Generator, step: int = 1) -> np.ndarray:
    """Times of 300 days, by office hours of working days, on a grid of so many seconds."""
    days = rng.choice([day for day in range(300) if day % 7 < 5], N)
    return np.datetime64("2024-01-01T08:00:00") + days * 86_400 + rng.integers(0, 36_000 // step, N) * step


@pytest.mark.parametrize("step", [1, 60, 300])
@pytest.mark.parametrize("clock", [0, 5400])
def test_times_of_real_people_are_seen_by_whatever_clock(step: int, clock: int) -> None:
    rng = np.random.default_rng(step)
    real, others = _times(rng, step), _times(rng, step)
    release = rng.permutation(real) + np.timedelta64(clock, "s")
    result = carried(list(map(str, real)), list(map(str, release)), holdout=list(map(str, others)))
    assert result.shared == result.of
    assert (result.is_beyond_chance, result.is_link, result.column) == (True, False, "id")


@pytest.mark.parametrize("step", [1, 60, 300])
@pytest.mark.parametrize("beside", [True, False], ids=["holdout", "no holdout"])
def test_times_of_other_people_are_chance(step: int, beside: bool) -> None:
    """Working days and office hours in common, and the same grid; three draws each, at one in a thousand."""
    for seed in range(3):
        rng = np.random.default_rng((seed, step))
        real, release, others = (list(map(str, _times(rng, step))) for _ in range(3))
        result = carried_identifiers(
            loaded({"id": real}, {"id": release}, {"id": others} if beside else None), np.random.default_rng(7)
        )
        assert not any(column.is_shown for column in result), (seed, result)


def test_names_that_attacks_leave_out_are_looked_at_and_open_without_a_holdout() -> None:
    """Short texts that nearly all differ, named as nothing in particular."""
    rng = np.random.default_rng(9)
    real, anew, others = _people(rng), _people(rng), _people(rng)

    def entry(release: list[str], holdout: list[str] | None) -> GiveAway:
        def file(names: list[str]) -> dict[str, list[str]]:
            return {"age": [str(value) for value in rng.integers(20, 80, N)], "who": names}

        looked_at = look(loaded(file(real), file(release), None if holdout is None else file(holdout)))
        (give_away,) = (entry for entry in looked_at if entry.code == "identifiers")
        return give_away

    assert entry(real[::-1], others).state is State.SHOWN
    open_one = entry(real[::-1], None)
    assert open_one.state is State.OPEN
    assert sentence(open_one).endswith("cannot be said without a holdout.")
    assert entry(anew, others).state is State.NOT_SHOWN


@pytest.mark.parametrize("copied", [N, 0])
def test_times_in_another_zone_give_away_those_whose_they_are(copied: int) -> None:
    """The same instants by the clock of Tokyo; and times of nobody in particular."""
    rng = np.random.default_rng(10)
    real, anew, others = (_times(rng) for _ in range(3))

    def entry(release: np.ndarray) -> GiveAway:
        tokyo = [f"{moment}+09:00".replace("T", " ") for moment in release + np.timedelta64(9, "h")]
        looked_at = look(
            loaded(
                *({"age": [20 + row % 50 for row in range(N)], "seen": own} for own in (utc(real), tokyo, utc(others)))
            )
        )
        (give_away,) = (entry for entry in looked_at if entry.code == "identifiers")
        return give_away

    def utc(moments: np.ndarray) -> list[str]:
        return [f"{moment}Z" for moment in moments]

    seen = entry(rng.permutation(real) if copied else anew)
    assert seen.state is (State.SHOWN if copied else State.NOT_SHOWN)
    assert seen.figures["shared"] >= copied
    assert (seen.figures["of"], seen.figures["column"]) == (len(set(real if copied else anew)), "seen")


# --------------------------------------------------------------------------------------------------------------
# In another column, or within texts


def _short(rng: np.random.Generator) -> list[str]:
    return [str(number) for number in rng.choice(6_750, N, replace=False) + 1_000]


def _elsewhere(release: list[str], real: list[str], others: list[str] | None, where: str) -> Carried | None:
    """What is shown of a release that has these identifiers in the column ``where``."""
    rng = np.random.default_rng(12)

    def file(ids: list[str], other: list[str]) -> dict[str, list[str]]:
        case = [str(number) for number in rng.choice(9 * 10**7, N, replace=False) + 10**7]
        words = [" ".join(rng.choice(FIRST, 8)) for _ in range(N)]
        notes = [
            f"{text}, see scan {own}; room {number}." for text, own, number in zip(words, other, case, strict=True)
        ]
        age = [str(value) for value in rng.integers(20, 80, N)]
        return {"age": age, "id": ids, "case": other if where == "case" else case, "note": notes}

    released, holdout = file(_sparse(rng), release), None if others is None else file(others, _codes(rng))
    chosen = {
        "id": ColumnChoice(kind=Kind.ID),
        "case": ColumnChoice(kind=Kind.ID),
        "note": ColumnChoice(role=Role.TEXT),
    }
    if where == "note without identifiers":
        chosen.pop("id")
        released.pop("id")
    every = carried_identifiers(loaded(file(real, _codes(rng)), released, holdout, **chosen), rng)
    return next((column for column in every if column.is_shown), None)


@pytest.mark.parametrize("where", ["case", "note", "note without identifiers"])
@pytest.mark.parametrize("beside", [True, False], ids=["holdout", "no holdout"])
@pytest.mark.parametrize("make", [_sparse, _short])
def test_identifiers_of_real_people_are_seen_in_other_columns_and_in_texts(
    where: str, beside: bool, make: Maker
) -> None:
    """All of them, in another order; as many made anew are chance."""
    rng = np.random.default_rng(6)
    real, anew, others = make(rng), make(rng), make(rng)
    seen = _elsewhere(real[::-1], real, others if beside else None, where)
    assert seen is not None
    assert (seen.column, seen.other) == (where.split(" ", maxsplit=1)[0], "id")
    assert seen.shared >= N
    assert _elsewhere(anew, real, others if beside else None, where) is None


def test_the_fault_of_taking_short_numbers_within_texts_for_those_of_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: no chance allowed for, where some made anew are somebody's."""
    rng = np.random.default_rng(6)
    real, anew = _short(rng), _short(rng)
    assert _elsewhere(anew, real, None, "note") is None
    monkeypatch.setattr(identifiers, "_nearly", lambda asked, rng: [iter(["x"] * 1000)])
    assert _elsewhere(anew, real, None, "note") is not None


@pytest.mark.parametrize("beside", [True, False], ids=["holdout", "no holdout"])
def test_names_within_texts_are_taken_for_names(beside: bool) -> None:
    """Without a holdout it is open whose they are, as of names in a column of their own."""
    rng = np.random.default_rng(4)
    letters = str.maketrans("0123456789", "abcdefghij")
    real, others = ([name.translate(letters) for name in _people(rng)] for _ in range(2))
    seen = _elsewhere(real[::-1], real, others if beside else None, "note")
    assert seen is not None
    assert (seen.kind, seen.holdout_share is None) == (Kind.TEXT, not beside)
