"""Models of one shape as one: their layers stacked, their draws each from its own stream.

A device waits between the small products of one model, so models that are trained together share every product, with a
place for each model in the first dimension. On a processor a model is a stack of its own. Adam moves each weight by its
own slopes alone, so a stack learns what its models would learn alone, but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Parameter

SEEN = ("running_mean", "running_var")
"""What a normalisation keeps of the batches it has seen."""


class Streams:
    """What is drawn in a training: for each model from a stream of its own, whoever trains beside it."""

    def __init__(self, streams: Sequence[torch.Generator], device: Any) -> None:
        self.streams, self.device = streams, device

    def _fill(self, size: tuple[int, ...], draw: Callable[[Tensor, torch.Generator], object]) -> Tensor:
        """(models, *size)."""
        values = torch.empty(len(self.streams), *size, device=self.device)
        for place, stream in zip(values, self.streams, strict=True):
            draw(place, stream)
        return values

    def normal(self, *size: int) -> Tensor:
        """Standard normal draws."""
        return self._fill(size, lambda place, stream: place.normal_(generator=stream))

    def uniform(self, *size: int) -> Tensor:
        """Draws between nought and one."""
        return self._fill(size, lambda place, stream: place.uniform_(generator=stream))

    def exponential(self, *size: int) -> Tensor:
        """Exponential draws of mean one."""
        return self._fill(size, lambda place, stream: place.exponential_(generator=stream))

    def dropout(self, share: float, *size: int) -> Tensor:
        """One in that share of the places, nought in the others."""
        return self._fill(size, lambda place, stream: place.bernoulli_(share, generator=stream))


def stream(device: Any) -> torch.Generator:
    """A stream that goes on where torch's own on that device stands now."""
    copy = torch.Generator(device)
    copy.set_state(torch.cuda.get_rng_state(device) if copy.device.type == "cuda" else torch.get_rng_state())
    return copy


