"""Usefulness against what the best attacker finds, method by method: a block of a view."""

from __future__ import annotations

from dataclasses import dataclass, replace

from riskkit.core import Estimate


@dataclass(frozen=True, slots=True)
class Spot:
    """One release method: how useful it is, and the hits of the attacker that did best.

    ``useful`` is the usefulness with its interval, None where it has none. ``beaten`` says by whom it is beaten: by
    methods that are no less useful and in which no more is found. ``is_uploaded`` where the reader brought its release.
    """

    who: str
    usefulness: float
    useful: Estimate | None
    hits: Estimate
    beaten: tuple[str, ...] = ()
    is_uploaded: bool = False


@dataclass(frozen=True, slots=True)
class Frontier:
    """Every method by its usefulness, of that ``measure``, and the hits of its best attacker, of ``most`` rows named.

    ``across`` and ``up`` are the titles of its axes; fewer hits stand higher up. ``guess`` is what guessing finds.
    """

    key: str
    sentence: str
    measure: str
    across: str
    up: str
    spots: tuple[Spot, ...]
    guess: float
    most: int
    caption: str = ""

    @property
    def unbeaten(self) -> list[Spot]:
        """The spots that no other beats, the least useful first."""
        return sorted((spot for spot in self.spots if not spot.beaten), key=lambda spot: spot.usefulness)

    def share(self, spot: Spot) -> Estimate:
        """The hits of a spot as a share of the rows named."""
        hits = spot.hits
        return replace(hits, value=hits.value / self.most, low=hits.low / self.most, high=hits.high / self.most)
