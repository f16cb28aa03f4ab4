"""The training of CTGAN: the steps of the ctgan package, for several models at once.

The package differentiates the generator in each step of the discriminator and throws the result away, activates column
by column, and looks for rows one at a time. Here each product is made once, and for all models that are trained
together. What is drawn is drawn in the package's order, so the same seeds give the
same networks but for rounding; on a CUDA device the same code runs there, with draws of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from ctgan.synthesizers.ctgan import Discriminator, Generator
from torch import Tensor
from torch.nn.functional import leaky_relu

from riskkit.generators.engines.deep import DeepModel
from riskkit.generators.engines.mixture import Encoding, Floats, PackageDraws
from riskkit.generators.engines.stack import Networks, Spans, Streams, layout, move, stream

PACK = 10
"""Rows the discriminator looks at together; a batch must hold whole packs."""
NOISE, UNITS, RATE, DECAY = 128, (256, 256), 2e-4, 1e-6
"""Numbers that a row is made from, units of both networks' layers, and how both learn: as the package has it."""
SLOPE = 0.2
"""Of the discriminator's units below nought."""
KEPT = 0.5
"""Share of the discriminator's units that a step keeps."""
PENALTY = 10.0
"""Weight of how far the discriminator's gradient by a row is from length one."""


class CtganModel(DeepModel):
    """A model of CTGAN: its encoding, the levels it may be asked for, and its generator."""

    def begin(self, frame: pd.DataFrame, discrete: Sequence[str]) -> CtganStart:
        """Encode a frame whose discrete columns are named, and draw the first weights of both networks."""
        self.encoding = Encoding(frame, discrete)
        rows = self.encoding.encode(frame)
        levels = [
            rows[:, where]
            for where, spans in zip(self.encoding.places, self.encoding.spans, strict=True)
            if len(spans) == 1
        ]
        self.shares = [share / share.sum() for share in (np.log(level.sum(axis=0) + 1) for level in levels)]
        """Of each discrete column, how often each level is asked for."""
        asked = sum(map(len, self.shares))
        self.network = Generator(NOISE + asked, UNITS, self.encoding.width).to(self.device)
        self.critic = critic = Discriminator(self.encoding.width + asked, UNITS, pac=PACK).to(self.device)
        steps = self.epochs * max(len(rows) // self.batch_size, 1)
        return CtganStart(self, critic, rows, levels, steps, PackageDraws(self.seed), stream(self.device))

    def familiarity(self, frame: pd.DataFrame) -> np.ndarray:
        """(n,) the discriminator's verdict on a pack of nothing but the row, on average over its levels asked for."""
        rows = torch.from_numpy(self.encoding.encode(frame).astype("float32")).to(self.device)
        discrete = Spans(self.encoding.spans, self.device).discrete
        total = torch.zeros(len(rows), device=self.device)
        critic = self.critic.to(self.device).eval()
        for asked in range(max(len(discrete), 1)):
            parts = [rows[:, where] * (place == asked) for place, where in enumerate(discrete)]
            total += critic(torch.cat([rows, *parts], dim=1).repeat_interleave(PACK, dim=0))[:, 0]
        verdict = (total / max(len(discrete), 1)).double().cpu().numpy()
        return np.where(self.encoding.knows(frame), verdict, -np.inf)

    def sample(self, n: int) -> pd.DataFrame:
        """``n`` rows; levels are asked for as often as in training."""
        choice, chance = PackageDraws(self.seed), Streams([stream(self.device)], self.device)
        spans, rows = Spans(self.encoding.spans, self.device), []
        shares = np.concatenate([*self.shares, np.zeros(0)])
        for _ in range(n // self.batch_size + 1):
            inputs = chance.normal(self.batch_size, NOISE)[0]
            if len(shares):
                level = choice.choice(np.arange(len(shares)), self.batch_size, p=shares / shares.sum())
                asked = torch.nn.functional.one_hot(torch.from_numpy(level), len(shares))
                inputs = torch.cat([inputs, asked.to(inputs)], dim=1)
            rows.append(spans.activate(self.network(inputs)[None], chance)[0].cpu().numpy())
        return self.encoding.decode(np.concatenate(rows)[:n])


@dataclass(frozen=True, slots=True, eq=False)
class CtganStart:
    """A model whose training may begin: its discriminator, its encoded rows, and where its draws come from."""

    model: CtganModel
    critic: Any
    rows: Floats
    levels: Sequence[Floats]
    """(n, levels) of each discrete column its part of the rows."""
    steps: int
    chance: PackageDraws
    stream: torch.Generator

    @property
    def shape(self) -> Hashable:
        """What models that are trained together have in common: how a row is laid out, and the number of steps."""
        return self.steps, layout(self.model.encoding.spans)


def learn(together: Sequence[CtganStart], *, is_short: bool = False) -> None:
    """Train models of one shape; ``is_short`` has products made in bfloat16.

    Raises
    ------
    ValueError
        Training came to values that are no numbers.
    """
    training = Training(together, is_short=is_short)
    for _ in range(together[0].steps):
        training.step()
    training.makers.put_back()
    training.critics.put_back()


class Asked:
    """Which level of which column the rows of a batch must have, and where the rows are that have it."""

    def __init__(self, begun: CtganStart, first_row: int) -> None:
        shares = begun.model.shares
        self.chance = begun.chance
        self.rows, self.first_row = len(begun.rows), first_row
        self.starts_of_columns = np.cumsum([0, *map(len, shares)])[:-1]
        self.likely = np.zeros((len(shares), max(map(len, shares), default=0)))
        """(columns, levels) shares of the levels that are asked for, added up."""
        for place, share in zip(self.likely, shares, strict=True):
            place[: len(share)] = share
        self.likely = self.likely.cumsum(axis=1)
        groups = [np.nonzero(level)[0] for column in begun.levels for level in column.T]
        self.sizes = np.array([len(level) for level in groups], dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])[:-1]
        self.order = np.concatenate([*groups, np.zeros(0, dtype=np.int64)])

    def draw(self, batch: int) -> Any:
        """The level, by its place among all levels, that each row of a batch is to have."""
        column = self.chance.choice(np.arange(len(self.likely)), batch)
        level = (self.likely[column] > self.chance.rand(batch)[:, None]).argmax(axis=1)
        return level + self.starts_of_columns[column]

    def any_rows(self, batch: int) -> Any:
        """The places of as many rows."""
        return self.first_row + self.chance.randint(self.rows, size=batch)

    def rows_with(self, level: Any) -> tuple[Any, Any]:
        """An order of the batch, and in that order the places of rows that have these levels."""
        order = np.arange(len(level))
        self.chance.shuffle(order)
        level = level[order]
        picked = self.order[self.starts[level] + self.chance.randint(0, self.sizes[level])]
        return order, self.first_row + picked


class Training:
    """Both networks of every model, what they learn from and with, a step at a time."""

    def __init__(self, together: Sequence[CtganStart], *, is_short: bool = False) -> None:
        model = together[0].model
        self.batch, self.device = model.batch_size, model.device
        self.chance = Streams([begun.stream for begun in together], self.device)
        self.spans = Spans(model.encoding.spans, self.device)
        self.rows = torch.from_numpy(np.concatenate([begun.rows for begun in together]).astype(np.float32)).to(
            self.device
        )
        """The encoded rows of all models, one after another."""
        starts = np.cumsum([0, *(len(begun.rows) for begun in together)])
        self.choices = [Asked(begun, start) for begun, start in zip(together, starts[:-1], strict=True)]
        self.models = np.arange(len(together))[:, None]
        self.sizes = [len(share) for share in model.shares]
        self.makers = Networks([begun.model.network for begun in together], is_short=is_short)
        self.critics = Networks([begun.critic for begun in together], is_short=is_short)
        self.packs = self.batch // PACK
        self.optimizers = [
            torch.optim.Adam(stack.weights.values(), lr=RATE, betas=(0.5, 0.9), weight_decay=DECAY, fused=True)
            for stack in (self.critics, self.makers)
        ]

    def step(self) -> None:
        """A step of the discriminators and one of the generators."""
        noise, wanted, level = self._ask()
        with torch.no_grad():
            made = self._join(self.spans.activate(self._make(noise, wanted), self.chance), wanted)
        move(self.optimizers[0], self._critics_loss(made, self._real(wanted, level)))
        noise, wanted, _ = self._ask()
        output = self._make(noise, wanted)
        made = self._join(self.spans.activate(output, self.chance), wanted)
        loss: Tensor = -self._judge(made, self._draw_kept()).sum() / self.packs
        for where, own in zip(self.spans.discrete, torch.split(wanted, self.sizes, dim=-1), strict=True):
            loss = loss - (own * output[..., where].log_softmax(-1)).sum() / self.batch
        move(self.optimizers[1], loss)

    def _ask(self) -> tuple[Tensor, Tensor, Any]:
        """Noise for the generators, and the level each row is asked for: one-hot, and by its place among all levels."""
        noise = self.chance.normal(self.batch, NOISE)
        wanted = torch.zeros(len(self.models), self.batch, sum(self.sizes), device=self.device)
        if not self.sizes:
            return noise, wanted, None
        level = np.stack([each.draw(self.batch) for each in self.choices])
        return noise, wanted.scatter_(-1, torch.from_numpy(level).to(self.device)[..., None], 1), level

    def _make(self, noise: Tensor, wanted: Tensor) -> Tensor:
        """The generators' output."""
        values = torch.cat([noise, wanted], dim=-1)
        for name in ("seq.0", "seq.1"):
            sums = self.makers.linear(f"{name}.fc", values)
            values = torch.cat([self.makers.norm(f"{name}.bn", sums).relu(), values], dim=-1)
        return self.makers.linear("seq.2", values)

    def _join(self, rows: Tensor, wanted: Tensor) -> Tensor:
        """Packs of rows beside what they were asked for, as the discriminators look at them."""
        return torch.cat([rows, wanted], dim=-1).view(len(rows), self.packs, -1)

    def _real(self, wanted: Tensor, level: Any) -> Tensor:
        """Packs of real rows that have the levels asked for."""
        if level is None:
            return self._join(self.rows[np.stack([each.any_rows(self.batch) for each in self.choices])], wanted)
        drawn = [each.rows_with(own) for each, own in zip(self.choices, level, strict=True)]
        order, picked = (np.stack(part) for part in zip(*drawn, strict=True))
        return self._join(self.rows[picked], wanted[self.models, order])

    def _draw_kept(self) -> list[Tensor]:
        """Of each layer of the discriminators the units that stay, larger by as much as others are left out."""
        return [self.chance.dropout(KEPT, self.packs, units).div_(KEPT) for units in UNITS]

    def _judge(self, packs: Tensor, kept: Sequence[Tensor]) -> Tensor:
        """The discriminators' verdict on each pack."""
        for name, units in zip(("seq.0", "seq.3"), kept, strict=True):
            packs = leaky_relu(self.critics.linear(name, packs), SLOPE) * units
        return self.critics.linear("seq.6", packs)

    def _critics_loss(self, made: Tensor, real: Tensor) -> Tensor:
        """By how much made packs are taken for real ones, and how far the gradient between them is from length one."""
        kept = self._draw_kept(), self._draw_kept()
        share = self.chance.uniform(self.packs, 1)
        between = (share * real + (1 - share) * made).requires_grad_()
        (inner,) = torch.autograd.grad(self._judge(between, self._draw_kept()).sum(), between, create_graph=True)
        penalty = PENALTY * ((inner.norm(2, dim=-1) - 1) ** 2).sum()
        loss: Tensor = self._judge(made, kept[0]).sum() - self._judge(real, kept[1]).sum() + penalty
        return loss / self.packs