class Products:
    """Products of (models, rows, places) by (models, places, units).

    With ``is_short`` the factors and the result are rounded to bfloat16, 8 bits instead of 24; between two products,
    and while the weights move, all is float32.
    """

    def __init__(self, *, is_short: bool = False) -> None:
        self.is_short = is_short

    def product(self, left: Tensor, right: Tensor) -> Tensor:
        """The product."""
        return _short(left, right).float() if self.is_short else torch.bmm(left, right)

    def into(self, place: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """The product, written there."""
        return place.copy_(_short(left, right)) if self.is_short else torch.bmm(left, right, out=place)

    def onto(self, base: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """The product added to that."""
        return self.product(left, right).add_(base) if self.is_short else torch.baddbmm(base, left, right)


def _short(left: Tensor, right: Tensor) -> Tensor:
    return torch.bmm(left.bfloat16(), right.bfloat16())


class Stacked:
    """The weights of one layer of every model; learnt in one piece, and put back into the layers at the end."""

    names = ("weight", "bias")
    weight: Any
    bias: Any

    def __init__(self, layers: Sequence[Any]) -> None:
        self.layers = layers
        self.weight, self.bias = (
            Parameter(torch.stack([getattr(layer, name) for layer in layers])) for name in self.names
        )
        for parameter in self.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def parameters(self) -> list[Parameter]:
        """What is learnt."""
        return [self.weight, self.bias]

    def put_back(self) -> None:
        """Give each model its own weights."""
        for values, name in zip(self.parameters(), self.names, strict=True):
            for layer, own in zip(self.layers, values, strict=True):
                getattr(layer, name).copy_(own)


class Linear(Stacked):
    """A linear layer of every model: (models, rows, inputs) to (models, rows, units)."""

    def __init__(self, layers: Sequence[Any], products: Products) -> None:
        super().__init__(layers)
        self.products = products

    @property
    def units(self) -> int:
        """How many values it gives."""
        return int(self.weight.shape[1])

    def forward(self, values: Tensor) -> Tensor:
        """What the layer makes of these values."""
        return self.products.onto(self.bias[:, None], values, self.weight.mT)

    def below(self, slope: Tensor) -> Tensor:
        """The slope by what came in, of the slope by what went out."""
        return self.products.product(slope, self.weight)

    def learn(self, slope: Tensor, values: Tensor) -> None:
        """Write the slope by the weights, of the slope by what went out and of what came in."""
        self.products.into(self.weight.grad, slope.mT, values)
        torch.sum(slope, 1, out=self.bias.grad)


class Tower:
    """Linear layers, each but perhaps the last with its negative sums cut off, and their slopes."""

    def __init__(self, networks: Sequence[Any], products: Products, *, is_cut_at_the_end: bool) -> None:
        kept = [[layer for layer in network if hasattr(layer, "weight")] for network in networks]
        self.layers = [Linear(layers, products) for layers in zip(*kept, strict=True)]
        self.cut = [True] * (len(self.layers) - 1) + [is_cut_at_the_end]
        self.seen: list[Tensor] = []

    def forward(self, values: Tensor) -> Tensor:
        """What comes out at the top."""
        self.seen = [values]
        for layer, is_cut in zip(self.layers, self.cut, strict=True):
            sums = layer.forward(self.seen[-1])
            self.seen.append(sums.clamp_min_(0) if is_cut else sums)
        return self.seen[-1]

    def backward(self, slope: Tensor, *, is_first: bool) -> Tensor:
        """Write the slope by every weight; returns the slope by what came in, unless nothing is below."""
        for place in reversed(range(len(self.layers))):
            layer = self.layers[place]
            if self.cut[place]:
                slope = slope * (self.seen[place + 1] > 0)
            layer.learn(slope, self.seen[place])
            if place or not is_first:
                slope = layer.below(slope)
        return slope


class Norm(Stacked):
    """A batch normalisation of every model. To torch it is one layer with the units of all models side by side."""

    def __init__(self, layers: Sequence[Any]) -> None:
        super().__init__(layers)
        self.means, self.variances = (torch.cat([getattr(layer, name) for layer in layers]) for name in SEEN)
        self.batches = 0
        self.momentum, self.eps = layers[0].momentum, layers[0].eps
        self.sums = self.mean = self.spread = torch.empty(0)

    def forward(self, sums: Tensor) -> Tensor:
        """The sums, each unit with mean nought and spread one over the rows, scaled and moved."""
        self.sums = _side_by_side(sums)
        self.batches += 1
        normal, self.mean, self.spread = torch.native_batch_norm(
            self.sums, self.weight.ravel(), self.bias.ravel(), self.means, self.variances, True, self.momentum, self.eps
        )
        return self._stack(normal)

    def backward(self, slope: Tensor) -> Tensor:
        """Write the slope by the weights; returns that by the sums."""
        inner, weight, bias = torch.ops.aten.native_batch_norm_backward(
            _side_by_side(slope),
            self.sums,
            self.weight.ravel(),
            self.means,
            self.variances,
            self.mean,
            self.spread,
            True,
            self.eps,
            [True, True, True],
        )
        self.weight.grad, self.bias.grad = weight.view_as(self.weight), bias.view_as(self.bias)
        return self._stack(inner)

    def put_back(self) -> None:
        """Give each model its own weights, and what it has seen of means and spreads."""
        super().put_back()
        for values, name in zip((self.means, self.variances), SEEN, strict=True):
            for layer, own in zip(self.layers, values.view_as(self.weight), strict=True):
                getattr(layer, name).copy_(own)
        for layer in self.layers:
            layer.num_batches_tracked.add_(self.batches)

    def _stack(self, values: Tensor) -> Tensor:
        return values.view(len(values), *self.weight.shape).transpose(0, 1)


def _side_by_side(values: Tensor) -> Tensor:
    """(models, rows, units) as (rows, models * units)."""
    return values.transpose(0, 1).reshape(values.shape[1], -1)


TEMPERATURE = 0.2
"""What CTGAN divides by before a softmax of made levels: the smaller, the nearer to one of them."""
TRIES = 10
"""Draws of made levels after which a softmax that is no number is given up."""


def layout(columns: Any) -> tuple[tuple[tuple[str, int], ...], ...]:
    """How wide each part of an encoded row is, and what it holds; encodings that agree in it have the same networks."""
    return tuple(tuple((span.activation_fn, span.dim) for span in column) for column in columns)


class Spans:
    """Where the columns lie in an encoded row, and what makes of a network's output such a row."""

    def __init__(self, columns: Any, device: Any) -> None:
        self.softmax: list[slice] = []
        self.discrete: list[slice] = []
        tanh: list[int] = []
        place = 0
        for column in columns:
            for span in column:
                if span.activation_fn == "tanh":
                    tanh.extend(range(place, place + span.dim))
                else:
                    self.softmax.append(slice(place, place + span.dim))
                    if len(column) == 1:
                        self.discrete.append(self.softmax[-1])
                place += span.dim
        self.width = place
        self.tanh = torch.tensor(tanh, dtype=torch.long, device=device)
        self.member = torch.zeros(place, len(self.softmax), device=device)
        for number, where in enumerate(self.softmax):
            self.member[where, number] = 1
        levels = [np.arange(where.start, where.stop) for where in self.discrete]
        self.levels = torch.from_numpy(np.concatenate([*levels, np.zeros(0, dtype=np.int64)]).astype(np.int64)).to(
            device
        )
        sizes = [len(those) for those in levels]
        self.others = torch.ones(len(sizes), sum(sizes), dtype=torch.bool, device=device)
        for number, end in enumerate(np.cumsum(sizes)):
            self.others[number, end - sizes[number] : end] = False
        """(columns, levels) which levels belong to another column."""

    def activate(self, made: Tensor, chance: Streams) -> Tensor:
        """Draw a level of each column, softly (Gumbel); numbers go through the hyperbolic tangent.

        ``made`` is (models, rows, width). On a processor the draws are those of the package, column by column; on a
        device each model draws all of them at once.
        """
        rows = made.shape[1]
        if made.is_cuda:
            noise = chance.exponential(rows, self.width)
        else:
            noise = torch.ones_like(made)
            for where in self.softmax:
                noise[..., where] = chance.exponential(rows, where.stop - where.start)
        noise.log_().neg_().add_(made).div_(TEMPERATURE)
        result = torch.empty_like(made)
        for where in self.softmax:
            result[..., where] = torch.softmax(noise[..., where], dim=-1)
        result[..., self.tanh] = torch.tanh(made[..., self.tanh])
        return result if torch.isfinite(result.sum()) else self._again(made, result, chance)

    def _again(self, made: Tensor, result: Tensor, chance: Streams) -> Tensor:
        """Draw anew what is no number; only of the models and columns where it is none."""
        for outputs, values, stream in zip(made, result, chance.streams, strict=True):
            for where in self.softmax:
                for _ in range(TRIES):
                    if torch.isfinite(values[:, where]).all():
                        break
                    drawn = torch.empty_like(values[:, where], memory_format=torch.contiguous_format)
                    drawn.exponential_(generator=stream).log_().neg_().add_(outputs[:, where]).div_(TEMPERATURE)
                    values[:, where] = torch.softmax(drawn, dim=-1)
                else:
                    raise ValueError("training came to values that are no numbers")
        return result

    def back(self, result: Tensor, slope: Tensor) -> Tensor:
        """Slope by the network's output, of the slope by what :meth:`activate` made of it."""
        inner = slope * result
        sums = (inner @ self.member) @ self.member.T
        back = torch.addcmul(inner, result, sums, value=-1).div_(TEMPERATURE)
        tanh = result[..., self.tanh]
        back[..., self.tanh] = slope[..., self.tanh] * (1 - tanh * tanh)
        return back

    def condition_slope(self, made: Tensor, asked: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
        """Where the asked levels lie, and the slope there of the cross entropy of each row's asked level."""
        shares = made[..., self.levels].masked_fill_(self.others[column], -torch.inf).softmax(dim=-1)
        return self.levels, shares.sub_(asked).div_(made.shape[-2])
