"""One release of a contest as it was played: who was in, the rows named, how useful it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from riskkit.core import Bools, Ints, Table
from riskkit.games.anonymity import Anonymity
from riskkit.games.contest import ContestPopulation


@dataclass(frozen=True, slots=True)
class Useful:
    """How useful a release is, by measure: against its ``sample``, and ``elsewhere`` against people of no release.

    ``tested`` of those people were asked about by trees and models.
    """

    sample: Mapping[str, float]
    elsewhere: Mapping[str, float]
    tested: int


@dataclass(frozen=True, slots=True, eq=False)
class PlayedRelease:
    """One release. ``hits`` and ``named`` (rows of the population, surest first) by attacker.

    ``asked`` rows were asked about, ``inside`` of which were in; both are 0 where it could not be played. ``rows`` are
    those asked about, and ``release`` is what they were asked of, where these are kept for the bundle.
    """

    anonymiser: str
    number: int
    is_in: Bools
    hits: Mapping[str, int]
    named: Mapping[str, Ints]
    useful: Useful
    asked: int
    inside: int
    notes: tuple[str, ...]
    release: Table | None = None
    rows: Ints | None = None
    anonymity: Anonymity | None = None

    @property
    def usefulness(self) -> Mapping[str, float]:
        """Every measure against the sample; empty where it could not be measured."""
        return self.useful.sample


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What a bundle is written of: everybody who could have been in, and every release with the rows named."""

    population: ContestPopulation
    played: tuple[PlayedRelease, ...]
