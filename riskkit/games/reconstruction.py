"""Several secret columns of a person at once, from those that are known and the release.

Three attackers guess. One copies the released rows that are nearest by the known columns. One learns each secret by
itself from the known columns. One joins these: it lets the guesses of one secret speak for another as far as the two
hang together among the nearest released rows, and adds up exactly over a tree of the secrets. Nobody's side is seen.

A right guess counts by how rare the value is, so that whoever always says what is usual gains one level's worth.

References
----------
.. [1] Reconstruction by conditional models and belief propagation (CoBP-RA), arXiv 2606.08372.
.. [2] Chow and Liu 1968, Approximating discrete probability distributions with dependence trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from riskkit.core import Bools, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.mixture import MixedCrowd
from riskkit.table.features import Encoded, Secret
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of

NEAREST, ALONE, JOINED = ATTACKERS = ("nearest", "alone", "joined")
"""Copy the nearest released rows; each secret by itself; the secrets joined in a tree."""
TREES, DEPTH = 25, 25
NEIGHBOURS = 100
"""Released rows, nearest by the known columns, among which two secrets are seen to hang together."""
JOINABLE = 50
"""A secret of more levels is guessed by itself: a table of two such ones would be larger than the rows that fill it."""
SHRINK = 10.0
"""Rows' worth of independence that is added to each such table."""
RAREST, FEWEST = 0.01, 20
"""A value of a smaller share of people, or of fewer people, counts as if it were that common: of rarer ones there are
too few to say anything of."""
_BLOCK = 2_000_000

Beliefs = tuple[Floats, ...]
"""Of each secret (n_people, n_levels): the logarithm of how likely each level is."""


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """One secret as levels: of the people asked about (``truth``, -1 where the release has no such value) and of the
    released rows (``released``). A number's levels are groups of about as many released rows.
    """

    truth: Ints
    released: Ints
    levels: int

    @classmethod
    def hide(cls, people: Table, release: Table, name: str, groups: int) -> Hidden:
        """The secret of that name in both tables."""
        asked, theirs = Secret.take(people, name), Secret.take(release, name)
        if asked.kind == "category":
            return cls(asked.codes.astype(np.int64), theirs.codes.astype(np.int64), asked.n_levels)
        values = theirs.values[theirs.present]
        if not len(values):
            raise DesignError.phrase("No released row has a value of {name!r}; leave it out of the secrets.", name=name)
        inner = np.unique(np.quantile(values, np.arange(1, groups) / groups, method="inverted_cdf"))
        missing = len(inner) + 1

        def grouped(secret: Secret) -> Ints:
            group = np.searchsorted(inner, secret.values, side="right")
            return np.where(secret.present, group, missing).astype(np.int64)

        return cls(grouped(asked), grouped(theirs), missing + 1)

    def weights(self, codes: Ints) -> Floats:
        """(n_levels,) what a right guess of each level counts among people of these levels: 1 on average."""
        n = len(codes)
        share = np.bincount(codes, minlength=self.levels) / n
        weight = 1 / np.maximum(share, max(RAREST, min(FEWEST / n, 1.0)))
        out: Floats = weight / (share @ weight)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class ReconstructionHits:
    """What the three attackers reach; people are those asked about, in the order of the crowd.

    Parameters
    ----------
    score : (n_attackers, n_people, n_secrets)
        What each guess counts: 0 where it is wrong, else the weight of the value.
    all_right : (n_attackers, n_people)
        Whether every secret of the person is guessed.
    most : (n_people, n_secrets)
        The weight of each value: what its guess counts where it is right.
    """

    score: Floats
    all_right: Bools
    most: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Reconstruction:
    """People and a release, what is known and what is secret."""

    crowd: MixedCrowd
    known: tuple[str, ...]
    secrets: tuple[str, ...]
    groups: int

    def marks(self) -> ReconstructionHits:
        """What the three attackers reach."""
        release = self.crowd.release.rows(np.argsort(self.crowd.release.keys(), kind="stable"))
        people = self.crowd.people.rows(self.crowd.asked)
        hidden = tuple(Hidden.hide(people, release, name, self.groups) for name in self.secrets)
        score = np.empty((len(ATTACKERS), len(people), len(hidden)))
        all_right = np.empty((len(ATTACKERS), len(people)), dtype=np.bool_)
        most = np.column_stack([secret.weights(secret.truth)[secret.truth] for secret in hidden])
        counted = [np.log(secret.weights(secret.released)) for secret in hidden]  # what attackers take it for
        beliefs = self.beliefs(people, release, hidden)
        for attacker, name in enumerate(ATTACKERS):
            believed = beliefs[name]
            right = [_likeliest(each) == secret.truth for each, secret in zip(believed, hidden, strict=True)]
            all_right[attacker] = np.all(right, axis=0)
            for place, secret in enumerate(hidden):
                guess = _likeliest(believed[place] + counted[place])
                score[attacker, :, place] = np.where(guess == secret.truth, most[:, place], 0.0)
        return ReconstructionHits(score, all_right, most)

    def beliefs(self, people: Table, release: Table, hidden: Sequence[Hidden]) -> Mapping[str, Beliefs]:
        """What each attacker believes of every secret."""
        asked, theirs = (Encoded(table).features(self.known) for table in (people, release))
        points = points_of((asked.table, theirs.table))
        k = min(NEIGHBOURS, len(release))
        distance, near = nearest(points[0], points[1], k, metric="city")
        weight = (distance <= distance[:, :1] + 1e-9).astype(np.float64)  # all that are as near as the nearest
        copied = tuple(_shares(secret.released[near], weight, secret.levels) for secret in hidden)
        rng = self.crowd.rng("reconstruction", *self.known, "|", *self.secrets)
        alone: Beliefs = ()
        for secret, seed in zip(hidden, rng.integers(2**31, size=len(hidden)), strict=True):
            alone = (*alone, _learnt(theirs.ordinal(), secret, asked.ordinal(), int(seed)))
        return {NEAREST: copied, ALONE: alone, JOINED: join_beliefs(alone, hidden, near)}


