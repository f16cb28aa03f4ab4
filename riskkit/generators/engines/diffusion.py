"""Noise that is put on rows step by step, and the law of what a row was one step before.

Numbers are scaled down and normal noise is added; a level stays, or is drawn anew from all levels of its column. Both
are as in Ho, Jain and Abbeel, Denoising diffusion probabilistic models, NeurIPS 2020, and Hoogeboom and others, Argmax
flows and multinomial diffusion, NeurIPS 2021, which TabDDPM puts side by side. The first dimension of everything is the
models.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.preprocessing import QuantileTransformer
from torch import Tensor
from torch.nn import Linear, Module, ModuleList
from torch.nn.functional import silu

from riskkit.generators.engines.deep import OnDevice
from riskkit.generators.engines.stack import Networks, Streams, move, stream

if TYPE_CHECKING:
    import pandas as pd

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
        came = levels.onehot(codes) * (1 - noise) + noise * levels.even
        law = (before * shares + (1 - before) * levels.even) * came
        return law / levels.sums(law)


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

    def onehot(self, codes: Tensor) -> Tensor:
        """All the share for the level that each column has."""
        return torch.zeros(*codes.shape[:2], self.width, device=codes.device).scatter_(-1, codes + self.starts, 1)

    def view(self, codes: Tensor) -> Tensor:
        """What a network sees of levels: shares, or their logarithms."""
        shares = self.onehot(codes)
        return shares.sub_(1).mul_(-NEVER) if self.is_logarithm else shares

    def softmax(self, logits: Tensor) -> Tensor:
        """Shares, within each column."""
        return torch.cat([logits[..., span].softmax(-1) for span in self.spans] or [logits], dim=-1)

    def any(self, chance: Streams, rows: int) -> Tensor:
        """A level of each column, all alike."""
        drawn = (chance.uniform(rows, len(self.sizes)) * self.sizes).long()
        return torch.minimum(drawn, self.sizes - 1)

    def draw(self, law: Tensor, chance: Streams) -> Tensor:
        """A level of each column by a law: whose exponential waiting time at that rate ends first."""
        waits = law / chance.exponential(*law.shape[1:])
        empty = torch.zeros(*law.shape[:2], 0, dtype=torch.long, device=law.device)
        return torch.stack([waits[..., span].argmax(-1) for span in self.spans], -1) if self.spans else empty


EMBEDDED, HIDDEN, LONGEST = 128, 256, 10_000
"""Units in which a row and its step are added, units of each of three layers above, and the longest wave of a step."""
RATE, DECAY = 0.002, 0.0001
"""How far AdamW moves a weight at first, and by which share it shrinks it."""
FAR = 1e6
"""Beyond any score: what is guessed badly may run away step by step, and ends at the end of a range all the same."""
BLOCK = 5_000
"""Rows of a release that are drawn together."""
NOISES, EARLY = 256, 0.1
"""How often noise is put on a row to see how well a network knows it, and up to which share of the steps."""


class NormalScores:
    """A frame as numbers of a normal law, by rank, and levels counted from nought; and back."""

    def __init__(self, frame: pd.DataFrame, discrete: Sequence[str]) -> None:
        self.discrete = list(discrete)
        self.continuous = [name for name in frame.columns if name not in set(discrete)]
        codes = [np.unique(frame[name].to_numpy(), return_inverse=True) for name in self.discrete]
        self.levels = [levels for levels, _ in codes]
        self.codes = np.stack([where for _, where in codes], 1) if codes else np.zeros((len(frame), 0), dtype=np.int64)
        ranks = max(min(len(frame) // 30, 1000), 10)  # the authors' rule: one for every 30 rows
        self._by_rank = QuantileTransformer(n_quantiles=ranks, output_distribution="normal", subsample=None)
        values = frame[self.continuous].to_numpy(dtype=float)
        self.numbers = self._by_rank.fit_transform(values) if self.continuous else values

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels each discrete column has."""
        return tuple(len(levels) for levels in self.levels)

    def forward(self, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """(n, numbers) and (n, discrete columns) of other rows; -1 for a level that the first frame has not."""
        codes = [
            np.where(np.isin(values, levels), np.minimum(np.searchsorted(levels, values), len(levels) - 1), -1)
            for levels, values in (
                (levels, frame[name].to_numpy()) for name, levels in zip(self.discrete, self.levels, strict=True)
            )
        ]
        values = frame[self.continuous].to_numpy(dtype=float)
        numbers = self._by_rank.transform(values) if self.continuous else values
        return numbers, np.stack(codes, 1) if codes else np.zeros((len(frame), 0), dtype=np.int64)

    def back(self, numbers: np.ndarray, codes: np.ndarray) -> dict[str, np.ndarray]:
        """The columns of a frame."""
        values = self._by_rank.inverse_transform(numbers) if self.continuous else numbers
        columns = dict(zip(self.continuous, values.T, strict=True))
        levels = zip(self.discrete, self.levels, codes.T, strict=True)
        return columns | {name: each[column] for name, each, column in levels}

    def forget_rows(self) -> None:
        """Keep what it takes to go back, and no row."""
        self.numbers, self.codes = self.numbers[:0], self.codes[:0]


class Denoiser(Module):
    """The layers of one model: a row and the embedding of its step are added, and go through three layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.enter = Linear(width, EMBEDDED)
        self.step = ModuleList([Linear(EMBEDDED, EMBEDDED), Linear(EMBEDDED, EMBEDDED)])
        units = [EMBEDDED, HIDDEN, HIDDEN, HIDDEN, width]
        self.tower = ModuleList([Linear(below, above) for below, above in pairwise(units)])


@dataclass(frozen=True, slots=True)
class DiffusionPlan:
    """What is chosen of a model: :class:`riskkit.generators.tabddpm.TabDdpm` says what it means."""

    training_steps: int
    batch_size: int
    noise_steps: int
    schedule: str
    is_logarithm: bool


class Diffusion(OnDevice):
    """A model: what is chosen of it, and once it is trained, its network."""

    def __init__(self, chosen: DiffusionPlan, device: str = "") -> None:
        self.chosen = chosen
        self.set_device(device)

    def begin(self, frame: pd.DataFrame, discrete: Sequence[str]) -> DiffusionStart:
        """Encode the frame and draw the first weights."""
        self.scores = NormalScores(frame, discrete)
        self.network = Denoiser(len(self.scores.continuous) + sum(self.scores.sizes)).to(self.device)
        numbers = torch.from_numpy(self.scores.numbers.astype(np.float32))
        codes = torch.from_numpy(self.scores.codes.astype(np.int64))
        self.scores.forget_rows()
        return DiffusionStart(self, numbers, codes, stream(self.device))

    def sample(self, n: int) -> pd.DataFrame:
        """Draw rows."""
        import pandas as pd

        chance, blocks = Streams([stream(self.device)], self.device), []
        for start in range(0, n, BLOCK):
            numbers, codes = self.draw(min(BLOCK, n - start), chance)
            if not torch.isfinite(numbers).all():
                raise ValueError("training came to values that are no numbers")
            blocks.append(self.scores.back(numbers[0].double().cpu().numpy(), codes[0].cpu().numpy()))
        return pd.concat([pd.DataFrame(block) for block in blocks], ignore_index=True)

    def familiarity(self, frame: pd.DataFrame) -> np.ndarray:
        """(n,) minus the mean loss of each row, the same :data:`NOISES` noises and steps for all of them.

        Of a row that was learnt the network guesses the noise better. Early steps, where most of a row is left, tell
        most. A row with a level that was not learnt has minus infinity.
        """
        numbers, codes = self.scores.forward(frame)
        known = (codes >= 0).all(1)
        rows = (torch.from_numpy(part[known][None]) for part in (numbers.astype(np.float32), codes.astype(np.int64)))
        own_numbers, own_codes = (part.to(self.device) for part in rows)
        networks, chance = Denoisers([self]), Streams([stream(self.device)], self.device)
        noise = NoiseSteps(self.chosen.schedule, self.chosen.noise_steps, self.device)
        waves = waves_of(noise.steps).to(self.device)
        total = torch.zeros(int(known.sum()), dtype=torch.float64)
        for step in np.linspace(0, EARLY * (noise.steps - 1), NOISES).round().astype(int):
            reached = torch.full(own_numbers.shape[:2], int(step), device=self.device)
            normal = chance.normal(1, own_numbers.shape[-1]).expand(own_numbers.shape)
            noisy = noise.on_levels(networks.levels, own_codes, reached, chance)
            losses = row_losses(networks, noise, waves, own_numbers, own_codes, reached, normal, noisy)
            total += losses[0].double().cpu()
        out = np.full(len(frame), -np.inf)
        out[known] = -total.numpy() / NOISES
        return out

    def draw(self, rows: int, chance: Streams) -> tuple[Tensor, Tensor]:
        """So many rows as the network sees them: noise, taken off step by step."""
        networks = Denoisers([self])
        noise = NoiseSteps(self.chosen.schedule, self.chosen.noise_steps, self.device)
        waves = waves_of(noise.steps).to(self.device)
        numbers, codes = chance.normal(rows, len(self.scores.continuous)), networks.levels.any(chance, rows)
        for step in reversed(range(noise.steps)):
            guessed, logits = networks.forward(numbers, codes, waves[step].expand(1, 1, -1))
            numbers = noise.numbers_before(numbers, step, guessed, chance.normal(*numbers.shape[1:]))
            numbers.clamp_(-FAR, FAR)
            reached = torch.full((1, rows), step, device=self.device)
            law = noise.levels_before(networks.levels, networks.levels.softmax(logits), codes, reached)
            codes = networks.levels.draw(law, chance)
        return numbers, codes


@dataclass(frozen=True, slots=True, eq=False)
class DiffusionStart:
    """A model whose training may begin: its encoded rows, and where its draws come from."""

    model: Diffusion
    numbers: Tensor
    codes: Tensor
    stream: torch.Generator

    @property
    def shape(self) -> Hashable:
        """What models that are trained together have in common."""
        return self.numbers.shape, self.model.scores.sizes


def waves_of(steps: int) -> Tensor:
    """The embedding of each step: waves of so many lengths, cosines before sines."""
    half = EMBEDDED // 2
    lengths = torch.exp(-math.log(LONGEST) / half * torch.arange(half))
    turns = torch.arange(steps)[:, None] * lengths
    return torch.cat([turns.cos(), turns.sin()], 1)


class Denoisers:
    """The networks of several models as one."""

    def __init__(self, models: Sequence[Diffusion]) -> None:
        self.stack = Networks([model.network for model in models])
        self.levels = LevelPlaces(models[0].scores.sizes, models[0].device, is_logarithm=models[0].chosen.is_logarithm)

    def forward(self, numbers: Tensor, codes: Tensor, waves: Tensor) -> tuple[Tensor, Tensor]:
        """The noise that each network guesses in the numbers, and what it guesses of the levels without noise."""
        step = self.stack.linear("step.1", silu(self.stack.linear("step.0", waves)))
        rows = self.stack.linear("enter", torch.cat([numbers, self.levels.view(codes)], -1))
        made = self.stack.tower([f"tower.{place}" for place in range(4)], rows + step)
        return made[..., : numbers.shape[-1]], made[..., numbers.shape[-1] :]


def row_losses(
    networks: Denoisers,
    noise: NoiseSteps,
    waves: Tensor,
    numbers: Tensor,
    codes: Tensor,
    reached: Tensor,
    normal: Tensor,
    noisy: Tensor,
) -> Tensor:
    """(models, rows) how wrong each network is about each row.

    It is the mean square of what is wrong in the guessed noise, and of the levels the cross entropy of the guessed law
    one step before by the true one: times the number of steps, of which one is drawn, a column. In the first step the
    true law is the level itself.
    """
    guessed, logits = networks.forward(noise.on_numbers(numbers, reached, normal), noisy, waves[reached])
    true, law = (
        noise.levels_before(networks.levels, shares, noisy, reached)
        for shares in (networks.levels.onehot(codes), networks.levels.softmax(logits))
    )
    entropy = -(true * law.clamp_min(torch.finfo(law.dtype).tiny).log()).sum(-1)
    of_numbers = ((guessed - normal) ** 2).sum(-1) / max(1, numbers.shape[-1])
    return of_numbers + entropy * noise.steps / max(1, codes.shape[-1])


class Denoising:
    """The networks and what they learn with, a batch at a time."""

    def __init__(self, together: Sequence[DiffusionStart]) -> None:
        model = together[0].model
        self.noise = NoiseSteps(model.chosen.schedule, model.chosen.noise_steps, model.device)
        self.waves = waves_of(self.noise.steps).to(model.device)
        self.chance = Streams([begun.stream for begun in together], model.device)
        self.networks = Denoisers([begun.model for begun in together])
        weights = self.networks.stack.weights.values()
        self.optimizer = torch.optim.AdamW(weights, lr=RATE, weight_decay=DECAY, fused=True)

    def step(self, numbers: Tensor, codes: Tensor, rate: float) -> None:
        """One batch of each: noise is put on the rows, guessed, and the weights moved by how wrong that was."""
        reached = (self.chance.uniform(numbers.shape[1]) * self.noise.steps).long().clamp_max_(self.noise.steps - 1)
        normal = self.chance.normal(*numbers.shape[1:])
        noisy = self.noise.on_levels(self.networks.levels, codes, reached, self.chance)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        move(self.optimizer, self.loss(numbers, codes, reached, normal, noisy))

    def loss(self, numbers: Tensor, codes: Tensor, reached: Tensor, normal: Tensor, noisy: Tensor) -> Tensor:
        """By how much all models together are wrong, but for what no weight changes."""
        each = row_losses(self.networks, self.noise, self.waves, numbers, codes, reached, normal, noisy)
        return each.sum() / numbers.shape[1]

    def order(self, rows: int) -> Tensor:
        """All rows of each model in an order of its own."""
        return self.chance.uniform(rows).argsort(1)


def learn(together: Sequence[DiffusionStart]) -> None:
    """Train models of one shape; the rows come in an order drawn anew whenever all have been seen."""
    model, rows = together[0].model, len(together[0].numbers)
    batch, steps = min(model.chosen.batch_size, rows), model.chosen.training_steps
    training = Denoising(together)
    numbers = torch.stack([begun.numbers for begun in together]).to(model.device)
    codes = torch.stack([begun.codes for begun in together]).to(model.device)
    models = torch.arange(len(together), device=model.device)[:, None]
    waiting = training.order(rows)
    for step in range(steps):
        if waiting.shape[1] < batch:
            waiting = torch.cat([waiting, training.order(rows)], 1)
        now, waiting = waiting[:, :batch], waiting[:, batch:]
        training.step(numbers[models, now], codes[models, now], RATE * (1 - step / steps))
    training.networks.stack.put_back()
