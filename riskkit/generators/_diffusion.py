"""Noise that is put on rows step by step, and the law of what a row was one step before.

Numbers are scaled down and normal noise is added; a level stays, or is drawn anew from all levels of its column. Both
are as in Ho, Jain and Abbeel, Denoising diffusion probabilistic models, NeurIPS 2020, and Hoogeboom and others, Argmax
flows and multinomial diffusion, NeurIPS 2021, which TabDDPM puts side by side. The first dimension of everything is the
models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor

from riskkit.generators._stack import Streams

NEVER = math.log(1e-30)
"""The logarithm that the authors' program has for a share of nought."""
MOST_NOISE = 0.999
"""The most noise of one step by the cosine."""
LINEAR, COSINE = "linear", "cosine"


def noise_of_steps(schedule: str, steps: int) -> Tensor:
    """How much noise each step brings, between 0 and 1: ``linear`` grows evenly, ``cosine`` slowly at both ends."""
    if schedule == LINEAR:
        scale = 1000 / steps  # as much noise in all as the thousand steps of Ho and others
        return torch.linspace(scale * 1e-4, min(scale * 0.02, MOST_NOISE), steps, dtype=torch.float64)
    ends = torch.cos((torch.arange(steps + 1, dtype=torch.float64) / steps + 0.008) / 1.008 * math.pi / 2) ** 2
    return (1 - ends[1:] / ends[:-1]).clamp(max=MOST_NOISE)


class NoiseSteps:
    """How noise grows over the steps; ``reached`` is the step of each row, (models, rows), and 0 is the first."""

    def __init__(self, schedule: str, steps: int, device: Any) -> None:
        noise = noise_of_steps(schedule, steps)
        left = torch.cumprod(1 - noise, 0)
        before = torch.cat([torch.ones(1, dtype=left.dtype), left[:-1]])
        self.steps = steps
        self.noise, self.left, self.before = (each.float().to(device) for each in (noise, left, before))
        """Of each step: what it brings, what is left of a row after it, and what was before it."""
        by_start = noise * before.sqrt() / (1 - left)
        by_now = (1 - before) * (1 - noise).sqrt() / (1 - left)
        self._by_start, self._by_now = by_start.float().to(device), by_now.float().to(device)

    def on_numbers(self, numbers: Tensor, reached: Tensor, normal: Tensor) -> Tensor:
        """Numbers after so many steps."""
        left = self.left[reached][..., None]
        return left.sqrt() * numbers + (1 - left).sqrt() * normal

    def numbers_before(self, numbers: Tensor, step: int, guessed: Tensor, normal: Tensor) -> Tensor:
        """Numbers one step before, if the noise in them is as guessed: their mean and (unless first) noise."""
        left = self.left[step]
        start = (numbers - (1 - left).sqrt() * guessed) / left.sqrt()
        mean = self._by_start[step] * start + self._by_now[step] * numbers
        return mean + self.noise[step].sqrt() * normal if step else mean

    def on_levels(self, levels: LevelPlaces, codes: Tensor, reached: Tensor, chance: Streams) -> Tensor:
        """Levels after so many steps: each as it was with what is left, else one of its column."""
        stays = chance.uniform(*codes.shape[1:]) < self.left[reached][..., None]
        return torch.where(stays, codes, levels.any(chance, codes.shape[1]))

    def levels_before(self, levels: LevelPlaces, shares: Tensor, codes: Tensor, reached: Tensor) -> Tensor:
        """The law of the levels one step before these, if ``shares`` is that of the levels without noise.

        Bayes: before it they were those without noise with what was left, else any; and the step came from them to
        ``codes``.
        """
        before, noise = self.before[reached][..., None], self.noise[reached][..., None]
        came = levels.of(codes).mul_(1 - noise).add_(noise * levels.even)
        law = torch.addcmul((1 - before) * levels.even, before, shares).mul_(came)
        return law.div_(levels.sums(law))

    def slope(self, levels: LevelPlaces, shares: Tensor, start: Tensor, codes: Tensor, reached: Tensor) -> Tensor:
        """Of how far the guessed law is from the true one (nats, added over columns): the slope by the logits.

        ``start`` are the levels without noise, ``codes`` those with it, ``shares`` the softmax of the logits. In the
        first step the true law is the level itself, so it is what the level costs.
        """
        before = self.before[reached][..., None]
        off = self.levels_before(levels, shares, codes, reached) - self.levels_before(
            levels, levels.of(start), codes, reached
        )
        kept = before * shares
        inner = off.mul_(kept).div_(kept.add((1 - before) * levels.even).clamp_min_(torch.finfo(off.dtype).tiny))
        return inner.sub_(shares * levels.sums(inner))


class LevelPlaces:
    """Where the levels of each column lie in a row of shares: (models, rows, width)."""

    def __init__(self, sizes: Sequence[int], device: Any, *, is_logarithm: bool = False) -> None:
        self.is_logarithm = is_logarithm
        ends = list(accumulate(sizes, initial=0))
        self.width = ends[-1]
        self.spans = [slice(start, end) for start, end in pairwise(ends)]
        self.sizes = torch.tensor(sizes, dtype=torch.long, device=device)
        self.starts = torch.tensor(ends[:-1], dtype=torch.long, device=device)
        member = torch.zeros(self.width, len(sizes))
        for column, span in enumerate(self.spans):
            member[span, column] = 1
        self.member = member.to(device)
        self.even = (member / torch.tensor(sizes)).sum(1).to(device)
        """What each level has of its column if all have the same."""

    def sums(self, values: Tensor) -> Tensor:
        """The sum over the column of each level, at each level."""
        return (values @ self.member) @ self.member.T

    def of(self, codes: Tensor) -> Tensor:
        """All the share for the level that each column has."""
        return torch.zeros(*codes.shape[:2], self.width, device=codes.device).scatter_(-1, codes + self.starts, 1)

    def seen(self, codes: Tensor) -> Tensor:
        """What a network sees of levels: shares, or their logarithms."""
        shares = self.of(codes)
        return shares.sub_(1).mul_(-NEVER) if self.is_logarithm else shares

    def softmax(self, logits: Tensor) -> Tensor:
        """Shares, within each column."""
        result = torch.empty_like(logits)
        for span in self.spans:
            result[..., span] = torch.softmax(logits[..., span], dim=-1)
        return result

    def any(self, chance: Streams, rows: int) -> Tensor:
        """A level of each column, all alike."""
        drawn = (chance.uniform(rows, len(self.sizes)) * self.sizes).long()
        return torch.minimum(drawn, self.sizes - 1)

    def drawn(self, law: Tensor, chance: Streams) -> Tensor:
        """A level of each column by a law: whose exponential waiting time at that rate ends first."""
        waits = law / chance.exponential(*law.shape[1:])
        empty = torch.zeros(*law.shape[:2], 0, dtype=torch.long, device=law.device)
        return torch.stack([waits[..., span].argmax(-1) for span in self.spans], -1) if self.spans else empty