def _likeliest(beliefs: Floats) -> Ints:
    out: Ints = beliefs.argmax(axis=1)
    return out


def _shares(levels: Ints, weight: Floats, n_levels: int) -> Floats:
    """(n, n_levels) logarithm of the share of each level among weighted rows (n, k), shrunk a little to all levels."""
    out = np.zeros((len(levels), n_levels))
    rows = np.repeat(np.arange(len(levels)), levels.shape[1])
    np.add.at(out, (rows, levels.ravel()), weight.ravel())
    total = weight.sum(axis=1, keepdims=True)
    shares: Floats = np.log((out + 1e-3 / n_levels) / (total + 1e-3))
    return shares


def _learnt(theirs: npt.NDArray[np.float32], secret: Hidden, asked: npt.NDArray[np.float32], seed: int) -> Floats:
    """(n, n_levels) log-probabilities of a forest that learnt the secret from the known columns of released rows."""
    probability = np.zeros((len(asked), secret.levels))
    if (secret.released == secret.released[0]).all():
        probability[:, secret.released[0]] = 1.0
    else:
        from sklearn.ensemble import RandomForestClassifier  # every command loads this file, and few grow a forest

        forest = RandomForestClassifier(TREES, max_depth=DEPTH, random_state=seed, n_jobs=1)
        forest.fit(theirs, secret.released)
        probability[:, forest.classes_] = forest.predict_proba(asked)
    return np.log((TREES * probability + 1 / secret.levels) / (TREES + 1))


def tree(hidden: Sequence[Hidden]) -> list[tuple[int, int]]:
    """Edges (parent, child) that join the secrets that tell most of one another, parents first (Chow and Liu)."""
    inside = [place for place, column in enumerate(hidden) if 1 < column.levels <= JOINABLE]
    reached, edges = inside[:1], []
    associations = {(a, b): _association(hidden[a], hidden[b]) for a in inside for b in inside if a < b}
    while len(reached) < len(inside):
        open_ = [(a, b) for a in reached for b in inside if b not in reached]
        best = max(open_, key=lambda edge: associations[min(edge), max(edge)])
        edges.append(best)
        reached.append(best[1])
    return edges


def _association(column: Hidden, other: Hidden) -> float:
    """The mutual information of two secrets among released rows, in nats."""
    pairs = np.bincount(column.released * other.levels + other.released, minlength=column.levels * other.levels)
    both = pairs.reshape(column.levels, other.levels) / len(column.released)
    apart = both.sum(axis=1, keepdims=True) * both.sum(axis=0, keepdims=True)
    there = both > 0
    return float((both[there] * np.log(both[there] / apart[there])).sum())


def join_beliefs(alone: Beliefs, hidden: Sequence[Hidden], near: Ints) -> Beliefs:
    """The beliefs once each secret has heard all others along the tree: the exact marginals of the joint law.

    Parameters
    ----------
    near : (n_people, k)
        The released rows that are nearest to each person, by which two secrets are seen to hang together.
    """
    edges = tree(hidden)
    if not edges:
        return alone
    out = [each.copy() for each in alone]
    most = max(hidden[a].levels * hidden[b].levels for a, b in edges)
    step = max(1, _BLOCK // most)
    for start in range(0, len(near), step):
        block = slice(start, start + step)
        tables = [
            _together(
                hidden[a].released[near[block]], hidden[b].released[near[block]], hidden[a].levels, hidden[b].levels
            )
            for a, b in edges
        ]
        for place, marginal in marginals([each[block] for each in alone], edges, tables).items():
            out[place][block] = marginal
    return tuple(out)


def marginals(own: Sequence[Floats], edges: Sequence[tuple[int, int]], tables: Sequence[Floats]) -> dict[int, Floats]:
    """The logarithm of the marginals (n, levels) of the joint law ``exp(sum own + sum tables)`` on a tree.

    Parameters
    ----------
    own : one (n, levels) a node
    edges : parents first
    tables : one (n, levels of the parent, levels of the child) an edge
    """
    up = {}
    inbox = {node: own[node].copy() for edge in edges for node in edge}
    for (parent, child), table in zip(reversed(edges), reversed(tables), strict=True):
        up[parent, child] = logsumexp(table + inbox[child][:, None, :], axis=2)
        inbox[parent] = inbox[parent] + up[parent, child]
    for (parent, child), table in zip(edges, tables, strict=True):
        rest = inbox[parent] - up[parent, child]
        inbox[child] = inbox[child] + logsumexp(table + rest[:, :, None], axis=1)
    return {node: belief - logsumexp(belief, axis=1, keepdims=True) for node, belief in inbox.items()}


def _together(codes: Ints, other: Ints, n_one: int, n_other: int) -> Floats:
    """(n, n_one, n_other) how much likelier two levels are together than apart among rows (n, k), as a logarithm."""
    n, k = codes.shape
    counts = np.zeros(n * n_one * n_other)
    places = (np.arange(n)[:, None] * n_one + codes) * n_other + other
    counts += np.bincount(places.ravel(), minlength=len(counts))
    both = counts.reshape(n, n_one, n_other) / k
    apart = both.sum(axis=2)[:, :, None] * both.sum(axis=1)[:, None, :]
    likelier: Floats = (k * both + SHRINK * apart) / ((k + SHRINK) * np.where(apart > 0, apart, 1.0))
    return np.log(np.where(apart > 0, likelier, 1.0))
