"""Models of one shape as one: their layers stacked, their draws each from its own stream.

A device waits between the small products of one model, so models that are trained together share every product, with a
place for each model in the first dimension. On a processor a model is a stack of its own. Adam moves each weight by its
own gradient alone, so a stack learns what its models would learn alone, but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import batch_norm


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


class Networks:
    """Networks of one shape as one: each weight under its name, with a place for each network first.

    With ``is_short`` the factors and results of products are rounded to bfloat16, 8 bits instead of 24; between two
    products, and while the weights move, all is float32.
    """

    def __init__(self, networks: Sequence[Module], *, is_short: bool = False) -> None:
        self.networks, self.is_short = networks, is_short
        self.weights: dict[str, Tensor]
        self.weights, self.seen = torch.func.stack_module_state(list(networks))
        """What is learnt, and what normalisations keep of the batches that they have seen."""

    def linear(self, name: str, values: Tensor) -> Tensor:
        """What the linear layer of that name makes of (models, rows, inputs)."""
        weight, bias = self.weights[f"{name}.weight"].mT, self.weights[f"{name}.bias"][:, None]
        if self.is_short:
            return torch.bmm(values.bfloat16(), weight.bfloat16()).float() + bias
        return torch.baddbmm(bias, values, weight)

    def tower(self, names: Sequence[str], values: Tensor) -> Tensor:
        """What linear layers make one after another; negative sums are cut off between two of them."""
        for name in names[:-1]:
            values = self.linear(name, values).relu()
        return self.linear(names[-1], values)

    def norm(self, name: str, sums: Tensor) -> Tensor:
        """What the batch normalisation of that name makes of (models, rows, units).

        To torch it is one normalisation with the units of all models side by side.
        """
        models, rows, units = sums.shape
        weight, bias = (self.weights[f"{name}.{kind}"].view(-1) for kind in ("weight", "bias"))
        mean, variance = (self.seen[f"{name}.{kind}"].view(-1) for kind in ("running_mean", "running_var"))
        self.seen[f"{name}.num_batches_tracked"] += 1
        flat = sums.transpose(0, 1).reshape(rows, -1)
        normal = batch_norm(flat, mean, variance, weight, bias, training=True)
        return normal.view(rows, models, units).transpose(0, 1)

    def put_back(self) -> None:
        """Give each network its own weights, and what it has seen."""
        for place, network in enumerate(self.networks):
            network.load_state_dict({name: own[place] for name, own in {**self.weights, **self.seen}.items()})


def move(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """Take a step along the gradient of the loss, by nothing but what that optimizer moves."""
    optimizer.zero_grad()
    torch.autograd.backward(loss, inputs=[each for group in optimizer.param_groups for each in group["params"]])
    optimizer.step()


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
        self.parts: list[tuple[slice, bool]] = []
        """Where each part lies, and whether it holds levels."""
        self.discrete: list[slice] = []
        """The parts that are a column's own levels."""
        for column in columns:
            for span in column:
                start = self.parts[-1][0].stop if self.parts else 0
                self.parts.append((slice(start, start + span.dim), span.activation_fn != "tanh"))
            if len(column) == 1:
                self.discrete.append(self.parts[-1][0])
        self.width = self.parts[-1][0].stop
        self.softmax = [where for where, is_level in self.parts if is_level]
        numbers = [place for where, is_level in self.parts if not is_level for place in range(where.start, where.stop)]
        self.tanh = torch.tensor(numbers, dtype=torch.long, device=device)

    def activate(self, made: Tensor, chance: Streams) -> Tensor:
        """Draw a level of each column, softly (Gumbel); numbers go through the hyperbolic tangent.

        ``made`` is (models, rows, width). On a processor the draws are those of the package, column by column; on a
        device each model draws all of them at once. Only of the models and columns where a softmax is no number, it is
        drawn anew.

        Raises
        ------
        ValueError
            After :data:`TRIES` draws there still is a softmax that is no number.
        """
        rows = made.shape[1]
        if made.is_cuda:
            waits = chance.exponential(rows, self.width)
        else:
            waits = torch.ones_like(made)
            for where in self.softmax:
                waits[..., where] = chance.exponential(rows, where.stop - where.start)
        for _ in range(TRIES):
            result = self._soften(made, waits)
            if torch.isfinite(result.sum()):
                return result
            for place, stream in enumerate(chance.streams):
                for where in self.softmax:
                    if not torch.isfinite(result[place, :, where]).all():
                        waits[place, :, where].exponential_(generator=stream)
        raise ValueError("training came to values that are no numbers")

    def _soften(self, made: Tensor, waits: Tensor) -> Tensor:
        """Levels as the softmax of their sums, less the logarithms of exponential waiting times."""
        sums = (made - waits.log()) / TEMPERATURE
        parts = (sums[..., part].softmax(-1) if is_level else made[..., part].tanh() for part, is_level in self.parts)
        return torch.cat(list(parts), dim=-1)
