"""The attribute game: what does the release let somebody infer who knows some columns of a person?

An attack model learns from the release to guess a secret column from known ones, and guesses for members (whose rows
the release was made from) and for a control (people of the same population who were not in). Beside it stand the same
model trained on the members themselves, which is what the truth about the population allows (the ceiling), and guesses
without any known column (the baselines). Two of these have the release as their only source, one the answers
themselves: no constant guess is as often right as theirs.

The game deals and grades; it computes no statistic. Its answers do not depend on the order of the rows of any table,
save that of equal rows nobody can say which of them an answer out of fold is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from riskkit.base.threads import single_thread
from riskkit.core import Bools, Codes, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.bags import Whose, in_order
from riskkit.phrases import Phrase, phrase
from riskkit.table.features import (
    NO_GUESS,
    Encoded,
    Features,
    FittedInference,
    Guess,
    Inference,
    KnownAndSecret,
    Secret,
    SecretKind,
    guess_level,
    join_folds,
)

# Why a question about attributes cannot be asked, where more than one place asks.

KINDS = {"category": phrase("category"), "number": phrase("number")}
"""What a secret is."""


def nothing_known(secret: str) -> Phrase:
    """Nothing is left to guess a secret from."""
    return phrase(
        "There is no known column from which {secret!r} could be guessed; name at least one column.", secret=secret
    )


RELEASE, REAL, WITHOUT = "release", "real", "real_without"
MAJORITY, TESTED, DRAW = "baseline_majority", "baseline_tested", "baseline_draw"
"""What an arm was trained on. ``without`` are members without the record that is guessed, and without copies of it;
``majority`` says the release's most frequent level or its median; ``tested`` that of the very people it is tested on;
``draw`` draws from the values of the release."""
MEMBERS, CONTROL = "members", "control"
FOLDS = 5
_WORD = {RELEASE: phrase("release"), MEMBERS: phrase("real table"), CONTROL: phrase("holdout")}


@dataclass(frozen=True, slots=True)
class AttributeQuestion:
    """What is wanted, what is known, and the model that guesses.

    Raises
    ------
    DesignError
        Nothing is known, a column is known twice, or the secret is known.
    """

    secret: str
    known: tuple[str, ...]
    model: Inference

    def __post_init__(self) -> None:
        if not self.known:
            raise DesignError(nothing_known(self.secret))
        if len(set(self.known)) < len(self.known):
            raise DesignError.phrase(
                "A column is named twice among those known when {secret!r} is guessed.", secret=self.secret
            )
        if self.secret in self.known:
            raise DesignError.phrase(
                "Column {secret!r} is both known and secret; make it one of the two.", secret=self.secret
            )


@dataclass(frozen=True, slots=True, eq=False)
class GuessArm:
    """The graded guesses of one training for one table, one entry a record that was asked about.

    Attributes
    ----------
    trained_on, tested_on
        ``release``, ``real``, ``real_without`` or one of the baselines; ``members`` or ``control``.
        ``real`` on members is out of fold: no row was guessed by a model that saw it. Equal rows are different people
        there: with all of them in one fold, what is left of those who are alike is those whose secret differs.
        ``real_without`` compares members with people who were not in: see :meth:`_Deal.without`.
    rows : (n,)
        Where the record stands in its table.
    truth, guess : (n,)
        Codes, -1 for no guess; or numbers. A ``baseline_draw`` has no one guess: codes are -1, numbers NaN.
    cluster, alike : (n,)
        Records that are equal in all columns, or in those that are known, share a number, within and across tables.
        Where people have several rows, all rows of a person are in one cluster, with those of equal people.
    p_truth, confidence : (n,) or None
        Of a category: the probability given to the truth, and to the guess.
    probability : (n, n_levels) or None
        Of a category: the probability given to every level of the frozen domain.
    matched : (n,) or None
        Of models that look rows up: whether anything was found.
    prior : (n_release,) or None
        Of a number under ``baseline_draw``: the values that are drawn from, sorted.
    """

    trained_on: str
    tested_on: str
    rows: Ints
    truth: Codes | Floats
    guess: Ints | Floats
    cluster: Ints
    alike: Ints
    p_truth: Floats | None = None
    confidence: Floats | None = None
    probability: Floats | None = None
    matched: Bools | None = None
    prior: Floats | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def right(self) -> Floats:
        """(n,) of a category, the chance that the guess is right: 0 or 1, and in between for draws.

        Raises
        ------
        DesignError
            The secret is a number; whether a number is right takes a tolerance.
        """
        if self.p_truth is None:
            raise DesignError.phrase("Whether a number is guessed rightly depends on a tolerance; none is known here.")
        return self.p_truth if self.trained_on == DRAW else (self.guess == self.truth).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class AttributeArms:
    """All arms of one question.

    ``left_out`` counts, for ``release``, ``members`` and ``control``, the rows whose number to be guessed is missing:
    they were neither learnt from nor asked about.
    """

    secret: str
    known: tuple[str, ...]
    kind: SecretKind
    n_levels: int
    arms: tuple[GuessArm, ...]
    left_out: Mapping[str, int]

    def arm(self, trained_on: str, tested_on: str) -> GuessArm:
        """The arm of that training and that table; raises :class:`DesignError` where it was not played."""
        for arm in self.arms:
            if (arm.trained_on, arm.tested_on) == (trained_on, tested_on):
                return arm
        raise DesignError.phrase(
            "Nothing was trained on {trained_on} and tested on {tested_on} in this game.",
            trained_on=trained_on,
            tested_on=tested_on,
        )


def play(
    release: Table | Encoded,
    members: Table | Encoded,
    control: Table | Encoded | None,
    question: AttributeQuestion,
    rng: np.random.Generator,
    *,
    ceiling: bool = True,
    out_of_fold: bool = False,
    whose: Sequence[Whose] = (),
) -> AttributeArms:
    """Train, guess and grade; the tables share one schema, and those of many questions are encoded once by the caller.

    ``ceiling`` trains a second model, on the members, and tests it on the control. ``out_of_fold`` trains five more, so
    that each member is guessed by a model that never saw them, and another five where some members are equal. Neither
    changes the other arms. ``whose`` says whose the rows of members are, and of the control: nothing is learnt of a
    person from their other rows, and they are one cluster. Without it equal rows are one record, and each a person.

    Raises
    ------
    DesignError
        A column that does not exist or is not in use, a secret the model cannot guess, or nobody to ask about.
    """
    deal = _Deal.build(release, members, control, question, whose)
    for_release, for_ceiling, for_folds = rng.spawn(3)
    guesses: dict[tuple[str, str], Guess] = {}
    with single_thread():
        guesses |= deal.guesses(RELEASE, RELEASE, deal.test_sides, for_release)
        if ceiling and CONTROL in deal.test_sides:
            guesses |= deal.guesses(REAL, MEMBERS, (CONTROL,), for_ceiling)
        if out_of_fold:
            guesses |= deal.cross_fitted(for_folds)
    for name in deal.test_sides:
        guesses |= deal.baselines(name)
    secret = deal.asked[RELEASE].secret
    return AttributeArms(
        question.secret,
        question.known,
        secret.kind,
        secret.n_levels,
        tuple(deal.grade(trained_on, tested_on, guess) for (trained_on, tested_on), guess in guesses.items()),
        deal.left_out,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Deal:
    """The rows that are asked about, each table in the sorted order of its records, and who is the same record."""

    question: AttributeQuestion
    asked: Mapping[str, KnownAndSecret]
    cluster: Mapping[str, Ints]
    person: Ints
    alike: Mapping[str, Ints]
    left_out: Mapping[str, int]

    @classmethod
    def build(
        cls,
        release: Table | Encoded,
        members: Table | Encoded,
        control: Table | Encoded | None,
        question: AttributeQuestion,
        whose: Sequence[Whose] = (),
    ) -> _Deal:
        handed = {RELEASE: release, MEMBERS: members} | ({} if control is None else {CONTROL: control})
        tables = {name: table if isinstance(table, Encoded) else Encoded(table) for name, table in handed.items()}
        asked = {name: table.ask(question.secret, question.known) for name, table in tables.items()}
        _check(question, asked)
        tested = [name for name in tables if name != RELEASE]
        cluster = {name: own.record[asked[name].at] for name, own in zip(tested, whose, strict=False)}
        cluster = cluster or _number_keys({name: tables[name].keys[asked[name].at] for name in tested})
        person = in_order(whose[0].person[asked[MEMBERS].at]) if whose else np.arange(len(asked[MEMBERS].at))
        alike = _number_keys({name: asked[name].known.keys() for name in tested})
        left_out = {name: len(tables[name]) - len(rows.at) for name, rows in asked.items()}
        return cls(question, asked, cluster, person, alike, left_out)

    @property
    def test_sides(self) -> tuple[str, ...]:
        return tuple(self.cluster)

    def guesses(
        self, trained_on: str, table: str, tested: Sequence[str], rng: np.random.Generator
    ) -> dict[tuple[str, str], Guess]:
        """Train on one table once and guess for others."""
        taught = self.asked[table]
        fitted = self.question.model.fit(taught.known, taught.secret, rng)
        return {
            (trained_on, name): guess
            for name, guess in guess_sides(fitted, {name: self.asked[name].known for name in tested}, rng).items()
        }

    def cross_fitted(self, rng: np.random.Generator) -> dict[tuple[str, str], Guess]:
        """Guesses about people by models of other members: of the members alone, and of both sides to compare them."""
        model, members = self.question.model, self.asked[MEMBERS]
        for_rows, for_records = rng.spawn(2)
        without = self.without(for_records)
        if len(np.unique(self.cluster[MEMBERS])) == len(members.at):  # then rows and records are the same
            return {(REAL, MEMBERS): without[WITHOUT, MEMBERS], **without}
        return {(REAL, MEMBERS): out_of_fold_guess(model, members, FOLDS, for_rows, self.person), **without}

    def without(self, rng: np.random.Generator) -> dict[tuple[str, str], Guess]:
        """Guesses about members and control by the same models, none of which was taught a copy of whom it guesses.

        Members and control are then told apart by nothing but having been in. Each record, in or out, is guessed by
        one of five models, trained on four fifths of the members. A model of all members for the control would know
        more, and what it happens to say would be a difference of none; a copy in another fold would help members alone,
        since of a record that stands in the control only no copy is taught.
        """
        for_folds, for_models = rng.spawn(2)
        inside = self.cluster[MEMBERS]
        taught = folds(inside, FOLDS, for_folds)
        asked = {MEMBERS: (self.asked[MEMBERS].known, taught)}
        if CONTROL in self.cluster:
            outside = self.cluster[CONTROL]
            own = np.zeros(max(inside.max(), outside.max()) + 1, dtype=np.int64)
            own[outside] = folds(outside, int(taught.max()) + 1, for_folds)
            own[inside] = taught  # a record of both tables has one fold
            asked[CONTROL] = self.asked[CONTROL].known, own[outside]
        guesses = cross_fit(self.question.model, self.asked[MEMBERS], taught, asked, for_models)
        return {(WITHOUT, name): guess for name, guess in guesses.items()}

    def baselines(self, tested: str) -> dict[tuple[str, str], Guess]:
        """What can be said of everybody alike, from the values of the release, and from those of the tested."""
        released, asked, n = self.asked[RELEASE].secret, self.asked[tested].secret, len(self.asked[tested].at)
        constants = {(MAJORITY, tested): _constant(released, n), (TESTED, tested): _constant(asked, n)}
        if released.kind == "number":
            return {**constants, (DRAW, tested): Guess(np.full(n, np.nan))}
        drawn = Guess(np.full(n, NO_GUESS), np.broadcast_to(_shares(released), (n, released.n_levels)))
        return {**constants, (DRAW, tested): drawn}

    def grade(self, trained_on: str, tested_on: str, guess: Guess) -> GuessArm:
        """The guesses beside the truth, in the order of the table."""
        rows, released = self.asked[tested_on], self.asked[RELEASE].secret
        back = np.argsort(rows.at)
        truth, value = rows.secret.truth[back], guess.value[back]
        is_draw_of_numbers = trained_on == DRAW and rows.secret.kind == "number"
        arm = GuessArm(
            trained_on,
            tested_on,
            rows.at[back],
            truth,
            value,
            self.cluster[tested_on][back],
            self.alike[tested_on][back],
            matched=None if guess.matched is None else guess.matched[back],
            prior=np.sort(released.values) if is_draw_of_numbers else None,
        )
        if guess.probability is None:
            return arm
        is_one_row = trained_on in (MAJORITY, TESTED, DRAW)  # seen many times, and left so
        probability = guess.probability if is_one_row else guess.probability[back]
        record = np.arange(len(arm))
        sure = np.where(value == NO_GUESS, 0.0, probability[record, np.maximum(value, 0)])
        return replace(arm, p_truth=probability[record, truth], confidence=sure, probability=probability)


def _constant(secret: Secret, n: int) -> Guess:
    """The median of these values, or the most frequent level (of equals the first), said of all ``n``."""
    if secret.kind == "number":
        return Guess(np.full(n, np.median(secret.values)))
    sure = np.zeros(secret.n_levels)
    sure[_shares(secret).argmax()] = 1.0
    return guess_level(np.broadcast_to(sure, (n, secret.n_levels)))


def _shares(secret: Secret) -> Floats:
    """(n_levels,) how often each level is there."""
    return np.bincount(secret.codes, minlength=secret.n_levels) / len(secret)


def _number_keys(keys: Mapping[str, npt.NDArray[np.void]]) -> dict[str, Ints]:
    """A number for each row of each table, the same for equal keys, in the order of the keys."""
    number = np.unique(np.concatenate(list(keys.values())), return_inverse=True)[1]
    parts = np.split(number, np.cumsum([len(own) for own in keys.values()])[:-1])
    return dict(zip(keys, parts, strict=True))


def folds(cluster: Ints, most: int, rng: np.random.Generator) -> Ints:
    """(n,) the fold of each row, drawn at random; rows of one cluster share it, and no fold is empty."""
    present, position = np.unique(cluster, return_inverse=True)
    fold: Ints = (rng.permutation(len(present)) % most)[position]
    return fold


def out_of_fold_guess(
    model: Inference, asked: KnownAndSecret, most: int, rng: np.random.Generator, person: Ints | None = None
) -> Guess:
    """A guess for every row by a model trained on the rows of other folds; those of one ``person`` (n,) share a fold.

    Equal rows are different people, and dealt as such. With all of them in one fold a model would learn, of those who
    are alike in what is known, from none but those whose secret differs, and guess worse than it does of new people.

    Raises
    ------
    DesignError
        There is only one row.
    """
    fold = folds(np.arange(len(asked.at)) if person is None else person, most, rng)
    return cross_fit(model, asked, fold, {MEMBERS: (asked.known, fold)}, rng)[MEMBERS]


def cross_fit(
    model: Inference,
    taught: KnownAndSecret,
    fold: Ints,
    asked: Mapping[str, tuple[Features, Ints]],
    rng: np.random.Generator,
) -> dict[str, Guess]:
    """Guesses about rows of several tables, each row by the model of its own fold: that was taught the other folds.

    Parameters
    ----------
    fold : (n_taught,)
        The fold of each taught row.
    asked
        By table, what is known of the rows that are guessed, and the fold of each.

    Raises
    ------
    DesignError
        All taught rows are in one fold.
    """
    if not fold.any():
        raise DesignError.phrase(
            "All rows are one and the same record, so no model can learn from others; use more rows."
        )
    parts: dict[str, list[Guess]] = {name: [] for name in asked}
    places: dict[str, list[Ints]] = {name: [] for name in asked}
    for held_out, stream in enumerate(rng.spawn(int(fold.max()) + 1)):
        train = np.flatnonzero(fold != held_out)
        fitted = model.fit(taught.known.rows(train), taught.secret.rows(train), stream)
        tests = {name: np.flatnonzero(own == held_out) for name, (_, own) in asked.items()}
        tests = {name: test for name, test in tests.items() if len(test)}
        for name, guess in guess_sides(
            fitted, {name: asked[name][0].rows(tests[name]) for name in tests}, stream
        ).items():
            parts[name].append(guess)
            places[name].append(tests[name])
    return {name: join_folds(parts[name], np.argsort(np.concatenate(places[name]))) for name in asked}


def guess_sides(fitted: FittedInference, sides: Mapping[str, Features], rng: np.random.Generator) -> dict[str, Guess]:
    """The guesses about each of some tables that are compared.

    A model that guesses people ``together`` is asked about as many at a time of one table as of the other: beside more
    people it guesses better or worse, which would be a difference of none between members and control.
    """
    most = min((len(known) for known in sides.values()), default=0)
    if not getattr(fitted, "together", False):
        return {name: fitted.guess(known) for name, known in sides.items()}
    return {name: _guess_in_batches(fitted, known, most, rng) for name, known in sides.items()}


def _guess_in_batches(fitted: FittedInference, known: Features, size: int, rng: np.random.Generator) -> Guess:
    """Everybody, in batches of exactly ``size`` people drawn at random; the last is filled up with others."""
    order = rng.permutation(len(known))
    starts = range(0, len(known), size)
    parts = [fitted.guess(known.rows(order[min(start, len(known) - size) :][:size])) for start in starts]
    answered = np.concatenate([np.arange(size) + min(start, len(known) - size) for start in starts])
    first = np.unique(answered, return_index=True)[1]
    return join_folds(parts, first[np.argsort(order)])


def _check(question: AttributeQuestion, asked: Mapping[str, KnownAndSecret]) -> None:
    """Refuse a model that cannot guess this kind of secret, and tables without a row to ask about."""
    kind, title = asked[RELEASE].secret.kind, question.model.title
    if kind not in question.model.guesses:
        raise DesignError.phrase(
            "{title} cannot guess a {kind}, and {secret!r} is one; choose another model.",
            title=phrase(title),
            kind=KINDS.get(kind, kind),
            secret=question.secret,
        )
    for name, rows in asked.items():
        if not len(rows.at):
            raise DesignError.phrase(
                "No row of the {table} has a value of {secret!r}; choose another secret.",
                table=_WORD[name],
                secret=question.secret,
            )
