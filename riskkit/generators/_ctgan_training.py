"""The training of CTGAN with gradients written out by hand: the steps of the ctgan package, without its autograd.

The package differentiates the generator twice in each step of the discriminator and throws the result away, draws and
activates column by column, and looks for rows one at a time. Here each product is made once, into memory that stays.
What is drawn is drawn in the package's order, so the same seeds give the same networks but for rounding; on a CUDA
device the same code runs there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from ctgan import CTGAN
from ctgan.data_sampler import DataSampler
from ctgan.synthesizers.base import random_state
from ctgan.synthesizers.ctgan import Discriminator, Generator
from torch import Tensor

from riskkit import stages
from riskkit.generators._mixture import Encoding
from riskkit.generators._spans import Spans

SLOPE = 0.2
"""Of the discriminator's units below nought."""
KEPT = 0.5
"""Share of the discriminator's units that a step keeps."""
PENALTY = 10.0
"""Weight of how far the discriminator's slope is from one."""


class HandWritten(CTGAN):  # type: ignore[misc]
    """The package's model, trained by :class:`Training`; it samples as the package does."""

    @random_state  # type: ignore[untyped-decorator]
    def fit(self, train_data: Any, discrete_columns: Any = ()) -> None:
        """Train on a frame whose discrete columns are named.

        Raises
        ------
        ValueError
            Training came to values that are no numbers.
        """
        self._transformer = Encoding()
        self._transformer.fit(train_data, discrete_columns)
        rows = self._transformer.transform(train_data)
        self._data_sampler = DataSampler(rows, self._transformer.output_info_list, self._log_frequency)
        width, asked = self._transformer.output_dimensions, self._data_sampler.dim_cond_vec()
        self._generator = Generator(self._embedding_dim + asked, self._generator_dim, width).to(self._device)
        critic = Discriminator(width + asked, self._discriminator_dim, pac=self.pac).to(self._device)
        training = Training(self, critic, rows)
        with torch.no_grad():
            steps = self._epochs * max(len(rows) // self._batch_size, 1)
            for done in range(steps):
                stages.inner(done, steps)
                training.step()


class Maker:
    """The generator's two normalised layers and its last, with their slopes."""

    def __init__(self, network: Any, batch: int, inputs: int) -> None:
        *residuals, self.last = network.seq
        self.residuals = residuals
        self.inputs = inputs
        width = inputs + sum(layer.fc.out_features for layer in residuals)
        self.values = torch.empty(batch, width, device=self.last.weight.device)
        """What each layer sees: the last layer's units first, at the end what the network was given."""
        self.kept: list[tuple[Tensor, Tensor, Tensor]] = []
        for parameter in network.parameters():
            parameter.grad = torch.zeros_like(parameter)

    @property
    def given(self) -> Tensor:
        """Where the noise and the asked levels are to be written."""
        return self.values[:, -self.inputs :]

    def forward(self) -> Tensor:
        """The network's output on what is given."""
        self.kept.clear()
        start = self.values.shape[1] - self.inputs
        for layer in self.residuals:
            sums = torch.addmm(layer.fc.bias, self.values[:, start:], layer.fc.weight.T)
            norm = layer.bn
            norm.num_batches_tracked.add_(1)
            normal, mean, spread = torch.native_batch_norm(
                sums, norm.weight, norm.bias, norm.running_mean, norm.running_var, True, norm.momentum, norm.eps
            )
            self.kept.append((sums, mean, spread))
            units = layer.fc.out_features
            torch.clamp_min(normal, 0, out=self.values[:, start - units : start])
            start -= units
        return torch.addmm(self.last.bias, self.values, self.last.weight.T)

    def backward(self, slope: Tensor) -> None:
        """Write the slope by every weight, of the slope by the output."""
        torch.mm(slope.T, self.values, out=self.last.weight.grad)
        torch.sum(slope, 0, out=self.last.bias.grad)
        below = slope @ self.last.weight
        start = 0
        for layer, (sums, mean, spread) in zip(reversed(self.residuals), reversed(self.kept), strict=True):
            units, norm = layer.fc.out_features, layer.bn
            live = below[:, :units] * (self.values[:, start : start + units] > 0)
            start += units
            inner, norm.weight.grad, norm.bias.grad = torch.ops.aten.native_batch_norm_backward(
                live,
                sums,
                norm.weight,
                norm.running_mean,
                norm.running_var,
                mean,
                spread,
                True,
                norm.eps,
                [True, True, True],
            )
            torch.mm(inner.T, self.values[:, start:], out=layer.fc.weight.grad)
            torch.sum(inner, 0, out=layer.fc.bias.grad)
            if layer is not self.residuals[0]:
                below = torch.addmm(below[:, units:], inner, layer.fc.weight)


class Critic:
    """The discriminator's two layers and its last, with their slopes, the penalty on its own slope included."""

    def __init__(self, network: Any, batch: int) -> None:
        self.first, self.second, self.last = (layer for layer in network.seq if hasattr(layer, "weight"))
        self.packs = batch // network.pac
        width = self.first.in_features
        self.rows = torch.empty(3 * batch, width // network.pac, device=self.first.weight.device)
        """Made rows, real rows, and the penalty's slope by a row between them."""
        self.views = self.rows.view(3 * self.packs, width)
        for parameter in network.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def _kept(self, units: int) -> Tensor:
        return torch.empty(self.packs, units, device=self.rows.device).bernoulli_(KEPT).div_(KEPT)

    def _drawn(self) -> tuple[Tensor, Tensor]:
        return self._kept(self.first.out_features), self._kept(self.second.out_features)

    def made(self) -> Tensor:
        """Slope of minus the mean verdict on made rows by those rows."""
        kept = self._drawn()
        packs = self.views[: self.packs]
        first = torch.addmm(self.first.bias, packs, self.first.weight.T)
        one_slope = _slope(first).mul_(kept[0])
        two = torch.addmm(self.second.bias, first * one_slope, self.second.weight.T)
        two_slope = _slope(two).mul_(kept[1])
        inner = ((two_slope * self.last.weight).div_(-self.packs) @ self.second.weight).mul_(one_slope)
        slope: Tensor = inner @ self.first.weight
        return slope.view(-1, self.rows.shape[1])

    def backward(self) -> None:
        """Write the slope by every weight of loss and penalty on the made and the real rows."""
        n, first, second, last = self.packs, self.first, self.second, self.last
        drawn = [self._drawn(), self._drawn()]
        share = torch.rand(n, 1, 1, device=self.rows.device).view(n, 1)
        drawn.append(self._drawn())
        kept = [torch.cat(layer) for layer in zip(*drawn, strict=True)]
        both = torch.addmm(first.bias, self.views[: 2 * n], first.weight.T)
        mixed = torch.cat([both, share * both[n:] + (1 - share) * both[:n]])
        one_slope = _slope(mixed).mul_(kept[0])
        seen = mixed * one_slope
        two = torch.addmm(second.bias, seen, second.weight.T)
        two_slope = _slope(two).mul_(kept[1])
        judged = two[: 2 * n] * two_slope[: 2 * n]
        # the loss: made rows count up, real rows down
        above = two_slope * last.weight
        above[:n] /= n
        above[n : 2 * n] /= -n
        last.weight.grad.copy_((judged[:n].sum(0, keepdim=True) - judged[n:].sum(0, keepdim=True)).div_(n))
        last.bias.grad.zero_()
        torch.sum(above[: 2 * n], 0, out=second.bias.grad)
        below = (above @ second.weight).mul_(one_slope)
        torch.sum(below[: 2 * n], 0, out=first.bias.grad)
        # the penalty: how far the slope by a row between a made and a real one is from length one
        slope = torch.mm(below[2 * n :], first.weight, out=self.views[2 * n :])
        length = slope.norm(2, dim=1, keepdim=True)
        slope.mul_(((length - 1) * (2 * PENALTY / n)).div_(length.clamp_min(torch.finfo(length.dtype).tiny)))
        torch.mm(below.T, self.views, out=first.weight.grad)
        bend = torch.mm(slope, first.weight.T).mul_(one_slope[2 * n :])
        seen[2 * n :] = bend
        torch.mm(above.T, seen, out=second.weight.grad)
        last.weight.grad.add_(torch.mm(bend, second.weight.T).mul_(two_slope[2 * n :]).sum(0, keepdim=True))


def _slope(sums: Tensor) -> Tensor:
    """By how much a unit's value grows with its sum."""
    return torch.where(sums > 0, 1.0, SLOPE)


class Training:
    """Both networks, what they learn from and with, a step at a time."""

    def __init__(self, model: Any, critic: Any, rows: Any) -> None:
        self.sampler, self.batch = model._data_sampler, model._batch_size
        self.device = model._device
        self.critic_steps = model._discriminator_steps
        self.spans = Spans(model._transformer.output_info_list, self.device)
        self.rows = torch.from_numpy(rows.astype("float32")).to(self.device)
        self.noise = model._embedding_dim
        self.asked = self.sampler.dim_cond_vec()
        self.maker = Maker(model._generator, self.batch, self.noise + self.asked)
        self.critic = Critic(critic, self.batch)
        self.optimizers = [
            torch.optim.Adam(network.parameters(), lr=rate, betas=(0.5, 0.9), weight_decay=decay, fused=True)
            for network, rate, decay in (
                (critic, model._discriminator_lr, model._discriminator_decay),
                (model._generator, model._generator_lr, model._generator_decay),
            )
        ]
        self.centre = torch.zeros(self.batch, self.noise, device=self.device)
        self.spread = self.centre + 1
        self.chance = model.random_states[0]
        self.likely = self.sampler._discrete_column_category_prob.cumsum(axis=1)
        """(columns, levels) shares of the levels that are asked for, added up."""
        groups = self.sampler._rid_by_cat_cols
        self.sizes = np.array([len(level) for column in groups for level in column], dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])[:-1]
        self.order = np.concatenate([*(level for column in groups for level in column), np.zeros(0, dtype=np.int64)])

    def step(self) -> None:
        """The discriminator's steps and one of the generator."""
        for _ in range(self.critic_steps):
            self._teach_critic()
        self._teach_maker()

    def _ask(self) -> tuple[Tensor, Any, Any] | None:
        """Noise into the generator, and the level that each row is asked for: one-hot, its column, its place of all."""
        self.maker.given[:, : self.noise] = torch.normal(mean=self.centre, std=self.spread)
        if not self.asked:
            return None
        column = self.chance.choice(np.arange(len(self.likely)), self.batch)
        level = (self.likely[column] > self.chance.rand(self.batch)[:, None]).argmax(axis=1)
        level += self.sampler._discrete_column_cond_st[column]
        onehot = torch.zeros(self.batch, self.asked, device=self.device)
        onehot[np.arange(self.batch), level] = 1
        self.maker.given[:, self.noise :] = onehot
        return onehot, column, level

    def _teach_critic(self) -> None:
        asked, rows, wide = self._ask(), self.critic.rows, self.spans.width
        made, real = rows[: self.batch], rows[self.batch : 2 * self.batch]
        if asked is None:
            real[:, :wide] = self.rows[self.chance.randint(len(self.rows), size=self.batch)]
        else:
            onehot, _, level = asked
            order = np.arange(self.batch)
            self.chance.shuffle(order)
            level = level[order]
            picked = self.order[self.starts[level] + self.chance.randint(0, self.sizes[level])]
            real[:, :wide] = self.rows[picked]
            real[:, wide:] = onehot[order]
            made[:, wide:] = onehot
        made[:, :wide] = self.spans.activate(self.maker.forward())
        self.critic.backward()
        self.optimizers[0].step()

    def _teach_maker(self) -> None:
        asked = self._ask()
        made = self.critic.rows[: self.batch]
        output = self.maker.forward()
        result = self.spans.activate(output)
        made[:, : self.spans.width] = result
        if asked is not None:
            made[:, self.spans.width :] = asked[0]
        slope = self.spans.back(result, self.critic.made()[:, : self.spans.width])
        if asked is not None:
            where, entropy = self.spans.asked_for(output, asked[0], torch.from_numpy(asked[1]).to(self.device))
            slope[:, where] += entropy
        self.maker.backward(slope)
        self.optimizers[1].step()
