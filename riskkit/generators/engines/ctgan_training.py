"""The training of CTGAN with gradients written out by hand: the steps of the ctgan package, without its autograd.

The package differentiates the generator twice in each step of the discriminator and throws the result away, draws and
activates column by column, and looks for rows one at a time. Here each product is made once, into memory that stays,
and for all models that are trained together. What is drawn is drawn in the package's order, so the same seeds give the
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

from riskkit.generators.engines.deep import DeepModel
from riskkit.generators.engines.mixture import Encoding, Floats, PackageDraws
from riskkit.generators.engines.stack import Linear, Norm, Products, Spans, Stacked, Streams, layout, stream

PACK = 10
"""Rows the discriminator looks at together; a batch must hold whole packs."""
NOISE, UNITS, RATE, DECAY = 128, (256, 256), 2e-4, 1e-6
"""Numbers that a row is made from, units of both networks' layers, and how both learn: as the package has it."""
SLOPE = 0.2
"""Of the discriminator's units below nought."""
KEPT = 0.5
"""Share of the discriminator's units that a step keeps."""
PENALTY = 10.0
"""Weight of how far the discriminator's slope is from one."""


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
        critic = Discriminator(self.encoding.width + asked, UNITS, pac=PACK).to(self.device)
        steps = self.epochs * max(len(rows) // self.batch_size, 1)
        return CtganStart(self, critic, rows, levels, steps, PackageDraws(self.seed), stream(self.device))

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
    with torch.no_grad():
        training = Training(together, is_short=is_short)
        for _ in range(together[0].steps):
            training.step()
        training.put_back()


class Maker:
    """The generators' two normalised layers and their last, with their slopes."""

    def __init__(self, networks: Sequence[Any], batch: int, inputs: int, products: Products) -> None:
        *residuals, last = zip(*(network.seq for network in networks), strict=True)
        self.products = products
        self.layers = [Linear([residual.fc for residual in layer], products) for layer in residuals]
        self.norms = [Norm([residual.bn for residual in layer]) for layer in residuals]
        self.last = Linear(last, products)
        self.inputs = inputs
        width = inputs + sum(layer.units for layer in self.layers)
        self.values = torch.empty(len(networks), batch, width, device=self.last.weight.device)
        """What each layer sees: the last layer's units first, at the end what the network was given."""

    @property
    def stacks(self) -> list[Stacked]:
        """All that is learnt."""
        return [*self.layers, *self.norms, self.last]

    @property
    def inputs_view(self) -> Tensor:
        """Where the noise and the asked levels are to be written."""
        return self.values[..., -self.inputs :]

    def forward(self) -> Tensor:
        """The networks' output on what is given."""
        start = self.values.shape[-1] - self.inputs
        for layer, norm in zip(self.layers, self.norms, strict=True):
            normal = norm.forward(layer.forward(self.values[..., start:]))
            torch.clamp_min(normal, 0, out=self.values[..., start - layer.units : start])
            start -= layer.units
        return self.last.forward(self.values)

    def backward(self, slope: Tensor) -> None:
        """Write the slope by every weight, of the slope by the output."""
        self.last.learn(slope, self.values)
        below = self.last.below(slope)
        start = 0
        for layer, norm in zip(reversed(self.layers), reversed(self.norms), strict=True):
            units = layer.units
            live = below[..., :units] * (self.values[..., start : start + units] > 0)
            start += units
            inner = norm.backward(live)
            layer.learn(inner, self.values[..., start:])
            if layer is not self.layers[0]:
                below = self.products.onto(below[..., units:], inner, layer.weight)


class Critic:
    """The discriminators' two layers and their last, with their slopes, the penalty on their own slope included."""

    def __init__(self, networks: Sequence[Any], batch: int, chance: Streams, products: Products) -> None:
        layers = [[layer for layer in network.seq if hasattr(layer, "weight")] for network in networks]
        self.first, self.second, self.last = (Linear(layer, products) for layer in zip(*layers, strict=True))
        self.chance, self.products = chance, products
        self.packs = batch // PACK
        width = self.first.weight.shape[-1]
        self.rows = torch.empty(len(networks), 3 * batch, width // PACK, device=self.first.weight.device)
        """Made rows, real rows, and the penalty's slope by a row between them."""
        self.views = self.rows.view(len(networks), 3 * self.packs, width)

    @property
    def stacks(self) -> list[Stacked]:
        """All that is learnt."""
        return [self.first, self.second, self.last]

    def _draw(self) -> tuple[Tensor, Tensor]:
        first, second = (self.chance.dropout(KEPT, self.packs, layer.units) for layer in (self.first, self.second))
        return first.div_(KEPT), second.div_(KEPT)

    def made_slope(self) -> Tensor:
        """Slope of minus the mean verdict on made rows by those rows."""
        kept = self._draw()
        first = self.first.forward(self.views[:, : self.packs])
        one_slope = _slope(first).mul_(kept[0])
        two = self.second.forward(first * one_slope)
        two_slope = _slope(two).mul_(kept[1])
        inner = self.second.below((two_slope * self.last.weight).div_(-self.packs)).mul_(one_slope)
        return self.first.below(inner).view(len(self.rows), -1, self.rows.shape[-1])

    def backward(self) -> None:
        """Write the slope by every weight of loss and penalty on the made and the real rows."""
        n, first, second, last = self.packs, self.first, self.second, self.last
        products = self.products
        drawn = [self._draw(), self._draw()]
        share = self.chance.uniform(n, 1)
        drawn.append(self._draw())
        kept = [torch.cat(layer, dim=1) for layer in zip(*drawn, strict=True)]
        both = first.forward(self.views[:, : 2 * n])
        mixed = torch.cat([both, share * both[:, n:] + (1 - share) * both[:, :n]], dim=1)
        one_slope = _slope(mixed).mul_(kept[0])
        seen = mixed * one_slope
        two = second.forward(seen)
        two_slope = _slope(two).mul_(kept[1])
        judged = two[:, : 2 * n] * two_slope[:, : 2 * n]
        # the loss: made rows count up, real rows down
        above = two_slope * last.weight
        above[:, :n] /= n
        above[:, n : 2 * n] /= -n
        last.weight.grad.copy_((judged[:, :n].sum(1, keepdim=True) - judged[:, n:].sum(1, keepdim=True)).div_(n))
        last.bias.grad.zero_()
        torch.sum(above[:, : 2 * n], 1, out=second.bias.grad)
        below = second.below(above).mul_(one_slope)
        torch.sum(below[:, : 2 * n], 1, out=first.bias.grad)
        # the penalty: how far the slope by a row between a made and a real one is from length one
        slope = products.into(self.views[:, 2 * n :], below[:, 2 * n :], first.weight)
        length = slope.norm(2, dim=-1, keepdim=True)
        slope.mul_(((length - 1) * (2 * PENALTY / n)).div_(length.clamp_min(torch.finfo(length.dtype).tiny)))
        products.into(first.weight.grad, below.mT, self.views)
        bend = products.product(slope, first.weight.mT).mul_(one_slope[:, 2 * n :])
        seen[:, 2 * n :] = bend
        products.into(second.weight.grad, above.mT, seen)
        last.weight.grad.add_(products.product(bend, second.weight.mT).mul_(two_slope[:, 2 * n :]).sum(1, keepdim=True))


def _slope(sums: Tensor) -> Tensor:
    """By how much a unit's value grows with its sum."""
    return torch.where(sums > 0, 1.0, SLOPE)


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

    def draw(self, batch: int) -> tuple[Any, Any]:
        """The column and the level, by its place among all levels, of each row of a batch."""
        column = self.chance.choice(np.arange(len(self.likely)), batch)
        level = (self.likely[column] > self.chance.rand(batch)[:, None]).argmax(axis=1)
        return column, level + self.starts_of_columns[column]

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
        self.asked = sum(map(len, model.shares))
        products = Products(is_short=is_short)
        makers, critics = [begun.model.network for begun in together], [begun.critic for begun in together]
        self.maker = Maker(makers, self.batch, NOISE + self.asked, products)
        self.critic = Critic(critics, self.batch, self.chance, products)
        self.optimizers = [
            torch.optim.Adam(
                [weights for stack in network.stacks for weights in stack.parameters()],
                lr=RATE,
                betas=(0.5, 0.9),
                weight_decay=DECAY,
                fused=True,
            )
            for network in (self.critic, self.maker)
        ]

    def step(self) -> None:
        """A step of the discriminators and one of the generators."""
        self._teach_critic()
        self._teach_maker()

    def put_back(self) -> None:
        """Give every generator what it has learnt."""
        for stack in self.maker.stacks:
            stack.put_back()

    def _ask(self) -> tuple[Tensor, Any, Any] | None:
        """Noise into the generators, and the level each row is asked for: one-hot, its column, its place of all."""
        self.maker.inputs_view[..., :NOISE] = self.chance.normal(self.batch, NOISE)
        if not self.asked:
            return None
        column, level = (np.stack(part) for part in zip(*(each.draw(self.batch) for each in self.choices), strict=True))
        onehot = torch.zeros(len(level), self.batch, self.asked, device=self.device)
        onehot.scatter_(-1, self._send(level)[..., None], 1)
        self.maker.inputs_view[..., NOISE:] = onehot
        return onehot, column, level

    def _send(self, places: Any) -> Tensor:
        return torch.from_numpy(places).to(self.device)

    def _teach_critic(self) -> None:
        asked, rows, wide = self._ask(), self.critic.rows, self.spans.width
        made, real = rows[:, : self.batch], rows[:, self.batch : 2 * self.batch]
        if asked is None:
            real[..., :wide] = self.rows[np.stack([each.any_rows(self.batch) for each in self.choices])]
        else:
            onehot, _, level = asked
            drawn = [each.rows_with(wanted) for each, wanted in zip(self.choices, level, strict=True)]
            order, picked = (np.stack(part) for part in zip(*drawn, strict=True))
            real[..., :wide] = self.rows[picked]
            real[..., wide:] = onehot[self.models, order]
            made[..., wide:] = onehot
        made[..., :wide] = self.spans.activate(self.maker.forward(), self.chance)
        self.critic.backward()
        self.optimizers[0].step()

    def _teach_maker(self) -> None:
        asked = self._ask()
        made = self.critic.rows[:, : self.batch]
        output = self.maker.forward()
        result = self.spans.activate(output, self.chance)
        made[..., : self.spans.width] = result
        if asked is not None:
            made[..., self.spans.width :] = asked[0]
        slope = self.spans.back(result, self.critic.made_slope()[..., : self.spans.width])
        if asked is not None:
            where, entropy = self.spans.condition_slope(output, asked[0], self._send(asked[1]))
            slope[..., where] += entropy
        self.maker.backward(slope)
        self.optimizers[1].step()
